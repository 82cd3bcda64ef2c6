# The progress bar leaves room for the run's output, and fits the terminal.
# tier: long (11 s)
. "$(dirname "$0")/../support/claims.sh"
if there_is script "there is a bar on a terminal"; then
    script -qc "stty cols 40; '$LEAT' run pipelines/explain.lua" "$tmp/screen" >/dev/null 2>&1
    tr '\r' '\n' <"$tmp/screen" | sed 's/\x1b\[K//g' >"$tmp/lines"
    claim "there is a bar" grep -q ' records' "$tmp/lines"
    claim "no bar is wider than the terminal" equal "$(grep -E '^\[' "$tmp/lines" | awk 'length > 39' | head -1)" ""
    claim "no rate of 0 is shown" sh -c "! grep -q ' 0/s' '$tmp/lines'"
    claim "results begin on a line of their own" grep -q '^What sets' "$tmp/lines"

    on_80() { # ARGS…: the lines that a terminal shows, without the bar
        script -qc "stty cols 80; '$LEAT' $*" "$tmp/screen" >/dev/null 2>&1
        sed -E '1d; $d; s/\r$//; s/.*\r\x1b\[K//' "$tmp/screen" >"$tmp/lines"
    }
    widest() { LC_ALL=C.UTF-8 wc -L; }
    on_80 classify pipelines/data/senate-disbursements.csv.zst --label line_type --positive "'three data line'" \
        --attributes office --learner awm --progress always
    claim "80 columns hold the progress table" below "$(grep -E '^(average|loss|0[.])' "$tmp/lines" | widest)" 80
    claim "which shows losses and the error rate" grep -qE '^average +since .* error ' "$tmp/lines"
    on_80 run pipelines/explain.lua --progress always
    claim "counts without predictions have no such table" sh -c "! grep -qE '^average +since' '$tmp/lines'"
    claim "80 columns hold the table of explain" below "$(sed -n '/^What sets/,$p' "$tmp/lines" | grep -v '^leat:' |
        widest)" 81
    claim "whose names are not cut to scraps" grep -q 'description=TECHNICAL SUPPORT$' "$tmp/lines"
    claim "and which has the rate, the relative risk, what rows cover and leave" grep \
        -qE '^ *# +rate +risk +covered +left +feature$' "$tmp/lines"
    on_80 check pipelines/explain.lua
    claim "80 columns hold what check prints" below "$(widest <"$tmp/lines")" 81
    claim "with a line for what each stage gives" grep -q '^  gives records, columns (columns: ' "$tmp/lines"
    "$LEAT" check pipelines/explain.lua >"$tmp/full"
    words() { tr -s ' ' '\n' <"$1" | grep -vx gives | sort | cksum; }
    claim "where all words are those of the full form" equal "$(words "$tmp/lines")" "$(words "$tmp/full")"

    same="department of the interior and of the exterior, division of many words"
    { echo "y,d"; for i in 1 2 3 4 5 6; do echo "1,\"$same, east\""; echo "0,\"$same, west\""; done; } >"$tmp/long.csv"
    cat >"$tmp/cut.lua" <<EOF
local leat = require "leat"
return leat.pipeline "x" { leat.source.file { "$tmp/long.csv" }, leat.parse.csv {},
  leat.label.is { column = "y", positive = { "1" } }, leat.feature.columns { columns = "d" },
  leat.learn.frequent { id = "m" }, leat.sink.top { of = "m", k = 4 } }
EOF
    on_80 run --quiet "$tmp/cut.lua"
    claim "names that are cut show how they end" equal \
        "$(sed -nE 's/.* d=department.*…[a-z ]*words, (east|west)$/\1/p' "$tmp/lines" | sort |
        paste -sd' ')" "east west"
fi

# The answer of some applications is no prediction: their learners' losses are of no use to who asks.
awk 'BEGIN { print "host,bad"; for (i = 0; i < 2000; i++) print "h" i % 7 "," (i % 7 == 3 && i % 3 == 0) }' \
    >"$tmp/hosts.csv"
asked=(--set data="$tmp/hosts.csv" --set outlier='bad == 1' --set attributes=host)
leat_run run pipelines/explain.lua "${asked[@]}"
claim "explain shows no table of predictions" sh \
    -c "! grep -qE '^average +since|weighted label sum|best constant' '$err'"
claim "but how many records there were" grep -q '2000 records in ' "$err"
claim "and its own table says how many records were counted" grep \
    -qx 'What sets the outliers apart (model, 2,000 records, [0-9.]* % base)' "$out"
leat_run run pipelines/explain.lua "${asked[@]}" --progress always --quiet
claim "and not quiet" sh -c "! grep -qE '^average +since' '$err'"
leat_run run pipelines/classify.lua --set data="$tmp/hosts.csv" --set label=bad --set attributes=host
claim "what predicts shows it" grep -qE '^average +since' "$err"

claim "a short run has no lines of progress" sh -c "! grep -q 'records in [0-9]* s' '$err'"

rest_is_long

# A run without a terminal that waits for more of its input.
cat >"$tmp/waits.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "waits" { leat.source.file { "-" }, leat.parse.lines {}, leat.sink.null {} }
LUA
mkfifo "$tmp/input"
{ echo one; echo two; until_true test -e "$tmp/over"; } >"$tmp/input" &
leat_start "$tmp/waits.lua" --log-format json <"$tmp/input"
claim "after ten seconds a line says what is done" until_true grep -q ' records in 1[0-9] s ' "$err"
touch "$tmp/over"
leat_end
claim "it is a message like others" jq -es 'map(select(.message | test("records in 1"))) | .[0] |
    .level == "info" and (.message | test("^2 records in 1[0-9] s  0/s$"))' "$err"

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
done_claims
