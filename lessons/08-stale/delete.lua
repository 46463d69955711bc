-- Somebody means well.
send("DEL", key)
