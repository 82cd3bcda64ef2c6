--- Commands that `leat peek` proposes for the columns that it saw (lua/leat/peek.lua, lua/leat/peek_columns.lua): at most
--- six, in order of worth.
---
---   worth               command
---   6                   ratings of items by users
---   5                   errors of HTTP
---   2 + score / 2       outliers of the best measure, or of the best result with few values (lua/leat/peek_measure.lua)
---   2.9                 records without a value, if these come together
---   2.8                 two periods
---   1.5 less            what predicts the measure, or the result; another measure, or the other end of opinions
---   less                any other text, if there are fewer than three commands

local leat = require "leat"
local commands = require "leat.peek_commands"
local conditions = require "leat.conditions"
local inputs = require "leat.inputs"
local measure = require "leat.peek_measure"
local numbers = require "leat.peek_numbers"
local periods = require "leat.peek_periods"
local words = require "leat.name_words"
local args = leat.args

local MOST = 10      -- most columns of a topic to propose as attributes, as explain does not choose them for a topic
local ITEMS = 6      -- most columns to compare, or to learn from, of each type
local COMMANDS = 6
local RECORDS = 100  -- fewest records to compare periods or to learn from
local MEASURES = 3   -- most measures to ask about
local RATED = 5      -- most columns of data that is ratings and nothing else
local VALUES = 10    -- fewest numbers to predict, as fewer are rather classes
local CLASSES = 10   -- most classes to name

