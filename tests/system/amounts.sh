# Amounts: sums of a column by feature against awk, their bounds, the change of a total, and luck that no single record
# makes.
# tier: long (20 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

cat >amounts.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "amounts" {
  leat.source.file { path = a.data }, leat.parse.csv {}, leat.label.is { column = "side", positive = "a" },
  a.weight and leat.label.weight { a.weight } or {},
  leat.feature.columns { columns = a.columns or "host,port", cross = a.cross or 1, explode = true },
  leat.learn.contrast { id = "model", sign = a.sign or "both", budget = a.budget, amount = not (a.weight or a.counts) and (a.amount or "bytes") or nil,
    amount_unit = a.unit, half_life = a.half_life },
  leat.sink.top { order = a.order, k = a.k or 100000, sign = a.sign, min_count = a.min_count or 1, format = a.format or "jsonl" },
  threads = a.threads,
}
LUA
sums() { leat_run run amounts.lua --quiet "$@"; }
# flows SEED HOSTS N: flows of two sides with heavy-tailed bytes. Side a has twice the bytes; host h7 on it 100 times.
flows() {
    awk -v seed="$1" -v hosts="$2" -v n="$3" 'BEGIN { srand(seed); print "side,host,port,bytes"
        for (i = 0; i < n; i++) { side = rand() < .5 ? "a" : "b"; host = "h" int(rand() * rand() * hosts)
            bytes = int(100 * rand() ^ -.3 * (side == "a" ? 2 : 1) * (host == "h7" && side == "a" ? 100 : 1)) / 4
            print side "," host "," int(rand() * 9) "," bytes } }'
}
# naive FILE: for each host and port: feature, sums of a and b, records, and the same of all.
naive() {
    awk -F, 'FNR == 1 { next } { s[$1] += $4; n++; split("host=" $2 " port=" $3, w, " ")
            for (i = 1; i <= 2; i++) { x[w[i], $1] += $4; c[w[i]]++ } }
        END { for (f in c) printf "%s %.12g %.12g %d %.12g %.12g\n", f, x[f, "a"], x[f, "b"], c[f], s["a"], s["b"] }' "$1" | sort
}
# True if each row of the answer in the file $2 has the figures of naive $1.
agrees() {
    naive "$1" >naive
    jq -r '.top[] | [.feature, .amount, .change, .share_of_change, .support_outliers, .support_inliers, .ratio, .rate,
        .relative_risk, .count] | map(tostring) | join(" ")' "$2" | sort | join naive - | awk '
        function off(x, y) { return x - y > 1e-9 * (x < 0 ? -x : x) + 1e-12 || y - x > 1e-9 * (x < 0 ? -x : x) + 1e-12 }
        { A = $2; B = $3; T = $5 - A; U = $6 - B
            bad += off(A + B, $7) + off(A - B, $8) + off((A - B) / ($5 - $6), $9) + off(A / $5, $10) + off(B / $6, $11)
            bad += off($4, $15)
            if (B > 0) bad += off(A / $5 / (B / $6), $12) + off(A / (A + B), $13) + off(A / (A + B) / (T / (T + U)), $14) }
        END { print bad + 0 " of " NR " rows differ"; exit bad || !NR }'
}

flows 1 50 20000 >flows.csv
sums --set data=flows.csv
claim_exit "amounts are added up" 0
cp "$out" whole
claim "every figure is that of naive sums" agrees flows.csv whole
claim "all features are rows" equal "$(jq '.top | length' whole)" "$(naive flows.csv | wc -l)"
claim "the host with more bytes is more than chance" jq -e '.top[] | select(.feature == "host=h7") | .luck < 0.05 and .ratio > 5' whole
claim "counts alone do not show it" sh -c "'$LEAT' run amounts.lua --quiet --set data=flows.csv --set counts=true 2>told |
    jq -e '.top[] | select(.feature == \"host=h7\") | .luck > 0.05'"
leat_run check amounts.lua --set data=flows.csv --set weight=bytes
claim_exit "weights before a learner that counts are refused" 2
claim_says "with what to do" "amounts.lua:7" "an earlier stage gives them importance weights: add up a column with amount = \"COLUMN\""

