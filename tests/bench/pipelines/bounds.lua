-- bounds.lua -- one learner over a file with labels in column y; its 20 rows of highest relative risk, or all rows.
local leat = require "leat"
local a = leat.args
local learner = a.exact and leat.learn.frequent { id = "model", over = "all", by = "risk", name_bytes = 200 }
  or a.learner == "awm" and leat.learn.awm {
    id = "model", budget = a.budget, lambda = 1e-6, bias = "prior", rates = "newton", counts = true, name_bytes = 200,
  }
  or leat.learn.contrast { id = "model", budget = a.budget, name_bytes = 200 }
return leat.pipeline "bounds" {
  leat.source.file { path = a.data }, leat.parse.csv {},
  leat.label.is { column = "y", positive = { "1" } },
  leat.feature.columns { columns = a.attributes, cross = 2, explode = true },
  learner,
  leat.sink.top { k = a.all and 1000000 or 20, order = a.learner ~= "awm" and "risk" or nil, sign = "positive", twins = a.learner ~= "awm" and "apart" or nil, format = "jsonl",
    min_count = a.all and 0 or 100, min_support = a.all and 0 or 0.001 },
}
