# The progress bar leaves room for what the run prints, and fits the terminal.
. "$(dirname "$0")/../support/claims.sh"
if command -v script >/dev/null; then
    script -qc "stty cols 40; '$LEAT' run pipelines/explain.lua" "$tmp/screen" >/dev/null 2>&1
    tr '\r' '\n' <"$tmp/screen" | sed 's/\x1b\[K//g' >"$tmp/lines"
    claim "there is a bar" grep -q ' records' "$tmp/lines"
    claim "no bar is wider than the terminal" equal "$(grep -E '^\[' "$tmp/lines" | awk 'length > 39' | head -1)" ""
    claim "no rate of 0 is shown" sh -c "! grep -q ' 0/s' '$tmp/lines'"
    claim "results begin on a line of their own" grep -q '^What sets' "$tmp/lines"
fi

"$LEAT" plugins --json >"$tmp/stages.json"
stages=$(jq -r '.. | objects | select(.example? and .name?) | .name' "$tmp/stages.json")
claim "the stages have examples" below 30 "$(wc -w <<<"$stages")"
for name in $stages; do
    { printf 'local leat = require "leat"\nlocal stage = '
      jq -r --arg n "$name" '[.. | objects | select(.name? == $n and .example?)][0].example' "$tmp/stages.json"
      printf 'return leat.pipeline "x" { stage }\n'; } >"$tmp/example.lua"
    leat_run check "$tmp/example.lua"
    claim "the example of $name has values that its parameters take" \
        sh -c "! grep -E 'unknown parameter| wants | must be |is missing|not defined' '$err'"
done
