-- test.lua: parses lines into columns and writes them.
local leat = require "leat"
local args = leat.args

return leat.pipeline "test" {
  leat.source.file   { path = args.data or "in.csv" },
  leat.parse.mystage { "city", "kind", "amount" },
  leat.sink.file     { path = args.out or "out.csv", format = "csv" },
}
