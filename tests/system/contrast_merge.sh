# Merges of learn.contrast: the same bytes in any order and by any tree, and counts within their bounds.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# Attributes of very different frequency, so that few of them fit 2 kB; m is an amount.
awk 'BEGIN { srand(5); for (i = 0; i < 24000; i++) { a = int(4000 * rand() ^ 5); b = int(90 * rand() ^ 2)
    print (rand() < .05 + (b == 3) * .5) ",a" a ",b" b "," int(100 * rand()) / 4 } }' >all
split -n l/6 -d -a1 all s.
head -0 all >s.6 # an empty split
cat >learn.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "learn" { leat.source.file { a.data }, leat.parse.csv { columns = "y,a,b,m", header = false },
  leat.label.is { column = "y", positive = { "1" } }, leat.feature.columns { columns = "a,b", explode = true },
  leat.learn.contrast { id = "model", budget = a.budget, amount = a.amount, amount_unit = a.unit, sign = "both" }, leat.sink.top { k = 3 } }
LUA
learn() { # STATE DATA…
    leat_run run learn.lua --quiet --progress never --every 0 --state "$1" --set data="$2" "${@:3}"
}
merge() { leat_run model merge "$@"; }
model_of() { "$LEAT" model dump "$1" --stage model | grep '"section":"stage/model/0"'; }
top() { leat_run model top "$1" --format jsonl --k 5000 --set min_count=1 --set min_support=0 --set sign=both; }
# Prints how many rows of the last answer have bounds that lack the count in the files, and how many have bounds.
outside() {
    jq -r '.top[] | [.feature, .count_low, .count_high] | @tsv' "$out" | awk -F'\t' '
        FILENAME != "-" { split($0, c, ","); n["a=" c[2]]++; n["b=" c[3]]++; next }
        { wrong += n[$1] < $2 || n[$1] > $3; wide += $3 > $2 } END { print wrong + 0, wide + 0 }' "$@" -
}

for what in "2KB" "2KB m" "1MB"; do
    read -r budget amount <<<"$what"
    rm -rf st m both && mkdir st m
    for i in 0 1 2 3 4 5 6; do
        learn st/$i s.$i --set budget="$budget" ${amount:+--set amount="$amount"}
    done
    merge m/flat st/0 st/1 st/2 st/3 st/4 st/5 st/6
    claim_exit "$what: seven states are merged" 0
    merge m/back st/6 st/5 st/4 st/3 st/2 st/1 st/0
    merge m/03 st/0 st/3 && merge m/51 st/5 st/1 && merge m/0351 m/51 m/03 && merge m/42 st/4 st/2
    merge m/tree m/42 st/6 m/0351
    model_of m/flat >flat
    for other in back tree; do
        model_of m/$other >other
        claim "$what: the model has the same bytes: $other" sh -c "test -s flat && cmp flat other"
    done
    top m/flat
    read -r wrong wide < <(outside all)
    claim "$what: each count lies within its bounds" test "$wrong" = 0
    claim "$what: counts have bounds exactly if features had to leave" \
        test "$((wide > 0))" = "$([[ $budget == 1MB ]] && echo 0 || echo 1)"
done
claim "where none left, it has all features" test "$(jq '.top | length' "$out")" = \
    "$(awk -F, '{ print $2; print $3 }' all | sort -u | wc -l)"

# ---- a run that continues from a merged state ----
learn st/a s.0 --set budget=2KB
learn st/b s.1 --set budget=2KB
merge both/ st/a st/b
top both
claim "a merged state has more features than its parts have room for" jq -e '.top | length > 37' "$out"
head -0 all >more
learn both more --set budget=2KB --reset file
claim_exit "a run continues from it" 0
model_of both >before && merge m/ab st/a st/b && model_of m/ab >after
claim "without new records the state stays as it is" cmp before after
cat s.2 >>more
learn both more --set budget=2KB --reset file
claim_says "with some, it has room for what fits the budget" "features of the merged state 37 are kept"
top both
read -r wrong wide < <(outside s.0 s.1 s.2)
claim "and counts within its bounds" test "$wrong/$(jq '.top | length' "$out")" = 0/37
learn st/c s.2 --set budget=4KB
merge m/no st/a st/c
claim_says "models of other budgets do not merge" "budget is"

# ---- weights ----
sed 's/learn.contrast.*sign = "both" }/learn.frequent { id = "model", amount = a.amount, amount_unit = a.unit }/' learn.lua >frequent.lua
for i in 0 1; do
    learn st/w$i s.$i --set budget=1MB --set amount=m --set unit=1e-9
    leat_run run frequent.lua --quiet --progress never --every 0 --state st/f$i --set data=s.$i \
        --set amount=m --set unit=1e-9
done
merge m/half st/w0 st/w1 --weight 1 --weight 0.5
top m/half
claim "a state of half weight is read" jq -e '.top | length > 37' "$out"
for learner in w f; do
    merge m/heavy st/${learner}0 st/${learner}1 --weight 1 --weight 1e5
    claim_says "amounts that no sum holds are refused" "the amounts of column 'm' add up to more than 1.15292e+09" \
        "with amount_unit = 1e-09" "learn all of them with a larger amount_unit"
done
done_claims
