# Members of a group that the user has not named: one that is killed and starts again is back at once, one that ends
# leaves at once, and two of one place never have one name. session.timeout.ms is librdkafka's, 45 s.
# tier: long (40 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on killed children
members=()
svm_examples 8 30000 5 100 >rows
split -l 10000 --numeric-suffixes=1 -a 1 rows rows.
for topic in whole shared; do kafka topic $topic 6 1; done

cat >learn.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "learn" {
  a.view and leat.source.models { a.view, brokers = a.brokers, ["until"] = "end" }
    or leat.source.kafka {
      a.topic, brokers = a.brokers, group = a.topic, instance = a.instance, start = "earliest", ["until"] = a["until"],
      state = "partition", state_topic = a.topic .. "-states",
    },
  leat.parse.libsvm {},
  leat.learn.frequent { id = "counts", over = "all", by = "count", max_features = 1024, names_budget = "16KB" },
  leat.sink.top { of = "counts", k = 200, format = "csv", path = a.path or "counts.csv" },
  batch_rows = 50,
}
LUA
at=(learn.lua --set brokers="$brokers" --quiet)
feed() { kafka produce "$1" -6 "rows.$2"; } # feed TOPIC THIRD
member() { # member K [ARGS…]
    err=member.$1 out=top.$1 leat_start "${at[@]}" --set topic=shared --set path="counts.$1" --every 100ms \
        --log-level info "${@:2}"
    members[$1]=$pid
}
reads() { grep "reads" "member.$1" | tail -1 | grep -q "reads $2 partition"; } # reads K N: now
mark() { from=${EPOCHREALTIME/./}; }
# within_ms MS CMD…: CMD succeeds before MS milliseconds have passed since mark
within_ms() {
    until_true "${@:2}"
    local ms=$(((${EPOCHREALTIME/./} - from) / 1000))
    echo "$ms ms: ${*:2}" >>times
    ((ms < $1))
}
leaves() { # leaves K
    kill -TERM "${members[$1]}"
    leat_end "${members[$1]}"
    mark
}
learned() { # learned N: by all together, as the group's offsets say
    equal "$(kafka committed shared shared 6 | sum)" "$1"
}

for k in 1 2 3; do feed whole $k; done
leat_run run "${at[@]}" --set topic=whole --set until=end --set path=whole.csv
claim_exit "one process learns all" 0

member 1
until_true reads 1 6
member 2
claim "a second member of the same place has half of the partitions" until_true reads 2 3
claim "and the first one the other half" until_true reads 1 3
feed shared 1
until_true learned 10000

mark
kill -KILL "${members[1]}"
wait "${members[1]}"
member 1
claim "killed and started again, it has its partitions in less than 2 s" within_ms 2000 reads 1 3
claim "and the other one has not noticed" equal "$(grep -c "takes 3\|takes 6" member.2)" 0
feed shared 2
claim "all is learned on" until_true learned 20000

leaves 1
claim_exit "one that is told to end ends well" 0
claim "the other has its partitions in less than 4 s" within_ms 4000 reads 2 6
claim "it has left the group" members_are shared 1
member 1
member 3
claim "two more: each has a third" until_true reads 3 2
until_true reads 1 2
until_true reads 2 2
leaves 2
leaves 3
claim "one alone has all again" within_ms 4000 reads 1 6
name=$(sed -n 's/.* is member \(leat-[^ ]*\) of group .*/\1/p' member.1)
member 4 --set instance="$name"
until_true grep -q "has fenced out $name, which joins it again" member.1
leat_end "${members[4]}"
claim_exit "another with its name, which was given, is fenced out and ends" 1
claim "and says so" grep -q "Static consumer fenced" member.4
feed shared 3
claim "the first joins again, and learns all to the end" until_true learned 30000
leaves 1
claim "nobody is left in the group" members_are shared 0
leat_run run "${at[@]}" --set view=shared-states --set path=shared.csv
claim "nothing is lost, and nothing counted twice" cmp <(eventless whole.csv) <(eventless shared.csv)

# A name that is given stays in the group.
member 5 --set instance=mine
until_true reads 5 6
leaves 5
claim "a member with a name that was given stays" members_are shared 1
claim "and says so" grep -q "member mine stays in group shared, .* for session.timeout.ms (45 s)" member.5
sed "s,^,# ," times
done_claims
