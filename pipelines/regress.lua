--- How well can a number be predicted, and what moves it?
---
--- Each record is predicted before it is learned, so the figures need no test set. The run ends with the weights of a
--- linear model (how much the target rises with each number, and with each text), and a table. The table has RMSE and
--- MAE over the whole stream and its last fifth, and RMSE and MAE of the best constant. A learner gets only the
--- parameters that it has; --fm.rate 0.5 sets any parameter of one learner alone.
---
---   leat regress rents.csv --target rent --numbers area,rooms,year --attributes district
---   leat regress app.jsonl --target ms --attributes host,http.path --learner bias,fm

local leat = require "leat"
local inputs = require "leat.inputs"
local elements = require "leat.elements"
local examples = require "leat.examples"
local learners = require "leat.learners"
local args = leat.arguments {
  { "target", value = "COLUMN", help = "the column with the number to predict; records without one are left out" },
  { "origin", type = "number", usual = "0", help = "number that is subtracted from the target: for times, and others whose differences are "
    .. "small beside them. Figures, weights and predictions are those of what is left" },
  { "format", value = "FORMAT", usual = "from the name of the file", help = "csv (with a heading), json, avro, protobuf, logfmt, a log, or libsvm, vw, libffm "
    .. "with any number as the label" },
  { "learner", value = "A,B", default = "bias", help = "one, or several: bias (linear, any unit of target and numbers), fm and sftrl (pairs as well), "
    .. "rfd_son, adagrad, full_on, … (linear, by second-order steps)" },
  { "clip", type = "number", help = "for rfd_son and similar learners: predictions and targets are within -clip to clip; usually they find their unit" },
  { "m", type = "integer", help = "size of a model" },
  { "eta", type = "number", help = "learning rate" },
  { "lambda", type = "number", help = "L2 penalty" },
  { "min", type = "number", help = "the least prediction" },
  { "max", type = "number", help = "the greatest prediction" },
  { "predictions", value = "FILE", help = "file for predictions, as CSV: tag (line), score, label. Several learners have a file each" },
  { "k", type = "integer", usual = "20 of one learner", help = "weights to show" },
  { "out", value = "table|jsonl|csv", usual = "table", help = "format of these weights" },
  { "figures", value = "table|jsonl|csv|none", usual = "table, but none with another `out`", help = "format of the learners' table" },
  { "dead_letters", value = "FILE", help = "file for rejected records, with the reason" },
  { "seed", value = "N", help = "of random choices" },
  examples.arguments, elements.arguments, inputs.arguments,
}

for _, name in ipairs { "label", "positive", "classes", "others", "class_weight" } do
  if leat.args[name] then
    error(("%s is of classes: the number to predict is named by --set target=COLUMN; for classes there is `leat classify`"):format(name), 0)
  end
end

local names = learners.names(args.learner)
local own = { labels = "numbers", loss = "squared", averaged = true, predicts = "better" }
local tables = {}
local shows = #names == 1 and (args.figures or "table") == "table" or args.k or args.out
for i, name in ipairs(shows and names or {}) do
  tables[i] = leat.sink.top { of = name, k = args.k or 20, format = args.out, title = learners.title(name, "Weights", own) }
end

return leat.pipeline "regress" {
  inputs.records(),
  examples.predict(leat.args),
  learners.parallel(names, { "m", "eta", "lambda", "min", "max", "clip" },
    learners.predictions(args.predictions, names), own),
  #tables > 0 and tables or leat.sink.null {},
  figures = args.figures or (args.out or "table") == "table" and "table" or "none",
  asked = args.target and "Predicted: " .. args.target or nil,
  counted = args.target and ("%s is predicted for {%s.examples} records"):format(args.target, names[1]) or nil,
  answered = "{best} predicts it with an RMSE of {best.rmse}, the best constant with {best.rmse_constant}",
  seed = args.seed,
  dead_letters = args.dead_letters,
}
