# The heaviest features as a changelog: features that enter or leave, and the list at the end.
. "$(dirname "$0")/../support/claims.sh"

# In the first half features 1 to 5 decide, in the second 11 to 15.
awk 'BEGIN { srand(9); for (i = 0; i < 40000; i++) { f = 1 + int(rand() * 5) + (i >= 20000 ? 10 : 0);
  printf "%s %d:1 %d:1\n", rand() < (f % 2 ? 0.95 : 0.05) ? "+1" : "-1", f, 100 + int(rand() * 2000) } }' \
      >"$tmp/drift.libsvm"
features() {
    leat_run run pipelines/features.lua --set data="$tmp/drift.libsvm" --set k=5 --set every=5000 --set lambda=1e-4 \
        --set out=jsonl --quiet "$@"
}

features
claim_exit "the changelog is written" 0
cp "$out" "$tmp/changes"
claim "each line says when, what, which and how much" \
    jq -se 'length > 10 and all(.[]; (.examples | type) == "number" and (.change | IN("entered", "left", "final")) and
        (.feature | type) == "string" and (.weight | type) == "number")' "$tmp/changes"
claim "first come the features of the first half" \
    jq -se '.[0].examples as $e | [.[] | select(.examples == $e).feature] | sort == ["1","2","3","4","5"]' \
    "$tmp/changes"
claim "which leave in the second" jq -se '[.[] | select(.change == "left" and .examples > 20000).feature] |
    contains(["1"])' "$tmp/changes"
claim "for those of the second" jq -se '[.[] | select(.change == "final").feature | tonumber] | all(. > 10 and
    . < 16) or (map(select(. > 10 and . < 16)) | length) >= 3' "$tmp/changes"
claim "the changes add up to the list at the end" jq -se '
    (reduce (.[] | select(.change != "final")) as $c ({}; if $c.change ==
    "left" then del(.[$c.feature]) else .[$c.feature] = 1 end) | keys)
    == ([.[] | select(.change == "final").feature] | sort)' "$tmp/changes"
features
claim "a second run writes the same" cmp "$out" "$tmp/changes"

features --set weight_change=0.05
claim "moves of weights are written when asked for" jq -se 'any(.[]; .change == "weight")' "$out"
features --set path="$tmp/changes.csv" --set out=csv
claim "the changelog may go to a file" equal "$(head -1 "$tmp/changes.csv")" "learner,examples,change,feature,weight"
claim "as many lines" equal "$(wc -l <"$tmp/changes.csv")" $(($(wc -l <"$tmp/changes") + 1))
leat_run run pipelines/features.lua --set data="$tmp/drift.libsvm" --set k=3 --quiet
claim "for people it is a table" sh -c "head -1 $out | grep -q 'examples  change      weight  feature'"

leat_run run pipelines/features.lua --set data=pipelines/data/senate-disbursements.csv.zst --set format=csv \
    --set label=line_type --set "positive=three data line" \
    --set attributes=office,description --set cross=2 --set k=10 --set every=20000 --set min_odds_gain=1.5 \
    --set out=jsonl --quiet
claim_exit "the bundled data has a changelog too" 0
claim "by name" jq -se 'any(.[]; .feature | startswith("description="))' "$out"
done_claims
