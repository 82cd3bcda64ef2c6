# POST /predict: the score that the record would have got in the stream. The run does not change.
# tier: long (11 s)
. "$(dirname "$0")/../support/claims.sh"
shards=$PWD/${B:-build/release}/tests/plugins/shards.so
cd "$tmp" || exit 1
# Texts that stages take as numbers, and integers beyond 2^53 that they take as text: the host converts them.
awk 'BEGIN { srand(11); for (i = 0; i < 4000; i++) { a = int(rand() * 12); n = int(rand() * 5)
    printf "{\"y\":%s,\"price\":%.2f,\"id\":9007199254740%d,\"paid\":%s,\"city\":\"c%d\",\"tags\":\"x%d y%d\"}\n",
    rand() < a / 12 ? "true" : "false", rand() * 50 + n, \
        993 + a, rand() < .5 ? "true" : "false", a, n, a % 3 } }' >rows.json
cat >models.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function model(id, learn) return { learn, leat.sink.predictions { path = a.scores and (a.scores .. "." .. id) or "/dev/null" } } end
local seen = 0
return leat.pipeline "models" {
  max_reject_ratio = 1,
  leat.source.file { path = a.data, follow = a.follow == "yes" },
  leat.parse.json { columns = { "y", "price", "id", "paid", "city", "tags" }, integers = { "id" } },
  leat.shape.set { "half = price / 2" },
  leat.map(function(half) seen = seen + 1 return half and half * (1 + seen % 2) end, { "half:number" }, { "odd:number" }, { state = { "seen" } }),
  leat.label.is { column = "y", positive = "true" },
  a.tokens == "yes" and leat.feature.tokens { "id" } or leat.feature.columns { "half", "odd", "paid", "city", cross = 2 },
  leat.tee {
    model("awm", leat.learn.awm { id = "awm", budget = "8KB" }),
    model("hash", leat.learn.hash { id = "hash", budget = "8KB" }),
    model("logistic", leat.learn.logistic { id = "logistic" }),
    model("ftrl", leat.learn.ftrl_proximal { id = "ftrl" }),
    model("son", leat.learn.rfd_son { id = "son" }),
    model("fm", leat.learn.sftrl { id = "fm", loss = "logistic" }),
  },
}
LUA
learners="awm hash logistic ftrl son fm"
watch() {
    leat_start "$@" --quiet --http :0
    until_true has_url
}
has_url() {
    url=$(sed -n 's/^leat: watch this run at //p' "$err")
    [[ $url ]]
}
post() { curl -gs --max-time 60 --data-binary "$1" "${url}predict/$2"; }
learned() { equal "$(curl -gs "${url}status" | jq '[.stages[] | select(.metrics.examples != null) | .metrics.examples] |
    min')" 4000; }

# ---- the same score as in the stream ----
# The record comes as the 4,001st of a run that learns: each learner predicts it before.
probe=('{"y":true,"price":12.5,"id":9007199254740995,"paid":true,"city":"c3","tags":"x1 y2"}'
    '{"price":99.25,"id":9007199254741002,"paid":false,"city":"never seen"}'
    '{"y":"nonsense","id":9007199254740993}')
for i in 0 1 2; do
    { cat rows.json && sed 's/^{"y":[^,]*,/{/; s/^{/{"y":true,/' <<<"${probe[i]}"; } >more.json
    leat_run run models.lua --set data=more.json --quiet --set scores="wanted$i"
    claim_exit "the run with record $((i + 1))" 0
done
watch models.lua --set data=rows.json --set follow=yes
claim "all are learned" until_true learned
is_wanted() {
    local got wanted
    got=$(post "${probe[$2]}" "$1" | jq '.records[0].margin') wanted=$(awk '$1 == 4001 { print $2 }' \
        "${3:-wanted}$2.$1")
    awk -v a="$got" -v b="$wanted" 'BEGIN { d = a - b; exit !(a != "" && b != "" && a != "null" &&
        d * d <= 1e-12 * (b * b + 1e-6)) }' || { echo "found $got, wanted $wanted"; return 1; }
}
for learner in $learners; do
    for i in 0 1 2; do claim "$learner predicts record $((i + 1)) as in the stream" is_wanted "$learner" "$i"; done
