--- leat.time_texts: reads times of the formats that lua/leat/peek_columns.lua finds, and clf, as seconds since 1970.

local times = {}

local MONTHS = { Jan = 1, Feb = 2, Mar = 3, Apr = 4, May = 5, Jun = 6, Jul = 7, Aug = 8, Sep = 9, Oct = 10, Nov = 11, Dec = 12 }

--- Returns the days since 1970 of a date (Howard Hinnant's civil_from_days, reversed).
local function days_of(year, month, day)
  local y = month <= 2 and year - 1 or year
  local era, m = y // 400, (month + 9) % 12
  local of_era, of_year = y - era * 400, (153 * m + 2) // 5 + day - 1
  return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468
end

--- Returns the seconds since 1970 of a day's beginning.
function times.of_day(year, month, day) return days_of(year, month, day) * 86400 end

--- Returns year, month and day of a text; nil if it has another form.
local function date_of(text, format)
  if format == "%Y%m%d" then return text:match("^(%d%d%d%d)(%d%d)(%d%d)$") end
  local year, month, day = text:match("^(%d+)-(%d+)-(%d+)")
  if year then return year, month, day end
  day, month, year = text:match("^(%d+)[./](%w+)[./](%d+)")
  return year, MONTHS[month] or month, day
end

local units = { unix = 1, unix_ms = 1e3, unix_us = 1e6, unix_ns = 1e9 } -- of a second

--- Returns the seconds since 1970 of a text on the clock that it shows, without its offset; nil if it has another form.
---@param text string
---@param format string
---@return number?
function times.seconds(text, format)
  if units[format] then return tonumber(text) and tonumber(text) / units[format] end
  local year, month, day = date_of(text, format)
  if not year or not tonumber(month) then return nil end
  local hour, minute, rest = text:match("[ T:](%d%d?):(%d%d)(.*)$")
  local second = rest and rest:match("^:(%d%d%.?%d*)")
  return times.of_day(tonumber(year), tonumber(month), tonumber(day)) + 3600 * tonumber(hour or 0) + 60 * tonumber(minute or 0)
    + tonumber(second or 0)
end

return times
