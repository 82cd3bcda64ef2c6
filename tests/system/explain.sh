# The main job: an explanation of the bundled data, the same script on another CSV, and comparisons.
# tier: long (80 s)
. "$(dirname "$0")/../support/claims.sh"

# Memory is what is used, and not what may be: sanitizers bring an allocator of their own.
peak() { /usr/bin/time -f %M -o "$tmp/peak" "$LEAT" run pipelines/explain.lua --quiet --set data="$tmp/few.csv" \
    --set outlier='n > 8' --set attributes=n --set edges= --set min_count=1 "$@" >"$out" && tail -1 "$tmp/peak"; }
awk 'BEGIN { print "n"; for (i = 0; i < 5000; i++) print i % 10 }' >"$tmp/few.csv"
if [[ $LEAT != *address* && $LEAT != *thread* ]]; then
    small=$(peak --set budget=32KB)
    cp "$out" "$tmp/small"
    claim "few attributes take a model of 64 MB no more than 2 MB above one of 32 KB" test "$(peak --set budget=64MB)" \
        -le $((small + 2048))
    claim "and have the same answer" cmp "$out" "$tmp/small"
else
    skip "few attributes take little memory" "sanitizers have an allocator of their own"
fi
leat_run run pipelines/explain.lua --quiet --set data="$tmp/few.csv" --set outlier='n > 8' --set attributes=n \
    --set edges= --summary "$tmp/s.json"
claim "the summary says how much of the budget is used" test "$(stage model used_bytes)" -lt 66000

names() { jq -r '.top[].feature' "$out"; }
# Every conjunction in the answer $1 beats those parts of it that are shown, by the factor $2.
beats_parts() {
    jq -e --argjson by "$2" '.top as $t | [$t[] | select(.feature | contains(" & "))] as $pairs
        | ($pairs | length) > 0 and all($pairs[]; . as $p | (.feature | split(" & ")) as $parts
        | all($t[]; . as $s | if ($parts | index($s.feature)) and $s.weight * $p.weight > 0
            then ($p.ratio | log) > ($s.ratio | log) + ($by | log) else true end))' "$1"
}

leat_run run pipelines/explain.lua --summary "$tmp/s.json"
claim_exit "the demo runs" 0
claim "it reads every row of the sample" equal "$(json .records)" 95759
claim "the model keeps its budget" sh -c "[ $(stage model budget_bytes) -le 8388608 ] && [ $(stage model \
    model_bytes) -le 8388608 ]"
claim "counts reconcile" jq -e 'all(.stages[]; .in == .out + .filtered + .rejected)' "$tmp/s.json"
claim "the table has rate, relative risk, support, count, what rows cover and what they leave" grep \
    -qE 'rate +relative risk +support outliers +count +covered +left +feature' "$out"
claim "what the model cannot be sure of is a range" grep -qE ' [0-9.]+–[0-9.]+ ' "$out"
claim "one in five records is an outlier, give or take the sketch's error" \
    jq -e '[.stages[] | select(.id == "model").top[] | .relative_risk // 0] | max > 2' "$tmp/s.json"
head -22 "$out" | tail -20 >"$tmp/twenty"
claim "among the first twenty are pairs" grep -q ' & ' "$tmp/twenty"
claim "and single attributes" grep -qE ' description=[^&]*$' "$tmp/twenty"
claim "but no pair that only repeats its part" sh \
    -c "! grep -qE ' & description=(STAFF ASSISTANT|LEGISLATIVE CORRESPONDENT)' $out"
cp "$out" "$tmp/first"
leat_run run pipelines/explain.lua --quiet
claim "a second run prints the same table" cmp "$out" "$tmp/first"
seq 5000 | awk 'BEGIN { print "x,a" } { print $1 ",a" $1 % 7 }' >"$tmp/sorted.csv"
leat_run run pipelines/explain.lua --quiet --set data="$tmp/sorted.csv" --set metric=x --set attributes=a --set out=jsonl \
    --set order=risk --set min_support=0
claim "a fifth of a file is a fifth, in whatever order" jq -e '.top[0].base_rate == 0.2' "$out"
leat_run run pipelines/explain.lua --set data="$tmp/sorted.csv" --set metric=x --set attributes=a --set quantile=0.99
claim_says "and the run says where it begins" "50 of 5,000 records (1 %) have x > 4950 (about the quantile 0.99)"

rest_is_long

leat_run run pipelines/explain.lua --quiet --set out=jsonl --set k=800 --set min_count=0 --set min_support=0 \
    --set budget=32KB --set sign=both --set order=weight
claim "what is seen a few times does not come first by weight, with no filter either" jq -e 'all(.top[0:40][];
    .count >= 20)' "$out"
leat_run run pipelines/explain.lua --quiet --set out=jsonl --set order=risk --set k=800 --set min_count=0 \
    --set min_support=0
claim "rows that may be luck come last, others in the order of the least relative risk" \
    jq -e '[.top[] | [.luck <= 0.05, .relative_risk_low]] | length > 500 and . == (sort | reverse)' "$out"
leat_run run pipelines/explain.lua --quiet --set out=jsonl --set order=risk --set k=800
claim "every pair shown beats its parts by half again their odds" beats_parts "$out" 1.4
leat_run run pipelines/explain.lua --quiet --set out=jsonl --set order=risk --set k=800 --set min_odds_gain=0
cp "$out" "$tmp/all.json"
claim "which is not so without the filter" sh -c "! ( $(declare -f beats_parts); beats_parts $tmp/all.json 1.4 )"
claim "support is at least a thousandth of the outliers" jq -e 'all(.top[]; .support_outliers >= 0.001)' "$out"
leat_run run pipelines/explain.lua --quiet --set out=jsonl --set order=risk --set k=800 --set min_risk_ratio=4 \
    --set min_support=0.01
claim "min_risk_ratio and min_support are kept" \
    jq -e '(.top | length) > 3 and all(.top[]; .relative_risk >= 4 and .support_outliers >= 0.01)' "$out"
leat_run run pipelines/explain.lua --quiet --set warmup=5000 --summary "$tmp/s.json"
claim "the records of the warmup are filtered" equal "$(stage quantile filtered)" 5000
leat_run run pipelines/explain.lua --quiet --set every=20000 --set out=jsonl --set k=5
claim "reports come every so often, and at the end" equal "$(jq -s 'map(.last) | [length, (map(select(.)) | length)] |
    join(" ")' -r "$out")" "5 1"


