--- leat: describes a pipeline. A script returns leat.pipeline "name" { stage, stage, … }; the runtime checks and runs
--- it. Nothing here works on data: constructors only note the script's stages, and their lines. The runtime knows the
--- stages and their parameters (`leat plugins`); it reports an unknown name with its line.

---@class leat
local leat = {}

--- Arguments given as --set key=value, as text: leat.args.key. A script declares a key by reading it: `--set` of a key
--- that the script never reads is an error.
local given, dir, parameters, groups, suggest, beginning, pieces, parsed, tally, info, helps, snapshots, split,
  json_text, json_value = ...
local asked = {}
given = given or {}
--- asked[key] is true, or the line that read a key that was not set; false if it is declared and not read.
local here
leat.args = setmetatable({}, {
  __index = function(_, key)
    local value = given[key]
    asked[key] = value ~= nil or asked[key] or select(2, here()) -- one look for the line, as loops may read an argument
    return value
  end,
  __pairs = function() for key in pairs(given) do asked[key] = true end; return pairs(given) end,
})
leat._asked = asked

--- Returns the values of declared arguments, with types and defaults (lua/leat/arguments.lua).
---@param declared table
---@return table
function leat.arguments(declared)
  local file, line = here()
  local function note(name, later)
    if not later then asked[name] = given[name] ~= nil or line else asked[name] = asked[name] or false end
  end
  return require "leat.arguments"(leat, declared, given, note, ("%s:%d"):format(file, line), helps)
end

--- Folder of the script, for data next to it.
leat.dir = dir or "."

--- True if the run has --state and no --split, so that a later run may continue it with more data.
leat.continues = snapshots and not split

--- The ID of --split, if the run learns one part of an input and ends; otherwise false.
leat.split = split or false

--- Returns the parameters of a stage and their types: leat.parameters("learn.awm").budget is "size". The second value
--- is the stage's facts, as in `leat plugins --json`: { kind = "learner", learns = true, reads = …, … }. nil if there
--- is no such stage.
---@type fun(name: string): table<string, string>?, table?
leat.parameters = parameters

--- Returns a value as lines of JSON. A table with values at 1, 2, … is an array, every other one an object. Fails for
--- what JSON cannot hold, such as a text that is not UTF-8.
---@type fun(value: any): string
leat.json_text = json_text

--- Returns the value of a text of JSON, with nil for null; or nil and the reason if it is no JSON.
---@type fun(text: string): any, string?
leat.json_value = json_value

--- Returns the beginning of a file, a pattern or a list of files, also gz, bz2, xz, zst or lz4, as records ended by
--- "\n". The text is a little longer than `max` bytes. nil and the reason if it cannot be read; nil alone if the run
--- could not read it again, such as a pipe. For a source, such as leat.source.kafka { … }: a list of its first records,
--- or nil and the reason.
---@type fun(from: string|table, max: integer): string|table?, string?
leat.beginning = beginning

--- Returns texts of whole records from some 64 places spread evenly over files, about `max` bytes in all. The first text
--- is the beginning of the files, with their heading. Small files come whole. A text may begin inside a field that holds
--- a line end. With `ends` the last records of each file are among them. nil and the reason if a file cannot be read; nil
--- alone if the run could not read it again.
---@type fun(path: string, max: integer, encoding: string?, ends: boolean?): string[]?, string?
leat.pieces = pieces

--- Gives records to a parser, such as leat.parse.regex { format = "syslog" }. Returns for each record the list of its
--- cells, with false for no value; or a text, why it was rejected; or false if it was left out. Also returns the names of
--- the columns. nil and the reason if the parser cannot begin. A heading is no record. A parser that makes several records
--- of one, such as leat.parse.elements, has in place of these rows the texts of the records.
---@type fun(parser: table, records: string[]): table?, table|string
leat.parsed = parsed

--- Returns how often each text is field k of every step-th line of `text`: { [field] = n }; nil if there are more than
--- `most` texts. Lines with fewer fields do not count. The delimiter has one byte, and no field is quoted.
---@type fun(text: string, delimiter: string, k: integer, step: integer, most: integer): table<string, integer>?
leat.tally = tally

