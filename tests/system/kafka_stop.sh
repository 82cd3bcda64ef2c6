# A stopped run without a broker ends by itself before --stop-timeout, whatever librdkafka still waits for. It prints
# its results, and does not end with exit 5.
# tier: long (13 s, waits)
. "$(dirname "$0")/../support/claims.sh"
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise # the shell's words on what is stopped
seq 200000 >rows
mock topic from 4 >/dev/null
mock topic into 1 >/dev/null
mock topic dead 1 >/dev/null
mock produce from -4 "$tmp/rows" >/dev/null
cat >copy.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "copy" {
  leat.source.kafka { "from", brokers = a.brokers, group = a.group, start = "earliest" },
  leat.parse.csv { header = false, columns = { "n" } },
  leat.filter(function(n) for _ = 1, 20000 do end if n:match("00$") then error("odd") end return true end, { "n" }),
  leat.sink.dead_letters { "dead", brokers = a.brokers },
  leat.sink.kafka { "into", brokers = a.brokers, transaction = a.transaction },
  batch_rows = 100, max_reject_ratio = 1,
}
LUA
said_or_ended() { grep -q "$1" "$err" || has_ended "$pid"; }
stopped() { # stopped WORDS TIMEOUT ARGS…: with no broker left, while messages are under way
    leat_start copy.lua --set brokers="$brokers" --every 200ms --stop-timeout "$2" --progress never "${@:3}"
    until_true said_or_ended odd
    mock down 1 >/dev/null
    until_true said_or_ended "can be reached"
    leat_stop
    mock up 1 >/dev/null
    claim "$1: it does not come to the deadline of $2 (exit $status)" [ "$status" = 0 -o "$status" = 1 ]
    claim "$1: and says what it leaves undone" grep -q "confirmed\|commit\|gives up\|aborted" "$err"
}
stopped "a member of a group that writes" 12s --set group=g
stopped "with the usual time" 20s --set group=h
stopped "without a group" 12s --state alone
stopped "a transaction" 12s --set group=t --set transaction=t --state once

# librdkafka may never answer a consumer that leaves its group; the broker is there.
LD_PRELOAD=${LEAT%/bin/leat}/tests/preload/deaf_assign.so leat_start copy.lua --set brokers="$brokers" \
    --set group=deaf --every 200ms --progress never
until_true said_or_ended odd
leat_stop
claim_exit "a run whose client never answers is stopped" 0
claim "before the deadline ($took s)" [ "$took" -lt 15 ]
exec 9>&-
done_claims
