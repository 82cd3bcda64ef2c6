--- leat.logs: recognises logs, JSON and logfmt by their first lines, and has a condition for outliers for each log.

local leat = require "leat"
local csv = require "leat.later" "leat.peek_csv"

local logs = {}

--- Formats of logs: its name; a pattern that its lines have, though others may have it, too; the format of the times of
--- its column `time` (leat.parse.time; nil: ISO 8601); columns that may explain outliers; and a condition for outliers.
--- leat.parse.regex has patterns for the first ones. A format that others are like comes after them.
local REQUEST = '%[[^%]]+%] ".*" [%d-]+ [%d-]+'
local ERROR = 'contains(message, "error")'
logs.list = {
  { format = "combined", line = REQUEST .. ' ".*" ".*"', time = "clf", attributes = { "method", "path", "agent" }, outlier = "status >= 500" },
  { format = "vhost_combined", line = REQUEST .. ' ".*" ".*"', time = "clf", attributes = { "vhost", "method", "path", "agent" },
    outlier = "status >= 500" },
  { format = "forwarded_combined", line = REQUEST .. ' ".*" ".*"', time = "clf", attributes = { "forwarded", "method", "path", "agent" },
    outlier = "status >= 500" },
  { format = "common", line = REQUEST .. "$", time = "clf", attributes = { "method", "path" }, outlier = "status >= 500" },
  { format = "haproxy", line = "%S:%d+ %[[^%]]+%] %S+ %S+/%S+ [%d/+-]+ [%d-]+ ", time = "%d/%b/%Y:%H:%M:%S.%f",
    attributes = { "backend", "server", "termination", "path" }, outlier = "status >= 500" },
  { format = "alb", line = "^%l+2? %d%d%d%d%-%S+Z app/", attributes = { "target", "domain", "path", "agent" }, outlier = "status >= 500" },
  { format = "auditd", line = "type=%S+ msg=audit%(%d", time = "unix", attributes = { "type", "exe", "acct", "auid", "op" },
    outlier = 'success == "no" or res == "failed"' },
  { format = "cef", line = "CEF:%d+|", attributes = { "vendor", "product", "event", "act", "src", "dst" }, outlier = "severity >= 7" },
  { format = "cri", line = "^%d%d%d%d%-%d%d%-%d%dT%S+ std%l%l%l [FP]", attributes = { "part" }, outlier = 'stream == "stderr"' },
  { format = "docker", line = '^{%s*"log":%s*".*"stream":%s*"std%l%l%l".*"time":%s*"%d', attributes = { "part" }, outlier = 'stream == "stderr"' },
  { format = "syslog5424", line = "^<%d+>%d+ %S+ %S+ %S+ %S+ %S+ [%-%[]", attributes = { "host", "program" }, outlier = ERROR },
  { format = "syslog3339", line = "^[<%d>]*%d%d%d%d%-%d%d%-%d%dT%S+ %S*%S[%]:] ?", attributes = { "host", "program" }, outlier = ERROR },
  { format = "syslog3339", line = "^[<%d>]*%d%d%d%d%-%d%d%-%d%dT%S+ %S+ %S*%S[%]:] ?", attributes = { "host", "program" }, outlier = ERROR },
  { format = "syslog", line = "^[<%d>]*%u%l%l [ %d]%d %d%d:%d%d:%d%d[%d.]* %S*%S[%]:] ?", time = "syslog", attributes = { "host", "program" },
    outlier = ERROR },
  { format = "syslog", line = "^[<%d>]*%u%l%l [ %d]%d %d%d:%d%d:%d%d[%d.]* %S+ %S*%S[%]:] ?", time = "syslog", attributes = { "host", "program" },
    outlier = ERROR },
}

--- The line that names the columns, of formats with a head (leat.parse.fields).
local headed = { zeek = "^#fields[^%w_]", w3c = "^#Fields: " }

---@param format string
function logs.is_headed(format) return headed[format] ~= nil end

--- Columns of PostgreSQL's csvlog. Older versions have the first 23 or 24 of them.
local POSTGRES = "log_time,user_name,database_name,process_id,connection_from,session_id,session_line_num,command_tag,"
  .. "session_start_time,virtual_transaction_id,transaction_id,error_severity,sql_state_code,message,detail,hint,"
  .. "internal_query,internal_query_pos,context,query,query_pos,location,application_name,backend_type,leader_pid,query_id"

--- Formats whose parser is another: `column` has the times.
logs.zeek = { format = "zeek", column = "ts", time = "unix", attributes = { "id.orig_h", "id.resp_h", "id.resp_p", "proto" } }
logs.w3c = { format = "w3c", column = "datetime", attributes = { "c-ip", "cs-method", "cs-uri-stem", "sc-status" } }
logs.postgres = { format = "postgres", column = "log_time",
  attributes = { "database_name", "user_name", "application_name", "command_tag" } }

logs.of = { zeek = logs.zeek, w3c = logs.w3c, postgres = logs.postgres }
for _, log in ipairs(logs.list) do
  logs.of[log.format] = log
  log.column = "time"
end

--- The names of all formats, as a text.
logs.names = "common, combined, vhost_combined, forwarded_combined, haproxy, alb, w3c, zeek, syslog, syslog3339, syslog5424, "
  .. "postgres, auditd, cef, cri, docker"

--- Other names of these formats, or programs that write them.
logs.also = { nginx = "combined", apache = "combined", httpd = "combined", clf = "common", rfc3164 = "syslog", rfc5424 = "syslog5424",
  rfc3339 = "syslog3339", rsyslog = "syslog3339", journalctl = "syslog3339", iis = "w3c", cloudfront = "w3c", elb = "alb", bro = "zeek",
  postgresql = "postgres", csvlog = "postgres", audit = "auditd", containerd = "cri", kubernetes = "cri",
  podman = "cri", ["json-file"] = "docker", opentelemetry = "otlp", otel = "otlp" }

