local test = require "leat.test"

--- Flights of two carriers and four airports. Every third flight is of carrier ZZ, and nine tenths of these are late.
local function flights(n)
  local lines = { "carrier,origin,delay" }
  for i = 1, n do
    local is_zz = i % 3 == 0
    lines[i + 1] = ("%s,%s,%d"):format(is_zz and "ZZ" or "AA", ({ "A", "B", "C", "D" })[i % 4 + 1],
      is_zz and i % 10 > 0 and 100 + i % 7 or i % 11)
  end
  return table.concat(lines, "\n") .. "\n"
end

local function explain(more)
  local set = { data = test.file("flights.csv", flights(3000)), outlier = "delay >= 100", out = "jsonl" }
  for key, value in pairs(more or {}) do set[key] = value end
  return test.run("explain.lua", { set = set }).rows.top[1].top
end

test("what all outliers have, and few others, comes first", function()
  test.rows({ explain { attributes = "carrier,origin" }[1] }, { { feature = "carrier=ZZ", count = 1000 } })
end)

test("attributes are found where none are named", function()
  test.same(explain { k = 1 }[1].feature, "carrier=ZZ")
end)

test("a column that does not exist is said", function()
  local run = test.run("explain.lua", {
    set = { data = test.file("flights.csv", flights(3)), outlier = "dely >= 100", attributes = "carrier" }, fails = 2,
  })
  test.contains(run.messages, "did you mean 'delay'?")
end)
