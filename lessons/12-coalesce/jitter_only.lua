local value = send("GET", key)
if value then return serve(value) end
local row = db.query(
  "SELECT * FROM product")
local life = jitter(60000 - spread,
                    60000 + spread)
send("SET", key, row.body, "PX", life)
return serve(row.body)
