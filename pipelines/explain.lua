--- What distinguishes the outliers?
---
--- Outliers are records whose metric is above a quantile, or for which a condition is true. In files the quantile is that
--- of all records, or of a large sample (lua/leat/threshold.lua). In a stream it is that of the records so far.
--- Each attribute of a record, and each pair of attributes, is counted among outliers and among the rest, in a fixed
--- budget. Every figure has bounds between which the truth lies: 3.1–3.4; a question mark marks wide bounds.
---
---   leat explain
---   leat explain flights.csv.gz --metric ArrDelay --attributes UniqueCarrier,Origin,Dest --quantile 0.9
---   leat explain access.csv --outlier 'status >= 500' --attributes host,path \
---       --time time --time-zone Europe/Berlin --time-parts hour,weekday
---   leat explain app.jsonl.gz --outlier 'http.status >= 500'

local leat = require "leat"
local inputs = require "leat.inputs"
local conditions = require "leat.conditions"
local attributes = require "leat.attributes"
local elements = require "leat.elements"
local groups = require "leat.groups"
local threshold = require "leat.threshold"
local times = require "leat.times"
local args = leat.arguments {
  { "outlier", value = "CONDITION", help = "a condition that is true for outliers: 'status >= 500 and method == \"GET\"'" },
  { "metric", value = "A,B", help = "… or columns of numbers: a record is an outlier if one of them is beyond its limit" },
  { "tail", type = { "high", "low", "both" }, usual = "high", help = "which values are beyond: large ones, small ones, or both" },
  { "quantile", type = "number", min = 0, max = 1, usual = "0.8", help = "the limit of large values; that of small ones is 1 - quantile" },
  { "mad", type = "number", min = 1e-9, help = "… or the limits are so many MADs (times 1.4826) from the median, such as 3" },
  { "each", value = "COLUMN[=A,B]", help = "limits and an answer for each value of this column, or for the values A and B" },
  { "warmup", type = "integer", help = "the first N records only form the quantile" },
  { "attributes", value = "A,B", usual = "chosen from all of a file",
    help = "columns that may explain it; *: all that may. Each element of tags[*] is an attribute" },
  { "amount", value = "COLUMN", help = "adds up this column by attribute, such as bytes or euros: every figure but the count is that of its sum" },
  { "amount_unit", type = "number", usual = "0.001", help = "amounts are rounded to multiples of this, so that sums are exact" },
  { "edges", value = "A=X Y;B=Z", usual = "chosen; empty: none", help = "thresholds of columns of numbers: 'humid=60 80;delay=15'" },
  { "cross_edges", type = "integer", usual = "3 or fewer", help = "of the edges of a column, how many are in pairs" },
  { "missing_values", default = true, help = "a missing value is an attribute, too" },
  { "cross", default = 2, help = "1: single attributes; 2: pairs as well; 3: triples as well" },
  { "order", value = "ORDER", default = "gain", help = "gain: each row explains most of what the rows above leave, and the table ends where chance "
    .. "would explain as much; risk (the relative risk), weight, support or share (frequency among all records, or among the outliers), change (difference of the "
    .. "counts or sums)" },
  { "k", type = "integer", usual = "12; 40 in another order", help = "most rows to show" },
  { "sign", value = "positive|both", default = "positive", help = "positive: attributes of outliers; both: attributes of the rest, too" },
  { "min_count", default = 20, help = "leaves out attributes seen less often …" },
  { "min_support", default = 0.001, help = "… or in a smaller share of the outliers (0: also shows attributes of the others) …" },
  { "min_risk_ratio", type = "number", help = "… or with a smaller relative risk" },
  { "min_odds_gain", type = "number", usual = "1; 1.5 in another order",
    help = "shows a conjunction only if its odds are more than this factor times those of each part; 0: shows all" },
  { "half_life", value = "N|TIME", help = "explains the recent outliers: a record counts half after N records, or after this event "
    .. "time, such as 6h. (The quantile is still that of all records.)" },
  { "budget", value = "SIZE", usual = "auto, up to 8MB", help = "most bytes of the model, allocated as attributes come" },
  { "name_bytes", type = "integer", usual = "120; with evaluate 500", help = "names are cut after this many bytes, and end with …" },
  { "every", value = "N|TIME", help = "also reports during the run: 10s (of this machine's clock), or a number of records" },
  { "out", value = "table|jsonl|csv", usual = "table", help = "format of the report" },
  { "evaluate", default = false, help = "also counts everything exactly, and reports how good the explanation is" },
  { "dead_letters", value = "FILE", help = "file for rejected records, with the reason" },
  { "seed", value = "N", help = "of random choices" },
  { "mode", value = "MODE", default = "counts", help = "counts; awm: an AWM-Sketch, whose weights are learned by gradient descent, as in the "
    .. "paper; or a baseline with exact counts: heavy_outliers, heavy_all (the most frequent), exact (the relative risks)" },
  inputs.arguments, elements.arguments,
}

