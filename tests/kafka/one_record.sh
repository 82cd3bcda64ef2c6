# A message that its topic refuses is one dead letter: every other record of its batch arrives.
# tier: long (120 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
patience=60
configure() { # configure NAME [CONFIG=VALUE]…; a node takes a moment to apply it
    kafka configure "$@" && sleep 1
}
made() { # made NAME [CONFIG=VALUE]…: a topic with that configuration
    kafka topic "$1" 1 1 && configure "$@"
}
has() { # has TOPIC N: true if the topic has N messages that are not equal
    equal "$(kafka read "$1" | sort -u | wc -l) $(kafka read "$1" | wc -l)" "$2 $2"
}
has_all() {
    equal "$(kafka read "$1" | wc -l)" "$2"
}
hour=message.timestamp.after.max.ms=3600000

# ---- what the topic's limits refuse ----
now=$(date +%s)
for ((i = 1; i <= 1000; i++)); do
    echo "{\"n\":$i,\"at\":$((now + (i == 500 ? 7200 : 0))),\"k\":$((i % 10 ? i : 0))}"
done >times
cat >file.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "file" {
  leat.source.file { a.data or "times" },
  a.lines and leat.parse.lines {} or { leat.parse.json { columns = { "n", "at", "k" } }, leat.parse.time { "at", format = "unix" } },
  leat.sink.kafka { a.into, brokers = a.brokers, time = a.time or "kept", key = a.key, properties = a.properties,
    max_message = tonumber(a.max or 1000000) },
  dead_letters = "dead",
}
LUA
run() { leat_run run file.lua --set brokers="$brokers" --progress never "$@"; }
made hour $hour
run --set into=hour
claim_exit "one record two hours ahead of 1000 does not end the run" 0
claim "the others arrive" has hour 999
claim "it is the one that does not" equal "$(kafka read hour | grep -c '"n":500,')" 0
claim_says "the message names its place, its time, the limit and the way out" "times:500 (byte " \
    "h ahead of now, and topic hour takes at most 1.0 h (message.timestamp.after.max.ms=3600000): --set time=now, or"
claim "it is a dead letter" equal "$(jq -c '[.line, .reason, .stage]' dead)" '[500,"time","kafka"]'
made again $hour
run --set into=again --set time=now
claim "with the time of now all arrive" has again 1000
head -499 times >good
made lower message.timestamp.before.max.ms=1000
run --set into=lower --set data=<(sed 's/"at":[0-9]*/"at":1000000000/' good)
claim_says "a time too long ago is named as one" "days before now" "(message.timestamp.before.max.ms=1000)"
made stamps $hour message.timestamp.type=LogAppendTime
run --set into=stamps
claim "a topic with times of its own takes all" has stamps 1000

made keyed cleanup.policy=compact
sed 's/,"k":0}/}/' times >keys
run --set into=keyed --set data=keys --set key=k --set time=now
claim_exit "records without a key do not end a run into a compacted topic" 0
claim "the others arrive" has keyed 900
claim_says "the message names the key and the policy" "keys:10 (byte" \
    "it has no key, and topic keyed is compacted (cleanup.policy)" '`key`'
claim "each is a dead letter" equal "$(jq -r .reason dead | sort | uniq -c | xargs)" "100 no_key"

for ((i = 1; i <= 1000; i++)); do
    printf '%0*d\n' $((i == 500 ? 20000 : 100)) $i
done >lines
made short max.message.bytes=10000
run --set into=short --set data=lines --set lines=1
claim_exit "one record that is too long for the topic does not end the run" 0
claim "the others arrive, in batches that the topic takes" has short 999
claim_says "the message names its size and the limit" "lines:500 (byte" "needs 20072 bytes, and topic short takes \
at most 10000 (max.message.bytes)"
claim "it is a dead letter" equal "$(jq -c '[.line, .reason]' dead)" '[500,"too_large"]'
for n in 9927 9928 9929 9930; do printf '%0*d\n' $n $n; done >edge
made edge max.message.bytes=10000
for k in 2 3; do kafka produce edge 0 <(sed -n ${k}p edge); done
claim "another client gets 9,928 bytes into 10,000, and no more" cmp <(kafka read edge) <(sed -n 2p edge)
run --set into=edge --set data=edge --set lines=1
claim_exit "messages up to the limit are sent, and no longer ones" 0
claim "as many as fit" equal "$(kafka read edge | sort | uniq -c | awk '{ print $1 }' | xargs) $(wc -l <dead)" "2 1 2"
run --set into=short --set data=lines --set lines=1 --set properties=compression.codec=lz4
claim_exit "a message that fits when it is compressed is sent" 0
claim "with all others" has_all short 1999

# ---- what only the cluster knows: limits that change during a run ----
cat >feed.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "feed" {
  leat.source.kafka { a.from, brokers = a.brokers, group = a.into, start = "earliest" },
  leat.parse.json { columns = { "n", "at", "k" } }, leat.parse.time { "at", format = "unix" },
  leat.sink.kafka { a.into, brokers = a.brokers, key = a.key, transaction = a.transaction },
  dead_letters = "late", on_error = a.on_error,
}
LUA
has_late() { [[ -s late && $(wc -l <late) -ge $1 ]]; }
at_least() { [[ $(kafka read "$1" | wc -l) -ge $2 ]]; }
feeds() { # feeds FROM INTO ARGS…: starts it, and waits for its first ten results
    made "$1" message.timestamp.after.max.ms=9223372036854775807
    kafka produce "$1" 0 <(head -10 times)
    leat_start feed.lua --set brokers="$brokers" --set from="$1" --set into="$2" --every 1s --progress never "${@:3}"
    until_true at_least "$2" 10
}
made open && feeds feed open
configure open $hour
kafka produce feed 0 <(tail -n +11 times)
until_true has_late 1 && until_true at_least open 999
leat_stop && leat_end
claim_exit "a record that breaks a limit which is new does not end the run" 0
claim "the others arrive" has open 999
claim "as they were" cmp <(kafka read open | sort) <(sed 500d times | sort)
claim "in their order, but those sent again may come after those under way" \
    equal "$(kafka read open | jq .n | awk '$1 < last { n++ } { last = $1 } END { print n + 0 < 2 }')" 1
