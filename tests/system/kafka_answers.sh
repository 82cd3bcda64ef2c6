# Wrong, late or forbidding answers of brokers, and their effects.
# tier: long (5 s)
. "$(dirname "$0")/../support/claims.sh"
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise
seq 3000 >rows
for topic in from into; do mock topic $topic 2 >/dev/null; done
mock produce from -2 "$tmp/rows" >/dev/null
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { "from", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = a["until"] or "end",
    properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500", "fetch.message.max.bytes=1024", a.property } },
  leat.parse.lines {},
  a.into and leat.sink.kafka { a.into, brokers = a.brokers } or leat.sink.file { path = a.to or "got", format = "raw" },
}
LUA
read_it() { leat_run run read.lua --set brokers="$brokers" --progress never "$@"; }
produce=0 fetch=1 find_coordinator=10

# A leader that does not know yet that it leads no longer says that it lacks what the log has.
mock errors $fetch 1 1 >/dev/null # offset out of range
read_it
claim_exit "a broker that denies a message that the log has does not end the run" 0
claim "each message is read once" cmp <(sort got) <(sort rows)

# What a client without a group asks of groups is librdkafka's own affair.
mock errors $find_coordinator 30 3 >/dev/null # group authorization failed
read_it --log-level debug --set property=debug=conf
claim_exit "without a group a forbidden one does no harm" 0
claim "and is not warned of" sh -c '! grep -i "warn.*authorization" "$0"' "$err"
claim_says "brokers see who asks" "client.id = leat"

# A batch is larger than each of its messages.
mock errors $produce 10 1 >/dev/null # message size too large
read_it --set into=into
claim_exit "a message that the cluster refuses as too large ends the run" 1
claim_says "which says that the limit is that of a batch" "Message size too large" "lower batch.size"

exec 9>&-
done_claims
