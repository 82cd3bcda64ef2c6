--- The levels of columns of texts, for leat.attributes: paths, addresses, dotted names and sentences have parents.
---
--- A column has levels if it has more than 20 texts, nearly all with a separator: a slash, or dots between letters, digits,
--- _ and -. Addresses such as 10.1.2.3 have the parents 10., 10.1. and 10.1.2. Dotted names are counted from the side that
--- has fewer parents: www.example.com from the right, org.example.Main from the left. Texts of several words that are too
--- many to be attributes have their first words: of "disk full on /dev/sda" the first one, two and three. The depth is at
--- most 3, as far as there are at most 500 parents, and fewer than texts.

local M = {}

local FEW, MANY, DEEPEST, NEARLY = 20, 500, 3, .95

--- Returns the parents of a text as leat.feature.columns cuts it (plugins/featurizers/columns_levels.c).
local function parents_of(text, separator, depth, right)
  local list, from = {}, 1
  if right then text = text:reverse() end
  while #list < depth do
    while text:sub(from, from) == separator do from = from + 1 end
    local at = text:find(separator, from, true)
    if not at then break end
    from = text:find("[^" .. separator .. "]", at) or #text + 1
    if from > #text then break end
    list[#list + 1] = right and text:sub(1, from - 1):reverse() or text:sub(1, from - 1)
  end
  return list
end

--- Returns the number of different parents of a column's texts.
local function count(c, separator, depth, right)
  local n, is = 0, {}
  for text in pairs(c.had) do
    for _, parent in ipairs(parents_of(text, separator, depth, right)) do
      if not is[parent] then is[parent], n = true, n + 1 end
    end
  end
  return n
end

--- True if nearly all texts of a column have a pattern.
local function have(c, pattern)
  local n = 0
  for text in pairs(c.had) do n = n + (text:find(pattern) and 1 or 0) end
  return n >= NEARLY * c.values
end

--- Returns the separator of a column, and true if levels are counted from the right; nil if it has no levels.
local function form_of(c)
  if have(c, "[^/]/+[^/]") then return "/", false end
  if have(c, "^%d+%.%d+%.%d+%.%d+$") then return ".", false end
  if have(c, "^[+-]?%d*%.?%d+$") then return nil end -- numbers, with some words
  if have(c, "^[%w_-]+%.[%w_.-]*[%w_-]$") then return ".", count(c, ".", 1, true) < count(c, ".", 1, false) end
  if (c.values > MANY or c.values > c.n / 2) and have(c, "%S +%S") then return " ", false end
end

--- Returns the levels of a column of texts: `entry`, as leat.feature.columns takes them after the name, parents_of(text), and
--- are_words, true if the parents are first words; nil if it has none.
---@param c table
---@return table?
function M.of(c)
  if c.numbers or c.values <= FEW then return nil end
  local separator, right = form_of(c)
  local depth = separator and DEEPEST or 0
  while depth > 0 do
    local n = count(c, separator, depth, right)
    if n < 2 then return nil end
    if n <= MANY and n < c.values then break end
    depth = depth - 1
  end
  if depth == 0 then return nil end
  return {
    entry = ("%s %d%s"):format(separator, depth, right and " right" or ""), are_words = separator == " ",
    parents_of = function(text) return parents_of(text, separator, depth, right) end,
  }
end

return M
