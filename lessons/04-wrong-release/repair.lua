local value = send("GET", key)
if value then return serve(value) end

local mine = token()
while not send("SET", lock, mine,
               "NX", "PX", px) do
  sleep(jitter(20, 50))  -- try again
end
local row = db.query(
  "SELECT * FROM product WHERE id = 123")
send("SET", key, row.body, "EX", 300)
local _, problem = try_send(
  "EVAL", release, 1, lock, mine)
if problem then  -- once more
  try_send("DEL", lock)
end
return serve(row.body)
