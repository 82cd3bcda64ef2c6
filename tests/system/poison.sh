# Records at which a stage ends the process: with --state the next run finds each, puts it among the dead letters, and
# goes on. Every other record is in the output once, and in what the stages keep.
#
# The oracle is a run over the same lines without the poisoned ones.
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
run() { leat_run run p.lua --plugin-path with --quiet --state st --every 1500 "$@"; }
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
claim "and noted" grep -q '^taster (feature.poison)	in	0	.*	aborted (SIGABRT)$' st/crashes
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

# Nothing to find.
seq 3000 >in
fresh
run --summary s.json
rm -rf out && touch out
mkdir -p st2 && printf 'taster (feature.poison)\tin\t0\t4000\taborted (SIGABRT)\nrubbish\n' >st2/crashes
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

# A stage that hangs: the run ends at its deadline, and the next one finds the record.
seq 3000 | sed '1234s/^/hang/' >in
fresh
leat_start p.lua --plugin-path with --quiet --state st --stop-timeout 1s
until_true grep -q . st/*.snapshot
sleep 1
leat_stop
claim_exit "a run whose stage hangs ends at the deadline" 5
run
claim_exit "the next one gets by" 0
claim "the record is a dead letter" equal "$(letters)" hang1234
claim "and all others are there" eval 'grep -v hang in | cmp - out'

# A plugin that hangs while it is loaded is named long before it is given up.
mkdir hanging && cp "$plugins/hang.so" hanging
"$LEAT" plugins --plugin-path hanging >/dev/null 2>waiting & loading=$!
claim "a plugin that does not load is named after three seconds" until_true grep -q "hang.so has not loaded for 3 s" waiting
kill "$loading"
done_claims
