-- The lease learns what fills take.
local sql = "SELECT * FROM product"
local lease = px
for round = 1, rounds do
  local start = round * 3000
  sleep(start - now() + jitter(0, 20))
  local mine = token()
  while not send("GET", key) do
    if send("SET", lock, mine,
            "NX", "PX", lease) then
      local begun = now()
      local body = db.query(sql).body
      local took = now() - begun
      lease = math.max(lease,
        math.ceil(took * 1.5))
      send("SET", key, body, "PX", 1000)
      send("EVAL", release, 1,
           lock, mine)
      break
    end
    sleep(jitter(20, 50))
  end
end
