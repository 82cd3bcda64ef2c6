--- Finds the columns that somebody asks about, for `leat peek` (lua/leat/peek_questions.lua): a measure, whose large or
--- small values are outliers, or a result with few values.
---
--- A column's score is the sum of four parts:
---
---   name      weights of words (lua/leat/name_words.lua): delay, price, rating against id, year, code
---   tail      1 if one end of the numbers is far from their middle, or if most are 0 and some are large
---   position  1.5 for the last column that is no time, and up to 0.4 more the later a column comes
---   values    -2 for whole numbers that nearly all differ, or that are spread evenly, as ids are; -1 for few values;
---             -1.5 if most records have none

local conditions = require "leat.conditions"
local numbers = require "leat.peek_numbers"
local words = require "leat.name_words"
local args = require "leat".args

local M = { FEW = 20 } -- FEW: most values of a column that distinguishes records

--- True if the values rise with the records. A topic is read one partition after the other, so they may fall where a
--- partition begins.
function M.rises(c) return c.falls == 0 or args.brokers and 20 * c.falls < c.n end

--- True if a command may name the column, and its values are single.
function M.is_plain(c) return not c.name:find('[%c"]') and not c.name:find("[*]", 1, true) end

--- True if a name suggests times, such as created_at, ts and timeMs.
local function names_time(name)
  local text = "_" .. table.concat(words.of(name), "_") .. "_"
  return text:find("_ts_") or text:find("_at_") or text:find("time") or text:find("date") or text:find("epoch")
end

--- True if the values are times. Numbers are times only if the name suggests it, if they mostly rise, or if they are
--- dates such as 19970101.
function M.is_time(c)
  if not c.time_format or c.values < 2 then return false end
  return not c.numbers or c.time_format == "%Y%m%d" or names_time(c.name) ~= nil or 10 * c.falls < c.n
end

--- True if the numbers are years.
function M.is_year(c)
  return c.numbers and c.values > 3 and words.has(c.name, "year yr") and numbers.is_whole(c) and numbers.quantile(c, 0) >= 1000
    and numbers.quantile(c, 1) <= 2100
end

--- True if a name suggests numbers that only identify, such as user_id and port.
local function names_things(name)
  return words.has(name, "id ids uid pid zip zipcode postcode phone port sport dport rownames") or name:find("^column %d+$")
end

--- Returns "high" or "low" if this end of the numbers is far from their middle, or if most are 0 and some are large.
local function tail(c)
  local low, middle, high = numbers.quantile(c, 0.01), numbers.quantile(c, 0.5), numbers.quantile(c, 0.99)
  if middle - low > 3 * (high - middle) then return "low" end
  if high - middle > 3 * (middle - low) and high > 10 then return "high" end
  if low >= 0 and high > 6 * middle and high > 1 then return "high" end
end

--- Returns the part of the score that comes from how many values there are.
local function of_values(c)
  local score = 2 * c.n < c.records and -1.5 or 0
  if c.values <= M.FEW then return score - 1 end
  local whole = numbers.is_whole(c)
  local differ = c.n >= 50 and c.values > 0.95 * c.n
  return whole and (differ or c.values > 30 and numbers.is_even(c)) and score - 2 or score
end

--- True if the column is the last that may hold a result.
local function is_last(c, seen)
  for at = #seen, 1, -1 do
    if not M.is_time(seen[at]) and not M.is_year(seen[at]) then return seen[at] == c end
  end
end

--- Returns how much a column is a measure, and nil if it cannot be one.
local function measure(c, seen)
  if not M.is_plain(c) or not c.numbers or c.values < 3 or M.is_time(c) or M.is_year(c) or names_things(c.name) then return nil end
  if M.rises(c) then return nil end
  local named = words.measure(c.name)
  if words.has(c.name, "hr") and numbers.quantile(c, 1) <= 24 then named = -3 end -- an hour
  if c.values <= M.FEW and (named < 2 or c.values < 5) then return nil end
  c.tail = tail(c)
  return named + (c.tail and 1 or 0) + (is_last(c, seen) and 1.5 or 0) + 0.4 * c.at / #seen + of_values(c)
