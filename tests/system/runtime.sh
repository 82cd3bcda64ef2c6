# The runtime: the same bytes for any number of lanes, branches, signals, progress, exit codes.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

awk 'BEGIN { srand(7); for (i = 0; i < 30000; i++) { y = rand() < .5; printf "%s", y ? "+1" : "-1";
     for (j = 0; j < 8; j++) printf " %d:%.4f", int(rand() * rand() * 5000) + (y && j < 2 ? 0 : 7), rand(); print "" }
     }' >d.svm
sed -i '100s/.*/+1 bad/; 20000s/.*/nonsense/' d.svm
cat >lanes.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "lanes" {
  leat.source.file { path = a.data },
  leat.parse.libsvm { lanes = a.lanes },
  leat.learn.awm { id = "model", budget = "8KB" },
  leat.sink.predictions { path = a.out },
  leat.sink.top { k = 50, format = "jsonl", path = a.top },
  threads = a.threads, dead_letters = a.dead, batch_rows = a.rows,
}
LUA
for lanes in 1 4; do
    leat_run run lanes.lua --set data=d.svm --set lanes=$lanes --set out=p$lanes --set top=t$lanes --set dead=d$lanes \
        --quiet
done
claim "predictions are byte for byte the same for 1 and 4 lanes" cmp p1 p4
claim "the model's top is the same for 1 and 4 lanes" cmp t1 t4
claim "dead letters are the same for 1 and 4 lanes" cmp d1 d4
claim "and there are some of each" sh -c 'test -s p1 && test -s t1 && test "$(wc -l <d1)" = 2'
leat_run run lanes.lua --set data=d.svm --set threads=1 --set out=p5 --set top=t5 --set dead=d5 --set rows=17 --quiet
claim "one thread and small batches change nothing" sh -c 'cmp p1 p5 && cmp t1 t5 && cmp d1 d5'

cat >fork.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "fork" {
  leat.source.file { path = "words.csv" },
  leat.parse.csv {},
  leat.tee {
    { leat.filter(function(n) return n > 2 end, { "n:number" }), leat.sink.file { id = "big", path = "big" } },
    { leat.map(function(w) return w:upper() end, { "word" }), leat.sink.file { id = "upper", path = "upper", format = "csv" } },
  },
}
LUA
printf 'word,n\nx,1\ny,2\nz,3\nx,4\nw,5\n' >words.csv
leat_run run fork.lua --quiet --summary s.json
claim_exit "a tee runs" 0
claim "a filter in one branch does not touch the other" equal "$(tr '\n' ' ' <big)" "z,3 x,4 w,5 "
claim "a map in one branch does not touch the other" grep -q '^X,1$' upper
cat >route.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "route" {
  leat.source.file { path = "words.csv" },
  leat.parse.csv {},
  leat.route("word", {
    x = { leat.map(function(n) return n * 10 end, { "n:number" }) },
    y = { leat.map(function(n) return n * 100 end, { "n:number" }) },
  }),
  leat.merge(),
  leat.sink.file { id = "out", path = "routed", format = "csv" },
}
LUA
leat_run run route.lua --quiet --summary s.json
claim_exit "a route runs" 0
claim "each record takes its branch, others are filtered and counted" \
    equal "$(grep -c . routed) $(stage route filtered) $(stage out in)" "4 2 3"

# New text columns: what the memory of a batch before holds may well be equal to a result.
cat >turns.lua <<'LUA'
local leat = require "leat"
local turn = 0
return leat.pipeline "turns" {
  leat.source.file { path = "turns" }, leat.parse.lines { column = "line" },
  leat.route(function()
    turn = turn % 3 + 1
    return turn == 1 and "first" or "others"
  end, {}, {
    first = { leat.sink.file { path = "firsts" } }, others = { leat.sink.file { path = "others" } },
  }),
  batch_rows = 16,
}
LUA
seq 6000 >turns
leat_run run turns.lua --quiet
claim "a route by a function loses no record" cmp <(sort -n firsts others) turns
claim "and each takes its branch" cmp <(seq 1 3 6000) firsts

