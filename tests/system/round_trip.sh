# What is written is read: the same records with the same values, whatever is in them.
#
# The sinks write JSON, CSV and TSV; jq writes logfmt and MySQL's CSV, and awk libsvm, libffm and VW. Texts have
# delimiters, quotes, line ends, backslashes and zero bytes; numbers are at the limits of their types. The oracle is jq
# on what went in. An empty text of CSV and TSV is no value (parse.csv).
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >there.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local names = { table.unpack({ "x", "y", "z" }, 1, tonumber(a.n)) }
local named = a.from == "jsonl" or a.from == "logfmt"
local kind = ({ jsonl = "json", backslash = "csv" })[a.from] or a.from
local parse = leat.parse[kind] { columns = named and names or nil, escapes = a.from == "backslash" and a.from or nil }
return leat.pipeline "there" { leat.source.file { a.input }, parse, leat.sink.file { path = a.out, format = a.to, columns = names },
  max_reject_ratio = 1 }
LUA
go() { leat_run run there.lua --quiet --set n="$1" --set from="$2" --set input="$3" --set to="$4" --set out="$5"; }
# records SEED N: 200 lines of JSON with N members
records() {
    awk -v seed="$1" -v n="$2" 'function text(t, k) {
        if (rand() < .3) return "null"
        for (k = rand() < .02 ? 900 : int(rand() * 4); k > 0; k--) t = t piece[int(rand() * np) + 1]
        return "\"" t "\"" }
    BEGIN { srand(seed); np = split("a , ; \\\" \\\\ \\n \\t \\r \\u0000 é 0 NA \\\\N # ∅ \\u0020 = | : ~ \\u001b \\u007f 😀", piece, " ")
        split("x y z", name, " ")
        for (i = 0; i < 200; i++) { line = ""
            for (j = 1; j <= n; j++) line = line (j > 1 ? "," : "") "\"" name[j] "\":" text()
            print "{" line "}" } }'
}
# writes FORMAT N: in.jsonl as out.FORMAT. Each line of logfmt has one more key, as a line without keys is left out.
# backslash: CSV as MySQL writes it.
writes() {
    case $1 in
        logfmt) jq -r 'to_entries | map(select(.value != null) | "\(.key)=\(.value | tojson)") + ["end=1"] | join(" ")' in.jsonl ;;
        backslash)
            jq -rs '(.[0] | keys | join(",")), (.[] | map(if . == null then "\\N"
                else "\"" + gsub("(?<c>[\\\\\"\n])"; "\\\(.c)") + "\"" end) | join(","))' in.jsonl
            ;;
        *) go "$2" jsonl in.jsonl "$1" "out.$1" ;;
    esac >"out.$1.tmp"
    [[ ! -s out.$1.tmp ]] || mv "out.$1.tmp" "out.$1"
}
# The sinks that write columns of records, and the formats of each, as the stages' tables have them. A format "table" is
# that of a report.
leat_run plugins --json
jq -r '.[] | select(.kind == "sink" and (.needs | length > 0)) | .name as $name | (.params | map(.name)) as $has
    | select(($has | index("columns")) and ($has | index("path", "command")))
    | .params[] | select(.name == "format").choices | select(index("table") | not)[] | select(. != "raw")
    | "\($name) \(.)"' "$out" >formats
claim "sink.file is one of them" grep -q '^sink.file csv$' formats
for format in $(sed -n 's/^sink.file //p' formats) logfmt backslash; do
    empty=null
    [[ $format == ?sv || $format == backslash ]] || empty='""'
    for n in 1 2 3; do
        records "$((n * 7 + ${SEED:-1}))" "$n" >in.jsonl
        jq -c "map_values(if . == \"\" then $empty else . end)" in.jsonl >wanted
        writes "$format" "$n"
        go "$n" "$format" "out.$format" jsonl back.jsonl
        claim_exit "$format of $n columns is read" 0
        jq -c . back.jsonl >found
        claim "$format of $n columns: what went in comes back" diff wanted found
    done
done

# Each sink in each format.
cat >sinks.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local kind = a.stage:match("%.(.*)")
local to = kind == "command" and "command" or "path"
local sink = leat.sink[kind] { [to] = to == "command" and "cat >sunk" or "sunk", format = a.format, columns = { "x", "y" } }
local learns = kind == "predictions" and { leat.label.where { "coalesce(x, 'b') > 'a'" }, leat.feature.columns { "y" }, leat.learn.logistic {} }
return leat.pipeline "sinks" { leat.source.file { "in.jsonl" }, leat.parse.json { "x", "y" }, learns or {}, sink }
LUA
cat >sunk.lua <<'LUA'
local leat = require "leat"
local json = leat.args.format == "jsonl"
return leat.pipeline "sunk" { leat.source.file { "sunk" },
  json and leat.parse.json { "x", "y" } or leat.parse[leat.args.format] {}, leat.sink.file { path = "back.jsonl", format = "jsonl", columns = { "x", "y" } } }
