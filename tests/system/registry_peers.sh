# Messages that sink.kafka writes by a Schema Registry, read by Confluent's deserializers for Python.
# tier: long (10 s)
. "$(dirname "$0")/../support/claims.sh"
python=${PYTHON:-python3}
"$python" -c 'import confluent_kafka.schema_registry.avro, confluent_kafka.schema_registry.json_schema, confluent_kafka.schema_registry.protobuf' 2>/dev/null ||
    skip_rest "confluent-kafka with its extras avro, json and protobuf is not installed for $python"
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
mkdir registry
mkfifo hold
"$programs/http_answers" registry <hold >port &
exec 8>hold
until_true test -s port
url=http://127.0.0.1:$(cat port)
printf '404 Not Found\n{"error_code":40403,"message":"Schema not found"}' >registry/missing

cat >write.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "write" {
  leat.source.file { "in.jsonl" },
  leat.parse.json { "b", "x", "n", "t", "o.at", "o.d", numbers = { "x" }, integers = { "n" } },
  leat.sink.kafka { a.topic, brokers = a.brokers, format = a.format, registry = a.registry, schema = a.schema, message = a.message,
    framing = a.framing },
}
LUA
"$python" - >in.jsonl <<'PY'
import json, random
random.seed(1)
for i in range(500):
    d = random.randint(0, 99999999999)
    r = {"b": random.random() < .5, "x": random.choice([random.gauss(0, 1e9), 1 / 3, 2, -0.0, 1e300]),
         "n": random.randint(-2**63 + 1, 2**63 - 1), "t": "".join(random.choice('ab"\\\n\u00fc\u4e2d\U0001f600') for _ in range(random.randint(0, 9))),
         "o": {"at": "%04d-02-27T%02d:59:59.%03dZ" % (random.randint(1, 9999), random.randint(0, 23), random.randint(0, 999)), "d": "%d.%02d" % (d // 100, d % 100)}}
    print(json.dumps({k: v for k, v in r.items() if random.random() < .8}, ensure_ascii=False))
PY

cat >read.py <<'PY'
import sys, json, datetime, decimal
from confluent_kafka import Consumer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.serialization import SerializationContext, MessageField
brokers, url, topic, format = sys.argv[1:]
client = SchemaRegistryClient({"url": url})
if format == "avro":
    from confluent_kafka.schema_registry.avro import AvroDeserializer
    decode = AvroDeserializer(client)
elif format == "protobuf":
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2
    from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer
    for f in descriptor_pb2.FileDescriptorSet.FromString(open("pay.set", "rb").read()).file: descriptor_pool.Default().Add(f)
    pay = message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName("shop.Pay"))
    decode = ProtobufDeserializer(pay, {"use.deprecated.format": False})
else:
    from confluent_kafka.schema_registry.json_schema import JSONDeserializer
    decode = JSONDeserializer(None, schema_registry_client=client)
c = Consumer({"bootstrap.servers": brokers, "group.id": topic, "auto.offset.reset": "earliest", "enable.partition.eof": True})
c.subscribe([topic])
want = [json.loads(line) for line in open("in.jsonl")]
for w in want:
    m = c.poll(60)
    got = decode(m.value(), SerializationContext(topic, MessageField.VALUE, m.headers()))
    if format == "protobuf":
        if got.o.HasField("at"): stamp = got.o.at.ToDatetime(datetime.timezone.utc)
        got = {name: getattr(got, name) if got.HasField(name) else None for name in ("b", "x", "n", "t", "o")}
        if got["o"]: got["o"] = {"d": got["o"].d or None, "at": stamp if got["o"].HasField("at") else None}
    o, inner = w.get("o", {}), got.get("o") or {}
    time = datetime.datetime.strptime(o["at"], "%Y-%m-%dT%H:%M:%S.%f%z") if "at" in o else None
    money = decimal.Decimal(o["d"]) if "d" in o else None
    def same(name, a, b): assert a == b and type(a) == type(b) or a == b and isinstance(b, (int, float)), (name, a, b)
    same("x", got["x"], w.get("x"))
    same("n", got["n"], w.get("n"))
    same("t", got["t"], w.get("t"))
    if topic == "json_file":
        same("b", got["b"], w.get("b"))
        same("d", inner.get("d"), o.get("d") and float(o["d"]))
        same("at", inner.get("at"), o.get("at"))
    elif format == "protobuf":
        same("b", got["b"], w.get("b"))
        same("at", inner.get("at"), time)
        same("d", inner.get("d"), o.get("d"))
    elif topic == "avro_file":
        same("b", got["b"], w.get("b"))
        same("at", inner.get("at"), time)
        same("d", inner.get("d"), money)
    else:
        same("b", got["b"], None if "b" not in w else "true" if w["b"] else "false")
        same("at", inner.get("at"), o.get("at"))
        same("d", inner.get("d"), o.get("d"))
assert c.poll(60).error(), "there are more messages"
print(len(want))
PY
cat >pay.avsc <<'JSON'
{"type": "record", "name": "Pay", "namespace": "shop", "fields": [
  {"name": "n", "type": ["null", "long"]}, {"name": "t", "type": ["string", "null"]}, {"name": "b", "type": ["null", "boolean"]},
  {"name": "tags", "type": {"type": "array", "items": "string"}, "default": ["a", "b"]},
  {"name": "o", "type": ["null", {"type": "record", "name": "O", "fields": [
    {"name": "d", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}]},
    {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]}]}]},
  {"name": "x", "type": ["null", "double"]}]}
