--- Runs learners of one budget in parallel on one parse; wmsketch.sh runs it for each budget and seed.
---
---   leat run pipelines/papers/wmsketch.lua --set data=rcv1.libsvm.zst --set learners=awm,logistic \
---       --set budget=8KB --set lambda=1e-6 --set seed=1 --set k=128 --summary s.json --quiet
---
--- data      libsvm file with decimal ids, also gz, bz2, xz, zst; named several times for several passes
--- learners  comma separated: wm, awm, hash, truncation, prob_truncation, space_saving, count_min, logistic;
---           paper.wm, .hash, .prob_truncation and .space_saving have the form of the paper
--- budget    bytes for the model of each learner except logistic, which has a weight for every feature
--- active, width, depth
---           the shape of the sketches wm and awm, in place of the default for the budget
--- lambda    strength of the L2 penalty
--- seed      of hash functions and samples
--- k         heaviest features to write, as one JSON object a learner on standard output

local leat = require "leat"
local args = leat.args

local budget, lambda = args.budget or "8KB", args.lambda or 1e-6
local learners = leat.list(args.learners or "awm,logistic")

-- Defaults of the authors' program.
local estimates = { shown = "estimate" }
local forms = { prob_truncation = { key = "ratio" }, space_saving = { churn = "all" }, wm = estimates, hash = estimates }

local branches, tops = {}, {}
for i, id in ipairs(learners) do
  local name = id:gsub("^paper%.", "")
  local given = { id = id, lambda = lambda, eta0 = 0.1 }
  for key, value in pairs(id ~= name and forms[name] or {}) do given[key] = value end
  if name ~= "logistic" then given.budget = budget end
  if name == "wm" or name == "awm" then given.active, given.width, given.depth = args.active, args.width, args.depth end
  if leat.parameters("learn." .. name).rates then given.rates = "shared" end -- as in the paper
  branches[i] = { leat.learn[name](given) }
  tops[i] = leat.sink.top { of = id, k = args.k or 128, format = "jsonl" }
end

return leat.pipeline "wmsketch" {
  leat.source.file { path = args.data or "-" },
  leat.parse.libsvm {},
  leat.tee(branches), leat.merge(),
  tops,
  seed = args.seed,
  threads = 1, -- plus one thread for each learner, so that all are timed at the same time
}