claim_says "the message names its place, its time and the limit" "feed/0 (record 499)" \
    "h ahead of now, and topic open takes at most 1.0 h (message.timestamp.after.max.ms=3600000)"
claim "it is a dead letter, as it arrived" equal "$(jq -c '[.input, .offset, .reason, .record]' late)" \
    "$(jq -Rc '["feed/0", 499, "time", .]' <(sed -n 500p times))"
claim "the group has committed all" equal "$(kafka committed open feed 1)" 1000
rm late && made loose && feeds feed2 loose --set key=k
configure loose cleanup.policy=compact
sed 's/,"k":0}/}/' times | tail -n +11 >more
kafka produce feed2 0 more
until_true has_late 99
leat_stop && leat_end
claim_exit "nor do 99 records without a key" 0
claim "the others arrive" cmp <(kafka read loose | sort) <({ head -10 times; grep '"k"' more; } | sort)
claim "and they are dead letters" equal "$(jq -r .reason late | sort | uniq -c | xargs)" "99 no_key"

# ---- transactions ----
rm late && made once $hour && feeds feed3 once --set transaction=once --state once.state
kafka produce feed3 0 <(tail -n +11 times)
until_true at_least once 999
leat_stop && leat_end
claim_exit "a record that breaks a limit does not end a run with transactions" 0
claim "the others are committed once" has once 999
claim "no transaction was aborted" equal "$(grep -c aborted "$err")" 0
claim "and it is a dead letter" equal "$(jq -c '[.input, .offset, .reason]' late)" '["feed3/0",499,"time"]'
rm late && made twice && feeds feed4 twice --set transaction=twice --state twice.state
configure twice $hour
kafka produce feed4 0 <(tail -n +11 times)
until_true at_least twice 999
leat_stop && leat_end
claim_exit "nor does one that only the cluster knows" 0
claim "its transaction is aborted, once" equal "$(grep -c "is aborted" "$err")" 1
claim "the others are committed once" has twice 999
claim "in their order" cmp <(kafka read twice) <(sed 500d times)
claim "and it is a dead letter" equal "$(jq -c '[.input, .offset, .reason]' late)" '["feed4/0",499,"time"]'
claim "the group has committed all" equal "$(kafka committed twice feed4 1)" 1000
made thrice && feeds feed5 thrice --set transaction=thrice --state thrice.state
configure thrice $hour
kafka produce feed5 0 <(tail -n +11 times)
until_true grep -q "is aborted" "$err"
kill -KILL $pid && wait $pid
leat_start feed.lua --set brokers="$brokers" --set from=feed5 --set into=thrice --every 1s --progress never \
    --set transaction=thrice --state thrice.state
until_true at_least thrice 999
leat_stop && leat_end
claim_exit "killed after that and started again, it comes to the end" 0
claim "with each of the others once" has thrice 999

# ---- dead letters ----
cat >letters.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "letters" {
  leat.source.kafka { "wide", brokers = a.brokers, start = "earliest", ["until"] = "end", columns = { "time" } },
  leat.parse.json { columns = { "n" } },
  leat.sink.dead_letters { a.into, brokers = a.brokers },
  leat.sink.null {},
}
LUA
made wide message.timestamp.after.max.ms=9223372036854775807
kafka message wide NULL $(((now + 7200) * 1000)) '{"n":1}'
kafka message wide NULL $(((now + 7200) * 1000)) "{no record $(printf '%020000d' 0)"
made letters $hour max.message.bytes=10000
leat_run run letters.lua --set brokers="$brokers" --set into=letters --progress never
claim_exit "a record that is none, with a time ahead and too long for the topic, does not end the run" 0
kafka dump letters >dumped
claim "it is a dead letter of now, whose header keeps the time" grep -q "leat.time.*$(((now + 7200) * 1000))" dumped
claim "cut to the topic's limit" equal "$(grep -c leat.cut dumped) $(wc -l <dumped)" "1 1"

# ---- leat check --online ----
check() { leat_run check file.lua --online --set brokers="$brokers" "$@"; }
check --set into=keyed
claim_exit "check refuses a sink without keys for a compacted topic" 1
claim_says "and says why" "topic 'keyed' is compacted (cleanup.policy), and refuses messages without a key"
check --set into=keyed --set key=k
claim_exit "not one with a key" 0
check --set into=short
claim_exit "a limit that some messages may break is no error" 0
claim_says "but a warning" "topic 'short' takes at most 10000 bytes (max.message.bytes), less than max_message = 1000000"
check --set into=hour
claim_says "so is one of times" "topic 'hour' refuses a message whose time is more than 1.0 h ahead"
check --set into=hour --set time=now --set max=9000
claim "with the time of now there is none" equal "$(grep -c refuses "$err")" 0
done_claims
