# leat check --online asks a real cluster about rights, and reports unreachable brokers.
# tier: long (60 s, waits)
export KAFKA_CONFIG="authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
allow.everyone.if.no.acl.found=true
auto.create.topics.enable=true"
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
seq 10 >ten
for topic in free closed into; do kafka topic $topic 2 1 && kafka produce $topic 0 ten; done
kafka forbid topic closed && kafka forbid group strangers && kafka forbid group leat-mine
cat >some.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "some" {
  leat.source.kafka { topics = a.topic or "free", brokers = a.brokers, group = a.group, start = "earliest" },
  leat.parse.lines {}, leat.sink.kafka { a.into or "into", brokers = a.brokers, transaction = a.transaction },
}
LUA
mkdir state
check() { leat_run check some.lua --online --set brokers="$brokers" "$@"; }
check --set group=friends
claim_exit "what is allowed is no problem" 0
claim "and the group stays without members, and without offsets" equal "$(kafka members friends) $(kafka committed \
    friends free 2)" "0 -1001 -1001"
check --set topic=closed
claim_exit "a topic that is forbidden is one" 1
claim_says "which is told" "topics: cannot use topic 'closed': Broker: Topic authorization failed"
check --set group=strangers
claim_exit "so is a group" 1
claim_says "which is told" "group strangers cannot be used: Broker: Group authorization failed"
check --set into=closed
claim_says "and a topic to write" "cannot use topic 'closed': Broker: Topic authorization failed"
check --set transaction=mine --state state
claim_says "and the group of a transaction" "group leat-mine cannot be used: Broker: Group authorization failed"
check --set topic=fre
claim_says "a topic that is not there is told, with the one that was meant" \
    "topic 'fre' does not exist: did you mean 'free'?"
check --set topic=fre
claim_says "and is not made by asking" "topic 'fre' does not exist: did you mean 'free'?"
check --set topic=^f,^c --set group=friends
claim_says "a pattern that matches only what is forbidden matches none" "'^c' matches none of the"
broker down 1
check
claim_exit "a cluster that is down is an error" 1
claim_says "with the reason" "no broker of $brokers answers" "Connection refused"
done_claims
