# leat.window: counts, sums and quantiles of spans of time equal awk's of all records.
#
# It tests late records, overlapping windows, and a full budget. The bytes are the same for any threads, batches, kills
# and stops.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >window.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local all = { "count", "sum(x)", "mean(x)", "min(x)", "max(x)", "m = quantile(x, 0.5)", "quantile(x, 1)" }
return leat.pipeline "window" {
  threads = a.threads, dead_letters = a.dead, batch_rows = a.rows, max_reject_ratio = 1,
  leat.source.file { path = a.data or "in.csv" },
  leat.parse.csv {},
  a.time ~= "none" and leat.parse.time { column = "t", format = "unix" } or leat.filter(function() return true end, { "t" }),
  leat.window { columns = a.columns and { a.columns } or all, every = a.every or "60s",
    slide = a.slide, by = a.by or "k", lateness = a.lateness, late = a.late, budget = a.budget, offset = a.offset, key_bytes = a.key_bytes, values = a.values, zone = a.zone, max_ahead = a.max_ahead },
  leat.sink.file { path = a.out, format = "csv" },
}
LUA
run() { leat_run run window.lua --quiet "$@"; }
# By counting all records of each group; quantiles by sorting. ORACLE EVERY SLIDE: rows in the order of window and key.
oracle() {
    awk -F, -v every="$1" -v slide="$2" 'NR > 1 {
            first = int($1 / slide) * slide
            for (s = first; s > first - every; s -= slide) print s "," $2 "," $3
        }' in.csv | sort -t, -k1,1n -k2,2 -k3,3n | awk -F, '
        function give() {
            if (!n) return
            printf "%s,%s,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", strftime("%Y-%m-%dT%H:%M:%SZ", w, 1), k, n, sum, sum / n,
            x[1], x[n], x[int((n + 1) / 2)], x[n]
        }
        $1 != w || $2 != k { give(); w = $1; k = $2; n = 0; sum = 0 }
        { x[++n] = $3; sum += $3 }
        END { give() }'
}
round() { awk -F, 'NR > 1 { printf "%s,%s,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", $1, $2, $3, $4, $5, $6, $7, $8, $9 }' \
    "$1" | sort -t, -k1,1 -k2,2; }

awk 'BEGIN { srand(4); print "t,k,x"
    for (i = 0; i < 20000; i++) printf "%d,%s,%d\n",
    1700000000 + i / 10 - (rand() < .1 ? int(rand() * 30) : 0) + (i > 15000 ? 5000 : 0), substr("abcdefgh",
    1 + int(rand() * rand() * 8), 1), rand() * 1000 - 300 }' >in.csv
run --set lateness=30s --set out=rows
claim "a run with windows ends well" equal "$status" 0
claim "counts, sums, extremes and quantiles are those of all records" diff <(round rows) <(oracle 60 60)
claim "windows come in the order of time" cmp <(tail -n +2 rows | cut -d, -f1) <(tail -n +2 rows | cut -d, -f1 | sort)
run --set lateness=30s --set slide=20s --set out=rows
claim "and so are those of windows that overlap" diff <(round rows) <(oracle 60 20)

run --set lateness=30s --set dead=dead1 --set out=one --set slide=30s --set threads=1
for how in threads=8 "threads=2 rows=7" "threads=3 rows=1"; do
    # shellcheck disable=SC2046
    run $(printf -- '--set %s ' $how) --set lateness=30s --set slide=30s --set dead=dead2 --set out=two
    claim "with $how the same rows come out" cmp one two
    claim "and the same dead letters" cmp dead1 dead2
done
for i in 1 2 3; do
    LEAT_FAULT=snapshot_durable:$((i * 3)) leat_run run window.lua --quiet --set lateness=30s --set slide=30s \
        --set dead=dead3 --set out=killed --set rows=64 --state state --every 500
