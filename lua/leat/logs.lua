--- leat.logs: recognises logs, JSON and logfmt by their first lines, and has a condition for outliers for each log.

local logs = {}

--- Logs that leat.parse.regex has patterns for: format, pattern of a line, format of the times (leat.parse.time),
--- columns that may explain outliers, and a condition for outliers.
logs.list = {
  { format = "combined", line = '^%S+ %S+ .- %[[^%]]+%] ".*" [%d-]+ [%d-]+ ".*" ".*"', time = "clf",
    attributes = { "method", "path", "agent" }, outlier = "status >= 500" },
  { format = "common", line = '^%S+ %S+ .- %[[^%]]+%] ".*" [%d-]+ [%d-]+$', time = "clf",
    attributes = { "method", "path" }, outlier = "status >= 500" },
  { format = "syslog5424", line = "^<%d+>%d+ %S+ %S+ %S+ %S+ %S+ [%-%[]",
    attributes = { "host", "program" }, outlier = 'contains(message, "error")' },
  { format = "syslog", line = "^[<%d>]*%u%l%l [ %d]%d %d%d:%d%d:%d%d %S+ [^:%s]+:", time = "syslog",
    attributes = { "host", "program" }, outlier = 'contains(message, "error")' },
}

--- Other names of these formats, or programs that write them.
logs.also = { nginx = "combined", apache = "combined", httpd = "combined", clf = "common", rfc3164 = "syslog", rfc5424 = "syslog5424" }

--- Returns the end of a message that suggests a format.
function logs.meant(name)
  local format = logs.also[name:lower()]
  return format and (": did you mean %s?"):format(format) or ""
end

logs.of = {}
for _, log in ipairs(logs.list) do logs.of[log.format] = log end

