--- One path through leat, for instructions.sh.
---
--- data  what the files begin with: .csv, .bad.csv, .jsonl, .bad.jsonl, .log, .svm, .bad.svm
--- case  which of those below
--- out   where sinks write
--- dead  a file for dead letters

local leat = require "leat"
local a = leat.args
local _ = { a.out, a.dead } -- each case takes both

local function file(ending) return leat.source.file { path = a.data .. ending } end
local function csv() return { file ".csv", leat.parse.csv {} } end
local function json(ending) return { file(ending), leat.parse.json { columns = { "host", "path", "status" } } } end
local function log() return { file ".log", leat.parse.regex { format = "combined" } } end
local function svm(ending) return { file(ending), leat.parse.libsvm {} } end
local function examples(records)
  return { records, leat.label.is { column = "status", positive = { "503" } }, leat.feature.columns { "host", "path" } }
end
local function learn(name) return leat.learn[name] { id = "model" } end
local function numbers(records) return { records, leat.label.number { column = "ms" }, leat.feature.columns { "host", "path" } } end
local time = leat.parse.time { column = "time", format = "unix" }
local function hours(...) return { csv(), time, leat.window { ..., every = "1h", by = { "host" }, lateness = "30s" } } end

local cases = {
  lines = function() return { file ".csv", leat.parse.lines {} } end,
  csv = csv,
  json = function() return json ".jsonl" end,
  log = log,
  svm = function() return svm ".svm" end,
  csv_awm = function() return { examples(csv()), learn "awm" } end,
  csv_wm = function() return { examples(csv()), learn "wm" } end,
  csv_logistic = function() return { examples(csv()), learn "logistic" } end,
  json_awm = function() return { examples(json ".jsonl"), learn "awm" } end,
  log_awm = function() return { examples(log()), learn "awm" } end,
  svm_awm = function() return { svm ".svm", learn "awm" } end,
  svm_rfd_son = function() return { svm ".svm", learn "rfd_son" } end,
  csv_fm = function() return { numbers(csv()), learn "fm" } end,
  csv_sftrl = function() return { numbers(csv()), learn "sftrl" } end,
  product = function()
    return { csv(), leat.feature.columns { "host", "path" }, leat.feature.sides { left = { "host" } }, learn "product" }
  end,
  filter = function()
    return { csv(), leat.filter(function(status, ms) return status >= 500 and ms > 100 end, { "status:number", "ms:number" }) }
  end,
  map = function() return { csv(), leat.map(function(bytes, ms) return bytes / ms end, { "bytes:number", "ms:number" }, { "rate:number" }) } end,
  flat = function() return { csv(), leat.flat(function(emit, host, n) emit(host, n) end, { "host", "ms:number" }, { "name", "n:number" }) } end,
  where = function() return { csv(), leat.shape.where { "status >= 500 and ms > 100" } } end,
  set = function() return { csv(), leat.shape.set { "name = lower(host)", "rate = bytes / ms" } } end,
  window = function() return hours("count", "mean(bytes)") end,
  quantile = function() return hours("quantile(ms, 0.99)") end,
  sort = function() return { csv(), time, leat.sort_window { lateness = "30s" } } end,
  file_csv = function() return { csv(), leat.sink.file { path = a.out, format = "csv" } } end,
  file_jsonl = function() return { csv(), leat.sink.file { path = a.out, format = "jsonl" } } end,
  bad_csv = function() return { file ".bad.csv", leat.parse.csv {} } end,
  bad_json = function() return json ".bad.jsonl" end,
  bad_svm = function() return { svm ".bad.svm", learn "awm" } end,
  bad_number = function() return { csv(), leat.label.number { column = "host" } } end,
}
local stages = cases[a.case]()
local sink = a.case:find "^file" and {} or leat.sink.null {}

return leat.pipeline "instructions" { stages, sink, threads = 1, max_reject_ratio = a.case:find "^bad" and 1 or nil, dead_letters = a.dead }