for budget in 8KB 32KB 1MB; do
    leat_run run pipelines/explain.lua --quiet --set evaluate=true --set out=jsonl --set budget=$budget
    tail -1 "$out" >"$tmp/counts.json"
    claim "$budget: every feature of the answer is compared" jq -e '.compared == .retrieved and .compared > 100' \
        "$tmp/counts.json"
    claim "$budget: the bounds hold all exact relative risks" jq -e '.bounds_hold == 1' "$tmp/counts.json"
    claim "$budget: what is not marked wide is right within 15 %" jq -e '.worst_ratio < 1.15' "$tmp/counts.json"
done
claim "with the budget of the default few bounds are wide" jq -e '.wide < 0.05 * .compared' "$tmp/counts.json"
leat_run run pipelines/explain.lua --quiet --set evaluate=true --set out=jsonl --set mode=awm
claim_exit "weights can come from gradient descent" 0
tail -1 "$out" >"$tmp/awm.json"
claim "and then follow the true risks" jq -e '.correlation > 0.8' "$tmp/awm.json"
for mode in heavy_outliers heavy_all exact; do
    leat_run run pipelines/explain.lua --quiet --set evaluate=true --set out=jsonl --set mode=$mode
    claim_exit "mode $mode runs" 0
    tail -1 "$out" >"$tmp/$mode.json"
done
claim "those of heavy hitters do not" jq -se 'all(.[]; .correlation | fabs < 0.3)' "$tmp/heavy_outliers.json" \
    "$tmp/heavy_all.json"
claim "exact counts are their own measure" jq -e '.correlation > 0.999999' "$tmp/exact.json"
claim "most of the frequent features say little: middling risks are more than the model's" \
    jq -se 'map([.histogram[] | select(.from >= 0.5 and .to != null and .to <= 2).features] | add / length) |
        .[0] < .[1]' "$tmp/awm.json" "$tmp/heavy_outliers.json"
leat_run run pipelines/explain.lua --set mode=best
claim_exit "a mode that is none is a configuration error" 2
claim_says "and says which there are" "heavy_outliers"

awk 'BEGIN { print "host,version,latency"; srand(3); for (i = 0; i < 20000; i++) { h = int(rand() * 20);
    v = int(rand() * 5);
  print "h" h ",v" v "," (h == 7 && v == 2 ? 500 : 10) + rand() * 20 } }' >"$tmp/latency.csv"
latency=(--set data="$tmp/latency.csv" --set metric=latency --set attributes=host,version --set quantile=0.99 \
    --set out=jsonl --quiet)
leat_run run pipelines/explain.lua "${latency[@]}"
claim_exit "the same script explains any CSV by --set alone" 0
claim "and finds the planted pair" equal "$(names | head -1)" "host=h7 & version=v2"
for mode in exact heavy_outliers; do
    leat_run run pipelines/explain.lua "${latency[@]}" --set mode=$mode
    claim "so does mode $mode" sh -c "jq -r '.top[0:3][].feature' $out | grep -qx 'host=h7 & version=v2'"
done

awk 'BEGIN { print "host,latency"; srand(4); for (i = 0; i < 20000; i++) { h = int(rand() * 20);
  print "h" h "," (h == (i < 10000 ? 7 : 3) ? 500 : 10) + rand() * 20 } }' >"$tmp/turn.csv"
turn=(--set data="$tmp/turn.csv" --set metric=latency --set attributes=host --set quantile=0.96 --set out=jsonl --quiet)
risk() { jq --arg f "$1" '[.top[] | select(.feature == $f).relative_risk] | add // 0' "$out"; }
leat_run run pipelines/explain.lua "${turn[@]}"
claim "what has long ceased still explains the whole stream" below 10 "$(risk host=h7)"
leat_run run pipelines/explain.lua "${turn[@]}" --set half_life=1000
claim "with a half-life it is forgotten" below "$(risk host=h7)" 1
claim "and what explains the outliers of late comes first" equal "$(names | head -1)" "host=h3"
for mode in counts awm; do
    leat_run run pipelines/explain.lua "${turn[@]}" --set half_life=1000 --set mode=$mode --set evaluate=true
    tail -1 "$out" >"$tmp/faded.json"
    claim "$mode: what fades is compared with counts that fade" jq -e '.correlation > 0.998 and .outliers +
        .inliers < 1500' "$tmp/faded.json"
done
leat_run run pipelines/explain.lua "${turn[@]}" --set half_life=1000 --set evaluate=true
tail -1 "$out" >"$tmp/faded.json"
claim "and its bounds hold, but for the rounding of what fades" jq -e '.bounds_hold == 1 and .worst_ratio < 1.002' \
    "$tmp/faded.json"
leat_run run pipelines/explain.lua "${turn[@]}" --set half_life=1
claim_says "a half-life that leaves nothing to compare is named" "half_life leaves " \
    ", too few to compare: give a longer one"
leat_run run pipelines/explain.lua "${turn[@]}" --set half_life=1000 --set mode=exact
claim_exit "exact counts know no half-life" 2
# Shown by exact counts is what is more frequent among the outliers, however little.
awk 'BEGIN { print "a,o"; for (i = 0; i < 3000; i++) print "v" int(i / 30) "," (i % 30 < int(i / 300) ? 1 : 0) }' \
    >"$tmp/risks.csv"
for mode in exact heavy_all heavy_outliers counts; do
    leat_run run pipelines/explain.lua --set data="$tmp/risks.csv" --set outlier='o == 1' --set attributes=a \
        --set k=200 \
        --set min_support=0 --set min_count=0 --set out=jsonl --set mode=$mode --quiet
    claim "$mode: no row is one of the inliers" jq -e '[.top[].relative_risk] | length > 40 and min > 1' "$out"
    claim "$mode: and no attribute of the outliers is missing" equal "$(jq '.top | length' "$out")" 50
done

cp "$tmp/risks.csv" "$tmp/shown.csv"
for pipeline in "explain --set outlier=o==1 --set data=$tmp/shown.csv" \
    "compare --set split=o==1 --set data=$tmp/shown.csv"; do
    # shellcheck disable=SC2086
    as_default() { leat_run run pipelines/${pipeline/ /.lua } --set attributes=a --quiet "$@"; }
    as_default
    cp "$out" "$tmp/shown"
    as_default --set out=table
    claim "out=table is the default: ${pipeline%% *}" cmp "$out" "$tmp/shown"
