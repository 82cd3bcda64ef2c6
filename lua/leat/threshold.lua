--- leat.threshold: the records whose metrics, columns of numbers, are beyond limits: the outliers.
---
---   local threshold = require "leat.threshold"
---   local beyond = threshold.outliers { metrics = { "delay", "taxi" }, mad = 3, tail = "both", data = "flights.csv" }
---   beyond.stages   -- label records
---   beyond.asked    -- "delay > 34 or taxi > 41 (…)"
---
--- Limits of files are numbers, from all of the files or a sample of them. Those of other records follow the records.
--- A quantile that is estimated as records arrive follows them. In a file in the order of its metric it marks others than
--- the largest. A fixed number marks the same records in any order.
---
--- The median is the smallest value x with at least half of the values up to x. MAD is the median of the distances from
--- it. Of normal values, 1.4826 MAD is the standard deviation.

local leat = require "leat"
local conditions = require "leat.conditions"
local fix = require "leat.fix"
local logs = require "leat.logs"
local later = require "leat.later"
local sampled = later "leat.sampled"
local sampled_conditions = later "leat.sampled_conditions"
local args = leat.args

local threshold = {}

local NORMAL = 1.4826 -- standard deviation of normal values, in MADs

--- Adds n to the count of a number that is finite.
local function count(counts, x, n)
  if x and x - x == 0 then counts[x] = (counts[x] or 0) + n end
end

--- Returns the numbers of a column of JSON or logfmt in the sample, { [number] = how often }.
local function named_numbers(c)
  local counts = {}
  for text, n in pairs(c.had) do count(counts, c.number[text] or nil, n) end
  return counts
end

--- Fails if a column has values, but no numbers.
local function check_numbers(c, all)
  if all.n > 0 or c.values == 0 then return end
  local text, digits
  for other in pairs(c.had) do
    text = (not text or other < text) and other or text
    digits = digits or other:find("^[+-]?%d[%d., ']*$")
  end
  if digits then return end -- numbers of another form, of which the run says what to do
  error(("metric is %s, but its values are no numbers (such as '%s'): give a column of numbers, or a condition: "
    .. "--set outlier='%s == \"%s\"'"):format(c.name, text, conditions.column(c.name), text), 0)
end

local FEWEST = 100 -- sampled records that must pass a filter, unless the sample has all records

--- Returns the numbers of a column in those sampled records that are in the group, if there is one, and pass --set filter;
--- nil if the filter uses what the sample lacks, or passes too few.
local function numbers_of_rows(look, i, group)
  local takes, counts, n, at = args.filter and sampled_conditions.of(look, args.filter), {}, 0, nil
  if args.filter and not takes then return nil end
  for k, name in ipairs(look.names) do at = group and name == group.column and k or at end
  for _, row in ipairs(look.rows) do
    local x = row[i] and look.seen[i].number[row[i]]
    if x and (not takes or takes(row)) and (not group or group.has(row[at])) then
      count(counts, x, 1)
      n = n + 1
    end
  end
  return (not takes or look.is_whole or n >= FEWEST) and counts or nil
end

--- Returns the numbers of a column of CSV, and true if these are all of them.
local function numbers_of_csv(data, name)
  local counts, number_of = {}, sampled.converter()
  local is_whole = sampled.values(data, name, function(text, n) count(counts, number_of(text), n) end)
  if is_whole == nil then return nil end
  return counts, is_whole
end

--- Returns the numbers of a column of CSV in the records of a group, and true if these are all of them.
local function numbers_of_group(data, name, group)
  local counts, groups, is_whole = {}, sampled.numbers_by(data, name, group.column)
  for text, numbers in pairs(groups or {}) do
    for _, x in ipairs(group.has(text) and numbers or {}) do count(counts, x, 1) end
  end
  return counts, is_whole
end

