--- leat.condition_code: Lua that computes an expression (leat.condition_tree) of columns, some of which have no value.
---
--- Where all have one, the result is that of the expression itself. Where one has none it is that of SQL:
---
---   a + b, a .. b, #a, f(a), a:f(b)   have no value if an operand has none; nothing is called. So is it of a function or
---                                     table that names a column, unless it names nil
---   a == b, a < b, …                  are unknown then; a == nil and a ~= nil ask for it
---   not, and, or                      of what is unknown: false and unknown is false, true or unknown is true
---   a or 0                            is 0 where a has no value, or is unknown; so with any constant at the end
---   c and a or b                      has no value if c is unknown; but b has if it is true or false
---
--- What is unknown, or has no value, is nil in this Lua. A function that finds nothing, as string.find, has found out
--- something: that counts as false, and as nil beside ==. A number that tonumber does not find is missing.
---
--- The code is statements, in which each operand that may be nil has a local variable: `amount * 2 > 5` becomes
---
---   local _v1 if amount ~= nil then _v1 = (amount * 2) > 5 end return _v1
---
--- Before them stands the expression itself, for records in which all columns have a value: it is faster, as is the test
--- whether they are true, which all values but false are.

local nodes = require "leat.condition_nodes"

local code = {}

local writer = {}
writer.__index = writer

