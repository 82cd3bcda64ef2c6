-- cuts.lua -- makes a random pipeline with answers of `every`, whose outputs must not depend on how the input is cut.
--
--   leat run cuts.lua --set seed=7 --set to=DIR --set input=FILE --set rows=64 --set threads=2
-- With the same seed the pipeline is the same for all other arguments. cuts.sh makes the input.
local leat = require "leat"
local a = leat.args
math.randomseed(tonumber(a.seed))
local random = math.random
local function pick(list) return list[random(#list)] end
local n_files = 0
local function file() n_files = n_files + 1; return a.to .. "/" .. n_files end

local numbers = 0
local before = { -- stages between the parser and the labels; some hold records back
  function() return leat.shape.where { pick { "v > 0.2", "u != 'u3'", "y == '1' or v < 0.7" } } end,
  function() return leat.shape.sort { lateness = pick { "0s", "5s", "1min", "1d" } } end,
  function() return leat.shape.dedup { "u", "v", within = "1min" } end,
  function() return leat.shape.sample { rate = 0.7 } end,
  function()
    return leat.filter(function() numbers = numbers + 1; return numbers % 7 ~= 3 end, { "u" }, { state = "numbers" })
  end,
  function()
    return leat.batch(function(b) for i in b:rows() do if b:get(i, "u") == "u1" then b:drop(i) end end end)
  end,
}
local makers = { -- stages that make records, with fewer columns
  function() return leat.window { "count", by = { "u", "y" }, every = pick { "5s", "1min" }, lateness = "20s" } end,
  function()
    local copies = random(3)
    return leat.flat(function(emit, u, y) for k = 1, copies do if (#u + k) % 4 ~= 0 then emit(u, y) end end end,
      { "u", "y" }, { "u", "y" })
  end,
  function() return leat.shape.reservoir { k = 300 } end,
}
local function every(with)
  if random(2) == 1 then
    with.every = math.floor(math.exp(random() * math.log(1500)))
  else
    with.every, with.clock = pick { "3s", "10s", "1min", "7min", "1h" }, "event"
  end
  return with
end
local asks = { -- name, parameters
  { "top", { k = 3 } }, { "top", { k = 20, order = pick { "gain", "risk", "change", "weight" } } },
  { "top", { k = 20, max_luck = 0.05, twins = pick { "apart", "together" } } }, { "changes", { k = 4, weight_change = 0.1 } }, { "metrics", {} },
}
local function asker(of)
  local ask, way = pick(asks), random(5)
  local function with_every()
    local with = every { of = of }
    for k, v in pairs(ask[2]) do with[k] = v end
    return with
  end
  local function result() return leat.result[ask[1]](with_every()) end
  if way == 1 then
    return { leat.tee { { result() }, { result() } }, leat.merge(), leat.sink.file { path = file(), format = "csv" } }
  elseif way < 4 then
    return { result(), leat.sink.file { path = file(), format = "jsonl" } }
  end
  local with = with_every()
  with.path = file()
  if ask[1] ~= "metrics" then with.format = pick { "csv", "jsonl" } end
  return { leat.sink[ask[1]](with) }
end
local learners = {
  "awm", "contrast", "logistic", "frequent", "adagrad", "space_saving", "hash", "wm", "sftrl", "rfd_son",
}
-- Counts whose answers have panes, amounts (v), or forget.
local function contrast(v)
  local with = { sign = pick { "positive", "both" }, budget = pick { "1MB", "256KB" } }
  local way = random(4)
  if way == 1 then
    with.panes, with.keep, with.panes_of = pick { "1min", "10min" }, pick { "20min", "1d" }, pick { "outliers", "all" }
    with.period, with.against = pick { "-10min..", "-15min..-5min" }, "-10min"
  elseif way == 2 and v then
    with.amount, with.amount_unit = "v", pick { 0.01, 0.5 }
  elseif way == 3 then
    with.half_life = pick { "5min", 300 }
  end
  return with
end
local n_learners = 0
local function learned(v)
  local line = { leat.label.is { column = "y", positive = "1" }, leat.feature.columns { "u" } }
  local branches = { { leat.sink.null {} } }
  for _ = 1, random(2) do
    n_learners = n_learners + 1
    local name = random(3) == 1 and "contrast" or pick(learners)
    local with = name == "contrast" and contrast(v) or {}
    with.id = "m" .. n_learners
    line[#line + 1] = leat.stage("learn." .. name, with)
    for _ = 1, random(2) do branches[#branches + 1] = asker("m" .. n_learners) end
  end
  line[#line + 1] = leat.tee(branches)
  return line
end
local function walk(depth)
  local line = {}
  for _ = 1, random(3) - 1 do line[#line + 1] = pick(before)() end
  local way = depth < 3 and random(4) or 1
  if way == 2 then
    line[#line + 1] = leat.tee { walk(depth + 1), { leat.sink.file { path = file(), format = "csv" } } }
  elseif way == 3 then
    line[#line + 1] = leat.route("y", { ["1"] = { leat.sink.null {} }, ["*"] = walk(depth + 1) })
  else
    if random(6) == 1 then
      line[#line + 1] = leat.route("y", { ["1"] = { leat.sink.null {} }, ["*"] = { leat.shape.where { "u != 'u2'" } } })
      line[#line + 1] = leat.merge()
    end
    local made = random(3) == 1
    if made then line[#line + 1] = pick(makers)() end
    table.move(learned(not made), 1, 5, #line + 1, line)
  end
  return line
end
return leat.pipeline "cuts" {
  batch_rows = tonumber(a.rows), threads = tonumber(a.threads), dead_letters = a.to .. "/dead", max_reject_ratio = 1,
  leat.source.file { a.input }, leat.parse.csv { lanes = pick { 1, 1, 3 } }, leat.parse.time { "t", format = "unix" },
  table.unpack(walk(1)),
}
