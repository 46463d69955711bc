send("SET", key, "espresso-v11",
     "EX", hard)