--- Prints a text on standard error, if --log-level is info or debug.
---@type fun(text: string)
leat.info = info

--- Fields of this module that the script used but that do not exist. The script runs on, so that all are reported.
local mistakes = { problems = {} }
leat._mistakes = mistakes

local Stage = { __name = "leat.stage" }     -- one stage
local Fork = { __name = "leat.fork" }       -- tee, merge or route with its branches
local From = { __name = "leat.from" }       -- the output of a stage named by id
local Pipeline = { __name = "leat.pipeline" }

--- Returns file and line of the script that called the constructor: the first level outside this module's folder.
function here()
  local mine = debug.getinfo(1, "S").source:match("^.*/") or "@"
  for level = 2, 20 do
    local info = debug.getinfo(level, "Sl")
    if not info then break end
    if info.what ~= "C" and info.source:match("^.*/") ~= mine then return (info.source:gsub("^@", "")), info.currentline end
  end
  return "?", 0
end

--- Raises an error at the line of the call if an argument is wrong.
local function want(value, kind, what)
  if type(value) ~= kind then
    local file, line = here()
    error(("%s:%d: %s, not %s"):format(file, line, what, value == nil and "nothing" or "a " .. type(value)), 0)
  end
end

local function stage(name, args)
  local file, line = here()
  if args == nil then args = {} end
  if type(args) ~= "table" or getmetatable(args) then args = { args } end
  return setmetatable({ name = name, args = args, file = file, line = line }, Stage)
end

--- Returns a lookup of a group's stages by name.
local function stages_of(group)
  return function(self, name)
    return function(args)
      if rawequal(args, self) then
        local file, line = here()
        error(("%s:%d: write leat.%s.%s with a dot, not with a colon"):format(file, line, group, name), 0)
      end
      return stage(group .. "." .. name, args)
    end
  end
end

local lua_stage -- defined below

--- Groups that can also be called: leat.label(fn, columns) labels records by a Lua function.
local also = {
  label = function(_, fn, columns, options) return lua_stage("lua.label", { fn = fn, columns = columns }, options) end,
}

--- leat.source.file { … }, leat.learn.awm { … }: any stage of a loaded plugin. A plugin whose group has a name of this
--- module is not loaded.
for _, group in ipairs(groups) do
  leat[group] = leat[group] or setmetatable({}, { __name = "leat.group", __index = stages_of(group), __call = also[group] })
end

--- Makes a stage by its full name: leat.stage("learn.awm", { … }).
---@param name string
---@param args table?
function leat.stage(name, args)
  want(name, "string", 'leat.stage takes the name of a stage, such as "learn.awm"')
  return stage(name, args)
end

function lua_stage(name, args, options)
  if options ~= nil then want(options, "table", "the options of " .. name:gsub("lua", "leat") .. " must be a table") end
  for key, value in pairs(options or {}) do args[key] = value end
  return stage(name, args)
end

--- Passes only records for which fn returns true. fn gets the named columns: numbers, strings or nil. Options: `state`,
--- the variables of fn that snapshots hold; id, instructions, memory.
---@param fn function
---@param columns string[]
---@param options table?
function leat.filter(fn, columns, options)
  if type(fn) == "string" then
    want(fn, "function", 'leat.filter takes a Lua function; for an expression use leat.shape.where { "…" }')
  end
  return lua_stage("lua.filter", { fn = fn, columns = columns }, options)
end

--- Replaces the named columns by the values that fn returns. With `into`, adds them as new columns instead ("name" or
--- "name:number").
---@param fn function
---@param columns string[]
---@param into string[]?
---@param options table?
function leat.map(fn, columns, into, options)
  return lua_stage("lua.map", { fn = fn, columns = columns, into = into }, options)
end

--- Makes any number of records of each. fn gets `emit` and the named columns. For each new record it calls emit with
--- the values of `into` ("name" or "name:number").
---@param fn function
---@param columns string[]
---@param into string[]
---@param options table?
function leat.flat(fn, columns, into, options)
  return lua_stage("lua.flat", { fn = fn, columns = columns, into = into }, options)
end

--- Sorts records by event time: leat.sort_window { lateness = "30s" }.
---@param args table
function leat.sort_window(args) return stage("shape.sort", args) end

