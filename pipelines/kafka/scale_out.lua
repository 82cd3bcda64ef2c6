--- One model of a topic, learned by any number of processes, shown by any other.
---
--- Each partition has its own model, which is stored on a topic together with its offset. Start any
--- number of workers: the group assigns the partitions, and the model moves with its partition. Each
--- message is learned exactly once, even if a worker is killed.
---
---   leat run pipelines/kafka/scale_out.lua --set brokers=localhost:9092 --set topic=clicks \
---       --set group=clicks --set state_topic=clicks-states            a worker, any number of times
---   leat run pipelines/kafka/scale_out.lua --set brokers=localhost:9092 --set view=clicks-states
---                                                                     what all of them have learned
---
--- exactly_once.lua also takes a state_topic, and writes results, each exactly once.
---
--- brokers, topic, group, start, until, state_topic, missing, view
---             the source (lua/leat/inputs.lua); messages are libsvm examples
--- budget      bytes for the model of a partition
--- every       viewer: interval of its reports (--every is a worker's interval of publishing states)
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
