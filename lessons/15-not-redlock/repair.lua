local mine = token()
local function take()
  return try_send("SET", lock, mine,
                  "NX", "PX", px)
end
while not take() do
  sleep(jitter(20, 50))
end
local value = try_send("GET", key)
if not value then
  -- The lock is not enough: ask first.
  local charged = db.query(
    "SELECT id FROM charge")
  if not charged then
    db.commit([[INSERT INTO charge
      (amount) VALUES (4900)]])
  end
  try_send("SET", key, "paid", "EX", 300)
end
try_send("EVAL", release, 1, lock, mine)
return serve("paid")
