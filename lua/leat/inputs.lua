--- leat.inputs: the source of records of every pipeline here, with settings from --set.
---
---   local inputs = require "leat.inputs"
---   return leat.pipeline "mine" { inputs.records(), inputs.rows(inputs.format(leat.args.data)), … }
---
--- `leat help explain` lists the settings.

local leat = require "leat"
local conditions = require "leat.conditions"
local fix = require "leat.fix"
local logs = require "leat.logs"
local streams = require "leat.streams"
local times = require "leat.times"
local later = require "leat.later"
local sampled = later "leat.sampled"
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
  { "format", value = "FORMAT", usual = "from the name of the file", help = "csv; json: an object a record; otlp: OpenTelemetry; avro, cbor, msgpack; protobuf; logfmt; or a log: " .. logs.names },
  { "pattern", value = "REGEX", help = "… or a regular expression, whose named groups are columns: '(?<host>\\S+) (?<ms>\\d+)'" },
  { "columns", value = "A,B", help = "csv without a heading: names of the columns; json, avro, protobuf, logfmt: paths, \"path\" or \"name=path\"" },
  { "header", type = "boolean", usual = "true without columns", help = "csv: with columns: the files have a heading, too, which columns replaces" },
  { "delimiter", value = "TEXT", usual = "a comma, or what the heading shows", help = "csv: the text between fields; \\t is a tab" },
  { "quote", value = "CHARACTER", usual = '"; between tabs none, unless the lines have it', help = "csv: the character around fields; empty for none" },
  { "escapes", value = "none", usual = "backslash between tabs without quotes", help = "csv: backslash or none: whether it begins an escape, such as \\t, or \\\" in quotes" },
  { "record_start", value = "REGEX", help = "lines at which records of several lines begin" },
  { "shuffle", type = "boolean", help = "the records of plain files in a random order, which `seed` decides" },
  { "decode_window", value = "SIZE", usual = "8MB, for files up to 128MB", help = "most bytes of a window of compressed data, Avro, CBOR, MessagePack or Arrow; a message says how many are needed" },
  { "encoding", value = "ENCODING", usual = "utf-8", help = "latin-1, windows-1252, utf-16, …" },
  { "decimal", value = "TEXT", usual = ".", help = "csv: the decimal point of numbers" },
  { "thousands", value = "TEXT", help = "csv: the text between thousands in numbers" },
  { "missing_texts", value = "A,B", usual = "NA, - and the like in columns of numbers", help = "csv: texts that mean no value (the empty text always does)" },
  { "numbers", value = "A,B", help = "csv: columns that hold only numbers: other records are rejected" },
  { "other", value = "empty", help = "json, avro, protobuf, logfmt: empty: a value of another type than the column's is no value; otherwise it rejects the record" },
  { "extra", value = "ignore", help = "csv: ignore: takes rows with too many fields" },
  { "short", value = "fill", help = "csv: fill: takes rows with too few fields" },
}

local topics = {
  title = "a Kafka topic (or kafka://HOST:PORT/TOPIC in place of a file)",
  { "brokers", value = "HOST:PORT", help = "reads a topic of these brokers instead of files" },
  { "topic", value = "TOPIC[,TOPIC]", help = "the topic, or several, comma separated" },
  { "source", value = "NAME", usual = "kafka", help = "the stage source.NAME reads the topic: one of a plugin, as in NAME://HOST:PORT/TOPIC" },
  { "group", value = "GROUP", help = "consumer group: shares the partitions with others, and continues where it stopped" },
  { "instance", value = "NAME", usual = "auto", help = "name of this member of the group, which gets its partitions back at once after a crash; or none" },
  { "start", value = "WHERE", usual = "earliest", help = "without a stored offset: earliest, latest, committed, a time (2026-11-20T12:00:00Z), "
    .. "a time ago (-6h), or for each partition: 0=1200,1=latest" },
  { "until", value = "WHERE", help = "stops when all partitions have been read to this place: end (where they end at the start), "
    .. "a time, a time ago, or 0=1200,1=end" },
  { "state_topic", value = "TOPIC", help = "stores the state of each partition in this topic, so that it moves with its partition" },
  { "begin", value = "FILE", help = "with state_topic: a new group goes on from this model (leat model merge)" },
  { "partitions_max", value = "N", usual = "as many as there are", help = "with state_topic: most partitions of this process; more end the run" },
  { "missing", value = "begin", help = "begin: partitions with an offset and no state begin there, with an empty model" },
  { "expired", value = "begin", help = "begin: where messages were deleted before they were read, continues at the first remaining one" },
  { "properties", value = "A=TEXT,B=TEXT", help = "of librdkafka: security.protocol=ssl; ${env:NAME} and ${file:PATH} stand for secrets" },
  { "view", value = "TOPIC", help = "no records: shows the merged models of all processes with this state_topic" },
  { "save", value = "DIR", help = "with view: stores each partition's model in a file of this folder, for leat model merge" },
  { "schema", value = "FILE", help = "avro, protobuf: the schema of all records (`leat plugins parse.avro`)" },
  { "message", value = "NAME", help = "protobuf: the type of all messages, with its package" },
  { "schemas", value = "DIR", help = "avro: a folder with the schemas, by their numbers" },
  { "registry", value = "URL", help = "avro, protobuf: a registry of schemas" },
  { "registry_login", value = "LOGIN", help = "avro, protobuf: name and password for the registry" },
  { "registry_ca", value = "FILE", help = "avro, protobuf: the certificate that the registry's must be signed by" },
  { "framing", value = "WORD", help = "avro, protobuf: none: no record names its schema; also json: glue: AWS Glue has compressed some" },
}

