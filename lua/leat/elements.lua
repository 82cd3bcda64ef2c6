--- leat.elements: attributes that hold several values, with settings from --set.
---
---   local elements = require "leat.elements"
---   return leat.pipeline "mine" {
---     inputs.records(), inputs.rows(format, { separator = elements.between(format) }), …
---     elements.features { columns = leat.args.attributes, cross = 2 }, …
---   }
---
--- A column of a path with [*], such as tags[*], has the elements of an array. Each becomes an attribute,
--- tags[*]=promo.

local leat = require "leat"
local args = leat.args

local elements = {}

--- Declarations for leat.arguments.
elements.arguments = {
  title = "columns of several values",
  { "lists", value = "A,B", help = "columns that hold several values: each value is an attribute" },
  { "separator", value = "TEXT", usual = "a blank", help = "the text between these values. In JSON and Avro it also joins the elements of [*]. "
    .. "Its default there is a character that texts do not have" },
  { "elements", type = "integer", usual = "16, or as many as there is room for", help = "most values of a column to use of one record" },
}

local UNIT = "\31" -- ASCII's unit separator
local MOST, FEATURES = 16, 10000 -- elements of a column; features of a record, the limit of leat.feature.columns

local function set(list)
  local has = {}
  for _, name in ipairs(list) do has[name] = true end
  return has
end

--- True if an expression of --set names a path with [*]. The elements are then joined by blanks.
local function is_asked_of()
  for _, what in ipairs { "outlier", "filter", "derive", "split" } do
    if (args[what] or ""):find("[*]", 1, true) then return true end
  end
  return false
end

--- Returns the separator for the parser of a format; nil if the format joins nothing.
---@param format string?
---@return string?
function elements.between(format)
  if format ~= "json" and format ~= "otlp" and format ~= "avro" and format ~= "protobuf" then return nil end
  return args.separator or not is_asked_of() and UNIT or nil
end

--- Returns the names that --set columns gives to paths with [*].
local function named()
  local names = {}
  for _, column in ipairs(leat.list(args.columns or "")) do
    local name, path = column:match("^([^\"=]*)=(.+)$")
    if path and path:find("[*]", 1, true) then names[#names + 1] = name end
  end
  return names
end

--- Returns the number of features of n attributes and their conjunctions.
local function features_of(n, cross)
  return n + (cross > 1 and n * (n - 1) // 2 or 0) + (cross > 2 and n * (n - 1) * (n - 2) // 6 or 0)
end

--- Returns how many elements of one column can become features of a record.
local function room(n_columns, n_each, cross)
  local most = MOST
  while most > 1 and features_of(n_columns + n_each * most, cross) > FEATURES do most = most - 1 end
  return most
end

--- Returns leat.feature.columns. Columns of several values, from `columns` and --set lists, go into its `each`.
---@param more table columns, numbers, numeric, edges, levels, cross, cross_edges, explode, constant, missing
---@param format string?
function elements.features(more, format)
  local each, columns, numbers = leat.list(args.lists or ""), {}, leat.list(more.numbers or "")
  local is_each, several = set(each), set(named())
  for _, name in ipairs(leat.list(more.columns or "")) do
    if name:find("[*]", 1, true) or several[name] then
      if not is_each[name] then each[#each + 1] = name end
    elseif not is_each[name] then
      columns[#columns + 1] = name
    end
  end
  local cross, skip = tonumber(more.cross) or 1, nil
  if more.missing then skip = false end
  local has = #each > 0
  return leat.feature.columns {
    columns = #columns > 0 and columns or nil, numbers = more.numbers, cross = more.cross, explode = more.explode,
    constant = more.constant, cross_edges = more.cross_edges, edges = more.edges and #more.edges > 0 and more.edges or nil,
    levels = more.levels and #more.levels > 0 and more.levels or nil, skip_missing = skip, numeric = more.numeric,
    each = has and each or nil, separator = has and (elements.between(format) or args.separator) or nil,
    elements = has and (args.elements or room(#columns + #numbers, #each, cross)) or nil,
  }
end

return elements
