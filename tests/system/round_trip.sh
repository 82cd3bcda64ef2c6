# What is written is read: the same records with the same values, whatever is in them.
#
# sink.file writes JSON, CSV and TSV; jq writes logfmt, and awk libsvm, libffm and VW. Texts have delimiters, quotes,
# line ends, backslashes and zero bytes; numbers are at the limits of their types. The oracle is jq on what went in. An
# empty text of CSV and TSV is no value (parse.csv).
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >there.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local names = { table.unpack({ "x", "y", "z" }, 1, tonumber(a.n)) }
local named = a.from == "jsonl" or a.from == "logfmt"
local parse = leat.parse[a.from == "jsonl" and "json" or a.from] { columns = named and names or nil, escapes = a.from == "tsv" or nil }
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
writes() {
    [[ $1 == logfmt ]] || { go "$2" jsonl in.jsonl "$1" "out.$1"; return; }
    jq -r 'to_entries | map(select(.value != null) | "\(.key)=\(.value | tojson)") + ["end=1"] | join(" ")' in.jsonl >out.logfmt
}
for format in jsonl csv tsv logfmt; do
    empty=null
    [[ $format == ?sv ]] || empty='""'
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

# A table that sink.file wrote.
records "${SEED:-1}" 2 >in.jsonl
jq -c 'select(.x > "")' in.jsonl | jq -sc 'unique_by(.x)[]' >keys.jsonl
go 2 jsonl keys.jsonl csv table.csv
cat >lookup.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lookup" { leat.source.file { "keys.jsonl" }, leat.parse.json { "x", "y" },
  leat.shape.lookup { "table.csv", key = "x", columns = { "y" }, prefix = "found_" }, leat.sink.file { path = "-", format = "jsonl" } }
LUA
leat_run run lookup.lua --quiet
claim "shape.lookup finds each key with its value" diff \
    <(jq -c 'if .y == "" then .y = null else . end | [.x, .y]' keys.jsonl) <(jq -c '[.x, .found_y]' "$out")
claim "and warns of nothing" test ! -s "$err"

# Numbers and whole numbers, in columns with odd names. -0 is written as 0.
cat >typed.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local n, i = 'a "b", c', "i\n\\\t"
local json = a.from == "in" and { n .. "=n", i .. "=i" } or { n .. '="a ""b"", c"', i }
local parse = a.from:find("sv") and leat.parse[a.from] { numbers = { n }, escapes = a.from == "tsv" or nil }
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
printf 'x\ty\n\\N\ta\\\\N\\\n\\q\t\\t\n' >out.tsv
cat >null.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "null" { leat.source.file { "out.tsv" }, leat.parse.tsv { escapes = true, missing = { "", "\\N" } },
  leat.sink.file { path = "back.jsonl", format = "jsonl" } }
LUA
leat_run run null.lua --quiet
claim '\N alone is no value, and other backslashes stay' equal "$(jq -c . back.jsonl)" '{"x":null,"y":"a\\N\\"}
{"x":"\\q","y":"\t"}'

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
