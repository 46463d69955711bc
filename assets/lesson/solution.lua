local value = send("GET", key)
if value then return serve(value) end

local row = db.query(
  "SELECT * FROM product WHERE id = 123")
send("SET", key, row.body, "EX", 300)
return serve(row.body)
