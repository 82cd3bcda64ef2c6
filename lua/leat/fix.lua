--- leat.fix: what a script chooses from its data, fixed for other runs, with settings from --set.
---
--- `--thresholds` prints what was chosen, and runs nothing. `--fix FILE` takes it. So all parts of an input have the
--- same limits, attributes and edges, and their models merge.
---
---   local fix = require "leat.fix"
---   local edges = fix.choice("edges", { column = args.column }, function() return edges_of(args.data) end)
---
--- A choice is a value that JSON can hold, of a name and of a question: the settings that it depends on. Another
--- question is refused. The settings that a choice gives to leat.args belong to it.

local leat = require "leat"
local args = leat.args

local fix = {}

--- Declarations for leat.arguments.
fix.arguments = {
  title = "one choice for many runs",
  { "thresholds", type = "boolean", help = "prints what the run would choose from the data (limits, attributes, "
    .. "edges, the form of the records) as JSON, and ends" },
  { "fix", value = "FILE", help = "takes this from such a file: so the models of all parts of an input merge" },
}

local made, numbers = {}, {}  -- choices of this run; how often each name has come
local from_split = {}         -- names of choices from the records of one split
local file                    -- the content of --fix

--- Fails because the file does not fit this run.
local function refuse(why)
  error(("fix: %s %s: make it again with --thresholds, or leave out --fix"):format((args.fix:gsub("%c", "?")), why), 0)
end

--- Returns the choices in the file of --fix.
local function choices()
  if file then return file.choices end
  local opened, why = io.open(args.fix, "rb")
  if not opened then error("fix: " .. why, 0) end
  local found, wrong = leat.json_value(opened:read("a"))
  opened:close()
  if wrong then refuse("is no JSON (" .. wrong .. ")") end
  file = type(found) == "table" and found or {}
  if type(file.choices) ~= "table" then refuse("was not made by --thresholds") end
  return file.choices
end

--- Returns a value as a person reads it. What is false or empty is as if it were not given.
local function shown(value)
  if not value or type(value) == "table" and not next(value) then return "none" end
  if type(value) == "table" and #value > 0 then return table.concat(value, ",") end
  return type(value) == "string" and value or leat.json_text(value)
end

--- Refuses a choice that was made for another question.
local function check_question(name, had, has)
  local keys, is = {}, {}
  for _, of in ipairs { had, has } do
    for key in pairs(of) do
      if not is[key] then is[key], keys[#keys + 1] = true, key end
    end
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    if shown(had[key]) ~= shown(has[key]) then
      refuse(("has %s for %s = %s, and this run has %s = %s"):format(name, key, shown(had[key]), key, shown(has[key])))
    end
  end
end

--- Returns the choice of this name in the file.
local function taken(name, question)
  local one = choices()[name]
  if type(one) ~= "table" then refuse(("has no %s, so it is of another question"):format(name)) end
  check_question(name, one.of or {}, question)
  for key, value in pairs(one.settings or {}) do args[key] = value end
  return one.value
end

--- Returns the parts of a question that are not as if they were not given.
local function given(question)
  local kept = {}
  for key, value in pairs(question) do kept[key] = shown(value) ~= "none" and value or nil end
  return kept
end

--- Returns the settings that a script has given to leat.args.
local function settings()
  local now = {}
  for key, value in next, args do now[key] = value end
  return now
end

--- Returns what choose() chooses from the data, or what the file of --fix has under this name. `question` are the
--- settings that the choice depends on.
---@param name string
---@param question table
---@param choose fun(): any
---@return any
function fix.choice(name, question, choose)
  numbers[name] = (numbers[name] or 0) + 1
  if numbers[name] > 1 then name = name .. " " .. numbers[name] end
  if args.fix then return taken(name, question) end
  local before, added = settings(), {}
  local value = choose()
  for key, now in next, args do added[key] = before[key] ~= now and now or nil end
  made[name] = { of = given(question), value = value, settings = next(added) and added or nil }
  return value
end

--- True if `--thresholds` asks what would be chosen.
function fix.asks() return leat.flag(args, "thresholds") end

--- Notes that a choice depends on the records of this run, so that other splits may choose otherwise.
---@param what string
function fix.follows(what)
  if leat.split and not args.fix then from_split[#from_split + 1] = what end
end

--- Returns the choices as JSON if `--thresholds` asks for them. Otherwise warns of those that other splits do not
--- share.
---@param pipeline string
---@return string?
function fix.finish(pipeline)
  if fix.asks() then return leat.json_text { pipeline = pipeline, choices = made } .. "\n" end
  if #from_split == 0 then return nil end
  io.stderr:write(("leat: warning: this split chooses its %s from its own records, and others may choose otherwise: choose "
    .. "once for all, leat %s ALL … --thresholds >FILE, and give each split --fix FILE\n"):format(
    table.concat(from_split, " and "), pipeline))
end

return fix
