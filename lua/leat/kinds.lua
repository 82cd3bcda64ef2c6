--- leat.kinds: recognises binary data that source.file does not know by their first bytes.

local kinds = {}

local PART = 4096 -- bytes that show other binary data

--- True if more than a thirtieth of a text are control characters, and it is not UTF-8. The journal's export format has
--- lengths in binary (lua/leat/conversions.lua).
local function is_binary(text)
  if text:find("^__CURSOR=") then return false end
  local part = text:sub(1, PART)
  local controls = select(2, part:gsub("[%z\1-\8\14-\26\28-\31\127]", ""))
  local length, wrong = utf8.len(part)
  return 30 * controls > #part and not length and wrong < #part - 3
end

--- Returns a message if these first bytes are binary data; nil if they may be text.
---@param bytes string
---@param wide boolean the bytes may be text in UTF-16
---@return string?
function kinds.of(bytes, wide)
  if not wide and is_binary(bytes) then return "binary data of an unknown kind: leat reads text; if this is text, give its format" end
end

return kinds
