# leat group status: its command line, and clusters that do not answer.
# tier: long (8 s, waits)
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/mock.sh"
mock topic clicks 2 >/dev/null
status() { leat_run group status "$@"; }
status
claim_exit "a group is needed" 2
claim_says "as the usage says" "leat group status GROUP --brokers HOST:PORT"
status readers
claim_exit "and brokers" 2
claim_says "which are named" "--brokers HOST:PORT is missing"
status readers --brokers "$brokers" --set group=g
claim_exit "an argument that it does not have is refused" 2
claim_says "with those that it has" "takes brokers, topic, state_topic, properties and pipeline, not --set group"
leat_run group staus readers
claim_exit "so is another action" 2
cat >files.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "files" { leat.source.file { "x" }, leat.parse.lines {}, leat.sink.null {} }
LUA
status files.lua
claim_exit "and a pipeline without a group" 2
claim_says "which is said" "no source of files.lua reads by a group: give one by \`group\`"
status missing.lua
claim_exit "and one that does not exist" 2
status readers --brokers 127.0.0.1:1
claim_exit "brokers that do not answer are an error" 1
claim_says "that says why" "no broker of 127.0.0.1:1 answers" "Connection refused"
status readers --brokers "$brokers" --set properties=securty.protocol=ssl
claim_exit "so is a property that is misspelt" 1
claim_says "with the one that was meant" "did you mean 'security.protocol'?"
status readers --brokers "$brokers"
claim_exit "a cluster that cannot describe groups is an error" 1
claim_says "with the reason" "the cluster says nothing of group 'readers'" "not supported by broker"
done_claims
