-- Repeats what gets no answer.
local function ask(...)
  while true do
    local reply, problem = try_send(...)
    if not problem then return reply end
  end
end

local value = ask("GET", key)
if value then return serve(value) end
local mine = token()
while not ask("SET", lock, mine,
              "NX", "PX", px) do
  sleep(jitter(20, 50))
  value = ask("GET", key)
  if value then return serve(value) end
end
value = ask("GET", key)  -- look again
if not value then
  local row = db.query(
    "SELECT * FROM product WHERE id=123")
  value = row.body
  ask("SET", key, value, "EX", 300)
end
ask("EVAL", release, 1, lock, mine)
return serve(value)
