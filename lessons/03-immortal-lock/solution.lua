local value = send("GET", key)
if value then return serve(value) end

local mine = token() .. " fills"
if not send("SET", lock, mine,
            "NX", "PX", 30000) then
  sleep(jitter(500, 1000))
  value = send("GET", key)
  if value then return serve(value) end
  return degrade("try again soon")
end

local row = db.query(
  "SELECT * FROM product WHERE id = 123")
send("SET", key, row.body, "EX", 300)
send("EVAL", release, 1, lock, mine)
return serve(row.body)
