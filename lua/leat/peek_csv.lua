--- CSV for `leat peek` (lua/leat/peek.lua): records, their fields, and whether the first is a heading.

local is_escaped = require("leat").args.escapes == "backslash"

local M = {}

--- Returns the place of the quote that closes a text, whose first byte is at `from`; nil if there is none.
function M.closing_quote(text, from, quote)
  local at = from
  while true do
    local stop = text:find(quote, at, true)
    local k = stop
    while k and is_escaped and k > from and text:byte(k - 1) == 92 do k = k - 1 end
    if not stop or (stop - k) % 2 == 0 and text:sub(stop + 1, stop + 1) ~= quote then return stop end
    at = stop + ((stop - k) % 2 == 0 and 2 or 1)
  end
end

--- Returns a text in quotes with single quotes for doubled ones, and without its escapes.
function M.unquoted(text, quote)
  local mark = quote:gsub("%p", "%%%0")
  if not is_escaped then return (text:gsub(mark:rep(2), (quote:gsub("%%", "%%%%")))) end
  return (text:gsub("([\\" .. mark .. "])(.)", function(first, c)
    return (c == quote or first == "\\" and c:find("[\\\r\n]")) and c or nil
  end))
end

--- Returns the text in quotes at `at`, and the place after it; nil if there is none. An empty text in quotes is "\0",
--- as an empty field without quotes has no text.
local function in_quotes(line, at, quote)
  if quote == "" or line:sub(at, at) ~= quote then return nil, at end
  local stop = M.closing_quote(line, at + 1, quote)
  if not stop then return nil, at end
  local text = line:sub(at + 1, stop - 1)
  return text == "" and "\0" or M.unquoted(text, quote), stop + 1
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

local QUOTED = 4000 -- most lines that are looked at


local LINES_OF_RECORD = 100

--- Joins lines to records: a line with an open quote continues.
function M.joined(lines, quote)
  if quote == "" then return lines end
  quote = quote:gsub("%p", "%%%0")
  local records, record, n, quotes = {}, nil, 0, 0
  for _, line in ipairs(lines) do
    record, n = record and record .. "\n" .. line or line, record and n + 1 or 1
    if is_escaped then line = line:gsub("\\.", "") end
    quotes = quotes + select(2, line:gsub(quote, ""))
    if quotes % 2 == 0 or n == LINES_OF_RECORD then records[#records + 1], record, quotes = record, nil, 0 end
  end
  return records
end

--- Returns the share of records that have as many fields as the first.
local function share_alike(records, quote)
  local n, alike = #M.fields(records[1] or "", "\t", quote), 0
  for _, record in ipairs(records) do
    if #M.fields(record, "\t", quote) == n then alike = alike + 1 end
  end
  return alike / math.max(#records, 1)
end

--- True if each field that begins with a quote ends with one and has only doubled ones inside, which some have.
local function have_doubled(lines)
  local doubled = false
  for _, line in ipairs(lines) do
    for field in (line .. "\t"):gmatch('("[^\t]*)\t') do
      local inner = #field > 1 and field:match('^"(.*)"$')
      local rest, n = (inner or '"'):gsub('""', "")
      if rest:find('"', 1, true) then return false end
      doubled = doubled or n > 0
    end
  end
  return doubled
end

--- Returns the quote of lines: `given`, or none between tabs, unless quotes enclose fields there. Excel, DuckDB and Python's
--- csv write them; in the files of databases a quote is text. Quotes enclose fields if they enclose all names of the heading,
--- if some are doubled inside, or if tabs and line ends in them explain lines that differ from the heading.
---@param lines string[]
---@param delimiter string
---@param given string?
---@return string
function M.quote_of(lines, delimiter, given)
  if given or delimiter ~= "\t" then return given or '"' end
  lines = table.move(lines, 1, math.min(#lines, QUOTED), 1, {})
  for _, line in ipairs(lines) do
    if line:find("\\N", 1, true) and ("\t" .. line .. "\t"):find("\t\\N\t", 1, true) then return "" end
  end
  local heading = ("\t" .. (lines[1] or "")):gsub('\t"[^\t"]*"', "") == "" and lines[1] ~= ""
  if heading or have_doubled(lines) then return '"' end
  local records = share_alike(M.joined(lines, '"'), '"')
  return records > 20 / 21 and records > share_alike(lines, "") and '"' or ""
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
