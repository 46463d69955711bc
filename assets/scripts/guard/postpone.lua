-- After a refresh that failed: nobody tries again before a time that is written into the entry that is there.
-- KEYS[1] value key; ARGV[1] the entry's stamp, ARGV[2] where the time stands in it, ARGV[3] the time.
local found = redis.pcall('GETRANGE', KEYS[1], 0, #ARGV[1] - 1)
if found ~= ARGV[1] then
  return 0
end
redis.call('SETRANGE', KEYS[1], ARGV[2], ARGV[3])
return 1
