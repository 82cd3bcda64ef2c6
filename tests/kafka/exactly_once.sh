# sink.kafka with transactions on a real cluster: a reader of committed messages sees each result once.
#
# The run is killed, fenced off, thrown out of its group, and its broker is killed. The model equals that of an
# undisturbed run. KILLS (8) is the number of kills at random moments.
# tier: long (120 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
export KAFKA_CONFIG="group.min.session.timeout.ms=1000
transaction.abort.timed.out.transaction.cleanup.interval.ms=500"
begin_cluster 1
exec 2>noise # the shell's words on killed children
awk 'BEGIN { srand(5); for (i = 0; i < 100000; i++) { y = rand() < .5; printf "%s", y ? "+1" : "-1";
    for (j = 0; j < 5; j++) printf " %d:%.3f", rand() * 400 + (y ? 9 : 0), rand(); print " 500:" i } }' >rows
kafka topic numbers 1 1 && kafka produce numbers 0 rows
cat >once.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds, passed = tonumber(a.slow or 0), 0
-- slow at first, so that something can happen to it
local function brake()
  passed = passed + 1
  for _ = 1, passed < 15000 and rounds or 0 do end
  return true
end
return leat.pipeline "once" {
  leat.source.kafka {
    a.from or "numbers", brokers = a.brokers, group = a.to, instance = a.member or "one", start = "earliest",
    ["until"] = a["until"] or "end", properties = { "session.timeout.ms=3000", "heartbeat.interval.ms=300", "reconnect.backoff.max.ms=500" },
  },
  leat.filter(brake, {}),
  leat.parse.libsvm {},
  leat.learn.awm { id = "awm", budget = "4KB" },
  leat.sink.kafka { a.to, brokers = a.brokers, transaction = a.id or a.to, properties = { a.property } },
  batch_rows = 200,
}
LUA
cat >count.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "count" {
  leat.source.kafka { a.topic, brokers = a.brokers, start = "earliest", ["until"] = "end", properties = { a.property } },
  leat.parse.lines {}, leat.sink.null {},
}
LUA
to() { # to TOPIC [ARGS…]: the arguments of a run into that topic
    arguments=(once.lua --set brokers="$brokers" --set to="$1" --state "$1.state" --every 50ms --quiet "${@:2}")
}
once() {
    to "$@"
    leat_run run "${arguments[@]}"
}
begin() {
    to "$@"
    leat_start "${arguments[@]}"
}
# has TOPIC N [FROM PARTITIONS]: so many results are committed, or more
has() { (($(kafka committed "$1" "${3:-numbers}" "${4:-1}" | sum) >= $2)); }
model() { "$LEAT" model dump "$1.state" --stage awm | grep stage/awm; }
results_once() { kafka read "$1" | cmp - rows; }
as_whole() { results_once "$1" && cmp <(model whole) <(model "$1"); }
# settled TOPIC: no transaction is open
settled() { [ "$(kafka end "$1" 0)" = "$(kafka end_of_all "$1" 0)" ]; }
# stopped_within TOPIC: the run stands still now, and a transaction is open
stopped_within() {
    kill -STOP "$pid"
    settled "$1" || return 0
    kill -CONT "$pid"
    return 1
}
slow=(--set slow=30000)

kafka topic whole 1 1
once whole --every 0
claim_exit "an uninterrupted run" 0
claim "each result is there once" as_whole whole

kafka topic killed 1 1
for ((n = 0; n < ${KILLS:-8}; n++)); do
    to killed --set slow=20000
    (timeout --foreground -s KILL "0.$((4 + RANDOM % 6))" "$LEAT" run "${arguments[@]}") && break
done
once killed
claim_exit "a run after $n that were killed at random moments" 0
claim "each result is there once, and the model is the same" as_whole killed

# Records that stages make: of each prediction some, or none.
cat >made.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local n, rounds = 0, tonumber(a.slow or 0)
local function some(emit, score)
  n = n + 1
  for _ = 1, n < 15000 and rounds or 0 do end
  for i = 1, n % 3 do emit(n + i, score) end
end
return leat.pipeline "made" {
  leat.source.kafka { "numbers", brokers = a.brokers, group = a.to, start = "earliest", ["until"] = "end" },
  leat.parse.libsvm {},
  leat.learn.awm { id = "awm", budget = "4KB" },
  leat.result.predictions {}, leat.flat(some, { "score" }, { "n:number", "score:number" }, { state = "n" }),
  leat.sink.kafka { a.to, brokers = a.brokers, format = "jsonl", transaction = a.to },
  batch_rows = 200,
}
LUA
made() { arguments=(made.lua --set brokers="$brokers" --set to="$1" --state "$1.state" --every 50ms --quiet "${@:2}"); }
kafka topic made_whole 1 1 && kafka topic made_killed 1 1
made made_whole
leat_run run "${arguments[@]}"
claim_exit "a run of records that stages make" 0
claim "there are as many as there should be" equal "$(kafka read made_whole | wc -l)" 100000
for ((n = 0; n < ${KILLS:-8}; n++)); do
    made made_killed --set slow=20000
    (timeout --foreground -s KILL "0.$((4 + RANDOM % 6))" "$LEAT" run "${arguments[@]}") && break
done
made made_killed
leat_run run "${arguments[@]}"
claim "after $n that were killed each of them is there once, in the same order" cmp <(kafka read made_whole) <(kafka \
    read made_killed)

