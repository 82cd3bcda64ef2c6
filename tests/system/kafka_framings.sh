# sink.kafka names the schemas of messages in each known way, and parsers read them back.
#
# The bytes are those that the serializers of each registry write. tests/system/registry_peers.sh lets their
# deserializers read them.
. "$(dirname "$0")/../support/claims.sh"
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
mkdir registry
mkfifo hold
"$programs/http_answers" registry <hold >port & # ends with the script, which holds the other end
exec 8>hold
until_true test -s port
url=http://127.0.0.1:$(cat port)
answer() { printf '%s\n%s' "$2" "${3:-}" >"registry/$1"; } # answer PATH STATUS BODY
answer missing "404 Not Found" '{"error_code":40403,"message":"Schema not found"}'

cat >write.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "write" {
  leat.source.file { a.data or "in.jsonl" }, leat.parse.json { "t", "n", integers = { "n" } },
  leat.sink.kafka {
    a.topic, brokers = a.brokers, format = a.format, framing = a.framing, registry = a.registry, schema = a.schema, message = a.message,
    schema_version = a.version,
  },
}
LUA
cat >again.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "again" {
  leat.source.kafka { a.from, brokers = a.brokers, start = "earliest", ["until"] = "end" },
  leat.parse.json { "t", "n", integers = { "n" } },
  leat.sink.kafka { a.topic, brokers = a.brokers, format = "avro", framing = a.framing, registry = a.registry, headers = { "*" } },
}
LUA
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { a.topic, brokers = a.brokers, start = "earliest", ["until"] = "end" },
  leat.parse[a.parse] { "t", "n", integers = { "n" }, registry = a.registry, schema = a.schema, message = a.message },
  leat.sink.file { path = "-", format = "jsonl" }, dead_letters = "dead", max_reject_ratio = 1,
}
LUA
cat >in.jsonl <<'JSON'
{"t":"ab","n":3}
{"t":null,"n":-1}
JSON
echo 'syntax = "proto3"; package shop; message Other { int32 a = 1; } message Pay { optional string t = 1; optional int64 n = 2; }' >pay.proto
guid=00112233-4455-6677-8899-aabbccddeeff
number=$((0x1020304))

# written TOPIC FORMAT FRAMING ARGS…: writes the topic
written() {
    mock topic "$1" 1 >/dev/null
    answer "POST_subjects_$1-value_versions" "200 OK" "{\"id\":$number,\"guid\":\"$guid\"}"
    leat_run run write.lua --quiet --set brokers="$brokers" --set registry="$url" --set topic="$1" --set format="$2" --set framing="$3" "${@:4}"
    { echo "200 OK"; tail -1 registry/bodies; } | tee "registry/schemas_ids_$number" >"registry/schemas_guids_$guid"
}
hex() { od -An -v -tx1 | tr -d ' \n'; }
# has TOPIC BYTES: true if a message of the topic has the bytes, which are a format of printf
has() {
    local dump bytes
    dump=$("$programs/kafka_client" "$brokers" dump "$1" | hex)
    # shellcheck disable=SC2059
    bytes=$(printf "$2" | hex)
    [[ $dump == *$bytes* ]] || { echo "# $dump" && false; }
}
# claim_round WORDS TOPIC PARSER ARGS…: the parser reads the topic as it was written
claim_round() {
    "$LEAT" run read.lua --quiet --set brokers="$brokers" --set topic="$2" --set parse="$3" "${@:4}" >back 2>"$err"
    claim "$1" cmp back in.jsonl
}

written avro avro registry
if [[ $(cat "$err") == *"built without libcurl"* ]]; then skip_rest "leat is built without libcurl"; fi
claim_exit "the default is a number" 0
claim "in four bytes before the record" has avro 'value="\0\1\2\3\4\2\4ab\2\6" '
claim_round "which parse.avro reads" avro avro --set registry="$url"

peek() { leat_run peek "kafka://$brokers/$1" --json "${@:2}"; }
peek avro --registry "$url" --columns t,n
claim "leat peek reads a topic by a registry" equal "$(jq -c '[.records, (.columns[] | select(.column == "n") | .low, .high)]' "$out")" \
    "[2,-1,3]"
peek avro --registry "$url"
claim_says "and says what it needs" "framed as by a Schema Registry (schema $number)" "give --columns a,b.c, and for Protocol Buffers"

