--- Columns between runs of blanks, as in tables of fixed width, for `leat peek` (lua/leat/peek.lua). A regular expression
--- with a named group for each column reads them.

local csv = require "leat.peek_csv"
local conditions = require "leat.conditions"

local M = {}

local LINES = 10   -- fewest lines
local COLUMNS = 32 -- most columns: the expression has a group for each

--- Returns the texts between the blanks of a line.
---@param line string
function M.fields(line)
  local list = {}
  for text in line:gmatch("%S+") do list[#list + 1] = text end
  return list
end

--- True if at least nineteen of twenty lines below the first have n texts, and one of the columns has only numbers there.
local function are_columns(lines, n)
  local alike, numbers = 0, {}
  for i = 1, n do numbers[i] = true end
  for k = 2, #lines do
    local fields = M.fields(lines[k])
    if #fields == n then
      alike = alike + 1
      for i, text in ipairs(fields) do numbers[i] = numbers[i] and tonumber(text) ~= nil end
    end
  end
  local any = false
  for i = 1, n do any = any or numbers[i] end
  return any and 20 * alike >= 19 * (#lines - 1)
end

--- Returns names as an expression's groups can have them: letters, digits and _, each once.
local function group_names(heading, n)
  local names = {}
  for i = 1, n do
    local name = heading and heading[i]:gsub("[^%w_]", "_") or "c" .. i
    names[i] = name:find("^%a") and name or "c" .. i .. "_" .. name
  end
  return csv.distinct(names)
end

--- Returns the names of the columns between blanks, the expression that reads a line, and, if the first line is a heading,
--- a condition that is false for it. nil if the lines are no such table.
---@param lines string[]
function M.of(lines)
  local first = M.fields(lines[1] or "")
  local n = #first
  if #lines < LINES or n < 2 or n > COLUMNS then return nil end
  if not are_columns(lines, n) then return nil end
  local heading = true
  for _, text in ipairs(first) do heading = heading and not tonumber(text) end
  local names = group_names(heading and first, n)
  local groups = {}
  for i, name in ipairs(names) do groups[i] = "(?<" .. name .. [[>\S+)]] end
  local condition = heading and not first[1]:find('["\\]') and ('%s != "%s"'):format(conditions.column(names[1]), first[1])
  return names, [[^\s*]] .. table.concat(groups, [[\s+]]) .. [[\s*$]], condition or nil
end

return M
