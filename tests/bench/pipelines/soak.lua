-- Most that keeps something, at full speed: a followed log of JSON with event times and ever-new names, --set data=FILE.
local leat = require "leat"
return leat.pipeline "soak" {
  leat.source.file { path = leat.args.data, follow = true },
  leat.parse.json { "at", "host", "path", "ms", "failed", numbers = { "ms" } },
  leat.parse.time { "at", format = "unix" },
  leat.filter(function(ms) return ms < 990 end, { "ms" }),
  leat.tee {
    {
      leat.window {
        every = "60s", by = "host", lateness = "10s", budget = "16MB",
        columns = { "count", "mean(ms)", "p99_ms = quantile(ms, 0.99)", "distinct(path)" },
      },
      leat.sink.null { id = "windows" },
    },
    { leat.shape.dedup { by = "path", within = "1h", memory = "1MB" }, leat.sink.null { id = "new" } },
    {
      leat.label.is { column = "failed", positive = { "true" } },
      leat.feature.columns { "host", "path" },
      leat.learn.awm { id = "model", budget = "32KB" },
      leat.learn.frequent { id = "counts", over = "all", by = "count", max_features = 65536 },
      leat.sink.null { id = "end" },
    },
  },
}