--- Adds columns of a file or a database, by a key: leat.lookup { path = "hosts.csv", key = "ip", columns = { "owner" }
--- }.
---@param args table
function leat.lookup(args) return stage("shape.lookup", args) end

--- Samples records: leat.sample { rate = 0.1, by = { "user" } }.
---@param args table
function leat.sample(args) return stage("shape.sample", args) end

--- Passes the first of equal records: leat.dedup { by = { "id" }, within = "10min" }.
---@param args table
function leat.dedup(args) return stage("shape.dedup", args) end

--- Counts, sums, … the records of each span of time: leat.window { "count", "mean(bytes)", every = "5min", by = {
--- "host" } }.
---@param args table
function leat.window(args) return stage("shape.window", args) end

--- Labels each record by the value of fn: a number, true or false, the name of a class (options: `classes`), or nil for
--- no label. This is leat.label, which has stages as well (leat.label.is, …).
---@alias leat.label fun(fn: function, columns: string[], options: table?)

--- Makes the features of each record. fn returns names, each with or without a value after it, or a table of them.
--- Options: `max_entries`, the most features of a record; id, state, …
---@param fn function
---@param columns string[]
---@param options table?
function leat.features(fn, columns, options)
  return lua_stage("lua.features", { fn = fn, columns = columns }, options)
end

--- Calls fn with a view of each batch; `labels = true` in the options lets it set labels.
---@param fn function
---@param options table?
function leat.batch(fn, options) return lua_stage("lua.batch", { fn = fn }, options) end

local function fork(kind, branches, by)
  local file, line = here()
  if branches ~= nil then want(branches, "table", "the branches of leat." .. kind .. " must be a table of lists") end
  for key in pairs(branches or {}) do
    if math.type(key) ~= "integer" and type(key) ~= "string" then want(key, "string", "the key of a branch must be a name") end
  end
  return setmetatable({ kind = kind, branches = branches or {}, by = by, file = file, line = line }, Fork)
end

--- Gives every batch to every branch: leat.tee { { stage, … }, { stage, … } }. A branch that does not end in a sink
--- continues to the next stage. (Within a list, a sink passes on its records.)
---@param branches table
function leat.tee(branches) return fork("tee", branches) end

--- Joins streams. The next batch comes from the stream of which the smallest part has been read, so all streams end
--- together. While the length of a stream is unknown (a pipe), the streams take turns. The order is the same in every
--- run. Without branches, leat.merge joins the open ends before it.
---@param branches table?
function leat.merge(branches) return fork("merge", branches) end

local routes = 0 -- routes by functions so far

--- Sends each record to one branch: the branch named by a column, or by a function of columns. Branch ["*"] takes the
--- records that no other takes; without it they are filtered. A function has the options of leat.map.
---   leat.route("proto", { tcp = { … }, udp = { … }, ["*"] = { … } })
---   leat.route(function(amount) return amount > 0 and "paid" or "refund" end, { "amount:number" }, { … })
---@param by string|function
---@param columns table
---@param branches table?
---@param options table?
function leat.route(by, columns, branches, options)
  if type(by) == "function" then
    routes = routes + 1
    local column = "@route" .. routes -- the function makes it, the fork reads it
    return { leat.map(by, columns, { column }, options), fork("route", branches, column) }
  end
  want(by, "string", "leat.route takes the name of a column, or a function of columns")
  return fork("route", columns, by)
end

--- Continues from the stage with this id: the start of another branch, elsewhere in the script.
---@param id string
function leat.from(id)
  want(id, "string", "leat.from takes the id of a stage")
  local file, line = here()
  return setmetatable({ id = id, file = file, line = line }, From)
end

--- Makes a pipeline: leat.pipeline "name" { stage, stage, …, option = value }.
---@param name string
function leat.pipeline(name)
  want(name, "string", 'leat.pipeline takes a name first, as in leat.pipeline "name" { … };')
  local file, line = here()
  return function(body)
    want(body, "table", 'leat.pipeline "' .. name .. '" takes a table of stages')
    return setmetatable({ name = name, body = body, file = file, line = line }, Pipeline)
  end
end

