# learn.contrast, and its features in sink.top, against independent counts by awk.
# tier: long (25 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# b and c say the same; d=9 is in the records of kind 0 alone.
awk 'BEGIN { srand(12); print "y,a,b,c,d"; for (i = 0; i < 20000; i++) { a = int(60 * rand() * rand());
    b = int(rand() * 40)
    y = rand() < .05 + (b == 3) * .8 + (a == 17) * .3; d = y ? int(rand() * 9) : int(rand() * 10)
    print y + 0 ",a" a ",b" b ",c" b ",d" d } }' >rows.csv
cat >rows.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "rows" { leat.source.file { "rows.csv" }, leat.parse.csv {}, leat.label.is { column = "y", positive = { "1" } },
  leat.feature.columns { columns = "a,b,c,d", cross = tonumber(a.cross), explode = true },
  leat.learn.contrast { id = "model", budget = a.budget, sign = a.sign or "both", half_life = a.half_life },
  leat.sink.top { k = tonumber(a.k) or 12, order = a.order, sign = a.sign, twins = a.twins, columns = a.columns, format = a.format or "jsonl" } }
LUA
rows() { leat_run run rows.lua --quiet "$@"; }
truth() { # FEATURE: outliers and others that have it, by awk
    awk -F, -v f="$1" 'NR > 1 { n[$1 + 0] += $2 == substr(f, 3) || $3 == substr(f, 3) || $4 == substr(f, 3) ||
        $5 == substr(f, 3) } END { print n[1] + 0, n[0] + 0 }' rows.csv
}
ones=$(grep -c ^1, rows.csv) zeros=$(grep -c ^0, rows.csv)

for budget in 1MB 2KB; do
    rows --set budget=$budget --set order=risk --set sign=positive --set k=200
    claim "$budget: rates, risks, ratios and counts lie within their bounds" sh \
        -c "jq -r '.top[] | [.feature, .relative_risk_low, .relative_risk_high, .ratio_low, .ratio_high, .count_low, .count_high, .rate_low, .rate_high, .rate, .base_rate] | @tsv' $out |
        awk -F'\t' -v P=$ones -v Q=$zeros 'function off(x, low, high) { return x < low * (1 - 1e-9) || x > high * (1 + 1e-9) }
            NR == FNR { split(\$0, c, \",\"); if (FNR > 1) { n[\"a=\" c[2], c[1]]++; n[\"b=\" c[3], c[1]]++; n[\"c=\" c[4], c[1]]++; n[\"d=\" c[5], c[1]]++ } next }
            { p = n[\$1, 1] + 0; q = n[\$1, 0] + 0; rows++; wrong += off(p + q, \$6, \$7) + off(p / (p + q), \$8, \$9)
              wrong += (\$8 == \$9 && off(p / (p + q), \$10, \$10)) + off(P / (P + Q), \$11, \$11)
              if (p && q) wrong += off(p / (p + q) / ((P - p) / (P + Q - p - q)), \$2, \$3) + off(p / P / (q / Q), \$4, \$5) }
            END { exit wrong || rows < 10 }' rows.csv -"
done

rows --set order=risk --set sign=positive
claim "features of the same records share a row" jq -e '.top[0] | .feature == "b=b3" and .also == "c=c3" and .twins ==
    1 or .feature == "c=c3" and .also == "b=b3" and .twins == 1' "$out"
claim "what rows cover together lies within its bounds" sh \
    -c "jq -r '.top[] | [.feature, .covered_low, .covered_high] | @tsv' $out |
    awk -F'\t' -v P=$ones 'NR == FNR { if (FNR > 1 && substr(\$0, 1, 1) == 1) row[++n] = \$0; next }
        { split(\$1, f, \"=\"); for (i = 1; i <= n; i++) if (!seen[i] && index(row[i] \",\", \",\" f[2] \",\")) { seen[i] = 1; covered++ }
          rows++; if (covered / P < \$2 - 1e-9 || covered / P > \$3 + 1e-9) wrong++ }
        END { exit wrong || rows < 10 }' rows.csv -"
claim "positive: no ratio is below 1" jq -e 'all(.top[]; .ratio_high >= 1)' "$out"
rows --set order=risk --set sign=positive --set twins=apart
claim "apart they have a row each" jq -e '[.top[0, 1].feature] | sort == ["b=b3", "c=c3"]' "$out"
rows --set order=risk --set sign=positive --set cross=2
claim "the shortest of them stands for the others" jq -e '.top[0] | (.feature | test("&") | not) and (.also |
    test("&"))' "$out"
rows --set order=risk --set sign=both
claim "both: what sets the others apart is shown, too" jq -e '[.top[] | select(.feature == "d=d9")] | length == 1 and
    .[0].ratio_high < 0.1' "$out"
for order in support share; do
    rows --set order=$order --set sign=both
    claim "order = $order: the most frequent come first" jq -e --arg by $order \
        '[.top[] | if $by == "share" then .support_outliers_low else .count_low end] | . == (sort | reverse)' "$out"
done
rows --set order=share --set sign=both --set k=1
read -r p q <<<"$(truth "$(jq -r '.top[0].feature' "$out")")"
claim "and a share is that of the outliers" jq -e --argjson p "$p" --argjson n "$ones" \
    '.top[0].support_outliers - $p / $n | fabs < 1e-9' "$out"
rows --set order=risk --set sign=positive --set format=table --set budget=1KB --set cross=2 \
    --set columns=relative_risk,count
claim "a table has the columns that are asked for" grep -qE '^ *# +relative risk +count +feature' "$out"
claim "and ranges where counts are not known exactly" grep -qE ' [0-9.,]+–[0-9.,]+ ' "$out"
claim "and none of luck" sh -c "! head -2 '$out' | grep -q luck"
rows --set order=risk --set sign=positive --set format=table --set k=500
claim "where rows may be no more than chance it says which" grep -qE '^ *# .* luck +feature' "$out"
rows --set format=table --set k=1 --set sign=positive
claim "and not where none is" sh -c "sed -n 2p '$out' | grep -q 'left *feature'"
awk 'BEGIN { srand(4); print "y,a,b,c,d"; for (i = 0; i < 20000; i++) { a = int(rand() * 100)
    print (rand() < (a == 7 ? .5 : .05)) ",a" a ",b" int(rand() * 80) ",c" int(rand() * 60) ",d" } }' >one.csv
