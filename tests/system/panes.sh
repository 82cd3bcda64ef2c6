# Panes of learn.contrast: what sets one past period apart from another, against awk's counts.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# 60 days from 2024-03-01 on, a record every two minutes with two items. bad=1 marks outliers; y7 is frequent in the
# last day, and z3 on 2024-04-22.
awk 'BEGIN { srand(5); print "at,item,other,bad"; for (i = 0; i < 43200; i++) { day = int(i / 720)
    m = day < 31 ? 3 : 4; d = day - (m == 3 ? 0 : 31) + 1; if (day > 60) break
    printf "2024-%02d-%02dT%02d:%02d:00Z,%s,%s,%d\n", m, d, int(i % 720 / 30), i % 30 * 2,
        rand() < (day == 59 ? .3 : 0) ? "y7" : "y" int(rand() * 40), rand() < (day == 52 ? .3 : 0) ? "z3" : "z" int(rand() * 40),
        rand() < .4 } }' >days.csv
cat >panes.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "panes" {
  leat.source.file { path = { a.data, a.beside } }, leat.parse.csv {}, leat.parse.time { "at", missing = "none" },
  leat.label.is { "bad", positive = "1" }, leat.feature.columns { "item", "other", explode = true },
  leat.learn.contrast { id = "model", budget = "4MB", sign = "both", panes = a.panes or "1h", keep = a.keep ~= "" and (a.keep or "30d") or nil,
    panes_of = a.of, period = a.period, against = a.against, half_life = a.half_life },
  leat.sink.top { k = 100, every = a.every },
}
LUA
learn() { leat_run run panes.lua --quiet --set data="$1" --state "$2" "${@:3}"; }
top() { leat_run model top "$@" --format jsonl --set k=100; }
# as_counted ALL: the rows agree with exact counts of the panes that the messages name. ALL = 1: of both labels.
as_counted() {
    sed -nE "s/.*(period|against) = '.*: [0-9]+ panes? from (.*) to (.*), ([0-9]+) records.*/\1 \2 \3 \4/p" "$err" >spans
    jq -r '.top[] | [.feature, .support_outliers, .support_outliers_low, .support_outliers_high, .support_inliers,
        .support_inliers_low, .support_inliers_high, .count] | @tsv' "$out" | tr '\t' ' ' >rows
    awk -v all="$1" 'FILENAME == "spans" { of[$1] = $2; to[$1] = $3; said[$1] = $4; next }
        FILENAME == "days.csv" { split($0, f, ","); if (FNR == 1 || !(all || f[4])) next
            for (p in of) if (f[1] >= of[p] && f[1] < to[p]) { N[p]++; n[p, "item=" f[2]]++; n[p, "other=" f[3]]++ }; next }
        { rows++; a = n["period", $1] / N["period"]; b = n["against", $1] / N["against"]
          if (a < $3 - 1e-9 || a > $4 + 1e-9 || b < $6 - 1e-9 || b > $7 + 1e-9) wrong++
          if ($8 != n["period", $1] + n["against", $1]) wrong++ }
        END { if (N["period"] != said["period"] || N["against"] != said["against"]) wrong++; exit wrong || rows < 20 }' spans days.csv rows
}
learn days.csv st
claim_exit "a model with panes learns" 0
top st --set period=-24h.. --set against=-7d
claim "the last day is compared with that a week ago" as_counted 0
claim_says "which the messages name" "period = '-24h..': 20 panes from 2024-04-29T00:00:00Z to 2024-04-30T00:00:00Z" "against = '-7d': "
claim "what is frequent in it comes first" equal "$(jq -r '.top[0].feature' "$out")" item=y7
top st --set period=2024-04-22..2024-04-23 --set against=2024-04-10..2024-04-18
claim "an older day is compared with others" as_counted 0
claim "and has its feature" equal "$(jq -r '.top[0].feature' "$out")" other=z3
top st --set period=-24h..
claim "all other times are the rest" equal "$(jq -r '.top[0].feature' "$out")" item=y7
claim_says "and named" "against = 'all other times': "
top st
claim "without a period the answer is that of all records" sh -c "jq -e '.top[0].count > 0' '$out' && ! grep -q panes '$err'"
learn days.csv all --set of=all
top all --set period=-24h.. --set against=-7d
claim "panes of all records do not heed labels" as_counted 1
leat_run run panes.lua --set data=days.csv --set period=-24h.. --set against=-7d
claim "a run answers, too" grep -q '^ *1 .* item=y7$' "$out"
awk -F, -v OFS=, 'NR > 1 && NR < 20000 { $4 = 0 } { print }' days.csv >late_outliers.csv
leat_run run panes.lua --quiet --set data=late_outliers.csv --set period=-24h.. --set against=-7d --set every=18000
claim_exit "an answer before the first outlier has no rows, and the run goes on" 0
claim "to answers that have" equal "$(grep -c '^Heaviest' "$out") $(grep -c '^ *1 .*item=y7$' "$out")" "5 1"

