#!/usr/bin/env bash
# broker.sh -- Apache Kafka on loopback, for tests: one node, or three, each broker and controller (KRaft).
#
#   broker.sh check         prints what is missing to run it, and fails then
#   broker.sh fetch         gets Kafka with mvn into build/kafka/lib, once, and prepares nodes
#   broker.sh start [N]     starts N nodes (1) on free ports with empty logs; prints their addresses
#   broker.sh down|kill K   ends node K: cleanly, or by SIGKILL
#   broker.sh up K          starts it again with its log
#   broker.sh stop          ends all nodes and removes their logs
#
# KAFKA has its version, if it is not that of pom.xml. KAFKA_CONFIG has more lines of each node's configuration.
# KAFKA_LISTENERS has more listeners of one node, such as "SSL SASL_SSL", whose addresses are in files of these names at
# KAFKA_DATA. KAFKA_DATA (build/kafka/data) is the place of one cluster; another place is another cluster. The nodes end
# with process OWNER (the caller) at the latest, however it ends.
set -eu
cd "$(dirname "$0")/../../.."
lib=build/kafka/lib${KAFKA:+-$KAFKA} locks=build/kafka/ports prepared=$PWD/build/kafka/prepared${KAFKA:+-$KAFKA}
data=${KAFKA_DATA:-$PWD/build/kafka/data}
java=(java "-Xmx${KAFKA_HEAP:-384m}" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=warn "-XX:SharedArchiveFile=$prepared/classes" -cp "$lib/*")

check() {
    command -v mvn >/dev/null && command -v java >/dev/null && return
    echo "skipped: tests against Apache Kafka need mvn and java (apt-get install maven default-jre-headless)" >&2
    return 1
}

# Fetches once, though several scripts may begin at the same time.
fetch() {
    mkdir -p "$lib"
    exec 8>"$lib/.lock"
    flock 8
    [[ -e $prepared/.whole ]] || { get && prepare; }
    exec 8>&-
}

get() {
    mvn -q -B -Dstyle.color=never -f tests/support/kafka/pom.xml dependency:copy-dependencies -DincludeScope=runtime \
        ${KAFKA:+-Dkafka.version="$KAFKA"} -DoutputDirectory="$PWD/$lib" >&2
}

