--- What `leat peek` runs: what is in a file or a topic, column by column, and what can be asked of it.
---
--- data        a file, or a pattern or a list of several; - is standard input
--- brokers     … or, with these (host:port, comma separated), a topic, or several, comma separated
--- limit, start, timestamp, offsets, properties
---             of a topic: how many messages of each partition (10000), from where, and how to connect (lua/leat/inputs.lua)
--- format      csv, json, logfmt, lines, common, combined, syslog, syslog5424 (leat.parse.regex), libsvm, vw or libffm;
---             unless given, what the first records look like
--- pattern     a regular expression, whose named groups are columns
--- delimiter, quote, header, columns
---             csv: how it is written (lua/leat/inputs.lua); unless given, what fits the first records
--- encoding, decimal, thousands
---             likewise
--- derive, filter
---             new columns, and a condition for the records to keep (lua/leat/conditions.lua)
--- out         table, jsonl or csv

local leat = require "leat"
local inputs = require "leat.inputs"
local logs = require "leat.logs"
local flat = require "leat.flat"
local topics = require "leat.topics"
local args = leat.args

local BYTES, LINES = 1 << 18, 200
local found_encoding -- unless it was given

--- Is a text without a mark in UTF-16? Every other byte of its first line is then 0, if it is English.
local function utf_16(text)
  local odd, even, n = 0, 0, 0
  for at in text:match("^[^\n]*"):gmatch("()%z") do
    if at % 2 == 0 then even = even + 1 else odd = odd + 1 end
  end
  n = #text:match("^[^\n]*")
  if 3 * even > n and odd * 8 < even then return "utf-16le" end
  if 3 * odd > n and even * 8 < odd then return "utf-16be" end
end

--- The encoding that a text, read as UTF-8, may be in; nil: UTF-8 it is.
local function encoding_of(text)
  local wide = utf_16(text)
  if wide then return wide end
  local bad, at = 0, 1
  while bad < 1000 do
    local length, wrong = utf8.len(text, at)
    if length or not wrong then break end
    bad, at = bad + 1, wrong + 1
  end
  local good = select(2, text:gsub("[\xc3-\xf4][\x80-\xbf]+", ""))
  if bad <= good then return nil end
  return text:find("[\x80-\x9f]") and "windows-1252" or "latin-1"
end

--- The first text of the data, once its encoding is known.
local function first_text(data)
  local text, why = leat.beginning(data, BYTES, args.encoding)
  if not args.encoding then
    if why and why:find('encoding = "utf-16"', 1, true) then args.encoding = "utf-16" end
    if text then args.encoding = encoding_of(text) end
    if args.encoding then text, why = leat.beginning(data, BYTES, args.encoding) end
    found_encoding = args.encoding
  end
  if why then error(why, 0) end
  if text == "" then error(("%s is empty: there is nothing to look at"):format(data:gsub("%c", "?")), 0) end
  return text
end

--- The first lines of the data; none of a pipe, which gives them once.
local function first_lines(data)
  local text = first_text(data)
  local lines = {}
  for line in (text or ""):gsub("^\239\187\191", ""):gmatch("([^\n]*)\n") do
    if line:find("%S") and #lines < LINES then lines[#lines + 1] = (line:gsub("\r$", "")) end
  end
  return lines
end

--- Fields of a line: delimiters within quotes are none. (A field over several lines is seen as several: this is a
--- look, and the parser does it right.)
local function fields(line, delimiter, quote)
  local inside = quote ~= "" and line:gsub(quote .. "[^" .. quote .. "]*" .. quote, function(text)
    return (text:sub(2, -2):gsub(delimiter, "\0"):gsub("^$", "\0"))
  end) or line
  local list = {}
  for field in (inside .. delimiter):gmatch("(.-)" .. delimiter) do list[#list + 1] = field end
  return list
end

--- The delimiter that cuts most lines into as many fields as the first, more than one; nil: there is none.
local function delimiter_of(lines, quote)
  local best, most
  for _, delimiter in ipairs { "\t", ",", ";", "|" } do
    local n = #fields(lines[1] or "", delimiter, quote)
    local alike = 0
    for _, line in ipairs(lines) do
      local found = fields(line, delimiter, quote)
      if #found == n or #found == n + 1 and found[#found] == "" then alike = alike + 1 end
    end
    if n > 1 and 2 * alike > #lines and (not most or n > most) then best, most = delimiter, n end
  end
  return best
end

local function all(lines, pattern)
  for i = 1, math.min(#lines, 20) do
    if not lines[i]:find(pattern) then return false end
  end
  return #lines > 0
end

--- Lines of log4j and its like: a time, a level, and often a thread and a logger.
local STAMPED = "^%d%d%d%d%-%d%d%-%d%d[ T]%d%d:%d%d:%d%d[%d.,]*Z?%s+[%[%u]"
local STAMPED_PATTERN = [=[^(?<time>\d{4}-\d\d-\d\d[ T][\d:]+)[\d.,]*Z?\s+(?:\[(?<thread>[^\]]*)\]\s+)?(?<level>[A-Z]+)\s+]=]
  .. [=[(?:\[(?<place>[^\]]*)\]\s+)?(?:(?<logger>[\w.$]+)\s*[-:]\s+)?(?<message>.*)]=]

