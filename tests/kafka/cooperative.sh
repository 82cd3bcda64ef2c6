# Cooperative rebalancing on a real cluster: one member joins, one is killed, one leaves.
#
# Rows are there exactly once. Partitions that do not move are never given back. It needs librdkafka 2.10.0 or later. If
# leat was built with an older one, LEAT_RDKAFKA names a folder with a librdkafka.so.1.
# tier: long (60 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
export LD_LIBRARY_PATH=${LEAT_RDKAFKA:-}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
cat >"$tmp/check.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "check" {
  leat.source.kafka { "t", brokers = "h:1", group = "g", start = "earliest", properties = { "partition.assignment.strategy=cooperative-sticky" } },
  leat.sink.null {},
}
LUA
leat_run check "$tmp/check.lua"
if ((status)) && grep -q "needs librdkafka 2.10.0" "$err"; then
    claim_says "an older librdkafka is refused" "needs librdkafka 2.10.0 or later, and this is" # elsewhere
    skip_rest "librdkafka is too old: LEAT_RDKAFKA names a folder with a newer librdkafka.so.1"
fi
claim_exit "this librdkafka can" 0
begin_cluster 1
exec 2>noise # the shell's words on killed children
members=()
svm_examples 6 80000 5 100 500 >rows
sort rows >rows.sorted
cat >once.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds, own, id = tonumber(a.slow or 0), a.own and true, a.id
return leat.pipeline "once" {
  leat.source.kafka {
    "eight", brokers = a.brokers, group = a.to, start = "earliest", ["until"] = a["until"] or "stopped",
    limit = a.limit, expired = a.expired, state = own and "partition", state_topic = own and a.to .. "-states",
    properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500", "partition.assignment.strategy=cooperative-sticky" },
  },
  leat.filter(function() for _ = 1, rounds do end return true end, {}),
  leat.parse.libsvm {},
  leat.learn.frequent { id = "counts", over = "all", by = "count", max_features = 1024, names_budget = "16KB" },
  leat.sink.top { of = "counts", k = 200, format = "csv", path = a.path },
  leat.sink.kafka { a.to, brokers = a.brokers, transaction = own and id or nil, properties = own and { "transaction.timeout.ms=20000" } or nil },
  batch_rows = 100,
}
LUA
kafka topic eight 8 1 && kafka produce eight -8 rows
member() { # member K TOPIC [ARGS…]
    err=member$1 leat_start once.lua --set brokers="$brokers" --set to="$2" --set id="$2$1" --set path="counts$1" \
        --set slow=20000 \
        --every 200ms --quiet --log-level info "${@:3}"
    members[$1]=$pid
}
says() { grep -q "$2" "member$1"; } # says K TEXT
has() { (($(kafka committed "$1" eight 8 | sum) >= $2)); }
can_read() { (($(kafka read "$1" | wc -l) >= $2)); }
states() { kafka states "$1-states" | sed "s/	$1	eight/ T/" | sort; }
ended() { # ended K WHAT
    leat_stop "${members[$1]}"
    err=$tmp/member$1 claim_exit "$2" 0
}
shared() { # shared TOPIC [ARGS…]: three members come, one is killed, one leaves
    kafka topic "$1" 1 1
    member 1 "$@"
    claim "$1: one reads all" until_true says 1 "reads 8 partitions"
    until_true has "$1" 4000
    member 2 "$@"
    claim "$1: another joins, and only four move" until_true says 1 "takes 4 partitions away"
    claim "$1: the four that stay are read on" until_true says 1 "reads on 4 partitions"
    claim "$1: the other has those that moved" until_true says 2 "reads 4 partitions, 4 of which"
    until_true has "$1" 20000
    member 3 "$@"
    claim "$1: a third gets some" until_true says 3 "reads . partitions, . of which"
    until_true has "$1" 36000
    kill -KILL "${members[2]}"
    wait "${members[2]}"
    claim "$1: one is killed, and the others add what it had" until_true says 1 \
        "reads 4 partitions, . of which\|reads 5 partitions"
    until_true has "$1" 56000
    ended 3 "$1: one leaves"
    claim "$1: who is left does the rest" until_true has "$1" 80000
    ended 1 "$1: and ends"
    claim "$1: partitions that stay were never taken from it" equal "$(grep -c "takes [5-8] partitions" member1)" 0
    claim "$1: nothing was lost on the way" equal "$(grep -c "already\|not committed" member1)" 0
}
shared plain
claim "no row is lost, though what a killed member had not committed is there twice" \
    diff <(kafka read plain | sort -u) <(sort -u rows)
kafka topic whole 1 1
shared exact --set own=1
# What comes after the transaction of the member that was killed is hidden until that has timed out.
claim "all rows can be read" until_true can_read exact 80000
claim "with a transaction each row is there once" cmp <(kafka read exact | sort) rows.sorted
leat_run run once.lua --set brokers="$brokers" --set to=whole --set until=end --set own=1 --set id=whole \
    --set path=whole.csv --every 1s --quiet
claim_exit "one process reads all partitions to their ends" 0
claim "and each partition has the state, byte for byte, that it has there" cmp <(states exact) <(states whole)

# A partition that librdkafka has stopped reading is read on, though the group keeps its assignment.
kafka topic short 1 1
some() { leat_run run once.lua --set brokers="$brokers" --set to=short --set path=short.csv --quiet --log-level warn \
    "$@"; }
some --set limit=100 --set until=end
claim_exit "a hundred messages of each partition are read" 0
kafka trim eight 3 5000
some --set expired=begin --set until=end
claim_exit "then some expire, and the rest is read" 0
claim_says "with a warning" "eight/3: messages 100 to 4999 expired unread"
claim "all that is left, once" equal "$(kafka read short | wc -l)" $((80000 - 4900))
done_claims
