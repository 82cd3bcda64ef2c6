# A sink that stores positions with its rows (rows.c, a table of SQLite), through kills.
#
# Snapshots may be there, older or gone. Each row is in the table once, in order. Files and dead letters continue. A run
# that cannot continue exactly is refused.
# tier: long (37 s, waits)
. "$(dirname "$0")/../support/claims.sh"
plugins=$PWD/${B:-build/release}/tests/plugins
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise # the shell's words on killed children
mkdir with && cp "$plugins"/{rows,numbers,shards}.so with
awk 'BEGIN { srand(5); for (i = 0; i < 12000; i++) { y = rand() < .5; if (i % 997 == 5) print "bad line " i; else {
    printf "%s", y ? "+1" : "-1"; for (j = 0; j < 6; j++) printf " %d:%.3f", rand() * 400 + (y ? 9 : 0), rand();
    print " 500:" i } } }' >a.svm
mkdir parts && split -n l/4 -d a.svm parts/part.
gzip -k a.svm
grep -v bad a.svm >wanted

cat >rows.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "rows" {
  leat.source.file { path = a.input, follow = a.follow == "yes" },
  leat.parse.libsvm { lanes = 2 }, leat.label.holdout { period = 7 },
  leat.tee {
    { leat.learn.awm { id = "awm", budget = "4KB" }, leat.sink.predictions { path = a.to .. ".predictions" } },
    leat.stage("sink.rows", { path = a.to .. ".db" }),
  },
  batch_rows = 200, dead_letters = a.to .. ".dead",
}
LUA
run() { # run SCRIPT NAME ARGS…
    local script=$1 to=$2
    shift 2
    leat_run run "$script.lua" --plugin-path with --set to="$to" --state "$to.state" --quiet "$@"
}
rows() { sqlite3 "$1.db" "SELECT text FROM rows ORDER BY n"; }
once() { rows "$1" | cmp - "${2:-wanted}"; }
# What else the run writes has a line for each record, too.
whole() { once "$1" && equal "$(wc -l <"$1.dead")" 13 && equal "$(($(wc -l <"$1.predictions") - 1))" "$(wc \
    -l <wanted)"; }
# lose keep|delete|older NAME: what becomes of the snapshots
lose() {
    case $1 in
    delete) rm -rf "$2.state" ;;
    older) (($(ls "$2.state" | grep -c snapshot) < 2)) || rm "$2.state/$(ls "$2.state" | grep snapshot | tail -1)" ;;
    esac
}
ways=(keep delete older)

for input in a.svm a.svm.gz 'parts/part.*'; do
    rm -rf cut.*
    kills=0 lost=0
    for _ in $(seq 12); do
        (timeout --foreground -s KILL "0.$((RANDOM % 3))$((RANDOM % 10))" "$LEAT" run rows.lua --plugin-path with \
            --set input="$input" --set to=cut \
            --state cut.state --every 5ms --quiet) 2>/dev/null && break
        kills=$((kills + 1))
        way=${ways[RANDOM % 3]}
        [[ $way == keep ]] || lost=$((lost + 1))
        lose "$way" cut
    done
    run rows cut --set input="$input"
    claim_exit "$input: the last run, after $kills that were killed and snapshots that were lost $lost times" 0
    claim "$input: each row is there once, in its order" whole cut
done
for way in "${ways[@]}"; do
    for place in handed_in snapshot_created snapshot_written snapshot_renamed snapshot_durable snapshot_prepared \
        transaction_offsets_sent transaction_committed; do
        rm -rf cut.*
        LEAT_FAULT=$place:3 run rows cut --set input=a.svm --every 1000
        claim_exit "killed at $place" 137
        lose "$way" cut
        run rows cut --set input=a.svm --every 1000 --log-level warn
        claim "killed at $place, snapshots: $way: each row is there once, in its order" whole cut
    done
done
claim_says "the stages that lack something are named" \
    "transaction rows has committed checkpoint 3" "these stages have lost what they learned since then: awm"
claim "numbers go on after the sink's" test "$(sqlite3 cut.db "SELECT checkpoint FROM committed")" -gt 3

