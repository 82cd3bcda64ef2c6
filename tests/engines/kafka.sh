# A broker: two members of a group learn a topic, one of them is killed, a third comes; a viewer merges their states.
# tier: long (100 s)
. "$(dirname "$0")/../support/kafka/cluster.sh"
. "$root/tests/support/engines.sh"
begin_cluster 1
flights
report=(--out csv --order support --k 1000)
"$LEAT" "${ask[@]}" "${report[@]}" --quiet <rows >one.csv

learn() { # TOPIC STATES ARGS…: a member, until the end of its partitions
    leat explain "${ask[@]:2}" "${report[@]}" --brokers "$brokers" --topic "$1" --group "$2" --state_topic "$2" \
        --until end --quiet --properties session.timeout.ms=6000,heartbeat.interval.ms=500 "${@:3}"
}
view() { leat explain "${ask[@]:2}" "${report[@]}" --brokers "$brokers" --view "$1" --until end --quiet; }
two() { # TOPIC STATES
    learn "$@" >first.csv &
    learn "$@" >second.csv && wait $!
}
has_states() { [[ $(kafka states "$1") ]]; }
# The second is killed while it learns. Its partitions come to a third, if the first has not taken them.
one_killed() { # TOPIC STATES
    learn "$@" --every 200ms >first.csv &
    local first=$! second
    USED='' learn "$@" --every 200ms >second.csv &
    second=$!
    until_true has_states "$2"
    kill -KILL $second && wait $first && learn "$@" >third.csv
}
for n in 4 16; do
    kafka topic flights$n $n 1
    measured "Kafka, produced" $n kafka produce flights$n -$n rows
    claim_exit "$n partitions are written" 0
    measured "Kafka, two members" $n two flights$n states$n
    claim_exit "two members learn $n partitions" 0
    note yes
    measured "Kafka, viewer" $n view states$n
    claim_exit "a viewer merges their states" 0
    claim "to the counts of one process" noted_if cmp <(counted one.csv) <(counted "$out")
done
measured "Kafka, three members, one killed" 4 one_killed flights4 again
claim_exit "what a killed member leaves is read" 0
note yes
measured "Kafka, viewer" 4 view again
claim "to the counts of one process, once" noted_if cmp <(counted one.csv) <(counted "$out")
show_table
done_claims
