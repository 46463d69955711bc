note("slot of the value: "
  .. send("CLUSTER", "KEYSLOT", key))
note("slot of the lock: "
  .. send("CLUSTER", "KEYSLOT", lock))
local mine = token()
send("SET", lock, mine, "NX", "PX", px)
local row = db.query(
  "SELECT * FROM product")
-- One key in each command.
send("SET", key, row.body, "EX", 60)
send("EVAL", release, 1, lock, mine)
return serve(row.body)
