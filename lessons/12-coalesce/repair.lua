local function load()
  local mine = token()
  while true do
    local value = send("GET", key)
    if value then return value end
    local won = send("SET", lock, mine,
                     "NX", "PX", px)
    if won then break end
    sleep(jitter(20, 50))
  end
  local row = db.query(
    "SELECT * FROM product")
  send("SET", key, row.body, "EX", 60)
  send("EVAL", release, 1, lock, mine)
  return row.body
end
local ok, value =
  pcall(singleflight, key, load)
for again = 1, 3 do
  if not ok then
    ok, value = pcall(load)
  end
end
if not ok then return fail("503") end
return serve(value)
