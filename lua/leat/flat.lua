--- leat.flat: the single values of a JSON object as { path, text }, to look at some records before a run.
---
--- Paths are those of leat.parse.json. On request arrays have values, too: path[*] with the array's text and the texts
--- of its elements, or path[*].key with the values of the objects in it. null is left out. flat.objects finds objects
--- in a text that does not have one a line. flat.usual: if a path is a single value, an array or an object in different
--- records, it selects the form of most records. A few single values among arrays are no exception: each is one
--- element.

local flat = { DEEPEST = 32 } -- DEEPEST: nested objects; nobody names deeper values as columns

--- Returns the place after the string that begins at `at`; nil if it does not end.
local function string_end(text, at)
  local c
  repeat
    at = text:find('["\\]', at + 1)
    c = at and text:sub(at, at)
    if c == "\\" then at = at + 1 end
  until c ~= "\\"
  return at and at + 1
end

local function skip_array(text, at)
  local depth = 0
  repeat
    at = text:find('["%[%]]', at)
    if not at then return nil end
    local c = text:sub(at, at)
    depth = depth + (c == "[" and 1 or c == "]" and -1 or 0)
    at = c == '"' and string_end(text, at) or at + 1
  until depth == 0
  return at
end

local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ["/"] = "/", ["\\"] = "\\", ['"'] = '"' }

--- Writes a key as a path needs it; nil if no path can name it.
local function new_step(key)
  key = key:gsub("\\u(%x%x%x%x)", function(code) return utf8.char(tonumber(code, 16)) end):gsub("\\(.)", escapes)
  if key:find('[%c"\\]') then return nil end
  return key:find('[%.%[%]="]') and '"' .. key .. '"' or key == "" and '""' or key
end

local steps = {} -- step of each key, or false

--- Returns new_step(key), which most records need again.
local function step(key)
  local found = steps[key]
  if found == nil then
    found = new_step(key) or false
    steps[key] = found
  end
  return found or nil
end


local object
local arrays -- true if the caller wants arrays
local is_journal -- true for a record of the journal, in which an array of bytes is a text (leat.parse.json)

