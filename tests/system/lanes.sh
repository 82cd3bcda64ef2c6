# Lanes: every pair of built-in parallel stages writes the same bytes with lanes none, 1, 2 and 3 in both positions: as
# many, more or fewer than in the other. The pairs come from `leat plugins --json`, which includes new stages.
# tier: long (35 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

awk 'BEGIN { srand(3); print "k,a,b,text"; for (i = 0; i < 200; i++)
     printf "%d,%d,b%d,some words w%d here\n", rand() < .5, rand() * 9, rand() * 20, rand() * 30 }' >rows.csv
sed -i '60s/.*/too,few/; 130s/.*/x,y/' rows.csv
sed '1d; s/,/\t/g' rows.csv >rows.tsv
{ echo b,text && seq 0 9 | sed 's,.*,b&\,about &,'; } >table.csv
svm_examples 5 200 6 90 >rows.svm
sed -i '70s/.*/+1 bad/' rows.svm
jq -nc 'range(200) | {k: (. % 2), a: (. % 9), b: "b\(. % 20)", text: "some \(.)"} | if .k + .a ==
    9 then [.] else . end' >rows.json
jq -nc 'range(200) | {record: "\(. % 2),\(.),b\(. % 7),text \(.)"}' >rows.jsonl
jq -nr 'range(200) | "k=\(. % 2) a=\(. % 9) b=\(. % 20) text=\"some \\n \(.)\"", (if . % 50 ==
    0 then "=" else empty end)' >rows.logfmt
# A line is a record: no byte is a line end, as no text has five bytes.
avro_text='{"name":"%s","type":"string"},'
printf "{\"type\":\"record\",\"name\":\"R\",\"fields\":[$avro_text$avro_text$avro_text${avro_text%,}]}" k a b text \
    >rows.avsc
LC_ALL=C awk 'function text(s) { printf "%c%s", 2 * length(s), s }
     BEGIN { for (i = 0; i < 200; i++) { text(i % 2); text(i % 9); text("b" i % 20);
     text(i % 50 ? "more " 10 + i : "\377"); print "" } }' >rows.avro
# No byte of a message is a line end, either: no field has the number 1.
echo 'syntax = "proto3"; message R { string k = 2; string a = 3; string b = 4; string text = 5; }' >rows.proto
LC_ALL=C awk 'function text(tag, s) { printf "%c%c%s", tag, length(s), s }
     BEGIN { for (i = 0; i < 200; i++) { text(18, i % 2); text(26, i % 9); text(34, "b" i % 20);
     text(42, i % 50 ? "more " 10 + i : "\377"); print "" } }' >rows.pb
cat >pair.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local needed = { -- what a stage cannot do without; all others run as they are by default
  ["feature.columns"] = { "a", "b" }, ["feature.tokens"] = { "b" }, ["feature.sides"] = { left = { "b" } },
  ["label.class"] = { column = "k", classes = { "0", "1" } }, ["label.number"] = { column = "k" }, ["label.constant"] = { value = 1 },
  ["label.is"] = { column = "k", positive = { "1" } }, ["parse.lines"] = { column = "b" }, ["parse.json"] = { "k", "a", "b", "text" },
  ["parse.logfmt"] = { "k", "a", "b", "text" },
  ["parse.avro"] = { "k", "a", "b", "text", schema = "rows.avsc", framing = "none" },
  ["parse.protobuf"] = { "k", "a", "b", "text", schema = "rows.proto", message = "R", framing = "none" },
  ["parse.regex"] = { pattern = "^(?<k>.),(?<a>[^,]*),(?<b>[^,]*),(?<text>.*)" },
  ["parse.time"] = { "a", format = "unix", parts = { "second", "weekday" } }, ["parse.tsv"] = { header = false, columns = { "k", "a", "b" } },
  ["shape.set"] = { "b = upper(b)", "made = b .. '-' .. k", "n = length(text)" }, ["shape.where"] = { "a ~= 3" },
  ["label.where"] = { "a ~= 3" }, ["label.period"] = { before = "1970-01-01T00:00:04" },
  ["shape.lookup"] = { "table.csv", key = "b", columns = { "text" }, prefix = "of_" },
}
local function stage(name, lanes)
  local group, short = name:match "(.*)%.(.*)"
  local with = {}
  for k, v in pairs(needed[name] or {}) do with[k] = v end
  with.lanes = tonumber(lanes)
  local one = leat[group][short](with)
  return name == "label.period" and { leat.parse.time { "a", id = "times", format = "unix" }, one } or one
