--- Which records have large values?
---
---   leat mystage sales.csv --above 500 --by city,kind
local leat = require "leat"

local args = leat.arguments {
  { "data", value = "FILES", operand = "all", required = true, help = "the files: CSV with a heading" },
  { "column", default = "amount", value = "COLUMN", help = "the column with the values" },
  { "above", default = 500, help = "from which value on a record is large" },
  { "by", default = { "city", "kind" }, value = "A,B", help = "the columns that may explain it" },
  { "k", default = 10, min = 1, help = "rows to show" },
}
local above = args.above -- a function of the stream may capture plain data only

return leat.pipeline "mystage" {
  leat.source.file     { id = "in", path = args.data },
  leat.parse.csv       {},
  leat.label(function(value) return value > above end, { args.column .. ":number" }),
  leat.feature.columns { columns = args.by, cross = 2 },
  leat.learn.contrast  { id = "model", budget = "64KB" },
  leat.sink.top        { id = "answer", k = args.k },
}
