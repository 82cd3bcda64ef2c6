# Columns of six types: each stage gets types that it takes, converted if necessary; exact values stay exact.
plugins=$PWD/${B:-build/release}/tests/plugins
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/mock.sh"
pipelines=$OLDPWD/pipelines
cd "$tmp" || exit 1
mkdir with && cp "$plugins/typed.so" with
printf 'x\n1\n0\n2\n' >rows.csv

# pipeline NAME STAGES: a script on rows.csv with every type
pipeline() {
    cat >"$1.lua" <<LUA
local leat = require "leat"
return leat.pipeline "$1" { leat.source.file { leat.args.rows or "rows.csv" }, leat.parse.csv {}, leat.shape.typed {}, $2 }
LUA
}
# prints NAME TEXT: what the run writes to the file out
prints() {
    leat_run run "$1.lua" --plugin-path with --quiet --debug-plugins
    claim_exit "$1 runs" 0
    claim "$1 writes what is there" equal "$(<out)" "$2"
}

pipeline json 'leat.sink.file { path = "out", format = "jsonl" }'
prints json '{"x":"1","i":9007199254740993,"y":"1","b":true,"t":"1970-01-01T00:00:01Z"}
{"x":"0","i":null,"y":null,"b":null,"t":null}
{"x":"2","i":9007199254740994,"y":"2","b":false,"t":"1970-01-01T00:00:02Z"}'
pipeline csv 'leat.sink.file { path = "out", format = "csv" }'
prints csv 'x,i,y,b,t
1,9007199254740993,1,true,1970-01-01T00:00:01Z
0,,,,
2,9007199254740994,2,false,1970-01-01T00:00:02Z'
leat_run check csv.lua --plugin-path with
claim "the listing of columns has their types" grep -qF "(new columns: i:int64, y:bytes, b:boolean, t:time)" "$out"
leat_run check csv.lua --plugin-path with --json
claim "and as JSON" grep -q '"boolean"' "$out"

# ---- a stage that knows text and numbers only ----
pipeline elder 'leat.sink.elder { "out" }'
leat_run check elder.lua --plugin-path with
claim_exit "bytes are nothing that it takes" 2
claim_says "which is said with what to do" \
    "column 'y' holds bytes, but the stage takes text or numbers: decode them in the stage that makes the column, or by leat.map"
pipeline unasked 'leat.sink.elder { "out", asks = false }'
prints unasked '? ? ? ? ? 
? ? ? ? ? 
? ? ? ? ? '
sed -i 's/leat.sink.elder/leat.shape.set { "s = i .. b" }, leat.flat(function(emit, i, b, t) emit(i, b and 1 or 0, t) end, { "i", "b", "t" }, { "i", "b:number", "t" }), &/' elder.lua
prints elder "'9007199254740993' 1 '1000000000' 
 0  
'9007199254740994' 0 '2000000000' "

# ---- Lua ----
pipeline lua 'leat.map(function(i, b, t, n, s) return math.type(i) .. (i and i + 1 or 0), tostring(b), math.type(t), n, s end,
  { "i", "b", "t", "t:number", "t:text" }, { "i1", "b1", "t1", "n:number", "s" }), leat.sink.file { path = "out", format = "csv", columns = { "i1", "b1", "t1", "n", "s" } }'
printf 'x\n1\n' >rows.csv
prints lua 'i1,b1,t1,n,s
integer9007199254740994,true,integer,1,1970-01-01T00:00:01Z'
pipeline rewrite 'leat.map(function(i, b, t) return i + 1, not b, t + 1000000000 end, { "i", "b", "t" }), leat.sink.file { path = "out", format = "csv", columns = { "i", "b", "t" } }'
prints rewrite 'i,b,t
9007199254740994,false,1970-01-01T00:00:02Z'