function writer:put(format, ...) self.parts[#self.parts + 1] = format:format(...) end

--- A new local variable, which is nil.
function writer:variable()
  self.n = self.n + 1
  local name = "_v" .. self.n
  self:put("local %s", name)
  return name
end

--- What must have a value: the names of variables, each once, in their order.
function writer:need(needs, name)
  self.needed[name] = true
  for _, other in ipairs(needs) do
    if other == name then return end
  end
  needs[#needs + 1] = name
end

--- variable = text, where all that it needs is there.
function writer:assign(variable, needs, text)
  if #needs == 0 then
    self:put("%s = %s", variable, text)
  else
    self:put("if %s ~= nil then %s = %s end", table.concat(needs, " ~= nil and "), variable, text)
  end
end

--- ---- values ----

--- The text of an argument that may be nil.
function writer:bare(node)
  node = nodes.inner(node)
  if node.kind == "column" or node.kind == "constant" then return node.text end
  local v = self:variable()
  self:value(node, v)
  return v
end

--- The text of a part of an operation: what it needs is added to `needs`.
function writer:operand(node, needs)
  node = nodes.inner(node)
  local kind = node.kind
  if kind == "constant" then return node.text end
  if kind == "operation" then return self:operation(node, needs) end
  if kind == "function" or kind == "table" then
    for _, column in ipairs(node.asks_nil and {} or node.columns) do self:need(needs, column) end
    return node.text
  end
  local name = self:bare(node)
  self:need(needs, name)
  return name
end

function writer:operation(node, needs)
  local first = self:operand(node[1], needs)
  if not node[2] then return ("(%s %s)"):format(node.sign, first) end
  return ("(%s %s %s)"):format(first, node.sign, self:operand(node[2], needs))
end

--- The text of what is called or indexed.
function writer:prefix(node, needs)
  local text = self:operand(node, needs)
  return text:find("^[%a_][%w_.]*$") and text or "(" .. text .. ")"
end

--- The text of a call, which may give nil. The results of a last argument are passed on if there is a first.
function writer:call(node, needs)
  local f, arguments = self:prefix(node[1], needs), {}
  local nils = nodes.takes_nil(node)
  local spread = not nils and #node > 1 and nodes.gives_several(node[#node]) and node[#node]
  for i = 2, spread and #node - 1 or #node do
    arguments[i - 1] = nils and self:bare(node[i]) or self:operand(node[i], needs)
  end
  if spread then
    if node.method then
      table.insert(arguments, 1, f)
      f = f .. "." .. node.method
    end
    arguments[#arguments + 1] = self:call(spread, needs)
    return ("_call(%d, %s, %s)"):format(#arguments, f, table.concat(arguments, ", "))
  end
  return ("%s%s(%s)"):format(f, node.method and ":" .. node.method or "", table.concat(arguments, ", "))
end

--- The text of what is indexed, which may be nil.
function writer:index(node, needs)
  local base = self:prefix(node[1], needs)
  return node.field and base .. "." .. node.field or ("%s[%s]"):format(base, self:operand(node[2], needs))
end

--- The text of a side of == or ~=.
function writer:side(node, needs)
  node = nodes.inner(node)
  if not nodes.answers(node) then return self:operand(node, needs) end
  return self[node.kind](self, node, needs)
end

--- ---- conditions: true, false, or nil where they are unknown ----

function writer:comparison(node, v)
  local needs, sign = {}, node.sign
  if nodes.is_nil(node[1]) or nodes.is_nil(node[2]) then
    self:put("%s = %s %s %s", v, self:bare(node[1]), sign, self:bare(node[2]))
    return
  end
  local read = (sign == "==" or sign == "~=") and self.side or self.operand
  local left = read(self, node[1], needs)
  self:assign(v, needs, ("%s %s %s"):format(left, sign, read(self, node[2], needs)))
end

--- Of the parts of `and` and `or`, from the first to number `last`, the first that decides does.
function writer:decide(node, v, last)
  self:truth(node[1], v)
  for i = 2, last do
    self:put(node.kind == "and" and "if %s ~= false then" or "if not %s then", v)
    local u = self:variable()
    self:truth(node[i], u)
    self:put(node.kind == "and" and "if %s == false or %s then %s = %s end end" or "if %s or %s == false then %s = %s end end",
      u, v, v, u)
  end
end

--- v = is the node true? Before, v is nil.
function writer:truth(node, v)
  node = nodes.inner(node)
  local kind, needs = node.kind, {}
  if kind == "comparison" then
    self:comparison(node, v)
  elseif kind == "not" then
    self:truth(node[1], v)
    self:put("if %s ~= nil then %s = not %s end", v, v, v)
  elseif kind == "and" or kind == "or" and not nodes.has_default(node) then
    self:decide(node, v, #node)
  elseif kind == "call" or kind == "index" then
    self:assign(v, needs, "not not " .. self[kind](self, node, needs))
  elseif kind == "column" or kind == "constant" then
    self:put("%s = not not %s", v, node.text)
  else
    self:assign(v, needs, "not not " .. self:operand(node, needs))
  end
end

--- ---- values of and, or ----

--- `c and a` among the parts of `or`: what is unknown ends the search with no value.
function writer:guarded(node, v)
  local c = self:variable()
  self:decide(node, c, #node - 1)
  self:put("if %s == nil then %s = nil break end if %s then", c, v, c)
  local u = self:variable()
  self:value(node[#node], u)
  self:put("%s = %s else %s = %s end", v, u, v, c)
end

--- The first part that has a value.
function writer:choose(node, v)
  local guards = not nodes.has_truth_as_default(node)
  self:put("repeat")
  for i, part in ipairs(node) do
    part = nodes.inner(part)
    self:put("do")
    if guards and part.kind == "and" and not nodes.is_condition(part[#part]) then
      self:guarded(part, v)
    else
      local u = self:variable()
      self:value(part, u)
      self:put("%s = %s", v, u)
    end
    self:put(i < #node and "end if %s then break end" or "end", v)
  end
  self:put("until true")
end

--- All parts but the last must have a value, and the last is it.
function writer:last(node, v)
  self:value(node[1], v)
  for i = 2, #node do
    self:put("if %s then", v)
    local u = self:variable()
    self:value(node[i], u)
    self:put("%s = %s end", v, u)
  end
end

--- v = the value of the node. Before, v is nil.
function writer:value(node, v)
  node = nodes.inner(node)
  local kind, needs = node.kind, {}
  if nodes.is_condition(node) then
    self:truth(node, v)
  elseif kind == "or" then
    self:choose(node, v)
  elseif kind == "and" then
    self:last(node, v)
  elseif kind == "call" or kind == "index" then
    self:assign(v, needs, self[kind](self, node, needs))
  else
    self:assign(v, needs, self:operand(node, needs))
  end
end

--- ---- all ----

--- The body of a function of the columns' parameters: it returns the value of the expression, or whether it is true.
--- Also what must have values, as { name of a parameter or variable = true }.
---@param root table of leat.condition_tree
---@param lua string the expression itself
---@param parameters string[]
---@param decides boolean
function code.of(root, lua, parameters, decides)
  local w = setmetatable({ parts = {}, n = 0, needed = {} }, writer)
  if nodes.as_itself(root, decides) and #parameters > 0 then
    local truth = decides and not nodes.is_condition(root) and "not not " or ""
    w:put("if %s then return %s(%s) end", table.concat(parameters, " and "), truth, lua)
  end
  local v = w:variable()
  w[decides and "truth" or "value"](w, root, v)
  w:put("return %s", v)
  return table.concat(w.parts, " "), w.needed
end

--- What the code calls as _call: f(…), unless the n-th of … is nil.
---@param n integer
---@param f function
function code.call(n, f, ...)
  if (select(n, ...)) == nil then return nil end
  return f(...)
end

return code
