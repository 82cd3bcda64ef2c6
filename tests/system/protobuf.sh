# Protocol Buffers: messages of a topic, with schemas of a Schema Registry as text and as descriptors, which import
# others, and by applications.
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/mock.sh"
pipelines=$OLDPWD/pipelines

# No byte of a message is a line end: no field of a text has the number 1, and no text has ten bytes.
LC_ALL=C awk 'function text(tag, s) { return sprintf("%c%c%s", tag, length(s), s) }
    BEGIN { srand(1); print "office,base.s" >"rows.csv"
        for (i = 0; i < 300; i++) {
            office = i % 9 ? "o" int(rand() * 7) : ""; s = "s" int(rand() * 3); base = text(18, s)
            printf "%c%c%c%c%c%c%s%s", 0, 0, 0, 0, 5 + i % 2, 0, office == "" ? "" : text(18, office), text(26, base)
            if (i % 50 == 0) printf "%c%c%c%c", 34, 2, 8, 1
            print ""
            printf "%s,%s\n", office, s >"rows.csv"
        } }' >messages
printf '\0\0\0\0\5\2\2\x1a\3ref\n\0\0\0\0\6\4\0\2xx\n\0\0\0\0\x07\0\x12\1x\n\0\0\0\0\x08\0\x12\1x\n\0\0\0\0\x05\0\x12\x09x\n' >odd
mock topic pay 1 >/dev/null
mock produce pay 0 messages >/dev/null
mock topic odd 1 >/dev/null
mock produce odd 0 odd >/dev/null

mkdir registry
mkfifo hold
"$programs/http_answers" registry <hold >port & # ends with the script, which holds the other end
exec 8>hold
until_true test -s port
url=http://127.0.0.1:$(cat port)
printf '404 Not Found\n{"error_code":40403,"message":"Schema not found"}' >registry/missing
schema() { # schema PATH TYPE SCHEMA [NAME]: an answer; the schema imports NAME, version 2 of the subject base
    { echo "200 OK"; jq -nc --arg type "$2" --arg schema "$3" --arg name "${4:-}" '{schemaType: $type, schema: $schema} +
        if $name == "" then {} else {references: [{name: $name, subject: "base", version: 2}]} end'
    } >"registry/$1?format=serialized"
}
# By protoc 3.21.12, of the files below.
schema schemas_ids_5 PROTOBUF "$(tr -d '\n' <<'TEXT'
CglwYXkucHJvdG8SAWMaEWNvbW1vbi9iYXNlLnByb3RvGh9nb29nbGUvcHJvdG9idWYvdGltZXN0YW1wLnByb3RvImYKA1BheRIW
CgZvZmZpY2UYAiABKAlSBm9mZmljZRIbCgRiYXNlGAMgASgLMgcuYy5CYXNlUgRiYXNlEioKAmF0GAQgASgLMhouZ29vZ2xlLnBy
b3RvYnVmLlRpbWVzdGFtcFICYXQiIAoGUmVmdW5kEhYKBm9mZmljZRgDIAEoCVIGb2ZmaWNlYgZwcm90bzM=
TEXT
)" common/base.proto
schema subjects_base_versions_2 PROTOBUF ChFjb21tb24vYmFzZS5wcm90bxIBYyIUCgRCYXNlEgwKAXMYAiABKAlSAXNiBnByb3RvMw==
cat >pay.proto <<'PROTO'
syntax = "proto3";
package c;
import "common/base.proto";
import "google/protobuf/timestamp.proto";
message Pay { string office = 2; Base base = 3; google.protobuf.Timestamp at = 4; }
message Refund { string office = 3; }
PROTO
mkdir common
printf 'syntax = "proto3";\npackage c;\nmessage Base { string s = 2; }\n' >common/base.proto
schema schemas_ids_6 PROTOBUF "$(cat pay.proto)" common/base.proto
schema schemas_ids_7 AVRO '"string"'
schema schemas_ids_8 PROTOBUF 'syntax = "proto3"; import "none.proto"; message M {}'

