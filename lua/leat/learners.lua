--- leat.learners: one learner, or several in parallel on one parse, with parameters from --set.
---
---   local learners = require "leat.learners"
---   return leat.pipeline "mine" { …, learners.parallel({ "awm", "logistic" }, { "budget", "eta" }), … }
---
--- The summary shows each learner under its name. A learner gets only the parameters that it has: not every learner has
--- a budget. `--set NAME.PARAMETER=value` sets any parameter of one learner: --set awm.bias=none. Braces set
--- parameters, too, to compare settings of one learner: --set
--- learner='awm,awm{rates=shared},awm{rates=shared,eta0=0.2}'.

local leat = require "leat"
local args = leat.args

local learners = {}

--- Other names of a parameter: some learners call the learning rate eta, others eta0, because it falls; some call the
--- size of the model m, others factors.
local also = { eta = "eta0", eta0 = "eta", m = "factors" }

--- Splits a list of learners at its commas, but not inside braces.
---@param text string
function learners.names(text)
  local names, inside = {}, text:gsub("{[^{}]*}", function(own) return (own:gsub(",", "\0")) end)
  for _, name in ipairs(leat.list(inside)) do names[#names + 1] = (name:gsub("%z", ",")) end
  return names
end

--- Returns the parameters in the braces of "awm{rates=shared}" as a table, and the name before them.
local function braces(name)
  local stage, inside = name:match("^%s*([%w_]+)%s*{(.*)}%s*$")
  if not stage then
    if name:find("[{}]") then
      error(("learner has '%s': write a learner with parameters in this form: awm{rates=shared,eta0=0.2}"):format(name), 0)
    end
    return {}, name
  end
  local own = {}
  local function fail(why, ...) error(("learner has '%s', %s"):format(name, why:format(...)), 0) end
  for _, pair in ipairs(leat.list(inside)) do
    local key, value = pair:match("^([%w_]+)%s*=%s*(.+)$")
    if not key then fail("where '%s' is not PARAMETER=value", pair) end
    if key == "id" then fail("but its id is its name with the braces: leave id out") end
    if own[key] then fail("where %s is set twice: leave one of the two out", key) end
    own[key] = value
  end
  return own, stage
end

--- Returns the parameters of the learner `name`, and the name of its stage, as learners.new() describes them.
local function parameters(name, keys, more)
  local braced, stage = braces(name)
  local has = leat.parameters("learn." .. stage) or {} -- none: the runtime reports an unknown learner
  local given, numbered = { id = name }, tonumber(args.classes)
  if numbered and numbered > 2 and next(has) and not has.classes then
    error(("classes is %d, but learn.%s takes only two"):format(numbered, stage), 0)
  end
  for key, value in pairs(more or {}) do
    if has[key] or key == "id" then given[key] = value end
  end
  for _, key in ipairs(keys) do
    local value = args[key] -- read always, so that setting it is no mistake
    local named = has[key] and key or also[key]
    if value ~= nil and has[named] then given[named] = value end
  end
  for key in pairs(has) do
    local own = args[stage .. "." .. key]
    if own ~= nil then given[key] = own end
  end
  for key, value in pairs(braced) do given[key] = value end
  if more and given.half_life and given.averaged == more.averaged then given.averaged = nil end -- it forgets
  if more and given.predicts == more.predicts and not leat.flag(given, "averaged") then given.predicts = nil end
  return given, stage
end

--- Returns the learner `name` with the parameters `keys` from --set, and those of `more` that it has. more.id replaces
--- the id `name`. With a half-life, a learner does not get `averaged` of `more`, because the average would not forget.
---@param name string
---@param keys string[]
---@param more table?
function learners.new(name, keys, more)
  local given, stage = parameters(name, keys, more)
  return leat.learn[stage](given)
end

--- Returns `title` for the weights that the learner `name` shows, with the words which weights they are.
---@param name string
---@param title string
---@param more table
function learners.title(name, title, more)
  local given = parameters(name, {}, more)
  return title .. (leat.flag(given, "averaged") and ", averaged over the records" or " after the last record")
end

--- Returns the learners `names` in parallel branches, each followed by the stages of after(name), and a merge. A branch
--- ends in a sink if it has one. A learner gets the parameters in `more` that it has.
---@param names string[]
---@param keys string[]
---@param after fun(name: string)?
---@param more table?
function learners.parallel(names, keys, after, more)
  if #names == 0 then error("there is no learner: give at least one", 0) end
  local branches, had = {}, {}
  for i, name in ipairs(names) do
    if had[name] then error(("learner has %s twice: give one of them other parameters, such as %s{rates=shared}"):format(name, name:match("^[^{]*")), 0) end
    had[name] = true
    branches[i] = { learners.new(name, keys, more), after and after(name) or {} }
  end
  if #branches == 1 then return branches[1] end
  return { leat.tee(branches), leat.merge() }
end

--- Returns a function for learners.parallel that writes each learner's predictions to its own file, as CSV with
--- `columns`. The stream continues. With several learners predictions.csv becomes predictions-awm.csv, … nil without a
--- path.
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
