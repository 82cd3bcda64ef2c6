# The main job: the bundled data explained; the same script on another CSV.
. "$(dirname "$0")/../support/claims.sh"

leat_run run pipelines/explain.lua --summary "$tmp/s.json"
claim_exit "the demo runs" 0
claim "it reads every row of the sample" equal "$(json .records)" 95759
claim "the model keeps its budget" sh -c "[ $(stage model budget_bytes) -le 32768 ] && [ $(stage model model_bytes) -le 32768 ]"
claim "counts reconcile" jq -e 'all(.stages[]; .in == .out + .filtered + .rejected)' "$tmp/s.json"
claim "the table has weight, relative risk, support and count" grep -qiE 'weight.*relative risk.*support.*count' "$out"
claim "pairs of attributes are shown" grep -q ' & ' "$out"
claim "one in five records is an outlier, give or take the sketch's error" \
    jq -e '[.stages[] | select(.id == "model").top[] | .relative_risk // 0] | max > 2' "$tmp/s.json"
cp "$out" "$tmp/first"
leat_run run pipelines/explain.lua --quiet
claim "a second run prints the same table" cmp "$out" "$tmp/first"

awk 'BEGIN { print "host,version,latency"; srand(3); for (i = 0; i < 20000; i++) { h = int(rand() * 20); v = int(rand() * 5);
  print "h" h ",v" v "," (h == 7 && v == 2 ? 500 : 10) + rand() * 20 } }' >"$tmp/latency.csv"
leat_run run pipelines/explain.lua --set data="$tmp/latency.csv" --set metric=latency --set attributes=host,version \
    --set quantile=0.99 --set cross=2 --set format=jsonl --quiet
claim_exit "the same script explains any CSV by --set alone" 0
claim "and finds the planted pair" equal "$(head -1 "$out" | jq -r '.top[0].feature')" "host=h7 & version=v2"
leat_run run pipelines/explain.lua --set data="$tmp/latency.csv" --quiet
claim_exit "without a metric it is a configuration error" 2
