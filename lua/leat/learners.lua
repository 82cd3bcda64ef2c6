--- leat.learners: one learner or several in parallel on one parse, with parameters from --set.
---
---   local learners = require "leat.learners"
---   return leat.pipeline "mine" { …, learners.parallel({ "awm", "logistic" }, { "budget", "eta" }), … }
---
--- The summary names each learner by its name. A learner gets the parameters that it has: not every
--- learner has a budget. `--set NAME.PARAMETER=value` sets any parameter of one learner alone:
--- --set awm.bias=none.

local leat = require "leat"
local args = leat.args

local learners = {}

--- Other names of a parameter: some learners call the learning rate eta, some eta0, because it falls;
--- some call the size of the model m, some factors.
local also = { eta = "eta0", eta0 = "eta", m = "factors" }

--- The learner `name` with the parameters `keys` as --set gives them, and those of `more` that it has
--- (and the id in it).
---@param name string
---@param keys string[]
---@param more table?
function learners.new(name, keys, more)
  local has = leat.parameters("learn." .. name) or {} -- none: the runtime reports an unknown learner
  local given = { id = name }
  for key, value in pairs(more or {}) do
    if has[key] or key == "id" then given[key] = value end
  end
  for _, key in ipairs(keys) do
    local value = args[key] -- read in any case: to give it is no mistake
    local named = has[key] and key or also[key]
    if value ~= nil and has[named] then given[named] = value end
  end
  for key in pairs(has) do
    local own = args[name .. "." .. key]
    if own ~= nil then given[key] = own end
  end
  return leat.learn[name](given)
end

--- The learners `names`, each followed by the stages that after(name) returns, and joined again. A
--- branch that ends in a sink ends there. `more` are parameters for those that have them.
---@param names string[]
---@param keys string[]
---@param after fun(name: string)?
---@param more table?
function learners.parallel(names, keys, after, more)
  if #names == 0 then error("no learner is named: give at least one", 0) end
  local branches, had = {}, {}
  for i, name in ipairs(names) do
    if had[name] then error(("learner names %s twice: name each learner once"):format(name), 0) end
    had[name] = true
    branches[i] = { learners.new(name, keys, more), after and after(name) or {} }
  end
  if #branches == 1 then return branches[1] end
  return { leat.tee(branches), leat.merge() }
end

--- For learners.parallel: each learner's predictions go into a file of its own, as CSV with `columns`; the
--- stream continues. Several: predictions.csv becomes predictions-awm.csv, … nil: no path is given.
---@param path string?
---@param names string[]
---@param columns string[]?
function learners.predictions(path, names, columns)
  if not path then return nil end
  local stem, extension = path:match("^(.*[^/])(%.[^./]*)$")
  return function(name)
    local own = #names == 1 and path or (stem or path) .. "-" .. name .. (extension or "")
    return leat.tee { { leat.sink.predictions { path = own, format = "csv", columns = columns } }, {} }
  end
end

return learners
