--- leat.times: the event time of records, with settings from --set.
---
---   local times = require "leat.times"
---   return leat.pipeline "mine" { inputs.records(), inputs.csv(), … }   -- inputs.csv includes times.stage()

local leat = require "leat"
local logs = require "leat.logs"
local args = leat.args

local times = {}

--- Declarations for leat.arguments.
times.arguments = {
  title = "event time",
  { "time", value = "COLUMN", help = "the column with the time of each record, for half_life=6h, windows and time_parts" },
  { "time_format", value = "FORMAT", usual = "that of the log, or what the values show",
    help = "iso8601, unix, unix_ms, unix_us, unix_ns, clf, syslog, or a pattern: '%d.%m.%Y %H:%M'" },
  { "time_zone", value = "ZONE", usual = "UTC", help = "+02:00, Europe/Berlin: zone of times without an offset, and of the parts" },
  { "time_year", value = "YEAR", help = "year of a format without one, such as syslog: 2024; 2024-07 for the twelve months from July 2024" },
  { "time_missing", value = "none|any", help = "none: records without a time pass; any: those whose time cannot be read, too; "
    .. "otherwise they are rejected" },
  { "time_parts", value = "A,B", help = "new columns: year, month, week, date, day, weekday, hour, quarter_hour, minute, second, iso8601. "
    .. "Without `time` they come from the times of the source" },
  { "time_prefix", value = "TEXT", help = "goes before the names of these columns" },
}

--- Returns the columns that --set time_parts makes.
function times.parts()
  local names = {}
  for i, part in ipairs(leat.list(args.time_parts or "")) do names[i] = (args.time_prefix or "") .. part end
  return names
end

--- Returns `columns` and those of --set time_parts, each once.
---@param columns string|table|nil
function times.and_parts(columns)
  local list, has = {}, {}
  for _, from in ipairs { leat.list(columns or ""), times.parts() } do
    for _, name in ipairs(from) do
      if not has[name] then list[#list + 1], has[name] = name, true end
    end
  end
  return #list > 0 and list or nil
end

local made = 0

--- Returns an id. The second stage gets a number.
local function new_id()
  made = made + 1
  return made == 1 and "time" or "time " .. made
end

--- Returns the stage that reads event times; {} if no setting needs them.
function times.stage()
  if args.time then
    local log = logs.of[args.format or ""]
    return leat.parse.time {
      id = new_id(), column = args.time, zone = args.time_zone, year = args.time_year, missing = args.time_missing,
      format = args.time_format or log and args.time == log.column and log.time or nil,
      parts = args.time_parts, prefix = args.time_prefix,
    }
  end
  for _, name in ipairs { "time_format", "time_zone", "time_year", "time_missing", "time_parts", "time_prefix" } do
    if args[name] then error(name .. " needs a time: name the column with it, --set time=COLUMN", 0) end
  end
  return {}
end

return times
