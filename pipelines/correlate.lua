--- Which features on one side of a record go with which features on the other?
---
--- Each record has a left and a right side: columns against columns, the words before a mark against the words after
--- it, the first half of a sentence against the second, ids below a number against the other ids. Pairs of a left and a
--- right feature are counted in a fixed budget. The report shows those of the highest lift, p(x, y) / (p(x) p(y)): how
--- many times more often they come together than by chance. Every figure has bounds.
---
--- The other methods sum the product X Y' of the two sides over the records, in memory that grows with the distinct
--- features: exactly while all pairs fit, then as a sketch. The report then shows its largest entries: what is frequent
--- on both sides.
---
---   leat correlate
---   leat correlate flights.csv --left carrier                  # the other columns are the right side
---   leat correlate ratings.csv --left genre --right age
---   leat correlate senate.csv.zst --left office --words payee
---   leat correlate news.txt.zst --format lines --lower
---   leat correlate users.svm --format libsvm --below 472

local leat = require "leat"
local attributes = require "leat.attributes"
local elements = require "leat.elements"
local inputs = require "leat.inputs"
local times = require "leat.times"
local args = leat.arguments {
  { "left", value = "A,B", help = "csv, json: the columns of the left side. Each element of tags[*] is a feature" },
  { "right", value = "A,B", usual = "chosen from all of a file", help = "csv, json: the columns of the right side …" },
  { "words", value = "COLUMN", help = "… or a text column whose words are the right side" },
  { "format", value = "FORMAT", usual = "csv; json if the file's name ends in .jsonl, …",
    help = "csv (with a header), json (an object a record), avro, protobuf, logfmt, lines (a text a line) or libsvm" },
  { "mark", value = "TOKEN", usual = "none: the sides are the halves of a line", help = "lines: the token between the two sides" },
  { "below", type = "integer", help = "libsvm: features with smaller ids are on the left" },
  { "lower", default = false, help = "upper and lower case are the same" },
  { "edges", value = "A=X Y;B=Z", usual = "chosen; empty: none", help = "thresholds of columns of numbers: 'humid=60 80;delay=15'" },
  { "method", value = "METHOD", usual = "counts; scod if one of the next six is given, and for libsvm",
    help = "counts (lift); scod, cod, fd_amm, sfd_amm, columns, projection or hashing: the sketch of the product" },
  { "size", type = "integer", usual = "100", help = "product: columns of the sketch. With more it is more exact" },
  { "exact", type = "boolean", usual = "true", help = "product: counts all pairs exactly while they fit in the memory of the sketch" },
  { "normalize", type = "boolean", usual = "false", help = "product: scales each side of a record to length 1, so that long ones do not count more" },
  { "of_left", value = "FEATURE", help = "product: only entries of this feature of the left side, named as in the report (office=Mint)" },
  { "of_right", value = "FEATURE", help = "product: … of the right side; with both of_left and of_right, one estimate" },
  { "show", value = "entries|triplets", help = "product: entries, or triplets: directions in which the sides correlate" },
  { "evaluate", type = "boolean", usual = "false", help = "product: also stores all records, and reports how far a sketch of them is from the product" },
  { "order", type = { "lift", "pmi", "support" }, usual = "lift", help = "counts: lift is that at the low end of its bounds, with chance, and pairs "
    .. "that may be luck come last; pmi that of the counts alone; support how often a pair came" },
  { "min_count", type = "integer", usual = "5", help = "counts: leaves out pairs that came less often" },
  { "budget", value = "SIZE", usual = "auto, up to 8MB", help = "counts: most bytes of the model, allocated as pairs come" },
  { "k", default = 20, help = "rows to show" },
  { "every", value = "N|TIME", help = "also reports during the run: 10s (of this machine's clock), or a number of examples (two a record)" },
  { "out", value = "table|jsonl|csv", usual = "table", help = "format of the report" },
  { "seed", value = "N", default = "1", help = "of random choices" },
  elements.arguments, inputs.arguments,
}

