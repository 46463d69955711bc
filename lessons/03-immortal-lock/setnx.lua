local value = send("GET", key)
if value then return serve(value) end

local mine = token()
if send("SETNX", lock, mine) == 0 then
  for try = 1, 10 do
    sleep(jitter(20, 50))
    value = send("GET", key)
    if value then return serve(value) end
  end
  return degrade("try again soon")
end
send("EXPIRE", lock, 30)  -- too late?

local row = db.query(
  "SELECT * FROM product WHERE id = 123")
send("SET", key, row.body, "EX", 300)
send("EVAL", release, 1, lock, mine)
return serve(row.body)