# A GUID in a header, as Confluent's header_schema_id_serializer writes it.
uuid='\0\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff'
rm registry/schemas_ids_*
written guid avro guid
claim "a GUID is in a header" has guid "value=\"\\2\\4ab\\2\\6\" __value_schema_id=\"\\1$uuid\" "
rm registry/schemas_ids_*
claim_round "by which parse.avro asks for the schema" guid avro --set registry="$url"
peek guid --registry "$url" --columns t
claim "as leat peek does" equal "$(jq .records "$out")" 2
written guid_json json_schema guid
claim "before JSON there is nothing" has guid_json "value=\"{\"t\":\"ab\",\"n\":3}\" __value_schema_id=\"\\1$uuid\" "
claim_round "and parse.json reads it" guid_json json
written guid_proto protobuf guid --set schema=pay.proto --set message=Pay
claim "the indexes of a type are in the header, too" has guid_proto "value=\"\\n\\2ab\\x10\\3\" __value_schema_id=\"\\1$uuid\\2\\2\" "
written none avro registry
answer POST_subjects_none-value_versions "200 OK" '{"id":1}'
leat_run run write.lua --quiet --set brokers="$brokers" --set registry="$url" --set topic=none --set format=avro --set framing=guid
claim_exit "a registry that gives no GUID ends the start" 2
claim_says "and it is said what to do" 'framing: the registry does not say which GUID schema 1 has' '--set framing=registry'

# Apicurio: Protocol Buffers have the name of their type, numbers may have eight bytes, or be in a header.
written apicurio avro apicurio
claim "Apicurio's default is the same for Avro" has apicurio 'value="\0\1\2\3\4\2\4ab\2\6" '
written long avro apicurio_long
claim "a number has eight bytes" has long 'value="\0\0\0\0\0\1\2\3\4\2\4ab\2\6" '
claim_round "which parse.avro reads" long avro --set registry="$url"
written long_json json_schema apicurio_long
claim "also before JSON" has long_json 'value="\0\0\0\0\0\1\2\3\4{"t":"ab","n":3}" '
claim_round "which parse.json reads" long_json json
written headers avro apicurio_headers
claim "a number is in a header, with the encoding" has headers \
    'value="\2\4ab\2\6" apicurio.value.contentId="\0\0\0\0\1\2\3\4" apicurio.value.encoding="BINARY" '
claim_round "which parse.avro reads" headers avro --set registry="$url"
written headers_json json_schema apicurio_headers
claim "JSON has no encoding" has headers_json 'value="{"t":"ab","n":3}" apicurio.value.contentId="\0\0\0\0\1\2\3\4" \n'
claim_round "and parse.json reads it" headers_json json
mock topic again 1 >/dev/null
answer POST_subjects_again-value_versions "200 OK" "{\"id\":$number}"
leat_run run again.lua --quiet --set brokers="$brokers" --set registry="$url" \
    --set from=headers_json --set topic=again --set framing=registry
claim "headers of the schema of another value are left out" has again 'value="\0\1\2\3\4\2\4ab\2\6" \n'

# AWS Glue: the UUID comes from a parameter, and the schema from a file.
echo '{"type":"record","name":"R","fields":[{"name":"t","type":["null","string"]},{"name":"n","type":["null","long"]}]}' >r.avsc
glue() { # glue COMMAND ARGS…
    leat_run "$1" write.lua --set brokers="$brokers" --set topic=glue --set format=avro --set framing=glue "${@:2}"
}
mock topic glue 1 >/dev/null
glue run --set schema=r.avsc --set version="$guid"
claim_exit "with framing = glue nobody is asked" 0
claim "messages have the UUID" has glue "value=\"\\3\\0$uuid\\2\\4ab\\2\\6\" "
claim_round "which parse.avro takes with the schema in a file" glue avro --set schema=r.avsc
glue check --set version="$guid"
claim_says "the schema must be that of Glue" 'schema: is missing: with framing = "glue"' 'give the file that AWS Glue has'
glue check --set schema=r.avsc --set version=17
claim_says "and so must the UUID" 'schema_version: with framing = "glue" write the UUID that AWS Glue gave'
glue check --set schema=r.avsc --set version="$guid" --set registry="$url"
claim_says "a Schema Registry knows none" 'registry: a Schema Registry does not know the UUIDs of AWS Glue'
glue check --set schema=pay.proto --set version="$guid" --set format=protobuf
claim_says "types of Protocol Buffers are not written" 'framing: Glue counts the types of Protocol Buffers in a way that is not written'
glue check --set schema=r.avsc --set framing=registry --set version="$guid" --set registry="$url"
claim_says "a UUID alone has no meaning" 'schema_version: has a meaning only with framing = "glue"'
glue check --set schema=r.avsc --set framing=gleu --set version="$guid"
claim_says "a framing that does not exist is none" 'did you mean "glue"?'

