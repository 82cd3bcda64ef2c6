--- A file, or standard input, into a Kafka topic: each line a message.
---
---   leat run pipelines/kafka/produce.lua --set brokers=localhost:9092 --set topic=payments \
---       --set data=payments.csv.zst
---
--- With --state DIR a run that was stopped or killed goes on at the line behind the last checkpoint that
--- the cluster has confirmed; what came after that is sent again.
---
--- brokers, topic  where to; the topic must exist
--- data            file, glob or - (standard input), also gz, bz2, xz, zst
--- format          lines: each as it is; csv: the heading of each file is left out, and
--- key             may be one of its columns: records with the same value keep their order
--- properties      of librdkafka: compression.codec=zstd, several apart by commas; told nothing, lines
--                 without a key are spread evenly, one by one, over the partitions

local leat = require "leat"
local args = leat.args

local parsers = {
  lines = function() return leat.parse.lines {} end,
  csv = function() return leat.parse.csv {} end,
}
local parse = parsers[args.format or "lines"]
if not parse then error(("format is %q, and none of lines, csv"):format(args.format), 0) end

return leat.pipeline "produce" {
  leat.source.file { path = args.data or "-" },
  parse(),
  leat.sink.kafka { args.topic, brokers = args.brokers, key = args.key, properties = args.properties or "sticky.partitioning.linger.ms=0" },
}
