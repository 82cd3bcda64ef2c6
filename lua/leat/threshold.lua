--- leat.threshold: the number above which the largest values of a column lie, from all of the files or a sample of them.
---
---   local threshold = require "leat.threshold"
---   local text = threshold.of("flights.csv", "csv", "delay", 0.8)   -- "22": a fifth of the records has more
---
--- A quantile that is estimated as records arrive follows them. In a file in the order of its metric it marks others than
--- the largest. A fixed number marks the same records in any order.

local sampled = require "leat.sampled"

local threshold = {}

local LEAST = 1000 -- numbers that there must be

--- Returns the numbers of a column of JSON or logfmt in the sample, each as often as it occurs; nil if it has others.
local function named_numbers(data, format, name)
  local look, list = sampled.named(data, format), {}
  for i, c in ipairs(look and look.seen or {}) do
    if look.names[i] == name and c.numbers then
      for text, n in pairs(c.had) do
        for _ = 1, n do list[#list + 1] = tonumber(text) end
      end
    end
  end
  return list
end

--- Returns a text that an expression reads as the same number; nil if there is none.
local function text_of(x)
  if math.type(x) == "integer" then return ("%d"):format(x) end
  if math.abs(x) >= 1 << 53 then return nil end -- whole numbers are exact there, others are not taken
  if x == math.floor(x) then return ("%d"):format(x) end
  local short = ("%.15g"):format(x)
  return tonumber(short) == x and short or ("%.17g"):format(x)
end

--- Returns a number as a text, such that a share of about 1 - q of the column's numbers is greater; nil if the files
--- cannot be read again, or if the column has too few numbers.
---@param data string
---@param format string?
---@param name string
---@param q number
---@return string?
function threshold.of(data, format, name, q)
  local is_named, list = format == "json" or format == "logfmt", nil
  if is_named then list = named_numbers(data, format, name)
  elseif not format or format == "csv" then list = sampled.numbers(data, name) end
  if not list or #list < LEAST then return nil end
  table.sort(list)
  local at = math.max(1, math.min(#list, math.ceil(q * #list)))
  while at > 0 and list[at] == list[#list] do at = at - 1 end -- something must be greater
  return at > 0 and text_of(list[at]) or nil
end

return threshold
