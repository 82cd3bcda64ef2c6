#!/usr/bin/env bash
# Kafka to parser, AWM and top, against consumers that throw the same messages away; one broker on
# this machine, every program in turns. Needs mvn and java; kcat where it is installed.
#   MESSAGES  how many (default 500,000 libsvm lines of about 250 bytes, in four partitions)
#   RUNS      repetitions (default 5); medians are printed
#   BACKLOG   megabytes of the backlog that is read for its memory (default 1000)
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C OPENBLAS_NUM_THREADS=1
B=${B:-build/release} RUNS=${RUNS:-5} MESSAGES=${MESSAGES:-500000} BACKLOG=${BACKLOG:-1000}
LEAT=$B/bin/leat
tmp=$(mktemp -d)
export KAFKA_DATA=$tmp/kafka OWNER=$$
trap 'tests/support/kafka/broker.sh stop; rm -rf "$tmp"' EXIT

brokers=$(tests/support/kafka/broker.sh start)
client() { "$B/tests/programs/kafka_client" "$brokers" "$@"; }
calc() { awk "BEGIN { printf \"$1\", $2 }"; }
median() { sort -g "$1" |
    awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
rate() { awk -v n="$MESSAGES" '{ printf "%.0f\n", n / $1 }'; }
leat_reads() { # TOPIC
    "$LEAT" run tests/bench/pipelines/kafka.lua --set brokers="$brokers" --set topic="$1" \
        --quiet --summary "$tmp/s.json" >/dev/null
    jq .seconds "$tmp/s.json"
}
kcat_reads() {
    /usr/bin/time -f %e -o "$tmp/time" kcat -b "$brokers" -C -t bench -e -q >/dev/null && cat "$tmp/time"
}

# 29 ids of a skewed million and one that tells the label.
awk -v n="$MESSAGES" 'BEGIN { srand(5); for (i = 0; i < n; i++) { y = rand() < .5; line = y ? "+1" : "-1"; id = 0
    for (j = 0; j < 29; j++) { id += 1 + int(60000 * rand() ^ 3); line = line " " id ":1" }
    print line " " 2000001 + int(rand() * 50) + (y ? 25 : 0) ":1" } }' >"$tmp/lines"
client topic bench 4 1
client produce bench -4 "$tmp/lines"
for _ in $(seq "$RUNS"); do
    client discard bench | cut -d' ' -f1 >>"$tmp/discard"
    leat_reads bench | rate >>"$tmp/leat"
    if command -v kcat >/dev/null; then kcat_reads | rate >>"$tmp/kcat"; fi
done
echo "$(nproc) cores; $MESSAGES messages of $(($(stat -c %s "$tmp/lines") / MESSAGES)) bytes; median of $RUNS runs in turns"
for who in discard kcat; do
    [[ -e $tmp/$who ]] && echo "$who: $(median "$tmp/$who") messages/s"
done
echo "leat, Kafka to awm to top: $(median "$tmp/leat") messages/s, $(calc '%.2f' "$(median "$tmp/leat") / $(median \
    "$tmp/discard")") of discard"

client topic backlog 4 1
for _ in $(seq $((BACKLOG * 1000000 / $(stat -c %s "$tmp/lines") + 1))); do client produce backlog -4 "$tmp/lines"; done
"$LEAT" check tests/bench/pipelines/kafka.lua --set brokers="$brokers" --set topic=backlog |
    awk '/^  total/ { print "planned: " $2, $3 }'
/usr/bin/time -f %M -o "$tmp/time" "$LEAT" run tests/bench/pipelines/kafka.lua --set brokers="$brokers" \
    --set topic=backlog --quiet >/dev/null
echo "peak resident while $BACKLOG MB of backlog are read: $(calc '%.1f MB' "$(cat "$tmp/time") / 1024")"

# How long a member of a group takes from SIGTERM, in the middle of the backlog, to its end: the snapshot written, the
# offsets committed, the group left. [gone]: the broker is killed just before.
stop() { # NAME [gone]
    "$LEAT" run tests/bench/pipelines/kafka.lua --set brokers="$brokers" --set topic=backlog --set group="$1" \
        --set until=stopped \
        --state "$tmp/state-$1" --every 1s --progress never --log-level info >/dev/null 2>"$tmp/stop" &
    local pid=$! from status=0
    until grep -q "reads 4 partitions" "$tmp/stop"; do sleep 0.05; done
    sleep 1.5
    [[ -z ${2-} ]] || tests/support/kafka/broker.sh kill 1
    from=$(date +%s%N)
    kill -TERM $pid
    wait $pid || status=$?
    echo "$((($(date +%s%N) - from) / 1000000)) ms, exit $status"
    [[ -z ${2-} ]] || tests/support/kafka/broker.sh up 1
}
echo "SIGTERM under load:"
for k in $(seq "$RUNS"); do stop "term$k"; done
echo "SIGTERM with the broker gone:"
for k in 1 2 3; do stop "gone$k" gone; done
