# A source with a state for each input: moved inputs continue exactly; answers cover all of them.
# tier: long (9 s, waits)
. "$(dirname "$0")/../support/claims.sh"
mkdir "$tmp/plugins"
cp "${B:-build/release}/tests/plugins/shards.so" "$tmp/plugins"
cd "$tmp" || exit 1
cat >shards.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "shards" {
  leat.stage("source.shards", { rows = a.rows, places = a.places }),
  leat.parse.csv { delimiter = " ", header = false, columns = { "y", "a", "b", "c" } },
  leat.label.quantile { column = "y", q = 0.7, warmup = 50 },
  leat.feature.columns { "a", "b", "c", cross = 2, explode = true },
  leat.learn.awm { id = "model", budget = a.budget or "2KB" },
  leat.sink.top { k = 10, every = a.every },
  threads = a.threads, seed = a.seed,
}
LUA
cat >beside.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "beside" {
  leat.stage("source.shards", { rows = a.rows }),
  leat.parse.csv { delimiter = " ", header = false, columns = { "y", "a", "b", "c" } },
  leat.label.quantile { column = "y", q = 0.7, warmup = 50 }, leat.feature.columns { "a", "b", "c" },
  leat.tee { { leat.learn.logistic { id = "a" } }, { leat.learn.awm { id = "b" } } },
  leat.merge {}, leat.sink.top { of = "a", k = 5 }, leat.sink.top { of = "b", k = 5 }, threads = a.threads,
}
LUA
run() { # script and arguments; SHARDS_OUT=what they learned
    leat_run run "$1" --plugin-path plugins --quiet --summary s.json "${@:2}"
}
same() { # the states in two sets of files
    for k in 0 1 2 3 4; do cmp "$1.$k" "$2.$k" || return 1; done
}

SHARDS_OUT=whole run shards.lua
claim_exit "each input has a model" 0
cp "$out" whole.top
claim "the answer is of all of them" [ "$(stage model examples)" = 28500 ]
for threads in 1 2 5; do
    SHARDS_OUT=moved SHARDS_MOVES=1 SHARDS_BATCH=$((10 + 9 * threads)) run shards.lua --set threads=$threads
    claim "inputs move ($threads threads)" [ "$(stage shards moved)" -gt 2 ]
    claim "what moves has learned what what stays has ($threads threads)" same whole moved
    SHARDS_OUT=early SHARDS_MOVES=early SHARDS_BATCH=$((10 + 9 * threads)) run shards.lua --set threads=$threads \
        --set places=12
    claim_exit "inputs end while they are read, and while a checkpoint is under way ($threads threads)" 0
    claim "what they left is the state of that checkpoint ($threads threads)" same whole early
    SHARDS_OUT=late SHARDS_MOVES=late SHARDS_BATCH=$((10 + 9 * threads)) run shards.lua --set threads=$threads \
        --set places=12
    claim_exit "inputs end when a checkpoint is over, but not yet reported ($threads threads)" 0
    claim "what they left is that state, too ($threads threads)" same whole late
done
ended=
for _ in 1 2 3 4 5; do # the last worker may be slow to let go of what the first has closed
    SHARDS_OUT=moved SHARDS_MOVES=1 run shards.lua --set every=1000
    ended+=$status
done
claim "there are answers under way" [ "$(grep -c Heaviest "$out")" -gt 5 ]
claim "none of which asks what is gone" equal $ended 00000
SHARDS_OUT=beside run beside.lua
cp "$out" beside.top
SHARDS_OUT=beside2 SHARDS_MOVES=1 run beside.lua --set threads=6
claim "two learners behind a tee move as well" same beside beside2
claim "and answer the same" cmp "$out" beside.top
claim "of all inputs" [ "$(stage a examples)/$(stage b examples)" = 4750/4750 ]

# ---- stages that make other records: what they have kept is the input's ----

cat >kept.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local n, y, which = 0, 0, nil
local function totals(emit, value, input, last)
  if last then emit(which, n, y) return end
  n, y, which = n + 1, y + value, input
  if n % 100 == 0 then emit(input, n, y) end
