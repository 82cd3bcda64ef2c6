# Averages of weights with their spread: planted weights, order, states, merges, threads, missing targets.
. "$(dirname "$0")/../support/claims.sh"
near() { awk -v x="$1" -v want="$2" -v by="$3" 'BEGIN { exit !(x > want - by && x < want + by) }' ||
    { echo "$1 is not near $2"; return 1; }; }

# Coins a, b and c decide: the log odds of "yes" are -1 + 1.5 a - b + .4 c, and y is 5 + 3 a - 2 b + .7 x and noise.
awk 'BEGIN { srand(17); print "a,b,c,x,label,y,rare"; for (i = 0; i < 30000; i++) { a = rand() < .5; b = rand() < .3
    c = rand() < .4; x = 10 * rand(); p = 1 / (1 + exp(1 - 1.5 * a + b - .4 * c))
    printf "%s,%s,%s,%.3f,%s,%.4f,%s\n", a ? "t" : "", b ? "t" : "", c ? "t" : "", x, rand() < p ? "yes" : "no",
        5 + 3 * a - 2 * b + .7 * x + 4 * (rand() - .5), i % 1000 == 7 ? "t" : "" } }' >"$tmp/coins.csv"
coins=(--quiet --out jsonl --figures none --attributes a,b,c,rare)
classify() { leat_run classify "$tmp/coins.csv" "${coins[@]}" --label label --positive yes "$@"; }
regress() { leat_run regress "$tmp/coins.csv" "${coins[@]}" --target y --numbers x "$@"; }
of() { jq --arg f "$1" ".top[] | select(.feature == \$f).$2" "$out"; }
# holds FEATURE TRUTH: the interval holds the truth, and says something.
holds() { awk -v w="$(of "$1" weight)" -v s="$(of "$1" spread)" -v t="$2" 'BEGIN { d = w - t
    exit !(s > 0 && s < .2 && d < 2 * s && d > -2 * s) }' ||
    { echo "$1 is $(of "$1" weight) with the spread $(of "$1" spread)"; return 1; }; }
for learner in awm logistic truncation; do
    classify --learner $learner
    claim "$learner: the average of a is near the planted log odds" holds a=t 1.5
    claim "$learner: that of b" holds b=t -1
    claim "$learner: that of c" holds c=t 0.4
    claim "$learner: a feature of few records has no spread" equal "$(of rare=t spread)" null
done
average=$(of a=t weight)
classify --truncation.averaged false --learner truncation
claim "the last weight is another" sh -c "[ '$average' != '$(of a=t weight)' ] && [ '$(of a=t spread)' = null ]"
claim "without averages no spread is a column" equal "$(jq -c '.top[0] | keys' "$out")" '["feature","weight"]'
for learner in bias sftrl; do
    regress --learner $learner
    claim "$learner: a raises the number as planted" holds a=t 3
    claim "$learner: b lowers it" holds b=t -2
    claim "$learner: so does a number" holds x 0.7
done
cat >"$tmp/p.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "p" {
  leat.source.file { leat.args.data }, leat.parse.csv {}, leat.label.is { "label", positive = "yes" },
  leat.feature.columns { "a", "b", "c", "rare" }, leat.learn.awm { averaged = true }, leat.sink.top { format = "jsonl" },
  threads = tonumber(leat.args.threads),
}
LUA
# The noise of y has a standard deviation of 1.1547. Sorted, the last weights are better.
rmse() { leat_run regress "$@" --quiet --target y --numbers x --attributes a,b --figures none --summary "$tmp/s.json"
    jq '.stages[] | select(.id == "bias").metrics.rmse_last' "$tmp/s.json"; }
better=$(rmse "$tmp/coins.csv")
claim "regress errs hardly more than the noise" below "$better" 1.17
claim "the last weights err more" below "$better" "$(rmse "$tmp/coins.csv" --bias.predicts last)"
(head -1 "$tmp/coins.csv" && sed 1d "$tmp/coins.csv" | sort -s -t, -k6,6g) >"$tmp/sorted.csv"
claim "but not in a file in order, where they predict" equal "$(rmse "$tmp/sorted.csv")" \
    "$(rmse "$tmp/sorted.csv" --bias.predicts last)"
sed 's/label.is.*}/label.number { "y" }/; s/learn.awm.*}, leat.sink/learn.bias { predicts = "better" }, leat.sink/' "$tmp/p.lua" \
    >"$tmp/b.lua"
leat_run check "$tmp/b.lua" --set data="$tmp/coins.csv"
claim_says "there is nothing better without averages" 'predicts: "better" needs averaged = true'
leat_run classify "$tmp/coins.csv" "${coins[@]/jsonl/csv}" --label label --positive yes --figures none
claim "CSV has the column" equal "$(head -1 "$out")" "learner,examples,rank,feature,weight,spread"
leat_run classify "$tmp/coins.csv" --quiet --label label --positive yes --attributes a,b,c
claim "the title says which weights they are" grep -q "^Heaviest features, averaged over the records (awm" "$out"
leat_run classify "$tmp/coins.csv" --quiet --label label --positive yes --attributes a,b,c --awm.half_life 1000
claim "with a half-life they are the last ones" grep -q "^Heaviest features after the last record (awm" "$out"
claim "which have no spread" sh -c "! grep -q spread '$out'"
classify --awm.half_life 1000 --awm.averaged true
claim_exit "both together are a mistake" 2
claim_says "which says what to do" "averaged: an average over all records would show what half_life forgets: leave one of them"
classify --k 3 --report "$tmp/page.html"
claim "the page shows the averages" grep -q "averaged over the records" "$tmp/page.html"

