# Avro: messages with their schema's number, from files and from a Schema Registry that fails in many ways.
#
# Bytes that are no record become dead letters. The applications give the same answers as for the same records in CSV.
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/mock.sh"
pipelines=$OLDPWD/pipelines

# Messages from lines: no byte is a line end (texts of five bytes have one, and so have integers of 5).
cat >1.avsc <<'JSON'
{"type": "record", "name": "Pay", "fields": [
  {"name": "office", "type": "string"},
  {"name": "user", "type": ["null", {"type": "record", "name": "User", "fields": [{"name": "vip", "type": "boolean"}]}]},
  {"name": "amount", "type": "string"}]}
JSON
sed 's/{"name": "amount"/{"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["CARD", "CASH"]}}, &/' \
    1.avsc >2.avsc
mkdir schemas registry
cp 1.avsc 2.avsc schemas
LC_ALL=C awk 'function text(s) { printf "%c%s", 2 * length(s), s }
    BEGIN { srand(1); print "office,vip,kind,amount" >"rows.csv"
        for (i = 0; i < 4000; i++) {
            office = "office " int(rand() * 30); vip = rand() < .3; cash = rand() < .5
            amount = sprintf("%.3f", 1e4 + 1e4 * rand() + 9e4 * (office == "office 7" && vip))
            version = i % 3 ? 2 : 1
            printf "%c%c%c%c%c", 0, 0, 0, 0, version
            text(office); printf "%c%c", 2, vip; if (version == 2) printf "%c", 2 * cash; text(amount); print ""
            printf "%s,%s,%s,%s\n", office, vip ? "true" : "false", version == 1 ? "" : cash ? "CASH" : "CARD",
            amount >"rows.csv"
        } }' >messages
mock topic pay 1 >/dev/null
mock topic hostile 1 >/dev/null
"$LEAT" run "$pipelines/kafka/produce.lua" --set brokers="$brokers" --set topic=pay --set data=messages --quiet
claim "4,000 messages hold no line end" equal "$(wc -l <messages)" 4000

of_topic=(--set brokers="$brokers" --set topic=pay --set until=end --set format=avro)
ask=(--set outlier='amount > 18000' --set missing_values=false --set attributes=office,user.vip,kind --quiet)
leat_run run "$pipelines/explain.lua" --set data=rows.csv "${ask[@]}" --set attributes=office,vip,kind
sed 's/vip=/user.vip=/g; s/ *$//' "$out" | tr -s ' -' >from-csv
leat_run run "$pipelines/explain.lua" "${of_topic[@]}" --set schemas=schemas "${ask[@]}"
claim "explain says of Avro of two versions what it says of CSV" cmp <(eventless "$out" | sed 's/ *$//' |
    tr -s ' -') from-csv
claim "which is something" grep -q 'office=office 7' from-csv

leat_run run "$pipelines/explain.lua" "${of_topic[@]}" --set schemas=schemas --set outlier='amount > 18000' \
    --set attributes=ofice,user.vop,vip,x
for meant in "'ofice' is in none of the 4000 records; did you mean 'office'" \
    "'user.vop' is in none of the 4000 records; did you mean 'user.vip'" \
    "'vip' is in none of the 4000 records; did you mean 'user.vip'" \
    "'x' is in none of the 4000 records; the records have office, user.vip, amount, kind"; do
    claim_says "a path that no schema has is warned of" "warning: avro (parse.avro): column $meant"
done

cat >hidden.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "hidden" {
  leat.source.kafka { "pay", brokers = leat.args.brokers, start = "earliest", ["until"] = "end" },
  leat.parse.avro { schemas = "schemas" }, leat.shape.lookup { "kinds.csv", key = "office", columns = { "kind" } },
  leat.sink.file { path = "-", format = "csv", columns = { "kind" } },
}
LUA
printf 'office,kind\noffice 7,old\n' >kinds.csv
leat_run run hidden.lua --quiet --set brokers="$brokers"
claim_says "a field that a new column hides is told" \
    "warning: avro (parse.avro): 'kind' of the records is not read, because lookup (shape.lookup) makes a column of that name"

