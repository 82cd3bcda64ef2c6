-- test.lua: writes the records of a file to a database.
local leat = require "leat"
local args = leat.args

return leat.pipeline "test" {
  leat.source.file  { path = args.data or "in.csv" },
  leat.sink.mystage { args.out or "out.db" },
}
