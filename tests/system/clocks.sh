# Event time of several files and partitions: the slowest that has records counts. Wrong clocks; silent partitions.
# tier: short (waits)
. "$(dirname "$0")/../support/claims.sh"
here=$PWD
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise

cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function files(names)
  local path = {}
  for name in names:gmatch "%S+" do path[#path + 1] = name end
  return leat.source.file { path = path, follow = a.follow, quiet = a.quiet }
end
local source = a.topic and leat.source.kafka { a.topic, brokers = a.brokers, start = "earliest", ["until"] = a["until"] or "end", quiet = a.quiet }
  or not a.beside and files(a.data)
  or leat.merge { files(a.data), files(a.beside) }
return leat.pipeline "read" {
  source,
  leat.parse.csv { header = false, columns = { "t", "k" } },
  a.twice and leat.flat(function(emit, t, k) emit(t, k) emit(t, k) end, { "t", "k" }, { "t", "k" }) or leat.shape.set { "t = t" },
  leat.parse.time { "t", format = "unix" },
  a.sort and leat.shape.sort { lateness = "0s" } or leat.filter(function() return true end, {}),
  a.sort ~= "only" and leat.window { "count", "sum(t)", every = a.every or "10min", by = { "k" }, slide = a.slide, late = a.late, max_ahead = a.max_ahead }
    or leat.shape.set { "t = t" },
  leat.sink.file { path = a.to or "-", format = "csv" },
  batch_rows = tonumber(a.rows), threads = tonumber(a.threads),
}
LUA
run() { leat_run run read.lua --quiet "$@"; }

# Four inputs in order of time, which begin and end at different times, some of them rare.
seed=${SEED:-$RANDOM}
for k in 0 1 2 3; do
    awk -v seed="$seed$k" 'BEGIN { srand(seed); t = 1715954400 + int(rand() * 7200); n = 300 + int(rand() * 3000)
        step = 2 + int(rand() * 40); for (i = 0; i < n; i++) printf "%d,u%d\n", t += int(rand() * step), rand() * 3 }' >in$k
