# A source whose produce does not return stops the time of all later stages: that is reported once. A source that may
# wait is not. Answers that take longer than their interval leave most of the time to records.
# tier: long (30 s, waits)
. "$(dirname "$0")/../support/claims.sh"
plugins=$PWD/${B:-build/release}/tests/plugins
cd "$tmp" || exit 1
cat >late.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "late" { leat.stage("source.returns", { id = "s" }), leat.stage("parse.returns", { id = "p" }), leat.sink.null {} }
LUA
hangs() { RETURNS_CALL=$1 RETURNS_VALUE=hang RETURNS_END=$2 leat_run run late.lua --plugin-path "$plugins/returns.so" \
    "${@:3}"; }
warned() { grep -c 'has not returned for' "$err"; }

hangs produce 16 --quiet
claim_exit "a source whose produce takes 2.5 s runs to its end" 0
claim_says "it is named after a second, with what to do" \
    "leat: warning: s (source.returns): produce has not returned for 1." \
    "It must return LEAT_AGAIN within 100 ms if it has no records"
claim "once, though it does so twice" equal "$(warned)" 1
hangs produce 8 --progress always
claim "with a bar as well" equal "$(warned)" 1
for call in header process stop; do
    hangs $call 8
    claim_exit "$call may take as long" 0
    claim "nothing is said" equal "$(warned)" 0
done
hangs none 8 --state learned --quiet
hangs restore 8 --state learned
claim_exit "so may the restore of a source" 0
claim "nothing is said of it" equal "$(warned)" 0

cat >shards.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "shards" { leat.stage("source.shards", { rows = 10 }), leat.parse.lines { "text" }, leat.sink.null {} }
LUA
SHARDS_SLOW=1 leat_run run shards.lua --plugin-path "$plugins/shards.so"
claim_exit "a source with shards may read their states in produce" 0
claim "nothing is said then" equal "$(warned)" 0

# Batches that take longer than the interval of answers: each would have one.
cat >answers.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "answers" {
  leat.stage("source.returns", { id = "s" }), leat.stage("parse.returns", { id = "p" }),
  leat.filter(function() for _ = 1, 2e5 do end return true end, {}),
  leat.stage("learn.returns", { id = "model" }), leat.sink.top { every = "1ms" },
}
LUA
RETURNS_CALL=query RETURNS_VALUE=hang RETURNS_END=120 leat_run run answers.lua --plugin-path "$plugins/returns.so"
claim_exit "a learner whose answer takes 2.5 s runs to its end" 0
claim "its answers are put off, so that batches go on without one" test "$(grep -c '^1 .*n$' "$out")" -lt 8
claim_says "which is said once" "top (sink.top): an answer of model (learn.returns) takes 2.5 s, so answers come at least" \
    "s apart, and not every 0.001 s"

# A pipe that nobody writes to: its source returns and is called again.
mkfifo pipe
cat >pipe.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "pipe" { leat.source.file { "pipe" }, leat.parse.lines { "text" }, leat.sink.file { path = "written" } }
LUA
leat_start pipe.lua
exec 3>pipe
echo one >&3
until_true test -s written
sleep 2
claim "one that waits for a pipe returns, so that what has come is written" equal "$(cat written)" one
exec 3>&-
leat_end
claim "nothing is said of it" equal "$(warned)" 0
done_claims
