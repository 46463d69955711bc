local mine = token()
while true do
  local value = send("GET", key)
  if value then return serve(value) end
  if send("SET", lock, mine,
          "NX", "PX", px) then break end
  sleep(jitter(100, 200))
end
local begun, moved = now(), now()
local lost = false
local watchdog = background(function()
  while now() - begun < cap do
    sleep(px / 3)
    if now() - moved > px then break end
    if send("EVAL", extend, 1,
            lock, mine, px) == 0 then
      lost = true
      return note("the lease is lost")
    end
  end
  note("no progress, or the cap: I stop")
end)
local body = ""
for page = 1, 6 do
  local row = db.query(
    "SELECT * FROM page WHERE id=?",
    page)
  body, moved = body .. row.body, now()
end
watchdog.stop()
if not lost then
  send("SET", key, body, "EX", 300)
end
send("EVAL", release, 1, lock, mine)
return serve(body)
