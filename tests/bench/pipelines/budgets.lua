-- One learner over a libsvm file, for tests/bench/budgets.sh.
local leat = require "leat"
local a = leat.args
local learner, budget = "learn." .. a.learner, a.budget
local given = { id = "model", rates = a.rates }
if leat.parameters(learner).budget then given.budget = budget end
return leat.pipeline "budgets" {
  leat.source.file { a.data }, leat.parse.libsvm {}, leat.stage(learner, given), leat.sink.null {}, seed = tonumber(a.seed),
}