--- Returns the end of a message that suggests a format.
function logs.meant(name)
  local format = logs.also[name:lower()]
  return format and (": did you mean %s?"):format(format) or ""
end

--- Parsers that read one line of formats whose records may have several lines.
local line_parsers = {
  cri = leat.parse.regex { pattern = [=[^(?<time>\S+) (?<stream>stdout|stderr) (?<part>[FP])\S* ?(?<message>.*)$]=] },
  docker = leat.parse.json { "time", "stream", "message=log" },
}

--- Returns the parser of a log. `columns` are names of the head, if the format has one.
---@param format string
---@param columns string|table|nil
function logs.parser(format, columns)
  if headed[format] then return leat.parse.fields { columns = columns } end
  if format == "postgres" then
    return leat.parse.csv { columns = columns or POSTGRES, header = false, short = columns and "reject" or "fill" }
  end
  if line_parsers[format] then return leat.parse.container {} end
  return leat.parse.regex { format = format }
end

--- Returns the lines of the first head of a text, and the names in it; nil if there is none.
---@param lines string[]
---@param format string
---@return string[]?, string[]?
function logs.head_of(lines, format)
  local head, separator = {}, format == "w3c" and " " or "\t"
  for _, line in ipairs(lines) do
    if line:byte() ~= 35 then break end
    head[#head + 1] = line
    local hex = line:match("^#separator \\x(%x%x)")
    separator = hex and string.char(tonumber(hex, 16)) or line:match("^#separator (.)$") or separator
  end
  for _, line in ipairs(head) do
    if line:find(headed[format]) then
      local names = {}
      for name in line:sub(format == "w3c" and 10 or 9):gmatch("[^\t" .. separator:gsub("%W", "%%%0") .. "]+") do
        names[#names + 1] = name
      end
      return head, names
    end
  end
end

--- Returns what the parser of a log makes of lines: for each { name, value } of its values, or nil if it is no record of
--- the log; and how many are.
---@param format string
---@param lines string[]
---@param head string[]? the lines of its head, which the lines need not have
---@param names string[]? of the head
---@return table<integer, table>, integer
function logs.values(format, lines, head, names)
  local first, all = 0, lines
  if head then
    all = table.move(lines, 1, #lines, #head + 1, { table.unpack(head) })
    first = #head
  end
  local rows, columns = leat.parsed(line_parsers[format] or logs.parser(format, names), all)
  local found, n = {}, 0
  for k = first + 1, rows and #rows or 0 do
    local row = rows[k]
    local is_row = type(row) == "table" and not (format == "postgres" and not (row[1] or ""):find("^%d%d%d%d%-")) -- the rest of a record
    if is_row then
      local list = {}
      for i, name in ipairs(columns) do
        if row[i] and row[i] ~= "" then list[#list + 1] = { name, row[i] } end
      end
      found[k - first], n = list, n + 1
    end
  end
  return found, n
end

--- True if each record of a format names its values: JSON, logfmt, or a log.
---@param format string?
function logs.names_values(format)
  return format == "json" or format == "otlp" or format == "logfmt" or logs.of[format or ""] ~= nil
end

--- Pattern of lines of OpenTelemetry's JSON, as its collector writes them.
logs.OTLP = '^%s*{%s*"resource[LSM]%a+"%s*:%s*%['

--- Returns the records of lines, as texts: those in OpenTelemetry's lines, or else the lines.
---@param format string
---@param lines string[]
---@return string[]
function logs.records(format, lines)
  return format == "otlp" and leat.parsed(leat.parse.elements { format = "otlp" }, lines) or lines
end

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
  { line = "^%[" .. DATE .. "[ T]" .. CLOCK .. "%]%[(%a+)%s*%]%[", start = [[^\[\d{4}[-/]\d]], -- Elasticsearch
    pattern = [=[^\[(?<time>]=] .. RE_TIME .. [=[)[^\]]*\]\[(?<level>[A-Za-z]+)\s*\]\[(?<logger>[^\]]*?)\s*\]\s*]=]
      .. [=[(?:\[(?<place>[^\]]*)\]\s*)?(?<message>.*)]=] },
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

local TRIED = 200 -- lines that a format is tried on

--- True if the parser of a log takes most of the first lines.
local function reads(format, lines, head, names)
  local some = table.move(lines, 1, math.min(#lines, TRIED), 1, {})
  local rows = 0
  for _, line in ipairs(some) do
    if not head or line:byte() ~= 35 then rows = rows + 1 end
  end
  return 2 * select(2, logs.values(format, some, head, names)) > rows
end

--- Returns "json", "otlp", "logfmt" or the format of a log, if most lines have it and its parser takes them; nil otherwise.
---@param lines string[]
---@return string?
function logs.format_of(lines)
  for format in pairs(headed) do
    local head, names = logs.head_of(lines, format)
    if head and (#lines == #head or reads(format, lines, head, names)) then return format end
  end
  for _, log in ipairs(logs.list) do
    if most(lines, log.line) and reads(log.format, lines) then return log.format end
  end
  if (lines[1] or ""):find("^%d%d%d%d%-%d%d%-%d%d %d%d:%d%d:%d%d%.%d+ %u+,.*,%d+,.*,[%x.]+,%d+,") and reads("postgres", csv.joined(lines, '"')) then
    return "postgres"
  end
  if most(lines, logs.OTLP) then return "otlp" end
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
