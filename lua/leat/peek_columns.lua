--- Columns of some records, for `leat peek` (lua/leat/peek.lua) and leat.sampled: how many values, whether they are
--- numbers or times, and how often each occurs.

local leat = require "leat"

--- Figures of a column: number of values, whether all are numbers, and how often a number is less than the one before.
--- had[text] counts a text; number[text] is its number, or false.
local function new_column(name)
  return { name = name, n = 0, values = 0, numbers = true, falls = 0, time_format = nil, had = {}, number = {} }
end

--- Returns the format of a time (time_format of lua/leat/times.lua); nil if the value does not look like one.
local function time_format(value)
  if value:find("^%d%d%d%d%-%d%d%-%d%d[ T]%d%d:%d%d") then return "iso8601" end
  local month, clock = value:match("^%d%d?%.(%d%d?)%.%d%d%d%d(.*)$")
  if month and tonumber(month) <= 12 then
    if clock == "" then return "%d.%m.%Y" end
    if clock:find("^ %d%d?:%d%d$") then return "%d.%m.%Y %H:%M" end
    if clock:find("^ %d%d?:%d%d:%d%d$") then return "%d.%m.%Y %H:%M:%S" end
  end
  if value:find("^1%d%d%d%d%d%d%d%d%d$") then return "unix" end -- 2001 to 2033
  if value:find("^1%d%d%d%d%d%d%d%d%d%d%d%d$") then return "unix_ms" end
end

--- Stores the common format of all values; false if they have none.
local function note_time(c, value)
  if c.time_format == false then return end
  local format = time_format(value) or false
  if c.time_format == nil then c.time_format = format end
  if c.time_format ~= format then c.time_format = false end
end

--- Returns the number of a text; nil for 01235, an id, and for 0x1F.
local function number_of(text)
  return not text:find("^0%d+$") and not text:find("^[+-]?0[xX]") and tonumber(text) or nil
end

--- Notes a text that the column did not have before.
local function note(c, text)
  local number = number_of(text)
  note_time(c, text)
  c.numbers = c.numbers and number ~= nil
  c.number[text] = number or false
  c.values = c.values + 1
end

--- Returns a list of columns, and a function that finds one by name, or adds it.
local function by_name()
  local seen, at = {}, {}
  return seen, function(name)
    if not at[name] then at[name], seen[#seen + 1] = #seen + 1, new_column(name) end
    return seen[at[name]]
  end
end

local function add_one(c, value)
  local had = c.had[value]
  if not had then note(c, value) end
  c.had[value] = (had or 0) + 1
  local number, before = c.number[value] or nil, c.before
  if number and before and number < before then c.falls = c.falls + 1 end
  c.before = number
end

--- Counts one value of a record, or several.
local function add(c, value, elements)
  c.n = c.n + 1
  if not elements then return add_one(c, value) end
  for _, one in ipairs(elements) do add_one(c, one) end
end

--- Returns the figures of a column of single values without some of its texts.
local function without(c, texts)
  local rest, is = new_column(c.name), {}
  for _, text in ipairs(texts) do is[text] = true end
  rest.falls = c.falls
  for text, n in pairs(c.had) do
    if not is[text] then
      note(rest, text)
      rest.had[text], rest.n = n, rest.n + n
    end
  end
  return rest
end

--- Converts a number in the form of the settings to Lua's form.
local function plain(text, settings)
  if settings.thousands then text = text:gsub(settings.thousands:gsub("%p", "%%%0"), "") end
  return settings.decimal == "," and text:gsub(",", ".") or text
end

--- Marks columns that pipelines/explain.lua chooses by itself from the first records (lua/leat/attributes.lua).
local function mark_early(seen)
  for _, c in ipairs(seen) do
    c.early = c.values > 1 and 2 * c.values <= c.n
  end
end

--- Returns the columns' figures from rows. The first `first` rows are the beginning of the data. A word in a column of
--- numbers does not count.
local function of_rows(rows, first, names, settings)
  local numeric, seen = {}, {}
  for i, name in ipairs(names) do seen[i] = new_column(name) end
  for _, name in ipairs(leat.list(settings.numbers or {})) do numeric[name] = true end
  for k, row in ipairs(rows) do
    if k == first + 1 then mark_early(seen) end
    for i, value in ipairs(row) do
      local c = seen[i]
      local is_number = c and numeric[c.name]
      if is_number then value = plain(value, settings) end
      if c and value ~= "" and value ~= "\0" and (not is_number or tonumber(value)) then add(c, value) end
    end
  end
  if #rows <= first then mark_early(seen) end
  return seen
end

return { by_name = by_name, add = add, without = without, mark_early = mark_early, of_rows = of_rows }