done
run --set lateness=30s --set slide=30s --set dead=dead3 --set out=killed --set rows=64 --state state --every 500
claim "killed three times and continued, the rows are the same" cmp one killed
claim "and the dead letters" cmp dead1 dead3
run --set lateness=30s --set slide=30s --set dead=dead3 --set out=killed --set rows=64 --state state --every 500
claim "a run that continues after the end has nothing to add" cmp one killed
leat_run model verify state
claim "leat model restores what it keeps" equal "$status" 0

run --set out=rows --set dead=dead --summary s.json
late=$(jq '.stages[] | select(.id == "window").metrics.late_records' s.json)
claim "without lateness some come too late ($late)" below 100 "$late"
claim "they are rejected and counted" equal "$(grep -c '"reason":"time"' dead)" "$late"
claim_says "with what would have helped" "the windows of the record have ended: the latest record, of 2023-11-14T" \
    's" would have kept this record'
needed=$(jq -r .message dead | sed -n 's/.*lateness = "\([0-9]*\)s" would.*/\1/p' | sort -n | tail -1)
claim_says "and what would have helped them all" \
    "warning: window (shape.window): $late records came after their windows had ended and are rejected: lateness = \"${needed}s\" would have kept all of them"
run --set lateness="${needed}s" --set dead=none
claim "and does" equal "$(wc -l <none)" 0
run --set out=rows --set dead=dead --summary s.json
claim "the others are all there" equal "$(awk -F, 'NR > 1 { n += $3 } END { print n + '"$late"' }' rows)" 20000
counts() { jq -c --arg of "$1" '.stages[] | select(.plugin == $of) | [.in, .out, .filtered, .rejected, .made]' s.json; }
claim "each record is counted: gone into a window, or rejected" equal "$(counts shape.window)" "[20000,$(sed 1d rows |
    wc -l),$((20000 - late - $(sed 1d rows | wc -l))),$late,null]"
run --set out=rows --set late=filter --set dead=dead --summary s.json
claim "or they are left out" equal "$(wc -l <dead)" 0
claim "and count as filtered" equal "$(counts shape.window)" "[20000,$(sed 1d rows |
    wc -l),$((20000 - $(sed 1d rows | wc -l))),0,null]"
claim_says "which is said" \
    "$late records came after their windows had ended and are left out: lateness = \"${needed}s\" would have kept all of them"

run --set out=rows --set budget=4KB --set lateness=300s --set columns=count --set dead=dead --summary s.json
early=$(jq '.stages[] | select(.id == "window").metrics.windows_ended_early' s.json)
claim "a budget that is used up ends windows early ($early)" below 0 "$early"
claim_says "which is said" "budget: $early windows ended early"
claim "nothing is lost" equal "$(awk -F, 'NR > 1 { n += $3 } END { print n }' rows),$(wc -l <dead)" \
    "$((20000 - $(wc -l <dead))),$(wc -l <dead)"
# A window that uses all groups ends for the first record of the next one, too, though lateness would keep it open.
cat >next.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "next" {
  leat.source.file "next.csv", leat.parse.csv {}, leat.parse.time { "t", format = "unix" },
  leat.window { "count", every = "1h", by = { "k" }, lateness = "10s", budget = "100KB", slide = leat.args.slide },
  leat.sink.file { path = "next", format = "csv" }, max_reject_ratio = 1, dead_letters = "next.dead",
}
LUA
awk 'BEGIN { print "t,k"; for (i = 0; i < 1000; i++) print 1717202800 ",a" i; for (i = 0; i < 5; i++) print 1717203600 + i ",b" }' >next.csv
for slide in 1h 30min; do
    rm -f next.dead
    leat_run run next.lua --quiet --set slide=$slide
    claim "the next window has its records (slide $slide)" grep -q '^2024-06-01T01:00:00Z,b,5$' next
    claim "only keys that had no room are rejected (slide $slide)" equal "$(grep -c '"a[0-9]*"\|,a[0-9]' next.dead)" "$(wc -l <next.dead)"
done
awk 'BEGIN { print "t,k,x"; for (i = 0; i < 3000; i++) printf "%d,key%d,1\n", 1700000000 + i / 1000, i % 500 }' \
    >many.csv