done
# A pair is shown where its odds are min_odds_gain times those of each part, on whichever side of 1 these are: 1,000
# records a cell, a0b0 1.15 times the odds of either part, which are below 1; a2b2 1.16 times those of its, which are
# above.
awk 'BEGIN { print "a,b,bad"; for (a = 0; a < 4; a++) for (b = 0; b < 4; b++) for (i = 0; i < 1000; i++)
    print "a" a ",b" b "," (i < (a == 0 && b == 0 ? 220 : a == 0 || b == 0 ? 190 : a == 2 &&
    b == 2 ? 230 : 200) ? 1 : 0) }' >"$tmp/gain.csv"
gain() { leat_run run pipelines/explain.lua --set data="$tmp/gain.csv" --set outlier='bad == 1' --set attributes=a,b \
    --set order=risk --set out=jsonl --quiet --set min_odds_gain="$1"; names | grep ' & ' | sort | paste -sd'|'; }
claim "a pair stays out whose odds are not that much more: 1.5" equal "$(gain 1.5)" ""
claim "and is there where they are: 1.12" equal "$(gain 1.12)" "a=a0 & b=b0|a=a2 & b=b2"
claim "0 shows all" test "$(gain 0 | tr '|' '\n' | wc -l)" -gt 2

# A value that holds the words between parts is no conjunction: it stays, its part notwithstanding.
awk 'BEGIN { print "a,b,x"; for (i = 0; i < 4000; i++) { o = i % 10 == 0;
    print (o ? "p" : "q") ",\"" (o ? "p & a=p" : "r") "\"," (o ? 100 + i % 7 : i % 7) } }' >"$tmp/and.csv"
leat_run run pipelines/explain.lua --set data="$tmp/and.csv" --set metric=x --set attributes=a,b --set quantile=0.9 \
    --set out=jsonl --quiet
claim "a value that looks like a conjunction is taken as a value" sh \
    -c "jq -r '.top[] | .feature, .also' $out | grep -qx 'b=p & a=p'"
claim "while the pair of the two says no more than they do" sh \
    -c "! jq -r '.top[].feature' $out | grep -qx 'a=p & b=p & a=p'"

leat_run run pipelines/explain.lua --set data="$tmp/latency.csv" --quiet
claim_exit "without a metric it is a configuration error" 2

# ---- questions that --set asks ----
# Every record of host h2 after noon fails, and one in fifty of the others.
awk 'BEGIN { srand(5); print "time;status;host;path;id"; for (i = 0; i < 20000; i++) { t = int(rand() * 24);
    h = int(rand() * 5)
    printf "2024-03-01 %02d:00;%d;h%d;/p%d;%d\n", t, (h == 2 && t >= 12 || rand() < .02) ? 500 + i % 4 : 200, h, i % 7,
    i } }' >"$tmp/log.csv"
log=(--set data="$tmp/log.csv" --set delimiter=';' --quiet --log-level warn --set out=jsonl)
asked() { leat_run run pipelines/explain.lua "${log[@]}" "$@"; }
asked --set outlier='status >= 500' --set attributes=host,path --summary "$tmp/s.json"
claim_exit "a condition says who is an outlier" 0
claim "and what they have in common is found" equal "$(names | head -1)" host=h2
exact=$(awk -F';' 'NR > 1 { o = $2 >= 500; n[o]++; h[o] += $3 == "h2" } END { printf "%.9f", h[1] / (h[0] + h[1]) / ((n[1] - h[1]) / (n[0] + n[1] - h[0] - h[1])) }' "$tmp/log.csv")
claim "with the relative risk that awk counts" jq -e --argjson r "$exact" \
    '.top[0].relative_risk / $r | . > 0.99 and . < 1.01' "$out"
asked --set outlier='status >= 500' \
    --set derive='hour=substring(time, 12, 2); half=if(substring(time, 12, 2) < 12, "am", "pm")' \
    --set attributes=host,path,hour,half
claim "derived columns are attributes, and pairs of them come first" equal "$(names | head -1)" "host=h2 & half=pm"
asked --set outlier='status >= 500' --set attributes=host,path \
    --set filter='host ~= "h2" and substring(time, 12, 2) != "07"' --summary "$tmp/s.json"
claim "a filter keeps the records for which it is true" equal "$(stage filter out)" "$(awk -F';' \
    'NR > 1 && $3 != "h2" && substr($1, 12, 2) != "07"' "$tmp/log.csv" | wc -l)"
claim "which leaves nothing of the others" sh -c "! grep -q host=h2 $out"
asked --set outlier='status >= 500' --set attributes=host,path --set derive='hour=substring(time, 12, 2)' \
    --set filter='hour >= 12 and id % 2 == 0' --summary "$tmp/s.json"
claim "a filter may use a derived column" equal "$(stage filter out)" "$(awk -F';' \
    'NR > 1 && substr($1, 12, 2) >= 12 && $5 % 2 == 0' "$tmp/log.csv" | wc -l)"
asked --set outlier='`status` == 503 and not is_missing(host) and not ends_with(path, "6")' --set attributes=host \
    --set sign=both --set order=risk --set min_support=0 --set min_count=0 --summary "$tmp/s.json"
claim "columns are found in functions and backquotes" equal "$(jq '[.top[].count] | add' "$out")" 20000
tr ';' ',' <"$tmp/log.csv" | tail -n +2 >"$tmp/bare.csv"
asked --set data="$tmp/bare.csv" --set delimiter=, --set columns=time,status,host,path,id \
    --set outlier='status >= 500' --set attributes=host
claim "columns name a file without a heading" equal "$(names | head -1)" host=h2
sed 's/;500;/;;/' "$tmp/log.csv" >"$tmp/gaps.csv"
asked --set data="$tmp/gaps.csv" --set outlier='status >= 500' --set attributes=host --summary "$tmp/s.json"
claim "a record without a value that is compared is left out" equal "$(stage outlier filtered)" "$(grep -c ';500;' \
    "$tmp/log.csv")"
claim "and not rejected" equal "$(json .rejected)" 0
asked --set data="$tmp/gaps.csv" --set outlier='is_missing(status)' --set attributes=host --summary "$tmp/s.json"
claim "unless the condition asks for what is missing" equal "$(stage outlier filtered)" 0

