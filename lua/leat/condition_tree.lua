--- leat.condition_tree: the tree of an expression of Lua, of tokens that Lua itself has accepted.
---
--- A node has a kind and, as items, its parts:
---   column      text: its parameter. It may be without a value
---   constant    text: nil, true, a number, a text
---   function    text: of a library, as string.len, or as it stands: function(x) … end
---   table       text: as it stands. Both have the columns in it, and asks_nil: does it have the word nil?
---   or, and     two parts or more
---   not         one
---   comparison  two, and sign
---   operation   one or two, and sign: arithmetic, .., #
---   call        the function, and its arguments; with method, a name, the first part is the object
---   index       what is indexed, and by what; with field, a name, only the first
---   group       one, in parentheses

local tree = {}

local LEFT = { ["or"] = 1, ["and"] = 2, ["<"] = 3, [">"] = 3, ["<="] = 3, [">="] = 3, ["~="] = 3, ["=="] = 3, ["|"] = 4, ["~"] = 5,
  ["&"] = 6, ["<<"] = 7, [">>"] = 7, [".."] = 9, ["+"] = 10, ["-"] = 10, ["*"] = 11, ["/"] = 11, ["//"] = 11, ["%"] = 11, ["^"] = 14 }
local RIGHT = { [".."] = 8, ["^"] = 13 } -- of those that begin on the right
local UNARY = 12
local unary = { ["not"] = true, ["-"] = true, ["#"] = true, ["~"] = true }
local literals = { ["nil"] = true, ["true"] = true, ["false"] = true }
local opens = { ["function"] = true, ["do"] = true, ["if"] = true, ["repeat"] = true, ["{"] = true }
local closes = { ["end"] = true, ["until"] = true, ["}"] = true }

local reader = {}
reader.__index = reader

--- The token that comes next: a word or sign as it stands, else its kind.
function reader:sign()
  local t = self.list[self.at]
  return not t and "" or t.kind == "name" and t.text or t.kind
end

function reader:take()
  self.at = self.at + 1
  return self.list[self.at - 1]
end

--- The function or table that begins here.
function reader:whole(kind)
  local depth, parts, node = 0, {}, { kind = kind, columns = {} }
  repeat
    local sign = self:sign()
    depth = depth + (opens[sign] and 1 or closes[sign] and -1 or 0)
    node.asks_nil = node.asks_nil or sign == "nil"
    if sign == "column" then table.insert(node.columns, self.list[self.at].text) end
    parts[#parts + 1] = self:take().text
  until depth == 0
  node.text = table.concat(parts, " ")
  return node
end

function reader:arguments(call)
  local sign = self:sign()
  if sign == "string" then call[#call + 1] = { kind = "constant", text = self:take().text }
  elseif sign == "{" then call[#call + 1] = self:whole("table")
  else
    self:take()
    while self:sign() ~= ")" do
      call[#call + 1] = self:expression(0)
      if self:sign() == "," then self:take() end
    end
    self:take()
  end
  return call
end

--- A name that is no column's: of a function, or of a library before a point.
function reader:named()
  local text = self:take().text
  if self:sign() == "." then
    self:take()
    text = text .. "." .. self:take().text
  end
  return { kind = "function", text = text, columns = {} }
end

function reader:simple()
  local sign, t = self:sign(), self.list[self.at]
  if sign == "{" then return self:whole("table") end
  if sign == "function" then return self:whole("function") end
  if sign == "number" or sign == "string" or literals[sign] then return { kind = "constant", text = self:take().text } end
  if sign == "(" then
    self:take()
    local inner = self:expression(0)
    self:take()
    return { kind = "group", inner }
  end
  if t.kind == "column" then return { kind = "column", text = self:take().text } end
  return self:named()
end

--- A simple expression with the calls and indexes behind it.
function reader:primary()
  local node = self:simple()
  while true do
    local sign = self:sign()
    if sign == "(" or sign == "string" or sign == "{" then
      node = self:arguments { kind = "call", node }
    elseif sign == ":" then
      self:take()
      node = self:arguments { kind = "call", method = self:take().text, node }
    elseif sign == "." then
      self:take()
      node = { kind = "index", field = self:take().text, node }
    elseif sign == "[" then
      self:take()
      node = { kind = "index", node, self:expression(0) }
      self:take()
    else
      return node
    end
  end
end

local function joined(sign, left, right)
  if sign == "and" or sign == "or" then
    if left.kind ~= sign then return { kind = sign, left, right } end
    left[#left + 1] = right
    return left
  end
  return { kind = LEFT[sign] == LEFT["=="] and "comparison" or "operation", sign = sign, left, right }
end

--- As far as operators bind more than `limit`.
function reader:expression(limit)
  local sign, left = self:sign(), nil
  if unary[sign] then
    self:take()
    left = { kind = sign == "not" and "not" or "operation", sign = sign, self:expression(UNARY) }
  else
    left = self:primary()
  end
  while (LEFT[self:sign()] or 0) > limit do
    sign = self:take().text
    left = joined(sign, left, self:expression(RIGHT[sign] or LEFT[sign]))
  end
  return left
end

--- The tree of tokens { kind, text }, of which those of columns have the kind "column"; nil: something stands after it.
---@param list table[]
function tree.of(list)
  local r = setmetatable({ list = list, at = 1 }, reader)
  local root = r:expression(0)
  return r.at > #list and root or nil
end

return tree
