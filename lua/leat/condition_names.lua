--- leat.condition_names: which names in an expression are columns, read as numbers or as texts, and which are functions.
---
---   local list = names.tokens("status >= 500")
---   names.column_at(list, 1, {})     "status", and 1, its last token
---   names.is_number(list, 1, 1)      true

local scan = require "leat.scan"

local names = {}

local words = scan.words
local libraries = { string = true, math = true, table = true, utf8 = true }
local orders = { ["<"] = true, ["<="] = true, [">"] = true, [">="] = true }
local equals = { ["=="] = true, ["~="] = true }
local arithmetic = { ["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true, ["//"] = true, ["%"] = true, ["^"] = true }

--- The tokens of a text: { kind, text, at }.
---@param text string
function names.tokens(text)
  local list = {}
  for kind, word, _, at in scan.tokens(text) do list[#list + 1] = { kind = kind, text = word, at = at } end
  return list
end

--- Is it a word of Lua?
---@param name string
function names.is_word(name) return words[name] end

local none = { kind = "", text = "" }
local function token(list, i) return list[i] or none end

--- Names that the expression itself defines: parameters of functions, and local variables.
function names.own(list)
  local own, within = {}, nil
  for i, t in ipairs(list) do
    if t.text == "function" then within = ")"
    elseif t.text == "local" or t.text == "for" then within = t.text == "for" and "in" or "="
    elseif t.text == within or (t.text == "=" and within) then within = nil
    elseif within and t.kind == "name" and not words[t.text] then own[t.text] = token(list, i - 1).kind ~= "." end
  end
  return own
end

--- The name with points that begins at token i, such as id.orig_h, and its last token.
local function dotted(list, i)
  local name, last = list[i].text, i
  while token(list, last + 1).kind == "." and token(list, last + 2).kind == "name" do
    name, last = name .. "." .. list[last + 2].text, last + 2
  end
  return name, last
end

--- The column whose name begins at token i, and its last token; nil: there is none.
function names.column_at(list, i, own)
  local t, before, after = list[i], token(list, i - 1).kind, token(list, i + 1).kind
  if t.kind ~= "name" or words[t.text] or own[t.text] or before == "." or before == ":" or after == "(" then return nil end
  if t.text == "column" and after == "[" and token(list, i + 2).kind == "string" then
    return list[i + 2].text:sub(2, -2), i + 3
  end
  if libraries[t.text] and after == "." then return nil end
  if after == "=" and (before == "{" or before == ",") then return nil end -- the key of a table
  return dotted(list, i)
end

--- The functions of expressions, beside those of the libraries.
local functions = {}
for name in ([[assert error getmetatable ipairs next pairs pcall rawequal rawget rawlen rawset select setmetatable
  tonumber tostring type xpcall]]):gmatch("%a+") do functions[name] = true end

function names.is_function(name)
  local library, field = name:match("^(%w+)%.([%w_]+)$")
  if not library then return functions[name] end
  return libraries[library] and rawget(_G, library)[field] ~= nil
end

--- The name of the function whose call begins at token i; nil: none does.
function names.called_at(list, i, own)
  local t, before = list[i], token(list, i - 1).kind
  if t.kind ~= "name" or words[t.text] or own[t.text] or before == "." or before == ":" then return nil end
  local name, last = dotted(list, i)
  return token(list, last + 1).kind == "(" and name or nil
end

--- Words that end an operand, beside `and` and `or`: those of statements.
local ends = {}
for name in ("and or then do end return local if else elseif while for repeat until"):gmatch("%a+") do ends[name] = true end

--- The last token of the operand that begins beside a comparison, at `at`, on its right (step 1) or its left (-1).
local function operand_end(list, at, step)
  local depth, open, close = 0, step > 0 and "(" or ")", step > 0 and ")" or "("
  while list[at] do
    local t = list[at]
    depth = depth + (t.kind == open and 1 or t.kind == close and -1 or 0)
    local stops = orders[t.kind] or equals[t.kind] or t.kind == "," or t.kind == "name" and ends[t.text]
    if depth < 0 or (depth == 0 and stops) then break end
    at = at + step
  end
  return at - step
end

--- Where the parentheses that open at `at` close.
local function closing(list, at)
  local depth = 0
  for i = at, #list do
    depth = depth + (list[i].kind == "(" and 1 or list[i].kind == ")" and -1 or 0)
    if depth == 0 then return i end
  end
  return #list
end

--- Does the function whose name ends with token i give a number?
local function gives_number(list, i)
  local name, library = list[i].text, token(list, i - 1).kind == "." and token(list, i - 2).text
  return name == "tonumber" or name == "len" or library == "math" and name ~= "type"
end

--- Do the tokens first .. last calculate, or are they a number? What a function is given does not count.
local function makes_number(list, first, last)
  local i = first
  while i <= last do
    local kind, before = list[i].kind, token(list, i - 1)
    if kind == "number" or kind == "#" or arithmetic[kind] then return true end
    if kind == "(" and before.kind == "name" and not words[before.text] then
      if gives_number(list, i - 1) then return true end
      i = closing(list, i)
    end
    i = i + 1
  end
  return false
end

--- Is the column of the tokens first .. last an argument of a function of math, alone or as in n or 0?
local function is_given_to_math(list, first, last)
  if token(list, last + 1).text == "or" and token(list, last + 2).kind == "number" then last = last + 2 end
  local after, depth, i = token(list, last + 1).kind, 0, first - 1
  if after ~= ")" and after ~= "," then return false end
  while list[i] and not (depth == 0 and list[i].kind == "(") do
    depth = depth + (list[i].kind == ")" and 1 or list[i].kind == "(" and -1 or 0)
    i = i - 1
  end
  local before = token(list, first - 1).kind
  return (before == "(" or before == ",") and token(list, i - 2).kind == "." and token(list, i - 3).text == "math"
end

--- The tokens first .. last with the parentheses around them that call nothing.
local function grouped(list, first, last)
  while token(list, first - 1).kind == "(" and token(list, last + 1).kind == ")"
    and (token(list, first - 2).kind ~= "name" or words[token(list, first - 2).text]) do
    first, last = first - 1, last + 1
  end
  return first, last
end

--- Does the expression ask whether the column of the tokens first .. last is nil?
function names.is_asked(list, first, last)
  first, last = grouped(list, first, last)
  return equals[token(list, last + 1).kind] and token(list, last + 2).text == "nil"
    or equals[token(list, first - 1).kind] and token(list, first - 2).text == "nil"
end

--- Is the column of the tokens first .. last read as a number there?
function names.is_number(list, first, last)
  first, last = grouped(list, first, last)
  local function beside(at, step)
    local sign, other = token(list, at).kind, token(list, at + step)
    if orders[sign] then return other.kind ~= "string" end
    if equals[sign] then
      local from, stop = at + step, operand_end(list, at + step, step)
      return makes_number(list, step > 0 and from or stop, step > 0 and stop or from)
    end
    return arithmetic[sign]
  end
  local left, right = token(list, first - 1).kind, token(list, last + 1).kind
  if left == "#" or right == ":" or left == ".." or right == ".." then return false end
  return beside(first - 1, -1) or beside(last + 1, 1) or is_given_to_math(list, first, last)
end

--- Is a column alone in the parentheses of tonumber, which is token i?
function names.is_tonumber_of_column(list, i, own)
  if list[i].text ~= "tonumber" or own.tonumber or token(list, i + 1).kind ~= "(" or not list[i + 2] then return false end
  local name, last = names.column_at(list, i + 2, own)
  return name ~= nil and token(list, last + 1).kind == ")"
end

return names