cat >rows.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "rows" {
  leat.source.kafka { a.topic or "pay", brokers = a.brokers, start = "earliest", ["until"] = "end", headers = a.headers },
  leat.parse.protobuf {
    "office", "base.s", "at", registry = a.registry, registry_timeout = a.registry and "0s", schema = a.schema, message = a.message, framing = a.framing,
  },
  leat.sink.file { path = "-", format = "csv" }, dead_letters = "dead", max_reject_ratio = 1,
}
LUA
rows=(run rows.lua --set brokers="$brokers" --quiet)
leat_run "${rows[@]}" --set schema=pay.proto
if [[ $(cat "$err") == *"built without libprotobuf"* ]]; then
    claim_exit "without libprotobuf messages are refused" 2 # elsewhere
    skip_rest "leat is built without libprotobuf"
fi
cp "$out" from-file
claim "messages have the values that were written" cmp <(cut -d, -f1,2 "$out" | sed 's/^"",/,/') rows.csv
claim "and times" equal "$(grep -c '1970-01-01T00:00:01Z$' "$out")" 6
leat_run "${rows[@]}" --set registry="$url"
if [[ $(cat "$err") == *"built without libcurl"* ]]; then skip_rest "leat is built without libcurl"; fi
claim_exit "a registry has the schemas" 0
claim "as text and as descriptors, with those that they import" cmp "$out" from-file
claim "each is asked for once a schema" equal "$(sort registry/log | uniq -c | tr -s ' ' | tr '\n' ';')" \
    " 1 schemas/ids/5?format=serialized ; 1 schemas/ids/6?format=serialized ; 2 subjects/base/versions/2?format=serialized ;"

leat_run "${rows[@]}" --set registry="$url" --set topic=odd
claim "a message of another type is one of this type" equal "$(tail -n +2 "$out")" "ref,,"
claim "what cannot be read says why" diff <(jq -r .message dead) - <<'TEXT'
the bytes behind the number of the schema name no message of it: neither indexes nor a name stand there
schema 7 is unknown: the registry says: the schema is of type AVRO: use parse.avro
schema 8 is unknown: cannot use schema 8 of the registry: schema.proto: none.proto: Import "none.proto" was not found or had errors.
the bytes from byte 7 on are no message c.Pay: a field is cut off, its text is not UTF-8, or messages are nested too deep
TEXT
leat_run "${rows[@]}" --set schema=pay.proto --set topic=odd --set message=c.Pay
claim "with a type, others are rejected" equal "$(jq -r .message dead | head -1)" "the record is a message c.Refund, not c.Pay"

printf 'syntax = "proto3";\npackage c;\nmessage Pay { string office = 2; }\n' >less.proto
leat_run "${rows[@]}" --set schema=less.proto
claim_says "fields that the schema lacks are counted" "300 of 300 messages have fields that their type lacks" \
    "'base.s' is in none of the 300 records"

# A header of the message names schema and type: 1, a GUID, and the second type.
mock topic headed 1 >/dev/null
"$programs/kafka_client" "$brokers" message headed k1 1000 $'\x1a\x03abc' \
    $'__value_schema_id=\x010123456789abcdef\x02\x02' >/dev/null
leat_run "${rows[@]}" --set schema=pay.proto --set topic=headed
claim "a header names schema and type" equal "$(tail -n +2 "$out")" "abc,,"
{ echo "200 OK"; jq -nc --rawfile schema pay.proto '{schemaType: "PROTOBUF", schema: $schema,
    references: [{name: "common/base.proto", subject: "base", version: 2}]}'; } \
    >"registry/schemas_guids_30313233-3435-3637-3839-616263646566?format=serialized"
leat_run "${rows[@]}" --set registry="$url" --set topic=headed
claim "and the registry has it by its GUID" equal "$(tail -n +2 "$out")" "abc,,"
leat_run "${rows[@]}" --set schema=pay.proto --set topic=headed --set headers=skip
claim "without headers it is not read" equal "$(tail -n +2 "$out")" ""

leat_run explain "kafka://$brokers/pay" --until end --format protobuf --registry "$url" --outlier 'base.s == "s1"' \
    --attributes office
claim_exit "applications read a topic of Protocol Buffers" 0
claim "and explain it" grep -q "office=o" "$out"
leat_run peek pay --brokers "$brokers" --set format=protobuf --set schema=pay.proto --set columns=office
claim_says "peek reads them, too" "messages of Protocol Buffers"
done_claims