sed 's/rows.csv/one.csv/' rows.lua >one.lua
for order in risk weight; do
    leat_run run one.lua --quiet --set order=$order --set sign=positive --set cross=2 --set k=50 --set budget=8MB
    claim "order = $order: no row that may be luck is above one that is not" jq -e '[.top[].luck > 0.05] | . == sort and
        any' "$out"
    claim "so the planted attribute is in the first" jq -e '.top[0].feature | test("a=a7($| )")' "$out"
done
rows --set columns=risk
claim_exit "a column that there is not ends the run" 2
claim_says "by name" "has no column 'risk'"
leat_run check rows.lua --set columns=suport_outliers,count
claim_exit "check refuses it before the run" 2
claim_says "with what is meant" \
    "top (sink.top): columns: model (learn.contrast) has no column 'suport_outliers': did you mean 'support_outliers'? (columns: weight, rate, relative_risk, ratio,"
leat_run check rows.lua --set columns=ratio_low
claim_says "the ends of a range come with it" "has no column 'ratio_low': did you mean 'ratio'?"
rows --set format=table --set columns="support_outliers=in B,count"
claim "a column may have another heading" grep -qE '^ *# +in B +count +feature' "$out"
rows --set columns="support_outliers=in B"
claim "of tables alone" jq -e '.top[0] | has("support_outliers") and (has("count") | not)' "$out"
awk 'BEGIN { print "y,x"; for (i = 0; i < 500; i++) print i % 2 "," (i < 60 ? "once" i : "often" int(i / 2) % 10) }' \
    >few.csv
for half in 0 1e8; do
    cat >few.lua <<LUA