JSON
cat >pay.json <<'JSON'
{"type": "object", "required": ["n", "t", "x", "b"], "additionalProperties": false, "properties": {
  "n": {"oneOf": [{"type": "null"}, {"type": "integer"}]}, "t": {"type": ["string", "null"], "maxLength": 9},
  "b": {"type": ["boolean", "null"]}, "x": {"type": ["null", "number"]}, "o": {"$ref": "#/definitions/o"}},
  "definitions": {"o": {"type": "object", "properties": {"at": {"type": "string"}, "d": {"type": "number", "minimum": 0}}}}}
JSON
cat >pay.proto <<'PROTO'
syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
message Other { int32 a = 1; }
message Third { int32 a = 1; }
message Pay {
  optional double x = 20; optional sfixed64 n = 2; optional bool b = 3; optional bytes raw = 4; optional string t = 5;
  message O { google.protobuf.Timestamp at = 1; optional string d = 300; }
  O o = 6;
}
PROTO
written() { # written WORDS TOPIC ID FORMAT ARGS…
    mock topic "$2" 1 >/dev/null
    local guid=00112233-4455-6677-8899-aabbccddee0$3
    printf '200 OK\n{"id":%d,"guid":"%s"}' "$3" $guid >"registry/POST_subjects_$2-value_versions"
    leat_run run write.lua --quiet --set brokers="$brokers" --set registry="$url" --set topic="$2" --set format="$4" "${@:5}"
    { echo "200 OK"; tail -1 registry/bodies; } | tee "registry/schemas_guids_$guid" >"registry/schemas_ids_$3"
    claim_exit "messages of $1 are written" 0
    claim "and read with all their values" equal "$(timeout 300 "$python" read.py "$brokers" "$url" "$2" "$4" 2>&1 | tail -1)" 500
}
written "a schema of columns" avro_made 1 avro
written "a schema in a file" avro_file 2 avro --set schema=pay.avsc
written "a JSON Schema of columns" json_made 3 json_schema
written "a JSON Schema in a file" json_file 4 json_schema --set schema=pay.json
rm registry/schemas_ids_*
written "a schema that a header names by its GUID" avro_guid 6 avro --set framing=guid
written "a JSON Schema that a header names" json_guid 7 json_schema --set framing=guid
if there_is protoc "messages of Protocol Buffers are read with all their values" &&
    protoc --include_imports --descriptor_set_out=pay.set pay.proto; then
    sed -i 's/"at": "[0-9]*-/"at": "2024-/' in.jsonl # a Timestamp has ns, of 1677 to 2262 here
    written "a schema of Protocol Buffers" proto_file 5 protobuf --set schema=pay.proto --set message=Pay
    written "a schema and a type that a header names" proto_guid 8 protobuf --set schema=pay.proto --set message=Pay --set framing=guid
fi
exec 8>&- 9>&-
done_claims
