--- Copies a Kafka topic to a file, or to standard output: a line for each message, or several for a message
--- with line ends.
---
---   leat run pipelines/kafka/consume.lua --set brokers=localhost:9092 --set topic=payments \
---       --set group=copy --set to=payments.txt --state copied
---
--- With --state DIR a run that continues cuts the file to its length at the last snapshot. So the file
--- has each message once, however often the run was killed.
---
--- brokers, topic, group, start, until, properties
---                 the source: see lua/leat/inputs.lua
--- to              file; by default standard output

local leat = require "leat"
local inputs = require "leat.inputs"

return leat.pipeline "consume" {
  inputs.records(),
  leat.parse.lines {},
  leat.sink.file { path = leat.args.to or "-", format = "raw" },
}
