local value = send("GET", key)
if value then return serve(value) end

local mine = token()
local before = send("SET", lock, mine,
                    "GET", "PX", px)
if before then  -- somebody has it
  for try = 1, tries do
    sleep(jitter(20, 50))
    value = send("GET", key)
    if value then return serve(value) end
  end
  return degrade("try again soon")
end

local row = db.query(
  "SELECT * FROM product WHERE id = 123")
send("SET", key, row.body, "EX", 300)
send("EVAL", release, 1, lock, mine)
return serve(row.body)
