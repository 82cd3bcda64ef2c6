# The line at the end of a run that suggests a next step: only on a terminal, and at most one.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
command -v script >/dev/null || skip_rest "there is no script(1)"
printf 'y,k\n%s' "$(yes $'yes,a\nno,b' | head -200)" >good.csv
{ cat good.csv; printf '\nyes\n'; } >bad.csv
cat >p.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "p" { max_reject_ratio = 1, dead_letters = a.letters,
  leat.source.file { path = a.data or "good.csv" }, leat.parse.csv {},
  leat.label.is { column = "y", positive = "yes" }, leat.feature.columns { "k" },
  a.learns == "no" and leat.shape.set { "z = 1" } or leat.learn.awm { id = "model" }, leat.sink.file { path = "out.txt" } }
LUA
# What a terminal shows of "next:".
next() { script -qc "stty cols 200; '$LEAT' run $* >stdout.txt" screen >/dev/null 2>&1; tr -d '\r' <screen |
    grep -o 'next: .*'; }
claim "a model that is gone" equal "$(next p.lua)" \
    "next: --state DIR keeps what model has learned, for later runs and leat model"
claim "nothing of it on standard output" sh -c "! grep -q next: stdout.txt"
claim "none when it is kept" equal "$(next p.lua --state s)" ""
claim "none when nothing is learned" equal "$(next p.lua --set learns=no)" ""
claim "rejected records come first" grep \
    -q '^next: dead_letters = "bad.jsonl" in the pipeline keeps the rejected record; leat trace ' <(next p.lua \
    --set data=bad.csv)
claim "and are one line" equal "$(next p.lua --set data=bad.csv | wc -l)" 1
claim "not when they are kept" equal "$(next p.lua --set data=bad.csv --set letters=b.jsonl --state s2)" ""
claim "none with --quiet" equal "$(next p.lua --quiet)" ""
claim "none when the run has failed" equal "$(next p.lua --set data=none.csv)" ""
leat_run run p.lua
claim "none where no terminal is" sh -c "! grep -q 'next:' '$err'"
cat >sorted.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "sorted" { leat.source.file { path = "times.csv" }, leat.parse.csv {}, leat.parse.time { "t" },
  leat.shape.sort { id = "order", lateness = "1d", budget = "64KB" }, leat.sink.null {} }
LUA
awk 'BEGIN { print "t,text"; for (i = 0; i < 5000; i++) printf "2026-01-01T%02d:%02d:%02dZ,%s\n", i / 3600, i / 60 % 60,
    i % 60, "some text that takes its space" }' >times.csv
claim "a budget that a warning asks to raise" equal "$(next sorted.lua)" \
    "next: give order (shape.sort) a larger budget, as the warning says"
done_claims
