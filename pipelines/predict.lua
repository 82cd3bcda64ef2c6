--- How well can a number be predicted, and what moves it?
---
--- Each record is predicted before it is learned, so the figures need no test set. The run ends with the weights of a
--- linear model (how much the target rises with each number, and with each text), and a table. The table has RMSE and
--- MAE over the whole stream and its last fifth, and RMSE and MAE of the best constant.
---
---   leat run pipelines/predict.lua --set data=rents.csv --set target=rent --set numbers=area,rooms,year \
---       --set attributes=district
---   leat run pipelines/predict.lua --set data=app.jsonl --set target=ms --set attributes=host,http.path --set learner=bias,fm
---
--- data        file, glob or - (standard input), also gz, bz2, xz, zst
--- brokers, topic, group, start, until
---             read a Kafka topic instead (lua/leat/inputs.lua)
--- format      csv (with a heading), json, avro, logfmt, a log, or libsvm, vw, libffm with any number as the label; by
---             default from the ending of data (lua/leat/examples.lua)
--- target      the column with the number to predict; records without one are rejected
--- attributes, numbers, each, separator, cross, delimiter, header, columns, derive, filter, time, weight, holdout
---             how records become examples: see lua/leat/examples.lua
--- learner     one, or several comma separated: bias (the default: linear, any unit of target and numbers), fm and sftrl
---             (pairs as well), rfd_son, adagrad, full_on, … (linear, by second-order steps; they need clip)
--- clip        for rfd_son and similar learners: predictions and targets are within -clip to clip
--- m, eta, lambda, min, max
---             size, learning rate, L2 penalty, the least and the greatest prediction. A learner gets only those that
---             it has; --set fm.rate=0.5 sets any parameter of one learner alone
--- predictions file for predictions, as CSV: tag (line), score, label. Several learners have a file each
--- k           weights to show: by default 20 of one learner; of several only if k or out is set
--- out         format of these weights: table, jsonl or csv
--- figures     format of the learners' table: table, jsonl or csv, or none; by default table, but none with another `out`
--- dead_letters
---             file for rejected records, with the reason
--- shuffle     true: the records of plain files in a random order; in a sorted file weights and errors mislead
--- seed        of random choices

local leat = require "leat"
local inputs = require "leat.inputs"
local examples = require "leat.examples"
local learners = require "leat.learners"
local args = leat.args

for _, name in ipairs { "label", "positive", "classes", "others", "class_weight" } do
  if args[name] then
    error(("%s is of classes: the number to predict is named by target=COLUMN; for classes see pipelines/classify.lua"):format(name), 0)
  end
end

local SON = { adagrad = true, fd_son = true, full_on = true, oja_son = true, rfd_son = true, rp_son = true, s_adagrad = true }
local names = learners.names(args.learner or "bias")
for _, name in ipairs(names) do
  local stage = name:match("^[%w_]*")
  if SON[stage] and not (args.clip or args[stage .. ".clip"] or name:find("clip", 1, true)) then
    error(("%s needs clip, the largest absolute value of the target or a little more: --set clip=1000"):format(stage), 0)
  end
end

local tables = {}
local shows = #names == 1 and (args.figures or "table") == "table" or args.k or args.out
for i, name in ipairs(shows and names or {}) do
  tables[i] = leat.sink.top { of = name, k = args.k or 20, format = args.out, title = "Weights after the last record" }
end

return leat.pipeline "predict" {
  inputs.records(),
  examples.predict(args),
  learners.parallel(names, { "m", "eta", "lambda", "min", "max", "clip" },
    learners.predictions(args.predictions, names), { labels = "numbers", loss = "squared" }),
  #tables > 0 and tables or leat.sink.null {},
  figures = args.figures or (args.out or "table") == "table" and "table" or "none",
  asked = args.target and "Predicted: " .. args.target or nil,
  seed = args.seed,
  dead_letters = args.dead_letters,
}