# A merge takes from each stream in proportion: of 10,000 and 1,000 lines ten to one, all along.
cat >joined.lua <<'LUA'
local leat = require "leat"
local function lines(path) return { leat.source.file { path = path }, leat.parse.lines { column = "line" } } end
return leat.pipeline "joined" {
  leat.merge { lines(leat.args.a), lines(leat.args.b), lines("equal") },
  leat.sink.file { path = "joined", format = "csv" },
  batch_rows = 16, threads = tonumber(leat.args.threads),
}
LUA
seq -f 'a%g' 10000 >long; seq -f 'b%g' 1000 >short; seq -f 'c%g' 1000 >equal
farthest() { awk -F, '{ k = substr($0, 1, 1); n[k]++; d = n["a"] - 10 * n["b"]; e = n["b"] - n["c"]
    if (d < 0) d = -d; if (e < 0) e = -e; if (n["a"] < 9500 && d > most) most = d; if (e > even) even = e } END {
    print most + 0, even + 0 }' joined; }
for t in 1 4; do
    leat_run run joined.lua --quiet --set a=long --set b=short --set threads=$t
    cp joined "joined.$t"
done
claim "a merge gives every record" equal "$(sort joined | cksum)" "$({ echo line; cat long short equal; } | sort |
    cksum)"
read -r most even <<<"$(farthest)"
claim "streams of ten to one are merged ten to one" below "$most" 500
claim "and those of one length in step" below "$even" 48
claim "in the same order whatever the number of threads" cmp joined.1 joined.4
gzip -kf long
leat_run run joined.lua --quiet --set a=long.gz --set b=short --set threads=4
read -r most even <<<"$(farthest)"
claim "a compressed stream, too" below "$most" 2000
leat_run run joined.lua --quiet --set a=<(cat long) --set b=short --set threads=4
claim "with a pipe they are merged in turn" equal "$(head -2000 joined | cut -c1 | sort | uniq -c |
    awk '$1 > 600 && $1 < 700' | wc -l)" 3

cat >slow.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "slow" {
  leat.source.null { text = "+1 1:1 2:1", records = 0 },
  leat.parse.libsvm {}, leat.learn.awm { id = "model", budget = "2KB" }, leat.sink.null {},
}
LUA
has_read() {
    kill -USR1 "$pid"
    grep -q '(source.null): [1-9][0-9]* records in' "$err"
}
leat_start slow.lua --quiet --summary s.json
until_true has_read
kill -INT $pid
leat_end
claim_exit "an interrupt ends the run cleanly, with 0" 0
claim "and the summary is written and reconciles" jq -e '.records > 0 and all(.stages[]; .in == .out + .filtered +
    .rejected)' s.json
leat_start slow.lua --quiet
leat_stop
claim_exit "so does a termination" 0
mkfifo pipe
sleep 600 >pipe &
leat_start lanes.lua --set data=- --set out=/dev/null --set top=/dev/null --quiet <pipe
kill -INT $pid
leat_end
claim_exit "an interrupt also ends a run that waits for its input" 0

leat_run run lanes.lua --set data=d.svm --set out=/dev/null --set top=/dev/null
claim_says "the progress table has the columns of Vowpal Wabbit" "average" "since" "features"
claim "it has rows at powers of two" sh -c "awk '\$3 == 1024' '$err' | grep -q ."
claim "no progress bar when piped" sh -c "! grep -q '\[#' '$err'"
leat_run run lanes.lua --set data=d.svm --set out=/dev/null --set top=/dev/null --progress always
claim "a progress bar on request" grep -q "records" "$err"
leat_run run lanes.lua --set data=d.svm --set out=/dev/null --set top=/dev/null --quiet
claim "--quiet says nothing but errors" sh -c "! grep -v warning '$err' | grep -q ."
leat_run run lanes.lua --set data=d.svm --set out=/nowhere/p --set top=/dev/null --quiet
claim_exit "an output that cannot be opened ends with 1" 1
claim_says "and is named" "/nowhere/p"
leat_run run lanes.lua --set data=d.svm --set out=/dev/full --set top=/dev/null --quiet
claim_exit "a full disk ends with 1" 1
leat_run run lanes.lua --set data=d.svm --set out=/dev/null --set top=/dev/null --quiet --summary -
claim "--summary - is one JSON object on standard output" jq -e '.pipeline == "lanes" and .exit == 0' "$out"
done_claims
