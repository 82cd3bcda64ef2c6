--- leat.sampled_labels: the label of each record of a sample (lua/leat/sampled.lua), before a run learns from all.
---
---   local labels = require "leat.sampled_labels"
---   local label = labels.of(look, { condition = "delay > 15" })              -- label[k]: true, false, or nil if unknown
---   local label = labels.of(look, { metric = "delay", quantile = .8 })       -- true above this quantile of the sample
---   local label = labels.of(look, { column = "species" })                    -- the text of the column
---   local label = labels.of(look, { column = "mark", positive = "bad" })     -- true for this text
---   local label = labels.of(look, { known = sides })                         -- these
---   local label = labels.of(look, asked.question)                             -- true and false: the periods of leat.periods
---
--- Records that --set filter leaves out have no label.

local conditions = require "leat.sampled_conditions"
local args = require "leat".args

local labels = {}

--- Returns the place of a column; nil if the sample has no such column.
local function place(look, name)
  for i, other in ipairs(look.names) do
    if other == name then return i end
  end
end

--- Returns a function that gives the text of a column, or whether it is `positive`; nil if the sample has no such column.
local function text_of(look, name, positive)
  local i = place(look, name)
  return i and function(row)
    local text = row[i]
    if not text or look.is_missing[text] then return nil end
    return not positive and text or text == positive
  end
end

--- Returns a function that is true for rows above a quantile of the numbers of the rows that are taken.
local function above(look, name, quantile, takes)
  local i, list = place(look, name), {}
  local number = i and look.seen[i].number
  for _, row in ipairs(number and look.rows or {}) do
    local x = takes(row) and number[row[i]]
    if x then list[#list + 1] = x end
  end
  table.sort(list)
  local at = math.max(1, math.ceil(quantile * #list))
  while at > 0 and list[at] == list[#list] do at = at - 1 end -- something must be greater
  local bound = list[at]
  return bound and function(row)
    local x = number[row[i]]
    if x then return x > bound end
  end
end

--- Returns the labels by record; none if the question has a column or a function that is not known here.
---@param look table
---@param question table
---@return table
function labels.of(look, question)
  local takes, list = function() return true end, {}
  if args.filter then takes = conditions.of(look, args.filter) end
  if not takes then return list end
  local of = question.condition and conditions.of(look, question.condition)
    or question.metric and above(look, question.metric, question.quantile, takes)
    or question.column and text_of(look, question.column, question.positive)
    or question.period and question.period(look)
    or question.known and function(_, k) return question.known[k] end
  for k, row in ipairs(of and look.rows or {}) do
    if takes(row) then list[k] = of(row, k) end
  end
  return list
end

return labels
