local value = try_send("GET", key)
if value then return serve(value) end
-- No cache? Then the database.
local row = db.query(
  "SELECT * FROM product")
try_send("SET", key, row.body, "EX", 300)
return serve(row.body)