local leat = require "leat"
return leat.pipeline "few" { leat.source.file { path = "few.csv" }, leat.parse.csv {}, leat.label.is { column = "y", positive = "1" },
  leat.feature.columns { "x" }, leat.learn.contrast { half_life = $half }, leat.sink.top {} }
LUA
    leat_run run few.lua
    claim_says "half_life = $half: what came once is among what luck could show" \
        "no row is surely more than chance: of 70 features"
done
rows --set half_life=1000 --set order=risk --set sign=positive
claim "with a half-life nothing is said of what rows cover and leave" jq -e 'all(.top[]; .covered == null and .left ==
    null)' "$out"
leat_run run rows.lua --set budget=1KB --set cross=2
claim_says "a model that is too small is told of, with the budget that would do" "are kept" "budget = "
rows --set budget=63
claim_exit "a budget that holds nothing is refused" 2
leat_run run rows.lua --set budget=2KB --set k=500 --progress never
claim_says "a k above what is kept is told" \
    "a later stage asks for 500 features and budget has room for 37: raise budget, or lower that stage's k"

# ---- ratios that rest on a count of 0 ----
awk 'BEGIN { print "side,x"; for (i = 0; i < 3000; i++) { side = i % 3 ? "b" : "a"
    print side "," (i % 7 == 1 ? "only " side : i % 5 ? "x" i % 4 : side i % 2) } }' >none.csv
none() { leat_run compare --data none.csv --split 'side == "a"' --attributes x --order support --quiet "$@"; }
none --out jsonl
jq -r '.top[] | (if .support_outliers == 0 then "<" elif .support_inliers == 0 then ">" else "" end) + " " + .feature' \
    "$out" >marks
none
sed "1,2d" "$out" | awk '{ m = $2 ~ /^[<>]$/ ? $2 : ""; sub(/.* x=/, "x="); print m " " $0 }' >shown
claim "some rows have such a ratio, and some none" eval "grep -q '^[<>] ' marks && grep -q '^ x=' marks"
claim "a ratio of a count of 0 is shown as a bound" cmp shown marks

# A risk is one of outliers with and without the feature: infinite if all have it, 0 if none has.
awk 'BEGIN { print "bad,x"; for (i = 0; i < 700; i++) print (i % 7 == 3) "," (i % 7 == 3 ? "all" : "x" i % 7) }' >risk.csv
awk 'BEGIN { print "bad,x"; for (i = 0; i < 700; i++) print (i % 7 == 3) "," (i % 7 == 3 && i > 9 ? "most" : "x" i % 6) }' >some.csv
leat_run explain risk.csv --outlier bad==1 --attributes x --order risk --quiet
claim "a risk without an outlier among the others is shown as a bound" grep -qE '^1 +100\.0 % +> [0-9]+\.[0-9]+ .* x=all *$' "$out"
leat_run explain some.csv --outlier bad==1 --attributes x --order risk --quiet
claim "one with an outlier there is a number" grep -qE '^1 +100\.0 % +[0-9.]+ .* x=most *$' "$out"
cat >exact.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "exact" { leat.source.file { "risk.csv" }, leat.parse.csv {}, leat.label.is { column = "bad", positive = { "1" } },
  leat.feature.columns { "x" }, leat.learn.frequent {}, leat.sink.top { k = 3 } }
LUA
leat_run run exact.lua --quiet
claim "so in other tables, and one without outliers is below a bound" equal "$(grep -cE '^1 .* > [0-9,.]+ .* x=all$|^[23] .* < 0\.0[0-9]+ .* x=x[0-9]$' \
    "$out")" 3

# ---- luck, asked again and again ----
cat >looks.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "looks" { leat.source.file { leat.args.d }, leat.parse.csv {}, leat.label.is { column = "bad", positive = "1" },
  leat.feature.columns { "a", "b", "c", explode = true }, leat.learn.contrast { id = "m" },
  leat.tee { { leat.sink.top { k = 10, every = leat.args.every, format = "jsonl", order = "risk", min_count = 20,
      max_luck = leat.args.most } },
    { leat.result.changes { every = "1500", order = "risk", min_count = 20, max_luck = 0.05, final = false },
      leat.sink.file { path = "changes.csv", format = "csv", columns = { "feature" } } } }, batch_rows = 250 }
