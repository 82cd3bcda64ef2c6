--- The format of the first records, for `leat peek` (lua/leat/peek.lua): each guess is held against its own parser, which
--- must take most of these records.

local leat = require "leat"
local blanks = require "leat.peek_blanks"
local conversions = require "leat.conversions"
local csv = require "leat.peek_csv"
local flat = require "leat.flat"
local inputs = require "leat.inputs"
local line_format = require "leat.line_format"
local logs = require "leat.logs"
local args = leat.args

local M = {}

--- Fails: the file has no readable records. `what` tells its kind, and what to do.
local function refuse(what) error(what, 0) end

local PREAMBLE = 20 -- most lines before a heading

--- Returns the number of the first line that begins with `line`. Blank lines count.
local function line_of(text, line)
  local at = ("\n" .. text):find("\n" .. line, 1, true)
  return 1 + select(2, text:sub(1, at - 1):gsub("\n", ""))
end

--- Refuses a table with other lines before its heading. At least twenty of twenty-one records below the heading must
--- have its number of fields, and the one above must not.
local function check_preamble(text, lines, quote)
  local records = csv.joined(lines, quote)
  if csv.delimiter_of(lines, quote) or csv.delimiter_of(records, quote) then return end
  for first = 2, math.min(PREAMBLE + 1, #records - 2) do
    local rest = table.move(records, first, #records, 1, {})
    local delimiter, alike = csv.delimiter_of(rest, quote)
    local n = delimiter and #csv.fields(rest[1], delimiter, quote) or 0
    local is_table = n > 2 or n == 2 and (delimiter ~= "," or #rest > 10)
    if is_table and 21 * alike >= 20 * #rest and #csv.fields(records[first - 1], delimiter, quote) ~= n then
      local before, after = conversions.printed(args.data)
      local line = line_of(text, rest[1]:match("^[^\n]*"))
      refuse(("its table begins in line %d, with '%s': remove the lines before it: %stail -n +%d%s >data.csv"):format(
        line, rest[1]:sub(1, 60):gsub("%c", "?"), before, line, after))
    end
  end
end

--- Refuses lines before CSV that are no records: Excel's, comments, and a title.
local function check_csv(text, lines, quote)
  if args.format or args.delimiter or not lines[1] then return end
  local before, after = conversions.printed(args.data)
  if lines[1]:find("^[sS][eE][pP]=.$") then
    refuse(("its first line, %s, is only for Excel: remove it: %stail -n +2%s >data.csv"):format(lines[1], before, after))
  end
  local first = 1
  while lines[first] and lines[first]:find("^#") do first = first + 1 end
  local rest = csv.joined(table.move(lines, first, #lines, 1, {}), quote)
  local delimiter = first > 1 and csv.delimiter_of(rest, quote)
  if delimiter and (first > 2 or lines[1]:find("^#%s") or #csv.fields(lines[1], delimiter, quote) ~= #csv.fields(rest[1], delimiter, quote)) then
    local names = lines[first - 1]:gsub("^#%s*", "")
    local is_heading = #csv.fields(names, delimiter, quote) == #csv.fields(rest[1], delimiter, quote)
    refuse(("it begins with comments: remove them: %s%s >data.csv"):format(before, is_heading
      and ("tail -n +%d%s | sed '1s/^#[[:blank:]]*//'"):format(line_of(text, lines[first - 1]), after) or "grep -v '^#'" .. after))
  end
  check_preamble(text, lines, quote)
end

--- Returns the objects of a text that has them on several lines each; nil if it has none.
local function objects_of(text)
  if not text:find('^%s*{%s*"') then return nil end
  local list, arrays = flat.objects(text)
  if #arrays > 0 and #list < 2 then
    local key = arrays[1]:find("^[%a_][%w_]*$") and arrays[1] or '"' .. arrays[1] .. '"'
    refuse(("one JSON object with an array of objects: leat reads one object per line: convert it with %s"):format(
      conversions.with_jq("." .. key .. "[]", args.data)))
  end
  local begins = select(2, ("\n" .. text):gsub("\n{", ""))
  if #list == 0 or begins > #list + 1 or begins < #list then
    refuse(("JSON over several lines: leat reads one object per line: convert it with %s"):format(conversions.with_jq(".", args.data)))
  end
  return list
end

--- Returns the delimiter, the records and the quote of CSV; nil if its parser does not take them. A file whose name says
--- that it is CSV may have one column.
local function columns_of(lines)
  local _, delimiter, records = line_format.columns(lines, args.quote or '"')
  if not delimiter and not args.brokers and inputs.extension(args.data) == "csv" then
    delimiter = ","
  end
  local quote = delimiter and csv.quote_of(lines, delimiter, args.quote)
  if quote == "" then records = lines end
  if not delimiter then return nil end
  local names = {}
  for i = 1, #csv.fields(records[1], delimiter, quote) do names[i] = "c" .. i end
  if not line_format.takes(leat.parse.csv { header = false, columns = names, delimiter = delimiter, quote = quote, extra = "ignore", short = "fill" },
    records, true) then return nil end
  return delimiter, records, quote
end

--- Returns the form of lines with a level, if its pattern takes most of them; nil otherwise.
local function stamped_of(lines)
  local form, begun = logs.stamped_of(lines), {}
  for _, line in ipairs(form and lines or {}) do begun[#begun + 1] = logs.level_of(line, form) and line or nil end
  return form and line_format.takes(leat.parse.regex { pattern = form.pattern }, begun) and form or nil
end

--- Returns the format of the text, its lines or records, and the delimiter and the quote of columns.
---@param text string
---@param lines string[]
---@return string, string[], string?, string?
function M.of(text, lines)
  local named, stamped = logs.format_of(lines), stamped_of(lines)
  if stamped and (not named or named == "syslog3339") then return "stamped", lines end -- its level is a column
  if named then return named, named == "postgres" and csv.joined(lines, '"') or lines end
  local objects = objects_of(text)
  if objects then return "json", objects end
  check_csv(text, lines, args.quote or '"')
  local found = line_format.examples(lines)
  if found then return found, lines end
  local delimiter, records, quote = columns_of(lines)
  if delimiter then return "csv", records, delimiter, quote end
  local _, pattern = blanks.of(lines)
  return pattern and line_format.takes(leat.parse.regex { pattern = pattern }, lines) and "blanks" or "lines", lines
end

return M
