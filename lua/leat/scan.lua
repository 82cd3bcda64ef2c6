--- leat.scan: finds keys that a table constructor has twice. Lua silently takes the last one, so they
--- are looked for in the text of the script.

local scan = {}

--- The end of the long string or comment that begins at `at`; nil: none begins there.
local function long_bracket(text, at)
  local level = text:match("^%[(=*)%[", at)
  if not level then return nil end
  local _, stop = text:find("]" .. level .. "]", at, true)
  return stop or #text
end

local function skip_string(text, at)
  local quote, i = text:sub(at, at), at + 1
  while i <= #text do
    local c = text:sub(i, i)
    if c == "\\" then i = i + 1
    elseif c == quote or c == "\n" then return i end
    i = i + 1
  end
  return #text
end

local pairs_of = {}
for sign in ("== ~= <= >= .. // << >> ::"):gmatch("%S+") do pairs_of[sign] = true end

--- Iterates over tokens: kind ("name", "number", "string" or the characters themselves), text, line, and the
--- place in the text.
---@param text string
function scan.tokens(text)
  local at, line = 1, 1
  local function step(stop)
    local piece = text:sub(at, stop)
    local _, breaks = piece:gsub("\n", "\n")
    local began, place = line, at
    line, at = line + breaks, stop + 1
    return piece, began, place
  end
  return function()
    while at <= #text do
      local two = text:sub(at, at + 1)
      local c = two:sub(1, 1)
      if c:match("%s") then
        step(text:match("^%s+()", at) - 1)
      elseif two == "--" then
        step(long_bracket(text, at + 2) or (text:find("\n", at, true) or #text + 1) - 1)
      elseif c:match("[%a_]") then
        return "name", step(text:match("^[%w_]+()", at) - 1)
      elseif c:match("%d") then
        return "number", step(text:match("^[%w.]+()", at) - 1)
      elseif c == '"' or c == "'" then
        return "string", step(skip_string(text, at))
      elseif c == "[" and long_bracket(text, at) then
        return "string", step(long_bracket(text, at))
      elseif pairs_of[two] then
        return two, step(at + 1)
      else
        return c, step(at)
      end
    end
  end
end

local opens = { ["function"] = true, ["do"] = true, ["if"] = true, ["repeat"] = true }
local closes = { ["end"] = true, ["until"] = true }

--- Each key that a constructor has a second time: { key =, line =, first = }.
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

return scan
