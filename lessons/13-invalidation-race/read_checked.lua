local function read()
  local value = send("GET", key)
  if value and value:sub(1,1) ~= "?" then
    return value
  end
end

local value = read()
if value then return serve(value) end
local mine = token()
while not send("SET", lock, mine,
               "NX", "PX", px) do
  sleep(jitter(20, 50))
  value = read()
  if value then return serve(value) end
end
send("SET", key, "?" .. mine, "PX", px)
local row = db.query(
  "SELECT * FROM product WHERE id = 123")
send("EVAL", replace, 1, key,
     "?" .. mine, row.body, 300)
send("EVAL", release, 1, lock, mine)
return serve(row.body)
