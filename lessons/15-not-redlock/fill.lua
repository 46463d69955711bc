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
local row = db.query(
  "SELECT * FROM product")
try_send("SET", key, row.body, "EX", 300)
try_send("EVAL", release, 1, lock, mine)
return serve(row.body)
