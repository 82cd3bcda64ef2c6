--- What distinguishes the outliers, by each method in section 8.1 of the WM-Sketch paper? explain.sh runs it for
--- figures 8 and 9.
---
---   leat run pipelines/papers/explain.lua --set data=pipelines/data/senate-disbursements.csv.zst \
---       --set out=folder --quiet
---
--- data        CSV with a header, also gz, bz2, xz, zst; - (the default): standard input
--- metric      the largest fifth of this column are the outliers
--- attributes  columns whose values explain them, comma separated
--- out         an existing folder. It gets for each method NAME.csv (its k heaviest features) and NAME-risk.csv (how
---             their weights correlate with exact relative risks); exact.csv has the risk of every feature
--- k           features to retrieve with each method
--- seed        of hash functions
---
--- paper.lr and paper.awm are as in the paper: one rate for all weights, a learned bias, and for the sketch the
--- shape in its table 2. lr and awm are as in pipelines/explain.lua.

local leat = require "leat"
local inputs = require "leat.inputs"
local args = leat.args

-- Features are compared by name, so names must not be cut.
local k, out, name_bytes = args.k or 2048, args.out or ".", 500

local function frequent(id, over, by)
  return leat.learn.frequent { id = id, over = over, by = by, name_bytes = name_bytes }
end
local own = { lambda = 1e-6, bias = "prior", rates = "newton", name_bytes = name_bytes }
local paper = { lambda = 1e-6, bias = "sgd", rates = "shared", eta0 = 0.1, name_bytes = name_bytes }
local function with(base, more)
  for key, value in pairs(base) do more[key] = value end
  return more
end

local branches = { { frequent("exact", "all", "risk"),
  leat.sink.top { k = 1000000, format = "csv", path = out .. "/exact.csv" } } }
local function evaluate(name, learner)
  branches[#branches + 1] = {
    learner,
    leat.sink.top { k = k, format = "csv", path = out .. "/" .. name .. ".csv" },
    leat.eval.risk { k = k, format = "csv", name_bytes = name_bytes, path = out .. "/" .. name .. "-risk.csv" },
  }
end
evaluate("heavy_outliers", frequent("heavy_outliers", "outliers", "count"))
evaluate("heavy_all", frequent("heavy_all", "all", "count"))
evaluate("paper.lr", leat.learn.logistic(with(paper, { id = "paper.lr" })))
evaluate("paper.awm", leat.learn.awm(with(paper, { id = "paper.awm", budget = "32KB", active = 2048, width = 4096 })))
evaluate("lr", leat.learn.logistic(with(own, { id = "lr" })))
evaluate("awm", leat.learn.awm(with(own, { id = "awm", budget = "32KB" })))

return leat.pipeline "explain" {
  inputs.records { data = args.data },
  inputs.csv {},
  leat.label.quantile { column = args.metric or "amount", q = 0.8 },
  leat.feature.columns { columns = args.attributes or "line_type,office,payee,description", cross = 2, explode = true },
  leat.tee(branches),
  seed = args.seed,
}
