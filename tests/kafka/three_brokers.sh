# Three Kafka brokers: the leader of the topics dies, and another node takes over.
# tier: long (60 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 3
seq -f '%.0f abcdefghijklmnopqrstuvwxyz' 30000 >rows
sort rows >sorted
kafka topic from 2 3 && kafka topic to 2 3 && kafka produce from -2 rows
cat >copy.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local slow = function(text) for _ = 1, 100 do text = text:lower() end return true end
return leat.pipeline "copy" {
  leat.source.kafka { "from", brokers = a.brokers, group = "copy", start = "earliest", ["until"] = "end" },
  leat.parse.lines {}, leat.filter(slow, { "text" }),
  leat.sink.kafka { "to", brokers = a.brokers },
}
LUA
has_committed() {
    (($(kafka committed copy from 2 | sum) > 0))
}
leat_start copy.lua --set brokers="$brokers" --every 200ms --summary s.json --progress never
until_true has_committed
leader=$(kafka leader from 0)
broker kill "$leader"
leat_end
claim_exit "a leader that dies in mid-run is done without" 0
kafka read to >got
claim "every message arrives" sh -c 'sort -u got | cmp - sorted'
claim "every message was read, and confirmed" [ "$(stage kafka2 delivered)" -ge 30000 ]
claim "the group's offsets are those of the ends" equal "$(kafka committed copy from 2)" "15000 15000"
now=$(kafka leader from 0)
claim "another node leads" [ "$now" != "$leader" ]
broker up "$leader"
leat_run run copy.lua --set brokers="$brokers" --progress never
claim_exit "when it is back the group goes on at the end" 0
kafka read to >again
claim "and sends nothing again" cmp <(sort got) <(sort again)

# The topic of states, made by a run.
cat >states.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "states" {
  leat.source.kafka { a.topic, brokers = a.brokers, group = a.topic, start = "earliest", ["until"] = "end", state = "partition", state_topic = a.topic .. "-states" },
  leat.parse.lines {}, leat.sink.null {},
}
LUA
leat_run run states.lua --set brokers="$brokers" --set topic=from --quiet
claim_exit "states are kept" 0
claim "with as many copies as the messages have" equal "$(kafka copies from-states)" 3
kafka topic few 2 1 && kafka produce few -2 rows
leat_run run states.lua --set brokers="$brokers" --set topic=few --progress never
claim "which may be one" equal "$(kafka copies few-states)" 1
claim_says "and is said" "topic few-states has only one copy, like few"
done_claims
