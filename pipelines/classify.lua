--- How well do linear classifiers of some size do on this stream?
---
--- Each example is predicted before it is learned, so the figures need no test set. The run ends with a table
--- of the learners, best first: bytes of the model and of all, error rate over the whole stream and its last
--- fifth, log loss, AUC, examples a second. The order is by error rate. It is by log loss if fewer than a tenth
--- of the examples have the rarer label, or if no learner errs a twentieth less than a constant. Several
--- learners get the same examples. Below the table the best learner is compared with each of the others, with
--- an interval for the difference. One learner also shows its heaviest features; several learners do so if k or
--- out is set.
---
---   leat run pipelines/classify.lua --set data=train.libsvm.gz --set budget=8KB
---   leat run pipelines/classify.lua --set data=train.libsvm.gz --set learner=awm,logistic \
---       --set normalize=true --summary figures.json
---   leat run pipelines/classify.lua --set data=adult.csv --set format=csv --set label=income \
---       --set 'positive=>50K' --set attributes=workclass,education,sex --set numbers=age
---   leat run pipelines/classify.lua --set data=spam.tsv --set format=text --set positive=spam
---   leat run pipelines/classify.lua --set data=iris.csv --set format=csv --set label=species \
---       --set classes=setosa,versicolor,virginica --set numbers=sepal,petal
---
--- data        file, glob or - (standard input), also gz, bz2, xz, zst
--- brokers, topic, group, start, until
---             read a Kafka topic instead (lua/leat/inputs.lua)
--- format      libsvm, vw, libffm, csv, json (an object a record) or text (a label, a tab, a text); by
---             default from the ending of data, .vw.gz, …, or from its first lines
--- label, positive, classes, others, attributes, numbers, cross, delimiter, header, columns, derive,
--- filter, time, names, keep, ignore, rule, lower, normalize, holdout, weight, class_weight
---             how records become examples: see lua/leat/examples.lua
--- learner     one, or several comma separated: awm, logistic, rfd_son, … (leat plugins learn); one may
---             come again with parameters in braces: 'awm,awm{rates=shared,eta0=0.2}'
--- budget      bytes for the model of each learner that has a budget
--- lambda      strength of the L2 penalty
--- rate        factor of the steps if each weight has its own rate: smaller for noisy labels
--- eta, eta0   learning rate; learning rate at the start if weights share it
--- m, alpha0   size of a sketch of directions, and its regularisation at the start
--- loss        logistic, smoothed_hinge, squared, …
---             A learner gets only the parameters that it has; --set awm.lambda=0 is for awm alone.
--- dead_letters
---             file for rejected records, with the reason
--- shuffle     true: the records of plain files in a random order; in a sorted file weights and errors mislead
--- seed        of hash functions and samples
--- predictions file for predictions, as CSV: tag (line), score (log odds), label. Several learners have a
---             file each: p.csv becomes p-awm.csv, …
--- k           heaviest features to show: by default 20 of one learner; of several only if k or out is set
--- out         format of these features: table, jsonl or csv
--- figures     format of the learners' table: table, jsonl or csv (all figures, a line for each learner),
---             or none; by default table, but none with another `out`. --summary FILE has all figures

local leat = require "leat"
local inputs = require "leat.inputs"
local examples = require "leat.examples"
local learners = require "leat.learners"
local args = leat.args

local names = learners.names(args.learner or "awm")

--- Labels carry the names of classes to the learners. Of numbered classes, learners need the number as a parameter.
local keys = { "budget", "lambda", "eta", "eta0", "m", "alpha0", "loss", "rate", "rates", "precision" }
if tonumber(args.classes) then keys[#keys + 1] = "classes" end

--- Sinks follow the merge, in one thread, so that tables come in the order of the learners.
local tables = {}
local features = (#names == 1 and (args.figures or "table") == "table") or args.k or args.out
for i, name in ipairs(features and names or {}) do
  tables[i] = leat.sink.top {
    of = name, k = args.k or 20, format = args.out, title = "Heaviest features after the last record",
  }
end

return leat.pipeline "classify" {
  inputs.records(),
  examples.parse(args),
  learners.parallel(names, keys, learners.predictions(args.predictions, names)),
  #tables > 0 and tables or leat.sink.null {},
  asked = examples.asked(args),
  figures = args.figures or (args.out or "table") == "table" and "table" or "none",
  seed = args.seed,
  dead_letters = args.dead_letters,
}
