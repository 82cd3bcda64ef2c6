-- test.lua: writes the records of the source unchanged.
local leat = require "leat"
local args = leat.args

return leat.pipeline "test" {
  leat.source.mystage { args.data or "in.csv" },
  leat.parse.csv      {},
  leat.sink.file      { path = args.out or "out.csv", format = "csv" },
}