done
windows() { awk -F, '{ k = strftime("%FT%TZ", $1 - $1 % 600, 1) "," $2; n[k]++; s[k] += $1 }
    END { for (k in n) printf "%s,%d,%.0f\n", k, n[k], s[k] }' "$@" | sort; }
windows in? >want
same() { tail -n +2 "$1" | sort | cmp - want; }
tries=0
for order in "in0 in1 in2 in3" "in3 in1 in0 in2"; do
    for rows in 1024 7; do
        run --set data="$order" --set rows=$rows --set threads=$((1 + tries++ % 4)) --set to=rows
        same rows || echo "seed $seed: $order, rows = $rows" >>wrong
    done
done
claim "files in order of time lose nothing at lateness 0, one after the other (seed $seed)" test ! -e wrong
run --set data="in0 in1 in2 in3" --set sort=only --set to=sorted
claim "shape.sort gives the records of all in order" \
    sh -c 'sed -i 1d sorted && cut -d, -f1 sorted | sort -nc && sort in? >a && sort sorted | cmp - a'
run --set data="in2 in0" --set beside="in1 in3" --set to=rows
claim "those of several sources, too" same rows
run --set data="in0 in1 in2 in3" --set sort=1 --set to=rows
claim "so do windows behind a sort" same rows
for fault in 1 2 3; do
    (LEAT_FAULT=snapshot_durable:$fault "$LEAT" run read.lua --quiet --set data="in0 in1 in2 in3" --set rows=100 \
        --set to=killed --state files --every 500)
done
run --set data="in0 in1 in2 in3" --set rows=100 --set to=killed --state files --every 500
claim "killed three times and continued, the windows are the same" same killed

# Files out of order: which records are late depends on the records alone. A window ends when the last file passes it,
# because the others are read to their ends. The second record of a file confirms its time.
late_windows() { awk -F, -v last="${!#}" '{ w = $1 - $1 % 600 }
    FILENAME == last { if (++seen == 1) first = $1; if ($1 > max) max = $1; if (seen > 1 && w < max - max % 600) next }
    { k = strftime("%FT%TZ", w, 1) "," $2; n[k]++; s[k] += $1 } END { for (k in n) printf "%s,%d,%.0f\n", k, n[k], s[k] }' "$@" | sort; }
for k in 0 1 2 3; do
    awk -F, -v seed="$seed$k" 'BEGIN { srand(seed) } { print $1 + int(rand() * 1800) "," $2 }' "in$k" >"out$k"
done
for order in "out0 out1 out2 out3" "out3 out1" "out2 out0 out1"; do
    late_windows $order >want
    for rows in 4096 $((1 + RANDOM % 64)) $((1 + RANDOM % 2000)); do
        run --set data="$order" --set rows=$rows --set threads=$((1 + tries++ % 4)) --set to=rows --set late=filter \
            --set max_ahead=1d
        same rows || echo "seed $seed: $order, rows = $rows" >>cuts
    done
    run --set data="$order" --set rows=100 --set twice=1 --set to=twice100 --set late=filter --set max_ahead=1d
    run --set data="$order" --set rows=900 --set twice=1 --set to=twice900 --set late=filter --set max_ahead=1d
    cmp twice100 twice900 || echo "seed $seed: $order, each record twice" >>cuts
done
claim "which records are late depends neither on batch_rows nor on threads (seed $seed)" test ! -e cuts

# Forty short files end in one batch. The last one is empty at first.
mkdir many
for k in $(seq 10 49); do sed -n "$((5 * k)),$((5 * k + 3))p" in0 >"many/$k"; done
: >many/z
run --set data="many/*" --set to=grown --state many.state
head -40 in0 >many/z
run --set data="many/*" --set to=grown --state many.state
windows many/* >want
claim "many files that end in one batch keep the windows open for an empty one" same grown
windows in? >want

# A half-life counts each record by its own time, so the order of files plays no part.
cat >fades.lua <<'LUA'
local leat = require "leat"
local path = {}
for name in leat.args.data:gmatch "%S+" do path[#path + 1] = name end
return leat.pipeline "fades" {
  leat.source.file { path = path },
  leat.parse.csv { header = false, columns = { "t", "k" } }, leat.parse.time { "t", format = "unix" },
  leat.shape.set { "odd = t % 2" }, leat.label.is { "odd", positive = "1" }, leat.feature.columns { "k" },
  leat.learn.contrast { half_life = "20min", sign = "both" }, leat.sink.top { path = "faded", format = "jsonl" },
  batch_rows = tonumber(leat.args.rows),
}
LUA
# faded FILE…: the last answer has the shares of the naive sums of 2^-age.
faded() {
    cat "$@" | sort -n | awk -F, 'NR == FNR { if ($1 > T) T = $1; next } { w = 2 ^ (($1 - T) / 1200); N[$1 % 2] += w; n[$2, $1 % 2] += w }
        END { for (k = 0; k < 3; k++) print "k=u" k, n["u" k, 1] / N[1], n["u" k, 0] / N[0] }' <(cat "$@") - | sort >shares
    jq -r '.top[] | "\(.feature) \(.support_outliers) \(.support_inliers)"' faded | tail -3 | sort | paste -d' ' - shares |
        awk '{ for (i = 2; i < 4; i++) if (($i - $(i + 3)) ^ 2 > 1e-4) wrong++ } $1 != $4 { wrong++ } END { exit wrong || NR != 3 }' ||
        { cat faded shares; return 1; }
}
for order in "in0 in1 in2 in3" "in3 in2 in0 in1" "in1 in3"; do
    leat_run run fades.lua --quiet --set data="$order" --set rows=$((1 + RANDOM % 500))
    faded $order || echo "seed $seed: $order" >>unfaded
done
claim "a half-life counts each record by its own time, whatever file comes first (seed $seed)" test ! -e unfaded
{ head -50 in0 && echo 4000000001,u0 && tail -n +51 in0; } >ahead
leat_run run fades.lua --quiet --set data=ahead
claim "one record of 2096 lets nothing fade" faded in0

# The same as partitions of a topic, which come whole, one after the other.
mock topic four 4 >/dev/null
for k in 0 1 2 3; do mock produce four $k "$tmp/in$k" >/dev/null; done
for n in 1 2 3; do
    run --set topic=four --set brokers="$brokers" --set to="topic$n"
    same "topic$n" || echo "run $n" >>lost
done
claim "partitions lose nothing either, and each run has the same windows" test ! -e lost
run --set topic=four --set brokers="$brokers" --set sort=only --set to=sorted
claim "and can be sorted" sh -c 'sed -i 1d sorted && cut -d, -f1 sorted | sort -nc && sort sorted | cmp - a'
for fault in 1 2 3; do
    (LEAT_FAULT=snapshot_durable:$fault "$LEAT" run read.lua --quiet --set topic=four --set brokers="$brokers" \
        --set rows=100 --set to=cut --state topic --every 500)
done
run --set topic=four --set brokers="$brokers" --set rows=100 --set to=cut --state topic --every 500
claim "killed three times and continued, too" same cut

# A partition that is read to its end holds the others back for `quiet`.
mock topic two 2 >/dev/null
printf '1715954400,a\n1715954401,a\n' >early
awk 'BEGIN { for (i = 0; i < 2000; i++) print 1715954400 + i ",b" }' >late
mock produce two 0 "$tmp/early" >/dev/null
mock produce two 1 "$tmp/late" >/dev/null
leat_start read.lua --quiet --set topic=two --set brokers="$brokers" --set until=stopped --set quiet=1s --every 100ms
until_true grep -q '^2024-05-17T14:20:00Z,b,600' "$out"
claim "a silent partition is not waited for any longer than \`quiet\`" grep -q '^2024-05-17T14:00:00Z,a,2' "$out"
mock produce two 0 "$tmp/early" >/dev/null
until_true grep -qs "nothing came from the record's input" "$err"
leat_stop
claim_says "records that it sends later are late, and the message names the cure" \
    "nothing came from the record's input for a time, and the others went on: raise the source's \`quiet\`"

# One wrong clock.
awk 'BEGIN { for (i = 0; i < 601; i++) print 1715954400 + i * 10 + (i == 100 ? 7200 : 0) ",a" }' >ahead
run --set data=ahead --set every=5min --set late=filter
claim "one record two hours ahead loses none of the others" [ "$(awk -F, '{ n += $3 } END { print n }' "$out")" = 601 ]
claim_says "and is told with its parameter" "1 records" "max_ahead = 600 s"
{ echo 1716127200,a && cat late; } >first
run --set data=first --set every=5min
claim "nor does the first, two days ahead" [ "$status:$(awk -F, '{ n += $3 } END { print n }' "$out")" = 0:2001 ]
run --set data=ahead --set every=5min --set late=filter --set max_ahead=1d
claim_says "with a larger max_ahead it does, and the message names it" "set a smaller max_ahead (now 86400 s)"
{ echo 1716127200,a && cat late; } >first
run --set data=first --set sort=only --set to=sorted
claim "a sort puts it last" [ "$(tail -1 sorted):$(wc -l <sorted)" = 1716127200,a:2002 ]
done_claims
