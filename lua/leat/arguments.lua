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
--- value is reported at the line of the script. `leat run SCRIPT --help` lists the declarations. They are the options of
--- an application: --minutes 10 (`leat help NAME`). Two fields are for its help: `value`, the word for the value, and
--- `usual`, the default in words if the script computes it. `operand` is "one" if a file without an option is the value,
--- "all" if the list of all such files is.
---
--- A list of declarations may hold other lists, such as inputs.arguments, with a `title`. Modules read these arguments
--- from leat.args. So it is an error to set one that no module reads. Of two declarations of a name the first counts.

local fields = { "default", "help", "max", "min", "operand", "required", "type", "usual", "value" }
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

local units = { K = 1e3, k = 1e3, M = 1e6, G = 1e9, T = 1e12, Ki = 2 ^ 10, Mi = 2 ^ 20, Gi = 2 ^ 30, Ti = 2 ^ 40 }

--- Returns the whole number in a text such as 20, 1e6 or 64K; nil if there is none.
local function whole(text)
  local digits, unit = text:match("^(.-)%s*(%a*)$")
  if units[unit] then return math.tointeger((tonumber(digits) or 0.5) * units[unit]) end
  return math.tointeger(tonumber(text))
end

local read = {
  text = function(text) return text end,
  list = function(text, leat) return leat.list(text) end,
  number = function(text) return tonumber(text) end,
  integer = whole,
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

local words = { integer = "N", number = "X", list = "A,B", text = "TEXT" }

--- Describes a declaration for the host. values is "integer of at least 1; default 5", default is "5".
local function described(a, title)
  local kind, default = type_of(a), a.default ~= nil and shown(a.default) or a.usual
  local choices = type(kind) == "table"
  local text = choices and table.concat(kind, ", ") or kind .. range(a)
  if a.required then text = text .. "; required" elseif default then text = text .. "; default " .. default end
  return {
    name = a[1], values = text, help = a.help, title = title, default = default, operand = a.operand,
    flag = kind == "boolean" or nil, required = a.required, value = a.value or choices and table.concat(kind, "|") or words[kind],
  }
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

--- Appends the declarations of nested lists to `flat`, as { declaration, title, is in a nested list }.
local function flatten(declared, flat, had, place, nested)
  for i, a in ipairs(declared) do
    if type(a) == "table" and type(a[1]) == "table" then
      flatten(a, flat, had, place, true)
    else
      check(a, i, place)
      if not had[a[1]] then flat[#flat + 1] = { a, declared.title, nested } end
      had[a[1]] = true
    end
  end
  return flat
end

--- Returns the value of an argument, or its default. Raises an error if the text is wrong or missing.
local function taken(leat, a, text, place)
  local name = a[1]
  if text == nil and a.required then
    error(("%s: %s is missing: --set %s=VALUE%s"):format(place, name, name, a.help and " (" .. a.help .. ")" or ""), 0)
  end
  if text == nil then return a.default end
  local value, takes = value_of(a, text, leat)
  if takes then error(("%s: --set %s=%s: %s takes %s"):format(place, name, text, name, takes), 0) end
  return value
end

--- given: the values of --set. note(name, later) notes an argument of the script, or one that a module may read later.
--- If help, raises the list of the arguments as an error instead.
return function(leat, declared, given, note, place, help)
  if type(declared) ~= "table" then error(place .. ": leat.arguments takes a list of declarations", 0) end
  local had, list = {}, {}
  local flat = flatten(declared, {}, had, place)
  for i, item in ipairs(flat) do list[i] = described(item[1], item[2]) end
  if help then error({ arguments = list }, 0) end
  local values, later = {}, {}
  for _, item in ipairs(flat) do
    local name = item[1][1]
    note(name, item[3])
    local value = taken(leat, item[1], given[name], place);
    (item[3] and later or values)[name] = value
  end
  return setmetatable(values, { __index = function(_, name)
    if not had[name] then error(("there is no argument %s: declare it in leat.arguments"):format(tostring(name)), 2) end
    local text = leat.args[name] -- notes that it is read
    if text ~= given[name] then return text end -- a module has set it
    return later[name]
  end })
end
