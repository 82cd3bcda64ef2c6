# leat.result.*: answers of learners as records. Predictions equal sink.predictions', and later stages take them.
. "$(dirname "$0")/../support/claims.sh"
plugins=$PWD/${B:-build/release}/tests/plugins
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise # the shell's words on killed children

awk 'BEGIN { srand(5); print "id,host,path,at,class"
    for (i = 0; i < 6000; i++) { bad = rand() < .3
        printf "%d,h%d,/p%d,%d,%s\n", i, bad && rand() < .7 ? 3 : int(rand() * 12), rand() * 5, 1700000000 + 7 * i,
        i % 97 == 5 ? "" : bad ? "bad" : "ok" } }' >in.csv

cat >predictions.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local bad, columns = a.bad, { "id", "host", "n" }
return leat.pipeline "predictions" {
  threads = a.threads, batch_rows = a.rows, batch_bytes = a.bytes, dead_letters = a.dead, max_reject_ratio = 1,
  leat.source.file { path = "in.csv" }, leat.parse.csv {}, leat.parse.time { "at", format = "unix", parts = { "iso8601" } },
  leat.shape.set { "n = number(id) / 8" },
  leat.label.is { column = "class", positive = "bad", missing = "reject" },
  leat.feature.columns { "host", "path", explode = a.explode }, leat.learn.logistic {},
  leat.tee {
    { leat.sink.predictions { path = a.direct or "direct", columns = columns, format = "csv" } },
    { leat.sink.predictions { path = (a.direct or "direct") .. ".p", probability = true, format = "csv" } },
    { leat.result.predictions(columns), leat.shape.where { a.where or "true" },
      leat.filter(function(id) if id == bad then error("no") end return true end, { "id" }),
      leat.sink.file { path = a.out, format = "csv", columns = a.columns } },
  },
}
LUA
run() { leat_run run predictions.lua --quiet "$@"; }

run --set out=rows
claim "a run with a result ends well" equal "$status" 0
claim "its columns are the prediction and those asked for" equal "$(head -1 rows)" score,probability,label,id,host,n
claim "they are the scores, labels and columns that sink.predictions writes" \
    cmp <(cut -d, -f1,3- rows) <(cut -d, -f2- direct)
claim "and its probabilities" cmp <(cut -d, -f2 rows) <(cut -d, -f2 direct.p)
claim "there are as many as examples" equal "$(wc -l <rows)" 5939
for how in "threads=1" "threads=4 rows=7" "threads=8 rows=1" "threads=2 rows=64 bytes=4096"; do
    # shellcheck disable=SC2046
    run $(printf -- '--set %s ' $how) --set out=other --set direct=other.direct
    claim "with $how the same bytes come out" cmp rows other
done
run --set where="score > 0.2 and label > 0" --set out=few
claim "later stages filter by them" cmp <(tail -n +2 few) <(awk -F, 'NR > 1 && $1 > 0.2 && $3 > 0' rows)
run --set where="at > 0"
claim_exit "columns that were not asked for are gone" 2
claim_says "which is said" "there is no column 'at'" "columns: score, probability, label, id, host, n"
run --set out=many --set direct=many.direct --set explode=true
claim "a record of several examples makes as many" cmp <(cut -d, -f1,3- many) <(cut -d, -f2- many.direct)
claim "of each of its attributes one" equal "$(wc -l <many)" 11877

run --set bad=8 --set out=o --set dead=dead
claim "a dead letter of a later stage has the bytes and the line that the record comes from" equal \
    "$(jq -r 'select(.stage == "filter") | "\(.line) \(.record)"' dead)" "$(awk -F, '$1 == 8 { print NR " " $0 }' \
    in.csv)"

# The longest record fills a batch of its own; its columns fit beside it, but not twice.
long=$(printf 'x%.0s' {1..3500})
printf 'id,host,path,at,class\n1,%s,p,1700000000,ok\n2,%s,p,1700000001,bad\n' "$long" "$long" >in.csv
run --set bytes=4096 --set out=wide
claim "records as large as a batch come out whole" equal "$(cut -d, -f5 wide | sed 1d | sort | uniq -c |
    awk '{ print $1, length($2) }')" "2 3500"

