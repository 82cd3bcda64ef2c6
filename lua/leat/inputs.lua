--- leat.inputs: where records come from, as every pipeline here takes it from --set.
---
---   local inputs = require "leat.inputs"
---   return leat.pipeline "mine" { inputs.records(), inputs.csv(), … }
---
--- data        file, glob or - (standard input), also gz, bz2, xz, zst
--- brokers     read a Kafka topic instead: host:port, several apart by commas
--- topic       the topic, or several apart by commas
--- group       consumer group: shares the partitions with others, and goes on where it has stopped
--- start       where to begin when nothing is known: earliest (unless said otherwise), latest, committed,
---             timestamp (with timestamp=MS), offset (with offsets=TOPIC/0=1200,TOPIC/1=1187)
--- until       end: stop when all partitions were read to their ends
--- state_topic keep what is learned of each partition in this topic, so that it moves with its partition
---             from process to process
--- missing     begin: partitions with an offset of the group and no state begin there with nothing learned
--- view        no records: show what all processes with this state_topic have learned, merged
--- columns     csv without a heading, as messages are: names of the columns, comma separated; numbers as
---             name:number

local leat = require "leat"
local args = leat.args

local inputs = {}

--- The data that comes along, for applications that are told nothing about theirs: a file, and its
--- columns, for a topic that was made of it.
inputs.sample = {
  data = leat.dir .. "/data/senate-disbursements.csv.zst",
  columns = "report,office,line_type,page,document,date_posted,payee,start_date,end_date,description,amount",
}

--- The source: a topic when there are brokers, files otherwise. `also` has what differs from --set:
--- data, topic, and other parameters of source.file.
---@param also table?
function inputs.records(also)
  also = also or {}
  if args.view then
    if not args.brokers then error("view needs brokers: --set brokers=HOST:PORT", 0) end
    return leat.source.models {
      args.view, brokers = args.brokers, group = args.group, ["until"] = args["until"], properties = args.properties,
    }
  end
  if args.brokers then
    local topic = also.topic or args.topic
    if not topic then error("brokers needs a topic: --set topic=NAME", 0) end
    return leat.source.kafka {
      topics = topic,
      brokers = args.brokers,
      group = args.group,
      start = args.start or "earliest",
      timestamp = args.timestamp,
      offsets = args.offsets,
      ["until"] = args["until"],
      state = args.state_topic and "partition" or nil,
      state_topic = args.state_topic,
      missing = args.missing,
      properties = args.properties,
    }
  end
  return leat.source.file { path = also.data or args.data or "-", max_record = also.max_record }
end

--- A parser of CSV: with a heading in files, with `columns` otherwise.
---@param more table?
function inputs.csv(more)
  local given = { columns = args.columns }
  for key, value in pairs(more or {}) do
    given[key] = value
  end
  if args.brokers and not given.columns then
    error("messages have no heading: --set columns=a,b,c names their columns", 0)
  end
  given.header = not given.columns
  return leat.parse.csv(given)
end

return inputs
