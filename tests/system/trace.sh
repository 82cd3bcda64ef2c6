# leat trace: the first records after each stage, and the reasons of a learner's predictions.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
awk 'BEGIN { srand(3); print "y,price,city,tags"
    for (i = 0; i < 3000; i++) { a = int(rand() * 12); printf "%s,%.2f,c%d,\"x%d y%d\"\n",
    rand() < a / 12 ? "yes" : "no", rand() * 3, a, i % 7, a % 3 } }' >rows.csv
printf 'y,price,city,tags\nyes,1.25,c11,"x1 y2"\nno,2.5,never seen,\nno,0,c0,"x0"\n' >probe.csv
cat >models.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function model(id, learn) return { learn, leat.sink.predictions { path = (a.scores or "untouched") .. "." .. id } } end
return leat.pipeline "models" {
  max_reject_ratio = 1,
  leat.source.file { path = a.data },
  leat.parse.csv {},
  leat.label.is { column = "y", positive = "yes" },
  leat.feature.columns { "price", "city", cross = 2 },
  leat.tee {
    model("awm", leat.learn.awm { id = "awm", budget = "8KB" }),
    model("wm", leat.learn.wm { id = "wm", budget = "8KB" }),
    model("logistic", leat.learn.logistic { id = "logistic" }),
    model("fm", leat.learn.sftrl { id = "fm", loss = "logistic" }),
  },
}
LUA
predictions() { jq -s "[.. | objects | select(.stage == \"$1\") | .predictions[]?]" "$2"; }

