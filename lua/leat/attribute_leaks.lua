--- Columns that are known only after the outcome, for leat.attributes: they tell of it because they come from it.
---
--- - Two columns of numbers give a number of the question together: arr_time - sched_arr_time is arr_delay, and readings
---   + sums is a total. Of a difference, neither column tells the metric alone (rank correlation below 0.5), both follow
---   each other (0.8), and the difference follows the metric (0.85). A weighted sum leaves at most a thousandth of
---   the metric's variance.
--- - A time until an event, or until nobody looked any longer: the question is a column of two values, the records with the
---   event have lower numbers (in 85 % of the pairs of two records), and the name says so, as futime, duration, or edrel
---   for rel. Numbers that are low for another reason stay: their names say nothing of a time.

local ranks = require "leat.attribute_ranks"

local leaks = {}

local ALONE, ALIKE, TOGETHER, REST = .5, .8, .85, .001
local LOWER = .15 -- share of the pairs of a record with the event and one without in which the first has the higher number
local MOST, FEWEST, FEW = 40, 5, 20 -- columns to pair; values of a column; records

--- Returns the numbers of a column by record, for the records that have a rank.
local function numbers_of(look, at, rank)
  local list, c = {}, look.seen[at]
  for k in pairs(rank(at)) do list[k] = c.number[look.rows[k][at]] or nil end
  return list
end

--- Returns the sum of f(k) over the records that have all three numbers, and their number.
local function sum(x, y, z, f)
  local total, n = 0, 0
  for k in pairs(x) do
    if y[k] and z[k] then total, n = total + f(k), n + 1 end
  end
  return total, n
end

--- True if a x + b y + c is z, for some a, b and c, but for a small part of its variance.
local function is_sum(x, y, z)
  local sx, n = sum(x, y, z, function(k) return x[k] end)
  local sy, sz = sum(x, y, z, function(k) return y[k] end), sum(x, y, z, function(k) return z[k] end)
  if n < FEW then return false end
  local function moment(p, mp, q, mq) return (sum(x, y, z, function(k) return (p[k] - mp / n) * (q[k] - mq / n) end)) end
  local xx, yy, zz = moment(x, sx, x, sx), moment(y, sy, y, sy), moment(z, sz, z, sz)
  local xy, xz, yz = moment(x, sx, y, sy), moment(x, sx, z, sz), moment(y, sy, z, sz)
  local det = xx * yy - xy * xy
  if det <= 1e-9 * xx * yy or zz <= 0 then return false end
  local left = zz - (yy * xz * xz - 2 * xy * xz * yz + xx * yz * yz) / det
  return left <= REST * zz
end

--- Returns ranks as ranks.of has them, of the differences of two columns.
local function ranks_of_difference(x, y)
  local list, rank = {}, {}
  for k in pairs(x) do list[#list + 1] = y[k] and k or nil end
  table.sort(list, function(a, b)
    local p, q = x[a] - y[a], x[b] - y[b]
    return p < q or p == q and a < b
  end)
  for i, k in ipairs(list) do rank[k] = i end
  return rank
end

--- True if two columns give the numbers z of the question, of which `of` are the ranks, together.
local function give(look, i, j, of, z, rank)
  local alone = math.max(ranks.correlation(rank(i), of), ranks.correlation(rank(j), of))
  local x, y = numbers_of(look, i, rank), numbers_of(look, j, rank)
  if alone >= ALONE then return is_sum(x, y, z) end
  return ranks.correlation(rank(i), rank(j)) > ALIKE and ranks.correlation(ranks_of_difference(x, y), of) > TOGETHER
end

--- Returns, by the place of a column, the reason why it leaks: it gives a column of the question together with another.
--- `list` are candidates, is_asked[name] is true for the columns of the question.
---@param look table
---@param list table[]
---@param is_asked table<string, boolean>
---@param rank fun(at: integer): table
---@return table<integer, string>
function leaks.pairs(look, list, is_asked, rank)
  local why, able = {}, {}
  for _, one in ipairs(list) do
    local c = look.seen[one.at]
    if c and c.numbers and not one.is_list and c.values > FEWEST and #able < MOST then able[#able + 1] = one end
  end
  for at, name in ipairs(look.names) do
    local c = look.seen[at]
    if is_asked[name] and c.numbers and c.values > FEWEST then
      local of, z = rank(at), numbers_of(look, at, rank)
      for k, one in ipairs(able) do
        for m = k + 1, #able do
          local other = able[m]
          if give(look, one.at, other.at, of, z, rank) then
            why[one.at] = why[one.at] or ("gives %s with %s"):format(name, other.name)
            why[other.at] = why[other.at] or ("gives %s with %s"):format(name, one.name)
          end
        end
      end
    end
  end
  return why
end

--- Returns the share of the pairs of a record with label `event` and one without in which the first has the higher rank.
local function share_above(rank, labels, event)
  local n, others, total = 0, 0, 0
  for k, r in pairs(rank) do
    if labels[k] == event then n, total = n + 1, total + r elseif labels[k] ~= nil then others = others + 1 end
  end
  if n < FEW or others < FEW then return .5 end
  return (total - n * (n + 1) / 2) / (n * others)
end

--- True if a name says that the numbers are times, or is that of the event with more.
local function says_time(name, event)
  local text = name:lower()
  for _, word in ipairs { "time", "durat", "follow", "surv", "days", "until", "tenure", "spell" } do
    if text:find(word, 1, true) then return true end
  end
  return #event >= 3 and text ~= event and text:find(event:lower(), 1, true) ~= nil
end

--- Returns a function that says why a candidate is the time until the event of the question; nil if it is not. `labels`
--- are those of the records.
---@param look table
---@param labels table
---@param is_asked table<string, boolean>
---@param rank fun(at: integer): table
---@return fun(one: table): string?
function leaks.times(look, labels, is_asked, rank)
  local event, asked = nil, 0
  for at, name in ipairs(look.names) do
    if is_asked[name] then event, asked = look.seen[at].values == 2 and name or nil, asked + 1 end
  end
  if asked ~= 1 then event = nil end
  return function(one)
    local c = look.seen[one.at]
    if not event or not one.edges or not c or not c.numbers or not says_time(one.name, event) then return nil end
    if share_above(rank(one.at), labels, true) < LOWER then return ("lower with the event: a time until %s?"):format(event) end
  end
end

return leaks
