--- Copies a file, or standard input, to a Kafka topic: a message for each line.
---
---   leat run pipelines/kafka/produce.lua --set brokers=localhost:9092 --set topic=payments \
---       --set data=payments.csv.zst
---
--- With --state DIR a run that was stopped or killed continues after the last checkpoint that the
--- cluster has confirmed; lines after that checkpoint are sent again.
---
--- brokers, topic  the topic, which must exist
--- data            file, glob or - (standard input), also gz, bz2, xz, zst
--- format          lines: unchanged lines; csv: without the heading of each file
--- key             csv: a column; records with the same value stay in order
--- properties      of librdkafka, comma separated: compression.codec=zstd; by default lines without a
---                 key are spread evenly, one by one, over the partitions

local leat = require "leat"
local args = leat.args

local parsers = {
  lines = function() return leat.parse.lines {} end,
  csv = function() return leat.parse.csv {} end,
}
local parse = parsers[args.format or "lines"]
if not parse then error(("format is %q: give lines or csv"):format(args.format), 0) end

return leat.pipeline "produce" {
  leat.source.file { path = args.data or "-" },
  parse(),
  leat.sink.kafka { args.topic, brokers = args.brokers, key = args.key, properties = args.properties or "sticky.partitioning.linger.ms=0" },
}
