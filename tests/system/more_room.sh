# max_features and names_budget may be raised when a run continues: what was learned stays, what is new finds room.
# A shell under nohup ignores SIGHUP, and so would all that it starts. A session of its own has no terminal.
[[ ${heeds_hup:-} ]] || heeds_hup=1 exec env --default-signal=HUP setsid -w bash "$0"
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise # the shell's words on killed children
"$LEAT" plugins --json >plugins.json
learners=$(jq -r '.[] | select(.kind == "learner") | select([.params[].name] | index("max_features")) | .name | sub("learn[.]"; "")' plugins.json)
claim "there are many" below 15 "$(wc -w <<<"$learners")"

# Each record has two names that no other has, and one that all have.
records() { awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i < to; i++) printf "%d,u%d,v%d,w\n", i % 2 ? 1 : -1, i, i }'; }
cat >room.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local sides = a.learner == "product"
return leat.pipeline "room" {
  leat.source.file { "data" }, leat.parse.csv { header = false, columns = { "label", "u", "v", "w" } },
  leat.label.number { column = "label" }, leat.feature.columns { "u", "v", "w" },
  sides and leat.feature.sides { halves = true } or {},
  leat.learn[a.learner] { id = "m", max_features = tonumber(a.max), names_budget = a.names or "64KB" },
  sides and leat.sink.null {} or leat.sink.top { k = 10, path = "top", format = "csv" },
}
LUA
run() { leat_run run room.lua --set learner="$learner" --state "state_$learner" --quiet --summary sum.json "$@"; }
top() { "$LEAT" model top "state_$learner" --k 100000 --format csv; }
features() { jq '.stages[] | select(.id == "m").metrics | .features // .features_left' sum.json; }

for learner in $learners; do
    records 0 40 >data
    run --set max=32
    few=$(features)
    claim "$learner: 32 features are known" test "$few" -le 32 -a "$few" -gt 20
    claim_says "$learner: it says what to do" "raise max_features"
    [[ $learner == product ]] || top >before
    leat_run check room.lua --set learner="$learner" --set max=256 --state "state_$learner"
    claim "$learner: check says that it resumes, and how" grep -qF "resumes: with max_features = 256 (32 in the snapshot)" "$out"
    run --set max=256
    claim_exit "$learner: it continues with more room" 0
    [[ $learner == product ]] || claim "$learner: and knows what it knew" diff before <(top)
    records 40 80 >>data
    LEAT_FAULT=snapshot_durable:1 run --set max=256 --every 10
    run --set max=256
    claim_exit "$learner: killed and continued, it comes to its end" 0
    claim "$learner: what is new has found room" below $((few + 30)) "$(features)"
    run --set max=16
    claim "$learner: less room than it needs is refused" test "$status" -ne 0
    claim_says "$learner: with what allows how many" "max_features"
done

# Names: those that found no room have none, those that come have.
learner=bias
rm -rf state_bias
records 0 20 >data
run --set max=256 --set names=0B
records 20 40 >>data
run --set max=256 --set names=64KB
top >named
claim "names of before are not known" eval '! grep -q "u=u1," named'
claim "those of later are" grep -q "u=u30," named

# Two models that are full: one continues with more room, then both go together.
rm -rf state_bias
records 0 20 >data
run --set max=64
cp -r state_bias first
rm -rf state_bias
records 20 40 >data
run --set max=64
leat_run model merge both first state_bias
claim_exit "two that are full do not go together" 1
claim_says "it says what to do" "both together have 81 features; max_features allows 64: continue one of them with a larger max_features, then merge"
run --set max=128
leat_run model merge both first state_bias
claim_exit "which works" 0
names() { "$LEAT" model top "$1" --k 1000 --format csv | grep -o '[uv]=[uv0-9]*' | sort; }
claim "and has the features of both" equal "$(names both | wc -l)" 80
leat_run model merge other_way state_bias first
claim "in either order" cmp <(names both) <(names other_way)

# While it runs.
cat >live.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "live" {
  leat.source.file { "grows", follow = true }, leat.parse.csv { header = false, columns = { "label", "u", "v", "w" } },
  leat.label.number { column = "label" }, leat.feature.columns { "u", "v", "w" },
  leat.learn.bias { id = "m", max_features = 32 },
  leat.sink.null {},
}
LUA
records 0 40 >grows
leat_start live.lua --state live --http 127.0.0.1:0 --summary sum.json
has_url() { url=$(sed -n 's/^leat: watch this run at //p' "$err"); [[ $url ]]; }
until_true has_url
has_read() { (($(curl -gs "${url}status" | jq '.records // 0') >= $1)); }
claim "a run has read what there is" until_true has_read 40
sed -i 's/max_features = 32/max_features = 256/' live.lua
kill -HUP "$pid"
claim "it is reloaded" until_true grep -q ': reloaded$' "$err"
records 40 80 >>grows
claim "and what came then" until_true has_read 80
leat_stop
claim_exit "a run that was reloaded with more room ends well" 0
claim "what came then has found room" below 90 "$(features)"
