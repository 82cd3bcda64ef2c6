--- Which features matter, and when does that change?
---
--- A linear classifier in a fixed budget stores its heaviest features by name. Every `every` examples these features
--- are compared with the previous report. The changelog has the features that entered, left, or changed their weight;
--- it ends with the last list.
---
---   leat features clicks.libsvm.gz --k 50 --every 100000
---   tail -f access.csv | leat features - --format csv --label status --positive 500 \
---       --attributes host,path --every 10s --out jsonl

local leat = require "leat"
local inputs = require "leat.inputs"
local elements = require "leat.elements"
local examples = require "leat.examples"
local args = leat.arguments {
  { "learner", value = "LEARNER", default = "awm", help = "awm, or another learner (`leat plugins learn`)" },
  { "budget", value = "SIZE", help = "bytes for the model" },
  { "lambda", type = "number", help = "strength of the L2 penalty" },
  { "eta0", type = "number", help = "learning rate at the start" },
  { "k", type = "integer", help = "features to watch" },
  { "every", value = "N|TIME", help = "reports after this many examples, or a time: 10s" },
  { "weight_change", type = "number", help = "also writes features whose weight has changed by more than this" },
  { "min_odds_gain", type = "number", help = "leaves out conjunctions whose odds are less than this factor times those of a part" },
  { "path", value = "FILE", help = "the file of the changelog" },
  { "out", value = "table|jsonl|csv", help = "its format" },
  { "seed", value = "N", help = "of hash functions" },
  examples.classes, examples.arguments, elements.arguments, inputs.arguments,
}

return leat.pipeline "features" {
  inputs.records(),
  examples.parse(leat.args),
  leat.learn[args.learner] {
    id = "model",
    budget = args.budget,
    lambda = args.lambda,
    eta0 = args.eta0,
  },
  leat.sink.changes {
    k = args.k,
    every = args.every,
    weight_change = args.weight_change,
    min_odds_gain = args.min_odds_gain,
    path = args.path,
    format = args.out,
  },
  asked = examples.asked(leat.args),
  counted = examples.counted(leat.args),
  seed = args.seed,
}
