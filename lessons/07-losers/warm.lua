-- An hour ago somebody filled this.
send("SET", copy, "espresso-v10",
     "EX", 3600)
