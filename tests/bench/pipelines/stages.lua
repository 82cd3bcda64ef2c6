--- A stage after those that it needs, for stages.sh, which reads the rows.
---
--- data     what the files begin with: .csv, .jsonl, .log and so on
--- records  how many there are
--- case     the name of a row
--- out      where sinks write

local leat = require "leat"
local a = leat.args
local _ = { a.data, a.records, a.out } -- each case takes both

local rows = {}
--- Adds a row: the stage, or what others come after; the row that it comes after; its limit, in terms of
--- bench_limits.c; 16 for a slow stage, which gets a 16th of the records.
local function row(name, after, _, _, make) rows[name] = { after = after, make = make } end
local function file(ending) return function() return leat.source.file { path = a.data .. ending } end end
local function learner(name, options)
  return function()
    local o = { id = "model" }
    for key, value in pairs(options or {}) do o[key] = value end
    return leat.learn[name](o)
  end
end
local function window(...)
  return leat.window { ..., every = "1h", by = { "host" }, lateness = "30s" }
end
local function slow(status, ms) return status >= 500 and ms > 100 end

row("source.null", "", "1 32KB", 1, function() return leat.source.null { records = a.records } end)
row("source.file", "source.null", "copy + memchr", 1, file ".csv")
row("source.pcap", "source.null", "copy", 1, function() return leat.source.pcap { path = a.data .. ".pcap" } end)
row("file.jsonl", "", "", 1, file ".jsonl")
row("file.log", "", "", 1, file ".log")
row("file.logfmt", "", "", 1, file ".logfmt")
row("file.tsv", "", "", 1, file ".tsv")
row("file.svm", "", "", 1, file ".svm")
row("file.few.svm", "", "", 1, file ".few.svm")
row("file.vw", "", "", 1, file ".vw")
row("file.ffm", "", "", 1, file ".ffm")
row("file.txt", "", "", 1, file ".txt")
row("file.avro", "", "", 1, file ".avro")
row("file.pb", "", "", 1, file ".pb")
row("file.dead", "", "", 1, file ".dead")
row("rows.refused", "parse.csv", "", 1, function() return leat.label.number { column = "host" } end)

row("parse.lines", "source.file", "1 32KB", 1, function() return leat.parse.lines {} end)
row("parse.csv", "source.file", "memchr", 1, function() return leat.parse.csv {} end)
row("parse.tsv", "file.tsv", "memchr", 1, function() return leat.parse.tsv {} end)
row("parse.json", "file.jsonl", "memchr", 1, function() return leat.parse.json { "host", "path", "status" } end)
row("parse.logfmt", "file.logfmt", "memchr", 1, function() return leat.parse.logfmt { "host", "path", "status" } end)
row("parse.regex", "file.log", "memchr", 1, function() return leat.parse.regex { format = "combined" } end)
row("parse.libsvm", "file.svm", "memchr", 1, function() return leat.parse.libsvm {} end)
row("parse.vw", "file.vw", "memchr + 20 hash", 1, function() return leat.parse.vw {} end)
row("parse.libffm", "file.ffm", "memchr", 1, function() return leat.parse.libffm {} end)
row("parse.avro", "file.avro", "memchr", 1, function()
  return leat.parse.avro { "host", "path", "status", framing = "none", schema = a.data .. ".avsc" }
end)
row("parse.protobuf", "file.pb", "memchr", 1, function()
  return leat.parse.protobuf { "host", "path", "status", framing = "none", schema = a.data .. ".proto", message = "R" }
end)
row("parse.packet", "source.pcap", "copy", 1, function() return leat.parse.packet {} end)
row("parse.dead_letters", "file.dead", "memchr", 1, function() return leat.parse.dead_letters {} end)
row("parse.time", "parse.csv", "1 32KB", 1, function() return leat.parse.time { column = "time", format = "unix" } end)

row("label.class", "parse.csv", "1 32KB", 1, function()
  return leat.label.class { column = "status", classes = { "200", "503" } }
end)
row("label.constant", "parse.csv", "1 32KB", 1, function() return leat.label.constant { value = 1 } end)
row("label.is", "parse.csv", "1 32KB", 1, function()
  return leat.label.is { column = "status", positive = { "503" } }
end)
row("label.mad", "parse.csv", "1 32KB", 1, function() return leat.label.mad { column = "ms", factor = 3 } end)
row("label.number", "parse.csv", "1 32KB", 1, function() return leat.label.number { column = "ms" } end)
row("label.quantile", "parse.csv", "1 32KB", 1, function() return leat.label.quantile { column = "ms", q = 0.8 } end)
row("label.weight", "parse.csv", "1 32KB", 1, function() return leat.label.weight { column = "ms" } end)
row("label.where", "parse.csv", "2 32KB", 1, function() return leat.label.where { "status >= 500 and ms > 100" } end)
row("label.period", "parse.time", "1 32KB", 1, function()
  return leat.label.period { before = "2023-11-15", after = "2023-11-16" }
end)
row("label.holdout", "label.is", "1 32KB", 1, function() return leat.label.holdout { after = 1000 } end)