run --set data=many.csv --set out=rows --set budget=16KB --set columns=count --set dead=dead
claim_says "where one window needs more, records of further groups are rejected" \
    "other keys use all" "groups of the open window: raise 'budget'"
claim "and all others are counted" equal "$(awk -F, 'NR > 1 { n += $3 } END { print n }' rows)" \
    $((3000 - $(wc -l <dead)))

cat >texts.csv <<'CSV'
t,k,x
1700000001,,5
1700000002,"a, b",
1700000003,"",-0
1700000004,größe,1e300
1700000005,"a, b",x
1700000006,"a, b",7
1600000000,old,1
,none,1
CSV
run --set data=texts.csv --set dead=dead --set every=1h
claim "keys may be missing, empty, or have commas" equal "$(cut -d, -f2- "$out" | tail -n +2)" ',2,5,2.5,0,5,0,5
"a, b",2,7,7,7,7,7,7
größe,1,1e+300,1e+300,1e+300,1e+300,1e+300,1e+300'
claim "a value that is no number rejects its record, as does a time that is none, or one that is late" equal "$(jq \
    -r .line dead | tr '\n' ' ')" "6 8 9 "
run --set data=texts.csv --set dead=dead --set key_bytes=8
claim_says "a key that is too long is rejected" \
    "the values of the \`by\` columns are too long together: raise key_bytes = 8"
run --set data=texts.csv --set every=7d --set offset=4d --set by=t --set columns=count
claim "weeks may begin on a Monday" equal "$(sed -n 2p "$out")" "2023-11-13T00:00:00Z,1700000001,1"
awk 'BEGIN { print "t,k,x"; for (i = 0; i < 4000; i++) printf "1700000001,%s,%d\n", (i % 3 ? "u" i % 2 : "v" i % 1000),
    i }' >many.csv
run --set data=many.csv --set by=x --set columns='top(k, 2)' --set every=1h
run --set data=many.csv --set by=t --set columns='top(k, 2)' --set every=1h
claim "top gives the most frequent values" equal "$(sed -n 2p "$out")" \
    '2023-11-14T22:00:00Z,1700000001,"u0 (1333), u1 (1333)"'
# Skewed, in the order of their counts, and in turn: of 3000 different values.
awk 'BEGIN { srand(3); print "t,k,x"; for (i = 0; i < 40000; i++) printf "1700000001,v%d,1\n", 3000 * rand() ^ 4 }' \
    >skewed.csv
awk 'BEGIN { print "t,k,x"; for (v = 0; v < 300; v++) for (i = v; i < 300; i++) printf "1700000001,v%d,1\n", v }' \
    >sorted.csv
{ head -1 sorted.csv && tail -n +2 sorted.csv | tac; } >reversed.csv
exact() { awk -F, 'NR > 1 { n[$2]++ } END { for (k in n) print n[k], k }' "$1" | sort -k1,1nr -k2,2 | head -5 |
    awk '{ printf "%s%s (%d)", (NR > 1 ? ", " : ""), $2, $1 }'; }
for data in skewed sorted reversed; do
    run --set data=$data.csv --set by=t --set columns='top(k, 5)' --set every=1h
    claim "of $data values top gives the most frequent ones, and how often they came" equal "$(sed -n 2p "$out" |
        cut -d'"' -f2)" "$(exact $data.csv)"
    claim "and no warning" equal "$(wc -c <"$err")" 0
    run --set data=$data.csv --set by=t --set columns='top(k, 5)' --set every=1h --set values=100 --summary s.json
    claim "with less space it names them still" equal "$(sed -n 2p "$out" | cut -d'"' -f2 | tr -cd v | wc -c)" 5
    sed -n 2p "$out" | cut -d'"' -f2 | tr -d '(~,' | tr ')' '\n' >estimates
    claim "and no estimate is below the count" awk 'NR == FNR { n[$1] = $2; next } { if (n[$1] > $2) exit 1; seen++ }
        END { exit seen != 5 }' \
        <(awk -F, '{ n[$2]++ } END { for (k in n) print k, n[k] }' $data.csv) <(grep . estimates)