done
leat_stop
for i in 0 2; do
    { cat rows.json && sed 's/^{"y":[^,]*,/{/; s/^{/{"y":true,/' <<<"${probe[i]}"; } >more.json
    leat_run run models.lua --set data=more.json --quiet --set tokens=yes --set scores="tokens$i"
done
watch models.lua --set data=rows.json --set follow=yes --set tokens=yes
until_true learned
for i in 0 2; do claim "tokens of an integer, record $((i + 1))" is_wanted logistic "$i" tokens; done
leat_stop
watch models.lua --set data=rows.json --set follow=yes
until_true learned
claim "the probability is that of the margin" jq -e '.records[0] | (1 / (1 + (-.margin | exp)) - .probability |
    fabs) < 1e-9 and .label == (if .margin >= 0 then 1 else -1 end)' <(post "${probe[0]}" awm)

# ---- many in one request ----
several=$(printf '%s\n' "${probe[0]}" '{"broken' '' "${probe[1]}" '{"price":"dear"}')
post "$several" awm >several.json
claim "each record has its answer" equal "$(jq -c '[.records[] |
    if .margin then "margin" elif .rejected then .rejected elif .filtered then "filtered" else "nothing" end]' \
        several.json)" '["margin","syntax","filtered","margin","number"]'
claim "and the reason" grep -q "byte" <(jq -r '.records[1].message' several.json)
claim "a record alone gives the same" equal "$(jq '.records[0].margin' several.json)" "$(post "${probe[0]}" awm |
    jq '.records[0].margin')"
claim "none that can be predicted: 422" equal "$(curl -gs -o /dev/null -w '%{http_code}' -d '{"broken' \
    "${url}predict/awm")" 422
claim "nothing to predict: 400" equal "$(curl -gs -o /dev/null -w '%{http_code}' -X POST "${url}predict/awm")" 400
claim "257 records: 400" equal "$(yes "${probe[0]}" | head -257 | curl -gs -o /dev/null -w '%{http_code}' \
    --data-binary @- "${url}predict/awm")" 400
claim "256 have an answer" equal "$(yes "${probe[0]}" | head -256 | curl -gs --data-binary @- "${url}predict/awm" |
    jq '[.records[].margin] | length')" 256
leat_stop
claim_exit "the run ends" 0

# ---- a quote that is never closed ----
{ echo y,city,n; awk 'BEGIN { srand(5); for (i = 0; i < 300; i++) printf "%d,c%d,\"%d\"\n", rand() < .5, i % 7,
    i % 5 }'; } >rows.csv
cat >csv.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "csv" {
  leat.source.file { path = "rows.csv", follow = true }, leat.parse.csv {}, leat.label.is { column = "y", positive = "1" },
  leat.feature.columns { "city", "n" }, leat.learn.awm { id = "awm" }, leat.sink.null {} }
LUA
watch csv.lua
has_learned() { equal "$(curl -gs "${url}status" | jq '[.stages[] | select(.metrics.examples != null) |
    .metrics.examples] | min')" 300; }
until_true has_learned
post $'1,c1,2\n0,"c2\n1,"c\n3",1\n1,"c4,2\n0,c5,3' awm >quotes.json
claim "costs its record alone" equal "$(jq -c '[.records[] | if .margin then "margin" else .rejected end]' \
    quotes.json)" '["margin","quote","margin","quote","margin"]'
claim "which is told with its line" equal "$(jq -r '.records[3].message' quotes.json)" \
    "line 5: a quote opens a field and is never closed: close it, and write a quote within it twice"
claim "the others have their own predictions" equal "$(jq -c '[.records[0, 4].margin]' quotes.json)" "$(post \
    $'1,c1,2\n0,c5,3\n' awm | jq -c '[.records[].margin]')"
