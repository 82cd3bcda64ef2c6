--- leat.kinds: recognises files without readable records by their first bytes, and says what to do with them.

local kinds = {}

--- Pattern of a file's beginning, the kind of file, and advice how to make text of it. The file's name replaces FILE.
local signs = {
  { "^PAR1", "a Parquet file", [[write it as CSV first: duckdb -c "COPY (SELECT * FROM 'FILE') TO 'data.csv'"]] },
  { "^ORC", "an ORC file", "write it as CSV or JSON Lines first, such as with Spark or orc-contents FILE" },
  { "^ARROW1", "an Arrow file", "write it as CSV first, such as with pandas.read_feather" },
  { "^Obj\1", "an Avro object container", "write one object per line first: java -jar avro-tools.jar tojson FILE >data.jsonl" },
  { "^SQLite format 3%z", "an SQLite database", "write a table as CSV first: sqlite3 -csv -header FILE 'SELECT * FROM …' >data.csv" },
  { "^\x89HDF", "an HDF5 file", "write one of its tables as CSV first, such as with pandas.read_hdf" },
  { "^PK[\3\5][\4\6]", "a ZIP archive, such as .xlsx and .ods", "unpack one file: unzip -p FILE | leat peek -; save a spreadsheet as CSV in its program" },
  { "^\xd0\xcf\x11\xe0", "an old Office document", "save it as CSV in its program" },
  { "^7z\xbc\xaf", "a 7-Zip archive", "unpack one file: 7z x -so FILE | leat peek -" },
  { "^Rar!", "a RAR archive", "unpack it first: unrar x FILE" },
  { "^%%PDF%-", "a PDF document", "convert it to text first: pdftotext -layout FILE" },
  { "^\x89PNG", "a PNG image" },
  { "^\xff\xd8\xff", "a JPEG image" },
  { "^GIF8[79]a", "a GIF image" },
  { "^\x7fELF", "a program" },
  { "^\xd4\xc3\xb2\xa1", "a capture of packets", "read it with leat.source.pcap" },
  { "^\xa1\xb2\xc3\xd4", "a capture of packets", "read it with leat.source.pcap" },
  { "^\n\r?\r\n.?.?.?.?\x4d\x3c\x2b\x1a", "a capture of packets (pcapng)", "read it with leat.source.pcap" },
}
for _, packed in ipairs { { "gzip", "^\31\139", "gzip" }, { "bzip2", "^BZh%d1AY", "bzip2" }, { "xz", "^\xfd7zXZ", "xz" },
  { "zstd", "^\x28\xb5\x2f\xfd", "zstd" }, { "LZ4", "^\4\x22\x4d\x18", "lz4" } } do
  signs[#signs + 1] = { packed[2], packed[1] .. " inside another compression", ("it is compressed twice: unpack it once, with %s -dc, into another file"):format(packed[3]) }
end

local PART = 4096 -- bytes that show other binary data

--- True if more than a thirtieth of a text are control characters, and it is not UTF-8.
local function is_binary(text)
  local part = text:sub(1, PART)
  local controls = select(2, part:gsub("[%z\1-\8\14-\26\28-\31\127]", ""))
  local length, wrong = utf8.len(part)
  return 30 * controls > #part and not length and wrong < #part - 3
end

--- Returns the kind of a file with these first bytes, and advice; nil if the bytes may be text.
---@param bytes string
---@param path string quoted for the shell
---@param wide boolean the bytes may be text in UTF-16
---@return string?
function kinds.of(bytes, path, wide)
  for _, sign in ipairs(signs) do
    if bytes:find(sign[1]) then
      local file = path:gsub("%%", "%%%%")
      return ("%s: %s"):format(sign[2], sign[3] and sign[3]:gsub("FILE", file) or "it holds no records")
    end
  end
  if bytes:sub(258, 262) == "ustar" then
    return ("a tar archive: read one file in it: tar -xOf %s NAME | leat peek -"):format(path)
  end
  if not wide and is_binary(bytes) then return "binary data of an unknown kind: leat reads text; if this is text, give its format" end
end

return kinds
