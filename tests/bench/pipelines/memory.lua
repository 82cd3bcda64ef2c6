-- Ever-new names, two a record, through one stage: --set stage=learn.sftrl --set data=FILE
-- [--set max_features=16384].
local leat = require "leat"
local family, name = leat.args.stage:match "^(%a+)%.(.+)$"
local max = leat.args.max_features
local stage = leat[family][name] { max_features = max and tonumber(max), id = "stage" }
local sides = name == "product"

return leat.pipeline "memory" {
  leat.source.file { path = leat.args.data, max_record = "1KB" },
  leat.parse.csv { columns = { "label", "text" }, header = false },
  leat.label.number { column = "label" },
  leat.feature.tokens { column = "text" },
  sides and leat.feature.sides { halves = true } or {},
  family == "eval" and name ~= "product" and leat.learn.awm { id = "learner" } or {},
  stage,
  family == "learn" and (sides and leat.sink.null {} or leat.sink.top {}) or {},
  batch_rows = 64, -- what stages keep, not batches, is measured
  batch_bytes = "16KB",
}
