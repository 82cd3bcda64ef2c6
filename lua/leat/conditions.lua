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
--- a text in quotes is on the other side, beside == or ~= with a number, a calculation, # or a function that gives a
--- number on the other side, and where it is given to a function of math. Elsewhere it is text, or what the input has:
--- tonumber(zip) reads a number, tostring(zip) makes a text. Numbers are read as the file writes them (decimal,
--- thousands), and written as Lua has them. A record for which a condition is unknown, as a value is missing, is left
--- out (leat.condition_code).

local leat = require "leat"
local code = require "leat.condition_code"
local hints = require "leat.condition_hints"
local names = require "leat.condition_names"
local numbers = require "leat.condition_numbers"
local tree = require "leat.condition_tree"
local args = leat.args

local conditions = {}

local function fail(what, text, why, ...)
  error(("%s = '%s': %s"):format(what, text, why:format(...)), 0)
end

--- What is called must exist: else each record would be rejected for it, or the name be taken for a column's.
local function check_call(what, text, name)
  if not name or names.is_function(name) then return end
  if name == "is_missing" then fail(what, text, "there is no function is_missing: write x == nil") end
  fail(what, text, "there is no function %s: there are tonumber, tostring, and those of string, math, table and utf8%s", name,
    name:find("^os%.") and '; a date is text here, whose parts are date:sub(1, 4) or date:match("%d+")' or "")
end

--- Does the expression have a whole constant that a double may not have?
local function has_large(list)
  for _, t in ipairs(list) do
    if t.kind == "number" and numbers.is_large(t.text) then return true end
  end
  return false
end

--- Functions that the Lua of an expression calls, by their names in it.
local CALLED = { column = "_number_of_column", text = "_number_of_text", exact = "_exact_number", call = "_call" }

--- The uses of columns, by their first tokens: { name, last = token, number = it is read as one }. Of a column that is
--- read as a number elsewhere `== nil` asks whether that is missing.
local function uses_of(what, text, list, own)
  local found, numeric = {}, {}
  for i = 1, #list do
    local name, last = names.column_at(list, i, own)
    if name then
      local sign = hints.sign_in(list[i].text)
      if sign then fail(what, text, "%s", sign) end
      found[i] = { name = name, last = last, number = names.is_number(list, i, last) }
      numeric[name] = numeric[name] or found[i].number
    end
  end
  for i, use in pairs(found) do
    use.number = use.number or numeric[use.name] and names.is_asked(list, i, use.last)
  end
  return found
end

--- Each column is given as a parameter, once as a text and once as a number at most: { parameter, spec = as stages name
--- the column, exact = it is a text, to be read as a whole number }.
local Given = {}
Given.__index = Given

--- A parameter's name: the column's, where that is free.
function Given:parameter(name)
  local plain, n = name:gsub("[^%w_]", "_"):gsub("^%d", "_%0"), #self + 1
  local function is_free(word)
    return not (names.is_word(word) or self.own[word] or self.taken[word] or rawget(_G, word) or word:find("^_v%d+$"))
  end
  local word = plain
  while not is_free(word) do word, n = plain .. "_" .. n, n + 1 end
  self.taken[word] = true
  return word
end

