--- leat.sampled_conditions: conditions (plugins/shape/expression.md) of the records of a sample (lua/leat/sampled.lua).
---
---   local holds = require("leat.sampled_conditions").of(look, "status >= 500 and host != 'a'")
---   holds(look.rows[1])   -- true, false, or nil if a missing value makes it unknown
---
--- It serves to choose columns, before the run compiles the same text. It knows the most frequent functions. For a text
--- with others, or with other columns than those of the sample, `of` returns nil.

local conditions = require "leat.conditions"
local number_forms = require "leat.number_forms"
local args = require "leat".args

local M = {}

local UNKNOWN = "unknown" -- the error for all that only the run knows

local function unknown() error(UNKNOWN, 0) end

--- Returns the words of a text as { kind, text }: name, number, quoted or sign.
local function words_of(text)
  local list = {}
  for kind, part, from in conditions.parts(text) do
    local before = list[#list]
    local pair = before and before.kind == "sign" and before.to == from - 1 and before.text .. part
    if pair and ("== != ~= <= >= .. //"):find(pair, 1, true) then before.text, before.to = pair, from
    elseif kind == "'" or kind == '"' then
      list[#list + 1] = { kind = "quoted", text = part:sub(2, -2):gsub(kind .. kind, kind) }
    elseif kind == "`" then list[#list + 1] = { kind = "name", text = part:sub(2, -2):gsub("``", "`"), is_column = true }
    elseif kind == "name" or kind == "number" then list[#list + 1] = { kind = kind, text = part }
    else list[#list + 1] = { kind = "sign", text = part, to = from } end
  end
  return list
end

local function number_of(x) return type(x) == "string" and number_forms.plain(x) or type(x) == "number" and x or nil end

local function text_of(x)
  if type(x) == "number" and x == math.floor(x) and math.abs(x) < 2 ^ 53 then return ("%d"):format(x) end
  return x ~= nil and tostring(x) or nil
end

local orders = {
  ["<"] = function(a, b) return a < b end, ["<="] = function(a, b) return a <= b end,
  [">"] = function(a, b) return a > b end, [">="] = function(a, b) return a >= b end,
}

--- Compares two values: as numbers if one is a number, or if both are columns and their order matters.
local function compare(sign, a, b, are_columns)
  if a == nil or b == nil then return nil end
  local order = orders[sign]
  if type(a) == "number" or type(b) == "number" or order and are_columns then a, b = number_of(a), number_of(b)
  else a, b = text_of(a), text_of(b) end
  if a == nil or b == nil then return nil end
  if order then return order(a, b) end
  return (a == b) == (sign == "==")
end

local calculate = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return b ~= 0 and a / b or nil end,
  ["//"] = function(a, b) return b ~= 0 and a // b or nil end, ["%"] = function(a, b) return b ~= 0 and a % b or nil end,
}

local functions = {
  is_missing = function(x) return x == nil end,
  coalesce = function(...)
    for i = 1, select("#", ...) do
      local x = select(i, ...)
      if x ~= nil then return x end
    end
  end,
  number = number_of, text = text_of,
  abs = function(x) x = number_of(x) return x and math.abs(x) end,
  lower = function(t) return t and text_of(t):lower() end,
  upper = function(t) return t and text_of(t):upper() end,
  length = function(t) return t and utf8.len(text_of(t)) end,
  contains = function(t, part) return t and part and text_of(t):find(part, 1, true) ~= nil end,
  starts_with = function(t, part) return t and part and text_of(t):sub(1, #part) == part end,
  ends_with = function(t, part) return t and part and (part == "" or text_of(t):sub(-#part) == part) end,
}

--- Returns a function of a row for the words; column(name) is such a function for a name. Fails if it knows a word not.
local function compiled(words, column)
  local at, condition = 1, nil
  local function take(text)
    local word = words[at]
    if not word or word.text ~= text or word.kind == "quoted" or word.is_column then return false end
    at = at + 1
    return true
  end
  local function need(text) if not take(text) then unknown() end end
  local function list(read)
    local values = {}
    need "("
    repeat values[#values + 1] = read() until not take ","
    need ")"
    return values
  end
  local function call(name)
    local run, arguments = functions[name] or unknown(), list(condition)
    return function(row)
      local values = {}
      for i, one in ipairs(arguments) do values[i] = one(row) end
      return run(table.unpack(values, 1, #arguments))
    end
  end
  local function constant(x) return function() return x end end
  local function primary()
    local word = words[at] or unknown()
    at = at + 1
    if word.kind == "quoted" then return constant(word.text) end
    if word.kind == "number" then return constant(tonumber(word.text) or unknown()) end
    if word.text == "(" then
      local inner = condition()
      need ")"
      return inner
    end
    if word.text == "-" then
      local x = primary()
      return function(row) local n = number_of(x(row)) return n and -n end
    end
    if word.kind ~= "name" then unknown() end
    if not word.is_column and words[at] and words[at].text == "(" then return call(word.text) end
    if not word.is_column and (word.text == "true" or word.text == "false") then return constant(word.text == "true") end
    return column(word.text), true
  end
  local function chain(signs, inner)
    return function()
      local left, is_column = inner()
      while words[at] and words[at].kind == "sign" and signs:find(" " .. words[at].text .. " ", 1, true) do
        local run, a = calculate[words[at].text], left
        at, is_column = at + 1, false
        local b = inner()
        left = function(row)
          local x, y = number_of(a(row)), number_of(b(row))
          return x and y and run(x, y)
        end
      end
      return left, is_column
    end
  end
  local sum = chain(" + - ", chain(" * / // % ", primary))
  local function among(x, negated)
    local values = list(primary)
    return function(row)
      local value, found = x(row), false
      if value == nil then return nil end
      for _, one in ipairs(values) do found = found or compare("==", value, one(row)) == true end
      return found ~= negated
    end
  end
  local function comparison()
    local a, is_column = sum()
    if take "in" then return among(a, false) end
    if take "not" then
      need "in"
      return among(a, true)
    end
    local word = words[at]
    local sign = word and word.kind == "sign" and (word.text == "~=" and "!=" or word.text)
    if not sign or not (orders[sign] or sign == "==" or sign == "!=") then return a end
    at = at + 1
    local b, too = sum()
    return function(row) return compare(sign, a(row), b(row), is_column and too) end
  end
  local function negation()
    if not take "not" then return comparison() end
    local x = negation()
    return function(row)
      local value = x(row)
      if value ~= nil then return not value end
    end
  end
  local function joined(word, inner, decides)
    return function()
      local left = inner()
      while take(word) do
        local a, b = left, inner()
        left = function(row)
          local x = a(row)
          if x == decides then return decides end
          local y = b(row)
          if y == decides then return decides end
          if x ~= nil and y ~= nil then return not decides end
        end
      end
      return left
    end
  end
  condition = joined("or", joined("and", negation, false), true)
  local result = condition()
  if words[at] then unknown() end
  return result
end

--- Returns a function that gives the value of a column, or of a column that --set derive makes, in a row.
local function columns_of(look)
  local at, made, column = {}, {}, nil
  local is_formed = args.decimal or args.thousands -- numbers are not in Lua's form
  for i, name in ipairs(look.names) do at[name] = i end
  for _, definition in ipairs(conditions.definitions()) do made[definition[1]] = definition[3] end
  column = function(name)
    local i = at[name]
    if not i and not made[name] then unknown() end
    if not i then return compiled(words_of(made[name]), column) end
    local c = look.seen[i]
    return function(row)
      local text = row[i]
      if not text or look.is_missing[text] then return nil end
      return c.numbers and is_formed and c.number[text] or text
    end
  end
  return column
end

--- Returns a function that is true for rows of the look with a condition, or nil if it is unknown for a row; nil alone if
--- the condition is not understood here.
---@param look table
---@param text string
---@return (fun(row: table): boolean?)?
function M.of(look, text)
  local is_known, holds = pcall(function() return compiled(words_of(text), columns_of(look)) end)
  if not is_known then
    if holds ~= UNKNOWN then error(holds, 0) end
    return nil
  end
  return function(row)
    local value = holds(row)
    if type(value) == "boolean" then return value end
  end
end

return M
