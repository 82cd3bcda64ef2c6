# Brokers that answer, and refuse: waiting is no use then.
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
seq 10 >ten
kafka topic one 1 1 && kafka produce one 0 ten
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { "one", brokers = a.brokers, group = a.group, start = "earliest", properties = { "security.protocol=sasl_plaintext", "sasl.mechanism=PLAIN", "sasl.username=me", "sasl.password=s3cr3t" } },
  leat.parse.lines {}, leat.sink.null {},
}
LUA
cat >write.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "write" {
  leat.source.file { "ten" }, leat.parse.lines {},
  leat.sink.kafka { "one", brokers = a.brokers, transaction = a.transaction, properties = { "security.protocol=sasl_plaintext", "sasl.mechanism=PLAIN", "sasl.username=me", "sasl.password=s3cr3t" } },
}
LUA
refused() { # refused WORDS SCRIPT ARGS…
    leat_start "$2" --set brokers="$brokers" --progress never "${@:3}"
    leat_end
    claim_exit "$1 that all brokers refuse ends, with an error" 1
    claim_says "and says that, and why, at once and at the end" "can be reached; waiting for one: sasl_plaintext://" "refuse this client: sasl_plaintext://"
    claim "some time later: brokers that begin may refuse at first" below 18 "$took"
}
refused "a source" read.lua
refused "a member of a group" read.lua --set group=g
refused "a sink" write.lua
refused "a transaction" write.lua --set transaction=t --state state