# A registry.
mkfifo hold
"$programs/http_answers" registry <hold >port & # ends with the script, which holds the other end
exec 8>hold
until_true test -s port
url=http://127.0.0.1:$(cat port)
printf '404 Not Found\n{"error_code":40403,"message":"Schema not found"}' >registry/missing
registered() { # registered ID FILE
    { echo "200 OK"; jq -c '{schema: tojson}' "$2"; } >"registry/schemas_ids_$1"
}
registered 1 1.avsc
registered 2 2.avsc
leat_run check "$pipelines/explain.lua" "${of_topic[@]}" --set registry="$url" "${ask[@]}"
if [[ $(cat "$err") == *"built without libcurl"* ]]; then
    claim_exit "without libcurl a registry is refused" 2 # elsewhere
    skip_rest "leat is built without libcurl"
fi
claim "check asks no registry" [ ! -e registry/log ]
leat_run run "$pipelines/explain.lua" "${of_topic[@]}" --set registry="$url/" "${ask[@]}"
claim "schemas come from the registry" cmp <(eventless "$out" | sed 's/ *$//' | tr -s ' -') from-csv
claim "each is asked for once" equal "$(sort registry/log | uniq -c | tr -s ' ' |
    tr '\n' ';')" " 1 schemas/ids/1 ; 1 schemas/ids/2 ;"

cat >rows.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "rows" {
  leat.source.kafka { a.topic or "pay", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = a["until"] or "end" },
  leat.parse.avro {
    "office", "user.vip", registry = a.registry, registry_login = a.login, registry_timeout = a.registry and (a.timeout or "0s"), schema = a.schema,
    schemas = a.schemas, lanes = tonumber(a.lanes),
  },
  leat.sink.file { path = "-", format = "csv" }, dead_letters = "dead", max_reject_ratio = a.ratio or 1,
}
LUA
rows=(run rows.lua --set brokers="$brokers" --quiet)
leat_run "${rows[@]}" --set schemas=schemas
cp "$out" one
leat_run "${rows[@]}" --set schemas=schemas --set lanes=3
claim "three lanes write what one does" cmp "$out" one

export REGISTRY_PASSWORD=s3cr3t-hidden
leat_run "${rows[@]}" --set registry="$url" --set 'login=me:${env:REGISTRY_PASSWORD}' --state state
claim "a login is sent" equal "$(tail -1 registry/log | cut -d' ' -f2 | base64 -d)" me:s3cr3t-hidden
claim "and kept nowhere" [ "$(grep -lr s3cr3t-hidden state "$out" "$err")" = "" ]
leat_run "${rows[@]}" --set registry="$url" --set 'login=me:${env:NO_SUCH}'
claim_exit "a variable that is not set ends the run" 2
claim_says "with its name" "registry_login: \${env:NO_SUCH}"

mv registry/schemas_ids_2 two
leat_run "${rows[@]}" --set registry="$url"
claim_exit "a number that the registry does not know is no end" 0
claim "but dead letters" equal "$(grep -c . dead)" 2666
claim "which say so" equal "$(jq -r .message dead | sort -u | grep -v '^other$')" \
    "schema 2 is unknown: the registry says: HTTP status 404: Schema not found"
fails() { # fails WORDS STATUS BODY TEXT…
    rm -f dead
    printf '%s\n%s' "$2" "$3" >registry/schemas_ids_2
    leat_run "${rows[@]}" --set registry="$url"
    claim_exit "$1 ends the run" 1
    claim_says "and says what" "registry: $url does not give schema 2" "$4"
    claim "and loses nothing" [ "$(grep -c . dead 2>/dev/null)" = 0 ]
}
for words in '{"error_code":404,"message":"HTTP 404 Not Found"}' '{"message":"no Route matched"}' '<html>' ''; do
    fails "the 404 of another server" "404 Not Found" "$words" "HTTP status 404" \
        "(not an answer of a Schema Registry: check the address"