# ---- state ----
{ sed -n 1p days.csv && sed 1d days.csv | awk 'NR % 3 == 0'; } >third.csv
{ sed -n 1p days.csv && sed 1d days.csv | awk 'NR % 3'; } >others.csv
learn third.csv a && learn others.csv b
leat_run model merge both/ a b
claim_exit "models with panes are merged" 0
top both --set period=-24h.. --set against=-7d
claim "the panes of a merge have the records of both" as_counted 0
head -20000 days.csv >growing.csv
learn growing.csv growing && tail -n +20001 days.csv >>growing.csv && learn growing.csv growing
top growing --set period=-24h.. --set against=-7d
claim "a run that continues has them, too" as_counted 0

# ---- records without a pane ----
{ cat days.csv; echo ,y1,z1,1; for _ in 1 2 3; do echo 2024-01-01T00:00:00Z,y1,z1,1; done; } >late.csv
leat_run run panes.lua --set data=late.csv
claim_says "records without a pane are counted" "3 records are in no pane, because the newest one, of 2024-0" \
    "1 records are in no pane, because they have no event time"

{ sed 20000q days.csv; echo 2031-01-01T00:00:00Z,y1,z1,1; sed 1,20000d days.csv; } >ahead.csv
learn ahead.csv ahead
claim_says "one record of 2031 is in no pane" "1 records are in no pane, because they are far ahead of the others"
top ahead --set period=-24h.. --set against=-7d
claim "and drops none" as_counted 0
{ sed -n 1p days.csv && sed -n '20001,$p' days.csv; } >second.csv
sed 20000q days.csv >first.csv
leat_run run panes.lua --quiet --set data=second.csv --set beside=first.csv --state order
top order --set period=-24h.. --set against=-7d
claim "files in another order have the same panes" as_counted 0

# refused CLAIM TEXT OPTIONS…
refused() {
    leat_run run panes.lua --quiet --set data=days.csv "${@:3}"
    claim_exit "$1" 2
    claim_says "and told" "$2"
}
refused "a period needs panes" "the model has no panes, so it knows no periods: " --set panes=0 --set keep= --set period=-1h..
refused "against needs a period" "against: needs a period" --set against=-7d
refused "a wrong period is refused" "period: 'fish': write FROM..TO" --set period=fish
refused "panes do not fade" "panes do not fade: leave out half_life" --set half_life=5d
refused "keep is as long as a pane" "is shorter than a pane" --set keep=10min
refused "too many panes are refused" "needs more than 256 panes" --set panes=0.001 --set keep=36500d
top st --set period=2024-04-22T10:00..2024-04-22T10:05 --set against=2024-04-22T10:10..2024-04-22T10:20
claim "periods within a pane are refused" test "$status" != 0
claim_says "and told" "period and against have a pane in common"
top st --set period=2024-04-22T10:00..2024-04-22T10:05
claim "a period within one pane has its records" test "$(jq '.top | length' "$out")" -gt 0
top st --set period=2024-04-22T07:00..2024-04-22T09:30 --set against=-7d
claim_says "a period between two panes has the one with more in common" "1 pane from 2024-04-22T08:00:00Z to 2024-04-23T00:00:00Z"
top st --set period=2023..2024
claim_says "a period before all panes is told" "period = '2023..2024': no pane has records of this time"
done_claims
