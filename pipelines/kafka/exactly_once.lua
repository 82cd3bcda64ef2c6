--- What distinguishes the large values of a metric? The records with a large value go to a topic of
--- results, each exactly once, whatever happens to the process or the cluster.
---
--- The results of a checkpoint (--every), their offsets and the model are committed together. Readers
--- with isolation.level=read_committed see all results of a checkpoint at once, or none.
---
---   leat run pipelines/kafka/exactly_once.lua --state DIR --every 1s --set brokers=localhost:9092 \
---       --set topic=payments --set columns=payee,office,amount --set metric=amount --set above=10000 \
---       --set attributes=payee,office --set to=large --set name=large-1
---
--- brokers, topic, columns
---             a topic of CSV records without a heading, and the names of their columns
--- format      json or avro, which need no columns (lua/leat/inputs.lua)
--- group       consumer group; by default the value of `name`
--- instance    name of this member of the group, or none; by default made of the host and the pipeline
--- until       end: stop when all partitions have been read to their ends
--- metric      column with a number
--- above       records with a larger number are results (0)
--- attributes  columns that may explain them, comma separated
--- to          topic of the results: objects of the columns in JSON
--- name        name of this output (transactional.id): each process has its own, the same in each run
--- state_topic instead of --state: each partition has its own model, stored in this topic, and moves with
---             it between the processes of the group
--- missing     begin: partitions with an offset of the group and no model begin with an empty one
--- properties  of librdkafka, for source and sink, comma separated: security.protocol=sasl_ssl,
---             sasl.password=${env:PASSWORD}
--- k           number of attributes to show at the end

local leat = require "leat"
local inputs = require "leat.inputs"
local args = leat.args

local metric = args.metric or error("which column? --set metric=NAME", 0)
local name = args.name or error("what is this output called? --set name=NAME", 0)
local above = tonumber(args.above or 0)

return leat.pipeline "exactly_once" {
  leat.source.kafka {
    topics = args.topic,
    brokers = args.brokers,
    group = args.group or name,
    instance = args.instance,
    start = "earliest",
    ["until"] = args["until"],
    state = args.state_topic and "partition" or nil,
    state_topic = args.state_topic,
    missing = args.missing,
    properties = args.properties,
  },
  inputs.rows(args.format),
  leat.tee {
    {
      leat.filter(function(value) return value > above end, { metric .. ":number" }),
      leat.sink.kafka { args.to, brokers = args.brokers, format = "jsonl", transaction = name, properties = args.properties },
    },
    {
      leat.label.quantile { column = metric, q = 0.99, k = 400 },
      leat.feature.columns { columns = args.attributes },
      leat.learn.awm { id = "model", budget = "32KB" },
      leat.sink.top { of = "model", k = args.k or 20 },
    },
  },
}
