--- leat.inputs: the source of records of every pipeline here, with settings from --set.
---
---   local inputs = require "leat.inputs"
---   return leat.pipeline "mine" { inputs.records(), inputs.rows(inputs.format(leat.args.data)), … }
---
--- `leat help explain` lists the settings.

local leat = require "leat"
local conditions = require "leat.conditions"
local logs = require "leat.logs"
local sampled = require "leat.sampled"
local streams = require "leat.streams"
local times = require "leat.times"
local args = leat.args

local inputs = {}

--- Makes a name with a comma one item of a list of files, if there is such a file.
local function quote_name()
  local file = args.data and args.data:find(",", 1, true) and io.open(args.data)
  if not file then return end
  file:close()
  args.data = ('"%s"'):format(args.data:gsub('"', '""'))
end
quote_name()

local files = args.data -- of the latest source

local records = {
  title = "records",
  { "data", value = "FILES", operand = "all", help = "files, a pattern or - (standard input), also gz, bz2, xz, zst, lz4" },
  { "format", value = "FORMAT", usual = "from the name of the file", help = "csv; json: an object a record; avro; logfmt; or a log: common, combined, "
    .. "syslog, syslog5424" },
  { "pattern", value = "REGEX", help = "… or a regular expression, whose named groups are columns: '(?<host>\\S+) (?<ms>\\d+)'" },
  { "columns", value = "A,B", help = "csv without a heading: names of the columns; json, avro, logfmt: paths, \"path\" or \"name=path\"" },
  { "header", type = "boolean", usual = "true without columns", help = "csv: with columns: the files have a heading, too, which columns replaces" },
  { "delimiter", value = "TEXT", usual = "a comma, or what the heading shows", help = "csv: the text between fields; \\t is a tab" },
  { "quote", value = "CHARACTER", usual = '"', help = "csv: the character around fields; empty for none" },
  { "record_start", value = "REGEX", help = "lines at which records of several lines begin" },
  { "shuffle", type = "boolean", help = "the records of plain files in a random order, which `seed` decides" },
  { "encoding", value = "ENCODING", usual = "utf-8", help = "latin-1, windows-1252, utf-16, …" },
  { "decimal", value = "TEXT", usual = ".", help = "csv: the decimal point of numbers" },
  { "thousands", value = "TEXT", help = "csv: the text between thousands in numbers" },
  { "missing_texts", value = "A,B", usual = "NA, - and the like in columns of numbers", help = "csv: texts that mean no value (the empty text always does)" },
  { "numbers", value = "A,B", help = "csv: columns that hold only numbers: other records are rejected" },
  { "other", value = "empty", help = "json, avro, logfmt: empty: a value of another type than the column's is no value; otherwise it rejects the record" },
  { "extra", value = "ignore", help = "csv: ignore: takes rows with too many fields" },
  { "short", value = "fill", help = "csv: fill: takes rows with too few fields" },
}

local topics = {
  title = "a Kafka topic (or kafka://HOST:PORT/TOPIC in place of a file)",
  { "brokers", value = "HOST:PORT", help = "reads a topic of these brokers instead of files" },
  { "topic", value = "TOPIC", help = "the topic, or several, comma separated" },
  { "source", value = "NAME", usual = "kafka", help = "the stage source.NAME reads the topic: one of a plugin, as in NAME://HOST:PORT/TOPIC" },
  { "group", value = "GROUP", help = "consumer group: shares the partitions with others, and continues where it stopped" },
  { "start", value = "WHERE", usual = "earliest", help = "without a stored offset: earliest, latest, committed, a time (2026-11-20T12:00:00Z), "
    .. "a time ago (-6h), timestamp or offset" },
  { "timestamp", value = "MS", help = "for start=timestamp: milliseconds since 1970" },
  { "offsets", value = "A=N,B=N", help = "for start=offset: TOPIC/0=1200,TOPIC/1=1187" },
  { "until", value = "end", help = "end: stops when all partitions have been read to their ends" },
  { "state_topic", value = "TOPIC", help = "stores the state of each partition in this topic, so that it moves with its partition" },
  { "missing", value = "begin", help = "begin: partitions with an offset and no state begin there, with an empty model" },
  { "expired", value = "begin", help = "begin: where messages were deleted before they were read, continues at the first remaining one" },
  { "properties", value = "A=TEXT,B=TEXT", help = "of librdkafka: security.protocol=ssl; ${env:NAME} and ${file:PATH} stand for secrets" },
  { "view", value = "TOPIC", help = "no records: shows the merged models of all processes with this state_topic" },
  { "schema", value = "FILE", help = "avro: the schema of all records (`leat plugins parse.avro`)" },
  { "schemas", value = "DIR", help = "avro: a folder with the schemas, by their numbers" },
  { "registry", value = "URL", help = "avro: a registry of schemas" },
  { "registry_login", value = "LOGIN", help = "avro: name and password for the registry" },
  { "registry_ca", value = "FILE", help = "avro: the certificate that the registry's must be signed by" },
  { "prefix", value = "none", help = "avro: none: no record begins with the number of its schema" },
}

