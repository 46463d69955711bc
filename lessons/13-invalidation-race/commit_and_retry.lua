db.commit([[UPDATE product
  SET body = 'espresso-v12', version = 12
  WHERE id = 123]])
while not try_send("DEL", key) do
  sleep(50)  -- until it is done
end
