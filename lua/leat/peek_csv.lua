--- CSV as `leat peek` sees it (lua/leat/peek.lua): records, their fields, and whether the first is a heading.

local M = {}

--- The text in quotes at `at`, and the place after it; nil: there is none. An empty one is "\0", as a field without
--- quotes is no text.
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

--- Fields of a record: delimiters within quotes are none.
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

--- The delimiter that cuts most lines into as many fields as the first, more than one, and how many; nil: there is none.
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

--- Records: lines of which a quote that is not closed makes one.
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

--- The delimiter, and the records that it cuts.
function M.cut(lines, quote)
  local delimiter, alike = M.delimiter_of(lines, quote)
  local records = M.joined(lines, quote)
  if #records == #lines then return delimiter, lines end
  local other, others_alike = M.delimiter_of(records, quote)
  if other and (not delimiter or others_alike / #records > alike / #lines) then return other, records end
  return delimiter, lines
end

--- Is the first line a heading? No field of it is a number, or empty, or there twice.
function M.has_heading(names)
  local had = {}
  for _, name in ipairs(names) do
    if name == "" or tonumber(name) or name:find("^[+-]?%d[%d.,' ]*$") or had[name] then return false end
    had[name] = true
  end
  return true
end

return M
