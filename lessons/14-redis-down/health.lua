-- No Redis, no database: only a thread.
sleep(1)
return serve("ok")
