--- leat.conditions: questions from the command line, as Lua expressions of columns.
---
---   local conditions = require "leat.conditions"
---   return leat.pipeline "mine" { inputs.records(), inputs.csv(), conditions.label("outlier", args.outlier), … }
---
--- filter      keeps the records for which the expression is true: filter='amount > 0 and kind ~= "test"'
--- derive      new columns, separated by semicolons: derive='hour=date:sub(12,13); net=amount-fee'
---
--- An expression names the columns that it uses. A name before ( is a function of Lua; so are string, math,
--- table and utf8 before a point; all others are columns, also with points (id.orig_h) and with letters such as ö. Any
--- name can be written column["first name"]. A column is read as a number beside + - * / // % ^, beside < <= > >= unless
--- a text in quotes is on the other side, beside == or ~= with a number or a calculation on the other side, and where it is
--- given to a function of math. Elsewhere it is text, or what the input has: tonumber(zip) reads a number, tostring(zip)
--- makes a text. Numbers are read as the file writes them (decimal, thousands), and written as Lua has them. In a condition
--- a record without a value that is needed is left out, unless the condition asks for nil.

local leat = require "leat"
local hints = require "leat.condition_hints"
local numbers = require "leat.condition_numbers"
local scan = require "leat.scan"
local args = leat.args

local conditions = {}

local words = scan.words
local libraries = { string = true, math = true, table = true, utf8 = true }
local orders = { ["<"] = true, ["<="] = true, [">"] = true, [">="] = true }
local equals = { ["=="] = true, ["~="] = true }
local arithmetic = { ["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true, ["//"] = true, ["%"] = true, ["^"] = true }

local function fail(what, text, ...)
  error(("%s = '%s': %s"):format(what, text, select("#", ...) > 1 and string.format(...) or (...)), 0)
end

local function tokens_of(text)
  local list = {}
  for kind, word, _, at in scan.tokens(text) do list[#list + 1] = { kind = kind, text = word, at = at } end
  return list
end

local none = { kind = "", text = "" }
local function token(list, i) return list[i] or none end

--- Names that the expression itself defines: parameters of functions, and local variables.
local function own_names(list)
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
local function column_at(list, i, own)
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

local function is_function(name)
  local library, field = name:match("^(%w+)%.([%w_]+)$")
  if not library then return functions[name] end
  return libraries[library] and rawget(_G, library)[field] ~= nil
end

--- The name of the function whose call begins at token i; nil: none does.
local function called_at(list, i, own)
  local t, before = list[i], token(list, i - 1).kind
  if t.kind ~= "name" or words[t.text] or own[t.text] or before == "." or before == ":" then return nil end
  local name, last = dotted(list, i)
  return token(list, last + 1).kind == "(" and name or nil
end

--- What is called must exist: else each record would be rejected for it, or the name be taken for a column's.
local function check_call(what, text, name)
  if not name or is_function(name) then return end
  fail(what, text, "there is no function %s: there are tonumber, tostring, and those of string, math, table and utf8%s", name,
    name:find("^os%.") and '; a date is text here, whose parts are date:sub(1, 4) or date:match("%d+")' or "")
end

--- The last token of the operand that begins beside a comparison, at `at`, on its right (step 1) or its left (-1).
local function operand_end(list, at, step)
  local depth, open, close = 0, step > 0 and "(" or ")", step > 0 and ")" or "("
  while list[at] do
    local t = list[at]
    depth = depth + (t.kind == open and 1 or t.kind == close and -1 or 0)
    local ends = orders[t.kind] or equals[t.kind] or t.kind == "," or t.text == "and" or t.text == "or"
    if depth < 0 or (depth == 0 and ends) then break end
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

--- Do the tokens first .. last calculate, or are they a number? What a function is given does not count.
local function makes_number(list, first, last)
  local i = first
  while i <= last do
    local kind, before = list[i].kind, token(list, i - 1)
    if kind == "number" or arithmetic[kind] then return true end
    if kind == "(" and before.kind == "name" and not words[before.text] then i = closing(list, i) end
    i = i + 1
  end
  return false
end

--- Is the column of the tokens first .. last an argument of a function of math?
local function is_given_to_math(list, first, last)
  local after, depth, i = token(list, last + 1).kind, 0, first - 1
  if after ~= ")" and after ~= "," then return false end
  while list[i] and not (depth == 0 and list[i].kind == "(") do
    depth = depth + (list[i].kind == ")" and 1 or list[i].kind == "(" and -1 or 0)
    i = i - 1
  end
  local before = token(list, first - 1).kind
  return (before == "(" or before == ",") and token(list, i - 2).kind == "." and token(list, i - 3).text == "math"
end

--- Is the column of the tokens first .. last read as a number there?
local function is_number(list, first, last)
  while token(list, first - 1).kind == "(" and token(list, last + 1).kind == ")"
    and (token(list, first - 2).kind ~= "name" or words[token(list, first - 2).text]) do
    first, last = first - 1, last + 1
  end
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

--- Does the expression fail where the column has no value?
local function is_needed(list, first, last, number)
  local left, right = token(list, first - 1).kind, token(list, last + 1).kind
  return number or left == "#" or right == ":" or left == ".." or right == ".." or orders[left] or orders[right]
end

--- Is a column alone in the parentheses of tonumber, which is token i?
local function is_tonumber_of_column(list, i, own)
  if list[i].text ~= "tonumber" or own.tonumber or token(list, i + 1).kind ~= "(" or not list[i + 2] then return false end
  local name, last = column_at(list, i + 2, own)
  return name ~= nil and token(list, last + 1).kind == ")"
end

--- Does the expression have a whole constant that a double may not have?
local function has_large(list)
  for _, t in ipairs(list) do
    if t.kind == "number" and numbers.is_large(t.text) then return true end
  end
  return false
end

--- A parameter's name: the column's, where that is free.
local function parameter_of(name, own, taken, n)
  local plain = name:gsub("[^%w_]", "_"):gsub("^%d", "_%0")
  local function is_free(word) return not (words[word] or own[word] or taken[word] or rawget(_G, word)) end
  local word = plain
  while not is_free(word) do word, n = plain .. "_" .. n, n + 1 end
  return word
end

--- Functions of condition_numbers, by their names in the Lua that an expression becomes.
local READERS = { column = "_number_of_column", text = "_number_of_text", exact = "_exact_number" }

--- An expression as { text of Lua, columns as stages take them, their parameters, needed = those that must have
--- values, exact = those that are texts to be read as integers }. Each use of a column becomes a parameter: one as text,
--- one as number. constant: it may have no column.
local function compile(what, text, constant)
  local list = tokens_of(text)
  local own, e = own_names(list), { columns = {}, parameters = {}, needed = {}, exact = {} }
  local parts, at, known, taken, i = {}, 1, {}, {}, 1
  for _, reader in pairs(READERS) do taken[reader] = true end
  local large = has_large(list)
  while i <= #list do
    check_call(what, text, called_at(list, i, own))
    if list[i].kind == "number" then numbers.check(list[i].text, function(why) fail(what, text, "%s", why) end) end
    local name, last = column_at(list, i, own)
    if name then
      local sign = hints.sign_in(list[i].text)
      if sign then fail(what, text, "%s", sign) end
      local number = is_number(list, i, last)
      local spec = number and not large and name .. ":number" or name
      local use = number and name .. ":number" or name
      if not known[use] then
        known[use] = parameter_of(name, own, taken, #e.columns + 1)
        taken[known[use]] = true
        e.columns[#e.columns + 1], e.parameters[#e.parameters + 1] = spec, known[use]
        if spec ~= use then e.exact[#e.exact + 1] = known[use] end
      end
      if is_needed(list, i, last, number) then e.needed[known[use]] = true end
      local stop = token(list, last)
      parts[#parts + 1] = text:sub(at, list[i].at - 1) .. known[use]
      at, i = stop.at + #stop.text, last
    elseif list[i].text == "tonumber" and not own.tonumber and numbers.are_grouped() then
      local reader = is_tonumber_of_column(list, i, own) and READERS.column or READERS.text
      parts[#parts + 1] = text:sub(at, list[i].at - 1) .. reader
      at = list[i].at + #list[i].text
    elseif list[i].text == "nil" then
      e.asks_nil = true
    end
    i = i + 1
  end
  if #e.columns == 0 and not constant then
    fail(what, text, "it names no column: give an expression such as status >= 500")
  end
  e.lua = table.concat(parts) .. text:sub(at)
  return e
end

--- The function of an expression's columns. It returns nil where a column lacks a value that is needed.
---@param returned string such as "(%s)", where %s stands for the expression
local function build(what, text, e, returned)
  local lacks = {}
  for i, parameter in ipairs(e.exact) do lacks[i] = ("%s = %s(%s) "):format(parameter, READERS.exact, parameter) end
  for _, parameter in ipairs(e.asks_nil and {} or e.parameters) do
    if e.needed[parameter] then lacks[#lacks + 1] = ("if %s == nil then return nil end "):format(parameter) end
  end
  local source = ("local %s, %s, %s = ... return function(%s) %sreturn %s end"):format(READERS.column, READERS.text,
    READERS.exact, table.concat(e.parameters, ", "), table.concat(lacks), returned:format(e.lua .. "\n"))
  local chunk, why = load(source, "=" .. what, "t")
  if chunk then
    local readers = numbers.readers()
    return chunk(readers.column, readers.text, readers.exact)
  end
  why = why:gsub("^[^:]*:%d+: ", "")
  local hint = hints.of(text, why)
  fail(what, text, hint and why .. " (" .. hint .. ")" or why)
end

local ids = {}
--- The id of a stage; of two streams the second has a number.
local function id_of(what)
  ids[what] = (ids[what] or 0) + 1
  return ids[what] == 1 and what or what .. " " .. ids[what]
end

local function decide(what, text)
  local e = compile(what, text)
  return build(what, text, e, "not not (%s)"), e.columns, { id = id_of(what), condition = ("%s = '%s'"):format(what, text) }
end

--- The stage that keeps the records for which a condition is true.
---@param what string
---@param text string
function conditions.filter(what, text)
  return leat.filter(decide(what, text))
end

--- The stage that labels the records: +1 where a condition is true, else -1.
---@param what string
---@param text string
function conditions.label(what, text)
  local fn, columns, options = decide(what, text)
  return leat.map(fn, columns, { "@label" }, options)
end

--- The columns that a condition uses, by name.
---@param what string
---@param text string
function conditions.columns(what, text)
  local names = {}
  for _, spec in ipairs(compile(what, text).columns) do names[#names + 1] = spec:gsub(":number$", "") end
  return names
end

--- "name = expression; …" as { { name, expression }, … }.
local function definitions(text)
  local found, from = {}, 1
  local function add(to)
    local part = text:sub(from, to):match("^%s*(.-)%s*$")
    from = to + 2
    if part == "" then return end
    local name, expression = part:match("^([%a_\x80-\xff][%w_.\x80-\xff]*)%s*=%s*([^=].*)$")
    for _, other in ipairs(found) do
      if other[1] == name then fail("derive", text, ("it makes '%s' twice: use two names"):format(name)) end
    end
    if not name then fail("derive", part, "write NAME = EXPRESSION, such as hour=date:sub(12,13); a semicolon separates several") end
    found[#found + 1] = { name, expression }
  end
  for _, t in ipairs(tokens_of(text)) do
    if t.kind == ";" then add(t.at - 1) end
  end
  add(#text)
  return found
end

--- The names of the columns that --set derive makes.
function conditions.derived()
  local names = {}
  for i, definition in ipairs(definitions(args.derive or "")) do names[i] = definition[1] end
  return names
end

local function derived(definition)
  local name, what = definition[1], "derive " .. definition[1]
  local e = compile(what, definition[2], true)
  return leat.map(build(what, definition[2], e, "(%s)"), e.columns, { name }, { id = id_of(what) })
end

--- Does the filter name a column that is derived?
local function uses(text, found)
  for _, name in ipairs(conditions.columns("filter", text)) do
    for _, definition in ipairs(found) do
      if name == definition[1] then return true end
    end
  end
  return false
end

--- The stages of --set derive and --set filter. The filter comes first, unless it names a new column.
function conditions.records()
  local found, stages = definitions(args.derive or ""), {}
  for i, definition in ipairs(found) do stages[i] = derived(definition) end
  if args.filter then
    table.insert(stages, uses(args.filter, found) and #stages + 1 or 1, conditions.filter("filter", args.filter))
  end
  return stages
end

return conditions
