# Brokers that answer, but refuse: the run ends, as waiting is useless.
# tier: long (60 s, waits)
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
# Each waits some 20 s: all at once.
pids=() begun=$(date +%s)
begin() { # begin K SCRIPT ARGS…
    err=$1.err leat_start "$2" --set brokers="$brokers" --progress never "${@:3}"
    pids[$1]=$pid
}
refused() { # refused K WORDS
    leat_end "${pids[$1]}"
    err=$1.err
    claim_exit "$2 that all brokers refuse ends, with an error" 1
    claim_says "and says that, and why, at once and at the end" "can be reached; waiting for one: sasl_plaintext://" \
        "refuse this client: sasl_plaintext://"
    claim "some time later: brokers that begin may refuse at first" below 18 $(($(stat -c %Y "$err") - begun))
}
begin 1 read.lua
begin 2 read.lua --set group=g
begin 3 write.lua
begin 4 write.lua --set transaction=t --state state
refused 1 "a source"
refused 2 "a member of a group"
refused 3 "a sink"
refused 4 "a transaction"
done_claims