end
return leat.pipeline "kept" {
  leat.stage("source.shards", { rows = a.rows, places = a.places }),
  leat.parse.csv { delimiter = " ", header = false, columns = { "y", "a", "b", "c" } },
  leat.tee {
    { leat.sink.file { format = "csv", path = "rows.csv" } },
    { leat.window { "count", "sum(y)", "max(y)", every = "60s", by = { "c" } }, leat.sink.file { path = "windows.csv", format = "csv" },
      leat.window { "count", "sum(count)", every = "5min", by = { "c" } }, leat.sink.file { path = "twice.csv", format = "csv" } },
    { leat.flat(totals, { "y:number", "c", "@end" }, { "c", "n:number", "y:number" }, { state = { "n", "y", "which" } }),
      leat.sink.file { path = "totals.csv", format = "csv" } },
    { leat.sort_window { lateness = "30s" }, leat.shape.reservoir { k = 40 }, leat.sink.file { path = "sample.csv", format = "csv" } },
  },
  threads = a.threads, batch_rows = a.batch,
}
LUA
kept=(windows twice totals sample)
# Row n of an input is of second n. Groups by input and span: count, sum and greatest of y.
grouped() { # grouped SECONDS
    awk -F, -v every="$1" 'NR > 1 { t = n[$4]; n[$4] = t + 1; k = strftime("%Y-%m-%dT%H:%M:%SZ", t - t % every,
        1) "," $4
        c[k]++; s[k] += $1; if (!(k in m) || $1 > m[k]) m[k] = $1 } END {
        for (k in c) print k "," c[k] "," s[k] "," m[k] }' rows.csv | sort
}
body() { sed 1d "$1" | sort; }
keep() { # keep NAME: what a run has given, as files NAME.*
    local k
    for k in "${kept[@]}"; do mv "$k.csv" "$1.$k"; done
}
gave_the_same() { # gave_the_same A B: whatever comes again
    local k
    for k in "${kept[@]}"; do diff <(body "$1.$k" | uniq) <(body "$2.$k" | uniq) || return 1; done
}
SHARDS_OUT=end run kept.lua
claim_exit "windows, totals and samples are kept for each input" 0
claim "windows are those of all records, to the last" diff <(grouped 60) <(body windows.csv)
claim "and so are windows of windows, which end after them" diff <(grouped 300 | cut -d, -f1-3) <(body twice.csv |
    cut -d, -f1,2,4)
claim "a function's variables are the input's, and it is told of each end" \
    diff <(awk -F, 'NR > 1 { s[$4] += $1; if (++n[$4] % 100 == 0) print $4 "," n[$4] "," s[$4] } END {
        for (k in n) print k "," n[k] "," s[k] }' rows.csv | sort) <(body totals.csv)
claim "each input has a sample" equal "$(body sample.csv | cut -d, -f4 | sort | uniq -c | xargs)" \
    "40 300:1 40 301:1 40 302:1 40 303:1 40 304:1"
keep whole
for threads in 1 3 9; do
    SHARDS_OUT=moved SHARDS_MOVES=1 SHARDS_BATCH=$((7 + 9 * threads)) run kept.lua --set threads=$threads \
        --set batch=$((40 * threads))
    claim "inputs move ($threads threads)" [ "$(stage shards moved)" -gt 2 ]
    keep moved
    claim "what they have kept goes with them ($threads threads)" gave_the_same moved whole
    claim "and their states are the same ($threads threads)" same end moved
    SHARDS_OUT=early SHARDS_MOVES=early SHARDS_BATCH=$((7 + 9 * threads)) run kept.lua --set threads=$threads \
        --set batch=$((40 * threads)) --set places=12
    keep early
    claim "also when they end while they are read ($threads threads)" gave_the_same early whole
    claim "and so do their states ($threads threads)" same end early
done
cp whole.windows again.windows
SHARDS_IN=end SHARDS_OUT=again run kept.lua
claim "a run that continues after the end has nothing to add" equal "$(cat windows.csv twice.csv totals.csv sample.csv |
    wc -l)" 4
claim "and leaves the states as they are" same end again

# Stopped, it keeps what is open; whoever continues gives it. The last has no more records, and gives what is kept.
from=
for until in 130 500 1000 9999; do
    SHARDS_IN=$from SHARDS_OUT=until$until SHARDS_HOLD=$until run kept.lua
    claim_exit "a run that ends after $until records of each input" 0
    for k in "${kept[@]}"; do sed "${from:+1d}" "$k.csv" >>"parts.$k"; done
    [[ $until != 1000 ]] || claim "stopped at the end, it gives nothing that is open" equal "$(tail -n +2 windows.csv |
        grep -c :16:)" 0
    from=until$until
done
claim "together they have given what one run gives" gave_the_same parts whole
claim "each of it once" equal "$(cat parts.windows parts.twice parts.totals parts.sample | wc -l)" \
    "$(cat whole.windows whole.twice whole.totals whole.sample | wc -l)"
claim "and have left the same states" same until9999 end

