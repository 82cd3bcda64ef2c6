-- Ever-new feature names: memory must not grow with them.
local leat = require "leat"
local n = 0
return leat.pipeline "names" {
  leat.source.null { records = leat.args.records },
  leat.parse.lines {},
  leat.map(function(text)
    n = n + 1
    return string.format("user-%d-of-many", n), n % 7 == 0 and 1 or -1
  end, { "text" }, { "name", "@label" }),
  leat.feature.columns { "name", explode = true },
  leat.learn.awm { id = "model", budget = "32KB", counts = true },
  leat.sink.null {},
}
