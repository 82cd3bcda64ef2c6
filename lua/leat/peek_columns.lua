--- Columns of some records, for `leat peek` (lua/leat/peek.lua) and leat.sampled: how many values, whether they are
--- numbers or times, how often each occurs, and in which records the column has no value.

local leat = require "leat"
local args = leat.args

--- Figures of a column: number of values, whether all are numbers, how often a number is less than the one before, the
--- last record with a value, and the number of gaps: of records without a value, those that follow each other are one.
--- had[text] counts a text; number[text] is its number, or false. `order` has the numbers in the order of the records.
local function new_column(name)
  return { name = name, n = 0, values = 0, numbers = true, falls = 0, time_format = nil, had = {}, number = {}, last = 0,
    gaps = 0, order = {}, beginning = 0 }
end

--- True if the text is a date without signs between year, month and day: 19970101.
local function is_date(value)
  local year, month, day = value:match("^(%d%d%d%d)(%d%d)(%d%d)$")
  year, month, day = tonumber(year), tonumber(month), tonumber(day)
  return year and year >= 1900 and year <= 2100 and month >= 1 and month <= 12 and day >= 1 and day <= 31
end

--- Numbers of so many digits are ids, too, and times only in columns that are named so.
local long_times = { [16] = "unix_us", [19] = "unix_ns" }

