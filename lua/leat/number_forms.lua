--- leat.number_forms: how the numbers of a table are written where it is not as 1188.02, by the fields of its first rows.

local number_forms = {}

--- How numbers may be written other than 1188.02, by pattern; the first that fits is taken.
local forms = {
  { ",", nil, "^[+-]?%d+,%d+$" },
  { ",", ".", "^[+-]?[1-9]%d?%d?%.%d%d%d[%d.]*,?%d*$" },
  { ",", " ", "^[+-]?[1-9]%d?%d?[ \u{a0}\u{202f}]+%d%d%d[%d \u{a0}\u{202f}]*,?%d*$" },
  { ".", ",", "^[+-]?[1-9]%d?%d?,%d%d%d[%d,]*%.?%d*$" },
  { ".", "'", "^[+-]?[1-9]%d?%d?['\u{2019}]+%d%d%d[%d'\u{2019}]*%.?%d*$" },
}

--- Does a text belong to a form: as it says, or without thousands and fraction?
local function fits(form, text)
  if text:find(form[3]) or text:find("^[+-]?%d+$") then return true end
  return form[1] == "," and text:find("^[+-]?%d+,%d+$") or form[1] == "." and text:find("^[+-]?%d+%.%d+$")
end

--- Does a text say that it is of this form, and of no other? 1.234 is a number as it is; 1,234 in quotes between commas
--- has thousands.
local function tells(form, text, delimiter)
  if tonumber(text) or not text:find(form[3]) then return false end
  return form[2] or delimiter ~= "," or not text:find("^[+-]?[1-9]%d?%d?,%d%d%d$")
end

local WORDS = 20 -- a word in so many numbers is taken for the lack of one

--- Are the texts of column i numbers of a form, and does one of them say so, as one with thousands does? And the first
--- that is a word among them.
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

--- Is column i thousands with dots alone, 533.730, or so small that it has none?
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

--- Where others have a decimal comma, the columns in which a dot is between thousands: added to `columns`, in the order of
--- names.
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

--- The form that makes numbers of columns of text, these columns, and what is no number in them; nil: there is none.
function number_forms.of(rows, names, delimiter)
  local best, columns, words
  for _, form in ipairs(forms) do
    local list, others, told = {}, {}, false
    for i, name in ipairs(names) do
      local is, tells_so, word = is_of(form, rows, i, delimiter)
      if is then list[#list + 1], others[#others + 1] = name, word end
      told = told or tells_so
    end
    if told and (not best or #list > #columns) then best, columns, words = form, list, others end
  end
  return best, columns, words
end

return number_forms
