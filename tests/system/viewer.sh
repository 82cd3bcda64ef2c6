# A source that only shows states: merges what has changed, holds states as bytes, gives no records.
# tier: long (5 s, waits)
. "$(dirname "$0")/../support/claims.sh"
mkdir "$tmp/plugins"
cp "${B:-build/release}/tests/plugins/"{shards,views}.so "$tmp/plugins"
cd "$tmp" || exit 1
cat >views.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "views" {
  leat.stage(a.view and "source.views" or "source.shards", a.view and { ends = a.ends } or { rows = 300 }),
  leat.parse.csv { delimiter = " ", header = false, columns = { "y", "a", "b", "c" } },
  leat.label.quantile { column = "y", q = 0.7, warmup = 50 },
  leat.tee {
    { leat.feature.columns { "a", "b" }, leat.stage("learn.merges", { id = "counted" }),
      leat.sink.top { of = "counted", k = 1, every = a.every, format = "jsonl", path = "counted.jsonl" } },
    { leat.feature.columns { "a", "b", "c", cross = 2, explode = true }, leat.learn.awm { id = "model", budget = "2KB" },
      leat.sink.top { of = "model", k = 10, format = "csv", path = "model.top" } },
    { leat.window { "count", every = "60s", by = { "c" } }, leat.sink.file { path = "windows.csv", format = "csv" } },
  },
}
LUA
run() { leat_run run views.lua --plugin-path plugins --quiet --summary s.json "$@"; }
SHARDS_OUT=left run
claim_exit "inputs leave their states" 0
cut -d, -f4- model.top >whole.top
sum() { jq "select(.last) | .top[0].sum" counted.jsonl; }
all=$(sum)
claim "of all examples" test "$all" -gt 1000
VIEWS_IN=left run --set view=1 --set ends=0
claim_exit "states are shown" 0
claim "and nobody misses records" [ ! -s "$err" ]
claim "as they were learned" cmp whole.top <(cut -d, -f4- model.top)
claim "without what stages hold" equal "$(wc -l <windows.csv)" 1
VIEWS_IN=left run --set view=1 --set every=100ms
claim_exit "while states change" 0
jq -r '.top[0] | "\(.sum) \(.merges)"' counted.jsonl >answers
claim "there are answers while nothing changes" test "$(wc -l <answers)" -ge 4
# One merge tests the learner before the run. An answer merges 5 states, if one of them has changed.
claim "only changes are merged, and what is damaged changes nothing" equal "$(uniq answers | paste -sd,)" \
    "$all 6,$all 11,$((all * 4 / 5)) 15"
leat_run check views.lua --plugin-path plugins --json
learning=$(jq .plan.shard_bytes "$out")
leat_run check views.lua --plugin-path plugins --json --set view=1
showing=$(jq .plan.shard_bytes "$out")
claim "states that are shown take less memory than states that learn" below $((3 * showing)) $((2 * learning))
done_claims
