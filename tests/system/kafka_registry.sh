# sink.kafka writes messages by a Schema Registry: schemas of columns, of files, of subjects, and what is refused.
#
# parse.avro reads the messages back. tests/system/registry_peers.sh lets other programs read them.
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
asked() { cut -d' ' -f1 registry/log | paste -sd' '; }
sent() { tail -1 registry/bodies; }

cat >write.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "write" {
  leat.source.file { a.data or "in.jsonl" },
  leat.parse.json { "user.id", "x", "n", "t", numbers = { "x" }, integers = { "n" } },
  leat.sink.kafka {
    a.topic, brokers = a.brokers, format = a.format or "avro", registry = a.registry, registry_login = a.login,
    registry_timeout = a.registry and (a.timeout or "0s"), schema = a.schema, message = a.message, subject = a.subject, columns = a.columns, framing = a.framing,
    register = a.registry and a.register ~= "no", transaction = a.transaction,
  },
  dead_letters = "dead", max_reject_ratio = 1,
}
LUA
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { a.topic, brokers = a.brokers, start = "earliest", ["until"] = "end" },
  leat.parse[a.parse or "avro"] {
    "user.id", "x", "n", "t", numbers = { "x" }, integers = { "n" }, registry = a.registry, schema = a.schema, framing = a.framing,
  },
  leat.sink.file { path = "-", format = "jsonl" },
}
LUA
write() { leat_run "${command:-run}" write.lua --set brokers="$brokers" "$@"; }
read_back() { "$LEAT" run read.lua --quiet --set brokers="$brokers" "$@"; }
cat >in.jsonl <<'JSON'
{"user.id":"kim","x":1.5,"n":3,"t":"grün"}
{"user.id":null,"x":null,"n":null,"t":null}
{"user.id":"","x":-1e+300,"n":-9007199254740993,"t":"\"\\"}
{"user.id":"a b","x":0.1,"n":9223372036854775807,"t":"b"}
{"user.id":"z","x":2,"n":-5,"t":"b"}
JSON
sed 's/"user.id":\("[^"]*"\|null\)/"user":{"id":\1}/' in.jsonl >nested.jsonl
by_file=(--set data=nested.jsonl)
for topic in made file newest bare json proto once; do mock topic $topic 1 >/dev/null; done

command=check write --set topic=made "${by_file[@]}"
claim_exit "without a registry check refuses the sink" 2
claim_says "and says what to give" "registry: is missing: messages begin with the number of their schema" \
    "--set framing=none, and \`schema\` to the file"
command=check write --set topic=made "${by_file[@]}" --set registry="$url"
if [[ $(cat "$err") == *"built without libcurl"* ]]; then
    claim_exit "without libcurl a registry is refused" 2 # elsewhere
    skip_rest "leat is built without libcurl"
fi
claim_exit "with one it is right" 0
claim "and nobody was asked" [ ! -e registry/log ]

# A schema that is made of the columns.
answer POST_subjects_made-value_versions "200 OK" '{"id":258}'
write --set topic=made "${by_file[@]}" --set registry="$url" --quiet
claim_exit "columns become records" 0
claim "their schema is registered, once" equal "$(asked)" "subjects/made-value/versions"
claim "with null as the default of each field" equal "$(sent | jq -c '.schema | fromjson')" \
    '{"type":"record","name":"made","fields":[{"name":"user","type":{"type":"record","name":"made.user","fields":[{"name":"id","type":["null","string"],"default":null}]}},{"name":"x","type":["null","double"],"default":null},{"name":"n","type":["null","long"],"default":null},{"name":"t","type":["null","string"],"default":null}]}'
{ echo "200 OK"; sent; } >registry/schemas_ids_258
read_back --set topic=made --set registry="$url" >back
claim "parse.avro reads what was written" cmp back in.jsonl

# The same as JSON.
answer POST_subjects_json-value_versions "200 OK" '{"id":9}'
write --set topic=json "${by_file[@]}" --set registry="$url" --set format=json_schema --quiet
claim_exit "columns become objects" 0
claim "by a JSON Schema" equal "$(sent | jq -c '.schemaType, (.schema | fromjson | .properties.n)' | paste -sd' ')" \
    '"JSON" {"type":["null","integer"]}'
