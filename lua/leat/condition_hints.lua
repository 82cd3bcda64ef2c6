--- leat.condition_hints: what was meant by an expression that is no Lua.

local numbers = require "leat.condition_numbers"
local scan = require "leat.scan"

local hints = {}

--- What other languages write.
local others = { ["="] = "Lua compares with ==", ["&"] = "Lua has the word `and`", ["|"] = "Lua has the word `or`",
  ["!"] = "Lua has ~= and `not`" }

--- Signs that word processors write, and those of Lua.
local signs = { ["\u{2264}"] = "<=", ["\u{2265}"] = ">=", ["\u{2260}"] = "~=", ["\u{2212}"] = "-", ["\u{2013}"] = "-",
  ["\u{d7}"] = "*", ["\u{f7}"] = "/", ["\u{201c}"] = '"', ["\u{201d}"] = '"', ["\u{201e}"] = '"', ["\u{2018}"] = "'",
  ["\u{2019}"] = "'", ["\u{ab}"] = '"', ["\u{bb}"] = '"', ["\u{a0}"] = "a blank" }

--- Why a name of letters beyond ASCII is none; nil: it may be one.
---@param name string
function hints.sign_in(name)
  for letter in name:gmatch("[\xc2-\xf4][\x80-\xbf]+") do
    if signs[letter] then return ("%s is no sign of Lua: write %s"):format(letter, signs[letter]) end
  end
end

--- A part of a name that is none of Lua: "unit price", "2024 total", "2024total".
local function is_part(t) return t and (t.kind == "number" or t.kind == "name" and not scan.words[t.text]) end

local function column_meant(text)
  local list = {}
  for kind, word, _, at in scan.tokens(text) do list[#list + 1] = { kind = kind, text = word, at = at } end
  for first, t in ipairs(list) do
    local last = first
    while is_part(list[last]) and is_part(list[last + 1]) do last = last + 1 end
    if last > first or t.kind == "number" and t.text:find("^%d+[%a_]") and not tonumber(t.text) then
      local name = text:sub(t.at, list[last].at + #list[last].text - 1)
      return ('if %s is a column, write column["%s"]'):format(name, name)
    end
  end
end

--- What was meant where Lua says `why`; nil: nobody knows.
---@param text string
---@param why string
function hints.of(text, why)
  return others[why:match("near '(.)") or why:match("before '(.)") or ""] or column_meant(text) or numbers.meant(text)
end

return hints
