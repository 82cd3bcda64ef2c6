# Figures of stages have a declared kind and unit; others end the run.
. "$(dirname "$0")/../support/claims.sh"
plugins=$PWD/${B:-build/release}/tests/plugins
cd "$tmp" || exit 1
awk 'BEGIN { for (i = 0; i < 3000; i++) print i % 2 ? "+1 1:1 2:1" : "-1 2:1" }' >rows
cat >figures.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "figures" {
  leat.source.file { "rows" }, leat.parse.libsvm {}, leat.learn.awm { id = "model", budget = "4KB" },
  leat.sink.figures { id = "f", undeclared = a.undeclared, falls = a.falls },
}
LUA
figures() { leat_run run figures.lua --plugin-path "$plugins/figures.so" --quiet --summary s.json "$@"; }

figures
claim_exit "a stage gives its figures" 0
claim "the summary has them in the order of their first values" equal \
    "$(jq -c '.stages[] | select(.id == "f").metrics | to_entries | map(.key)' s.json)" \
    '["seen","batch","share","level"]'
claim "and what each is" equal "$(jq -cS '.stages[] | select(.id == "f").figures' s.json)" \
    '{"batch":{"kind":"gauge","unit":"records"},"level":{"kind":"gauge","unit":"1"},"seen":{"kind":"counter","unit":"records"},"share":{"kind":"gauge","unit":"ratio"}}'
claim "each figure of each stage has a kind and a unit" \
    jq -e '[.stages[] | select(.metrics) | (.metrics | keys) == (.figures | keys)] | all' s.json
claim "those of the host, too" equal "$(jq -c '.stages[] | select(.id == "model").figures | [.examples, .examples_last,
    .error_rate_last, .log_loss, .model_bytes, .drifts, .total_bytes] | map(.kind? + " " + .unit?)' s.json)" \
    '["counter examples","gauge examples","gauge ratio","gauge 1","gauge bytes"," ","gauge bytes"]'

figures --set undeclared=true
claim_exit "a name that is no figure of the stage ends the run" 1
claim_says "which is told" \
    "f (sink.figures): metric got 'sene', which is not among the figures that the stage declares (LEAT_FIGURES)"
leat_run plugin test "$plugins/figures.so"
claim_exit "leat plugin test takes figures that are declared" 0
for wrong in undeclared:"metric 'sene' is not among the figures that the stage declares" \
    falls:"figure 'seen' is a counter, and goes from 0 to -"; do
    sed "s/id = \"f\"/id = \"f\", ${wrong%%:*} = true/; s/, undeclared = a.undeclared, falls = a.falls//" figures.lua \
        >wrong.lua
    leat_run plugin test "$plugins/figures.so" wrong.lua --law figures
    claim "but not ${wrong%%:*}" grep -qF "${wrong#*:}" "$out"
done

# ---- shown ----
leat_run plugins sink.figures --plugin-path "$plugins/figures.so"
claim "leat plugins shows them" grep -qE '^ +seen +counter, records: records that have come$' "$out"
claim "a plain number has no unit" grep -qE '^ +level +gauge: a plain number$' "$out"
leat_run plugins --json
claim "also as JSON: those of learners are told" \
    jq -e '.[] | select(.name == "learn.awm").figures | map(select(.name == "model_bytes")) == [{"name": "model_bytes",
        "kind": "gauge", "unit": "bytes", "doc": "the model"}]' "$out"
claim "names and units go together" jq -e '[.[].figures[] | (.name | endswith("_bytes")) == (.unit == "bytes") and
    (.name | endswith("_seconds")) == (.unit == "seconds")] | all' "$out"
claim "what is counted up is a counter" jq -e '[.[].figures[] | select(.name |
    test("^(late_records|retries|shrinks|drifts)$")).kind == "counter"] | all' "$out"
claim "the manual has them" grep -qF '| `late_records` | counter, records | records that came after their windows had ended |' \
    "$OLDPWD/docs/stages.md"
done_claims
