# every_state.sh -- pipelines that together have every stage with a state, and every evaluator.
#
#   every_state_make ROWS       writes learners.lua, shapes.lua, evaluators.lua …, whole.svm and whole.csv of ROWS
#                               records. The list of learners is leat's own. Evaluators have no snapshot
#   every_state_run NAME ROWS COMMAND…   lets COMMAND, a leat with options of run after it, read the first ROWS records
#                               in the folder NAME, with learners.state and shapes.state there
#   every_state_evaluate NAME COMMAND…   lets it evaluate all records
#   every_state_dump NAME       prints both states without what depends on the clock or counts batches
#   every_state_missing NAME    prints the names of stages with a state that are not in the dumps of NAME
#   every_state_same A B        compares states and outputs of two folders. Prints the names of those that differ
#   A folder's states do not change after it is compared.

# Their records come from elsewhere, or are none.
every_state_elsewhere='source.http source.kafka source.null source.pcap source.socket'

# Prints the learners of a kind, as a list in Lua.
every_state_names() {
    "$LEAT" plugins --json | jq -r "[.[] | select(.kind == \"learner\" and $1) | .name | sub(\"learn.\"; \"\") |
        \"\\\"\(.)\\\"\"] | join(\", \")"
}

every_state_learners() {
    printf 'local predict, count = { %s }, { %s }\n' "$(every_state_names '(.makes | length > 0)')" \
        "$(every_state_names '(.makes | length == 0)')"
    cat <<'LUA'
local leat = require "leat"
local cfg = { fd_amm = { of = "product", method = "fd_amm", size = 8 }, cod = { of = "product", method = "cod", size = 8 } }
for _, name in ipairs { "fm", "fm_ftrl", "fd_son", "rfd_son", "oja_son", "rp_son", "sftrl", "ocg", "s_adagrad" } do
  cfg[name] = { max_features = 512 }
end
local branches = {}
local function branch(name, before, ...)
  local params, of = { id = name }, name
  for key, value in pairs(cfg[name] or {}) do if key == "of" then of = value else params[key] = value end end
  branches[#branches + 1] = { before, leat.learn[of](params), ... }
  table.insert(branches[#branches], leat.sink.top { id = "top_" .. name, path = name .. ".top", format = "csv", k = 40, every = 150 })
end
for _, name in ipairs(predict) do
  branch(name, leat.label.holdout { id = "held_" .. name, period = 7 },
    leat.sink.predictions { id = "predict_" .. name, path = name })
end
table.insert(count, "cod")
table.insert(count, "fd_amm")
for _, name in ipairs(count) do branch(name, leat.feature.sides { id = "sides_" .. name, below = 150 }) end
return leat.pipeline "learners" { leat.source.file { path = "../data.svm" }, leat.parse.libsvm {}, leat.tee(branches),
  batch_rows = leat.args.batch_rows or 100, threads = leat.args.threads or 2 }
LUA
}

# Everything else with a state.
every_state_shapes() {
    cat <<'LUA'
local leat = require "leat"
local function out(name) return leat.sink.file { id = "to_" .. name, path = name, format = "csv" } end
local n, seen = 0, {}
local kept = { state = { "n", "seen" } }
return leat.pipeline "shapes" {
  leat.source.file { path = "../data.csv" }, leat.parse.csv {}, leat.parse.time { column = "at" },
  leat.tee {
    { leat.window { "count", "sum(v)", "mean(v)", "min(v)", "max(v)", "quantile(v, 0.9)", "distinct(user)",
      "top(user, 3)", every = "1min", slide = "20s", by = { "host" }, lateness = "10s" }, out "window" },
    { leat.shape.dedup { by = { "user", "host" }, within = "1min" }, out "dedup" },
    { leat.shape.reservoir { k = 30 }, out "reservoir" },
    { leat.shape.sample { rate = 0.4 }, out "sample" },
    { leat.shape.sort { lateness = "40s" }, out "sort" },
    { leat.map(function(v) n = n + 1 seen[n % 7] = v return (seen[(n + 1) % 7] or 0) + n end, { "v:number" },
        { "m:number" }, kept),
      leat.filter(function(v) n = n + 1 seen[n % 7] = v return (seen[(n + 1) % 7] or 0) < 90 end, { "v:number" }, kept),
      leat.batch(function(b) n = n + #b seen[1] = n b:where("v:number", ">", 20) end, kept),
      leat.flat(function(emit, v) n = n + 1 seen[n % 7] = v emit(n) emit(seen[(n + 1) % 7]) end, { "v:number" },
        { "w:number" }, kept), out "lua" },
    { leat.label(function(v) n = n + 1 seen[n % 7] = v return (seen[(n + 1) % 7] or 0) > 50 end, { "v:number" }, kept),
      leat.features(function(v) n = n + 1 seen[n % 7] = v return "n=" .. n // 40 % 9, "s", seen[3] end, { "v:number" },
        kept), leat.learn.awm { id = "lua_learner" }, leat.sink.top { id = "top_lua", path = "lua_top", format = "csv" } },
    { leat.label.mad { column = "v", warmup = 20 }, leat.feature.columns { id = "both", columns = { "host", "user" } },
      leat.learn.contrast { id = "counted" }, leat.sink.changes { path = "changes", format = "csv", every = 100 },
      leat.result.changes { id = "changed", every = 100 }, out "changed" },
    { leat.label.quantile { column = "v", q = 0.8 }, leat.label.weight { classes = "balanced" },
      leat.feature.columns { id = "all", columns = { "host", "user" }, numbers = { "v" } },
      leat.learn.logistic { id = "weighed" }, leat.eval.drift { path = "drift", format = "csv", threshold = 2 },
      leat.sink.metrics { path = "metrics", every = 100 } },
    { leat.feature.tokens { column = "text" }, leat.feature.pairs { reservoir = 50 }, leat.learn.awm { id = "pairs_learner" },
      leat.sink.top { id = "top_pairs", path = "pairs", format = "csv" } },
  },
  batch_rows = leat.args.batch_rows or 100, threads = leat.args.threads or 2,
}
LUA
}

# A parser with a state: the heads of its inputs.
every_state_heads() {
    cat <<'LUA'
local leat = require "leat"
return leat.pipeline "heads" { leat.source.file { path = "../data.log" }, leat.parse.fields { "host", "v" },
  leat.sink.file { path = "heads", format = "csv" }, batch_rows = leat.args.batch_rows or 100, threads = leat.args.threads or 2 }
LUA
}

# One with messages in parts.
every_state_parts() {
    cat <<'LUA'
local leat = require "leat"
return leat.pipeline "parts" { leat.source.file { path = "../data.cri" }, leat.parse.container {},
  leat.sink.file { path = "parts", format = "csv" }, batch_rows = leat.args.batch_rows or 100, threads = leat.args.threads or 2 }
LUA
}

every_state_evaluators() {
    cat <<'LUA'
local leat = require "leat"
local function to(t) t.path, t.format = "eval_" .. t[1], "csv" t[1] = nil return t end
return leat.pipeline "evaluators" { leat.source.file { path = "../data.svm" }, leat.parse.libsvm {}, leat.tee {
  { leat.feature.sides { below = 150 }, leat.eval.product(to { "product", methods = { "scod", "cod", "fd_amm" }, sizes = { "8" } }) },
  { leat.learn.awm {}, leat.eval.risk(to { "risk" }), leat.eval.deltoids(to { "deltoids" }), leat.eval.drift(to { "drift", threshold = 2 }) },
  { leat.eval.directions(to { "directions", m = { "4", "8" }, features = 400 }) } },
  batch_rows = leat.args.batch_rows or 100, threads = leat.args.threads or 2 }
LUA
}

every_state_make() {
    every_state_learners >learners.lua
    every_state_shapes >shapes.lua
    every_state_heads >heads.lua
    every_state_parts >parts.lua
    every_state_evaluators >evaluators.lua
    svm_examples 7 "$1" 6 300 | sed -E 's/:1( |$)/:0.37\1/g' >whole.svm
    awk -v rows="$1" 'BEGIN {
        srand(3)
        print "at,host,user,v,text"
        for (i = 0; i < rows; i++) {
            t = i * 3 + int(rand() * 30)
            printf "2024-05-01T%02d:%02d:%02dZ,h%d,u%d,%.3f,w%d w%d w%d\n", int(t / 3600), int(t / 60) % 60, t % 60,
                rand() * 5, rand() * rand() * 60, rand() * 100 + (rand() < 0.05) * 500, rand() * 40, rand() * 40,
                rand() * rand() * 40
        }
    }' >whole.csv
}

# every_state_leat SCRIPT COMMAND… [--OPTION…]: runs the script; the options follow it.
every_state_leat() {
    local script=$1 command=()
    shift
    while (($#)) && [[ $1 != --* ]]; do command+=("$1") && shift; done
    "${command[@]}" run "$script" --quiet "$@" 2>>stderr
}

every_state_run() {
    local name=$1 pipeline
    mkdir -p "$name"
    head -n "$2" whole.svm >data.svm
    head -n $(($2 + 1)) whole.csv >data.csv
    tr , '\t' <data.csv | sed '1s/^/#fields\t/' >data.log
    awk -F, 'NR > 1 { print $1, NR % 2 ? "stdout" : "stderr", NR % 5 ? "P" : "F", $2 $5 }' data.csv >data.cri
    shift 2
    for pipeline in learners shapes heads parts; do
        (cd "$name" && every_state_leat ../$pipeline.lua "$@" --state $pipeline.state) || return
    done
}

every_state_evaluate() {
    local name=$1
    mkdir -p "$name"
    cp whole.svm data.svm
    shift
    (cd "$name" && every_state_leat ../evaluators.lua "$@")
}

every_state_dump() {
    for pipeline in learners shapes heads parts; do
        "$LEAT" model dump "$1/$pipeline.state" | sed 1d | grep -vE '"field":"(created|batches)"|"stage/metrics/0","field":"length"'
    done
}

# Dumps are large, so that of a folder is made once.
every_state_dumped() {
    [[ -e $1.dump ]] || every_state_dump "$1" >"$1.dump"
    echo "$1.dump"
}

every_state_missing() {
    comm -13 <(grep -oE '"stage":"[^"]+"' "$(every_state_dumped "$1")" | cut -d'"' -f4 | sort -u) \
        <("$LEAT" plugins --json | jq -r '.[] | select(.in_snapshots) | .name' |
            grep -vxE "${every_state_elsewhere// /|}" | sort)
}

every_state_same() {
    local a b
    diff -rq -x '*.state' -x stderr -x metrics "$1" "$2"
    a=$(every_state_dumped "$1") b=$(every_state_dumped "$2")
    cmp -s "$a" "$b" || diff "$a" "$b" | grep -oE '"section":"[^"]*","field":"[^"]*"' | sort -u
}
