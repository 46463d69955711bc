send("SET", key, "espresso-v11",
     "EX", 300)