# Formats the folders of three nodes, for copies, and archives the classes that a node loads: it then starts with half
# the processor time. Java works without the archive, too.
prepare() {
    local data=$prepared KAFKA_CONFIG='' KAFKA_LISTENERS='' n=3 k port
    rm -rf "$data"
    mkdir -p "$data" "$locks"
    take_ports 6
    for k in 1 2 3; do
        config $k >"$data/$k.properties"
        "${java[@]}" kafka.tools.StorageTool format \
            -t bGVhdCB0ZXN0cyBrYWZrYQ -c "$data/$k.properties" >"$data/$k.log" 2>&1
    done
    n=1
    cp -r "$data/1" "$data/begun"
    config 1 | sed "s,^log.dirs=.*,log.dirs=$data/begun," >"$data/1.properties"
    (java=("${java[@]/*SharedArchive*/-XX:ArchiveClassesAtExit=$data/classes}")
    up 1 && await 1
    kill "$(<"$data/1.pid")"
    wait || true)
    rm -rf "$data/begun" "$data"/*.properties "$data"/*.pid
    touch "$data/.whole"
}

is_free() {
    ! (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Takes N ports (at most 8), in $port, below those that the system gives out. All who inherit the lock hold it, and the
# guard lives as long as the cluster: so a node that is down keeps its ports.
take_ports() {
    local first k
    while :; do
        first=$((10000 + RANDOM % 2500 * 8)) port=()
        exec 7>"$locks/$first"
        flock -n 7 || continue
        for ((k = first; k < first + $1; k++)); do is_free "$k" && port+=("$k"); done
        ((${#port[@]} < $1)) || break
    done
}

# Prints more listeners with their ports, which come after the others; or their protocols.
more_listeners() {
    local name k=$((2 * n))
    for name in ${KAFKA_LISTENERS:-}; do
        echo "127.0.0.1:${port[k]}" >"$data/$name"
        printf ',%s' "$name:$([[ $1 == ports ]] && echo "//127.0.0.1:${port[k]}" || echo "$name")"
        k=$((k + 1))
    done
}

# config K: prints the configuration of node K of $n, with the ports in $port (brokers first, then controllers).
config() {
    local k=$1 voters="" i copies=$((n < 3 ? 1 : 3))
    for ((i = 1; i <= n; i++)); do
        voters+=${voters:+,}$i@127.0.0.1:${port[n + i - 1]}
    done
    cat <<EOF
process.roles=broker,controller
node.id=$k
controller.quorum.voters=$voters
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:${port[k - 1]},CONTROLLER://127.0.0.1:${port[n + k - 1]}$(more_listeners ports)
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT$(more_listeners protocols)
log.dirs=$data/$k
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=1
offsets.topic.replication.factor=$copies
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=$copies
transaction.state.log.min.isr=1
transaction.abort.timed.out.transaction.cleanup.interval.ms=1000
controller.quorum.election.timeout.ms=500
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
controlled.shutdown.max.retries=1
${KAFKA_CONFIG:-}
EOF
}

is_up() {
    [[ -e $data/$1.pid ]] && kill -0 "$(<"$data/$1.pid")" 2>/dev/null
}

up() {
    is_up "$1" && return
    setsid "${java[@]}" kafka.Kafka "$data/$1.properties" >>"$data/$1.log" 2>&1 </dev/null &
    echo $! >"$data/$1.pid"
}

# Waits until node K takes connections, at most two minutes.
await() {
    local port i
    port=$(sed -n 's/^listeners=PLAINTEXT:..127.0.0.1:\([0-9]*\),.*/\1/p' "$data/$1.properties")
    for ((i = 0; i < 1200; i++)); do
        is_free "$port" || return 0
        is_up "$1" || break
        sleep 0.1
    done
    tail -20 "$data/$1.log" >&2
    echo "broker.sh: node $1 does not begin" >&2
    return 1
}

# end SIGNAL K…: ends nodes, and waits until they are gone; kills one that takes longer than 10 s.
end() {
    local signal=$1 k i
    shift
    for k in "$@"; do is_up "$k" && kill -"$signal" "$(<"$data/$k.pid")"; done
    for ((i = 0; i < 100; i++)); do
        for k in "$@"; do is_up "$k" && sleep 0.1 && continue 2; done
        break
    done
    for k in "$@"; do is_up "$k" && kill -KILL "$(<"$data/$k.pid")"; done
    return 0
}

nodes() {
    local f
    for f in "$data"/*.pid; do
        [[ -e $f ]] && basename "$f" .pid
    done
}

# Ends the guard last, as it may be the caller.
stop() {
    local guard=""
    [[ -e $data/guard ]] && guard=$(<"$data/guard")
    # shellcheck disable=SC2046
    end KILL $(nodes)
    rm -rf "$data"
    [[ -z $guard ]] || kill -- -"$guard" 2>/dev/null || true
}

start() {
    local n=${1:-1} k owner=${OWNER:-$PPID} more
    read -ra more <<<"${KAFKA_LISTENERS:-}"
    fetch
    stop
    mkdir -p "$data" "$locks"
    take_ports $((2 * n + ${#more[@]}))
    for ((k = 1; k <= n; k++)); do
        config "$k" >"$data/$k.properties"
        cp -r "$prepared/$k" "$data/$k"
    done
    for ((k = 1; k <= n; k++)); do up "$k"; done
    setsid bash -c "tail --pid=$owner -f /dev/null; KAFKA_DATA='$data' '$PWD/tests/support/kafka/broker.sh' stop" \
        >/dev/null 2>&1 </dev/null &
    echo $! >"$data/guard"
    for ((k = 1; k <= n; k++)); do await "$k"; done
    (IFS=, && echo "${port[*]:0:n}" | sed 's/[0-9][0-9]*/127.0.0.1:&/g')
}

case ${1:-} in
check | fetch | start | stop) "$@" ;;
down) end TERM "$2" ;;
kill) end KILL "$2" ;;
up) up "$2" && await "$2" ;;
*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" | sed '/^set/d' && exit 2 ;;
esac
