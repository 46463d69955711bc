-- Each visitor looks at one product all
-- the time.
while now() < 71000 do
  if not send("GET", key) then
    local row = db.query(
      "SELECT * FROM product")
    send("SET", key, row.body, "EX", 60)
  end
  sleep(jitter(150, 250))
end
return serve("v11")
