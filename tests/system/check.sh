# leat check finds all mistakes before a byte is read, all at once, with their lines.
# tier: long (18 s)
. "$(dirname "$0")/../support/claims.sh"

cat >"$tmp/five.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "five" {
  leat.source.file { path = "nowhere.csv", max_recrod = "1MB" },
  leat.parse.csv { columns = { "a", "b" }, header = "maybe" },
  leat.label.quantile { column = "a", q = 1.5 },
  leat.feature.columns { columns = { "b" }, cross = 2, cros = 3 },
  leat.learn.awn { budget = "32KB" },
  leat.sink.top { k = true },
  on_eror = "fail",
}
LUA
leat_run check "$tmp/five.lua"
claim_exit "a pipeline full of mistakes ends check with 2" 2
claim_says "every mistake is reported at once, with file and line" \
    "five.lua:3: error:" "five.lua:4: error:" "five.lua:5: error:" "five.lua:6: error:" \
    "five.lua:7: error:" "five.lua:8: error:" "five.lua:2: error:"
claim_says "misspellings are corrected" "did you mean 'max_record'" "did you mean 'cross'" \
    "did you mean 'learn.awm'" "did you mean 'on_error'"
claim "mistakes are sorted by line" sh -c "grep -o 'five.lua:[0-9]*' '$err' | cut -d: -f2 | sort -nc"

# A wrong number of a source hides nothing behind it; nor does check take secrets that are not there.
printf 'a,b\n1,2\n2,3\n' >"$tmp/ab.csv"
cat >"$tmp/behind.lua" <<LUA
local leat = require "leat"
return leat.pipeline "behind" { leat.source.file { "$tmp/ab.csv", max_record = "3 parsec" }, leat.parse.csv {},
  leat.label.quantile { column = "Q" }, leat.feature.columns { "q" }, leat.learn.awm { id = "m" }, leat.sink.top { of = "zz" } }
LUA
leat_run check "$tmp/behind.lua"
claim_says "what stands behind a source with a wrong number is checked, too" 'not "3 parsec"' "no column 'Q'" \
    "no column 'q'" 'of = "zz": no stage has this id' "leat: 4 errors"
for stage in 'http { "http://127.0.0.1:1/${env:NOBODY}" }' 'http { "http://127.0.0.1:1/", header = "A: ${file:/no/where}" }' \
    'kafka { "t", brokers = "h:1", properties = { "sasl.password=${env:NOBODY}" } }'; do
    cat >"$tmp/secret.lua" <<LUA
local leat = require "leat"
return leat.pipeline "secret" { leat.source.file { "$tmp/ab.csv" }, leat.parse.csv {}, leat.sink.$stage }
LUA
    leat_run check "$tmp/secret.lua"
    [[ $(cat "$err") != *"built without"* ]] || continue
    claim_says "a secret that is not there is missed before the run" "secret.lua:2: error: ${stage%% *} (sink.${stage%% *})" \
        '${'
done
cat >"$tmp/branches.lua" <<LUA
local leat = require "leat"
local function bad(k) return leat.map(function(a) if tonumber(a) == k then error("bad " .. k) end return a end, { "a" }, { "c" .. k }, { id = "m" .. k }) end
return leat.pipeline "branches" { leat.source.file { "$tmp/ab.csv" }, leat.parse.csv {}, leat.tee {
  { bad(1), leat.tee { { bad(2), leat.sink.null {} }, { leat.sink.null {} } } }, { leat.sink.null {} }, { bad(3), bad(0), leat.sink.null {} } } }
LUA
leat_run check "$tmp/branches.lua"
claim "each stage of each branch is tried on the first records, once" equal "$(grep -o 'm. (lua.map): . of the first .' "$err" |
    paste -sd';')" "m1 (lua.map): 1 of the first 2;m2 (lua.map): 1 of the first 1"
cat >"$tmp/window.lua" <<LUA
local leat = require "leat"
return leat.pipeline "window" { leat.source.file { "$tmp/ab.csv" }, leat.parse.csv {}, leat.parse.time { "a", format = "unix" }, leat.tee {
  { leat.window { "count", by = { "b" }, every = "1h", budget = "900GB" }, leat.sink.null {} }, { leat.sink.null {} } } }
LUA
leat_run run "$tmp/window.lua" --quiet
refusal=$status
leat_run check "$tmp/window.lua"
claim_exit "a window in a branch that gets no memory is refused as a run refuses it ($refusal)" "$refusal"
printf 'a' >"$tmp/head.csv"
sed "s/ab.csv/head.csv/; s/sink.*/sink.null {} }/" "$tmp/secret.lua" >"$tmp/head.lua"
leat_run check "$tmp/head.lua" --state "$tmp/head.state"
claim_says "what a run with --state refuses, check --state refuses" "may be cut, because no line end follows"

