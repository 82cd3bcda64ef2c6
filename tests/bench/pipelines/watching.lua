local leat = require "leat"
local a = leat.args
return leat.pipeline "watching" {
  leat.source.file { path = a.data, ["repeat"] = a.times },
  leat.parse.csv {},
  leat.label.is { column = "y", positive = "1" },
  leat.feature.columns { "a", "b", "n" },
  a.learner and leat.learn[a.learner] { id = "model", max_features = a.max } or leat.learn.awm { id = "model", budget = "32KB" },
  leat.sink.top { k = 10, path = "/dev/null" },
}
