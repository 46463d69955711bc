local function read()
  local value = send("GET", key)
  if value and value:sub(1,1) ~= "?" then
    return value
  end
end

local mine = token()
while true do
  local value = read()
  if value then return serve(value) end
  if send("SET", lock, mine,
          "NX", "PX", px) then break end
  sleep(jitter(20, 50))
end
-- Only over what nobody has deleted.
local mark = "?" .. mine
send("SET", key, mark, "PX", px)
local row = db.query(
  "SELECT * FROM product WHERE id = 123")
send("EVAL", replace, 1, key,
     mark, row.body, 300)
send("EVAL", release, 1, lock, mine)
return serve(row.body)