claim "behind its number" equal "$(timeout 60 "$programs/kafka_client" "$brokers" read json | head -c 6 | od -An -tx1)" \
    " 00 00 00 00 09 7b"
read_back --set topic=json --set parse=json >back
claim "parse.json reads them" cmp back in.jsonl

# Protocol Buffers: a schema of columns, and the second type of a file.
answer POST_subjects_proto-value_versions "200 OK" '{"id":11}'
write --set topic=proto "${by_file[@]}" --set registry="$url" --set format=protobuf
claim_exit "a path is no name of Protocol Buffers" 2
claim_says "and the message says what to write" "column 'user.id' cannot be a field" '"NAME=user.id" in `columns`'
command=check write --online --set topic=proto "${by_file[@]}" --set registry="$url" --set format=protobuf --set columns=id=user.id,x,n,t
claim_exit "with a name it is" 0
claim "the schema has its fields" equal "$(sent | jq -r '.schemaType, .schema' | paste -sd' ' | tr -s ' ')" \
    'PROTOBUF syntax = "proto3"; message proto { optional string id = 1; optional double x = 2; optional int64 n = 3; optional string t = 4; } '
cat >pay.proto <<'PROTO'
syntax = "proto3";
package shop;
message Other { int32 a = 1; }
message Pay {
  message User { map<string, int32> tags = 3; optional string id = 1; }
  User user = 1;
  optional double x = 2;
  optional sint64 n = 30; // zigzag
  oneof text { string t = 4; bytes raw = 5; }
}
PROTO
write --set topic=proto "${by_file[@]}" --set registry="$url" --set format=protobuf --set schema=pay.proto --set message=Pay --quiet
claim_exit "columns become messages" 0
{ echo "200 OK"; sent; } >registry/schemas_ids_11
read_back --set topic=proto --set parse=protobuf --set registry="$url" >back 2>"$err"
if grep -q "without libprotobuf" "$err"; then
    skip "parse.protobuf reads them" "leat is built without libprotobuf"
else
    claim "parse.protobuf reads them, by the index of their type" cmp back in.jsonl
fi

# A schema in a file, with another subject, a login, and a field for a column of another name.
cat >pay.avsc <<'JSON'
{"type": "record", "name": "Pay", "namespace": "shop", "fields": [
  {"name": "amount", "type": "float"}, {"name": "nn", "type": ["int", "null"]},
  {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["a", "b"]}}, {"name": "note", "type": "string"}]}
JSON
command=check write --set topic=file "${by_file[@]}" --set registry="$url" --set schema=pay.avsc
claim_exit "columns that do not fit the file are refused by check" 2
claim_says "each by its name, and so is each field" "schema: column 'n' is no field of the schema: did you mean 'nn'?" \
    "schema: field 'kind' (enum) of the schema has no column and no default" \
    "schema: column 'x' is no field of the schema: list the others in \`columns\`"
sed -i 's/"string"}/"string", "default": "–"}/' pay.avsc
columns=(--set columns="amount=x,nn=n,kind=t" --set schema=pay.avsc)
answer POST_subjects_pays_versions "200 OK" '{"id":3}'
export REGISTRY_PASSWORD=s3cr3t
write --set topic=file "${by_file[@]}" --set registry="$url" --set subject=pays "${columns[@]}" \
    --set 'login=me:${env:REGISTRY_PASSWORD}'
claim_exit "records that do not fit are no end" 0
claim "they say which value of which column" diff <(jq -r '"\(.line) \(.reason) \(.message)"' dead) - <<'TEXT'
1 unfit field 'kind' (enum): column 't' has 'grün', which is not one of its values
2 unfit field 'amount' (float) needs a value, and column 'x' has none
3 unfit field 'amount' (float): column 'x' has '-1e+300', which is beyond the range of the field
4 unfit field 'nn' (int): column 'n' has '9223372036854775807', which is beyond the range of the field
TEXT
claim "a login is sent" equal "$(tail -1 registry/log | cut -d' ' -f2 | base64 -d)" me:s3cr3t
claim "and the text of the file" equal "$(sent | jq -r .schema)" "$(<pay.avsc)"

