-- Kafka to nothing, to a parser or to AWM: what tests/bench/kafka_cost.sh measures.
local leat = require "leat"
local args = leat.args
local words = { "origin", "destination", "month", "weekday", "hour" }
local parts = {
  leat.source.kafka { args.topic, brokers = args.brokers, start = "earliest", ["until"] = "end", headers = args.headers },
}
if args.to ~= "null" and args.topic == "json" then
  parts[2] = leat.parse.json { columns = { "late", table.unpack(words) } }
  parts[3] = args.to == "awm" and leat.label.is { column = "late", positive = { "yes" } } or nil
  parts[4] = args.to == "awm" and leat.feature.columns { columns = words } or nil
elseif args.to ~= "null" then
  parts[2] = leat.parse.libsvm {}
end
parts[#parts + 1] = args.to == "awm" and leat.learn.awm { id = "model", budget = "32KB" } or nil
parts[#parts + 1] = leat.sink.null {}
return leat.pipeline "kafka_cost" (parts)
