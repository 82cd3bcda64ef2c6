# leat.lru against a linear search of a list; memory is bounded; snapshots hold it.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >same.lua <<'LUA'
local leat = require "leat"
local lru = require "leat.lru"
local max, idle = math.tointeger(leat.args.max), tonumber(leat.args.idle)
local table_of, list, forgotten, expired, now = lru.new(max, idle), {}, 0, 0, 0
lru.at(table_of, 0)
-- The naive twin: { key, value, when it was used }, the one used last at the end.
local function find(key) for i, e in ipairs(list) do if e[1] == key then return i end end end
local function get(key)
  local i = find(key)
  if not i then return nil end
  local entry = table.remove(list, i)
  list[#list + 1] = { entry[1], entry[2], now }
  return list[#list][2]
end
local function put(key, value)
  local i = find(key)
  if i then table.remove(list, i) end
  list[#list + 1] = { key, value, now }
  if #list <= max then return nil end
  forgotten = forgotten + 1
  local gone = table.remove(list, 1)
  return gone[1], gone[2]
end
local function remove(key)
  local i = find(key)
  return i and table.remove(list, i)[2]
end
local function at(time)
  now = math.max(now, time)
  local kept = {}
  for _, e in ipairs(list) do if not idle or now - e[3] <= idle then kept[#kept + 1] = e end end
  list, expired = kept, expired + #list - #kept
end
local function check(what, a, b) if a ~= b then error(what .. ": " .. tostring(a) .. ", and the list says " .. tostring(b)) end end
local function check_all()
  local at = #list
  for key, value in lru.pairs(table_of) do
    check("key", key, list[at] and list[at][1])
    check("value", value, list[at][2])
    at = at - 1
  end
  check("entries walked", at, 0)
  check("n", table_of.n, #list)
  check("forgotten", table_of.forgotten, forgotten)
  check("expired", table_of.expired, expired)
end
return leat.pipeline "same" {
  leat.source.null { records = 4000, text = "x" }, leat.parse.lines {},
  leat.map(function()
    local key, how = math.random(math.random(40)), math.random(10)
    if key == 7 then key = "seven" end
    if math.random(4) == 1 then
      local time = now + math.random(-3, 4) -- it may go back
      lru.at(table_of, time)
      at(time)
    end
    if how <= 4 then check("get", lru.get(table_of, key), get(key))
    elseif how <= 8 then
      local value = math.random(2) == 1 and math.random(1000)
      local gone, what = lru.put(table_of, key, value)
      local gone_there, what_there = put(key, value)
      check("the key that made room", gone, gone_there)
      check("its value", what, what_there)
    elseif how == 9 then check("remove", lru.remove(table_of, key), remove(key))
    else
      check("put of nothing", lru.put(table_of, key, nil), nil)
      remove(key)
    end
    check_all()
    return "good"
  end, {}, { "what" }),
  leat.sink.file { path = "-", format = "csv" }, max_reject_ratio = 1,
}
LUA
for max in 1 2 5 30 100; do
    leat_run run same.lua --quiet --set max=$max
    claim "$max entries are those of a list" equal "$(grep -c good "$out"),$(cat "$err")" 4000,
done
for idle in 0.5 3 20; do
    leat_run run same.lua --quiet --set max=30 --set idle=$idle
    claim "those unused for more than $idle go, as of a list" equal "$(grep -c good "$out"),$(cat "$err")" 4000,
done
leat_run check same.lua --set max=9 --set idle=-1
claim_says "no time is refused" "same.lua:4: error: lru.new: -1" "is not a time: it must be above 0"
leat_run check same.lua --set max=0
claim_says "no entries are none" "same.lua:4: error: lru.new: 0 is not a number of entries: it must be 1 or more"

cat >count.lua <<'LUA'
local leat = require "leat"
local lru = require "leat.lru"
local seen = lru.new(2000)
return leat.pipeline "count" {
  leat.source.file { path = "in.csv" }, leat.parse.csv {},
  leat.flat(function(emit, k, ended)
    if ended then
      for key, n in lru.pairs(seen) do emit(key, n) end
      return
    end
    local gone, n = lru.put(seen, k, (lru.get(seen, k) or 0) + 1)
    if gone then emit(gone, n) end
  end, { "k", "@end" }, { "k", "n:number" }, { state = "seen", memory = "2MB" }),
  leat.sink.file { path = leat.args.out, format = "csv" }, batch_rows = 64,
}
LUA
awk 'BEGIN { srand(8); print "k"; for (i = 0; i < 60000; i++) print "user" int(rand() * rand() * 20000) }' >in.csv
leat_run run count.lua --quiet --set out=one
claim_exit "two thousand keys of many go into two megabytes" 0
claim "what made room has come out: every record is counted" equal "$(awk -F, 'NR > 1 { n += $2 } END { print n }' \
    one)" 60000
claim "of all keys" cmp <(sed 1d one | cut -d, -f1 | sort -u) <(sed 1d in.csv | sort -u)
for i in 1 2 3; do
    LEAT_FAULT=snapshot_durable:$((i * 2)) leat_run run count.lua --quiet --set out=two --state state --every 5000
done
leat_run run count.lua --quiet --set out=two --state state --every 5000
claim "killed three times and continued, it gives the same" cmp one two
done_claims
