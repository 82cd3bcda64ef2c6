--- Marks of absence in columns of numbers, for `leat peek` (lua/leat/peek.lua) and leat.sampled: NA, n/a, null, -, ?

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

--- Returns the marks in a column, most frequent first, and the number of rows with a mark.
local function marks_of(c)
  local list, n = {}, 0
  for text, had in pairs(c.had) do
    if is_mark(text) then list[#list + 1], n = text, n + had end
  end
  table.sort(list, function(a, b) return c.had[a] > c.had[b] or c.had[a] == c.had[b] and a < b end)
  return list, n
end

local LOOK = 2500 -- most rows to find another form of numbers by

--- Returns a function that tells whether a column has numbers in another form, such as a decimal comma. It looks at the
--- rows when it is first called.
local function in_other_form(seen, rows, delimiter)
  local is
  return function(name)
    if is then return is[name] end
    local some, names, step = {}, {}, math.max(1, #rows // LOOK)
    for k = 1, #rows, step do some[#some + 1] = rows[k] end
    for i, c in ipairs(seen) do names[i] = c.name end
    some = without(some, is_mark)
    local form, columns = number_forms.of(some, names, delimiter)
    if form then form, columns = number_forms.with_dots(some, names, form, columns) end
    is = {}
    for _, one in ipairs(form and columns or {}) do is[one] = true end
    return is[name]
  end
end

--- True if texts with a digit have nothing but digits and marks of numbers.
local function may_be_numbers(c)
  local some = false
  for text in pairs(c.had) do
    local has_digit = text:find("%d")
    if has_digit and not text:find("^[+-]?%d[%d.,' \x80-\xff]*$") then return false end
    some = some or has_digit ~= nil
  end
  return some
end

--- Returns the columns that are numbers except for their marks and a few words: { name, marks, share of the rows }.
local function columns_of(seen, rows, delimiter)
  local has_form, list = in_other_form(seen, rows, delimiter), {}
  for _, c in ipairs(seen) do
    local found, n = marks_of(c)
    local rest = n > 0 and n < c.n and #found <= MOST and first_columns.without(c, found)
    local words = rest and first_columns.words_in_numbers(rest)
    if words then rest = first_columns.without(rest, words) end
    if rest and (rest.numbers or may_be_numbers(rest) and has_form(c.name)) then
      list[#list + 1] = { name = c.name, marks = found, share = n / #rows }
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
--- text with such a mark, of which it is a value there. `seen` has the columns' figures from the rows.
---@param seen table[]
---@param rows string[][]
---@param delimiter string
function M.of(seen, rows, delimiter)
  local columns, is_number, is_taken, texts, others = columns_of(seen, rows, delimiter), {}, {}, {}, {}
  for _, c in ipairs(columns) do
    is_number[c.name] = true
    for _, text in ipairs(c.marks) do
      if not is_taken[text] then is_taken[text], texts[#texts + 1] = true, text end
    end
  end
  for _, c in ipairs(seen) do
    local holds = false
    for _, text in ipairs(texts) do holds = holds or c.had[text] ~= nil end
    if holds and not is_number[c.name] and not first_columns.without(c, texts).time_format then others[#others + 1] = c.name end
  end
  return columns, texts, others
end

return M