wrong() { # WORDS TEXT ARGS…: a configuration error that says TEXT
    local words=$1 text=$2
    asked --set attributes=host "${@:3}"
    claim_exit "$words is a configuration error" 2
    claim_says "$words is told" "$text"
}
awk 'BEGIN { print "type,type_2,end,a,b";
    for (i = 0; i < 1000; i++) print i % 4 "," i % 2 "," i % 3 "," i % 10 "," i % 7 }' >"$tmp/names.csv"
kept() { # kept CONDITION AWK: as many records as awk says
    asked --set data="$tmp/names.csv" --set delimiter=, --set outlier='a >= 5' --set attributes=type --set filter="$1" \
        --summary "$tmp/s.json"
    claim "$1 keeps what it should" equal "$(stage filter out)" "$(awk -F, "NR > 1 && ($2)" "$tmp/names.csv" | wc -l)"
}
kept 'type_2 == "1" and type == "3"' '$2 == 1 && $1 == 3'
kept '`end` == 1 and type_2 == 1' '$3 == 1 && $2 == 1'
kept 'a == b + 0 or a == 9' '$4 == $5 || $4 == 9'
kept 'a ~= b + 1 and a > 5' '$4 != $5 + 1 && $4 > 5'
kept '(a) == 3 or b == (2)' '$4 == 3 || $5 == 2'
kept 'a == substring(b, 1, 1)' '$4 == $5'
wrong "a column that is not there" \
    "outlier (label.where): condition: 'statsu > 5' is wrong at character 1: there is no column 'statsu': did you mean 'status'?" --set outlier='statsu > 5'
wrong "a condition without a column" "outlier = '5 > 3': the expression has no column: give one such as status >= 500" \
    --set outlier='5 > 3'
wrong "a function that is not there" "there is no function 'foo': did you mean 'floor'?" --set outlier='foo(status) > 1'
wrong "one of a library" "there is no function 'string.foo'" --set outlier='string.foo(time)'
wrong "the clock" "there is no function 'os.date': write substring(x, 1, 4)" --set outlier='os.date("%H", time) == 3'
asked --set outlier='status > 400' --set derive='one=1; two=one + status' --set attributes=host,one,two
claim_exit "a column may be made of no other" 0
wrong "= for ==" "'status = 500' is wrong at character 8: '=' has no meaning here: write == for equality" \
    --set outlier='status = 500'
wrong "&& for and" "'&&' has no meaning here: write and" --set outlier='status > 1 && id > 2'
wrong "a metric beside it" "metric and outlier are two ways to say what an outlier is: leave one out" \
    --set outlier='status > 1' --set metric=status
wrong "a definition without a name" "derive = 'substring(time, 1, 4)': write NAME = EXPRESSION" \
    --set outlier='status > 1' --set derive='substring(time, 1, 4)'
wrong "a name that is derived twice" "the column 'a' is made twice" --set outlier='status > 1' --set derive='a=id+1;a=id+2'
wrong "a definition that is wrong" \
    "derive (shape.set): columns: 'a=id +' is wrong at character 7: the expression ends where a value is missing" \
    --set outlier='status > 1' --set derive='a=id +'
wrong "no heading and no names" "header=false needs names" --set outlier='status > 1' --set header=false
asked --set outlier='status > 600' --set attributes=host
claim_says "a condition that is never true is told" \
    "outlier (label.where): 'status > 600' is true for none of 20000 records: compare it with the values of its columns"
asked --set outlier='status > 400' --set filter='id >= 0' --set attributes=host
claim_says "one that is always true, too" "filter (shape.where): 'id >= 0' is true for each of 20000 records"
asked --set outlier='status > 400' --set filter='id < 0' --set attributes=host
claim_says "and a filter that leaves nothing" "filter (shape.where): 'id < 0' is true for none of 20000 records"
wrong "a method of Lua" "':' has no meaning here: write substring(x, first, count)" --set outlier='time:sub(1,4) > 2023'

# ---- long names ----
awk 'BEGIN { for (j = 0; j < 300; j++) s = s "z"; print "path,x";
    for (i = 0; i < 2000; i++) print s (i % 4) "," (i % 4 == 3) }' >"$tmp/names.csv"
long=(--quiet --set data="$tmp/names.csv" --set outlier='x == 1' --set attributes=path --set sign=both \
    --set min_support=0)
whole=path=$(sed -n 5p "$tmp/names.csv" | cut -d, -f1)
leat_run run pipelines/explain.lua "${long[@]}" --state "$tmp/long"
claim "a long name is cut where it can be seen" equal "$(awk 'NR == 3 { print $NF }' "$out")" "${whole:0:117}…"
cp "$out" "$tmp/long.table"
leat_run model top "$tmp/long"
claim "and in the same place when it is read from a snapshot" cmp "$out" "$tmp/long.table"
leat_run run pipelines/explain.lua "${long[@]}" --set out=jsonl
claim "and in JSON" equal "$(names | head -1)" "${whole:0:117}…"
leat_run run pipelines/explain.lua "${long[@]}" --set out=jsonl --set name_bytes=400
claim "name_bytes keeps it whole" equal "$(names | head -1)" "$whole"

# ---- nothing to be found ----
awk 'BEGIN { srand(1); print "host,path,x";
    for (i = 0; i < 3000; i++) print "h" int(rand() * 5) ",p" int(rand() * 7) "," rand() }' >"$tmp/chance.csv"
chance() { leat_run run pipelines/explain.lua --quiet --set data="$tmp/chance.csv" --set attributes=host,path \
    --set out=jsonl --set order=risk "$@"; }
chance --set metric=x
claim_says "rows that chance explains are said to be no more" \
    "no row is surely more than chance: of 47 features of at least 20 records luck alone" \
    "outliers (label +1) among 3000 records: leave out combinations (cross=1), or give more records or other columns"
chance --set outlier='x > 0.999'
claim_says "as are those of a few outliers" "with $(awk -F, '$3 > .999 && NR > 1' "$tmp/chance.csv" |
    wc -l) outliers (label +1) among 3000 records"
chance --set outlier='x > 0.9' --set min_risk_ratio=3
claim "where no row is left" equal "$(jq -c .top "$out")" "[]"
claim_says "it is said among how many outliers, and what to try" "no feature separates the $(awk -F, '$3 > .9 && NR > 1' \
    "$tmp/chance.csv" | wc -l) outliers (label +1) from the " \
    "give other columns, or lower min_count (20), min_support (0.001), min_risk_ratio (3)"
