local mine = token()
while true do
  local value = send("GET", key)
  if value then return serve(value) end
  if send("SET", lock, mine,
          "NX", "PX", px) then break end
  sleep(jitter(20, 50))
end
local value = send("GET", key)  -- again
if value then
  send("EVAL", release, 1, lock, mine)
  return serve(value)
end
local row = db.query(
  "SELECT * FROM product WHERE id = 123")
-- The query is done: let the others in.
send("EVAL", release, 1, lock, mine)
send("SET", key, row.body, "EX", 300)
return serve(row.body)