done
claim_says "estimates are told, with what makes them exact" \
    "warning: window (shape.window): columns: 1 answers of top() may have wrong counts or a wrong order, because a group had more distinct values than can be counted exactly. Counts with ~ are estimates, at most" "Raise values (now 100)"
claim "and counted" equal "$(jq '.stages[] | select(.id == "window").metrics.tops_estimated' s.json)" 1
run --set data=skewed.csv --set by=t --set columns='top(k, 5)' --set every=1h --set values=100
claim "what came very often is exact all the same" equal "$(sed -n 2p "$out" | cut -d'"' -f2 |
    cut -d, -f1-4)" "$(exact skewed.csv | cut -d, -f1-4)"
run --set data=many.csv --set by=t --set columns='top(k, 5)' --set every=1h --set budget=60KB
claim_says "where the budget is used up first, that is told" "because distinct values used up the budget" \
    "Raise budget (now 61440)"
LEAT_FAULT=snapshot_durable:3 leat_run run window.lua --quiet --set data=skewed.csv --set by=t \
    --set columns='top(k, 5)' --set budget=60KB --set rows=512 --set out=rows --state tops --every 9000
run --set data=skewed.csv --set by=t --set columns='top(k, 5)' --set budget=60KB --set rows=512 --set out=rows \
    --state tops --every 9000
run --set data=skewed.csv --set by=t --set columns='top(k, 5)' --set budget=60KB --set rows=512 --set out=rows2
claim "a run that was killed gives the same estimates" cmp rows rows2
run --set data=many.csv --set by=t --set columns='d = distinct(k)' --set every=1h
claim "distinct is about their number" sh \
    -c 'd=$(sed -n 2p '"$out"' | cut -d, -f3); [ "$d" -gt 900 ] && [ "$d" -lt 1100 ]'
{ echo t,k,x; for d in {1..9}; do for i in {0..99}; do echo "$((3600 * d + 36 * i)),R-$d-$i,x"; done; done; } \
    >different.csv
run --set data=different.csv --set by=x --set columns='distinct(k)' --set every=1h
claim "distinct is exact of a hundred" equal "$(tail -n +2 "$out" | cut -d, -f3 | sort -u)" 100
run --set data=different.csv --set by=x --set columns='distinct(k)' --set every=2h --set slide=20min
claim "and of the panes of a window together" equal "$(tail -n +2 "$out" | cut -d, -f3 | tr '\n' ' ')" \
    "$(awk -F, 'NR > 1 { for (w = int($1 / 1200) * 1200; w > $1 - 7200; w -= 1200) n[w]++ } END {
        for (w = -3600; w < 36000; w += 1200) if (n[w]) printf "%d ", n[w] }' different.csv)"
awk 'BEGIN { srand(7); print "t,k,x";
    for (d = 0; d < 60; d++) for (i = 0; i < 200 + d; i++) print 3600 * d + i ",R-" int(1e9 * rand()) "-" d "-" i ",x" }' >different.csv
run --set data=different.csv --set by=x --set columns='distinct(k)' --set every=1h
claim "an estimate is never more than there were values" equal "$(awk -F, 'NR > 1 && $3 > 198 + NR' "$out")" ""
printf 't,k,x\n1,a,1\n1,a, \n1,a,\n1,a,3\n' >blank.csv
run --set data=blank.csv --set columns='count(x)'
claim "count(x) counts values, and blanks are none" equal "$(tail -n +2 "$out")" "1970-01-01T00:00:00Z,a,2"
for columns in "distinct(x)|2" "top(x, 3)|\"1 (1), 3 (1)\"" "mean(x)|2"; do
    run --set data=blank.csv --set columns="${columns%|*}"
    claim "nor does ${columns%|*} take them as values" equal "$(tail -n +2 "$out")" \
        "1970-01-01T00:00:00Z,a,${columns#*|}"
