--- Questions that `leat peek` proposes of the columns that it saw (lua/leat/peek.lua, lua/leat/peek_columns.lua).

local leat = require "leat"
local commands = require "leat.peek_commands"
local conditions = require "leat.conditions"
local args = leat.args

local function without(list, one)
  local others = {}
  for _, name in ipairs(list) do
    if name ~= one then others[#others + 1] = name end
  end
  return others
end

local FEW = 20  -- values of a column that sets records apart
local MOST = 10 -- columns of a topic that are proposed to explain something: these are not looked for then

--- Messages of a topic are looked at partition after partition: a time falls where one begins.
local function rises(c) return c.falls == 0 or args.brokers and 20 * c.falls < c.n end

--- Does it hold elements of an array, which a condition sees joined?
local function is_list(c) return c.name:find("[*]", 1, true) ~= nil end

--- May a command name the column?
local function is_plain(c) return not c.name:find('[%c"]') end

--- The words of the last part of a name, between marks: _user_id_ of client.userId.
local function words_of(name)
  local last = name:match("([%w_]*)$")
  return "_" .. last:gsub("(%l)(%u)", "%1_%2"):lower() .. "_"
end

--- Does a name say that it is of times, as created_at, ts and timeMs do?
local function names_time(name)
  local words = words_of(name)
  return words:find("_ts_") or words:find("_at_") or words:find("time") or words:find("date") or words:find("epoch")
end

--- Does a name say that its numbers only tell things apart, as user_id and port do?
local function names_things(name)
  local words = words_of(name)
  for _, word in ipairs { "id", "ids", "uid", "pid", "zip", "zipcode", "postcode", "phone", "port" } do
    if words:find("_" .. word .. "_", 1, true) then return true end
  end
  return false
end

--- Are its values times? Numbers only as the name says so, or as they mostly rise.
local function is_time(c)
  if not c.time_format or c.values < 2 then return false end
  return not c.numbers or names_time(c.name) ~= nil or 10 * c.falls < c.n
end

--- The column of which much is known above which: numbers that vary, and neither rise with the records nor name things.
local function metric_of(seen)
  local metric
  for _, c in ipairs(seen) do
    if is_plain(c) and not is_list(c) and c.numbers and not rises(c) and not is_time(c) and not names_things(c.name)
      and c.values > 20 and (not metric or c.values > metric.values) then
      metric = c
    end
  end
  return metric
end

--- The rarest value of a column, as far as a command can name it.
local function rarest(c)
  local value
  for text, n in pairs(c.had) do
    local before = value and c.had[value]
    if not text:find("[%c\"\\]") and (not value or n < before or n == before and text < value) then value = text end
  end
  return value
end

--- Is it 0 and 1, which is mostly yes and no?
local function is_flag(c) return c.numbers and c.values == 2 and c.had["0"] and c.had["1"] end

--- The column of flags, or else of few texts, or else of few numbers, with the fewest values, of which a command can name
--- one.
local function class_of(seen, is_of)
  local class
  for _, c in ipairs(seen) do
    local few = is_plain(c) and not is_list(c) and c.values > 1 and c.values <= FEW and is_of(c) and rarest(c)
    if few and (not class or c.values < class.values) then class = c end
  end
  return class
end

local function is_text(c) return not c.numbers end
local function is_number(c) return c.numbers end

--- Is a column the status of HTTP, with errors among others? The condition for these.
local function errors(c)
  local last = c.name:lower():match("([%w_]*)$")
  if not (is_plain(c) and not is_list(c) and c.numbers and (last:find("status") or last:find("code"))) then return nil end
  local lowest, highest
  for text in pairs(c.had) do
    local code = tonumber(text)
    if code < 100 or code > 599 then return nil end
    lowest, highest = math.min(lowest or code, code), math.max(highest or code, code)
  end
  local least = highest and (highest >= 500 and 500 or 400)
  return least and lowest < least and highest >= least and ("%s >= %d"):format(conditions.column(c.name), least) or nil
end

--- The column with times; nil: there is none.
local function time_of(seen)
  for _, c in ipairs(seen) do
    if is_time(c) and is_plain(c) and not is_list(c) then return c end
  end
end

--- Does explain choose columns by itself, where one is part of the question?
local function chosen(seen, of)
  for _, c in ipairs(seen) do
    if c.early and c.name ~= of and (not c.numbers or c.values <= FEW) then return true end
  end
  return false
end

--- Commands that ask what sets records apart that are above the others in a column of numbers, or have a certain text.
return function(seen, given)
  local explain = {} -- columns that may explain something (lua/leat/attributes.lua)
  for _, c in ipairs(seen) do
    if c.values > 1 and c.values <= FEW and #explain < MOST and not c.name:find("[%c,]") then explain[#explain + 1] = c.name end
  end
  local time, list = not args.time and time_of(seen), {}
  local function ask(text, of)
    local others = without(explain, of)
    if #others == 0 then return end
    local more = table.move(given, 1, #given, 1, {})
    if time then more[#more + 1] = "time=" .. time.name end
    if time and time.time_format ~= "iso8601" then more[#more + 1] = "time_format=" .. time.time_format end
    more[#more + 1] = text
    if args.brokers or args.record_start or not chosen(seen, of) then more[#more + 1] = "attributes=" .. table.concat(others, ",") end
    list[#list + 1] = commands.on_data("explain", more)
  end
  local metric, class = metric_of(seen), class_of(seen, is_flag) or class_of(seen, is_text)
  if metric then ask("metric=" .. metric.name, metric.name) end
  for _, c in ipairs(seen) do
    local condition = errors(c)
    if condition then
      ask("outlier=" .. condition, c.name)
      break
    end
  end
  if not class and #list == 0 then class = class_of(seen, is_number) end
  if class then
    local value = class.numbers and "%s == %s" or '%s == "%s"'
    ask("outlier=" .. value:format(conditions.column(class.name), rarest(class)), class.name)
  end
  return list
end
