note("slot of the value: "
  .. send("CLUSTER", "KEYSLOT", tagged))
note("slot of the lock: "
  .. send("CLUSTER", "KEYSLOT", taglock))
local mine = token()
send("SET", taglock, mine,
     "NX", "PX", px)
local row = db.query(
  "SELECT * FROM product")
send("EVAL", settle, 2, taglock, tagged,
     mine, row.body, 60)
return serve(row.body)
