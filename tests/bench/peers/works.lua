--- The works of peers.sh that no application of leat does: figures of a file, or by key, from a file to a file.
---
--- work    mean, top, quantile, distinct (of CSV), json or log; frequent: top by learn.frequent; count: the summary's
--- data    the file
--- out     where the answer goes, as CSV

local leat = require "leat"
local args = leat.args

local parsers = {
  json = leat.parse.json {},
  log = leat.parse.regex { format = "combined" },
}
local keys = { mean = { "origin" }, json = { "origin" }, log = { "status" } }
local figures = {
  mean = { "count", "mean(delay)" },
  top = { "top(user, 16)" },
  quantile = { "quantile(ms, 0.99)" },
  distinct = { "distinct(user)" },
}

if args.work == "frequent" then
  return leat.pipeline "frequent" {
    leat.source.file { path = args.data },
    leat.parse.csv {},
    leat.label.constant { value = 1 },
    leat.feature.columns { "user" },
    leat.learn.frequent { names_budget = "256MB" },
    leat.sink.top { k = 16, path = args.out, format = "csv", columns = { "count" } },
    threads = 1,
  }
end

if args.work == "count" then
  return leat.pipeline "count" { leat.source.file { path = args.data }, leat.parse.csv {}, leat.sink.null {}, threads = 1 }
end

return leat.pipeline "works" {
  leat.source.file { path = args.data },
  parsers[args.work] or leat.parse.csv {},
  leat.shape.set { "all = 0" }, -- one time, so one window
  leat.parse.time { column = "all", format = "unix" },
  leat.window { columns = figures[args.work] or { "count" }, every = "1d", by = keys[args.work] },
  leat.sink.file { path = args.out, format = "csv" },
  threads = 1,
}
