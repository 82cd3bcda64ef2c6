-- Counts and means by key and minute, from a topic to a topic, exactly once: what tests/bench/kafka_streams.sh measures.
-- With `data`, fills the topic instead.
local leat = require "leat"
local args = leat.args
if args.data then
  return leat.pipeline "events" {
    leat.source.file { path = args.data },
    leat.parse.json {},
    leat.parse.time { "time", format = "unix_ms" },
    leat.sink.kafka { args.topic, brokers = args.brokers, key = "user" },
  }
end
return leat.pipeline "minutes" {
  leat.source.kafka { args.topic, brokers = args.brokers, group = args.name, start = "earliest", headers = "skip",
    prefetch = "4MiB", state = "partition", state_topic = args.name .. "-states", partitions_max = 4 },
  leat.parse.json { columns = { "user", "ms" } },
  leat.window { "count", "mean(ms)", every = "1min", by = { "user" } },
  leat.sink.kafka { args.to, brokers = args.brokers, format = "jsonl", key = "user", transaction = args.name },
}
