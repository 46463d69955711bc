send("SET", stamp, now(), "EX", hard)
send("SET", key, "espresso-v11",
     "EX", hard)
