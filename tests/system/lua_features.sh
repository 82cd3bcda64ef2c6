# leat.label and leat.features: Lua functions give the same labels and features as the stages without Lua.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
awk 'BEGIN { srand(4); split("Bonn Kiel Ulm", c, " "); print "city,kind,amount,class"
    for (i = 0; i < 3000; i++) { a = int(rand() * 30000) / 100
        printf "%s,%s,%.2f,%s\n", c[1 + int(rand() * 3)], rand() < .4 ? "day" : "night", a,
        a < 100 ? "low" : a < 200 ? "mid" : "high" } }' >data.csv

# pipeline "LABEL" "FEATURES" LEARNER: its predictions, heaviest features and rows are in p.csv, p.top, p.rows.
pipeline() {
    cat >p.lua <<LUA
local leat = require "leat"
return leat.pipeline "p" {
  leat.source.file { "data.csv" }, leat.parse.csv { numbers = { "amount" } },
  $1,
  $2,
  leat.learn.${3:-awm} { id = "m" },
  leat.sink.predictions { path = "p.csv" },
  leat.sink.top { k = 100, format = "jsonl", path = "p.top" },
  leat.sink.file { path = "p.rows", format = "raw" },
  dead_letters = "p.dead", max_reject_ratio = 1,
}
LUA
    leat_run run p.lua --quiet
}
# same "words" LABEL FEATURES [LEARNER]: as what pipeline wrote last under want.*
want() { pipeline "$@" && for kind in csv top rows dead; do cp p.$kind want.$kind; done; }
same() {
    pipeline "${@:2}"
    claim_exit "$1: the run ends well" 0
    claim "$1: the same bytes" sh -c 'for k in csv top rows dead; do cmp p.$k want.$k || exit 1; done'
}
label='leat.label.number { column = "amount" }'
night='leat.label.is { column = "kind", positive = "night" }'
columns='leat.feature.columns { "city", "kind", numbers = { "amount" }, scaled = false }'
all='{ "city", "kind", "amount" }'

# ---- features ----

want "$night" "$columns"
claim "there is something to compare" below 3000 "$(wc -l <want.csv)"
same "a list" "$night" "leat.features(function(c, k, a) return 'city=' .. c, 'kind=' .. k, 'amount', a end, $all)"
same "a table in a list, and values that leave out" "$night" \
    "leat.features(function(c, k, a) return nil, { 'city=' .. c, false, 'kind=' .. k }, 'no', 0, 'no', false, 'amount', a end, $all)"
same "elements of a table, and a key" "$night" \
    "leat.features(function(c, k, a) return { 'city=' .. c, 'kind=' .. k, amount = a } end, $all)"
want "$night" "leat.features(function(c, k, a) return 'amount', a, 'city=' .. c, 'kind=' .. k, '{', 2 end, $all)"
keys="leat.features(function(c, k, a) return { ['kind=' .. k] = true, amount = a, none = 0, ['{'] = 2, ['city=' .. c] = 1 } end, $all)"
for i in 1 2 3 4; do same "keys come in the order of their bytes, run $i" "$night" "$keys"; done
many='local t = {} for i = 1, 100 do t["f" .. i * 7919 % 1000 .. "=" .. c] = i % 3 end return t'
want "$night" "leat.features(function(c) local n = {} for i = 1, 100 do if i % 3 > 0 then n[#n + 1] = 'f' .. i * 7919 % 1000 .. '=' .. c end end
    table.sort(n) local v = {} for i = 1, 100 do v['f' .. i * 7919 % 1000 .. '=' .. c] = i % 3 end
    local out = {} for i, name in ipairs(n) do out[2 * i - 1], out[2 * i] = name, v[name] end return table.unpack(out) end, { 'city' }, { max_entries = 100, text_bytes = 4096 })"
claim "a hundred features are made" below 90 "$(jq '.top | length' p.top)"
same "a hundred keys" "$night" \
    "leat.features(function(c) $many end, { 'city' }, { max_entries = 100, text_bytes = 4096 })"

want "$night" 'leat.feature.tokens { column = "city" }'
same "a name without = is a token" "$night" "leat.features(function(c) return c end, { 'city' })"
pipeline "$night" "leat.features(function(c) if c == 'Ulm' then return end return c end, { 'city' })"
claim "without a result there is no example" equal "$(wc -l <p.csv)" "$((1 + $(grep -vc '^Ulm\|^city' data.csv)))"
claim "but the record stays" equal "$(wc -l <p.rows)" 3000
pipeline "$night" "leat.features(function(c) return {} end, { 'city' })"
claim "an empty table makes an example" equal "$(wc -l <p.csv)" 3001

# rejects "words" FUNCTION TEXT [OPTIONS]: every record, with this reason.
rejects() {
    pipeline "$night" "leat.features(function(c, k, a) $2 end, $all${4:+, $4})"
    claim "$1 rejects the record" equal "$(jq -r .record p.dead | sort -u | wc -l)" "$(sed 1d data.csv | sort -u |
        wc -l)"
    claim "$1: and says why" sh \
        -c "head -1 p.dead | jq -r .message | grep -qF -- \"\$1\" || { head -1 p.dead; exit 1; }" . "$3"
}
rejects "a table as a value" 'return { x = {} }' \
    'p.lua:5: the value of a feature must be a number or a boolean, not a table'
