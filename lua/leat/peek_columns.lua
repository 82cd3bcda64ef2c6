--- Columns of the first records, for `leat peek` (lua/leat/peek.lua): how many values, whether they are numbers or
--- times, how often each occurs, and in which records the column has no value.

local leat = require "leat"

--- Figures of a column: number of values, whether all are numbers, how often a number is less than the one before, the
--- last record with a value, and the number of gaps: of records without a value, those that follow each other are one.
--- `order` has the numbers in the order of the records.
local function new_column(name)
  return { name = name, n = 0, values = 0, numbers = true, falls = 0, time_format = nil, had = {}, last = 0, gaps = 0,
    order = {}, beginning = 0 }
end

--- True if the text is a date without signs between year, month and day: 19970101.
local function is_date(value)
  local year, month, day = value:match("^(%d%d%d%d)(%d%d)(%d%d)$")
  year, month, day = tonumber(year), tonumber(month), tonumber(day)
  return year and year >= 1900 and year <= 2100 and month >= 1 and month <= 12 and day >= 1 and day <= 31
end

--- Returns the format of a time (time_format of lua/leat/times.lua); nil if the value does not look like one.
local function time_format(value)
  if value:find("^%d%d%d%d%-%d%d%-%d%d[ T]%d%d:%d%d") or value:find("^%d%d%d%d%-%d%d%-%d%d$") then return "iso8601" end
  if is_date(value) then return "%Y%m%d" end
  local month, clock = value:match("^%d%d?%.(%d%d?)%.%d%d%d%d(.*)$")
  if month and tonumber(month) <= 12 then
    if clock == "" then return "%d.%m.%Y" end
    if clock:find("^ %d%d?:%d%d$") then return "%d.%m.%Y %H:%M" end
    if clock:find("^ %d%d?:%d%d:%d%d$") then return "%d.%m.%Y %H:%M:%S" end
  end
  if value:find("^1%d%d%d%d%d%d%d%d%d$") or value:find("^1%d%d%d%d%d%d%d%d%d%.%d+$") then return "unix" end -- 2001 to 2033
  if value:find("^1%d%d%d%d%d%d%d%d%d%d%d%d$") then return "unix_ms" end
end

--- Stores the common format of all values; false if they have none.
local function note_time(c, value)
  if c.time_format == false then return end
  local format = time_format(value) or false
  if c.time_format == nil then c.time_format = format end
  if c.time_format ~= format then c.time_format = false end
end

--- Returns a list of columns, and a function that finds one by name, or adds it.
local function by_name()
  local seen, at = {}, {}
  return seen, function(name)
    if not at[name] then
      at[name], seen[#seen + 1] = #seen + 1, new_column(name)
      seen[#seen].at = #seen
    end
    return seen[at[name]]
  end
end

local function add_one(c, value)
  local number = not value:find("^0%d+$") and tonumber(value) or nil -- 01235 is an id
  note_time(c, value)
  c.numbers = c.numbers and number ~= nil
  if number and c.before and number < c.before then c.falls = c.falls + 1 end
  c.before = number
  if c.numbers then c.order[#c.order + 1] = number end
  if not c.had[value] then c.had[value], c.values = 0, c.values + 1 end
  c.had[value] = c.had[value] + 1
end

--- Counts one value of a record, or several. `record` is the number of the record.
local function add(c, value, record, elements)
  c.n = c.n + 1
  if record > c.last + 1 then c.gaps = c.gaps + 1 end
  c.last = record
  for _, one in ipairs(elements or { value }) do add_one(c, one) end
end

--- Ends the figures of the columns after so many records.
local function finish(seen, records)
  for _, c in ipairs(seen) do
    c.records, c.gaps = records, c.gaps + (c.last < records and 1 or 0)
  end
  return seen
end

--- Converts a number in the form of the settings to Lua's form.
local function plain(text, settings)
  if settings.thousands then text = text:gsub(settings.thousands:gsub("%p", "%%%0"), "") end
  return settings.decimal == "," and text:gsub(",", ".") or text
end

--- Marks columns that pipelines/explain.lua chooses by itself from the first records (lua/leat/attributes.lua), and where
--- the numbers of later records begin.
local function mark_early(seen)
  for _, c in ipairs(seen) do
    c.early = c.values > 1 and 2 * c.values <= c.n
    c.beginning = #c.order
  end
end

--- Returns the columns' figures from rows. The first `first` rows are the beginning of the data. A word in a column of
--- numbers does not count.
local function of_rows(rows, first, names, settings)
  local numeric, seen = {}, {}
  for _, name in ipairs(leat.list(settings.numbers or {})) do numeric[name] = true end
  for i, name in ipairs(names) do
    seen[i] = new_column(name)
    seen[i].at = i
  end
  for k, row in ipairs(rows) do
    if k == first + 1 then mark_early(seen) end
    for i, value in ipairs(row) do
      local c = seen[i]
      if c and numeric[c.name] then value = plain(value, settings) end
      if c and value ~= "" and value ~= "\0" and (not numeric[c.name] or tonumber(value)) then
        add(c, value, k)
        if settings.decimal == "," and not numeric[c.name] and value:find(".", 1, true) then c.numbers = false end
      end
    end
  end
  if #rows <= first then mark_early(seen) end
  return finish(seen, #rows)
end

return { by_name = by_name, add = add, finish = finish, mark_early = mark_early, of_rows = of_rows }
