# JSON, one object a record: the applications give the same answers as for the same records in CSV.
#
# Other texts become dead letters. The columns are those that later stages name.
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/mock.sh"
pipelines=$OLDPWD/pipelines

zstd -dcq "$pipelines/data/senate-disbursements.csv.zst" | tr -d '\r' | head -5001 >senate.csv
# A cell of CSV without a text has no value.
cat >rewrite.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "rewrite" {
  leat.source.file { "senate.csv" }, leat.parse.csv {}, leat.sink.file { path = "senate.jsonl", format = "jsonl" },
}
LUA
leat_run run rewrite.lua --quiet
claim "the same records as CSV and as JSON" equal "$(wc -l <senate.jsonl)" "$(($(wc -l <senate.csv) - 1))"
gzip -k senate.jsonl

same() { # same WORDS PIPELINE ARGS…: of senate.csv and of senate.jsonl.gz
    local words=$1 pipeline=$pipelines/$2.lua
    shift 2
    leat_run run "$pipeline" --set data=senate.csv "$@" --quiet
    timeless "$out" >from-csv
    leat_run run "$pipeline" --set data=senate.jsonl.gz "$@" --quiet
    claim "$words" [ "$status" = 0 -a -s from-csv ]
    claim "byte for byte" cmp <(timeless "$out") from-csv
}
same "explain says of JSON what it says of CSV" explain --set outlier='amount > 3000' --set attributes=office,payee
# Attributes that are chosen depend on the sample, so all of these records are in it.
awk 'NR == 1 || NR > 2501' senate.csv >late.csv
sed 1,2500d senate.jsonl | gzip >late.jsonl.gz
for data in late.csv late.jsonl.gz; do
    leat_run run "$pipelines/explain.lua" --set data=$data --set outlier='amount > 3000' --set edges= --quiet
    timeless "$out" >"chosen.$data"
done
claim "also with attributes that are chosen" cmp chosen.late.csv chosen.late.jsonl.gz
same "and a filter, a new column and a condition" explain --set filter='amount > 0' \
    --set derive='year=substring(date_posted, -4)' \
    --set outlier='amount > 1000' --set attributes=office,year --set out=jsonl
same "correlate, too" correlate --set left=office --set right=payee
same "compare, too" compare --set split='amount > 1000' --set attributes=payee,description
leat_run run "$pipelines/pairs.lua" --set data=senate.csv --set format=csv --set column=description --quiet
cp "$out" from-csv
leat_run run "$pipelines/pairs.lua" --set data=senate.jsonl --set column=description --quiet
claim "pairs, too" cmp "$out" from-csv
learn=(--set label=line_type --set positive=DETAIL --set attributes=office,description --set numbers=amount \
    --set budget=4KB)
leat_run run "$pipelines/classify.lua" --set data=senate.csv "${learn[@]}" --quiet
timeless "$out" >from-csv
leat_run run "$pipelines/classify.lua" --set data=senate.jsonl "${learn[@]}" --quiet
claim "classify, too" [ "$status" = 0 -a -s from-csv ]
claim "byte for byte" cmp <(timeless "$out") from-csv

mock topic objects 1 >/dev/null
"$LEAT" run "$pipelines/kafka/produce.lua" --set brokers="$brokers" --set topic=objects --set data=senate.jsonl --quiet
leat_run run "$pipelines/explain.lua" --set data=senate.csv --set outlier='amount > 3000' --set attributes=office,payee --quiet
cp "$out" from-csv
leat_run run "$pipelines/explain.lua" --set brokers="$brokers" --set topic=objects --set until=end --set format=json \
    --set outlier='amount > 3000' --set attributes=office,payee --quiet
claim "messages of a topic need no names of columns" cmp <(eventless "$out") from-csv

# Paths, and records that cannot be used.
cat >app.jsonl <<'JSON'
{"time":"10:00","http":{"status":500,"path":"/a b"},"tags":["x y","z"],"a.b":1}
{"time":"10:01","http":{"status":200,"path":"/\u00e9\n"},"tags":[],"a.b":null}

