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
  -- The lock is not enough: one charge
  -- for each invoice, says its table.
  db.commit([[INSERT OR IGNORE
    INTO charge (id, amount)
    VALUES (123, 4900)]])
  try_send("SET", key, "paid", "EX", 300)
end
try_send("EVAL", release, 1, lock, mine)
return serve("paid")
