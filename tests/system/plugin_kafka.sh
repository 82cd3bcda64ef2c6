# leat plugin test on source.kafka with a cluster: messages of one partition, as several have no order.
families=$PWD/${B:-build/release}/lib/leat/plugins
# tier: long (18 s)
. "$(dirname "$0")/../support/claims.sh"
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise # the shell's words on killed children
mock topic things 1 >made
seq 100 >lines
mock produce things 0 lines >>made
cat >kafka.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "kafka" {
  leat.source.kafka { "things", brokers = leat.args.brokers, start = "earliest", ["until"] = "end" },
  leat.parse.lines {}, leat.sink.null {},
}
LUA
leat_run plugin test "$families/kafka.so" kafka.lua --set brokers="$brokers" --stage source.kafka
claim_exit "source.kafka keeps the laws with messages" 0
claim "all that are about sources: $(tail -1 "$out")" equal "$(grep \
    -c -E '^ok .* (source-sizes|extents|source-restore|idle|checkpoints):' "$out")" 5
claim "and none is left out" sh -c '! grep -q ^skip "$0"' "$out"
done_claims