{"time":"10:02","http":{"status":404}
[1, 2]
{"time":"10:03","http":"down","tags":["z"]} trailing
{"time":"10:04","http":{"status":{"code":1}}}
{"time":"10:05","http":{"status":503,"path":""},"tags":["é",1,true,null],"n":18446744073709551617}
JSON
cat >columns.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "columns" {
  leat.source.file { path = a.data or "app.jsonl" },
  leat.parse.json { columns = a.columns, separator = a.separator, missing = a.missing, null = a.null },
  a.where and leat.filter(function(status) return status >= 500 end, { "http.status:number" }) or {},
  leat.sink.file { path = "-", format = "csv", columns = a.show },
  dead_letters = "dead", max_reject_ratio = 1, threads = tonumber(a.threads),
}
LUA
leat_run run columns.lua --set columns='time,status=http.status,http.path,tags[*],tags[0],"a.b",n' --set separator='|' \
    --quiet
claim_exit "a file with bad records is read" 0
claim "paths become columns" diff - "$out" <<'CSV'
time,status,http.path,tags[*],tags[0],"""a.b""",n
10:00,500,/a b,x y|z,x y,1,
10:01,200,"/é
",,,,
10:05,503,"",é|1|true,é,,18446744073709551617
CSV
claim "what is no object is a dead letter, whole and with its line" cmp <(jq -r '"\(.line) \(.reason) \(.record)"' \
    dead) - <<'TEXT'
4 syntax {"time":"10:02","http":{"status":404}
5 syntax [1, 2]
6 syntax {"time":"10:03","http":"down","tags":["z"]} trailing
7 fields {"time":"10:04","http":{"status":{"code":1}}}
TEXT
claim "and with the byte" equal "$(jq -r .message dead | tail -2)" \
    "byte 45 is wrong: text follows the object
column 'status': http.status is an object (byte 34), and a column takes single values: add a key, as in a.b; set other = \"empty\" to leave such cells empty"
leat_run run columns.lua --set show=time,http.status --set where=1 --quiet
claim "without columns they are those that later stages name" diff - "$out" <<'CSV'
time,http.status
10:00,500
10:05,503
CSV
leat_run run columns.lua --set show=time,http.statsu --quiet --set threads=4
claim_says "a column that no record has is warned of" \
    "column 'http.statsu' is in none of the 4 records; did you mean 'http.status'?"
good='{"a":1,"b":{"c":2,"a.b":3,"x\u0022y":4},"t":[{"n":1},{"m":2}],"e":[],"d":[[5]]}'
yes "$good" | head -3000 >many.jsonl
echo '{"late":1}' >>many.jsonl
leat_run check columns.lua --set data=many.jsonl --set columns='b.C,x=c,t[7].nn,b.a.b,late,none,"b.x""z"'
claim_exit "check is content with a path that no record has, as it looks at the first only" 0
claim "but warns of each, with the line, and the path that was meant" diff - "$err" <<'TEXT'
columns.lua:5: warning: --set columns: json (parse.json): column 'b.C' is in none of the first 1024 records; did you mean 'b.c'?
columns.lua:5: warning: --set columns: json (parse.json): column 'x' (path c) is in none of the first 1024 records; did you mean 'b.c'?
columns.lua:5: warning: --set columns: json (parse.json): column 't[7].nn' is in none of the first 1024 records; did you mean 't[*].n'?
columns.lua:5: warning: --set columns: json (parse.json): column 'b.a.b' is in none of the first 1024 records; did you mean 'b."a.b"'?
columns.lua:5: warning: --set columns: json (parse.json): column 'late' is in none of the first 1024 records; the records have a, b.c, b."a.b", b."x""y", t[*].n, d[*][*]
columns.lua:5: warning: --set columns: json (parse.json): column 'none' is in none of the first 1024 records
columns.lua:5: warning: --set columns: json (parse.json): column '"b.x""z"' is in none of the first 1024 records; did you mean 'b."x""y"'?
TEXT
leat_run check columns.lua --set data=many.jsonl --set columns=b.C --json
claim "also as JSON" equal "$(jq -c '.problems[] | [.severity, .line]' "$out")" '["warning",5]'
leat_run run columns.lua --set data=many.jsonl --set columns='late,b.C,none=e[*],t[*].m,t[*].o' --set threads=3
claim "run warns at the end, of what no record of all has" diff - <(grep warning "$err") <<'TEXT'
leat: warning: json (parse.json): column 'b.C' is in none of the 3001 records; did you mean 'b.c'?
leat: warning: json (parse.json): column 't[*].o' is in none of the 3001 records; did you mean 't[*].n'?
TEXT
leat_run check columns.lua --set data=many.jsonl --set columns='b.c,t[*].m,e[*],"a"'
claim "what records have is no mistake" test ! -s "$err"
leat_run run columns.lua --set columns=http.status --set missing=reject --set null=reject --set data=app.jsonl --quiet
claim "a record without the key can be rejected" equal "$(jq -r 'select(.reason == "fields") | .line' dead |
    tr '\n' ' ')" "7 "
leat_run check columns.lua
claim_exit "columns that nothing names are an error of the check" 2
claim_says "which says what to do" "the columns have no names, because no later stage uses one: set \`columns\`"
leat_run check columns.lua --set columns='a,b..c,x=d[,"e'
claim_exit "so is a wrong path" 2
claim_says "and the place is named" "'b..c': a key (in quotes" "is expected at byte 3" \
    "'x=d[': the number of an element, from 0, or * is expected at byte 5" \
    "'\"e': the quote that closes the key is expected at byte 3"
leat_run check columns.lua --set show='time,x['
claim_says "a name that is no path is told" "a later stage uses the column 'x[', and this name is not a path"
leat_run run "$pipelines/explain.lua" --set data=app.jsonl --set metric=n --set format=xml
claim_says "another format is refused" "format is xml: give csv, json, otlp, avro, cbor, msgpack, protobuf, logfmt, a log (common"
leat_run run "$pipelines/explain.lua" --set data=app.jsonl --set metric=n --set delimiter=x --quiet
claim_exit "what only CSV has is refused" 2

# Elements of arrays as features, also with blanks in them.
cat >tags.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "tags" {
  leat.source.file { "tags.jsonl" }, leat.parse.json { "tags[*]", separator = "|" }, leat.label.constant { value = 1 },
  leat.feature.tokens { column = "tags[*]", separator = "|" }, leat.learn.frequent { id = "model" }, leat.sink.top { format = "csv" },
}
LUA
printf '%s\n' '{"tags":["New York","x"]}' '{"tags":["New York",""]}' '{"tags":[]}' '{"tags":["New"]}' >tags.jsonl
leat_run run tags.lua --quiet
claim "each element of an array is a feature" equal "$(cut -d, -f4,5 "$out" | sed 1d |
    tr '\n' ';')" 'New York,2;x,1;New,1;'
