--- leat.learners: one learner or several side by side on one parse, with parameters from --set.
---
---   local learners = require "leat.learners"
---   return leat.pipeline "mine" { …, learners.beside({ "awm", "logistic" }, { "budget", "eta" }), … }
---
--- Each stands in the summary under its name and gets those of the parameters it has: not every
--- learner has a budget. `--set NAME.PARAMETER=value` is for one of them alone and can be any of its
--- parameters: --set awm.bias=none.

local leat = require "leat"
local args = leat.args

local learners = {}

--- Some call the learning rate eta, some, where it falls, eta0; a size of a model m or factors.
local also = { eta = "eta0", eta0 = "eta", m = "factors" }

--- The learner `name` with what --set says of the parameters `keys`, and those of `more` that it has
--- (and the id there).
---@param name string
---@param keys string[]
---@param more table?
function learners.new(name, keys, more)
  local has = leat.parameters("learn." .. name) or {} -- none: the runtime says that it is unknown
  local given = { id = name }
  for key, value in pairs(more or {}) do
    if has[key] or key == "id" then given[key] = value end
  end
  for _, key in ipairs(keys) do
    local value = args[key] -- asked for in any case: it is no mistake to give it
    local named = has[key] and key or also[key]
    if value ~= nil and has[named] then given[named] = value end
  end
  for key in pairs(has) do
    local own = args[name .. "." .. key]
    if own ~= nil then given[key] = own end
  end
  return leat.learn[name](given)
end

--- The learners `names`, each followed by the stages that behind(name) returns, and joined again.
--- What ends in a sink ends there.
---@param names string[]
---@param keys string[]
---@param behind fun(name: string)?
function learners.beside(names, keys, behind)
  if #names == 0 then error("no learner is named", 0) end
  local branches = {}
  for i, name in ipairs(names) do
    branches[i] = { learners.new(name, keys), behind and behind(name) or {} }
  end
  if #branches == 1 then return branches[1] end
  return { leat.tee(branches), leat.merge() }
end

return learners
