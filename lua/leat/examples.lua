--- leat.examples: from records to labelled examples, with settings from --set.
---
---   local examples = require "leat.examples"
---   return leat.pipeline "mine" { inputs.records(), examples.parse(leat.args), … }
---
--- `leat help classify` lists the settings. In libsvm a line is "label index:value …"; in libffm "label
--- field:index:value …"; in vw it is Vowpal Wabbit's text. A log, or lines of a pattern, has columns, like csv.

local leat = require "leat"
local attributes = require "leat.attributes"
local conditions = require "leat.conditions"
local fix = require "leat.fix"
local inputs = require "leat.inputs"
local line_format = require "leat.line_format"
local logs = require "leat.logs"
local sampled = require "leat.sampled"
local times = require "leat.times"
local elements = require "leat.elements"

local examples = {}

--- Declarations for leat.arguments.
examples.arguments = {
  title = "examples",
  { "format", value = "FORMAT", usual = "from the name of the file, or its first lines",
    help = "libsvm, vw, libffm, csv, json, otlp, avro, cbor, msgpack, protobuf, logfmt, text (a label, a tab, a text), or a log: " .. logs.names },
  { "attributes", value = "A,B", usual = "with numbers: chosen from all of a file, as *", help = "columns whose texts are features. Of tags[*] each "
    .. "element is a feature" },
  { "numbers", value = "A,B", usual = "with attributes: chosen from all of a file", help = "columns that are numeric features; an empty cell counts as 0" },
  { "cross", type = "integer", help = "2 or 3: conjunctions as well" },
  { "names", type = "boolean", help = "libsvm: features may have names" },
  { "keep", value = "A,B", help = "vw: the namespaces to take …" },
  { "ignore", value = "A,B", help = "… or to leave out" },
  { "rule", value = "RULE", usual = "words", help = "text: how to cut it into words" },
  { "lower", type = "boolean", usual = "true", help = "text: false preserves upper case" },
  { "weight", value = "COLUMN", help = "the column with each record's importance weight: 0, or 1e-30 to 1e15" },
  { "normalize", type = "boolean", help = "scales examples to length 1" },
  { "holdout", type = "integer", help = "examples after this many are predicted but not learned (…_held_out in the summary)" },
}

--- Declarations of a label and its classes, for leat.arguments.
examples.classes = {
  title = "labels",
  { "label", value = "COLUMN", help = "the column with the label" },
  { "positive", value = "LABEL", usual = "the rarer of two texts", help = "the label that means +1, all others -1; otherwise labels are numbers: "
    .. "-1 or 0, and +1" },
  { "classes", value = "A,B|N", usual = "found in a file", help = "the labels of several classes; or, of any format, their number: labels are 0, 1, …" },
  { "others", value = "filter", help = "filter: leaves out records of other classes instead of rejecting them" },
  { "class_weight", value = "A,B", help = "weight of label +1, or of each class, or balanced" },
}

local predicted = {} -- marks that the label is a number to predict

local function check_classes(args)
  if args.classes and args.positive then
    error("positive means two classes, but classes names more: give only one of them", 0)
  end
end

--- Returns the stage that makes a column the label.
local function label(args, column)
  local classes = args.classes
  check_classes(args)
  if args.others and (args.positive or not classes or tonumber(classes)) then
    error("others needs the names of the classes to keep: --set classes=a,b", 0)
  end
  if args.positive then return leat.label.is { column = column, positive = args.positive, missing = "filter" } end
  if classes and not tonumber(classes) then
    return leat.label.class { column = column, classes = classes, others = args.others, missing = "filter" }
  end
  return leat.label.number { column = column, origin = args.origin, missing = "filter" }
end

--- Returns the stage that sets the weights of records; records without a weight have weight 1.
---@param args table
function examples.weights(args)
  if not args.weight and not args.class_weight then return {} end
  local id = args.class_weight and "class_weight" or nil -- the name that messages use
  return leat.label.weight { id = id, column = args.weight, classes = args.class_weight }
end

