-- Lines of a file to a topic, as they are (tests/bench/kafka_sink.sh).
local leat = require "leat"
local args = leat.args
return leat.pipeline "kafka_sink" {
  leat.source.file { args.file },
  leat.sink.kafka { "sink", brokers = args.brokers },
}