LUA
records "$((5 + ${SEED:-1}))" 2 >in.jsonl
while read -r stage format; do
    empty=null
    [[ $format == ?sv ]] || empty='""'
    leat_run run sinks.lua --quiet --set stage="$stage" --set format="$format"
    leat_run run sunk.lua --quiet --set format="$format"
    claim "$stage, format $format: what was written comes back" diff \
        <(jq -c "map_values(if . == \"\" then $empty else . end)" in.jsonl) <(jq -c . back.jsonl)
done <formats

# Bytes that are no UTF-8: CSV and TSV keep them, in names of columns, too.
LC_ALL=C awk 'BEGIN { printf "x\351,y\377\n"; for (i = 1; i < 256; i++) if (i != 10 && i != 13)
    printf "%c\\%c,\"%s%c\"\n", i == 44 || i == 34 ? 9 : i, i == 44 || i == 34 ? 92 : i, i == 34 ? "\"" : "", i }' >bytes.csv
cat >bytes.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "bytes" { leat.source.file { "bytes." .. a.from }, leat.parse[a.from] {}, leat.sink.file { path = a.out, format = a.to } }
LUA
leat_run run bytes.lua --set from=csv --set out=bytes.tsv --set to=tsv
claim_says "bytes that are no UTF-8 are told" "is not UTF-8"
leat_run run bytes.lua --quiet --set from=tsv --set out=bytes.back.csv --set to=csv
leat_run run bytes.lua --quiet --set from=csv --set out=bytes.straight.csv --set to=csv
claim "and come back by way of TSV" cmp bytes.back.csv bytes.straight.csv
claim "all of them" test "$(wc -l <bytes.back.csv)" = "$(wc -l <bytes.csv)"

# A table that sink.file wrote.
records "${SEED:-1}" 2 >in.jsonl
jq -c 'select(.x > "")' in.jsonl | jq -sc 'unique_by(.x)[]' >keys.jsonl
cat >lookup.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lookup" { leat.source.file { "keys.jsonl" }, leat.parse.json { "x", "y" },
  leat.shape.lookup { leat.args.table, delimiter = leat.args.delimiter, key = "x", columns = { "y" }, prefix = "found_" }, leat.sink.file { path = "-", format = "jsonl" } }
LUA
for format in csv tsv; do
    go 2 jsonl keys.jsonl $format table.$format
    leat_run run lookup.lua --quiet --set table=table.$format --set delimiter="$([[ $format == csv ]] && echo , || echo '\t')"
    claim "shape.lookup finds each key of $format with its value" diff \
        <(jq -c 'if .y == "" then .y = null else . end | [.x, .y]' keys.jsonl) <(jq -c '[.x, .found_y]' "$out")
    claim "and warns of nothing" test ! -s "$err"
done

# Numbers and whole numbers, in columns with odd names. -0 is written as 0.
cat >typed.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local n, i = 'a "b", c', "i\n\\\t"
local json = a.from == "in" and { n .. "=n", i .. "=i" } or { n .. '="a ""b"", c"', i }
local parse = a.from:find("sv") and leat.parse[a.from] { numbers = { n } }
  or leat.parse.json { columns = json, numbers = { n }, integers = { i } }
return leat.pipeline "typed" { leat.source.file { "t." .. a.from }, parse, leat.sink.file { path = a.out, format = a.to } }
LUA
awk -v seed="${SEED:-1}" 'function digits(n, d) { for (; n > 0; n--) d = d int(rand() * 10); return d + 0 ? d : 1 d }
    BEGIN { srand(seed)
        n = split("0 -0 -0.0 5e-324 1.7976931348623157e308 -1.7976931348623157e308 1e15 1e-5 0.1 9007199254740993 null", number, " ")
        w = split("0 9223372036854775807 -9223372036854775807 9007199254740993 null -1", whole, " ")
        for (i = 0; i < 400; i++) printf "{\"n\":%s,\"i\":%s}\n",
            i < n ? number[i + 1] : (rand() < .5 ? "-" : "") int(rand() * 10) "." digits(1 + rand() * 18) "e" int(rand() * 600 - 300),
            i < w ? whole[i + 1] : int(1 + rand() * 9) digits(rand() * 17) }' >t.in
