-- Lines of a source to a file, as latency.sh times it: source=pipe, file, tcp or udp.
local leat = require "leat"
local a = leat.args
local sources = {
  pipe = function() return leat.source.file { "-" } end,
  file = function() return leat.source.file { path = a.path, follow = true } end,
  tcp = function() return leat.source.socket { "tcp://127.0.0.1:" .. a.port } end,
}
return leat.pipeline "latency" { sources[a.source](), leat.parse.lines {}, leat.sink.file { path = a.out, format = "raw" } }
