-- What every worker program finds around it: a Lua 5.1 without a way out, and the client of a Redis server.
-- Programs run on the client's side, like an application; nothing here runs inside Redis.
local host, globals = ...

-- Patterns are left out: one that backtracks for ever, or deep, cannot be stopped from outside.
local gsub, rep = string.gsub, string.rep
for _, name in ipairs({ "dump", "find", "gfind", "gmatch", "gsub", "match" }) do string[name] = nil end
string.rep = function(text, count)
  if #text * count > 4096 then error("a text of more than 4096 bytes", 2) end
  return rep(text, count)
end

local create, resume, status, yield = coroutine.create, coroutine.resume, coroutine.status, coroutine.yield

-- Lua 5.1's own pcall cannot be waited in. This one runs the function in a coroutine and passes its waits on, so
-- that a `send` inside works and error tables arrive as they were raised.
local function guarded(co, ok, ...)
  while ok and status(co) ~= "dead" do
    return guarded(co, resume(co, yield(...)))
  end
  return ok, ...
end

-- What a worker may spend is charged before the function runs and, should it fail, once more: so that no pcall can
-- swallow the end of a program that never waits.
local function settle(ok, ...)
  if not ok then host.charge() end
  return ok, ...
end

local function pcall(f, ...)
  host.charge()
  if type(f) ~= "function" then
    return false, "attempt to call a " .. type(f) .. " value"
  end
  -- Lua 5.1 starts coroutines from Lua functions only, and `f` may be a C function like `error`.
  local co = create(function(...) return f(...) end)
  return settle(guarded(co, resume(co, ...)))
end

-- No addresses: they differ from run to run.
local function tostring_plain(value)
  local kind = type(value)
  if kind == "table" then
    local meta = getmetatable(value)
    if type(meta) == "table" and meta.__tostring then
      return meta.__tostring(value)
    end
    return "table"
  elseif kind == "function" or kind == "thread" then
    return kind
  elseif kind == "userdata" then
    -- An error of the host, the only userdata there is: its first line, without the label.
    return (gsub(gsub(tostring(value), "\n.*", ""), "^runtime error: ", ""))
  end
  return tostring(value)
end

local problem = { __tostring = function(self) return self.code .. " " .. self.message end }

local function failing(code, message)
  return setmetatable({ code = code, message = message }, problem)
end

-- Keys that are tables or functions stand in an order of their addresses, which differs from run to run.
local function next_plain(t, key)
  local found, value = next(t, key)
  if type(found) == "table" or type(found) == "function" then
    error("a table whose keys are tables or functions has no order to go through", 2)
  end
  return found, value
end

local function try_send(...)
  local reply, code, message = host.send(...)
  if code then
    return nil, failing(code, message)
  end
  return reply
end

local function asking(host_function)
  return function(...)
    local row, code, message = host_function(...)
    if code then error(failing(code, message), 0) end
    return row
  end
end

-- One of a process's requests does the load, the others get what it brings; when it is gone, the next one does it.
local function singleflight(name, load)
  local leads, value, code, message = host.join(name)
  if not leads then
    if code then error(failing(code, message), 0) end
    return value
  end
  local ok, result = pcall(load)
  if ok and result ~= nil then
    host.land(name, result)
    return result
  elseif ok then
    host.land_failed(name, "NOTHING", "the load returned no value")
    error(failing("NOTHING", "the load returned no value"), 0)
  end
  local known = type(result) == "table" and result.code
  host.land_failed(name, known or "ERROR", known and result.message or tostring_plain(result))
  error(result, 0)
end

-- Runs a function with one of the process's permits, or says that none came free in time.
local function permit(limit, patience, run)
  if not host.permit(limit, patience) then return false end
  local ok, result = pcall(run)
  host.return_permit()
  if not ok then error(result, 0) end
  return true, result
end

-- Workers share nothing: what all of them see cannot be written to.
local function read_only(library)
  return setmetatable({}, {
    __index = library,
    __newindex = function(_, name) error("`" .. tostring_plain(name) .. "` cannot be changed here", 2) end,
    __metatable = false,
  })
end

local function without(library, ...)
  local copy = {}
  for name, f in pairs(library) do copy[name] = f end
  for _, name in ipairs({ ... }) do copy[name] = nil end
  return read_only(copy)
end

local base = {
  assert = assert, error = error, ipairs = ipairs, next = next_plain,
  pairs = function(t) return next_plain, t, nil end, select = select,
  setmetatable = setmetatable, tonumber = tonumber, type = type, unpack = unpack,
  pcall = pcall, tostring = tostring_plain,
  math = without(math, "random", "randomseed"), string = without(string), table = without(table),

  try_send = try_send,
  send = function(...)
    local reply, failure = try_send(...)
    if failure then error(failure, 0) end
    return reply
  end,
  db = read_only({ query = asking(host.query), commit = asking(host.commit) }),
  singleflight = singleflight, permit = permit, exponential = host.exponential,
  sleep = host.sleep, jitter = host.jitter, now = host.now, token = host.token,
  note = function(text) host.note(tostring_plain(text)) end,
  serve = host.serve, stale = host.stale, degrade = host.degrade, fail = host.fail,
}
base.print = base.note

-- Runs beside the program and shares its variables; `stop` ends it wherever it waits.
base.background = function(task)
  local stop = host.background(function()
    local ok, failure = pcall(task)
    if not ok then return tostring_plain(failure) end
  end)
  return read_only({ stop = stop })
end

for name, value in pairs(globals) do base[name] = value end
getmetatable("").__metatable = false

local function known(_, name)
  local value = base[name]
  if value == nil then
    error("`" .. tostring_plain(name) .. "` is not defined", 2)
  end
  return value
end

local strict = { __metatable = false, __index = known }

-- The last step of a program that fails: its error as one line.
local function run(program)
  local ok, failure = pcall(program)
  if not ok then return tostring_plain(failure) end
end

-- A worker's globals; `key` is given when it works for another product than the others.
local function new_globals(key)
  return setmetatable({ key = key }, strict)
end

return new_globals, run
