-- Runs once, before anybody asks.
local row = db.query(
  "SELECT * FROM product WHERE id = 123")
send("SET", key, row.body, "EX", 300)
