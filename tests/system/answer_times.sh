# Answers by event time of several files and partitions: each has all records of the hours before it.
# tier: short (waits)
. "$(dirname "$0")/../support/claims.sh"
here=$PWD
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise

cat >ask.lua <<'LUA'
local leat = require "leat"
local a, path = leat.args, {}
for name in (a.data or ""):gmatch "%S+" do path[#path + 1] = name end
local with = { k = 100, every = a.every or "1h", clock = "event" }
return leat.pipeline "ask" {
  a.topic and leat.source.kafka { a.topic, brokers = a.brokers, start = "earliest", ["until"] = "end" } or leat.source.file { path = path },
  leat.parse.csv { header = false, columns = { "t", "k" } }, leat.parse.time { "t", format = "unix", parts = { "hour" } },
  a.sort and leat.shape.sort { lateness = "0s" } or leat.filter(function() return true end, {}),
  leat.label.is { "k", positive = "u1" }, leat.feature.columns { "hour" },
  leat.learn.contrast { id = "m", sign = "both" },
  leat.tee {
    { leat.result.top(with), leat.sink.file { path = a.to, format = "csv" } },
    { leat.result.metrics { every = a.count or 400 }, leat.sink.file { path = a.to .. ".n", format = "csv" } },
  },
  batch_rows = tonumber(a.rows), threads = tonumber(a.threads),
}
LUA
run() { leat_run run ask.lua --quiet "$@"; }
column() { awk -F, -v names="$2" 'NR == 1 { n = split(names, name, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
    { for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n" }' "$1"; }

# Four inputs in order of time within a day, which begin and end at different times.
seed=${SEED:-$RANDOM}
for k in 0 1 2 3; do
    awk -v seed="$seed$k" 'BEGIN { srand(seed); t = 1715925600 + int(rand() * 7200); n = 500 + int(rand() * 2000)
        step = 20 + int(rand() * 12000 / n); for (i = 0; i < n; i++) printf "%d,u%d\n", t += int(rand() * step), rand() * 3 }' >in$k
done
# whole ANSWERS FILE…: in each answer but the last the hours before its time have all their records, and there are
# several answers. Hours that are over in all files but not in the answer are lost.
whole() {
    column "$1" "examples time feature count" >rows
    awk -F, '{ n[int($1 / 3600) % 24]++ } END { for (h in n) print h, n[h] }' "${@:2}" >hours
    awk 'NR == FNR { all[$1 + 0] = $2; next }
        !seen[$1]++ { order[++m] = $1; until[$1] = substr($2, 12, 2) + 0 }
        { sub(/.*=/, "", $3); got[$1, $3 + 0] = $4 }
        END { for (i = 1; i < m; i++) for (h in all) if (h + 0 < until[order[i]] && got[order[i], h] != all[h]) {
                print "until " until[order[i]] " hour " h " has " got[order[i], h] " of " all[h]; wrong = 1 }
            exit wrong || m < 2 }' hours rows
}
tries=0
for order in "in0 in1 in2 in3" "in3 in1 in0 in2"; do
    first=
    for rows in 1024 7 100; do
        run --set data="$order" --set rows=$rows --set threads=$((1 + tries++ % 4)) --set to=got$tries
        whole got$tries in? || echo "seed $seed: $order, rows = $rows" >>wrong
        [[ ! $first ]] || cmp "$first" got$tries || echo "seed $seed: $order, rows = $rows: other answers" >>cuts
        first=${first:-got$tries}
    done
done
claim "an answer about files has all records of the hours before it (seed $seed)" test ! -e wrong
claim "and is the same on any batches and threads" test ! -e cuts
for fault in 1 2 3; do
    (LEAT_FAULT=snapshot_durable:$fault "$LEAT" run ask.lua --quiet --set data="$order" --set rows=100 --set to=killed \
        --state files --every 500)
done
run --set data="$order" --set rows=100 --set to=killed --state files --every 500
claim "killed three times and continued, the answers are the same" cmp "$first" killed
claim "and so are those by examples" cmp "$first.n" killed.n

# In the order of time there is one answer for each hour that a record passes.
sort -n in? >all
hourly() { awk -F, 'NR == 1 { last = $1 } int($1 / 3600) > int(last / 3600) { print NR, $1 } $1 > last { last = $1 } END { print NR, last }' "$1"; }
times_of() { column "$1" "examples time" | uniq | while read -r n t; do echo "$n $(date -d "$t" +%s)"; done; }
run --set data=all --set to=one
claim "one file is answered at each hour" equal "$(times_of one)" "$(hourly all)"
run --set data="in2 in0 in3 in1" --set sort=1 --set to=sorted
claim "behind a sort files are answered as one" equal "$(times_of sorted)" "$(hourly all)"
awk -F, -v OFS=, '{ print $1 + (NR > 100) * 7200 + (NR > 101) * 7200 + (NR > 102) * 7200, $2 }' in0 >gaps
run --set data=gaps --set to=gap
claim "gaps of one file delay no answer" equal "$(times_of gap)" "$(hourly gaps)"

# One wrong clock.
for k in 0 1 2 3; do awk -F, -v OFS=, 'NR == 20 { print $1 + 86400 * 300, $2 } { print }' in$k >ahead$k; done
run --set data="$order" --set to=right
run --set data="${order//in/ahead}" --set to=wrong_clock
claim "one record of each file far ahead moves no answer" equal \
    "$(column wrong_clock time | uniq | sed '$d')" "$(column right time | uniq | sed '$d')"

# Files that follow one another in time.
awk 'BEGIN { for (i = 0; i < 3000; i++) print 1715925600 + i * 20 ",u" i % 3 }' >day
split -n l/3 day part.
run --set data="part.aa part.ab part.ac" --set to=parts
claim_says "of files that follow one another the first answers are missing, with a message" \
    "no answer was given at the first 10 multiples of \`every\`" "put shape.sort before the learner"
run --set data="part.aa part.ab part.ac" --set sort=1 --set to=parts
claim "a sort brings them" equal "$(times_of parts)" "$(hourly day)"

# The same as partitions of a topic, which come whole, one after the other.
mock topic four 4 >/dev/null
for k in 0 1 2 3; do mock produce four $k "$tmp/in$k" >/dev/null; done
for n in 1 2 3; do
    run --set topic=four --set brokers="$brokers" --set rows=100 --set to=topic
    whole topic in? || echo "run $n" >>incomplete
done
claim "an answer about partitions has all records of the hours before it" test ! -e incomplete
run --set topic=four --set brokers="$brokers" --set sort=1 --set to=topic
claim "behind a sort there is one for each hour" equal "$(times_of topic)" "$(hourly all)"
# Stopped within the first file, then before the first record, then to the end: the second file begins in its middle.
for part in 0 150000; do
    awk -v from=$((1717286400 + part)) 'BEGIN { print "time,note"; for (i = 0; i < 300000; i++)
        print from + i ",a note of some bytes" }' >"stop$part.csv"
done
cat >stop.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "stop" { leat.source.file { path = { "stop0.csv", "stop150000.csv" } }, leat.parse.csv {},
  leat.parse.time { "time", format = "unix" }, leat.window { "count", every = "10min" },
  leat.sink.file { path = "windows", format = "csv" }, max_reject_ratio = 1 }
LUA
sed 's/{ leat.source.file.*/{ leat.merge { { leat.source.file { "stop0.csv" }, leat.parse.csv {} },/
    s/^  leat.parse.time/    { leat.source.file { "stop150000.csv" }, leat.parse.csv {} } }, leat.parse.time/' stop.lua >sources.lua
field() { "$LEAT" model dump stopped 2>/dev/null | jq -c "select(.field == \"clock_$1\").values"; }
for seconds in 0.02 0.03 0.04 0.05 0.06 0.08 0.1 0.15 0.2 0.3 0.5; do # until it has read the first file alone
    rm -rf stopped
    timeout -s TERM $seconds "$LEAT" run stop.lua --quiet --state stopped >/dev/null 2>&1
    [[ $(field key | jq length) != 1 ]] || break
done
claim "a snapshot of a stop within the first of two files has both as open" equal "$(field open) $(field flags)" "[2] [3]"
for script in stop sources; do
    "$LEAT" run $script.lua --quiet
    mv windows whole
    wrong=0
    for try in {10..19}; do
        rm -rf stopped windows
        for seconds in 0.0$((3 + try % 2)) 0.0$try 60; do
            timeout -s TERM $seconds "$LEAT" run $script.lua --quiet --state stopped >/dev/null 2>&1
        done
        cmp -s windows whole || wrong=$((wrong + 1))
    done
    claim "$script.lua: stopped twice, it waits for the other input as before" equal $wrong 0
done

done_claims