done
fails "a redirection" '301 Moved|Location: https://registry.example/x' '' \
    "HTTP status 301: the server redirects to https://registry.example/x"
fails "a refused login" "401 Unauthorized" '{"error_code":40101,"message":"who are you"}' \
    "HTTP status 401: who are you (set registry_login)"
fails "a registry that is not well" "503 Service Unavailable" '' "HTTP status 503"
fails "an answer that is none" "200 OK" '<html>' "the answer is not from a Schema Registry"
printf '200 OK\n{"schemaType":"PROTOBUF","schema":"x"}' >registry/schemas_ids_2
leat_run "${rows[@]}" --set registry="$url"
claim "a schema of Protobuf is a dead letter" equal "$(jq -r .message dead | sort -u | grep -v '^other$')" \
    "schema 2 is unknown: the registry says: the schema is of type PROTOBUF: use parse.protobuf"
# References: types of other subjects, which share one, and a union of records at the top.
ref() { # ref ID|PATH SCHEMA NAME…: a schema, and the names of version 1 of the subjects NAME, which it needs
    local names
    names=$(printf '%s\n' "${@:3}" | jq -Rnc '[inputs | select(. != "") | {name: ., subject: "of \(.)", version: 1}]')
    { echo "200 OK"; jq -nc --arg schema "$2" --argjson references "$names" '{schema: $schema, references: $references}'; } >"registry/$1"
}
record() { printf '{"type":"record","name":"%s","namespace":"c","fields":[{"name":"%s","type":"%s"}]}' "$@"; }
ref schemas_ids_65 '{"type":"record","name":"Pay","fields":[{"name":"l","type":"c.Left"},{"name":"r","type":"c.Right"}]}' \
    c.Left c.Right
ref subjects_of%20c.Left_versions_1 "$(record Left office Base)" c.Base
ref subjects_of%20c.Right_versions_1 "$(record Right office c.Base)" c.Base
ref subjects_of%20c.Base_versions_1 "$(record Base s string)"
ref schemas_ids_66 "[$(record A a int),$(record B office string)]"
ref schemas_ids_67 '{"type":"record","name":"R","fields":[{"name":"office","type":"c.None"}]}' c.None
ref schemas_ids_68 '{"type":"record","name":"R","fields":[{"name":"office","type":"c.Loop"}]}' c.Loop
ref subjects_of%20c.Loop_versions_1 "$(record Loop office c.Loop2)" c.Loop2
ref subjects_of%20c.Loop2_versions_1 "$(record Loop2 office c.Loop)" c.Loop
for bytes in 'A\x02x\x02y' 'B\x02\x02z' 'C\x02x' 'D\x02x'; do
    printf '\0\0\0\0'"$bytes"'\n'
done >parts
mock topic parts 1 >/dev/null
mock produce parts 0 parts >/dev/null
sed 's/"office", "user.vip"/"l.office.s", "r.office.s", "office"/' rows.lua >parts.lua
: >registry/log
leat_run run parts.lua --set brokers="$brokers" --quiet --set registry="$url" --set topic=parts
claim "types of other subjects are put together, and a union is its record" diff "$out" - <<'CSV'
l.office.s,r.office.s,office
x,y,
,,z
CSV
claim "each is asked for once" equal "$(grep -c Base registry/log)" 1
claim "what cannot be put together says why" diff <(jq -r .message dead) - <<'TEXT'
schema 67 is unknown: the registry says: it refers to 'c.None', version 1 of subject 'of c.None': HTTP status 404: Schema not found
schema 68 is unknown: cannot use schema 68 of the registry: there is no type 'c.Loop', in field 'office'
TEXT
printf '503 Later\n' >registry/schemas_ids_2
leat_start "${rows[@]:1}" --set registry="$url" --set timeout=60s
until_true grep -q "asking again" "$err"
mv two registry/schemas_ids_2
leat_end
claim_exit "a registry that comes back is waited for" 0
claim "and all records are there" cmp "$out" one
leat_run "${rows[@]}" --set registry=http://127.0.0.1:1
claim_exit "so is one that is not there, and then the run ends" 1
claim_says "with the reason" "registry: http://127.0.0.1:1 does not give schema 1" "No record was lost"