awk -F, 'BEGIN { srand(2) } $1 == "h3" && rand() < .3 || rand() < .01 { print $1 "," $2 ",2"; next } { print }' \
    "$tmp/chance.csv" | sed "1s/.*/host,path,x/" >"$tmp/some.csv"
chance --set data="$tmp/some.csv" --set outlier='x > 1'
claim "what is planted comes first" equal "$(names | head -1)" host=h3
claim_says "and how many of the others are chance is said" "rows (all but #1) may be no more than chance: of 47 features" \
    "leave out combinations (cross=1), raise min_count, or lower k"
awk -F, 'BEGIN { srand(4) } FNR > 1 && ($1 == "h1" && rand() < .2 || $2 == "p2" && rand() < .2 || $1 == "h4" &&
    $2 == "p5" && rand() < .4) { $3 = 2 }
    { OFS = ","; print $0, (FNR > 1 ? "q" int(rand() * 30) : "q") }' \
    "$tmp/some.csv" >"$tmp/more.csv"
chance --set data="$tmp/more.csv" --set attributes=host,path,q --set outlier='x > 1' --set min_count=1 \
    --set min_support=0 --set min_odds_gain=1.01
jq -r '.top[] | [.feature, .luck] | @tsv' "$out" >"$tmp/luck"
all=$(sed -n 's/.*: of \([0-9]*\) features.*/\1/p' "$err")
more=$(awk -F'\t' '$2 <= .05 { printf "%s%d", n++ ? " " : "", NR }' "$tmp/luck")
said=$(sed -n 's/.*(all but #\([^)]*\)).*/\1/p' "$err" | sed 's/, / /g; s/\([0-9]*\)–\([0-9]*\)/{\1..\2}/g')
claim "the rows that are more than chance are named" equal "$(eval echo "$said")" "$more"
claim "which are several" below 3 "$(wc -w <<<"$more")"
# Fisher's exact test of each row, by its counts in the file and a table of log factorials.
awk -F'\t' 'FILENAME == ARGV[1] { if (FNR == 1) next; split($0, c, ","); y = c[3] > 1; N[y]++; f[1] = "host=" c[1];
    f[2] = "path=" c[2]; f[3] = "q=" c[4]
        for (i = 1; i <= 3; i++) for (j = i; j <= 3; j++) { name = j > i ? f[i] " & " f[j] : f[i];
        if (!(name in seen)) { seen[name]; all++ }; n[name, y]++ }
        for (k++; made < k; made++) F[made + 1] = F[made] + log(made + 1); next }
    function choose(n, k) { return F[n] - F[k] - F[n - k] }
    function tail(n1, n0, N1, N0,  has, x, sum) {
        has = n1 + n0
        for (x = n1; x <= has && x <= N1; x++) if (has - x <= N0) sum += exp(choose(N1, x) + choose(N0,
        has - x) - choose(N0 + N1, has))
        return sum
    }
    { most = tail(n[$1, 1], n[$1, 0], N[1], N[0]); parts = split($1, part, " & ")
        for (i = 1; parts > 1 && i <= 2; i++) { p = tail(n[$1, 1], n[$1, 0], n[part[i], 1], n[part[i], 0]);
        if (p > most) { most = p; of_part++ } }
        if (!(all * most > $2 / 1.000001 && all * most < $2 * 1.000001)) { print $0, all * most; bad = 1 } rows++ }
    END { exit bad || rows < 9 || !of_part }' "$tmp/more.csv" "$tmp/luck" >"$tmp/bad"
claim "luck is as many features as are so uneven by chance, by Fisher's exact test, also among the records of each part" equal "$? $(cat "$tmp/bad")" "0 "
chance --set data="$tmp/more.csv" --set attributes=host,path,q --set outlier='x > 1' --set min_count=150 --set cross=1 \
    --set k=1
enough=$(for i in 1 2 4; do tail -n +2 "$tmp/more.csv" | cut -d, -f$i | sort | uniq -c; done | awk '$1 >= 150' | wc -l)
claim "features of too few records to be rows do not count" awk -v name="$(names |
    head -1)" -v luck="$(jq .top[0].luck "$out")" -v all="$all" -v n="$enough" \
    -F'\t' '$1 == name { want = $2 * n / all } END { exit !(luck > .999 * want && luck < 1.001 * want) }' "$tmp/luck"
# 40 streams without any pattern: rows of luck <= x are at most x a stream, and not many times fewer.
for i in $(seq 40); do
    awk -v s="$i" 'BEGIN { srand(s); print "host,path,x";
        for (i = 0; i < 3000; i++) print "h" int(rand() ^ 4 * 60) ",p" int(rand() ^ 3 * 40) "," rand() }' \
            >"$tmp/none.csv"
    chance --set data="$tmp/none.csv" --set outlier='x > .9' --set min_support=0 --set k=1000
    jq '.top[].luck' "$out"
done >"$tmp/none"
claim "where there is nothing to find, luck is as many rows as are found, on average" awk \
    '{ for (x = .5; x <= 8; x *= 2) of[x] += $1 <= x }
    END { for (x in of) if (!(of[x] <= 40 * x + 3 * sqrt(40 * x) && of[x] >= 10 * x - 5)) exit 1 }' "$tmp/none"
# A strong attribute, and two that do not matter: pairs with it are as uneven as it is.
for i in $(seq 20); do
    awk -v s="$i" 'BEGIN { srand(s); print "x,y,z,bad"; for (i = 0; i < 20000; i++) { hot = rand() < .1
        print (hot ? "hot" : "x" int(rand() * 5)) ",y" int(rand() * 50) ",z" int(rand() * 50) "," (rand() < (hot ? .15 : .02)) } }' >"$tmp/strong.csv"
    chance --set data="$tmp/strong.csv" --set outlier='bad == 1' --set attributes=x,y,z
    jq -c '[.top[] | select(.luck <= .05) | .feature]' "$out"
done >"$tmp/strong"
claim "what a strong attribute has in common with its pairs does not speak for them" \
    # 1 of 20 may have more, by chance
    awk '$0 == "[\"x=hot\"]" { right++ } END { exit !(NR == 20 && right >= 17) }' "$tmp/strong"
