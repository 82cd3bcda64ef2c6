--- Edges that cut a column of numbers, for leat.attributes: round numbers near the quantiles of a sample.
---
--- The quantiles are 5, 10, 20, …, 90, 95 and 99 %. Each becomes the roundest number nearer to it than to the quantiles
--- next to it: 80 for 81.3 between 77 and 85. A value that many records share, such as 0, has an edge just above it.
--- Edges of whole numbers are whole numbers.

local M = {}

local MOST = 12 -- edges of a column
local QUANTILES = { .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99 }
local SHARED = .1 -- share of the records from which a value has an edge above it

--- Returns the numbers of a column, ascending, how often each occurs, and the sum of these.
local function counts(c)
  local list, n, all = {}, {}, 0
  for text, had in pairs(c.had) do
    local x = c.number[text]
    if x and not n[x] then list[#list + 1] = x end
    if x then n[x], all = (n[x] or 0) + had, all + had end
  end
  table.sort(list)
  return list, n, all
end

--- Returns the number with fewest digits above `low` and up to `high`; of several, the nearest to x.
local function roundest(low, high, x, whole)
  if low < 0 and high >= 0 then return 0 end
  local power = math.floor(math.log(math.max(math.abs(low), math.abs(high)), 10)) + 1
  for p = power, whole and 0 or -15, -1 do
    local unit = 10.0 ^ -p
    local at = math.floor(x * unit + .5)
    for _, k in ipairs { at, at - 1, at + 1 } do
      local y = p >= 0 and k * 10.0 ^ p or k / unit
      if y > low and y <= high then return y end
    end
  end
  return x > low and x <= high and x or high
end

--- Returns the places of the quantiles in the sorted list, each once, without the least number.
local function quantiles(list, n, all)
  local found, i, below = {}, 1, list[1] and n[list[1]] or 0
  for _, q in ipairs(QUANTILES) do
    while below < q * all and i < #list do
      i = i + 1
      below = below + n[list[i]]
    end
    if i > 1 and i ~= found[#found] then found[#found + 1] = i end
  end
  return found
end

--- Returns a text that is read as the same number.
local function text_of(x)
  if x == math.floor(x) and math.abs(x) < 1e15 then return ("%d"):format(x) end
  return ("%.15g"):format(x)
end

--- Returns a function that adds a number to `edges`, unless it is there.
local function adder(edges)
  local is = {}
  return function(x)
    local text = text_of(x)
    if not is[text] then is[text], edges[#edges + 1] = true, x end
  end
end

--- True if all numbers are whole.
local function are_whole(list)
  for _, x in ipairs(list) do
    if x ~= math.floor(x) then return false end
  end
  return true
end

--- Returns the roundest number above `low` and up to `high`, as a text. It is whole if the numbers of the list are.
---@param low number
---@param high number
---@param list number[]
---@return string
function M.between(low, high, list) return text_of(roundest(low, high, high, are_whole(list))) end

--- Returns the edges of a column (lua/leat/peek_columns.lua), ascending, as texts; {} if its numbers are all the same.
---@param c table
---@return string[]
function M.of(c)
  local list, n, all = counts(c)
  local whole, edges, cuts = are_whole(list), {}, quantiles(list, n, all)
  local add = adder(edges)
  for k, i in ipairs(cuts) do
    local x, shared = list[i], n[list[i]] >= SHARED * all
    local low = (list[cuts[k - 1] or 1] + x) / 2
    local high = cuts[k + 1] and (x + list[cuts[k + 1]]) / 2 or math.min(2 * x - low, list[#list])
    add(shared and roundest(math.max(low, list[i - 1]), x, x, whole) or roundest(low, high, x, whole))
  end
  for i, x in ipairs(list) do
    local above = list[i + 1]
    if n[x] >= SHARED * all and above then add(whole and x + 1 or roundest(x, above, above, whole)) end
  end
  table.sort(edges)
  local few, last = {}, math.min(MOST, #edges)
  for i = 1, last do few[i] = text_of(edges[#edges <= MOST and i or 1 + (i - 1) * (#edges - 1) // (MOST - 1)]) end
  return few
end

return M
