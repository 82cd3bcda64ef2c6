--- A Kafka topic into a file, or to standard output: each message a line, and a message that holds line
--- ends several.
---
---   leat run pipelines/kafka/consume.lua --set brokers=localhost:9092 --set topic=payments \
---       --set group=copy --set to=payments.txt --state copied
---
--- With --state DIR a run that continues cuts the file to its length at the last snapshot, so the file
--- has each message once, however often the run was killed.
---
--- brokers, topic, group, start, until, properties
---                 the source: see lua/leat/inputs.lua
--- to              file; standard output unless given

local leat = require "leat"
local inputs = require "leat.inputs"

return leat.pipeline "consume" {
  inputs.records(),
  leat.parse.lines {},
  leat.sink.file { path = leat.args.to or "-", format = "raw" },
}
