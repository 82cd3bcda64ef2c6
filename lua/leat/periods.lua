--- leat.periods: two periods of one stream, with settings from --set.
---
---   local periods = require "leat.periods"
---   local asked = periods.asked(data, format)   -- before inputs.rows; nil if --set names no period
---   … inputs.rows(format), asked.stage, …       -- asked.a and asked.b name the periods in words, and
---                                               -- asked.counted says how many records they have, and
---                                               -- asked.question is that of leat.attributes
---
--- The times are those of --set time. Otherwise they are those of the column of files that has the most times, of a log, or
--- of the source.

local leat = require "leat"
local fix = require "leat.fix"
local logs = require "leat.logs"
local later = require "leat.later"
local measure = later "leat.peek_measure"
local attribute_times = later "leat.attribute_times"
local flat = later "leat.flat"
local period_labels = later "leat.period_labels"
local sampled = later "leat.sampled"
local time_texts = later "leat.time_texts"
local args = leat.args

local periods = {}

--- Declarations for leat.arguments.
periods.arguments = {
  title = "two periods of one stream",
  { "before", value = "TIME", help = "A: the records before 2024-05-17, 2024-05, a time, or -7d (seven days before the newest time; "
    .. "s, min, h, d, w); or those of FROM..TO, without TO itself" },
  { "after", value = "TIME", help = "the records from this time on, or those of FROM..TO, without TO itself: they are B with `before`, and A without it" },
}

--- True if --set names a period.
function periods.is_asked() return args.before ~= nil or args.after ~= nil end

--- Returns a period in words; `rest`: all times but those.
local function words(before, after, rest)
  local text = before or after
  if text:find("..", 1, true) then return (rest and "outside " or "in ") .. text end
  local is_before = (before ~= nil) ~= rest
  if text:find("^%-") then return (is_before and "before the last " or "in the last ") .. text:sub(2) end
  return is_before and "before " .. text or ("from %s on"):format(text)
end

--- Returns what lua/leat/sampled.lua knows of the files; nil if it does not know their form.
local function look_at(data, format)
  if args.pattern or not data or args.brokers then return nil end
  if format == "json" or format == "otlp" or format == "logfmt" then return (sampled.named(data, format)) end
  if format == nil or format == "csv" then return (sampled.csv(data)) end
end

local function fail(why)
  error(("%s: %s"):format(args.before and "before" or "after", why), 0)
end

--- Sets the arguments of lua/leat/times.lua for the column of files with the most times.
local function find_time(look)
  local best = look and attribute_times.column_of(look.seen, function(c) return measure.is_time(c) and measure.is_plain(c) end)
  if not best then
    for _, c in ipairs(look and look.seen or {}) do
      if measure.is_year(c) then fail(("no column has times: compare years by --split '%s < YEAR'"):format(c.name)) end
    end
    fail("no column of times was found: name it by --time COLUMN, with --time-format unless its times are those of ISO 8601")
  end
  args.time, args.time_format = best.name, args.time_format or best.time_format
  sampled.say(("time = %s, the column with the most times"):format(best.name))
end

--- Sets the time of the records. `is_timed`: the source gives each one.
local function set_time(look, format, is_timed)
  if not args.time and logs.of[format] then args.time = logs.of[format].column end
  if not args.time and not is_timed then find_time(look) end
  if args.time and not args.time_missing then args.time_missing = "none" end
end

--- Returns the format of the times that --set time names; nil if it is not known here.
local function format_of(look, format)
  if args.time_format then return args.time_format end
  if logs.of[format] then return logs.of[format].time end
  for i, name in ipairs(look and look.names or {}) do
    if name == args.time then return look.seen[i].time_format or nil end
  end
end

local BYTES = 1 << 20 -- of logs, JSON and logfmt

--- Calls note(text) with times of a log, of JSON or of logfmt: those of 64 places and of the ends of the files.
local function note_named(data, format, note)
  local values_of = sampled.values_of(data, format)
  for _, text in ipairs(leat.pieces(data, BYTES, args.encoding, true) or {}) do
    local lines = {}
    for line in text:gmatch("[^\n]+") do lines[#lines + 1] = line end
    lines = logs.records(format, lines)
    local of = values_of(lines)
    for k in ipairs(lines) do
      for _, found in ipairs(of(k) or {}) do
        if found[1] == args.time and not found[3] then note(found[2]) end
      end
    end
  end
end

--- Returns the newest time of files as a text, or nil. All of files up to 1 MB is read, of CSV up to 8 MB; of larger ones
--- 64 places and the end. label.period says so if a record is later.
local function newest_of(data, look, format)
  local of, newest, text_of_newest = format_of(look, format), nil, nil
  local function note(text)
    local at = time_texts.seconds(text, of)
    local is_newer = at and (not newest or at > newest or at == newest and text < text_of_newest)
    if is_newer then newest, text_of_newest = at, text end
  end
  if not of then return nil end
  if format and format ~= "csv" then note_named(data, format, note) else sampled.values(data, args.time, note, true) end
  if not newest or newest < 0 then return nil end
  local offset = text_of_newest:match("[Zz]$") or text_of_newest:match(":%d%d[%d.,]* ?([+-]%d%d:?%d%d)$")
  if of:find("^unix") then offset = "Z" end
  return os.date("!%Y-%m-%dT%H:%M:%S", newest // 1) .. ("%.9f"):format(newest % 1):sub(2) .. (offset or "")
end

--- Returns the newest time if --set counts from it; nil if it does not. Fails if the time is not known.
local function newest(data, look, format)
  local counts = false
  for _, text in ipairs { args.before or "", args.after or "" } do
    counts = counts or text:find("^%-%d") or text:find("..-", 1, true)
  end
  if not counts then return nil end
  local at = data and not args.brokers and newest_of(data, look, format)
  if not at then fail("a time such as -7d counts from the newest time of files, which is not known here: give a date") end
  sampled.say("newest time: " .. at:gsub("%.0+", "", 1):gsub("T", " "))
  return at
end

--- Returns the stage that labels the periods, and their names a and b; nil if --set names no period. `is_timed`: the source
--- gives each record its time.
---@param data string?
---@param format string?
---@param is_timed boolean
---@return table?
function periods.asked(data, format, is_timed)
  if not periods.is_asked() then return nil end
  local look = look_at(data, format)
  local both = args.before and args.after
  local last = fix.choice("periods", { before = args.before, after = args.after, time = args.time }, function()
    set_time(look, format, is_timed)
    return newest(data, look, format)
  end)
  if last then fix.follows("newest time") end
  local a, b = words(args.before, args.after, false), both and words(nil, args.after, false) or words(args.before, args.after, true)
  return {
    stage = leat.label.period {
      id = "period", before = args.before, after = args.after, zone = args.time_zone, newest = last,
    },
    a = a, b = b,
    question = {
      period = function(sample) return period_labels.of(sample, format_of(sample, format), last) end,
      repeats = function(sample) return period_labels.repeats(sample, format_of(sample, format)) end,
    },
    counted = (both and "{period.first} records are %s and {period.second} %s, {period.outside} in neither"
      or "{positives} are %s; the others are %s"):format(a, b),
  }
end

return periods
