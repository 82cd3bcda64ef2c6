--- leat.attributes: chooses columns that may explain something, from a sample of the whole of the files.
---
---   local attributes = require "leat.attributes"
---   local chosen = attributes.choose { data = args.data, without = { "amount" }, with = { "half" } }
---   elements.features { columns = chosen.columns, edges = chosen.edges, missing = chosen.missing }
---
--- The sample has up to 10,000 records of all places of the files (lua/leat/sampled.lua). It is the same in every run.
---
--- - A text is an attribute if it has two to 500 values, and at most half as many as records. So are the parents of paths,
---   addresses and dotted names (lua/leat/attribute_levels.lua).
--- - A number with more than 20 values has edges (lua/leat/attribute_edges.lua), with 2 values it is a text, and with
---   3 to 20 both.
--- - Of one column of times its month, weekday, hour and date are attributes (lua/leat/attribute_times.lua).
--- - An array of single values is a column, path[*], whose values are its elements.
---
--- Left out are times, record numbers, many numbers of a name such as user_id, and many whole numbers that are spread
--- evenly and tell nothing. So are numbers that follow those of the
--- question (rank correlation above 0.995) or measure the same by name (another delay), or follow another column with
--- fewer values but more than 5 (0.95), and paths of another type than in most records (lua/leat/flat.lua). If the question is about
--- missing values, so is a column that lacks them together with the question's.
---
--- Columns that look like the answer itself, or come after it (lua/leat/attribute_leaks.lua), are set apart. Of more
--- than 12 others those are taken that tell most of the labels of the sample (lua/leat/attribute_gain.lua). Columns that tell nothing, or all if the labels are not known
--- before the run, have this order: texts of at most 20 values, numbers of at most 5, and month, weekday and hour, by
--- their number of values; other numbers, as they stand; other texts, date, day and minute, by their number of values.
--- What was chosen is printed on standard error.
---
--- edges    'humid=60 80;delay=15': edges of columns, instead of those that are found; '' takes no numbers by edges
--- cross_edges
---          how many edges of a column are in pairs: 3, or fewer if more than 18 attributes and edges would be
--- missing_values
---          false: a missing value is no attribute; otherwise it is one if a column of the sample has some

local leat = require "leat"
local fix = require "leat.fix"
local logs = require "leat.logs"
local later = require "leat.later"
local thresholds = later "leat.attribute_edges"
local levels = later "leat.attribute_levels"
local gain = later "leat.attribute_gain"
local first_columns = later "leat.peek_columns"
local flat = later "leat.flat"
local labels = later "leat.sampled_labels"
local leaks = later "leat.attribute_leaks"
local measure = later "leat.peek_measure"
local numbers = later "leat.peek_numbers"
local ranks = later "leat.attribute_ranks"
local sampled = later "leat.sampled"
local times = later "leat.attribute_times"
local words = later "leat.name_words"
local args = leat.args

local attributes = {}

local MOST, FEW, FEWEST, MANY = 12, 20, 5, 500
local CUT = 3 -- fewest numbers that have edges
local ALONE = 60 -- most columns if there are no pairs
local PAIRED, CROSSED = 18, 3 -- attributes and edges to make pairs of, if possible; edges of one column in pairs
local IS_QUESTION, IS_OTHER, IS_MISSING = .995, .95, .8 -- from here a column follows another