done
printf 't,k,x\n1,a,1.5e308\n2,a,1.5e308\n3,a,-1.5e308\n1,b,1\n1,c,-1.5e308\n1,d,1.5e308\n2,d,1.5e308\n1,e,1.7e308\n2,e,1e308\n3,e,-1.7e308\n4,e,-1e308\n5,e,3\n70,c,-1.5e308\n' >huge.csv
run --set data=huge.csv --set columns='sum(x)' --summary s.json --state huge
claim "a sum beyond all numbers is empty, but one that was so on its way is exact" equal "$(tail -n +2 "$out" |
    cut -d, -f2- | tr '\n' ' ')" "a,1.5e+308 b,1 c,-1.5e+308 d, e,3 c,-1.5e+308 "
claim_says "which is said" "columns: 1 sums or means were left empty, because the sum is beyond 1.8e308"
claim "and counted" equal "$(jq '.stages[] | select(.id == "window").metrics.sums_too_large' s.json)" 1
run --set data=huge.csv --set columns='mean(x)' --set every=120s --set slide=60s --set out=rows
claim "a mean of several parts is exact, too" grep -q '^1970-01-01T00:00:00Z,c,-1.5e+308$' rows
run --set data=huge.csv --set columns='sum(x)' --set every=120s --set slide=60s --set out=rows
claim "and their sum is empty" grep -q '^1970-01-01T00:00:00Z,c,$' rows
printf 't,k,x\n1,a,1.5e308\n2,a,1.5e308\n3,a,-1e308\n' >huge.csv
LEAT_FAULT=snapshot_durable:2 leat_run run window.lua --quiet --set data=huge.csv --set columns='sum(x)' --set rows=1 \
    --set out=rows --state huge2 --every 1
run --set data=huge.csv --set columns='sum(x)' --set rows=1 --set out=rows --state huge2 --every 1
claim "and a snapshot may hold it" equal "$status,$(tail -n +2 rows)" "0,1970-01-01T00:00:00Z,a,"
printf 't,k,x\n1774728000,a,1\n1774726380,a,1\n' >old.csv # 20:00:00, 19:33:00
run --set data=old.csv --set every=30min --set slide=10min --set lateness=5min --set columns=count
claim "a late record counts in those of its windows that are not over" equal "$(tail -n +2 "$out" | cut -c12-16,21- |
    tr '\n' ' ')" "19:30,a,1 19:40,a,1 19:50,a,1 20:00,a,1 "
printf 't,k,x\n' >empty.csv
run --set data=empty.csv
claim "of no record come no windows" equal "$status,$(wc -l <"$out")" 0,1

# ---- days of a zone ----

awk 'BEGIN { print "t,k,x"; for (t = 1711600000; t < 1712000000; t += 600) print t ",a,1";
    for (t = 1729900000; t < 1730200000; t += 600) print t ",a,1" }' >days.csv
for zone in Europe/Berlin America/New_York; do
    run --set data=days.csv --set every=1d --set columns=count --set zone=$zone --set by=k
    # shellcheck disable=SC2030,SC2031
    days() { tail -n +2 days.csv | cut -d, -f1 | sed 's/^/@/' | TZ=$1 date -f - +%FT00:00:00 | sort | uniq -c |
        awk '{ print $2 "," $1 }'; }
    claim "days of $zone are those of its calendar" diff <(tail -n +2 "$out" |
        awk -F, '{ print substr($1, 1, 19) "," $3 }') <(days $zone)
done
run --set data=days.csv --set every=1d --set columns=count --set zone=Europe/Berlin
claim "one has 23 hours, one 25" equal "$(tail -n +2 "$out" | cut -d, -f1,3 | grep -E '03-31|10-27' |
    tr '\n' ' ')" "2024-03-31T00:00:00+01:00,138 2024-10-27T00:00:00+02:00,150 "
run --set data=days.csv --set every=7d --set offset=4d --set columns=count --set zone=Europe/Berlin
claim "weeks begin at midnight there" equal "$(sed -n 2p "$out" | cut -d, -f1)" "2024-03-25T00:00:00+01:00"

# ---- clocks that are ahead ----