cat >kinds.lua <<'LUA'
local leat = require "leat"
local learner = ({ value = leat.learn.sftrl { loss = "squared" }, margin = leat.learn.awm {} })[leat.args.kind]
return leat.pipeline "kinds" { leat.source.file { path = "rows.svm" }, leat.parse.libsvm { label = "raw" }, learner,
  leat.result.predictions {}, leat.sink.file { format = "csv" } }
LUA
printf '1 1:1\n0 2:1\n1 1:2\n' >rows.svm
leat_run run kinds.lua --quiet --set kind=value
claim "an estimated value has no probability" equal "$(head -1 "$out")" score,label
leat_run run kinds.lua --quiet --set kind=margin
claim "log odds have one, and records need no columns" equal "$(head -2 "$out" |
    tr '\n' ' ')" "score,probability,label 0,0.5,1 "

# ---- answers ----

awk 'BEGIN { srand(7); print "id,host,path,at,class"; at = 1700000000
    for (i = 0; i < 6000; i++) { bad = rand() < .3; at += int(rand() * 15) - 2
        printf "%d,h%d,/p%d,%d,%s\n", i, bad && rand() < .7 ? (i < 3000 ? 3 : 4) : int(rand() * 12), rand() * 5, at,
        bad ? "bad" : "ok" } }' >in.csv
cat >answers.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local every, clock = a.hours and a.hours .. "h" or tonumber(a.every or 700), a.clock or a.hours and "event" or nil
local function both(sink, result, with)
  with.every, with.clock = every, clock
  local to = {}
  for k, v in pairs(with) do to[k] = v end
  to.path, to.format = a.out .. "." .. sink .. ".sink", sink ~= "metrics" and "csv" or nil
  return { leat.tee {
    { leat.sink[sink](to) },
    { leat.result[sink](with), leat.shape.where { a.where or "true" },
      leat.sink.file { path = a.out .. "." .. sink, format = sink == "metrics" and "jsonl" or "csv" } },
  } }
end
return leat.pipeline "answers" {
  threads = a.threads, batch_rows = a.rows or 64, dead_letters = a.dead,
  leat.source.file { path = "in.csv" }, leat.parse.csv {}, a.timeless and {} or leat.parse.time { "at", format = "unix" },
  leat.label.is { column = "class", positive = "bad" }, leat.feature.columns { "host", "path" },
  leat.learn[a.learner or "awm"] { id = "m", counts = not a.learner and true or nil },
  leat.tee {
    both("changes", "changes", { k = 4, weight_change = 0.3 }),
    both("top", "top", { k = 7, columns = { a.column }, min_count = a.min_count }),
    both("metrics", "metrics", {}),
    { a.saved and leat.sink.null {} or leat.eval.deltoids { every = every, clock = clock, path = a.out .. ".deltoids", format = "csv" } },
    { leat.sink.top { k = 2, every = every, clock = clock, path = a.out .. ".table", title = "Top" } },
  },
}
LUA
answers() { leat_run run answers.lua --quiet "$@"; }

answers --set out=a
claim "answers become records" equal "$status" 0
claim "each change is one, as sink.changes writes it" cmp a.changes.sink a.changes
claim "each row of a list, as sink.top writes it" cmp a.top.sink a.top
claim "and each line of figures, as sink.metrics writes it" cmp <(jq -c 'del(.seconds)' a.metrics.sink) \
    <(jq -c 'del(.examples_held_out, .error_rate_held_out, .log_loss_held_out, .auc_held_out, .auc_error_held_out)' a.metrics)
answered() { sed 1d "$1" | cut -d, -f1-3 | uniq; }
claim "an evaluation says what it holds as well" equal "$(answered a.deltoids)" "$(answered a.top)"
claim "and a table for people in its title" equal "$(sed \
    -n 's/^Top (m, \([0-9,]*\) examples, until \(.*\) \(.*\) UTC.*/m,\1,\2T\3Z/p' a.table |
    sed 's/\(m,[0-9]*\),\([0-9]*,2\)/\1\2/')" "$(answered a.top)"
claim "there are several answers" below 8 "$(cut -d, -f2 a.top | sort -u | wc -l)"
claim "records have the latest event time that the learner has seen" equal "$(cut -d, -f2,3 a.top | sed 1d |
    sort -u -n)" \
    "$(awk -F, 'NR > 1 { if ($4 > t) t = $4; if ((NR - 1) % 700 == 0 || NR == 6001)
        print NR - 1 "," strftime("%Y-%m-%dT%H:%M:%SZ", t, 1) }' in.csv)"