LUA
looks() { leat_run run looks.lua --quiet --set d="$1" "${@:2}"; }
awk 'BEGIN { srand(9); print "bad,a,b,c"; for (i = 0; i < 20000; i++) { a = rand() < .01 ? "x" : int(rand() * 50)
    print (rand() < (a == "x" ? .3 : .1)) "," a "," int(rand() * 50) "," int(rand() * 50) } }' >real.csv
looks real.csv --set every=500
claim "a factor of 3 in one of a hundred is named, also as a change" grep -qx '"\?a=x"\?' changes.csv
once=$(looks real.csv; jq '.top[] | select(.feature == "a=x").luck' "$out")
often=$(looks real.csv --set every=500; tail -n 1 "$out" | jq '.top[] | select(.feature == "a=x").luck')
claim "asked once it is surer" jq -ne "$once < $often and $often < 0.05"
looks real.csv --set most=0.05
claim "max_luck leaves out the others" jq -e '[.top[].feature] == ["a=x"]' "$out"

# The hashes of these two values of c fold to the same 32 bits.
awk 'BEGIN { print "y,c"; for (i = 0; i < 6000; i++)
    print (i % 11 == 0) "," (i % 3 == 0 ? 76182 : i % 5 == 1 ? 173718 : i % 7) }' >fold.csv
leat_run explain fold.csv --outlier 'y == 1' --attributes c --edges '' --sign both --order support --out jsonl --quiet
for value in 76182 173718; do
    claim "c=$value is counted apart from one with the same fold" equal \
        "$(jq -c ".top[] | select(.feature == \"c=$value\") | [.count, .count_low, .count_high]" "$out")" \
        "$(awk -F, -v c=$value '$2 == c { n++ } END { printf "[%d,%d,%d]", n, n, n }' fold.csv)"
done

# Two runs whose outliers have the same numbers: those of one are not those of the other.
for user in anna carl; do
    awk -v user=$user 'BEGIN { srand(1); print "user,bad"; for (i = 0; i < 4000; i++)
        print (i % 40 ? "x" int(rand() * 5) : user) "," (i % 40 == 0 || rand() < .05) }' >$user.csv
    leat_run explain $user.csv --outlier 'bad == 1' --attributes user --state of_$user --quiet
done
leat_run model merge both of_anna of_carl
leat_run model top both --set order=risk --set sign=positive --format csv
claim "attributes of two merged runs are no twins" equal "$(grep -oE "user=(anna|carl),[^,]*" "$out" | sort | paste -sd" ")" \
    'user=anna,"" user=carl,""'

# A name that a row has no room for.
{ echo y,c && for i in {1..40}; do printf '%d,%s\n' $((i % 2)) "$(printf 'é%.0s' {1..300})$((i % 4 == 0))"; done; } >long.csv
leat_run explain long.csv --outlier 'y == 1' --attributes c --name-bytes 2000 --sign both --min-count 1 \
    --order support --out jsonl --quiet
claim "a longer name than a row has room for is cut visibly, between characters" jq -e '.top[0].feature | endswith("é…")' "$out"

rest_is_long

# Forty streams without any effect, each asked 80 times: with Fisher's test 16 named a feature.
null() { awk -v seed="$1" 'BEGIN { srand(seed); print "bad,a,b,c"; for (i = 0; i < 40000; i++)
    print (rand() < .1) "," int(rand() * 50) "," int(rand() * 50) "," int(rand() * 50) }'; }
named() { jq -se 'any(.[].top[]; .luck <= 0.05)' "$out"; }
for seed in {1..40}; do
    null "$seed" >null.csv
    looks null.csv --set every=500
    named
    wc -l <changes.csv
done >named
claim "of streams without an effect, asked 80 times, hardly one names a feature" below "$(grep -c true named)" 3
claim "nor do changes that ask for luck" below "$(grep -c '^[2-9]' named)" 3
done_claims