cat >"$tmp/columns.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "columns" {
  leat.source.file { path = "x.csv" },
  leat.parse.csv { columns = { "amount", "payee" } },
  leat.label.quantile { column = "amuont" },
  leat.feature.columns { "payee", "office" },
  leat.learn.awm {},
  leat.sink.top {},
}
LUA
leat_run check "$tmp/columns.lua"
claim_says "a column that is not there is named, with the nearest one" "columns.lua:5: error:" \
    "there is no column 'amuont': did you mean 'amount'?"

cat >"$tmp/nameless.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "nameless" { leat.source.null {}, leat.parse.csv {}, leat.sink.null {} }
LUA
leat_run check "$tmp/nameless.lua"
claim_exit "columns that nothing can name are an error before the run" 2
claim_says "and the source without a header is named" \
    "csv (parse.csv): the columns have no names, because null (source.null) has no header: set \`columns\`"
for first in '{ header = false, columns = { "a" } }' '{}'; do
    echo "x,y" >"$tmp/two.csv"
    cat >"$tmp/second.lua" <<LUA
local leat = require "leat"
local function read() return { leat.source.file { "$tmp/two.csv" }, leat.parse.csv $first } end
return leat.pipeline "second" { leat.merge { read(), read() }, leat.parse.tsv {}, leat.sink.null {} }
LUA
    leat_run check "$tmp/second.lua"
    claim_exit "nor does a header come to a second parser, after one with $first" 2
    claim_says "which is named" \
        "tsv (parse.tsv): the columns have no names, because csv (parse.csv) passes no header on: set \`columns\`"
    leat_run check <(sed 's/parse.tsv {}/parse.tsv { columns = { "b" } }/' "$tmp/second.lua")
    claim_exit "columns that are given do" 0
done

cat >"$tmp/label.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "label" {
  leat.source.file { path = "x.csv" },
  leat.parse.csv { columns = { "payee" } },
  leat.feature.columns { "payee" },
  leat.learn.awm {},
}
LUA
leat_run check "$tmp/label.lua"
claim_says "a missing label is an error that names both stages" "awm (learn.awm): the stage needs labels" \
    "columns (feature.columns) (line 5)"

cat >"$tmp/cycle.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "cycle" {
  { leat.from "b", leat.feature.normalize { id = "a" } },
  { leat.from "a", leat.feature.normalize { id = "b" } },
}
LUA
leat_run check "$tmp/cycle.lua"
claim_exit "a cycle is refused" 2
claim_says "a cycle is called one" "cycle"

cat >"$tmp/ports.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "ports" {
  leat.source.null {},
  leat.tee { { leat.parse.lines {} }, { leat.sink.null {} }, { leat.parse.lines {} } },
  leat.filter(function(text) return text end, { "text" }),
  leat.sink.null {},
}
LUA
leat_run check "$tmp/ports.lua"
claim_says "two open ends need a merge" "ports.lua:5: error: 2 streams reach lua.filter"
cat >"$tmp/dangling.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "dangling" {
  { leat.source.null {}, leat.parse.lines {}, leat.sink.null {}, leat.parse.lines { column = "b" } },
  { leat.sink.null {} },
}
LUA
leat_run check "$tmp/dangling.lua"
claim_says "a stage that nothing reaches, and one that leads nowhere, are errors" \
    "dangling.lua:3: error: lines2 (parse.lines): no stage takes its output" \
    "dangling.lua:4: error: null3 (sink.null): no records reach this stage"

cat >"$tmp/twice.lua" <<'LUA'
local leat = require "leat"
local double = function(n) local m, k = 1, 2; if n then k = 3 end; return { k = m, m = k } end -- { a = 1, a = 2 }
return leat.pipeline "twice" {
  leat.source.null { records = 3, text = "seed = 1, seed = 2",
    ["records"] = double(2).m },
  leat.sink.null {}, seed = 1,
  seed = 2,
}
LUA
leat_run check "$tmp/twice.lua"
claim_says "a key written twice is an error where it stands again" \
    "twice.lua:5: error: key 'records' is written twice" "twice.lua:7: error: key 'seed'" "leat: 2 errors"

cat >"$tmp/syntax.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "x" {
  leat.source.null {
}
LUA
leat_run check "$tmp/syntax.lua"
claim_says "a syntax error has its line" "syntax.lua:5: error:"