rejects "a number as a name" 'return { [2.5] = 1 }' 'the name of a feature must be text, not a number'
rejects "a value without a name" 'return 3' 'a feature must be a name, or a table of names and values, not a number'
rejects "a hole in a list" 'return { "a", "b", [9] = "c" }' 'the name of a feature must be text, not a number'
rejects "an empty name" 'return ""' 'a feature has an empty name'
rejects "a value that is not finite" 'return "x", 0 / 0' "which is not finite"
rejects "one that is too large" 'return "x", 1e300' "feature 'x' has the value 1e+300, which is too large"
rejects "too many features" 'return "a", "b", "c"' 'the function returned 3 features, more than max_entries = 2' \
    '{ max_entries = 2 }'
rejects "far too many" 'local t = {} for i = 1, 5000 do t[i] = "x" end return t' \
    'the function returned 5000 features, more than max_entries = 64'
pipeline "$night" "leat.features(function(c) return ('x'):rep(3000) end, { 'city' }, { text_bytes = '100' })"
claim "names that the batch has no space for are told with the cure" grep \
    -qF "the names of its features have 3000 bytes, and the batch has less room: raise 'text_bytes'" p.dead
claim "and others have space" below 50 "$(($(wc -l <p.csv) - 1))"

# ---- labels ----

want "$night" "$columns"
same "true and false" "leat.label(function(k) return k == 'night' end, { 'kind' })" "$columns"
same "1 and -1" "leat.label(function(k) return k == 'night' and 1 or -1 end, { 'kind' })" "$columns"
want "$label" "$columns" bias
same "a number" "leat.label(function(a) return a end, { 'amount' })" "$columns" bias
same "the text of a number" "leat.label(function(a) return a end, { 'amount:text' })" "$columns" bias
want 'leat.label.class { column = "class", classes = { "low", "mid", "high" } }' "$columns"
same "names of classes" \
    "leat.label(function(a) return a < 100 and 'low' or a < 200 and 'mid' or 'high' end, { 'amount' }, { classes = { 'low', 'mid', 'high' } })" "$columns"
few="leat.label(function(a) if a < 200 then return a < 100 end end, { 'amount' }"
low=$(awk -F, 'NR > 1 && $3 < 200' data.csv | wc -l)
pipeline "$few, { missing = 'filter' })" "$columns"
claim "nil can filter" equal "$(wc -l <p.rows) $(wc -l <p.dead)" "$low 0"
pipeline "$few, { missing = 'reject' })" "$columns"
claim "or reject" equal "$(grep -c '"reason":"label".*the function returned no label' p.dead)" "$((3000 - low))"
pipeline "$few)" "$columns"
claim "or leave the record without a label, which the learner tells" equal "$(grep -c 'the record has no label' \
    p.dead)" "$((3000 - low))"
pipeline "leat.label(function(k) return k end, { 'kind' })" "$columns"
claim "a text without classes is told with the cure" grep \
    -qF "the function returned the text 'night': return a number, or name the classes, as in { classes" p.dead
pipeline "leat.label(function(k) return k end, { 'kind' }, { classes = { 'day', 'dawn' } })" "$columns"
claim "a text that is no class is told" grep \
    -qF "the function returned 'night', which is not one of the 2 classes in \`classes\`" p.dead
pipeline "leat.label(function(k) return 1, 2 end, { 'kind' })" "$columns"
claim "a label is one value" grep -qF "p.lua:4: the function returned 2 values: a label is one" p.dead

# ---- before the run ----

refused() { # "words" LABEL FEATURES TEXT…
    pipeline "$2" "$3"
    claim_exit "$1 is refused" 2
    claim_says "$1: and the message helps" "${@:4}"
}
refused "a column that is not there" "leat.label(function(k) end, { 'knid' })" "$columns" \
    "label (lua.label): columns: there is no column 'knid': did you mean 'kind'?"
refused "a label after the features" "$columns" "leat.label(function(k) end, { 'kind' })" \
    "labels must be set before examples are made: move this stage up"
refused "two featurizers" "$night, $columns" "leat.features(function(k) end, { 'kind' })" \
    "features (lua.features): an earlier stage makes examples: leave out that stage or this one"
refused "one class" "leat.label(function(k) end, { 'kind' }, { classes = { 'day' } })" "$columns" \
    "classes: has only one class: name at least two"
refused "a class that is there twice" "leat.label(function(k) end, { 'kind' }, { classes = { 'a', 'a' } })" "$columns" \
    "classes: has 'a' twice: leave one out"
refused "a misspelt option" "leat.label(function(k) end, { 'kind' }, { clases = { 'a', 'b' } })" "$columns" \
    "unknown parameter 'clases': did you mean 'classes'?"
refused "no function" "leat.label({ 'kind' })" "$columns" "fn"
done_claims
