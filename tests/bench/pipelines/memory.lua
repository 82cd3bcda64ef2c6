-- Two names a record, through one stage: --set stage=learn.sftrl --set data=FILE
-- [--set max_features=16384].
local leat = require "leat"
local family, name = leat.args.stage:match "^(%a+)%.(.+)$"
local max = leat.args.max_features
local stage = leat[family][name] { max_features = max and tonumber(max), id = "stage" }
local sides = name == "product"

-- Answers take memory, too.
local function ending()
  if family ~= "learn" then return {} end
  return leat.sink.top { min_odds_gain = not sides and 1.2 or nil }
end

return leat.pipeline "memory" {
  leat.source.file { path = leat.args.data, max_record = "1KB" },
  leat.parse.csv { columns = { "label", "user", "host", "text" }, header = false },
  leat.label.number { column = "label" },
  leat.feature.columns { "user", "host" },
  sides and leat.feature.sides { halves = true } or {},
  family == "eval" and name ~= "product" and leat.learn.awm { id = "learner" } or {},
  stage,
  ending(),
  batch_rows = 64, -- what stages keep, not batches, is measured
  batch_bytes = "16KB",
}