--- Returns the item in double quotes at `at`, and the place of its end. Returns nil if there is none, or if the item
--- has no comma (it then keeps its quotes, which JSON keys need). A doubled quote inside is one quote.
local function quoted(text, at)
  local from = text:match('^%s*()"', at)
  local stop = from
  while stop do
    stop = text:find('"', stop + 1, true)
    if stop and text:sub(stop + 1, stop + 1) ~= '"' then break end
    stop = stop and stop + 1
  end
  local rest = stop and text:match("^%s*()", stop + 1)
  local item = rest and (rest > #text or text:sub(rest, rest) == ",") and text:sub(from + 1, stop - 1)
  if item and item:find(",", 1, true) then return (item:gsub('""', '"')), rest end
end

--- Splits "a,b, c" into { "a", "b", "c" }; returns a table as it is. A name with a comma needs double quotes: '"city,
--- state",b'.
---@param text string|table
function leat.list(text)
  if type(text) ~= "string" then return text end
  local out, at = {}, 1
  while at <= #text do
    local word, stop = quoted(text, at)
    if not word then
      word, stop = text:match("^([^,]*)()", at)
      word = word:match("^%s*(.-)%s*$")
    end
    if word ~= "" then out[#out + 1] = word end
    at = stop + 1
  end
  return out
end

--- True if args[name] is a word for true; `default` if it is missing. Stages take the same words.
---@param args table<string, string>
---@param name string
---@param default boolean?
function leat.flag(args, name, default)
  local words = { ["true"] = true, yes = true, ["1"] = true, ["false"] = false, no = false, ["0"] = false }
  local value = args[name]
  if type(value) == "boolean" then return value end
  if value == nil then return default or false end
  if words[value] == nil then error(("%s is %s: give true or false"):format(name, value), 0) end
  return words[value]
end

-- From here on: nested lists become nodes and edges. -------------------------------

local Flat = {}
Flat.__index = Flat

function Flat:problem(at, text, ...)
  self.problems[#self.problems + 1] = { file = at.file, line = at.line, text = text:format(...) }
end

function Flat:node(item, kind, name)
  if self.seen[item] then
    self:problem(item, "this %s is used twice: call its constructor once for each use, or use leat.from(id)", name)
    return self.seen[item]
  end
  local index = #self.nodes + 1
  self.nodes[index] = { kind = kind, name = name, args = item.args, file = item.file, line = item.line, by = item.by,
    reported = item.reported }
  self.seen[item] = index
  return index
end

--- Connects all open ends to a node. An end is { node = index, key = branch of a route or nil }.
function Flat:connect(ends, to)
  for _, e in ipairs(ends) do
    self.edges[#self.edges + 1] = { from = e.node, to = to, key = e.key, id = e.id, file = e.file, line = e.line }
  end
end

local sinks = { sink = true, eval = true } -- groups whose stages end a branch

function Flat:stage(item, ends)
  local index = self:node(item, "stage", item.name)
  if #ends > 1 then
    self:problem(item, "%d streams reach %s: put leat.merge() before it", #ends, item.name)
  end
  self:connect(ends, index)
  return { { node = index, sink = sinks[item.name:match("^[^.]*")] } }
end

local function sorted_keys(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys, function(a, b)
    if type(a) == type(b) then return a < b end
    return type(a) == "number"
  end)
  return keys
end

function Flat:fork(item, ends)
  local index = self:node(item, item.kind, "leat." .. item.kind)
  local keys = sorted_keys(item.branches)
  if item.kind == "merge" then
    self:connect(ends, index)
    for _, k in ipairs(keys) do self:connect(self:list(item.branches[k], {}, item), index) end
    return { { node = index } }
  end
  if #ends ~= 1 then
    self:problem(item, "leat.%s needs one stream before it, not %d", item.kind, #ends)
  end
  self:connect(ends, index)
  if #keys == 0 then self:problem(item, "leat.%s has no branches", item.kind) end
  local out = {}
  for _, k in ipairs(keys) do
    local start = { node = index, key = item.kind == "route" and tostring(k) or nil }
    for _, e in ipairs(self:list(item.branches[k], { start }, item)) do
      if not e.sink then out[#out + 1] = e end
    end
  end
  return out
end

function Flat:from(item, ends)
  if #ends > 0 then
    self:problem(item, "leat.from(%q) begins a branch: no stage can come before it", item.id)
  end
  return { { id = item.id, file = item.file, line = item.line } }
end

--- Walks a list with the given open ends. Returns the ends that remain open.
function Flat:list(body, ends, at)
  local meta = getmetatable(body)
  if meta == Stage or meta == Fork or meta == From then body, meta = { body }, nil end
  if type(body) ~= "table" or meta then
    self:problem(at, "a stage was expected here, not %s", meta == Pipeline and "another pipeline" or "a " .. type(body))
    return ends
  end
  if self.within[body] then
    self:problem(at, "a list of stages holds itself")
    return ends
  end
  local last = #body
  for k in pairs(body) do
    if math.type(k) == "integer" and k > last then last = k end
  end
  if last > 100000 then
    self:problem(at, "a list has %d stages: at most 100,000 are possible", last)
    return ends
  end
  self.within[body] = true
  for i = 1, last do
    local item = body[i]
    meta = getmetatable(item)
    if meta == Stage then ends = self:stage(item, ends)
    elseif meta == Fork then ends = self:fork(item, ends)
    elseif meta == From then ends = self:from(item, ends)
    elseif type(item) == "table" then ends = self:list(item, ends, at)
    else self:problem(at, "item %d is %s: a stage was expected", i, item == nil and "nil" or "a " .. type(item)) end
  end
  self.within[body] = nil
  return ends
end

--- Walks the body of a pipeline. If it has only lists, each list is a chain: its open ends do not reach the next.
function Flat:body(body, at)
  local chains = #body > 0
  for _, item in ipairs(body) do
    if type(item) ~= "table" or getmetatable(item) then chains = false end
  end
  if not chains then return self:list(body, {}, at) end
  local out = {}
  for _, chain in ipairs(body) do
    for _, e in ipairs(self:list(chain, {}, at)) do out[#out + 1] = e end
  end
  return out
end

--- Returns the script's result for the runtime, as plain nodes, edges, options and problems.
function leat._flatten(p)
  if getmetatable(p) ~= Pipeline then
    if type(p) == "function" then return nil, 'leat.pipeline "name" takes a table of stages after its name' end
    return nil, 'the script must end with: return leat.pipeline "name" { … }'
  end
  local flat = setmetatable({ nodes = {}, edges = {}, problems = mistakes.problems, seen = {}, within = {}, options = {} }, Flat)
  flat.name, flat.file, flat.line = tostring(p.name), p.file, p.line
  local stages = {}
  for k, v in pairs(p.body) do
    if math.type(k) == "integer" then stages[k] = v else flat.options[k] = v end
  end
  flat:body(stages, p)
  local fix = package.loaded["leat.fix"]
  flat.choices = fix and fix.finish(flat.name)
  return flat
end

local function forget(mistake)
  for i, other in ipairs(mistakes.problems) do
    if other == mistake then table.remove(mistakes.problems, i) end
  end
end

--- Returns the full name of a stage by its last part.
local function stage_of(name)
  for _, group in ipairs(groups) do
    if parameters(group .. "." .. name) then return group .. "." .. name end
  end
end

--- Notes a field that does not exist as a mistake of the script. Returns a stand-in that can be called like a function,
--- or has stages like a group, which the runtime then reports.
local function missing(_, name)
  local known, file, line = {}, here()
  name = tostring(name)
  for key in pairs(leat) do known[#known + 1] = key end
  table.sort(known)
  local near = stage_of(name) or suggest(name, known)
  local mistake = { file = file, line = line, text = ("there is no leat.%s%s"):format(name,
    near and ": did you mean leat." .. near .. "?" or "; `leat plugins` lists the stages") }
  mistakes.problems[#mistakes.problems + 1] = mistake
  local stages = stages_of(name)
  return setmetatable({}, {
    __name = "leat.missing",
    __index = function(self, key) forget(mistake); return stages(self, key) end,
    __call = function()
      local made = stage("leat." .. name, {})
      made.reported = true
      return made
    end,
  })
end

return setmetatable(leat, { __index = missing })