{ head -1 flows.csv && sed 1d flows.csv | sort; } >sorted.csv
sums --set data=sorted.csv
claim "sums do not depend on the order of the records" equal "$(jq -S '.top | map(del(.covered, .covered_low, .covered_high, .covered_new,
    .covered_new_low, .covered_new_high, .left, .left_low, .left_high))' "$out")" "$(jq -S '.top | map(del(.covered, .covered_low,
    .covered_high, .covered_new, .covered_new_low, .covered_new_high, .left, .left_low, .left_high))' whole)"
sums --set data=flows.csv --set threads=1
claim "nor on the number of threads" cmp "$out" whole

flows 2 3000 30000 >many.csv
sums --set data=many.csv --set budget=16KB
claim "with too many features, every sum lies within its bounds" sh -c '
    awk -F, "FNR > 1 { s[\"host=\" \$2] += \$4; s[\"port=\" \$3] += \$4 } END { for (f in s) printf \"%s %.12g\n\", f, s[f] }" many.csv |
    sort >exact
    jq -r ".top[] | [.feature, .amount_low, .amount_high] | map(tostring) | join(\" \")" '"$out"' | sort | join exact - |
    awk "{ bad += \$2 < \$3 - 1e-6 || \$2 > \$4 + 1e-6; wide += \$3 < \$4 } END { exit bad || !wide || NR < 20 }"'
cp "$out" few
naive many.csv >naive
claim "so does every ratio, relative risk, share and change" sh -c '
    jq -r ".top[] | [.feature, .ratio_low, .ratio_high, .relative_risk_low, .relative_risk_high, .support_outliers_low,
        .support_outliers_high, .change_low, .change_high, .rate_low, .rate_high] | map(tostring) | join(\" \")" few | sort |
    join naive - | awk "function out(x, low, high) { return x < low - 1e-9 * (low < 0 ? -low : low) || x > high + 1e-9 * (high < 0 ? -high : high) }
        { a = \$2; b = \$3; bad += out(a / \$5, \$11, \$12) + out(a - b, \$13, \$14) + out(a / (a + b), \$15, \$16)
          if (a > 0 && b > 0) bad += out(a / \$5 / (b / \$6), \$7, \$8) + out(a / (a + b) / ((\$5 - a) / (\$5 - a + \$6 - b)), \$9, \$10) }
        END { exit bad || NR < 20 }"'
claim "the heaviest host is kept and well known" jq -e '.top[] | select(.feature == "host=h7") | .amount_low > 0.7 * .amount_high' few

# Halves, merged, are the whole.
awk 'NR == 1 || NR % 2' flows.csv >odd.csv && awk 'NR == 1 || NR % 2 == 0' flows.csv >even.csv
for half in odd even; do sums --set data=$half.csv --state $half.state; done
leat_run model merge both.state odd.state even.state
leat_run model top both.state --format jsonl --k 1000
claim "two halves, merged, have the sums of the whole" agrees flows.csv "$out"
mkdir parts && cp odd.csv parts/1.csv
sums --set data='parts/*.csv' --state more.state
cp even.csv parts/2.csv
sums --set data='parts/*.csv' --state more.state
claim "a run that continues has them, too" agrees flows.csv "$out"
sums --set data='parts/*.csv' --state more.state --set unit=1
claim_says "another unit is refused" "amount_unit"

# The change of the total.
sums --set data=flows.csv --set order=change --set k=5
claim "the rows of order=change are the largest changes" equal "$(jq -c '[.top[].feature]' "$out")" \
    "$(naive flows.csv | awk '{ d = $2 - $3; printf "%.12g %s\n", d < 0 ? -d : d, $1 }' | sort -rg | head -5 | cut -d' ' -f2 |
        jq -Rsc 'split("\n")[:-1]')"
