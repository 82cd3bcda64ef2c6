# leat model diff: changes beyond chance, against counts by awk.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >two.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "two" {
  leat.source.file { path = leat.args.data }, leat.parse.csv {},
  leat.label.is { column = "y", positive = "yes" }, leat.feature.columns { "x" },
  leat.tee { { leat.learn.contrast { id = "counts", budget = leat.args.budget or "1MB", sign = "both" }, leat.sink.null {} },
    { leat.learn.logistic { id = "weights" }, leat.sink.null {} } } }
LUA
# 60 values; of the records with x7 more are positive in b, with x8 fewer; x_old and x_new are in one only.
# What a model lacks came there at most as often as the rarest that it has: x_rare.
rows() { awk -v seed="$1" -v b="$2" 'BEGIN { srand(seed); print "y,x"
    for (i = 0; i < 20000; i++) { x = "x" int(rand() * 60); p = .3; if (b && x == "x7") p = .55; if (b &&
    x == "x8") p = .1
        if (rand() < .004) x = b ? "x_new" : "x_old"; if (i % 4000 == 7) x = "x_rare";
        print (rand() < p ? "yes" : "no") "," x } }'; }
rows 1 0 >a.csv
rows 2 1 >b.csv
rows 3 0 >c.csv
for one in a b c; do leat_run run two.lua --set data=$one.csv --state $one --quiet; done
leat_run model diff a b --k 1000 --json
claim_exit "two models differ" 0
# z by its definition, from the records.
awk -F, 'FNR == 1 { f++; next } { n[f]++; c[f, $2]++; x[$2]; if ($1 == "yes") { P[f]++; a[f, $2]++ } }
    function L(f, v,   N) { N = n[f] - P[f]; return log(a[f, v] / P[f]) - log((c[f, v] - a[f, v]) / N) }
    function S(f, v,   N) { N = n[f] - P[f]; return 1 / (a[f, v] + .5) - 1 / (P[f] + .5) + 1 / (c[f, v] - a[f,
    v] + .5) - 1 / (N + .5) }
    END { for (v in x) if (c[1, v] && c[2, v]) printf "x=%s %.6f\n", v, (L(2, v) - L(1, v)) / sqrt(S(1, v) + S(2,
    v)) }' a.csv b.csv | sort >wanted
jq -r '.moved[] | select(.what == "rose" or .what == "fell") | "\(.feature) \(.z)"' "$out" | sort |
    awk '{ printf "%s %.6f\n", $1, $2 }' >found
alike() { join wanted found | awk '{ d = $2 - $3; bad += d * d > 1e-8 } END { print NR " compared, " bad + 0 " differ";
    exit !(NR == 61 && !bad) }'; }
claim "z is that of the counts" alike
claim "what is said is its sign" jq -e 'all(.moved[]; (.what == "rose") == (.z > 0 and .a != null and .b != null) or
    .what == "new")' "$out"
claim "significant are those that were made to differ" equal "$(jq -c '[.moved[] | select(.significant) | [.feature,
    .what]] | sort' "$out")" \
    '[["x=x7","rose"],["x=x8","fell"],["x=x_new","new"],["x=x_old","gone"]]'
claim "the most certain is first" jq -e '[.moved[] | [.p, -(.z | fabs)]] | . == sort' "$out"
claim "p is the tail of the normal distribution" jq -e '[.moved[] | select(.p < 1 and (.z | fabs) > 1.9 and (.z | fabs) < 2.1)] |
    all(.[]; .p > 0.035 and .p < 0.058)' "$out"
claim "of weights no significance is known" equal "$(jq -c .unknown "$out")" '["weights"]'
leat_run model diff a c --json
claim "without a difference nothing is significant but what only one has" equal "$(jq -c '[.moved[] |
    select(.significant) | .feature]' "$out")" '[]'
leat_run model diff a b
claim "for people, too" test "$(sed -n '/^features that rose/,/^$/p' "$out" | grep -cE '^(rose|fell|new|gone) ')" = 4
leat_run model diff a b --k 3
claim "what there is no room for is counted" grep -q '^and 1 more: --k N shows N, --json all$' "$out"
claim "JSON has all" equal "$("$LEAT" model diff a b --json | jq '(.moved | length) > 60 and .more == 0')" true
leat_run model diff a b
claim "and of which learners nothing is known" grep -q '^significance is not known.*: weights$' "$out"

