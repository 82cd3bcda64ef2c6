--- leat.elements: attributes that hold several values, as applications take them from --set.
---
---   local elements = require "leat.elements"
---   return leat.pipeline "mine" {
---     inputs.records(), inputs.rows(format, { separator = elements.between(format) }), …
---     elements.features { columns = leat.args.attributes, cross = 2 }, …
---   }
---
--- A column of a path with [*], such as tags[*], has the elements of an array: each becomes an attribute, tags[*]=promo.
---
--- each         other columns that hold several values, comma separated
--- separator    the text between these values (a blank). Of JSON and Avro also what joins the elements of [*]: unless
---              given, a character that texts do not have, or a blank where a condition names a path with [*]
--- elements     the most values of a column that a record has: others are left out (16, or what room there is)

local leat = require "leat"
local args = leat.args

local elements = {}

local UNIT = "\31" -- ASCII's separator of units
local MOST, FEATURES = 16, 10000 -- elements of a column; features of a record, as leat.feature.columns has them

local function set(list)
  local has = {}
  for _, name in ipairs(list) do has[name] = true end
  return has
end

--- Does an expression name a path with [*]? Then it finds blanks between the elements.
local function is_asked_of()
  for _, what in ipairs { "outlier", "filter", "derive", "split" } do
    if (args[what] or ""):find("[*]", 1, true) then return true end
  end
  return false
end

--- The separator for the parser of a format; nil: it joins nothing.
---@param format string?
---@return string?
function elements.between(format)
  if format ~= "json" and format ~= "avro" then return nil end
  return args.separator or not is_asked_of() and UNIT or nil
end

--- The names that --set columns gives to paths with [*].
local function named()
  local names = {}
  for _, column in ipairs(leat.list(args.columns or "")) do
    local name, path = column:match("^([^\"=]*)=(.+)$")
    if path and path:find("[*]", 1, true) then names[#names + 1] = name end
  end
  return names
end

--- Features of n attributes and their conjunctions.
local function features_of(n, cross)
  return n + (cross > 1 and n * (n - 1) // 2 or 0) + (cross > 2 and n * (n - 1) * (n - 2) // 6 or 0)
end

--- Elements of a column for which a record has room.
local function room(n_columns, n_each, cross)
  local most = MOST
  while most > 1 and features_of(n_columns + n_each * most, cross) > FEATURES do most = most - 1 end
  return most
end

--- leat.feature.columns, with what holds several values among `columns`, and with --set each, as `each`.
---@param more table columns, numbers, cross, explode, constant
---@param format string?
function elements.features(more, format)
  local each, columns, numbers = leat.list(args.each or ""), {}, leat.list(more.numbers or "")
  local is_each, several = set(each), set(named())
  for _, name in ipairs(leat.list(more.columns or "")) do
    if name:find("[*]", 1, true) or several[name] then
      if not is_each[name] then each[#each + 1] = name end
    elseif not is_each[name] then
      columns[#columns + 1] = name
    end
  end
  local cross = tonumber(more.cross) or 1
  local has = #each > 0
  return leat.feature.columns {
    columns = #columns > 0 and columns or nil, numbers = more.numbers, cross = more.cross, explode = more.explode,
    constant = more.constant,
    each = has and each or nil, separator = has and (elements.between(format) or args.separator) or nil,
    elements = has and (args.elements or room(#columns + #numbers, #each, cross)) or nil,
  }
end

return elements
