# A reload by SIGHUP takes what check --state takes, and refuses what it refuses: each edit of a script at work.
# tier: long (12 s, waits)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise # the shell's words on ended children
cat >old.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "r" {
  leat.source.file { path = "in.csv", follow = true, id = "src" }, leat.parse.csv { numbers = { "n" }, id = "csv" },
  leat.parse.time { column = "t", format = "unix", id = "time" },
  leat.filter(function(n) return n ~= -1 end, { "n" }),
  leat.label.is { column = "class", positive = { "a" }, id = "label" },
  leat.feature.tokens { column = "text", id = "tok" },
  leat.learn.awm { id = "model", budget = "2KB" },
  leat.tee {
    { leat.sink.file { path = "out", format = "raw", id = "copy" } },
    { leat.sink.top { id = "top", path = "top.txt" } },
    { leat.window { "count", "sum(n)", every = "1min", id = "win" }, leat.sink.file { path = "win", format = "csv" } },
  },
  seed = 1,
}
LUA
cat >edits <<'EDITS'
s/seed = 1/seed = 2/
s/seed = 1/seed = 1, batch_rows = 100, threads = 1/
s/pipeline "r"/pipeline "q"/
s/budget = "2KB"/budget = "4KB"/
s/budget = "2KB"/budget = "2KB", l2 = 0.5/
s/id = "model"/id = "model2"/
s/id = "model"/id = "model2", was = "model"/
s/learn.awm/learn.wm/
s/positive = { "a" }/positive = { "b" }/
s/column = "text"/column = "class"/
s/n ~= -1/n ~= -2/
s/format = "raw", id = "copy"/format = "csv", id = "copy"/
s/path = "out"/path = "out2"/
s/path = "out"/path = "none\/out"/
s/path = "out"/path = "in.csv"/
s/id = "top",/id = "top", k = 3,/
s/id = "tok"/id = "tok2"/
s/every = "1min"/every = "2min"/
s/"count", "sum(n)"/"sum(n)", "count"/
s/every = "1min"/every = "1min", by = { "class" }/
s/every = "1min"/every = "1min", lateness = "5s"/
s/path = "in.csv"/path = "in2.csv"/
s/follow = true/follow = true, max_files = 3/
s/follow = true/follow = true, max_record = 2048/
s/id = "src"/id = "src2"/
s/numbers = { "n" }, //
/leat.parse.time/d
/leat.filter/d
/leat.filter/s/$/ leat.shape.where { "n >= 0" },/
/leat.learn.awm/s/^/  leat.feature.hash { bits = 10 },/
/leat.learn.awm/s/$/ leat.eval.risk {},/
/leat.learn.awm/d
/leat.window/d
s/leat.sink.top { id = "top", path = "top.txt" }/leat.sink.null { id = "top" }/
EDITS
awk 'BEGIN { print "t,n,class,text"
    for (n = 0; n < 500; n++) print 1700000000 + n * 5 "," n "," (n % 2 ? "a" : "b") ",w" n % 7 " v" n % 5 }' >in.csv
cp in.csv in2.csv
follows() { [[ $(wc -l <out) == 500 ]] && compgen -G "s/*.snapshot" >/dev/null; }
at_work() {
    rm -rf s out win top.txt
    cp old.lua r.lua
    start_hearing r.lua --state s
    until_true follows
}
# Starts a run that heeds SIGHUP, as none does under nohup, and that has no terminal.
start_hearing() {
    : >"$out" 2>"$err"
    env --default-signal=HUP setsid "$LEAT" run "$@" <&0 >"$out" 2>"$err" &
    pid=$!
    until_true takes_signals "$pid"
}
verdict=': reloaded$|is not reloaded|could not be started'
verdicts() { grep -cE "$verdict" "$err"; }
has_verdict() { (($(verdicts) > $1)); }
at_work
while IFS= read -r -u 3 edit; do
    sed "$edit" old.lua >r.lua
    cmp -s old.lua r.lua && echo "changes nothing: $edit" >>unlike
    "$LEAT" check r.lua --state s >/dev/null 2>check.err
    checked=$? before=$(verdicts)
    kill -HUP "$pid"
    until_true has_verdict "$before"
    grep -E "$verdict" "$err" | tail -1 | grep -q ': reloaded$'
    reloaded=$?
    echo "$checked $reloaded $edit" >>verdicts
    (((checked > 0) == reloaded)) || { echo "check ends with $checked: $edit" && grep error check.err "$err"; } >>unlike
    ((reloaded)) || { leat_stop && at_work; }
done 3<edits
leat_stop
count() { grep -c "$1" verdicts; }
claim "many edits are taken, and many are refused" eval '(($(count "^0 0") >= 9 && $(count "^2 1") >= 15))'
alike() { ! cat unlike; }
claim "check --state and SIGHUP judge each alike" alike
done_claims
