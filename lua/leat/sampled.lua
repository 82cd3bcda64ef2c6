--- leat.sampled: what a run knows of its files before it begins, from records at places spread over all of them.
---
---   local sampled = require "leat.sampled"
---   local look = sampled.csv("flights.csv")        -- look.names, look.seen, look.rows, look.n
---   local settings = sampled.settings("flights.csv")  -- what leat.parse.csv needs for the file, and --set does not say
---
--- A sample has at most 10,000 records: evenly spaced ones of some 64 texts of leat.pieces. Rows with another number of
--- fields than the heading are left out. A text may begin inside a field that holds a line end, so rows may be wrong.

local leat = require "leat"
local conversions = require "leat.conversions"
local logs = require "leat.logs"
local later = require "leat.later"
local csv = later "leat.peek_csv"
local flat = later "leat.flat"
local first_columns = later "leat.peek_columns"
local missing = later "leat.peek_missing"
local number_forms = later "leat.number_forms"
local time_texts = later "leat.time_texts"
local args = leat.args

local sampled = { quoted = conversions.quoted }

local BYTES, RECORDS, FIELDS = 1 << 20, 10000, 200000
local FEW_BYTES = 1 << 17          -- of the beginning, in a run that continues
local MANY_BYTES = 8 << 20         -- for the numbers of one column
local MOST = 100000                -- different numbers, to fit into the memory of a script
local NAMED, VALUES = 10000, 60000 -- records, and values, of JSON and logfmt

local texts_of = {} -- texts of each path

--- Fails if the files have no lines of records. `texts` is nil if their first record is too long.
local function check_lines(data, texts)
  if args.pattern or args.record_start or args.format == "lines" then return end
  local first = texts and texts[1] or select(3, leat.beginning(data, 1, args.encoding))
  local needed = first and conversions.needed(first, data)
  if needed then error(("%s: %s"):format(data:gsub("%c", "?"), needed), 0) end
end

--- Returns texts of the files, from places spread over them; nil and the reason if a file cannot be read; nil alone if
--- one is not a regular file.
---@param data string
---@return string[]?, string?
function sampled.texts(data)
  if not texts_of[data] then
    local texts, why
    if leat.continues then -- the choice must be the same when the file has grown
      texts, why = leat.beginning(data, FEW_BYTES, args.encoding)
      texts = texts and { texts }
    else texts, why = leat.pieces(data, BYTES, args.encoding) end
    if texts then texts[1] = texts[1]:gsub("^\239\187\191", "") end
    if texts or why then check_lines(data, texts) end
    texts_of[data] = { texts, why }
  end
  return texts_of[data][1], texts_of[data][2]
end

--- Returns the number of line ends in a text.
local function line_ends(text)
  local n, at = 0, text:find("\n", 1, true)
  while at do n, at = n + 1, text:find("\n", at + 1, true) end
  return n
end

--- Returns a function that is true for the numbers of at most `most` evenly spaced lines of the texts. `others` is the
--- number of lines that do not count, such as a heading.
local function spaced(texts, most, others)
  local lines = -others
  for _, text in ipairs(texts) do lines = lines + line_ends(text) end
  return function(k) return lines <= most or k * most % lines < most end
end

