# Promises of the headers to plugins, and rules for them: the host keeps the promises, and reports broken rules.
. "$(dirname "$0")/../support/claims.sh"
plugins=$PWD/${B:-build/release}/tests/plugins
cd "$tmp" || exit 1

# ---- memory ----

cat >greedy.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "greedy" {
  leat.source.null { records = 3000 },
  leat.keep.greedy { id = "g", planned = a.planned, takes = a.takes, more = a.more, fails = a.fails == "yes", fills = a.fills == "yes", lanes = a.lanes },
  leat.sink.null { id = "n" },
}
LUA
greedy() { leat_run run greedy.lua --plugin-path "$plugins/greedy.so" --quiet --summary s.json "$@"; }

greedy --set planned=2MB --set takes=2MB
claim_exit "a stage gets what it has planned, and need not free it" 0
claim "the summary has what it used and what it has planned: nothing is used of what is not touched" \
    jq -e '.stages[] | select(.id == "g").memory | .planned == 2097152 and .used < 20000' s.json
greedy --set planned=2MB --set takes=2MB --set fills=yes
claim "what it fills is used" jq -e '.stages[] | select(.id == "g").memory | .planned == 2097152 and .used == 2097153' \
    s.json
claim "and of a stage that took what it has planned" jq -e '.stages[] | select(.id == "n") | .memory.planned ==
    .planned_bytes and has("memory")' s.json
claim "and of the process, whose peak is no less than what it has at the end" jq -e '.memory | .planned > 2097152 and
    .used > 2097152 and .peak >= .used' s.json
greedy --set planned=2MB --set takes=2MB --set fills=yes --set lanes=3
claim "of all lanes" jq -e '.stages[] | select(.id == "g").memory | .planned == 3 * 2097152 and .used == 3 * 2097153' \
    s.json
greedy --set planned=2MB --set takes=2200KB
claim_exit "and a little more, for plans that round" 0
greedy --set planned=2MB --set takes=400MB
claim_exit "one that takes much more than it has planned ends the run" 1
claim_says "and is told what it has planned and what it asked for" \
    "g (keep.greedy): it asked for 400.0 MB and has 0 B already, but planned only 2.0 MB in all: its \`plan\` must count all that it allocates"
greedy --set planned=2MB --set takes=2MB --set more=2MB
claim_exit "also with a later batch" 1
claim_says "also then" \
    "g (keep.greedy): it asked for 2.0 MB and has 2.0 MB already, but planned only 2.0 MB in all"
greedy --set planned=2MB --set takes=2MB --set fails=yes
claim_exit "an open that fails ends the run" 1
claim_says "by its own words, and leaves nothing to free" "g (keep.greedy): it shall not be opened"

# ---- bounds ----

cat >bounds.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local stages = { leat.source.file { a.data, max_record = "1KB" }, leat.parse.lines { "text" }, leat.label.constant { 1 } }
for stage in a.stages:gmatch "%w+" do
  stages[#stages + 1] = leat.feature[stage] { "text", id = stage .. #stages, lower = stage == "tokens" and a.lower == "yes" or nil }
end
stages[#stages + 1] = leat.learn.hash { id = "model", budget = "4KB" }
stages[#stages + 1] = leat.sink.null { id = "n" }
return leat.pipeline "bounds" { batch_bytes = "4KB", table.unpack(stages) }
LUA
awk 'BEGIN { for (i = 0; i < 300; i++) { for (j = 0; j < 511; j++) printf "%s ", substr("AbCd", 1 + (i + j) % 4, 1);
    print "A" } }' >dense.txt
fits() {
    leat_run run bounds.lua --plugin-path "$plugins/ngrams.so" --set data=dense.txt --set "$@" --quiet --summary s.json
    claim_exit "$1: each batch has room for what each stage said" 0
    claim "and no record is rejected" jq -e '[.stages[].rejected // 0] | add == 0' s.json
}
fits "stages=tokens ngrams"
fits "stages=ngrams ngrams"
fits "stages=tokens ngrams ngrams" --set lower=yes
fits "stages=ngrams ngrams ngrams"

# ---- where records came from ----

cat >places.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "places" { dead_letters = "dead.jsonl",
  leat.source.places { how = a.how, extents = a.extents }, leat.sink.null { id = "n" } }
LUA
places() {
    leat_run run places.lua --plugin-path "$plugins/places.so" --quiet --summary s.json --set "$@"
    claim_exit "$*: a source says where its records come from" 0
    offsets=$(jq -s -c 'map(.offset)' dead.jsonl)
}
places how=numbered
claim "records that follow each other have one after the other" equal "$offsets" "$(jq -nc '[range(0; 40; 3)]')"
places how=gaps
claim "records with gaps keep theirs, and a batch ends where its extents do" equal "$offsets" "$(jq -nc '[range(0; 40;
    3) * 10]')"
places how=gaps --set extents=24
claim "more extents make larger batches, with the same places" equal "$offsets" "$(jq -nc '[range(0; 40; 3) * 10]')"
places how=late
claim "a record may be rejected before its extent is added" equal "$offsets" "$(jq -nc '[range(100; 140; 3)]')"

# ---- records of bytes ----