row("feature.columns", "label.is", "2 hash", 1, function() return leat.feature.columns { "host", "path" } end)
row("feature.tokens", "rows.text", "memchr + 10 hash", 1, function() return leat.feature.tokens { column = "text" } end)
row("rows.text", "file.txt", "", 1, function() return leat.parse.lines {} end)
row("feature.hash", "feature.columns", "2 32KB", 1, function() return leat.feature.hash { bits = 20 } end)
row("feature.normalize", "parse.libsvm", "20 32KB", 1, function() return leat.feature.normalize { norm = "l2" } end)
row("feature.sides", "feature.columns", "2 32KB", 1, function() return leat.feature.sides { left = { "host" } } end)
row("feature.pairs", "feature.tokens", "240 32KB", 16, function()
  return leat.feature.pairs { window = 6, negatives = 5 }
end)

row("learn.awm", "parse.libsvm", "40 32KB", 1, learner "awm")
row("learn.wm", "parse.libsvm", "40 32KB", 1, learner "wm")
row("learn.hash", "parse.libsvm", "40 32KB", 1, learner "hash")
row("learn.logistic", "parse.libsvm", "40 32KB", 1, learner "logistic")
row("learn.mission", "parse.libsvm", "40 32KB", 1, learner("mission", { lambda = 0 }))
row("learn.bear", "parse.libsvm", "40 32KB", 16, learner("bear", { lambda = 0 }))
row("learn.truncation", "parse.libsvm", "40 32KB", 1, learner "truncation")
row("learn.prob_truncation", "parse.libsvm", "40 32KB", 1, learner "prob_truncation")
row("learn.space_saving", "parse.libsvm", "40 32KB", 1, learner "space_saving")
row("learn.count_min", "parse.libsvm", "60 32KB", 1, learner "count_min")
row("learn.paired_count_min", "parse.libsvm", "60 32KB", 1, learner "paired_count_min")
row("learn.ftrl_proximal", "parse.libsvm", "40 32KB", 1, learner "ftrl_proximal")
row("learn.adagrad", "parse.libsvm", "40 32KB", 1, learner "adagrad")
row("learn.bias", "parse.libsvm", "40 32KB", 1, learner "bias")
row("learn.frequent", "feature.columns", "2 512KB", 1, learner "frequent")
row("learn.contrast", "feature.columns", "2 512KB", 1, learner "contrast")
row("learn.cooccurrence", "feature.tokens", "40 512KB", 1, learner "cooccurrence")
row("learn.product", "feature.sides", "2 512KB", 16, learner "product")
row("learn.fm", "parse.libsvm", "440 32KB", 16, learner("fm", { loss = "logistic" }))
row("learn.sftrl", "parse.libsvm", "400 32KB", 16, learner("sftrl", { loss = "logistic" }))
row("learn.fd_son", "parse.libsvm", "400 32KB", 16, learner("fd_son", { m = 20 }))
row("learn.rfd_son", "parse.libsvm", "400 32KB", 16, learner("rfd_son", { m = 20 }))
row("learn.oja_son", "parse.libsvm", "200 32KB", 16, learner("oja_son", { m = 10 }))
row("learn.rp_son", "parse.libsvm", "200 32KB", 16, learner("rp_son", { m = 10 }))
row("learn.s_adagrad", "parse.libsvm", "400 32KB", 16, learner("s_adagrad", { m = 20 }))
row("rows.few", "file.few.svm", "", 1, function() return leat.parse.libsvm {} end)
row("learn.full_on", "rows.few", "4096 32KB", 16, learner("full_on", { max_features = 64 }))
row("learn.fm_ftrl", "rows.few", "16 32KB", 16, learner("fm_ftrl", { max_features = 64, loss = "logistic" }))
row("learn.ocg", "rows.few", "4096 32KB", 16, learner("ocg", { max_features = 64, loss = "logistic" }))
row("learn.ogd", "rows.few", "16 32KB", 16, learner("ogd", { max_features = 64, loss = "logistic" }))

