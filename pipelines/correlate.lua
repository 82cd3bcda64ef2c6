--- Which features on one side of a record go with which features on the other?
---
--- Each record has a left and a right side: columns against columns, the words before a mark against the words after
--- it, the first half of a sentence against the second, ids below a number against the other ids. The product X Y' of
--- the two sides, summed over the records, has an entry for each pair of a left and a right feature. It is sketched
--- in memory that grows with the distinct features, not with the records. The report shows its largest entries by
--- name.
---
---   leat correlate
---   leat correlate ratings.csv --left genre --right age
---   leat correlate senate.csv.zst --left office --words payee
---   leat correlate news.txt.zst --format lines --lower
---   leat correlate users.svm --format libsvm --below 472

local leat = require "leat"
local elements = require "leat.elements"
local inputs = require "leat.inputs"
local args = leat.arguments {
  { "left", value = "A,B", help = "csv, json: the columns of the left side. Each element of tags[*] is a feature" },
  { "right", value = "A,B", help = "csv, json: the columns of the right side …" },
  { "words", value = "COLUMN", help = "… or a text column whose words are the right side" },
  { "format", value = "FORMAT", usual = "csv; json if the file's name ends in .jsonl, …",
    help = "csv (with a header), json (an object a record), avro, logfmt, lines (a text a line) or libsvm" },
  { "mark", value = "TOKEN", usual = "none: the sides are the halves of a line", help = "lines: the token between the two sides" },
  { "below", type = "integer", help = "libsvm: features with smaller ids are on the left" },
  { "lower", default = false, help = "upper and lower case are the same" },
  { "normalize", default = false, help = "scales each side of a record to length 1, so that long ones do not count more" },
  { "method", value = "METHOD", default = "scod", help = "scod, cod, fd_amm, sfd_amm, columns, projection or hashing" },
  { "size", default = 100, help = "columns of the sketch: with more it is more exact" },
  { "k", default = 20, help = "rows to show" },
  { "of_left", value = "FEATURE", help = "only entries of this feature of the left side, named as in the report (office=Mint)" },
  { "of_right", value = "FEATURE", help = "… of the right side; with both of_left and of_right, one estimate" },
  { "show", value = "entries|triplets", help = "entries, or triplets: directions in which the sides correlate" },
  { "every", value = "N|TIME", help = "also reports during the run: 10s, or a number of examples (two a record)" },
  { "evaluate", default = false, help = "also stores all records, and reports the sketch's distance from the product" },
  { "out", value = "table|jsonl|csv", usual = "table", help = "format of the report" },
  { "seed", value = "N", default = "1", help = "of random choices" },
  elements.arguments, inputs.arguments,
}

local format = inputs.format(args.data) or "csv"
local given = args.columns or args.left or args.right or args.words or (format ~= "csv" and not inputs.named[format])
local sample = not args.data and not (args.brokers and given)
local left = leat.list(args.left or sample and "office" or "")
local right = leat.list(args.right or sample and "payee" or "")
local method, size, seed = args.method, args.size, args.seed
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

--- Returns the stages that make examples of two sides from columns.
local function of_columns()
  if #left == 0 or (#right == 0) == (words == nil) then
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
    local both = table.move(right, 1, #right, #left + 1, { table.unpack(left) })
    return {
      inputs.rows(format, { columns = columns, separator = elements.between(format) }),
      elements.features({ columns = both }, format),
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
  json = of_columns,
  avro = of_columns,
  logfmt = of_columns,
  lines = function()
    return {
      leat.parse.lines { column = "text" },
      leat.feature.tokens { column = "text", lower = args.lower },
      leat.feature.sides(mark and { mark = mark } or { halves = true }),
    }
  end,
  libsvm = function() return { leat.parse.libsvm {}, leat.feature.sides { below = below } } end,
}
if not sides[format] then error(("format is %s: give csv, json, avro, logfmt, lines or libsvm"):format(format), 0) end

--- Describes the two sides in words.
local function asked()
  if sides[format] == of_columns then
    return ("Left: %s; right: %s"):format(table.concat(left, ", "), words and "words of " .. words or table.concat(right, ", "))
  end
  if format == "libsvm" then return ("Left: ids below %s; right: the others"):format(below) end
  return mark and ("Left: tokens before %s; right: those after it"):format(mark) or "Left: the first half of a line; right: the second"
end

return leat.pipeline "correlate" {
  inputs.records { data = sample and inputs.sample.data or nil },
  sides[format](),
  args.normalize and leat.feature.normalize {} or {},
  leat.learn.product {
    id = "model",
    method = method,
    size = size,
    show = args.show,
    of_left = args.of_left,
    of_right = args.of_right,
    seed = seed,
  },
  leat.sink.top { k = args.k, every = args.every, format = args.out, title = "What goes with what" },
  args.evaluate and leat.eval.product { methods = method, sizes = { tostring(size) }, seed = seed, format = args.out or "table" } or {},
  asked = asked(),
  counted = ("{model.pairs} records have {model.features_left} features on the left and {model.features_right} on the right (%s)")
    :format((asked():gsub("^L", "l"))),
  answered = "the largest sum is that of {feature}, {value}",
  progress_table = false,
}
