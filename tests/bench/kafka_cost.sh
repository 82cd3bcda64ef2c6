#!/usr/bin/env bash
# Processor time of Kafka to nothing (null), to a parser, and to AWM, beside a consumer that only counts the messages
# (kafka_client discard), with the same settings and in turns. User and system seconds of the whole process on one core;
# the broker is not counted. Needs mvn and java.
#   MESSAGES  how many libsvm lines of 1 KB (default 400,000), and five times as many JSON objects of 100 bytes
#   RUNS      repetitions (default 5); medians are printed
#   CORE      the core (default 1)
#   BEFORE    another build/release, such as an earlier one, that takes part
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C OPENBLAS_NUM_THREADS=1
B=${B:-build/release} RUNS=${RUNS:-5} MESSAGES=${MESSAGES:-400000} CORE=${CORE:-1}
tmp=$(mktemp -d)
export KAFKA_DATA=$tmp/kafka OWNER=$$
trap 'tests/support/kafka/broker.sh stop; rm -rf "$tmp"' EXIT
brokers=$(tests/support/kafka/broker.sh start)
same=(queued.max.messages.kbytes=16384 queued.min.messages=46603) # as prefetch = "32MiB"
client() { "$B/tests/programs/kafka_client" "$brokers" "$@"; }
taken() { # NAME COMMAND…
    /usr/bin/time -f '%U %S' -o "$tmp/time" taskset -c "$CORE" "${@:2}" >/dev/null
    awk '{ print $1 + $2 }' "$tmp/time" >>"$tmp/$1"
}
reads() { # BUILD TOPIC TO [HEADERS]
    "$1/bin/leat" run tests/bench/pipelines/kafka_cost.lua --quiet --set brokers="$brokers" --set topic="$2" \
        --set to="$3" ${4:+--set headers="$4"}
}
export -f reads
export brokers
round() { # TOPIC
    local to
    taken "$1-count" "$B/tests/programs/kafka_client" "$brokers" discard "$1" "${same[@]}"
    for to in null parse awm; do
        [[ -z ${BEFORE:-} ]] || taken "$1-$to-before" bash -c 'reads "$@"' _ "$BEFORE" "$1" $to
        taken "$1-$to" bash -c 'reads "$@"' _ "$B" "$1" $to
        taken "$1-$to-skip" bash -c 'reads "$@"' _ "$B" "$1" $to skip
    done
}
median() { sort -g "$1" | sed -n "$(((RUNS + 1) / 2))p"; }

awk -v n="$MESSAGES" 'BEGIN { srand(5); for (i = 0; i < n; i++) { y = rand() < .5; line = y ? "+1" : "-1"; id = 0
    for (j = 0; j < 75; j++) { id += 1 + int(2500 * rand() ^ 3); line = line " " id sprintf(":%.6f", rand() / 5) }
    print line } }' >"$tmp/libsvm"
awk -v n="$((5 * MESSAGES))" 'BEGIN { srand(6); for (i = 0; i < n; i++) {
    printf "{\"late\":\"%s\",\"origin\":\"A%d\",\"destination\":\"B%d\",\"month\":%d,\"weekday\":%d,\"hour\":%d}\n",
    rand() < .2 ? "yes" : "no", 300 * rand() ^ 2, 300 * rand() ^ 2, 1 + 12 * rand(), 1 + 7 * rand(), 24 * rand() } }' \
    >"$tmp/json"
for topic in libsvm json; do
    client topic $topic 4 1
    client produce $topic -4 "$tmp/$topic"
    client discard $topic >/dev/null
    for _ in $(seq "$RUNS"); do round $topic; done
    echo "$topic: $(wc -l <"$tmp/$topic") messages, $(stat -c %s "$tmp/$topic") bytes; median of $RUNS runs in turns"
    for name in "$tmp/$topic"-*; do
        awk -v name="${name##*/"$topic"-}" -v s="$(median "$name")" -v count="$(median "$tmp/$topic-count")" \
            'BEGIN { printf "  %-13s %6.2f s, %.2f of count\n", name, s, s / count }'
    done
done
