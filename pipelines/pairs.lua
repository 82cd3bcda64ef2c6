--- Which words, or events, occur together more often than by chance?
---
--- Tokens within a window of each other make pairs. Tokens and pairs are counted in a fixed number of
--- bytes. The report shows the pairs of highest lift, p(u, v) / (p(u) p(v)): how many times more often they come than
--- by chance. Every figure has bounds between which the truth lies: 7.1–7.4; a question mark marks wide bounds.
---
---   leat pairs news.txt.zst --lower
---   leat pairs events.csv --column templates --rule whitespace

local leat = require "leat"
local inputs = require "leat.inputs"
local text_columns = require "leat.text_columns"
local args = leat.arguments {
  { "format", value = "FORMAT", usual = "lines; json or csv by the name of the file",
    help = "lines (a text a line, or a session of events with blanks between them); or csv, json, avro, protobuf: then the text is in one column" },
  { "column", value = "COLUMN", usual = "found in a file; text", help = "the name of that column" },
  { "rule", value = "words|whitespace", default = "words", help = "words: runs of letters, digits and marks; whitespace: texts between blanks" },
  { "lower", default = false, help = "upper and lower case are the same" },
  { "window", default = 6, help = "a token makes pairs with the window - 1 tokens after it" },
  { "ordered", default = true, help = "v & u and u & v are different pairs" },
  { "order", type = { "lift", "pmi", "support" }, usual = "lift; pmi with evaluate", help = "lift: the low end of the lift, with chance; "
    .. "pairs that may be luck come last. pmi: that of the counts alone; support: how often a pair came. Not of mode=awm" },
  { "min_count", type = "integer", usual = "5", help = "leaves out pairs that came less often" },
  { "budget", value = "SIZE", usual = "auto, up to 1MB", help = "most bytes of the model, allocated as pairs come" },
  { "k", default = 20, help = "rows to show" },
  { "evaluate", default = false, help = "also counts everything exactly, and compares (needs memory for every distinct pair)" },
  { "out", value = "table|jsonl|csv", usual = "table", help = "format of the report" },
  { "mode", value = "counts|awm", default = "counts", help = "counts; awm: an AWM-Sketch, as in the paper. A classifier learns to distinguish the "
    .. "pairs from random ones; a pair's weight tends to its PMI, slowly. Only awm has the next five" },
  { "negatives", type = "integer", usual = "2", help = "random pairs for each pair; the literature has 5, but 2 estimate as well in half the time" },
  { "reservoir", type = "integer", usual = "4000", help = "sample of tokens from which random pairs are drawn" },
  { "heap", type = "integer", usual = "1024", help = "pairs stored exactly and by name" },
  { "width", type = "integer", usual = "65536", help = "cells for all other pairs, a power of two" },
  { "lambda", type = "number", usual = "1e-7", help = "strength of the L2 penalty: larger ones favour frequent pairs" },
  { "seed", value = "N", help = "of random choices" },
  inputs.arguments,
}

local format = inputs.format(args.data) or (inputs.extension(args.data or "-") == "csv" and "csv") or "lines"
if format ~= "lines" and format ~= "csv" and not inputs.named[format] then
  error(("format is %s: give lines, csv, json, avro, protobuf or logfmt"):format(format), 0)
end
if format == "lines" and args.column then
  error(("column is %s, and lines have no columns: give --set format=csv, json, avro, protobuf or logfmt, too"):format(args.column), 0)
end
local column = args.column or format ~= "lines" and not args.brokers and args.data and text_columns.of(args.data, format) or "text"
local window, ordered = args.window, args.ordered
local rule, lower = args.rule, args.lower
local heap = args.heap or 1024
local order = args.order or args.evaluate and "pmi" or "lift"

local modes = {
  counts = function()
    return leat.learn.cooccurrence {
      id = "model",
      budget = args.budget ~= "auto" and args.budget or nil,
      window = window,
      ordered = ordered,
      min_count = args.min_count,
      rank = order ~= "lift" and "pmi" or nil,
    }
  end,
  awm = function()
    return {
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
        budget = "16MB", -- never reached, because active and width set the size of the model
        bias = "none",   -- pairs and random pairs have equal weight
        rates = "adagrad",
        eta0 = 0.03,     -- learning rate of the cells, each of which many pairs share
        lambda = args.lambda or 1e-7,
        max_entries = 1,
        name_bytes = 131,
      },
    }
  end,
}
local name = args.mode
local mode = modes[name]
if not mode then error(("mode is %s: give counts or awm"):format(name), 0) end
local counts = name == "counts"
for _, other in ipairs(counts and { "negatives", "reservoir", "heap", "width", "lambda" } or { "budget", "order" }) do
  if args[other] then
    error(("%s needs --set mode=%s: the model of mode=%s has no such thing"):format(other, counts and "awm" or "counts", name), 0)
  end
end

local titles = { lift = "Pairs that come together more often than by chance", support = "Pairs that come most often" }

return leat.pipeline "pairs" {
  inputs.records { max_record = "64KB" },
  format == "lines" and leat.parse.lines { column = column } or inputs.rows(format),
  leat.feature.tokens { column = column, rule = rule, lower = lower },
  mode(),
  args.evaluate
    and leat.eval.pmi {
      k = args.k, top = heap, column = column, rule = rule, lower = lower, window = window,
      ordered = ordered, format = args.out, min_count = args.min_count or 5, max_tokens = counts and 65536 or nil,
    }
    or leat.sink.top {
      k = args.k, format = args.out, title = counts and titles[order] or "Pairs by pointwise mutual information",
      sign = counts and "positive" or nil,
      order = counts and order == "support" and "support" or nil,
      columns = counts and (args.out or "table") == "table"
        and { order == "pmi" and "pmi" or "lift", "count", "count_u", "count_v", "luck" } or nil,
    },
  asked = ("Pairs of %s: tokens less than %s apart"):format(column, window),
  counted = (counts and "{model.tokens} tokens of %s make {model.pairs} pairs less than %s apart, records with fewer than two: {model.without_pairs}"
    or "{pairs.tokens} tokens of %s make pairs less than %s apart"):format(column, window),
  answered = "{feature} come together {count} times, {lift} times as often as by chance",
  progress_table = false,
  seed = args.seed,
  batch_rows = not counts and 32 or nil, -- each record makes thousands of examples
  batch_bytes = not counts and "16KB" or nil,
}
