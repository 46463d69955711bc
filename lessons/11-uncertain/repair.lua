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
local row = db.query(
  "SELECT * FROM product WHERE id = 123")
ask("SET", key, row.body, "EX", 300)
ask("EVAL", release, 1, lock, mine)
return serve(row.body)
