--- Splits records into two periods at a round date near the middle, for `leat peek` (lua/leat/peek_questions.lua).

local leat = require "leat"
local conditions = require "leat.conditions"
local measure = require "leat.peek_measure"
local numbers = require "leat.peek_numbers"
local time_texts = require "leat.time_texts"
local args = leat.args

local M = {}

local DAY = 86400

--- True if one of the column's times is before 1970.
---@param c table
function M.is_early(c)
  for text in pairs(c.had) do
    if (time_texts.seconds(text, c.time_format) or 0) < 0 then return true end
  end
  return false
end

--- Returns the beginning of the next year, month, day, hour or minute after `middle`: the longest that is a small part of
--- the span.
local function rounded(middle, span)
  local date = os.date("!*t", math.floor(middle))
  if span > 4 * 365 * DAY then return time_texts.of_day(date.year + (date.month > 6 and 1 or 0), 1, 1) end
  if span > 120 * DAY then
    local month = date.month + (date.day > 15 and 1 or 0)
    return month > 12 and time_texts.of_day(date.year + 1, 1, 1) or time_texts.of_day(date.year, month, 1)
  end
  local unit = span > 4 * DAY and DAY or span > 4 * 3600 and 3600 or span > 240 and 60 or 1
  return math.floor(middle / unit + 0.5) * unit
end

--- Returns the setting `before` of lua/leat/periods.lua for seconds since 1970, as short as it may be.
local function before(at)
  return "before=" .. os.date(at % DAY == 0 and "!%Y-%m-%d" or at % 60 == 0 and "!%Y-%m-%dT%H:%M" or "!%Y-%m-%dT%H:%M:%S", at // 1)
end

--- Returns the settings for the times before and after a round time near the middle of a column of times. Event times
--- begin with 1970, so earlier ones are compared with a text.
local function of_time(c)
  local low, high
  for text in pairs(c.had) do
    local at = time_texts.seconds(text, c.time_format)
    if not at then return nil end
    low, high = math.min(low or at, at), math.max(high or at, at)
  end
  if not low or high - low < 10 then return nil end
  local at = rounded((low + high) / 2, high - low)
  if at <= low or at >= high then return nil end
  if low >= 0 then
    local settings = { before(at) }
    if not args.time then settings[2] = "time=" .. c.name end
    if not args.time and c.time_format ~= "iso8601" then settings[3] = "time_format=" .. c.time_format end
    return (not args.time or args.time == c.name) and settings or nil
  end
  local text = c.time_format == "iso8601" and '"%Y-%m-%d"' or c.time_format == "%Y%m%d" and "%Y%m%d"
  return text and { ("split=%s < %s"):format(conditions.column(c.name), os.date("!" .. text, at // 1)) }
end

--- Returns the setting for the years before and after a round one near the middle of a column of years.
local function of_year(c)
  local low, high = numbers.quantile(c, 0), numbers.quantile(c, 1)
  local unit = high - low >= 30 and 10 or high - low >= 10 and 5 or 1
  local middle = math.max(numbers.quantile(c, 0.1), math.min(numbers.quantile(c, 0.9), (low + high) / 2))
  local at = math.floor(middle / unit + 0.5) * unit
  return at > low and at <= high and { ("split=%s < %d"):format(conditions.column(c.name), at) } or nil
end

--- Returns the settings of pipelines/compare.lua for two periods, and the column; nil if no column tells times. `whole`
--- says whether the columns are of records from all parts of the data. Otherwise times that rise are of its beginning alone.
---@param seen table[]
---@param whole boolean
function M.of(seen, whole)
  for _, is_of in ipairs { measure.is_year, measure.is_time } do
    for _, c in ipairs(seen) do
      if measure.is_plain(c) and is_of(c) and 2 * c.n > c.records and (whole or 10 * c.falls > c.n) then
        local settings = is_of == measure.is_year and of_year(c) or is_of == measure.is_time and of_time(c)
        if settings then return settings, c end
      end
    end
  end
end

return M
