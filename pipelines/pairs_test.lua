local test = require "leat.test"

test("words that come together only with each other come first", function()
  local lines = {}
  for i = 1, 600 do lines[i] = i % 6 == 0 and "new york" or ("w%d w%d"):format(i % 7, i % 11) end
  local run = test.run("pairs.lua", { set = { data = test.file("text.txt", table.concat(lines, "\n") .. "\n"), out = "jsonl" } })
  test.same(run.rows.top[1].top[1].feature, "new & york")
end)
