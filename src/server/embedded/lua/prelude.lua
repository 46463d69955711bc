-- The world that scripts see. It is handed the host's functions and a few facts, and gives back two functions: one that
-- puts a compiled script into this world, and one that runs it.
--
-- Lua as Redis builds it has tables that cannot be written to; this one has not, so such a table is an empty one that
-- leads to the real one. Whatever could tell the two apart (pairs, next, rawset, getmetatable …) is replaced.

local host, facts = ...

local native = {
  coroutine = coroutine, error = error, getmetatable = getmetatable, loadstring = loadstring, math = math, next = next,
  pairs = pairs, pcall = pcall, rawset = rawset, setfenv = setfenv, setmetatable = setmetatable, string = string,
  table = table, tonumber = tonumber, tostring = tostring, type = type, unpack = unpack, xpcall = xpcall,
}
local error, type, select = native.error, native.type, select

-- Tables that cannot be written to ----------------------------------------------------------------------------------

local real = native.setmetatable({}, { __mode = "k" })
local unwritable = "Attempt to modify a readonly table"

local function sealed(contents, index)
  local front = {}
  real[front] = contents
  local refuse = function() error(unwritable, 2) end
  return native.setmetatable(front, { __index = index or contents, __newindex = refuse })
end

local function copied(source, names)
  local copy = {}
  for name in native.string.gmatch(names, "%S+") do copy[name] = source[name] end
  return copy
end

-- Errors -------------------------------------------------------------------------------------------------------------

-- Where a script can catch an error it might also go on for ever, so these places ask whether it is to end.
local function go_on(...)
  if host.ending() then error("ending", 0) end
  return ...
end

-- A message with the place where the script is.
local function placed(text)
  local _, source, line = host.place()
  if line then return source .. ":" .. line .. ": " .. text end
  return text
end

-- What a script is to see of an error: the host raises its own as userdata and keeps what they mean, and those of this
-- file's functions are the script's.
local function problem(err)
  if type(err) == "userdata" then
    local kept = host.problem()
    if kept ~= nil then return kept end
    err = native.string.match(native.tostring(err), "^[^\n]*"):gsub("^runtime error: ", "")
  end
  if type(err) == "string" then
    local text, ours = native.string.gsub(err, "^prelude:%d+: ", "")
    if ours > 0 then return placed(text) end
  end
  return err
end

-- `host.native` makes a function of the host's that runs one of ours. `return redis.call(…)` would leave no trace of the line it stands in if
-- it called a Lua function. An error comes back as `failed` and what is wrong, and is raised by the host.
local failed = {}

local function settle(ok, ...)
  go_on()
  if ok then return ok, ... end
  local err = problem((...))
  if type(err) == "table" and type(err.err) == "string" then return false, err.err end
  return false, err
end

-- Patterns are matched by a function that calls itself for each part of the pattern: a long one would use up the stack.
local longest_pattern = 2000

local function bounded(match)
  return function(subject, pattern, ...)
    if (type(pattern) == "string" or type(pattern) == "number") and #native.tostring(pattern) > longest_pattern then
      error("pattern too complex", 2)
    end
    return match(subject, pattern, ...)
  end
end

-- The globals --------------------------------------------------------------------------------------------------------

local globals = {
  _VERSION = _VERSION, assert = assert, collectgarbage = collectgarbage, error = error, gcinfo = gcinfo,
  ipairs = ipairs, rawequal = rawequal, rawget = rawget, select = select, tonumber = tonumber, tostring = tostring,
  type = type, unpack = unpack,
}

local function missing(_, name)
  local value = globals[name]
  if value == nil then
    error("Script attempted to access nonexistent global variable '" .. native.tostring(name) .. "'", 2)
  end
  return value
end

local world = sealed(globals, missing)
globals._G = world

function globals.pcall(f, ...) return settle(native.pcall(f, ...)) end

function globals.xpcall(f, handler)
  local function handle(err)
    -- Nothing interrupts a handler, so a script that is to end does not get to it.
    if host.ending() then return err end
    return handler(problem(err))
  end
  return go_on(native.xpcall(f, handle))
end

-- The real table must not come out with the iterator.
function globals.pairs(t)
  local contents = real[t]
  if not contents then return native.pairs(t) end
  return function(_, key) return native.next(contents, key) end, t, nil
end

function globals.next(t, key) return native.next(real[t] or t, key) end

function globals.rawset(t, key, value)
  if real[t] then error(unwritable, 0) end
  return native.rawset(t, key, value)
end

function globals.setmetatable(t, meta)
  if real[t] then error(unwritable, 0) end
  return native.setmetatable(t, meta)
end

local of_strings = native.getmetatable("")

function globals.getmetatable(value)
  if type(value) == "string" then return sealed({ __index = globals.string }) end
  if real[value] then return sealed({}) end
  return native.getmetatable(value)
end

-- Compiled Lua could be made to do anything, so only text is loaded.
function globals.loadstring(text, name)
  if type(text) == "string" and native.string.byte(text) == 27 then return nil, "only text can be loaded" end
  local loaded, problem = native.loadstring(text, name)
  if loaded then native.setfenv(loaded, world) end
  return loaded, problem
end

