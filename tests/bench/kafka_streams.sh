#!/usr/bin/env bash
# leat beside Kafka Streams: counts and means by key and minute of JSON messages, from a topic to a topic, exactly once,
# a commit each second. One broker on this machine; the programs take turns. Needs mvn, java, javac and mawk.
#   MESSAGES=2000000   how many, of 87 bytes and 1,000 keys, in four partitions, over an hour of event time; with fewer
#                      than a million, all may be read before the kill
#   RUNS=5             rounds: in each, one run of each program, and one that is killed by -9 after a fifth of its rows
#   BEFORE=…           another build/release, such as an earlier one, that takes part
# Prints medians: processor seconds of the process until its last row is committed, its peak memory, seconds from its
# start to the first committed row, and from the kill to the next one. The exit code is 1 if rows are not those of mawk.
set -eu
cd "$(dirname "$0")/../.."
for tool in mvn java javac mawk; do
    command -v $tool >/dev/null && continue
    echo "kafka_streams.sh needs mvn, java, javac and mawk: $tool is missing"
    exit 0
done
export LC_ALL=C KAFKA=4.2.0 KAFKA_HEAP=512m
B=${B:-build/release} runs=${RUNS:-5} messages=${MESSAGES:-2000000} here=tests/bench/peers/streams
java=build/kafka/streams
mvn -q -B -Dstyle.color=never -f $here/pom.xml dependency:copy-dependencies -DincludeScope=runtime \
    -Dkafka.version=$KAFKA -DoutputDirectory="$PWD/$java" >&2
javac -d $java -cp "$java/*" $here/Minutes.java
tmp=$(mktemp -d)
export KAFKA_DATA=$tmp/kafka OWNER=$$
trap 'tests/support/kafka/broker.sh stop; rm -rf "$tmp"' EXIT
brokers=$(tests/support/kafka/broker.sh start)
client() { "$B/tests/programs/kafka_client" "$brokers" "$@"; }

# An hour that is over, and a message of each key after it, which ends the last minute.
mawk -v n="$messages" -v hour="$((($(date +%s) / 3600 - 2) * 3600000))" 'BEGIN {
    for (x = 1; i < n; i++) {
        x = x * 16807 % 2147483647
        key = x % 1000
        x = x * 16807 % 2147483647
        printf "{\"time\":%.0f,\"user\":\"user%03d\",\"ms\":%.2f,\"path\":\"/items/%05d\",\"status\":200}\n",
            hour + int(i * 3600000 / n), key, x % 100000 / 100, x % 100000
    }
    for (key = 0; key < 1000; key++) printf "{\"time\":%.0f,\"user\":\"user%03d\",\"ms\":0}\n", hour + 3600000, key
}' >"$tmp/events"
mawk -F'[:,"]+' '{ minute = int($3 / 60000) % 1440; n[$5 " " minute]++; cents[$5 " " minute] += $7 * 100 }
    END { for (k in n) printf "%s %d %.0f\n", k, n[k], cents[k] }' <(head -n -1000 "$tmp/events") | sort >"$tmp/exact"
rows=$(wc -l <"$tmp/exact")
client topic events 4 1
"$B/bin/leat" run tests/bench/pipelines/minutes.lua --quiet --set data="$tmp/events" --set brokers="$brokers" \
    --set topic=events

# Starts a program: $pid, and the time in $from.
begin() { # WHO NAME
    from=$EPOCHREALTIME
    if [[ $1 == streams ]]; then
        java -Xmx512m -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp "$java:$java/*" Minutes "$brokers" "$2" \
            events "$2" "$tmp/$2" >>"$tmp/log" 2>&1 &
    else
        "$([[ $1 == leat ]] && echo "$B" || echo "$BEFORE")/bin/leat" run tests/bench/pipelines/minutes.lua --every 1s \
            --quiet --set brokers="$brokers" --set topic=events --set to="$2" --set name="$2" >>"$tmp/log" 2>&1 &
    fi
    pid=$!
}
arrived() { [[ $(wc -l <"$tmp/rows") -ge $1 ]]; }
# Waits until N rows have come.
await() {
    until arrived "$1"; do
        kill -0 $pid 2>/dev/null || { tail "$tmp/log" >&2 && return 1; }
        sleep 0.02
    done
}
note() { echo "$2" >>"$tmp/$1"; } # NAME FIGURE
# Prints rows as lines of key, minute of the day, count and sum in cents.
plainly() {
    mawk -F'"' '{ n = substr($11, 2) + 0
        printf "%s %d %d %.0f\n", $8, substr($4, 12, 2) * 60 + substr($4, 15, 2), n, substr($13, 2) * n * 100 }' \
        "$1" | sort
}
# One run, from a new topic. With `kill` it is killed and started again.
run() { # WHO [kill]
    local name=$1-$RANDOM$RANDOM start killed='' figures
    client topic "$name" 4 1
    client follow "$name" "$rows" >"$tmp/rows" &
    local follower=$!
    begin "$1" "$name"
    start=$from
    if [[ ${2:-} ]]; then
        await $((rows / 5))
        killed=$EPOCHREALTIME
        kill -KILL $pid
        wait $pid 2>/dev/null || true
        begin "$1" "$name"
    fi
    await "$rows"
    wait $follower
    read -ra figures </proc/$pid/stat
    if [[ $killed ]]; then # what was committed before comes at once
        note "$1.back" "$(awk -v killed="$killed" '$1 > killed + .15 { print $1 - killed; exit }' "$tmp/rows")"
    else
        note "$1.cpu" "$(awk -v ticks=$((figures[13] + figures[14])) -v hz="$(getconf CLK_TCK)" \
            'BEGIN { print ticks / hz }')"
        note "$1.memory" "$(awk '/^VmHWM/ { print $2 / 1024 }' /proc/$pid/status)"
        note "$1.first" "$(awk -v start="$start" 'NR == 1 { print $1 - start }' "$tmp/rows")"
    fi
    kill -KILL $pid
    wait $pid 2>/dev/null || true
    cmp -s "$tmp/exact" <(plainly "$tmp/rows") || { wrong=1 && echo "$1: its rows differ from those of mawk" >&2; }
}
median() { sort -g "$tmp/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
least() { sort -g "$tmp/$1" | head -n 1; }

wrong=''
for ((k = 0; k < runs; k++)); do
    for who in ${BEFORE:+before} leat streams; do
        run $who
        run $who kill
    done
done
echo "$(nproc) cores; $messages messages; medians of $runs runs in turns (least)"
echo
echo '| program | processor s | memory MB | first commit s | back after kill -9 s |'
echo '|---|---|---|---|---|'
for who in ${BEFORE:+before} leat streams; do
    printf '| %s' $who
    for figure in cpu memory first back; do
        printf ' | %.2f (%.2f)' "$(median $who.$figure)" "$(least $who.$figure)"
    done
    echo ' |'
done
printf '| leat / streams'
for figure in cpu memory first back; do
    awk -v a="$(median leat.$figure)" -v b="$(median streams.$figure)" -v c="$(least leat.$figure)" \
        -v d="$(least streams.$figure)" 'BEGIN { printf " | %.3f (%.3f)", a / b, c / d }'
done
echo ' |'
[[ ! $wrong ]]
