--- leat.text_columns: finds the column of a file whose texts have words.

local conditions = require "leat.conditions"
local fix = require "leat.fix"
local args = require "leat".args
local later = require "leat.later"
local sampled = later "leat.sampled"

local M = {}

local SHOWN = 20 -- columns in a message

--- True if more than half of the texts of a column have several words.
local function has_words(c)
  local n = 0
  for text in pairs(c.had) do n = n + (text:find("%S%s+%a") and 1 or 0) end
  return not c.numbers and not c.time_format and 2 * n > c.values
end

--- Returns the column `text`, or else the only one with words, and says so; nil if the records can be read only once.
--- Fails if there is none, or if there are several.
local function column_of(data, format)
  local look = format == "csv" and sampled.csv(data)
  if format == "json" or format == "otlp" or format == "logfmt" then look = sampled.named(data, format) end
  if not look or #look.names == 0 then return nil end
  for _, name in ipairs(conditions.derived()) do
    if name == "text" then return name end
  end
  local found = {}
  for i, name in ipairs(look.names) do
    if name == "text" then return name end
    if has_words(look.seen[i]) then found[#found + 1] = name end
  end
  if #found == 1 then
    sampled.say(("column = %s, the only one whose texts have several words"):format(found[1]))
    return found[1]
  end
  error(("column is not given, and %s: choose with --column (columns: %s)"):format(
    #found == 0 and "no column has texts of several words" or "several have texts of words: " .. table.concat(found, ", "),
    sampled.shown(look.names, SHOWN)), 0)
end

--- Returns column_of, or the column of --set fix.
---@param data string
---@param format string
---@return string?
function M.of(data, format)
  return fix.choice("column", { derive = args.derive }, function() return column_of(data, format) end)
end

return M