# values FILE: both numbers of each line, n as the nearest double
values() { paste <(jq '.[keys[0]] | if . then . + 0 else . end' "$1") <(sed -E 's/.*:"?(null|-?[0-9]+)"?\}/\1/' "$1"); }
paste <(jq '.n | if . then . + 0 else . end' t.in) <(sed 's/.*"i":\(.*\)}/\1/' t.in) >wanted
for format in jsonl csv tsv; do
    leat_run run typed.lua --quiet --set from=in --set out="t.$format" --set to="$format"
    leat_run run typed.lua --quiet --set from="$format" --set out=back.jsonl --set to=jsonl
    claim "$format: numbers come back, to the last bit" diff wanted <(values back.jsonl)
done

# Sparse examples: what trace shows of them.
cat >examples.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "examples" { leat.source.file { a.from .. ".txt" },
  leat.parse[a.from] { label = "raw", names = a.from == "libsvm" or nil }, leat.learn.bias {}, leat.sink.null {} }
LUA
for format in libsvm libffm vw; do
    awk -v seed="${SEED:-1}" -v format=$format 'function name(k, t, bare) {
            if (format != "vw" && rand() < .3 || format == "libffm") return int(rand() * 1e9)
            for (k = 1 + rand() * 4; k > 1; k--) t = t piece[int(rand() * np) + 1]
            return t ~ /^#/ ? "a" t : t } # in libsvm # begins a comment
        function value() { return (int(rand() * 2001) - 1000) / 8 }
        BEGIN { srand(seed); np = split("a B é = # \" \\ , ; / 😀 ~" (format == "libsvm" ? " : |" : ""), piece, " ")
            for (i = 0; i < 200; i++) {
                label = value(); line = label; want = ""
                for (k = int(rand() * 6); k > 0; k--) {
                    x = value(); one = name(); shown = one
                    if (format == "libffm") { one = k ":" one; shown = one }
                    if (format == "vw") { space = rand() < .3 ? "" : "n" name(); shown = space (space == "" ? "" : "^") one; one = "|" space " " one }
                    if (rand() < .2 && format != "libffm" && one !~ /:|^[0-9]+$/) { x = 1; line = line " " one } else line = line " " one ":" x
                    gsub(/[\\"]/, "\\\\&", shown)
                    want = want (want == "" ? "" : ",") "{\"name\":\"" shown "\",\"value\":" x "}"
                }
                if (format == "vw" && line !~ /\|/) line = line " |"
                print line >(format ".txt")
                print "{\"label\":" label ",\"features\":[" want "]}"
            } }' | jq -c . >wanted
    leat_run trace examples.lua -n 200 --json --set from=$format
    claim "$format: examples have the names and values that were written" diff wanted \
        <(jq -c '.records[].stages[0] | .examples[0] // . | { "label": .label, "features": .features }' "$out")
done
printf '1 a:1 #b:2 c:3\n-1 c#:1 # note\n1 #\n#a\n' >libsvm.txt
leat_run run examples.lua --quiet --set from=libsvm
claim_says "a name that is taken for a comment is told" "records with a word that begins with '#': 1 ("
# Escapes between tabs: by default as sink.file and databases write them, and none beside quotes.
cat >tabs.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local parse = a.quote and leat.parse.csv { delimiter = "\t", quote = a.quote, escapes = a.escapes }
  or leat.parse.tsv { escapes = a.escapes, missing = { "", "∅" } }
return leat.pipeline "tabs" { leat.source.file { "out.tsv" }, parse, leat.sink.file { path = "back.jsonl", format = "jsonl" } }
LUA
# tabs SETTING…: what is read of out.tsv
tabs() { leat_run run tabs.lua --quiet "${@/#/--set=}"; jq -c '[.[]]' back.jsonl >back; }
printf 'x\ty\n\\N\ta\\\\N\n"q"\t\\t\\x09\\'"'"'\\0.\n∅\t\\\\N\n' >out.tsv
for setting in '' quote= escapes=auto; do
    tabs ${setting:+"$setting"}
    claim "escapes are undone, and \\N is no value: ${setting:-by default}" equal "$(head -n 2 back)" \
        '[null,"a\\N"]
["\"q\"","\t\t'"'"'\u0000."]'
    claim "nothing is warned of" test ! -s "$err"
done
tabs escapes=none
claim "escapes = none: a backslash is text" equal "$(sed -n 2p back)" '["\"q\"","\\t\\x09\\'"'"'\\0."]'
tabs 'quote="'
claim "quotes between tabs have no escapes" equal "$(sed -n 2p back)" '["q","\\t\\x09\\'"'"'\\0."]'
printf 'x\ty\n1\tC:\\temp\\Users\n2\ta\\' >out.tsv
tabs
claim_says "a backslash that begins no escape is told" \
    "texts with a backslash that begins no escape: 2, such as 'C:\\temp\\Users' in column 'y'. If backslashes are text in this file, --set escapes=none"
tabs escapes=none
claim "escapes = none reads such files" equal "$(cat back)" '["1","C:\\temp\\Users"]
["2","a\\"]'

printf 'x,y\n1,"6\\" pipe"\n2,"a\\"b, c"\n3,"C:\\\\d",\n4,x\\y\n' >out.csv
go 2 csv out.csv jsonl back.jsonl
claim_says "a row with a backslash before a quote is rejected with the cure" \
    'out.csv:2 (byte 4): csv (parse.csv): text follows the closing quote at byte 7: if \ before a quote makes it text, as Spark and MySQL write, set escapes = "backslash"'

{ echo 'id,s,v' && for i in {1..60}; do printf '%d,"a \\"%d\\", b\\\nc\\\\""",%d\n' "$i" $((i % 3)) "$i"; done; } >out.csv
leat_run explain out.csv --escapes backslash --outlier 'v >= 31' --attributes s
claim_says "an application reads such files" "30 of 60 records"
leat_run explain out.csv --escapes backslash --outlier $'s == \'a "1", b\nc\\"\'' --attributes v
claim_says "with the texts that were written" "20 of 60 records"

# Quotes that are text, as databases write them, and quotes that enclose fields: the lines decide. No record is lost.
quoted() { awk -v first="$1" -v last="$2" 'BEGIN { print "id\ts\tv"
    for (i = 0; i < 200; i++) printf "%d\t%s\t%d\n", i, i % 40 == 7 ? first : i % 40 == 27 ? last : "plain", i }' >quoted.tsv; }
cat >scripted.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "scripted" { leat.source.file { "quoted.tsv" }, leat.parse.csv { delimiter = "\t" }, leat.sink.null {} }
LUA
# of_quoted: records, and different texts, that peek finds in quoted.tsv
of_quoted() { leat_run peek quoted.tsv --json && jq -r '"\(.records) \(.columns[1].distinct)"' "$out"; }
quoted '"Deluxe stand' 'Screen 27"'
claim "peek loses no record between quotes that are text" equal "$(of_quoted)" "200 3"
leat_run explain quoted.tsv --outlier 'v >= 150' --attributes s
claim_says "nor does an application" "50 of 200 records"
leat_run explain - --delimiter '\t' --outlier 'v >= 150' --attributes s <quoted.tsv
claim_says "also of standard input" "50 of 200 records"
leat_run run scripted.lua
claim_says "a script that loses some is told" "105 lines, each of which has all fields, became 5 records"
quoted '"a" disk' 'a "b"'
claim "text after a closing quote says that quotes are text" equal "$(of_quoted)" "200 3"
quoted '"a ""b"""' '"c\d"'
claim "quotes that enclose fields come off" equal "$(of_quoted)" "200 3"
claim "with their doubled quotes" grep -qF 'a \"b\"' "$out"
quoted '"two
lines"' '"one"'
claim "a field may have line ends" equal "$(of_quoted)" "200 3"

# Texts with a zero byte are whole in results.
for text in 'a\u0000b' 'a\u0000c' a d; do
    printf '{"t":"2024-01-01T00:00:00Z","x":"%s"}\n' "$text"
done >in.jsonl
cat >top.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "top" { leat.source.file { "in.jsonl" }, leat.parse.json { columns = { "t", "x" } }, leat.parse.time { "t" },
  leat.window { "top(x, 4)", every = "1h" }, leat.sink.file { path = "top.jsonl", format = "jsonl" } }
LUA
leat_run run top.lua --quiet
claim "top() of a window has zero bytes" equal "$(jq -c .top_x top.jsonl)" '"a (1), a\u0000b (1), a\u0000c (1), d (1)"'
sed -n 1p in.jsonl >one.jsonl
leat_run peek one.jsonl --json
claim "peek shows them" grep -qF 'such as a\u0000b' "$out"
{ printf 'caf\351' && head -c 4000 /dev/zero && echo; } >binary
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lines" { leat.source.file { "binary" }, leat.parse.lines {}, leat.sink.null {} }
LUA
leat_run run lines.lua --quiet
claim_says "binary data is called so" "it has zero bytes: it looks like binary data"
done_claims
