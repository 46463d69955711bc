-- One fill in the life of a value.
local mine = token()
while true do
  local value = send("GET", key)
  if value then return serve(value) end
  local won = send("SET", lock, mine,
                   "NX", "PX", life)
  if won then break end
  sleep(jitter(80, 120))
end
local value = send("GET", key)
if not value then
  local row = db.query(
    "SELECT * FROM product")
  value = row.body
  send("SET", key, value, "PX", life)
end
send("EVAL", release, 1, lock, mine)
return serve(value)