chance --set outlier='x >= 0'
claim "where all are outliers nothing sets them apart" equal "$(jq -c .top "$out")" "[]"
leat_run run pipelines/explain.lua "${latency[@]}" --set k=1
claim "what is more than chance is not doubted" sh -c "! grep -q chance '$err'"

# ---- attributes that no one names ----
awk 'BEGIN { srand(9); print "\"the \"\"host\"\"\",\"a\nb\",x"; for (i = 0; i < 300; i++) { h = int(rand() * 5)
    printf "\"h\"\"%d\",%d,%d\n", h, i % 7, h == 2 || rand() < .02 } }' >"$tmp/quotes.csv"
leat_run run pipelines/explain.lua --set out=jsonl --set data="$tmp/quotes.csv" --set outlier='x == 1'
claim "names and values may hold quotes and line ends" equal "$(names | head -1)" 'the "host"=h"2'
claim_says "and are said on one line" 'attributes come from 300 records across' 'leat: attributes: the "host", a\nb' \
    'leat: by thresholds: a\nb' 'leat: left out: x (part of the question)'
awk 'BEGIN { srand(6); print "time;status;host;\"the path\";id;size;none;one"; for (i = 0; i < 5000; i++) {
    h = int(rand() * 5)
    printf "%d;%d;h%d;\"/p;%d\";%d;%.3f;;x\n", i, (h == 2 || rand() < .02) ? 500 : 200, h, i % 7, i, rand() } }' \
        >"$tmp/wide.csv"
wide=(--set data="$tmp/wide.csv" --set outlier='status == 500')
awk -F, 'BEGIN { OFS = "," } { $1 = NR > 1 ? NR % 6 : ""; print }' "$tmp/chance.csv" >"$tmp/unnamed.csv"
sed '1s/.*/"city, ""old""",path,x/' "$tmp/unnamed.csv" >"$tmp/comma.csv"
for named in "" 'attributes="city, ""old""", path'; do
    leat_run run pipelines/explain.lua --set data="$tmp/comma.csv" --set outlier='x > .9' --set out=jsonl \
        ${named:+--set "$named"}
    claim "a name may hold a comma: ${named:-chosen}" eval 'names | grep -q "^city, \"old\"="'
done
leat_run run pipelines/explain.lua --set data="$tmp/unnamed.csv" --set outlier='x > .9' --set out=jsonl
claim_says "a column without a name has the parser's" \
    "leat: attributes: column 1, path" "leat: left out: x (part of the question)"
asked "${wide[@]}"
claim_exit "attributes need not be named" 0
claim_says "the run says which it takes, and which not and why" \
    "leat: attributes come from 5,000 records across $tmp/wide.csv" "leat: attributes: host, the path" \
    "leat: by thresholds: size" "leat: left out: time (record numbers), status (part of the question), id (an id), none (no value), one (one value)"
claim "and explains by them" equal "$(names | head -1)" host=h2
cp "$out" "$tmp/chosen"
asked "${wide[@]}" --set attributes='host,the path,size'
claim "as it does when they are named" cmp "$out" "$tmp/chosen"
asked "${wide[@]}" --set derive='half=if(id < 2500, "first", "second")'
claim_says "derived columns are among them" "attributes: host, the path, half"
asked --set data="$tmp/wide.csv" --set metric=size
claim_says "the metric is not" "size (part of the question)"
sed 's/$/\r/' "$tmp/wide.csv" >"$tmp/crlf.csv"
asked "${wide[@]}" --set data="$tmp/crlf.csv"
claim "line ends do not matter" cmp "$out" "$tmp/chosen"
awk 'BEGIN { for (c = 0; c < 20; c++) printf "c%d;", c; print "y"; for (i = 0; i < 200; i++) {
    for (c = 0; c < 20; c++) printf "t%d;", i % (2 + c); print i * 37 % 101 % 2 } }' >"$tmp/many.csv"
asked --set data="$tmp/many.csv" --set outlier='substring(y, 1, 1) == "1"'
claim_says "of many columns those with the fewest values are taken" \
    "attributes: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11" "c12 (12 others come first)" ", and 1 more"
for coder in gzip bzip2 xz zstd; do
    $coder -qkf "$tmp/wide.csv"
    asked "${wide[@]}" --set data="$(ls "$tmp"/wide.csv.*)"
    claim "they are chosen of a file that $coder compressed" cmp "$out" "$tmp/chosen"
    claim_says "and said" "5,000 records across" "attributes: host, the path"
    rm "$tmp"/wide.csv.*
done
gzip -kf "$tmp/wide.csv"
head -c 2000 "$tmp/wide.csv.gz" >"$tmp/cut.csv.gz"
asked "${wide[@]}" --set data="$tmp/cut.csv.gz"
claim_exit "of one that ends early, too, which fails further on" 1
claim_says "and why is said" "204 records across" "leat: attributes: host, the path" \
    "cut.csv.gz: compressed data (gzip) ends early"
unnamed() { asked "${wide[@]}" --set data="$1"; claim_exit "$2 has no attributes to choose" 2; claim_says \
    "and it is said what to do" "$3" "Name the columns to take: --set attributes=a,b,c"; }
unnamed - "standard input" \
    "they are chosen from records all over the files, but standard input gives each record only once"
awk 'BEGIN { srand(9); print "coupon,status"; for (i = 0; i < 9000; i++) { c = rand() < .1;
    print (c ? "SAVE" : "") "," (rand() < (c ? .3 : .01) ? 500 : 200) } }' >"$tmp/sparse.csv"
leat_run run pipelines/explain.lua --quiet --set data="$tmp/sparse.csv" --set outlier='status >= 500' \
    --set attributes=coupon --set out=jsonl
claim "records without any attribute are of the base: the risk is the exact one" awk -F, -v shown="$(jq \
    '.top[0].relative_risk' "$out")" '
    NR > 1 { n++; o += $2 == 500; if ($1 != "") { s++; so += $2 == 500 } } END { r = so / s / ((o - so) / (n - s));
    exit !(r > 5 && shown / r > .999 && shown / r < 1.001) }' "$tmp/sparse.csv"
mkdir "$tmp/parts"
sed -n '1,300p' "$tmp/wide.csv" >"$tmp/parts/1.csv"
{ head -1 "$tmp/wide.csv" && sed -n '301,$p' "$tmp/wide.csv"; } | gzip >"$tmp/parts/2.csv.gz"
asked "${wide[@]}" --set data="$tmp/parts/*"
claim "of several files they are those of one" cmp "$out" "$tmp/chosen"
claim_says "from the records of all, without their headings" \
    "5,000 records across" "attributes: host, the path"
