-- Extends the life of a claim that is still one's own.
-- KEYS[1] value key; ARGV[1] the claim's stamp, ARGV[2] its new life in ms.
local found = redis.pcall('GETRANGE', KEYS[1], 0, #ARGV[1] - 1)
if found ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
