-- libsvm text -> nothing: what parsing costs.
local leat = require "leat"
local a = leat.args
return leat.pipeline "parse" {
  leat.source.file { path = a.data, ["repeat"] = a.times },
  leat.parse.libsvm { lanes = a.lanes },
  leat.sink.null {},
  threads = a.threads,
}
