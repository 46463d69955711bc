local mine = token()
while true do
  local value = send("GET", key)
  local left =
    value and send("PTTL", key)
  local age = left and hard * 1000 - left
  if value and age < soft * 1000 then
    return serve(value)
  end
  if value then stale(value) end
  if send("SET", lock, mine,
          "NX", "PX", px) then break end
  if value then return end
  sleep(jitter(20, 50))
end
local row = db.query(
  "SELECT * FROM product WHERE id = 123")
-- A new page in the old entry.
if not send("SET", key, row.body,
            "XX", "KEEPTTL") then
  send("SET", key, row.body, "EX", hard)
end
send("EVAL", release, 1, lock, mine)
return serve(row.body)
