--- CSV for `leat peek` (lua/leat/peek.lua): records, their fields, and whether the first is a heading.

local M = {}

--- Returns the text in quotes at `at`, and the place after it; nil if there is none. An empty text in quotes is "\0",
--- as an empty field without quotes has no text.
local function in_quotes(line, at, quote)
  if quote == "" or line:sub(at, at) ~= quote then return nil, at end
  local from, stop = at + 1, nil
  repeat
    stop = line:find(quote, from, true)
    if not stop then return nil, at end
    from = stop + 2
  until line:sub(stop + 1, stop + 1) ~= quote
  local text = line:sub(at + 1, stop - 1)
  return text == "" and "\0" or text:gsub(quote:gsub("%p", "%%%0"):rep(2), (quote:gsub("%%", "%%%%"))), stop + 1
end

--- Returns the fields of a record. Delimiters within quotes do not count.
function M.fields(line, delimiter, quote)
  local list, at = {}, 1
  while true do
    local text, rest = in_quotes(line, at, quote)
    local cut = line:find(delimiter, rest, true)
    list[#list + 1] = (text or "") .. line:sub(rest, (cut or #line + 1) - 1)
    if not cut then return list end
    at = cut + #delimiter
  end
end

--- Returns the delimiter that cuts most lines into as many fields as the first line, more than one; and the number of
--- such lines. nil if there is none.
function M.delimiter_of(lines, quote)
  local best, most, lines_alike
  for _, delimiter in ipairs { "\t", ",", ";", "|" } do
    local n = #M.fields(lines[1] or "", delimiter, quote)
    local alike = 0
    for _, line in ipairs(lines) do
      local found = M.fields(line, delimiter, quote)
      if #found == n or #found == n + 1 and found[#found] == "" then alike = alike + 1 end
    end
    if n > 1 and 2 * alike > #lines and (not most or n > most) then best, most, lines_alike = delimiter, n, alike end
  end
  return best, lines_alike
end

local LINES_OF_RECORD = 100

--- Joins lines to records: a line with an open quote continues.
function M.joined(lines, quote)
  if quote == "" then return lines end
  quote = quote:gsub("%p", "%%%0")
  local records, record, n, quotes = {}, nil, 0, 0
  for _, line in ipairs(lines) do
    record, n = record and record .. "\n" .. line or line, record and n + 1 or 1
    quotes = quotes + select(2, line:gsub(quote, ""))
    if quotes % 2 == 0 or n == LINES_OF_RECORD then records[#records + 1], record, quotes = record, nil, 0 end
  end
  return records
end

--- Returns the delimiter, and the lines or (if these fit better) the joined lines that it cuts into fields.
function M.cut(lines, quote)
  local delimiter, alike = M.delimiter_of(lines, quote)
  local records = M.joined(lines, quote)
  if #records == #lines then return delimiter, lines end
  local other, others_alike = M.delimiter_of(records, quote)
  if other and (not delimiter or others_alike / #records > alike / #lines) then return other, records end
  return delimiter, lines
end

--- True if a field may be a column's name: it is neither a number nor empty.
local NUMBER = "^[+-]?%d[%d.,' ]*$"
local function is_name(field) return field ~= "" and not tonumber(field) and not field:find(NUMBER) end

--- Returns a name that occurs twice; nil if there is none.
function M.twice(names)
  local had = {}
  for _, name in ipairs(names) do
    if had[name] then return name end
    had[name] = true
  end
end

local BELOW = 20 -- records to check below a heading

--- True if a column has only numbers below the first record.
local function has_numbers(records, columns, delimiter, quote)
  local rows = {}
  for k = 2, math.min(#records, 1 + BELOW) do rows[#rows + 1] = M.fields(records[k], delimiter, quote) end
  for i = 1, columns do
    local numbers = #rows > 0
    for _, row in ipairs(rows) do numbers = numbers and (row[i] or ""):find(NUMBER) ~= nil end
    if numbers then return true end
  end
  return false
end

local function are_names(list)
  for _, name in ipairs(list) do
    if not is_name(name) then return false end
  end
  return true
end

--- True if the first record is a heading. All its fields must be possible names. If a name occurs twice, a column must
--- have only numbers below it.
function M.has_heading(names, records, delimiter, quote)
  return are_names(names) and (not M.twice(names) or has_numbers(records, #names, delimiter, quote))
end

--- True if all `names` are possible names and a column below has only numbers, such as pandas' record numbers.
function M.stands_above_numbers(names, records, delimiter, quote)
  return are_names(names) and has_numbers(records, #names, delimiter, quote)
end

--- Returns the names of a heading in a form for `columns`: each once, and without a comma.
function M.distinct(names)
  local list, had = {}, {}
  for _, name in ipairs(names) do had[name] = true end
  local taken = {}
  for i, name in ipairs(names) do
    local plain = name:gsub("[,%c]", "_")
    local new, n = plain, 1
    while taken[new] or new ~= name and had[new] do
      n = n + 1
      new = plain .. "_" .. n
    end
    taken[new], list[i] = true, new
  end
  return list
end

return M