--- Declarations for leat.arguments: all settings of records.
inputs.arguments = { records, conditions.arguments, times.arguments, topics }

--- Sample data for pipelines that get no data: a file, and the columns of a topic that is made of the file.
inputs.sample = {
  data = leat.dir .. "/data/senate-disbursements.csv.zst",
  columns = "report,office,line_type,page,document,date_posted,payee,start_date,end_date,description,amount",
}

--- Returns the source: a topic if --set brokers is given, files otherwise. `also` overrides --set: data, topic, and
--- other parameters of source.file.
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
    return streams.source(topic, {
      group = args.group,
      start = args.start,
      timestamp = args.timestamp,
      offsets = args.offsets,
      ["until"] = args["until"],
      state = args.state_topic and "partition" or nil,
      state_topic = args.state_topic,
      missing = args.missing,
      expired = args.expired,
      properties = args.properties,
    }, { start = "earliest" })
  end
  files = also.data or args.data
  return leat.source.file { path = also.data or args.data or "-", max_record = also.max_record, encoding = args.encoding,
    record_start = args.record_start, shuffle = args.shuffle }
end

--- Returns the parser of a log; nil if neither format nor pattern names one.
local function log()
  local format = args.format
  if args.pattern or logs.of[format] then return leat.parse.regex { pattern = args.pattern, format = format } end
  if format and format ~= "csv" then
    error(("format is %s: give csv, json, avro, logfmt, common, combined, syslog or syslog5424, or a pattern%s"):format(format, logs.meant(format)), 0)
  end
end

--- Fails if --set format is none that is known.
function inputs.check_format()
  if not inputs.named[args.format] then log() end
end

--- Sets the format of the times that --set time names, if values of files show one: seconds or milliseconds since 1970,
--- 19970101, 31.12.2024. `form` is csv, json or logfmt.
local function find_time_format(form)
  if not args.time or args.time_format or args.brokers or args.view or not files then return end
  local look = (form == "csv" and sampled.csv or sampled.named)(files, form)
  for i, name in ipairs(look and look.names or {}) do
    local format = name == args.time and look.seen[i].time_format or "iso8601"
    if format ~= "iso8601" then
      args.time_format = format
      sampled.say(("time_format = %s, found in the values of %s"):format(format, name))
    end
  end
end

--- Returns the stages of times, new columns and a filter. Times come first, so that the other stages can use the parts
--- of times. Times come last if the column with the time is itself new. `form`: see find_time_format.
local function made(form)
  if form then find_time_format(form) end
  local stages = { times.stage(), conditions.records() }
  for _, name in ipairs(conditions.derived()) do
    if name == args.time then return { stages[2], stages[1] } end
  end
  return stages
end

--- Returns the texts that mean no value, of --set or of the files; nil if only the empty text means no value.
local function missing_texts(found)
  local texts = args.missing_texts and leat.list(args.missing_texts) or found.missing_texts
  return texts and { "", table.unpack(texts) } or nil
end

