# Models of partitions that move from process to process, on librdkafka's mock cluster.
# tier: long (33 s, waits)
. "$(dirname "$0")/../support/claims.sh"
root=$PWD
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise
svm_examples 8 24000 5 100 >rows
for k in 1 2 3 4; do sed -n "$((6000 * k - 5999)),$((6000 * k))p" rows >"rows.$k"; done
for topic in eight again; do mock topic $topic 8 >/dev/null; done
for topic in alone shared parts; do mock topic $topic 1 >/dev/null; done
for k in 1 2 3 4; do mock produce eight -8 "$tmp/rows.$k" >/dev/null; done

# Without a group all partitions are this process's at once: the undisturbed run.
cat >learn.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local properties = { "session.timeout.ms=4000", "heartbeat.interval.ms=500" }
return leat.pipeline "learn" {
  a.view and leat.source.models { a.view, brokers = a.brokers, ["until"] = "end" }
    or leat.source.kafka {
      a.topic, brokers = a.brokers, group = a.group, start = "earliest", ["until"] = a["until"],
      state = "partition", state_topic = a.states, properties = properties,
      partitions_max = a.most, max_message = a.message, missing = a.missing,
    },
  leat.parse.libsvm {},
  leat.tee {
    { leat.learn.awm { id = "model", budget = a.budget or "4KB" } },
    { leat.learn.frequent { id = "counts", over = "all", by = "count", max_features = 1024, names_budget = "16KB" } },
  },
  leat.merge {}, leat.sink.top { of = "model", k = 10 },
  leat.sink.top { of = "counts", k = 200, format = "csv", path = a.path or "counts.csv" },
  batch_rows = 50, seed = a.seed,
}
LUA
run() { leat_run run learn.lua --set brokers="$brokers" --quiet --summary s.json "$@"; }
learned() { # examples that all have learned, by a viewer of the states on topic $1
    run --set view="$1" && stage model examples
}
states() { "$programs/kafka_client" "$brokers" states "$1" | sort; }

# Four processes while the messages come: one is killed, two come late.
member() {
    err=member$1 out=top$1 leat_start learn.lua --set brokers="$brokers" --set topic=again --set group=g \
        --set states=shared \
        --set path="counts$1" --every 100ms --log-level info
    members[$1]=$pid
}
have_learned() { equal "$(learned shared)" "$1"; }
mock produce again -8 "$tmp/rows.1" >/dev/null
member 1; member 2

run --set topic=eight --set states=alone --set until=end --set path=alone.csv
claim_exit "one process has a model for each of eight partitions" 0
cp "$out" alone.top
claim "of all messages" [ "$(stage model examples)" = 24000 ]
states alone | sed 's/		eight/ T/' >alone.states
claim "there are eight states, each at the end of its partition" [ "$(grep -c '	. 3000 ' alone.states)" = 8 ]
run --set view=alone --set path=view.csv
claim_exit "a viewer has no records" 0
claim "and shows the same" cmp <(eventless "$out") <(eventless alone.top)
claim "to the last count" cmp <(eventless view.csv) <(eventless alone.csv)
claim "and writes no state" cmp <(states alone | sed 's/		eight/ T/') alone.states

# States in parts, and what is refused.
run --set topic=eight --set states=parts --set until=end --set message=1KiB --set path=parts.csv
claim_exit "states may be longer than a message" 0
run --set view=parts --set path=parts.csv
claim "and come back" cmp <(eventless parts.csv) <(eventless alone.csv)
run --set view=alone --set budget=8KB
claim_says "models of another pipeline are refused by the field" "comes from another pipeline: model: budget is" 
run --set view=alone --set seed=5
claim_says "of another seed as well" "seed is 5 here and 1 there"
run --set topic=eight --set states=alone --set until=end --set most=3
claim_says "more partitions than there is room for" "more than partitions_max"
run --set topic=eight --set states=alone --state dir
claim_says "a directory and a topic for the same state" "cannot be used: remove it, because the source itself stores the states"
leat_run check learn.lua --set brokers="$brokers" --set topic=eight
claim_says "states need a topic" "state_topic: is missing: name the topic in which state = \"partition\" keeps the states"

# Messages on the topic that are no states.
head -c 4000 rows >no_state
states_at() { "$programs/kafka_client" "$brokers" forge alone "$1" "$2" no_state; }
states_at "$(states alone | head -1 | cut -d" " -f1)" 3000
run --set view=alone --set path=view.csv
claim_exit "a viewer skips what is no state" 0
claim_says "and names it" "eight/0 cannot be used: it is not a snapshot" "the message of eight/0 in alone is skipped"
run --set topic=eight --set states=alone --set until=end
claim_exit "a worker does not continue at an offset that goes with no state" 1
claim_says "which it says" "eight/0: its message in alone is not a state"

