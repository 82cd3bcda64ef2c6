local test = require "leat.test"

local function stream(share_of_x)
  local lines = { "src" }
  for i = 1, 1000 do lines[i + 1] = i % 10 < share_of_x and "x" or "y" end
  return table.concat(lines, "\n") .. "\n"
end

test("the ratio is that of the shares", function()
  local run = test.run("compare.lua", {
    set = { a = test.file("a.csv", stream(6)), b = test.file("b.csv", stream(2)), attributes = "src", order = "weight", out = "jsonl" },
  })
  local x, y = 3, 0.5 -- 60 % of 20 %, 40 % of 80 %
  for _, row in ipairs(run.rows.top[1].top) do
    local ratio = row.feature == "src=x" and x or y
    if row.ratio_low > ratio + 1e-9 or row.ratio_high < ratio - 1e-9 then test.fail(row.feature .. ": its bounds do not hold the ratio") end
  end
  test.same(#run.rows.top[1].top, 2)
end)