--- Returns pairs { name, value } of names and values, without the values that are missing: "-" and the empty text.
local function named(names, values)
  local list = {}
  for i, name in ipairs(names) do
    local value = values[i]
    if value and value ~= "-" and value ~= "" then list[#list + 1] = { name, value } end
  end
  return list
end

--- Returns the pairs of a line of an access log; nil if it is none.
local function access(line)
  local host, ident, user, time, request, status, bytes, rest = line:match('^(%S+) (%S+) (.-) %[([^%]]+)%] "(.-)" ([%d-]+) ([%d-]+)(.*)$')
  if not host then return nil end
  local method, path, protocol = request:match("^(%u[%u-]*) (%S+) ?(%S*)$")
  local referer, agent = rest:match('^ "(.-)" "(.-)"')
  return named({ "host", "ident", "user", "time", "method", "path", "protocol", "request", "status", "bytes", "referer", "agent" },
    { host, ident, user, time, method, path, protocol, not method and request, status, bytes, referer, agent })
end

--- Returns the pairs of a line of syslog in the form of RFC 3164; nil if it is none.
local function syslog(line)
  local priority, rest = line:match("^<(%d+)>(.*)$")
  local time, host, program, after = (rest or line):match("^(%u%l%l [ %d]%d %d%d:%d%d:%d%d) (%S+) ([^:%[%s]+)(.*)$")
  if not time then return nil end
  local pid, message = after:match("^%[(.-)%]: ?(.*)$")
  return named({ "priority", "time", "host", "program", "pid", "message" },
    { priority, time, host, program, pid, message or after:match("^: ?(.*)$") })
end

--- Returns the pairs of a line of syslog in the form of RFC 5424; nil if it is none.
local function syslog5424(line)
  local priority, time, host, program, pid, id, rest = line:match("^<(%d+)>%d+ (%S+) (%S+) (%S+) (%S+) (%S+) (.*)$")
  if not time then return nil end
  return named({ "priority", "time", "host", "program", "pid", "id", "message" },
    { priority, time, host, program, pid, id, rest:match("^%- (.*)$") or rest:match("^%b[] (.*)$") })
end

--- Functions that return the columns of a line as leat.parse.regex has them, as pairs, by the format of the log.
logs.values_of = { combined = access, common = access, syslog = syslog, syslog5424 = syslog5424 }

--- True if each record of a format names its values: JSON, logfmt, or a log.
---@param format string?
function logs.names_values(format) return format == "json" or format == "logfmt" or logs.of[format or ""] ~= nil end

--- Lines of log4j, of Python's logging, glog and the like: a level, mostly a time, and often a thread and a logger. Each
--- form has a pattern of the line, whose capture is the level, and the regular expression that makes columns of it.
local DATE, CLOCK = "%d%d%d%d[-/]%d%d[-/]%d%d", "%d%d:%d%d:%d%d[%d.,]*[%dZ:+-]*"
local RE_TIME = [=[\d{4}[-/]\d\d[-/]\d\d[ T][\d:]+]=]
local RE_REST = [=[(?:\[(?<place>[^\]]*)\]\s+)?(?:(?<logger>[\w.$][\w.$-]*)\s*[-:]\s+)?(?<message>.*)]=]
local RE_STAMP = "^(?<time>" .. RE_TIME .. [=[)[\d.,]*[\dZ:+-]*]=]
local RE_LEVEL = [=[\s+\[?(?<level>[A-Za-z]+)\]?:?\s+]=]
local RE_THREAD = [=[\s+(?:\[(?<thread>[^\]]*)\]\s+)?(?<level>[A-Za-z]+)\s+]=]
local RE_CLOCK, FIRST = [=[^(?<time>\d\d:\d\d:\d\d)[\d.,]*]=], [=[^\[?(?<level>[A-Za-z]{4,})\]?:?]=]
logs.stamped = {
  { line = "^" .. DATE .. "[ T]" .. CLOCK .. "%s+%[[^%]]*%]%s+(%a+)%s", start = [[^\d{4}[-/]\d]], pattern = RE_STAMP .. RE_THREAD .. RE_REST },
  { line = "^" .. DATE .. "[ T]" .. CLOCK .. "%s+(%a+)%s", start = [[^\d{4}[-/]\d]], pattern = RE_STAMP .. RE_THREAD .. RE_REST },
  { line = "^" .. DATE .. "[ T]" .. CLOCK .. "%s+%[?(%a+)%]?:?%s", start = [[^\d{4}[-/]\d]], pattern = RE_STAMP .. RE_LEVEL .. RE_REST },
  { line = "^" .. DATE .. "[ T]" .. CLOCK .. " %- %S+ %- (%a+) %- ", start = [[^\d{4}[-/]\d]],
    pattern = RE_STAMP .. [=[ - (?<logger>\S+) - (?<level>[A-Za-z]+) - (?<message>.*)]=] },
  { line = "^" .. DATE .. "[ T]" .. CLOCK .. "%s+[%w._-]+%s+[%w._/-]+%[?%d*%]?:?%s+%[?(%u+)%]?:?%s", start = [[^\d{4}[-/]\d]],
    pattern = RE_STAMP .. [=[\s+(?<host>[\w.-]+)\s+(?<component>[\w./-]+)(?:\[\d+\])?:?]=] .. RE_LEVEL .. RE_REST },
  { line = "^" .. DATE .. "[ T]" .. CLOCK .. "%s+[%w._/-]+%[?%d*%]?:?%s+%[?(%u+)%]?:?%s", start = [[^\d{4}[-/]\d]],
    pattern = RE_STAMP .. [=[\s+(?<component>[\w./-]+)(?:\[\d+\])?:?]=] .. RE_LEVEL .. RE_REST },
  { line = "^%[" .. DATE .. "[ T]" .. CLOCK .. "%]%s+%[?(%a+)%]?:?%s", start = [[^\[\d{4}[-/]\d]],
    pattern = [=[^\[(?<time>]=] .. RE_TIME .. [=[)[^\]]*\]]=] .. RE_LEVEL .. RE_REST },
  { line = "^%[?(%a+)%]?:?%s+%[?" .. DATE .. "[ T]" .. CLOCK .. "%]?%s", start = FIRST .. [=[\s+\[?\d{4}[-/]]=],
    pattern = FIRST .. [=[\s+\[?(?<time>]=] .. RE_TIME .. [=[)[\d.,]*[\dZ:+-]*\]?\s+]=] .. RE_REST },
  { line = "^" .. CLOCK .. "%s+%[[^%]]*%]%s+(%a+)%s", start = [[^\d\d:\d\d:]], pattern = RE_CLOCK .. RE_THREAD .. RE_REST },
  { line = "^" .. CLOCK .. "%s+(%a+)%s", start = [[^\d\d:\d\d:]], pattern = RE_CLOCK .. RE_THREAD .. RE_REST },
  { line = "^" .. CLOCK .. "%s+%[?(%a+)%]?:?%s", start = [[^\d\d:\d\d:]], pattern = RE_CLOCK .. RE_LEVEL .. RE_REST },
  { line = "^%[?(%a+)%]?:?%s+" .. CLOCK .. "%s", start = FIRST .. [=[\s+\d\d:]=],
    pattern = FIRST .. [=[\s+(?<time>\d\d:\d\d:\d\d)[\d.,]*\s+]=] .. RE_REST },
  { line = "^([IWEF])%d%d%d%d " .. CLOCK .. "%s+%d+ [^%]%s]+%] ", start = [[^[IWEF]\d{4} \d\d:]],
    pattern = [=[^(?<level>[IWEF])\d{4} (?<time>\d\d:\d\d:\d\d)[\d.]*\s+(?<thread>\d+) (?<place>[^\]\s]+)\] (?<message>.*)]=] },
  { line = "^%[?(%a+)[%]:]:? ", start = FIRST .. " ", pattern = FIRST .. " +" .. RE_REST, has_no_time = true },
}

