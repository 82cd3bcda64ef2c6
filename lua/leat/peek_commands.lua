--- Commands that `leat peek` proposes (lua/leat/peek.lua), quoted for the shell.

local leat = require "leat"
local streams = require "leat.streams"
local sampled = require "leat.sampled"
local topics = require "leat.topics"
local args = leat.args

local M = {
  encoding = nil, -- encoding of the text, if peek found it
  proposed = nil, -- the commands that peek proposes
}

M.quoted = sampled.quoted

--- Returns the words that name this data: its files, or a topic.
local function data_words()
  local words = {}
  if args.brokers then
    words[1] = M.quoted(("%s://%s/%s"):format(streams.name(), args.brokers, args.data))
    return words
  end
  for _, path in ipairs(leat.list(args.data)) do words[#words + 1] = M.quoted(path) end
  return words
end

--- Returns the setting "time_format=unix" as the option "--time-format unix".
local function option(pair)
  local key, value = pair:match("^([^=]*)=(.*)$")
  local sign = (value == "" or value:find("^%-")) and "=" or " "
  return ("--%s%s%s"):format(key:gsub("_", "-"), sign, M.quoted(value))
end

--- Returns the command of an application that answers a question about this data. `more` are settings.
---@param application string
---@param more string[]
function M.on_data(application, more)
  local words = { "leat", application, table.unpack(data_words()) }
  for _, pair in ipairs(args.brokers and topics.arguments() or {}) do words[#words + 1] = option(pair) end
  if M.encoding then words[#words + 1] = "--encoding " .. M.encoding end
  for _, pair in ipairs(more) do words[#words + 1] = option(pair) end
  return table.concat(words, " ")
end

--- Copies settings of --set that change how records are read to `given`, unless it has them already.
function M.carry(given, keys)
  local has = {}
  for _, pair in ipairs(given) do has[pair:match("^[^=]*")] = true end
  for _, key in ipairs(keys) do
    if args[key] and not has[key] then given[#given + 1] = key .. "=" .. args[key] end
  end
end

return M
