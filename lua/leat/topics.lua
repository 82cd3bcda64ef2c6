--- leat.topics: a topic for `leat peek`, as leat.inputs has files: its first messages, what they may be, and a source that
--- ends. No group is joined, and no offset committed.

local leat = require "leat"
local args = leat.args

local topics = {}

local LOOK, BYTES = 100, 1 << 20 -- messages of each partition, and bytes of all, to know a format by
local LIMIT = 10000              -- messages of each partition, for the figures
local PATIENCE = "10s"

--- Columns of a message itself.
local parts = { "partition", "key", "time" }

--- What keeps a secret out of a command line (runtime/core/text/secret_text.h).
local secrets = { "password", "secret", "key%.pem", "sasl%.oauthbearer%.config", "assertion%.private%.key" }

topics.limit = math.tointeger(tonumber(args.limit)) or LIMIT

--- A source that reads at most so many messages of each partition, and what there is of them.
---@param columns string[]?
---@param limit integer
local function source(columns, limit)
  return leat.source.kafka { topics = args.data, brokers = args.brokers, properties = args.properties,
    start = args.start or "earliest", timestamp = args.timestamp, offsets = args.offsets, columns = columns,
    ["until"] = "end", limit = limit, give_up = PATIENCE }
end

--- The first messages, those of one partition after those of another.
---@return string[]
function topics.messages()
  if args.limit and topics.limit < 1 then error(("limit is %s: give a number of messages"):format(args.limit), 0) end
  local list, why = leat.beginning(source(nil, math.min(LOOK, topics.limit)), BYTES)
  if not list then error(why, 0) end
  local some = {}
  for _, text in ipairs(list) do
    if text:find("%S") then some[#some + 1] = text end
  end
  return some
end

--- The source of the figures, with the columns of messages that no column of theirs is named like.
---@param names string[]
function topics.source(names)
  local taken, columns = {}, {}
  for _, name in ipairs(names) do taken[name] = true end
  for _, part in ipairs(parts) do
    if not taken[part] then columns[#columns + 1] = part end
  end
  return source(columns, topics.limit)
end

--- The number of the schema before messages of a Schema Registry; nil: they are not framed so.
---@param messages string[]
---@return integer?
function topics.schema(messages)
  for _, text in ipairs(messages) do
    if #text < 5 or text:byte() ~= 0 then return nil end
  end
  return messages[1] and (">I4"):unpack(messages[1], 2)
end

--- What messages are that are not lines of text; nil: they are.
---@param messages string[]
---@return string?
function topics.format(messages)
  local binary = 0
  for _, text in ipairs(messages) do
    if not utf8.len(text) or text:find("[%z\1-\8\14-\31]") then binary = binary + 1 end
  end
  return #messages == 0 and "empty" or topics.schema(messages) and "avro" or 2 * binary > #messages and "binary" or nil
end

--- The arguments of a command on this topic: a secret is not among them, but a place for it.
---@return string[]
function topics.arguments()
  local list = { "brokers=" .. args.brokers, "topic=" .. args.data, "until=end" }
  local properties = {}
  for i, property in ipairs(args.properties and leat.list(args.properties) or {}) do
    local name, value = property:match("^([^=]*)=(.*)$")
    for _, secret in ipairs(secrets) do
      if name and name:find(secret) and not value:find("^%${") then
        value = "${env:" .. name:upper():gsub("%W", "_") .. "}"
      end
    end
    properties[i] = name and name .. "=" .. value
  end
  if #properties > 0 then list[#list + 1] = "properties=" .. table.concat(properties, ",") end
  return list
end

return topics