--- Levels, and how bad they are.
logs.levels = { TRACE = 0, DEBUG = 0, INFO = 0, I = 0, NOTICE = 1, WARN = 2, WARNING = 2, W = 2, ERROR = 3, ERR = 3, E = 3, SEVERE = 3,
  CRITICAL = 3, FATAL = 3, F = 3, PANIC = 3, ALERT = 3, EMERG = 3 }

--- Returns the level of a line in this form; nil if it has another form.
---@param line string
---@param form table
---@return string?
function logs.level_of(line, form)
  local level = line:match(form.line)
  return level and logs.levels[level:upper()] and level or nil
end

--- Returns the form in logs.stamped that the lines have, and whether there are other lines. The first line must have
--- the form. Up to nineteen of twenty lines may be others, which continue the record before; fewer than half of those
--- without a time.
---@param lines string[]
---@return table?, boolean?
function logs.stamped_of(lines)
  for _, form in ipairs(logs.stamped) do
    local n = 0
    for i, line in ipairs(lines) do
      if logs.level_of(line, form) then n = n + 1 elseif i == 1 then break end
    end
    if n > 0 and (form.has_no_time and 2 or 20) * n >= #lines then return form, n < #lines end
  end
end

--- True if more than half of the lines match the pattern.
local function most(lines, pattern)
  local n = 0
  for _, line in ipairs(lines) do
    if line:find(pattern) then n = n + 1 end
  end
  return 2 * n > #lines
end

--- Returns "json", "logfmt" or the format of a log, if most lines have it; nil otherwise.
---@param lines string[]
---@return string?
function logs.format_of(lines)
  for _, log in ipairs(logs.list) do
    if most(lines, log.line) then return log.format end
  end
  if most(lines, "^%s*{.*}%s*$") then return "json" end
  if most(lines, "^%s*[%w_.-]+=.*%s[%w_.-]+=") then return "logfmt" end
end

--- Returns the pairs of a logfmt line whose keys can be paths: { key, value }.
---@param line string
function logs.pairs_of(line)
  local found, at = {}, 1
  while true do
    local from, to, key = line:find("^%s*([^%s=\"]+)=", at)
    if not from then
      from, to = line:find("^%s*[^%s=\"]+", at) -- a flag
      if not from then return found end
    else
      local value
      if line:find('^"', to + 1) then
        from, to, value = line:find('^"(.-[^\\])"', to + 1)
        if not from then return found end
      else
        from, to, value = line:find("^(%S*)", to + 1)
      end
      if not key:find("[%[%]]") then found[#found + 1] = { key, value } end
    end
    at = to + 1
  end
end

return logs
