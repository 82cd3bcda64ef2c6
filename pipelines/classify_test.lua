local test = require "leat.test"

local function examples(n)
  local lines = {}
  for i = 1, n do
    local label = i * 7919 % 13 < 6 and 1 or -1
    lines[i] = ("%d %d:1 %d:1"):format(label, label > 0 and 3 or 5, 10 + i % 4)
  end
  return table.concat(lines, "\n") .. "\n"
end

test("what decides the label has the heaviest weights", function()
  local run = test.run("classify.lua", {
    set = { data = test.file("train.libsvm", examples(2000)), learner = "awm", budget = "4KB", k = 2, out = "jsonl" },
  })
  local sign = {}
  for _, row in ipairs(run.rows.top[1].top) do sign[row.feature] = row.weight > 0 end
  test.same(sign, { ["3"] = true, ["5"] = false })
end)

test("an unknown learner is said", function()
  local run = test.run("classify.lua", {
    set = { data = test.file("train.libsvm", examples(10)), learner = "awn" }, fails = 2,
  })
  test.contains(run.messages, "awm")
end)