cat >cut.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local source = a.piece and leat.source.bytes { a.data, piece = a.piece, max_record = "1KB", id = "s" } or leat.source.file { a.data, max_record = "1KB", id = "s" }
local parser = a.lines and leat.parse.lines { skip_blank = false } or leat.parse.csv {}
return leat.pipeline "cut" { dead_letters = a.out .. ".dead", batch_rows = a.rows, batch_bytes = "4KB", source, parser, leat.sink.file { path = a.out } }
LUA
mkdir cut && : >differs
printf 'a,b\n1,"x\ny"\n\n2,"say ""no"""\n3,z\n' >cut/quoted
printf 'a,b\r\n1,"x\r\ny"\r\n2,\r\n\r\n3,z' >cut/crlf
printf '\xef\xbb\xbfa,b\n1,2\n' >cut/mark
printf 'a,b' >cut/header_alone
printf 'a,b\n1,2\n3,"never closed\n4,5\n6,7\n' >cut/open
{ printf 'a,b\n1,2\n'; printf '%02000d,x\r\n3,4\n"%s\n5,6\n' 7 "$(printf "%01200d" 8)"; } >cut/long
{ printf 'a,b\n'; for i in {1..300}; do printf '%d,"%*s\n"\n' "$i" $((i % 30 * 40)) ''; done; printf "%01100d" 1; } \
    >cut/many
: >cut/empty
cuts() { "$LEAT" run cut.lua --plugin-path "$plugins/bytes.so" --quiet --set "out=$1" --set "data=$2" "${@:3}" \
    >"$1.log" 2>&1; echo $? >"$1.exit"; touch "$1" "$1.dead"; }
alike() { cmp "$1" "$2" && cmp "$1.dead" "$2.dead" && cmp "$1.exit" "$2.exit"; }
for kind in csv lines; do
    set --
    [[ $kind == csv ]] || set -- --set lines=yes
    for file in cut/*; do
        rm -f file*
        cuts file "$file" "$@"
        for piece in 1 2 7 65536; do
            rm -f bytes*
            cuts bytes "$file" --set piece=$piece "$@"
            alike file bytes >>differs 2>&1 || echo "$kind $file $piece" >>differs
        done
        rm -f bytes*
        cuts bytes "$file" --set piece=5 --set rows=1 "$@"
        alike file bytes >>differs 2>&1 || echo "$kind $file one by one" >>differs
    done
done
claim "a source of bytes gives the records, places and rejections of source.file, at every boundary" equal "$(head -5 \
    differs 2>&1)" ""

printf 'a,b\n1,"x\ny"\n2,z\n' >grows
leat_run run cut.lua --plugin-path "$plugins/bytes.so" --quiet --state cut-state --set out=bytes --set data=grows \
    --set piece=3
printf '3,"\n"\n4,4' >>grows
leat_run run cut.lua --plugin-path "$plugins/bytes.so" --quiet --state cut-state --set out=bytes --set data=grows \
    --set piece=3
claim "it continues at the place that the host told it" cmp bytes <(tail -n +2 grows; echo)

cat >pcap.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "pcap" { leat.source.pcap { "none.pcap" }, leat.parse.csv {}, leat.sink.null {} }
LUA
: >none.pcap
leat_run check pcap.lua
claim_exit "a parser whose records the source does not cut is refused" 2
claim_says "with both stages and what to do" "csv (parse.csv): the parser wants CSV records" \
    "but pcap (source.pcap) (line 2) cuts no records out of text: use another source, such as source.file"

# ---- margins that are no log odds ----

cat >decision.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "decision" {
  leat.source.file { "two.svm" }, leat.parse.libsvm {},
  leat.learn.perceptron { id = "perceptron" }, leat.sink.predictions { path = "predictions" },
  leat.learn.logistic { id = "logistic" }, leat.sink.null {},
}
LUA
svm_examples 3 4000 5 40 >two.svm
leat_run run decision.lua --plugin-path "$plugins/perceptron.so" --quiet --summary s.json
claim_exit "a learner of decisions runs beside one of log odds" 0
wrong=$(awk 'NR > 1 { n++; wrong += ($2 >= 0) != ($3 > 0) } END { printf "%.9f", wrong / n }' predictions)
claim "its error rate is that of the predictions it wrote" \
    jq -e --argjson wrong "$wrong" '.stages[] | select(.id == "perceptron").metrics | .examples == 4000 and
        (.error_rate - $wrong | fabs) < 1e-8 and has("auc")' s.json
claim "it has no figure of a probability" \
    jq -e '.stages[] | select(.id == "perceptron").metrics | keys | all(test("log_loss|calib|brier") | not)' s.json
claim "its curve is one of error rates, and ends at the whole" \
    jq -e '.stages[] | select(.id == "perceptron") | .metrics.error_rate as $whole | .curve
        | all(keys == ["error_rate", "error_rate_since", "examples"]) and (last.error_rate - $whole | fabs) < 1e-8' \
            s.json
claim "it is compared by the error rate alone" \
    jq -e '[.comparisons[] | select([.a, .b] | sort == ["logistic", "perceptron"]).measure] == ["error_rate"]' s.json
done_claims
