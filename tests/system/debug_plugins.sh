# --debug-plugins reports forbidden acts of a stage by its name, and nothing about correct stages.
# tier: long (12 s)
plugins=$PWD/${B:-build/release}/tests/plugins here=$PWD
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
ulimit -c 0
{ echo a,b; seq 3000 | awk '{ print $1 "," ($1 % 3 ? "x" : "y") }'; } >rows.csv
cat >breaking.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "breaking" { leat.source.file { "rows.csv" }, leat.parse.csv {}, leat.label.is { column = "b", positive = "x" },
  leat.feature.breaking { id = "mine", how = leat.args.how }, leat.learn.awm { budget = "4KB" }, leat.sink.top {} }
LUA
mkdir with && cp "$plugins/breaking.so" with
breaking() { leat_run run breaking.lua --plugin-path with --quiet --debug-plugins --set how="$1"; }

breaking nothing
claim "a stage without a fault passes" equal "$status $(cat "$err")" "0 "
# told HOW TEXT: the run ends, and the stage is named with it.
told() {
    breaking "$1"
    claim "$1 ends the run" equal "$status" 1
    claim_says "$1 is told of the stage that did it" "mine (feature.breaking)" "$2"
}
told unfilled "process did not fill its column 'made' for record 0 of the batch"
told rewrite "process changed a column that came without declaring LEAT_REWRITES"
told raw "process changed raw without declaring LEAT_UNPACKS"
told label "process changed label without declaring LEAT_REWRITES"
told text "process changed bytes"
told sel "process changed sel"
told n "process changed n, the number of records"
told n_sel "process changed n_sel"
told status "process left status[0] at 9"
told ex_start "process left ex_start[1] at 294967298"
told ex_record "process left ex_record[0] at 4000000, and there are"
told n_entries "process left n_entries at"
told nan "process left value[0], of example 0, at nan"
told slice "changed a column that came"
told boolean "process left column 'made' of record 0 at 7, and a boolean is 0, 1 or LEAT_NO_BOOLEAN"
breaking "unknown type"
claim_says "a column of a type of another time is refused" "column 'made' has type 31, which this version of leat does not know"
if [[ ${B:-} != *address* && ${B:-} != *thread* ]]; then
    for array in value label status; do
        told "beyond $array" "crashed (SIGSEGV) in process: it wrote or read beyond the end of $array"
    done
    told unasked "crashed (SIGSEGV) in process"
    told self "crashed (SIGSEGV) in process: it wrote or read beyond the end of self, its own memory"
    claim_says "and where its batch begins" "leat: the batch begins at rows.csv:2"
else
    skip "a stage that goes beyond an array is named" "sanitizers end the process themselves"
fi
for how in print write; do
    breaking $how
    claim_says "$how: what is written to standard output is told" \
        "warning: mine (feature.breaking): process wrote to standard output (\"hello there"
    claim "$how: once, and written all the same" equal "$status $(grep -c 'wrote to' "$err") $(grep -c 'hello there' \
        "$out")" "0 1 3"
    claim "$how: the answer is there, too" grep -q 'weight' "$out"
done

# ---- no false alarm ----
cat >right.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "right" {
  leat.source.file { a.data }, leat.parse.csv { lanes = 2 },
  leat.shape.set { "size = bucket(amount, 0, 100, 10000)", "payee = lower(payee)" },
  leat.shape.where { "amount > 0" },
  leat.map(function(amount) return amount * 2 end, { "amount:number" }, { "double:number" }),
  leat.flat(function(emit, payee, size) emit(payee, size) if #payee % 2 == 0 then emit(payee .. "!", size) end end, { "payee", "size" }, { "who", "size" }),
  leat.tee {
    { leat.label.is { column = "size", positive = "0..100" }, leat.feature.columns { "who", "size", cross = 2 }, leat.feature.normalize {},
      leat.learn.awm { budget = "8KB" }, leat.tee { { leat.sink.top { path = "top" } }, { leat.result.predictions {}, leat.sink.null {} } } },
    { leat.route("size", { ["1"] = { leat.sink.file { path = "one", format = "csv" } }, ["*"] = { leat.sink.null {} } }) },
    { leat.feature.tokens { "who" }, leat.feature.pairs {}, leat.learn.awm { budget = "8KB" }, leat.sink.top { path = "pairs" } },
  },
}
LUA
zstd -dc "$here/pipelines/data/senate-disbursements.csv.zst" | head -8000 >senate.csv
right() { leat_run run right.lua --quiet --set data=senate.csv "$@"; cat top one pairs >"result$#"; }
right
plain=$status
right --debug-plugins
claim "our own stages have no finding" equal "$plain $status $(grep -c debug-plugins "$err")" "0 0 0"
claim "and give the same bytes" cmp result0 result1
leat_run run "$here/pipelines/explain.lua" --quiet --debug-plugins
claim "so do those of the pipeline explain" equal "$status $(grep -c debug-plugins "$err")" "0 0"
done_claims
