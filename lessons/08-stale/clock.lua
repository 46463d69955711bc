local mine = token()
local value = send("GET", key)
local written = send("GET", stamp)
-- How old? This machine's clock says.
local age = now() - (written or 0)
if value and age < soft * 1000 then
  return serve(value)
end
if value then stale(value) end
if not send("SET", lock, mine,
            "NX", "PX", px) then
  return
end
local row = db.query(
  "SELECT * FROM product WHERE id = 123")
send("SET", stamp, now(), "EX", hard)
send("SET", key, row.body, "EX", hard)
send("EVAL", release, 1, lock, mine)
return serve(row.body)
