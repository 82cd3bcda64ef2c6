--- leat.topics: a topic for `leat peek`, like files in leat.inputs: its first messages, their format, and a source that
--- ends. It joins no group, and commits no offset.

local leat = require "leat"
local streams = require "leat.streams"
local args = leat.args

local topics = {}

local LOOK, BYTES = 100, 1 << 20 -- messages of each partition, and bytes of all, that show the format
local LIMIT = 10000              -- messages of each partition to show
local PATIENCE = "10s"

--- Columns of the message itself.
local parts = { "partition", "key", "time" }

--- Names of properties whose values are secrets (runtime/core/text/secret_text.h).
local secrets = { "password", "secret", "key%.pem", "sasl%.oauthbearer%.config", "assertion%.private%.key" }

args.data = streams.take_address(args.data) or args.data

topics.limit = math.tointeger(tonumber(args.limit)) or LIMIT

--- Returns a source that reads at most `limit` messages of each partition, and stops at their ends.
---@param columns string[]?
---@param limit integer
local function source(columns, limit)
  return streams.source(args.data, { properties = args.properties, start = args.start },
    { start = "earliest", columns = columns, ["until"] = "end", limit = limit, give_up = PATIENCE })
end

--- Returns the first messages, one partition after the other.
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

--- Returns the source that reads the messages to show, with the columns in `parts` whose names are not in `names`.
---@param names string[]
function topics.source(names)
  local taken, columns = {}, {}
  for _, name in ipairs(names) do taken[name] = true end
  for _, part in ipairs(parts) do
    if not taken[part] then columns[#columns + 1] = part end
  end
  return source(columns, topics.limit)
end

--- Returns the number of the schema that a Schema Registry's client writes before messages; nil if they have none.
---@param messages string[]
---@return integer?
function topics.schema(messages)
  for _, text in ipairs(messages) do
    if #text < 5 or text:byte() ~= 0 then return nil end
  end
  return messages[1] and (">I4"):unpack(messages[1], 2)
end

--- Takes the number of the schema off messages that are JSON behind it.
local function take_off(messages)
  if not topics.schema(messages) then return end
  for _, text in ipairs(messages) do
    if not text:find("^%s*{", 6) then return end
  end
  for i, text in ipairs(messages) do messages[i] = text:sub(6) end
end

--- Returns the format of messages that are not lines of text; nil if they are. JSON then begins each message.
---@param messages string[]
---@return string?
function topics.format(messages)
  take_off(messages)
  local binary = 0
  for _, text in ipairs(messages) do
    if not utf8.len(text) or text:find("[%z\1-\8\14-\31]") then binary = binary + 1 end
  end
  return #messages == 0 and "empty" or topics.schema(messages) and "avro" or 2 * binary > #messages and "binary" or nil
end

--- Returns the arguments of a command on this topic. A secret is replaced by a reference to the environment.
---@return string[]
function topics.arguments()
  local list = { "until=end" }
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