# ---- keys, groups, order: values as they are ----
printf 'x\n%s\n' 3 1 2 1 >rows.csv
pipeline groups 'leat.shape.dedup { by = { "i", "b", "t" } }, leat.shape.set { "ts = t" }, leat.parse.time { column = "t" }, leat.shape.sort { lateness = "10s" }, leat.sink.file { path = "out", format = "csv", columns = { "i", "b", "t", "y" } }'
leat_run check groups.lua --plugin-path with
claim_exit "keys, times and what is kept of records may be of any type" 0
prints groups 'i,b,t,y
9007199254740993,true,1970-01-01T00:00:01Z,1
9007199254740994,false,1970-01-01T00:00:02Z,2
9007199254740995,true,1970-01-01T00:00:03Z,3'
pipeline window 'leat.parse.time { column = "t" }, leat.shape.window { by = { "b", "i" }, every = "1h", columns = { "count", "n=sum(i)", "m=mean(b)" } }, leat.sink.file { path = "out", format = "csv", columns = { "b", "i", "count", "m" } }'
leat_run run window.lua --plugin-path with --quiet --debug-plugins
claim "groups are told apart by values that a double would not" equal "$(sort out | paste -sd'|')" \
    "b,i,count,m|false,9007199254740994,1,0|true,9007199254740993,2,1|true,9007199254740995,1,1"

# ---- branches, merges, lanes ----
seq 0 20000 | sed '1s/.*/x/' >many.csv
cat >branches.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "branches" { leat.source.file { "many.csv" }, leat.parse.csv { lanes = 2 }, leat.shape.typed { lanes = 3 },
  leat.route("b", { ["true"] = { leat.shape.where { "i > 0", lanes = 2 } }, ["*"] = { leat.shape.where { "b == 'false'" } } }), leat.merge(),
  leat.tee { { leat.shape.where { "b == 'true'" }, leat.sink.file { path = "odd", format = "csv", columns = { "x", "i" } } },
    { leat.shape.where { "b == 'false'" }, leat.shape.set { "t2 = t" }, leat.sink.file { path = "even", format = "csv", columns = { "x", "t2" } } } } }
LUA
leat_run run branches.lua --plugin-path with --quiet --debug-plugins
claim_exit "branches, merges and lanes convert each for itself" 0
claim "a route goes by a boolean, and no record is lost" equal "$(wc -l <odd) $(wc -l <even)" "10001 10001"
claim "what is converted in one is no column of another" equal \
    "$(head -1 odd) $(awk -F, 'NR > 1 && $2 != "90071992547" 40992 + $1 { bad++ } END { print bad + 0 }' odd) $(tail \
    -1 even)" \
    "x,i 0 20000,1970-01-01T05:33:20Z"

# ---- integers of 64 bits through parsers ----
printf '%s\n' '{"id":9007199254740993,"s":"9223372036854775807"}' '{"id":-9007199254740993}' '{"id":1.5}' >ids.jsonl
cat >ids.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "ids" { leat.source.file { "ids.jsonl" }, leat.parse.json { "id", "s", integers = { "id", "s" } }, leat.sink.file { path = "out", format = "jsonl" } }
LUA
leat_run run ids.lua --quiet
claim "integers of JSON are exact to the end" equal "$(paste -sd'|' out)" \
    '{"id":9007199254740993,"s":9223372036854775807}|{"id":-9007199254740993,"s":null}'
claim_says "and others reject their record" "'1.5' is not a whole number of 64 bits"

echo '{"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}' >id.avsc
printf '%b\n' '\x82\x80\x80\x80\x80\x80\x80\x20' >ids.bin
printf '{"id":-9223372036854775807}\n{"id":-9223372036854775808}\n' >least.jsonl
sed 's/"ids.jsonl"/"least.jsonl"/; s/"out"/"least"/' ids.lua >least.lua
leat_run run least.lua --quiet
claim_says "the smallest of 64 bits is rejected with its reason" "least.jsonl:2" \
    "column 'id': '-9223372036854775808' is reserved for a missing integer: take the column as text"
claim "and the one above it is kept" grep -q 9223372036854775807 least
cat >avro.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "avro" { leat.source.file { "ids.bin" }, leat.parse.avro { "id", integers = { "id" }, schema = "id.avsc", framing = "none" },
  leat.sink.file { path = "out", format = "jsonl" } }
