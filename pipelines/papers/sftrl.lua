--- Runs one learner on ratings or classes, by the protocol of the SFTRL paper; sftrl.sh runs it for its tables.
---
---   leat run pipelines/papers/sftrl.lua --set task=ratings --set data=u.data --set learner=sftrl \
---       --set m=10 --set eta=0.02 --set sftrl.linear=inside --set holdout=80000 --summary s.json
---   leat run pipelines/papers/sftrl.lua --set task=classes --set data=ijcnn1.libsvm --set normalize=true \
---       --set learner=sftrl --set loss=logistic --set m=50 --set eta=1 --set sftrl.linear=inside
---
--- task        ratings (data as in pipelines/rate.lua) or classes (as in pipelines/classify.lua)
--- learner     sftrl, fm_ftrl, ogd, ocg, … with m, eta, loss and lambda if it has them
--- holdout     number of examples to learn; the model then predicts the others unchanged
--- curve       file for the figures during the run, one JSON object after every `every` examples
--- seed        of random choices

local leat = require "leat"
local examples = require "leat.examples"
local ratings = require "leat.ratings"
local learners = require "leat.learners"
local args = leat.args

local parsers = { ratings = ratings.parse, classes = examples.parse }
local parse = parsers[args.task or "ratings"]
if not parse then error(("task is %s: give ratings or classes"):format(args.task), 0) end

return leat.pipeline "sftrl" {
  leat.source.file { path = args.data or "-" },
  (parse(args)),
  learners.new(args.learner or "sftrl", { "m", "eta", "loss", "lambda" }),
  leat.sink.metrics { path = args.curve or "/dev/null", every = args.every or 0 },
  seed = args.seed,
  threads = 1,
}
