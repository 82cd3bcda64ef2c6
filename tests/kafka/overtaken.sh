# A member of a group, which writes transactions, is stopped for longer than its session, and continues.
#
# Meanwhile nobody reads its partitions, or another member does. A reader of committed messages sees each result once.
# tier: long (80 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
members=()
svm_examples 3 40000 5 300 999 >rows
sort rows >sorted
kafka topic four 4 1 && kafka produce four -4 rows
cat >member.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds = tonumber(a.slow or 0)
return leat.pipeline "member" {
  leat.source.kafka {
    "four", brokers = a.brokers, group = a.to, start = "earliest",
    properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500" },
  },
  leat.filter(function() for _ = 1, rounds do end return true end, {}),
  leat.parse.libsvm {},
  leat.sink.kafka { a.to, brokers = a.brokers, transaction = a.id },
  batch_rows = 200,
}
LUA
member() { # member N TOPIC ARGS…: in the background
    err=$2-$1.err leat_start member.lua --set brokers="$brokers" --set to="$2" --set id="$2-$1" --state "$2-$1" \
        --every 200ms --log-level info --progress never --summary "$2-$1.json" "${@:3}"
    members[$1]=$pid
}
leaves() { # leaves N TOPIC
    err=$2-$1.err leat_stop "${members[$1]}"
}
committed() { kafka committed "$1" four 4 | sum; }
has() { (($(committed "$1") >= $2)); }
settled() { [ "$(kafka end "$1" 0)" = "$(kafka end_of_all "$1" 0)" ]; }
# stopped_within N TOPIC: the member stands still now, and its transaction is open
stopped_within() {
    kill -STOP "${members[$1]}"
    settled "$2" || return 0
    kill -CONT "${members[$1]}"
    return 1
}
once() { kafka read "$1" | sort | cmp - sorted; }

# away TOPIC: the member stands still while its transaction is open
away() {
    kafka topic "$1" 1 1
    member 1 "$1" --set slow=30000
    until_true has "$1" 4000
    claim "$1: a member is stopped while its transaction is open" until_true stopped_within 1 "$1"
}
# back TOPIC: it continues, and finds that its partitions were taken away
back() {
    kill -CONT "${members[1]}"
    claim "$1: continued, it says that the group has taken its partitions away" until_true grep -qE \
        "has given the .* partitions to others already|is no longer a member of group" "$1-1.err"
    claim "$1: and goes back to what it has committed" until_true grep -q "continues after" "$1-1.err"
}

away alone
claim "the group gives up on it" until_true members_are alone 0
back alone
claim "it reads to the end" until_true has alone 40000
leaves 1 alone
claim_exit "it ends well" 0
claim "each result is there once" once alone

away both
member 2 both
claim "the other one reads to the end" until_true has both 40000
back both
until_true members_are both 2
leaves 1 both
claim_exit "it ends well" 0
leaves 2 both
claim_exit "so does the other" 0
claim "each result is there once" once both
done_claims
