# Each function of a stage returns, with an allowed value. The host enforces the contract (docs/plugins.md), and names
# the stage and the call of a breach.
# tier: long (6 s)
. "$(dirname "$0")/../support/claims.sh"
export plugin=$PWD/${B:-build/release}/tests/plugins/returns.so
shards=$PWD/${B:-build/release}/tests/plugins/shards.so
cd "$tmp" || exit 1

cat >returns.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "returns" {
  leat.stage("source.returns", { id = "s" }), leat.stage("parse.returns", { id = "p" }), leat.stage("keep.returns", { id = "k" }),
  leat.stage("keep.expands", { id = "e" }), leat.stage("learn.returns", { id = "l" }), leat.stage("sink.returns", { id = "z" }),
}
LUA
returns() { leat_run run returns.lua --plugin-path "$plugin" --state learned --quiet "$@"; }
learned() { "$LEAT" model top "$1" --plugin-path "$plugin" | grep -qE "^1 +$2 +n"; }

RETURNS_END=20 returns
mv learned other && rm -f committed
# A state after 24 of 40 records, of which the first is rejected, and what was committed with it.
RETURNS_END=24 returns
claim_exit "stages with every function that a stage can have run" 0
claim "a learner has learned from all records but the rejected one" learned learned 23
mv learned before && mv committed committed.before
again() { rm -rf learned committed && cp -r before learned && cp committed.before committed; }
# For the call $1: what it is called after.
prepare() {
    again
    [[ $1 != take ]] || rm -rf learned committed # the first record is rejected
    [[ $1 != positions ]] || rm learned/*.snapshot # the sink knows of a checkpoint
}

# ---- what they return ----

# refused CALL VALUE STAGE NAME EXIT MAY: a run that continues, and then one without the mistake
refused() {
    prepare "$1"
    RETURNS_CALL=$1 RETURNS_VALUE=$2 returns --every 8
    claim_exit "$1 may not return $2" "$5"
    claim_says "it says which stage, what it returned and what it may return" "$3 ($4): $1 returned $2" \
        "it may return $6 or a failure below 0"
    [[ $1 != positions ]] || again
    returns
    claim_exit "the last snapshot is whole" 0
    [[ $1 == take ]] || claim "and holds what it held" learned learned 39
}
while read -r call exit stage name may; do
    refused "$call" 7 "$stage" "$name" "$exit" "$may"
done <<'CALLS'
validate 2 k keep.returns LEAT_OK
negotiate 2 k keep.returns LEAT_OK, LEAT_LATER
plan 2 k keep.returns LEAT_OK
framing 2 p parse.returns LEAT_OK
ask 2 z sink.returns LEAT_OK
open 1 s source.returns LEAT_OK
header 1 s source.returns LEAT_OK, LEAT_EOS (stopped)
fence 1 z sink.returns LEAT_OK, LEAT_EOS (stopped)
positions 1 z sink.returns LEAT_OK, LEAT_EOS (stopped)
restore 1 s source.returns LEAT_OK, LEAT_EOS (stopped)
start 1 s source.returns LEAT_OK
produce 1 s source.returns LEAT_OK, LEAT_AGAIN, LEAT_EOS, LEAT_LATER
process 1 p parse.returns LEAT_OK
expand 1 e keep.expands LEAT_OK, LEAT_AGAIN
tick 1 s source.returns LEAT_OK
query 1 l learn.returns LEAT_OK
show 1 z sink.returns LEAT_OK
barrier 1 s source.returns LEAT_OK
snapshot 1 s source.returns LEAT_OK
position 1 s source.returns LEAT_OK
durable 1 s source.returns LEAT_OK
commit 1 z sink.returns LEAT_OK
take 1 z sink.returns LEAT_OK
flush 1 z sink.returns LEAT_OK
stop 1 s source.returns LEAT_OK
CALLS

# `leat plugin test` goes by the same table.
law() { leat_run plugin test "$plugin" --law returns --stage "$1"; }
for stage in source.returns parse.returns keep.returns keep.expands learn.returns sink.returns; do
    law $stage
    claim_exit "$stage keeps the law" 0
done
while read -r call stage may; do
    RETURNS_CALL=$call RETURNS_VALUE=7 law "$stage"
    claim "leat plugin test finds what $call returned" grep \
        -qF "    $call returned 7; it may return $may or a failure below 0" "$out"
done <<'CALLS'
validate keep.returns LEAT_OK
negotiate keep.returns LEAT_OK, LEAT_LATER
plan keep.returns LEAT_OK
framing parse.returns LEAT_OK
ask sink.returns LEAT_OK
open source.returns LEAT_OK
header source.returns LEAT_OK, LEAT_EOS (stopped)
fence sink.returns LEAT_OK, LEAT_EOS (stopped)
positions sink.returns LEAT_OK, LEAT_EOS (stopped)
restore learn.returns LEAT_OK
merge learn.returns LEAT_OK
start source.returns LEAT_OK
produce source.returns LEAT_OK, LEAT_AGAIN, LEAT_EOS, LEAT_LATER
process parse.returns LEAT_OK
expand keep.expands LEAT_OK, LEAT_AGAIN
tick source.returns LEAT_OK
query learn.returns LEAT_OK
show sink.returns LEAT_OK
barrier source.returns LEAT_OK
snapshot source.returns LEAT_OK
position source.returns LEAT_OK
durable source.returns LEAT_OK
commit sink.returns LEAT_OK
take sink.returns LEAT_OK
flush sink.returns LEAT_OK
stop source.returns LEAT_OK
CALLS

# News of others, by their names; 1 says that the run is being stopped.
refused durable 2 s source.returns 1 LEAT_OK
claim "news has its name" grep -qF "durable returned 2 (LEAT_AGAIN); it may" <(RETURNS_CALL=durable RETURNS_VALUE=2 \
    "$LEAT" run returns.lua --plugin-path "$plugin" --state learned --quiet 2>&1)
for call in header:s:source.returns fence:z:sink.returns positions:z:sink.returns restore:s:source.returns; do
    IFS=: read -r call stage name <<<"$call"
    prepare "$call"
    RETURNS_CALL=$call RETURNS_VALUE=1 returns
    claim_exit "$call may return LEAT_EOS while the run is being stopped alone" 1
    claim_says "it says so" "$stage ($name): $call returned 1 (LEAT_EOS), and the run is not being stopped"
done
again
RETURNS_CALL=query RETURNS_VALUE=-3 returns
claim_exit "a question that fails ends the run, as other failures do" 1
claim_says "with words" "l (learn.returns): query failed: a file, pipe or network failed"
for value in 7 -3; do
    again
    RETURNS_CALL=framing RETURNS_VALUE=$value returns
    claim_exit "framing: $value is an error of the check" 2
done
claim_says "also a failure without a reason" "p (parse.returns): framing failed: a file, pipe or network failed"

cat >online.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "online" { leat.stage("source.returns", {}), leat.stage("keep.online", { id = "k" }), leat.sink.null {} }
LUA
RETURNS_CALL=online RETURNS_VALUE=7 leat_run check online.lua --plugin-path "$plugin" --online
claim_says "online is held as well" "k (keep.online): online returned 7; it may return LEAT_OK or a failure below 0"
RETURNS_CALL=merge RETURNS_VALUE=7 leat_run model merge merged before --plugin-path "$plugin"
claim_exit "merge may not return 7" 1
claim_says "it says so" "l (learn.returns): merge returned 7; it may return LEAT_OK or a failure below 0"
claim "nothing is written then" test ! -e merged
leat_run model merge merged before other --plugin-path "$plugin"
claim "two states add up" learned merged 42

# ---- a failure in the middle of a batch ----
cat >halves.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "halves" { max_reject_ratio = 1, on_error = leat.args.on_error,
  leat.stage("source.returns", { id = "s" }), leat.stage("keep.returns", { id = "k" }), leat.sink.null {} }
LUA
counted() { jq -c '[.rejected, ([.rejections[]] | add), ([.stages[].rejected] | add)]' failed.json; }
RETURNS_REJECTS=1 RETURNS_CALL=process RETURNS_VALUE=-3 leat_run run halves.lua --plugin-path "$plugin" \
    --summary failed.json --progress never
claim_exit "a stage may reject records and then fail" 1
claim "the run and the stage have counted the same" equal "$(counted)" "[5,5,5]"
claim_says "and the last line says it" " records in " ", 5 rejected"
RETURNS_REJECTS=1 leat_run run halves.lua --plugin-path "$plugin" --set on_error=fail --summary failed.json \
    --progress never
claim_exit "on_error = fail ends the run with a batch" 1
claim "whose rejections have counted alike" equal "$(counted)" "[5,5,5]"
claim_says "of which one is shown: the failure" ", 5 rejected (1 is shown, "

# ---- one thread at a time ----

# Dead letters come from the thread where the last copy of a batch ends, and are flushed by that of checkpoints.
cat >turns.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "turns" { max_reject_ratio = 1,
  leat.stage("source.returns", { id = "s" }), leat.stage("keep.returns", { id = "k" }), leat.stage("keep.expands", { id = "e" }),
  leat.stage("keep.expands", { id = "f" }), leat.stage("learn.returns", { id = "l" }), leat.stage("sink.returns", { id = "z", path = "" }),
}
LUA
rm -rf learned committed
RETURNS_REJECTS=1 RETURNS_END=4000 leat_run run turns.lua --plugin-path "$plugin" --state learned --every 100 --quiet
claim_exit "a sink that takes dead letters is in one call at a time" 0
claim_says "and takes all" "2001 of 4000 records were rejected"

# ---- where the process ends ----

for call in framing:p:parse.returns ask:z:sink.returns columns:l:learn.returns name:z:sink.returns \
    position_format:s:source.returns \
    position:s:source.returns durable:s:source.returns take:z:sink.returns flush:z:sink.returns \
    positions:z:sink.returns; do
    IFS=: read -r call stage name <<<"$call"
    prepare "$call"
    ulimit -c 0
    RETURNS_CALL=$call RETURNS_VALUE=crash returns
    claim_exit "a crash in $call ends the run" 1
    claim_says "it is named" "leat: error: $stage ($name) aborted (SIGABRT) in $call"
done
again
RETURNS_CALL=durable RETURNS_VALUE=exit returns
claim_exit "so does exit()" 1
claim_says "it is named, too" "leat: error: s (source.returns) ended the process in durable"
again
RETURNS_CALL=wake RETURNS_VALUE=crash RETURNS_END=1000000000 leat_start returns.lua --plugin-path "$plugin" \
    --state learned --every 100 --quiet
until_true has_ended "$pid" # the first checkpoint wakes the source
leat_stop
claim_exit "a crash in wake ends the run" 1
claim_says "it is named" "leat: error: s (source.returns) aborted (SIGABRT) in wake"
again
RETURNS_CALL=progress RETURNS_VALUE=crash returns --progress always
claim_says "so is one in progress" "leat: error: s (source.returns) aborted (SIGABRT) in progress"
done_claims
