# States by partition on a real cluster: members are killed, come and go. Each partition's state equals that of an
# undisturbed run, byte for byte.
# tier: long (60 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on killed children
members=()

# 40,000 examples, spread over eight partitions a quarter at a time.
svm_examples 8 40000 5 100 >rows
split -l 10000 --numeric-suffixes=1 -a 1 rows rows.
for topic in whole two four; do kafka topic $topic 8 1; done
feed() { kafka produce "$1" -8 "rows.$2"; } # feed TOPIC QUARTER
for k in 1 2 3 4; do feed whole $k; done

cat >learn.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds = tonumber(a.slow or 0)
return leat.pipeline "learn" {
  a.view and leat.source.models { a.view, brokers = a.brokers, ["until"] = a["until"], save = a.save }
    or leat.source.kafka {
      a.topic, brokers = a.brokers, group = a.topic, start = "earliest", ["until"] = a["until"],
      state = "partition", state_topic = a.topic .. "-states",
      properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500" },
    },
  leat.filter(function() for _ = 1, rounds do end return true end, {}),
  leat.parse.libsvm {},
  leat.tee {
    { leat.learn.awm { id = "model", budget = "4KB" } },
    { leat.learn.frequent { id = "counts", over = "all", by = "count", max_features = 1024, names_budget = "16KB" } },
  },
  leat.merge {},
  leat.sink.top { of = "model", k = 10, every = a.every },
  leat.sink.top { of = "counts", k = 200, format = "csv", path = a.path or "counts.csv" },
  batch_rows = 50,
}
LUA
at=(learn.lua --set brokers="$brokers" --quiet)
view() { # view TOPIC [ARGS…]: once, of its states
    leat_run run "${at[@]}" --set view="$1-states" --set until=end --set path="$1.csv" --summary s.json "${@:2}"
}
learned() { # learned TOPIC N: by all together
    view "$1" && equal "$(stage model examples)" "$2"
}
member() { # member K TOPIC: with records that take their time
    err=member.$1 out=top.$1 leat_start "${at[@]}" --set topic="$2" --set path="counts.$1" --set slow=3000 \
        --every 100ms --log-level info
    members[$1]=$pid
}
reads() { grep -q "reads $2 partition" "member.$1"; } # reads K N
killed() {
    kill -KILL "${members[$1]}"
    wait "${members[$1]}"
}
leaves() { # leaves K…: all are told at once
    local k
    for k in "$@"; do kill -TERM "${members[k]}"; done
    for k in "$@"; do
        leat_end "${members[k]}"
        err=$tmp/member.$k claim_exit "process $k, told to end, ends well" 0
    done
}
states() { kafka states "$1-states" | sed "s/	$1	$1	/ /" | sort; }
committed_as_states() { # the group's offsets are those that the states are as of
    equal "$(kafka committed "$1" "$1" 8 | tr ' ' '\n' | grep -v '^-')" "$(states "$1" | cut -d' ' -f3)"
}
splits_of() { # every digest is of a partition's state
    local k
    view "$1" --set save="saved.$1"
    for k in {0..7}; do "$LEAT" model info "saved.$1/$1-$k.leat" --json | jq -c '[.splits[] | del(.id)]'; done
}
as_whole() { # nothing lost, nothing counted twice
    claim "$1: each partition's state is, byte for byte, the undisturbed one" cmp <(splits_of "$1") <(splits_of whole)
    view "$1"
    claim "$1: the counts are those of one process" cmp <(eventless "$1.csv") <(eventless whole.csv)
    claim "$1: and so are the heaviest features" cmp <(eventless "$out") <(eventless whole.top)
}

leat_run run "${at[@]}" --set topic=whole --set until=end --set path=whole.csv
claim_exit "one process learns eight partitions" 0
cp "$out" whole.top
claim "and leaves a state of each at its end" \
    equal "$(states whole | cut -d' ' -f3 | xargs)" "5000 5000 5000 5000 5000 5000 5000 5000"
view whole --set path=view.csv
claim "a viewer shows the same" cmp <(eventless "$out") <(eventless whole.top)
claim "to the last count" cmp <(eventless view.csv) <(eventless whole.csv)

# Somebody looks on all the time.
out=watched err=watch.err leat_start "${at[@]}" --set view=two-states --set every=200ms --set path=watch.csv
watcher=$pid

# Two: one is killed in mid-stream, another joins and leaves.
member 1 two
member 2 two
until_true reads 1 4
feed two 1
feed two 2
until_true reads 2 4
killed 1
claim "one of two is killed: the other takes all partitions" until_true reads 2 8
member 3 two
claim "one that joins has half of them" until_true reads 3 4
feed two 3
leaves 3
feed two 4
claim "two: all is learned" until_true learned two 40000
leaves 2
as_whole two
claim "two: the group's offsets are those of the states" committed_as_states two
until_true grep -q "40,000 examples" watched
leat_stop $watcher
claim_exit "a viewer that follows ends well" 0
claim "it has shown more and more, and never too much" \
    awk '/ examples/ { gsub(",", ""); for (i = 2; i <= NF; i++) if ($i ~ /^examples/) { if ($(i - 1) + 0 < last ||
        $(i - 1) > 40000) exit bad = 1; last = $(i - 1) + 0; n++ } } END { exit bad || n < 5 || last != 40000 }' watched

# Four, of which one is killed and begins again; then all end under load, and one does the rest.
for k in 4 5 6 7; do member $k four; done
until_true reads 7 2
feed four 1
feed four 2
killed 5
member 5 four
feed four 3
feed four 4
until_true reads 5 2
leaves 4 5 6 7
claim "four: they have left the group" members_are four 0
claim "four: the group's offsets are those of the states" committed_as_states four
leat_run run "${at[@]}" --set topic=four --set until=end
claim_exit "four: one process does what they have left" 0
as_whole four
done_claims