local format = inputs.format_or_look(args.data)
local asked = args.columns or args.metric or args.attributes or args.outlier
local sample = not args.data and not (args.brokers and asked)
local name_bytes = args.name_bytes or args.evaluate and 500 or nil -- evaluate compares whole names
local budget = args.budget ~= "auto" and args.budget or args.mode ~= "awm" and "8MB" or "32KB"
local sign, order = args.sign, args.order

local function frequent(id, over, by)
  return leat.learn.frequent {
    id = id, over = over, by = by, name_bytes = name_bytes, amount = args.amount, amount_unit = args.amount_unit,
  }
end

--- Functions that return the learner, by mode: of an id and a budget.
local modes = {
  counts = function(id, budget)
    return leat.learn.contrast {
      id = id, budget = budget, sign = sign, half_life = args.half_life, name_bytes = name_bytes,
      left_out = attributes.left_out, amount = args.amount, amount_unit = args.amount_unit,
    }
  end,
  awm = function(id, budget)
    return leat.learn.awm {
      id = id,
      budget = budget,
      lambda = 1e-6,
      bias = "prior",   -- fixed to the share of outliers, so that a weight is a log odds ratio
      rates = "newton", -- each attribute of the active set has its own rate
      counts = true,
      half_life = args.half_life,
      name_bytes = name_bytes,
    }
  end,
  heavy_outliers = function(id) return frequent(id, "outliers", "count") end,
  heavy_all = function(id) return frequent(id, "all", "count") end,
  exact = function(id) return frequent(id, "all", "risk") end,
}
local name = args.mode
local mode = modes[name]
if not mode then
  error(("mode is %s: give counts, awm, heavy_outliers, heavy_all or exact"):format(name), 0)
end
if args.amount and (name == "awm" or args.evaluate) then
  error(("amount cannot be added up with %s, which counts records: leave one out"):format(args.evaluate and "evaluate" or "mode=awm"), 0)
end
if args.half_life and name ~= "counts" and name ~= "awm" then
  error("half_life needs --set mode=counts or --set mode=awm: the counts of the other modes do not fade", 0)
end

if args.outlier then
  for _, other in ipairs { "metric", "quantile", "mad", "tail", "warmup" } do
    if args[other] then
      error(("%s and outlier are two ways to say what an outlier is: leave one out"):format(other), 0)
    end
  end
end
if args.each and args.evaluate then error("evaluate compares one answer: leave out each", 0) end
-- What fades asks about other values than those of the files. A run that continues sees other files.
local readable = not (leat.continues or args.brokers or args.warmup or args.half_life or args.pattern)
  and (args.data or inputs.sample.data) or nil

--- Returns the outliers by limits of the metrics (lua/leat/threshold.lua): of all records, or of those of a group.
local function beyond_limits(group, id)
  return threshold.outliers {
    metrics = leat.list(args.metric or not args.outlier and sample and "amount" or ""), quantile = args.quantile, mad = args.mad,
    tail = args.tail, warmup = args.warmup, data = readable, format = format, group = group, id = id,
  }
end
local list = args.each and groups.of(args.each, not args.brokers and (args.data or inputs.sample.data) or nil, format)
local beyond = not list and beyond_limits() or {}

--- Returns the stages that label outliers: by a condition, or by limits of the metrics.
local function outliers(beyond)
  if args.outlier then return conditions.label("outlier", args.outlier, list and { args.outlier }) end
  if #beyond.stages > 0 then return beyond.stages end
  error("nothing says what an outlier is: give --set metric=COLUMN, or a condition such as "
    .. "--set outlier='status >= 500'", 0)
end