function Given:of(use)
  local key = use.number and use.name .. ":number" or use.name
  if not self.known[key] then
    local exact = use.number and self.large
    self.known[key] = { parameter = self:parameter(use.name), spec = exact and use.name or key, exact = exact }
    self[#self + 1] = self.known[key]
  end
  return self.known[key].parameter
end

--- An expression: given, its columns; lua, the text with their parameters; tokens, those of it. constant: it may have no
--- column.
local function compile(what, text, constant)
  local list = names.tokens(text)
  local own, tokens, parts, at, i = names.own(list), {}, {}, 1, 1
  local given = setmetatable({ own = own, known = {}, taken = {}, large = has_large(list) }, Given)
  for _, name in pairs(CALLED) do given.taken[name] = true end
  local uses = uses_of(what, text, list, own)
  local function replace(kind, by, last)
    parts[#parts + 1] = text:sub(at, list[i].at - 1) .. by
    tokens[#tokens + 1] = { kind = kind, text = by }
    at, i = list[last].at + #list[last].text, last
  end
  while i <= #list do
    check_call(what, text, names.called_at(list, i, own))
    if list[i].kind == "number" then numbers.check(list[i].text, function(why) fail(what, text, "%s", why) end) end
    if uses[i] then
      replace("column", given:of(uses[i]), uses[i].last)
    elseif list[i].text == "tonumber" and not own.tonumber and numbers.are_grouped() then
      replace("name", names.is_tonumber_of_column(list, i, own) and CALLED.column or CALLED.text, i)
    else
      tokens[#tokens + 1] = list[i]
    end
    i = i + 1
  end
  if #given == 0 and not constant then
    fail(what, text, "it names no column: give an expression such as status >= 500")
  end
  return { given = given, lua = table.concat(parts) .. text:sub(at), tokens = tokens }
end

--- The items of a list, by a field of each.
local function each(list, field)
  local of = {}
  for i, item in ipairs(list) do of[i] = item[field] end
  return of
end

--- Fails where the expression is no Lua, as Lua says it. Parentheses keep out what is no single expression.
local function check(what, text, e)
  local chunk, why = load("return " .. e.lua, "=" .. what, "t")
  if chunk then chunk, why = load("return (" .. e.lua .. "\n)", "=" .. what, "t") end
  if chunk then return end
  why = why:gsub("^[^:]*:%d+: ", ""):gsub("<eof> expected near", "the expression should end before")
    :gsub("unexpected symbol near <eof>", "something is missing at its end"):gsub("near <eof>", "at its end")
  local hint = hints.of(text, why)
  fail(what, text, "%s", hint and why .. " (" .. hint .. ")" or why)
end

--- Columns that must have values come first: of these the run names one that has none.
local function needed_first(given, needed)
  local first, others = {}, {}
  for _, g in ipairs(given) do table.insert(needed[g.parameter] and first or others, g) end
  return table.move(others, 1, #others, #first + 1, first)
end

--- The function of an expression, and the columns that it takes. It returns nil where the expression has no value, or
--- is unknown.
---@param decides boolean it returns true, false or nil
local function build(what, text, e, decides)
  check(what, text, e)
  local root = tree.of(e.tokens)
  if not root then fail(what, text, "a parenthesis closes that none has opened") end
  local body, needed = code.of(root, table.concat(each(e.tokens, "text"), " "), each(e.given, "parameter"), decides)
  local given, exact = needed_first(e.given, needed), {}
  for _, g in ipairs(given) do
    if g.exact then exact[#exact + 1] = ("%s = %s(%s) "):format(g.parameter, CALLED.exact, g.parameter) end
  end
  local source = ("local %s, %s, %s, %s = ... return function(%s) %s%s end"):format(CALLED.column, CALLED.text, CALLED.exact,
    CALLED.call, table.concat(each(given, "parameter"), ", "), table.concat(exact), body)
  local chunk, why = load(source, "=" .. what, "t")
  if not chunk then fail(what, text, "%s", (why:gsub("^[^:]*:%d+: ", ""))) end -- it is too long, or nested too deep
  local readers = numbers.readers()
  return chunk(readers.column, readers.text, readers.exact, code.call), each(given, "spec")
end

local ids = {}
--- The id of a stage; of two streams the second has a number.
local function id_of(what)
  ids[what] = (ids[what] or 0) + 1
  return ids[what] == 1 and what or what .. " " .. ids[what]
end

local function decide(what, text)
  local fn, columns = build(what, text, compile(what, text), true)
  return fn, columns, { id = id_of(what), condition = ("%s = '%s'"):format(what, text) }
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
  local list = {}
  for i, g in ipairs(compile(what, text).given) do list[i] = g.spec:gsub(":number$", "") end
  return list
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
  for _, t in ipairs(names.tokens(text)) do
    if t.kind == ";" then add(t.at - 1) end
  end
  add(#text)
  return found
end

--- The names of the columns that --set derive makes.
function conditions.derived()
  return each(definitions(args.derive or ""), 1)
end

local function derived(definition)
  local name, what = definition[1], "derive " .. definition[1]
  local fn, columns = build(what, definition[2], compile(what, definition[2], true), false)
  return leat.map(fn, columns, { name }, { id = id_of(what), expression = definition[2] })
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