asked "${wide[@]}" --set data="$tmp/parts/1.csv,$tmp/parts/2.csv.gz"
claim "of a list, too" cmp "$out" "$tmp/chosen"
unnamed "$tmp/parts/1.csv,-" "a list with standard input" "gives each record only once"
asked "${wide[@]}" --set data="$tmp/parts/3.csv"
claim_says "a file that is missing is named" \
    "error: cannot read $tmp/parts/3.csv: No such file or directory: did you mean"
leat_run run pipelines/explain.lua --set brokers=localhost:1 --set topic=t --set columns=host,path,size \
    --set metric=size
claim_says "of a topic it is said, too, with the columns that it has" \
    "but a topic gives each record only once. Name the columns to take: --set attributes=a,b,c (columns: host, path, size)"

unnamed <(cat "$tmp/wide.csv") "a pipe" "gives each record only once"
head -1 "$tmp/wide.csv" >"$tmp/heading.csv"
unnamed "$tmp/heading.csv" "a heading alone" "but there are no records"
claim_says "with the columns of the heading" "(columns: time, status, host, the path, id, size, none, one)"
: >"$tmp/nothing.csv"
unnamed "$tmp/nothing.csv" "an empty file" "but there are no records"

# ---- several values in a column ----
# Every fifth record with the tag promo is cancelled, of the others every hundredth. Tags come in any order, with blanks
# in them.
awk -v jsonl="$tmp/tags.jsonl" -v csv="$tmp/tags.csv" 'BEGIN { srand(11); split("mobile beta promo eu night,x x2", name,
    " "); for (i = 0; i < 9000; i++) {
    tags = ""; text = ""; promo = 0
    for (k = 1; k <= 6; k++) if (rand() < .4) { promo = promo || k == 3; one = name[k]; sub(",", " ", one)
        if (rand() < .5) { tags = tags (tags == "" ? "" : ",") "\"" one "\""; text = text (text == "" ? "" : "|") one }
        else { tags = "\"" one "\"" (tags == "" ? "" : ",") tags; text = one (text == "" ? "" : "|") text } }
    bad = rand() < (promo ? .2 : .01)
    printf "{\"id\":%d,\"bad\":%s,\"plan\":\"%s\",\"tags\":[%s]}\n", i, bad ? "true" : "false", i % 2 ? "free" : "pro",
    tags >jsonl
    printf "%s%d;%s;%s;%s\n", i ? "" : "id;bad;plan;tags\n", i, bad ? "true" : "false", i % 2 ? "free" : "pro",
    text >csv } }'
tags=(--quiet --log-level warn --set outlier='bad == "true"' --set out=jsonl)
leat_run run pipelines/explain.lua "${tags[@]}" --set data="$tmp/tags.jsonl"
claim_says "an array is chosen among the attributes" "attributes: plan, tags[*]"
claim "and the element that makes outliers is found" equal "$(names | head -1)" "tags[*]=promo"
risk_of_tag() { jq -s --arg t "$1" 'def share(f): (map(select(f)) | (map(select(.bad)) | length) / length);
    share(.tags | index($t)) / share(.tags | index($t) | not)' "$tmp/tags.jsonl"; }
claim "with the relative risk and the count that jq finds" jq -e --argjson r "$(risk_of_tag promo)" --argjson n "$(jq \
    -s 'map(select(.tags | index("promo"))) | length' "$tmp/tags.jsonl")" \
    '.top[0] | .count == $n and (.relative_risk / $r | . > .9999 and . < 1.0001)' "$out"
leat_run run pipelines/explain.lua "${tags[@]}" --set data="$tmp/tags.jsonl" --set order=risk --set sign=both --set min_odds_gain=0 \
    --set min_count=0 --set min_support=0 --set k=1000
claim "pairs of elements are counted, too" equal "$(jq '.top[] | select(.feature | split(" & ") | sort == ["tags[*]=eu",
    "tags[*]=night x"]).count' "$out")" \
    "$(jq -s 'map(select((.tags | index("eu")) and (.tags | index("night x")))) | length' "$tmp/tags.jsonl")"
jq -c '.top[] | [(.feature | gsub("tags\\[\\*\\]"; "tags") | split(" & ") | sort), .count]' "$out" |
    sort >"$tmp/of_json"
leat_run run pipelines/explain.lua "${tags[@]}" --set data="$tmp/tags.csv" --set delimiter=';' --set lists=tags \
    --set separator='|' --set order=risk --set sign=both --set min_odds_gain=0 --set min_count=0 --set min_support=0 \
    --set k=1000
claim_says "of CSV a column is named, with what separates its values" \
    "attributes: plan, tags"
jq -c '.top[] | [(.feature | split(" & ") | sort), .count]' "$out" | sort >"$tmp/of_csv"
claim "and has the same counts" cmp "$tmp/of_json" "$tmp/of_csv"
claim "which are many" test "$(wc -l <"$tmp/of_csv")" -gt 20
leat_run run pipelines/explain.lua "${tags[@]}" --set data="$tmp/tags.jsonl" --set columns='id,bad,plan,t=tags[*]'
claim "a path with a name of its own is one of several values" equal "$(names | head -1)" "t=promo"
leat_run run pipelines/explain.lua "${tags[@]}" --set data="$tmp/tags.jsonl" \
    --set filter='contains(`tags[*]`, "x2 promo")' --set attributes=plan --summary "$tmp/s.json"
claim "a condition sees blanks between elements" equal "$(stage filter out)" "$(jq -c '.tags | join(" ") |
    select(contains("x2 promo"))' "$tmp/tags.jsonl" | wc -l)"
leat_run run pipelines/explain.lua "${tags[@]}" --set data="$tmp/tags.jsonl" --set elements=2
claim "records with more elements than are taken are told" grep -qE "elements: $(jq -s 'map(select(.tags |
    length > 2)) | length' "$tmp/tags.jsonl") of $(jq -s 'map(select(.tags | length > 0)) | length' \
        "$tmp/tags.jsonl") texts of .each. have more than 2 different elements" "$err"