# Numbers in turn, of which two are 64 apart.
for ((i = 0; i < 400; i++)); do
    for number in 5 E u; do printf '\0\0\0\0%sx\n' $number; done
done >turns
mock topic turns 1 >/dev/null
mock produce turns 0 turns >/dev/null
: >registry/log
from=$SECONDS
leat_run "${rows[@]}" --set registry="$url" --set topic=turns
claim "an unknown number is asked for once in five seconds, however they come" [ "$(wc -l <registry/log)" -le \
    "$((3 + 3 * (SECONDS - from) / 5))" ]
claim "each of them" equal "$(sort -u registry/log | tr -d '\n')" "schemas/ids/117 schemas/ids/53 schemas/ids/69 "

# What rejects every record commits nothing.
refuses_all() { # refuses_all WORDS GROUP ARGS…
    leat_run "${rows[@]}" --set registry="$url" --set topic=turns --set ratio=.9 --set group="$2" "${@:3}"
    claim_exit "a run that rejects all ends $1" 1
    claim "and its group has committed nothing" equal "$(mock committed "$2" turns 1 | head -1)" "-1001 "
}
refuses_all "at the end" all
refuses_all "at its first checkpoint" first --set until=stopped --every 1s

# Fewer records wait for a right one, however long the run is, and also when it is stopped.
head -9 turns >few
mock topic few 1 >/dev/null
mock produce few 0 few >/dev/null
few_committed() { equal "$(mock committed few few 1 | head -1)" "$1 "; }
leat_start "${rows[@]:1}" --set registry="$url" --set topic=few --set ratio=.9 --set group=few --set until=stopped --every 1s
has_nine() { [[ $(grep -c . dead) == 9 ]]; }
until_true has_nine
sleep 2.5
claim "nine records that were all rejected are not committed" few_committed -1001
leat_stop
claim_exit "the run that is stopped ends well" 0
claim_says "and says what it did not do" "nothing is committed or saved, because all 9 records so far were rejected"
claim "nor are they then" few_committed -1001
printf '\0\0\0\0\1\x0coffice\2\1\2' >right
echo 7 >>right
mock produce few 0 right >/dev/null
leat_run "${rows[@]}" --set registry="$url" --set topic=few --set ratio=.95 --set group=few
claim "a right one lets them be committed" few_committed 10

# Hostile messages.
{
    printf '\0\0\0\0\1\x0coffice\2\1\2'; echo 7          # right
    printf '\0\0\0\0\1\x0coffice\2\1\2'; echo 77         # more than the record
    printf '\0\0\0\0\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1'; echo
    printf '\0\0\0\0\1\x7f'; echo x
    printf '{"office": 1}\n'
    printf '\0\0\0\0\x63'; echo x
} >hostile
"$LEAT" run "$pipelines/kafka/produce.lua" --set brokers="$brokers" --set topic=hostile --set data=hostile --quiet
leat_run "${rows[@]}" --set schemas=schemas --set topic=hostile
claim_exit "hostile messages are no end" 0
claim "what is right of them is read" equal "$(tail -n +2 "$out")" "office,true"
claim "the rest are dead letters that name byte and field" diff - <(jq -r '"\(.offset) \(.reason) \(.message)"' dead) \
    <<'TEXT'
1 syntax byte 17 is wrong for a record of schema 1: bytes follow the record
2 syntax byte 6, in field 'office', is wrong for a record of schema 1: a length is negative, or greater than the rest of the record
3 syntax byte 6, in field 'office', is wrong for a record of schema 1: a length is negative, or greater than the rest of the record
4 syntax the record does not begin with a zero byte and the four bytes of its schema's number: it begins like JSON: use parse.json for such records
5 unknown_schema schema 99 is unknown: the folder schemas has no file 99.avsc
TEXT
done_claims
