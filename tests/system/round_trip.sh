# What sink.file writes, the parser of that format reads: the same records with the same values, whatever is in them.
#
# Random records of one to three texts, some of them none, with delimiters, quotes, line ends, backslashes and zero
# bytes; the oracle is jq on the records that went in. An empty text of CSV and TSV is no value (parse.csv).
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >there.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local names = { table.unpack({ "x", "y", "z" }, 1, tonumber(a.n)) }
local parse = a.from == "jsonl" and leat.parse.json { columns = names } or leat.parse[a.from] { escapes = a.from == "tsv" or nil }
return leat.pipeline "there" { leat.source.file { a.input }, parse, leat.sink.file { path = a.out, format = a.to, columns = names },
  max_reject_ratio = 1 }
LUA
go() { leat_run run there.lua --quiet --set n="$1" --set from="$2" --set input="$3" --set to="$4" --set out="$5"; }
# records SEED N: 200 lines of JSON with N members
records() {
    awk -v seed="$1" -v n="$2" 'function text(t, k) {
        if (rand() < .3) return "null"
        for (k = int(rand() * 4); k > 0; k--) t = t piece[int(rand() * np) + 1]
        return "\"" t "\"" }
    BEGIN { srand(seed); np = split("a , ; \\\" \\\\ \\n \\t \\r \\u0000 é 0 NA \\\\N # ∅", piece, " ")
        split("x y z", name, " ")
        for (i = 0; i < 200; i++) { line = ""
            for (j = 1; j <= n; j++) line = line (j > 1 ? "," : "") "\"" name[j] "\":" text()
            print "{" line "}" } }'
}
for format in jsonl csv tsv; do
    empty=null
    [[ $format != jsonl ]] || empty='""'
    for n in 1 2 3; do
        records "$((n * 7 + ${SEED:-1}))" "$n" >in.jsonl
        jq -c "map_values(if . == \"\" then $empty else . end)" in.jsonl >wanted
        go "$n" jsonl in.jsonl "$format" "out.$format"
        go "$n" "$format" "out.$format" jsonl back.jsonl
        claim_exit "$format of $n columns is read" 0
        jq -c . back.jsonl >found
        claim "$format of $n columns: what went in comes back" diff wanted found
    done
done
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
