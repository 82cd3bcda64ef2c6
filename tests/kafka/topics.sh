# Topics with odd properties, or that change while they are read.
# tier: long (60 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
seq 10 >ten
seq 20000 >rows
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds = tonumber(a.slow or 0)
return leat.pipeline "read" {
  leat.source.kafka {
    topics = a.topic, brokers = a.brokers, group = a.group, start = a.start or "earliest",
    ["until"] = a["until"] or "end", prefetch = "64KiB",
    state = a.states and "partition", state_topic = a.states, partitions_max = a.states and 3,
    properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500", "topic.metadata.refresh.interval.ms=500", "fetch.message.max.bytes=4096" },
  },
  leat.parse.lines {},
  leat.filter(function() for _ = 1, rounds do end return true end, {}),
  leat.sink.file { path = a.to or "got", format = "raw" },
  batch_rows = 100,
}
LUA
read_it() { leat_run run read.lua --set brokers="$brokers" --quiet --summary s.json "$@"; }
begin() {
    rm -f got
    leat_start read.lua --set brokers="$brokers" --progress never --set until=stopped --every 300ms "$@"
}

# Nothing in it, and unlike numbers of partitions.
kafka topic empty 3 1
read_it --set topic=empty --set group=empty
claim_exit "a topic without messages is read to its end" 0
claim "and so is its place kept" equal "$(kafka committed empty empty 3)" "0 0 0"
kafka topic two 2 1 && kafka produce two -2 ten
kafka topic five 5 1 && kafka produce five -5 rows
read_it --set topic=two,five,empty --set group=unlike
claim "topics of 2, 5 and 3 partitions are read by one" equal "$(sort -n got | uniq -c | awk '{ print $1 }' | sort |
    uniq -c | xargs)" "19990 1 10 2"

# None at all: this cluster makes none by itself.
cat >write.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "write" {
  leat.source.file { path = "ten" }, leat.parse.lines {},
  leat.sink.kafka { "nowhere", brokers = leat.args.brokers, properties = { "topic.metadata.propagation.max.ms=500" } },
}
LUA
leat_run run write.lua --set brokers="$brokers" --quiet
claim_exit "what is written to no topic is an error" 1
claim_says "that says what to do" "could not be delivered to nowhere" "make this one first"

# It comes later.
for group in "" "--set group=later"; do
    begin --set topic="later${group:+2}" $group
    until_true grep -q "waiting for\|not available" "$err"
    kafka topic "later${group:+2}" 1 1 && kafka produce "later${group:+2}" 0 ten
    until_true cmp got ten
    leat_stop
    claim_exit "a topic that is not there yet is waited for${group:+, in a group, too}" 0
    claim "and read" cmp got ten
done

# It gets more partitions. With states of partitions, those that are read keep theirs.
for how in "" group=wide2 states=wide3-states; do
    topic=${how:-wide} topic=${topic#*=} topic=${topic%-*}
    kafka topic $topic 1 1 && kafka produce $topic 0 ten
    begin --set topic=$topic ${how:+--set $how}
    until_true cmp got ten
    kafka widen $topic 3
    kafka produce $topic 2 ten
    until_true file_has got 20
    leat_stop
    claim_exit "a topic may get more partitions while it is read${how:+ ($how)}" 0
    claim "they are read from their beginning, and the others once${how:+ ($how)}" cmp got <(cat ten ten)
done

# One that a regular expression matches is deleted; then the last one.
for topic in match-a match-b; do kafka topic $topic 1 1 && kafka produce $topic 0 ten; done
begin --set topic='^match-.*' --set group=match
until_true file_has got 20
kafka delete match-a
claim "of the topics that match, one that is deleted is told" until_true grep \
    -q "match-a: the topic was deleted while it was read; the other topics are still read" "$err"
kafka produce match-b 0 ten
cat ten ten ten | sort -n >all
claim "and the others are read on" until_true sh -c 'sort -n got | cmp - all'
kafka delete match-b
leat_end
claim_exit "when none is left the run ends" 1
claim_says "which says so" "match-b: the topic was deleted while it was read, and no other topic is left"
for topic in match-c match-d; do kafka topic $topic 1 1 && kafka produce $topic 0 ten; done
begin --set topic='^match-c,match-d' --set group=named
until_true file_has got 20
kafka delete match-d
leat_end
claim_exit "one that is named beside them ends the run when it is deleted" 1
claim_says "which says so" "match-d" "the topic was deleted while it was read"

# Messages expire: before it goes on, and while it reads.
kafka topic old 1 1 && kafka produce old 0 ten
read_it --set topic=old --set group=old
kafka produce old 0 ten && kafka trim old 0 10
read_it --set topic=old --set group=old
claim "messages that expired after they were read are not missed" cmp got ten
kafka produce old 0 ten && kafka trim old 0 25
read_it --set topic=old --set group=old
claim_exit "some that expired unread end the run" 1
claim_says "which says which" "old/0 has lost message 20" "its messages go from 25 to 29"
for group in "" "--set group=expires"; do
    topic=expires${group:+2}
    kafka topic $topic 1 1 && kafka produce $topic 0 rows
    begin --set topic=$topic $group --set slow=20000
    until_true file_has got 500
    kill -STOP "$pid"
    kafka trim $topic 0 19990
    kill -CONT "$pid"
    leat_end
    claim_exit "messages that expire before they can be read end the run${group:+, in a group, too}" 1
    claim_says "which says which" "$topic/0 has lost message" "its messages go from 19990 to 19999"
done

# Transactions: what is aborted, and what is still open.
kafka topic done 1 1 && kafka transaction done commit ten && kafka transaction done abort ten
read_it --set topic=done --set group=done
claim "of transactions what was committed is read" cmp got ten
claim "and what marks their ends is passed: nothing is left to read" equal "$(kafka committed done done 1) $(json \
    '.stages[0].metrics.lag')" "22 0"
kafka trim done 0 21
read_it --set topic=done --set group=done
claim_exit "so that it does no harm when that expires" 0
kafka topic open 1 1 && kafka produce open 0 ten && kafka transaction open open rows
read_it --set topic=open --set group=open
claim_exit "a transaction that is open does not hold up a run that goes to the end" 0
claim "which is before it" equal "$(kafka committed open open 1)" 10

# ---- leat peek ----
awk 'BEGIN { srand(1); for (i = 0; i < 3000; i++) printf "{\"id\":%d,\"user\":{\"country\":\"%s\"},\"ms\":%d}\n", i,
    substr("DEFRGB", 1 + 2 * int(rand() * 3), 2), rand() * rand() * 900 }' >objects
kafka topic payments 3 1
kafka produce payments -3 objects
leat_run peek "kafka://$brokers/payments" --json
claim_exit "a topic is looked at" 0
claim "all its messages, with their columns" equal "$(jq -c '[.records, [.columns[].column]]' "$out")" \
    '[3000,["partition","key","time","id","user.country","ms"]]'
claim "and figures" equal "$(jq -c '.columns[] | select(.column == "id") | [.low, .high]' "$out")" '[0,2999]'
grep -E '^  leat (explain|compare|classify|regress) ' "$err" | sed "s|^  leat |'$LEAT' |; s|\$| --quiet|" >commands
claim "each command that it proposes works" sh -ec 'test -s commands; while read -r line; do eval "$line" >/dev/null; done <commands'
claim "no offset is committed" grep -q '^-1001 -1001 -1001' <<<"$(kafka committed leat payments 3)"
leat_run peek "kafka://$brokers/paymnts"
claim_says "a topic that is not there is told" "topic 'paymnts' does not exist: did you mean 'payments'?"
done_claims