function globals.load(next_piece, name)
  local pieces = {}
  while true do
    local piece = next_piece()
    if piece == nil or piece == "" then break end
    pieces[#pieces + 1] = piece
  end
  return globals.loadstring(native.table.concat(pieces), name)
end

-- The libraries ------------------------------------------------------------------------------------------------------

local strings = copied(native.string, "byte char dump format len lower rep reverse sub upper")
for name in native.string.gmatch("find gmatch gsub match", "%S+") do strings[name] = bounded(native.string[name]) end
globals.string = sealed(strings)
of_strings.__index = globals.string

local tables = copied(native.table, "concat foreach foreachi getn insert maxn remove setn sort")
local insert = native.table.insert
function tables.insert(t, ...)
  if real[t] then error(unwritable, 0) end
  return insert(t, ...)
end
globals.table = sealed(tables)

local maths = {}
for name, value in native.pairs(native.math) do maths[name] = value end

maths.random = host.native(failed, function(...)
  local luck = host.random()
  local count = select("#", ...)
  if count == 0 then return luck end
  local low, high = ...
  if count == 1 then low, high = 1, low end
  if count > 2 then return failed, placed("wrong number of arguments") end
  low, high = native.math.floor(low), native.math.floor(high)
  if low > high then
    return failed, placed("bad argument #" .. count .. " to 'random' (interval is empty)")
  end
  return native.math.floor(luck * (high - low + 1)) + low
end)

function maths.randomseed(seed) host.seed(seed) end

globals.math = sealed(maths)

local coroutines = copied(native.coroutine, "create running status wrap yield")
local function resumed(ok, ...)
  go_on()
  if ok then return ok, ... end
  return ok, problem((...))
end

function coroutines.resume(...) return resumed(native.coroutine.resume(...)) end
globals.coroutine = sealed(coroutines)

if facts.clock then globals.os = sealed({ clock = facts.clock }) end

-- Redis --------------------------------------------------------------------------------------------------------------

-- Sends a command for the script under way.
local send
-- Which protocol's types replies come in.
local protocol = 2

local function fail(message) return failed, { err = "ERR " .. message } end

local redis = {
  LOG_DEBUG = 0, LOG_VERBOSE = 1, LOG_NOTICE = 2, LOG_WARNING = 3,
  REPL_NONE = 0, REPL_AOF = 1, REPL_SLAVE = 2, REPL_REPLICA = 2, REPL_ALL = 3,
}
for name, value in native.pairs(facts.versions) do redis[name] = value end

local function offer(name, run) redis[name] = host.native(failed, run) end

offer("call", function(...)
  local reply = send(protocol, ...)
  go_on()
  if type(reply) == "table" and reply.err then return failed, reply end
  return reply
end)

offer("pcall", function(...) return go_on(send(protocol, ...)) end)

local function one_string(...)
  return select("#", ...) == 1 and type((...)) == "string"
end

offer("error_reply", function(...)
  if not one_string(...) then return { err = "ERR wrong number or type of arguments" } end
  return { err = host.error_text((...)) }
end)

offer("status_reply", function(...)
  if not one_string(...) then return { err = "ERR wrong number or type of arguments" } end
  return { ok = (...) }
end)

offer("sha1hex", function(...)
  if select("#", ...) ~= 1 then return fail("wrong number of arguments") end
  return host.sha1hex(native.tostring((...)))
end)

offer("log", function(...)
  if select("#", ...) < 2 then return fail(facts.name .. ".log() requires two arguments or more.") end
  local level = ...
  if type(level) ~= "number" then return fail("First argument must be a number (log level).") end
  if level < 0 or level > 3 then return fail("Invalid " .. facts.level .. " level.") end
end)

offer("setresp", function(...)
  if select("#", ...) ~= 1 then return fail(facts.name .. ".setresp() requires one argument.") end
  local wanted = native.tonumber((...))
  if wanted ~= 2 and wanted ~= 3 then return fail("RESP version must be 2 or 3.") end
  protocol = wanted
end)

-- There is nobody to replicate to, and no debugger.
offer("replicate_commands", function() return true end)

offer("set_repl", function(...)
  if select("#", ...) ~= 1 then return fail(facts.name .. ".set_repl() requires " .. facts.set_repl) end
end)

offer("breakpoint", function() return false end)

offer("debug", function() end)

-- One user, who may do everything.
offer("acl_check_cmd", function(...)
  if select("#", ...) == 0 then
    return fail("Please specify at least one argument for this " .. facts.name .. ".acl_check_cmd() call")
  end
  if not host.is_command((...)) then return fail("Invalid command passed to " .. facts.name .. ".acl_check_cmd()") end
  return true
end)

globals.redis = sealed(redis)
if facts.name == "server" then globals.server = globals.redis end

-- Running ------------------------------------------------------------------------------------------------------------

local function locate(err)
  local _
  if host.ending() then err = { err = facts.ended } else err = problem(err) end
  if type(err) ~= "table" then err = { err = "ERR " .. native.tostring(err) } end
  if type(err.err) ~= "string" then err = { err = "ERR unknown error" } end
  err.source, _, err.line = host.place()
  return err
end

local function settled(script) return native.setfenv(script, world) end

local function run(script, keys, args, sender)
  globals.KEYS, globals.ARGV, send, protocol = keys, args, sender, 2
  local ok, result = native.xpcall(script, locate)
  -- Where there was no room for it, the handler was not called.
  if not ok and type(result) ~= "table" then result = { err = "ERR " .. native.tostring(result) } end
  return ok, result, protocol
end

return settled, run