local function copy(list) return table.move(list, 1, #list, 1, {}) end

--- True if a list of columns may have the name.
local function is_listable(c) return not c.name:find("[%c,\"]") end

--- Returns the columns that may explain something (lua/leat/attributes.lua), without column `of`.
local function explaining(seen, of)
  local list = {}
  for _, c in ipairs(seen) do
    if c.values > 1 and c.values <= measure.FEW and #list < MOST and not c.name:find("[%c,]") and c.name ~= of then
      list[#list + 1] = c.name
    end
  end
  return list
end

--- True if pipelines/explain.lua finds attributes by itself when column `of` defines the outliers.
local function chosen(seen, of)
  for _, c in ipairs(seen) do
    if c.early and c.name ~= of and (not c.numbers or c.values <= measure.FEW) then return true end
  end
  return false
end

--- True if a column tells times, or parts of them.
local function is_calendar(c)
  return measure.is_time(c) or words.has(c.name, "year yr month day week quarter date time timestamp")
end

--- Returns the names of the columns of texts, or of few numbers, that several records share: texts first, and last the
--- columns of a numbered series. Columns without times if `of_periods`; texts with few values if of.few.
local function shared(seen, of, of_periods)
  local list = {}
  for _, c in ipairs(seen) do
    local few = c.values <= measure.FEW or not c.numbers and 4 * c.values <= c.n and not of.few
    local fits = c.values > 1 and few and is_listable(c) and c.name ~= of.name and not measure.is_time(c)
    if fits and not (of_periods and is_calendar(c)) then
      list[#list + 1] = { name = c.name, at = c.at + #seen * ((c.numbers and 1 or 0) + (measure.in_series(c, seen) and 2 or 0)) }
    end
  end
  table.sort(list, function(a, b) return a.at < b.at end)
  local names = {}
  for i = 1, math.min(ITEMS, #list) do names[i] = list[i].name end
  return names
end

--- Returns the names of the columns of many numbers that may predict column `of`.
local function predictors(seen, of)
  local list = {}
  for _, c in ipairs(seen) do
    local fits = c.numbers and c.values > measure.FEW and is_listable(c) and measure.is_plain(c) and c.name ~= of.name
    fits = fits and not measure.is_time(c) and not measure.rises(c) and 2 * c.n > c.records
    if fits and words.measure(c.name) > -2.5 and #list < ITEMS then
      list[#list + 1] = c.name
    end
  end
  return list
end

--- Returns the settings, with those of what a learner learns from column `c`; nil if no other column is left.
local function learning(seen, given, c)
  local more, texts, many = copy(given), shared(seen, { name = c.name, few = true }), predictors(seen, c)
  if #texts + #many == 0 or c.records < RECORDS or args.filter and c.n < c.records then return nil end
  local of_format = table.concat(given, "\n"):find("%f[^\n\0]format=") or table.concat(given, "\n"):find("%f[^\n\0]pattern=")
  local extension = not args.brokers and inputs.extension(args.data)
  if not of_format and extension ~= "csv" and not inputs.json_extensions[extension] then more[#more + 1] = "format=csv" end
  if c.n < c.records then more[#more + 1] = ("filter=not is_missing(%s)"):format(conditions.column(c.name)) end
  return more, texts, many
end

--- Returns the command that learns column `c`; nil if nothing can predict it.
local function learned(kind, seen, given, c, settings)
  local more, texts, many = learning(seen, given, c)
  if not more then return nil end
  table.move(settings, 1, #settings, #more + 1, more)
  if #many > 0 then
    for i = #more, 1, -1 do -- numbers that the parser reads are among them already
      if more[i]:find("^numbers=") then table.remove(more, i) end
    end
    more[#more + 1] = "numbers=" .. table.concat(many, ",")
  end
  if #texts > 0 then more[#more + 1] = "attributes=" .. table.concat(texts, ",") end
  return commands.on_data(kind, more)
end

--- Returns the settings that tell classify the classes of a column; nil if a list cannot hold them.
local function classes_of(c)
  local label, list = "label=" .. c.name, {}
  for text in pairs(c.had) do
    list[#list + 1] = not text:find('[%c,"]') and text == text:match("^%s*(.-)%s*$") and text or nil
  end
  table.sort(list)
  if c.values == 2 or #list < c.values or #list > CLASSES then
    return not c.value:find(",", 1, true) and { label, "positive=" .. c.value } or nil
  end
  return { label, "classes=" .. table.concat(list, ","), "others=filter" }
end

--- True if the values of a column are shared by records, as users and items are.
local function repeats(c) return c.values > measure.FEW and 10 * c.values <= 9 * c.n and measure.is_plain(c) end

--- True if the values are ratings: few numbers, from 0 to 10, or to any limit if the name says so.
local function rates(c)
  local named = words.plays(c.name, "rating")
  if not (c.numbers and c.values > 2 and c.values <= measure.FEW and measure.is_plain(c)) then return false end
  return numbers.quantile(c, 0) >= 0 and numbers.quantile(c, 1) <= (named and 100 or 10), named
end

--- Returns the columns of users, items and ratings; nil without all three. Columns without names are found by their order.
local function rated(seen)
  local found = {}
  for _, c in ipairs(seen) do
    local rating, named = rates(c)
    if rating and named then found.rating = found.rating or c end
    for _, role in ipairs { "user", "item" } do
      if words.plays(c.name, role) and repeats(c) then found[role] = found[role] or c end
    end
  end
  local unnamed = #seen >= 3 and #seen <= 4 and seen[1].name == "c1" and seen[3].name == "c3"
  if unnamed and repeats(seen[1]) and repeats(seen[2]) and rates(seen[3]) then
    found = { user = seen[1], item = seen[2], rating = seen[3] }
  end
  return found.user and found.item and found.rating and found.user ~= found.item and found
end

--- Returns the commands in order of worth, without their worth.
local function ranked(list)
  for i, one in ipairs(list) do one.at = i end
  table.sort(list, function(a, b) return a.worth > b.worth or a.worth == b.worth and a.at < b.at end)
  local texts = {}
  for i = 1, math.min(#list, COMMANDS) do texts[i] = list[i].command end
  return texts
end

--- Returns the column with times: the one with most values; nil if there is none. Also returns whether a column has times
--- before 1970, which are no event times.
local function time_of(seen)
  local time, early
  for _, c in ipairs(seen) do
    local is_time = measure.is_time(c) and measure.is_plain(c)
    if is_time and periods.is_early(c) then early = true
    elseif is_time and (not time or c.n > time.n) then time = c end
  end
  return time, early
end

--- Adds commands that explain some records. ask(worth, setting, column) adds one.
local function asking(seen, given, list)
  local time, early
  if not args.time and not args.pattern then time, early = time_of(seen) end
  return function(worth, text, of)
    local others = explaining(seen, of)
    local named = args.brokers or args.record_start or not chosen(seen, of)
    if early or args.pattern or #others == 0 then others, named = shared(seen, { name = of }), true end
    if #others == 0 then return end
    local more = copy(given)
    if time then more[#more + 1] = "time=" .. time.name end
    if time and time.time_format ~= "iso8601" then more[#more + 1] = "time_format=" .. time.time_format end
    if time and time.n < time.records then more[#more + 1] = "time_missing=none" end
    more[#more + 1] = text
    if named then more[#more + 1] = "attributes=" .. table.concat(others, ",") end
    list[#list + 1] = { worth = worth, command = commands.on_data("explain", more) }
  end
end

--- Returns measures whose names end with different words, best first. All but the first have a good score.
local function different_measures(seen)
  local list, had = {}, {}
  for _, c in ipairs(measure.measures(seen)) do
    local of = words.of(c.name)
    local last = of[#of] or c.name
    if #list < MEASURES and not had[last] and (#list == 0 or c.score >= 2.5) then list[#list + 1], had[last] = c, true end
  end
  return list
end

--- Adds the commands for measures. A measure that little speaks for is added only if it is the last resort.
local function of_measures(seen, given, list, ask, whole, last_resort)
  for i, c in ipairs(different_measures(seen)) do
    if i == 1 and (c.score < 0) ~= last_resort or i > 1 and last_resort then break end
    local worth, first, other = 2 + c.score / 2, measure.of_measure(c, whole)
    ask(i == 1 and worth or worth - 1.5, first, c.name)
    if other then ask(worth - 1.6, other, c.name) end
    local command = i == 1 and c.score >= 2 and c.values > VALUES and learned("regress", seen, given, c, { "target=" .. c.name })
    if command then list[#list + 1] = { worth = worth - 1.5, command = command } end
  end
end

--- Adds the command for errors of HTTP.
local function of_errors(seen, ask)
  for _, c in ipairs(seen) do
    local errors = measure.of_errors(c)
    if errors then return ask(5, errors, c.name) end
  end
end

--- Adds the commands for results with few values. Others than results are asked about if there are few commands.
local function of_classes(seen, given, list, ask)
  local best
  for _, c in ipairs(measure.classes(seen)) do best = best or not measure.of_errors(c) and c end
  if best and best.class_score >= 1 then
    ask(2 + best.class_score / 2, measure.of_class(best), best.name)
    local settings = best.class_score >= 1.5 and classes_of(best)
    local command = settings and learned("classify", seen, given, best, settings)
    if command then list[#list + 1] = { worth = 0.5 + best.class_score / 2, command = command } end
  elseif best and #list < 3 then
    ask(0, measure.of_class(best), best.name)
  end
end

--- Adds a command if there is none so far: the best measure, or else any column with few values.
local function of_last_resort(seen, given, list, ask)
  if #list == 0 then of_measures(seen, given, list, ask, false, true) end
  local best = #list == 0 and measure.classes(seen, true)[1]
  if best then ask(0, measure.of_class(best), best.name) end
end

--- Returns commands for the columns that peek saw. `given` are the settings that read the data. `whole` says whether the
--- columns are of records from all parts of the data.
return function(seen, given, whole)
  local list = {}
  local ask = asking(seen, given, list)
  local ratings = rated(seen)
  if ratings then
    local more = copy(given)
    for _, role in ipairs { "user", "item", "rating" } do more[#more + 1] = role .. "=" .. ratings[role].name end
    list[1] = { worth = 6, command = commands.on_data("rate", more) }
  end
  if not ratings or #seen > RATED then of_measures(seen, given, list, ask, whole, false) end
  of_errors(seen, ask)
  local missing = measure.missing(seen)
  if missing then ask(2.9, ("outlier=is_missing(%s)"):format(conditions.column(missing.name)), missing.name) end
  local settings, time = periods.of(seen, whole)
  local items = settings and shared(seen, time, true) or {}
  if #items > 0 and time.records >= RECORDS then
    local more = table.move(settings, 1, #settings, #given + 1, copy(given))
    more[#more + 1] = "attributes=" .. table.concat(items, ",")
    list[#list + 1] = { worth = 2.8, command = commands.on_data("compare", more) }
  end
  of_classes(seen, given, list, ask)
  of_last_resort(seen, given, list, ask)
  return ranked(list)
end
