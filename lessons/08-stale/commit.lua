db.commit([[UPDATE product
  SET body = 'espresso-v12', version = 12
  WHERE id = 123]])
