#!/usr/bin/env bash
# Processor time of a file's lines to a topic by sink.kafka, beside kcat -P with the same settings of librdkafka, in
# turns. User and system seconds of the whole process on one core; the broker is not counted. Needs kcat, mvn and java.
#   MESSAGES  how many JSON objects of 99 bytes (default 2,000,000)
#   RUNS      repetitions (default 5); medians are printed
#   CORE      the core (default 1)
#   BEFORE    another build/release, such as an earlier one, that takes part
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C OPENBLAS_NUM_THREADS=1
B=${B:-build/release} RUNS=${RUNS:-5} MESSAGES=${MESSAGES:-2000000} CORE=${CORE:-1}
tmp=$(mktemp -d)
export KAFKA_DATA=$tmp/kafka OWNER=$$
trap 'tests/support/kafka/broker.sh stop; rm -rf "$tmp"' EXIT
brokers=$(tests/support/kafka/broker.sh start)
same=(-X enable.idempotence=true -X acks=all -X linger.ms=5 -X queue.buffering.max.kbytes=32768)
same+=(-X batch.size=1000000 -X message.timeout.ms=0)
taken() { # NAME COMMAND…
    /usr/bin/time -f '%U %S' -o "$tmp/time" taskset -c "$CORE" "${@:2}"
    awk '{ print $1 + $2 }' "$tmp/time" >>"$tmp/$1"
}
sends() { # BUILD
    "$1/bin/leat" run tests/bench/pipelines/kafka_sink.lua --quiet --set brokers="$brokers" --set file="$tmp/lines"
}
export -f sends
export brokers tmp

awk -v n="$MESSAGES" 'BEGIN { srand(6); for (i = 0; i < n; i++) {
    line = sprintf("{\"id\":%d,\"origin\":\"A%d\",\"late\":%.6f}", i, 300 * rand() ^ 2, rand()); printf "%-98s\n", line } }' \
    >"$tmp/lines"
"$B/tests/programs/kafka_client" "$brokers" topic sink 4 1
for _ in $(seq "$RUNS"); do
    taken kcat kcat -b "$brokers" -P -t sink "${same[@]}" -l "$tmp/lines"
    [[ -z ${BEFORE:-} ]] || taken before bash -c 'sends "$@"' _ "$BEFORE"
    taken leat bash -c 'sends "$@"' _ "$B"
done
for name in kcat before leat; do
    [[ -e $tmp/$name ]] || continue
    sort -g "$tmp/$name" | awk -v name=$name -v n="$MESSAGES" '{ s[NR] = $1 }
        END { m = s[int((NR + 1) / 2)]; printf "%-7s %.2f s, %.2f µs a message; %.2f to %.2f s\n",
              name, m, 1e6 * m / n, s[1], s[NR] }'
done
