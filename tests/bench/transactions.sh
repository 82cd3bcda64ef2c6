# What exactly once costs: a million examples from a topic through awm to another one, with
# transactions and without, in turn; records a second, and the longest time that the sink stood
# still for a commit. ROUNDS (5); the cluster is one node on this machine.
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1 >/dev/null
awk 'BEGIN { srand(5); for (i = 0; i < 1000000; i++) { y = rand() < .5; printf "%s", y ? "+1" : "-1";
    for (j = 0; j < 6; j++) printf " %d:%.3f", rand() * 400 + (y ? 9 : 0), rand(); print "" } }' >rows
kafka topic in 1 1 && kafka topic out 1 1 && kafka produce in 0 rows
cat >pass.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "pass" {
  leat.source.kafka { "in", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = "end" },
  leat.parse.libsvm {}, leat.learn.awm { budget = "32KB" },
  leat.sink.kafka { "out", brokers = a.brokers, transaction = a.name },
}
LUA
pass() { # pass KIND EVERY ARGS…
    rm -rf state
    "$LEAT" run pass.lua --set brokers="$brokers" --set group="g$RANDOM$RANDOM" --state state --every "$2" --quiet \
        --summary s.json "${@:3}" || exit 1
    jq .records/.seconds s.json >>"$1.$2.rate"
    jq '.snapshots.longest_commit // 0' s.json >>"$1.$2.commit"
}
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
for ((i = 0; i < ${ROUNDS:-5}; i++)); do
    for every in 1s 100ms; do
        pass without $every
        pass with $every --set name="pass$i$every"
    done
done
for every in 1s 100ms; do
    printf -- "--every %s: %.0f records/s without, %.0f with; longest commit %.3f s\n" $every \
        "$(median without.$every.rate)" "$(median with.$every.rate)" "$(median with.$every.commit)"
done
