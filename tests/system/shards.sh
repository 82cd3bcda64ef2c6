# A source with a state for each input: what moves goes on exactly; answers are of all of them.
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

# What is refused.
run shards.lua --set places=3
claim_says "more inputs than there are places for" "no place for input 3"
SHARDS_IN=whole run shards.lua --set budget=4KB
claim_exit "the state of another model is a wrong configuration" 2
claim_says "is refused by the name of the field" "the state of input 0 comes from another pipeline" "budget is" "4"
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
claim_says "a sink that keeps what it cannot save" "risk (eval.risk): the source keeps a state for each" "cannot save its state"
cat >two.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "two" {
  leat.merge { { leat.stage("source.shards") }, { leat.stage("source.shards") } },
  leat.parse.libsvm {}, leat.learn.logistic {},
}
LUA
leat_run check two.lua --plugin-path plugins
claim_says "a second source" "also found: shards (source.shards) (line 3)"
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