end

--- Returns the measures, best first: each has `score`.
---@param seen table[]
function M.measures(seen)
  local list = {}
  for _, c in ipairs(seen) do
    c.score = measure(c, seen)
    list[#list + 1] = c.score and c or nil
  end
  table.sort(list, function(a, b) return a.score > b.score or a.score == b.score and a.values > b.values end)
  return list
end

--- True if the numbers are what somebody thinks of something, between two ends.
local function is_opinion(c)
  return words.has(c.name, "rating ratings score scores stars grade evaluation satisfaction") and c.tail ~= "high"
    and numbers.quantile(c, 1) <= 1000
end

--- Returns the round number at one end of the numbers that leaves some of them beyond it; nil if none does.
local function bound(c, high, most, least)
  local from, to = numbers.quantile(c, high and 1 - most or least), numbers.quantile(c, high and 1 - least or most)
  local at = from and numbers.round(from, to)
  local share = at and numbers.share(c, function(x) return high and x >= at or not high and x < at end)
  if share and share > 0.002 and share < 0.4 then return at end
end

--- Returns the one of few numbers that leaves about a tenth of them at or beyond it; nil if none leaves less than a half.
local function bound_of_few(c, high)
  local best, nearest
  for text in pairs(c.had) do
    local at = tonumber(text)
    local share = numbers.share(c, function(x) return high and x >= at or not high and x < at end)
    local far = share > 0 and share < 0.5 and math.abs(math.log(share / 0.1))
    if far and (not nearest or far < nearest) then best, nearest = at, far end
  end
  return best
end

--- Returns the condition for one end of the numbers, as a setting; nil if no round number bounds it.
local function beyond(c, high)
  local at = c.values <= M.FEW and bound_of_few(c, high) or bound(c, high, 0.15, 0.05) or bound(c, high, 0.3, 0.01)
  return at and ("outlier=%s %s %s"):format(conditions.column(c.name), high and ">=" or "<", numbers.text(at))
end

--- Returns the settings that ask about a measure, most worth first: of opinions the good and the bad end, of others the
--- end where the tail is. A high end is the metric, whose quantile the run finds. If the records are in the order of the
--- measure, it is a round number, for which the columns must be of all parts of the data, `whole`.
---@param c table
---@param whole boolean
---@return string first, string? second
function M.of_measure(c, whole)
  local metric = "metric=" .. c.name
  if is_opinion(c) then return beyond(c, true) or metric, beyond(c, false) end
  if c.tail == "low" then return beyond(c, false) or metric end
  local at = whole and numbers.is_ordered(c) and numbers.round(numbers.fair_quantile(c, 0.75), numbers.fair_quantile(c, 0.85))
  if at then return ("outlier=%s >= %s"):format(conditions.column(c.name), numbers.text(at)) end
  return c.values <= M.FEW and beyond(c, true) or metric
end

--- True if the values are 0 and 1, which mostly mean no and yes.
local function is_flag(c) return c.numbers and c.values == 2 and c.had["0"] ~= nil and c.had["1"] ~= nil end

--- True if a command can have the text in quotes.
local function is_writable(text) return not text:find('[%c"\\]') end

local RARE = 0.005 -- least share of a class to ask about

--- Returns the value to ask about: one that names what went wrong, or else the rarest. Values that too few records have,
--- or more than a half, count only if there are no others.
local function value_of(c)
  local best, best_rank
  for text, n in pairs(c.had) do
    local share = n / c.n
    local rank = (share < RARE and 6 or 0) + (share > 0.5 and 3 or 0) - words.value(text) + share
    if is_writable(text) and (not best or rank < best_rank or rank == best_rank and text < best) then best, best_rank = text, rank end
  end
  return best
end

--- Returns the name of a column without its number at the end; nil if it has none.
local function stem_of(c) return c.name:match("^(.-)%d+$") end

local stems = setmetatable({}, { __mode = "k" }) -- how many columns of a list have a stem

--- True if the column is one of four or more that differ only by a number: r1, r2, r3, r4.
---@param c table
---@param seen table[]
function M.in_series(c, seen)
  if not stems[seen] then
    local n = {}
    for _, other in ipairs(seen) do
      local stem = stem_of(other)
      if stem then n[stem] = (n[stem] or 0) + 1 end
    end
    stems[seen] = n
  end
  return (stems[seen][stem_of(c)] or 0) > 3
end

--- Returns how much a column is a result with few values, and the value to ask about; nil if it cannot be one. Numbers
--- that are no results count only if `any`.
local function class(c, seen, any)
  local flag = is_flag(c)
  if c.numbers and words.has(c.name, "year yr month day week hour quarter date") then return nil end
  if not M.is_plain(c) or c.values < 2 or c.values > M.FEW or M.is_time(c) then return nil end
  local named = words.class(c.name)
  if not any and c.numbers and not flag and named < 3 and not is_last(c, seen) then return nil end
  local value = flag and (numbers.fair_quantile(c, 0.5) < 1 and "1" or "0") or value_of(c) -- of 0 and 1 the rarer
  if not value then return nil end
  named = named + (M.in_series(c, seen) and -2 or 0) + (words.value(value) > 1 and 2 or 0) -- level == "error"
  local score = named + (is_last(c, seen) and 2 or 0) + (flag and 0.5 or 0) + (c.numbers and not flag and -2 or 0)
  return score + (2 * c.n < c.records and -2 or 0) - 0.01 * c.values, value
end

--- Returns the results with few values, best first: each has `class_score` and `value`.
---@param seen table[]
---@param any boolean? numbers of any name, too
function M.classes(seen, any)
  local list = {}
  for _, c in ipairs(seen) do
    c.class_score, c.value = class(c, seen, any)
    list[#list + 1] = c.class_score and c or nil
  end
  table.sort(list, function(a, b) return a.class_score > b.class_score or a.class_score == b.class_score and a.at < b.at end)
  return list
end

--- Returns the setting that asks about the value of a result.
---@param c table
function M.of_class(c)
  return ("outlier=" .. (c.numbers and "%s == %s" or '%s == "%s"')):format(conditions.column(c.name), c.value)
end

--- Returns the condition for errors if a column has HTTP status codes, with errors among others; nil otherwise.
---@param c table
function M.of_errors(c)
  if not (M.is_plain(c) and c.numbers and words.has(c.name, "status code statuscode")) then return nil end
  local lowest, highest
  for text in pairs(c.had) do
    local code = tonumber(text)
    if code < 100 or code > 599 then return nil end
    lowest, highest = math.min(lowest or code, code), math.max(highest or code, code)
  end
  local least = highest and (highest >= 500 and 500 or 400)
  return least and lowest < least and highest >= least and ("outlier=%s >= %d"):format(conditions.column(c.name), least) or nil
end

local SOME, MOST = 0.005, 0.3 -- least and most share of missing values to ask about

--- Returns the column whose missing values are worth a question: not too few and not too many, and more of them in
--- records that follow each other than chance would have it. Of several, returns the first that has nearly the most.
--- nil if there is none.
---@param seen table[]
function M.missing(seen)
  local list, most = {}, 0
  for _, c in ipairs(seen) do
    local share = 1 - c.n / c.records
    local by_chance = c.records * share * (1 - share)
    if M.is_plain(c) and share >= SOME and share <= MOST and c.gaps < 0.8 * by_chance and c.records - c.n >= 10 then
      list[#list + 1], most = c, math.max(most, share)
    end
  end
  for _, c in ipairs(list) do
    if 1 - c.n / c.records > 0.6 * most then return c end
  end
end

return M