leat_run check <(sed 's/column = "tags/rule = "words", &/' tags.lua)
claim_says "a rule beside a separator is refused" "separator"

# Lanes and threads change nothing.
for lanes in 1 3; do
    cat >lanes.lua <<LUA
local leat = require "leat"
return leat.pipeline "lanes" {
  leat.source.file { "senate.jsonl" }, leat.parse.json { "office", "x=payee", lanes = $lanes }, leat.sink.file { path = "-" },
  batch_rows = 64, threads = $lanes,
}
LUA
    leat_run run lanes.lua --quiet
    cp "$out" "lanes.$lanes"
done
claim "three lanes write what one does" cmp lanes.1 lanes.3

# A column that comes only in records that another column rejects.
printf '%s\n' '{"a":{"a":"v"},"n":"x"}' '{"b":2}' >"$tmp/lost.jsonl"
printf 'local leat = require "leat"\nreturn leat.pipeline "lost" { leat.source.file { leat.args.data }, leat.parse.json { "n", "aa=a.a", numbers = { "n" } }, leat.sink.null {}, max_reject_ratio = 1 }' >"$tmp/lost.lua"
leat_run run "$tmp/lost.lua" --set data="$tmp/lost.jsonl" --quiet
claim_says "a path of rejected records alone is not said to be in none" \
    "column 'aa' (path a.a) got no value, though records have it: the records were rejected, or their values are null"
claim "nor taken for its own misspelling" sh -c "! grep -q 'did you mean' '$err'"

# Names of Logstash and ECS begin with @; of such names only the ways of a route are leat's own.
printf '%s\n' '{"@timestamp":"2024-05-01T00:00:00Z","@version":"1","@route":"r","msg":"x"}' >"$tmp/ecs.jsonl"
cat >"$tmp/ecs.lua" <<'LUA'
local leat = require "leat"
local out = { jsonl = leat.sink.file { format = "jsonl" }, csv = leat.sink.file { format = "csv" },
  profile = leat.sink.profile { format = "jsonl" } }
