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

--- Sets the source and the brokers if the text is NAME://HOST:PORT[,HOST:PORT]/TOPIC[,TOPIC]. Returns the topic; nil if
--- the text is no such address.
---@param text string
---@return string?
function streams.take_address(text)
  local name, address = text:match("^(%l[%l%d_]*)://(.*)$")
  if not name then return nil end
  if name ~= streams.name() then args.source = name end
  local brokers, topic = address:match("^([^/]+)/(.+)$")
  if not topic then error(("write %s://HOST:PORT/TOPIC, not %s"):format(name, text), 0) end
  if args.brokers then error("the brokers are given twice: remove --brokers, or write the topic alone: " .. topic, 0) end
  args.brokers = brokers
  return topic
end

return streams
