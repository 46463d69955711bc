-- A packet may get lost: three tries.
local function ask(...)
  for try = 1, 3 do
    local reply, problem = try_send(...)
    if not problem then return reply end
  end
end

local value = ask("GET", key)
if value then return serve(value) end
local ran, row = permit(permits, queue,
  function()
    return db.query(
      "SELECT * FROM product")
  end)
if not ran then
  return fail("503, Retry-After: 1")
end
ask("SET", key, row.body, "EX", 300)
return serve(row.body)
