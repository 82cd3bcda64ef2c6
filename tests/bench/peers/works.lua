--- The works of peers.sh that no application of leat does: counts and means by key, from a file to a file.
---
--- work    count, mean (of CSV), json or log
--- data    the file
--- out     where the answer goes, as CSV

local leat = require "leat"
local args = leat.args

local parsers = {
  count = leat.parse.csv {},
  mean = leat.parse.csv {},
  json = leat.parse.json {},
  log = leat.parse.regex { format = "combined" },
}
local keys = { mean = { "origin" }, json = { "origin" }, log = { "status" } }
local figures = { mean = { "count", "mean(delay)" } }

return leat.pipeline "works" {
  leat.source.file { path = args.data },
  parsers[args.work],
  leat.shape.set { "all = 0" }, -- one time, so one window
  leat.parse.time { column = "all", format = "unix" },
  leat.window { columns = figures[args.work] or { "count" }, every = "1d", by = keys[args.work] },
  leat.sink.file { path = args.out, format = "csv" },
  threads = 1,
}
