--- The pipeline of a script as `leat test` runs it (lua/leat/test.lua): with other input records. Stages and sinks
--- write into the folder of the test, and nothing is sent anywhere.

local leat = require "leat"

local function is(item, kind)
  local meta = getmetatable(item)
  return type(item) == "table" and meta ~= nil and meta.__name == kind
end

local function is_list(item) return type(item) == "table" and not getmetatable(item) end

--- Calls visit(list, index, stage) for each stage of a list, including branches.
local function each(list, visit)
  for i = 1, #list do
    local item = list[i]
    if is(item, "leat.stage") then visit(list, i, item)
    elseif is(item, "leat.fork") then
      for key, branch in pairs(item.branches) do
        if not is_list(branch) then branch = { branch }; item.branches[key] = branch end
        each(branch, visit)
      end
    elseif is_list(item) then each(item, visit)
    end
  end
end

local function last_part(name) return name:match("[^.]*$") end

--- True if the test names this stage: by its id, or without one by its name. A source is also "source".
local function is_named(stage, name)
  if name == "source" then return stage.name:match("^[^.]*") == "source" end
  if stage.args.id then return stage.args.id == name end
  return stage.name == name or last_part(stage.name) == name
end

local function group(stage) return stage.name:match("^[^.]*") end

--- Returns the only stage of that name. If several have it but only one of them is in group `of`, returns that one.
local function find(body, name, of)
  local found, names, first = {}, {}, 0
  each(body, function(_, _, stage)
    names[#names + 1] = stage.args.id or stage.name
    if is_named(stage, name) then
      first = first + (group(stage) == of and 1 or 0)
      table.insert(found, group(stage) == of and 1 or #found + 1, stage)
    end
  end)
  if #found == 1 or first == 1 then return found[1] end
  local why = #found == 0 and "no stage is called %s" or "several stages are called %s: give yours an id"
  error(("the test: " .. why .. "; the pipeline has %s"):format(name, table.concat(names, ", ")), 0)
end

--- Returns the stage and all that follows it, in its list and the lists around; nil if the list does not have it.
local function from_stage(list, wanted)
  for i = 1, #list do
    local item, rest = list[i], nil
    if item == wanted then rest = {}
      table.move(list, i, #list, 1, rest)
      return rest
    elseif is(item, "leat.fork") then
      for _, branch in pairs(item.branches) do rest = rest or from_stage(branch, wanted) end
    elseif is_list(item) then rest = from_stage(item, wanted)
    end
    if rest then return table.move(list, i + 1, #list, #rest + 1, rest) end
  end
end

-- ---- input ------------------------------------------------------------------------

--- Gives the stages the file and line of the test, so that their mistakes are reported there.
local function at_test(spec, stages)
  for _, stage in ipairs(stages) do stage.file, stage.line = spec.test, spec.line end
  return stages
end

--- Returns a source that reads the rows of the test, and the parser of their columns. `time` is also the event time.
local function rows_source(spec, input)
  local paths, numbers, time = {}, {}, nil
  for i, column in ipairs(input.columns) do
    paths[i] = ('%s="%s"'):format(column.name, column.name:gsub('"', '""'))
    if column.type == "number" then numbers[#numbers + 1] = column.name end
    if column.name == "time" then time = { "time", format = column.type == "number" and "unix" or nil, id = "test time" } end
  end
  return at_test(spec, { leat.source.file { input.file, id = "test rows" },
    leat.parse.json { columns = paths, numbers = numbers, id = "test columns" }, time and leat.parse.time(time) })
end

--- Makes a source read the text of the test.
local function replace_source(stage, name, input)
  if input.columns then
    error(("the test: into.%s has rows, but %s is a source: give it a text, or a list of lines"):format(name, stage.name), 0)
  end
  local max = leat.parameters(stage.name).max_record and stage.args.max_record or nil
  local id = stage.args.id
  stage.name, stage.args = "source.file", { input.file, max_record = max, id = id }
end

local function put_in(spec, body, name, input)
  local stage = find(body, name, not input.columns and "source" or nil)
  if group(stage) == "source" then return replace_source(stage, name, input) end
  if not input.columns then
    error(("the test: into.%s is a text, but %s is not a source: give it rows, which are tables of columns"):format(name, stage.name), 0)
  end
  local rest = from_stage(body, stage)
  for i = 1, #body do body[i] = nil end
  body[1] = rows_source(spec, input)
  table.move(rest, 1, #rest, 2, body)
end

-- ---- output -----------------------------------------------------------------------

--- Returns the file for a stage's output. Its name has the stage's name and the format (lua/leat/test.lua).
local function file_for(folder, name, format) return ("%s/out.%s.%s"):format(folder, name:gsub("/", "_"), format) end

--- Returns the stage's id, or else its name, with a number if an earlier sink has the same.
local function name_of(stage, taken)
  local name, n = stage.args.id or stage.name, 1
  while taken[n > 1 and name .. " " .. n or name] do n = n + 1 end
  name = n > 1 and name .. " " .. n or name
  taken[name] = true
  return name
end

local formats = { raw = true, jsonl = true, csv = true, tsv = true } -- formats of sink.file

--- Returns the format of the file that replaces a sink without a file: the sink's format if sink.file has it.
local function captured_format(stage, is)
  local format = stage.args.format or is.defaults.format or (is.needs_columns and "jsonl" or "raw")
  return formats[format] and format or "jsonl"
end

--- Makes a sink write into the folder. A sink that writes no file becomes a sink.file of its records.
local function keep_sink(stage, folder, taken)
  local name = name_of(stage, taken)
  local _, is = leat.parameters(stage.name)
  if not is then return end -- the runtime reports an unknown stage
  if is.writes == "files" then
    if is.positional == is.writes_file then stage.args[1] = nil end
    stage.args[is.writes_file] = file_for(folder, name, tostring(stage.args.format or "text"))
  elseif is.needs_records or is.needs_columns then
    local format = captured_format(stage, is)
    local columns = leat.parameters(stage.name).columns == "list" and stage.args.columns or nil
    stage.args = { path = file_for(folder, name, format), format = format, columns = columns, id = stage.args.id }
    stage.name = "sink.file"
  else
    error(("the test: a test cannot see the output of %s: it has no parameter that names a file to write"):format(stage.name), 0)
  end
end

--- Adds a file of JSON lines with the records that a stage makes, or a sink gets.
local function watch(spec, list, i, stage, name)
  local file = file_for(spec.folder, name, "jsonl")
  local tap = at_test(spec, { leat.sink.file { path = file, format = "jsonl", id = "test at " .. name } })
  local _, is = leat.parameters(stage.name)
  list[i] = is and is.kind == "sink" and { tap, stage } or { stage, tap }
end

--- True if a source reads anything but files.
local function reads_outside(stage)
  local _, is = leat.parameters(stage.name)
  return is and is.kind == "source" and is.reads ~= "files"
end

--- Loads the script with all that it requires, as if it were run itself.
local function load(script)
  local folder = script:match("^(.*)/[^/]*$") or "."
  package.path = folder .. "/?.lua;" .. package.path
  leat.dir = folder
  local pipeline = dofile(script)
  if not is(pipeline, "leat.pipeline") then error(script .. ' must end with: return leat.pipeline "name" { … }', 0) end
  return pipeline
end

--- Makes the body a list of chains. Lists at the top of a pipeline are chains already; another body becomes one chain,
--- so that a stage in it can become a list.
local function chained(body)
  local chains, list = #body > 0, {}
  for i, item in ipairs(body) do
    chains = chains and is_list(item)
    list[i] = item
  end
  if chains then return end
  for i = #body, 1, -1 do body[i] = nil end
  body[1] = list
end

return function(spec)
  local pipeline = load(spec.script)
  local body = pipeline.body
  chained(body)
  local watched, seen, sinks, taken = {}, {}, {}, {}
  for _, name in ipairs(spec.at) do watched[find(body, name)] = name end
  for name, input in pairs(spec.into) do put_in(spec, body, name, input) end
  each(body, function(_, _, stage)
    seen[stage] = true
    if reads_outside(stage) then
      error(("the test: %s reads from outside: give its input as into.%s"):format(stage.name, last_part(stage.name)), 0)
    end
    local _, is = leat.parameters(stage.name)
    if is and is.kind == "sink" then sinks[#sinks + 1] = stage end
  end)
  for stage, name in pairs(watched) do
    if not seen[stage] then error(("the test: nothing reaches %s, because the rows enter after it"):format(name), 0) end
  end
  for _, stage in ipairs(sinks) do keep_sink(stage, spec.folder, taken) end
  each(body, function(list, i, stage)
    if watched[stage] then watch(spec, list, i, stage, watched[stage]) end
  end)
  body.dead_letters = spec.folder .. "/rejected"
  return pipeline
end
