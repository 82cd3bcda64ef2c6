--- leat.sampled_labels: the label of each record of a sample (lua/leat/sampled.lua), before a run learns from all.
---
---   local labels = require "leat.sampled_labels"
---   local label = labels.of(look, { condition = "delay > 15" })              -- label[k]: true, false, or nil if unknown
---   local label = labels.of(look, { metric = "delay", quantile = .8 })       -- true above this quantile of the sample
---   local label = labels.of(look, { column = "species" })                    -- the text of the column
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

--- Returns a function that gives the text of a column; nil if the sample has no such column.
local function text_of(look, name)
  local i = place(look, name)
  return i and function(row) return not look.is_missing[row[i] or ""] and row[i] or nil end
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

--- Returns the labels by record, and whether the sample shows them: false if it knows a column or a function not.
---@param look table
---@param question table
---@return table, boolean
function labels.of(look, question)
  local takes, list = function() return true end, {}
  if args.filter then takes = conditions.of(look, args.filter) end
  if not takes then return list, false end
  local of = question.condition and conditions.of(look, question.condition)
    or question.metric and above(look, question.metric, question.quantile, takes)
    or question.column and text_of(look, question.column)
  for k, row in ipairs(of and look.rows or {}) do
    if takes(row) then list[k] = of(row) end
  end
  return list, of ~= nil and of ~= false
end

return labels