LUA
leat_run run avro.lua --quiet
claim "a long of Avro is exact to the end" equal "$(<out)" '{"id":9007199254740993}'

# ---- places of messages ----
mock topic ids 1 >/dev/null
printf 'a\nb\n' >lines
"$LEAT" run "$pipelines/kafka/produce.lua" --set brokers="$brokers" --set topic=ids --set data=lines --quiet
cat >places.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "places" { leat.source.kafka { topics = { "ids" }, brokers = a.brokers, start = "earliest", ["until"] = "end", columns = { "partition", "offset" } },
  leat.filter(function(offset) return math.type(offset) == "integer" end, { "offset" }),
  leat.sink.file { path = "out", format = "jsonl" } }
LUA
leat_run run places.lua --quiet --set brokers="$brokers"
claim "partition and offset of a message are integers" equal "$(paste -sd'|' out)" \
    '{"partition":0,"offset":0}|{"partition":0,"offset":1}'

# Integers of 64 bits in expressions: wanted values are written by hand.
printf '%s\n' '{"i":9007199254740993,"j":9007199254740992,"t":"7"}' '{"i":9007199254740992,"t":"y"}' \
    '{"i":-9223372036854775807,"j":9223372036854775807,"t":"1"}' '{"j":5,"t":"8"}' >"$tmp/whole.jsonl"
cat >"$tmp/whole.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "whole" {
  leat.source.file { leat.args.data }, leat.parse.json { "i", "j", "t", integers = { "i", "j" } },
  leat.shape.set { columns = { "new = " .. leat.args.set } },
  leat.sink.file { format = "csv", columns = { "new" } }, max_reject_ratio = 1,
}
LUA
# whole EXPRESSION VALUE…: those of all records that are not rejected
whole() {
    leat_run run "$tmp/whole.lua" --set data="$tmp/whole.jsonl" --set set="$1" --quiet
    shift
    equal "$(sed 1d "$out" | tr -d '"' | paste -sd' ')" "$*"
}
two_hashes() {
    whole "hash(i)" >/dev/null
    equal "$(sed -n 2,3p "$out" | sort -u | wc -l)" 2
}
claim "an integer is written with all its digits" whole "text(i)" 9007199254740993 9007199254740992 \
    -9223372036854775807 ""
claim "and joined" whole "i .. '!'" '9007199254740993! 9007199254740992! -9223372036854775807! '
claim "and compared with a number" whole "i == 9007199254740993" true false false ""
claim "which may have a fraction" whole "9007199254740992.0 < i" true false false ""
claim "and with another column" whole "i == j" 'false  false '
claim "and with some constants" whole "i in (9007199254740993, -9223372036854775807)" true false true ""
claim "min keeps digits" whole "min(i, j)" '9007199254740992  -9223372036854775807 '
claim "max too, beside a constant" whole "max(i, -5)" '9007199254740993 9007199254740992 -5 '
claim "so do if" whole "if(j > 5, j, -9007199254740995)" '9007199254740992  9223372036854775807 -9007199254740995'
claim "and coalesce" whole "coalesce(j, i)" 9007199254740992 9007199254740992 9223372036854775807 5
claim "what is missing is asked for" whole "is_missing(j)" false true false false
claim "a condition that is bad rejects the record" whole "if(t > 5, i, j)" '9007199254740993 9223372036854775807 '
claim "two integers that are one as doubles have two hashes" two_hashes
claim "an integer column takes integers" sh \
    -c "sed 's/new = /j = /; s/\"new\"/\"j\"/' '$tmp/whole.lua' >'$tmp/own.lua' &&
    '$LEAT' run '$tmp/own.lua' --set data='$tmp/whole.jsonl' --set set='max(i, 1)' --quiet 2>&1 | sed 1d | paste -sd' ' | grep -qx '9007199254740993 9007199254740992 1 '"
leat_run run "$tmp/own.lua" --set data="$tmp/whole.jsonl" --set set="i / 2" --quiet
claim_says "and refuses what is rounded" "the column wants a whole number of 64 bits, and this is a double"
done_claims
