--- What `leat peek` runs: shows the columns of a file or a topic, and prints commands that are worth running on it, best
--- first (lua/leat/peek_questions.lua).
---
--- data        a file, or a pattern or a list of several; - is standard input; or kafka://HOST:PORT/TOPIC
--- brokers     … or, with these (host:port, comma separated), a topic, or several, comma separated
--- limit, start, properties, source
---             of a topic: how many messages of each partition (10000), from where, and how to connect (lua/leat/inputs.lua)
--- format      csv, json, avro, protobuf, logfmt, lines, libsvm, vw, libffm or that of a log (lua/leat/logs.lua); unless given, what the first
---             records look like
--- pattern     a regular expression, whose named groups are columns
--- delimiter, quote, header, columns
---             csv: how it is written (lua/leat/inputs.lua); unless given, what fits the first records
--- encoding, decimal, thousands, missing_texts
---             likewise
--- derive, filter
---             new columns, and a condition for the records to keep (lua/leat/conditions.lua)
--- out         table, jsonl or csv
--- dead_letters
---             a file for the records that are rejected, with why

local leat = require "leat"
local inputs = require "leat.inputs"
local guess = require "leat.peek_format"
local logs = require "leat.logs"
local flat = require "leat.flat"
local topics = require "leat.topics"
local kinds = require "leat.kinds"
local conversions = require "leat.conversions"
local number_forms = require "leat.number_forms"
local first_columns = require "leat.peek_columns"
local csv = require "leat.peek_csv"
local blanks = require "leat.peek_blanks"
local missing = require "leat.peek_missing"
local sample = require "leat.peek_sample"
local commands = require "leat.peek_commands"
local questions = require "leat.peek_questions"
local args = leat.args

local BYTES, LINES = sample.BYTES, sample.LINES -- of the beginning
local found_encoding -- nil if it was given

--- Returns the UTF-16 encoding of a text without a mark; nil if it has none. In English text, every other byte of the
--- first line is then 0.
local function utf_16(text)
  local odd, even, n = 0, 0, 0
  for at in text:match("^[^\n]*"):gmatch("()%z") do
    if at % 2 == 0 then even = even + 1 else odd = odd + 1 end
  end
  n = #text:match("^[^\n]*")
  if 3 * even > n and odd * 8 < even then return "utf-16le" end
  if 3 * odd > n and even * 8 < odd then return "utf-16be" end
end

--- Returns the encoding that a text, read as UTF-8, probably has; nil if it is UTF-8.
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

--- Name of the data, at the beginning of all messages about it.
local shown = args.data:gsub("%c", "?")

--- Fails: the file has no readable records. `what` tells its kind, and what to do.
local function refuse(what) error(what, 0) end

