-- Stores an entry if the key still holds the one that the fill began from.
-- KEYS[1] value key; ARGV[1] the stamp that must still be there, ARGV[2] the new entry, ARGV[3] its life in ms.
-- An empty entry only removes what is there. Returns 1, or 0 when something else is there by now; sent twice, it
-- answers as the first time.
local found = redis.pcall('GETRANGE', KEYS[1], 0, #ARGV[1] - 1)
if ARGV[2] ~= '' and found == string.sub(ARGV[2], 1, #ARGV[1]) then
  return 1
end
if found ~= ARGV[1] then
  return 0
end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return 1