# Applications are workers and viewers by --set alone.
app() { leat_run run "$root/pipelines/kafka/scale_out.lua" --set brokers="$brokers" --set until=end --quiet "$@"; }
mock topic app 1 >/dev/null
app --set topic=eight --set state_topic=app --set budget=2KB
cp "$out" app.top
app --set view=app --set budget=2KB
claim "an application is a worker with state_topic, a viewer with view" cmp <(eventless "$out") <(eventless app.top)
claim "of all messages" grep -q '24,000 examples' app.top

claim "two processes learn the first quarter" until_true have_learned 6000
mock produce again -8 "$tmp/rows.2" >/dev/null
kill -9 "${members[1]}"
member 3; member 4
for k in 3 4; do mock produce again -8 "$tmp/rows.$k" >/dev/null; done
claim "one is killed, two others come: all is learned" until_true have_learned 24000
kill -TERM "${members[2]}" "${members[3]}" "${members[4]}"
for k in 2 3 4; do
    leat_end "${members[k]}"
    err=$tmp/member$k claim_exit "process $k leaves well" 0
done
run --set view=shared --set path=shared.csv
claim "nothing was counted twice, nothing lost" cmp <(eventless shared.csv) <(eventless alone.csv)
claim "the model is what one process has learned" cmp <(eventless "$out") <(eventless alone.top)
states shared | sed 's/	g	again/ T/' >shared.states
claim "each partition's state is, byte for byte, the undisturbed one" cmp shared.states alone.states

# With a sink that commits, the states are part of its transactions. The mock cluster keeps no offsets
# of transactions: the states alone say where to go on (tests/kafka/exactly_once.sh has them all).
for topic in calm once parted aborted long; do mock topic $topic 1 >/dev/null; done
mock topic results 1 >/dev/null
cat >once.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "learn" {
  leat.source.kafka {
    "eight", brokers = a.brokers, group = a.group, start = a.start or "earliest", ["until"] = "end",
    state = "partition", state_topic = a.states, max_message = a.message, missing = a.missing,
  },
  leat.parse.libsvm {},
  leat.sink.kafka { "results", brokers = a.brokers, transaction = "once", max_message = a.most },
  leat.learn.awm { id = "model", budget = "4KB" },
  leat.learn.frequent { id = "counts", over = "all", by = "count", max_features = 1024, names_budget = "16KB" },
  batch_rows = 50,
}
LUA
once() { leat_run run once.lua --set brokers="$brokers" --set states=once --every 50ms --quiet --summary s.json "$@"; }
same_states() { cmp <(states "$1") <(states calm); }
add_partitions=24 end_transaction=26
once --set states=calm
claim_exit "without --state, a checkpoint is a transaction" 0
LEAT_FAULT=transaction_states_sent:3 once --every 300
claim_exit "killed when the states of a checkpoint are sent" 137
once
claim_exit "the next run goes on" 0
claim "from the states of a checkpoint: they are the undisturbed ones" same_states once
claim "the sink counts results alone" [ "$(stage kafka2 delivered)" -le 24000 ]
mock errors $end_transaction 51 1 >/dev/null # concurrent transactions
once --set states=parted --set message=1KiB
claim "states in parts as well, and what may pass is tried again" same_states parted
mock errors $add_partitions 29 1 >/dev/null # not authorized
once --set states=aborted
claim "a transaction that is aborted takes the run back" [ "$status$(json .snapshots.went_back)" = 01 ]
claim "to the states before it" same_states aborted
once --set states=long --set message=2000000
claim_exit "states in longer messages than the sink's" 2
claim_says "are refused" "max_message = 1000000 is less than the max_message = 2000000 of kafka"
once --state dir
claim_exit "a directory beside it is refused" 2
claim_says "with the reason" "the source itself stores the states of its inputs"

# Offsets of a group, and no state that goes with them.
mock topic bare 1 >/dev/null
claim "a group has read without states" equal "$(mock commit before eight 8 1000)" ok
run --set topic=eight --set group=before --set states=bare --set until=end
claim_exit "with states it is refused" 1
claim_says "and told what can be done" \
    "group before has committed offset 1000, but bare holds no state for it" 'missing = "begin"'
mock commit anew eight 8 1000 >/dev/null
run --set topic=eight --set group=anew --set states=bare --set until=end --set missing=begin --log-level warn
claim_exit "unless it is to begin there" 0
claim_says "which it says" "begins with nothing learned at the group's offset 1000"
claim "and so it does" equal "$(stage model examples)" 16000
claim "with states from then on" equal "$(states bare | cut -d' ' -f2 | sort -u)" 3000

exec 9>&-
done_claims