awk 'BEGIN { print "t,k,x"; for (i = 0; i < 3000; i++) print 1717200000 + i + (i == 1500 ? 315360000 : 0) ",a,1" }' \
    >ahead.csv
run --set data=ahead.csv --set every=10min --set columns=count --summary s.json
claim "one clock that is ten years ahead ends no window" equal "$(tail -n +2 "$out" | cut -d, -f3 |
    tr '\n' ' ')" "600 600 599 600 600 1 "
claim_says "and is told" \
    "1 records, such as one of 2034-05-30T00:25:00Z, are more than max_ahead = 1200 s ahead of the records around them"
claim "and counted" equal "$(jq '.stages[] | select(.id == "window").metrics.ahead_records' s.json)" 1
LEAT_FAULT=snapshot_durable:3 leat_run run window.lua --quiet --set data=ahead.csv --set every=10min \
    --set columns=count --set rows=1 --set out=rows --state ahead --every 750
run --set data=ahead.csv --set every=10min --set columns=count --set rows=1 --set out=rows --state ahead --every 750
claim "killed after it, too" equal "$(tail -n +2 rows | cut -d, -f3 | tr '\n' ' ')" "600 600 599 600 600 1 "
run --set data=ahead.csv --set every=10min --set columns=count --set max_ahead=3660d --set dead=dead
claim "max_ahead may allow it" below 1000 "$(wc -l <dead)"
awk 'BEGIN { print "t,k,x"; for (i = 0; i < 3000; i++) print 1717200000 + i + (i >= 1500 ? 315360000 : 0) ",a,1";
    print "1717201499,a,1" }' >gap.csv
run --set data=gap.csv --set every=10min --set columns=count --set dead=dead
claim "a gap of ten years is one, and ends windows" equal "$(tail -n +2 "$out" | cut -d, -f3 |
    tr '\n' ' ')$(wc -l <dead)" "600 600 300 300 600 600 1"
awk 'BEGIN { print "t,k,x";
    for (i = 0; i < 300; i++) print 1717200000 + i + (i % 3 == 1 ? (i + 20) * 1000000 : 0) ",a,1" }' >many.csv
run --set data=many.csv --set every=10min --set columns=count --set dead=dead
claim "of many such clocks some records are rejected, and no window ends early" equal \
    "$(($(wc -l <dead) + $(tail -n +2 "$out" | cut -d, -f3 | paste -sd+ | bc))) $(sed -n 2p "$out" |
    cut -d, -f3)" "300 200"

refused() {
    leat_run check window.lua "${@:2}"
    claim_exit "$1 is refused" 2
}
refused "a function that there is not" --set columns='fold(x)'
claim_says "with those that there are" \
    "columns: 'fold(x)' cannot be read: 'fold' is not a function: the functions are count, sum, mean, min, max, quantile, distinct and top"
for name in "median|quantile(x, 0.5)" "percentile|quantile(x, 0.95)" "P95|quantile(x, 0.95)" "avg|mean(x)" \
    "unique|distinct(x)"; do
    refused "${name%|*}" --set columns="${name%|*}(x)"
    claim_says "with what it is here" "'${name%|*}' is not a function: " "\"${name#*|}\"; the functions are count"
done
refused "a quantile of 99" --set columns='quantile(x, 99)'
claim_says "as it is a share" "a quantile is a share from 0 to 1, such as 0.99"
refused "an unclosed call" --set columns='sum(x'
claim_says "by its parenthesis" "a closing parenthesis is missing"
refused "a column that is not there" --set columns='sum(y)'
claim_says "by its name" "there is no column 'y'"
refused "a name that begins with @" --set columns='@label = count'
claim_says "with what makes labels" \
    "columns: '@label' cannot be the name of a column: to set a label, put label.number after this stage"