end
local inputs = {
  ["parse.libsvm"] = "rows.svm", ["parse.dead_letters"] = "rows.jsonl", ["parse.tsv"] = "rows.tsv", ["parse.json"] = "rows.json",
  ["parse.avro"] = "rows.avro", ["parse.protobuf"] = "rows.pb", ["parse.logfmt"] = "rows.logfmt",
}
local line = { leat.source.file { path = inputs[a.first] or "rows.csv" } }
if a.needs ~= "records" then line[#line + 1] = leat.parse.csv {} end
if a.needs == "examples" then line[#line + 1] = leat.feature.columns { "a", "b" } end
line[#line + 1] = stage(a.first, a.lanes1)
line[#line + 1] = stage(a.second, a.lanes2)
if a.examples then
  line[#line + 1] = leat.learn.frequent { id = "model" }
  line[#line + 1] = leat.sink.top { k = 100, format = "jsonl", path = a.out .. ".top" }
end
line[#line + 1] = leat.sink.file { path = a.out .. ".rows", format = a.columns and "csv" or nil }
line.batch_rows, line.max_reject_ratio, line.dead_letters = 16, 1, a.out .. ".dead"
return leat.pipeline "pair"(line)
LUA

arrangements=("none none" "none 3" "2 none" "1 1" "2 2" "1 2" "3 2" "2 3")

# same_files OUT: each kind of file has been written by no run, or by the runs of all arrangements with the same bytes.
same_files() {
    cksum "$1".* | awk -v runs=${#arrangements[@]} '
        { kind = $NF; sub(/.*[.]/, "", kind); n[kind]++; seen[kind, $1, $2]++ }
        END { for (k in n) if (n[k] != runs) exit 1; for (k in seen) if (seen[k] != runs) exit 1 }'
}

# pair FIRST SECOND NEEDS: its lines "ok PAIR", "differs PAIR", or "refused PAIR" when the two do not fit without lanes.
pair() {
    local with=(--set "first=$1" --set "second=$2" --set "needs=$3") out=$1-$2 lanes extra status first=
    "$LEAT" check pair.lua "${with[@]}" --set "out=$out" >/dev/null 2>&1 || { echo "refused $1 $2"; return; }
    for extra in examples=1 columns=1; do
        "$LEAT" check pair.lua "${with[@]}" --set "out=$out" --set $extra >/dev/null 2>&1 && with+=(--set $extra)
    done
    for lanes in "${arrangements[@]}"; do
        "$LEAT" run pair.lua "${with[@]}" --set "out=$out.$lanes" --set "lanes1=${lanes% *}" \
            --set "lanes2=${lanes#* }" --quiet 2>/dev/null
        status=$?
        first=${first:-$status}
        [[ $first != 2 ]] || { echo "refused $1 $2"; return; } # known once the input is open
        [[ $status -le 1 && $status == "$first" ]] || echo "differs $1 $2 $lanes: exit $status, not $first"
    done
    same_files "$out" || echo "differs $1 $2: $(cksum "$out".* | tr '\n' ';')"
    rm -f "$out".*
    echo "ok $1 $2"
}

"$LEAT" plugins --json | jq -r '.. | objects | select(.parallel == true) | "\(.name) \(.needs[0])"' >stages
while read -r first needs; do
    while read -r second _; do
        pair "$first" "$second" "$needs" >"pair.$first.$second" &
        (($(jobs -rp | wc -l) < 4)) || wait -n
    done <stages
done <stages
wait
cat pair.*.* | sort >pairs
differing() { ! grep '^differs' pairs; }
run=$(grep -c '^ok' pairs) refused=$(grep -c '^refused' pairs)
claim "every pair in lanes writes the same bytes as without ($run pairs run, $refused do not fit)" differing
alone() { while read -r name _; do grep -q "^ok.* $name\( \|$\)" pairs ||
    { echo "no pair with $name" && return 1; }; done <stages; }
claim "and every stage that may run in lanes is in some pair" alone

cat >inherit.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "inherit" { leat.source.file { "rows.csv" }, leat.parse.csv { lanes = 2 },
  leat.label.number { "k" }, leat.feature.columns { "a" }, leat.feature.normalize { lanes = 1 }, leat.sink.null {} }
LUA
leat_run check inherit.lua --json
claim "a stage stays in the lanes of the one before it, unless it says otherwise" \
    equal "$(jq -c '[.graph.stages[].lanes]' "$out")" "[1,2,2,2,1,1]"

cat >threads.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function rows() return { leat.source.file { a.data or "rows.csv" }, leat.parse.csv { lanes = tonumber(a.lanes) } } end
return leat.pipeline "threads" {
  a.sources and { leat.merge { rows(), rows() } } or rows(),
  a.table and leat.shape.lookup { "table.csv", key = "b", columns = { "text" }, prefix = "of_" } or {},
  leat.label.where { "a > 3" }, leat.feature.columns { "a", "b" }, leat.feature.normalize {},
  leat.learn.frequent { id = "model" }, leat.sink.top { k = 100, format = "jsonl", path = "top." .. (a.name or a.threads) },
  threads = tonumber(a.threads), batch_rows = 8, max_reject_ratio = 1, dead_letters = "dead." .. (a.name or a.threads),
}
LUA
# lanes_with SETTING…: the lanes of all stages in the order of the script
lanes_with() {
    "$LEAT" check threads.lua --json "${@/#/--set=}" | jq -c '[.graph.stages[].lanes]'
}
claim "threads above 3 are lanes of the stages between source and learner" \
    equal "$(lanes_with threads=3) $(lanes_with threads=4) $(lanes_with threads=64)" \
    "[1,1,1,1,1,1,1] [1,2,2,2,2,1,1] [1,62,62,62,62,1,1]"
claim "sources share them" equal "$(lanes_with threads=9 sources=1)" "[1,1,3,3,1,1,1,1,1,1]"
claim "a stage that reads a file, and those after it, get none" \
    equal "$(lanes_with threads=5 table=1)" "[1,3,1,1,1,1,1,1]"
claim "a script's own lanes stay as they are" equal "$(lanes_with threads=8 lanes=2)" "[1,2,2,2,2,1,1]"
claim "check names them" equal "$("$LEAT" check threads.lua --set threads=8 | sed -n '/^threads/,$p')" "threads: 8
  1: file  -> 2
  2 (6 lanes): csv | where | columns | normalize  -> 3
  3: model | top"
for threads in 1 2 3 4 8 64; do
    "$LEAT" run threads.lua --set threads=$threads --quiet --summary summary.$threads 2>/dev/null
done
same_with_threads() { [[ -s $1.64 && $(cksum "$1".* | cut -d' ' -f1,2 | sort -u | wc -l) == 1 ]]; }
claim "1, 2, 3, 4, 8 and 64 threads give the same answer" same_with_threads top
claim "and the same dead letters" same_with_threads dead
counted_by() { jq -c '.stages[].metrics | select(.known) | [.known, .true]' "summary.$1"; }
claim "and the same counts of a stage in lanes" equal "$(counted_by 64)" "$(counted_by 1)"
for threads in 9 3; do
    head -n $((threads == 9 ? 100 : 201)) rows.csv >part.csv
    "$LEAT" run threads.lua --set threads=$threads --set data=part.csv --set name=x --quiet \
        --state state --summary part 2>/dev/null
done
claim "a run that continues with fewer threads has the counts of all" \
    equal "$(jq -c '.stages[] | select(.id == "csv") | [.in, .out]' part)" "[200,198]"
done_claims
