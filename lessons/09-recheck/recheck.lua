local mine = token()
while true do
  local value = send("GET", key)
  if value then return serve(value) end
  if send("SET", lock, mine,
          "NX", "PX", px) then break end
  sleep(jitter(20, 50))
end
local value = send("GET", key)  -- again
if not value then
  value = db.query("SELECT body FROM "
    .. "product WHERE id = 123").body
  send("SET", key, value, "EX", 300)
end
send("EVAL", release, 1, lock, mine)
return serve(value)
