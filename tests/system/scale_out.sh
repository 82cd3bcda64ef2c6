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
  a.data and leat.source.file { a.data } or
  a.view and leat.source.models { a.view, brokers = a.brokers, ["until"] = "end", save = a.save }
    or leat.source.kafka {
      a.topic, brokers = a.brokers, group = a.group, start = "earliest", ["until"] = a["until"],
      state = "partition", state_topic = a.states, properties = properties,
      partitions_max = a.most, begin = a.begin, max_message = a.message, missing = a.missing,
    },
  leat.parse.libsvm {},
  leat.tee {
    { leat.learn.awm { id = "model", budget = a.budget or "4KB" } },
    { leat.learn.frequent { id = "counts", over = "all", by = "count", max_features = 1024, names_budget = "16KB" } },
  },
  leat.merge {}, leat.sink.top { of = "model", k = 10 },
  leat.sink.top { of = "counts", k = 200, format = "csv", path = a.path or "counts.csv" },
  batch_rows = 50, seed = a.seed, memory = a.memory,
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
run --set view=alone --set path=view.csv --set save=saved.eight
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

# As many partitions as the topic has.
mock topic forty 40 >/dev/null; mock topic forty-states 1 >/dev/null; mock topic more-states 1 >/dev/null
head -4000 rows >few && mock produce forty -40 "$tmp/few" >/dev/null
checked() { leat_run check learn.lua --json --set brokers="$brokers" --set topic=forty --set states=forty-states "$@"; }
checked
offline=$(jq -c '[.plan.shards, .plan.shard_bytes]' "$out")
claim "offline, check counts one state" equal "$(jq .[0] <<<"$offline")" 1
checked --online
claim "online, one of each partition" equal "$(jq -c '[.plan.shards, .plan.shard_bytes]' "$out")" \
    "$(jq -c '[40, 40 * .[1]]' <<<"$offline")"
leat_run check learn.lua --set brokers="$brokers" --set topic=forty --set states=forty-states
claim "offline, it says that the source asks" grep -q "for each input after the first; how many there are, the source asks" "$out"
leat_run run learn.lua --set brokers="$brokers" --set topic=forty --set states=forty-states --set until=end --set path=forty.csv \
    --log-level info
claim_exit "one process has a model for each of forty" 0
claim_says "and says how much memory that may take" "kafka (source.kafka): 40 inputs: the run takes at most"
run --set view=forty-states --set path=view.csv
claim "and so has a viewer" cmp <(eventless view.csv) <(eventless forty.csv)
run --set topic=forty --set states=more-states --set until=end --set memory=95MB
claim_exit "more memory than the pipeline may take" 2
claim_says "is refused when the number is known" "the states of 40 inputs may take" "more than memory = 95.0 MB"
checked --online --set memory=95MB
claim_exit "and by check --online before" 2

unranked() { eventless "$1" | cut -d, -f4- | sort; } # without places, as equal counts have any order

# A group begins with a model of files, which counts once.
mock topic begun 8 >/dev/null; mock topic begun-states 1 >/dev/null
head -9000 rows >old && tail -n +9001 rows | head -9000 >new && cat old new >both
mock produce begun -8 "$tmp/new" >/dev/null
leat_run run learn.lua --quiet --set data=both --set path=both.csv
leat_run run learn.lua --quiet --set data=old --state old-state
leat_run model merge old.leat old-state
claim_exit "a model of a file" 0
begin() { run --set topic=begun --set states=begun-states --set group=begun --set until=end "$@"; }
begin --set begin=rows
claim_exit "one that is no model is refused" 1
claim_says "by its name" 'begin = "rows": the file is not a whole model'
begin --set begin=none.leat
claim_says "one that is not there, too" 'begin = "none.leat": the model cannot be read: No such file'
begin --set begin=.
claim_says "and a folder" 'begin = "."' "cannot be read: Is a directory"
: >empty.leat
begin --set begin=empty.leat
claim_says "and an empty file" "cannot be read: the file is empty"
begin --set begin=old.leat --set budget=8KB
claim_says "one of other parameters, too" "comes from another pipeline: model: budget is"
begin --set begin=old.leat --set path=begun.csv
claim_exit "a group begins with it" 0
claim "its counts are those of a process that has read all" cmp <(unranked begun.csv) <(unranked both.csv)
begin --set begin=none.leat
claim_exit "later it needs the file no more" 0
run --set view=begun-states --set path=view.csv
claim "and a viewer counts it once" cmp <(unranked view.csv) <(unranked both.csv)