awk -F, 'NR == 1 || $1 == "b" || NR % 3' flows.csv >fewer.csv
leat_run compare --data fewer.csv --split 'side == "a"' --attributes host,port --order change --out jsonl --quiet
claim "changes of counts are those of awk" equal "$(jq -c '[.top[:8][] | [.change, .feature]]' "$out")" "$(awk -F, 'NR > 1 {
    d = $1 == "a" ? 1 : -1; n["host=" $2] += d; n["port=" $3] += d } END { for (f in n) print n[f], f }' fewer.csv |
    awk '{ print ($1 < 0 ? -$1 : $1), $0 }' | sort -k1,1rg -k3 | head -8 | jq -Rsc 'split("\n")[:-1] | map(split(" ") | [(.[1] | tonumber), .[2]])')"

# A sample that has all records: what rows cover and leave is exact, in amounts.
sums --set data=flows.csv --set budget=8MB --set order=share --set sign=positive --set k=3 --set min_count=20
claim "what rows cover is that of awk" sh -c '
    jq -r ".top[] | [.feature, .covered, .left] | map(tostring) | join(\" \")" '"$out"' >rows
    awk -F, "FILENAME == \"rows\" { split(\$0, w, \" \"); f[++n] = w[1]; c[n] = w[2]; l[n] = w[3]; next } FNR == 1 { next }
        { s[\$1] += \$4; for (i = 1; i <= n; i++) if (f[i] == \"host=\" \$2 || f[i] == \"port=\" \$3) break
          for (; i <= n; i++) u[i, \$1] += \$4 }
        END { q = s[\"a\"] / (s[\"a\"] + s[\"b\"])
            for (i = 1; i <= n; i++) { x = u[i, \"a\"] / s[\"a\"]; y = u[i, \"b\"] / s[\"b\"]; d = x - c[i]
                e = (1 - x) / (q * (1 - x) + (1 - q) * (1 - y)) - l[i]; bad += d * d > 1e-16 || e * e > 1e-16 }
            exit bad || n < 2 }" rows flows.csv'

# The bundled data. Text in quotation marks is taken out, as it has commas.
zstd -dc "$OLDPWD/pipelines/data/senate-disbursements.csv.zst" >senate.csv
leat_run explain senate.csv --filter 'amount >= 0' --outlier 'report == "113-sdoc17"' --attributes line_type,document,date_posted --edges "" --amount amount \
    --cross 1 --order support --k 30 --out jsonl --quiet
claim "sums of the bundled data are those of awk" sh -c 'sed "s/\"[^\"]*\"/q/g" senate.csv | awk -F, "NR > 1 && \$NF >= 0 {
        s[\"line_type=\" \$3] += \$NF; s[\"date_posted=\" \$6] += \$NF; s[\"document=\" \$5] += \$NF } END { for (f in s) printf \"%s\t%.12g\n\", f, s[f] }" | sort >exact
    jq -r ".top[] | [.feature, .amount] | @tsv" '"$out"' | sort | join -t "$(printf "\t")" exact - | awk -F"\t" "{ d = (\$2 - \$3) / \$2
        bad += d * d > 1e-18 } END { exit bad || NR < 20 }"'
leat_run explain senate.csv --metric amount --amount amount --filter 'amount >= 0' --quiet
claim "explain says what its figures are" grep -q 'apart, in sums of amount' "$out"

# Amounts that are none.
cat >bad.csv <<'CSV'
side,host,port,bytes
a,x,1,10
b,x,1,-5
a,x,1,
a,x,1,nan
b,x,1,much
b,y,1,0
a,y,1,1e30
CSV
sums --set data=bad.csv --summary bad.json
claim_exit "wrong amounts do not end the run" 0
claim_says "each wrong amount has a sentence" "bad.csv:3 " "column 'bytes': -5 is below 0" "bad.csv:4 " "is empty, and the record's amount" \
    "bad.csv:5 " "nan" "bad.csv:6 " "much" "bad.csv:8 " "set a larger amount_unit"
claim "they are counted, and an amount of 0 is learned" jq -e '.stages[] | select(.id == "model") | .rejected == 5 and .out == 2' bad.json
claim "their sums have no part of them" jq -e '[.top[] | select(.feature == "host=x" or .feature == "host=y").amount] | sort == [0, 10]' "$out"
awk 'BEGIN { print "side,host,port,bytes"; for (i = 0; i < 2000; i++) print (i % 2 ? "a" : "b") ",h,1,1000000" }' >large.csv
sums --set data=large.csv --set unit=1e-9
claim "a sum that is too large ends the run" test "$status" -ne 0
claim_says "and says what to do" "add up to more than" "set a larger amount_unit"
sums --set data=flows.csv --set unit=1000
claim_says "coarse units are told" "changed by more than 1 % when they were rounded to amount_unit = 1000"
sums --set data=flows.csv --set half_life=100
claim_says "amounts do not fade" "leave out half_life or amount"
sums --set data=flows.csv --set amount=byts
claim_says "a wrong column is named" "there is no column 'byts': did you mean 'bytes'?"
leat_run explain flows.csv --outlier 'side == "a"' --amount bytes --mode awm
claim_says "a mode that counts records is refused" "amount cannot be added up with" "leave one out"
naive flows.csv >naive
leat_run explain flows.csv --outlier 'side == "a"' --amount bytes --mode heavy_all --sign both --attributes host,port \
    --cross 1 --k 1000 --min-support 0 --min-count 1 --out jsonl --quiet
claim "the heaviest by amount are those of awk" sh -c 'jq -r ".top[] | [.feature, .weight, .amount, .support_outliers, .support_inliers,
    .relative_risk] | map(tostring) | join(\" \")" '"$out"' | sort | join naive - | awk "function off(x, y) { return (x - y) ^ 2 > 1e-18 * x ^ 2 + 1e-24 }
    { a = \$2; b = \$3; bad += off(a + b, \$7) + off(a + b, \$8) + off(a / \$5, \$9) + off(b / \$6, \$10)
      if (a > 0 && b > 0) bad += off(a / (a + b) / ((\$5 - a) / (\$5 - a + \$6 - b)), \$11) } END { exit bad || NR < 20 }"'
claim "and come in this order" jq -e '[.top[].weight] | . == (sort | reverse) and length > 20' "$out"

# One giant record, wherever it is, makes no row sure.
sure() { jq '[.top[] | select(.luck <= 0.05)] | length' "$out"; }
for side in a b; do
    awk -v side=$side 'BEGIN { srand(4); print "side,host,port,bytes"; for (i = 0; i < 3000; i++) print (rand() < .02 ? "a" : "b") ",h" \
        int(rand() * 40) "," int(rand() * 9) "," int(rand() * 100); print side ",h3,4,100000000" }' >giant.csv
    sums --set data=giant.csv
    claim "one giant record on side $side makes no row sure" equal "$(sure)" 0 # elsewhere
done
claim_says "that is said, with why and what to do" "the test of sums cannot tell, as it counts in largest records" \
    "one has the amount of $(awk -F, 'NR > 1 { s += $4; if ($4 > m) m = $4 } END { printf "%.3g", m / s * (NR - 1) }' giant.csv) mean" \
    "leave out amount to test counts, leave out the largest records"

rest_is_long

# Streams without any effect, whose amounts have heavy tails.
for seed in {1..120}; do
    awk -v seed="$seed" 'BEGIN { srand(seed); tail = .7 + seed % 5 * .3; rare = seed % 3 ? .5 : .05; print "side,host,port,bytes"
        for (i = 0; i < 3000; i++) print (rand() < rare ? "a" : "b") ",h" int(rand() * rand() * 60) "," int(rand() * 9) "," \
            int(10 * rand() ^ (-1 / tail)) % 1000000000 }' >null.csv
    sums --set data=null.csv --set min_count=20 --set cross=2
    sure
done >null
claim "of 120 streams without effect, fewer than one in twenty have a sure row" test "$(grep -vc '^0$' null)" -lt 6
# The label follows the amount, and no feature does.
for seed in {1..60}; do
    awk -v seed="$seed" 'BEGIN { srand(seed); print "side,host,port,bytes"
        for (i = 0; i < 3000; i++) { b = int(10 * rand() ^ -1); print (rand() < b / (b + 100) ? "a" : "b") ",h" int(rand() * rand() * 60) "," \
            int(rand() * 9) "," b } }' >null.csv
    sums --set data=null.csv --set min_count=20 --set cross=2
    sure
done >null
claim "nor if the label follows the amount" test "$(grep -vc '^0$' null)" -lt 3
done_claims
