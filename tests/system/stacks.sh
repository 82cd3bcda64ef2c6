#!/usr/bin/env bash
# A stack of 128 KB, as some systems give, is enough for every command.
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/every_state.sh"
pipelines=$PWD/pipelines
cd "$tmp" || exit 1
enough=128
[[ $LEAT == *release* ]] || enough=1024 # sanitizers take more before the program begins
small() { (ulimit -s $enough && exec "$LEAT" "$@" >"$out" 2>"$err"); }
every_state_make 100

claim "one of $enough KB is enough for all stages with a state" every_state_run home 100 small
claim "which are all" equal "$(every_state_missing home)" ""
claim "and to go on from it" every_state_run home 100 small
claim "and for evaluators" every_state_evaluate home small
for state in learners shapes heads; do
    for command in info dump verify; do
        claim "model $command takes no more, of $state" small model $command home/$state.state
    done
done
claim "nor does model diff" small model diff home/learners.state home/learners.state
"$LEAT" model dump home/shapes.state >text
claim "nor model load" small model load text loaded
claim "nor model top" small model top home/learners.state --stage awm
for name in one two; do (cd home && "$LEAT" run ../shapes.lua --quiet --split $name --state shapes.$name >/dev/null); done
claim "nor the merge of two models" small model merge merged home/shapes.one home/shapes.two
cd home || exit 1
claim "nor check" small check ../learners.lua --state learners.state
claim "nor trace" small trace ../shapes.lua -n 2
claim "nor peek" small peek ../data.csv
claim "nor an application with a report" small explain ../data.csv --outlier 'v > 400' --report page.html --quiet
claim "nor a report of a snapshot" small report learners.state -o page.html
claim "nor the test of a pipeline" small test "$pipelines/explain_test.lua"
claim "nor plugins" small plugins --markdown
# The depth of calls in a script has a bound, which such a stack holds.
cat >deep.lua <<LUA
local leat = require "leat"
local deep = $(printf '(%.0s' {1..150})1$(printf ')%.0s' {1..150})
local function nest(n) return n == 0 and "" or (("a"):gsub("a", function() return nest(n - 1) end)) end
local ok, why = pcall(nest, 500)
assert(not ok and why:find("stack overflow"), why)
return leat.pipeline "deep" { leat.source.null { records = 2 }, leat.parse.lines {},
  leat.map(function(line) return nest(500) end, { "text" }), leat.sink.null {} }
LUA
small run deep.lua --quiet
claim "nor a script that calls itself without end" equal $? 1
claim_says "whose records are rejected" "stack overflow"

# A signal reaches the command, whatever thread it runs on.
cat >endless.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "endless" { leat.source.null { records = 0, text = "1 1:1" }, leat.parse.libsvm {},
  leat.learn.awm { budget = "2KB" } }
LUA
(ulimit -s $enough && exec "$LEAT" run endless.lua --state end --every 100ms --quiet >"$out" 2>"$err") &
pid=$!
has_snapshot() { compgen -G 'end/*.snapshot'; }
claim "a run begins" until_true has_snapshot
kill -TERM $pid
wait $pid
claim "and SIGTERM ends it with its snapshot" equal "$? $("$LEAT" model verify end >/dev/null; echo $?)" "0 0"
done_claims
