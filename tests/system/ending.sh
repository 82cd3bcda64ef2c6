# A stage that ends the process is named, with the call, and the run fails.
plugins=$PWD/${B:-build/release}/tests/plugins
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
ulimit -c 0
seq 100 >rows
cat >ending.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "ending" { leat.source.file { "rows" },
  leat.feature.ending { id = "last", how = leat.args.how }, leat.sink.null {} }
LUA
mkdir with && cp "$plugins/ending.so" with
ending() { ENDING_IN=$1 leat_run run ending.lua --plugin-path with --quiet --set how="$2" "${@:3}" 2>/dev/null; }

for at in validate open start process stop close; do
    ending $at exit
    claim_exit "exit(0) in $at is a failure" 1
    claim_says "and names stage and call" "leat: error: last (feature.ending) ended the process in $at"
done
ending snapshot exit --state s
claim_exit "so it is when a state is saved" 1
claim_says "with the call" "last (feature.ending) ended the process in snapshot"
for how in _exit _Exit quick_exit; do
    ending process $how
    claim_exit "$how(0) is a failure as well" 1
    claim_says "and names stage and call" "leat: error: last (feature.ending) ended the process in process"
done
for how in exit _exit quick_exit; do
    for at in open process close; do
        ending $at "thread $how"
        claim_exit "$how(0) on a thread of the plugin's own is a failure, while $at runs" 1
        claim_says "which no call of a stage is in" "leat: error: a plugin ended the process in no call of a stage"
    done
done
ending unload -
claim_exit "so is _exit(0) while a plugin is unloaded" 1
claim_says "which is no call either" "leat: error: a plugin ended the process in no call of a stage"
leat_run version
claim_exit "leat itself may end" 0
rm -rf s
ending none exit --state s
ending restore exit --state s
claim_says "and when one is read" "last (feature.ending) ended the process in restore"
if [[ ${B:-} != *address* && ${B:-} != *thread* ]]; then
    for signal in SEGV ABRT BUS FPE ILL; do
        ending process $signal
        claim_exit "SIG$signal is a failure" 1
        claim_says "and a line names stage and call" "leat: error: last (feature.ending)" "(SIG$signal) in process"
    done
    ending process overflow
    claim_says "a stack that overflows is named as well" "last (feature.ending) crashed (SIGSEGV) in process"
else
    skip "a stage that crashes is named" "sanitizers end the process themselves"
fi
ending process 7
claim_exit "a process that returns 7 is refused" 1
claim_says "with stage and value" "last (feature.ending): process returned 7" "LEAT_OK or a failure below 0"
done_claims
