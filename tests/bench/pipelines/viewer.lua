--- Flights by partition, for viewer.sh: a worker of `topic`, or with `view` a viewer of its states.
local leat = require "leat"
local a = leat.args

return leat.pipeline "viewer" {
  a.view and leat.source.models { a.view, brokers = a.brokers, ["until"] = a["until"] }
    or leat.source.kafka {
      a.topic, brokers = a.brokers, group = a.topic, start = "earliest", ["until"] = a["until"],
      state = "partition", state_topic = a.topic .. "-states",
    },
  leat.parse.csv { columns = "delay,origin,destination,airplane", header = false },
  leat.label.where { condition = "delay >= 60" },
  leat.feature.columns { columns = "origin,destination,airplane", explode = true },
  leat.learn.contrast { id = "model", budget = "1MB", sign = "both" },
  leat.sink.top { of = "model", k = 10, every = a.every },
}
