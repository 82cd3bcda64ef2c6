/* pattern_probe.h -- a Lua probe to compare the sandbox's functions of patterns with Lua's own. */
#ifndef LEAT_TESTS_SUPPORT_PATTERN_PROBE_H
#define LEAT_TESTS_SUPPORT_PATTERN_PROBE_H

/* Takes a subject, a pattern, a replacement and a start. Calls each function in its forms, and
 * joins results or errors to one text. */
static const char PATTERN_PROBE[] =
    "local s, p, r, init = ...\n"
    "local function show(...)\n"
    "  local t = { ... }\n"
    "  for i = 1, select('#', ...) do t[i] = string.format('%q', t[i]) end\n"
    "  return table.concat(t, ',')\n"
    "end\n"
    "local function all(s, p, init)\n"
    "  local t = {}\n"
    "  for a, b in string.gmatch(s, p, init) do t[#t + 1] = show(a, b) if #t > 50 then break "
    "end end\n"
    "  return table.concat(t, ';')\n"
    "end\n"
    "local function flip(a, b) if a == 'a' then return nil end return b or 'x' end\n"
    "return show(pcall(string.find, s, p, init)) .. '|' .. show(pcall(string.match, s, p, "
    "init)) .. '|' ..\n"
    "  show(pcall(all, s, p, init)) .. '|' .. show(pcall(string.gsub, s, p, r)) .. '|' ..\n"
    "  show(pcall(string.gsub, s, p, flip, init)) .. '|' .. show(pcall(string.gsub, s, p, { a = "
    "1, b = false })) .. '|' ..\n"
    "  show(pcall(string.find, s, p, init, true))\n";

#endif
