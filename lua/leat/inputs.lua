--- leat.inputs: the source of records, as every pipeline here takes it from --set.
---
---   local inputs = require "leat.inputs"
---   return leat.pipeline "mine" { inputs.records(), inputs.rows(inputs.format(leat.args.data)), … }
---
--- data        file, glob or - (standard input), also gz, bz2, xz, zst
--- brokers     read a Kafka topic instead: host:port, comma separated
--- topic       the topic, or several, comma separated
--- group       consumer group: shares the partitions with others, and continues where it stopped
--- start       where to begin without a stored offset: earliest (the default), latest, committed,
---             a time (2026-11-20T12:00:00Z), a time ago (-6h), timestamp (with timestamp=MS), offset (with offsets=TOPIC/0=1200,TOPIC/1=1187)
--- until       end: stop when all partitions have been read to their ends
--- state_topic keep the state of each partition in this topic, so that it moves with its partition from
---             process to process
--- missing     begin: partitions with an offset of the group and no state begin there, with an empty model
--- expired     begin: where messages were deleted before they were read, continue at the first that is left
--- properties  of librdkafka, comma separated, such as security.protocol=ssl; ${env:NAME} and ${file:PATH}
---             stand for secrets
--- view        no records: show the merged models of all processes with this state_topic
--- format      csv; json: an object a record (leat.parse.json), unless given where the names of the files end in .json,
---             .jsonl or .ndjson, also before .gz, .bz2, …; avro: messages whose schemas are in a registry or in
---             files (leat.parse.avro); logfmt: lines of key=value; or a log: common or combined (access logs), syslog, syslog5424 (leat.parse.regex)
--- pattern     … or a regular expression, whose named groups are columns: '(?<host>\S+) (?<ms>\d+)'
--- columns     csv without a heading, such as messages: names of the columns, comma separated.
---             json, avro, logfmt: paths of the columns, "path" or "name=path"; unless given, those that the pipeline names
--- schema, schemas, registry, registry_login, registry_ca, prefix
---             avro: see leat.parse.avro
--- header      csv: true with columns: there is a heading, too, and columns replaces it
--- delimiter, quote
---             csv: what separates fields (","; "\\t" is a tab), and the character around them ('"'; none: empty)
--- record_start
---             a regular expression: lines at which records of several lines begin (leat.source.file)
--- encoding    of files that are not UTF-8: latin-1, windows-1252, utf-16 (leat.source.file)
--- decimal, thousands
---             csv: how numbers are written ("1.188,02": decimal=, thousands=.), wherever one is read
--- missing_texts
---             csv: texts that mean no value, comma separated, as the empty one does: missing_texts=NA,-
--- numbers     csv: columns that hold nothing but numbers: other records are rejected
--- other       json, avro, logfmt: empty: a value of another type than the column's, such as an array, is no value; else
---             it rejects the record
--- extra, short
---             csv: extra=ignore takes rows with too many fields, short=fill those with too few
--- derive, filter
---             new columns, and a condition for the records to keep (lua/leat/conditions.lua)
--- time, time_format, time_zone, time_year, time_missing, time_parts, time_prefix
---             the event time of the records, and columns of its parts (lua/leat/times.lua)

local leat = require "leat"
local conditions = require "leat.conditions"
local logs = require "leat.logs"
local times = require "leat.times"
local args = leat.args

local inputs = {}

--- The sample data, for applications that get no other: a file, and its columns, for a topic made of it.
inputs.sample = {
  data = leat.dir .. "/data/senate-disbursements.csv.zst",
  columns = "report,office,line_type,page,document,date_posted,payee,start_date,end_date,description,amount",
}

--- The source: a topic when brokers are given, files otherwise. `also` replaces what --set says: data,
--- topic, and other parameters of source.file.
---@param also table?
function inputs.records(also)
  also = also or {}
  if args.view then
    if not args.brokers then error("view needs brokers: give --set brokers=HOST:PORT", 0) end
    return leat.source.models {
      args.view, brokers = args.brokers, group = args.group, ["until"] = args["until"], properties = args.properties,
    }
  end
  if args.brokers then
    local topic = also.topic or args.topic
    if not topic then error("brokers needs a topic: give --set topic=NAME", 0) end
    return leat.source.kafka {
      topics = topic,
      brokers = args.brokers,
      group = args.group,
      start = args.start or "earliest",
      timestamp = args.timestamp,
      offsets = args.offsets,
      ["until"] = args["until"],
      state = args.state_topic and "partition" or nil,
      state_topic = args.state_topic,
      missing = args.missing,
      expired = args.expired,
      properties = args.properties,
    }
  end
  return leat.source.file { path = also.data or args.data or "-", max_record = also.max_record, encoding = args.encoding,
    record_start = args.record_start }
end

--- The parser of a log; nil: neither format nor pattern say that it is one.
local function log()
  local format = args.format
  if args.pattern or logs.of[format] then return leat.parse.regex { pattern = args.pattern, format = format } end
  if format and format ~= "csv" then
    error(("format is %s: give csv, json, avro, logfmt, common, combined, syslog or syslog5424, or a pattern%s"):format(format, logs.meant(format)), 0)
  end
