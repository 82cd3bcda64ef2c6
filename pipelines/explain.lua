--- What distinguishes the outliers?
---
--- Records whose metric is above its running quantile are outliers. Each attribute of a record, and
--- each pair of attributes, becomes an example of its own, labelled +1 for outliers and -1 for the
--- rest; an AWM-Sketch learns them in a fixed budget. Its heaviest weights are the attributes that
--- are most over-represented among the outliers (the weight of an attribute tends to its log odds).
---
---   leat run pipelines/explain.lua
---   leat run pipelines/explain.lua --set data=flights.csv.gz --set metric=ArrDelay \
---       --set attributes=UniqueCarrier,Origin,Dest --set quantile=0.9 --set cross=2
---
--- data        file, glob or - (standard input); CSV with a header, also gz, bz2, xz, zst
--- metric      the column that says how far out a record is
--- attributes  columns that may explain it, comma separated
--- quantile    records above this quantile of the metric are the outliers
--- cross       1: single attributes; 2: pairs as well; 3: triples as well
--- budget      bytes for the model
--- k           rows to show
--- min_count   leave out attributes seen less often
--- format      table, jsonl or csv

local leat = require "leat"
local args = leat.args

local sample = args.data == nil

return leat.pipeline "explain" {
  leat.source.file { path = args.data or leat.dir .. "/data/senate-disbursements.csv.zst" },
  leat.parse.csv {},
  leat.label.quantile { column = args.metric or sample and "amount" or nil, q = args.quantile or 0.8 },
  leat.feature.columns {
    columns = args.attributes or sample and "office,payee,description" or nil,
    cross = args.cross or 2,
    explode = true,
  },
  leat.learn.awm {
    id = "model",
    budget = args.budget or "32KB",
    lambda = 1e-6,
    bias = "prior",   -- pinned to the share of outliers, so that a weight is a log odds ratio
    rates = "newton", -- each attribute of the active set learns at its own rate
    counts = true,    -- and is counted, for relative risk and support
  },
  leat.sink.top { k = args.k or 40, min_count = args.min_count or 20, format = args.format },
  seed = args.seed,
}