# The newest schema of a subject, and one that must be there.
answer subjects_newest-value_versions_latest "200 OK" "$(jq -c '{id: 17, version: 2, schema: tojson}' <<'JSON'
{"type": "record", "name": "N", "fields": [{"name": "t", "type": ["null", "string"]}, {"name": "n", "type": "long", "default": 0},
  {"name": "user", "type": ["null", {"type": "record", "name": "U", "fields": [{"name": "id", "type": "string"}]}]},
  {"name": "x", "type": ["null", "double"]}, {"name": "q", "type": ["null", "int"]}]}
JSON
)"
{ echo "200 OK"; tail -n +2 registry/subjects_newest-value_versions_latest; } >registry/schemas_ids_17
: >registry/log
write --set topic=newest "${by_file[@]}" --set registry="$url" --set register=no --quiet
claim_exit "with register = false the newest schema of the subject is used" 0
claim "which is all that was asked" equal "$(asked)" "subjects/newest-value/versions/latest"
claim "what it cannot hold is rejected" equal "$(jq -r .message dead)" \
    "field 'n' (long) needs a value, and column 'n' has none"
read_back --set topic=newest --set registry="$url" >back
claim "the rest is there" cmp back <(sed 2d in.jsonl)
write --set topic=newest "${by_file[@]}" --set registry="$url" --set register=no --set columns=x,user.idd=user.id
claim_exit "a column that it lacks ends the start" 2
claim_says "by its name" "schema: field 'user.id' (string) of the schema has no column and no default: did you mean column 'user.idd'?"
write --set topic=made "${by_file[@]}" --set registry="$url" --set register=no
claim_exit "a subject without a schema does, too" 2
claim_says "with the registry's words" "subject: subject 'made-value' has no schema that can be used: the registry says: HTTP status 404: Schema not found"
write --set topic=file "${by_file[@]}" --set registry="$url" --set register=no "${columns[@]}"
claim_says "and so does one without that of the file" "register: subject 'file-value' does not have the schema of the file, and register = false"
answer subjects_made-value_versions_latest "200 OK" '{"id":5,"schemaType":"PROTOBUF","schema":"x"}'
write --set topic=made "${by_file[@]}" --set registry="$url" --set register=no
claim_says "a schema of another type says what to write" 'the schema is of type PROTOBUF: --set format=protobuf'

# What a registry refuses, and one that is not there.
answer POST_subjects_made-value_versions "409 Conflict" '{"error_code":409,"message":"it is incompatible with an earlier schema"}'
write --set topic=made "${by_file[@]}" --set registry="$url" --set timeout=60s
claim_exit "a schema that is refused ends the start at once" 1
claim_says "with the reason" "registry: $url does not take the schema of subject 'made-value': HTTP status 409: it is incompatible with an earlier schema"
answer POST_subjects_made-value_versions "503 Later"
leat_start write.lua --set brokers="$brokers" --set topic=made "${by_file[@]}" --set registry="$url" --set timeout=60s
until_true grep -q "asking again" "$err"
answer POST_subjects_made-value_versions "200 OK" '{"id":258}'
leat_end
claim_exit "a registry that comes back is waited for" 0
write --set topic=made "${by_file[@]}" --set registry=http://127.0.0.1:1
claim_exit "one that is not there ends the start" 1
claim_says "with the reason" "registry: http://127.0.0.1:1 does not take the schema of subject 'made-value'"

