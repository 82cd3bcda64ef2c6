# leat group status: members, offsets, lag and states of a group; what it says when it cannot know.
# tier: long (60 s, waits)
export KAFKA_CONFIG="authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
allow.everyone.if.no.acl.found=true"
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
for k in $(seq 1 300); do echo "$k $((k % 7)) $((k % 3))"; done >some
kafka topic clicks 3 1 && kafka topic other 1 1
for k in 0 1 2; do kafka produce clicks $k some; done
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { "clicks", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = a["until"], instance = a.instance,
    state = "partition", state_topic = "clicks-states" },
  leat.parse.csv { delimiter = " ", header = false, columns = { "n", "a", "b" } }, leat.label.where { "n > 100" },
  leat.feature.columns { "a", "b" }, leat.learn.contrast { budget = "16KB" }, leat.sink.top { k = 5 },
}
LUA
status() { leat_run group status "$@"; }
of() { jq -r "$1" "$out"; }
status readers --brokers "$brokers"
claim_exit "a group that nobody has made is unknown" 1
claim_says "which is said" "leat: group 'readers' has no members and no offsets; this client sees 0 groups"
leat_run run read.lua --quiet --set brokers="$brokers" --set group=readers --set until=end
claim_exit "a group reads all" 0
status reader --brokers "$brokers"
claim_says "a name that is nearly right is named" "did you mean 'readers'?; this client sees 1 group"
status readers --brokers "$brokers" --state-topic clicks-states --json
claim_exit "what a group has done is told" 0
claim "without members it is empty, and its partitions wait for an owner" equal \
    "$(of '[.state, (.members | length), .without_owner, .without_state, .lag] | join(" ")')" "empty 0 3 0 0"
claim "its states are as of its offsets" equal \
    "$(of '[.partitions[] | "\(.topic)/\(.partition) \(.committed) \(.state_offset)"] | join(",")')" \
    "clicks/0 300 300,clicks/1 300 300,clicks/2 300 300"
claim "and young" test "$(of '[.partitions[].state_age_ms] | max')" -lt 60000
claim "asking makes no member, and moves no offset" equal "$(kafka members readers) $(kafka committed readers clicks 3)" \
    "0 300 300 300"
status readers --brokers "$brokers" --topic other
claim_exit "a group has done nothing with a topic" 0
claim "which is told, without members, too" grep -q "^1 partition: lag unknown" "$out"
sed '/leat.source.kafka/s/.*/  leat.source.models { "clicks-states", brokers = a.brokers, group = a.group },/; /state = /d' read.lua >view.lua
status view.lua --set brokers="$brokers" --set group=readers
claim_exit "a pipeline that shows the states of a group names it, too" 0
claim "and tells of the topics that the group reads" grep -q "^3 partitions: lag 0" "$out"
kafka reset readers clicks 1 120
status readers --brokers "$brokers" --state-topic clicks-states --json
claim "lag is what is not read" equal "$(of .lag)" 180
claim "time behind is since the first of that was written" test "$(of '.partitions[1].behind_ms')" -ge 1000
status readers --brokers "$brokers" --state-topic clicks-states
claim "who is furthest behind comes first" equal "$(awk '/^clicks/ { print $1, $2, $3, $5; exit }' "$out")" \
    "clicks/1 none 120 180"
kafka reset readers clicks 1 300

# Members: one with a fixed name, one without.
out=first err=first.err leat_start read.lua --quiet --set brokers="$brokers" --set group=readers --set instance=web
first=$pid
until_true members_are readers 1
out=second err=second.err leat_start read.lua --quiet --set brokers="$brokers" --set group=readers
second=$pid
owned() { status readers --brokers "$brokers" --json && equal "$(of '"\(.state) \(.without_owner)"')" "stable 0"; }
until_true members_are readers 2
claim "while members read, each partition has an owner" until_true owned
claim "who is one of the members" equal "$(of '[.partitions[].owner] - [.members[].id] | length')" 0
claim "members are told with the number of their partitions" equal "$(of '[.members[].partitions] | sort | join(" ")')" "1 2"
status read.lua --set brokers="$brokers" --set group=readers
claim_exit "a pipeline names its group, topics and states itself" 0
claim "the table has the same" grep -q "^3 partitions: lag 0; 0 without an owner, 0 without a state" "$out"
claim "and members by their names, if they have one" equal "$(awk '/^member/ { for (; getline && NF;) print $1 }' "$out" |
    sort | sed 's/^leat-.*-0$/leat/' | xargs)" "leat web"
leat_stop $first
leat_stop $second

status readers --brokers "$brokers" --topic other --json
claim "topics that are asked for are told, read or not" equal "$(of '[.partitions[] | "\(.topic) \(.committed)"] | join(",")')" \
    "other null"
status readers --brokers "$brokers" --topic othr
claim_exit "a topic that does not exist is an error" 1
claim_says "with the one that was meant" "topic 'othr' does not exist: did you mean 'other'?"
status readers --brokers "$brokers" --state-topic clicks-state
claim_says "so is a state topic" "topic 'clicks-state' does not exist: did you mean 'clicks-states'?"
kafka forbid group strangers
status strangers --brokers "$brokers"
claim_exit "a group that is forbidden is an error" 1
claim_says "with the reason" "the cluster says nothing of group 'strangers'" "Group authorization failed"
broker down 1
status readers --brokers "$brokers"
claim_exit "so is a cluster that is down" 1
claim_says "with the reason" "no broker of $brokers answers" "Connection refused"
done_claims