# The same bytes on any threads, after a restart, and from a state.
for threads in 1 3; do
    leat_run run "$tmp/p.lua" --quiet --set data="$tmp/coins.csv" --set threads=$threads
    cp "$out" "$tmp/on$threads"
done
claim "three threads give the same bytes" cmp "$tmp/on1" "$tmp/on3"
classify
cp "$out" "$tmp/one"
head -12001 "$tmp/coins.csv" >"$tmp/grow.csv"
grow() { leat_run classify "$tmp/grow.csv" "${coins[@]}" --label label --positive yes --state "$tmp/state"; }
grow
cp "$tmp/coins.csv" "$tmp/grow.csv"
grow
claim "a run that continues ends with the averages of one run" equal "$(jq -c .top "$out")" "$(jq -c .top "$tmp/one")"
leat_run model top "$tmp/state" --format jsonl
claim "and a model shows them without the data" equal "$(jq -c '[.top[] | [.feature, .spread]]' "$out")" \
    "$(jq -c '[.top[] | [.feature, .spread]]' "$tmp/one")"

# A merge of two halves: the mean of both, with a spread as of one run over both.
for half in 0 1; do
    awk -v h=$half 'NR == 1 || NR % 2 == h' "$tmp/coins.csv" >"$tmp/half.csv"
    leat_run classify "$tmp/half.csv" "${coins[@]}" --label label --positive yes --state "$tmp/half$half"
    of a=t weight >"$tmp/weight$half"
done
leat_run model merge "$tmp/both" "$tmp/half0" "$tmp/half1"
leat_run model top "$tmp/both" --format jsonl
claim "a merge has the mean of both" near "$(of a=t weight)" "$(cat "$tmp"/weight? | awk '{ s += $1 / 2 } END { print s }')" \
    0.001
claim "and an interval that holds the planted weight" holds a=t 1.5
claim "JSON has the number of models" equal "$(jq .merged_models "$out")" 2

# Last weights: only a merge has a spread, which tells how far its parts differ.
for half in 0 1; do
    awk -v h=$half 'NR == 1 || NR % 2 == h' "$tmp/coins.csv" >"$tmp/half.csv"
    leat_run classify "$tmp/half.csv" "${coins[@]}" --label label --positive yes --awm.averaged false --state "$tmp/last$half"
done
leat_run model top "$tmp/last0" --format jsonl
claim "one model has none" equal "$(jq -c '[has("merged_models"), (.top[0] | keys)]' "$out")" '[false,["feature","weight"]]'
leat_run model merge "$tmp/last" "$tmp/last0" "$tmp/last1"
leat_run model top "$tmp/last" --format jsonl
claim "merged, a weight has one" sh -c "jq -e '.merged_models == 2 and .top[0].spread > 0 and .top[0].spread < .3' '$out'"
leat_run model top "$tmp/last" --format csv
claim "CSV has it last" equal "$(head -1 "$out")" "learner,examples,rank,feature,weight,spread"
leat_run model top "$tmp/last"
claim "so does a table" grep -q "^ *# *weight *spread *feature" "$out"
claim "whose title has the number of models" grep -q ", 30,000 .*, 2 models merged)" "$out"

# In order: all with "yes" last. Both the table's run and the page warn.
(head -1 "$tmp/coins.csv" && sed 1d "$tmp/coins.csv" | sort -s -t, -k1,1) >"$tmp/sorted.csv"
leat_run classify "$tmp/sorted.csv" --quiet --label label --positive yes --attributes a,b,c --report "$tmp/page.html"
claim_says "in a file in order the run warns" "the records are in an order: a=t comes in one block" "--shuffle true"
claim "and the page" grep -q "the records are in an order" "$tmp/page.html"
claim "constant has its last fifth" grep -Eq "^constant +- +- +0\.[0-9]+ +0\.[0-9]+ " "$out"
classify --shuffle
claim "in a random order the interval holds the truth" holds a=t 1.5
claim "and nothing is said" sh -c "! grep -q 'in an order' '$err'"

# A missing target.
awk -F, -v OFS=, 'NR > 1 && NR % 10 == 0 { $5 = $6 = "" } 1' "$tmp/coins.csv" >"$tmp/gaps.csv"
gaps=$(awk -F, 'NR > 1 && $6 == ""' "$tmp/gaps.csv" | wc -l)
left() { jq -c '[.rejected, ([.stages[].metrics.without_value | values] | add)]' "$tmp/s.json"; }
leat_run regress "$tmp/gaps.csv" --quiet --target y --numbers x --summary "$tmp/s.json"
claim_says "a record without a target is left out, in one sentence" \
    "$gaps of 30000 records have no value in column 'y' and were left out"
claim "none is rejected" equal "$(left)" "[0,$gaps]"
claim "nor named one by one" equal "$(grep -c "'y'" "$err")" 1
for what in "--positive yes" "--classes yes,no"; do
    # shellcheck disable=SC2086
    leat_run classify "$tmp/gaps.csv" --quiet --label label $what --attributes a,b --summary "$tmp/s.json"
    claim_says "nor with $what" "$gaps of 30000 records have no value in column 'label' and were left out"
    claim "which is counted" equal "$(left)" "[0,$gaps]"
done
done_claims
