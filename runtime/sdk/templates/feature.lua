-- test.lua: predicts the kind of a record from the characters of its city.
local leat = require "leat"
local args = leat.args

return leat.pipeline "test" {
  leat.source.file      { path = args.data or "in.csv" },
  leat.parse.csv        {},
  leat.label.is         { column = "kind", positive = "a" },
  leat.feature.mystage  { "city" },
  leat.learn.awm        { id = "model", budget = "16KB" },
  leat.sink.predictions { path = args.out or "out.csv" },
  leat.sink.top         { k = 5 },
}