--- Returns the value of the parameter `label` for parsers whose labels are numbers.
local function numbered_labels(args)
  if args.label == predicted then return "raw" end
  check_classes(args)
  if not args.classes then return nil end
  if not tonumber(args.classes) then
    error("in this format, classes are the numbers 0, 1, …: give their count, such as --set classes=3", 0)
  end
  return "raw"
end

--- Returns " (first line: a,b,c)" for a file with a heading; "" otherwise.
local function heading(args)
  if args.columns or not args.data or not leat.flag(args, "header", true) then return "" end
  local text = leat.beginning(args.data, 1 << 12, args.encoding) or ""
  local line = text:gsub("^\239\187\191", ""):match("^([^\r\n]+)")
  return line and (" (first line: %s%s)"):format(line:sub(1, 200), #line > 200 and "…" or "") or ""
end

--- Returns the columns of --set numbers, except the number to predict.
local function numeric_features(args)
  local predicts, list, all = rawget(args, "label"), {}, leat.list(args.numbers or "")
  for _, name in ipairs(all) do list[#list + 1] = name ~= predicts and name or nil end
  if #list < #all then leat.info(("numbers = %s: '%s' is the target, not a feature"):format(args.numbers, predicts)) end
  return #list > 0 and list or nil
end

--- Fails if the column to predict is among the columns whose texts are features.
local function check_target(args)
  for _, setting in ipairs { "attributes", "lists" } do
    for _, name in ipairs(leat.list(args[setting] or "")) do
      if name == rawget(args, "label") then
        error(("%s names the target '%s', which would predict itself: leave it out"):format(setting, name), 0)
      end
    end
  end
end

local MANY = 50 -- most classes that are found

--- Returns the texts of the label in a sample of the files, the rarest first; nil if there is no sample.
local function texts_of(args, format)
  local look = args.data and not args.brokers and attributes.look(args.data, format)
  for i, name in ipairs(look and look.names or {}) do
    local c, list = look.seen[i], {}
    if name == args.label then
      for text in pairs(c.had) do list[#list + 1] = text end
      table.sort(list, function(a, b) return c.had[a] < c.had[b] or c.had[a] == c.had[b] and a < b end)
      return list
    end
  end
end

--- True if all texts are labels without classes: -1 or 0, and 1.
local function are_signs(texts)
  for _, text in ipairs(texts) do
    local x = tonumber(text)
    if x ~= -1 and x ~= 0 and x ~= 1 then return false end
  end
  return true
end

--- Sets `positive` or `classes` for a label whose texts are found in the files, and says so.
local function find_classes(args, format)
  local texts = texts_of(args, format)
  if not texts or #texts < 2 or #texts > MANY or are_signs(texts) then return end
  if #texts == 2 then
    leat.args.positive = texts[1]
    return sampled.say(("positive = %s, the rarer of the two texts of %s; the other is %s"):format(texts[1], args.label, texts[2]))
  end
  table.sort(texts)
  for _, text in ipairs(texts) do
    if text:find("[,\n]") then return end -- no list can hold it
  end
  leat.args.classes = table.concat(texts, ",")
  sampled.say(("classes = %s, the texts of %s"):format(leat.args.classes, args.label))
end

--- Returns the columns that are named as features, texts and numbers; if there are none, those chosen from the files,
--- and the levels of texts.
local function features_of(args, format, is_labelled)
  local columns, numbers = args.attributes ~= "*" and args.attributes or nil, numeric_features(args)
  if not is_labelled or columns or numbers or args.lists or args.time_parts or args.brokers then return columns, numbers end
  local with, without = {}, { args.label }
  without[#without + 1] = args.weight
  for _, name in ipairs(conditions.derived()) do with[#with + 1] = name ~= args.label and name or nil end
  return attributes.features {
    data = args.data, format = format, with = with, without = without,
    target = rawget(args, "constant") and args.label or nil, question = { column = args.label, positive = args.positive },
  }
end

--- Returns the stages that make labelled examples of columns.
local function of_columns(args, format)
  local is_labelled = args.label and args.label ~= predicted
  if is_labelled and not rawget(args, "constant") and not (args.positive or args.classes) then
    fix.choice("classes", { label = args.label }, function() find_classes(args, format) end)
    if args.positive or args.classes then fix.follows("classes") end
  end
  local columns, numbers, levels = features_of(args, format, is_labelled)
  columns = times.and_parts(columns)
  local missing = {}
  if args.label == predicted then missing[1] = "the column with the number to predict, --set target=NAME"
  elseif not args.label then missing[1] = "the column with the label, --set label=NAME" end
  if not columns and not numbers and not levels and not args.lists then
    missing[#missing + 1] = "the columns to learn from, --set attributes=a,b,c, or --set numbers=a,b,c for numbers"
  end
  if #missing > 0 then error(("name %s%s"):format(table.concat(missing, ", and "), heading(args)), 0) end
  check_target(args)
  return {
    label(args, args.label),
    examples.weights(args),
    elements.features({
      columns = columns, numbers = numbers, levels = levels, cross = args.cross, constant = rawget(args, "constant"),
    }, format),
  }
end

local function separated(format) return { separator = elements.between(format) } end

local formats = {
  libsvm = function(args)
    return {
      leat.parse.libsvm { label = numbered_labels(args), positive = args.positive, names = args.names }, examples.weights(args),
    }
  end,
  vw = function(args)
    return {
      leat.parse.vw { label = numbered_labels(args), positive = args.positive, keep = args.keep, ignore = args.ignore },
      examples.weights(args),
    }
  end,
  libffm = function(args)
    return { leat.parse.libffm { label = numbered_labels(args), positive = args.positive }, examples.weights(args) }
  end,
  csv = function(args, delimiter)
    local made = of_columns(args, args.format) -- may set a time, which the parser takes
    return { inputs.csv { delimiter = args.delimiter or delimiter }, made }
  end,
  json = function(args)
    local made = of_columns(args, "json")
    return { inputs.json(separated("json")), made }
  end,
  otlp = function(args)
    local made = of_columns(args, "otlp")
    return { inputs.otlp(separated("otlp")), made }
  end,
  avro = function(args)
    local made = of_columns(args, "avro")
    return { inputs.avro(separated("avro")), made }
  end,
  protobuf = function(args)
    local made = of_columns(args, "protobuf")
    return { inputs.protobuf(separated("protobuf")), made }
  end,
  logfmt = function(args)
    local made = of_columns(args, "logfmt")
    return { inputs.logfmt(), made }
  end,
  text = function(args)
    return {
      leat.parse.csv { delimiter = "\t", quote = "", header = false, columns = { "label", "text" } },
      label(args, "label"),
      examples.weights(args),
      leat.feature.tokens { column = "text", rule = args.rule or "words", lower = args.lower or true },
    }
  end,
}

for format in pairs(inputs.items) do formats[format] = formats.json end

local extensions = {
  libsvm = "libsvm", svm = "libsvm", vw = "vw", ffm = "libffm", libffm = "libffm", csv = "csv", tsv = "tsv",
  json = "json", jsonl = "json", ndjson = "json",
}
--- Refuses columns between tabs without a label's name: they may be columns with a heading, or a label and a text.
local function check_tabs(args, what)
  if args.label and args.label ~= predicted then return end
  error(args.label == predicted and "target is missing: name the column with the number to predict, --set target=COLUMN"
    or ("data is %s, which has two meanings: give --set label=COLUMN for columns with a heading, or --set format=text for "
    .. "a label, a tab, a text"):format(what), 0)
end

--- Returns the format that the files' extension shows, and the delimiter of its columns; nil if it shows none.
local function guess(args)
  local last = not args.brokers and args.data and inputs.extension(args.data)
  local format = last and extensions[last]
  if not format then return nil end
  local tabs = format == "tsv"
  if tabs then check_tabs(args, "." .. last) end
  if format == "json" and (leat.beginning(args.data, 1, args.encoding) or ""):find(logs.OTLP) then format = "otlp" end
  leat.info(("format = %s, because the name of data ends in .%s"):format(tabs and "csv with tabs" or format, last))
  return tabs and "csv" or format, tabs and "\\t" or nil
end

local LOOK = 1 << 16 -- bytes of the first lines

--- Returns the format of the first lines of files, and the delimiter of its columns; nil if no format fits. Examples
--- with few features are not mistaken for columns.
local function look(args)
  if args.brokers or not args.data then return nil end
  local text = leat.beginning(args.data, LOOK, args.encoding) or ""
  local lines = {}
  for line in text:gsub("^\239\187\191", ""):gmatch("([^\n]+)\n") do lines[#lines + 1] = line:gsub("\r$", "") end
  local format, delimiter = logs.format_of(lines) or line_format.examples(lines), nil
  if not format and not text:find("%f[^\n\0]%-?%d+%s+%S+:%-?%d") then
    format, delimiter = line_format.columns(lines, args.quote or '"')
  end
  if format == "csv" and delimiter == "\t" then check_tabs(args, "columns between tabs") end
  if format then leat.info(("format = %s, found from the first lines of the data"):format(format)) end
  return format, delimiter
end

--- Returns the format that the files show, by their names or else by their first lines, and its delimiter.
local function shown_by_files(args, default)
  if args.format or args.pattern then return args.format end
  local found = fix.choice("format", {}, function()
    local format, delimiter = guess(args)
    if not format and not default then format, delimiter = look(args) end
    return { format = format, delimiter = delimiter }
  end)
  return found.format, found.delimiter
end

--- Refuses settings of columns for a format without columns.
local function refuse_columns(args, format)
  for _, name in ipairs { "attributes", "numbers", "label", "lists", "cross" } do
    if leat.args[name] then
      error(("%s needs data with columns, but the format is %s%s: for CSV, --set format=csv"):format(
        name, format, args.format and "" or " by default"), 0)
    end
  end
end

--- Returns the stage that predicts records after --set holdout without learning them.
---@param args table
function examples.holdout(args)
  return args.holdout and leat.label.holdout { after = args.holdout } or {}
end

--- Returns the stages that parse records of args.format. Its default comes from the names of the files, then from
--- `default` or the first lines, then it is libsvm.
---@param args table
---@param default string?
function examples.parse(args, default)
  local format, delimiter = shown_by_files(args, default)
  format = format or default or "libsvm"
  local stages = (args.pattern or logs.of[format]) and formats.csv or formats[format] -- logs have columns, too
  if not stages then
    error(("format is %s: give libsvm, vw, libffm, csv, json, otlp, avro, cbor, msgpack, protobuf, logfmt or text, or the format of a log: %s%s"):format(
      format, logs.names, logs.meant(format)), 0)
  end
  if format == "libsvm" or format == "libffm" or format == "vw" then refuse_columns(args, format) end
  return {
    stages(args, delimiter),
    leat.flag(args, "normalize") and leat.feature.normalize {} or {},
    examples.holdout(args),
  }
end

--- Describes which classes are learned, for the report.
---@param args table
function examples.asked(args)
  local classes = args.classes and not tonumber(args.classes)
  if args.positive then return ("Positive: %s = %s"):format(args.label or "label", args.positive) end
  if classes then return "Classes of " .. (args.label or "the label") end
  if args.classes then return ("Classes: %s numbers"):format(args.classes) end
  return ("Positive: %s > 0"):format(args.label or "label")
end

--- Returns the sentence about the number of positive records, for the option `counted`; nil if there are classes.
---@param args table
function examples.counted(args)
  if args.classes then return nil end
  if args.positive then return ("{positives} have %s = %s"):format(args.label or "label", args.positive) end
  return ("{positives} have %s > 0"):format(args.label or "label")
end

--- Returns the stages that parse records whose target is a number, as pipelines/regress.lua describes them.
---@param args table
function examples.predict(args)
  local of_number = { label = args.target or predicted, constant = "(constant)" }
  return examples.parse(setmetatable(of_number, { __index = args }), "csv")
end

return examples
