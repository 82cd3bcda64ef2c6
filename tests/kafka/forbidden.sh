# Forbidden topics and groups end the run at once, and are named.
# tier: long (60 s, waits)
export KAFKA_CONFIG="authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
allow.everyone.if.no.acl.found=true"
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
seq 10 >ten
for topic in free closed; do kafka topic $topic 1 1 && kafka produce $topic 0 ten; done
kafka forbid topic closed && kafka forbid group strangers
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { a.topic or "free", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = a["until"] },
  leat.parse.lines {}, a.into and leat.sink.kafka { a.into, brokers = a.brokers } or leat.sink.null {},
}
LUA
read_it() {
    leat_start read.lua --set brokers="$brokers" --progress never "$@"
    leat_end
}
read_it --set group=friends --set until=end
claim_exit "what is allowed is read" 0
for group in "" "--set group=friends"; do
    read_it --set topic=closed $group
    claim_exit "a topic that is forbidden ends the run${group:+, in a group, too}" 1
    claim_says "which is said" "closed" "Topic authorization failed"
done
read_it --set group=strangers
claim_exit "so does a group" 1
claim_says "which is said" "group strangers cannot be used: " "Group authorization failed"
read_it --set until=end --set into=closed
claim_exit "and a topic that is written" 1
claim_says "which is said" "closed" "Topic authorization failed"
done_claims
