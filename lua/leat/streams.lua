--- leat.streams: the source of a topic for applications: source.kafka, or with --set source=NAME any source whose table
--- says that it reads streams of servers (flags LEAT_STREAM and LEAT_SERVERS of its parameters).

local leat = require "leat"
local args = leat.args

local streams = {}

--- Returns NAME of source.NAME.
function streams.name() return args.source or "kafka" end

--- Returns the source of a topic. `usual` are parameters that it gets if it has them and `given` lacks them.
---@param topic string
---@param given table
---@param usual table
function streams.source(topic, given, usual)
  local name = "source." .. streams.name()
  local known, is = leat.parameters(name)
  if not known then error(("there is no %s: is its plugin in a folder of --plugin-path?"):format(name), 0) end
  if not (is.stream and is.servers) then error(("%s does not read topics of servers: use it in a script"):format(name), 0) end
  for key, value in pairs(usual) do
    if known[key] and given[key] == nil then given[key] = value end
  end
  given[is.stream], given[is.servers] = topic, args.brokers
  return leat.stage(name, given)
end

return streams
