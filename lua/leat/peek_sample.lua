--- Lines from all parts of a file, for `leat peek` (lua/leat/peek.lua).

local leat = require "leat"
local args = leat.args

local M = {
  BYTES = 1 << 18, LINES = 1000, -- of the beginning
  share = 1,                     -- of the data that the lines of the beginning are
}

local PLACES, EACH = 300, 5          -- places after the beginning, and lines of each
local PLACE, FULL = 1 << 11, 1 << 16 -- bytes of a place, least and most

--- Adds the lines of a text that are not blank, until there are `most`. Leaves out a last line without an end.
function M.add_lines(lines, text, most)
  for line in (text:match("^.*\n") or ""):gmatch("([^\n]*)\n") do -- a pattern without a match takes quadratic time
    if #lines >= most then break end
    if line:find("%S") then lines[#lines + 1] = (line:gsub("\r$", "")) end
  end
  return lines
end

--- Returns the bytes to read at a place: enough for a few of the lines.
local function place_of(lines)
  local longest = 0
  for _, line in ipairs(lines) do longest = math.max(longest, #line) end
  return math.max(PLACE, math.min(FULL, 4 * longest))
end

--- Returns the bytes of lines with their ends.
local function bytes_of(lines)
  local bytes = 0
  for _, line in ipairs(lines) do bytes = bytes + #line + 1 end
  return bytes
end

--- Returns at most LINES of the lines of a text, a few from each of many places.
local function thinned(text)
  local all, list = M.add_lines({}, text, math.huge), {}
  if #all <= M.LINES then return all end
  for place = 0, M.LINES // EACH - 1 do
    local at = 1 + (#all - EACH) * place // (M.LINES // EACH - 1)
    table.move(all, at, at + EACH - 1, #list + 1, list)
  end
  return list
end

--- Returns lines from places all over the rest of a single plain file, and from its end, so that columns that come late
--- are found, too. Of other files it returns the rest of the beginning, `text`. Also returns whether these lines and
--- those of the beginning, `lines`, are of all parts of the file.
function M.later_lines(data, text, lines, is_utf_8)
  local file, later = is_utf_8 and not args.encoding and io.open(data, "rb"), {}
  local size, from = file and file:seek("end"), bytes_of(lines)
  local plain = size and file:seek("set", 0) and (file:read(64) or "\0"):gsub("^\239\187\191", "")
  if plain and text:sub(1, 40) == plain:gsub("\r\n", "\n"):sub(1, 40) then
    local bytes = place_of(lines)
    local places = math.max(0, math.min(PLACES, (size - from) // bytes))
    for place = 1, places do
      file:seek("set", from + (size - bytes - from) * place // places)
      local part = file:read(bytes) or ""
      M.add_lines(later, part:sub((part:find("\n", 1, true) or #part) + 1), #later + math.max(EACH, M.LINES // places))
    end
    text, M.share = "", from / size
  else
    M.share = math.min(1, from / #text)
  end
  if file then file:close() end
  return #later > 0 and later or thinned(text:sub(from + 1)), text == "" or #text < M.BYTES
end

return M
