# state_runs.sh -- for scripts that kill runs: three pipelines in the current folder, and a comparison of two runs.
#
# All pipelines take --set to=PREFIX.
awk 'BEGIN { srand(5); for (i = 0; i < 30000; i++) { y = rand() < .5; if (i % 997 == 5) print "bad line"; else {
    printf "%s", y ? "+1" : "-1"; for (j = 0; j < 6; j++) printf " %d:%.3f", rand() * 400 + (y ? 9 : 0), rand();
    print "" } } }' >a.svm
awk 'BEGIN { srand(6); for (i = 0; i < 20000; i++) { y = rand() < .3; printf "%s", y ? "+1" : "-1";
    for (j = 0; j < 6; j++) printf " %d:%.3f", rand() * 400 + (y ? 30 : 0), rand(); print "" } }' >b.svm
gzip -k a.svm

# One source, a file of each kind of sink, and a learner behind a fork.
cat >one.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "one" {
  leat.source.file { path = a.data or "a.svm", ["repeat"] = tonumber(a.times) or 12 },
  leat.parse.libsvm { lanes = 2 },
  leat.tee {
    { leat.learn.awm { id = "awm", budget = a.budget or "4KB", lambda = 1e-5 } },
    { leat.learn.logistic { id = "logistic" } },
  },
  leat.merge(),
  leat.sink.predictions { path = a.to .. ".predictions" },
  leat.sink.top { of = "awm", k = 8, every = 7000, format = "csv", path = a.to .. ".top" },
  leat.filter(function() return true end, {}),
  leat.sink.changes { of = "logistic", k = 30, every = 7000, weight_change = 0.1, path = a.to .. ".changes" },
  leat.sink.metrics { of = "logistic", every = 7000, path = a.to .. ".metrics" },
  batch_rows = 200, threads = tonumber(a.threads), seed = tonumber(a.seed), dead_letters = a.to .. ".dead",
}
LUA
# Two sources, merged.
cat >two.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "two" {
  leat.merge {
    { leat.source.file { path = "a.svm.gz", ["repeat"] = 6 }, leat.parse.libsvm {} },
    { leat.source.file { path = "b.svm", ["repeat"] = 4 }, leat.parse.libsvm { id = "second" } },
  },
  leat.learn.wm { id = "wm", budget = "4KB" },
  leat.sink.predictions { path = a.to .. ".predictions" },
  leat.sink.top { k = 8, path = a.to .. ".top", format = "csv" },
  batch_rows = 200, dead_letters = a.to .. ".dead",
}
LUA
# Nested merges of streams whose lengths are as 90 to 15 to 1.
head -2000 b.svm >short.svm
cat >uneven.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function read(path, times) return { leat.source.file { path = path, ["repeat"] = times }, leat.parse.lines { column = "line" } } end
return leat.pipeline "uneven" {
  leat.merge { { leat.merge { read("a.svm.gz", 1), read("short.svm", 1) } }, read("a.svm", 6) },
  leat.sink.file { path = a.to .. ".predictions", format = "csv" },
  batch_rows = 64, dead_letters = a.to .. ".dead",
}
LUA

same() { # same A B: compares all outputs of two runs
    for run in "$@"; do
        [[ ! -e $run.metrics ]] || jq -c 'del(.seconds)' "$run.metrics" >"$run.timeless"
    done
    for part in predictions top changes timeless dead; do
        [[ ! -e $1.$part ]] || cmp "$1.$part" "$2.$part" || return 1
    done
}