--- Returns the format of a time (time_format of lua/leat/times.lua); nil if the value does not look like one.
local function time_format(value, name)
  local zone = value:match("^%d%d%d%d%-%d%d%-%d%d[ T]%d%d:%d%d[%d:.,]*(.*)$")
  if zone and (zone:find("^ ?[%d:+-]*$") or zone:find("^ ?[ZzUGTMC]+$")) then return "iso8601" end
  if value:find("^%d%d%d%d%-%d%d%-%d%d$") then return "iso8601" end
  if is_date(value) then return "%Y%m%d" end
  local month, clock = value:match("^%d%d?%.(%d%d?)%.%d%d%d%d(.*)$")
  if month and tonumber(month) <= 12 then
    if clock == "" then return "%d.%m.%Y" end
    if clock:find("^ %d%d?:%d%d$") then return "%d.%m.%Y %H:%M" end
    if clock:find("^ %d%d?:%d%d:%d%d$") then return "%d.%m.%Y %H:%M:%S" end
  end
  if value:gsub("%.%d+$", ""):find("^1%d%d%d%d%d%d%d%d%d$") then return "unix" end -- 2001 to 2033
  if value:find("^1%d%d%d%d%d%d%d%d%d%d%d%d$") then return "unix_ms" end
  return value:find("^1%d+$") and name:lower():find("time") and long_times[#value] or nil
end

--- Stores the common format of all values; false if they have none.
local function note_time(c, value)
  if c.time_format == false then return end
  local format = time_format(value, c.name) or false
  if c.time_format == nil then c.time_format = format end
  if c.time_format ~= format then c.time_format = false end
end

--- Converts a number in the form of the settings to Lua's form.
local function plain(text, settings)
  if settings.thousands then text = text:gsub(settings.thousands:gsub("%p", "%%%0"), "") end
  return settings.decimal == "," and text:gsub(",", ".") or text
end

--- True if a text is a whole number, or one with marks before each three digits.
local function is_grouped(text, mark)
  if text:find("^[+-]?%d+$") then return true end
  local rest = mark and text:match("^[+-]?%d%d?%d?(%D.*)$")
  return rest ~= nil and rest ~= false and rest:gsub(mark:gsub("%p", "%%%0") .. "%d%d%d", "") == ""
end

local form -- of numbers, from --set; a table, because leat.args is slow

--- Returns the number of a text in the form that --set gives.
local function in_form(text)
  local cut = text:find(form.decimal, 1, true)
  local whole, fraction = text:sub(1, (cut or 0) - 1), cut and text:sub(cut + #form.decimal) or ""
  if fraction:find("%D") or not is_grouped(whole, form.thousands) then return nil end
  return tonumber((plain(text, form)))
end

--- Returns the number of a text; nil for 01235, an id, and for 0x1F. is_plain: it is in Lua's form.
local function number_of(text, is_plain)
  form = form or { decimal = args.decimal or ".", thousands = args.thousands, is_given = (args.decimal or args.thousands) ~= nil }
  if not is_plain and form.is_given and text:find("%d") then return in_form(text) end
  return not text:find("^0%d+$") and not text:find("^[+-]?0[xX]") and tonumber(text) or nil
end

--- Notes a text that the column did not have before.
local function note(c, text)
  local number = number_of(text, c.is_plain)
  note_time(c, text)
  c.numbers = c.numbers and number ~= nil
  c.number[text] = number or false
  c.values = c.values + 1
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
  local all = c.had
  local had = all[value]
  if not had then note(c, value) end
  all[value] = (had or 0) + 1
  if not c.numbers then return end
  local number, before = c.number[value], c.before
  if before and number < before then c.falls = c.falls + 1 end
  c.before, c.order[#c.order + 1] = number, number
end

--- Counts one value of a record, or several. `record` is the number of the record.
local function add(c, value, record, elements)
  c.n = c.n + 1
  if record > c.last + 1 then c.gaps = c.gaps + 1 end
  c.last = record
  if not elements then return add_one(c, value) end
  for _, one in ipairs(elements) do add_one(c, one) end
end

--- Ends the figures of the columns after so many records.
local function finish(seen, records)
  for _, c in ipairs(seen) do
    c.records, c.gaps = records, c.gaps + (c.last < records and 1 or 0)
  end
  return seen
end

--- Returns the figures of a column of single values without some of its texts.
local function without(c, texts)
  local rest, is = new_column(c.name), {}
  for _, text in ipairs(texts) do is[text] = true end
  rest.falls, rest.is_plain = c.falls, c.is_plain
  for text, n in pairs(c.had) do
    if not is[text] then
      note(rest, text)
      rest.had[text], rest.n = n, rest.n + n
    end
  end
  return rest
end

local VALUES, MOST = 100, 16 -- a column of numbers has a word in so many values at most, and few different words

--- Returns the words in a column of numbers, most frequent first, and the number of their values. Returns nil if there
--- are none, or if the column is not one of numbers.
local function words_in_numbers(c)
  local words, n = {}, 0
  for text, had in pairs(c.had) do
    if not c.number[text] then
      if text:find("%d") or #words == MOST then return nil end
      words[#words + 1], n = text, n + had
    end
  end
  if n == 0 or VALUES * n > c.n then return nil end
  table.sort(words, function(a, b) return c.had[a] > c.had[b] or c.had[a] == c.had[b] and a < b end)
  return words, n
end

--- Returns the figures of a column of two samples together, one after the other.
local function united(a, b)
  local both = new_column(a.name)
  for _, c in ipairs { a, b } do
    for text, n in pairs(c.had) do
      if not both.had[text] then note(both, text) end
      both.had[text] = (both.had[text] or 0) + n
    end
  end
  both.n, both.falls, both.at, both.unusual = a.n + b.n, a.falls + b.falls, a.at, a.unusual or b.unusual
  return both
end

--- Marks columns that pipelines/explain.lua chooses by itself from the first records (lua/leat/attributes.lua), and where
--- the numbers of later records begin.
local function mark_early(seen)
  for _, c in ipairs(seen) do
    c.early = c.values > 1 and 2 * c.values <= c.n
    c.beginning = #c.order
  end
end

--- Adds the texts of column i of rows `from` to `to`, numbers in the form of the settings. A word does not count.
local function add_numbers(c, rows, i, from, to, settings)
  c.is_plain = true
  for k = from, to do
    local value = rows[k][i]
    if value then value = plain(value, settings) end
    if value and tonumber(value) then add(c, value, k) end
  end
end

--- Adds the texts of column i of rows `from` to `to`.
local function add_column(c, rows, i, from, to, settings)
  local all, n, number, before, order, last = c.had, c.n, c.number, c.before, c.order, c.last
  local dots = settings.decimal == ","
  for k = from, to do
    local value = rows[k][i]
    if value and value ~= "" and value ~= "\0" then
      local had = all[value]
      if not had then note(c, value) end
      all[value], n = (had or 0) + 1, n + 1
      if k > last + 1 then c.gaps = c.gaps + 1 end
      last = k
      if c.numbers then
        local x = number[value]
        if before and x < before then c.falls = c.falls + 1 end
        before, order[#order + 1] = x, x
        if dots and value:find(".", 1, true) then c.numbers = false end
      end
    end
  end
  c.n, c.before, c.last = n, before, last
end

--- Returns the columns' figures from rows. The first `first` rows are the beginning of the data. A word in a column of
--- numbers does not count.
local function of_rows(rows, first, names, settings)
  local numeric, seen = {}, {}
  for i, name in ipairs(names) do
    seen[i] = new_column(name)
    seen[i].at = i
  end
  for _, name in ipairs(leat.list(settings.numbers or {})) do numeric[name] = true end
  first = math.min(first, #rows)
  for i, c in ipairs(seen) do (numeric[c.name] and add_numbers or add_column)(c, rows, i, 1, first, settings) end
  mark_early(seen)
  for i, c in ipairs(seen) do (numeric[c.name] and add_numbers or add_column)(c, rows, i, first + 1, #rows, settings) end
  return finish(seen, #rows)
end

--- Returns the words of a name's last part, between marks: _user_id_ for client.userId.
local function words_of(name)
  local last = name:match("([%w_]*)$")
  return "_" .. last:gsub("(%l)(%u)", "%1_%2"):lower() .. "_"
end

--- Words of names whose numbers only identify.
local of_things = { "id", "ids", "uid", "pid", "zip", "zipcode", "postcode", "phone", "port", "no", "nr", "num", "number",
  "flight", "code", "key", "index", "idx", "serial", "rownames" }

--- True if a name suggests numbers that only identify, such as user_id and port.
local function names_things(name)
  local words = words_of(name)
  for _, word in ipairs(of_things) do
    if words:find("_" .. word .. "_", 1, true) then return true end
  end
  return false
end

return { by_name = by_name, add = add, finish = finish, without = without, words_in_numbers = words_in_numbers, united = united, mark_early = mark_early, of_rows = of_rows,
  names_things = names_things }
