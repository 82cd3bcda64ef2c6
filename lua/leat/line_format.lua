--- leat.line_format: recognises the format of a file by its lines, if neither its name nor a setting gives it.

local leat = require "leat"
local csv = require "leat.peek_csv"

local M = {}

local LINES = 40

local NUMBER = "[+-]?%d*%.?%d+[eE]?[+-]?%d*"

--- True if all of the first lines, without comments, have the pattern or the other one, and half of them have the first.
local function all(lines, pattern, other)
  local n, found = 0, 0
  for i = 1, math.min(#lines, LINES) do
    if not lines[i]:find("^#") then
      n = n + 1
      if lines[i]:find(pattern) then found = found + 1
      elseif not (other and lines[i]:find(other)) then return false end
    end
  end
  return found > 0 and 2 * found >= n
end

--- True if most of the first lines have the pattern.
local function most(lines, pattern)
  local found = 0
  for i = 1, math.min(#lines, LINES) do found = found + (lines[i]:find(pattern) and 1 or 0) end
  return 2 * found > math.min(#lines, LINES)
end

local TRIED = 500 -- records that a parser is tried on

--- True if a parser takes most of the records. `first`: it must take the first, too.
---@param parser table
---@param records string[]
---@param first boolean?
---@return boolean
function M.takes(parser, records, first)
  local some = table.move(records, 1, math.min(#records, TRIED), 1, {})
  local rows, taken = leat.parsed(parser, some), 0
  for _, row in ipairs(rows or {}) do taken = taken + (type(row) == "table" and 1 or 0) end
  return 2 * taken > #some and not (first and type(rows[1]) ~= "table")
end

--- Returns the format of examples that the first lines seem to have; nil if they have none. A row of LIBSVM may have no
--- features, or a comment at its end.
local function seeming(lines)
  local label = "^" .. NUMBER
  if all(lines, label .. "%s+%S+:%S+:" .. NUMBER, label .. "%s*$") then return "libffm" end
  if all(lines, label .. "[%d.,]*%s+%w+:" .. NUMBER, label .. "%s*$") or all(lines, label .. "[%d.,]*%s+%w+:" .. NUMBER, label .. "%s*#") then
    return "libsvm"
  end
  if most(lines, "^[^|,;]*|") and most(lines, "|%S* %S") then return "vw" end
end

--- Returns the format of examples, one a line: libffm, libsvm or vw; nil if it is none of these, or if its parser does not
--- take the lines.
---@param lines string[]
---@return string?
function M.examples(lines)
  local format, rows = seeming(lines), {}
  for _, line in ipairs(format and lines or {}) do rows[#rows + 1] = not line:find("^#") and line or nil end
  return format and M.takes(leat.parse[format] {}, rows) and format or nil
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
