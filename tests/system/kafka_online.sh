# leat check --online: answers of brokers before a run. It changes nothing.
# tier: long (14 s)
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/mock.sh"
seq 10 >ten
for topic in payments orders results; do mock topic $topic 2 >/dev/null; done
mock produce payments -2 "$tmp/ten" >/dev/null
cat >some.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "some" {
  leat.source.kafka { topics = a.topic, brokers = a.brokers, group = a.group, start = a.start or "earliest", properties = a.properties },
  leat.parse.lines {}, a.dead and leat.sink.dead_letters { a.dead, brokers = a.brokers } or {},
  leat.sink.kafka { a.into or "results", brokers = a.brokers, transaction = a.transaction },
}
LUA
check() { leat_run check some.lua --set brokers="$brokers" "$@"; }
check --online --set topic=payments --set group=g
claim_exit "what is there is found" 0
check --online --log-level info --set topic='^pay,orders' --set group=g
claim_says "which is told on request" "'^pay' is there: 1 topic, 2 partitions" \
    "'orders' is there: 1 topic, 2 partitions"
claim "no group is joined, and no offset committed" grep -q '^-1001 -1001' <<<"$(mock committed g payments 2)"
check --online --set topic=payments --set group=g --set start=committed
claim_exit "an offset that start needs is asked for" 1
claim_says "and a partition that lacks it is named" \
    'start: "committed": group g has committed no offset of payments/0; 2 of 2'
check --online --set topic='^q.*' --set group=g
claim_says "a pattern that matches none is an error" "topics: '^q.*' matches none of the 3 topics that this client sees"
check --online --json --set topic=zebra
claim "a topic that is like none is told with those that there are, for programs, too" equal "$(jq \
    -r '.ok, .problems[0].param, .problems[0].message' "$out" | paste -sd'|')" \
    "false|topics|topic 'zebra' does not exist: create it, or name one of orders, payments, results"
check --set topic=paymnts --set into=resluts
claim_exit "without --online nobody is asked" 0
check --online --set topic=paymnts --set into=resluts --set dead=oders
claim_exit "a topic that is not there is an error, of the data" 1
claim_says "in each stage, with the one that was meant" \
    "kafka (source.kafka): topics: topic 'paymnts' does not exist: did you mean 'payments'?" \
    "topic 'resluts' does not exist: did you mean 'results'?" \
    "dead_letters (sink.dead_letters): topic 'oders' does not exist: did you mean 'orders'?"
mkdir state
check --online --set topic=payments --set transaction=t --state state
claim_exit "a transaction's group and topic are asked for" 0
from=$SECONDS
leat_run check some.lua --online --set topic=payments --set brokers=127.0.0.1:1
claim_exit "brokers that do not answer are an error" 1
claim_says "that says why" "brokers: no broker of 127.0.0.1:1 answers" "Connection refused"
claim "within some seconds" below $((SECONDS - from)) 25
leat_run check some.lua --online --set topic=payments --set brokers="$brokers" \
    --set properties='sasl.password=${env:LEAT_NO_SUCH}'
claim_exit "a secret that is not there is a mistake of the configuration" 2
claim_says "that is named" \
    'properties: sasl.password: ${env:LEAT_NO_SUCH}: the environment has no variable with this name'
leat_run check some.lua --online --set topic=payments --set brokers="$brokers" \
    --set properties=security.protocol=ssl,ssl.key.password=s3cr3t
claim_says "TLS that the broker does not speak is told" "no broker of $brokers answers: ssl://" "SSL_HANDSHAKE"
claim "and no secret is" sh -c "! grep -q s3cr3t $err $out"
cat >embedded.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "embedded" { leat.source.kafka { "one", brokers = "embedded", start = "earliest" }, leat.parse.lines {}, leat.sink.null {} }
LUA
leat_run check embedded.lua --online
claim_exit "an embedded broker, which begins with its run, is not asked" 0
done_claims
