--- Marks of absence in columns of numbers, for `leat peek` (lua/leat/peek.lua): NA, n/a, null, -, ?

local leat = require "leat"
local number_forms = require "leat.number_forms"
local first_columns = require "leat.peek_columns"

--- Marks in lower case, as they are compared. A dot is SAS's, and \n is MySQL's \N.
local marks = {
  ["na"] = true, ["n/a"] = true, ["#n/a"] = true, ["<na>"] = true, ["nan"] = true, ["null"] = true, ["nil"] = true,
  ["none"] = true, ["\\n"] = true, ["-"] = true, ["--"] = true, ["?"] = true, ["."] = true,
}
local MOST = 2 -- marks in one column

local function is_mark(text) return marks[text:lower()] end

--- Returns the rows with each field emptied for which none(field) is true.
local function without(rows, none)
  local list = {}
  for k, row in ipairs(rows) do
    local fields = {}
    for i, text in ipairs(row) do fields[i] = none(text) and "" or text end
    list[k] = fields
  end
  return list
end

--- Returns the marks in column i, most frequent first, and the number of rows with a mark.
local function marks_of(rows, i)
  local had, list, n = {}, {}, 0
  for _, row in ipairs(rows) do
    local text = row[i]
    if text and is_mark(text) then
      if not had[text] then had[text], list[#list + 1] = 0, text end
      had[text], n = had[text] + 1, n + 1
    end
  end
  table.sort(list, function(a, b) return had[a] > had[b] or had[a] == had[b] and a < b end)
  return list, n
end

--- Returns the columns that are numbers except for their marks: { name, marks, share of the rows }.
local function columns_of(rows, names, delimiter)
  local numbers = without(rows, is_mark)
  local form, columns = number_forms.of(numbers, names, delimiter)
  if form then form, columns = number_forms.with_dots(numbers, names, form, columns) end
  local settings = form and { decimal = form[1], thousands = form[2], numbers = columns } or {}
  local list = {}
  for i, c in ipairs(first_columns.of_rows(numbers, #numbers, names, settings)) do
    local found, n = marks_of(rows, i)
    if c.numbers and c.n > 0 and n > 0 and #found <= MOST then
      list[#list + 1] = { name = names[i], marks = found, share = n / #rows }
    end
  end
  return list
end

local M = {}

--- Returns the rows as parse.csv reads them if `texts` are its missing texts.
---@param rows string[][]
---@param texts string[]
function M.taken(rows, texts)
  local is = {}
  for _, text in ipairs(texts) do is[text] = true end
  return without(rows, function(text) return is[text] end)
end

--- Returns the columns of numbers that have marks, with the marks and their share; all these marks; and the columns of
--- text with such a mark, which means no value there, too.
---@param rows string[][]
---@param names string[]
---@param delimiter string
function M.of(rows, names, delimiter)
  local columns, is_number, is_taken, texts, others = columns_of(rows, names, delimiter), {}, {}, {}, {}
  for _, c in ipairs(columns) do
    is_number[c.name] = true
    for _, text in ipairs(c.marks) do
      if not is_taken[text] then is_taken[text], texts[#texts + 1] = true, text end
    end
  end
  for i, name in ipairs(names) do
    local holds = false
    for _, row in ipairs(rows) do holds = holds or row[i] ~= nil and is_taken[row[i]] end
    if holds and not is_number[name] then others[#others + 1] = name end
  end
  return columns, texts, others
end

return M
