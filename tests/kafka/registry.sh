# sink.kafka and the parsers with a real Schema Registry, Apicurio's: what is written is read back, in each framing.
#
# It knows contents by number, and knows no GUIDs. Its API of Confluent's is that of their version 7.
# tier: long (60 s)
. "$(dirname "$0")/../support/kafka/cluster.sh"
"$root/tests/support/kafka/registry.sh" fetch >/dev/null 2>&1 || skip_rest "Apicurio Registry cannot be had with mvn"
begin_cluster 1
port=$((10000 + RANDOM % 20000))
while (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
"$root/tests/support/kafka/registry.sh" start $port >registry.log 2>&1 &
registry=$!
url=http://127.0.0.1:$port/apis/ccompat/v7
api() { curl -s -H 'Content-Type: application/vnd.schemaregistry.v1+json' "$url/$1" "${@:2}"; }
until_true api subjects
claim "a registry begins" equal "$(api subjects)" "[]"

cat >write.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "write" {
  leat.source.file { "in.jsonl" },
  leat.parse.json { "t", "n", "x", numbers = { "x" }, integers = { "n" } },
  leat.sink.kafka {
    a.topic, brokers = a.brokers, format = a.format, framing = a.framing, registry = a.registry, registry_timeout = "0s",
    register = a.register ~= "no", schema = a.schema, message = a.message, columns = a.only,
  },
}
LUA
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { a.topic, brokers = a.brokers, start = "earliest", ["until"] = "end" },
  leat.parse[a.parse] { "t", "n", "x", numbers = { "x" }, integers = { "n" }, registry = a.registry, registry_timeout = a.registry and "0s" },
  leat.sink.file { path = "-", format = "jsonl" }, dead_letters = "dead", max_reject_ratio = 1,
}
LUA
write() { leat_run "${command:-run}" write.lua --set brokers="$brokers" --set registry="$url" "$@"; }
read_back() { "$LEAT" run read.lua --quiet --set brokers="$brokers" "$@" 2>"$err"; }
cat >in.jsonl <<'JSON'
{"t":"grün","n":3,"x":0.1}
{"t":null,"n":null,"x":null}
{"t":"\"","n":-9007199254740993,"x":-1e+300}
JSON
echo 'syntax = "proto3"; package shop; import "google/protobuf/timestamp.proto"; message Other { int32 a = 1; }
    message Pay { optional string t = 1; optional int64 n = 2; optional double x = 3; google.protobuf.Timestamp at = 4; }' >pay.proto

for framing in registry apicurio apicurio_long apicurio_headers; do
    for format in avro json_schema protobuf; do
        topic=${format}_$framing parse=${format%_schema} more=()
        kafka topic "$topic" 1 1
        [[ $format != protobuf ]] || more=(--set schema=pay.proto --set message=Pay)
        write --quiet --set topic="$topic" --set format=$format --set framing=$framing "${more[@]}"
        claim_exit "$format with framing = $framing is written" 0
        more=(--set registry="$url")
        [[ $format != json_schema ]] || more=()
        read_back --set topic="$topic" --set parse="$parse" "${more[@]}" >back
        claim "and read back" cmp back in.jsonl
    done
done
claim "each schema was registered once" equal "$(api subjects | jq length)" 12
kafka topic made 1 1
write --quiet --set topic=made --set format=protobuf
claim_exit "Protocol Buffers with a schema of the columns are written" 0
read_back --set topic=made --set parse=protobuf --set registry="$url" >back
claim "and read back" cmp back in.jsonl

kafka topic none 1 1
write --set topic=none --set format=avro --set framing=guid
claim_exit "a GUID cannot be had here" 2
claim_says "which is said" "framing: the registry does not say which GUID schema" "as Confluent's does since version 8"
write --set topic=avro_registry --set format=avro --set register=no --quiet
claim_exit "the newest schema of a subject is used" 0
write --set topic=none2 --set format=avro --set register=no
claim_says "a subject that does not exist has none" "subject: subject 'none2-value' has no schema that can be used: the registry says: HTTP status 404"
api config/avro_registry-value -X PUT -d '{"compatibility":"BACKWARD"}' >/dev/null
command=check write --online --set topic=avro_registry --set format=avro --set only=t=n,n=t,x
claim_says "check --online asks whether a schema would be taken" "subject 'avro_registry-value' will refuse the schema"
write --set topic=avro_registry --set format=avro --set only=t=n,n=t,x
claim_exit "one that does not fit is refused" 1
claim_says "at once" "does not take the schema of subject 'avro_registry-value': HTTP status 409"
leat_run run write.lua --set brokers="$brokers" --set registry="${url%/apis*}" --set topic=none --set format=avro
claim_says "a wrong address is no unknown schema" "check the address, with the path below which the registry answers"
printf '\0\0\0\x7f\xff\2a\n' >odd
kafka produce none 0 odd
read_back --set topic=none --set parse=avro --set registry="$url" >back
claim "a number that the registry does not know is a dead letter" equal "$(jq -r .reason dead)" unknown_schema
# Apicurio's deserializers read the same, in `make test-kafka`, as they take minutes. They take no indexes of Protocol
# Buffers.
serdes=$root/build/kafka/serdes
if [[ -n ${CI:-} ]]; then
    skip "Apicurio's deserializers read them" "make test-kafka asks them"
elif "$root/tests/support/kafka/registry.sh" serdes >/dev/null 2>&1; then
    sed 's/-1e+300/-1.0E300/' in.jsonl >java.jsonl
    for topic in {avro,json_schema}_registry {avro,json_schema,protobuf}_{apicurio,apicurio_long,apicurio_headers}; do
        handler=()
        [[ $topic != *_long ]] || handler=(io.apicurio.registry.serde.Legacy8ByteIdHandler)
        java -D{file,stdout,sun.stdout}.encoding=UTF-8 -cp "$serdes:$serdes/*" Serdes "$brokers" \
            "http://127.0.0.1:$port/apis/registry/v3" "$topic" "${topic%%_[ar]*}" \
            "${handler[@]}" >back 2>"$err"
        claim "Apicurio's deserializer reads $topic" cmp <(head -3 back) java.jsonl
    done
else
    skip "Apicurio's deserializers read them" "they cannot be had with mvn and javac"
fi
kill $registry
done_claims