for place in handed_in snapshot_created snapshot_written snapshot_synced snapshot_renamed snapshot_durable \
    snapshot_prepared transaction_offsets_sent transaction_committed; do
    kafka topic $place 1 1
    LEAT_FAULT=$place:3 once $place --every 5000
    claim_exit "killed at $place" 137
    once $place
    claim "killed at $place, each result is there once, and the model is the same" as_whole $place
done
count() { leat_run run count.lua --set brokers="$brokers" --set topic=snapshot_prepared --quiet --summary s.json "$@"; }
count
claim "what was aborted is not read" equal "$(json .records)" 100000
count --set property=isolation.level=read_uncommitted
claim "unless that is wanted" [ "$(json .records)" -gt 100000 ]

# Two sources, of which one ends long before the other: its group gives up on it meanwhile.
head -500 rows >few
kafka topic few 1 1 && kafka produce few 0 few && kafka topic two 1 1
cat >two.lua <<'LUA'
local leat = require "leat"
local brokers = leat.args.brokers
local function source(topic)
  return leat.source.kafka {
    topic, brokers = brokers, group = "two-" .. topic, start = "earliest", ["until"] = "end",
    properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=300", "max.poll.interval.ms=6000" },
  }
end
return leat.pipeline "two" {
  leat.merge { { source "few" }, { source "numbers", leat.filter(function() for _ = 1, 30000 do end return true end, {}) } },
  leat.parse.libsvm {}, leat.sink.kafka { "two", brokers = brokers, transaction = "two" },
  batch_rows = 200,
}
LUA
leat_start two.lua --set brokers="$brokers" --state two.state --every 200ms --quiet --summary s.json
until_true has two-few 1 few
claim "a group gives up on a source that has ended" until_true members_are two-few 0
leat_end
claim_exit "a source whose group has given up on it after its end does no harm" 0
claim "the run did not go back" equal "$(json .snapshots.went_back)" 0
claim "and each result of both is there once" cmp <(kafka read two | sort) <(sort rows few)

# Longer away than the session: the group has taken the partition away.
kafka topic absent 1 1
begin absent "${slow[@]}" --summary s.json
until_true has absent 3000
kill -STOP "$pid"
claim "a group gives up on a member that is away" until_true members_are absent 0
kill -CONT "$pid"
leat_end
claim_exit "a run that was away for longer than the group waits" 0
claim "goes back" [ "$(json .snapshots.went_back)" -ge 1 ]
claim "and each result is there once, and the model is the same" as_whole absent

# Longer away than a transaction may take.
kafka topic late 1 1
begin late "${slow[@]}" --set property=transaction.timeout.ms=8000 --summary s.json
until_true has late 3000
claim "a run is stopped while its transaction is open" until_true stopped_within late
claim "the cluster aborts a transaction that takes too long" until_true settled late
kill -CONT "$pid"
leat_end
claim "a run whose transaction has timed out goes back, or ends with 3 (exit $status)" [ "$status:$(json \
    .snapshots.went_back)" != 0:0 ]
once late --set property=transaction.timeout.ms=8000
claim "started again, each result is there once, and the model is the same" as_whole late

# Another run of the same name, with another state.
kafka topic fenced 1 1
begin fenced --set slow=100000
until_true has fenced 3000
to fenced --state second --set member=two --set until=stopped --log-level warn
first=$pid
err=second.err leat_start "${arguments[@]}"
leat_end "$first"
claim_exit "a run is fenced off by another of its name" 3
claim_says "and says so" 'transaction "fenced" is no longer this run'
claim "the other one goes on" until_true has fenced 100000
leat_stop
claim "without what was learned, which it says" grep -q "these stages have lost what they learned since then: awm" second.err
claim "and each result is there once" results_once fenced

# The broker is killed, and comes back, soon or late.
kafka topic broken 1 1
begin broken "${slow[@]}"
until_true has broken 3000
broker kill 1
broker up 1
leat_end
claim_exit "a run whose broker was killed and came back" 0
claim "each result is there once, and the model is the same" as_whole broken
kafka topic gone 1 1
begin gone "${slow[@]}" --log-level warn
until_true has gone 3000
broker kill 1
until_true grep -q "no broker can be reached" "$err"
leat_stop
claim "without a broker a run is stopped before the deadline (exit $status)" [ "$status" -le 3 ]
broker up 1
once gone
claim "and the next one goes on: each result is there once, and the model is the same" as_whole gone

# Members come and go, each under a name of its own; one is killed and begins again.
kafka topic four 4 1 && kafka produce four -4 rows
kafka topic shared 1 1
member() {
    to shared "${slow[@]}" --set from=four --set until=stopped --set member="m$1" --set id="m$1" --state "member$1"
    leat_start "${arguments[@]}"
    members[$1]=$pid
}
member 1
until_true members_are shared 1
member 2
until_true members_are shared 2
until_true has shared 10000 four 4
kill -KILL "${members[1]}"
wait "${members[1]}"
member 1
until_true has shared 30000 four 4
leat_stop "${members[2]}"
claim_exit "a member of two leaves" 0
until_true has shared 100000 four 4
leat_stop "${members[1]}"
claim_exit "and then the other" 0
claim "between them each result is there once" cmp <(kafka read shared | sort) <(sort rows)
done_claims
