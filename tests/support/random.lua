-- random.lua -- makes a random pipeline from a seed.
--
-- Stages and their parameters come from stages.tsv, which is made of `leat plugins --json`: a new stage or parameter
-- needs no edit here. One pipeline in six is careless: values out of range, stages without their inputs; leat refuses
-- most.
--   leat run random.lua --set seed=7 --set threads=2 --set to=DIR
-- With the same seed the pipeline is the same for any number of threads. random_runs.sh makes the inputs.
local leat = require "leat"
local a = leat.args
math.randomseed(tonumber(a.seed))
local random = math.random
local function pick(list) return list[random(#list)] end
local function chance(n) return random(n) == 1 end
local careless = chance(6) -- makes faults possible
local function slip(n) return careless and chance(n) end
local n_files, n_stages = 0, 0
local function file() n_files = n_files + 1; return a.to .. "/" .. n_files end

-- ---- stages and parameters ----
local function fields(line)
  local list = {}
  for field in (line .. "\t"):gmatch "([^\t]*)\t" do list[#list + 1] = field end
  return list
end
local function words(text)
  local list = {}
  for word in text:gmatch "[^,]+" do list[#list + 1] = word end
  return list
end
local stages, by_name = {}, {}
for line in io.lines "stages.tsv" do
  local f = fields(line)
  if f[1] == "stage" then
    stages[#stages + 1] = { name = f[2], kind = f[3], needs = words(f[4]), makes = words(f[5]), lanes = f[6] == "true",
      params = {}, param = {} }
    by_name[f[2]] = stages[#stages]
  else
    local p = { name = f[2], type = f[3], required = f[4] == "true", min = tonumber(f[5]), max = tonumber(f[6]),
      choices = words(f[7]) }
    local of = stages[#stages]
    of.params[#of.params + 1], of.param[p.name] = p, p
  end
end

-- ---- values ----
local kinds = { -- inputs of random_runs.sh, and the columns that their parsers give
  csv = { "k", "a", "b", "text" }, tsv = { "k", "a", "b", "text" }, lines = { "text" }, libsvm = {},
  json = { "k", "a", "b", "text" }, logfmt = { "k", "a", "b", "text" }, regex = { "k", "a", "text" }, vw = {}, libffm = {},
  packet = { "src", "dst", "proto", "sport", "dport" }, dead_letters = { "dead_letter.reason", "dead_letter.line" },
}
local packed = { "", "", ".gz", ".bz2", ".xz", ".zst", ".lz4" }
local function paths(kind)
  local list = {}
  for _ = 1, pick { 1, 1, 2, 3 } do list[#list + 1] = random(3) .. "." .. kind .. pick(packed) end
  if chance(12) then list[#list + 1] = "*." .. kind end
  if chance(25) then list[#list + 1] = "cut." .. kind .. ".gz" end
  return list
end

local texts = { -- by the parameter's name
  delimiter = { ",", ",", ";", "\t" }, quote = { '"', "", "'" }, missing = { "", "a", "0" }, mark = { "w3", "w1" },
  title = { "T", "" }, filter = { "tcp", "ip and not port 22", "tcp port" }, positive = { "1", "2" },
  text = { "a,1,b1,w1 w2 w3", "+1 1:1 2:0.5", "x", "" }, thousands = { " ", "'" }, decimal = { ",", "." },
  before = { "1970-01-01T00:00:04", "2023-11-14T22:30" }, after = { "1970-01-01T00:00:02", "2023-11-14T22:20" },
  newest = { "1970-01-01T00:00:08" }, zone = { "UTC", "+02:00" }, separator = { " ", "w" },
  condition = { "length(@raw) > 9", "hash(@raw) % 3 > 0", "not contains(@raw, 'w1')", "substring(@raw, 1, 1) < 5" },
}
local lists = {
  classes = { { "a", "b", "c" }, { "a", "b" }, { "c", "b1", "b2" } },
  positive = { { "a" }, { "a", "b" }, { "b1", "c" } },
  methods = { { "scod" }, { "cod", "scod" } }, sizes = { { "5" }, { "2", "10" } },
  m = { { "3" }, { "2", "5" }, { "1" } }, state = { { "seen" } },
}
local n_learners = 0
local expressions = { "upper($)", "length($) + 1", "$ .. '-' .. $", "hash($) % 7", "$ / 2", "if(contains($, '1'), $)",
  "bucket(number($), 2, 5)", "replace($, 'w', 'vv')", "$ > '5' and not is_missing($)" }
local function column(has) return slip(10) and "nowhere" or has.names and pick(has.names) or "text" end
local function columns(has)
  local list, taken = {}, {}
  for _ = 1, random(3) do
    local c = column(has)
    if not taken[c] or slip(3) then list[#list + 1], taken[c] = c, true end
  end
  return list
end

local function whole(p, most) -- prefers small numbers; never so large that memory is short
  local lo, hi = p.min or 0, math.max(p.min or 0, math.min(p.max or most, most))
  local n = math.floor(lo) + math.floor(math.exp(random() * math.log(hi - lo + 1))) - 1
  return p.name == "width" and not slip(3) and 1 << n % 14 or n
end
local function real(p)
  local lo, hi = p.min or 0, p.max or 1
  if chance(12) then return pick { lo, hi } end
  if chance(4) and lo <= 0 then return 0 end
  return math.max(lo, math.min(hi, chance(2) and 1 + random() * 9 or 10 ^ (random() * 6 - 4)))
end
local draw_type = {
  bool = function() return chance(2) end,
  choice = function(p) return pick(p.choices) end,
  integer = function(p) return whole(p, chance(8) and 3000 or 200) end,
  size = function(p) return whole(p, chance(8) and 4 << 20 or 64 << 10) end,
  number = real,
  interval = function() return random(2000) end, -- a number of records, as times differ in each run
  path = file,
  text = function(p, has)
    if p.name == "of" then return slip(3) and "nobody" or #has.learners > 0 and pick(has.learners) or nil end
    return p.name == "column" and column(has) or pick(texts[p.name] or { "x", "" })
  end,
  list = function(p, has) return lists[p.name] and pick(lists[p.name]) or columns(has) end,
}
local function wrong(p)
  if p.max and chance(2) then return p.max * 2 + 1 end
  if p.min and chance(2) then return p.min - 1 end
  return pick { "nonsense", -1, {}, true, 0 / 0, "1KB", "" }
end
local function draw(p, has)
  if slip(25) then return wrong(p) end
  return draw_type[p.type] and draw_type[p.type](p, has)
end

-- ---- stages ----
local seen, calls = {}, 0 -- variables of functions in the stream
local function answers(has, names) -- records with nothing of the original ones
  for _, what in ipairs { "keys", "labels", "examples", "scores", "headers", "names" } do has[what] = nil end
  has.derived, has.names, has.several, has.sides, has.columns = true, names, nil, nil, true
end
local functions = {
  ["lua.filter"] = function(has, with)
    with.columns = { column(has) }
    with.fn, with.state = pick {
      function(x) return x ~= "c" and x ~= 3 end,
      function(x) return x and #tostring(x) % 2 == 0 or math.random() < 0.7 end,
    }, nil
    if chance(3) then
      with.fn, with.state = function(x) calls = calls + 1; return calls % 5 ~= 0 and x ~= "c" end, { "calls" }
    end
  end,
  ["lua.map"] = function(has, with)
    with.columns, with.into, with.state = { column(has), column(has) }, nil, nil
    local how = random(4)
    if how == 2 and has.examples then how = 1 end
    if how == 1 then
      with.fn = function(x, y) return x, y end
    elseif how == 2 then
      with.fn, with.into = function(x) return x == "a" or x == 1 end, { "@label" }
      has.labels = true
    elseif how == 3 then
      with.into, with.state = { "new" .. n_stages }, { "seen" }
      with.fn = function(x, y)
        if x then seen[x] = (seen[x] or 0) + 1 end
        return x and x .. ":" .. seen[x] or y
      end
      if has.names then has.names[#has.names + 1] = with.into[1] end
    else
      with.fn = function(x, y) return y and y .. "+", x end
    end
  end,
  ["lua.flat"] = function(has, with)
    local made, how = has.names and pick { "k", "made" .. n_stages } or "made" .. n_stages, random(3)
    with.columns, with.into, with.state = { column(has), "@end" }, { made, "n:number" }, nil
    if how == 1 then
      with.fn = function(emit, x) for w in tostring(x):gmatch "[^ ]+" do emit(w, #w) end end
    elseif how == 2 then
      with.fn = function(emit, x, last) if last then emit("end", 0) elseif x then emit(x, 1); emit(x, 2) end end
    else
      with.state = { "calls" }
      with.fn = function(emit, x, last)
        calls = calls + 1
        if last then for i = 1, 40 do emit("end", calls + i) end return end
        if calls % 50 == 49 then error "of the forty-ninth call" end
        if calls % 9 == 0 then for i = 1, 30 do emit(x, i) end end
      end
    end
    for _, what in ipairs { "columns", "labels", "examples", "scores", "headers", "names" } do has[what] = nil end
    has.columns, has.derived, has.names, has.several, has.sides = true, true, { made, "n" }, nil, nil
  end,
  ["lua.label"] = function(has, with)
    with.columns, with.state, with.classes = { column(has) }, nil, nil
    if chance(3) then
      with.fn, with.classes = function(x) return x == "c" and "other" or x end, { "a", "b", "other" }
    else
      with.fn, with.state = function(x) calls = calls + 1; if x then return calls % 3 == 0 or -1 end end, { "calls" }
    end
    has.labels = true
  end,
  ["lua.features"] = function(has, with)
    with.columns, with.state, with.max_entries = { column(has), column(has) }, nil, nil
    with.fn = pick {
      function(x, y) return x and "x=" .. x, y and "y=" .. y, "one", 0.5 end,
      function(x, y) return { ["x=" .. tostring(x)] = 1, ["y=" .. tostring(y)] = 2, z = -1, "first" } end,
      function(x) if x then return { tostring(x) } end end,
    }
  end,
  ["result.predictions"] = function(has, with)
    for i, name in ipairs(with.columns or {}) do if name == with.columns[i - 1] then with.columns[i] = nil end end
    for _, what in ipairs { "labels", "examples", "scores", "headers", "names" } do has[what] = nil end
    has.derived, has.names, has.several, has.sides = true, { "score", "label" }, nil, nil
  end,
  ["shape.window"] = function(has, with)
    local by = column(has)
    with.columns, with.by, with.every, with.slide = { "count", "d = distinct(" .. by .. ")" }, { by }, pick { "5s", "1min" }, nil
    with.budget, with.k, with.lateness, with.offset = pick { "64KB", "1MB" }, nil, pick { "0s", "3s" }, nil
    for _, what in ipairs { "columns", "labels", "examples", "scores", "headers", "keys", "names" } do has[what] = nil end
    has.columns, has.derived, has.names, has.several, has.sides = true, true, { by, "window" }, nil, nil
  end,
  ["shape.reservoir"] = function(_, with) with.budget = pick { "64KB", "1MB" } end,
  ["shape.sort"] = function(_, with) with.lateness, with.budget = pick { "0s", "2s", "1min" }, pick { "64KB", "1MB" } end,
  ["result.top"] = function(has, with) with.columns = nil; answers(has, { "rank", "feature" }) end,
  ["result.changes"] = function(has) answers(has, { "change", "weight" }) end,
  ["result.metrics"] = function(has, with) with.every = with.every or 100; answers(has, { "learner", "examples" }) end,
  ["lua.batch"] = function(has, with)
    local c = column(has)
    with.state, with.labels = nil, nil
    with.fn = pick {
      function(b) for i in b:rows() do if b:get(i, c) == "c" then b:drop(i) end end end,
      function(b) b:where(c, "~=", "b") end,
      function(b) for i in b:rows() do if i % 50 == 49 then b:reject(i, "of the forty-ninth row") end end end,
      function(b) for i in b:rows() do b:set(i, c, b:get(i, c)) end end,
    }
  end,
}
local usual = { -- parameters without which a stage is mostly refused, or never ends
  ["feature.columns"] = { "columns" }, ["feature.tokens"] = { "column" }, ["eval.pmi"] = { "column" },
  ["feature.sides"] = { "halves" }, ["source.null"] = { "records", "text" }, ["sink.metrics"] = { "every" }, ["result.metrics"] = { "every" },
  ["label.holdout"] = { "period" }, ["feature.pairs"] = { "max_tokens", "window", "negatives" },
  ["parse.time"] = { "column", "format" }, ["parse.json"] = { "columns" }, ["parse.logfmt"] = { "columns" },
  ["parse.regex"] = { "pattern" }, ["label.weight"] = { "column" }, ["label.period"] = { "before" },
}
-- Parameters that report seconds, wait for ever, or need others.
local never = { time = true, title = false, clock = true, follow = true, max_files = true, record_start = true,
  shuffle = true, encoding = true, year = true, panes = true, keep = true, panes_of = true, period = true, against = true, amount_unit = true, texts = true }
local function format_of_sink(w, has)
  if w.columns or has.derived then w.format = pick { "jsonl", "csv", "tsv" } end
end
local mend = { -- parameters that belong together
  ["sink.file"] = format_of_sink, ["sink.command"] = format_of_sink,
  ["parse.csv"] = function(w, has)
    if w.header == false or w.columns or has.made then w.columns = kinds.csv end
    if w.delimiter and #w.delimiter > 1 then w.quote = "" end
    if w.columns or w.numbers then w.delimiter = nil end
  end,
  ["parse.tsv"] = function(w, has) if w.header == false or w.columns or has.made then w.columns = kinds.tsv end end,
  ["feature.sides"] = function(w) w.left, w.below, w.mark = nil, nil, nil end,
  ["shape.lookup"] = function(w, has)
    w.path, w.key, w.file_key = random(3) .. ".csv" .. pick { "", ".gz", ".zst" }, column(has), pick { "a", "b", "text" }
    w.columns, w.prefix, w.memory = { pick { "a", "b", "k" } }, "of" .. n_stages .. "_", nil
    if has.names then has.names[#has.names + 1] = w.prefix .. w.columns[1] end
  end,
  ["label.quantile"] = function(w, has) if not has.labels then w.adds = nil end end,
  ["label.mad"] = function(w, has) if not has.labels then w.adds = nil end end,
  ["parse.time"] = function(w) if not w.parts then w.prefix = nil end end,
  ["feature.tokens"] = function(w) if w.separator then w.rule = nil end end,
  ["learn.contrast"] = function(w, has)
    if not has["event times"] or chance(2) then return end
    w.panes, w.keep, w.panes_of, w.half_life = pick { "1s", "1min" }, pick { "30s", "1h" }, pick { "outliers", "all" }, nil
    if w.panes == "1min" then w.keep = "1h" end
    w.period, w.against, w.budget = pick { "-4s..", "-1min.." }, pick { "-1min" }, "1MB"
  end,
  ["shape.dedup"] = function(w) if w.within then w.records = nil end end,
  ["shape.set"] = function(w, has)
    local c = column(has)
    w.columns = { "made" .. n_stages .. " = " .. pick(expressions):gsub("%$", "`" .. c .. "`") }
    if has.names then has.names[#has.names + 1] = "made" .. n_stages end
  end,
  ["parse.libsvm"] = function(w) w.positive = w.label ~= "raw" and w.positive or nil end,
  ["feature.columns"] = function(w)
    if w.columns then w.each = nil end
    if not w.numbers or not w.columns then return end
    local c, n = w.columns[1], w.numbers[1]
    w.columns, w.numbers = { c }, n ~= c and { n } or nil
  end,
}
local function column_at(i)
  return function(has) return has.names and not chance(8) and has.names[i] or column(has) end
end
local function of_column(...) -- a list of one text about a column
  local ends = { ... }
  return function(has) return { column(has) .. pick(ends) } end
end
local ours = { -- values that few others can replace
  ["parse.json"] = { columns = function() return kinds.json end }, ["parse.logfmt"] = { columns = function() return kinds.logfmt end },
  ["parse.regex"] = { pattern = function() return [[(?<k>\S+) (?<a>\S+) ?(?<text>.*)]] end },
  ["label.weight"] = { column = column_at(2), classes = function() return pick { { "0.5" }, { "balanced" }, { "1", "3" } } end },
  ["label.where"] = { parts = of_column(" > 3", " = 'a'") }, ["learn.contrast"] = { amount = column_at(2) },
  ["label.is"] = { column = column_at(1) }, ["label.class"] = { column = column_at(1) },
  ["label.number"] = { column = column_at(2) }, ["label.quantile"] = { column = column_at(2) },
   ["source.null"] = { records = function() return random(2000) end },
  ["sink.command"] = { command = function() return "cat >/dev/null" end },
  ["label.holdout"] = { period = function() return random(2, 200) end },
  ["feature.columns"] = { edges = of_column("=2 5"), levels = of_column("=b 2", "=  1") },
  ["feature.pairs"] = { max_tokens = function() return random(2, 20) end, window = function() return random(2, 8) end,
    negatives = function() return random(4) end }, ["feature.sides"] = { halves = function() return true end },
  ["parse.time"] = { column = column_at(2), format = function() return pick { "unix", "unix_ms", "unix_ns" } end,
    zone = function() return pick { "UTC", "+05:45", "-11" } end, year = function() return pick { "1999", "2023-07" } end,
    parts = function() return pick { { "hour" }, { "weekday", "date", "iso8601" } } end } }

local function given(stage, has)
  local with, share = {}, pick { 0, 0, 0.1, 0.4 }
  local always = {}
  for _, name in ipairs(usual[stage.name] or {}) do always[name] = true end
  for _, p in ipairs(stage.params) do
    local own = (ours[stage.name] or {})[p.name]
    if p.name == "max_features" and p.max <= 1 << 16 then -- it takes the square of this memory for each example
      own, always[p.name] = function() return whole(p, 60) end, true
    end
    if p.required or always[p.name] or p.type == "path" or not never[p.name] and random() < share then
      if own and not slip(10) then with[p.name] = own(has) else with[p.name] = draw(p, has) end
    end
  end
  if mend[stage.name] and not slip(4) then mend[stage.name](with, has) end
  if stage.param.clock and has["event times"] and chance(2) then
    with.every, with.clock = pick { "3s", "1min" }, "event"
  end
  if stage.name == "source.null" and with.records == 0 then with.records = 1 end -- 0: it never ends
  if functions[stage.name] then functions[stage.name](has, with) end
  n_stages = n_stages + 1
  with.id = "s" .. n_stages
  if (stage.lanes or slip(20)) and chance(3) then with.lanes = random(4) end
  return with
end
local function add(line, stage, has)
  local with = given(stage, has)
  line[#line + 1] = leat.stage(stage.name, with)
  for _, what in ipairs(stage.makes) do has[what] = true end
  if stage.name == "feature.sides" then has.sides = true end
  has.several = has.several or has.sides or with.explode or stage.name == "feature.pairs"
  has.tail = stage.kind == "sink" and "sink" -- a line that ends in a sink is not continued behind a fork
  if stage.kind == "learner" then n_learners, has.learners[#has.learners + 1] = n_learners + 1, with.id end
  return with
end

local function wanted(stage, has) -- weight of a stage as the next one; nil if it cannot be next
  if stage.kind == "source" or stage.param.brokers or stage.param.url then return end -- these have tests of their own
  if stage.name:match "^lua" and not has.names then return careless and 0.02 or nil end
  if stage.name == "label.period" and not has["event times"] then return careless and 0.02 or nil end
  if stage.name == "parse.time" and has.names and not has["event times"] then return 2 end
  for _, what in ipairs(stage.needs) do if not has[what] then return end end
  if stage.param.of and #has.learners == 0 then return end
  if stage.name:match "^parse" then return careless and 0.02 or nil end
  if stage.kind == "learner" and n_learners >= 4 then return end
  if (stage.name == "shape.sort" or stage.name == "shape.reservoir") and has.examples then return careless and 0.02 or nil end
  if stage.name == "feature.sides" and has.several then return careless and 0.02 or nil end
  if stage.name:match "%.product$" and not has.sides then return careless and 0.02 or nil end
  for _, what in ipairs(stage.makes) do
    local once = (what == "labels" or what == "examples") and stage.needs[1] ~= "examples"
    if once and (has[what] or has.examples) then return careless and 0.1 or nil end
    if not has[what] then return 1 end
  end
  return 0.3
end
local function next_stage(has)
  if slip(20) then return pick(stages) end
  local list, sum = {}, 0
  for _, stage in ipairs(stages) do
    local w = wanted(stage, has)
    if w then sum = sum + w; list[#list + 1] = { stage, sum } end
  end
  local at = random() * sum
  for _, entry in ipairs(list) do if at <= entry[2] then return entry[1] end end
end

local function copy(t)
  local c = {}
  for k, v in pairs(t) do c[k] = type(v) == "table" and copy(v) or v end
  return c
end
local function shape(has) -- streams that can be merged have the same shape
  local list = { table.concat(has.names or {}, ",") }
  for k, v in pairs(has) do if v == true then list[#list + 1] = k end end
  table.sort(list)
  return table.concat(list, ";")
end
local walk
local function fork(line, has, depth) -- mostly with its merge
  local open
  local function branch()
    local b, own = {}, copy(has)
    walk(b, own, random(3), depth + 1)
    if own.ended or own.tail then return b end
    if chance(6) or open and shape(open) ~= shape(own) and not slip(3) then
      b[#b + 1] = leat.sink.file { path = file(), format = own.derived and "csv" or nil }
    else
      open = own
    end
    return b
  end
  if has.names and chance(2) then
    local fn = chance(3) and function(x) return x == "a" and "a" or "b" end
    local ways = { a = branch(), b = branch(), ["*"] = chance(2) and branch() or nil }
    line[#line + 1] = fn and leat.route(fn, { column(has) }, ways) or leat.route(column(has), ways)
  else
    line[#line + 1] = leat.tee { branch(), branch(), chance(3) and branch() or nil }
  end
  if not open then has.ended = true; return end
  line[#line + 1], has.tail = leat.merge(), nil
  open.learners = has.learners
  for k, v in pairs(open) do has[k] = v end
end
function walk(line, has, steps, depth)
  for _ = 1, steps do
    if has.ended then return end
    if depth < 3 and chance(7) then fork(line, has, depth) else add(line, next_stage(has), has) end
  end
end

-- ---- the pipeline ----
local parser, parsed -- the same for all merged streams
local function source(kind, has)
  local line = {}
  has.names = #kinds[kind] > 0 and kinds[kind] or nil
  if chance(12) then
    add(line, by_name["source.null"], has)
    has.made = true
  else
    local stage = by_name[kind == "packet" and "source.pcap" or "source.file"]
    local with = given(stage, has)
    with.path = paths(slip(10) and "csv" or kind)
    if with["repeat"] then with["repeat"] = random(20) end
    line[1] = leat.stage(stage.name, with)
  end
  for _, what in ipairs { "records", "keys", "event times" } do has[what] = has[what] or what == "records" end
  parser = parser or slip(10) and pick(stages) or by_name["parse." .. kind]
  if parsed and not slip(3) then
    line[#line + 1] = leat.stage(parser.name, parsed)
  else
    parsed = add(line, parser, has)
    parsed.id, parsed.lanes = nil, nil
  end
  if kind == "dead_letters" then
    has.names = copy(kinds.csv)
    line[#line + 1] = leat.parse.csv { header = false, columns = kinds.csv }
  end
  return line
end
local parsers = {}
for _, stage in ipairs(stages) do
  local kind = stage.name:match "^parse%.(.*)"
  if kind and (kinds[kind] or slip(3)) then parsers[#parsers + 1] = kind end
end

local kind = chance(2) and "csv" or pick(parsers)
kinds[kind] = kinds[kind] or {}
local has, line = { learners = {} }, {}
if chance(2) then
  line[1] = source(kind, has)
else
  local sources = {}
  for i = 1, pick { 2, 2, 3 } do sources[i] = source(kind, has) end
  line[1] = leat.merge(sources)
end
has.names = has.names and copy(has.names)
walk(line, has, random(9), 1)
local formats = has.derived and { "jsonl", "csv", "tsv" } or has.columns and not slip(5) and { "raw", "jsonl", "csv", "tsv" } or { "raw" }
if not has.ended then line[#line + 1] = leat.sink.file { path = file(), format = pick(formats) } end
line.batch_rows, line.dead_letters, line.max_reject_ratio = pick { 1, 7, 64, 1024 }, a.to .. "/dead", 1
line.batch_bytes = chance(3) and random(4096, 100000) or nil
line.on_error, line.seed, line.memory = chance(40) and "fail" or nil, random(100), "2GB"
line.threads = tonumber(a.threads)
return leat.pipeline "random"(line)
