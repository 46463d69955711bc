local mine = token()
local value = send("GET", key)
if value then return serve(value) end
send("SET", lock, mine, "NX", "PX", px)
local row = db.query(
  "SELECT * FROM product")
-- Store and release at once.
send("EVAL", settle, 2, lock, key,
     mine, row.body, 60)
return serve(row.body)