# A file that grows.
head -3000 a.svm >b.svm
rm -rf cut.*
has_rows() { [[ $(sqlite3 cut.db "SELECT count(*) FROM rows") == "$1" ]]; }
wanted_of() { head -n "$1" a.svm | grep -vc bad; }
for n in 3000 7000 12000; do
    tail -n "+$(($(wc -l <b.svm) + 1))" a.svm | head -n $((n - $(wc -l <b.svm))) >>b.svm
    leat_start rows.lua --plugin-path with --set to=cut --state cut.state --set input=b.svm --set follow=yes \
        --every 20ms --quiet
    until_true has_rows "$(wanted_of $n)"
    kill -KILL "$pid"
    wait "$pid"
    lose delete cut
done
claim "a file that grows, its snapshots lost at each kill: each row is there once" once cut

# Sources of others: they have a state, and nothing else is asked of them.
cat >numbers.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "numbers" {
  leat.stage("source.numbers", { path = "lines", rows = 400, every = 100 }), leat.parse.lines {},
  leat.stage(a.sink or "sink.rows", { path = a.to .. ".db" }),
}
LUA
seq 0 399 >numbers.wanted
rm -rf cut.*
for _ in 1 2; do
    LEAT_FAULT=transaction_committed run numbers cut
    lose delete cut
done
run numbers cut
claim "a source of a plugin: each row is there once, in its order" once cut numbers.wanted

# A group's offsets are not in the table's transaction: the position has the run's own.
mock topic numbers 2 >/dev/null
mock produce numbers -2 "$tmp/wanted" >/dev/null
cat >kafka.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "kafka" {
  leat.source.kafka { "numbers", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = "end",
    properties = { "session.timeout.ms=4000", "heartbeat.interval.ms=500" } },
  leat.parse.libsvm {}, leat.learn.awm { id = "awm", budget = "4KB" }, leat.stage("sink.rows", { path = a.to .. ".db" }),
  batch_rows = 200,
}
LUA
for group in "" some; do
    rm -rf cut.*
    for place in transaction_offsets_sent transaction_committed; do
        LEAT_FAULT=$place:3 run kafka cut --set brokers="$brokers" ${group:+--set group=$group} --every 1000
        lose delete cut
    done
    run kafka cut --set brokers="$brokers" ${group:+--set group=$group}
    claim_exit "topics, group '$group', all snapshots lost" 0
    claim "each row is there once" cmp <(rows cut | sort) <(sort wanted)
done

# Windows and variables are in the position while they are small.
awk 'BEGIN { srand(6); print "t,k,x"; for (i = 0; i < 20000; i++) printf "%d,k%d,%.3f\n", 1700000000 + i + rand() * 50,
    rand() * 5, rand() }' >a.csv
cat >windows.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local n, big, is_big = 0, {}, a.big == "yes"
local function some(emit, t, k, x)
  n = n + 1
  if is_big then big[n % 9000 + 1] = n end
  for i = 1, n % 3 do emit(t, k, x + i) end
end
return leat.pipeline "windows" {
  leat.source.file { path = "a.csv" }, leat.parse.csv {},
  leat.flat(some, { "t", "k", "x:number" }, { "t", "k", "x:number" }, { id = "some", state = { "n", "big" } }),
  leat.parse.time { "t", format = "unix" },
  leat.window { "count", "sum(x)", every = "5min", by = { "k" }, lateness = "1min" },
  leat.map(function(...) return table.concat({ ... }, " ") end, { "window", "k", "count", "sum_x" }, { "line" }),
  leat.stage("sink.rows", { path = a.to .. ".db", column = "line" }),
  batch_rows = 200,
}
LUA
run windows whole
claim_exit "windows to their end" 0
rm -rf cut.*
for _ in 1 2 3; do
    LEAT_FAULT=transaction_committed:3 run windows cut --every 2000
    lose delete cut
done
run windows cut
claim "windows, their snapshots lost: each is there once, with all that is in it" once cut <(rows whole)
rm -rf cut.*
LEAT_FAULT=transaction_committed:5 run windows cut --every 2000 --set big=yes
lose delete cut
run windows cut --set big=yes
claim_exit "a state that is too large for the position, and is lost, is refused" 1
claim_says "the stage is named, and the cure" "some (lua.flat): the records that it makes depend on its lost state" \
    "Transaction rows has committed checkpoint " \
    ", but cut.state has no snapshot: bring back a copy of the snapshots, or start over"

