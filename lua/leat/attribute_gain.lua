--- How much columns tell of the labels of a sample, for leat.attributes.
---
--- A value v of n_v records, o of them with label c, gains g_v = 2 sum over c of o log(o N / (n_v n_c)), its part of the
--- likelihood ratio of the column and the labels. By chance a part exceeds 1 + 2 log V, with V values, in few columns. So
--- a column tells the sum of what is above that. Of a column of numbers the best threshold counts, with its two sides as
--- values and V the number of thresholds. Pairs are not looked at. If the best edge tells less than nine tenths of what the
--- best of all thresholds tells, the roundest number that tells nearly as much becomes an edge, too.
---
--- A column is the answer itself if its values, or one threshold, give the label in nearly all records: of the records
--- without the most frequent label at most a hundredth, and none of fewer than 100, may be given a wrong one. A value
--- of one record gives nothing.

local thresholds = require "leat.attribute_edges"

local measure = {}

local WRONG, LEAST = .01, 10 -- share that the answer may get wrong; rarer records that there must be
local STEP = .01 -- share of the records between two thresholds that are tried
local LESS, NEARLY = .9, .97 -- shares of what the best threshold tells: an edge is added below the one, and has the other

--- Returns the classes of labels: their number by label, how many records have each, and how many have any.
local function classes_of(labels, rows)
  local of, n, all = {}, {}, 0
  for k = 1, rows do
    local label = labels[k]
    if label ~= nil then
      local class = of[label]
      if not class then
        class = #n + 1
        of[label], n[class] = class, 0
      end
      n[class], all = n[class] + 1, all + 1
    end
  end
  return of, n, all
end

--- Returns a cell: how many records of each class there are, and in all.
local function cell(classes)
  local new = { all = 0 }
  for class = 1, classes do new[class] = 0 end
  return new
end

--- Returns the part of the likelihood ratio that a cell has.
local function part(one, n, all)
  local sum = 0
  for class = 1, #n do
    if one[class] > 0 then sum = sum + one[class] * math.log(one[class] * all / (one.all * n[class])) end
  end
  return 2 * sum
end

--- Returns how many records of a cell have another label than most.
local function wrong(one)
  local most = 0
  for class = 1, #one do most = math.max(most, one[class]) end
  return one.all == 1 and 1 or one.all - most
end

