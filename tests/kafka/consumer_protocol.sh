# Groups by the consumer protocol (KIP-848), on Kafka 4: members are killed again and again, and each record is there
# once; a group moves there from the classic protocol.
#
# The protocol needs librdkafka 2.10.0 or later. If leat was built with an older one, LEAT_RDKAFKA names a folder with a
# librdkafka.so.1.
# tier: long (180 s, waits)
export KAFKA=4.2.0 KAFKA_CONFIG="group.consumer.session.timeout.ms=6000
group.consumer.min.session.timeout.ms=6000
group.consumer.heartbeat.interval.ms=500
group.consumer.min.heartbeat.interval.ms=500"
. "$(dirname "$0")/../support/kafka/cluster.sh"
export LD_LIBRARY_PATH=${LEAT_RDKAFKA:-}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
cat >"$tmp/once.lua" <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds = tonumber(a.slow or 0)
return leat.pipeline "once" {
  leat.source.kafka {
    topics = a.topic or "twelve", brokers = a.brokers, group = a.to, start = "earliest", ["until"] = a["until"] or "stopped",
    instance = a.instance, state = "partition", state_topic = a.to .. "-states", give_up = a.give_up,
    properties = a.classic and { "session.timeout.ms=6000", "heartbeat.interval.ms=500" }
      or { "group.protocol=consumer", a.property },
  },
  leat.filter(function() for _ = 1, rounds do end return true end, {}),
  leat.parse.libsvm {},
  leat.learn.frequent { id = "counts", over = "all", by = "count", max_features = 1024, names_budget = "16KB" },
  leat.sink.kafka { a.to, brokers = a.brokers, transaction = a.id, properties = { "transaction.timeout.ms=20000" } },
  batch_rows = 100,
}
LUA
check() { leat_run check "$tmp/once.lua" --set brokers=h:1 --set to=g --set id=g "$@"; }
check
if ((status)) && grep -q "needs librdkafka 2.10.0" "$err"; then
    claim_says "an older librdkafka is refused" "group.protocol=consumer needs librdkafka 2.10.0 or later, and this is" # elsewhere
    skip_rest "librdkafka is too old: LEAT_RDKAFKA names a folder with a newer librdkafka.so.1"
fi
claim_exit "this librdkafka can" 0
check --set property=session.timeout.ms=6000
claim_says "what brokers decide is refused" "session.timeout.ms is for the classic protocol"
check --set topic=^twe
claim_says "so is a pattern that brokers compare with whole names" "write '^twe.*' or '^twe\$'"
begin_cluster 1
exec 2>noise # the shell's words on killed children
members=()
svm_examples 6 "${ROWS:-60000}" 5 100 500 >rows
sort rows >sorted
n=$(wc -l <rows)
kafka topic twelve 12 1 && kafka produce twelve -12 rows
member() { # member K TOPIC [ARGS…]
    err=member$1 leat_start once.lua --set brokers="$brokers" --set to="$2" --set id="$2$1" --set slow=20000 \
        --every 200ms --quiet --log-level info "${@:3}"
    members[$1]=$pid
}
end_all() {
    for k in "${!members[@]}"; do leat_stop "${members[k]}"; done
    members=()
}
committed() { kafka committed "$1" twelve 12 | sum; }
has() { (($(committed "$1") >= $2)); }
can_read() { (($(kafka read "$1" | wc -l) >= n)); }

killed() { # killed TOPIC [ARGS…]: one of four members is killed each 3 s
    local k=0 kills=0
    kafka topic "$1" 1 1
    for k in 1 2 3 4; do member "$k" "$@"; done
    until_true has "$1" 1
    while ! has "$1" $n && ((kills < ${KILLS:-12})); do
        sleep 3
        k=$((kills++ % 4 + 1))
        kill -KILL "${members[k]}"
        wait "${members[k]}"
        member $k "$@"
    done
    claim "$1: $kills were killed, and all is read" until_true has "$1" $n
    claim "$1: all can be read" until_true can_read "$1"
    end_all
    claim "$1: each record is there once" cmp <(kafka read "$1" | sort) sorted
    echo "# $1: $kills kills, $SECONDS s"
}
killed consumer
claim "they are members by the consumer protocol" grep -q "of which the group has added" member1
killed classic --set classic=1

# A group moves to the new protocol, member by member, while it reads.
kafka topic moved 1 1
member 1 moved --set classic=1
member 2 moved --set classic=1
until_true has moved 1000
member 3 moved
until_true has moved 5000
leat_stop "${members[1]}"
member 1 moved
until_true has moved 10000
leat_stop "${members[2]}"
claim "a group that moves to the consumer protocol reads all" until_true has moved $n
claim "all can be read" until_true can_read moved
unset "members[2]"
end_all
claim "each record is there once" cmp <(kafka read moved | sort) sorted

# A pattern is matched by the brokers.
kafka topic pattern 1 1
leat_run run once.lua --set brokers="$brokers" --set to=pattern --set id=pattern --set topic='^twe.*' --set until=end \
    --every 1s --quiet
claim_exit "topics of a pattern are read" 0
claim "all of them" equal "$(kafka read pattern | wc -l)" $n

# The name of a member that was killed is refused until its session has timed out.
kafka topic named 1 1
member 1 named --set instance=me
until_true has named 1000
kill -KILL "${members[1]}"
wait "${members[1]}"
member 1 named --set instance=me
leat_end "${members[1]}"
err=$tmp/member1 claim_exit "a member with the name of one that was killed ends" 1
err=$tmp/member1 claim_says "and says what to do" "still used by another member" "give each process its own \`instance\`"
done_claims