awk 'BEGIN { srand(7); for (i = 0; i < 900; i++) printf "{\"x\":%.6f,\"tags\":%s,\"peer\":%s}\n", rand(),
    i % 9 ? "[\"t" i % 3 "\",\"u\"]" : "\"t" i % 2 "\"",
    i % 5 ? "{\"city\":\"c" i % 4 "\"}" : "[\"c" i % 2 "\",\"d\"]" }' >"$tmp/mix.jsonl"
leat_run run pipelines/explain.lua --quiet --set data="$tmp/mix.jsonl" --set metric=x --set other=empty
claim_says "of a path with two forms explain takes that which peek takes" \
    "attributes: tags[*], peer.city" "tags (another type in most records)" \
    "peer[*] (another type in most records)"
leat_run peek "$tmp/mix.jsonl"
claim "which is the same" grep -q "^tags\[\*\] .*" "$out"
claim "for each" equal "$(grep -oE '^(tags|peer)[^ ]*' "$out" | paste -sd' ')" "tags[*] peer.city"
awk 'BEGIN { srand(12);
    for (i = 0; i < 3000; i++) printf "{\"x\":%.6f,\"host\":\"h%d\",\"note\":\"n%d\",\"ids\":[%d]}\n", rand(), i % 5, i,
    i }' >"$tmp/rest.jsonl"
leat_run run pipelines/explain.lua --quiet --set data="$tmp/rest.jsonl" --set metric=x
claim_says "where nothing is more than chance the columns without features are named" \
    "give more records, or other columns; no features are made of note (3000 values in 3000 records), ids[*] (numbers, 3000 values)"

# ---- records without the metric ----
awk 'BEGIN { print "m,a";
    for (i = 0; i < 3000; i++) print (i % 7 ? i * 7919 % 1000 : i % 2 ? "" : " ") "," (i * 7919 % 1000 > 800 ? "x" : "y") i % 3 }' >"$tmp/some.csv"
without=$(awk -F, 'NR > 1 && $1 !~ /[0-9]/' "$tmp/some.csv" | wc -l)
leat_run run pipelines/explain.lua --set data="$tmp/some.csv" --set metric=m --set half_life=1e8 --set attributes=a \
    --summary "$tmp/s.json" --report "$tmp/r.md"
claim_says "records without a value of the metric are counted and told" \
    "$without of 3000 records have no value in column 'm' and were left out"
claim "the summary has their number" equal "$(stage quantile without_value)" "$without"
claim "the report, too" grep -q "^3,000 records of .*, $without without a value" "$tmp/r.md"
claim "they are no examples" equal "$(stage quantile out)" $((3000 - without))
leat_run run pipelines/explain.lua --set data="$tmp/few.csv" --set metric=n --set attributes=n --set min_count=1
claim "where all have one nothing is said" sh -c "! grep -q 'no value' $err"

# ---- what was asked, and how many outliers there are ----
outliers=$(awk -F, 'NR > 1 && $1 ~ /[0-9]/ && $1 > 800' "$tmp/some.csv" | wc -l)
leat_run run pipelines/explain.lua --set data="$tmp/some.csv" --set outlier='m > 800' --set attributes=a \
    --summary "$tmp/s.json" --report "$tmp/r.md"
claim_says "records without a value of a condition's column are counted and told" \
    "'m > 800' is unknown for $without of 3000 records, which are left out, such as where column 'm' has no value: write coalesce(…, true) or coalesce(…, false) to decide such records"
percent() { awk -v n="$1" -v all="$2" 'BEGIN { printf "%.3g %%", 100 * n / all }'; }
counts="$outliers of $(printf '%s' $((3000 - without)) | sed 's/...$/,&/') records"
counts="$counts ($(percent "$outliers" $((3000 - without))))"
claim_says "the run ends with the question, and the number of outliers" "leat: $counts have m > 800"
claim "the summary has it" equal "$(jq -r .asked "$tmp/s.json")" "$counts have m > 800"
claim "and the number that was left out" equal "$(stage outlier without_value)" "$without"
claim "the report begins with it" equal "$(sed -n 5p "$tmp/r.md")" "$counts have m \> 800."
leat_run run pipelines/explain.lua --set data="$tmp/some.csv" --set metric=m --set half_life=1e8 \
    --set quantile=0.9 --set attributes=a \
    --summary "$tmp/s.json" --report "$tmp/r.md"
claim "with a metric it names the column, quantile and threshold" equal "$(sed -n 5p "$tmp/r.md")" \
    "$(jq '.stages[] | select(.id == "quantile") | .metrics.positive' "$tmp/s.json") of $(printf '%s' $((3000 - without)) |
    sed 's/...$/,&/') records ($(percent "$(jq '.stages[] | select(.id == "quantile") | .metrics.positive' \
    "$tmp/s.json")" $((3000 - without)))) have m above its running quantile 0.9, $(jq '.stages[] |
    select(.id == "quantile") | .metrics.threshold' "$tmp/s.json") at the end."
leat_run run pipelines/explain.lua --quiet --set data="$tmp/some.csv" --set outlier='m > 800' --set attributes=a
claim "a quiet run does not say it" sh -c "! grep -q 'records (' $err"

# ---- texts that mean no value ----
awk -F, -v OFS=, 'NR == 1 { print $0, "b"; next } { print ($1 ~ /[0-9]/ ? $1 : NR % 2 ? "NA" : "-"), $2,
    NR % 3 ? "-" : "one" }' "$tmp/some.csv" >"$tmp/na.csv"
na() { leat_run run pipelines/explain.lua --quiet --set data="$tmp/na.csv" --set outlier='m > 700' \
    --summary "$tmp/s.json" "$@"; }
na --set attributes=a --set missing_texts=
claim "a text that is no number rejects its record" equal "$(json .rejected)" "$without"
na --set missing_texts=NA,-
claim "unless it means no value" equal "$(json .rejected) $(stage outlier without_value)" "0 $without"
claim_says "in attributes, too" "attributes: a, b"
na --set missing_values=false
claim "they are found, too" equal "$(json .rejected) $(stage outlier without_value)" "0 $without"
claim_says "which is said, and that they are values of a text" \
    "leat: missing_texts = -,NA, found in numbers: m (missing_texts='' takes them as texts); a value of b" "attributes: a, b"
na --set missing_values=false --set missing_texts=NA,-
claim_says "a column with one value says nothing if missing ones are none" "b (one value)"
done_claims
