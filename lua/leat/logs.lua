--- leat.logs: logs that leat.parse.regex has patterns for, and other lines that name their values: how to know them by
--- their first lines, and what to ask of them.

local logs = {}

--- Each log by its format: what its lines look like, the format of its times (leat.parse.time), the columns that may
--- explain something, and a question.
logs.list = {
  { format = "combined", line = '^%S+ %S+ .- %[[^%]]+%] ".*" [%d-]+ [%d-]+ ".*" ".*"', time = "clf",
    attributes = { "method", "path", "agent" }, outlier = "status >= 500" },
  { format = "common", line = '^%S+ %S+ .- %[[^%]]+%] ".*" [%d-]+ [%d-]+$', time = "clf",
    attributes = { "method", "path" }, outlier = "status >= 500" },
  { format = "syslog5424", line = "^<%d+>%d+ %S+ %S+ %S+ %S+ %S+ [%-%[]",
    attributes = { "host", "program" }, outlier = 'message:find("error")' },
  { format = "syslog", line = "^[<%d>]*%u%l%l [ %d]%d %d%d:%d%d:%d%d %S+ [^:%s]+:", time = "syslog",
    attributes = { "host", "program" }, outlier = 'message:find("error")' },
}

logs.of = {}
for _, log in ipairs(logs.list) do logs.of[log.format] = log end

--- Does the pattern find something in more than half of the lines?
local function most(lines, pattern)
  local n = 0
  for _, line in ipairs(lines) do
    if line:find(pattern) then n = n + 1 end
  end
  return 2 * n > #lines
end

--- A format whose lines name their values, or a log; nil: these lines are none.
---@param lines string[]
---@return string?
function logs.format_of(lines)
  for _, log in ipairs(logs.list) do
    if most(lines, log.line) then return log.format end
  end
  if most(lines, "^%s*{.*}%s*$") then return "json" end
  if most(lines, "^%s*[%w_.-]+=.*%s[%w_.-]+=") then return "logfmt" end
end

return logs