--- Fails, and lists the columns of the input if they are known. `otherwise` is another way out.
local function fail(why, names, otherwise)
  names = names or args.columns and leat.list(args.columns)
  error(("attributes: %s. Name the columns to take: --set attributes=a,b,c%s%s"):format(why,
    names and #names > 0 and " (columns: " .. table.concat(names, ", ") .. ")" or "", otherwise or ""), 0)
end

local function set(list)
  local has = {}
  for _, name in ipairs(list or {}) do has[name] = true end
  return has
end

--- True if leat.sampled knows the form of the records.
local function is_known(format)
  return not args.pattern and (not format or format == "csv" or logs.names_values(format))
end

--- Returns what is known of the data: names, seen, rows, n; or nil, and the reason if it cannot be read.
local function look_at(data, format)
  if not logs.names_values(format) then return sampled.csv(data) end
  local look, why = sampled.named(data, format)
  if not look or (format ~= "json" and format ~= "otlp") or args.columns then return look, why end
  local columns, is_usual = {}, {}
  for i, name in ipairs(look.names) do columns[i] = { name = name, n = look.seen[i].n } end
  for _, c in ipairs((flat.usual(columns))) do is_usual[c.name] = true end
  for i, name in ipairs(look.names) do look.seen[i].unusual = not is_usual[name] end
  return look
end

--- Returns what is known of files (lua/leat/sampled.lua); nil if they can be read only once, or their form is not known.
---@param data string
---@param format string?
---@return table?
function attributes.look(data, format) return is_known(format) and look_at(data, format) or nil end

--- Returns the edges of --set, { "humid=60 80", … }, and the columns that have them.
local function given_edges()
  local list, is = {}, {}
  for entry in (args.edges or ""):gmatch("[^;]+") do
    entry = entry:match("^%s*(.-)%s*$")
    list[#list + 1], is[entry:match("^(.*)=") or entry] = entry ~= "" and entry or nil, true
  end
  return list, is
end

--- True if numbers are cut at edges that are chosen. A run that continues would choose others when its file has grown.
local function cuts_numbers() return args.edges ~= "" and not leat.continues end

--- True if values that are missing become attributes.
local function takes_missing() return leat.flag(args, "missing_values", true) end

local function is_list(c) return c.name:find("[*]", 1, true) ~= nil end

--- True if the numbers are those of the records: 1, 2, 3, …
local function is_counter(c) return c.numbers and c.values > FEW and c.values == c.n and c.falls == 0 end

--- Returns the reason why the values of a text, or of an array, cannot be attributes; nil if they can.
local function unfit_values(c)
  if c.values > c.n / 2 and c.values > 2 then return ("%d values in %d records"):format(c.values, c.n) end
  if c.values > MANY then return ("%d values"):format(c.values) end
end

--- Returns the reason why neither the values of a text nor their parents can be attributes; nil if they can.
local function unfit_text(c)
  local why = unfit_values(c)
  return why and (is_list(c) or not levels.of(c)) and why or nil
end

--- Returns the reason why a column cannot be an attribute; nil if it can. n is the number of records.
local function unfit(c, n)
  if c.unusual then return "another type in most records" end
  if c.values == 0 then return "no value" end
  if c.values == 1 and (c.n == n or not takes_missing()) then return "one value" end
  if measure.is_time(c) then return "a time" end
  if not c.numbers then return unfit_text(c) end
  if c.values > FEW and (is_list(c) or not cuts_numbers()) then return ("numbers, %d values"):format(c.values) end
  if c.values > FEW and first_columns.names_things(c.name) then return "an id" end
  if is_counter(c) then return "record numbers" end
end

local in_calendar = set { "month", "weekday", "hour" }
local in_day = set { "day", "minute", "second" }

--- Returns the most values that numbers of a category have.
local function few_of(c) return in_calendar[c.name] and 31 or FEW end

--- Returns a function that gives the value of a column in a row of a look; nil if it has none.
local function value_in(look, at)
  local missing = look.is_missing
  return function(row)
    local value = row[at]
    return not missing[value or ""] and value or nil
  end
end

--- Returns a column as a candidate: whether it is a category, its edges, and the class of its place among others.
local function candidate(look, at)
  local c = look.seen[at]
  local cuts = c.numbers and c.values >= CUT and not is_list(c) and cuts_numbers() and thresholds.of(c) or {}
  local few, value_of = c.numbers and FEWEST or FEW, value_in(look, at)
  local cut = not c.numbers and not is_list(c) and levels.of(c) or nil
  local is_category = not (cut and unfit_values(c))
  if c.numbers then is_category = c.values <= few_of(c) and (2 * c.values <= c.n or #cuts == 0) end
  local class = (c.values <= few or in_calendar[c.name]) and 1 or not c.numbers and 3 or in_day[c.name] and 4 or 2
  return {
    name = c.name, values = c.values, at = at, n = c.n, class = class, edges = #cuts > 0 and cuts or nil,
    is_category = is_category,
    is_list = is_list(c), value_of = value_of, levels = cut,
    parents_of = cut and function(row)
      local text = value_of(row)
      return text and cut.parents_of(text)
    end,
  }
end

--- Returns true if candidate a comes before b.
local function is_before(a, b)
  if a.told ~= b.told then return a.told > b.told end
  if a.class ~= b.class then return a.class < b.class end
  if a.class ~= 2 and a.values ~= b.values then return a.values < b.values end
  return a.at < b.at
end

--- Returns a function that gives the reason why a candidate follows a column of the question; nil if it does not.
local function follows_question(look, without, rank)
  local asks_missing = args.outlier and (args.outlier:find("missing") or args.outlier:find("nil") or args.outlier:find("coalesce"))
  return function(one)
    for i, name in ipairs(look.names) do
      local c = look.seen[i]
      if without[name] and name ~= args.time then
        if not asks_missing and one.edges and c.numbers and c.values > FEWEST and ranks.correlation(rank(one.at), rank(i)) > IS_QUESTION then
          return "follows " .. name
        end
        local word = not asks_missing and one.edges and c.numbers and words.shared(name, one.name)
        if word then return ("%s, like %s"):format(word, name) end
        if asks_missing and one.n < look.n and ranks.missing_together(look, one.at, i) > IS_MISSING then
          return "missing with " .. name
        end
      end
    end
  end
end

local WIDE = 100 -- most columns that another may follow, as each pair takes time
local WORK = 1e7 -- most numbers to compare for all pairs together

--- Returns the column that a candidate with edges follows, among others with fewer values; nil if there is none. Up to
--- five values are classes, which tell less than what they follow.
local function followed(one, others, rank, rows)
  if not one.edges then return nil end
  for k = 1, math.min(#others, WIDE, math.ceil(WORK / (#others * rows))) do
    local other = others[k]
    local fewer = other.values < one.values or other.values == one.values and other.at < one.at
    if other ~= one and other.edges and other.values > FEWEST and fewer and ranks.correlation(rank(one.at), rank(other.at)) > IS_OTHER then
      return other.name
    end
  end
end

local NEARLY = .95 -- share of numbers among the values of a column that is cut at edges

--- Returns the figures of a column without texts that are no numbers, if nearly all of its values are numbers: an edge
--- leaves such texts out.
local function without_words(c)
  local words, n = {}, 0
  for text, times in pairs(c.numbers and {} or c.had) do
    if not c.number[text] then words[#words + 1], n = text, n + times end
  end
  local rest = #words > 0 and n <= (1 - NEARLY) * c.n and first_columns.without(c, words)
  return rest and rest.values >= CUT and rest or c
end

--- Returns the candidates of a look, and calls out(name, why) for each other column.
local function candidates(look, without, taken, out)
  for i, c in ipairs(cuts_numbers() and look.seen or {}) do look.seen[i] = is_list(c) and c or without_words(c) end
  local found, rank = {}, ranks.of(look)
  local why_of = follows_question(look, without, rank)
  for i, name in ipairs(look.names) do
    local c = look.seen[i]
    local why = without[name] and "part of the question" or name == args.time and "a time" or unfit(c, look.n)
    local one = not why and not taken[name] and candidate(look, i)
    why = why or one and why_of(one)
    if why and not taken[name] then out(name, why) elseif one then found[#found + 1] = one end
  end
  local list = {}
  for _, one in ipairs(found) do
    local other = followed(one, found, rank, math.min(#look.rows, ranks.RECORDS))
    if other then out(one.name, "follows " .. other) else list[#list + 1] = one end
  end
  return list
end

--- Adds the parts of a column of times to the candidates. Returns the column.
local function add_parts(list, look, without)
  local time = times.column_of(look.seen, function(c)
    return measure.is_time(c) and not without[c.name] and not c.unusual and not is_list(c)
  end)
  for k, p in ipairs(time and times.parts_of(time, set(look.names)) or {}) do
    list[#list + 1] = { name = p.name, part = p.part, values = p.values, n = p.n, at = #look.names + k,
      class = p.part == "date" and 3 or 1, is_category = true, value_of = times.value_in(time, p.part, value_in(look, time.at)) }
  end
  return time
end

local UNLIKE = 100 -- most whole numbers that are no ids

--- True if a candidate tells nothing, and has many whole numbers that are spread evenly, as those of ids are.
local function is_id(one, c)
  return one.told == 0 and one.edges and c.values > UNLIKE and numbers.is_whole(c) and numbers.is_even(c)
end

--- Returns a function that says why a candidate looks like the answer itself, or comes after it; nil if it does not.
local function answer_of(look, question, list, known, without)
  local repeats, rank = question.repeats and question.repeats(look), ranks.of(look)
  local together, time_of = leaks.pairs(look, list, without, rank), leaks.times(look, known, without, rank)
  return function(one)
    return one.gives and ("gives it in %s of the records"):format(sampled.share(one.gives)) or repeats and repeats(one)
      or together[one.at] or time_of(one)
  end
end

--- Sets what each candidate tells of the labels of the sample. Takes those out of the list that look like the answer
--- itself, adds them to `others`, and returns them as texts. Labels of a run that continues would be others when its file has grown.
local function measured(list, look, question, without, out, others)
  local known = question and not leat.continues and labels.of(look, question)
  local one_by_one = known and gain.by(look, known)
  local rest, answers, why_of = {}, {}, one_by_one and answer_of(look, question, list, known, without)
  for _, one in ipairs(list) do
    one.told = 0
    if one_by_one then one_by_one(one) end
    local why = one_by_one and why_of(one)
    if one_by_one and is_id(one, look.seen[one.at]) then out(one.name, "numbers like those of ids")
    elseif why then
      answers[#answers + 1] = ("%s (%s)"):format(one.name, why)
      others[#others + 1] = one.name .. " (looks like the answer itself)"
    else rest[#rest + 1] = one end
  end
  return rest, answers
end

--- Returns the first candidates, as they stand in the files, and calls out(name, why) for the others.
local function first_of(list, most, out)
  table.sort(list, is_before)
  for i = most + 1, #list do
    out(list[i].name, ("%d others %s"):format(most, list[1].told > 0 and "tell more" or "come first"))
    list[i] = nil
  end
  table.sort(list, function(a, b) return a.at < b.at end)
  return list
end

--- Returns the entry of `levels` of a column of texts.
local function entry_of(one) return ("%s=%s"):format(one.name, one.levels.entry) end

--- Returns the candidates in the form of attributes.choose, without parts of times, which lua/leat/times.lua adds.
local function result(list, n)
  local edges, is_given = given_edges()
  local chosen = { columns = {}, edges = edges, levels = {}, missing = false, sampled_records = n }
  for _, one in ipairs(list) do
    if one.is_category and not one.part then table.insert(chosen.columns, one.name) end
    if one.levels then table.insert(chosen.levels, entry_of(one)) end
    if one.edges and not is_given[one.name] then table.insert(edges, ("%s=%s"):format(one.name, table.concat(one.edges, " "))) end
    chosen.missing = chosen.missing or one.n ~= nil and one.n < n
  end
  chosen.missing = chosen.missing and takes_missing()
  local room = (PAIRED - #chosen.columns) // math.max(1, #edges)
  chosen.cross_edges = #edges > 0 and (args.cross_edges or math.max(1, math.min(CROSSED, room))) or nil
  return chosen
end

--- Returns the names of the columns of edges.
local function cut_names(edges)
  local names = {}
  for i, entry in ipairs(edges) do names[i] = entry:match("^(.*)=") or entry end
  return names
end

local NAME, LEFT = 60, 8 -- bytes of a path, and columns left out, that are shown

--- Prints what was looked at, what was chosen (`numeric` are columns of numbers, taken as `what`), what looks like the answer
--- itself, what was left out, and of which texts parents are taken.
local function report(from, n, columns, numeric, what, answers, left_out, parents)
  local place = from.other and from.data .. " and " .. from.other or from.data
  if #place > NAME then place = "…" .. place:sub(-NAME):gsub("^[\x80-\xbf]+", "") end
  sampled.say(("attributes come from %s records across %s"):format(sampled.grouped(n), place))
  if #columns > 0 then sampled.say("attributes: " .. table.concat(columns, ", ")) end
  if #numeric > 0 then sampled.say(what .. ": " .. table.concat(numeric, ", ")) end
  if #answers > 0 then sampled.say("looks like the answer itself: " .. table.concat(answers, ", ")) end
  if #left_out > 0 then sampled.say("left out: " .. sampled.shown(left_out, LEFT)) end
  if #parents > 0 then sampled.say("with the parents of their texts: " .. table.concat(parents, ", ")) end
end

--- Returns the attributes that logs.list has for a log (lua/leat/logs.lua) that can be read only once.
local function of_log(log, from)
  local without, list = set(from.without), {}
  for _, names in ipairs { log.attributes, from.with or {} } do
    for _, name in ipairs(names) do
      if not without[name] then list[#list + 1] = name end
    end
  end
  sampled.say(("attributes of a log of format %s: %s"):format(log.format, table.concat(list, ", ")))
  return { columns = list, edges = (given_edges()), levels = {}, missing = false }
end

--- Returns what is known of a stream. Fails if nothing can be known.
local function known_of(from)
  local look, why
  if not is_known(from.format) then
    fail("they are chosen only for logs, csv, json and logfmt, and these records have another format")
  end
  if from.data then look, why = look_at(from.data, from.format) end
  if why then error(why, 0) end
  if not look then
    fail(("they are chosen from records all over the files, but %s gives each record only once"):format(
      not from.data and "a topic" or from.data == "-" and "standard input" or "a pipe"),
      nil, ", or choose them from files before: --thresholds >FILE, then --fix FILE")
  end
  if look.n < 2 then
    fail(("they are chosen from the records, but there %s"):format(look.n == 1 and "is only one" or "are no records"), look.names)
  end
  return look
end

--- Returns what is known of the data, or of it and from.other, whose records are told apart by from.question.
local function known(from)
  local look = known_of(from)
  if not from.other then return look end
  local both, sides = sampled.united(look, known_of { data = from.other, format = from.format })
  if #both.names == 0 then fail("the two streams have no column in common", look.names) end
  from.question = { known = sides }
  return both
end

--- Chooses columns, as attributes.choose describes.
local function choose(from)
  local log = not args.pattern and logs.of[from.format]
  if log and not (from.data and attributes.look(from.data, from.format)) then return of_log(log, from) end
  local look, without, left_out, others = known(from), set(from.without), {}, {}
  local function out(name, why)
    left_out[#left_out + 1] = ("%s (%s)"):format(name, why)
    others[#others + 1] = not without[name] and left_out[#left_out] or nil
  end
  local list = candidates(look, without, set(from.with), out)
  local time, answers = add_parts(list, look, without), nil
  list, answers = measured(list, look, from.question, without, out, others)
  local parts, names, parents = {}, {}, {}
  for _, one in ipairs(first_of(list, from.all and #list or from.alone and ALONE or MOST, out)) do
    if from.alone and one.edge then one.edges = { one.edges[one.edge] } end
    if one.part then parts[#parts + 1] = one end
    if one.is_category then names[#names + 1] = one.name end
    if one.levels then parents[#parents + 1] = one.name end
  end
  if time then times.take(time, parts) end
  local chosen = result(list, look.n)
  for _, name in ipairs(from.with or {}) do
    if not without[name] then names[#names + 1], chosen.columns[#chosen.columns + 1] = name, name end
  end
  attributes.left_out = others
  if #names + #chosen.edges + #parents == 0 then
    local only = #answers > 0 and ", but what looks like the answer itself: " .. table.concat(answers, ", ") or ""
    fail(("no column of %d records has values that may explain something%s"):format(look.n, only), look.names)
  end
  report(from, look.n, names, cut_names(chosen.edges), "by thresholds", answers, left_out, parents)
  return chosen
end

--- Returns named columns, as attributes.named describes.
local function named(names, from)
  local look = from.data and attributes.look(from.data, from.format)
  local list, by_name = {}, {}
  for i, c in ipairs(look and look.seen or {}) do by_name[c.name] = candidate(look, i) end
  for i, name in ipairs(names) do
    local one = by_name[name] or { name = name, is_category = true }
    local c = by_name[name] and look.seen[one.at]
    if c and (first_columns.names_things(name) or is_counter(c)) then one.edges = nil end
    if one.levels and one.levels.are_words then one.levels = nil end
    one.is_category = one.is_category or not one.edges or c.values <= MANY and not next(c.had):find("%.")
    list[i] = one
  end
  return result(list, look and look.n or 0)
end

--- Returns what make() chooses, or the choice of --set fix. `question` is what it depends on beside the settings of
--- this module.
local function shared(question, make)
  local of = { "filter", "derive", "time", "edges", "cross_edges", "missing_values" }
  for _, name in ipairs(of) do question[name] = args[name] end
  return fix.choice("attributes", question, make)
end

--- Chooses columns. from.data is the file, from.format json, logfmt or csv. from.without are the columns that define
--- the outliers, which from.question describes (lua/leat/sampled_labels.lua); from.with are always chosen. Returns columns, a list of names; edges, a list such as "humid=60 80"; levels, a list such as "path=/ 3"; and
--- missing, true if missing values are attributes. Parts of times go to --set time and time_parts. attributes.left_out
--- lists all other columns that were not chosen, with the reason. from.all takes all that may explain something. from.alone says that there are no pairs: then up to 60
--- columns are taken, and of each column of numbers the edge that tells most. from.other is a second stream to compare with.
---@param from table
---@return table
function attributes.choose(from)
  local asks = from.question or {}
  local chosen = shared({
    outlier = asks.condition, metric = asks.metric, without = from.without, with = from.with, all = from.all, alone = from.alone,
  }, function()
    local found = choose(from)
    found.left_out = attributes.left_out
    return found
  end)
  attributes.left_out = chosen.left_out
  fix.follows("attributes")
  return chosen
end

--- Returns named columns in the form of attributes.choose: numbers among them have edges, too, if the data is in files.
--- Numbers of more than 500 values, or with a fraction, are only cut. Texts of words are taken whole.
---@param names string[]
---@param from table
---@return table
function attributes.named(names, from)
  local chosen = shared({ attributes = names }, function() return named(names, from) end)
  if chosen.missing or #chosen.levels > 0 or #chosen.edges > 0 and not args.edges then fix.follows("edges") end
  return chosen
end

--- Returns the reason why a column cannot be a feature of a model; nil if it can.
local function unfit_feature(c, n)
  if not c.numbers or c.values <= FEW then return unfit(c, n) end
  if is_list(c) then return "numbers of a list" end
  if c.unusual then return "another type in most records" end
  if measure.is_time(c) then return "a time" end
  if first_columns.names_things(c.name) then return "an id" end
  if is_counter(c) then return "record numbers" end
end

local COPY = .99 -- rank correlation from which a column is a copy of the number to predict

--- Returns the candidates for features, as choose has them, and calls out(name, why) for each other column.
local function features_of(look, from, out)
  local list, without = {}, set(from.without)
  for i, name in ipairs(look.names) do
    local c = look.seen[i]
    local why = without[name] and "part of the question" or name == args.time and "a time" or unfit_feature(c, look.n)
    local one = not why and candidate(look, i)
    if one then
      if c.numbers then one.is_category = in_calendar[name] or is_list(c) end
      list[#list + 1] = one
    else out(name, why) end
  end
  return list
end

--- Takes the columns out of the list that follow the number to predict. Returns the rest, and the others as texts.
local function not_copies(list, look, target)
  local rank, rest, copies, at = ranks.of(look), {}, {}, nil
  for i, name in ipairs(look.names) do at = name == target and i or at end
  for _, one in ipairs(list) do
    local follows = at and not one.part and look.seen[one.at].numbers and look.seen[at].numbers
      and ranks.correlation(rank(one.at), rank(at)) or 0
    if follows > COPY then copies[#copies + 1] = ("%s (in the order of %s)"):format(one.name, target)
    else rest[#rest + 1] = one end
  end
  return rest, copies
end

--- Chooses features to learn from, as attributes.features describes: { texts, numbers, levels }.
local function features(from)
  if not from.data or not attributes.look(from.data, from.format) then return nil end
  local look, left_out = known(from), {}
  local function out(name, why) left_out[#left_out + 1] = ("%s (%s)"):format(name, why) end
  local list, answers = features_of(look, from, out), nil
  local time = add_parts(list, look, set(from.without))
  if from.target then list, answers = not_copies(list, look, from.target)
  else list, answers = measured(list, look, from.question, set(from.without), out, {}) end
  local parts, names, texts, numeric, parents, entries = {}, {}, {}, {}, {}, {}
  for _, one in ipairs(list) do
    if one.part and one.part ~= "date" then parts[#parts + 1] = one end
    if one.levels then parents[#parents + 1], entries[#entries + 1] = one.name, entry_of(one) end
    if one.part ~= "date" and (one.is_category or not one.levels) then table.insert(one.is_category and names or numeric, one.name) end
    if one.is_category and not one.part then texts[#texts + 1] = one.name end
  end
  if time then times.take(time, parts) end
  for _, name in ipairs(from.with or {}) do names[#names + 1], texts[#texts + 1] = name, name end
  report(from, look.n, names, numeric, "numbers", answers, left_out, parents)
  return { texts = #texts > 0 and texts or nil, numbers = #numeric > 0 and numeric or nil, levels = #entries > 0 and entries or nil }
end

--- Chooses features to learn from: from.data, from.format, from.without and from.with as for choose. from.question is that
--- of classes; from.target is the number to predict instead. Returns the names of texts, those of numbers, and levels as
--- choose has them; nil if the records can be read only once. Of a column of times its month, weekday and hour are features.
---@param from table
---@return string[]?, string[]?, string[]?
function attributes.features(from)
  local asks = from.question
  local chosen = shared({
    label = asks.column, positive = asks.positive, target = from.target, without = from.without, with = from.with,
  }, function() return features(from) end)
  if not chosen then return nil end
  fix.follows("features")
  return chosen.texts, chosen.numbers, chosen.levels
end

return attributes
