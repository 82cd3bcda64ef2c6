--- Estimates the weights of learners one by one; recovery.sh runs it for the theorems of the WM-Sketch paper.
---
---   leat run pipelines/papers/recovery.lua --set data=a.libsvm,probes.libsvm --set learned=20000 \
---       --set width=1024 --set depth=8 --set out=folder
---
--- data     libsvm files, in this order
--- learned  after this many examples the models stay unchanged. The score of an example with one feature of value 1
---          is then the estimate of its weight
--- width, depth, lambda, seed   of the sketch
--- radius   for the estimates of theorem 2: the sketch is projected to this radius, and the mean of all sketches is used
--- out      an existing folder; it gets wm.tsv and logistic.tsv: tag, score, label

local leat = require "leat"
local args = leat.args

local theorem2 = args.radius and { average = true, radius = args.radius, shown = "estimate" } or {}
local given = { lambda = args.lambda or 1e-3, bias = "none", rates = "shared", eta0 = args.eta0 or 0.5 }
local function branch(name, more)
  more.id = name
  for key, value in pairs(given) do more[key] = value end
  if name == "wm" then for key, value in pairs(theorem2) do more[key] = value end end
  return { leat.learn[name](more),
    leat.sink.predictions { path = args.out .. "/" .. name .. ".tsv" } }
end

return leat.pipeline "recovery" {
  leat.source.file { path = args.data },
  leat.parse.libsvm {},
  leat.label.holdout { after = args.learned },
  leat.tee {
    branch("wm", { width = args.width, depth = args.depth, budget = "64MB", recovery = "mean" }),
    branch("logistic", {}),
  },
  seed = args.seed,
}
