# Wrong, late or forbidding answers of brokers, and their effects.
# tier: long (12 s)
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
  leat.source.kafka { a.from or "from", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = a["until"] or "end",
    give_up = a.give_up, properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500", "fetch.message.max.bytes=1024", a.property } },
  leat.parse.lines {},
  a.into and leat.sink.kafka { a.into, brokers = a.brokers } or leat.sink.file { path = a.to or "got", format = "raw" },
  dead_letters = a.letters,
}
LUA
read_it() { leat_run run read.lua --set brokers="$brokers" --progress never "$@"; }
produce=0 fetch=1 find_coordinator=10 join=11

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

# A batch that is refused holds messages that are not: it is sent again in parts.
for error in 10 18 32 44 87; do # sizes, time, policy, record
    mock topic into$error 2 >/dev/null
    mock errors $produce $error 3 >/dev/null
    read_it --set into=into$error
    claim_exit "a batch that the cluster refuses with error $error does not end the run" 0
    read_it --set from=into$error --set to=back
    claim "each of its messages arrives once" cmp <(sort back) <(sort rows)
done
mock errors $produce 87 100 >/dev/null
read_it --set into=into --set letters=refused
claim_says "a message that is refused alone is rejected, with its place" "from/" "(record " \
    "topic into refuses its message of" "Broker failed to validate record"
read_it --set from=into --set to=back
claim "each message arrives once, or is a dead letter" cmp <(jq -r .record refused | sort - back) <(sort rows)
claim "and is counted" equal "$(jq -r .reason refused | sort | uniq -c | xargs | sed 's/[0-9]* //')" refused

# A group that does not let a member in: for good, or until its other members leave.
refused() { # refused ERROR TIMES ARGS…
    mock errors $join "$1" "$2" >/dev/null
    read_it --set group="g$1" "${@:3}"
}
refused 24 1 # invalid group id
claim_exit "a group that can never be joined ends the run at once" 1
claim_says "with what to do" "group g24 cannot be used: JoinGroup failed: " "use another name"
refused 26 1 # invalid session timeout
claim_exit "so does a session timeout that the brokers refuse" 1
claim_says "with what to do" "group.min.session.timeout.ms"
refused 23 1 # inconsistent group protocol
claim_exit "members that leave are waited for" 0
claim_says "which is said" "group g23 keeps this member out" "ends in 6 s if its other members have not left"
refused 81 20 --set give_up=2s # group max size reached
claim_exit "members that stay end the run after give_up" 1
claim_says "with what to do" "group g81 keeps this member out" "group.max.size"
exec 9>&-
done_claims
