# Merges of models whose labels followed the records of each input: refused if the limits differ, whatever the order and
# the tree.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

cat >labels.lua <<'LUA'
local leat = require "leat"
local n = 0
local labels = {
  quantile = function() return leat.label.quantile { column = "x", q = 0.9 } end,
  mad = function() return leat.label.mad { column = "x", factor = 2 } end,
  lua = function() return leat.label(function(x) n = n + 1 return x > n end, { "x:number" }, { state = { "n" } }) end,
  where = function() return leat.label.where { "x > 50" } end,
}
return leat.pipeline "labels" {
  leat.source.file { leat.args.data }, leat.parse.csv {}, labels[leat.args.by](),
  leat.feature.columns { columns = { "h" } }, leat.learn.contrast {}, leat.sink.null {},
}
LUA
# limits MODEL: those in its fingerprint.
limits() { "$LEAT" model dump "$1" | jq -c 'select(.section == "pipeline").text | fromjson | .limits'; }
# rows FIRST N: rows whose x are from FIRST to FIRST + 99.
rows() { awk -v a="$1" -v n="$2" 'BEGIN { print "x,h"; for (i = 0; i < n; i++) print a + i * 7 % 100 ",h" i % 3 }'; }
rows 0 1000 >low.csv
rows 300 1000 >high.csv
rows 0 0 >empty.csv
sed 's/h0/other/' low.csv >alike.csv # the same x
for by in quantile mad lua where; do
    mkdir $by
    for part in low high empty alike; do
        "$LEAT" run labels.lua --set by=$by --set data=$part.csv --state $by/$part --quiet 2>/dev/null
    done
done
for by in quantile mad; do
    cd $by || exit 1
    leat_run model merge no low high
    claim_exit "$by: other limits are refused" 1
    [[ $by == mad ]] || claim_says "with both numbers, and the cure" "threshold is 389 here and 89 in the inputs before" \
        "--thresholds >FILE" "--fix FILE"
    [[ $by == quantile ]] || claim_says "with both numbers" "median is 349 here and 49 in the inputs before"
    claim "$by: and nothing is written" test ! -e no
    leat_run model merge no high low
    claim_exit "$by: in the other order, too" 1
    leat_run model merge both low alike
    claim_exit "$by: equal limits merge" 0
    claim "$by: without a word of limits" sh -c "! grep -q 'inputs before' '$err'"
    leat_run model merge filled low empty
    claim_exit "$by: an input without records has no limit" 0
    leat_run model merge also empty low
    claim "$by: in any order with the same limits" cmp <(limits filled) <(limits also)
    claim "$by: which are those of the input with records" cmp <(limits filled) <(limits both)
    leat_run model merge no both high
    claim_exit "$by: a merged model keeps the limits, and refuses others" 1
    leat_run model merge no high both
    claim_exit "$by: as others refuse it" 1
    leat_run model merge tree filled alike
    claim_exit "$by: merged models of equal limits merge" 0
    leat_run model verify tree
    claim_exit "$by: and are whole" 0
    cd ..
done
leat_run model merge lua/both lua/low lua/high
claim_exit "labels of a function merge, as its limits are unknown" 0
leat_run model merge where/both where/low where/high
claim_exit "labels by a condition merge" 0
claim "without a word" test ! -s "$err"
done_claims