--- Returns numbers in ascending order: { x = different ones, times = how often each occurs, n = number of all }.
local function in_order(counts)
  local all = { x = {}, times = {}, n = 0 }
  for x in pairs(counts) do all.x[#all.x + 1] = x end
  table.sort(all.x)
  for i, x in ipairs(all.x) do
    all.times[i] = counts[x]
    all.n = all.n + counts[x]
  end
  return all
end

--- Returns the numbers of a column (in_order), in the records of a group if there is one, and true if these are all of
--- them; nil if the files cannot be read again or have no such column.
local function numbers_of(data, format, name, group)
  local is_named = logs.names_values(format)
  if not is_named and format and format ~= "csv" then return nil end
  local look, why = (is_named and sampled.named or sampled.csv)(data, format)
  if why and fix.asks() then error(why, 0) end
  for i, column in ipairs(look and look.names or {}) do
    if column == name then
      local c, found, is_whole = look.seen[i], nil, look.is_whole
      if args.filter or is_named and group then found = numbers_of_rows(look, i, group)
      elseif is_named then found = named_numbers(c)
      elseif group then found, is_whole = numbers_of_group(data, name, group)
      else found, is_whole = numbers_of_csv(data, name) end
      if not found then return nil end
      local all = in_order(found)
      if not group then check_numbers(c, all) end
      return all, is_whole
    end
  end
end

--- Returns a text that an expression reads as the same number; nil if there is none.
local function text_of(x)
  if math.type(x) == "integer" then return ("%d"):format(x) end
  if math.abs(x) >= 1 << 53 then return nil end -- whole numbers are exact there, others are not taken
  if x == math.floor(x) then return ("%d"):format(x) end
  local short = ("%.15g"):format(x)
  return tonumber(short) == x and short or ("%.17g"):format(x)
end

--- Returns the place in all.x of the k-th smallest of all numbers.
local function place(all, k)
  local i, before = 1, all.times[1]
  while before < k do
    i = i + 1
    before = before + all.times[i]
  end
  return i
end

--- Returns the number such that a share of about 1 - q of all is greater, and at least one is; nil if none is.
local function high_quantile(all, q)
  local i = place(all, math.max(1, math.min(all.n, math.ceil(q * all.n))))
  return all.x[i < #all.x and i or i - 1]
end

--- Returns the numbers with the other sign.
local function turned(all)
  local other = { x = {}, times = {}, n = all.n }
  for i = #all.x, 1, -1 do
    other.x[#other.x + 1], other.times[#other.times + 1] = -all.x[i], all.times[i]
  end
  return other
end

--- Returns the numbers beyond which the values are outliers: low, high; nil if there is none.
local function by_quantile(all, q)
  local low = high_quantile(turned(all), q)
  return low and -low, high_quantile(all, q)
end

--- Returns the median, and the MAD.
local function median_and_mad(all)
  local half, counts = (all.n + 1) // 2, {}
  local median = all.x[place(all, half)]
  for i, x in ipairs(all.x) do count(counts, math.abs(x - median), all.times[i]) end
  local distances = in_order(counts)
  return median, distances.x[place(distances, half)]
end

--- Tells if a limit makes far more values outliers than a quantile asks for, because many values are equal.
local function tell_share(all, limit, q, side, name)
  local n = 0
  for i, x in ipairs(all.x) do
    if side == "above" and x > limit or side == "below" and x < limit then n = n + all.times[i] end
  end
  if n <= 2 * (1 - q) * all.n then return false end
  local text = text_of(limit) or tostring(limit)
  sampled.say(("%s: %s of the values are %s %s, the nearest limit to the quantile, because many values are equal: give a "
    .. "condition with --outlier instead"):format(name, sampled.share(n / all.n), side, text))
  return true
end

--- Like by_quantile, but `factor` MADs from the median.
local function by_mad(all, factor, name)
  local median, mad = median_and_mad(all)
  if mad == 0 then
    error(("mad: at least half of the values of %s are %s, so that their MAD is 0 and tells no outlier: leave mad out, "
      .. "or give a condition: --set outlier='%s > %s'"):format(name, text_of(median), conditions.column(name), text_of(median)), 0)
  end
  local function rounded(x) return tonumber(("%.12g"):format(x)) end -- 27.652, not 27.651999999999997
  return rounded(median - factor * NORMAL * mad), rounded(median + factor * NORMAL * mad)
end

--- Returns the limits of the metrics: limits, a list of { column, above, below }; from_sample, true if they do not come
--- from all records; and is_far, true if one is far from its quantile. Returns nil if the files cannot be read again, or
--- a column has no limit.
local function limits_of(how)
  local chosen = { limits = {}, from_sample = false, is_far = false }
  for i, name in ipairs(how.data and how.metrics or {}) do
    local found, is_whole = numbers_of(how.data, how.format, name, how.group)
    if not found or found.n == 0 then return nil end
    local low, high
    if how.mad then low, high = by_mad(found, how.mad, name) else low, high = by_quantile(found, how.quantile) end
    low, high = how.tail ~= "high" and low or nil, how.tail ~= "low" and high or nil
    if not how.mad then
      local far_below = low and tell_share(found, low, how.quantile, "below", name)
      local far_above = high and tell_share(found, high, how.quantile, "above", name)
      chosen.is_far = chosen.is_far or far_below or far_above or false
    end
    low, high = low and text_of(low) and low, high and text_of(high) and high
    if not low and not high then return nil end
    chosen.limits[i] = { column = name, above = high or nil, below = low or nil }
    chosen.from_sample = chosen.from_sample or not is_whole
  end
  return #chosen.limits > 0 and chosen or nil
end

--- Returns limits_of, or the limits of --set fix.
local function shared_limits(how)
  if #how.metrics == 0 then return nil end
  local question = {
    metric = how.metrics, quantile = not how.mad and how.quantile or nil, mad = how.mad, tail = how.tail, each = args.each,
    filter = args.filter, derive = args.derive,
  }
  local chosen = fix.choice("limits", question, function() return limits_of(how) end)
  fix.follows("limits")
  if not chosen and fix.asks() then
    error(("thresholds: the limits of %s are not known before the run: give files of CSV, JSON, logfmt or a log, without "
      .. "pattern, warmup, half_life and --state"):format(table.concat(how.metrics, ", ")), 0)
  end
  return chosen
end

--- Returns conditions, each of which makes a record an outlier.
local function conditions_of(limits)
  local list = {}
  for _, one in ipairs(limits) do
    local name = conditions.column(one.column)
    list[#list + 1] = one.above and ("%s > %s"):format(name, text_of(one.above)) or nil
    list[#list + 1] = one.below and ("%s < %s"):format(name, text_of(one.below)) or nil
  end
  return list
end

local made = 0 -- labels by conditions so far

--- Returns the stage that labels by numbers, and the sentence with their counts. `words` describe the outliers.
local function by_numbers(how, list, words)
  local several = #list > 1 or nil
  made = made + 1
  local id = made > 1 and "outlier " .. made or "outlier" -- as conditions.label() numbers them
  local share = (how.id or several) and ("{%s.true/%s.known}"):format(id, id) or "{positives}"
  local counted = { ("%s have %s"):format(share, words) }
  for i, condition in ipairs(several and list or {}) do
    counted[#counted + 1] = ("{%s.part_%d} with %s"):format(id, i, condition)
  end
  return { conditions.label("outlier", table.concat(list, " or "), (how.id or several) and list) }, table.concat(counted, ", ")
end

local directions = { high = "above", low = "below", both = "both" }

--- Returns the stages that label records by limits that follow them, and the sentence with their counts.
local function running(how, words)
  local stages, list, counted = {}, {}, {}
  for _, name in ipairs(how.metrics) do
    for _, side in ipairs(not how.mad and how.tail == "both" and { "high", "low" } or { how.tail }) do
      list[#list + 1] = { column = name, side = side, id = (how.id or "outliers") .. (#list == 0 and "" or " " .. #list + 1) }
      counted[#counted + 1] = ("{%s.beyond} by %s%s"):format(list[#list].id, name, side ~= how.tail and " (" .. side .. ")" or "")
    end
  end
  for i, one in ipairs(list) do
    local of = {
      column = one.column, direction = directions[one.side], warmup = how.warmup, adds = i > 1 or nil,
      missing = i < #list and "keep" or nil, id = (how.id or #list > 1) and one.id or nil,
    }
    if how.mad then of.factor = how.mad else of.q = one.side == "low" and 1 - how.quantile or how.quantile end
    stages[i] = (how.mad and leat.label.mad or leat.label.quantile)(of)
  end
  local last = #list > 0 and list[#list].id
  if #list < 2 then counted = { how.id and ("{%s.threshold} at the end"):format(last) or "{threshold} at the end" } end
  local share = (how.id or #list > 1) and ("{%s.positive/%s.labelled}"):format(last, last) or "{positives}"
  table.insert(counted, 1, share .. " have " .. words)
  return stages, table.concat(counted, ", ")
end

local beyond_median = { high = "above", low = "below", both = "from" }
local beyond_quantile = { high = "above", low = "below", both = "outside" }

--- Returns quantiles in words: "quantile 0.8".
local function quantiles(how)
  local low, high = ("%g"):format(1 - how.quantile), tostring(how.quantile)
  if how.tail == "both" then return ("quantiles %s and %s"):format(low, high) end
  return "quantile " .. (how.tail == "low" and low or high)
end

--- Describes outliers in words: by the conditions in `list`, made of the limits that were chosen, or by limits that
--- follow the records.
local function asked(how, list, chosen)
  local reach = how.mad and ("%g times 1.4826 MAD %s"):format(how.mad, beyond_median[how.tail])
  if list then
    return ("%s (%s%s)"):format(table.concat(list, " or "), reach and reach .. " the median" or (chosen.is_far and "the nearest limit to the " or "about the ") .. quantiles(how),
      chosen.from_sample and " of a sample" or "")
  end
  return ("%s %s"):format(table.concat(how.metrics, " or "), reach and ("more than %s its running median"):format(reach)
    or ("%s its running %s"):format(beyond_quantile[how.tail], quantiles(how)))
end

--- Chooses outliers: records of which one of how.metrics is beyond its limit. how.tail says which values are: high, low
--- or both. how.quantile is a share of the values, 0.8; or how.mad is a number of MADs from the median. how.data are
--- files, of how.format, that may be read before the run; how.group are the records that count: those of which
--- group.has(text of group.column) is true. how.id begins the ids of stages. Returns stages, which label records; asked,
--- their words; counted, a sentence with their counts; and condition, which is true for outliers if their limits are numbers.
---@param how table
---@return table
function threshold.outliers(how)
  if how.mad and how.quantile then
    error("mad and quantile are two ways to say how far an outlier lies: leave one out", 0)
  end
  how.quantile, how.tail = how.quantile or 0.8, how.tail or "high"
  local chosen = shared_limits(how)
  local list = chosen and conditions_of(chosen.limits)
  local words, stages, counted = asked(how, list, chosen), nil, nil
  if list then stages, counted = by_numbers(how, list, words) else stages, counted = running(how, words) end
  return {
    stages = stages, asked = words, counted = counted, condition = list and table.concat(list, " or "),
  }
end

return threshold
