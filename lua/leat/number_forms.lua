--- leat.number_forms: finds the form of a table's numbers by its first rows, such as 1.188,02 for 1188.02.

local number_forms = {}

--- Returns the number of a text in the form 1188.02, as a run reads it: neither 0x1F nor 1e999 is one. nil if it is none.
---@param text string
---@return number?
function number_forms.plain(text)
  local x = not text:find("[xX]") and tonumber(text)
  return x and x - x == 0 and x or nil
end

--- Forms of numbers other than 1188.02: decimal mark, thousands mark, pattern. The first form that fits is used.
local forms = {
  { ",", nil, "^[+-]?%d+,%d+$" },
  { ",", ".", "^[+-]?[1-9]%d?%d?%.%d%d%d[%d.]*,?%d*$" },
  { ",", " ", "^[+-]?[1-9]%d?%d?[ \u{a0}\u{202f}]+%d%d%d[%d \u{a0}\u{202f}]*,?%d*$" },
  { ".", ",", "^[+-]?[1-9]%d?%d?,%d%d%d[%d,]*%.?%d*$" },
  { ".", "'", "^[+-]?[1-9]%d?%d?['\u{2019}]+%d%d%d[%d'\u{2019}]*%.?%d*$" },
}

--- True if a text is a number in this form. Thousands marks and a fraction may be missing.
local function fits(form, text)
  if text:find(form[3]) or text:find("^[+-]?%d+$") then return true end
  return form[1] == "," and text:find("^[+-]?%d+,%d+$") or form[1] == "." and text:find("^[+-]?%d+%.%d+$")
end

--- True if a text shows that numbers have this form. 1.234 shows nothing, as it is also an ordinary number. In a file
--- with commas between fields, "1,234" does not show a decimal comma, as it may have thousands.
local function tells(form, text, delimiter)
  if tonumber(text) or not text:find(form[3]) then return false end
  return form[2] or delimiter ~= "," or not text:find("^[+-]?[1-9]%d?%d?,%d%d%d$")
end

local WORDS = 20 -- one field in this many may be a word, which then means a missing number

--- Returns three values: true if the texts of column i are numbers of this form, and one text shows it (tells); true if
--- it shows more than a decimal comma; and the first word among the texts.
local function is_of(form, rows, i, delimiter)
  local n, told, fraction, words, word = 0, false, false, 0, nil
  for _, row in ipairs(rows) do
    local text = row[i] or ""
    if text ~= "" and text ~= "\0" then
      n = n + 1
      told = told or tells(form, text, delimiter)
      fraction = fraction or form[1] == "," and tells(forms[1], text, delimiter)
      if not fits(form, text) then
        if text:find("%d") then return false, false end
        words, word = words + 1, word or text
      end
    end
  end
  local few = WORDS * words <= n
  return few and (told or fraction), few and told, word
end

--- True if column i has numbers with thousands dots and no decimal comma, such as 533.730, and small ones without dots.
local function has_dots(rows, i)
  local dots = false
  for _, row in ipairs(rows) do
    local text = row[i] or ""
    local sign_off = text:gsub("^[+-]", "")
    if text ~= "" and text ~= "\0" then
      local dotted = sign_off:find("^[1-9]%d?%d?%.%d%d%d") and not sign_off:gsub("%.%d%d%d", ""):find("%D")
      if not dotted and not sign_off:find("^%d%d?%d?$") then return false end
      dots = dots or dotted
    end
  end
  return dots
end

--- Adds columns whose dots are between thousands, if other columns have a decimal comma. `columns` stays in the order
--- of names.
function number_forms.with_dots(rows, names, form, columns)
  if form[1] ~= "," or form[2] and form[2] ~= "." then return form, columns end
  local is, list, dotted = {}, {}, {}
  for _, name in ipairs(columns) do is[name] = true end
  for i, name in ipairs(names) do
    if not is[name] and has_dots(rows, i) then dotted[#dotted + 1], is[name] = name, true end
    if is[name] then list[#list + 1] = name end
  end
  if #dotted == 0 then return form, columns end
  return { ",", "." }, list, dotted
end

--- Returns the places of the columns that have texts other than plain numbers: only these can have another form.
local function with_other_texts(rows, names)
  local list = {}
  for i = 1, #names do
    for _, row in ipairs(rows) do
      local text = row[i]
      if text and text ~= "" and not tonumber(text) then
        list[#list + 1] = i
        break
      end
    end
  end
  return list
end

--- Returns the form in which columns of text are numbers, these columns, and words in them that are no numbers; nil if
--- there is no such form.
function number_forms.of(rows, names, delimiter)
  local best, columns, words
  local others_than_plain = with_other_texts(rows, names)
  for _, form in ipairs(forms) do
    local list, others, told = {}, {}, false
    for _, i in ipairs(others_than_plain) do
      local name = names[i]
      local is, tells_so, word = is_of(form, rows, i, delimiter)
      if is then list[#list + 1], others[#others + 1] = name, word end
      told = told or tells_so
    end
    if told and (not best or #list > #columns) then best, columns, words = form, list, others end
  end
  return best, columns, words
end

return number_forms