--- Returns the columns of --set numbers that parse.csv reads, without derived ones.
local function parsed_numbers()
  local made, list = {}, {}
  for _, names in ipairs { conditions.derived(), times.parts() } do
    for _, name in ipairs(names) do made[name] = true end
  end
  for _, name in ipairs(leat.list(args.numbers or "")) do list[#list + 1] = not made[name] and name or nil end
  return #list > 0 and list or nil
end

--- Returns a parser's parameters, overridden by `more`.
local function with(given, more)
  for key, value in pairs(more or {}) do given[key] = value end
  return given
end

--- Returns a parser of CSV, or of a log, followed by new columns and a filter. Files have a heading; without one,
--- `columns` names the columns.
--- If is_known, the files are not looked at, because `more` has what they need.
---@param more table?
---@param is_known boolean?
function inputs.csv(more, is_known)
  local parser = log()
  if parser then return { parser, made() } end
  local found = is_known and {} or sampled.settings(files)
  local given = with({ columns = args.columns, delimiter = args.delimiter or found.delimiter, quote = args.quote, decimal = args.decimal,
    thousands = args.thousands, numbers = parsed_numbers(), missing = missing_texts(found),
    texts = not args.missing_texts and found.texts or nil,
    extra = args.extra, short = args.short }, more)
  if args.brokers and not given.columns then
    error("messages have no heading: give the names of their columns by --set columns=a,b,c", 0)
  end
  if not given.columns and not leat.flag(args, "header", true) then
    error("header=" .. args.header .. " needs names: give the names of the columns by --set columns=a,b,c", 0)
  end
  given.header = args.header or given.header or not given.columns
  return { leat.parse.csv(given), made(not is_known and "csv" or nil) }
end

--- Refuses settings of texts that are numbers, which a format with numbers of its own does not read.
local function refuse_forms()
  for _, name in ipairs { "decimal", "thousands" } do
    if args[name] then error(("%s is the form of numbers in csv; this format has its own: leave it out"):format(name), 0) end
  end
end

--- Returns a parser of JSON, one object a record, followed by new columns and a filter.
---@param more table?
function inputs.json(more)
  refuse_forms()
  return { leat.parse.json(with({ columns = args.columns, other = args.other }, more)), made("json") }
end

--- Returns a parser of Avro records, followed by new columns and a filter.
---@param more table?
function inputs.avro(more)
  refuse_forms()
  local given = { columns = args.columns, other = args.other }
  for _, key in ipairs { "schema", "schemas", "registry", "registry_login", "registry_ca", "prefix" } do
    given[key] = args[key]
  end
  return { leat.parse.avro(with(given, more)), made() }
end

--- Returns a parser of logfmt, key=value pairs, followed by new columns and a filter.
---@param more table?
function inputs.logfmt(more)
  refuse_forms()
  return { leat.parse.logfmt(with({ columns = args.columns, other = args.other }, more)), made("logfmt") }
end

--- Formats whose records name their values, so that columns need no names in advance.
inputs.named = { json = inputs.json, avro = inputs.avro, logfmt = inputs.logfmt }

local compressed = { gz = true, bz2 = true, xz = true, zst = true, lz4 = true }

--- Returns the common extension of all files, in lower case, without that of compression; nil if there is none, or
--- several.
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

--- Extensions of JSON Lines. A .json file may also be one object of many lines.
inputs.json_extensions = { json = true, jsonl = true, ndjson = true }

--- Returns --set format, or json if the files have an extension of JSON; nil otherwise.
---@param data string?
---@return string?
function inputs.format(data)
  if args.format then return args.format end
  local last = not args.brokers and data and inputs.extension(data)
  if not inputs.json_extensions[last] then return nil end
  leat.info(("format = json, because the name of the data ends in .%s"):format(last))
  return "json"
end

local LOOK = 1 << 16 -- bytes of the first lines

--- Returns the format by name. Otherwise returns the format that a file's first lines look like (a log, JSON or
--- logfmt), and stores it in args.format.
---@param data string?
---@return string?
function inputs.format_or_look(data)
  local format = inputs.format(data)
  if format or args.brokers or args.pattern or args.columns or args.delimiter or not data or inputs.extension(data) == "csv" then
    return format
  end
  local lines, text = {}, leat.beginning(data, LOOK, args.encoding) or ""
  for line in (text:match("^.*\n") or ""):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  args.format = #lines > 0 and logs.format_of(lines) or nil
  if args.format then leat.info(("format = %s, found from the first lines of the data"):format(args.format)) end
  return args.format
end

--- Returns a parser of records with named columns, for a format of inputs.format.
---@param format string?
---@param more table?
function inputs.rows(format, more)
  return (inputs.named[format] or inputs.csv)(more)
end

return inputs
