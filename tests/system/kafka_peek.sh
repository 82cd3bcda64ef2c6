# leat peek kafka://HOST:PORT/TOPIC: the content of a topic, and commands to ask about it.
. "$(dirname "$0")/../support/claims.sh"
home=$PWD
. "$(dirname "$0")/../support/mock.sh"
awk 'BEGIN { srand(1); for (i = 0; i < 3000; i++) printf "{\"id\":%d,\"user\":{\"country\":\"%s\"},\"ms\":%d}\n", i,
    substr("DEFRGB", 1 + 2 * int(rand() * 3), 2), rand() * rand() * 900 }' >objects
awk 'BEGIN { srand(1); for (i = 0; i < 3000; i++) printf "%d,h%d,%d\n", i, rand() * 3, rand() * rand() * 900 }' >rows
printf '\000\000\000\000\021abc\n\000\000\000\000\021defg\n' >framed
awk '{ printf "%c%c%c%c%c%s\n", 0, 0, 0, 0, 17, $0 }' objects >schema
printf '\001\002\377\n\003\200\001\n' >bytes
for topic in payments schema rows framed bytes; do mock topic $topic 3 >/dev/null; done
mock topic nothing 2 >/dev/null
mock produce payments -3 "$tmp/objects" >/dev/null
mock produce schema -3 "$tmp/schema" >/dev/null
mock produce rows -3 "$tmp/rows" >/dev/null
mock produce framed 0 "$tmp/framed" >/dev/null
mock produce bytes 0 "$tmp/bytes" >/dev/null
peek() { leat_run peek "$@" --brokers "$brokers"; }
column() { jq -c ".columns[] | select(.column == \"$1\") | $2" "$out"; }
commands() { # commands N: as many are printed, and each works from where the pipelines are
    local line
    grep -E '^  leat (explain|compare|pairs|classify|regress|rate) ' "$err" >"$tmp/list"
    while read -r line; do (cd "$home" && eval "${line/leat /\"\$LEAT\" } --quiet" >/dev/null 2>"$tmp/said") ||
        { echo "$line"; cat "$tmp/said"; return 1; }; done <"$tmp/list"
    (($(wc -l <"$tmp/list") == $1))
}
# The members of a group wait for those that have left, as long as a session is: in the background, and not 45 s.
cat >"$tmp/read.lua" <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { a.topic, brokers = a.brokers, group = a.group, start = a.start or "earliest", limit = a.limit, give_up = a.give_up, ["until"] = a["until"],
    properties = { "session.timeout.ms=6000" } },
  leat.parse.lines {}, leat.sink.file { path = a.to, format = "raw" },
}
LUA
# aside NAME COMMAND ARGS…: the program in the background, for what takes its time: $tmp/NAME.said, .took and .status
aside() {
    local name=$1 from=$SECONDS
    shift
    (cd "$tmp" && "$LEAT" "$@" >/dev/null 2>"$name.said"; code=$?; echo $((SECONDS - from)) >"$name.took"; echo $code \
        >"$name.status") &
}
# ended NAME: it has, with $status, $took and its standard error
ended() {
    until_true test -s "$tmp/$1.status"
    status=$(cat "$tmp/$1.status") took=$(cat "$tmp/$1.took")
    cp "$tmp/$1.said" "$err"
}
in_group() { aside "$1" run read.lua --set brokers="$brokers" --set topic=rows --set group=g "${@:2}" --set to="$1" \
    --quiet; }
for topic in framed bytes nothing; do aside $topic peek $topic --brokers "$brokers"; done
aside unreached peek payments --brokers 127.0.0.1:1
aside silent run read.lua --set brokers=127.0.0.1:1 --set topic=rows --set give_up=2s --set to=none --quiet
cd "$home" || exit 1
leat_run peek "kafka://$brokers/payments" --json
claim_exit "the address of a topic is looked at" 0
jq -c '[.records, .commands, .columns[].column]' "$out" >"$tmp/addressed.json" && cp "$err" "$tmp/addressed.said"
peek payments --json
claim_exit "a topic is looked at" 0
claim "as an address is" eval 'jq -c "[.records, .commands, .columns[].column]" "$out" |
    cmp - "$tmp/addressed.json" && cmp "$tmp/addressed.said" "$err"'
claim_says "whose format is known by its bytes" "payments: the first 10000 messages of each partition" \
    "json, one object a line"
claim "all its messages" equal "$(jq .records "$out")" 3000
claim "with its parts as columns" equal "$(jq -c '[.columns[].column]' "$out")" \
    '["partition","key","time","id","user.country","ms"]'
claim "and right figures" equal "$(column id '[.low, .high]')$(column partition .distinct)$(column key .type)" \
    '[0,2999]3"empty"'
claim "a number of the record is no metric, though it falls from partition to partition" grep -q -- \
    "--metric ms --attributes user.country$" "$err"
claim "the commands work" commands 2
claim "and read the topic to its end" grep -q -- "kafka://$brokers/payments --until end" "$err"
rest_is_long
in_group some --set limit=7
peek payments --json --set limit=100
claim "a limit is of each partition" equal "$(jq .records "$out") $(column partition '.frequent')" \
    '300 "0 33.3 %, 1 33.3 %, 2 33.3 %"'