row("result.changes", "learn.awm", "1 32KB", 1, function() return leat.result.changes { k = 50, every = 10000 } end)
row("result.metrics", "learn.awm", "1 32KB", 1, function() return leat.result.metrics { every = 10000 } end)
row("result.predictions", "learn.awm", "1 32KB", 1, function() return leat.result.predictions {} end)
row("result.top", "learn.awm", "1 32KB", 1, function() return leat.result.top { k = 20, every = 10000 } end)

row("shape.where", "parse.csv", "2 32KB", 1, function() return leat.shape.where { "status >= 500 and ms > 100" } end)
row("shape.set", "parse.csv", "20 32KB", 1, function()
  return leat.shape.set { "name = lower(host)", "rate = bytes / ms" }
end)
row("shape.window", "parse.time", "hash + 2 32KB", 1, function() return window("count", "mean(bytes)") end)
row("shape.sort", "parse.time", "copy", 1, function() return leat.sort_window { lateness = "30s" } end)
row("shape.dedup", "parse.csv", "hash + 1 512KB", 1, function() return leat.shape.dedup { by = { "host", "path" } } end)
row("shape.lookup", "parse.csv", "hash + 1 32KB", 1, function()
  return leat.shape.lookup { a.data .. ".hosts", key = "host", columns = { "owner" } }
end)
row("shape.reservoir", "parse.csv", "1 32KB", 1, function() return leat.shape.reservoir { k = 1000 } end)
row("shape.sample", "parse.csv", "1 32KB", 1, function() return leat.shape.sample { rate = 0.1 } end)

row("lua.filter", "parse.csv", "2 32KB", 1, function() return leat.filter(slow, { "status:number", "ms:number" }) end)
row("lua.label", "parse.csv", "2 32KB", 1, function() return leat.label(slow, { "status:number", "ms:number" }) end)
row("lua.map", "parse.csv", "20 32KB", 1, function()
  return leat.map(function(host, bytes, ms) return host:lower(), bytes / ms end,
    { "host", "bytes:number", "ms:number" }, { "name", "rate:number" })
end)
row("lua.flat", "parse.csv", "2 32KB", 1, function()
  return leat.flat(function(emit, host, ms) emit(host, ms) end, { "host", "ms:number" }, { "name", "n:number" })
end)
row("lua.features", "parse.csv", "2 hash", 1, function()
  return leat.features(function(host, path) return host, path end, { "host", "path" })
end)
row("lua.batch", "parse.csv", "1 32KB", 1, function()
  return leat.batch(function(b) b:where("ms:number", ">", 15) end)
end)

row("sink.file", "parse.csv", "copy", 1, function() return leat.sink.file { path = a.out, format = "csv" } end)
row("sink.command", "parse.csv", "copy", 1, function()
  return leat.sink.command { "cat >/dev/null", format = "csv" }
end)
row("sink.profile", "parse.csv", "6 hash", 1, function() return leat.sink.profile {} end)
row("sink.predictions", "learn.awm", "20 32KB", 1, function() return leat.sink.predictions { path = a.out } end)
row("sink.metrics", "learn.awm", "1 32KB", 1, function() return leat.sink.metrics { every = 10000, path = a.out } end)
row("sink.changes", "learn.awm", "1 32KB", 1, function() return leat.sink.changes { k = 50, every = 10000 } end)
row("sink.top", "learn.awm", "1 32KB", 1, function() return leat.sink.top { k = 20, every = 10000 } end)

row("eval.deltoids", "learn.awm", "20 512KB", 1, function() return leat.eval.deltoids {} end)
row("eval.risk", "learn.awm", "20 512KB", 1, function() return leat.eval.risk {} end)
row("eval.drift", "learn.awm", "1 32KB", 1, function() return leat.eval.drift { on_change = "none" } end)
row("eval.directions", "parse.libsvm", "1050 8MB", 16, function()
  return leat.eval.directions { m = { "10" }, features = 1200 }
end)
row("eval.product", "feature.sides", "2 8MB", 16, function() return leat.eval.product { sizes = { "20" } } end)
row("rows.pairs", "feature.pairs", "", 16, learner("awm", { bias = "none" }))
row("eval.pmi", "rows.pairs", "50 8MB", 16, function() return leat.eval.pmi {} end)

--- Returns the stages of a case, the first one first.
local function stages(name)
  local of = rows[name]
  local before = of.after ~= "" and not name:find "^source" and stages(of.after) or {}
  before[#before + 1] = of.make()
  return before
end
local all = stages(a.case)
if not (a.case:find "^sink" or a.case:find "^eval") then all[#all + 1] = leat.sink.null {} end
all.threads = 1
if a.case == "rows.refused" then all.max_reject_ratio, all.dead_letters = 1, a.out end
return leat.pipeline "stages"(all)
