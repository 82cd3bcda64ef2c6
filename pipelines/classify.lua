--- How well do linear classifiers of some size do on this stream?
---
--- Each example is predicted before it is learned from, so the figures need no test set: error rate,
--- log loss and AUC over the whole stream, and the heaviest features by name. Several learners see
--- the same examples: each stands in the summary (--summary FILE) under its own name.
---
---   leat run pipelines/classify.lua --set data=train.libsvm.gz --set budget=8KB
---   leat run pipelines/classify.lua --set data=train.libsvm.gz --set learner=awm,logistic \
---       --set normalize=true --summary figures.json
---   leat run pipelines/classify.lua --set data=adult.csv --set format=csv --set label=income \
---       --set 'positive=>50K' --set attributes=workclass,education,sex --set numbers=age
---   leat run pipelines/classify.lua --set data=spam.tsv --set format=text --set positive=spam
---
--- data        file, glob or - (standard input), also gz, bz2, xz, zst
--- format      libsvm, csv or text (a label, a tab, a text)
--- label, positive, attributes, numbers, cross, delimiter, names, rule, lower, normalize
---             what makes examples of that: see lua/leat/examples.lua
--- learner     one, or several apart by commas: awm, logistic, … (leat plugins learn)
--- budget      bytes for the model of each learner that has a budget
--- lambda      strength of the L2 penalty
--- eta0        learning rate at the start
--- loss        logistic, smoothed_hinge or squared
--- seed        of hash functions and samples
--- k           heaviest features to show of each
--- out         how: table, jsonl or csv

local leat = require "leat"
local examples = require "leat.examples"
local args = leat.args

--- Not every learner has every parameter: logistic is as large as it has features, frequent only counts.
local lacks = {
  logistic = { budget = true },
  frequent = { budget = true, lambda = true, eta0 = true, loss = true },
}

local function learner(name)
  local given = { id = name }
  for _, key in ipairs { "budget", "lambda", "eta0", "loss" } do
    local value = args[key] -- asked for in any case: it is no mistake to give it
    if not (lacks[name] and lacks[name][key]) then given[key] = value end
  end
  return leat.learn[name](given)
end

local learners = leat.list(args.learner or "awm")

--- Sinks stand behind the merge, in one thread, so that tables come in the order of the learners.
local function show(name)
  return leat.sink.top {
    of = name, k = args.k or 20, format = args.out, title = "Heaviest features",
  }
end

local branches, tables = {}, {}
for i, name in ipairs(learners) do
  branches[i], tables[i] = { learner(name) }, show(name)
end

return leat.pipeline "classify" {
  leat.source.file { path = args.data or "-" },
  examples.parse(args),
  #learners == 1 and branches[1] or { leat.tee(branches), leat.merge() },
  tables,
  seed = args.seed,
}
