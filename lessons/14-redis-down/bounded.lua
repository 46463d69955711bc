local value = try_send("GET", key)
if value then return serve(value) end
local ran, row = permit(permits, queue,
  function()
    return db.query(
      "SELECT * FROM product")
  end)
if not ran then
  return fail("503, Retry-After: 1")
end
try_send("SET", key, row.body, "EX", 300)
return serve(row.body)
