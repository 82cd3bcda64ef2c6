--- leat.ratings: from records to ratings of items by users, with settings from --set (pipelines/rate.lua).
---
---   local ratings = require "leat.ratings"
---   local stages, columns, rating = ratings.parse(leat.args)
---
--- format      tsv (columns by position), csv (columns by name), json or libfm; by default json or csv if the names of
---             the files end so, and tsv otherwise
--- separator, delimiter
---             the text between columns
--- columns, header, quote, missing_texts, derive, filter, …
---             csv, json: see lua/leat/inputs.lua
--- user, item, rating, context
---             names of the columns. Without them, csv and json take the first columns whose names say so: userId,
---             movie_id, stars (lua/leat/name_words.lua)

local leat = require "leat"
local csv = require "leat.peek_csv"
local examples = require "leat.examples"
local flat = require "leat.flat"
local inputs = require "leat.inputs"
local words = require "leat.name_words"

local ratings = {}

local ROLES = { "user", "item", "rating" }
local LOOK = 1 << 16 -- bytes of the first lines

--- Returns the first line of files that can be read again; nil if there is none.
local function first_line(args)
  if args.brokers or not args.data then return nil end
  local text = leat.beginning(args.data, LOOK, args.encoding)
  return text and text:gsub("^\239\187\191", ""):match("^([^\r\n]+)")
end

--- Returns the text between columns.
local function separator_of(args, default)
  return (args.separator or args.delimiter or default):gsub("\\t", "\t")
end

--- Returns the column that has a role: the one that --set names, one of the role's own name, or the first whose name
--- says so. nil if there is none.
local function find(args, role, names)
  if args[role] then return args[role] end
  for _, name in ipairs(names) do
    if name == role then return name end
  end
  for _, name in ipairs(names) do
    if words.plays(name, role) then return name end
  end
end

--- Returns the columns of user, item and rating among those of the input. Fails if one is not found, if `must`.
local function roles_of(args, names, must)
  local found = {}
  for _, role in ipairs(ROLES) do
    found[role] = find(args, role, names)
    if must and not found[role] then
      error(("no column is named like a%s %s: name it, --set %s=COLUMN (columns: %s)"):format(role == "item" and "n" or "", role,
        role, table.concat(names, ", "):gsub("%c", "?")), 0)
    end
    found[role] = found[role] or role
  end
  if must and not (args.user or args.item or args.rating) then
    leat.info(("user = %s, item = %s, rating = %s, found by the names of the columns"):format(found.user, found.item, found.rating))
  end
  return found
end

--- Returns the stages after the parser, which make examples.
local function examples_of(args, found)
  local features = { found.user, found.item, table.unpack(leat.list(args.context or "")) }
  return {
    leat.label.number { column = found.rating, missing = "filter" },
    examples.weights { weight = args.weight },
    leat.feature.columns { columns = features },
  }, features, found.rating
end

--- True if a first line between tabs names the columns: none of its fields is a number.
local function is_heading(line, separator)
  for _, field in ipairs(csv.fields(line, separator, "")) do
    if tonumber(field) then return false end
  end
  return true
end

--- Refuses data without the separator in its first line.
local function check_separator(args, line, separator)
  if line and not line:find(separator, 1, true) then
    error(("the first line has no %s between its columns: '%s': give --set format=csv, or the text between them, --set separator=::"):format(
      separator == "\t" and "tab" or "'" .. separator .. "'", line:sub(1, 60):gsub("%c", "?")), 0)
  end
end

--- Reads columns by position, or by the names of a heading.
local function tsv(args)
  local separator, line = separator_of(args, "\t"), first_line(args)
  check_separator(args, line, separator)
  local header = leat.flag(args, "header", not args.columns and line ~= nil and is_heading(line, separator))
  if header and not args.header then leat.info("header = true, because the first line has no numbers") end
  local named = args.columns and leat.list(args.columns)
  local found = roles_of(args, named or header and line and csv.fields(line, separator, "") or ROLES, named ~= nil or header)
  if not header and not named then named = { found.user, found.item, found.rating, "timestamp" } end
  local stages, features, rating = examples_of(args, found)
  return { leat.parse.csv { delimiter = separator, quote = "", header = header, columns = named }, stages }, features, rating
end

--- Reads columns by their names.
local function of_csv(args)
  local separator, line = separator_of(args, ","), first_line(args)
  local named = args.columns and leat.list(args.columns)
  if not named and not leat.flag(args, "header", true) then
    named = { args.user or "user", args.item or "item", args.rating or "rating", "timestamp" }
  end
  local quote = #separator > 1 and "" or args.quote
  if not args.pattern and not named then check_separator(args, line, separator) end
  local names = named or line and not args.pattern and csv.fields(line, separator, quote or '"') or {}
  local found = roles_of(args, names, #names > 0 and not args.derive)
  local stages, features, rating = examples_of(args, found)
  return { inputs.csv { delimiter = separator, quote = quote, columns = named }, stages }, features, rating
end

--- Reads an object a record.
local function json(args)
  local names = {}
  for i, value in ipairs(flat.values(first_line(args) or "", true) or {}) do names[i] = value[1] end
  local stages, features, rating = examples_of(args, roles_of(args, names, false))
  return { inputs.json(), stages }, features, rating
end

local formats = {
  tsv = tsv, csv = of_csv, json = json,
  libfm = function() return leat.parse.libsvm { label = "raw" } end,
}

--- Returns the format: that of --set, or what the names of the files say.
local function format_of(args)
  if args.pattern then return "csv" end
  local format = inputs.format(args.data)
  if format or args.brokers or not args.data or inputs.extension(args.data) ~= "csv" then return format or "tsv" end
  leat.info("format = csv, because the name of the data ends in .csv")
  return "csv"
end

--- Returns the stages that parse ratings. Also returns the names of the columns that are features, and of the ratings;
--- nil if the format has no columns.
---@param args table
function ratings.parse(args)
  local format = format_of(args)
  if not formats[format] then error(("format is %s: give tsv, csv, json or libfm"):format(format), 0) end
  local stages, features, rating = formats[format](args)
  return { stages, examples.holdout(args) }, features, rating
end

return ratings