end

--- Times, new columns, and a filter. Times come first, so that the others can use their parts, unless the column with
--- the time is a new one itself.
local function made()
  local stages = { times.stage(), conditions.records() }
  for _, name in ipairs(conditions.derived()) do
    if name == args.time then return { stages[2], stages[1] } end
  end
  return stages
end

--- The texts that mean no value; nil: the empty one alone.
local function missing_texts()
  return args.missing_texts and { "", table.unpack(leat.list(args.missing_texts)) } or nil
end

--- The columns of --set numbers that parse.csv reads: not those that are made later.
local function parsed_numbers()
  local made, list = {}, {}
  for _, names in ipairs { conditions.derived(), times.parts() } do
    for _, name in ipairs(names) do made[name] = true end
  end
  for _, name in ipairs(leat.list(args.numbers or "")) do list[#list + 1] = not made[name] and name or nil end
  return #list > 0 and list or nil
end

--- Parameters of a parser with those of `more` in place of theirs.
local function with(given, more)
  for key, value in pairs(more or {}) do given[key] = value end
  return given
end

--- A parser of CSV, with a heading in files, with `columns` otherwise, or of a log; new columns, and a filter.
---@param more table?
function inputs.csv(more)
  local parser = log()
  if parser then return { parser, made() } end
  local given = with({ columns = args.columns, delimiter = args.delimiter, quote = args.quote, decimal = args.decimal,
    thousands = args.thousands, numbers = parsed_numbers(), missing = missing_texts(),
    extra = args.extra, short = args.short }, more)
  if args.brokers and not given.columns then
    error("messages have no heading: give the names of their columns by --set columns=a,b,c", 0)
  end
  if not given.columns and not leat.flag(args, "header", true) then
    error("header=" .. args.header .. " needs names: give the names of the columns by --set columns=a,b,c", 0)
  end
  given.header = args.header or given.header or not given.columns
  return { leat.parse.csv(given), made() }
end

--- A parser of JSON, one object a record; new columns, and a filter.
---@param more table?
function inputs.json(more)
  return { leat.parse.json(with({ columns = args.columns, other = args.other }, more)), made() }
end

--- A parser of Avro records; new columns, and a filter.
---@param more table?
function inputs.avro(more)
  local given = { columns = args.columns, other = args.other }
  for _, key in ipairs { "schema", "schemas", "registry", "registry_login", "registry_ca", "prefix" } do
    given[key] = args[key]
  end
  return { leat.parse.avro(with(given, more)), made() }
end

--- A parser of logfmt, key=value pairs; new columns, and a filter.
---@param more table?
function inputs.logfmt(more)
  return { leat.parse.logfmt(with({ columns = args.columns, other = args.other }, more)), made() }
end

--- Formats whose records name their values: their columns need no names before them.
inputs.named = { json = inputs.json, avro = inputs.avro, logfmt = inputs.logfmt }

local compressed = { gz = true, bz2 = true, xz = true, zst = true, lz4 = true }

--- The extension that all files have, in lower case and without that of their compression; nil: none, or several.
function inputs.extension(data)
  local common
  for _, path in ipairs(leat.list(data)) do
    local stem, last = path:match("^(.*)%.(%w+)$")
    if compressed[last] then last = stem:match("%.(%w+)$") end
    if not last or (common and common ~= last:lower()) then return nil end
    common = last:lower()
  end
  return common
end

--- Names of JSON Lines: of its files .json is the least exact, as it may be one object of many lines.
inputs.json_extensions = { json = true, jsonl = true, ndjson = true }

--- What --set format says, or json where the names of the files do; nil: nothing does.
---@param data string?
---@return string?
function inputs.format(data)
  if args.format then return args.format end
  local last = not args.brokers and data and inputs.extension(data)
  if not inputs.json_extensions[last] then return nil end
  leat.info(("format = json, as the data ends in .%s"):format(last))
  return "json"
end

local LOOK = 1 << 16 -- bytes of the first lines

--- The same; and where nothing says so, what the first lines of a file look like: a log, JSON or logfmt. It is then
--- args.format.
---@param data string?
---@return string?
function inputs.format_or_look(data)
  local format = inputs.format(data)
  if format or args.brokers or args.pattern or args.columns or args.delimiter or not data or inputs.extension(data) == "csv" then
    return format
  end
  local lines = {}
  for line in (leat.beginning(data, LOOK, args.encoding) or ""):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  args.format = #lines > 0 and logs.format_of(lines) or nil
  if args.format then leat.info(("format = %s, as the first lines of the data are"):format(args.format)) end
  return args.format
end

--- A parser of records with named columns, in a format as inputs.format gives it.
---@param format string?
---@param more table?
function inputs.rows(format, more)
  return (inputs.named[format] or inputs.csv)(more)
end

return inputs
