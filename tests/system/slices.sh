# A watched run answers within its batches: a learner with long batches learns them in slices. It learns the same as an
# unwatched run, bit for bit.
# tier: long (8 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise
awk 'BEGIN { srand(5); print "y,a,b,c"; for (i = 0; i < 20000; i++) { a = int(rand() * 150); printf "%d,a%d,b%d,c%d\n",
    rand() < a / 150, a, rand() * 150, rand() * 100 } }' >rows.csv
cat >slow.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "slow" {
  batch_rows = 20000, leat.source.file { "rows.csv" }, leat.parse.csv {}, leat.label.is { column = "y", positive = "1" },
  leat.feature.columns { "a", "b", "c" }, leat.learn.full_on { id = "model", max_features = 400 },
  leat.tee { { leat.sink.predictions { path = leat.args.to } }, { leat.learn.rfd_son { id = "other" }, leat.sink.null {} } },
}
LUA
leat_run run slow.lua --quiet --state alone --set to=alone.csv
claim_exit "a run that nobody watches" 0
leat_start slow.lua --quiet --state watched --set to=watched.csv --http :0
has_url() { url=$(sed -n 's/^leat: watch this run at //p' "$err") && [[ $url ]]; }
until_true has_url
seen=0 last=
until has_ended "$pid"; do
    now=$(curl -gs --max-time 20 "${url}top/model?n=5" | jq -r '.rows[].weight' | tr '\n' ' ')
    [[ $now && $now != "$last" ]] && ((seen++))
    last=$now
done
leat_end
claim_exit "one that is asked all the time" 0
claim "answers within its only batch, as it learns" below 4 "$seen"
model() { leat_run model dump "$1" && jq -c 'select(.section | strings | startswith("stage/"))' "$out"; }
for run in alone watched; do model $run >$run.model; done
claim "learns the same" test -s alone.model
claim "to the last bit" cmp alone.model watched.model
claim "and predicts the same" cmp alone.csv watched.csv

# ---- answers that take long ----

awk 'BEGIN { for (i = 0; i < 40000; i++) printf "%s %d:1 %d:1\n", i % 2 ? "+1" : "-1", i, i * 7 % 40000 }' >many.svm
cat >large.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "large" { leat.source.file { path = "many.svm", ["repeat"] = 100000 }, leat.parse.libsvm {}, leat.learn.rfd_son { id = "model" }, leat.sink.null {} }
LUA
leat_start large.lua --quiet --http :0
until_true has_url
learned() { (($(curl -gs "${url}status" | jq '.records // 0') > 100000)); }
until_true learned
curl -s "${url}top/model?[1-60]" | jq .examples >examples
claim "to a question that is asked again and again" equal "$(wc -l <examples)" 60
claim "an answer that takes long is given again for a while" below "$(sort -u examples | wc -l)" 30
curl -s -o /dev/null -w "%{http_code}\n" "${url}top/model?n=[1-900]" | sort | uniq -c >codes
claim "some different questions are answered" grep -q " 200$" codes
claim "but not all that one can think of, as the learner works first" grep -q " 503$" codes
answers_again() { [[ $(curl -gs -o /dev/null -w '%{http_code}' "${url}top/model?n=999") == 200 ]]; }
claim "until it has worked enough" until_true answers_again
has_figure() { curl -gs "${url}metrics" | grep -qE '^leat_figure_features\{stage="model",.*\} [0-9]{5}$'; }
claim "what a learner says of itself is there while it learns" until_true has_figure
leat_stop
claim_exit "the run ends well" 0
done_claims
