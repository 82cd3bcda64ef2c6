# Records at which a stage ends the process: with --state the next run finds each, puts it among the dead letters, and
# goes on. Every other record is in the output once, and in what the stages keep.
#
# The oracle is a run over the same lines without the poisoned ones.
# tier: long (30 s)
. "$(dirname "$0")/../support/claims.sh"
plugins=$PWD/${B:-build/release}/tests/plugins
cd "$tmp" || exit 1
exec 2>noise # the shell's words on crashes
ulimit -c 0
mkdir with && cp "$plugins/poison.so" with
cat >p.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "p" { leat.source.file { "in", follow = a.follow == "yes" }, leat.parse.lines { lanes = tonumber(a.lanes) },
  leat.feature.poison { id = "taster" }, leat.sink.file { path = "out", format = "raw" },
  dead_letters = "dead", max_reject_ratio = 1 }
LUA
cat >twice.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { "in" }, leat.shape.poison { id = "taster" },
  leat.parse.csv { header = false, columns = { "text" } }, leat.sink.file { path = "out", format = "csv" },
  dead_letters = "dead", max_reject_ratio = 1 }
LUA
script=p.lua
run() { leat_run run $script --plugin-path with --quiet --state st --every 1500 "$@"; }
# Runs until a run ends well; counts them.
heal() {
    runs=0
    until run "$@" && [[ $status == 0 ]]; do ((++runs < 12)) || return 1; done
}
fresh() { rm -rf st out dead && touch out; }
once() { grep -vE '^(abort|exit|overrun)' in | cmp - out; }
letters() { jq -r 'select(.reason == "crash") | .record' dead; }
all_dead() { cmp <(grep -E '^(abort|exit|overrun)' in) <(letters); }

seq 5000 | sed '700s/^/abort/; 2222s/^/exit/; 2230s/^/overrun/; 2231s/^/abort/; 4999s/^/exit/' >in
fresh
claim "a crash ends a run" eval 'run; [[ $status == 1 ]]'
claim_says "whose batch is named" "taster (feature.poison) aborted (SIGABRT) in process" "the batch begins at in:1"
claim "and noted" grep -q '^taster (feature.poison)	process	in	0	.*	aborted (SIGABRT)$' st/crashes
claim "the note is the owner's" equal "$(stat -c %a st/crashes)" 600
run --on-crash stop
claim_exit "--on-crash stop ends there again" 1
claim "by default each further run passes what ended one before" heal
claim "in a run for each batch with such records" test "$runs" -le 3
claim "all other records are in the output, once and in order" once
claim "those are dead letters, in order" all_dead
claim "with what happened as their message" equal "$(jq -r 'select(.line == 2231) | .message' dead)" \
    "the stage crashed at this record (SIGABRT), when a batch that ended a run was tried in parts"
claim "the notes are gone" test ! -e st/crashes
run
claim_exit "a run that continues has nothing to look for" 0
fresh
for lanes in 1 3; do
    fresh
    heal --set lanes=$lanes
    claim "with $lanes lanes: once" once
    claim "with $lanes lanes: dead letters" all_dead
done

# What the stage has kept decides, too.
seq 3000 | sed '1500s/^/tally/; 2002s/^/tally/' >in
fresh
heal
claim "a record at which a stage ends only after others is found" equal "$(letters)" tally1500
claim "and no other is rejected" eval 'grep -v tally1500 in | cmp - out'

# A stage that makes many records from one, and one that is killed from outside.
seq 3000 | sed '1500s/^/abort/; 2002s/^/exit/; 2003s/^/kill/' >in
script=twice.lua
fresh
claim "a record at which expand ends the process is found, too" heal
claim "in a run for each batch, and one more for a kill, which proves nothing by itself" test "$runs" -le 4
twice() { grep -vE '^(abort|exit|kill)' in | awk 'BEGIN { print "text" } { print; print }' | cmp - out; }
claim "all records made from others are in the output" twice
claim "those three are dead letters" equal "$(letters | tr '\n' ' ')" "abort1500 exit2002 kill2003 "
claim "nothing of the marks is left" test ! -e st/running -a ! -e st/crashes
script=p.lua

# Nothing to find.
seq 3000 >in
fresh
run --summary s.json
rm -rf out && touch out
mkdir -p st2 && printf 'taster (feature.poison)\tprocess\tin\t0\t4000\t0\taborted (SIGABRT)\nrubbish\n' >st2/crashes
leat_run run p.lua --plugin-path with --quiet --state st2
claim_exit "a batch that passes now is passed" 0
claim_says "and that is said" "an earlier run ended at a batch (the stage aborted (SIGABRT)) that passes now, so no record"
claim "all are there" cmp in out
leat_run run p.lua --plugin-path with --quiet --on-crash bisect
claim_says "without --state the option is in vain" "--on-crash has no effect without --state DIR"
leat_run run p.lua --plugin-path with --on-crash later
claim_exit "other words are refused" 2
claim_says "with the right ones" "--on-crash takes bisect or stop, not later"
rest_is_long