# check --online asks, and registers nothing.
: >registry/log
command=check write --online --set topic=made "${by_file[@]}" --set registry="$url"
claim_exit "check --online takes a schema that may be registered" 0
claim "and registers nothing" equal "$(asked)" "subjects/made-value compatibility/subjects/made-value/versions/latest?verbose=true"
answer "POST_compatibility_subjects_made-value_versions_latest" "200 OK" '{"is_compatible":false,"messages":["field x is gone"]}'
command=check write --online --set topic=made "${by_file[@]}" --set registry="$url"
claim_says "one that will be refused is an error" "registry: subject 'made-value' will refuse the schema: it does not fit the newest schema of the subject: field x is gone"
command=check write --online --set topic=newest "${by_file[@]}" --set registry="$url" --set register=no --set columns=x,user.idd=user.id
claim_says "and so is a column that the newest schema lacks" "schema: column 'user.idd' is no field of the schema: did you mean 'user.id'?"
command=check write --online --set topic=made "${by_file[@]}" --set registry=http://127.0.0.1:1
claim_says "and a registry that is not there" "registry: http://127.0.0.1:1 does not take the schema"

# Messages that do not name their schema, and parameters that exclude each other.
sed '2d; 3d' nested.jsonl >some.jsonl
jq -c '.fields = [.fields[0], {name: "t", type: "string"}, {name: "user", type: {type: "record", name: "U", fields: [{name: "id", type: "string"}]}}, {name: "n", type: "long"}, {name: "x", type: "double"}] | .fields |= .[1:]' pay.avsc >bare.avsc
write --set topic=bare --set data=some.jsonl --set framing=none --set schema=bare.avsc
claim_exit "without a registry a file is enough" 0
read_back --set topic=bare --set framing=none --set schema=bare.avsc >back
claim "if the readers have it" cmp back <(sed '2d; 3d' in.jsonl)
command=check write --set topic=bare --set format=jsonl --set schema=bare.avsc
claim_says "a format without a schema takes none" 'schema: has a meaning only with a format that has a schema, such as "avro": "jsonl" has none'
command=check write --set topic=bare --set columns='x,quantile(x)' --set registry="$url"
claim_says "a column that does not exist is none" "quantile(x)"

# A header that names the schema of the message that was read.
cat >again.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "again" {
  leat.source.kafka { "old", brokers = a.brokers, start = "earliest", ["until"] = "end" }, leat.parse.json { "t" },
  leat.sink.kafka { a.topic, brokers = a.brokers, format = a.format, registry = a.registry, headers = { "*" } },
}
LUA
for topic in old headed kept; do mock topic $topic 1 >/dev/null; done
kafka() { timeout 60 "$programs/kafka_client" "$brokers" "$@"; }
kafka message old k 1000 '{"t":"a"}' trace=1 __value_schema_id=old
answer POST_subjects_headed-value_versions "200 OK" '{"id":258}'
leat_run run again.lua --quiet --set brokers="$brokers" --set topic=headed --set format=avro --set registry="$url"
leat_run run again.lua --quiet --set brokers="$brokers" --set topic=kept
claim "it is not that of the message that is written" equal "$(kafka dump headed | grep -ao 'trace=.*')" 'trace="1" '
claim "unless the value is the same" equal "$(kafka dump kept | grep -o 'trace=.*')" 'trace="1" __value_schema_id="old" '

# Exactly once.
answer POST_subjects_once-value_versions "200 OK" '{"id":258}'
write --set topic=once "${by_file[@]}" --set registry="$url" --set transaction=t --state state --quiet
claim_exit "a transaction has records, too" 0
read_back --set topic=once --set registry="$url" >back
claim "each once" cmp back in.jsonl
# The cluster refuses a message of a transaction: the run tries its batches, also those with records that do not fit.
mock topic tried 1 >/dev/null
mock errors 0 87 1 >/dev/null # INVALID_RECORD
answer subjects_tried-value_versions_latest "200 OK" "$(tail -n +2 registry/subjects_newest-value_versions_latest)"
write --set topic=tried "${by_file[@]}" --set registry="$url" --set register=no --set transaction=u --state state2
claim_exit "a refusal by the cluster is tried again" 0
read_back --set topic=tried --set registry="$url" >back
# The mock cluster does not take back what is aborted, so a message may be there twice.
claim "and what fits is written" cmp <(sort -u back) <(sed 2d in.jsonl | sort)
claim "while what does not fit is rejected once" equal "$(jq -r '"\(.line) \(.reason)"' dead)" "2 unfit"
exec 8>&- 9>&-
done_claims
