--- Columns that follow others, for leat.attributes: by the rank correlation of numbers, and by missing values.

local time_texts = require "leat.time_texts"

local ranks = { RECORDS = 1000 } -- RECORDS: most records to look at

--- Returns a function that gives the ranks of a column of numbers or times, by record; records without one have none.
--- Equal values have their mean rank.
---@param look table
function ranks.of(look)
  local step, known = math.max(1, math.ceil(#look.rows / ranks.RECORDS)), {}
  return function(i)
    if known[i] then return known[i] end
    local list, x, rank, c = {}, {}, {}, look.seen[i]
    for k = 1, #look.rows, step do
      local text = look.rows[k][i]
      local is_value = text and not look.is_missing[text]
      x[k] = is_value and (c.time_format and time_texts.seconds(text, c.time_format) or c.number[text]) or nil
      if x[k] then list[#list + 1] = k end
    end
    table.sort(list, function(a, b) return x[a] < x[b] or x[a] == x[b] and a < b end)
    local from = 1
    while from <= #list do
      local to = from
      while list[to + 1] and x[list[to + 1]] == x[list[from]] do to = to + 1 end
      for at = from, to do rank[list[at]] = (from + to) / 2 end
      from = to + 1
    end
    known[i] = rank
    return rank
  end
end

local FEW = 20 -- records with both numbers, from which a correlation counts

--- Returns the correlation of two lists of ranks, without its sign; 0 if few records have both.
---@return number
function ranks.correlation(a, b)
  local n, x, y, xx, yy, xy = 0, 0, 0, 0, 0, 0
  for k, p in pairs(a) do
    local q = b[k]
    if q then n, x, y, xx, yy, xy = n + 1, x + p, y + q, xx + p * p, yy + q * q, xy + p * q end
  end
  local spread = (n * xx - x * x) * (n * yy - y * y)
  if n < FEW or spread <= 0 then return 0 end
  return math.abs(n * xy - x * y) / math.sqrt(spread)
end

--- Returns how many of the records without a value in column i or j have neither; 0 if all records have both.
---@return number
function ranks.missing_together(look, i, j)
  local both, either = 0, 0
  for _, row in ipairs(look.rows) do
    local a = row[i] == nil or look.is_missing[row[i]]
    local b = row[j] == nil or look.is_missing[row[j]]
    if a or b then either = either + 1 end
    if a and b then both = both + 1 end
  end
  return either > 0 and both / either or 0
end

return ranks