--- Declarations for leat.arguments: all settings of records.
inputs.arguments = { records, conditions.arguments, times.arguments, topics, fix.arguments }

--- Sample data for pipelines that get no data: a file, and the columns of a topic that is made of the file.
inputs.sample = {
  data = leat.dir .. "/data/senate-disbursements.csv.zst",
  columns = "report,office,line_type,page,document,date_posted,payee,start_date,end_date,description,amount",
}

--- Formats of binary records, which are read as JSON.
inputs.items = { cbor = "cbor", msgpack = "msgpack" }

--- Returns the source: a topic if --set brokers is given, files otherwise. `also` overrides --set: data, topic, and
--- other parameters of source.file.
---@param also table?
function inputs.records(also)
  also = also or {}
  if args.view then
    if not args.brokers then error("view needs brokers: give --set brokers=HOST:PORT", 0) end
    return leat.source.models {
      args.view, brokers = args.brokers, group = args.group, ["until"] = args["until"], properties = args.properties,
      partitions_max = args.partitions_max, save = args.save,
    }
  end
  if args.brokers then
    local topic = also.topic or args.topic
    if not topic then error("brokers needs a topic: give --set topic=NAME", 0) end
    return streams.source(topic, {
      group = args.group,
      instance = args.instance,
      start = args.start,
      ["until"] = args["until"],
      state = args.state_topic and "partition" or nil,
      state_topic = args.state_topic,
      begin = args.begin,
      partitions_max = args.partitions_max,
      missing = args.missing,
      expired = args.expired,
      properties = args.properties,
    }, { start = "earliest" })
  end
  files = also.data or args.data
  return leat.source.file { path = also.data or args.data or "-", max_record = also.max_record, encoding = args.encoding,
    format = inputs.items[args.format], record_start = args.record_start, shuffle = args.shuffle,
    window = args.decode_window }
end

--- Returns the parser of a log; nil if neither format nor pattern names one.
local function log()
  local format = args.format
  if args.pattern then return leat.parse.regex { pattern = args.pattern, format = format } end
  if logs.of[format] then
    if args.shuffle and (format == "zeek" or format == "w3c") then
      error(("shuffle takes records away from their head, which format=%s needs: leave it out"):format(format), 0)
    end
    return logs.parser(format, args.columns)
  end
  if format and format ~= "csv" then
    error(("format is %s: give csv, json, otlp, avro, cbor, msgpack, protobuf, logfmt, a log (%s), or a pattern%s"):format(
      format, logs.names, logs.meant(format)), 0)
  end
end

--- Fails if --set format is none that is known.
function inputs.check_format()
  if not inputs.named[args.format] then log() end
end

--- Sets the format of the times that --set time names, if values of files show one: seconds or milliseconds since 1970,
--- 19970101, 31.12.2024. `form` is csv, json or logfmt.
local function find_time_format(form)
  if args.brokers or not files then return end
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
  if form and args.time and not args.time_format and not args.view then
    fix.choice("time_format", { time = args.time }, function() find_time_format(form) end)
  end
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
  local found = is_known and {} or fix.choice("form", { delimiter = args.delimiter, quote = args.quote, missing_texts = args.missing_texts },
    function() return sampled.settings(files, more and more.delimiter) end)
  local given = with({ columns = args.columns, delimiter = args.delimiter or found.delimiter, quote = args.quote or found.quote,
    escapes = args.escapes, decimal = args.decimal,
    thousands = args.thousands, numbers = parsed_numbers(), missing = missing_texts(found),
    texts = not args.missing_texts and found.texts or nil,
    extra = args.extra, short = args.short }, more)
  local is_tab = given.delimiter == "\t" or given.delimiter == "\\t"
  if is_tab and not given.quote then given.quote = "" end -- as in leat.parse.tsv
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
  local format = args.brokers and inputs.items[args.format] or nil -- of files leat.source.file makes JSON
  return { leat.parse.json(with({ columns = args.columns, other = args.other, format = format, framing = args.framing }, more)), made("json") }
