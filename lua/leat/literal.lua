--- A value of numbers, texts, booleans and tables as Lua text that gives it back: one line, keys in order.

local function by_key(a, b)
  if type(a) == type(b) then return a < b end
  return type(a) == "number"
end

local function text_of(value)
  local text = ("%q"):format(value):gsub("\\\n", "\\n")
  return text
end

local function literal(value)
  if type(value) == "string" then return text_of(value) end
  if type(value) ~= "table" then return tostring(value) end
  local keys, parts = {}, {}
  for key in pairs(value) do
    if math.type(key) ~= "integer" or key < 1 or key > #value then keys[#keys + 1] = key end
  end
  table.sort(keys, by_key)
  for i, item in ipairs(value) do parts[i] = literal(item) end
  for _, key in ipairs(keys) do
    local name = type(key) == "string" and key:find("^[%a_][%w_]*$") and key or ("[%s]"):format(literal(key))
    parts[#parts + 1] = ("%s = %s"):format(name, literal(value[key]))
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

return literal
