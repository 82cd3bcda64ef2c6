--- leat.scan: finds keys that a table constructor has twice, in the text of the script. Lua silently takes the last
--- one.

local scan = {}

--- Returns the end of the long string or comment that begins at `at`; nil if none begins there.
local function long_bracket(text, at)
  local level = text:match("^%[(=*)%[", at)
  if not level then return nil end
  local _, stop = text:find("]" .. level .. "]", at, true)
  return stop or #text
end

local ends_string = { ['"'] = '["\\\n]', ["'"] = "['\\\n]" }

local function skip_string(text, at)
  local ends = ends_string[text:sub(at, at)]
  repeat
    at = text:find(ends, at + 1)
    if not at then return #text end
    local escapes = text:byte(at) == 92 -- a backslash
    if escapes then at = at + 1 end
  until not escapes
  return at
end

--- Returns the last character of the number that begins at `at`, such as 12, .5, 1e-3 or 0x1p-4; nil if none begins
--- there.
local function number_end(text, at)
  local stop = text:match("^%.?%d[%w.]*()", at)
  if not stop then return nil end
  local exponent = text:find("^0[xX]", at) and "[pP]" or "[eE]"
  local after = text:sub(stop - 1, stop - 1):find(exponent) and text:match("^[+-]%d+()", stop)
  return (after or stop) - 1
end

local pairs_of = {}
for sign in ("== ~= <= >= .. // << >> ::"):gmatch("%S+") do pairs_of[sign] = true end

local alone = {} -- characters with which no longer token begins
for sign in ("{ } ( ) ] , ; + * % ^ # & |"):gmatch("%S") do alone[sign] = true end

--- Returns the kind of the token that begins at `at`, and its last place. The kind of a comment is "--".
local function token(text, at)
  local c = text:sub(at, at)
  if alone[c] then return c, at end
  -- Names of columns may have more letters than Lua's names.
  local _, stop = text:find("^[%a_\x80-\xff][%w_\x80-\xff]*", at)
  if stop then return "name", stop end
  if ends_string[c] then return "string", skip_string(text, at) end
  local two = text:sub(at, at + 1)
  if two == "--" then return two, long_bracket(text, at + 2) or (text:find("\n", at, true) or #text + 1) - 1 end
  local number = number_end(text, at)
  if number then return "number", number end
  local bracket = c == "[" and long_bracket(text, at)
  if bracket then return "string", bracket end
  if text:find("^%.%.%.", at) then return "...", at + 2 end
  return pairs_of[two] and two or c, pairs_of[two] and at + 1 or at
end

--- Iterates over tokens: kind ("name", "number", "string" or the characters themselves), text, line, and place in the
--- text.
---@param text string
function scan.tokens(text)
  local stop, line, line_end = 0, 1, text:find("\n", 1, true)
  return function()
    local at, kind
    repeat
      at = text:find("%S", stop + 1)
      if not at then return nil end
      kind, stop = token(text, at)
    until kind ~= "--"
    while line_end and line_end < at do line, line_end = line + 1, text:find("\n", line_end + 1, true) end
    return kind, text:sub(at, stop), line, at
  end
end

local opens = { ["function"] = true, ["do"] = true, ["if"] = true, ["repeat"] = true }
local closes = { ["end"] = true, ["until"] = true }

--- Returns each key that a constructor has twice: { key =, line =, first = }.
---@param text string
function scan.duplicates(text)
  local found, stack = {}, {}
  local before, key, key_line, brackets = "", nil, nil, false
  for kind, word, line in scan.tokens(text) do
    local top = stack[#stack]
    if kind == "=" and key and top then
      if top[key] then found[#found + 1] = { key = key, line = key_line, first = top[key] } end
      top[key] = top[key] or key_line
    end
    local starts_item = before == "{" or before == "," or before == ";"
    if kind == "name" and starts_item then key, key_line, brackets = word, line, false
    elseif kind == "[" and starts_item then brackets, key = true, nil
    elseif kind == "string" and brackets and before == "[" then key, key_line = word:sub(2, -2), line
    elseif not (kind == "]" and brackets) then key, brackets = nil, false end
    if kind == "{" then stack[#stack + 1] = {}
    elseif kind == "name" and opens[word] then stack[#stack + 1] = false
    elseif kind == "}" or (kind == "name" and closes[word]) then stack[#stack] = nil end
    before = kind
  end
  return found
end

local ends_value = { name = true, number = true, string = true, ["}"] = true, [")"] = true, ["]"] = true }
local begins_value = { name = true, number = true, string = true, ["{"] = true, ["["] = true }
local no_value = {}
for word in ("and do else elseif for function goto if in local not or repeat return then until while"):gmatch("%a+") do
  no_value[word] = true
end

--- Tells where a comma is missing before the token `near` of `line`, in a table or a call; nil if none is missing.
local function missing_comma(text, line, near)
  local kind_before, before, line_before
  for kind, word, at in scan.tokens(text) do
    if at > line then return nil end
    if at == line and word == near and ends_value[kind_before] and begins_value[kind] and not no_value[before] then
      if line_before < at then return ("is a comma missing at the end of line %d?"):format(line_before) end
      return ("is a comma missing before '%s'?"):format(near)
    end
    kind_before, before, line_before = kind, word, at
  end
end

local opening = { ["}"] = "{", [")"] = "(", ["]"] = "[" }

--- Finds what is opened and not closed: { what, line, indent }. Returns `open`, the list at the end of the text;
--- `crossed`, closed by another kind of bracket; and `shifted`, whose closing bracket begins a line of another indent.
local function unclosed(text)
  local open, shifted, line_began = {}, nil, 0
  local starts = { [0] = 0 }
  for place in ("\n" .. text):gmatch("()\n") do starts[#starts + 1] = place end
  local function indent(line) return #text:match("^[ \t]*", starts[line]) end
  for kind, word, line in scan.tokens(text) do
    local what = kind == "name" and word or kind
    local top = open[#open]
    if what == "{" or what == "(" or what == "[" or kind == "name" and opens[word] then
      open[#open + 1] = { what = what, line = line, indent = indent(line) }
    elseif opening[what] or kind == "name" and closes[word] then
      local fits = top and (opening[what] or "word") == (opens[top.what] and "word" or top.what)
      if not fits then return open, top end
      if not shifted and line > top.line and line > line_began and indent(line) ~= top.indent then shifted = top end
      open[#open] = nil
    end
    line_began = line
  end
  return open, nil, shifted
end

local function not_closed(at)
  local what = opens[at.what] and "has no 'end'" or "is not closed"
  if at.what == "repeat" then what = "has no 'until'" end
  return ("the '%s' of line %d %s"):format(at.what, at.line, what)
end

--- Returns the probable cause of a syntax error, in words; nil if it finds none.
---@param text string
---@param line integer
---@param message string
function scan.advice(text, line, message)
  local near = message:match(" near '(.*)'$")
  if message:find("^unfinished string") then return "a text in quotes must end in the same line: close this one" end
  local comma = near and message:find("^'[})]' expected") and missing_comma(text, line, near)
  if comma then return comma end
  local open, crossed, shifted = unclosed(text)
  if crossed then return not_closed(crossed) end
  if #open == 0 then return nil end
  return shifted and not_closed(shifted):gsub("$", " at its indentation") or not_closed(open[#open])
end

return scan
