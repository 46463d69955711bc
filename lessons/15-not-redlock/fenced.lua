local mine = token()
local function take()
  return try_send("SET", lock, mine,
                  "NX", "PX", px)
end
while not take() do
  sleep(jitter(20, 50))
end
local value = try_send("GET", key)
if value then
  try_send("EVAL", release, 1,
           lock, mine)
  return serve(value)
end
-- A number that only grows, from a place
-- that does not forget.
local fence = db.commit([[UPDATE ticket
  SET last = last + 1 RETURNING last]])
-- The resource itself refuses old ones.
local row = db.commit([[UPDATE invoice
  SET fence = ?, paid = 1
  WHERE paid = 0 AND fence < ?
  RETURNING id]], fence.last, fence.last)
note(row and "charged" or "refused")
try_send("SET", key, "paid", "EX", 300)
try_send("EVAL", release, 1, lock, mine)
return serve("paid")
