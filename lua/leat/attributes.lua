--- leat.attributes: chooses columns that may explain something, from the first records of files.
---
---   local attributes = require "leat.attributes"
---   attributes.choose { data = args.data, without = { "amount" }, with = { "hour" } }
---
--- An array of single values is a column, path[*], whose values are its elements. A column qualifies if it has at least
--- two values, and at most half as many as records. Numbers qualify with at most 20 values. If a path holds values of
--- several types, the type of most records counts (lua/leat/flat.lua). Of more than 12 columns, those with the fewest
--- values are chosen. The choice comes from the first 1,000 records, before the run. It is the same in every run,
--- whatever the threads, and is printed on standard error.

local leat = require "leat"
local flat = require "leat.flat"
local logs = require "leat.logs"
local args = leat.args

local attributes = {}

local RECORDS, FIELDS, BYTES, NUMBERS, MOST = 1000, 200000, 4 << 20, 20, 12

--- Fails, and lists the columns of the input if they are known.
local function fail(why, names)
  names = names or args.columns and leat.list(args.columns)
  local only = names and #names == 1 and not args.delimiter and names[1]:match("[;\t|]")
  if only then
    only = only == "\t" and "\\t" or only
    error(("attributes: %s. The header is one name, '%s': if '%s' separates the names, --set delimiter='%s'"):format(
      why, names[1], only, only), 0)
  end
  error(("attributes: %s. Name the columns that may explain the outliers: --set attributes=a,b,c%s"):format(why,
    names and #names > 0 and " (columns: " .. table.concat(names, ", ") .. ")" or ""), 0)
end

--- Returns the beginning of the data, if the run can read it again.
local function beginning(data, format)
  local text, why
  if args.pattern or (format or "csv") ~= "csv" and format ~= "json" and format ~= "logfmt" then
    fail("they are chosen only for logs, csv, json and logfmt, and these records have another format")
  end
  if data then text, why = leat.beginning(data, BYTES, leat.args.encoding) end
  if why then error(why, 0) end
  if not text then
    fail(("they are chosen from the first records of files, but %s gives each record only once"):format(
      not data and "a topic" or data == "-" and "standard input" or "a pipe"))
  end
  return (text:gsub("^\239\187\191", ""))
end

--- Returns the fields of the record at `at`, and the place of the next; nil if `text` ends inside the record.
local function record(text, at, delimiter, quote)
  local fields, twice = {}, (quote .. quote):gsub("%p", "%%%0")
  while true do
    local value, stop
    if quote ~= "" and text:sub(at, at) == quote then
      local from = at + 1
      repeat
        stop = text:find(quote, from, true)
        if not stop then return nil end
        from = stop + 2
      until text:sub(stop + 1, stop + 1) ~= quote
      value, at = text:sub(at + 1, stop - 1):gsub(twice, (quote:gsub("%%", "%%%%"))), stop + 1
    end
    local cut, line = text:find(delimiter, at, true), text:find("\n", at, true)
    if not line then return nil end
    local ends = cut and cut < line and cut or line
    fields[#fields + 1] = value or text:sub(at, ends - 1):gsub("\r$", "")
    at = ends + (ends == line and 1 or #delimiter)
    if ends == line then return fields, at end
  end
end

--- Figures of a column: records with a value, distinct values, whether all are numbers.
local function new_column() return { values = 0, records = 0, numbers = true, had = {} } end

--- Counts one value of a record, or several.
local function add(c, value, elements)
  c.records = c.records + 1
  for _, one in ipairs(elements or { value }) do
    c.numbers = c.numbers and tonumber(one) ~= nil and not one:find("^0%d+$") -- 01235 is an id
    if not c.had[one] then c.had[one], c.values = true, c.values + 1 end
  end
end

--- Returns the columns of --set columns: a list of names, and the index of each path.
local function given_columns()
  local names, by_path = {}, {}
  for i, column in ipairs(leat.list(args.columns)) do
    local name, path = column:match("^([^\"=]*)=(.+)$")
    names[i], by_path[path or column] = name or column, i
  end
  return names, by_path
end

--- Looks at JSON or logfmt: the columns are paths of single values, or keys. values_of(line) returns a line's values.
local function look_at_named(text, values_of)
  local names, at, seen, n, fields = {}, {}, {}, 0, 0
  if args.columns then names, at = given_columns() end
  for i = 1, #names do seen[i] = new_column() end
  for line in text:gmatch("[^\n]+") do
    local values = values_of(line)
    for _, found in ipairs(values or {}) do
      local path, i = found[1], at[found[1]]
      if not i and not args.columns then
        i = #names + 1
        names[i], at[path], seen[i] = path, i, new_column()
      end
      if i then add(seen[i], found[2], found[3]) end
      fields = fields + 1
    end
    n = n + (values and 1 or 0)
    if n >= RECORDS or fields >= FIELDS then break end
  end
  return names, seen, n
end

local function values_of_json(line) return flat.values(line, true) end

--- Looks at JSON. If a path is a single value in some records and an object or array in others, the form of most
--- records counts. Columns of other forms are unfit.
local function look_at_json(text)
  local names, seen, n = look_at_named(text, values_of_json)
  if args.columns then return names, seen, n end
  local columns, is_usual = {}, {}
  for i, name in ipairs(names) do columns[i] = { name = name, n = seen[i].records } end
  for _, c in ipairs((flat.usual(columns))) do is_usual[c.name] = true end
  for i, name in ipairs(names) do seen[i].unusual = not is_usual[name] end
  return names, seen, n
end
local function look_at_logfmt(text) return look_at_named(text, logs.pairs_of) end

--- Looks at CSV. Returns the names in the heading, and the columns' figures.
local function look_at_csv(text)
  local delimiter = (args.delimiter or ","):gsub("\\t", "\t")
  if delimiter == "" then error("delimiter is empty: give the text between fields", 0) end
  local quote, at = args.quote or '"', 1
  local names, seen, n = args.columns and leat.list(args.columns), {}, 0
  local heading, first = nil, ""
  if not names or leat.flag(args, "header") then
    heading, at = record(text, at, delimiter, quote)
    names, first = names or heading or {}, table.concat(heading or {}, delimiter)
  end
  for i = 1, #names do
    seen[i] = new_column()
    if names[i] == "" then names[i] = "column " .. i end -- the parser's name for it
  end
  local missing = { [""] = true }
  for _, text in ipairs(leat.list(args.missing_texts or "")) do missing[text] = true end
  while n < RECORDS and n * #names < FIELDS and at do
    local fields
    fields, at = record(text, at, delimiter, quote)
    local again = heading and fields and table.concat(fields, delimiter) == first -- heading of the next file
    if fields and #fields == #names and not again then
      n = n + 1
      for i, value in ipairs(fields) do
        if not missing[value] then add(seen[i], value) end
      end
    end
  end
  return names, seen, n
end

--- Returns the reason why a column cannot be an attribute; nil if it can.
local function unfit(c)
  if c.unusual then return "another type in most records" end
  if c.values < 2 then return c.values == 0 and "no value" or "one value" end
  if c.values > c.records / 2 then return ("%d values in %d records"):format(c.values, c.records) end
  if c.numbers and c.values > NUMBERS then return ("numbers, %d values"):format(c.values) end
end

local function set(list)
  local has = {}
  for _, name in ipairs(list or {}) do has[name] = true end
  return has
end

--- Prints a text on one line, whatever characters names have.
local function say(text)
  local line = ("leat: attributes of " .. text):gsub("%c", function(c) return c == "\n" and "\\n" or ("\\x%02x"):format(c:byte()) end)
  io.stderr:write(line, "\n")
end

--- Returns the attributes that logs.list has for a log (lua/leat/logs.lua).
local function of_log(log, from)
  local without, list = set(from.without), {}
  for _, names in ipairs { log.attributes, from.with or {} } do
    for _, name in ipairs(names) do
      if not without[name] then list[#list + 1] = name end
    end
  end
  say(("a log of format %s: %s"):format(log.format, table.concat(list, ", ")))
  return list
end

--- Chooses columns. from.data is the file, from.format json, logfmt or csv. from.without are the columns that define
--- the outliers; from.with are always chosen. attributes.left_out lists all other columns that were not chosen, with
--- the reason.
---@param from table
function attributes.choose(from)
  local log = not args.pattern and logs.of[from.format]
  if log then return of_log(log, from) end
  local look = from.format == "json" and look_at_json or from.format == "logfmt" and look_at_logfmt or look_at_csv
  local names, seen, n = look(beginning(from.data, from.format))
  local without, taken, chosen, left_out, others = set(from.without), set(from.with), {}, {}, {}
  if n < 2 then fail("they are chosen from the first records, but there are no records", names) end
  for i, name in ipairs(names) do
    local why = without[name] and "part of the question" or unfit(seen[i])
    if why and not taken[name] then
      left_out[#left_out + 1] = ("%s (%s)"):format(name, why)
      others[#others + 1] = not without[name] and left_out[#left_out] or nil
    elseif not taken[name] then chosen[#chosen + 1] = { name = name, values = seen[i].values, at = i } end
  end
  table.sort(chosen, function(a, b) return a.values < b.values or a.values == b.values and a.at < b.at end)
  for i = #chosen, MOST + 1, -1 do
    left_out[#left_out + 1] = ("%s (%d others have fewer values)"):format(table.remove(chosen, i).name, MOST)
    others[#others + 1] = left_out[#left_out]
  end
  table.sort(chosen, function(a, b) return a.at < b.at end)
  local list = {}
  for i, c in ipairs(chosen) do list[i] = c.name end
  for _, name in ipairs(from.with or {}) do
    if not without[name] then list[#list + 1] = name end
  end
  attributes.left_out = others
  if #list == 0 then fail(("no column has few values in the first %d records"):format(n), names) end
  say(("the first %d records: %s%s"):format(n, table.concat(list, ", "),
    #left_out > 0 and "; left out: " .. table.concat(left_out, ", ") or ""))
  return list
end

return attributes
