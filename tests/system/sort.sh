# leat.shape.sort: the stable order of sort(1); late records; a full budget; all parts of a record move with it. The
# bytes are the same for any threads, batches and kills.
# tier: long (4 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >sort.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "sort" {
  threads = a.threads, dead_letters = a.dead, batch_rows = a.rows, max_reject_ratio = 1,
  leat.source.file { path = a.data or "in.csv" },
  leat.parse.csv {},
  a.time ~= "none" and leat.parse.time { column = "t", format = "unix" } or leat.filter(function() return true end, { "t" }),
  leat.shape.set { "up = upper(k)" },
  a.label and leat.label.number { column = "x" } or {},
  leat.sort_window { lateness = a.lateness or "60s", late = a.late, budget = a.budget },
  a.after and leat.filter(function(x) if x % 100 == 7 then error "seven" end return true end, { "x:number" }) or {},
  a.label and leat.feature.columns { "k" } or {}, a.label and leat.learn.bias {} or {},
  leat.sink.file { path = a.out, format = a.format },
}
LUA
run() { leat_run run sort.lua --quiet "$@"; }
awk 'BEGIN { srand(4); print "t,k,x"
    for (i = 0; i < 20000; i++) printf "%d,%s,%d\n", 1700000000 + i / 10 - int(rand() * 60) + (i > 15000 ? 5000 : 0),
    substr("abcdefgh", 1 + int(rand() * 8), 1), i }' >in.csv
sed 1d in.csv | LC_ALL=C sort -s -t, -k1,1n >wanted
run --set out=raw --set format=raw --set dead=dead1
claim_exit "a run that sorts ends well" 0
claim "records are in the order of sort -s, with the bytes that arrived" cmp raw wanted
claim "none is rejected" equal "$(wc -l <dead1)" 0
run --set out=rows --set format=csv
claim "columns that were made go with them" cmp <(sed 1d rows) <(awk -F, '{ print $0 "," toupper($2) }' wanted)
run --set out=labels --set label=1 --set format=raw --summary s.json
claim "and so do labels" equal "$(jq '.stages[] | select(.plugin == "learn.bias").metrics.examples' s.json)" 20000

# Late: earlier than one that has gone out, that is one of a time `lateness` before the latest.
cat >late.awk <<'AWK'
NR == 1 { next }
{ at[++n] = $1; line[n] = NR; if ($1 < gone) { print NR; next } if ($1 > latest) latest = $1; held[n] = $1
  for (i in held) if (held[i] + late <= latest) { if (held[i] > gone) gone = held[i]; delete held[i] } }
AWK
head -3001 in.csv >some.csv
awk -F, -v late=20 -f late.awk some.csv >wanted_late
run --set data=some.csv --set lateness=20s --set dead=dead --set out=rows --set format=raw --summary s.json
claim "a naive list says which are late ($(wc -l <wanted_late))" diff <(jq -r .line dead) wanted_late
claim "with some" below 100 "$(wc -l <wanted_late)"
claim_says "they are told" "the record is late: it is 2" 's" would have kept it in order'
claim "all others are in order" cmp rows <(awk 'NR == FNR { late[$1]; next } !(FNR in late) && FNR > 1' wanted_late \
    some.csv | LC_ALL=C sort -s -t, -k1,1n)
claim "they are counted" equal "$(jq '.stages[] | select(.plugin == "shape.sort").metrics.late_records' s.json)" "$(wc \
    -l <wanted_late)"
farthest=$(jq '.stages[] | select(.plugin == "shape.sort").metrics.farthest_back_seconds' s.json)
run --set data=some.csv --set lateness="${farthest}s" --set dead=dead --set out=rows --set format=raw
claim "with the lateness that the summary names none is late" equal "$(wc -l <dead),$(wc -l <rows)" 0,3000
run --set data=some.csv --set lateness=20s --set late=filter --set dead=dead --set out=rows --set format=raw \
    --summary s.json
claim "or they are left out" equal "$(wc -l <dead),$(wc -l <rows)" "0,$((3000 - $(wc -l <wanted_late)))"
claim "and count as filtered" equal "$(jq -c '.stages[] | select(.plugin == "shape.sort") | [.in, .out, .filtered,
    .rejected]' s.json)" \
    "[3000,$(wc -l <rows),$(wc -l <wanted_late),0]"
claim_says "which is said" "$(wc -l <wanted_late) records came too late, and are left out: raise lateness to"
{ echo t,v && seq 10000 19999 | sed 's/$/,1/'; } >later.csv
{ echo t,v && seq 0 9999 | sed 's/$/,1/'; } >earlier.csv
cat >files.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "files" {
  leat.source.file { path = { "later.csv", "earlier.csv" } }, leat.parse.csv {}, leat.parse.time { "t", format = "unix" },
  leat.shape.sort { lateness = "5s", budget = leat.args.budget, late = "filter" }, leat.sink.file { path = "sorted" },
}
LUA
leat_run run files.lua --quiet --set budget=64KB
left=$((20000 - $(wc -l <sorted)))
claim_says "files in a wrong order are told, not lateness ($left left out)" \
    "$left records came after later ones that were passed on early, because budget = 65536 bytes was used up, and are left out"
