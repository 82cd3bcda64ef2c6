# A call of librdkafka that never returns ends the run with an exit code of its own, which names the call.
# tier: long (40 s, waits)
. "$(dirname "$0")/../support/claims.sh"
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise # the shell's words on what is stopped
seq 2000 >rows
for topic in from into; do mock topic $topic 1 >/dev/null; done
mock produce from 0 "$tmp/rows" >/dev/null
cat >copy.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "copy" {
  leat.source.kafka { "from", brokers = a.brokers, group = "g", start = "earliest" },
  leat.parse.lines {}, leat.sink.kafka { "into", brokers = a.brokers, transaction = "t" },
}
LUA
LD_PRELOAD=${LEAT%/bin/leat}/tests/preload/deaf_offsets.so leat_start copy.lua --set brokers="$brokers" \
    --state state --every 300ms --progress never
patience=150 leat_end
claim_exit "a run whose call of librdkafka never returns ends" 4
claim_says "and names the call and its limit" "rd_kafka_send_offsets_to_transaction of librdkafka " \
    "has not returned for " ", though it was given 1 s"
claim "within two minutes ($took s)" [ "$took" -lt 120 ]
exec 9>&-
done_claims
