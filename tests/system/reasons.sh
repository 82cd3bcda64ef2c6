# A stage's own reasons to reject records: by name in the summary, dead letters, messages and snapshots.
. "$(dirname "$0")/../support/claims.sh"
plugins=$PWD/${B:-build/release}/tests/plugins
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise # the shell's words on killed children
seq 6000 >rows
cat >reasons.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "reasons" {
  leat.source.file { "rows" }, leat.parse.lines {},
  leat.stage("keep.fresh", { id = "fresh", stale = a.stale, odd = a.odd, other = a.other, reason = a.reason }),
  leat.stage("keep.dated", { id = "dated", stale = a.dated }),
  leat.sink.null { id = "n" },
  a.brokers and leat.sink.dead_letters { "dead", brokers = a.brokers } or nil,
  dead_letters = a.file, max_reject_ratio = tonumber(a.ratio or 1),
}
LUA
reasons() { leat_run run reasons.lua --plugin-path "$plugins/reasons.so" --quiet --summary s.json "$@"; }
fresh() { reasons --set stale=10 --set odd=15 --set dated=100 "$@"; }

# Of 6000: 600 stale; 400 odd, of which each other one was stale; of the others each hundredth.
rest=$((6000 - 600 - 200))
fresh --set file=dead.jsonl --report page.md
claim_exit "a stage rejects records for reasons of its own" 0
claim "the summary counts them by their words, those of one word together" \
    equal "$(jq -cS .rejections s.json)" "{\"odd\":200,\"stale\":$((600 + rest / 100))}"
claim "and has an example of each" jq -e '(.rejection_examples | keys) == ["odd", "stale"] and
    (.rejection_examples.odd | test("fresh .keep.fresh.: it is number 15$"))' s.json
claim "dead letters have the word" equal "$(jq -r '[.stage, .reason] | join(" ")' dead.jsonl | sort | uniq -c |
    awk '{ print $1, $2, $3 }' | paste -sd,)" \
    "$((rest / 100)) dated stale,200 fresh odd,600 fresh stale"
claim "so has the report" grep -qE '\| odd +\| +200 \|' page.md

leat_run run reasons.lua --plugin-path "$plugins/reasons.so" --set stale=2 --set odd=3 --set ratio=0.1
claim_exit "too many of them end the run" 1
claim_says "with their words" "mostly for stale (" "; then for odd ("

# ---- a run that continues ----
fresh --state whole
for at in 2 3; do LEAT_FAULT=snapshot_durable:$at fresh --state killed --every 700; done
fresh --state killed --every 700
claim_exit "a run that was killed continues" 0
claim "with what was counted before" equal "$(jq -cS .rejections s.json)" \
    "{\"odd\":200,\"stale\":$((600 + rest / 100))}"
claim "snapshots have the words" equal "$("$LEAT" model info killed --json --plugin-path "$plugins/reasons.so" |
    jq -cS .reasons)" "$(jq -cS .rejections s.json)"
for name in once twice; do fresh --split $name --state $name; done
"$LEAT" model merge both once twice --plugin-path "$plugins/reasons.so" 2>/dev/null
claim "and are added up by them" equal "$("$LEAT" model info both --json --plugin-path "$plugins/reasons.so" |
    jq -cS .reasons)" \
    "{\"odd\":400,\"stale\":$((1200 + 2 * (rest / 100)))}"

# ---- Kafka ----
if mock topic dead 1 >/dev/null; then
    fresh --set brokers="$brokers"
    cat >read.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "read" {
  leat.source.kafka { "dead", brokers = leat.args.brokers, start = "earliest", ["until"] = "end", columns = { "header.leat.reason" } },
  leat.parse.lines {}, leat.sink.file { path = "read.jsonl", format = "jsonl" },
}
LUA
    leat_run run read.lua --set brokers="$brokers" --quiet
    claim "headers of dead letters on a topic have the word" \
        equal "$(jq -r '."header.leat.reason"' read.jsonl | sort | uniq -c | awk '{ print $1, $2 }' |
        paste -sd,)" "200 odd,$((600 + rest / 100)) stale"
fi

# ---- reasons that are none ----
for reason in 0 -3 15 200 258 300 65536; do
    reasons --set other=100 --set reason=$reason
    claim_exit "reason $reason ends the run" 1
    claim_says "with the stage, the number, and what it declares" \
        "fresh (keep.fresh): reject got reason $reason, which is not one of leat/status.h, nor one of the 2 that the stage declares (LEAT_R_OWN(0) and so on)"
done
reasons --set other=100 --set reason=13
claim "the host's are as before" equal "$(jq -cS .rejections s.json)" '{"unmatched":60}'
leat_run plugin test "$plugins/reasons.so" --stage keep.fresh
claim_exit "leat plugin test takes its reasons" 0
cat >other.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "other" { leat.source.file { "rows" }, leat.parse.lines {}, leat.stage("keep.fresh", { other = 2, reason = 258 }), leat.sink.null {} }
LUA
leat_run plugin test "$plugins/reasons.so" other.lua --law whole-batch
claim "and tells one that it does not declare" grep -q "reject: reason 258 is not one of the host's, nor one of the stage's 2" \
    "$out"

# ---- shown ----
leat_run plugins keep.fresh --plugin-path "$plugins/reasons.so"
claim "leat plugins shows them" grep -qE '^ +stale +The record is older than it may be.' "$out"
leat_run plugins keep.fresh --json --plugin-path "$plugins/reasons.so"
claim "also as JSON" jq -e '.reasons == [{"word": "stale", "doc": "The record is older than it may be."},
    {"word": "odd", "doc": "The record is `odd`."}]' "$out"
done_claims
