--- Which words, or events, occur together more often than by chance?
---
--- A classifier in a fixed number of bytes learns to distinguish pairs of tokens within a window of
--- each other from random pairs; the weight of a pair tends to its pointwise mutual information,
--- log p(u, v) / (p(u) p(v)). Model, names and sample of tokens together take less than 1.5 MB, however
--- long the stream is.
---
---   leat run pipelines/pmi.lua --set data=news.txt.zst --set lower=true
---   leat run pipelines/pmi.lua --set data=events.csv --set format=csv --set column=templates
---
--- data        file, glob or - (standard input), also gz, bz2, xz, zst: a text a line (or a session
---             of events, with blanks between them)
--- brokers, topic, group, start, until
---             read a Kafka topic instead (lua/leat/inputs.lua)
--- format      lines; or csv, with a header: then the text is in one column
--- column      the name of that column
--- rule        whitespace: blanks separate tokens; words: runs of letters, digits and marks
--- lower       true: tokens in lower case are the same
--- window      a token makes pairs with the window - 1 tokens after it
--- ordered     true (the default): v & u is another pair than u & v
--- negatives   random pairs for each pair; the literature has 5, but 2 (the default) estimate as well
---             in half the time
--- reservoir   sample of tokens from which random pairs are drawn
--- heap        pairs kept exactly and by name
--- width       cells for all other pairs, a power of two
--- lambda      strength of the L2 penalty: larger ones favour frequent pairs
--- k           rows to show
--- evaluate    true: also count everything exactly, and compare (needs memory for every distinct pair)
--- out         format of the report: table, jsonl or csv

local leat = require "leat"
local inputs = require "leat.inputs"
local args = leat.args

local csv = args.format == "csv"
local column = args.column or "text"
local window, ordered = args.window or 6, args.ordered or "true"
local rule, lower = args.rule or "whitespace", args.lower or false
local heap = args.heap or 1024

return leat.pipeline "pmi" {
  inputs.records { max_record = "64KB" },
  csv and inputs.csv() or leat.parse.lines { column = column },
  leat.feature.tokens { column = column, rule = rule, lower = lower },
  leat.feature.pairs {
    id = "pairs",
    window = window,
    ordered = ordered,
    negatives = args.negatives or 2,
    reservoir = args.reservoir or 4000,
  },
  leat.learn.awm {
    id = "model",
    active = heap,
    width = args.width or 65536,
    budget = "16MB", -- never reached: active and width give the size of the model
    bias = "none",   -- pairs and random pairs weigh the same
    rates = "adagrad",
    eta0 = 0.03,     -- of the cells, each shared by many pairs
    lambda = args.lambda or 1e-7,
    max_entries = 1,
    name_bytes = 131,
  },
  args.evaluate == "true"
    and leat.eval.pmi {
      k = args.k or 20, top = heap, column = column, rule = rule, lower = lower, window = window,
      ordered = ordered, format = args.out,
    }
    or leat.sink.top { k = args.k or 20, format = args.out, title = "Pairs by pointwise mutual information" },
  seed = args.seed,
  batch_rows = 32, -- each makes thousands of examples
  batch_bytes = "16KB",
}
