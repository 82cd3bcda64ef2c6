--- leat.groups: a question for each value of a column, such as each service, with settings from --set each.
---
---   local groups = require "leat.groups"
---   local list = groups.of("service", "app.jsonl", "json")   -- list.column; list[1] = "web", …; list.others: there are more;
---                                                            -- list.is_known: the values are those of a sample
---   groups.share("8MB", #list)                               -- "1398101": the bytes of one of six
---
--- Of files the values are those of a sample, the most frequent first. A stream has to be told its values: service=web,db.

local leat = require "leat"
local fix = require "leat.fix"
local logs = require "leat.logs"
local later = require "leat.later"
local sampled = later "leat.sampled"

local groups = {}

local MOST, LEAST = 12, 20 -- values of a sample; records of each

--- Returns the figures of a column of the sample, and the number of records; nil if there is none.
local function column_of(data, format, name)
  local is_named = logs.names_values(format)
  if not is_named and format and format ~= "csv" then return nil end
  local look = (is_named and sampled.named or sampled.csv)(data, format)
  if not look then return nil end
  for i, column in ipairs(look.names) do
    if column == name then return look.seen[i], look.n end
  end
  error(("each: the files have no column '%s'"):format(name), 0)
end

--- Returns the most frequent values of a column of files: { column, values, others, is_known }.
local function found(text, data, format)
  local c, n = nil, nil
  if data then c, n = column_of(data, format, text) end
  if not c then
    error(("each: which values %s has is known only of files of CSV, JSON and logfmt: write them, --set each=%s=a,b"):format(text, text), 0)
  end
  local list, shown = {}, 0
  for value, count in pairs(c.had) do
    if count >= LEAST then list[#list + 1] = value end
  end
  table.sort(list, function(a, b) return c.had[a] > c.had[b] or c.had[a] == c.had[b] and a < b end)
  for i = #list, MOST + 1, -1 do list[i] = nil end
  for _, value in ipairs(list) do shown = shown + c.had[value] end
  if #list == 0 then error(("each: no value of %s has %d records in the sample: give another column"):format(text, LEAST), 0) end
  fix.follows("groups")
  return { column = text, values = list, others = shown < n, is_known = true }
end

--- Returns the values of a column that are answered for: those in `text`, column=a,b, or those of the files.
---@param text string
---@param data string?
---@param format string?
---@return table
function groups.of(text, data, format)
  local column, values = text:match("^([^=]*)=(.+)$")
  local all = column and { column = column, values = leat.list(values) }
    or fix.choice("groups", { each = text }, function() return found(text, data, format) end)
  return table.move(all.values, 1, #all.values, 1, { column = all.column, others = all.others, is_known = all.is_known })
end

--- Returns the records of the i-th value, or of the others if there is none, for lua/leat/threshold.lua.
---@param list table
---@param i integer
---@return table
function groups.records(list, i)
  local is_value = {}
  for _, value in ipairs(list) do is_value[value] = true end
  return { column = list.column, has = function(text) return list[i] and text == list[i] or not list[i] and not is_value[text or ""] end }
end

--- Returns the n-th part of a size in bytes.
---@param size string
---@param n integer
---@return string
function groups.share(size, n)
  local number, unit = size:match("^([%d.]+)%s*([KMG]?)i?B?$")
  if not number then return size end -- the learner says what is wrong
  return ("%d"):format(tonumber(number) * ({ [""] = 1, K = 1024, M = 1024 ^ 2, G = 1024 ^ 3 })[unit] // n)
end

return groups