local NUMBER = "[+-]?%d*%.?%d+[eE]?[+-]?%d*"

--- The format of the lines, and the delimiter of columns.
local function format_of(lines, quote)
  local named = logs.format_of(lines)
  if named then return named end
  if all(lines, STAMPED) then return "stamped" end
  if all(lines, "^" .. NUMBER .. "%s+%S+:%S+:" .. NUMBER) then return "libffm" end
  if all(lines, "^" .. NUMBER .. "%s+%S+:" .. NUMBER) then return "libsvm" end
  if all(lines, "^[^|,;]*|") and all(lines, "|%S* %S") then return "vw" end
  local delimiter = delimiter_of(lines, quote)
  return delimiter and "csv" or "lines", delimiter
end

--- Is the first line a heading? No field of it is a number, or empty, or there twice.
local function has_heading(names)
  local had = {}
  for _, name in ipairs(names) do
    if name == "" or tonumber(name) or had[name] then return false end
    had[name] = true
  end
  return true
end

--- How numbers may be written other than 1188.02, by pattern; the first that fits is taken.
local forms = {
  { ",", nil, "^[+-]?%d+,%d+$" },
  { ",", ".", "^[+-]?%d%d?%d?%.%d%d%d[%d.]*,?%d*$" },
  { ",", " ", "^[+-]?%d%d?%d?[ \u{a0}\u{202f}]+%d%d%d[%d \u{a0}\u{202f}]*,?%d*$" },
  { ".", ",", "^[+-]?%d%d?%d?,%d%d%d[%d,]*%.?%d*$" },
  { ".", "'", "^[+-]?%d%d?%d?['\u{2019}]+%d%d%d[%d'\u{2019}]*%.?%d*$" },
}

--- Does a text belong to a form: as it says, or without thousands and fraction?
local function fits(form, text)
  if text:find(form[3]) or text:find("^[+-]?%d+$") then return true end
  return form[1] == "," and text:find("^[+-]?%d+,%d+$") or form[1] == "." and text:find("^[+-]?%d+%.%d+$")
end