--- Returns the fields of the record at `at`, and the place of the next; nil if `text` ends inside the record.
local function record(text, at, delimiter, quote)
  local fields = {}
  while true do
    local value, stop
    if quote ~= "" and text:sub(at, at) == quote then
      stop = csv.closing_quote(text, at + 1, quote)
      if not stop then return nil end
      value, at = csv.unquoted(text:sub(at + 1, stop - 1), quote), stop + 1
    end
    local cut, line = text:find(delimiter, at, true), text:find("\n", at, true)
    if not line then return nil end
    local ends = cut and cut < line and cut or line
    fields[#fields + 1] = value or text:sub(at, ends - 1):gsub("\r$", "")
    at = ends + (ends == line and 1 or #delimiter)
    if ends == line then return fields, at end
  end
end

local CAPTURES = 32 -- of a pattern in Lua

--- Returns a function that cuts a line without quotes into n fields, or into another number if it has that.
local function cutter(delimiter, n)
  local mark = delimiter:gsub("%p", "%%%0")
  local one = #delimiter == 1 and "([^" .. mark .. "]*)" or "(.-)"
  local field, all = one .. mark, "^" .. (one .. mark):rep(n - 1) .. one .. "$"
  if #delimiter == 1 and n <= CAPTURES then return function(line) return { line:match(all) } end end
  return function(line)
    local fields, n = {}, 0
    for value in (line .. delimiter):gmatch(field) do
      n = n + 1
      fields[n] = value
    end
    return fields
  end
end

--- Adds records from place `at` of a text to `rows`, if they have n fields and are not the heading. `cut` cuts lines
--- without quotes; is_taken(k) selects the k-th record.
local function add_rows(rows, text, at, form, n, cut, is_taken)
  local k, quote = form.looked_at or 0, form.quote
  local quote_at = quote ~= "" and at and text:find(quote, at, true) -- the next one
  while at and at <= #text do
    local stop, takes, fields = text:find("\n", at, true) or #text + 1, is_taken(k), nil
    local next_at, again = stop + 1, false
    if quote_at and quote_at < stop then
      fields, next_at = record(text, at, form.delimiter, quote)
      again = form.heading and text:sub(at, (next_at or #text + 2) - 2) == form.heading
      quote_at = next_at and text:find(quote, next_at, true)
    elseif takes then
      local line = text:sub(at, stop - 1)
      if line ~= form.heading then fields = cut(line:byte(-1) == 13 and line:sub(1, -2) or line) end
    end
    if fields and #fields == n and takes and not again then rows[#rows + 1] = fields end
    k, at = k + 1, next_at
  end
  form.looked_at = k
end

--- Returns the quote: that of --set, or that of the lines.
local function quote_of(texts, delimiter)
  if args.quote or delimiter ~= "\t" then return args.quote or '"' end
  local lines = {}
  for i, text in ipairs(texts) do
    if i > 1 then text = text:match("\n(.*)") or "" end -- a text may begin inside a line
    lines[#lines + 1] = i == 1 and text:match("^[^\n]*") or nil -- the heading
    if text:find('"', 1, true) or text:find("\\N", 1, true) then
      for line in text:gmatch("([^\r\n]+)\r?\n") do lines[#lines + 1] = line end
    end
  end
  return csv.quote_of(lines, delimiter)
end

--- Returns the delimiter: that of --set, `given`, or another than a comma that stands in a heading without a comma and cuts the
--- lines below it alike. The second value is true if it was found.
local function delimiter_of(text, quote, given)
  given = args.delimiter or given
  if given == "" then error("delimiter is empty: give the text between fields", 0) end
  if given then return (given:gsub("\\t", "\t")), false end
  local lines = {}
  for line in (text:sub(1, 1 << 14):match("^.*\n") or ""):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  if args.columns or #lines < 2 or #csv.fields(lines[1], ",", quote) > 1 then return ",", false end
  local found = csv.delimiter_of(lines, quote)
  return found or ",", found ~= nil
end

--- Returns the texts that mean no value: those of --set, or those found; the columns of numbers that have them; and the
--- names of columns of texts that have them as a value.
local function missing_of(seen, rows, delimiter)
  if args.missing_texts then return leat.list(args.missing_texts), {}, {} end
  local columns, texts, others = missing.of(seen, rows, delimiter)
  return texts, columns, others
end

local SHOWN = 5 -- columns in a line
local looks = {} -- what is known of each path

--- Fails if two columns have a name, with the arguments that give each its own. Numbers are no names: then the file has
--- no heading.
local function check_names(names)
  local twice, list, is_heading = csv.twice(names), csv.distinct(names), true
  if not twice then return end
  for _, name in ipairs(names) do is_heading = is_heading and not tonumber(name) end
  for i = 1, is_heading and 0 or #names do list[i] = "c" .. i end
  error(("there are two columns named '%s': name each column once: --columns %s%s"):format((twice:gsub("%c", "?")),
    sampled.quoted(table.concat(list, ",")), is_heading and " --header true" or ""), 0)
end

--- Fails if the files are lines of text: no delimiter cuts them alike, and the first has blanks, as no name of a column.
--- A setting, or the name of the files, may say that they are CSV.
local function check_columns(data, text)
  if args.format == "csv" or args.columns or args.delimiter or data:find("%.csv") or data:find("%.tsv") then return end
  local lines = {}
  for line in text:sub(1, 1 << 14):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  if #lines < 2 or not lines[1]:find("%S +%S") or (csv.cut(lines, args.quote or '"')) then return end
  error(("%s: lines of text, which have no columns: give --pattern, a regular expression with named groups (leat peek %s), or ask "
    .. "for the words that come together: leat pairs %s. If the first line is the name of a column, give --format csv"):format(
    data, sampled.quoted(data), sampled.quoted(data)), 0)
end

--- Drops the words in columns of numbers from the columns' figures. Returns what they are: lines { name, n, of, words }.
local function without_words(seen)
  local list = {}
  for i, c in ipairs(seen) do
    local words, n = first_columns.words_in_numbers(c)
    if words then
      list[#list + 1] = { name = c.name, n = n, of = c.n, words = words }
      seen[i] = first_columns.without(c, words)
    end
  end
  return list
end

local delimiters = {} -- what a script knows of the delimiter of each path

--- Looks at CSV. Returns its names, the figures of its columns (lua/leat/peek_columns.lua) without texts that mean no
--- value, its rows, and their number n; nil if the files cannot be read, with the reason (sampled.texts).
---@param data string
---@return table?, string?
function sampled.csv(data)
  if looks[data] then return looks[data] end
  local texts, why = sampled.texts(data)
  if not texts then return nil, why end
  local look, at, heading = { rows = {} }, 1, nil
  look.delimiter, look.is_found = delimiter_of(texts[1], args.quote or '"', delimiters[data])
  look.quote = quote_of(texts, look.delimiter)
  check_columns(data, texts[1])
  look.names = args.columns and leat.list(args.columns)
  if not look.names or leat.flag(args, "header") then
    heading, at = record(texts[1], 1, look.delimiter, look.quote)
    look.heading = at and texts[1]:sub(1, at - 2)
    look.names = look.names or heading or {}
  end
  for i, name in ipairs(look.names) do
    if name == "" then look.names[i] = "column " .. i end -- the parser's name for it
  end
  if not args.columns then check_names(look.names) end
  local n = #look.names
  local cut, is_taken = cutter(look.delimiter, n), spaced(texts, math.min(RECORDS, FIELDS // math.max(1, n)), heading and 1 or 0)
  for i, text in ipairs(texts) do add_rows(look.rows, text, i == 1 and at or i > 1 and 1, look, n, cut, is_taken) end
  look.n = #look.rows
  look.is_whole = #texts == 1 and look.n < math.min(RECORDS, FIELDS // math.max(1, n)) -- one small file
  look.seen = first_columns.of_rows(look.rows, look.n, look.names, {})
  look.missing_texts, look.missing, look.texts = missing_of(look.seen, look.rows, look.delimiter)
  local keeps = {}
  for _, name in ipairs(look.texts) do keeps[name] = true end
  for i, c in ipairs(look.seen) do
    local has = false
    for _, text in ipairs(not keeps[c.name] and look.missing_texts or {}) do has = has or c.had[text] ~= nil end
    if has then look.seen[i] = first_columns.without(c, look.missing_texts) end
  end
  look.words = without_words(look.seen)
  look.is_missing = {}
  for _, text in ipairs { "", table.unpack(look.missing_texts) } do look.is_missing[text] = true end
  looks[data] = look
  return look
end

--- Returns a function that converts a text in the form of --set decimal and thousands to a number; nil if it is none.
---@return fun(text: string): number?
function sampled.converter()
  local comma, thousands = args.decimal == ",", args.thousands and args.thousands:gsub("%p", "%%%0")
  if not comma and not thousands then return number_forms.plain end
  return function(text)
    if thousands then text = text:gsub(thousands, "") end
    return number_forms.plain(comma and text:gsub(",", ".") or text)
  end
end

--- Returns field k of a line without quotes; nil if it has fewer.
local function kth(line, delimiter, k)
  local from = 1
  for _ = 2, k do
    local at = line:find(delimiter, from, true)
    if not at then return nil end
    from = at + #delimiter
  end
  return (line:sub(from, (line:find(delimiter, from, true) or #line + 1) - 1):gsub("\r$", ""))
end

--- Calls add(text, text of column j) for column k of a text of CSV, from place `at` on. j may be nil.
local function each_value(text, at, look, k, j, add)
  while at <= #text do
    local stop = text:find("\n", at, true) or #text + 1
    local line, next_at, fields = text:sub(at, stop - 1), stop + 1, nil
    if look.quote ~= "" and line:find(look.quote, 1, true) then
      fields, next_at = record(text, at, look.delimiter, look.quote)
      if fields and #fields == #look.names then add(fields[k], fields[j]) end
    else
      local value = kth(line, look.delimiter, k)
      if value then add(value, j and kth(line, look.delimiter, j)) end
    end
    at = next_at or #text + 1
  end
end

--- Calls add(text, n) for texts of column k of a text of CSV, each of which occurs n times, in any order. If `most` is given
--- and there are more texts, or values of lines with quotes, takes evenly spaced ones, each of which stands for others.
--- Returns true if it takes all.
local function each_text(text, look, k, add, most)
  local is_plain = #look.delimiter == 1 and not text:find("\r", 1, true)
    and (look.quote == "" or not text:find(look.quote, 1, true))
  local step, counts = 1, is_plain and leat.tally(text, look.delimiter, k, 1, most or MOST) or nil
  while is_plain and most and not counts do
    step = 2 * step
    counts = leat.tally(text, look.delimiter, k, step, most)
  end
  for value, n in pairs(counts or {}) do add(value, n * step) end
  if counts then return step == 1 end
  local at = 0
  step = most and 1 + line_ends(text) // most or 1
  each_value(text, 1, look, k, nil, function(value)
    if at % step == 0 then add(value, step) end
    at = at + 1
  end)
  return step == 1
end

--- Returns the place of a column; nil if there is none.
local function place_of(look, name)
  for k, column in ipairs(look and look.names or {}) do
    if column == name then return k end
  end
end

--- Calls add(text, n) for texts of a column of CSV, each of which occurs n times, in any order: those of all of files up to
--- some 8 MB, and of 64 places of larger ones, and with `ends` of their ends. Without `ends` a column of very many
--- different texts has evenly spaced ones. Returns true if that are all records; nil if the files cannot be read again, or
--- have no such column.
---@param data string
---@param name string
---@param add fun(text: string, n: integer)
---@param ends boolean?
---@return boolean?
function sampled.values(data, name, add, ends)
  local look = sampled.csv(data)
  local texts, k = look and leat.pieces(data, MANY_BYTES, args.encoding, ends), place_of(look, name)
  if not texts or not k then return nil end
  local is_whole = #texts == 1
  for _, text in ipairs(texts) do is_whole = each_text(text, look, k, add, not ends and MOST // #texts or nil) and is_whole end
  return is_whole
end

local numbers_by = {} -- of each path, column and column of groups

--- Like sampled.values, but returns the numbers of each text of the column `by`, { [text] = numbers }.
---@param data string
---@param name string
---@param by string
---@return table<string, number[]>?, boolean?
function sampled.numbers_by(data, name, by)
  local key = table.concat({ data, name, by }, "\0")
  if numbers_by[key] then return table.unpack(numbers_by[key]) end
  local look, groups, number_of = sampled.csv(data), {}, sampled.converter()
  local texts = look and leat.pieces(data, MANY_BYTES, args.encoding)
  local k, j = place_of(look, name), place_of(look, by)
  if not texts or not k or not j then return nil end
  local function add(value, group)
    local x = group and number_of(value)
    if not x then return end
    local list = groups[group] or {}
    groups[group], list[#list + 1] = list, x
  end
  for _, text in ipairs(texts) do each_value(text, 1, look, k, j, add) end
  numbers_by[key] = { groups, #texts == 1 }
  return groups, #texts == 1
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

local function values_of_json(line) return flat.values(line, true) end

--- Returns a function that takes lines of the files and returns another one, which returns { name, value } of the values
--- of line k, or nil if it is no record.
---@param data string
---@param format string json, otlp, logfmt or that of a log
function sampled.values_of(data, format)
  if logs.of[format] then
    local first, head, names = {}, nil, nil
    for line in ((sampled.texts(data) or {})[1] or ""):sub(1, 1 << 16):gmatch("([^\n]*)\n") do first[#first + 1] = line end
    if logs.is_headed(format) then head, names = logs.head_of(first, format) end
    return function(lines)
      local found = logs.values(format, lines, head, names)
      return function(k) return found[k] end
    end
  end
  local of_line = format == "logfmt" and logs.pairs_of or values_of_json
  return function(lines)
    return function(k) return of_line(lines[k]) end
  end
end

--- Sets the format of the column of a log that has its times, if all its texts are times.
local function take_times(look, log)
  local format = log.time
  for i, name in ipairs(format and format ~= "syslog" and look.names or {}) do
    local are_times = name == log.column
    for text in pairs(are_times and look.seen[i].had or {}) do are_times = are_times and time_texts.seconds(text, format) ~= nil end
    if are_times then look.seen[i].time_format = format end
  end
end

--- Looks at JSON, logfmt or a log, like sampled.csv: the columns are paths of values, or keys, or those of the log. A row has
--- single values, and lists.
---@param data string
---@param format string
---@return table?, string?
function sampled.named(data, format)
  local texts, why = sampled.texts(data)
  if not texts then return nil, why end
  local values_of = sampled.values_of(data, format)
  local look, at, fields, k, taken = { names = {}, seen = {}, rows = {}, n = 0, is_missing = {} }, {}, 0, 0, 0
  local _, column = first_columns.by_name()
  if args.columns then look.names, at = given_columns() end
  for i, name in ipairs(look.names) do look.seen[i] = column(name) end
  local function add(values)
    local row = {}
    for _, found in ipairs(values or {}) do
      local path, i = found[1], at[found[1]]
      if not i and not args.columns then
        i = #look.names + 1
        look.names[i], at[path], look.seen[i] = path, i, column(path)
      end
      if i then first_columns.add(look.seen[i], found[2], look.n + 1, found[3]) end
      if i then row[i] = found[3] or found[2] end
      fields = fields + 1
    end
    if values then look.n, look.rows[#look.rows + 1] = look.n + 1, row end
  end
  local is_taken = spaced(texts, NAMED, 0)
  for _, text in ipairs(texts) do
    local most, lines = fields + VALUES // #texts, {}
    for line in text:gmatch("[^\n]+") do
      if is_taken(k) then lines[#lines + 1] = line end
      k = k + 1
    end
    lines = logs.records(format, lines)
    local of = values_of(lines)
    for i in ipairs(lines) do
      if fields >= most then break end
      add(of(i))
      taken = taken + 1
    end
  end
  look.is_whole = #texts == 1 and taken == k
  if logs.of[format] then take_times(look, logs.of[format]) end
  return look
end

--- Returns the columns that b lacks, as a text; nil if there are none.
local function lacking(names, b)
  local has, list = {}, {}
  for _, name in ipairs(b) do has[name] = true end
  for _, name in ipairs(names) do list[#list + 1] = not has[name] and name or nil end
  return #list > 0 and sampled.shown(list, SHOWN) or nil
end

--- Returns how the columns of two CSV files differ, as a text; nil if they do not, or if one can be read only once.
---@param a string
---@param b string
---@return string?
function sampled.difference(a, b)
  local one, other = sampled.csv(a), sampled.csv(b)
  if not one or not other or table.concat(one.names, "\n") == table.concat(other.names, "\n") then return nil end
  local in_a, in_b = lacking(one.names, other.names), lacking(other.names, one.names)
  if not in_a and not in_b then return "the same columns are in another order" end
  return (in_a and "only a has " .. in_a or "") .. (in_a and in_b and "; " or "") .. (in_b and "only b has " .. in_b or "")
end

--- Adds the rows of a look to `rows`, in the order of other columns. at[i] is the place of column i in the look.
local function add_ordered(rows, look, at)
  for _, row in ipairs(look.rows) do
    local ordered = {}
    for i = 1, #at do
      local value = row[at[i]]
      ordered[i] = not look.is_missing[value or ""] and value or nil
    end
    rows[#rows + 1] = ordered
  end
end

--- Returns the looks at two streams as one, and a list of its records: true for those of the first. Columns that only one
--- of the two has are left out.
---@param a table
---@param b table
---@return table, boolean[]
function sampled.united(a, b)
  local in_b, at_a, at_b, sides = {}, {}, {}, {}
  local both = { names = {}, seen = {}, rows = {}, n = a.n + b.n, is_missing = { [""] = true } }
  for j, name in ipairs(b.names) do in_b[name] = j end
  for i, name in ipairs(a.names) do
    local j, k = in_b[name], #both.names + 1
    if j then both.names[k], both.seen[k], at_a[k], at_b[k] = name, first_columns.united(a.seen[i], b.seen[j]), i, j end
    if j then both.seen[k].at = k end
  end
  add_ordered(both.rows, a, at_a)
  add_ordered(both.rows, b, at_b)
  for k = 1, #both.rows do sides[k] = k <= #a.rows end
  return both, sides
end

--- Prints a text on one line, whatever characters names have.
---@param text string
function sampled.say(text)
  local line = text:gsub("%c", function(c) return c == "\n" and "\\n" or ("\\x%02x"):format(c:byte()) end)
  io.stderr:write("leat: ", line, "\n")
end

--- Returns a list as one text, of which at most `most` are shown.
---@param list string[]
---@param most integer
function sampled.shown(list, most)
  local text = table.concat(list, ", ", 1, math.min(#list, most))
  return #list > most and ("%s, and %d more"):format(text, #list - most) or text
end

--- Returns a share as a percentage, not rounded up to 100 %.
---@param x number
function sampled.share(x)
  if x == 1 then return "100 %" end
  return ("%.1f %%"):format(math.min(99.9, 100 * x))
end

--- Returns a whole number with commas between thousands.
---@param n integer
function sampled.grouped(n)
  local text = ("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (text:gsub("^,", ""))
end

--- Returns the settings of leat.parse.csv that the files need and --set does not give, { delimiter, quote, missing_texts },
--- and prints them. Returns {} for inputs that are not regular files.
---@param data string?
---@param delimiter string? of a script
---@return table
function sampled.settings(data, delimiter)
  local is_tab = (args.delimiter or delimiter or ""):find("^\\?[\tt]$") ~= nil
  if not data or args.brokers or args.view or args.missing_texts and args.delimiter and (args.quote or not is_tab) then return {} end
  if not looks[data] then delimiters[data] = delimiter end
  local look = sampled.csv(data)
  if not look then return {} end
  local settings = {}
  if look.is_found then
    settings.delimiter = look.delimiter:gsub("\t", "\\t")
    if not look.is_said then sampled.say(("delimiter = '%s', found in the heading"):format(settings.delimiter)) end
  end
  if look.delimiter == "\t" and not args.quote then
    settings.quote = look.quote
    if look.quote ~= "" and not look.is_said then sampled.say("quote = '\"', as the lines have it (quote='' takes quotes as text)") end
  end
  if #look.missing > 0 then
    local names = {}
    for i, c in ipairs(look.missing) do names[i] = c.name end
    settings.missing_texts, settings.texts = look.missing_texts, #look.texts > 0 and look.texts or nil
    if not look.is_said then
      local kept = #look.texts > 0 and ("; a value of %s"):format(sampled.shown(look.texts, SHOWN)) or ""
      sampled.say(("missing_texts = %s, found in numbers: %s (missing_texts='' takes them as texts)%s"):format(
        table.concat(look.missing_texts, ","), sampled.shown(names, SHOWN), kept))
    end
  end
  for _, w in ipairs(not look.is_said and look.words or {}) do
    local texts = { table.unpack(look.missing_texts) }
    table.move(w.words, 1, #w.words, #texts + 1, texts)
    sampled.say(("%s: %d of %d values of the sample %s no number: '%s'; no edge counts %s (missing_texts='%s' takes %s for missing)")
      :format(sampled.shown({ w.name }, 1), w.n, w.of, w.n == 1 and "is" or "are", table.concat(w.words, "', '"), w.n == 1 and "it" or "them",
      table.concat(texts, ","), w.n == 1 and "it" or "them"))
  end
  look.is_said = true
  return settings
end

return sampled
