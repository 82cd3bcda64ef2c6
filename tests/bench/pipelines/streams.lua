-- Spans of time, order and look-ups of made-up requests; see tests/bench/streams.sh.
local leat = require "leat"
local a = leat.args
local time = leat.parse.time { column = "time", format = "unix" }
local span, n, sum = nil, {}, {}
local function hours(emit, t, host, bytes, ended)
  local this = not ended and t // 3600
  if this ~= span and span then
    for h, count in pairs(n) do emit(h, count, sum[h] / count) end
    n, sum = {}, {}
  end
  if ended then return end
  span = this
  n[host] = (n[host] or 0) + 1
  sum[host] = (sum[host] or 0) + bytes
end
local ways = {
  nothing = {}, time = { time },
  window = { time, leat.window { "count", "mean(bytes)", every = "1h", by = { "host" }, lateness = "30s" } },
  quantile = { time, leat.window { "quantile(ms, 0.99)", every = "1h", by = { "host" }, lateness = "30s" } },
  flat = { leat.flat(hours, { "time:number", "host", "bytes:number", "@end" }, { "host", "n:number", "mean:number" }) },
  sort = { time, leat.sort_window { lateness = "30s" } },
  lookup = { leat.shape.lookup { a.hosts, key = "host", columns = { "owner" } } },
  reservoir = { leat.shape.reservoir { k = 1000 } },
}
return leat.pipeline "streams" {
  leat.source.file { path = a.data }, leat.parse.csv {}, ways[a.way],
  a.out and leat.sink.file { path = a.out, format = a.format or "csv" } or leat.sink.null {}, threads = 1,
}
