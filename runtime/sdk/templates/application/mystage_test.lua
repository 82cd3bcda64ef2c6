local test = require "leat.test"

test("what is large is of the kind that all large values have", function()
  local rows = { "city,kind,amount" }
  for i = 1, 300 do rows[#rows + 1] = ("%s,%s,%d"):format(i % 2 == 0 and "Bern" or "Rome", i % 3 == 0 and "rent" or "food", i % 3 == 0 and 900 or 40) end
  local run = test.run("mystage.lua", { set = { data = test.file("in.csv", table.concat(rows, "\n") .. "\n") } })
  test.contains(run.text.answer, "kind=rent")
end)
