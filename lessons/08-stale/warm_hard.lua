-- Filled a little while ago.
send("SET", key, "espresso-v11",
     "EX", 60)