claim "such a record alone: 422" equal "$(curl -gs -o /dev/null -w '%{http_code}' -d '1,"c1,2' "${url}predict/awm")" 422
leat_stop
claim_exit "the run of CSV ends" 0

# ---- nothing of the run is another ----
# What is saved, but when, and in how many pieces the file was read.
saved() { "$LEAT" model dump "$1" | grep -v '"field":"\(batches\|created\)"'; }
watch models.lua --set data=rows.json --set follow=yes --state without --every 0 --summary without.json
until_true learned
leat_stop
watch models.lua --set data=rows.json --set follow=yes --state with --every 0 --summary with.json
n=0 # an answer that is late has no records
predict_all() {
    local learner
    for learner in $learners; do
        n=$((n + $(post "$several" "$learner" | jq '[.records[]? | select(.margin)] | length')))
        curl -gs "${url}estimate/$learner?feature=city=c1" "${url}top/$learner" >/dev/null
    done
}
until learned >/dev/null; do predict_all; done
while ((n < 1000)); do
    n=$((n + $(yes "${probe[0]}" | head -100 | curl -gs --data-binary @- "${url}predict/$(shuf -n1 -e $learners)" | jq '[.records[]?.margin] | length')))
    predict_all
done
leat_stop
claim_exit "a run with $n predictions" 0
claim "they were 1,000" [ "$n" -ge 1000 ]
claim "saves the same bytes" diff <(saved without) <(saved with)
claim "which are many" [ "$(saved with | wc -c)" -gt 100000 ]
figures() { jq -S '[.records, .rejected, .rejections, (.stages[] | del(.seconds, .metrics.examples_per_second,
    .metrics.lua_peak_bytes, .memory))]' "$1.json"; }
claim "and has the same figures" diff <(figures without) <(figures with)

# ---- what has no prediction ----
cat >window.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "window" {
  leat.source.file { path = "rows.json", follow = true }, leat.parse.json {},
  leat.flat(function(emit, city) emit(city) end, { "city" }, { "city2" }),
  leat.label.is { column = "city2", positive = "c1" }, leat.feature.columns { "city2" },
  leat.tee { { leat.learn.cooccurrence { id = "counts" }, leat.sink.null {} }, { leat.learn.awm { id = "model" }, leat.sink.null {} } } }
LUA
watch window.lua
is_never() { equal "$(curl -gs -o /dev/null -w '%{http_code}' -d '{}' "${url}predict/model")" 501; }
claim "records that are made of others" until_true is_never
claim "and why" grep -q "makes new records out of its input" <(post '{}' model)
claim "learners that predict nothing" grep -q "makes no predictions" <(post '{}' counts)
leat_stop

# ---- a model for each input: asked is their merge, which none of them notices ----
mkdir plugins
cp "$shards" plugins
cat >shards.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "shards" {
  leat.stage("source.shards", { rows = leat.args.rows }),
  leat.parse.csv { delimiter = " ", header = false, columns = { "y", "a", "b", "c" } },
  leat.label.quantile { column = "y", q = 0.7, warmup = 50 },
  leat.feature.columns { "a", "b", "c", cross = 2 },
  leat.learn.awm { id = "model", budget = "2KB" }, leat.sink.null {} }
LUA
SHARDS_OUT=alone leat_run run shards.lua --plugin-path plugins --quiet --set rows=60000
claim_exit "a run with shards" 0
export SHARDS_OUT=asked
watch shards.lua --plugin-path plugins --set rows=60000
asked=0
until has_ended "$pid"; do
    curl -gs --max-time 60 -d '3 a1 b2 c3' "${url}predict/model" | jq -e '.records[0].margin' >/dev/null &&
        asked=$((asked + 1))
    curl -gs --max-time 60 "${url}top/model" "${url}status" "${url}metrics" >/dev/null
done
leat_end
claim_exit "that is asked" 0
claim "it has answered" [ "$asked" -gt 0 ]
same() { for k in 0 1 2 3 4; do cmp "alone.$k" "asked.$k" || return 1; done; }
claim "learns the same" same
done_claims
