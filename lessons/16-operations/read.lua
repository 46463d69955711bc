local mine = token()
while true do
  local value = send("GET", key)
  if value then return serve(value) end
  if send("SET", lock, mine,
          "NX", "PX", px) then break end
  sleep(jitter(80, 120))
end
local row = db.query(
  "SELECT * FROM product")
send("SET", key, row.body, "PX", life)
send("EVAL", release, 1, lock, mine)
return serve(row.body)
