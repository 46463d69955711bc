-- The value lives a second, and every
-- three seconds somebody needs it again.
local sql = "SELECT * FROM product"
for round = 1, rounds do
  local start = round * 3000
  sleep(start - now() + jitter(0, 20))
  local mine = token()
  while not send("GET", key) do
    if send("SET", lock, mine,
            "NX", "PX", px) then
      local body = db.query(sql).body
      send("SET", key, body, "PX", 1000)
      send("EVAL", release, 1,
           lock, mine)
      break
    end
    sleep(jitter(20, 50))
  end
end
