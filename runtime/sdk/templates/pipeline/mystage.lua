--- What sets the large amounts apart.
---
---   leat run mystage.lua --set data=mystage.csv
local leat = require "leat"

local args = leat.arguments {
  { "data", default = "mystage.csv", help = "files to read" },
  { "above", default = 500, min = 0, help = "from which amount on a record is large" },
  { "k", default = 10, min = 1, help = "rows to show" },
}
local above = args.above -- a function of the stream may capture plain data only

return leat.pipeline "mystage" {
  leat.source.file     { id = "in", path = args.data },
  leat.parse.csv       {},
  leat.label(function(amount) return amount > above end, { "amount:number" }),
  leat.feature.columns { "city", "kind", cross = 2 },
  leat.learn.contrast  { id = "model", budget = "64KB" },
  leat.sink.top        { id = "answer", k = args.k },
}