# Predictions are of an input; what the models answer is of all.
cat >results.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "results" {
  leat.stage("source.shards", { rows = a.rows }),
  leat.parse.csv { delimiter = " ", header = false, columns = { "y", "a", "b", "c" } },
  leat.label.quantile { column = "y", q = 0.7, warmup = 50 },
  leat.feature.columns { "a", "b", "c", explode = true }, leat.learn.awm { id = "model", budget = "2KB" },
  leat.tee {
    { leat.result.predictions { "c" }, leat.window { "count", "mean(score)", every = "60s", by = { "c" } }, leat.sink.file { path = "scores.csv", format = "csv" } },
    { leat.result.top { k = 10, columns = { "weight" } }, leat.filter(function() return true end, { "feature" }),
      a.after and leat.window { "count", every = "60s" } or {}, leat.sink.file { path = "top.csv", format = "csv" } },
  },
  threads = a.threads,
}
LUA
kept=(scores top)
run results.lua
claim_exit "what learners find becomes records" 0
keep whole
claim "answers once, of all inputs" equal "$(wc -l <whole.top)" 11
claim "predictions are windowed by input" equal "$(body whole.scores | awk -F, '{ n += $3 } END { print NR, n }')" \
    "85 $(stage model examples)"
for threads in 1 4; do
    SHARDS_OUT=moved SHARDS_MOVES=1 run results.lua --set threads=$threads
    keep moved
    claim "and the same, when inputs move ($threads threads)" gave_the_same moved whole
done
leat_run check results.lua --plugin-path plugins --set after=1
claim_exit "windows of answers are refused" 2
claim_says "with what to do" "window2 (shape.window): the source keeps a state for each of its inputs" \
    "its records come from top (result.top) (line 10), which mixes all inputs. Put it before that stage"

# What is refused.
run shards.lua --set places=3
claim_says "more inputs than there are places for" "no place for input 3"
SHARDS_IN=whole run shards.lua --set budget=4KB
claim_exit "the state of another model is a wrong configuration" 2
claim_says "is refused by the name of the field" "the state of input 0 comes from another pipeline" "budget is" "4"
sed 's/leat.learn.logistic { id = "a" }/leat.learn.logistic { id = "a", max_features = a.max }/' beside.lua >limit.lua
SHARDS_OUT=small run limit.lua --set max=4096
SHARDS_IN=small SHARDS_OUT=large run limit.lua --set max=8192
claim_exit "a limit that is raised takes the states" 0
claim "as they are" test "$(stage a ignored_entries)" = 0
SHARDS_IN=large run limit.lua --set max=4096
claim_says "one that is lowered does not" \
    "the state of input 0 comes from another pipeline: a: max_features is 4096 here and 8192 there"
SHARDS_IN=whole run shards.lua --set seed=9
claim_says "another seed" "seed is 9 here and 1 there"
head -c 3000 whole.0 >cut.0
SHARDS_IN=cut run shards.lua
claim_says "a state that is cut short" "the state of input 0 cannot be used: it is truncated at byte 3000 of"
leat_run run shards.lua --plugin-path plugins --state dir
claim_exit "a directory as well" 2
claim_says "is refused" "cannot save its state" "run the pipeline without --state"
sed 's/leat.sink.top.*/leat.eval.risk {},/' shards.lua >keeps.lua
leat_run check keeps.lua --plugin-path plugins
claim_says "a sink that keeps what it cannot save" "risk (eval.risk): the source keeps a state for each" \
    "cannot save its state"
cat >two.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "two" {
  leat.merge { { leat.stage("source.shards") }, { leat.stage("source.shards") } },
  leat.parse.libsvm {}, leat.learn.logistic {},
}
LUA
leat_run check two.lua --plugin-path plugins
claim_says "a second source" "remove shards (source.shards) (line 3)"
leat_run check shards.lua --plugin-path plugins
claim "check says how many states, and what they take" grep -qE 'shards +5 states +[0-9.]+ [KM]B' "$out"

# ---- the plan ----

cat >fit.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "fit" {
  leat.stage("source.shards", { rows = 1 }), leat.parse.csv { delimiter = " ", header = false, columns = { "y", "a" } },
  leat.label.quantile { column = "y", q = 0.7 }, leat.feature.columns { "a" },
  leat.learn.logistic { id = "model", max_features = a.max }, memory = a.memory,
}
LUA
leat_run check fit.lua --plugin-path plugins
claim "what each input keeps is not lost without a sink" sh -c "! grep -q 'is lost' '$err'"
leat_run check fit.lua --plugin-path plugins --set memory=2GB
claim_exit "memory refuses what the inputs may keep together" 2
fits=$(grep -o 'max_features = [0-9]* of model (learn.logistic) fits' "$err" | grep -o '[0-9]*')
claim "with the max_features that fits" test "${fits:-0}" -gt 0
leat_run check fit.lua --plugin-path plugins --set memory=2GB --set max="${fits:-0}"
claim_exit "which then passes" 0
done_claims
