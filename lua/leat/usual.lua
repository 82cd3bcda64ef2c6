--- leat.usual: of paths of JSON that are a single value, an array or an object in some records and another of these in
--- others, the form that most have. A few texts among arrays are no others: each is one element.

local usual = {}

--- Each form in which a path shows its value: { path, kind of the form }. a[*].b says that a is an array ("["), that a[*]
--- is an object (".") and that a[*].b is a single value ("").
local function forms_of(path)
  local list = {}
  for at in path:gmatch("()[.[]") do
    if at > 1 and (path:sub(at, at) == "." or path:sub(at, at + 2) == "[*]") then
      list[#list + 1] = { path:sub(1, at - 1), path:sub(at, at) }
    end
  end
  list[#list + 1] = { path, "" }
  return list
end

--- Of each path and kind the column that most records have; and of each path the kinds, in the order in which they come.
local function most_of(columns)
  local most, kinds, paths = {}, {}, {}
  for _, c in ipairs(columns) do
    for _, form in ipairs(forms_of(c.name)) do
      local path, kind = form[1], form[2]
      if not most[path] then most[path], kinds[path], paths[#paths + 1] = {}, {}, path end
      if not most[path][kind] then table.insert(kinds[path], kind) end
      if not most[path][kind] or c.n > most[path][kind].n then most[path][kind] = c end
    end
  end
  return most, kinds, paths
end

--- The kind that most records have; of two alike one with several values.
local function kept_of(most, kinds)
  local kept = kinds[1]
  for _, kind in ipairs(kinds) do
    local n, best = most[kind].n, most[kept].n
    if n > best or n == best and kept == "" then kept = kind end
  end
  return kept
end

--- Columns { name = path, n = records } without those whose form fewer records have than another, in their order; and
--- { kept = column, out = column } for each form that is left out.
---@param columns table[]
---@return table[], table[]
function usual.of(columns)
  local most, kinds, paths = most_of(columns)
  local kept, mixed, list = {}, {}, {}
  for _, path in ipairs(paths) do
    kept[path] = kept_of(most[path], kinds[path])
    for _, kind in ipairs(kinds[path]) do
      if kind ~= kept[path] then mixed[#mixed + 1] = { kept = most[path][kept[path]], out = most[path][kind] } end
    end
  end
  for _, c in ipairs(columns) do
    local is_usual = true
    for _, form in ipairs(forms_of(c.name)) do is_usual = is_usual and kept[form[1]] == form[2] end
    if is_usual then list[#list + 1] = c end
  end
  return list, mixed
end

return usual
