-- Somebody on call, an hour later.
send("TTL", lock)
