--- leat.condition_nodes: what is known of nodes of a leat.condition_tree.
---
---   nodes.is_condition(node)      true of a == b, and not a, and their conjunctions
---   nodes.as_itself(node, true)   false of tonumber(a) > 5: tonumber may give nil, which Lua does not compare

local nodes = {}

--- Those whose nil is a missing number.
local conversions = { tonumber = true, ["math.tointeger"] = true, _number_of_column = true, _number_of_text = true }
--- Those that give one result. Of others, as an argument, a call has all that they give.
local gives_one = {}
for name in ([[tonumber tostring type tointeger len lower upper sub rep reverse format char floor ceil abs max min sqrt exp log
  fmod concat _number_of_column _number_of_text]]):gmatch("%S+") do gives_one[name] = true end

--- The node without the parentheses around it.
function nodes.inner(node)
  while node.kind == "group" do node = node[1] end
  return node
end

--- Is it the word nil?
function nodes.is_nil(node)
  node = nodes.inner(node)
  return node.kind == "constant" and node.text == "nil"
end

--- Is it true, false or unknown, and nothing else?
function nodes.is_condition(node)
  node = nodes.inner(node)
  if node.kind ~= "and" and node.kind ~= "or" then return node.kind == "comparison" or node.kind == "not" end
  for _, part in ipairs(node) do
    if not nodes.is_condition(part) then return false end
  end
  return true
end

--- Does `or` say by its last part what stands for no value?
function nodes.has_default(node) return nodes.inner(node[#node]).kind == "constant" end

--- Is it true or false that stands for no value? So it does for what is unknown.
function nodes.has_truth_as_default(node)
  local last = nodes.inner(node[#node])
  return last.kind == "constant" and (last.text == "true" or last.text == "false")
end

--- The function that is called, by its name: find, string.find.
function nodes.called(node) return node.method or nodes.inner(node[1]).text or "" end

--- Has it, as an argument, all that a call gives?
function nodes.gives_several(node)
  return node.kind == "call" and not gives_one[nodes.called(node):match("[%w_]+$")]
end

--- Does the call take nil as a value?
function nodes.takes_nil(node)
  local name = nodes.called(node)
  return name == "type" or name == "rawequal"
end

--- Is nil, where it gives it, an answer? tonumber finds no number; string.find has looked, and found nothing.
function nodes.answers(node)
  return node.kind == "index" or node.kind == "call" and not conversions[nodes.called(node)]
end

--- Functions that give a value for any values.
local total = {}
for name in ("len lower upper sub rep reverse format"):gmatch("%a+") do total[name], total["string." .. name] = true, true end
for name in ("floor ceil abs max min sqrt exp log fmod"):gmatch("%a+") do total["math." .. name] = true end

local function all_as_themselves(node, first, decides)
  for i = first, #node do
    if not nodes.as_itself(node[i], decides) then return false end
  end
  return true
end

--- Is the expression, as Lua has it, what the code gives, where all columns have a value? Not if a function gives nil to
--- what cannot take it.
---@param decides boolean whether it is asked only if this is true
function nodes.as_itself(node, decides)
  node = nodes.inner(node)
  local kind = node.kind
  if kind == "call" then
    return (decides or total[nodes.called(node)]) and all_as_themselves(node, node.method and 1 or 2, false)
  elseif kind == "comparison" and (node.sign == "==" or node.sign == "~=") then
    for _, side in ipairs(node) do
      if not nodes.as_itself(side, nodes.answers(nodes.inner(side))) then return false end
    end
    return true
  end
  if kind == "index" or kind == "function" or kind == "table" then return false end
  return all_as_themselves(node, 1, decides and (kind == "and" or kind == "or" or kind == "not"))
end

return nodes