seq 3000 | sed '2003s/^/kill/' >in
fresh
heal
claim "a process that is killed by SIGKILL leaves the batch, and the record is found" \
    equal "$(letters | tail -1)" kill2003

# No record to find: runs end for ever, and that is bounded.
loop() { # loop RUNS ARGS…: runs so often, and once more
    rm -rf st out && touch out
    for _ in $(seq "$1"); do leat_run run "${@:2}" --plugin-path with --quiet --state st; done
    ended=$status
    leat_run run "${@:2}" --plugin-path with --quiet --state st
}
seq 3000 | sed '1500s/^/elsewhere/' >in
loop 3 p.lua
claim "a crash that no trial repeats ends three runs" equal "$ended" 1
claim_exit "the fourth does not begin" 2
claim_says "which is said, with the way out" "taster (feature.poison): it aborted (SIGABRT) in process in each of the last 3" \
    "To try again, remove st/crashes"
rm st/crashes
leat_run run p.lua --plugin-path with --quiet --state st
claim_exit "then it tries again" 1
cat >ends.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "ends" { leat.stage("source.returns", { id = "src" }), leat.stage("keep.returns", { id = "keep" }),
  leat.sink.file { path = "out", format = "raw" } }
LUA
cp "$plugins/returns.so" with
for call in produce stop; do
    RETURNS_CALL=$call RETURNS_VALUE=crash loop 3 ends.lua
    claim_exit "so do crashes outside of records: $call" 2
    claim_says "with the call: $call" "it aborted (SIGABRT) in $call in each of the last 3 runs"
done
rm with/returns.so


# A stage that hangs: the run ends at its deadline, and the next one finds the record.
seq 3000 | sed '1234s/^/hang/' >in
fresh
leat_start p.lua --plugin-path with --quiet --state st --stop-timeout 1s
until_true compgen -G 'st/*.snapshot' >/dev/null
sleep 1
leat_stop
claim_exit "a run whose stage hangs ends at the deadline" 5
run
claim_exit "the next one gets by" 0
claim "the record is a dead letter" equal "$(letters)" hang1234
claim "and all others are there" eval 'grep -v hang in | cmp - out'

# A watchdog and a person are no crash.
fresh
for how in ABRT ABRT TERM TERM ABRT; do
    leat_start p.lua --plugin-path with --quiet --state st
    sleep 0.5
    kill -$how "$pid"
    sleep 0.3
    kill -KILL "$pid"
    leat_end
done
claim "runs that others end leave no note" test ! -e st/crashes

# A signal in a search: what it has found is kept. The last record of a batch makes few trials slow.
seq 3000 | sed '2046s/^/spin/' >in
fresh
leat_start p.lua --plugin-path with --quiet --state st --stop-timeout 1s
until_true compgen -G 'st/*.snapshot' >/dev/null
sleep 1
leat_stop
has_trials() { [[ $(wc -c <trials) -ge $1 ]]; }
: >trials
leat_start p.lua --plugin-path with --quiet --state st --stop-timeout 1s
until_true has_trials 5
leat_stop
claim_exit "a signal ends a search" 1
claim_says "which is said" "a signal came while the records of a batch that ended a run were tried in parts"
claim "what is left to try is in the notes" awk -F '\t' '$2 == "search" { left = $5 - $4 }
    END { exit !left || left > 1000 }' st/crashes
run
claim_exit "the next run gets by" 0
claim "and rejects the one record" eval '[[ $(letters) == spin2046 ]] && grep -v spin in | cmp - out'

# Two branches that end the process at the same record: one reason is told, and the code is that of a crash.
cat >both.lua <<'LUA'
local leat = require "leat"
local function branch(name) return { leat.feature.poison { id = name }, leat.sink.file { path = name, format = "raw" } } end
return leat.pipeline "both" { leat.source.file { "in" }, leat.parse.lines {}, leat.tee { branch "one", branch "other" },
  dead_letters = "dead", max_reject_ratio = 1, threads = 4 }
LUA
script=both.lua
for how in exit abort; do
    codes=
    seq 1000 | sed "500s/^/$how/" >in
    for _ in 1 2 3 4 5; do
        fresh
        run
        codes+=$status
    done
    claim "two stages that $how at once are a crash" equal "$codes" 11111
    heal
    claim "each start rids one of them of it" test "$runs" -le 1
    claim "and both have all others ($how)" eval 'grep -v "^$how" in | cmp - one && cmp one other'
done

# A plugin that hangs while it is loaded is named long before it is given up.
mkdir hanging && cp "$plugins/hang.so" hanging
"$LEAT" plugins --plugin-path hanging >/dev/null 2>waiting & loading=$!
claim "a plugin that does not load is named after three seconds" until_true grep -q "hang.so has not loaded for 3 s" waiting
kill "$loading"
done_claims
