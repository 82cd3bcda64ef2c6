# Files that go on, by append or by a snapshot: whole lines, one heading, and a word where the columns are others.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >append.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "append" { leat.source.file { path = "in.csv" }, leat.parse.csv {}, a.set and leat.shape.set { a.set } or {},
  leat.sink.file { path = "out", format = a.format or "csv", append = a.append == "true" } }
LUA
printf 'x,y\n3,4\n' >in.csv
appended() { # appended WANT: what the file is after two records more, with nothing to say
    leat_run run append.lua --quiet --set append=true && test ! -s "$err" && printf "$1" | cmp - out
}
claim "the first run writes a heading" appended 'x,y\n3,4\n'
claim "the second none" appended 'x,y\n3,4\n3,4\n'
printf 'x,y\n1,2' >out
claim "a last line without an end gets one" appended 'x,y\n1,2\n3,4\n'
printf 'x,y' >out
claim "so does a heading" appended 'x,y\n3,4\n'
: >out
claim "an empty file gets a heading" appended 'x,y\n3,4\n'
for first in 'x;y;z' 'x' 'x,y,z' 'y,x' 'x,yy'; do
    printf '%s\n' "$first" >out
    leat_run run append.lua --quiet --set append=true
    claim_exit "rows go below another heading: $first" 0
    claim_says "which is told" "warning: file2 (sink.file): the first line of out does not name the columns of these records"
done
printf '{"x":"1"}' >out
leat_run run append.lua --quiet --set append=true --set format=jsonl
claim "lines of JSON have no heading to differ" equal "$(cat "$err" out)" '{"x":"1"}
{"x":"3","y":"4"}'
rm -f out
leat_run run append.lua --quiet --state kept
printf '5,6\n' >>in.csv
leat_run run append.lua --quiet --state kept
claim "a run that continues goes on below its heading" equal "$status $(tr '\n' ' ' <out)" "0 x,y 3,4 5,6 "
claim "without a word" test ! -s "$err"
printf '7,8\n' >>in.csv
leat_run run append.lua --quiet --state kept --set set='z = x * 2'
claim "and with another column" equal "$status $(tail -1 out)" "0 7,8,14"
claim_says "it says so" "the first line of out does not name the columns of these records"
done_claims