# What Glue has compressed, up to a record that is longer than the source allows.
if there_is python3 "records that Glue has compressed are read"; then
    python3 - >packed <<'PY'
import zlib, sys
texts = ['{"t":"%s","n":%d}' % ("ab" * (i * i % 5000), i) for i in range(400)] + ['{"t":"%s","n":400}' % ("a" * 3000000)]
for i, text in enumerate(texts):
    while True:
        record = bytes([3, 5]) + bytes(range(100, 116)) + zlib.compress(text.encode())
        if 10 not in record: break
        text += " "
    sys.stdout.buffer.write(record + b"\n")
PY
    mock topic packed 1 >/dev/null
    "$programs/kafka_client" "$brokers" produce packed 0 packed
    sed 's/integers = { "n" },/& framing = "glue",/' read.lua >unpack.lua
    "$LEAT" run unpack.lua --quiet --set brokers="$brokers" --set topic=packed --set parse=json >back 2>"$err"
    claim "records that Glue has compressed are read" equal "$(jq -c '[.n, (.t | length)]' back | sha256sum)" \
        "$(for ((i = 0; i < 400; i++)); do echo "[$i,$((i * i % 5000 * 2))]"; done | sha256sum)"
    claim "one that is too long is rejected" equal "$(jq -r '"\(.line // .offset) \(.reason)"' dead)" "400 too_large"
fi

# Types of Protocol Buffers are read back where leat has libprotobuf.
written proto protobuf apicurio --set schema=pay.proto --set message=Pay
claim "Protocol Buffers have the name of their type for Apicurio" has proto 'value="\0\1\2\3\4\5\n\3Pay\n\2ab\x10\3" '
round=(--set registry="$url")
"$LEAT" run read.lua --quiet --set brokers="$brokers" --set topic=proto --set parse=protobuf "${round[@]}" >back 2>"$err"
if grep -q "without libprotobuf" "$err"; then skip_rest "leat is built without libprotobuf"; fi
claim "which parse.protobuf reads, though it lacks the package" cmp back in.jsonl
written proto_long protobuf apicurio_long --set schema=pay.proto --set message=Pay
peek proto --registry "$url" --format protobuf --columns t
claim "as leat peek does with its format" equal "$(jq .records "$out")" 2
claim_round "also behind eight bytes" proto_long protobuf "${round[@]}"
written proto_headers protobuf apicurio_headers --set schema=pay.proto --set message=Pay
claim "and with headers" has proto_headers \
    'value="\5\n\3Pay\n\2ab\x10\3" apicurio.value.contentId="\0\0\0\0\1\2\3\4" apicurio.protobuf.type="Pay" '
claim_round "which parse.protobuf reads" proto_headers protobuf "${round[@]}"
claim_round "and by a GUID" guid_proto protobuf "${round[@]}"

# Headers of others: a type that only a header names, and numbers that are none of the registry's API.
mock topic typed 1 >/dev/null
"$programs/kafka_client" "$brokers" message typed k 0 "$(printf '\n\2ab\x10\3')" apicurio.protobuf.type=Pay apicurio.value.globalId=12345678
"$LEAT" run read.lua --quiet --set brokers="$brokers" --set topic=typed --set parse=protobuf "${round[@]}" >back 2>"$err"
claim "a global id is refused" equal "$(jq -r .message dead | cut -c1-70)" "the header apicurio.value.globalId of the message has a number that th"
"$LEAT" run read.lua --quiet --set brokers="$brokers" --set topic=typed --set parse=protobuf --set schema=pay.proto >back 2>"$err"
claim "unless the schema is in a file" cmp back <(head -1 in.jsonl)
exec 8>&- 9>&-
done_claims