peek rows --json
claim_says "messages have no heading" "csv without a heading, fields separated by ','" "--columns c1,c2,c3"
claim "and columns by number" equal "$(jq -c '[.columns[].column]' "$out")" '["partition","key","time","c1","c2","c3"]'
claim "their commands work, too" commands 2
peek rows --json --set columns=key,host,ms
claim "a column of that name replaces a part of the message" equal "$(jq -c '[.columns[].column]' "$out")$(column key \
    .distinct)" '["partition","time","key","host","ms"]'"$(column key .distinct)"
# A source with a limit.
ended some
claim "a source with a limit stops by itself, without until" equal "$status $(sort -n "$tmp/some" |
    tr '\n' ' ')" "0 $(head -21 "$tmp/rows" | sort -n | tr '\n' ' ')"
claim "and has committed no more than it read" grep -q '^7 7 7' <<<"$(cd "$tmp" && mock committed g rows 3)"
in_group rest --set limit=2000 --set until=end

peek payments --json
jq -c "[.records, .columns[].column]" "$out" >"$tmp/plain"
peek schema --json
claim "JSON Schema is JSON behind its number" cmp <(jq -c "[.records, .columns[].column]" "$out") "$tmp/plain"
ended framed
claim_says "Avro is known by its frame" "framed: avro, framed as by a Schema Registry (schema 17)" \
    "give --registry http://HOST:8081 --columns a,b.c, and for Protocol Buffers --format protobuf"
claim_exit "and is no error" 0
ended bytes
claim_says "other bytes are told" "bytes: binary messages of an unknown format"
ended nothing
claim_exit "an empty topic ends at once" 0
claim_says "and is told" "nothing: the topic has no messages to read"
peek paymnts
claim_exit "a topic that is not there is an error" 1
claim_says "that says which was meant" "topic 'paymnts' does not exist: did you mean 'payments'?"
ended unreached
claim_exit "brokers that do not answer are one" 1
claim_says "with the reason" "no broker of 127.0.0.1:1 answers" "Connection refused"
claim "after some seconds" below "$took" 25
peek payments --set properties=client.id=me,ssl.key.password=s3cr3t
claim_says "a secret is no part of the advice, but a place for it" \
    "client.id=me,ssl.key.password=\${env:SSL_KEY_PASSWORD}"
claim "so that it is nowhere" sh -c "! grep -q s3cr3t $err $out"
claim "no offset is committed" grep -q '^-1001 -1001 -1001' <<<"$(cd "$tmp" && mock committed leat payments 3)"

for address in kafka:// kafka://h:1 kafka://h:1/ kafka:///t; do leat_run peek $address
    echo "$status $(grep -c "error: write kafka://HOST:PORT/TOPIC, not $address$" "$err")"; done >"$tmp/addresses"
claim "an address without a topic is refused" equal "$(xargs <"$tmp/addresses")" "2 1 2 1 2 1 2 1"
peek kafka://h:1/payments
claim_exit "so are brokers that are given twice" 2
claim_says "with what to do" "remove --brokers, or write the topic alone: payments"

# The source's own: give_up, start.
cd "$tmp" || exit 1
ended silent
claim_exit "a source gives up when nothing comes for that long" 1
claim_says "with the reason" "answered for 2 s" "Connection refused"
for start in earlest yesterday -6 -6months 2026-13-01; do leat_run check read.lua --set brokers="$brokers" \
    --set topic=rows --set to=x --set start="$start"; echo "$status $(grep -o "start: .*" "$err")"; done >starts
claim "where to begin is a word, a time, or a time ago" equal "$(cut -d: -f2 starts | cut -c-40 |
    paste -sd'|')" " 'earlest' is not a place to begin| 'yesterday' is not a place to begin| '-6' is not a place to begin| '-6months' is not a place to begin| '2026-13-01' is not a place to begin"
claim "of which the nearest word is named" grep -q "^2 .*did you mean 'earliest'?" starts
for start in -6h 2026-11-20 2026-11-20T12:00:00+02:00; do aside "since$start" run read.lua --set brokers="$brokers" \
    --set topic=rows --set to="since$start.out" --set start=$start --set until=end --quiet; done
for start in -6h 2026-11-20 2026-11-20T12:00:00+02:00; do
    ended "since$start"
    echo "$status $(grep -c 'the broker finds none by its time' "$err")"
done >starts
claim "such times are taken, and a broker that finds none by them is told" equal "$(xargs <starts)" "1 1 1 1 1 1"
ended rest
claim "the next one reads on, to the end where that comes first" equal "$status $(sort -n some rest | cmp - rows)" "0 "
leat_start read.lua --set brokers="$brokers" --set topic=rows --set give_up=1s --set to=all --progress never
sleep 2
mock produce rows 0 "$tmp/framed" >/dev/null
claim "but not at the end of a topic, where it waits for more" until_true sh -c 'test $(wc -l <all) -ge 3002'
leat_stop
claim_exit "until it is stopped" 0
done_claims
