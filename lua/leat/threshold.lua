--- leat.threshold: the number above which the largest values of a column lie, from a sample of all of the files.
---
---   local threshold = require "leat.threshold"
---   local text = threshold.of("flights.csv", "csv", "delay", 0.8)   -- "22": a fifth of the records has more
---
--- A quantile that is estimated as records arrive follows them. In a file in the order of its metric it marks others than
--- the largest. A fixed number marks the same records in any order.

local numbers = require "leat.peek_numbers"
local sampled = require "leat.sampled"

local threshold = {}

local LEAST = 1000 -- numbers that a sample must have

--- Returns the greatest of the column's numbers that is less than `x`; nil if there is none.
local function below(c, x)
  local found
  for text in pairs(c.had) do
    local number = tonumber(text)
    if number and number < x and (not found or number > found) then found = number end
  end
  return found
end

--- Returns a number as a text, such that a share of about 1 - q of the column's numbers is greater; nil if the files
--- cannot be sampled, or if the column has too few numbers.
---@param data string
---@param format string?
---@param name string
---@param q number
---@return string?
function threshold.of(data, format, name, q)
  local is_named = format == "json" or format == "logfmt"
  if format and format ~= "csv" and not is_named then return nil end
  local look = is_named and sampled.named(data, format) or not is_named and sampled.csv(data)
  for i, c in ipairs(look and look.seen or {}) do
    if look.names[i] == name and c.numbers and c.n >= LEAST and c.values > 1 then
      local x = numbers.quantile(c, q)
      if x == numbers.quantile(c, 1) then x = below(c, x) end
      return x == math.floor(x) and math.abs(x) < 1e15 and ("%d"):format(x) or ("%.15g"):format(x)
    end
  end
end

return threshold
