-- The owner of the lock looks again and, where there is no value, marks the place as its own.
-- KEYS[1] value key; ARGV[1] what all claims begin with, ARGV[2] what all entries begin with,
-- ARGV[3] the claim, ARGV[4] its life in ms.
-- Returns the entry that is there, or nil when the claim is.
local found = redis.pcall('GET', KEYS[1])
if type(found) == 'string'
  and string.sub(found, 1, #ARGV[2]) == ARGV[2]
  and string.sub(found, 1, #ARGV[1]) ~= ARGV[1]
then
  return found
end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return false
