-- test.lua: writes the columns of a file, separated by tabs.
local leat = require "leat"
local args = leat.args

return leat.pipeline "test" {
  leat.source.file  { path = args.data or "in.csv" },
  leat.parse.csv    {},
  leat.sink.mystage { args.out or "out.tsv" },
}
