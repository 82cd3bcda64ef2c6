--- leat.lru: a table of at most `max` entries, for functions in the stream that remember something for each key. A new
--- entry replaces the least recently used one.
---
---   local lru = require "leat.lru"
---   local seen = lru.new(100000)
---   leat.map(function(user)
---     local n = (lru.get(seen, user) or 0) + 1
---     lru.put(seen, user, n)
---     return n
---   end, { "user" }, { "n:number" }, { state = "seen" })
---
--- With a time, lru.new(100000, 3600), entries that were not used for that long expire. Then call lru.at(seen, seconds)
--- before the other functions, with a column of seconds or any other growing number.
---
--- It is plain data, so a snapshot holds it if `state` names it. It has `seen.n` entries; `seen.forgotten` were
--- replaced, `seen.expired` have expired. The time of a call does not depend on the number of entries; lru.at takes
--- that time for each expired entry.
---
---   entry      1      2      3           slot["bob"] = 2, key[2] = "bob", value[2] = …
---   newer      3      1      0           2 -> 1 -> 3: bob is the least recently used
---   older      2      0      1
local lru = {}

---@param max integer entries
---@param idle? number an entry expires after this time without use; in the unit of lru.at
function lru.new(max, idle)
  local whole = math.tointeger(max)
  if not whole or whole < 1 then error("lru.new: " .. tostring(max) .. " is not a number of entries: it must be 1 or more", 2) end
  if idle and not (tonumber(idle) and idle > 0) then error("lru.new: " .. tostring(idle) .. " is not a time: it must be above 0", 2) end
  return {
    max = whole, idle = idle, n = 0, forgotten = 0, expired = 0, oldest = 0, newest = 0,
    slot = {}, key = {}, value = {}, older = {}, newer = {}, used = {},
  }
end

--- Makes `older` and `newer` neighbours in the order of use; 0 is an end of the order.
local function join(t, older, newer)
  if older == 0 then t.oldest = newer else t.newer[older] = newer end
  if newer == 0 then t.newest = older else t.older[newer] = older end
end

local function take_out(t, i) join(t, t.older[i], t.newer[i]) end

local function use(t, i)
  join(t, t.newest, i)
  join(t, i, 0)
  t.used[i] = t.now
end

--- Returns the value of a key, which is now the most recently used; nil if it is missing.
function lru.get(t, key)
  local i = t.slot[key]
  if not i then return nil end
  take_out(t, i)
  use(t, i)
  return t.value[i]
end

--- Moves the last entry, `from`, to place `to`.
local function move(t, from, to)
  t.key[to], t.value[to], t.used[to] = t.key[from], t.value[from], t.used[from]
  t.slot[t.key[to]] = to
  join(t, t.older[from], to)
  join(t, to, t.newer[from])
end

local function clear(t, i) t.key[i], t.value[i], t.older[i], t.newer[i], t.used[i] = nil, nil, nil, nil, nil end

--- Removes a key. Returns its value; nil if it was missing.
function lru.remove(t, key)
  local i = t.slot[key]
  if not i then return nil end
  local value = t.value[i]
  take_out(t, i)
  t.slot[key] = nil
  if i ~= t.n then move(t, t.n, i) end
  clear(t, t.n)
  t.n = t.n - 1
  return value
end

--- Sets the time of later uses, and removes entries that were not used for longer than `idle`. Time never goes back: an
--- earlier time counts as the latest one.
---@param now number
function lru.at(t, now)
  if now ~= now then error("lru.at: the time must not be nan", 2) end
  t.now = math.max(t.now or now, now)
  while t.n > 0 and (t.used[t.oldest] or t.now) < t.now - (t.idle or math.huge) do
    t.expired = t.expired + 1
    lru.remove(t, t.key[t.oldest])
  end
end

--- Returns the entry for a new key, and the key and value that it replaces.
local function new_entry(t)
  if t.n < t.max then
    t.n = t.n + 1
    return t.n
  end
  local i = t.oldest
  take_out(t, i)
  t.slot[t.key[i]] = nil
  t.forgotten = t.forgotten + 1
  return i, t.key[i], t.value[i]
end

--- Sets the value of a key, which is now the most recently used; nil removes it. Returns the replaced key and value, if
--- any.
function lru.put(t, key, value)
  if key == nil or key ~= key then error("lru.put: the key must not be " .. tostring(key), 2) end
  if value == nil then
    lru.remove(t, key)
    return nil
  end
  if lru.get(t, key) ~= nil then
    t.value[t.newest] = value
    return nil
  end
  local i, gone, what = new_entry(t)
  t.slot[key], t.key[i], t.value[i] = i, key, value
  use(t, i)
  return gone, what
end

--- Iterates over keys and values, most recently used first. The loop must not change the table.
function lru.pairs(t)
  local i = t.newest
  return function()
    local at = i
    if at == 0 then return nil end
    i = t.older[at]
    return t.key[at], t.value[at]
  end
end

return lru
