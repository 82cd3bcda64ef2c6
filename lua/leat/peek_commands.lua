--- Commands that `leat peek` proposes (lua/leat/peek.lua), quoted for the shell.

local leat = require "leat"
local topics = require "leat.topics"
local args = leat.args

local M = {
  encoding = nil, -- encoding of the text, if peek found it
  proposed = nil, -- the commands that peek proposes
}

--- Names of the pipelines, by what they answer.
local scripts = {
  explain = "explain", deltoids = "deltoids", predict = "predict", classify = "classify", ratings = "ratings", pmi = "pmi",
}

function M.quoted(text)
  return text:find("^[%w%./_,:=@+-]+$") and text or "'" .. text:gsub("'", "'\\''") .. "'"
end

local function content(path)
  local file = io.open(path)
  local text = file and file:read("a")
  if file then file:close() end
  return text
end

--- Returns a path without "x/..".
local function short(path)
  local before
  repeat
    before = path
    path = path:gsub("[^/]+/%.%./", function(pair) return pair ~= "../../" and "" or nil end, 1)
  until path == before
  return path
end

--- Returns a path relative to the current folder.
local function from_here(path)
  local here = (os.getenv("PWD") or "") .. "/"
  return path:sub(1, #here) == here and path:sub(#here + 1) or path
end

--- Returns the folder of the pipelines: here, or next to this module. If a link leads to its folder, it tries the
--- folders above for a path without "..".
local function pipelines()
  if content("pipelines/explain.lua") then return "pipelines" end
  local long = leat.dir .. "/../../pipelines"
  local script, folder = content(long .. "/explain.lua"), short(leat.dir)
  while script and folder ~= "" do
    if content(folder .. "/pipelines/explain.lua") == script then return from_here(folder .. "/pipelines") end
    folder = folder:match("^(.*)/[^/]*$") or ""
  end
  return long
end

--- Returns the command that answers a kind of question about this data. `more` are settings.
---@param kind string a key of `scripts`
---@param more string[]
function M.on_data(kind, more)
  local script = ("%s/%s.lua"):format(pipelines(), scripts[kind])
  local words = { "leat run " .. M.quoted(script) }
  for _, pair in ipairs(args.brokers and topics.arguments() or { "data=" .. args.data }) do
    words[#words + 1] = "--set " .. M.quoted(pair)
  end
  if M.encoding then words[#words + 1] = "--set encoding=" .. M.encoding end
  for _, pair in ipairs(more) do words[#words + 1] = "--set " .. M.quoted(pair) end
  return table.concat(words, " ")
end

--- Copies settings of --set that change how records are read to `given`, unless it has them already.
function M.carry(given, keys)
  local has = {}
  for _, pair in ipairs(given) do has[pair:match("^[^=]*")] = true end
  for _, key in ipairs(keys) do
    if args[key] and not has[key] then given[#given + 1] = key .. "=" .. args[key] end
  end
end

return M
