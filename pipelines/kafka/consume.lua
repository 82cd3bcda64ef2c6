--- A Kafka topic into a file, or to standard output: each message a line.
---
---   leat run pipelines/kafka/consume.lua --set brokers=localhost:9092 --set topic=payments \
---       --set group=copy --set to=payments.txt --state copied
---
--- With --state DIR the file is cut to what the last snapshot knows of it when a run goes on, so each
--- message is in it once however often the run was killed.
---
--- brokers, topic, group, start, until, properties
---                 where from: see lua/leat/inputs.lua
--- to              file; standard output unless given

local leat = require "leat"
local inputs = require "leat.inputs"

return leat.pipeline "consume" {
  inputs.records(),
  leat.parse.lines {},
  leat.sink.file { path = leat.args.to or "-", format = "raw" },
}
