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
-- Once for all requests of the process.
return serve(singleflight(key, load))
