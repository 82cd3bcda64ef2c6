--- leat.conditions: filters, labels and new columns from the command line, as expressions of columns.
---
--- `leat plugins label.where` lists operators and functions.
---
---   local conditions = require "leat.conditions"
---   return leat.pipeline "mine" { inputs.records(), inputs.csv(), conditions.label("outlier", args.outlier), … }
---
--- If a missing value makes a condition unknown, the record is left out.

local leat = require "leat"
local args = leat.args

local conditions = {}

--- Declarations for leat.arguments.
conditions.arguments = {
  title = "new columns, and a choice of records",
  { "derive", value = "NAME=EXPR", help = "new columns, separated by semicolons: 'hour=substring(date, 12, 2); net=amount-fee'" },
  { "filter", value = "CONDITION", help = "takes only records for which it is true: 'amount > 0 and kind != \"test\"'" },
}

local function fail(what, text, why)
  error(("%s = '%s': %s"):format(what, text, why), 0)
end

--- Words of expressions that are not columns.
local words = { ["and"] = true, ["or"] = true, ["not"] = true, ["in"] = true, ["true"] = true, ["false"] = true }

--- Returns the place of the last byte of the quoted text or column that begins at `at`; a doubled quote is part of it.
local function quoted_end(text, at, quote)
  repeat
    at = text:find(quote, at + 1, true)
    local doubled = at and text:sub(at + 1, at + 1) == quote
    if doubled then at = at + 1 end
  until not doubled
  return at or #text
end

--- Returns the place of the last byte of the name that begins at `at`; the name may contain dots.
local function name_end(text, at)
  local behind = at
  repeat
    behind = text:match("^[@%w_\x80-\xff]+()", behind)
    local goes_on = text:find("^%.[%a_\x80-\xff]", behind)
    if goes_on then behind = behind + 1 end
  until not goes_on
  return behind - 1
end

--- Iterates over the parts of an expression: kind ("name", "number", a quote or another character), text, and place.
---@param text string
function conditions.parts(text)
  local at = 1
  return function()
    local from = text:match("^%s*()", at)
    if from > #text then return nil end
    local sign = text:sub(from, from)
    local kind, last = sign, from
    if sign:find("[\"'`]") then last = quoted_end(text, from, sign)
    elseif sign:find("[%a_@\x80-\xff]") then kind, last = "name", name_end(text, from)
    elseif text:find("^%.?%d", from) then kind, last = "number", text:match("^[%w.]+()", from) - 1
    end
    at = last + 1
    return kind, text:sub(from, last), from
  end
end

--- Returns the column's name between backquotes.
local function unquoted(text) return (text:sub(2, -2):gsub("``", "`")) end

--- Returns the names of the columns in an expression, each as often as it occurs. A name before ( is a function.
---@param text string
---@return string[]
function conditions.columns(text)
  local list = {}
  for kind, part, from in conditions.parts(text) do
    local calls = text:find("^%s*%(", from + #part)
    if kind == "`" then list[#list + 1] = unquoted(part)
    elseif kind == "name" and not words[part] and not calls then list[#list + 1] = part
    end
  end
  return list
end

--- Writes a column's name as an expression needs it.
---@param name string
---@return string
function conditions.column(name)
  local is_name = name:find("^[%a_\x80-\xff]") and name_end(name, 1) == #name and not words[name]
  return is_name and name or "`" .. name:gsub("`", "``") .. "`"
end

local ids = {}
--- Returns the id of a stage. The second stage of a kind gets a number.
local function id_of(what)
  ids[what] = (ids[what] or 0) + 1
  return ids[what] == 1 and what or what .. " " .. ids[what]
end

local function stage(constructor, what, text, parts)
  if #conditions.columns(text) == 0 then
    fail(what, text, "the expression has no column: give one such as status >= 500")
  end
  return constructor { text, id = id_of(what), parts = parts }
end

--- Returns the stage that passes only records for which a condition is true.
---@param what string
---@param text string
function conditions.filter(what, text) return stage(leat.shape.where, what, text) end

--- Returns the stage that labels records: +1 if a condition is true, -1 otherwise. The end of the run says for how many
--- records each of `parts` is true, conditions of which it is made.
---@param what string
---@param text string
---@param parts string[]?
function conditions.label(what, text, parts) return stage(leat.label.where, what, text, parts) end

--- Returns the column that "name = expression" defines, and the place of the expression; nil if the text has another form.
local function defined(part)
  local next_part = conditions.parts(part)
  local kind, name = next_part()
  local sign, _, at = next_part()
  if sign ~= "=" or part:find("^=", at + 1) then return nil end
  return kind == "`" and unquoted(name) or kind == "name" and name or nil, at + 1
end

--- Reads --set derive as { { name, "name = expression", "expression" }, … }.
---@return string[][]
function conditions.definitions()
  local found, text, from = {}, args.derive or "", 1
  local function add(to)
    local part = text:sub(from, to):match("^%s*(.-)%s*$")
    from = to + 2
    if part == "" then return end
    local name, behind = defined(part)
    if not name then
      fail("derive", part, "write NAME = EXPRESSION, such as hour=substring(date, 12, 2); a semicolon separates several")
    end
    for _, other in ipairs(found) do
      if other[1] == name then fail("derive", text, ("the column '%s' is made twice: use two names"):format(name)) end
    end
    found[#found + 1] = { name, part, part:sub(behind) }
  end
  for kind, _, at in conditions.parts(text) do
    if kind == ";" then add(at - 1) end
  end
  add(#text)
  return found
end

--- Returns one field of each item in a list.
local function each(list, field)
  local of = {}
  for i, item in ipairs(list) do of[i] = item[field] end
  return of
end

--- Returns the names of the columns that --set derive makes.
function conditions.derived() return each(conditions.definitions(), 1) end

--- True if the filter names a derived column.
local function is_of_derived(text, found)
  for _, name in ipairs(conditions.columns(text)) do
    for _, definition in ipairs(found) do
      if name == definition[1] then return true end
    end
  end
  return false
end

--- Returns the stages of --set derive and --set filter. The filter comes first, unless it names a derived column.
function conditions.records()
  local found, stages = conditions.definitions(), {}
  if #found > 0 then stages[1] = leat.shape.set { columns = each(found, 2), id = id_of("derive") } end
  if args.filter then
    local at = is_of_derived(args.filter, found) and #stages + 1 or 1
    table.insert(stages, at, conditions.filter("filter", args.filter))
  end
  return stages
end

return conditions