# ---- contributions ----
leat_run run models.lua --set data=rows.csv --set scores=learned --state model --quiet
claim_exit "three models learn" 0
sums=$(cat model/* | cksum)
leat_run trace models.lua --set data=probe.csv --state model --json
claim_exit "a trace with their state" 0
cp "$out" probe.json
for one in awm wm logistic; do
    claim "$one: contributions and base add up to the margin" jq -e \
        'length == 3 and all(.[]; ([.contributions[].contribution] | add) + .base - .score.margin | fabs < 1e-5) and
            any(.[]; .score.margin | fabs > 0.1)' <(predictions $one probe.json)
    claim "$one: each is weight x value" jq -e 'all(.[].contributions[] | select(.value != 0);
        .weight * .value - .contribution | fabs < 1e-9)' <(predictions $one probe.json)
    claim "$one: the largest is first" jq -e 'all(.[]; [.contributions[].contribution | fabs] | . == (sort |
        reverse))' <(predictions $one probe.json)
    claim "$one: nothing is left over" jq -e 'all(.[]; .rest | fabs < 1e-5)' <(predictions $one probe.json)
done
# Another road: what the model itself lists.
"$LEAT" model top model --stage logistic --k 9999 --format jsonl --set min_count=1 >top.json 2>/dev/null ||
    "$LEAT" model top model --stage logistic --k 9999 --format jsonl >top.json
listed() {
    jq -se --slurpfile top top.json '($top[0].top | map({(.feature): .weight}) | add) as $w
        | [.[0][].contributions[] | select($w[.feature])] | length >= 4 and all(.[]; .weight - $w[.feature] |
        fabs < 1e-4)' <(predictions logistic probe.json)
}
claim "weights are those that the model lists" listed
# And what the stream would have predicted: the record comes after the others.
{ cat rows.csv && sed -n 2p probe.csv; } >more.csv
leat_run run models.lua --set data=more.csv --set scores=more --quiet
for one in awm wm logistic fm; do
    claim "$one predicts what the stream would" jq -e --argjson wanted "$(awk '$1 == 3002 { print $2 }' more.$one)" \
        '.[0].score.margin - $wanted | fabs < 1e-5' <(predictions $one probe.json)
done
claim "the state is as it was" equal "$(cat model/* | cksum)" "$sums"
claim "no sink has written" test ! -e untouched.awm
leat_run trace models.lua --set data=probe.csv --state model --json
claim "the same trace again" cmp "$out" probe.json
claim "a state that is not there is refused" sh \
    -c "! $LEAT trace models.lua --set data=probe.csv --state none 2>why && grep -q 'has no readable snapshot' why && test ! -e none"

# ---- learning ----
leat_run trace models.lua --set data=rows.csv --learn -n 300 --json
# The tag of a prediction is its line, and the first line is the header.
is_run() {
    paste <(awk '$1 > 1 && $1 <= 301 { print $2 }' "learned.$1") <(predictions "$1" "$out" | jq '.[].score.margin') |
        awk '{ d = $1 - $2; bad += !(d * d <= 1e-12 * (1 + $2 * $2)) } END { print bad " differ of " NR;
            exit !(NR == 300 && !bad) }'
}
for one in awm wm logistic; do
    claim "$one with --learn is the run" is_run $one
    claim "$one: also then they add up" jq -e 'length == 300 and all(.[]; ([.contributions[].contribution] | add) +
        .base - .score.margin | fabs < 1e-5)' <(predictions $one "$out")
done
leat_run trace models.lua --set data=rows.csv -n 300 --json
claim "without, nothing is learned" jq -e 'length == 300 and all(.[]; .score.margin == 0)' <(predictions logistic \
    "$out")

# What two features do together belongs to neither: y = a xor b.
awk 'BEGIN { srand(5); print "y,a,b"; for (i = 0; i < 4000; i++) { a = rand() < .5; b = rand() < .5;
    print (a != b ? "yes" : "no") ",a" a ",b" b } }' >xor.csv
cat >xor.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "xor" { leat.source.file { path = "xor.csv" }, leat.parse.csv {}, leat.label.is { column = "y", positive = "yes" },
  leat.feature.columns { "a", "b" }, leat.learn.fm { id = "fm", loss = "logistic" }, leat.sink.null {} }
LUA
leat_run run xor.lua --quiet --state xor
leat_run trace xor.lua --state xor --json
claim "factors leave over what features do together" jq -e 'length == 5 and all(.[]; (.rest | fabs > 0.1) and
    (([.contributions[].contribution] | add) + .base + .rest - .score.margin | fabs < 1e-5))' <(predictions fm "$out")
leat_run trace xor.lua --state xor
claim "and the table says so" equal "$(grep -c '(features together)' "$out")" 5

# ---- what changes, and where records end ----
cat >ends.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "ends" {
  max_reject_ratio = 1,
  leat.source.file { path = leat.args.data or "ends.csv" }, leat.parse.csv {},
  leat.shape.set { "half = price / 2" }, leat.shape.where { id = "dear", "half < 10" },
  leat.route("kind", { a = { leat.shape.set { id = "of_a", "half = 7" }, leat.sink.file { id = "written", path = "written.csv" } },
    b = { leat.shape.set { id = "of_b", "x = 1" }, leat.sink.null {} } }) }
LUA
printf 'kind,price\na,3\nb,oops\nb,50\nc,4\nshort\n' >ends.csv
leat_run trace ends.lua -n 10 --json
cp "$out" ends.json
if [[ $status != 0 ]]; then cat "$err"; fi
claim_exit "records that end" 0
steps() { jq -c "[.records[$1].stages[] | select(.stage == \"$2\")][0]" ends.json; }
claim "a column that is added" equal "$(steps 0 set | jq -c .columns)" '[{"name":"half","value":1.5}]'
claim "one that changes" equal "$(steps 0 of_a | jq -c .columns)" '[{"name":"half","value":7}]'
claim "a rejected record has its reason" equal "$(steps 1 set | jq -r .rejected)" number
claim "and what it was told" grep -q "'oops' is not a number" <(steps 1 set)
claim "a filtered one" equal "$(steps 2 dear | jq .filtered)" true
claim "and no later stage" equal "$(jq '.records[2].stages[-1].stage' ends.json)" '"dear"'
claim "one that no branch takes" equal "$(jq '[.records[3].stages[] | select(.filtered)] | length' ends.json)" 1
claim "the line of each" equal "$(jq -c '[.records[].line]' ends.json)" "[2,3,4,5,6]"
claim "the file is not written" test ! -e written.csv
leat_run trace ends.lua -n 10
words() {
    local stage
    for stage in $(jq -r '[.. | .stage? // empty] | unique[]' ends.json); do grep -q "^ *$stage (" "$out" ||
        { echo "$stage"; return 1; }; done
    [[ $(grep -c '^ *rejected: ' "$out") == $(jq '[.. | .rejected? // empty] | length' ends.json) &&
        $(grep -c 'filtered' "$out") == $(jq '[.. | .filtered? // empty] | length' ends.json) ]]
}
claim "for people it says the same" words
leat_run trace ends.lua -n 10 --stage set --json
claim "--stage leaves the others out" equal "$(jq -c '[.records[].stages[] | select(.rejected or .filtered | not) |
    .stage] | unique' "$out")" '["set"]'
claim "--stage of no stage" sh -c "! $LEAT trace ends.lua --stage nothing 2>why && grep -q \"no stage 'nothing'\" why"
leat_run trace ends.lua --set data=- -n 1 --json <ends.csv
claim "standard input with a header" equal "$(jq -c '.records[0].stages[0].columns' "$out")" \
    '[{"name":"kind","value":"a"},{"name":"price","value":"3"}]'
leat_run trace ends.lua -n 0
claim_exit "-n 0 is refused" 2

# ---- a file that is followed ----
cat >followed.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "followed" { leat.source.file { path = "followed.csv", follow = true }, leat.parse.csv {}, leat.sink.null {} }
LUA
printf 'a,b\n1,2\n' >followed.csv
claim "is traced as far as it goes" equal "$(timeout 60 "$LEAT" trace followed.lua -n 5 --json |
    jq '.records | length')" 1

# ---- records that are made ----
cat >made.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "made" {
  leat.source.file { path = "made.csv" }, leat.parse.csv {},
  leat.flat(function(emit, words) for w in words:gmatch("%S+") do emit(w) end end, { "words" }, { "word" }),
  leat.shape.set { "again = word" }, leat.sink.null {} }
LUA
printf 'words\none two\nthree\n"  "\n' >made.csv
leat_run trace made.lua --json
claim "each record that is made" equal "$(jq -c '[.records[] | [.stages[] | select(.made) | .made[] | .columns[] |
    select(.name == "word") | .value]]' "$out")" '[["one","two"],["three"],[]]'
claim "and what follows" equal "$(jq -r '[.. | objects | select(.stage == "set") | .columns[0].value] | join(" ")' \
    "$out")" "one two three"
cat >window.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "window" {
  leat.source.file { path = "window.csv" }, leat.parse.csv {}, leat.parse.time { "t" },
  leat.shape.window { id = "window", by = "k", every = "1min", "n = count" }, leat.sink.null {} }
LUA
printf 't,k\n2026-01-01T00:00:01Z,a\n2026-01-01T00:00:02Z,a\n2026-01-01T00:00:03Z,b\n' >window.csv
leat_run trace window.lua --json
if [[ $status != 0 ]]; then cat "$err"; fi
claim "what a window keeps comes at the end" equal "$(jq -c '[.end[] | select(.stage == "window") | .made[].columns |
    map({(.name): .value}) | add | [.k, .n]] | sort' "$out")" '[["a",2],["b",1]]'

# ---- hostile texts ----
printf 'y,\033]0;title\007name,\xff\xfe,%s\n' "$(printf 'n%.0s' {1..300})" >hostile.csv
printf 'yes,\033[2J\033[31mred,\xe2\x80\xae\xff,%s\nno,a\rb,\xc2\x9b2J,%s\n' "$(printf 'long %.0s' {1..200})" \
    "$(printf '\xe6\xbc\xa2%.0s' {1..200})" >>hostile.csv
cat >hostile.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "hostile" {
  leat.source.file { path = "hostile.csv" }, leat.parse.csv {}, leat.label.is { column = "y", positive = "yes" },
  leat.feature.columns { "\027]0;title\007name", "\255\254", ("n"):rep(300) }, leat.learn.logistic {}, leat.sink.null {} }
LUA
leat_run trace hostile.lua --learn
if [[ $status != 0 ]]; then cat "$err"; fi
claim_exit "hostile texts" 0
claim "nothing acts on a terminal" sh \
    -c "! LC_ALL=C grep -qP '[\\x00-\\x09\\x0b-\\x1f\\x7f]|\\xc2[\\x80-\\x9f]|\\xe2\\x80[\\xaa-\\xae]' $out"
claim "all of it is UTF-8" iconv -f UTF-8 -t UTF-8 "$out"
claim "a line has 80 columns at most" test "$(LC_ALL=C.UTF-8 wc -L <"$out")" -le 80
claim "escapes are shown" grep -qF '\x1b' "$out"
leat_run trace hostile.lua --json
claim "the JSON is whole" jq -e '.records | length == 2' "$out"

# ---- refused ----
cat >topic.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "topic" { leat.source.kafka { brokers = "127.0.0.1:1", topics = { "t" }, start = "earliest" }, leat.parse.lines {}, leat.sink.null {} }
LUA
leat_run trace topic.lua
claim_exit "a topic is not read" 2
claim_says "and why" "leat trace reads only files and standard input"
done_claims
