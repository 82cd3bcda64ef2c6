--- leat.period_labels: the period of each record of a sample (lua/leat/sampled.lua), before a run decides it by
--- label.period; and the columns that only say the time again. Times are taken as their texts show them, without zones: a
--- few hours do not matter for a sample.

local ranks = require "leat.attribute_ranks"
local time_texts = require "leat.time_texts"
local args = require "leat".args

local labels = {}

local SAME, FOLLOWS = .75, .98 -- share of the records, as zones differ; rank correlation
local SECONDS = { s = 1, min = 60, h = 3600, d = 86400, w = 604800 }

--- Returns the seconds since 1970 of 2024, 2024-05, a date, a time, or -7d before the text `newest`; nil if they are not known.
local function moment(text, newest)
  local n, unit = text:match("^%-(%d+)(%a+)$")
  if n then
    local at = newest and SECONDS[unit] and time_texts.seconds(newest, "iso8601")
    return at and at - n * SECONDS[unit]
  end
  local year, month = text:match("^(%d%d%d%d)%-?(%d*)$")
  if year then return time_texts.of_day(tonumber(year), tonumber(month) or 1, 1) end
  return time_texts.seconds(text, "iso8601")
end

--- Returns the first and the last second of a period, which its end leaves out; nil if they are not known.
local function span(text, is_before, newest)
  local from, to = text:match("^(.-)%.%.(.*)$")
  if not from then from, to = is_before and "" or text, is_before and text or "" end
  local low = from == "" and -math.huge or moment(from, newest)
  local high = to == "" and math.huge or moment(to, newest)
  return low and high and { low, high } or nil
end

--- Returns the place of the column of times; nil if the sample has none.
local function time_of(look)
  for i, name in ipairs(look.names) do
    if name == args.time then return i end
  end
end

local function has(s, at) return at >= s[1] and at < s[2] end

--- Returns a function that is true for a row of the first period, false for one of the second, and nil for another;
--- nil if the sample does not show the periods.
---@param look table
---@param time_format string?
---@param newest string?
---@return (fun(row: table): boolean?)?
function labels.of(look, time_format, newest)
  local at, has_two = time_of(look), args.before and args.after
  local first = span(args.before or args.after, args.before ~= nil, newest)
  local second = has_two and span(args.after, false, newest) or nil
  if not (at and time_format and first) or has_two and not second then return nil end
  return function(row)
    local time = time_texts.seconds(row[at] or "", time_format)
    if not time then return nil end
    if has(first, time) then return true end
    if not second or has(second, time) then return false end
  end
end

--- Returns the part of the time that a column of numbers has in most records: year, month or day; nil if it has none.
local function part_of(look, i, at, time_format)
  local same, n = { year = 0, month = 0, day = 0 }, 0
  for _, row in ipairs(look.rows) do
    local time, x = time_texts.seconds(row[at] or "", time_format), look.seen[i].number[row[i]]
    local date = time and x and os.date("!*t", time // 1)
    n = n + (date and 1 or 0)
    for part, count in pairs(date and same or {}) do same[part] = count + (date[part] == x and 1 or 0) end
  end
  for part, count in pairs(same) do
    if count > SAME * n then return part end
  end
end

--- Returns a function that says why a candidate of leat.attributes only says the time again; nil if it does not.
---@param look table
---@param time_format string?
---@return fun(one: table): string?
function labels.repeats(look, time_format)
  local at, rank = time_of(look), ranks.of(look)
  return function(one)
    local c = look.seen[one.at]
    if not (at and time_format and c and c.numbers) then return nil end
    local part = part_of(look, one.at, at, time_format)
    if part then return ("the %s of %s"):format(part, args.time) end
    return ranks.correlation(rank(one.at), rank(at)) > FOLLOWS and "follows " .. args.time or nil
  end
end

return labels