--- The form that makes numbers of columns of text, and these columns; nil: there is none.
local function numbers_of(rows, names)
  local best, columns
  for _, form in ipairs(forms) do
    local list = {}
    for i, name in ipairs(names) do
      local all_fit, some = true, false
      for _, row in ipairs(rows) do
        local text = row[i] or ""
        if text ~= "" and text ~= "\0" then
          all_fit = all_fit and fits(form, text)
          some = some or text:find(form[3])
        end
      end
      if all_fit and some then list[#list + 1] = name end
    end
    if #list > 0 and (not best or #list > #columns) then best, columns = form, list end
  end
  return best, columns
end

--- Of a column in the first lines: how many values, are all numbers, and how often do these fall?
local function new_column(name)
  return { name = name, n = 0, values = 0, numbers = true, falls = 0, times = true, had = {} }
end

local function add(c, value)
  local number = tonumber(value)
  c.times = c.times and value:find("^%d%d%d%d%-%d%d%-%d%d[ T]%d%d:%d%d") ~= nil
  c.numbers = c.numbers and number ~= nil
  if number and c.before and number < c.before then c.falls = c.falls + 1 end
  c.n = c.n + 1
  c.before = number
  if not c.had[value] then c.had[value], c.values = true, c.values + 1 end
end

--- A number as the settings write it, as Lua does.
local function plain(text, settings)
  if settings.thousands then text = text:gsub(settings.thousands:gsub("%p", "%%%0"), "") end
  return settings.decimal == "," and text:gsub(",", ".") or text
end

local function look(lines, names, delimiter, quote, from, settings)
  local numeric = {}
  for _, name in ipairs(settings.numbers or {}) do numeric[name] = true end
  local seen = {}
  for i, name in ipairs(names) do seen[i] = new_column(name) end
  for k = from, #lines do
    if k > 1 and from > 1 and lines[k] == lines[1] then goto continue end -- the heading of another file
    for i, value in ipairs(fields(lines[k], delimiter, quote)) do
      local c = seen[i]
      if c and value ~= "" and value ~= "\0" then add(c, numeric[c.name] and plain(value, settings) or value) end
    end
    ::continue::
  end
  return seen
end

local function quoted(text)
  return text:find("^[%w%./_,:=@+-]+$") and text or "'" .. text:gsub("'", "'\\''") .. "'"
end

local function content(path)
  local file = io.open(path)
  local text = file and file:read("a")
  if file then file:close() end
  return text
end

--- A path without "x/..".
local function short(path)
  local before
  repeat
    before = path
    path = path:gsub("[^/]+/%.%./", function(pair) return pair ~= "../../" and "" or nil end, 1)
  until path == before
  return path
end

--- A path as it is from the folder that we are in.
local function from_here(path)
  local here = (os.getenv("PWD") or "") .. "/"
  return path:sub(1, #here) == here and path:sub(#here + 1) or path
end

--- Where the pipelines are: here, or beside this module, whose folder may be reached by a link: then the folders above it
--- are tried for a path without "..".
local function pipelines()
  if content("pipelines/explain.lua") then return "pipelines" end
  local long = leat.dir .. "/../../pipelines"
  local script, folder = content(long .. "/explain.lua"), short(leat.dir)
  while script and folder ~= "" do
    if content(folder .. "/pipelines/explain.lua") == script then return from_here(folder .. "/pipelines") end
    folder = folder:match("^(.*)/[^/]*$") or ""
  end
  return long
end

--- A command of a pipeline on this data, as the shell takes it.
local function command(pipeline, more)
  local script = ("%s/%s.lua"):format(pipelines(), pipeline)
  local words = { "leat run " .. quoted(script) }
  for _, pair in ipairs(args.brokers and topics.arguments() or { "data=" .. args.data }) do
    words[#words + 1] = "--set " .. quoted(pair)
  end
  if found_encoding then words[#words + 1] = "--set encoding=" .. found_encoding end
  for _, pair in ipairs(more) do words[#words + 1] = "--set " .. quoted(pair) end
  return "  " .. table.concat(words, " ")
end

--- A column as a condition names it.
local function in_condition(name)
  return name:find("^[%a_][%w_]*$") and name or ('column["%s"]'):format(name)
end

local function without(list, one)
  local others = {}
  for _, name in ipairs(list) do
    if name ~= one then others[#others + 1] = name end
  end
  return others
end

local MOST = 10 -- columns of a topic that are proposed to explain something: these are not looked for then

--- Messages of a topic are looked at partition after partition: a time falls where one begins.
local function rises(c) return c.falls == 0 or args.brokers and 20 * c.falls < c.n end

--- What sets records apart that are above the others in a column of numbers, or have a certain text. A column that
--- never falls is a time or a number of the record.
local function questions(seen, given)
  local metric, class
  local attributes, explain = 0, {} -- columns that may explain something (lua/leat/attributes.lua)
  for _, c in ipairs(seen) do
    local few = c.values > 1 and c.values <= 20
    if few then attributes = attributes + 1 end
    if few and #explain < MOST and not c.name:find("[%c,]") then explain[#explain + 1] = c.name end
    if c.name:find('[%c"]') then -- no part of a command
    elseif c.numbers and not rises(c) and c.values > 20 then
      if not metric or c.values > metric.values then metric = c end
    elseif few and not c.numbers then
      if not class or c.values < class.values then class = c end
    end
  end
  for _, c in ipairs(seen) do
    if c.times and c.values > 1 and not c.name:find('[%c"]') and not args.time then
      given = { table.unpack(given) }
      given[#given + 1] = "time=" .. c.name
      break
    end
  end
  if attributes == 0 then metric = nil end
  if attributes < 2 then class = nil end
  local list = {}
  local function ask(text, of)
    local more = table.move(given, 1, #given, 1, {})
    more[#more + 1] = text
    if args.brokers then more[#more + 1] = "attributes=" .. table.concat(without(explain, of), ",") end
    list[#list + 1] = command("explain", more)
  end
  if metric then ask("metric=" .. metric.name, metric.name) end
  if class then
    local value
    for text in pairs(class.had) do
      if not text:find("[%c\"\\]") and (not value or text < value) then value = text end
    end
    if value then ask(('outlier=%s == "%s"'):format(in_condition(class.name), value), class.name) end
  end
  return list
end

local quote = args.quote or '"'
local lines = args.brokers and topics.messages() or first_lines(args.data)
local format, delimiter = args.format, nil
if args.pattern then format = "pattern" end
if not format and args.brokers then format = topics.format(lines) end
if not format and #lines > 0 then format, delimiter = format_of(lines, quote) end
format = format or "csv"
delimiter = args.delimiter and args.delimiter:gsub("\\t", "\t") or delimiter or ","

local shown = args.data:gsub("%c", "?")

local found_names = { "time" } -- of the columns; a log has a time

--- Those that are given, "name" or "name=path"; nil: none are.
local function named_columns()
  if not args.columns then return nil end
  local names = {}
  for i, column in ipairs(leat.list(args.columns)) do names[i] = column:match("^[^=]*") end
  return names
end

local function say(text, ...) io.stderr:write(("leat: " .. text .. "\n"):format(...)) end

--- Commands, unless the name of the data would not be the same on a terminal.
local function say_encoding()
  if found_encoding then say("%s: its text is in %s: set encoding = %s", shown, found_encoding, found_encoding) end
end

local function propose(list)
  if #list > 0 and not args.data:find("%c") then say("to ask, for example\n%s", table.concat(list, "\n")) end
end

--- Numbers of another country: what parse.csv must know, for the pipeline and for commands.
local function numbers(heading, names, given)
  if args.decimal or args.thousands then
    return { decimal = args.decimal, thousands = args.thousands, numbers = args.numbers }
  end
  local rows = {}
  for k = heading and 2 or 1, #lines do rows[#rows + 1] = fields(lines[k], delimiter, quote) end
  local form, columns = numbers_of(rows, names)
  if not form then return {} end
  local settings = { decimal = form[1], thousands = form[2], numbers = columns }
  if form[1] ~= "." then given[#given + 1] = "decimal=" .. form[1] end
  if form[2] then given[#given + 1] = "thousands=" .. form[2] end
  given[#given + 1] = "numbers=" .. table.concat(columns, ",")
  say("%s: numbers with %s (%s)", shown, form[2] and ("'%s' before the fraction and '%s' between thousands"):format(
    form[1], form[2]) or "a decimal comma", table.concat(columns, ", "))
  return settings
end

local function csv()
  local named = args.columns and leat.list(args.columns)
  local first = lines[1] and fields(lines[1], delimiter, quote) or {}
  if #first > 2 and first[#first] == "" and has_heading({ table.unpack(first, 1, #first - 1) }) then
    first[#first] = nil -- a delimiter after the last name (leat.parse.csv)
  end
  local heading = leat.flag(args, "header", not args.brokers and not named and (#first == 0 or has_heading(first)))
  local names, given = named or first, {}
  if not heading and not named then
    names = {}
    for i = 1, #first do names[i] = "c" .. i end
    given[#given + 1] = "columns=" .. table.concat(names, ",")
  end
  if delimiter ~= "," then table.insert(given, 1, "delimiter=" .. delimiter:gsub("\t", "\\t")) end
  say("%s: %s, fields separated by %s", shown, heading and "csv with a heading" or "csv without a heading",
    delimiter == "\t" and "tabs" or "'" .. delimiter .. "'")
  local settings = numbers(heading, names, given)
  local list = questions(look(lines, names, delimiter, quote, heading and 2 or 1, settings), given)
  propose(list)
  found_names = names
  settings.delimiter = delimiter:gsub("\t", "\\t")
  settings.columns = not heading and names or named
  settings.header = heading and named and "true" or nil
  return inputs.csv(settings)
end

--- The single values of the first objects, by their paths.
local function json()
  local seen, at, given, paths = {}, {}, {}, {}
  for _, line in ipairs(lines) do
    for _, found in ipairs(flat.values(line, true) or {}) do
      local path = found[1]
      if not at[path] then at[path], seen[#seen + 1] = #seen + 1, new_column(path) end
      add(seen[at[path]], found[2])
    end
  end
  for i, c in ipairs(seen) do paths[i] = c.name end
  say("%s: json, one object a line", shown)
  if args.brokers or not inputs.json_extensions[inputs.extension(args.data)] then given[1] = "format=json" end
  local list = questions(seen, given)
  propose(list)
  if #paths == 0 and not args.columns then
    error("the first records name no columns: give their paths, --set columns=a,b.c", 0)
  end
  found_names = named_columns() or paths
  return inputs.json { columns = args.columns or paths }
end

--- The pairs of a line in logfmt, as far as their keys are paths: { key, value }.
local function pairs_of(line)
  local found, at = {}, 1
  while true do
    local from, to, key = line:find("^%s*([^%s=\"]+)=", at)
    if not from then
      from, to = line:find("^%s*[^%s=\"]+", at) -- a flag
      if not from then return found end
    else
      local value
      if line:find('^"', to + 1) then
        from, to, value = line:find('^"(.-[^\\])"', to + 1)
        if not from then return found end
      else
        from, to, value = line:find("^(%S*)", to + 1)
      end
      if not key:find("[%[%]]") then found[#found + 1] = { key, value } end
    end
    at = to + 1
  end
end

--- The keys of the first lines.
local function logfmt()
  local seen, at, keys = {}, {}, {}
  for _, line in ipairs(lines) do
    for _, found in ipairs(pairs_of(line)) do
      local key = found[1]
      if not at[key] then at[key], seen[#seen + 1] = #seen + 1, new_column(key) end
      add(seen[at[key]], found[2])
    end
  end
  for i, c in ipairs(seen) do keys[i] = c.name end
  say("%s: logfmt, key=value pairs in each line", shown)
  propose(questions(seen, { "format=logfmt" }))
  if #keys == 0 and not args.columns then
    error("the first lines have no key=value: give the keys, --set columns=a,b", 0)
  end
  found_names = named_columns() or keys
  return inputs.logfmt { columns = args.columns or keys }
end

--- What has examples and no columns: their first lines are shown.
local function examples(parse)
  say("%s: %s, one example a line; the first are", shown, format)
  for i = 1, math.min(#lines, 3) do
    local line = lines[i]:sub(1, 100):gsub("%c", "?")
    io.stderr:write("  ", line, #lines[i] > 100 and "…" or "", "\n")
  end
  propose { command("classify", { "format=" .. format }) }
  return { parse {}, leat.sink.null {} }
end

local function stamped()
  args.pattern = STAMPED_PATTERN
  say("%s: lines with a time and a level; the pattern makes columns of them", shown)
  propose { command("explain", { "pattern=" .. STAMPED_PATTERN, "attributes=thread,place,logger", 'outlier=level ~= "INFO"' }) }
  return inputs.csv()
end

--- Messages with the number of a schema before them.
local function avro()
  local schema = topics.schema(lines)
  say("%s: avro%s", shown, schema and (", framed as by a Schema Registry (schema %d)"):format(schema) or "")
  if args.columns then
    found_names = named_columns()
    return inputs.avro()
  end
  say("its columns are in its schema: give --set registry=http://HOST:8081 --set columns=a,b.c")
  return {}
end

local function binary()
  say("%s: binary messages, of no format that is known by its bytes", shown)
  return {}
end

local function empty()
  say("%s: there is no message to read", shown)
  return {}
end

--- The lines of a log.
local function log()
  local known = logs.of[format]
  say("%s: log of format %s", shown, format)
  propose { command("explain", { "format=" .. format, "outlier=" .. known.outlier, "attributes=" .. table.concat(known.attributes, ",") }),
    known.time and command("explain", { "outlier=" .. known.outlier, "time=time", "time_parts=weekday,hour" }) }
  return leat.parse.regex { format = format }
end

local formats = {
  avro = avro,
  binary = binary,
  empty = empty,
  common = log,
  combined = log,
  syslog = log,
  syslog5424 = log,
  pattern = function() return inputs.csv() end,
  stamped = stamped,
  csv = csv,
  json = json,
  logfmt = logfmt,
  lines = function()
    say("%s: lines of text", shown)
    propose { command("pmi", {}) }
    return { leat.parse.lines {} }
  end,
  libsvm = function() return examples(leat.parse.libsvm) end,
  vw = function() return examples(leat.parse.vw) end,
  libffm = function() return examples(leat.parse.libffm) end,
}
if not formats[format] then
  error(("format is %s: give csv, json, avro, logfmt, lines, common, combined, syslog, syslog5424, libsvm, vw or libffm"):format(
    format), 0)
end
if args.brokers then say("%s: the first %d messages of each partition, from %s", shown, topics.limit, args.brokers) end
say_encoding()
local shape = formats[format]()
local has_columns = format ~= "libsvm" and format ~= "vw" and format ~= "libffm"

return leat.pipeline "peek" {
  args.brokers and topics.source(found_names) or inputs.records {}, shape,
  has_columns and leat.sink.profile { format = args.out } or {},
}
