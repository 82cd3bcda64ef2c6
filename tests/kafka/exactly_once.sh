# sink.kafka with transactions on a real cluster: killed, fenced off, thrown out of its group, and
# with the broker killed, a reader of what was committed sees each result once, and the model is
# that of a run that nothing happened to.
. "$(dirname "$0")/../support/claims.sh"
root=$PWD
programs=$root/${B:-build/release}/tests/programs
kafka() { KAFKA_DATA=$tmp/kafka OWNER=$$ "$root/tests/support/kafka/broker.sh" "$@"; }
client() { "$programs/kafka_client" "$brokers" "$@"; }
brokers=$(kafka start 1) || exit 1
cd "$tmp" || exit 1
exec 2>noise # the shell's words on killed children
kills=${KILLS:-30}
awk 'BEGIN { srand(5); for (i = 0; i < 300000; i++) { y = rand() < .5; printf "%s", y ? "+1" : "-1"; for (j = 0; j < 5; j++) printf " %d:%.3f", rand() * 400 + (y ? 9 : 0), rand(); print " 500:" i } }' >rows
client topic numbers 1 1
client produce numbers 0 rows
cat >once.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local slow = tonumber(a.slow or 0)
return leat.pipeline "once" {
  leat.source.kafka {
    a.from or "numbers", brokers = a.brokers, group = a.to, instance = a.member or "one", start = "earliest",
    ["until"] = a["until"] or "end", properties = { "session.timeout.ms=6000", "queued.min.messages=1000000" },
  },
  leat.filter(function() for _ = 1, slow do end return true end, {}),
  leat.parse.libsvm {},
  leat.learn.awm { id = "awm", budget = "4KB" },
  leat.sink.kafka { a.to, brokers = a.brokers, transaction = a.id or a.to, properties = { a.property } },
  batch_rows = 200,
}
LUA
arguments() { # arguments TOPIC STATE
    echo run once.lua --set brokers="$brokers" --set to="$1" --state "$2" --every "${every:-50ms}" --quiet
}
# shellcheck disable=SC2046
once() { # once TOPIC ARGS…: a run, into the topic
    local to=$1
    shift
    leat_run $(arguments "$to" "$to.state") "$@"
}
# shellcheck disable=SC2046
begin() { # in the background
    local to=$1
    shift
    "$LEAT" $(arguments "$to" "${state:-$to.state}") "$@" 2>"$err" &
    run=$!
}
seen() { client read "$1" | wc -l; }
until_seen() { # until_seen TOPIC N
    for _ in $(seq 300); do (($(seen "$1") >= $2)) && return; sleep 0.1; done
    return 1
}
model() { "$LEAT" model dump "$1.state" --stage awm | grep stage/awm | sed 's/"epoch":[0-9]*//'; }
as_whole() { # of a topic: each result once, in order, and the model
    client read "$1" | cmp - rows && cmp <(model whole) <(model "$1")
}

client topic whole 1 1
every=0 once whole --summary s.json
claim_exit "an uninterrupted run" 0
claim "each result is there once" as_whole whole

client topic killed 1 1
for ((n = 0; n < kills; n++)); do
    (timeout -s KILL "0.$((4 + RANDOM % 6))" "$LEAT" $(arguments killed killed.state) --set slow=2000) && break
done
once killed
claim_exit "a run after $n that were killed at random moments" 0
claim "each result is there once, and the model is the same" as_whole killed

for place in handed_in snapshot_created snapshot_written snapshot_synced snapshot_renamed snapshot_durable \
    snapshot_prepared transaction_offsets_sent transaction_committed; do
    client topic $place 1 1
    LEAT_FAULT=$place:4 once $place
    claim_exit "killed at $place" 137
    once $place
    claim "killed at $place, each result is there once, and the model is the same" as_whole $place
done

# Longer away than the session: the group has given the partition to nobody, but taken it away.
client topic absent 1 1
begin absent --set slow=10000 --summary s.json --log-level warn
until_seen absent 20000
kill -STOP $run
sleep 8
kill -CONT $run
wait $run
status=$?
claim_exit "a run that was away for longer than the group waits" 0
claim "goes back, and each result is there once" as_whole absent
claim "as its summary says" [ "$(json .snapshots.went_back)" -ge 1 ]
cp "$err" absent.err

# Longer away than the transaction may take.
client topic late 1 1
begin late --set slow=10000 --set property=transaction.timeout.ms=3000 --set member=
until_seen late 20000
kill -STOP $run
sleep 15
kill -CONT $run
wait $run
status=$?
cp "$err" late.err
claim "a run whose transaction has timed out goes back or ends" [ $status = 3 -o $status = 0 ]
once late --set property=transaction.timeout.ms=3000 --set member=
claim "and each result is there once" as_whole late

# Another run of the same name.
client topic fenced 1 1
begin fenced --set slow=10000
until_seen fenced 20000
first=$run
"$LEAT" $(arguments fenced second.state) --set slow=10000 --set member=two --set until=stopped --log-level info 2>second.err &
second=$!
wait $first
status=$?
claim_exit "a run is fenced off by another of its name" 3
claim_says "and says so" 'transaction "fenced" is no longer this run'
until_seen fenced 300000
kill -TERM $second
wait $second
status=$?
claim_exit "the other one is stopped" 0
claim "and each result is there once" sh -c "'$programs/kafka_client' '$brokers' read fenced | cmp - rows"

# The broker is killed, and comes back.
client topic broken 1 1
begin broken --set slow=10000 --summary s.json
until_seen broken 20000
kafka kill 1
sleep 2
kafka up 1
wait $run
status=$?
claim_exit "a run whose broker was killed and came back" 0
claim "each result is there once, and the model is the same" as_whole broken

# Members come and go, each under a name of its own; one is killed and begins again.
client topic four 4 1
client produce four -4 rows
client topic shared 1 1
for member in 1 2; do
    state=member$member every=100ms begin shared --set slow=10000 --set from=four --set until=stopped --set member=m$member --set id=m$member
    members[member]=$run
    sleep 1
done
until_seen shared 30000
kill -KILL "${members[1]}"
wait "${members[1]}"
state=member1 every=100ms begin shared --set slow=10000 --set from=four --set until=stopped --set member=m1 --set id=m1
members[1]=$run
until_seen shared 100000
kill -TERM "${members[2]}"
wait "${members[2]}"
status=$?
claim_exit "a member of two leaves" 0
until_seen shared 300000
kill -TERM "${members[1]}"
wait "${members[1]}"
status=$?
claim_exit "and then the other" 0
claim "between them each result is there once" bash -c "'$programs/kafka_client' '$brokers' read shared | sort | cmp - <(sort rows)"
kafka stop
