--- How well are ratings (clicks, durations, …) of items by users predicted, as they arrive?
---
--- User, item and context of each row become the features user=196, item=242, …. Each rating is predicted before it is
--- learned. The run ends with a table of the learners, best first: bytes, RMSE over the whole stream and its last
--- fifth, MAE, examples a second. All learners get the same rows. Below the table the best is compared with each other
--- learner, with an interval for the difference.
---
--- bias is the baseline. If the table shows no difference between sftrl and bias, the pairs that sftrl
--- adds prove nothing on this data: sftrl adds a pair only if it improves predictions.
---
---   leat run pipelines/ratings.lua --set data=ml-100k/u.data
---   leat run pipelines/ratings.lua --set data=ml-1m/ratings.dat --set separator=:: --set min=1 --set max=5
---   leat run pipelines/ratings.lua --set data=ratings.csv
---   leat run pipelines/ratings.lua --set data=reviews.csv --set user=member --set item=isbn --set rating=mark \
---       --set learner=sftrl,fm --set m=20 --set predictions=predictions.csv
---
--- data        file, glob or - (standard input), also gz, bz2, xz, zst
--- brokers, topic, group, start, until
---             read a Kafka topic instead (lua/leat/inputs.lua)
--- format      tsv: columns by position, or by the names of a first line without numbers;
---             csv: columns by the names in the heading, the default if data ends in .csv;
---             json: an object a row, the default if data ends in .jsonl, …;
---             libfm: "rating id:value …" (libsvm with any number as the label)
--- separator   the text between columns, one byte or more; by default a tab, in csv a comma. delimiter says the same
--- columns     names of the columns, for data without a heading: user,item,rating,timestamp
--- header      true: the first line names the columns (the default of csv)
--- user, item, rating, context
---             names of these columns. Without them, the first columns that are named like a user, an item and a
---             rating: userId, movie_id, stars (lua/leat/name_words.lua). Several contexts comma separated
--- quote, missing_texts, derive, filter, …
---             csv: see lua/leat/inputs.lua
--- weight      the column with the weight of each row, a number of at least 0
--- learner     one, or several comma separated: by default bias,fm,sftrl; fm_ftrl, … (leat plugins learn); one
---             may come again with parameters in braces: 'fm,fm{m=20}'
--- m, eta, lambda, min, max
---             rows of a sketch (or length of factors), learning rate, L2 penalty, smallest and
---             largest rating predicted. A learner gets only the parameters that it has;
---             --set sftrl.eta=0.01 sets any parameter of one learner alone
--- clip        for rfd_son, adagrad and similar learners: predictions and ratings are within -clip to clip
--- predictions file for predictions, as CSV: tag (line), score, label, user, item, context. Several
---             learners have a file each: predictions.csv becomes predictions-sftrl.csv, …
--- figures     the format of the table: table, jsonl or csv (all figures, a line for each learner), or none
--- every       JSON lines of the figures during the run and at its end, in place of the table: a time,
---             or a number of rows
--- holdout     rows after this many are predicted but not learned: rmse_held_out, mae_held_out
--- dead_letters, max_reject_ratio
---             file for unusable rows (no rating, no number, too few columns), and the share of them
---             that ends the run
--- seed        of random choices

local leat = require "leat"
local inputs = require "leat.inputs"
local learners = require "leat.learners"
local ratings = require "leat.ratings"
local args = leat.args

local names = learners.names(args.learner or "bias,fm,sftrl")
local parse, columns, rating = ratings.parse(args)

--- Sinks follow the merge, in one thread, so that lines come in the order of the learners.
local curves = {}
for i, name in ipairs(args.every and names or {}) do
  curves[i] = leat.sink.metrics { of = name, every = args.every }
end

return leat.pipeline "ratings" {
  inputs.records(),
  parse,
  learners.parallel(names, { "m", "eta", "lambda", "min", "max", "clip" },
    learners.predictions(args.predictions, names, columns), { labels = "numbers" }),
  #curves > 0 and curves or leat.sink.null {},
  asked = columns and ("Ratings: %s by %s"):format(rating, table.concat(columns, ", ")) or "Ratings",
  counted = ("{%s.examples} ratings, {%s.features} values of %s"):format(names[1], names[1],
    columns and table.concat(columns, " and ") or "their features"),
  figures = args.figures or (args.every and "none" or "table"),
  seed = args.seed,
  dead_letters = args.dead_letters,
  max_reject_ratio = args.max_reject_ratio,
}
