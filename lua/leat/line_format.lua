--- leat.line_format: recognises the format of a file by its lines, if neither its name nor a setting gives it.

local csv = require "leat.peek_csv"

local M = {}

local LINES = 20

local function all(lines, pattern)
  for i = 1, math.min(#lines, LINES) do
    if not lines[i]:find(pattern) then return false end
  end
  return #lines > 0
end

local NUMBER = "[+-]?%d*%.?%d+[eE]?[+-]?%d*"

--- Returns the format of examples, one a line: libffm, libsvm or vw; nil if it is none of these.
---@param lines string[]
---@return string?
function M.examples(lines)
  if all(lines, "^" .. NUMBER .. "%s+%S+:%S+:" .. NUMBER) then return "libffm" end
  if all(lines, "^" .. NUMBER .. "%s+%S+:" .. NUMBER) then return "libsvm" end
  if all(lines, "^[^|,;]*|") and all(lines, "|%S* %S") then return "vw" end
end

--- Returns csv, the delimiter between its columns, and its records; nil if the lines have unequal numbers of fields.
---@param lines string[]
---@param quote string
---@return string? format, string? delimiter, string[] records
function M.columns(lines, quote)
  local delimiter, records = csv.cut(lines, quote)
  return delimiter and "csv", delimiter, records
end

return M
