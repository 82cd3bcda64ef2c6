--- Which features matter, and when does that change?
---
--- A linear classifier in a fixed budget stores its heaviest features by name. Every `every` examples these features
--- are compared with the previous report. The changelog has the features that entered, left, or changed their weight;
--- it ends with the last list.
---
---   leat run pipelines/features.lua --set data=clicks.libsvm.gz --set k=50 --set every=100000
---   tail -f access.csv | leat run pipelines/features.lua --set format=csv --set label=status \
---       --set positive=500 --set attributes=host,path --set every=10s --set out=jsonl
---
--- data           file, glob or - (standard input), also gz, bz2, xz, zst
--- brokers, topic, group, start, until
---                read a Kafka topic instead (lua/leat/inputs.lua)
--- format         libsvm, vw, libffm, csv, json (an object a record) or text (a label, a tab, a text)
--- label, positive, attributes, numbers, cross, delimiter, header, columns, derive, filter, names, rule,
--- lower, normalize
---                how records become examples: see lua/leat/examples.lua
--- learner        awm, or another learner (leat plugins learn)
--- budget         bytes for the model
--- lambda, eta0   strength of the L2 penalty; learning rate at the start
--- k              features to watch
--- every          a number of examples, or a time: "10s"
--- weight_change  also write features whose weight has changed by more than this
--- min_odds_gain  leave out conjunctions whose odds are less than this factor times those of a part
--- path, out      the file, and its format: table, jsonl or csv

local leat = require "leat"
local inputs = require "leat.inputs"
local examples = require "leat.examples"
local args = leat.args

return leat.pipeline "features" {
  inputs.records(),
  examples.parse(args),
  leat.learn[args.learner or "awm"] {
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
  asked = examples.asked(args),
  seed = args.seed,
}
