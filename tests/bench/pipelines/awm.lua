-- libsvm text -> AWM-Sketch -> nothing, with the parameters of the authors' program.
local leat = require "leat"
local a = leat.args
return leat.pipeline "awm" {
  leat.source.file { path = a.data, ["repeat"] = a.times },
  leat.parse.libsvm {},
  leat.learn.awm { id = "model", budget = a.budget or "32KB", lambda = 1e-6, eta0 = 0.1 },
  leat.sink.null {},
  threads = a.threads, seed = a.seed,
}