answers --set out=s --set saved=1 --state kept
"$LEAT" model top kept --k 7 --format csv >kept.top
claim "a snapshot says it too" equal "$(sed 1d kept.top | cut -d, -f3 | uniq)" "$(tail -1 a.top | cut -d, -f3)"
for threads in 1 2 8; do
    answers --set out=b --set threads=$threads
    claim "with $threads threads they are the same bytes" cmp <(cat a.changes a.top a.metrics) <(cat b.changes b.top \
        b.metrics)
done
answers --set out=few --set where="examples > 3000"
claim "later stages filter them" cmp <(sed 1d few.top) <(awk -F, 'NR > 1 && $2 > 3000' a.top)

# An answer comes at each record that reaches or passes an hour.
answers --set out=e --set hours=1
hours() { awk -F, 'NR > 1 { if (NR > 2 && int($4 / 3600) > int(t / 3600)) print NR - 1; if ($4 > t) t = $4 } END {
    print NR - 1 }' in.csv; }
claim "by event time an answer is given where it passes a multiple of an hour" equal "$(cut -d, -f2 e.top | sed 1d |
    uniq)" "$(hours)"
claim "to sinks as well" cmp e.changes.sink e.changes
claim "lists and figures, too" equal "$(cut -d, -f2 e.top.sink | sed 1d | uniq) $(jq .examples e.metrics.sink)" \
    "$(hours) $(hours)"
claim "and evaluations" equal "$(cut -d, -f2 e.deltoids | sed 1d | uniq)" "$(hours)"
for how in "threads=1" "threads=8" "rows=1" "rows=2000"; do
    answers --set out=f --set hours=1 --set "$how"
    claim "the same with $how" cmp <(cat e.changes e.top e.metrics) <(cat f.changes f.top f.metrics)
done
answers --set out=f --set hours=100000
claim "a span that no record passes gives the last answer alone" equal "$(cut -d, -f2 f.top | sed 1d | uniq)" 6000

mistake() { # mistake "words" "text" ARGS…
    leat_run check answers.lua --set out=x "${@:3}"
    claim_says "$1" "$2"
}
mistake "event time needs a span of time" \
    'clock: "event" needs a time, and `every` is a number of examples: set it to a time such as "10min"' --set clock=event
mistake "and records that have it" \
    'clock: "event" needs event times, but the records that reach m (learn.awm) (line' --set hours=1 --set timeless=1
mistake "a clock that is none is refused" 'clock must be "wall" or "event", not "evnt": did you mean "event"?' \
    --set clock=evnt
mistake "a column that the learner does not have is refused" \
    "m (learn.awm) has no column 'wieght': did you mean 'weight'?" --set column=wieght
mistake "and one with a heading" "'weight=w' has a heading, but records have the learner's own names" \
    --set column=weight=w
answers --set out=g --set timeless=1
claim "without event times there is no column for them" equal "$(head -1 g.changes)" \
    learner,examples,change,feature,weight
claim "nor do sinks have one" cmp g.changes.sink g.changes
claim "and titles do not name one" equal "$(grep -c until g.table)" 0
answers --set out=g --set learner=logistic --set min_count=3
claim_says "a condition that the learner cannot keep is told" "min_count: m does not have this for its features"
answers --set out=g --set column=count
claim "those columns that are named are given" equal "$(head -1 g.top)" learner,examples,time,rank,feature,count
cat >alone.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "alone" { leat.source.file { path = "in.csv" }, leat.parse.csv {}, leat.result.top {}, leat.sink.null {} }
LUA
leat_run check alone.lua
claim_says "without a learner there is nothing to ask" \
    "this stage asks a learner for its model, but there is no learner before it"

# What a learner has of features in the same records.
cat >twins.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "twins" {
  leat.source.file { path = "twins.csv" }, leat.parse.csv {}, leat.label.is { column = "class", positive = "bad" },
  leat.feature.columns { "a", "b" }, leat.learn.contrast {},
  leat.tee { { leat.sink.top { k = 3, path = "twins.sink", format = "csv" } }, { leat.result.top { k = 3 }, leat.sink.file { path = "twins.rows", format = "csv" } } },
}
LUA
awk 'BEGIN { print "a,b,class";
    for (i = 0; i < 400; i++) print "a" i % 4 ",b" i % 4 "," (i % 4 == 1 ? "bad" : "ok") }' >twins.csv
