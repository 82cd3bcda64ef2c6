--- Tests of pipelines, for the files that `leat test` runs: a test puts records into a stage, and compares the output
--- of other stages.
---
---   local test = require "leat.test"
---
---   test("a late error counts in its own minute", function()
---     local run = test.run("errors.lua", {
---       set = { minutes = 1 },
---       into = { file = "time,host,status\n2024-05-01T10:00:59Z,a,500\n2024-05-01T10:01:00Z,a,503\n" },
---       at = { "window" },
---     })
---     test.rows(run.rows.window, { { host = "a", n = 1 }, { host = "a", n = 1 } })
---   end)
---
--- Each run is a separate process. It writes only into a folder that is removed afterwards: sinks write there, and
--- records that they would send elsewhere go into files there.

local found, process = pcall(require, "leat.process")
if not found then error('leat.test is for the files that "leat test FILE" runs', 0) end
local leat = require "leat"

local test = { passed = 0, failed = 0 }

local function by_key(a, b)
  if type(a) == type(b) then return a < b end
  return type(a) == "number"
end

local function text_of(value)
  local text = ("%q"):format(value):gsub("\\\n", "\\n")
  return text
end

--- Writes a value of numbers, texts, booleans and tables as Lua source: one line, keys in order.
local function literal(value)
  if type(value) == "string" then return text_of(value) end
  if type(value) ~= "table" then return tostring(value) end
  local keys, parts = {}, {}
  for key in pairs(value) do
    if math.type(key) ~= "integer" or key < 1 or key > #value then keys[#keys + 1] = key end
  end
  table.sort(keys, by_key)
  for i, item in ipairs(value) do parts[i] = literal(item) end
  for _, key in ipairs(keys) do
    local name = type(key) == "string" and key:find("^[%a_][%w_]*$") and key or ("[%s]"):format(literal(key))
    parts[#parts + 1] = ("%s = %s"):format(name, literal(value[key]))
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

--- A failed claim, with the line of the test.
local Failure = { __name = "leat.test.failure" }

local function line_of_test()
  for level = 3, 30 do
    local info = debug.getinfo(level, "Sl")
    if not info then return 0 end
    if info.source == "@" .. process.script then return info.currentline end
  end
  return 0
end

local function fail(text, ...) error(setmetatable({ line = line_of_test(), text = text:format(...) }, Failure), 0) end

--- Fails the test with this text.
function test.fail(text) fail("%s", text) end

--- Writes a value for people: without control characters, and not too long.
local function shown(value)
  local text = literal(value)
  return #text > 300 and text:sub(1, 297) .. "…" or text
end

local function indented(text) return "      " .. text:gsub("\n$", ""):gsub("\n", "\n      ") .. "\n" end

local function say(text) io.stdout:write((text:gsub("[%z\1-\8\11-\31\127]", "?"))) end

local function report(name, problem)
  if not problem then
    test.passed = test.passed + 1
    return say(("ok    %s\n"):format(name))
  end
  test.failed = test.failed + 1
  local place = getmetatable(problem) == Failure and ("%s:%d: "):format(process.script, problem.line) or ""
  local text = place ~= "" and problem.text or tostring(problem)
  say(("FAIL  %s\n%s"):format(name, indented(place .. text)))
end

--- Runs a test at once. It fails if a claim in it is false, or if it raises an error.
local function claim(_, name, fn)
  if type(name) ~= "string" or type(fn) ~= "function" then
    error('test takes a claim and a function: test("late rows are counted", function() … end)', 2)
  end
  local ok, problem = pcall(fn)
  report(name, not ok and problem or nil)
end

-- ---- input ------------------------------------------------------------------------

--- Fails if a table has fields that are no options.
local function options(given, known, what)
  if type(given) ~= "table" then fail("%s takes a table, not a %s", what, type(given)) end
  for key in pairs(given) do
    if not known[key] then
      local names = {}
      for name in pairs(known) do names[#names + 1] = name end
      table.sort(names)
      fail("%s does not take %s: it takes %s", what, tostring(key), table.concat(names, ", "))
    end
  end
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r" }
local function json_text(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function json_value(value)
  if type(value) == "string" then return json_text(value) end
  if type(value) == "number" and value ~= value then return "null" end
  return type(value) == "number" and ("%.17g"):format(value) or tostring(value)
end

--- Returns the columns of rows, and their types: number if all values are numbers, text otherwise.
local function column_types(rows)
  local types, names = {}, {}
  for i, row in ipairs(rows) do
    if type(row) ~= "table" then fail("row %d is a %s: a row is a table of columns", i, type(row)) end
    for name, value in pairs(row) do
      local kind = type(value)
      if type(name) ~= "string" or (kind ~= "number" and kind ~= "string" and kind ~= "boolean") then
        fail("row %d: %s is a %s: a column has a name, and a text or a number", i, tostring(name), kind)
      end
      kind = kind == "number" and kind or "text"
      if types[name] == nil then names[#names + 1] = name end
      types[name] = (types[name] or kind) == kind and kind or "text"
    end
  end
  table.sort(names)
  local columns = {}
  for i, name in ipairs(names) do columns[i] = { name = name, type = types[name] } end
  return columns
end

local function row_line(row, columns)
  local cells = {}
  for _, column in ipairs(columns) do
    local value = row[column.name]
    if column.type == "text" and value ~= nil then value = tostring(value) end
    if value ~= nil then cells[#cells + 1] = json_text(column.name) .. ":" .. json_value(value) end
  end
  return "{" .. table.concat(cells, ",") .. "}\n"
end

--- Returns rows as JSON lines, and their columns; returns a text, or a list of lines, as text.
local function input_text(given, stage)
  if type(given) == "string" then return given end
  if type(given) ~= "table" then fail("into.%s is a %s: give a text, a list of lines, or a list of rows", stage, type(given)) end
  local lines = {}
  if type(given[1]) == "string" then
    for i, line in ipairs(given) do lines[i] = tostring(line) .. "\n" end
    return table.concat(lines)
  end
  local columns = column_types(given)
  if #columns == 0 then fail("into.%s has no rows: for an empty input, give the text \"\"", stage) end
  for i, row in ipairs(given) do lines[i] = row_line(row, columns) end
  return table.concat(lines), columns
end

--- Returns rows with a column `time`, which is their event time: the first row at `from` (seconds since 1970, or
--- "2024-05-01T10:00:00Z"), each other `step` seconds after the previous one.
function test.times(from, step, rows)
  local year, month, day, hour, minute, second = tostring(from):match("^(%d+)-(%d+)-(%d+)[T ](%d+):(%d+):(%d+)Z?$")
  local at = tonumber(from)
  if year then
    local m, y = (month - 3) % 12, month - 3 < 0 and year - 1 or year + 0
    local days = y * 365 + y // 4 - y // 100 + y // 400 + (153 * m + 2) // 5 + day - 1 - 719468
    at = ((days * 24 + hour) * 60 + minute) * 60 + second
  end
  if not at then fail('test.times takes seconds, or a time such as "2024-05-01T10:00:00Z", not %s', shown(from)) end
  local out = {}
  for i, row in ipairs(rows) do
    out[i] = { time = at + (i - 1) * step }
    for name, value in pairs(row) do out[i][name] = value end
  end
  return out
end

-- ---- running -----------------------------------------------------------------------

local function directory(path) return path:match("^(.*)/[^/]*$") or "." end

local function lines_of(text)
  local rows = {}
  for line in text:gmatch("[^\n]+") do rows[#rows + 1] = process.decode(line) end
  return rows
end

--- Returns the field whose name ends in this part, if only one does: "window" finds "shape.window".
local function ending(fields, name)
  local found, n
  for known in pairs(fields) do
    if known:match("[^.]*$") == name then found, n = known, (n or 0) + 1 end
  end
  return n == 1 and rawget(fields, found) or nil
end

--- Makes a table of stages' outputs. A missing name fails, and lists the names.
local function by_stage(fields, what, hint)
  return setmetatable(fields, { __index = function(_, name)
    local value, names = ending(fields, name), {}
    if value then return value end
    for known in pairs(fields) do names[#names + 1] = known end
    table.sort(names)
    fail("there is no %s.%s: there %s%s", what, tostring(name), #names > 0 and "are " .. table.concat(names, ", ") or "is none", hint)
  end })
end

--- Reads the files that stages and sinks wrote into the folder (lua/leat/rehearsal.lua).
local function outputs(run, files)
  local text, rows = {}, {}
  for file, content in pairs(files) do
    local name, format = file:match("^out%.(.*)%.(%w+)$")
    if name then text[name] = content end
    if format == "jsonl" then rows[name] = lines_of(content) end
  end
  run.text = by_stage(text, "text", "")
  run.rows = by_stage(rows, "rows", '; at = { "stage" } adds one, and sinks have rows with format = "jsonl"')
end

local run_options = { set = true, into = true, at = true, fails = true, timeout = true }

--- A file of the run, as the value of an argument: set = { data = test.file("a.csv", text) }.
local File = { __name = "leat.test.file" }
function test.file(name, text) return setmetatable({ name = name:gsub("/", "_"), text = text }, File) end

--- Returns the value for --set. Adds the file that it names, if it is one.
local function argument(folder, files, value)
  if getmetatable(value) ~= File then return tostring(value) end
  files[value.name] = value.text
  return folder .. "/" .. value.name
end

local function arguments(folder, files, set)
  local list = { "run", folder .. "/pipeline.lua", "--quiet", "--progress", "never", "--summary", folder .. "/summary" }
  for key, value in pairs(set or {}) do
    list[#list + 1] = "--set"
    list[#list + 1] = ("%s=%s"):format(key, argument(folder, files, value))
  end
  return list
end

local function check_exit(run, wanted, script)
  if run.exit == wanted then return end
  local why = run.timed_out and ("did not end within %g s"):format(run.timed_out)
    or ("ended with %d, not %d"):format(run.exit, wanted)
  fail("%s %s%s", script, why, run.messages ~= "" and ":\n" .. run.messages or "")
end

--- Runs a script, whose path is relative to the file of the test.
---   set      its arguments, as --set gives them; test.file(name, text) stands for a file's path
---   into     stage = input. A source reads this text, or list of lines, instead of its input. Another stage gets a list of
---            rows, which are tables of columns; stages before it are left out. A column `time` is the event
---            time. A stage is named by its id, its name ("shape.window") or the end of its name ("window"); "source"
---            is the only source.
---   at       stages whose records are stored; the records of sinks are always stored
---   fails    the expected exit code (0)
---   timeout  seconds (60)
--- Returns a table: exit, messages (standard error), output (standard output), text and rows by stage, rejected (a list
--- of dead letters: record, reason, message, stage, line) and summary.
function test.run(script, given)
  given = given or {}
  options(given, run_options, "test.run")
  local path = script:sub(1, 1) == "/" and script or directory(process.script) .. "/" .. script
  local folder, files = process.folder(), {}
  local spec = { script = path, folder = folder, into = {}, at = given.at or {}, test = process.script,
    line = line_of_test() }
  for stage, input in pairs(given.into or {}) do
    local file = "in." .. stage:gsub("[^%w]", "_")
    local columns
    files[file], columns = input_text(input, stage)
    spec.into[stage] = { file = folder .. "/" .. file, columns = columns }
  end
  files["pipeline.lua"] = ('return require "leat.rehearsal" %s\n'):format(literal(spec))
  local list = arguments(folder, files, given.set)
  local run, out = process.run(folder, files, list, given.timeout or 60)
  run.messages = run.messages:gsub(folder:gsub("%p", "%%%0") .. "/pipeline%.lua", (path:gsub("%%", "%%%%")))
  if run.timed_out then check_exit(run, nil, script) end
  run.rejected = lines_of(out["rejected"] or "")
  run.summary = out["summary"] and out["summary"] ~= "" and process.decode(out["summary"]) or nil
  outputs(run, out)
  check_exit(run, given.fails or 0, script)
  return run
end

-- ---- claims ------------------------------------------------------------------------

--- Compares two values. Numbers may differ by a rounding. Returns nil if they are the same; otherwise the path to the
--- difference, and both values there.
local function difference(got, wanted, path)
  if type(got) == "number" and type(wanted) == "number" then
    local close = got == wanted or (got ~= got and wanted ~= wanted) or math.abs(got - wanted) <= 1e-9 * math.abs(wanted)
    return not close and path or nil, got, wanted
  end
  if type(got) ~= "table" or type(wanted) ~= "table" then return got ~= wanted and path or nil, got, wanted end
  for key, value in pairs(wanted) do
    local at, g, w = difference(got[key], value, ("%s.%s"):format(path, tostring(key)))
    if at then return at, g, w end
  end
  for key, value in pairs(got) do
    if wanted[key] == nil then return ("%s.%s"):format(path, tostring(key)), value, nil end
  end
end

--- Claims that both are the same, including all fields of tables.
function test.same(got, wanted)
  local at, g, w = difference(got, wanted, "")
  if at then fail("%s%s, not %s", at ~= "" and at:sub(2) .. " is " or "it is ", shown(g), shown(w)) end
end

--- Returns the first difference between a row and the wanted values; nil if there is none.
local function row_difference(row, wanted)
  for name, value in pairs(wanted) do
    local at, g, w = difference(row[name], value, name)
    if at then return ("%s is %s, not %s"):format(at, shown(g), shown(w)) end
  end
end

local function find_row(rows, wanted, used)
  for i, row in ipairs(rows) do
    if not used[i] and not row_difference(row, wanted) then return i end
  end
end

--- Claims that there are as many rows as wanted, and that each has the wanted values. Other columns do not count.
--- Options: any_order = true.
function test.rows(rows, wanted, given)
  options(given or {}, { any_order = true }, "test.rows")
  local used, any = {}, given and given.any_order
  for i, want in ipairs(wanted) do
    local at = any and find_row(rows, want, used) or i
    local why = rows[at] == nil and "this row is missing" or row_difference(rows[at], want)
    if any and why then fail("no row matches the wanted one: %s\ngot %s", shown(want), shown(rows)) end
    if why then fail("row %d: %s\ngot    %s\nwanted %s", i, why, shown(rows[i]), shown(want)) end
    used[at] = true
  end
  if #rows ~= #wanted then
    fail("there are %d rows, not %d; the first row too many is %s", #rows, #wanted, shown(rows[#wanted + 1]))
  end
end

--- Claims that the text contains this part, literally.
function test.contains(text, part)
  if not tostring(text):find(part, 1, true) then fail("there is no %s in\n%s", shown(part), tostring(text)) end
end

return setmetatable(test, { __call = claim, __index = function(_, name)
  local known = { "contains", "fail", "file", "rows", "run", "same", "times" }
  error(("there is no test.%s: there are %s"):format(tostring(name), table.concat(known, ", ")), 2)
end })
