--- Expressions and the same in Lua. By shape.sh.
---
--- data  a CSV of requests
--- way   which of the stages below

local leat = require "leat"
local args = leat.args

local ways = {
  nothing = function() return {} end,
  where = function() return leat.shape.where { "status >= 500 and ms > 100" } end,
  filter = function()
    return leat.filter(function(status, ms) return status >= 500 and ms > 100 end, { "status:number", "ms:number" })
  end,
  numbers = function() return leat.shape.set { "rate = bytes / ms" } end,
  numbers_lua = function()
    return leat.map(function(bytes, ms) return bytes / ms end, { "bytes:number", "ms:number" }, { "rate:number" })
  end,
  texts = function() return leat.shape.set { "name = lower(host)" } end,
  texts_lua = function() return leat.map(function(host) return host:lower() end, { "host" }, { "name" }) end,
  all = function()
    return leat.shape.set {
      "name = lower(host)", "area = split(path, '/', 2)", "rate = round(bytes / ms, 2)", "size = bucket(bytes, 100, 10000)",
    }
  end,
  all_lua = function()
    return leat.map(function(host, path, bytes, ms)
      return host:lower(), path:match("^[^/]*/([^/]*)"), math.floor(bytes / ms * 100 + 0.5) / 100,
        bytes < 100 and "<100" or bytes < 10000 and "100..10000" or ">=10000"
    end, { "host", "path", "bytes:number", "ms:number" }, { "name", "area", "rate:number", "size" })
  end,
}

return leat.pipeline "shape" {
  leat.source.file { path = args.data }, leat.parse.csv {}, ways[args.way](), leat.sink.null {}, threads = 1,
}