return leat.pipeline "ecs" {
  leat.source.file { leat.args.data }, leat.parse.json { "@timestamp", "@version", "@route", "msg" },
  leat.shape.set { "next = @version .. '+'", "@version = upper(@version)", "stamp = `@timestamp`" },
  leat.route(function(v) return v end, { "@version" }, { ["1"] = {}, ["*"] = {} }), leat.merge(),
  leat.parse.time { "@timestamp" },
  leat.args.by and leat.shape.window { "n = count()", every = "1d", by = { "@version" } } or leat.shape.where { "@version == '1'" },
  out[leat.args.out or "jsonl"],
}
LUA
leat_run run "$tmp/ecs.lua" --set data="$tmp/ecs.jsonl" --quiet
claim "columns whose names begin with @ come out as JSON" equal "$(cat "$out")" \
    '{"@timestamp":"2024-05-01T00:00:00Z","@version":"1","@route":"r","msg":"x","next":"1+","stamp":"2024-05-01T00:00:00Z"}'
leat_run run "$tmp/ecs.lua" --set data="$tmp/ecs.jsonl" --set out=csv --quiet
claim "and as CSV, without the ways of a route" equal "$(head -1 "$out")" "@timestamp,@version,@route,msg,next,stamp"
leat_run run "$tmp/ecs.lua" --set data="$tmp/ecs.jsonl" --set by=1 --quiet
claim "and in windows" equal "$(cat "$out")" '{"window":"2024-05-01T00:00:00Z","@version":"1","n":1}'
leat_run run "$tmp/ecs.lua" --set data="$tmp/ecs.jsonl" --set out=profile --quiet
claim "and in profiles" equal "$(jq -r ".columns[].column" "$out" | head -3 |
    paste -sd' ')" "@timestamp @version @route"
printf '@timestamp,@version,msg\n2024-05-01T00:00:00Z,1,x\n' >"$tmp/ecs.csv"
leat_run peek "$tmp/ecs.csv"
claim "and in what peek shows" grep -q '^@version  *number' "$out"
# Objects with bytes removed or exchanged, and blanks, escapes and nested values. In batches of one record, each is read
# alone; in large ones, the tokens of many are found together.
awk 'BEGIN { srand(8); n = split("{ } [ ] \" : , \\ 1 - e x . \t", odd, " ")
    for (i = 0; i < 20000; i++) {
        line = "{\"k\":\"v" int(rand() * 9) "\",\"x\":" (rand() < .2 ? "[1,{\"y\":2}]" : int(rand() * 200) - 100) \
            ",\"s\":\"a" (rand() < .1 ? "\\\"" : "") "b\", \"y\" :{\"z\":" (rand() < .5 ? "true" : "1.5e3") "}}"
        for (m = rand() < .02 ? 1 + int(rand() * 2) : 0; m; m--) {
            at = 1 + int(rand() * length(line))
            line = substr(line, 1, at - 1) (rand() < .5 ? "" : odd[1 + int(rand() * n)]) substr(line, at + (rand() < .7))
        }
        print (rand() < .002 ? " " : "") line
    } }' >"$tmp/odd.jsonl"
cat >"$tmp/odd.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "odd" { leat.source.file { leat.args.data }, batch_rows = leat.args.rows, dead_letters = leat.args.dead,
  max_reject_ratio = 1, threads = 1,
  leat.parse.json { "k", "x=x", "s", "z=y.z", "e=x[1].y", other = leat.args.other },
  leat.sink.file { format = "csv" } }
LUA
for rows in 1 4096; do
    leat_run run "$tmp/odd.lua" --set data="$tmp/odd.jsonl" --set rows=$rows --set dead="$tmp/dead.$rows" --set other=reject --quiet
    claim_exit "odd objects are read in batches of $rows" 0
    cp "$out" "$tmp/odd.$rows"
done
claim "some are rejected" [ "$(wc -l <"$tmp/dead.1")" -gt 100 ]
claim "the same rows come of records read alone and together" cmp "$tmp/odd.1" "$tmp/odd.4096"
claim "and the same dead letters" cmp "$tmp/dead.1" "$tmp/dead.4096"
done_claims
