-- One load in a process, one in all.
local function load()
  local mine = token()
  while true do
    local value = try_send("GET", key)
    if value then return value end
    local won, gone = try_send("SET",
      lock, mine, "NX", "PX", 3000)
    if won or gone then break end
    sleep(jitter(50, 100))
  end
  local ran, row = permit(2, 2000,
    function()
      return db.query(
        "SELECT body FROM product")
    end)
  if not ran then error("busy") end
  try_send("SET", key, row.body,
           "EX", 60)
  try_send("EVAL", release,
           1, lock, mine)
  return row.body
end

local ok, page = pcall(singleflight,
                       key, load)
if ok then return serve(page) end
return degrade("come again")
