--- leat.conversions: files whose records are not on lines of their own, and the commands that convert them.

local M = {}

--- Returns a text as one word of the shell.
---@param text string
---@return string
function M.quoted(text)
  return text:find("^[%w%./_,:=@+-]+$") and text or "'" .. text:gsub("'", "'\\''") .. "'"
end

--- Commands that print a compressed file.
local programs = { gz = "zcat", bz2 = "bzcat", xz = "xzcat", zst = "zstdcat", lz4 = "lz4cat" }

--- Returns the words before and after a command that reads a file: nothing and its name, or, if the file is compressed,
--- a program that unpacks it and nothing.
---@param data string
---@return string before, string after
function M.printed(data)
  local program = programs[data:match("%.(%w+)$")]
  return program and program .. " " .. M.quoted(data) .. " | " or "", program and "" or " " .. M.quoted(data)
end

--- Returns the command that writes each object that jq finds on its own line.
---@param found string
---@param data string
---@return string
function M.with_jq(found, data)
  local before, after = M.printed(data)
  return ("%sjq -c %s%s >data.jsonl"):format(before, M.quoted(found), after)
end

--- Returns why the text of a file has no lines of records, and what to do; nil if it may have them. Line ends within one
--- record are no line ends of records, so a carriage return counts only if there are no others.
---@param text string
---@param data string
---@return string?
function M.needed(text, data)
  if text:find("^%s*%[%s*{") then
    return ("a JSON array: leat reads one object per line: convert it with %s"):format(M.with_jq(".[]", data))
  end
  if text:find("\r[^\r\n]") and not text:find("\n.") then
    local before, after = M.printed(data)
    return ("its lines end in CR, and leat reads lines that end in LF or CR LF: convert it with %str '\\r' '\\n'%s >data.txt"):format(
      before, after:gsub("^ ", " <"))
  end
end

return M
