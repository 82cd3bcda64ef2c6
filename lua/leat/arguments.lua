--- leat.arguments { … }: declared arguments of a script (lua/leat/init.lua).
---
---   local args = leat.arguments {
---     { "data", default = "access.csv", help = "files to read" },
---     { "minutes", type = "integer", default = 5, min = 1, help = "length of a window" },
---     { "mode", type = { "counts", "awm" }, help = "how it learns" },
---     { "topic", required = true },
---   }
---
--- It returns a table of values: args.minutes is 5, or the number of --set minutes=…. A type is text, number, integer,
--- boolean, list (a,b,c), or a list of the allowed texts. By default it is the type of `default`, or text. A wrong
--- value is reported at the line of the script. `leat run SCRIPT --help` lists the declarations.

local fields = { "default", "help", "max", "min", "required", "type" }
local known = {}
for _, field in ipairs(fields) do known[field] = true end

local kinds = { string = "text", boolean = "boolean", table = "list" }

local function type_of(a)
  if a.type then return a.type end
  if math.type(a.default) == "integer" then return "integer" end
  return type(a.default) == "number" and "number" or kinds[type(a.default)] or "text"
end

local function range(a)
  if a.min and a.max then return (" from %s to %s"):format(a.min, a.max) end
  return a.min and (" of at least %s"):format(a.min) or a.max and (" of at most %s"):format(a.max) or ""
end

local read = {
  text = function(text) return text end,
  list = function(text, leat) return leat.list(text) end,
  number = function(text) return tonumber(text) end,
  integer = function(text) return math.tointeger(tonumber(text)) end,
  boolean = function(text) return ({ ["true"] = true, yes = true, ["1"] = true, ["false"] = false, no = false, ["0"] = false })[text] end,
}
local articles = { integer = "a whole number", number = "a number", boolean = "true or false" }

--- Returns the value of a text; nil and a description of the allowed values if the text is wrong.
local function value_of(a, text, leat)
  local kind = type_of(a)
  if type(kind) == "table" then
    for _, choice in ipairs(kind) do
      if choice == text then return text end
    end
    return nil, table.concat(kind, ", ")
  end
  local value = read[kind](text, leat)
  local outside = type(value) == "number" and (value ~= value or (a.min and value < a.min) or (a.max and value > a.max))
  if value == nil or outside then return nil, articles[kind] .. range(a) end
  return value
end

local function shown(value)
  if type(value) == "table" then return table.concat(value, ",") end
  return tostring(value)
end

--- Describes a declaration: "minutes", "integer of at least 1; default 5", "length of a window".
local function described(a)
  local kind = type_of(a)
  local text = type(kind) == "table" and table.concat(kind, ", ") or kind .. range(a)
  if a.required then text = text .. "; required" elseif a.default ~= nil then text = text .. "; default " .. shown(a.default) end
  return { name = a[1], values = text, help = a.help }
end

--- Raises an error if a declaration is impossible.
local function check(a, i, place)
  local function wrong(text, ...) error(("%s: leat.arguments: " .. text):format(place, ...), 0) end
  if type(a) ~= "table" or type(a[1]) ~= "string" then wrong('declaration %d must be { "name", … }', i) end
  for field in pairs(a) do
    if field ~= 1 and not known[field] then
      wrong("%s must not have %s: it may have %s", a[1], tostring(field), table.concat(fields, ", "))
    end
  end
  local kind = type_of(a)
  if type(kind) ~= "table" and not read[kind] then
    wrong("%s: there is no type %s: use text, number, integer, boolean, list, or a list of texts", a[1], tostring(kind))
  end
  if a.required and a.default ~= nil then wrong("%s is required, so remove its default", a[1]) end
end

--- given: the values of --set. note(name) notes an argument of the script. If help, raises the list of the arguments as
--- an error instead.
return function(leat, declared, given, note, place, help)
  if type(declared) ~= "table" then error(place .. ": leat.arguments takes a list of declarations", 0) end
  local values, is, list = {}, {}, {}
  for i, a in ipairs(declared) do
    check(a, i, place)
    local name, text = a[1], given[a[1]]
    note(name)
    is[name], list[i] = true, described(a)
    local takes
    values[name] = a.default
    if text ~= nil then values[name], takes = value_of(a, text, leat) end
    if takes then error(("%s: --set %s=%s: %s takes %s"):format(place, name, text, name, takes), 0) end
    if a.required and text == nil and not help then
      error(("%s: %s is missing: --set %s=VALUE%s"):format(place, name, name, a.help and " (" .. a.help .. ")" or ""), 0)
    end
  end
  if help then error({ arguments = list }, 0) end
  return setmetatable(values, { __index = function(_, name)
    if not is[name] then error(("there is no argument %s: declare it in leat.arguments"):format(tostring(name)), 2) end
  end })
end