--- Returns the cells of values, by value, and the cell of records without one. value_of(row) is a value, a list, or nil.
local function cells_of(look, labels, of, n, value_of)
  local by, none = {}, cell(#n)
  local function add(value, class)
    local one = by[value]
    if not one then
      one = cell(#n)
      by[value] = one
    end
    one[class], one.all = one[class] + 1, one.all + 1
  end
  for k, row in ipairs(look.rows) do
    local class = of[labels[k]]
    local value = class and value_of(row)
    if class and value == nil then none[class], none.all = none[class] + 1, none.all + 1
    elseif type(value) == "table" then
      for _, element in ipairs(value) do add(element, class) end
    elseif class then add(value, class) end
  end
  return by, none
end

--- Returns what a column tells by its values, and how many records they get wrong.
local function by_values(by, none, n, all)
  local values, told, missed = none.all > 0 and 1 or 0, 0, wrong(none)
  local keys = {}
  for value, one in pairs(by) do
    values, missed = values + 1, missed + wrong(one)
    keys[#keys + 1] = value
  end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end) -- sums of doubles depend on their order
  local chance = 1 + 2 * math.log(math.max(1, values))
  for _, value in ipairs(keys) do told = told + math.max(0, part(by[value], n, all) - chance) end
  if none.all > 0 then told = told + math.max(0, part(none, n, all) - chance) end
  return told, missed
end

--- Returns an edge that tells nearly as much as the best of the thresholds { x, before, gain }; nil if `most`, what the
--- best edge tells, is not much less.
local function better(tried, most, list)
  local best
  for i, one in ipairs(tried) do best = (not best or one.gain > tried[best].gain) and i or best end
  if not best or most >= LESS * tried[best].gain then return nil end
  local from, to, least = best, best, NEARLY * tried[best].gain
  while tried[from - 1] and tried[from - 1].gain >= least do from = from - 1 end
  while tried[to + 1] and tried[to + 1].gain >= least do to = to + 1 end
  return thresholds.between(tried[from].before, tried[to].x, list)
end

--- Returns what the numbers of a column tell by the best of its edges, that edge, how many records the best threshold of
--- all gets wrong, and an edge that tells clearly more, if there is one.
local function by_edges(by, none, n, all, edges)
  local list, below, above, known, tried = {}, cell(#n), cell(#n), 0, {}
  for x, one in pairs(by) do
    list[#list + 1], known = x, known + one.all
    for class = 1, #n do above[class], above.all = above[class] + one[class], above.all + one[class] end
  end
  table.sort(list)
  local most, best, missed, e, next_try = 0, nil, known, 1, 0
  local chance = 1 + 2 * math.log(math.max(1, #edges))
  for i, x in ipairs(list) do
    local is_edge, is_step = edges[e] and edges[e] <= x, below.all >= next_try and below.all > 0
    local gain = (is_edge or is_step) and below.all > 0 and part(below, n, all) + part(above, n, all) or 0
    if is_step then tried[#tried + 1], next_try = { x = x, before = list[i - 1], gain = gain }, below.all + STEP * known end
    while edges[e] and edges[e] <= x do
      if gain > most then most, best = gain, e end
      e = e + 1
    end
    if below.all > 0 then missed = math.min(missed, wrong(below) + wrong(above)) end
    for class = 1, #n do
      local m = by[x][class]
      below[class], above[class] = below[class] + m, above[class] - m
      below.all, above.all = below.all + m, above.all - m
    end
  end
  local told = math.max(0, most - 2 * chance)
  if none.all > 0 then told = told + math.max(0, part(none, n, all) - chance) end
  return told, best, missed + wrong(none), told > 0 and better(tried, most, list) or nil
end

--- Adds an edge to ascending ones, as a new list. Returns its place.
local function add_edge(one, edge)
  local list, at = { table.unpack(one.edges) }, 1
  while list[at] and tonumber(list[at]) < tonumber(edge) do at = at + 1 end
  if list[at] ~= edge then table.insert(list, at, edge) end
  one.edges = list
  return at
end

--- Returns a function that measures candidates of leat.attributes by the labels of the rows: it sets one.told, one.edge
--- (the number of the best of its edges), and one.gives, the share of records whose label it gives, if it is the answer
--- itself. nil if there are no two labels.
---@param look table
---@param labels table
---@return fun(one: table)?
function measure.by(look, labels)
  local of, n, all = classes_of(labels, #look.rows)
  if #n < 2 then return nil end
  local rare = all - math.max(table.unpack(n))
  local function is_answer(missed) return rare >= LEAST and missed <= WRONG * rare end
  return function(one)
    local told, best, missed = 0, nil, all
    if one.is_category or not one.edges then
      local by, none = cells_of(look, labels, of, n, one.value_of)
      told, missed = by_values(by, none, n, all)
    end
    if one.parents_of then
      local by, none = cells_of(look, labels, of, n, one.parents_of)
      told = math.max(told, (by_values(by, none, n, all)))
    end
    if one.edges then
      local number, edges = look.seen[one.at].number, {}
      for i, text in ipairs(one.edges) do edges[i] = tonumber(text) end
      local by, none = cells_of(look, labels, of, n, function(row) return number[row[one.at]] or nil end)
      local by_edge, edge, misses, more = by_edges(by, none, n, all, edges)
      told, best, missed = math.max(told, by_edge), more and add_edge(one, more) or edge, math.min(missed, misses)
    end
    one.told, one.edge, one.gives = told, best, not one.is_list and is_answer(missed) and 1 - missed / all or nil
  end
end

return measure
