-- Records out of nothing, into nothing: what the host costs.
local leat = require "leat"
return leat.pipeline "null" { leat.source.null { records = leat.args.records }, leat.sink.null {} }
