#!/usr/bin/env bash
# kafka-pattern-of-the-new-protocol-is-whole -- Kafka: "^orders" reads every topic of orders, and then none of them
#
# A consumer subscribes to the pattern ^orders. The topics orders, orders.eu and orders.us have a message each.
# The group moves from the classic protocol to the consumer protocol (KIP-848), by group.protocol alone.
#
# Guess: a pattern that begins with ^ means the same in both: all topics whose names begin with orders.
# Truth: with the classic protocol the client matches, and looks for the pattern anywhere in a name: three topics. With
#        the consumer protocol the broker matches, and the whole name must match: it reads the topic orders alone, and
#        of ^orders[.] none at all. Nothing is said: no error, no warning, and lag 0, as nothing is assigned.
#        ^orders.* reads the three of them with both.
#
# Cure:  end each pattern with .* or with $ before the group moves, and look at what is assigned.
#
# Seen with: Apache Kafka 4.2.0 (KRaft, one node), confluent-kafka 2.14.2 with librdkafka 2.14.2, Java 17.
# Sources: KIP-848: the group coordinator evaluates the pattern, with RE2/J, where clients did so before. That the whole
#          name must match is what ran here.
set -eu
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C
cat >pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>look</groupId><artifactId>look</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>4.2.0</version></dependency>
  </dependencies>
</project>
XML
mvn -q -B -Dstyle.color=never dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$work/lib"
python3 -m venv v
v/bin/pip -q install confluent-kafka==2.14.2
read -r port control <<<"$(python3 -c 'import socket
s = [socket.socket() for _ in range(2)]
for x in s: x.bind(("127.0.0.1", 0))
print(*(x.getsockname()[1] for x in s))')"
cat >node.properties <<CONFIG
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$control
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$control
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
log.dirs=$work/data
offsets.topic.replication.factor=1
group.initial.rebalance.delay.ms=0
CONFIG
java=(java -Xmx384m -XX:+UseSerialGC -cp "lib/*")
"${java[@]}" kafka.tools.StorageTool format -t bG9vayBhdCBwYXR0ZXJucw -c node.properties >format.log 2>&1
"${java[@]}" kafka.Kafka node.properties >node.log 2>&1 &
pid=$!
cat >look.py <<'PY'
import sys, time
import confluent_kafka as k
from confluent_kafka.admin import AdminClient, NewTopic

brokers, names = sys.argv[1], ["orders", "orders.eu", "orders.us"]
admin = AdminClient({"bootstrap.servers": brokers})
until = time.time() + 60
while time.time() < until:
    try:
        admin.list_topics(timeout=2)
        break
    except k.KafkaException:
        pass
for made in admin.create_topics([NewTopic(n, 1, 1) for n in names]).values():
    made.result()
p = k.Producer({"bootstrap.servers": brokers})
for n in names:
    p.produce(n, b"one")
p.flush(20)


def topics(protocol, pattern):
    told = []
    c = k.Consumer({"bootstrap.servers": brokers, "group.id": protocol + pattern, "group.protocol": protocol,
                    "auto.offset.reset": "earliest", "error_cb": told.append})
    c.subscribe([pattern])
    seen, until = set(), time.time() + 12
    while time.time() < until and len(seen) < 3:
        m = c.poll(0.5)
        if m is not None:
            seen.add(m.topic() if m.error() is None else str(m.error()))
    c.close()
    return sorted(seen) + [str(e) for e in told]


seen = [(protocol, pattern, topics(protocol, pattern))
        for pattern in ("^orders", "^orders[.]", "^orders.*") for protocol in ("classic", "consumer")]
wanted = [names, ["orders"], names[1:], [], names, names]
changed = False
print("confluent-kafka", k.__version__, "librdkafka", k.libversion()[0])
for (protocol, pattern, got), right in zip(seen, wanted):
    print("%-12s %-9s reads %s" % (pattern, protocol, ", ".join(got) or "nothing"))
    if got != right:
        print("    changed: it was", right)
        changed = True
raise SystemExit(changed)
PY
v/bin/python look.py "127.0.0.1:$port"
