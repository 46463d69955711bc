-- Whoever stores first has stored it.
local value = send("GET", key)
if value then
  return serve(value)
end

local row = db.query(
  "SELECT * FROM product WHERE id = 123")
if send("SETNX", key, row.body) == 1 then
  send("EXPIRE", key, 300)
end
return serve(row.body)
