# Messages by a Schema Registry in transactions, on a real cluster: after kills each record is there once, and is right.
#
# Some records do not fit the schema. KILLS (4) is the number of kills at random moments, for each format.
# tier: long (60 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on killed children
mkdir registry
mkfifo hold
"$root/${B:-build/release}/tests/programs/http_answers" registry <hold >port &
exec 8>hold
until_true test -s port
url=http://127.0.0.1:$(cat port)
printf '404 Not Found\n{"error_code":40403,"message":"Schema not found"}' >registry/missing

awk 'BEGIN { srand(3); for (i = 0; i < 60000; i++)
    printf "{\"n\":%d,\"x\":%.4f,\"t\":\"%s\"}\n", i, rand() * 1e4, i % 97 ? "text_" i % 50 : "none" i }' >rows
kafka topic rows 1 1 && kafka produce rows 0 rows
cat >once.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds, passed = tonumber(a.slow or 0), 0
local function brake() -- slow at first, so that a kill can happen
  passed = passed + 1
  for _ = 1, passed < 15000 and rounds or 0 do end
  return true
end
return leat.pipeline "once" {
  leat.source.kafka { "rows", brokers = a.brokers, group = a.to, start = "earliest", ["until"] = "end" },
  leat.filter(brake, {}),
  leat.parse.json { "n", "x", "t", numbers = { "x" }, integers = { "n" } },
  leat.sink.kafka { a.to, brokers = a.brokers, format = a.format, registry = a.registry, schema = a.schema, transaction = a.to },
  batch_rows = 200, dead_letters = a.to .. ".dead", max_reject_ratio = 1,
}
LUA
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { a.topic, brokers = a.brokers, start = "earliest", ["until"] = "end" },
  leat.parse[a.parse] { "n", "x", "t", numbers = { "x" }, integers = { "n" }, registry = a.registry },
  leat.sink.file { path = "-", format = "jsonl" },
}
LUA
symbols=$(seq 0 49 | sed 's/.*/"text_&"/' | paste -sd,)
echo "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"n\",\"type\":\"long\"},{\"name\":\"x\",\"type\":\"double\"},
    {\"name\":\"t\",\"type\":{\"type\":\"enum\",\"name\":\"T\",\"symbols\":[$symbols]}}]}" >avro.schema
echo "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"x\":{\"type\":\"number\"},\"t\":{\"enum\":[$symbols]}}}" \
    >json_schema.schema
{ echo 'syntax = "proto3"; message R { int64 n = 1; double x = 2; optional T t = 3; } enum T {'
    seq 0 49 | sed 's/.*/  text_& = &;/'; echo '}'; } >protobuf.schema

# once FORMAT PARSER: writes the rows by the format, with kills, and reads them back
once() {
    local to=of_$1 n
    local run=(run once.lua --set brokers="$brokers" --set to="$to" --set format="$1" --set registry="$url" --set schema="$1.schema"
        --state "$to.state" --every 50ms --quiet)
    kafka topic "$to" 1 1
    printf '200 OK\n{"id":7}' >"registry/POST_subjects_$to-value_versions"
    for ((n = 0; n < ${KILLS:-4}; n++)); do
        (timeout --foreground -s KILL "0.$((4 + RANDOM % 6))" "$LEAT" "${run[@]}" --set slow=20000) && break
    done
    leat_run "${run[@]}"
    claim_exit "a run that writes $1, after $n that were killed" 0
    { echo "200 OK"; tail -1 registry/bodies; } >registry/schemas_ids_7
    "$LEAT" run read.lua --quiet --set brokers="$brokers" --set topic="$to" --set parse="$2" \
        $([[ $2 == json ]] || echo --set registry="$url") | sort >"$to"
    claim "has written each record that fits once, with its values" cmp "$to" expected
}
grep -v none rows >right
cat >same.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "same" {
  leat.source.file { "right" }, leat.parse.json { "n", "x", "t", numbers = { "x" }, integers = { "n" } },
  leat.sink.file { path = "-", format = "jsonl" },
}
LUA
"$LEAT" run same.lua --quiet | sort >expected # numbers as leat writes them
once avro avro
once json_schema json
once protobuf protobuf
exec 8>&-
done_claims
