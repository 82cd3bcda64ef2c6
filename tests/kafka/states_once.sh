# State by partition in the sink's transactions: members are killed, unreachable, come and go.
#
# A reader of committed messages sees each result once. Each partition's state equals that of an undisturbed run, byte
# for byte. KILLS (2) is the number of kills at random moments.
# tier: long (120 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on killed children
members=()
svm_examples 6 40000 5 100 500 >rows
sort rows >rows.sorted
kafka topic four 4 1 && kafka produce four -4 rows
cat >once.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds = tonumber(a.slow or 0)
return leat.pipeline "once" {
  a.view and leat.source.models { a.view, brokers = a.brokers, ["until"] = "end" }
    or leat.source.kafka {
      "four", brokers = a.brokers, group = a.to, instance = a.member or "one", start = "earliest", ["until"] = a["until"] or "end",
      state = "partition", state_topic = a.to .. "-states", missing = a.missing,
      properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500" },
    },
  leat.filter(function() for _ = 1, rounds do end return true end, {}),
  leat.parse.libsvm {},
  leat.learn.awm { id = "awm", budget = "4KB" },
  leat.learn.frequent { id = "counts", over = "all", by = "count", max_features = 1024, names_budget = "16KB" },
  leat.sink.top { of = "counts", k = 200, format = "csv", path = a.path },
  a.view and leat.sink.null {} or leat.sink.kafka { a.to, brokers = a.brokers, transaction = a.id or a.to, properties = { "transaction.timeout.ms=" .. (a.timeout or 60000) } },
  batch_rows = 100,
}
LUA
to() { # to TOPIC [ARGS…]: the arguments of a run into that topic
    arguments=(once.lua --set brokers="$brokers" --set to="$1" --set path="$1.csv" --every 50ms --quiet "${@:2}")
}
once() {
    to "$@"
    leat_run run "${arguments[@]}"
}
has() { (($(kafka committed "$1" four 4 | sum) >= $2)); } # so many results are committed, or more
states() { kafka states "$1-states" | sed "s/	$1	four/ T/" | sort; }
results_once() { kafka read "$1" | sort | cmp - rows.sorted; }
as_whole() { results_once "$1" && cmp <(states "$1") <(states whole); }
slow=(--set slow=15000)

kafka topic whole 1 1
once whole
claim_exit "an uninterrupted run, without --state" 0
claim "each result is there once" results_once whole
claim "there is a state of each partition, at its end" \
    equal "$(states whole | cut -d' ' -f3 | xargs)" "10000 10000 10000 10000"
claim "and the group's offsets are those" equal "$(kafka committed whole four 4)" "10000 10000 10000 10000"

kafka topic killed 1 1
for ((n = 0; n < ${KILLS:-2}; n++)); do
    to killed "${slow[@]}"
    (timeout --foreground -s KILL "1.$((RANDOM % 9))" "$LEAT" run "${arguments[@]}") && break
done
once killed
claim_exit "a run after $n that were killed at random moments" 0
claim "each result is there once, and the states are the same" as_whole killed

for place in transaction_states_sent transaction_offsets_sent transaction_committed; do
    kafka topic $place 1 1
    LEAT_FAULT=$place:2 once $place --every 2000
    claim_exit "killed at $place" 137
    once $place
    claim "killed at $place, each result is there once, and the states are the same" as_whole $place
done

# Members come and go, each with a transaction of its own; one is killed and begins again.
member() {
    to shared --set slow=40000 --set until=stopped --set member="m$1" --set id="m$1" --set path="counts$1" \
        --log-level info
    err=member$1 leat_start "${arguments[@]}"
    members[$1]=$pid
}
reads() { grep -q "reads $2 partition" "member$1"; } # reads K N
ended() { # ended K WHAT
    leat_stop "${members[$1]}"
    err=$tmp/member$1 claim_exit "$2" 0
}
kafka topic shared 1 1
member 1
member 2
claim "two members share the partitions" until_true reads 2 2
until_true has shared 4000
kill -KILL "${members[1]}"
wait "${members[1]}"
member 1
until_true has shared 12000
member 3
claim "a third has some of them" until_true reads 3 1
until_true has shared 20000
ended 3 "a member of three leaves"
claim "the others do the rest" until_true has shared 40000
ended 2 "and end"
ended 1 "both"
claim "between them each result is there once, and the states are the same" as_whole shared
leat_run run once.lua --set brokers="$brokers" --set view=shared-states --set path=view.csv --quiet
claim "merged, each message is counted once" cmp <(eventless view.csv) <(eventless whole.csv)

# Longer away than the session: the group has taken the partitions away. Meanwhile, one that does not
# come back: its place is another's once its transaction has timed out.
kafka topic absent 1 1
to absent --set slow=40000 --summary s.json
leat_start "${arguments[@]}"
until_true has absent 4000
kill -STOP "$pid"
kafka topic left 1 1
LEAT_FAULT=transaction_states_sent:3 once left --every 5000 --set timeout=15000
claim_exit "killed when its states are sent" 137
once left --set member=two --set id=two --log-level info
claim_exit "another run takes its place" 0
claim_says "once its transaction is over" "waiting for transactions that are open on topic left-states"
claim "and each result is there once, and the states are the same" as_whole left
kill -CONT "$pid"
leat_end
claim_exit "a run that was away for longer than the group waits" 0
claim "goes back" [ "$(json .snapshots.went_back)" -ge 1 ]
claim "and each result is there once, and the states are the same" as_whole absent

# Another run of the same name.
kafka topic fenced 1 1
to fenced --set slow=60000
leat_start "${arguments[@]}"
until_true has fenced 4000
once fenced --set member=two
leat_end
claim_exit "a run is fenced off by another of its name" 3
claim "between them each result is there once, and the states are the same" as_whole fenced

# Offsets without the states that go with them.
kafka delete killed-states
once killed
claim_exit "without the states of its offsets a run is refused" 1
claim_says "with what can be done" \
    "has committed offset 10000, but killed-states holds no state for it" 'missing = "begin"'
once killed --set missing=begin --log-level warn
claim_exit "unless it is to begin there" 0
claim_says "which it says" "begins with nothing learned at the group's offset 10000"
done_claims
