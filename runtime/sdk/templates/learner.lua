-- test.lua: predicts the kind of a record from its city and amount.
local leat = require "leat"
local args = leat.args

return leat.pipeline "test" {
  leat.source.file      { path = args.data or "in.csv" },
  leat.parse.csv        {},
  leat.label.is         { column = "kind", positive = "a" },
  leat.feature.columns  { "city", "amount" },
  leat.learn.mystage    { id = "model" },
  leat.sink.predictions { path = args.out or "out.csv" },
  leat.sink.top         { k = 5 },
}
