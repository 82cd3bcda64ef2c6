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

--- Texts that hold records in another frame: the beginning of the text, what it is, and the command that takes the frame
--- away. FILE stands for the file, and < for a command that reads only its input.
local frames = {
  { "^\30%s*{", "JSON behind record separators (RFC 7464, journalctl -o json-seq)", "tr -d '\\036' < FILE >data.jsonl" },
  { "^data: ?{", "server-sent events", "sed -n 's/^data: *//p' FILE >data.jsonl" },
  { "^event: ?[^\n]*\ndata: ?{", "server-sent events", "sed -n 's/^data: *//p' FILE >data.jsonl" },
  { "^__CURSOR=[^\n]*\n__", "the journal's export format, with records of several lines",
    [[perl -e 'sub put { print "{", join(",", map { "\"$_\":" . (@{$h{$_}} > 1 ? "[" . join(",", @{$h{$_}}) . "]" : $h{$_}[0]) } sort keys %h), ]]
      .. [["}\n" if %h; %h = () } while (<>) { chomp; if ($_ eq "") { put(); next } ($k, $v) = split /=/, $_, 2; ]]
      .. [[if (!defined $v) { read ARGV, $n, 8; read ARGV, $v, unpack "Q<", $n; getc ARGV } ]]
      .. [[$bytes = "[" . join(",", unpack "C*", $v) . "]"; $text = $v; $is_text = utf8::decode($text); ]]
      .. [[$v =~ s/(["\\])/\\$1/g; $v =~ s/([\0-\37])/sprintf "\\u%04x", ord $1/ge; ]]
      .. [[push @{$h{$k}}, $is_text ? "\"$v\"" : $bytes } put()' FILE >data.jsonl]] },
  { "^%d%d%d%d%-%d%d%-%d%dT%S+ {\"[^\n]*}\n", "JSON behind a time", [[sed -E 's/^([^ ]+) \{/{"logged":"\1",/' FILE >data.jsonl]] },
  { "^%a[%w_.-]*[-_]%d+ +| [^\n]*\n%a[%w_.-]*[-_]%d+ +| ", "a log behind the names of containers (docker compose)",
    "sed -E 's/^[^|]*[|] ?//' FILE >data.log" },
  { "^[^%s,=]+,[^%s=,]+=%S+ [^%s=]+=[^\n]* %d%d%d%d%d%d%d%d%d%d+\n", "InfluxDB's line protocol",
    [[sed -E 's/^([^, ]+),/measurement=\1 /; s/ ([0-9]+)$/ time=\1/; s/,/ /g' FILE >data.logfmt]] },
}

--- Returns what frame the records of a text stand in, and what to do; nil if they have none.
local function framed(text, data)
  local before, after = M.printed(data)
  for _, frame in ipairs(frames) do
    if text:find(frame[1]) then
      local file = frame[3]:find("< FILE") and after:gsub("^ ", " <") or after
      return ("%s: convert it with %s%s"):format(frame[2], before, (frame[3]:gsub(" ?<? FILE", (file:gsub("%%", "%%%%")), 1)))
    end
  end
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
  local frame = framed(text, data)
  if frame then return frame end
  if text:find("\r[^\r\n]") and not text:find("\n.") then
    local before, after = M.printed(data)
    return ("its lines end in CR, and leat reads lines that end in LF or CR LF: convert it with %str '\\r' '\\n'%s >data.txt"):format(
      before, after:gsub("^ ", " <"))
  end
end

return M