end

--- Returns parsers of OpenTelemetry's JSON, followed by new columns and a filter. Each log record, span and data point is
--- a record.
---@param more table?
function inputs.otlp(more) return { leat.parse.elements { format = "otlp" }, inputs.json(more) } end

--- Returns the parameters of a parser whose records name a schema.
local function of_schema(more, also)
  refuse_forms()
  local given = { columns = args.columns, other = args.other, [also] = args[also] }
  for _, key in ipairs { "schema", "registry", "registry_login", "registry_ca", "framing" } do
    given[key] = args[key]
  end
  return with(given, more)
end

--- Returns a parser of Avro records, followed by new columns and a filter.
---@param more table?
function inputs.avro(more) return { leat.parse.avro(of_schema(more, "schemas")), made() } end

--- Returns a parser of messages of Protocol Buffers, followed by new columns and a filter.
---@param more table?
function inputs.protobuf(more) return { leat.parse.protobuf(of_schema(more, "message")), made() } end

--- Returns a parser of logfmt, key=value pairs, followed by new columns and a filter.
---@param more table?
function inputs.logfmt(more)
  refuse_forms()
  return { leat.parse.logfmt(with({ columns = args.columns, other = args.other }, more)), made("logfmt") }
end

--- Formats whose records name their values, so that columns need no names in advance.
inputs.named = { json = inputs.json, otlp = inputs.otlp, avro = inputs.avro, protobuf = inputs.protobuf, logfmt = inputs.logfmt,
  cbor = inputs.json, msgpack = inputs.json }

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

--- Extensions of JSON Lines, and of files that leat.source.file reads as JSON Lines. A .json file may also be one object
--- of many lines.
inputs.json_extensions = { json = true, jsonl = true, ndjson = true, avro = true, cbor = true, msgpack = true,
  arrow = true, arrows = true, feather = true, ipc = true, parquet = true }

--- What is read as JSON Lines though it is none: by a pattern of the first bytes of a file, or by its extension.
local containers = { { "Avro", "Obj\1", "avro" }, { "CBOR", "\xd9\xd9\xf7", "cbor" }, { "MessagePack", nil, "msgpack" },
  { "Arrow", "ARROW1\0\0" }, { "Arrow", "\xff\xff\xff\xff" }, { "Parquet", "PAR1.?.?.?[\0-\8\14-\31]" } }

--- Returns the name of the container or sequence whose records are read as JSON Lines; nil if the data are text.
---@param data string
---@return string?
function inputs.container(data)
  local file = io.open(leat.list(data)[1] or data, "rb")
  local first = file and file:read(16) or ""
  if file then file:close() end
  for _, one in ipairs(containers) do
    local name, magic, extension = table.unpack(one, 1, 3)
    if (magic and first:find("^" .. magic)) or (extension and inputs.extension(data) == extension) then return name end
  end
end

local LOOK = 1 << 16 -- bytes of the first lines

--- Returns json, or otlp if the text is OpenTelemetry's, if the files have an extension of JSON; nil otherwise.
local function of_extension(data)
  if not inputs.json_extensions[data and inputs.extension(data)] then return nil end
  local text, _, first = leat.beginning(data, LOOK, args.encoding)
  local format = (text or first or ""):find(logs.OTLP) and "otlp" or "json"
  leat.info(("format = %s, because the name of the data ends in .%s"):format(format, inputs.extension(data)))
  return format
end

--- Returns the format that a file's first lines look like (a log, JSON or logfmt), and stores it in args.format; nil if
--- they look like none.
local function of_lines(data)
  local lines, text = {}, leat.beginning(data, LOOK, args.encoding) or ""
  for line in (text:match("^.*\n") or ""):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  args.format = #lines > 0 and logs.format_of(lines) or nil
  if args.format then leat.info(("format = %s, found from the first lines of the data"):format(args.format)) end
  return args.format
end

--- Returns --set format, or the format that the files' names show; nil if they show none.
---@param data string?
---@return string?
function inputs.format(data)
  if args.format or args.brokers then return args.format end
  return fix.choice("format", {}, function() return of_extension(data) end)
end

--- Returns the format by name. Otherwise returns the format that the first lines show.
---@param data string?
---@return string?
function inputs.format_or_look(data)
  if args.format or args.brokers then return args.format end
  return fix.choice("format", {}, function()
    local format = of_extension(data)
    local is_plain = format or args.pattern or args.columns or args.delimiter or not data or inputs.extension(data) == "csv"
    if is_plain then return format end
    return of_lines(data)
  end)
end

--- Returns a parser of records with named columns, for a format of inputs.format.
---@param format string?
---@param more table?
function inputs.rows(format, more)
  return (inputs.named[format] or inputs.csv)(more)
end

return inputs
