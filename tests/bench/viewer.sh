#!/usr/bin/env bash
# viewer.sh -- a worker and a viewer of many partitions: PARTITIONS ("1 64 1024"), ROWS (6000) of each, REST (30 s)
#
# One broker. For each number of partitions, one worker learns ROWS flights of each partition and ends. A viewer then
# shows once what all have learned. Another one follows the states for REST seconds, in which nothing comes, with an
# answer every ten. Processor seconds are user and system; MB are the most resident ones. Needs mvn and java.
set -eu
cd "$(dirname "$0")/../.."
B=${B:-build/release} rows=${ROWS:-6000} rest=${REST:-30}
tmp=$(mktemp -d)
export LC_ALL=C OPENBLAS_NUM_THREADS=1 KAFKA_DATA=$tmp/kafka OWNER=$$
trap 'tests/support/kafka/broker.sh stop; rm -rf "$tmp"' EXIT
brokers=$(tests/support/kafka/broker.sh start)
client() { "$B/tests/programs/kafka_client" "$brokers" "$@"; }
run() { # NAME ARGS…: prints its row
    command time -o "$tmp/time" -f '%e %U %S %M' "${limit[@]}" "$B/bin/leat" run tests/bench/pipelines/viewer.lua \
        --quiet --progress never --set brokers="$brokers" "${@:2}" >"$tmp/answer" || [[ ${#limit[@]} != 0 ]]
    tail -n 1 "$tmp/time" | awk -v what="$1" -v n="$n" '{ printf "%10d  %-8s %8.2f s %8.2f s of processor %8.1f MB\n", n, what, $1, $2 + $3, $4 / 1024 }'
}

# flights N: their delays, origins, destinations and airplanes
flights() {
    awk -v rows="$1" 'BEGIN {
        x = 1
        for (i = 0; i < rows; i++) {
            x = x * 16807 % 2147483647
            from = x % 230
            x = x * 16807 % 2147483647
            printf "%d,A%d,B%d,N%d\n", x % (60 + int(from / 4)), from, int(x / 230) % 230, int(x / 53000) % 40000
        }
    }'
}

echo "partitions  run          clock"
for n in ${PARTITIONS:-1 64 1024}; do
    client topic "t$n" "$n" 1
    flights $((rows * n)) >"$tmp/rows"
    client produce "t$n" "-$n" "$tmp/rows"
    limit=()
    run worker --set topic="t$n" --set until=end
    run viewer --set view="t$n-states" --set until=end
    "$B/bin/leat" group status "t$n" --brokers "$brokers" --state-topic "t$n-states" --json |
        jq -r '[.partitions[].state_bytes] | "            states of \(add / length / 1000 | round) KB"'
    limit=(timeout --signal=TERM "$rest")
    run follows --set view="t$n-states" --set every=10s
done
