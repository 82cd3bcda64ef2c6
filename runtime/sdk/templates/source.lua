-- test.lua: what the source delivers is written as it came.
local leat = require "leat"
local args = leat.args

return leat.pipeline "test" {
  leat.source.mystage { args.data or "in.csv" },
  leat.parse.csv      {},
  leat.sink.file      { path = args.out or "out.csv", format = "csv" },
}
