local sql = "SELECT * FROM product"
local function answer(value)
  if value == "!failed" then
    return fail("503, Retry-After: 1")
  end
  return serve(value)
end
local value = send("GET", key)
if value then return answer(value) end

local mine = token()
while not send("SET", lock, mine,
               "NX", "PX", px) do
  sleep(jitter(20, 50))
  value = send("GET", key)
  if value then return answer(value) end
end
local ok, row = pcall(db.query, sql)
if ok then
  send("SET", key, row.body, "EX", 300)
else
  send("SET", key, "!failed", "PX", 1000)
end
send("EVAL", release, 1, lock, mine)
if not ok then return fail("503") end
return serve(row.body)
