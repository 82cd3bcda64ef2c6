--- Splits records into two periods at a round date near the middle, for `leat peek` (lua/leat/peek_questions.lua).

local conditions = require "leat.conditions"
local measure = require "leat.peek_measure"
local numbers = require "leat.peek_numbers"

local M = {}

local DAY = 86400

--- Returns the seconds since 1970 of a day's beginning.
local function day_of(year, month, day)
  if month <= 2 then year, month = year - 1, month + 12 end
  return (365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 719469) * DAY
end

--- Returns the number of a time in seconds; nil if the text has another form.
local function seconds(text, format)
  if format == "unix" then return tonumber(text) end
  if format == "unix_ms" then return tonumber(text) / 1000 end
  local year, month, day = text:match(format == "%Y%m%d" and "^(%d%d%d%d)(%d%d)(%d%d)$" or "^(%d%d%d%d)%-(%d%d)%-(%d%d)")
  if not year then return nil end
  local hour, minute = text:match("[ T](%d%d):(%d%d)")
  return day_of(tonumber(year), tonumber(month), tonumber(day)) + 3600 * tonumber(hour or 0) + 60 * tonumber(minute or 0)
end

--- True if one of the column's times is before 1970.
---@param c table
function M.is_early(c)
  for text in pairs(c.had) do
    if (seconds(text, c.time_format) or 0) < 0 then return true end
  end
  return false
end

--- Returns the beginning of the next year, month, day, hour or minute after `middle`: the longest that is a small part of
--- the span.
local function rounded(middle, span)
  local date = os.date("!*t", math.floor(middle))
  if span > 4 * 365 * DAY then return day_of(date.year + (date.month > 6 and 1 or 0), 1, 1) end
  if span > 120 * DAY then
    local month = date.month + (date.day > 15 and 1 or 0)
    return month > 12 and day_of(date.year + 1, 1, 1) or day_of(date.year, month, 1)
  end
  local unit = span > 4 * DAY and DAY or span > 4 * 3600 and 3600 or span > 240 and 60 or 1
  return math.floor(middle / unit + 0.5) * unit
end

--- Writes a time in the form of the column's texts, as short as it may be.
local function written(at, format, has_clock)
  if format == "unix" then return ("%d"):format(at) end
  if format == "unix_ms" then return ("%d"):format(at * 1000) end
  if format == "%Y%m%d" then return os.date("!%Y%m%d", at) end
  if at % DAY == 0 or not has_clock then return ('"%s"'):format(os.date("!%Y-%m-%d", at)) end
  return nil
end

--- Returns the condition that is true before a round time near the middle of a column of times.
local function of_time(c)
  local low, high, sample
  for text in pairs(c.had) do
    local at = seconds(text, c.time_format)
    if not at then return nil end
    low, high, sample = math.min(low or at, at), math.max(high or at, at), text
  end
  if not low or high - low < 10 then return nil end
  local at = rounded((low + high) / 2, high - low)
  if at <= low or at >= high then return nil end
  local text = written(at, c.time_format, sample:find(":", 1, true) ~= nil)
  if not text then
    text = ('"%s"'):format(os.date("!%Y-%m-%d" .. sample:match("[ T]") .. "%H:%M", at))
  end
  return ("%s < %s"):format(conditions.column(c.name), text)
end

--- Returns the condition that is true before a round year near the middle of a column of years.
local function of_year(c)
  local low, high = numbers.quantile(c, 0), numbers.quantile(c, 1)
  local unit = high - low >= 30 and 10 or high - low >= 10 and 5 or 1
  local middle = math.max(numbers.quantile(c, 0.1), math.min(numbers.quantile(c, 0.9), (low + high) / 2))
  local at = math.floor(middle / unit + 0.5) * unit
  return at > low and at <= high and ("%s < %d"):format(conditions.column(c.name), at) or nil
end

--- Returns the condition that is true for the records of the first period; nil if no column tells times. `whole` says
--- whether the columns are of records from all parts of the data. Otherwise times that rise are of its beginning alone.
---@param seen table[]
---@param whole boolean
function M.of(seen, whole)
  for _, is_of in ipairs { measure.is_year, measure.is_time } do
    for _, c in ipairs(seen) do
      if measure.is_plain(c) and is_of(c) and 2 * c.n > c.records and (whole or 10 * c.falls > c.n) then
        local split = is_of == measure.is_year and of_year(c) or is_of == measure.is_time and of_time(c)
        if split then return split, c end
      end
    end
  end
end

return M