# What does not fit together.
begin() { # a run that was killed after its third checkpoint, without its snapshots
    rm -rf cut.*
    LEAT_FAULT=transaction_committed:3 run rows cut --set input=a.svm --every 2000
    rm -rf kept && mkdir kept && cp -r cut.* kept
    lose delete cut
}
files() { # the outputs, snapshots, rows and positions of cut: all but who owns the table
    find cut.* -type f ! -name lock ! -name cut.db -exec md5sum {} + | sort
    sqlite3 cut.db 'SELECT * FROM rows; SELECT name, checkpoint FROM committed;
        SELECT name, source, format, hex(bytes) FROM positions'
}
begin
sqlite3 cut.db "UPDATE positions SET bytes = substr(bytes, 1, 300) || x'ff' || substr(bytes, 302)"
files >before
run rows cut --set input=a.svm
claim_exit "a damaged position is refused" 1
claim "a run that is refused changes nothing" cmp before <(files)
claim_says "with the reason" \
    "the position in transaction rows cannot be used: it is damaged in section pipeline"
cp kept/cut.db .
sqlite3 cut.db "UPDATE positions SET format = 'leat.run/9'"
run rows cut --set input=a.svm
claim_exit "one of another version is refused" 1
claim_says "with both" "keeps a position in format leat.run/9, and this version of leat reads leat.run/1"
cp kept/cut.db .
sqlite3 cut.db "UPDATE committed SET checkpoint = 2"
run rows cut --set input=a.svm
claim_exit "one of another checkpoint is refused" 1
claim_says "with both" "has the position of checkpoint 3, but has committed checkpoint 2"
cp kept/cut.db .
sed 's/leat.source.file {/leat.source.file { id = "other",/' rows.lua >other.lua
run other cut --set input=a.svm
claim_exit "one of a source that the pipeline does not have is refused" 2
claim_says "and the source is named" "the pipeline differs from the position in the sink" "file"
cp kept/cut.db .
sqlite3 cut.db "DELETE FROM positions"
run rows cut --set input=a.svm
claim_exit "a table without the position is refused" 1
claim_says "with the reason" "file (source.file): its position in the input is lost"
rm -rf cut.* && cp -r kept/cut.* .
run rows cut --set input=a.svm
claim_exit "with all of it, the run continues" 0
claim "to the same rows" once cut
cp kept/cut.db .
files >before
run rows cut --set input=a.svm
claim_exit "a table that was set back is refused" 1
claim "which changes nothing, either" cmp before <(files)
claim_says "with both numbers" "has committed checkpoint 3, but" \
    "its output was replaced by another or older one"
rm cut.db
run rows cut --set input=a.svm
claim_exit "and so is one that was replaced" 1
rm -rf cut.*
for way in delete older; do
    rm -rf cut.*
    LEAT_FAULT=transaction_committed:2 run numbers cut --set sink=sink.rows_alone
    lose $way cut
    run numbers cut --set sink=sink.rows_alone
    claim_exit "a sink without positions, snapshots: $way, is refused" 1
    claim_says "with the reason" "its position in the input is lost. Transaction rows has committed checkpoint 2"
done
sed 's/leat.stage("sink.rows".*/{ leat.result.top { every = 2000 }, leat.map(function(...) return table.concat({ ... }, " ") end, { "feature" }, { "line" }), leat.stage("sink.rows", { path = a.to .. ".db", column = "line" }) },/
     s/leat.tee {/leat.learn.logistic { id = "model" }, leat.tee {/' rows.lua >top.lua
rm -rf cut.*
LEAT_FAULT=transaction_committed:3 run top cut --set input=a.svm --every 2000
claim_exit "rows that a model gives" 137
lose delete cut
run top cut --set input=a.svm
claim_exit "cannot continue without the model" 1
claim_says "and the stage is named" "top (result.top): its answers come from a lost model"
cat >shards.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "shards" {
  leat.stage("source.shards", {}), leat.parse.libsvm {}, leat.learn.awm {}, leat.stage("sink.rows", { path = "shards.db" }),
}
LUA
leat_run check shards.lua --plugin-path with
claim_exit "states that a source stores need a sink that commits them" 2
claim_says "with the reason" "stores the states of its inputs itself, but this sink cannot commit them"
done_claims
