--- leat.line_format: what the lines of a file look like, where neither its name nor a setting says it.

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

--- The format of examples that are one a line: libffm, libsvm or vw; nil: it is none of these.
---@param lines string[]
---@return string?
function M.examples(lines)
  if all(lines, "^" .. NUMBER .. "%s+%S+:%S+:" .. NUMBER) then return "libffm" end
  if all(lines, "^" .. NUMBER .. "%s+%S+:" .. NUMBER) then return "libsvm" end
  if all(lines, "^[^|,;]*|") and all(lines, "|%S* %S") then return "vw" end
end

--- csv, the delimiter between its columns, and its records; nil: the lines are not cut alike.
---@param lines string[]
---@param quote string
---@return string? format, string? delimiter, string[] records
function M.columns(lines, quote)
  local delimiter, records = csv.cut(lines, quote)
  return delimiter and "csv", delimiter, records
end

return M
