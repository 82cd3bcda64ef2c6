--- How well can a label be predicted, and what speaks for it?
---
--- Each example is predicted before it is learned, so the figures need no test set. The run ends with a table
--- of the learners, best first: bytes of the model and of all, error rate over the whole stream and its last
--- fifth, log loss, AUC, examples a second. The order is by error rate. It is by log loss if fewer than a tenth
--- of the examples have the rarer label, or if no learner errs a twentieth less than a constant. Several
--- learners get the same examples. Below the table the best learner is compared with each of the others, with
--- an interval for the difference. One learner also shows its heaviest features; several learners do so if k or
--- out is set. A learner gets only the parameters that it has; --awm.lambda 0 is for awm alone.
---
---   leat classify train.libsvm.gz --budget 8KB
---   leat classify train.libsvm.gz --learner awm,logistic --normalize --summary figures.json
---   leat classify adult.csv --label income --positive '>50K' --attributes workclass,education,sex --numbers age
---   leat classify spam.tsv --format text --positive spam
---   leat classify iris.csv --label species

local leat = require "leat"
local inputs = require "leat.inputs"
local elements = require "leat.elements"
local examples = require "leat.examples"
local learners = require "leat.learners"
local args = leat.arguments {
  { "learner", value = "A,B", default = "awm", help = "one, or several: awm, logistic, rfd_son, … (`leat plugins learn`); one may come again "
    .. "with parameters in braces: 'awm,awm{rates=shared,eta0=0.2}'" },
  { "budget", value = "SIZE", help = "bytes for the model of each learner that has a budget" },
  { "lambda", type = "number", help = "strength of the L2 penalty" },
  { "rate", type = "number", help = "factor of the steps if each weight has its own rate: smaller for noisy labels" },
  { "rates", value = "RATES", help = "shared: weights share a rate" },
  { "eta", type = "number", help = "learning rate" },
  { "eta0", type = "number", help = "learning rate at the start if weights share it" },
  { "m", type = "integer", help = "size of a sketch of directions" },
  { "alpha0", type = "number", help = "regularisation of that sketch at the start" },
  { "loss", value = "LOSS", help = "logistic, smoothed_hinge, squared, …" },
  { "precision", value = "PRECISION", help = "of the weights" },
  { "predictions", value = "FILE", help = "file for predictions, as CSV: tag (line), score (log odds), label. Several learners have a file each: "
    .. "p.csv becomes p-awm.csv, …" },
  { "k", type = "integer", usual = "20 of one learner", help = "heaviest features to show" },
  { "out", value = "table|jsonl|csv", usual = "table", help = "format of these features" },
  { "figures", value = "table|jsonl|csv|none", usual = "table, but none with another `out`", help = "format of the learners' table" },
  { "dead_letters", value = "FILE", help = "file for rejected records, with the reason" },
  { "seed", value = "N", help = "of hash functions and samples" },
  examples.classes, examples.arguments, elements.arguments, inputs.arguments,
}

local names = learners.names(args.learner)

--- Labels carry the names of classes to the learners. Of numbered classes, learners need the number as a parameter.
local keys = { "budget", "lambda", "eta", "eta0", "m", "alpha0", "loss", "rate", "rates", "precision" }
if tonumber(leat.args.classes) then keys[#keys + 1] = "classes" end

local shown = { averaged = true } -- the weights

--- Sinks follow the merge, in one thread, so that tables come in the order of the learners.
local tables = {}
local features = (#names == 1 and (args.figures or "table") == "table") or args.k or args.out
for i, name in ipairs(features and names or {}) do
  tables[i] = leat.sink.top {
    of = name, k = args.k or 20, format = args.out, title = learners.title(name, "Heaviest features", shown),
  }
end

return leat.pipeline "classify" {
  inputs.records(),
  examples.parse(leat.args),
  learners.parallel(names, keys, learners.predictions(args.predictions, names), shown),
  #tables > 0 and tables or leat.sink.null {},
  asked = examples.asked(leat.args),
  counted = examples.counted(leat.args),
  answered = "{best} is wrong on {best.error_rate %} of the records, the best constant on {best.error_rate_constant %}, "
    .. "the AUC is {best.auc}",
  figures = args.figures or (args.out or "table") == "table" and "table" or "none",
  seed = args.seed,
  dead_letters = args.dead_letters,
}
