--- leat.name_words: what a column's name says about it, by tables of words with weights. lua/leat/peek_measure.lua and
--- lua/leat/ratings.lua use it.
---
--- A positive weight suggests a measure, whose large values somebody asks about. A negative one suggests a number that
--- identifies, counts positions, or tells a time. The last word of a name counts most: delay_code is a code.

local M = {}

--- Returns a table from each word to the weight of its row. A row is { weight, words }.
local function weighted(rows)
  local weights = {}
  for _, row in ipairs(rows) do
    for word in row[2]:gmatch("%S+") do weights[word] = row[1] end
  end
  return weights
end

--- Words of measures and of other numbers.
local of_numbers = weighted {
  { 3, "delay cost price amount gross revenue income salary wage earnings sales profit loss rating score latency duration damage fare "
    .. "charge payment spend spent expenditure turnover" },
  { 2.5, "dollar usd eur euro money budget fee tip premium balance error failure claim fatality death killed injured "
    .. "crime emission violation bill" },
  { 2, "total value ms millis seconds secs bytes kb mb visib visibility goal point hr homeruns gust yield output "
    .. "consumption demand evaluation grade stars satisfaction size result deaths views clicks downloads likes mpg pay "
    .. "debt worth tax concentration growth" },
  { 1, "count quantity qty votes speed rate weight distance length elapsed hits visits wins runs temp temperature pressure rain "
    .. "precip precipitation humid humidity percent pct share load usage hours days minutes volume power cases" },
  { -1, "age time width height depth lag left right class level group" },
  { -2, "rank position pos order index idx seq sequence line page row step stint rownames version lat lon lng latitude "
    .. "longitude x y z round quarter block trial subject sex gender angle dir direction" },
  { -3, "id ids uid pid no nr num number key code year yr month day hour minute second week weekday date dob born flight "
    .. "zip zipcode postcode phone port ssn isbn timestamp ts epoch" },
}

--- Words of columns whose texts, or 0 and 1, are results.
local of_classes = weighted {
  { 3, "status result outcome label target churn churned fraud spam failed failure fail success error survived survival "
    .. "default defaulted response diagnosis cancelled canceled severity verdict decision approved accepted admitted "
    .. "converted purchased died dead death damage event" },
  { 2, "kind class category grade late returned clicked won win winner admit y" },
  { 1, "type level reason risk" },
  { -1.5, "name title host server user customer client product item method team sex gender race lg league origin dest city "
    .. "state country region month day weekday year quarter season week hour date code group block subject age rownames stint" },
}

--- Words of users, of items and of what users say about items (pipelines/rate.lua).
local roles = {
  user = weighted { { 1, "user users userid uid customer customerid member person reviewer rater author client visitor student "
    .. "judge respondent" } },
  item = weighted { { 1, "item items itemid movie movieid film book product productid article song track artist restaurant "
    .. "business hotel app course lecturer recipe joke isbn asin sku" } },
  rating = weighted { { 1, "rating ratings score stars star grade vote" } },
}

--- Values of a result that stand for what went wrong (2), for what somebody may wait for (1), and for all that is well (-1).
local of_values = weighted {
  { 2, "error fail failed failure fraud spam dead died killed fatal cancelled canceled rejected churned critical severe malignant" },
  { 1, "yes true y churn late lost loss default defaulted bad fired dismissed terminated positive returned warn warning" },
  { -1, "ok no none false n success succeeded good normal healthy negative benign ham active alive open info" },
}

--- Returns the words of a name, in lower case: { "arr", "delay" } for ArrDelay, arr_delay and flight.arrDelay.
---@param name string
function M.of(name)
  local words = {}
  local last = name:match("([^%.]+)$") or name
  for word in last:gsub("(%l)(%u)", "%1 %2"):gsub("(%u)(%u%l)", "%1 %2"):lower():gmatch("%a[%a%d]*") do words[#words + 1] = word end
  return words
end

local CALENDAR = { year = true, month = true, day = true, hour = true, minute = true, second = true, week = true, time = true }

--- Returns the weight of a word in a table: its own, that of its singular, or that of a word of four letters or more at
--- its end.
local function weight_of(word, weights)
  if weights[word] then return weights[word] end
  local single = word:match("^(.+)s$")
  if single and weights[single] and not CALENDAR[single] then return weights[single] end
  for at = 2, #word - 3 do
    local weight = weights[word:sub(at)] or weights[word:sub(at):match("^(.+)s$") or ""]
    if weight then return weight end
  end
end

--- Returns the weight of a name: that of its last known word, and a half of that of the others.
local function weight(name, weights)
  local words, sum, last = M.of(name), 0, nil
  for i = #words, 1, -1 do
    local one = weight_of(words[i], weights)
    if one and not last then
      last, sum = i, one * (i == #words and 1 or 0.75)
    elseif one then
      sum = sum + one / 2
    end
  end
  return sum
end

--- True if a name begins as names of counts do: number_of_cds, num_votes, n_items.
local function counts(name)
  local words = M.of(name)
  return #words > 1 and (words[1] == "number" and words[2] == "of" or words[1] == "num" or words[1] == "n")
end

--- Returns how much a name suggests a measure.
---@param name string
function M.measure(name) return counts(name) and 0.5 or weight(name, of_numbers) end

--- Returns a word of a measure that two names share: delay of arr_delay and depDelay; nil if there is none.
---@param a string
---@param b string
function M.shared(a, b)
  for _, word in ipairs(M.of(a)) do
    if (weight_of(word, of_numbers) or 0) >= 2 and M.has(b, word) then return word end
  end
end

--- Returns how much a name suggests a result with few values.
---@param name string
function M.class(name) return weight(name, of_classes) end

--- True if a word of the name is in the list.
---@param name string
---@param list string words between blanks
function M.has(name, list)
  for _, word in ipairs(M.of(name)) do
    if (" " .. list .. " "):find(" " .. word .. " ", 1, true) then return true end
  end
  return false
end

--- True if a name suggests a user, an item or a rating.
---@param name string
---@param role string
function M.plays(name, role)
  for _, word in ipairs(M.of(name)) do
    if weight_of(word, roles[role]) then return true end
  end
  return false
end

--- Returns how much a value of a result is worth a question: more than 0 if it names what went wrong, or what somebody
--- may wait for, and less than 0 if it names what is well.
---@param value string
function M.value(value) return of_values[value:lower()] or 0 end

return M