--- Returns the first bytes of a file whose first record, `first`, is too long. From a plain file it reads more than
--- `first`.
local function head(data, first)
  local file = io.open(data, "rb")
  local text = file and file:read(BYTES) or ""
  if file then file:close() end
  return text:sub(1, #first) == first and text or first
end

--- Returns the beginning of the data, once its encoding is known.
local function first_text(data)
  local named = args.format or args.pattern
  local text, why, first = leat.beginning(data, BYTES, args.encoding)
  local whole = first and head(data, first) or text
  local kind = not named and whole and kinds.of(whole, utf_16(whole) ~= nil)
  if kind then refuse(kind) end
  if not args.encoding then
    if why and why:find('encoding = "utf-16"', 1, true) then args.encoding = "utf-16" end
    if text then args.encoding = encoding_of(text) end
    if args.encoding then text, why = leat.beginning(data, BYTES, args.encoding) end
    found_encoding = args.encoding
    commands.encoding = found_encoding
  end
  whole = (text or whole or ""):gsub("^\239\187\191", "")
  local needed = not named and conversions.needed(whole, data)
  if needed then refuse(needed) end
  if why then error(why, 0) end
  if text and not text:find("%S") then
    refuse(text == "" and "the file is empty: there is nothing to look at" or "the file has only blank lines: there is nothing to look at")
  end
  return whole
end

local text = args.brokers and "" or first_text(args.data)
local lines = args.brokers and topics.messages() or sample.add_lines({}, text, LINES)
local format, delimiter, quote = args.format, nil, nil
if args.pattern then format = "pattern" end
if not format and args.brokers then format = topics.format(lines) end
if format == "binary" and (args.registry or args.schema) then format = "avro" end -- a header may name the schema
if not format and #lines > 0 then format, lines, delimiter, quote = guess.of(text, lines) end
format = format or "csv"
delimiter = args.delimiter and args.delimiter:gsub("\\t", "\t") or delimiter or ","
quote = quote or csv.quote_of(lines, delimiter, args.quote)
local later, is_whole = {}, false -- whether the first and the later lines are of all parts of the data
if text ~= "" then later, is_whole = sample.later_lines(args.data, text, sample.add_lines({}, text, LINES), not found_encoding) end

lines, later = logs.records(format, lines), logs.records(format, later)

local found_names = { "time" } -- names of the columns; a log has a time

--- Returns the names in --set columns ("name" or "name=path"); nil without it.
local function named_columns()
  if not args.columns then return nil end
  local names = {}
  for i, column in ipairs(leat.list(args.columns)) do names[i] = column:match("^[^=]*") end
  return names
end

local function say(text, ...) io.stderr:write(("leat: " .. text .. "\n"):format(...)) end

--- Prints the encoding that was found.
local function say_encoding()
  if found_encoding then say("%s: its text is in %s: set encoding = %s", shown, found_encoding, found_encoding) end
end

--- Prints commands, unless the name of the data contains control characters.
local function propose(list)
  if #list == 0 or args.data:find("%c") then return end
  say("to ask, for example\n  %s", table.concat(list, "\n  "))
  commands.proposed = list
end

--- Finds other forms of numbers, such as a decimal comma. Returns the settings of parse.csv; adds them to the commands'
--- `given`.
local function numbers(rows, names, given)
  if args.decimal or args.thousands then
    return { decimal = args.decimal, thousands = args.thousands, numbers = args.numbers }
  end
  local form, columns, words = number_forms.of(rows, names, delimiter)
  if not form then return {} end
  local dotted
  form, columns, dotted = number_forms.with_dots(rows, names, form, columns)
  local settings = { decimal = form[1], thousands = form[2], numbers = columns }
  if form[1] ~= "." then given[#given + 1] = "decimal=" .. form[1] end
  if form[2] then given[#given + 1] = "thousands=" .. form[2] end
  given[#given + 1] = "numbers=" .. table.concat(columns, ",")
  say("%s: numbers with %s (%s)", shown, form[2] and ("'%s' before the fraction and '%s' between thousands"):format(
    form[1], form[2]) or "a decimal comma", table.concat(columns, ", "))
  if dotted then
    say("%s: a dot is between thousands in %s, too, because other columns have a decimal comma: 533.730 is 533730", shown,
      table.concat(dotted, ", "))
  end
  for _, word in ipairs(words) do
    word = word:gsub("%c", "?")
    say("%s: '%s' is not a number: records with it are rejected, unless --set %s makes it a missing value", shown, word,
      commands.quoted("missing_texts=" .. word))
  end
  return settings
end

local COLUMNS, FIELDS, FEWEST = 2000, 200000, 10 -- most columns and fields to ask about, but as many rows at least

--- Returns the first of many names. Commands ask about these columns.
local function first_names(names)
  if #names <= COLUMNS then return names end
  say("%s: %d columns: all are shown, and the commands ask about the first %d", shown, #names, COLUMNS)
  return table.move(names, 1, COLUMNS, 1, {})
end

--- Returns rows: the fields of the lines below the heading, and of later lines if they have as many fields. Also
--- returns how many rows are from the first lines. Of many columns it returns fewer rows.
local function rows_of(heading, names)
  local rows, most = {}, math.max(FEWEST, FIELDS // math.max(1, #names))
  local function is_record(line) return not heading or line ~= lines[1] end -- not the heading of another file
  for k = 1, #lines do
    if #rows >= most then break end
    if is_record(lines[k]) then rows[#rows + 1] = csv.fields(lines[k], delimiter, quote) end
  end
  local first = #rows
  for _, line in ipairs(later) do
    if #rows >= 2 * most then break end
    local row = is_record(line) and csv.fields(line, delimiter, quote) or {}
    if #row == #names then rows[#rows + 1] = row end
  end
  return rows, first
end

local SHOWN = 5 -- columns in one message

--- Returns a list of columns as one text. Cuts a long list.
local function shown_list(list)
  local rest = #list - SHOWN
  local text = table.concat(list, ", ", 1, math.min(#list, SHOWN)):gsub("%c", "?")
  return rest > 0 and ("%s and %d more"):format(text, rest) or text
end

--- Returns the columns' figures from rows, without the words in columns of numbers. Prints these words.
local function figures(rows, first, names, settings)
  local seen, numeric = first_columns.of_rows(rows, first, names, settings), { table.unpack(leat.list(settings.numbers or {})) }
  local n = #numeric
  for _, c in ipairs(seen) do
    local words, values = first_columns.words_in_numbers(c)
    if words then
      numeric[#numeric + 1] = c.name
      say("%s", (("%s: %s: %d of %d values %s no number: '%s'"):format(shown, c.name, values, c.n, values == 1 and "is" or "are",
        table.concat(words, "', '")):gsub("%c", "?")))
    end
  end
  if #numeric == n then return seen end
  return first_columns.of_rows(rows, first, names, { decimal = settings.decimal, thousands = settings.thousands, numbers = numeric })
end

--- Empties texts that mean no value: those of --set missing_texts. Without it, finds marks such as NA among numbers,
--- empties them, and puts them into args.missing_texts.
local function without_missing(rows, names)
  if args.missing_texts then return missing.taken(rows, leat.list(args.missing_texts)) end
  local columns, texts, others = missing.of(first_columns.of_rows(rows, #rows, names, {}), rows, delimiter)
  if #texts == 0 then return rows end
  local list, literals = {}, {}
  for i, c in ipairs(columns) do
    list[i] = ("%s ('%s' in %.3g %% of the first records)"):format(c.name, table.concat(c.marks, "' or '"), 100 * c.share)
  end
  for i, text in ipairs(texts) do literals[i] = ("%q"):format(text) end
  args.missing_texts = table.concat(texts, ",")
  say('%s: numbers with missing values: %s: set missing_texts = %s, or missing = { "", %s } of parse.csv%s', shown,
    shown_list(list), args.missing_texts, table.concat(literals, ", "),
    #others > 0 and (", which is a value of %s"):format(shown_list(others)) or "")
  return missing.taken(rows, texts)
end

--- Settings of CSV, and of records of any kind, that commands take over from --set.
local of_columns = { "derive", "filter", "time", "time_format", "time_zone", "time_year", "time_missing", "time_parts", "time_prefix" }
local csv_settings = { "format", "header", "columns", "quote", "record_start", "decimal", "thousands", "numbers", "missing_texts",
  "extra", "short", table.unpack(of_columns) }
local named_settings = { "columns", "other", table.unpack(of_columns) }

local function of_csv()
  local named = args.columns and leat.list(args.columns)
  local first = lines[1] and csv.fields(lines[1], delimiter, quote) or {}
  local trailing = #first > 2 and first[#first] == "" and csv.has_heading({ table.unpack(first, 1, #first - 1) }, lines, delimiter, quote)
  if trailing then first[#first] = nil end -- a delimiter after the last name (leat.parse.csv)
  local numbered = {} -- a blank name, which pandas writes first, gets the parser's name
  for i, name in ipairs(first) do numbered[i] = name == "" and #first > 1 and "column " .. i or name end
  if not args.brokers and not named and csv.stands_above_numbers(numbered, lines, delimiter, quote) then first = numbered end
  local heading = leat.flag(args, "header", not args.brokers and not named and (#first == 0 or csv.has_heading(first, lines, delimiter, quote)))
  local names, given = named or first, {}
  local twice = heading and not named and csv.twice(first)
  if not heading and not named then
    names = {}
    for i = 1, #first do names[i] = "c" .. i end
    given[#given + 1] = "columns=" .. table.concat(names, ",")
  elseif twice then
    if trailing then first[#first + 1] = "column " .. #first + 1 end -- given names count all that the heading has
    names = csv.distinct(first)
    given[#given + 1], given[#given + 2] = "header=true", "columns=" .. table.concat(names, ",")
  end
  if delimiter ~= "," then table.insert(given, 1, "delimiter=" .. delimiter:gsub("\t", "\\t")) end
  if delimiter == "\t" and not args.quote and table.concat(lines, "\n"):find('"', 1, true) then given[#given + 1] = "quote=" .. quote end
  say("%s: %s, fields separated by %s%s", shown, heading and "csv with a heading" or "csv without a heading",
    delimiter == "\t" and "tabs" or "'" .. delimiter .. "'", delimiter == "\t" and quote ~= "" and ", some in quotes" or "")
  if twice then
    say("%s: there are two columns named '%s': give them different names with header=true and %s", shown,
      twice:gsub("%c", "?"), given[#given]:gsub("%c", "?"))
  end
  local rows, first = rows_of(heading, names)
  local some = first_names(names)
  rows = without_missing(rows, some)
  local settings = numbers(rows, some, given)
  commands.carry(given, csv_settings)
  propose(questions(figures(rows, first, some, settings), given, is_whole))
  found_names = names
  settings.delimiter = delimiter:gsub("\t", "\\t")
  settings.columns = (not heading or twice) and names or named
  settings.header = heading and settings.columns and "true" or nil
  settings.quote = quote
  return inputs.csv(settings, true)
end

--- Returns the columns of the first and the later lines: values_of(lines) returns a function that returns { name, value }
--- of each value of line k, or nil if the line is no record.
local function look_at_named(values_of)
  local seen, column = first_columns.by_name()
  local records = 0
  local function look_at(some)
    local of = values_of(some)
    for k in ipairs(some) do
      local values = of(k)
      records = records + (values and 1 or 0)
      for _, found in ipairs(values or {}) do first_columns.add(column(found[1]), found[2], records, found[3]) end
    end
  end
  look_at(lines)
  first_columns.mark_early(seen)
  look_at(later)
  return first_columns.finish(seen, records)
end

--- Returns a function for look_at_named: of_line(line) has the values of a line that the parser does not reject. The second
--- function returns why the first of the lines was rejected.
local function read_by(parser, of_line)
  local why
  return function(some)
    local rows, failed = leat.parsed(parser, some)
    if not rows then why = why or failed end
    for k, row in ipairs(rows or {}) do
      if type(row) == "string" then why = why or ("record %d: %s"):format(k, row) end
    end
    return function(k) return rows and type(rows[k]) == "table" and of_line(some[k]) or nil end
  end, function() return why end
end

--- Returns the columns in the form of most records. Prints columns of other forms, and returns whether there are any.
local function in_usual_form(seen)
  local list, mixed = flat.usual(seen)
  for _, m in ipairs(mixed) do
    local kept, out = m.kept, m.out
    say("%s: %s in %d of the first records, and %s in %d: %s", shown, kept.name, kept.n, out.name, out.n,
      kept.name == out.name .. "[*]" and ("a single value is read as an array with one element (%s)"):format(kept.name)
      or ("%s is read, and a record with %s has no value there"):format(kept.name, out.name))
  end
  return list, #mixed > 0
end

--- Reads JSON: the columns are the single values of the first objects, by path.
local function json()
  local given, paths, over_lines = {}, {}, false
  for _, line in ipairs(lines) do over_lines = over_lines or line:find("\n", 1, true) ~= nil end
  if over_lines then later = {} end
  local values_of, why = read_by(leat.parse.json { "leat" }, function(line) return flat.values(line, true) end)
  local seen, mixed = in_usual_form(look_at_named(values_of))
  for i, c in ipairs(seen) do paths[i] = c.name end
  local container = not args.brokers and inputs.container(args.data)
  say("%s: %s, %s%s", shown, format, format == "otlp" and "each log record, span and data point is a record" or
    over_lines and "an object from each line that begins with {" or "one object a line",
    container and ", which leat makes of " .. container or "")
  if over_lines then args.record_start = "^\\{" end
  if args.record_start then given[1] = "record_start=" .. args.record_start end
  if mixed then given[#given + 1] = "other=empty" end
  if format == "otlp" or args.brokers or not inputs.json_extensions[inputs.extension(args.data)] then
    table.insert(given, 1, "format=" .. format)
  end
  commands.carry(given, named_settings)
  propose(questions(seen, given, is_whole))
  local depth = #paths == 0 and lines[1] and flat.depth(lines[1]) or 0
  if depth > flat.DEEPEST then
    error(("its objects are nested %d deep: leat names the values of at most %d levels"):format(depth, flat.DEEPEST), 0)
  end
  if #paths == 0 and not args.columns then
    error(why() and ("the first records are wrong: %s"):format(why())
      or "the first records name no columns: give their paths, --set columns=a,b.c", 0)
  end
  found_names = named_columns() or paths
  return inputs[format] { columns = args.columns or paths, other = args.other or mixed and "empty" or nil }
end

--- Reads logfmt: the columns are the keys of the first lines.
local function logfmt()
  local values_of, why = read_by(leat.parse.logfmt { "leat" }, logs.pairs_of)
  local seen, keys = look_at_named(values_of), {}
  for i, c in ipairs(seen) do keys[i] = c.name end
  say("%s: logfmt, key=value pairs in each line", shown)
  local given = { "format=logfmt" }
  commands.carry(given, named_settings)
  propose(questions(seen, given, is_whole))
  if #keys == 0 and not args.columns then
    error(why() and ("the first lines are wrong: %s"):format(why())
      or "the first lines have no pairs key=value: give the keys, --set columns=a,b", 0)
  end
  found_names = named_columns() or keys
  return inputs.logfmt { columns = args.columns or keys }
end

--- Shows the first lines of examples, which have no columns.
local function examples(parse)
  say("%s: %s, one example a line; the first are", shown, format)
  for i = 1, math.min(#lines, 3) do
    local line = lines[i]:sub(1, 100):gsub("%c", "?")
    io.stderr:write("  ", line, #lines[i] > 100 and "…" or "", "\n")
  end
  propose { commands.on_data("classify", { "format=" .. format }) }
  if args.out == "jsonl" then -- there are no columns to show
    io.write(leat.json_text { format = format, commands = { { command = commands.proposed[1] } } }, "\n")
  end
  return { parse {}, leat.sink.null {} }
end

--- Returns the condition for the worst lines: those of the worst levels, unless all have one.
local function of_levels(form)
  local texts, had, worst, n = {}, {}, 0, 0
  for _, line in ipairs(table.move(later, 1, #later, #lines + 1, { table.unpack(lines) })) do
    local level = logs.level_of(line, form)
    if level and not had[level] then
      had[level], texts[#texts + 1] = true, level
      worst, n = math.max(worst, logs.levels[level:upper()]), n + 1
    end
  end
  table.sort(texts)
  local list = {}
  for _, level in ipairs(texts) do
    if logs.levels[level:upper()] == worst then list[#list + 1] = ('level == "%s"'):format(level) end
  end
  return worst == 0 and 'level ~= "INFO"' or table.concat(list, " or ")
end

--- Reads lines by a pattern. Proposes the words of the message and all columns as attributes, except time and level.
local function stamped()
  local form, over_lines = logs.stamped_of(lines)
  local given, attributes = {}, {}
  args.pattern = form.pattern
  given[1] = "pattern=" .. form.pattern
  if over_lines then
    args.record_start = form.start
    given[2] = "record_start=" .. form.start
  end
  for name in form.pattern:gmatch("%(%?<(%w+)>") do
    if name ~= "time" and name ~= "level" and name ~= "message" then attributes[#attributes + 1] = name end
  end
  if #attributes > 0 then given[#given + 1] = "attributes=" .. table.concat(attributes, ",") end
  given[#given + 1] = "lists=message"
  given[#given + 1] = "outlier=" .. of_levels(form)
  say("%s: lines with a %slevel%s; the pattern makes columns of them", shown, form.has_no_time and "" or "time and a ",
    over_lines and ", and lines that continue the line before them" or "")
  propose { commands.on_data("explain", given) }
  return inputs.csv()
end

--- Reads columns between blanks, by a pattern with a group for each. A heading is left out.
local function of_blanks()
  local names, pattern, condition = blanks.of(lines)
  local rows, given = {}, { "pattern=" .. pattern }
  args.pattern = pattern
  if condition then args.filter = condition .. (args.filter and (" and (%s)"):format(args.filter) or "") end
  say("%s: columns between blanks, %s a heading; the pattern makes columns of them", shown, condition and "with" or "without")
  for k = condition and 2 or 1, #lines do rows[#rows + 1] = blanks.fields(lines[k]) end
  local first = #rows
  for _, line in ipairs(later) do
    local row = blanks.fields(line)
    if #row == #names then rows[#rows + 1] = row end
  end
  commands.carry(given, of_columns)
  propose(questions(first_columns.of_rows(rows, first, names, {}), given, is_whole))
  found_names = names
  return inputs.csv()
end

--- Reads records that need their schema, if columns are named: a schema is read when its records are.
local function of_schema(parser)
  if args.columns then
    found_names = named_columns()
    return parser()
  end
  say("the schema has the columns: give %s--columns a,b.c%s",
    (args.registry or args.schema) and "" or "--registry http://HOST:8081 ",
    args.format and "" or ", and for Protocol Buffers --format protobuf")
  return {}
end

--- Reads messages that begin with a schema's number.
local function avro()
  local schema = topics.schema(lines)
  say("%s: avro%s", shown, schema and (", framed as by a Schema Registry (schema %d)"):format(schema) or "")
  return of_schema(inputs.avro)
end

local function binary()
  say("%s: binary messages of an unknown format", shown)
  return {}
end

local function empty()
  say("%s: the topic has no messages to read", shown)
  return {}
end

--- Returns the twelve months that end with this one, in the form of --set time_year.
local function last_months()
  local year, month = tonumber(os.date("!%Y")), tonumber(os.date("!%m"))
  return month == 12 and ("%d-01"):format(year) or ("%d-%02d"):format(year - 1, month + 1)
end

--- Reads the lines of a log.
local function log()
  local known = logs.of[format]
  say("%s: log of format %s", shown, format)
  local outlier = "outlier=" .. known.outlier
  local by_time = { "format=" .. format, outlier, "time=time", "time_parts=weekday,hour" }
  if format == "syslog" then by_time[#by_time + 1] = "time_year=" .. last_months() end -- its times have no year
  propose { commands.on_data("explain", { "format=" .. format, outlier, "attributes=" .. table.concat(known.attributes, ",") }),
    known.time and commands.on_data("explain", by_time) }
  return logs.parser(format)
end

--- Returns names of a head of W3C with "datetime" in place of "date" and "time".
local function with_datetime(names)
  local list, has = {}, 0
  for _, name in ipairs(names) do
    if name == "date" or name == "time" then has = has + 1 else list[#list + 1] = name end
  end
  return has == 2 and { "datetime", table.unpack(list) } or names
end

--- Reads a log with columns of many kinds, which are asked about as those of CSV are.
local function of_fields()
  local head, names = nil, nil
  if logs.is_headed(format) then
    head, names = logs.head_of(lines, format)
    if not names and not args.columns then
      error(("no line %s is above its records: keep the head of the file, or read it with --delimiter and --columns"):format(
        format == "w3c" and "#Fields:" or "#fields"), 0)
    end
    if format == "w3c" and names then names = with_datetime(names) end
  end
  local seen = look_at_named(function(some)
    local found = logs.values(format, some, head, names)
    return function(k) return found[k] end
  end)
  say("%s: log of format %s%s", shown, format, head and ", whose head names its columns" or "")
  local given = { "format=" .. format }
  commands.carry(given, named_settings)
  propose(questions(seen, given, is_whole))
  found_names = named_columns() or names or { "log_time" }
  return logs.parser(format, args.columns or names)
end

--- Reads messages of Protocol Buffers, which --set format names.
local function protobuf()
  say("%s: messages of Protocol Buffers", shown)
  return of_schema(inputs.protobuf)
end

local formats = {
  avro = avro,
  protobuf = protobuf,
  binary = binary,
  empty = empty,
  pattern = function() return inputs.csv() end,
  blanks = of_blanks,
  stamped = stamped,
  csv = of_csv,
  json = json,
  otlp = json,
  logfmt = logfmt,
  lines = function()
    say("%s: lines of text", shown)
    local extension = not args.brokers and inputs.extension(args.data)
    propose { commands.on_data("pairs", (extension == "csv" or inputs.json_extensions[extension]) and { "format=lines" } or {}) }
    return { leat.parse.lines {} }
  end,
  libsvm = function() return examples(leat.parse.libsvm) end,
  vw = function() return examples(leat.parse.vw) end,
  libffm = function() return examples(leat.parse.libffm) end,
}
for name, known in pairs(logs.of) do formats[name] = known.outlier and log or of_fields end
if not formats[format] then
  error(("format is %s: give csv, json, otlp, avro, protobuf, logfmt, lines, libsvm, vw, libffm, or a log (%s)%s"):format(
    format, logs.names, logs.meant(format)), 0)
end
if args.brokers then say("%s: the first %d messages of each partition, from %s", shown, topics.limit, args.brokers) end
say_encoding()
local shape = formats[format]()
local has_columns = format ~= "libsvm" and format ~= "vw" and format ~= "libffm"

return leat.pipeline "peek" {
  args.brokers and topics.source(found_names) or inputs.records {}, shape,
  has_columns and leat.sink.profile { format = args.out, commands = commands.proposed } or {},
  dead_letters = args.dead_letters,
}