local format = inputs.format(args.data) or "csv"
local given = args.columns or args.left or args.right or args.words or (format ~= "csv" and not inputs.named[format])
local sample = not args.data and not (args.brokers and given)
local left = leat.list(args.left or sample and "office" or "")
local right = leat.list(args.right or sample and "payee" or "")
local size, seed = args.size or 100, args.seed
local of_product, of_counts = { "size", "exact", "normalize", "of_left", "of_right", "show", "evaluate" }, { "order", "min_count", "budget", "edges" }
local method = args.method or format == "libsvm" and "scod" or "counts"
for _, name in ipairs(of_product) do
  if args[name] ~= nil and not args.method then method = "scod" end
end
local counts = method == "counts"
for _, name in ipairs(counts and of_product or of_counts) do
  if args[name] ~= nil then
    error(("%s needs --set method=%s: method=%s has no such thing"):format(name, counts and "scod" or "counts", method), 0)
  end
end
local words, mark, below = args.words, args.mark, args.below
local columns = args.brokers and sample and inputs.sample.columns or args.columns

--- Refuses of_left or of_right if it names no feature: features of columns are column=value.
local function check_feature(what, names)
  local of = args[what]
  for _, name in ipairs(of and names or {}) do
    if of:sub(1, #name + 1) == name .. "=" then return end
  end
  if of then
    error(("%s is %s: this side has no such column: a feature of it is written %s=VALUE"):format(what, of,
      table.concat(names, "=VALUE or ")), 0)
  end
end

local function column_of(entry) return entry:match("^(.*)=") or entry end

local function has(list, name)
  for _, other in ipairs(list) do
    if other == name then return true end
  end
  return false
end

--- Returns the edges of those columns for which is_taken(name) is true.
local function edges_of(edges, is_taken)
  local list = {}
  for _, entry in ipairs(edges) do list[#list + 1] = is_taken(column_of(entry)) and entry or nil end
  return list
end

--- Returns the columns that are taken as texts, and the edges of the others, numbers.
local function with_edges(names, from)
  local named, columns, cut = attributes.named(names, from), {}, {}
  local edges = edges_of(named.edges, function(name) return has(names, name) end)
  for i, entry in ipairs(edges) do cut[i] = column_of(entry) end
  for _, name in ipairs(named.columns) do columns[#columns + 1] = not has(cut, name) and name or nil end
  return columns, edges
end

--- Returns the columns of both sides that are taken as texts, and the edges of the others. Chooses those of the right
--- side from the files, if none are named.
local function features()
  local data = not args.brokers and (args.data or inputs.sample.data) or nil
  local from = { data = data, format = format, without = left }
  if #left == 0 or #right == 0 and (not data or data == "-" or not counts) then
    error(format .. " needs two sides: give --set left=COLUMNS and either --set right=COLUMNS or --set words=COLUMN", 0)
  end
  if not counts then return table.move(right, 1, #right, #left + 1, { table.unpack(left) }), {} end
  local columns, edges = with_edges(left, from)
  local others, more
  if #right > 0 then others, more = with_edges(right, from)
  else
    local chosen = attributes.choose(from)
    others, more = chosen.columns, edges_of(chosen.edges, function(name) return not has(left, name) end)
  end
  return times.and_parts(table.move(others, 1, #others, #columns + 1, columns)), table.move(more, 1, #more, #edges + 1, edges)
end

--- Returns the stages that make examples of two sides from columns.
local function of_columns()
  if words and (#left == 0 or #right > 0) then
    error(format .. " needs two sides: give --set left=COLUMNS and either --set right=COLUMNS or --set words=COLUMN", 0)
  end
  for _, name in ipairs(right) do
    for _, other in ipairs(left) do
      if name == other then error(("left and right both name %s: a column is on one side"):format(name), 0) end
    end
  end
  if not words then
    check_feature("of_left", left)
    check_feature("of_right", right)
    local both, edges = features()
    return {
      inputs.rows(format, { columns = columns, separator = elements.between(format) }),
      elements.features({ columns = both, edges = edges, numeric = "category" }, format),
      leat.feature.sides { left = left },
    }
  end
  for _, name in ipairs { words, table.unpack(left) } do
    if name:find("[*]", 1, true) then error(("%s holds several values: with words give columns of one each"):format(name), 0) end
  end
  -- Writes the left side as one token a column, name=value without blanks, before a mark and the words.
  local from = { table.unpack(left) }
  from[#from + 1] = words
  local function text(...)
    local value = { ... }
    for i = 1, #left do
      value[i] = (value[i] or "") == "" and "" or (left[i] .. "=" .. value[i]):gsub("%s+", "_")
    end
    return table.concat(value, " ", 1, #left) .. " ||| " .. (value[#left + 1] or "")
  end
  return {
    inputs.rows(format, { columns = columns }),
    leat.map(text, from, { "@sides" }),
    leat.feature.tokens { column = "@sides", lower = args.lower, max_bytes = 1024 },
    leat.feature.sides { mark = "|||" },
  }
end

--- Functions that return the stages of a format, which make examples of two sides.
local sides = {
  csv = of_columns,
  lines = function()
    return {
      leat.parse.lines { column = "text" },
      leat.feature.tokens { column = "text", lower = args.lower },
      leat.feature.sides(mark and { mark = mark } or { halves = true }),
    }
  end,
  libsvm = function() return { leat.parse.libsvm {}, leat.feature.sides { below = below } } end,
}
for name in pairs(inputs.named) do sides[name] = of_columns end
if not sides[format] then
  error(("format is %s: give csv, json, otlp, avro, cbor, msgpack, protobuf, logfmt, lines or libsvm"):format(format), 0)
end

--- Describes the two sides in words.
local function asked()
  if sides[format] == of_columns then
    return ("Left: %s; right: %s"):format(table.concat(left, ", "), words and "words of " .. words
      or #right > 0 and table.concat(right, ", ") or "chosen columns")
  end
  if format == "libsvm" then return ("Left: ids below %s; right: the others"):format(below) end
  return mark and ("Left: tokens before %s; right: those after it"):format(mark) or "Left: the first half of a line; right: the second"
end

--- Returns the learner of the counts, or that of the product.
local function learner()
  if counts then
    return leat.learn.cooccurrence {
      id = "model", sides = true, min_count = args.min_count, rank = args.order ~= "lift" and args.order and "pmi" or nil,
      budget = args.budget ~= "auto" and args.budget or "8MB", name_bytes = 120,
    }
  end
  return leat.learn.product {
    id = "model", method = method, size = size, exact = args.exact, show = args.show, of_left = args.of_left, of_right = args.of_right, seed = seed,
  }
end

local shown = { args.order == "pmi" and "pmi" or "lift", "count", "count_u=count left", "count_v=count right", "luck" }

return leat.pipeline "correlate" {
  inputs.records { data = sample and inputs.sample.data or nil },
  sides[format](),
  args.normalize and leat.feature.normalize {} or {},
  learner(),
  leat.sink.top {
    k = args.k, every = args.every, format = args.out, title = "What goes with what", noun = "sides", sign = counts and "positive" or nil,
    order = args.order == "support" and "support" or nil,
    columns = counts and (args.out or "table") == "table" and shown or nil,
  },
  args.evaluate and leat.eval.product { methods = method, sizes = { tostring(size) }, seed = seed, format = args.out or "table" } or {},
  asked = asked(),
  counted = counts and ("{model.tokens} records have both sides (%s), records with an empty side: {model.without_pairs}"):format((asked():gsub("^L", "l")))
    or ("{model.pairs} records have {model.features_left} features on the left and {model.features_right} on the right (%s)")
      :format((asked():gsub("^L", "l"))),
  answered = counts and "{feature} come together {count} times, {lift} times as often as by chance"
    or "{feature} has the largest sum: {value}",
  seed = counts and seed or nil,
  progress_table = false,
}