claim "and lateness is not blamed" sh -c "! grep -q 'raise lateness' '$err'"
leat_run run files.lua --quiet --set budget=16MB
claim "with the budget none is lost" equal "$(wc -l <sorted)" 20000
run --set data=some.csv --set lateness=20s --set late=pass --set dead=dead --set out=rows --set format=raw
claim "or they pass" cmp <(sort rows) <(sed 1d some.csv | sort)
claim "out of order" sh -c '! cut -d, -f1 rows | sort -nc 2>/dev/null'
claim_says "which is said, too" "passed out of order"

run --set budget=64KB --set lateness=300s --set late=pass --set dead=dead --set out=rows --set format=raw \
    --summary s.json
early=$(jq '.stages[] | select(.plugin == "shape.sort").metrics.gone_early' s.json)
claim "where the budget is used up records go out early ($early)" below 0 "$early"
claim_says "which is said" "budget: $early records were passed on early"
claim "nothing is lost" cmp <(sort rows) <(sort wanted)
awk 'BEGIN { srand(5); print "t,k,x"; for (i = 0; i < 5000; i++) printf "%d,k,%d\n",
    1700000000 + i / 10 - int(rand() * 250), i }' >wide.csv
run --set data=wide.csv --set rows=64 --set budget=64KB --set lateness=300s --set dead=dead --set out=rows \
    --set format=raw
claim "what is late then is rejected ($(wc -l <dead))" equal "$(cat <(jq -r .record dead) rows | sort |
    cksum)" "$(sed 1d wide.csv | sort | cksum)"
claim "with the reason" grep -q "were passed on early, because budget = 65536 bytes was used up: raise budget" dead
claim "and the others are in order" sh -c 'cut -d, -f1 rows | sort -nc'

run --set after=1 --set out=one --set format=raw --set dead=dead1 --set lateness=20s --set threads=1
claim "what a later stage rejects is told with its file and line" equal "$(jq -r 'select(.stage == "filter") |
    "\(.input) \(.line) \(.record)"' dead1 | sort -k2n | sed -n 5p)" \
    "$(jq -r 'select(.stage == "filter").line' dead1 | sort -n | sed -n 5p | { read -r line; echo "in.csv $line $(sed \
    -n "${line}p" in.csv)"; })"
for how in "threads=8" "threads=3"; do
    run --set "$how" --set after=1 --set out=two --set format=raw --set dead=dead2 --set lateness=20s
    claim "with $how the same records come out" cmp one two
    claim "and the same dead letters" cmp dead1 dead2
done
for rows in 1 7 5000; do
    run --set rows=$rows --set after=1 --set out=two --set format=raw --set dead=dead2 --set lateness=20s
    claim "in batches of $rows the same records come out" cmp one two
    claim "and the same dead letters, in some order" cmp <(jq -c 'del(.message)' dead1 | sort) <(jq -c 'del(.message)' \
        dead2 | sort)
done
run --set rows=64 --set after=1 --set out=one --set format=raw --set dead=dead1 --set lateness=20s
for i in 1 2 3; do
    LEAT_FAULT=snapshot_durable:$((i * 3)) run --set rows=64 --set after=1 --set out=two --set format=raw \
        --set dead=dead3 --set lateness=20s --state state --every 500
done
run --set rows=64 --set after=1 --set out=two --set format=raw --set dead=dead3 --set lateness=20s --state state \
    --every 500
claim "killed three times and continued, the records are the same" cmp one two
claim "and the dead letters, with their lines" cmp dead1 dead3
run --set rows=64 --set after=1 --set out=two --set format=raw --set dead=dead3 --set lateness=20s --state state \
    --every 500
claim "a run that continues after the end has nothing to add" cmp one two
claim "leat model restores what it keeps" "$LEAT" model verify state

printf 't,k,x\n,a,1\n1700000005,"a ""b"", c",2\n1700000003,\377,3\n1700000003,,4\n1700000003,"",5\n' >odd.csv
run --set data=odd.csv --set dead=dead --set format=csv
claim "fields with quotes, other bytes and nothing survive" equal "$(sed 1d "$out" | cut -d, -f1-3 | od -c | cksum)" \
    "$(printf '1700000003,\377,3\n1700000003,,4\n1700000003,,5\n1700000005,"a ""b"", c",2\n' | cut -d, -f1-3 | od -c |
    cksum)"
claim "a record without a time is rejected" grep -q '"line":2' dead
printf 't,k,x\n1700000005,%0100000d,1\n1700000001,b,2\n' 0 >long.csv
run --set data=long.csv --set budget=64KB --set dead=dead --set format=csv
claim "one that is too long for the budget is rejected" equal "$(sed 1d "$out")" "1700000001,b,2,B"
claim_says "with what to do" "but with this budget a kept record has at most"
printf 't,k,x\n' >empty.csv
run --set data=empty.csv --set format=csv
claim "of nothing comes nothing" equal "$status,$(wc -l <"$out")" 0,1

leat_run check sort.lua --set time=none
claim_says "without times it is refused, with what makes them" "parse.time"
cat >examples.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "x" { leat.source.file { "in.csv" }, leat.parse.csv {}, leat.parse.time { column = "t", format = "unix" },
  leat.feature.columns { "k" }, leat.shape.sort { "1s" }, leat.learn.bias {}, leat.sink.null {} }
LUA
leat_run check examples.lua
claim_says "after examples are made it is refused" \
    "would lose the examples that an earlier stage made of them: put it before that stage"
done_claims