--- Returns the named attributes, or else attributes chosen from the files, except columns that define outliers.
local function explaining()
  if sample and not args.attributes then
    return { columns = "line_type,office,payee,description", missing = false }
  end
  local data = not args.brokers and (args.data or inputs.sample.data) or nil
  local is_all = args.attributes == "*"
  if args.attributes and not is_all then return attributes.named(leat.list(args.attributes), { data = data, format = format }) end
  local used = args.outlier and conditions.columns(args.outlier) or leat.list(args.metric or "")
  used[#used + 1] = args.amount
  used[#used + 1] = list and list.column
  local with = conditions.derived()
  for _, name in ipairs(leat.list(args.lists or "")) do with[#with + 1] = name end
  local condition = args.outlier or beyond.condition
  local question = condition and { condition = condition } or { metric = args.metric, quantile = args.quantile or 0.8 }
  return attributes.choose { data = data, format = format, without = used, with = with, question = question, all = is_all }
end
inputs.check_format()
local chosen = (args.metric or args.outlier or sample) and explaining() or {} -- may set a time

local ranked = name == "counts" or name == "exact" -- the other modes have their own order
local explode = name == "awm" -- learns from each attribute and pair alone; the other modes count those of a record
local shown = { "rate", "relative_risk", "support_outliers", "count", "covered", "left", "luck" }
if args.amount then table.insert(shown, 5, "amount") end
if order == "change" then table.insert(shown, 1, "share_of_change") end

--- Returns the stages from the records to the model with this id.
local function learned(beyond, id, budget)
  return {
    outliers(beyond),
    elements.features({
      columns = times.and_parts(chosen.columns), edges = chosen.edges, levels = chosen.levels, missing = chosen.missing, cross = args.cross,
      cross_edges = chosen.cross_edges, explode = explode, numeric = "category",
    }, format),
    mode(id, budget),
  }
end

--- Returns the stage that shows the answer of a model. `title` says what it is about.
local function shows(id, title)
  return leat.sink.top {
    of = id,
    k = args.k or ranked and order == "gain" and (list and 5 or 12) or 40,
    every = args.every,
    min_count = args.min_count,
    min_support = args.min_support,
    min_risk_ratio = args.min_risk_ratio,
    min_odds_gain = args.min_odds_gain or ranked and order == "gain" and 1 or 1.5,
    order = ranked and order or nil,
    sign = sign,
    columns = name == "counts" and (args.out or "table") == "table" and shown or nil,
    format = args.out,
    title = title .. (args.amount and ", in sums of " .. args.amount or ""),
    noun = explode and ({ "attributes", "attributes and pairs", "attributes, pairs and triples" })[args.cross] or "records",
  }
end

local asked, counted = { args.outlier }, {} -- of each group

--- Returns the stages of the answers for each group.
local function answers()
  if not list then return { learned(beyond, "model", budget), shows("model", "What sets the outliers apart") } end
  local branches, sinks, share = {}, {}, budget and groups.share(budget, #list + (list.others and 1 or 0))
  for i = 1, #list + (list.others and 1 or 0) do
    local value = list[i] or "*"
    local shown = value:gsub("%c", function(c) return c == "\n" and "\\n" or ("\\x%02x"):format(c:byte()) end)
    local of = list[i] and ("%s=%s"):format(list.column, shown) or ("other values of %s"):format(list.column)
    local beyond = beyond_limits(groups.records(list, i), ("outliers %d"):format(i))
    local id = i == 1 and "outlier" or "outlier " .. i -- of the condition, as conditions.label() numbers it
    if not args.outlier then asked[i] = ("%s: %s"):format(of, beyond.asked) end
    counted[i] = (args.outlier and ("{%s.true/%s.known} have %s"):format(id, id, args.outlier) or beyond.counted) .. " where " .. of
    branches[value] = learned(beyond, list[i] and of or "others", share)
    sinks[i] = shows(list[i] and of or "others", ("What sets the outliers apart where %s"):format(of))
  end
  if not list.is_known then branches["*"] = { leat.sink.null {} } end -- values that nobody asks for
  return { leat.route(list.column, branches), leat.merge(), sinks } -- sinks of one chain show their answers in its order
end

return leat.pipeline "explain" {
  inputs.records { data = args.data or inputs.sample.data },
  inputs.rows(format, {
    columns = args.brokers and sample and inputs.sample.columns or args.columns, separator = elements.between(format),
  }),
  answers(),
  args.evaluate and leat.eval.risk { name_bytes = name_bytes, half_life = args.half_life, format = args.out } or {},
  asked = "Outliers: " .. (list and table.concat(asked, "; ") or args.outlier or beyond.asked),
  counted = list and table.concat(counted, ", ") or args.outlier and "{positives} have " .. args.outlier or beyond.counted,
  answered = not list and (args.amount
    and ("{rate %%} of the sum of %s with {feature} comes from outliers, {base_rate %%} of that of all records"):format(args.amount)
    or "{feature} has a rate of {rate %} and covers {covered %} of them, {rows} rows {last.covered %}, "
      .. "{model.by_chance} other attributes and pairs may be no more than chance") or nil,
  progress_table = false,
  batch_rows = (explode or args.cross == 3) and 128 or nil, -- a record may have hundreds of attributes and pairs
  seed = args.seed,
  dead_letters = args.dead_letters,
}
