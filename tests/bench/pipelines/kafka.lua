-- Kafka to parser, AWM and top: what tests/bench/kafka.sh measures.
local leat = require "leat"
local args = leat.args

return leat.pipeline "kafka" {
  leat.source.kafka { args.topic, brokers = args.brokers, group = args.group, start = "earliest", ["until"] = args["until"] or "end" },
  leat.parse.libsvm {},
  leat.learn.awm { id = "model", budget = "32KB" },
  leat.sink.top { k = 10 },
}
