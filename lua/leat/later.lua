--- leat.later: a module that is read when a function of it is first needed. Most runs do not look at files before they
--- start, and to read what they would look with takes longer than the rest of their start.
---
---   local later = require "leat.later"
---   local sampled = later "leat.sampled"

--- Returns a table that has the fields of a module.
---@param name string
---@return table
return function(name)
  return setmetatable({}, { __index = function(fields, key)
    local value = require(name)[key]
    fields[key] = value
    return value
  end })
end
