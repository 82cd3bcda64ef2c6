# Windows over a backlog: 2,000,000 messages of an hour in four partitions, at lateness 0.
#
# They come in time order over all partitions, then partition by partition. No record may be lost.
# tier: long (90 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise
cat >windows.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local fetch = a.whole and { "max.partition.fetch.bytes=60000000", "fetch.max.bytes=100000000" } or {}
return leat.pipeline "windows" {
  leat.source.kafka { "hour", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = "end", properties = fetch,
    prefetch = a.whole and "400MB", state = a.states and "partition", state_topic = a.states },
  leat.parse.csv { header = false, columns = { "time", "user", "ms" } },
  leat.parse.time { "time", format = "unix_ms" },
  leat.window { "count", "sum(ms)", every = "1min", by = { "user" } },
  leat.sink.file { path = a.to, format = "csv" },
}
LUA
awk 'BEGIN { srand(5); for (i = 0; i < 2000000; i++)
    printf "%.0f,u%d,%d\n", 1715954400000 + i * 1.8, rand() * 1000, rand() * 100 >("hour." i % 4) }'
kafka topic hour 4 1
for k in 0 1 2 3; do kafka produce hour $k hour.$k; done
awk -F, '{ k = strftime("%FT%TZ", ($1 - $1 % 60000) / 1000, 1) "," $2; n[k]++; s[k] += $3 }
    END { for (k in n) print k "," n[k] "," s[k] }' hour.? | sort >want
same() { tail -n +2 "$1" | sort | cmp - want; }
totals() { tail -n +2 "$1" | awk -F, '{ k = $1 "," $2; n[k] += $3; s[k] += $4 } END { for (k in n) print k "," n[k] "," s[k] }' |
    sort | cmp - want; }
run() { leat_run run windows.lua --set brokers="$brokers" --set to="$1" --quiet "${@:2}"; }
run mixed
claim "of 2,000,000 messages none is lost" same mixed
run whole --set whole=1
claim "nor if each partition comes whole" same whole
run states --set group=s --set states=hour-states
claim "nor with a state for each partition, whose windows add up" totals states
done_claims
