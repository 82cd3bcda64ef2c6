# Unconfirmed offsets: the cluster stands still while a member commits them.
# tier: long (60 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
seq 2000 >rows
sort rows >sorted
cat >member.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds = tonumber(a.slow or 0)
return leat.pipeline "member" {
  leat.source.kafka {
    "rows", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = a["until"] or "stopped",
    properties = { "session.timeout.ms=20000", "heartbeat.interval.ms=200" },
  },
  leat.parse.lines {},
  leat.filter(function() for _ = 1, rounds do end return true end, {}),
  leat.sink.file { path = a.to, format = "raw" },
  batch_rows = 500,
}
LUA
begin() { # begin NAME GROUP ARGS…
    leat_start member.lua --set brokers="$brokers" --set to="$1" --set group="$2" --every 1h --log-level info \
        --progress never "${@:3}"
}
cluster() { kill -"$1" "$(<"$KAFKA_DATA/1.pid")"; }
said() { grep -q "$1" "$err"; }
committed() { kafka committed "$1" rows 2 | sum; }
unconfirmed="partitions are released, but no broker confirmed their offsets within [0-9]+\.[0-9] s: their next reader may read messages again"
kafka topic rows 2 1 && kafka produce rows 0 rows

begin ends ends
until_true file_has ends 2000
cluster STOP
leat_stop
cluster CONT
claim_exit "a member that ends while the cluster stands still ends well" 0
claim "and says that nobody has confirmed its offsets, and how long it waited" grep -qE "$unconfirmed" "$err"

# The batches under way, three of four, take longer than it takes to stop the cluster, and less than the 20 s that leat
# waits for them: a second each, on this machine, as busy as it is.
rounds=200000
leat_run run member.lua --set brokers="$brokers" --set to=timed --set group=timed --set until=end --set slow=$rounds \
    --quiet --summary s.json
begin moves moves --set slow="$(jq "4 * $rounds / .seconds | round" s.json)"
until_true file_has moves 500
first=$pid
kill -STOP "$first" # they are still under way when the other one has come
err=other.err leat_start member.lua --set brokers="$brokers" --set to=other --set group=moves --quiet
until_true members_are moves 2
kill -CONT "$first"
claim "a member that is to give partitions away says so" until_true said "the group takes 2 partitions away"
cluster STOP
claim "and that nobody has confirmed their offsets, and how long it waited" until_true grep -qE "$unconfirmed" "$err"
cluster CONT
kill -KILL "$first"
claim "the other one reads what was not committed" until_true sh -c 'sort -u moves other | cmp - sorted'
leat_stop
claim_exit "and ends well" 0
claim "with its offsets committed" equal "$(committed moves)" 2000
done_claims
