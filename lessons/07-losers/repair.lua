local sql = "SELECT * FROM product"
local value = send("GET", key)
if value then return serve(value) end
local mine = token()
if send("SET", lock, mine,
        "NX", "PX", px) then
  local row = db.query(sql)
  send("SET", key, row.body, "EX", 300)
  send("EVAL", release, 1, lock, mine)
  return serve(row.body)
end
local wait = 20
for try = 1, 8 do
  sleep(jitter(wait, wait + spread))
  value = send("GET", key)
  if value then return serve(value) end
  wait = wait * 2  -- spare Redis
end
return degrade("come back in a second")