cat >"$tmp/upvalue.lua" <<'LUA'
local leat = require "leat"
local src = leat.source.null {}
return leat.pipeline "x" {
  leat.source.null {}, leat.parse.lines {},
  leat.filter(function(text) return src end, { "text" }),
  leat.sink.null {},
}
LUA
leat_run check "$tmp/upvalue.lua"
claim_says "what a function may not capture is named" "upvalue.lua:5: error:" "src"

leat_run check pipelines/explain.lua
claim_exit "the shipped pipeline is in order" 0
claim "check prints the memory plan and the thread plan" grep -q "total" "$out"
claim "check prints the shape of the sketch" grep -qi "sketch" "$out"
leat_run check pipelines/explain.lua --set quantil=0.9
claim_says "a --set that no script reads is an error" "did you mean 'quantile'"

leat_run check "$tmp/five.lua" --json
claim "check --json lists the problems" jq -e '.ok == false and (.problems | length) >= 6' "$out"
leat_run check pipelines/explain.lua --json
claim "check --json holds the plan" jq -e '.ok and .plan.bytes > 0 and (.plan.threads | length) == 3' "$out"
leat_run graph pipelines/explain.lua --format json
claim "graph --format json lists stages and edges" jq -e '(.stages | length) == 6 and (.edges | length) == 5' "$out"
leat_run graph pipelines/explain.lua --format dot
claim "graph --format dot is a digraph" grep -q '^digraph "explain"' "$out"
leat_run graph pipelines/explain.lua
claim "graph prints text" grep -q "model (learn.contrast)" "$out"
cat >"$tmp/outside.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.kafka { "in", brokers = "a:1", start = "earliest" }, leat.parse.csv { header = false, columns = { "a" } },
  leat.route("a", { ['x"\n\27[31m\\'] = { leat.sink.file { path = "o.txt" } }, ["*"] = { leat.sink.kafka { "out", brokers = "a:1" } } }) }
LUA
leat_run graph "$tmp/outside.lua"
for what in "kafka (source.kafka): in" "file (sink.file): o.txt" "(sink.kafka): out"; do
    claim "graph says what is outside: $what" grep -qF "$what" "$out"
done
leat_run graph "$tmp/outside.lua" --json
claim "so does its JSON" equal "$(jq -c '[.stages[] | .reads, .writes | select(.)]' "$out")" \
    '[["in"],["out"],["o.txt"]]'
leat_run graph "$tmp/outside.lua" --format dot
claim "and its dot" grep -qF '[label="kafka (source.kafka)\nin\nbrokers = ' "$out"
claim "keys of routes are quoted in dot" grep -qF '[label="x\"\\n\\x1b[31m\\"]' "$out"
claim "and are on one line, without control characters" sh \
    -c "! LC_ALL=C grep -vqE '^ |^\}|^digraph' '$out' && ! LC_ALL=C grep -q \"\$(printf '\\033')\" '$out'"

leat_run frobnicate
claim_exit "an unknown command ends with 2" 2
leat_run rum x.lua
claim_says "an unknown command is corrected" "did you mean 'run'"
leat_run run "$tmp/missing.lua"
claim_exit "a missing script ends with 2" 2
leat_run plugins learn.awm
claim "plugins NAME documents a stage from its schema" grep -q "budget" "$out"
leat_run plugins learn.amw
claim_says "an unknown stage is corrected" "did you mean 'learn.awm'"
rest_is_long

printf 'while true do end\n' >"$tmp/endless.lua"
leat_run check "$tmp/endless.lua"
claim_says "an endless script is stopped" "endless.lua:1: error:" "5 seconds"

# ---- several learners before one sink.top ----
several() { # END: the pipeline's end
    cat >"$tmp/several.lua" <<LUA
local leat = require "leat"
local learn = leat.learn
return leat.pipeline "several" { leat.source.file { "$tmp/ab.csv" }, leat.parse.csv {},
  leat.label.is { column = "a", positive = "1" }, leat.feature.columns { "b" },
  leat.tee { { learn.awm { id = "one" } }, { learn.wm { id = "two" } }, { learn.logistic { id = "three" } } },
  leat.merge(), $1 }
LUA
    leat_run check "$tmp/several.lua"
}
several 'leat.sink.top {}'
claim_exit "answers of one of several learners are no error" 0
claim_says "but a warning names all" "several.lua:6: warning: top (sink.top): of: the answers are those of one;" \
    'the other learners are two, three: give of = "one", or the id of another'
several 'leat.sink.top { of = "two" }'
claim "of chooses without a warning" test ! -s "$err"
several 'leat.learn.awm { id = "last" }, leat.sink.top {}'
claim "the learner of the whole stream is meant without of" test ! -s "$err"
done_claims
