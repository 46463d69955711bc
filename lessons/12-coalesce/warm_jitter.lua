-- The nightly job, with a spread.
for _, name in ipairs(catalogue) do
  local life = jitter(60000 - spread,
                      60000 + spread)
  send("SET", name, "v11", "PX", life)
end