--- Returns the text of an array of bytes; nil if it is something else.
local function text_of_bytes(list)
  if not is_journal or not list:find("^%[[%d,]+%]$") then return nil end
  local bytes = {}
  for n in list:gmatch("%d+") do
    if tonumber(n) > 255 then return nil end
    bytes[#bytes + 1] = string.char(tonumber(n))
  end
  return table.concat(bytes)
end

--- Returns the texts of the single values in an array whose first element is at `at`.
local function elements(text, at)
  local list = {}
  while at and not text:find("^]", at) do
    local c, stop = text:sub(at, at), nil
    if c == "[" or c == "{" then return list end
    stop = c == '"' and string_end(text, at) or c ~= '"' and text:match("^[^%s,%]]+()", at) or nil
    local word = stop and text:sub(at, stop - 1)
    if word and word ~= "null" then list[#list + 1] = c == '"' and word:sub(2, -2) or word end
    at = stop and text:match("^%s*,?%s*()", stop)
  end
  return list
end

--- Adds the values of an array, whose path is "path[*]". Returns the place after it.
local function array(text, at, path, found, depth)
  local stop = skip_array(text, at)
  if not (path and stop and (arrays or is_journal)) or text:find("^%[%s*%]", at) then return stop end
  local bytes = text_of_bytes(text:sub(at, stop - 1))
  if bytes then
    found[#found + 1] = { path:sub(1, -4), bytes }
    return stop
  end
  if not arrays then return stop end
  local first = text:match("^%[%s*()%S", at)
  local c = text:sub(first, first)
  if c == "{" then object(text, first, path .. ".", found, depth + 1)
  elseif c ~= "[" then found[#found + 1] = { path, text:sub(at, stop - 1), elements(text, first) } end
  return stop
end

--- Adds the value at `at`. Returns the place after it.
local function value(text, at, path, found, depth)
  local c = text:sub(at, at)
  if c == "{" then return object(text, at, path and path .. ".", found, depth + 1) end
  if c == "[" then return array(text, at, path and path .. "[*]", found, depth) end
  local stop = c == '"' and string_end(text, at) or text:match("^[^%s,}%]]+()", at)
  local word = stop and text:sub(at, stop - 1)
  if path and word and word ~= "null" then found[#found + 1] = { path, c == '"' and word:sub(2, -2) or word } end
  return stop
end

function object(text, at, prefix, found, depth)
  if depth > flat.DEEPEST then return nil end
  at = text:match("^{%s*()", at)
  while at and text:sub(at, at) == '"' do
    local stop = string_end(text, at)
    local key = prefix and stop and step(text:sub(at + 1, stop - 2))
    at = stop and text:match("^%s*:%s*()", stop)
    at = at and value(text, at, key and prefix .. key, found, depth)
    at = at and text:match("^%s*,?%s*()", at)
  end
  return at and text:match("^}()", at)
end

--- Returns the values of a text that is an object; nil if it is not.
---@param text string
---@param with_arrays boolean?
function flat.values(text, with_arrays)
  arrays, is_journal = with_arrays, text:find('"__CURSOR":', 1, true) ~= nil
  local found, at = {}, text:match("^%s*(){")
  return at and object(text, at, "", found, 1) and found
end

--- Returns how deep the objects and arrays of a text are nested.
---@param text string
function flat.depth(text)
  local depth, most, at = 0, 0, text:find('["%[%]{}]')
  while at do
    local c = text:sub(at, at)
    depth = depth + ((c == "{" or c == "[") and 1 or (c == "}" or c == "]") and -1 or 0)
    most = math.max(most, depth)
    at = text:find('["%[%]{}]', c == '"' and (string_end(text, at) or #text + 1) or at + 1)
  end
  return most
end

local MOST = 1000 -- objects of a text

--- Returns the consecutive objects and arrays of a text, as texts, except a last one that is cut off. Also returns the
--- keys of the first object whose values are arrays of objects.
---@param text string
---@return string[], string[]
function flat.objects(text)
  local list, keys, depth, at, start = {}, {}, 0, 1, nil
  while at and #list < MOST do
    at = text:find('["%[%]{}]', at)
    local c = at and text:sub(at, at)
    if c == "{" or c == "[" then
      if depth == 0 then start = at end
      if c == "[" and depth == 1 and #list == 0 and text:find("^%[%s*{", at) then
        keys[#keys + 1] = text:sub(math.max(1, at - 200), at - 1):match('"([^"\\]+)"%s*:%s*$')
      end
      depth = depth + 1
    elseif c == "]" or c == "}" then
      depth = depth - 1
      if depth == 0 then list[#list + 1] = text:sub(start, at) end
    end
    at = c == '"' and string_end(text, at) or c and c ~= '"' and at + 1 or nil
  end
  return list, keys
end

--- Returns each form that a path implies: { path, kind }. a[*].b implies that a is an array ("["), that a[*] is an
--- object (".") and that a[*].b is a single value ("").
local function forms_of(path)
  local list = {}
  for at in path:gmatch("()[.[]") do
    if at > 1 and (path:sub(at, at) == "." or path:sub(at, at + 2) == "[*]") then
      list[#list + 1] = { path:sub(1, at - 1), path:sub(at, at) }
    end
  end
  list[#list + 1] = { path, "" }
  return list
end

--- Returns the column with the most records for each path and kind; the kinds of each path, in order; and the paths.
local function most_of(columns)
  local most, kinds, paths = {}, {}, {}
  for _, c in ipairs(columns) do
    for _, form in ipairs(forms_of(c.name)) do
      local path, kind = form[1], form[2]
      if not most[path] then most[path], kinds[path], paths[#paths + 1] = {}, {}, path end
      if not most[path][kind] then table.insert(kinds[path], kind) end
      if not most[path][kind] or c.n > most[path][kind].n then most[path][kind] = c end
    end
  end
  return most, kinds, paths
end

--- Returns the kind that most records have. If two kinds are equally frequent, prefers a kind with several values.
local function kept_of(most, kinds)
  local kept = kinds[1]
  for _, kind in ipairs(kinds) do
    local n, best = most[kind].n, most[kept].n
    if n > best or n == best and kept == "" then kept = kind end
  end
  return kept
end

--- Returns the columns { name = path, n = records }, in order, without those whose path has another form in more
--- records; and { kept = column, out = column } for each form that is left out.
---@param columns table[]
---@return table[], table[]
function flat.usual(columns)
  local most, kinds, paths = most_of(columns)
  local kept, mixed, list = {}, {}, {}
  for _, path in ipairs(paths) do
    kept[path] = kept_of(most[path], kinds[path])
    for _, kind in ipairs(kinds[path]) do
      if kind ~= kept[path] then mixed[#mixed + 1] = { kept = most[path][kept[path]], out = most[path][kind] } end
    end
  end
  for _, c in ipairs(columns) do
    local is_usual = true
    for _, form in ipairs(forms_of(c.name)) do is_usual = is_usual and kept[form[1]] == form[2] end
    if is_usual then list[#list + 1] = c end
  end
  return list, mixed
end

return flat
