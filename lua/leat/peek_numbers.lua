--- Figures of a column of numbers for `leat peek`: quantiles and round numbers (lua/leat/peek_measure.lua).

local sample = require "leat.peek_sample"

local M = {}

--- Returns the column's numbers in order, each as { value, count }, and how many there are. Keeps them in the column.
local function sorted(c)
  if c.sorted then return c.sorted, c.total end
  local list, total = {}, 0
  for text, n in pairs(c.had) do
    local value = tonumber(text)
    if value and value == value then
      list[#list + 1] = { value, n }
      total = total + n
    end
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  c.sorted, c.total = list, total
  return list, total
end

--- Returns a quantile of the column's numbers; nil if it has none.
---@param c table
---@param q number
function M.quantile(c, q)
  local list, total = sorted(c)
  local before = 0
  for _, pair in ipairs(list) do
    before = before + pair[2]
    if before >= q * total then return pair[1] end
  end
  return list[#list] and list[#list][1]
end

--- Returns the share of the column's numbers for which is_of is true.
---@param c table
---@param is_of fun(value: number): boolean
function M.share(c, is_of)
  local list, total = sorted(c)
  local n = 0
  for _, pair in ipairs(list) do
    if is_of(pair[1]) then n = n + pair[2] end
  end
  return total > 0 and n / total or 0
end

--- True if all numbers are whole.
---@param c table
function M.is_whole(c)
  for _, pair in ipairs((sorted(c))) do
    if pair[1] ~= math.floor(pair[1]) then return false end
  end
  return true
end

local EVEN = 0.06 -- most distance of an even number's quantile, as a share of the range

--- True if the numbers are spread evenly over their range, as those of ids are.
---@param c table
function M.is_even(c)
  local list = sorted(c)
  if #list < 30 then return false end
  local low, range = list[1][1], list[#list][1] - list[1][1]
  for tenth = 1, 9 do
    if math.abs(M.quantile(c, tenth / 10) - (low + range * tenth / 10)) > EVEN * range then return false end
  end
  return true
end

local PARTS = 10

--- True if large numbers come together: in a tenth of the records, more than a half are in the highest fifth of all. A
--- running quantile would judge them by the records before them.
---@param c table
function M.is_ordered(c)
  local high, per = M.quantile(c, 0.8), #c.order // PARTS
  if per < 20 then return false end
  for part = 0, PARTS - 1 do
    local n = 0
    for i = part * per + 1, (part + 1) * per do n = n + (c.order[i] > high and 1 or 0) end
    if 2 * n > per then return true end
  end
  return false
end

--- Returns a quantile of numbers from all parts of the data alike: of those of the beginning it takes only its share.
---@param c table
---@param q number
function M.fair_quantile(c, q)
  local later = #c.order - c.beginning
  local n = later > 0 and sample.share < 1 and math.min(c.beginning, later * sample.share // (1 - sample.share)) or c.beginning
  local list = table.move(c.order, c.beginning + 1, #c.order, 1, {})
  for i = 1, n do list[#list + 1] = c.order[math.ceil(i * c.beginning / n)] end
  table.sort(list)
  return list[math.max(1, math.ceil(q * #list))]
end

--- Returns a number as a command writes it.
---@param x number
function M.text(x)
  if x == math.floor(x) and math.abs(x) < 2 ^ 53 then return ("%d"):format(x) end
  return (("%.10f"):format(x):gsub("0+$", ""))
end

--- Returns the roundest number between two: a multiple of 1, 2 or 5 times a power of ten; of several, the one nearest
--- the middle. nil if the bounds are no finite numbers.
---@param low number
---@param high number
function M.round(low, high)
  if not (low <= high and high - low < math.huge) then return nil end
  if low == high then return low end
  if low <= 0 and high >= 0 then return 0 end
  local power = 10.0 ^ math.ceil(math.log(math.max(math.abs(low), math.abs(high)), 10))
  local middle = (low + high) / 2
  for _ = 1, 40 do
    for _, factor in ipairs { 1, 0.5, 0.2 } do
      local step = power * factor
      local near = math.floor(middle / step + 0.5) * step
      if near >= low and near <= high then return near end
      local up, down = math.ceil(low / step) * step, math.floor(high / step) * step
      if up >= low and up <= high then return up end
      if down >= low and down <= high then return down end
    end
    power = power / 10
  end
  return nil
end

return M
