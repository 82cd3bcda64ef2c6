--- Parts of times as attributes, for leat.attributes: date, month, weekday and hour of a column with times.
---
--- A column that varies less is left to its own. Times before 1970 are none to leat.parse.time, so such a column has no
--- parts. Of several columns of times, the first with the most values counts.

local leat = require "leat"
local time_texts = require "leat.time_texts"
local args = leat.args

local times = {}

local SECONDS = { hour = 3600, date = 86400, weekday = 86400 }

--- Returns a number or text that stands for a part of a time.
local function part_of(seconds, part)
  if part == "month" then return os.date("!%m", seconds // 1) end
  local n = seconds // SECONDS[part]
  return part == "date" and n or n % (part == "hour" and 24 or 7)
end

--- Returns the number of values that a part of the column's times has.
local function values_of(c, part)
  local n, had = 0, {}
  for text in pairs(c.had) do
    local value = part_of(time_texts.seconds(text, c.time_format), part)
    if not had[value] then had[value], n = true, n + 1 end
  end
  return n
end

--- True if leat.parse.time reads all times of the column.
local function is_readable(c)
  for text in pairs(c.had) do
    if time_texts.seconds(text, c.time_format) < 0 then return false end
  end
  return true
end

--- Returns the column of --set time, or else the one whose times have the most values; nil if there is none, or if --set
--- has parts.
---@param seen table[]
---@param is_fit fun(c: table): boolean
---@return table?
function times.column_of(seen, is_fit)
  local best
  if args.time_parts then return nil end
  for _, c in ipairs(seen) do
    local is_asked = not args.time or c.name == args.time
    if is_asked and c.time_format and c.values > 1 and is_fit(c) and (not best or c.values > best.values) and is_readable(c) then best = c end
  end
  return best
end

--- Returns the parts of a column's times that vary, { name, part, values, n }, except those that are columns already.
---@param c table
---@param is_column table<string, boolean>
---@return table[]
function times.parts_of(c, is_column)
  local list = {}
  for _, part in ipairs { "month", "weekday", "hour", "date" } do
    local name = (args.time_prefix or "") .. part
    local n = not is_column[name] and values_of(c, part) or 0
    if n > 1 then list[#list + 1] = { name = name, part = part, values = n, n = c.n } end
  end
  return list
end

--- Returns a function that gives a part of a column's time in a row; nil if there is none. text_in(row) gives the time.
---@param c table
---@param part string
---@param text_in fun(row: table): string?
function times.value_in(c, part, text_in)
  local known = {}
  return function(row)
    local text = text_in(row)
    if text and not known[text] then known[text] = part_of(time_texts.seconds(text, c.time_format), part) end
    return text and known[text]
  end
end

--- Sets the arguments of lua/leat/times.lua for a column and some of its parts, unless --set gives them.
---@param c table
---@param parts table[]
function times.take(c, parts)
  local names = {}
  for i, p in ipairs(parts) do names[i] = p.part end
  if #names == 0 then return end
  args.time_parts = table.concat(names, ",")
  if args.time then return end
  args.time = c.name
  if not args.time_format and c.time_format ~= "iso8601" then args.time_format = c.time_format end
  if not args.time_missing then args.time_missing = "any" end -- nobody asked for the time
end

return times