refused "a name that \`by\` has" --set columns='k = count'
claim_says "once" "columns: two columns would be named 'k': give one a name, such as \"other = sum(x)\""
claim "and nothing else is said of it" equal "$(grep -c 'error: ' "$err")" 1
refused "a name that the window has" --set columns='window = count'
refused "a group by the same column twice" --set by=k,k
claim_says "with its parameter" "by: two columns would be named 'k'"
refused "a slide that does not divide" --set slide=25s
claim_says "with what it must do" "slide: must divide \`every\`"
refused "a group that does not fit" --set budget=4KB --set columns='quantile(x, 0.5)'
claim_says "with its size" "budget: holds only 0 groups"
refused "a zone of windows that are no days" --set zone=Europe/Berlin --set every=1h
claim_says "with what it is for" "zone: works only for windows of whole days"
refused "a zone that there is not" --set zone=Berlin --set every=1d
claim_says "with one that there is" "did you mean 'Europe/Berlin'?"
refused "a stream without times" --set time=none
claim_says "with what makes them" "parse.time"

# Whole numbers that a double cannot hold: the first is told.
cat >"$tmp/digits.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "digits" { leat.source.file { path = leat.args.data }, leat.parse.csv {}, leat.parse.time { "t", format = "unix" },
  leat.window { "max(id)", every = "1h" }, leat.sink.file { format = "csv" } }
LUA
printf 't,id\n1,9007199254740993\n2,9007199254740995\n' >"$tmp/digits.csv"
leat_run run "$tmp/digits.lua" --quiet --set data="$tmp/digits.csv"
claim_says "a whole number beyond 2^53 that is rounded is told" \
    "column 'id': 9007199254740993 is beyond 2^53, so max_id takes it as 9007199254740992"
claim "once" equal "$(grep -c 'beyond 2^53' "$err")" 1
printf 't,id\n1,9007199254740992\n2,18014398509481984\n3,1e300\n4,-9007199254740994\n5,0018014398509481984\n' >"$tmp/digits.csv"
leat_run run "$tmp/digits.lua" --quiet --set data="$tmp/digits.csv"
claim "one that is not rounded is not" test ! -s "$err"
# Keys of 1 to 24 letters, all a but one: most begin and end alike. A batch ends after 7 rows, so often at a key.
awk 'BEGIN { srand(6); print "t,x,k"
    for (i = 0; i < 9000; i++) {
        n = 1 + int(rand() * 24); at = int(rand() * n)
        printf "1700000000,1,%sb%s\n", substr("aaaaaaaaaaaaaaaaaaaaaaaa", 1, at), substr("aaaaaaaaaaaaaaaaaaaaaaaa", 1, n - 1 - at)
    } }' >alike.csv
for rows in 7 4096; do
    run --set data=alike.csv --set columns=count --set every=1d --set out=rows --set rows=$rows
    claim "keys that begin and end alike are counted apart (batches of $rows rows)" diff <(tail -n +2 rows | cut -d, -f2,3 | sort) \
        <(awk -F, 'NR > 1 { n[$3]++ } END { for (k in n) print k "," n[k] }' alike.csv | sort)
done
# Times near the end of all times: no window may end beyond it, or a snapshot could not be restored.
cat >end.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "end" { leat.source.file { "end.csv" }, leat.parse.csv {}, leat.parse.time { "time" },
  leat.shape.window { "count", every = leat.args.every or "1min", lateness = leat.args.late }, leat.sink.file { path = "ends", format = "csv" },
  dead_letters = "dead", max_reject_ratio = 1 }
LUA
for set in every=1min every=1d "every=10d --set late=320000000s"; do
    rm -rf st ends dead
    printf '%s\n' time 2024-06-01T00:00:00Z 2262-04-11T23:47:15Z 2262-04-11T12:00:00Z >end.csv
    # shellcheck disable=SC2086
    leat_run run end.lua --quiet --state st --keep-open --set $set
    claim "records at the end of all times are rejected ($set)" grep -q "its windows would end after the last event time" dead
    echo 2024-06-01T00:00:01Z >>end.csv
    # shellcheck disable=SC2086
    leat_run run end.lua --quiet --state st --set $set
    claim_exit "and the run continues ($set)" 0
    claim "with its windows ($set)" grep -q '2024.*,2$' ends
done
done_claims
