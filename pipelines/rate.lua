--- How well are ratings (clicks, durations, …) of items by users predicted, as they arrive?
---
--- User, item and context of each row become the features user=196, item=242, …. Each rating is predicted before it is
--- learned. The run ends with a table of the learners, best first: bytes, RMSE over the whole stream and its last
--- fifth, MAE, examples a second. All learners get the same rows. Below the table the best is compared with each other
--- learner, with an interval for the difference. A learner gets only the parameters that it has; --sftrl.eta 0.01 sets
--- any parameter of one learner alone.
---
--- bias is the baseline. If the table shows no difference between sftrl and bias, the pairs that sftrl
--- adds prove nothing on this data: sftrl adds a pair only if it improves predictions.
---
---   leat rate ml-100k/u.data
---   leat rate ml-1m/ratings.dat --separator :: --min 1 --max 5
---   leat rate ratings.csv
---   leat rate reviews.csv --user member --item isbn --rating mark --learner sftrl,fm --m 20

local leat = require "leat"
local inputs = require "leat.inputs"
local learners = require "leat.learners"
local ratings = require "leat.ratings"
local args = leat.arguments {
  { "format", value = "FORMAT", usual = "csv or json if the file's name ends so; otherwise tsv", help = "tsv: columns by position, or by the "
    .. "names of a first line without numbers; csv: by the names in the header; json: an object a row; libfm: \"rating id:value …\" "
    .. "(libsvm with any number as the label)" },
  { "separator", value = "TEXT", usual = "a tab, in csv a comma", help = "the text between columns, one byte or more; delimiter says the same" },
  { "columns", value = "A,B", help = "names of the columns, for data without a header: user,item,rating,timestamp" },
  { "header", type = "boolean", usual = "true in csv", help = "the first line names the columns" },
  { "user", value = "COLUMN", usual = "the first that is named like one: userId", help = "name of this column" },
  { "item", value = "COLUMN", usual = "the first that is named like one: movie_id", help = "name of this column" },
  { "rating", value = "COLUMN", usual = "the first that is named like one: stars", help = "name of this column" },
  { "context", value = "A,B", help = "columns with more about a row" },
  { "weight", value = "COLUMN", help = "the column with the weight of each row, a number of at least 0" },
  { "learner", value = "A,B", default = "bias,fm,sftrl", help = "one, or several: also fm_ftrl, … (`leat plugins learn`); one may come again with "
    .. "parameters in braces: 'fm,fm{m=20}'" },
  { "m", type = "integer", help = "rows of a sketch, or length of factors" },
  { "eta", type = "number", help = "learning rate" },
  { "lambda", type = "number", help = "L2 penalty" },
  { "min", type = "number", help = "smallest rating predicted" },
  { "max", type = "number", help = "largest rating predicted" },
  { "clip", type = "number", help = "for rfd_son, adagrad and similar learners: predictions and ratings are within -clip to clip" },
  { "predictions", value = "FILE", help = "file for predictions, as CSV: tag (line), score, label, user, item, context. Several learners have a "
    .. "file each: predictions.csv becomes predictions-sftrl.csv, …" },
  { "figures", value = "table|jsonl|csv|none", usual = "table, but none with `every`", help = "format of the table" },
  { "every", value = "N|TIME", help = "JSON lines of the figures during the run and at its end, in place of the table" },
  { "holdout", type = "integer", help = "rows after this many are predicted but not learned: rmse_held_out, mae_held_out" },
  { "dead_letters", value = "FILE", help = "file for unusable rows (no rating, no number, too few columns)" },
  { "max_reject_ratio", type = "number", help = "the share of unusable rows that ends the run" },
  { "seed", value = "N", help = "of random choices" },
  inputs.arguments,
}

local names = learners.names(args.learner)
local parse, columns, rating = ratings.parse(leat.args)

--- Sinks follow the merge, in one thread, so that lines come in the order of the learners.
local curves = {}
for i, name in ipairs(args.every and names or {}) do
  curves[i] = leat.sink.metrics { of = name, every = args.every }
end

return leat.pipeline "rate" {
  inputs.records(),
  parse,
  learners.parallel(names, { "m", "eta", "lambda", "min", "max", "clip" },
    learners.predictions(args.predictions, names, columns), { labels = "numbers", averaged = true }),
  #curves > 0 and curves or leat.sink.null {},
  asked = columns and ("Ratings: %s by %s"):format(rating, table.concat(columns, ", ")) or "Ratings",
  counted = ("%s is predicted for {%s.examples} records with {%s.features} values of %s"):format(rating or "the rating", names[1], names[1],
    columns and table.concat(columns, " and ") or "their features"),
  answered = "{best} predicts it with an RMSE of {best.rmse}, the best constant with {best.rmse_constant}",
  figures = args.figures or (args.every and "none" or "table"),
  seed = args.seed,
  dead_letters = args.dead_letters,
  max_reject_ratio = args.max_reject_ratio,
}