# Of features with few records nothing is claimed: all outliers of a small file have one by chance, or none has one.
awk 'BEGIN { print "y,x"; for (i = 0; i < 60; i++) print (i == 4 || i == 8) ",x" i % 2 }' >few.csv
awk 'BEGIN { srand(5); print "y,x"; for (i = 0; i < 20000; i++)
    print (rand() < .05) ",x" int(rand() * 2) }' >many.csv
sed 's/"yes"/"1"/' two.lua >few.lua
for one in few many; do leat_run run few.lua --set data=$one.csv --state $one --quiet; done
leat_run model diff few many --json
claim "of few records nothing is claimed" equal "$(jq -c '[.moved[] | select(.significant) | .feature]' "$out")" '[]'
claim "though figures differ much" jq -e 'any(.moved[]; (.z | fabs) > 3.5 and .p == 1)' "$out"
# A budget that is too small gives bounds that are wide: nothing is claimed that they do not allow.
for one in a b; do leat_run run two.lua --set data=$one.csv --set budget=1KB --state small$one --quiet; done
leat_run model diff smalla smallb --k 1000 --json
bounded() { jq -r '.moved[] | select(.what == "rose" or .what == "fell") | "\(.feature) \(.z)"' "$out" | sort |
    join wanted - | awk '{ if ($3 * $3 > $2 * $2 * 1.2 + .5) bad++ } END { print bad + 0; exit bad > 0 }'; }
claim "bounds make it cautious" bounded
leat_run model diff smalla smallb
claim "which it says, with what to do" grep -q '^features were dropped, .*are left out (raise the budget to keep more): counts$' "$out"
claim "a model does not differ from itself" equal "$("$LEAT" model diff a a --json |
    jq -c '[.moved[] | select(.z != 0)]')" '[]'

# ---- pairs of elements have one name, in whatever order they come ----
cat >tags.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "tags" {
  leat.source.file { path = leat.args.data }, leat.parse.csv {}, leat.label.is { column = "y", positive = "1" },
  leat.tee {
    { leat.feature.columns { each = { "tags" }, separator = ";", cross = 3, explode = true }, leat.learn.contrast { id = "of", sign = "both" }, leat.sink.null {} },
    { leat.feature.tokens { column = "text" }, leat.feature.pairs {}, leat.learn.awm { id = "near" }, leat.sink.null {} } } }
LUA
tags() { awk -v seed="$1" 'BEGIN { srand(seed); split("b aa a c", t, " "); print "y,tags,text"
    for (i = 0; i < 4000; i++) { for (k = 1; k <= 4; k++) { j = int(1 + rand() * 4); x = t[k]; t[k] = t[j]; t[j] = x }
        print (rand() < .3) "," t[1] ";" t[2] ";" t[3] "," t[1] " " t[2] " " t[3] } }'; }
for one in 1 2; do
    tags $one >tags$one.csv
    leat_run run tags.lua --set data=tags$one.csv --state tags$one --quiet
done
leat_run model diff tags1 tags2 --k 1000 --json
claim "nothing is new or gone where both have all pairs" equal "$(jq -c '[.moved[] | select(.what == "new" or .what ==
    "gone" or .significant).feature]' "$out")" '[]'
claim "nor has only one a weight of it" equal "$(jq -c '[.features[] | select(.a == null or .b == null).feature]' \
    "$out")" '[]'
claim "names are in alphabetical order" equal "$("$LEAT" model top tags2 --stage of --k 100 --format csv | cut -d, -f4 |
    grep -E 'a & |aa & ' | sort | paste -sd'|')" \
    "tags=a & tags=aa|tags=a & tags=aa & tags=b|tags=a & tags=aa & tags=c|tags=a & tags=b|tags=a & tags=b & tags=c|tags=a & tags=c|tags=aa & tags=b|tags=aa & tags=b & tags=c|tags=aa & tags=c"
done_claims
