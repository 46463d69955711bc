-- The nightly job warms the catalogue.
for _, name in ipairs(catalogue) do
  send("SET", name, "v11", "PX", 60000)
end
