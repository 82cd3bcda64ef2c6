--- Records of a format to columns, and nothing else: what the parser costs. By formats.sh.
---
--- data    the file
--- format  lines, csv, combined, json, or lua: JSON by the decoder below, in leat.map

local leat = require "leat"
local args = leat.args

--- The columns that are read, as text.
local COLUMNS = { "host", "status", "ms" }

--- Decodes an object of JSON, as people write it who have no parser: a table of its values.
local function decode(record)
  local at = 1
  local value
  local function text()
    local stop, parts = at + 1, {}
    while true do
      local from = stop
      stop = record:find('["\\]', from)
      parts[#parts + 1] = record:sub(from, stop - 1)
      if record:sub(stop, stop) == '"' then break end
      parts[#parts + 1] = record:sub(stop + 1, stop + 1)
      stop = stop + 2
    end
    at = stop + 1
    return table.concat(parts)
  end
  local function list(close, add)
    at = record:match("^%s*()", at + 1)
    while record:sub(at, at) ~= close do
      add()
      at = record:match("^%s*,?%s*()", at)
    end
    at = at + 1
  end
  function value()
    local c, result = record:sub(at, at), {}
    if c == '"' then return text() end
    if c == "{" then
      list("}", function()
        local key = text()
        at = record:match("^%s*:%s*()", at)
        result[key] = value()
      end)
    elseif c == "[" then
      list("]", function() result[#result + 1] = value() end)
    else
      result, at = record:match("^([%w.+-]+)()", at)
    end
    return result
  end
  return value()
end

local parsers = {
  lines = function() return leat.parse.lines {} end,
  csv = function() return leat.parse.csv {} end,
  combined = function() return leat.parse.regex { format = "combined" } end,
  json = function() return leat.parse.json { columns = COLUMNS } end,
  lua = function()
    return {
      leat.parse.lines {},
      leat.map(function(text)
        local o = decode(text)
        return o.host, o.status, o.ms
      end, { "text" }, COLUMNS),
    }
  end,
}

return leat.pipeline "formats" {
  leat.source.file { path = args.data }, parsers[args.format](), leat.sink.null {}, threads = 1,
}