leat_run run twins.lua --quiet
claim "names of features in the same records are a column" grep -q ',b=b1\|,a=a1' <(cut -d, -f5 twins.rows |
    sed 's/^/,/')
claim "and all columns those of sink.top" cmp twins.sink twins.rows

# Stopped, a run that continues gives no last answer; killed, the records are those of a whole run.
cat >stop.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "stop" {
  batch_rows = 16,
  leat.source.file { path = "in.csv", ["repeat"] = 150 }, leat.parse.csv {}, leat.label.is { column = "class", positive = "bad" },
  leat.feature.columns { "host" }, leat.learn.awm { id = "m" },
  leat.result.changes { k = 3, every = 500, weight_change = 0.05 }, leat.sink.file { path = a.out, format = "csv" },
}
LUA
leat_run run stop.lua --quiet --set out=whole --state whole.state
stops=0
for i in 1 2 3; do
    leat_start stop.lua --quiet --set out=cut --state cut.state --every 2000
    sleep 0.1
    leat_stop 2>/dev/null
    grep -q final cut || stops=$((stops + 1))
done
claim "a run that is stopped gives no last answer" below 0 $stops
leat_run run stop.lua --quiet --set out=cut --state cut.state
claim "and after three stops the records are those of a whole run" cmp whole cut

rest_is_long

# Exactly once: what is emitted is in a sink that commits once, whatever is killed when (ledger.c stands for a cluster).
mkdir with && cp "$plugins/ledger.so" with
cat >once.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local emitted = {
  changes = { leat.result.changes { k = 3, every = 200, weight_change = 0.05 } },
  predictions = { leat.result.predictions { "id" }, leat.shape.where { "score > 0.5" } },
}
return leat.pipeline "once" {
  batch_rows = 64,
  leat.source.file { path = "in.csv", ["repeat"] = 12 }, leat.parse.csv {}, leat.label.is { column = "class", positive = "bad" },
  leat.feature.columns { "host" }, leat.learn.awm { id = "m" },
  emitted[a.what], leat.sink.ledger { path = a.to, columns = true },
}
LUA
once() { # once WHAT NAME ARGS…
    leat_run run once.lua --plugin-path with --set what="$1" --set to="$2.ledger" --state "$2.state" --quiet "${@:3}"
}
same_emitted() { [[ $killed == 137 && $status == 0 ]] && cmp <(emitted "$1") <(emitted cut); }
emitted() { sed 1d "$1.ledger"; }
for what in changes predictions; do
    once $what $what --every 3000
    claim "$what in transactions end well ($(emitted $what | wc -l) records)" equal "$status" 0
    for place in handed_in snapshot_durable snapshot_prepared transaction_committed; do
        rm -rf cut.*
        LEAT_FAULT=$place:2 once $what cut --every 3000
        killed=$status
        once $what cut --every 3000
        claim "killed at $place, each of the $what is there once" same_emitted $what
    done
    rm -rf cut.*
    echo 5 >cut.ledger.aborts
    once $what cut --every 2000
    claim "with five transactions taken back, too" same_emitted $what
done

# To a topic.
mock topic changes 1 >/dev/null
cat >topic.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "topic" {
  leat.source.file { path = "in.csv" }, leat.parse.csv {}, leat.parse.time { "at", format = "unix" }, leat.label.is { column = "class", positive = "bad" },
  leat.feature.columns { "host" }, leat.learn.awm { id = "m" }, leat.result.changes { k = 3, every = "1h", clock = "event" },
  leat.tee {
    { leat.sink.kafka { "changes", brokers = a.brokers, format = "jsonl", key = "feature" } },
    { leat.sink.file { path = "written", format = "jsonl" } },
  },
  batch_rows = 50,
}
LUA
cat >read.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "read" {
  leat.source.kafka { "changes", brokers = leat.args.brokers, start = "earliest", ["until"] = "end" },
  leat.sink.file { path = "read" },
}
LUA
leat_run run topic.lua --quiet --set brokers="$brokers"
leat_run run read.lua --quiet --set brokers="$brokers"
claim "a topic takes them as JSON" cmp written read

exec 9>&-
done_claims