# A viewer saves the models of a group, which merge into one.
run --set view=begun-states --set save=taken
claim "each partition's model is a file" equal "$(ls taken | xargs)" "$(echo begun-{0..7}.leat)"
leat_run model merge taken.leat taken/*
claim_exit "they merge" 0
counts_of() { "$LEAT" model top "$1" --stage counts --k 200 --format csv | cut -d, -f4- | sort; }
leat_run run learn.lua --quiet --set data=both --state both-state
leat_run model merge both.leat both-state
claim "into the model of a process that has read all" cmp <(counts_of taken.leat) <(counts_of both.leat)
claim "which has counts" test -n "$(counts_of both.leat)"

# A state says what it was learned from: its partition, and the model with which the group began.
splits() { "$LEAT" model info "$@" --json | jq -c '[.splits[] | [.id // "model", .records]]'; }
claim "a state names its partition" equal "$(splits taken/begun-3.leat)" '[["begun/3",1125]]'
claim "the first one also names the model before it" equal "$(splits taken/begun-0.leat)" \
    '[["begun/0",1125],["model",9000]]'
claim "a merge has them all" equal "$(splits taken.leat | jq -c '[length, (map(.[1]) | add)]')" '[9,18000]'
leat_run model merge twice.leat taken.leat taken/begun-3.leat
claim_exit "a partition that is merged already" 0
claim_says "counts once" "split begun/3 is merged already, and counts once"
claim "and changes nothing" cmp twice.leat taken.leat
leat_run model merge twice.leat taken/begun-3.leat taken/begun-0.leat old.leat
claim_exit "the model before it is not merged again" 1
claim_says "which it says" "it has learned the same as an input before: leave one out"
mock produce begun -8 "$tmp/few" >/dev/null
begin --set path=later.csv
run --set view=begun-states --set save=later
claim "a later state has more records" equal "$(splits later/begun-3.leat)" '[["begun/3",1625]]'
claim "beside the model before it" equal "$(splits later/begun-0.leat)" '[["begun/0",1625],["model",9000]]'
leat_run model merge twice.leat taken/begun-3.leat later/begun-3.leat
claim_exit "an earlier and a later state of a partition" 1
claim_says "are not merged" "split begun/3 has learned something else, or counts otherwise, than in an input before"
mock topic again-states 1 >/dev/null
run --set topic=begun --set states=again-states --set group=twice --set until=end --set begin=taken.leat \
    --log-level warn
claim_exit "a model of the same partitions may begin another group" 0
claim_says "which is told that it counts twice" "begun/0 begins has learned 1125 records of it already"
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
run --set view=shared --set save=saved.again
splits_of() { # every digest is of a partition's state
    for k in {0..7}; do "$LEAT" model info "saved.$1/$1-$k.leat" --json | jq -c '[.splits[] | del(.id)]'; done
}
claim "each partition's state is, byte for byte, the undisturbed one" cmp <(splits_of again) <(splits_of eight)
claim "all have 3000 records" equal "$(splits_of eight | jq '.[0].records' | uniq -c | xargs)" "8 3000"
claim "at the same offset" cmp <(states shared | sed 's/	g	again/ T/' | cut -d' ' -f1-4) <(cut -d' ' -f1-4 alone.states)

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
