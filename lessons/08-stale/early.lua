local mine = token()
while true do
  local value = send("GET", key)
  local left =
    value and send("PTTL", key)
  -- XFetch with beta = 3: the nearer the
  -- end and the dearer the fill, the
  -- likelier.
  local early = value
    and left < exponential(3 * cost)
  if value and not early then
    return serve(value)
  end
  if send("SET", lock, mine,
          "NX", "PX", px) then break end
  if value then return serve(value) end
  sleep(jitter(20, 50))
end
local row = db.query(
  "SELECT * FROM product WHERE id = 123")
send("SET", key, row.body, "EX", 10)
send("EVAL", release, 1, lock, mine)
return serve(row.body)
