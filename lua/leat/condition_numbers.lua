--- leat.condition_numbers: how expressions from the command line read the numbers that Lua would not: those of a file with
--- a decimal comma, and whole ones beyond 2^53.
---
---   numbers.written(",", ".")     the numbers of the file are as 1.188,02
---   numbers.check(token, fail)    refuses a constant that would be another number
---   numbers.readers()             functions for the text of an expression

local numbers = {}

local EXACT = 1 << 53 -- doubles have all whole numbers up to here

local decimal, thousands = ".", nil

--- How the numbers of the file are written; nil: as Lua has them.
---@param point string?
---@param group string?
function numbers.written(point, group)
  decimal, thousands = point or ".", group
end

--- Are they written otherwise than in Lua?
function numbers.are_grouped() return decimal ~= "." or thousands ~= nil end

--- Is a constant a number beyond those of which a double has all whole ones? Such are compared as integers.
---@param constant string
function numbers.is_large(constant)
  local n = tonumber(constant)
  return n ~= nil and (n >= EXACT or n <= -EXACT)
end

--- The digits of a whole number that is written with a point or an exponent, and is below 2^63; "": of none. nil: it is larger.
local function digits_of(constant)
  local whole, fraction, power = constant:match("^(%d*)%.?(%d*)[eE]?([+-]?%d*)$")
  if not whole or tonumber(constant) >= 2.0 ^ 63 then return nil end
  local digits, shift = whole .. fraction, (tonumber(power) or 0) - #fraction
  if shift >= 0 then return ((digits .. ("0"):rep(shift)):gsub("^0+", "")) end
  if digits:sub(shift):find("[1-9]") then return "" end
  return (digits:sub(1, shift - 1):gsub("^0+", ""))
end

--- A constant that Lua takes for another number than it says: fail(why).
---@param constant string
---@param fail function
function numbers.check(constant, fail)
  if thousands == "." and constant:find("^[1-9]%d?%d?%.%d%d%d") and not constant:gsub("%.%d%d%d", ""):find("%D") then
    fail(("%s has a decimal point in an expression: write %s, or %s0 for the fraction"):format(constant,
      (constant:gsub("%.", "")), constant))
  end
  local n = tonumber(constant)
  if math.type(n) == "float" and numbers.is_large(constant) and n < 2.0 ^ 63 then
    local digits, as_number = digits_of(constant), ("%.0f"):format(n)
    if digits and digits ~= as_number then
      fail(("%s would be %s here: write %s"):format(constant, as_number,
        digits ~= "" and digits .. ", without a point or an exponent" or "a whole number"))
    end
  end
  local digits = constant:match("^0*(%d+)$")
  local as_number = digits and not math.tointeger(n) and ("%.0f"):format(n)
  if as_number and as_number ~= digits then
    fail(("%s is too large for a number: the nearest is %s: compare texts, as in id == \"%s\""):format(constant, as_number,
      constant))
  end
end

--- What a text with a comma between digits meant, 5.000,5 or 5,000; nil: there is none.
---@param text string
function numbers.meant(text)
  local written = text:match("%f[%d]%d[%d.]*,%d[%d,]*%.?%d*")
  if not written then return nil end
  local grouped = thousands == "," or decimal == "." and not thousands and not written:gsub(",%d%d%d", ""):find(",")
  local plain = grouped and written:gsub(",", "") or written:gsub("%.", ""):gsub(",", ".")
  return ("%s is written %s in an expression"):format(written, plain)
end

--- The number that a text is in the file; nil: it is none.
local function reader()
  local point, group = decimal, thousands
  local blanks, apostrophe = group == " ", group == "'"
  local quoted = group and "%" .. group
  return function(text)
    text = text:match("^%s*(.-)%s*$")
    if blanks then text = text:gsub("\u{a0}", " "):gsub("\u{202f}", " ") end
    if apostrophe then text = text:gsub("\u{2019}", "'") end
    local sign, whole, fraction = text:match("^([+-]?)([^,eE]*)([,eE]?[%deE+-]*)$")
    if point == "." then sign, whole, fraction = text:match("^([+-]?)([^.eE]*)([.eE]?[%deE+-]*)$") end
    if not whole then return nil end
    if quoted and whole:find(quoted) then
      local head, digits, groups = whole:match("^%d*"), whole:gsub(quoted .. "(%d%d%d)", "%1")
      if head == "" or #head > 3 or #digits ~= #head + 3 * groups then return nil end
      whole = digits
    end
    if whole:find("%D") then return nil end
    return tonumber(sign .. whole .. fraction:gsub("^,", "."))
  end
end

--- Functions that an expression calls. column: tonumber of a column. text: tonumber of what the expression has made of one.
--- exact: a column that is compared with a large constant, nil where it has no value.
function numbers.readers()
  local grouped = numbers.are_grouped()
  local read = grouped and reader() or tonumber
  local function column(value)
    if type(value) ~= "string" then return value end
    return read(value)
  end
  local function text(value, base)
    if base or not grouped or type(value) ~= "string" then return tonumber(value, base) end
    local as_file, as_lua = read(value), tonumber(value)
    if as_file and as_lua and as_file ~= as_lua then
      error(("tonumber('%s') is %s by the thousands of the file, and %s in Lua: take them out by gsub(\"%%.\", \"\"), or add 0 "
        .. "for the fraction"):format(value, as_file, as_lua), 0)
    end
    return as_file or as_lua
  end
  local function exact(value)
    if type(value) ~= "string" then return value end
    local number = read(value)
    if not number and value:find("%S") then error(("'%s' is not a number"):format(value), 0) end
    return number
  end
  return { column = column, text = text, exact = exact }
end

return numbers
