--- One model of a topic, learned by any number of processes, shown by any other.
---
--- Each partition has a model of its own, which is kept on a topic with the offset it is as of. Start
--- a worker as often as you like: the group deals out the partitions, and a partition that moves takes
--- its model along. Nothing is learned twice and nothing is left out, even when a worker is killed.
---
---   leat run pipelines/kafka/scale_out.lua --set brokers=localhost:9092 --set topic=clicks \
---       --set group=clicks --set state_topic=clicks-states            a worker; as many as wanted
---   leat run pipelines/kafka/scale_out.lua --set brokers=localhost:9092 --set view=clicks-states
---                                                                     what all of them have learned
---
--- With results besides the model, each exactly once: exactly_once.lua, which takes a state_topic, too.
---
--- brokers, topic, group, start, until, state_topic, missing, view
---             where from (lua/leat/inputs.lua); messages are libsvm examples
--- budget      bytes for the model of a partition
--- every       a worker: how often its states are published is --every; a viewer: how often it shows
--- k           features to show

local leat = require "leat"
local inputs = require "leat.inputs"
local args = leat.args

return leat.pipeline "scale_out" {
  inputs.records(),
  leat.parse.libsvm {},
  leat.learn.awm { id = "model", budget = args.budget or "32KB" },
  leat.sink.top { k = args.k or 20, every = args.every or args.view and "10s" or nil, title = "Heaviest features" },
  seed = args.seed,
}
