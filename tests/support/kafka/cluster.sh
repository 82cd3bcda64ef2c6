# cluster.sh -- for the scripts of tests/kafka: claims, and a cluster that ends with the script.
#
#   begin_cluster N    starts it; sets $brokers; makes $tmp the working directory
#   broker …           runs broker.sh (down K, up K, kill K)
#   kafka …            runs kafka_client (topic, produce, read, committed …)
#   leat_start ARGS…   starts leat in the background: $pid, its standard error in $err
#   leat_end           waits for its end, at most three minutes: $status, $took (whole seconds)
#   within S CMD…      waits until CMD succeeds, at most S seconds
root=$PWD
. "$root/tests/support/claims.sh"
export KAFKA_DATA=$tmp/kafka OWNER=$$
trap '[[ $BASHPID != $$ ]] || broker stop; clean_up' EXIT

broker() {
    "$root/tests/support/kafka/broker.sh" "$@"
}

kafka() {
    timeout 180 "$root/${B:-build/release}/tests/programs/kafka_client" "$brokers" "$@"
}

begin_cluster() {
    brokers=$(broker start "$1")
    cd "$tmp" || exit 1
    claim "a cluster of $1 begins" [ -n "$brokers" ]
    [[ -n $brokers ]] || exit 1
}

# members_are GROUP N: true if the group has N members
members_are() {
    equal "$(kafka members "$1")" "$2"
}

# file_has FILE N: true if it has at least N lines
file_has() {
    [[ -e $1 && $(wc -l <"$1") -ge $2 ]]
}

# Sums offsets. A partition without an offset counts as negative.
sum() {
    awk '{ for (i = 1; i <= NF; i++) if ($i > 0) s += $i } END { print s + 0 }'
}
