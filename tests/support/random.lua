-- random.lua -- a pipeline made at random from a seed: parsers, labels, features, learners, Lua functions, lanes, tees,
-- routes and merges over part1 … part3. With the same seed it is the same whatever the number of threads.
--   leat run random.lua --set seed=7 --set threads=2 --set to=DIR
local leat = require "leat"
local a = leat.args
math.randomseed(tonumber(a.seed))
local random = math.random
local function pick(list) return list[random(#list)] end
local n_files = 0
local function file() n_files = n_files + 1; return a.to .. "/" .. n_files end
local function lanes(with) if random(3) == 1 then with.lanes = random(4) end return with end

local function source()
  local line = { leat.source.file { path = pick { "part1", "part2", "part3", "part1.gz" } },
    leat.parse.csv(lanes { header = false, columns = { "k", "a", "b" } }) }
  return line
end

local function rows() -- records stay as they are
  return pick {
    function() return leat.map(function(b) return b .. "+" end, { "b" }) end,
    function() return leat.filter(function(n) return n % 3 ~= 0 end, { "a:number" }) end,
    function() return leat.filter(function(k) return k ~= "c" end, { "k" }) end,
  }()
end

local pieces
local function fork(depth) -- and its merge
  local function branch() return pieces(depth + 1) end
  local with = random(2) == 1 and leat.tee { branch(), branch(), random(3) == 1 and branch() or nil }
    or leat.route("k", { a = branch(), b = branch(), ["*"] = random(2) == 1 and branch() or nil })
  return { with, leat.merge() }
end
function pieces(depth)
  local line = {}
  for _ = 1, random(3) do
    line[#line + 1] = depth < 3 and random(3) == 1 and fork(depth) or rows()
  end
  return line
end

local learners = {
  function() return leat.learn.awm { budget = "4KB" } end, function() return leat.learn.wm { budget = "4KB" } end,
  function() return leat.learn.logistic {} end, function() return leat.learn.frequent {} end,
  function() return leat.learn.hash { budget = "4KB" } end, function() return leat.learn.count_min { budget = "8KB" } end,
}
local function model()
  local line = { leat.label.is(lanes { column = "k", positive = { "a" } }),
    pick { function() return leat.feature.columns(lanes { "a", "b" }) end,
      function() return leat.feature.tokens(lanes { "b" }) end }() }
  if random(2) == 1 then line[#line + 1] = leat.feature.normalize(lanes {}) end
  if random(3) == 1 then line[#line + 1] = leat.feature.hash(lanes { bits = 8 }) end
  line[#line + 1] = pick(learners)()
  if random(2) == 1 then line[#line + 1] = leat.sink.top { k = 20, format = "jsonl", path = file() } end
  return line
end

local line = { random(2) == 1 and source() or leat.merge { source(), source(), random(2) == 1 and source() or nil } }
line[#line + 1] = pieces(1)
if random(2) == 1 then
  line[#line + 1] = leat.tee { { model(), leat.sink.file { path = file() } },
    { rows(), leat.sink.file { path = file(), format = "csv" } } }
else
  if random(2) == 1 then line[#line + 1] = model() end
  line[#line + 1] = leat.sink.file { path = file(), format = "csv" }
end
line.batch_rows, line.dead_letters, line.max_reject_ratio = pick { 1, 7, 64, 1024 }, a.to .. "/dead", 1
line.threads = tonumber(a.threads)
return leat.pipeline "random"(line)
