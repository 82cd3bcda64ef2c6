--- Commands that `leat peek` proposes for the columns that it saw (lua/leat/peek.lua, lua/leat/peek_columns.lua).

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

local FEW = 20  -- most values of a column that distinguishes records
local MOST = 10 -- most columns of a topic to propose as attributes, as explain does not choose them for a topic

--- True if the values rise with the records. A topic is read one partition after the other, so they may fall where a
--- partition begins.
local function rises(c) return c.falls == 0 or args.brokers and 20 * c.falls < c.n end

--- True if the column has elements of an array, which a condition sees joined.
local function is_list(c) return c.name:find("[*]", 1, true) ~= nil end

--- True if a command may name the column.
local function is_plain(c) return not c.name:find('[%c"]') end

--- Returns the words of a name's last part, between marks: _user_id_ for client.userId.
local function words_of(name)
  local last = name:match("([%w_]*)$")
  return "_" .. last:gsub("(%l)(%u)", "%1_%2"):lower() .. "_"
end

--- True if a name suggests times, such as created_at, ts and timeMs.
local function names_time(name)
  local words = words_of(name)
  return words:find("_ts_") or words:find("_at_") or words:find("time") or words:find("date") or words:find("epoch")
end

--- True if a name suggests numbers that only identify, such as user_id and port.
local function names_things(name)
  local words = words_of(name)
  for _, word in ipairs { "id", "ids", "uid", "pid", "zip", "zipcode", "postcode", "phone", "port" } do
    if words:find("_" .. word .. "_", 1, true) then return true end
  end
  return false
end

--- True if the values are times. Numbers are times only if the name suggests it, or if they mostly rise.
local function is_time(c)
  if not c.time_format or c.values < 2 then return false end
  return not c.numbers or names_time(c.name) ~= nil or 10 * c.falls < c.n
end

--- Returns the column to use as a metric: varying numbers that neither rise with the records nor identify. Of several
--- such columns, returns the one with the most values.
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

--- Returns the rarest value of a column that a command can name.
local function rarest(c)
  local value
  for text, n in pairs(c.had) do
    local before = value and c.had[value]
    if not text:find("[%c\"\\]") and (not value or n < before or n == before and text < value) then value = text end
  end
  return value
end

--- True if the values are 0 and 1, which mostly mean no and yes.
local function is_flag(c) return c.numbers and c.values == 2 and c.had["0"] and c.had["1"] end

--- Returns the column with the fewest values, among those that is_of selects and whose rarest value a command can name.
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

--- Returns the condition for errors if a column has HTTP status codes, with errors among others; nil otherwise.
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

--- Returns the column with times; nil if there is none.
local function time_of(seen)
  for _, c in ipairs(seen) do
    if is_time(c) and is_plain(c) and not is_list(c) then return c end
  end
end

--- True if pipelines/explain.lua finds attributes by itself when column `of` defines the outliers.
local function chosen(seen, of)
  for _, c in ipairs(seen) do
    if c.early and c.name ~= of and (not c.numbers or c.values <= FEW) then return true end
  end
  return false
end

--- Returns commands that explain some records by their attributes: records with high values in a column of numbers, or
--- with a certain text.
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
