# Missing values in conditions: expressions of --set and shape.where agree with SQL (sqlite3) for each record. It also
# tests Lua functions, and messages about left out records.
# tier: long (6 s)
. "$(dirname "$0")/../support/claims.sh"
pipelines=$PWD/pipelines
cd "$tmp" || exit 1

# ---- as in SQL ----

# Two columns of numbers and two of texts; in each three of ten records have no value.
awk 'BEGIN { srand(7); print "id,n,m,a,b"
    split("x,y,xy,Y,ja,nein", t, ",")
    for (i = 1; i <= 400; i++) print i "," number() "," number() "," text() "," text() }
    function number() { return rand() < 0.3 ? "" : int(rand() * 8) - 2 }
    function text() { return rand() < 0.3 ? "" : t[int(rand() * 6) + 1] }' >data.csv

# Conditions at random, each in SQL and as leat has it: cases.sql, cases.lua.
awk -v n=120 'BEGIN { srand(11)
    print "return {" >"cases.lua"
    for (i = 1; i <= n; i++) {
        do condition(3); while (S !~ /[( ][nmab][ ),]/)
        print "select " i ", id, " S " from r;" >"cases.sql"
        print "[==[" W "]==]," >"cases.lua"
    }
    print "}" >"cases.lua" }
    function all(s, w) { S = s; W = w }
    function pick(k) { return int(rand() * k) }
    function one_of(letters) { return substr(letters, pick(length(letters)) + 1, 1) }
    function number(depth,    s, w, k, o) {
        k = depth ? pick(8) : pick(3)
        if (k == 0) { k = pick(6) - 1; all(k, k) }
        else if (k < 3) { k = one_of("nm"); all(k, "(" k " + 0)") }
        else if (k == 3) { text(depth - 1); all("length(" S ")", "length(" W ")") }
        else if (k == 4) { k = one_of("nm"); all("coalesce(" k ", 3)", "coalesce(number(" k "), 3)") }
        else if (k == 5) { number(depth - 1); all("abs(" S ")", "abs(" W ")") }
        else if (k == 6) { condition(depth - 1); all("case when " S " is null then null when " S " then 1 else 4 end",
        "if(" W ", 1, 4)") }
        else { number(depth - 1); s = S; w = W; o = one_of("+-*"); number(depth - 1)
            all("(" s " " o " " S ")", "(" w " " o " " W ")") } }
    function text(depth,    s, w, k) {
        k = depth ? pick(8) : pick(3)
        if (k == 0) all("'\''xy'\''", "'\''xy'\''")
        else if (k < 4) { k = one_of("ab"); all(k, k) }
        else if (k == 4) { text(depth - 1); all("upper(" S ")", "upper(" W ")") }
        else if (k == 5) { text(depth - 1); all("substr(" S ", 1, 1)", "substring(" W ", 1, 1)") }
        else if (k == 6) { k = one_of("ab"); all("coalesce(" k ", '\''none'\'')", "coalesce(" k ", '\''none'\'')") }
        else { text(depth - 1); s = S; w = W; text(depth - 1); all("(" s " || " S ")", "(" w " .. " W ")") } }
    function condition(depth,    s, w, k, o) {
        k = depth > 0 ? pick(13) : pick(8)
        if (k < 2) { number(depth); s = S; w = W; number(depth); o = operator(6); all("(" s " " SO[o] " " S ")", "(" w " " WO[o] " " W ")") }
        else if (k < 5) { text(depth); s = S; w = W; text(depth); o = operator(2); all("(" s " " SO[o] " " S ")", "(" w " " WO[o] " " W ")") }
        else if (k == 5) { k = one_of("ab"); o = operator(6); all("(" k " " SO[o] " '\''x'\'')", "(" k " " WO[o] " '\''x'\'')") }
        else if (k == 6) { k = one_of("nmab"); all("(" k " is null)", "is_missing(" k ")") }
        else if (k == 7) { text(depth > 0 ? depth - 1 : 0); all("(instr(" S ", '\''y'\'') > 0)", "contains(" W ", '\''y'\'')") }
        else if (k < 10) { condition(depth - 1); s = S; w = W; condition(depth - 1); all("(" s " and " S ")", "(" w " and " W ")") }
        else if (k < 12) { condition(depth - 1); s = S; w = W; condition(depth - 1); all("(" s " or " S ")", "(" w " or " W ")") }
        else { condition(depth - 1); all("(not " S ")", "(not " W ")") } }
    function operator(k) { split("=,<>,<,<=,>,>=", SO, ","); split("==,~=,<,<=,>,>=", WO, ","); return pick(k) + 1 }'
sqlite3 :memory: -cmd 'create table r(id integer, n integer, m integer, a text, b text)' -cmd '.mode csv' \
    -cmd '.import --skip 1 data.csv r' \
    "update r set n = nullif(n, ''), m = nullif(m, ''), a = nullif(a, ''), b = nullif(b, '')" '.read cases.sql' |
    awk -F, '$3 != "" { print $2 "," ($3 ? 1 : -1) > ("sql." $1) }'

cat >cases_of.lua <<'LUA'
local leat, conditions, cases = require "leat", require "leat.conditions", require "cases"
local branches = {}
for i = tonumber(leat.args.from), tonumber(leat.args.to) do
  local where = cases[i]
  local function into(way) return leat.sink.file { path = way .. "." .. i, format = "csv", columns = { "id", "label" } } end
  table.move({
    { conditions.label("outlier", where), leat.shape.set { "label = @label" }, into "label" },
    { leat.shape.set { "@label = " .. where }, leat.shape.set { "label = @label" }, leat.shape.where { "not is_missing(label)" }, into "set" },
    { conditions.filter("filter", where), leat.shape.set { "label = 1" }, into "kept" },
  }, 1, 3, #branches + 1, branches)
end
return leat.pipeline "cases" { leat.source.file { path = "data.csv" }, leat.parse.csv {}, leat.tee(branches), threads = 1 }
LUA
for ((i = 1; i <= 120; i += 20)); do
    leat_run run cases_of.lua --quiet --set from=$i --set to=$((i + 19))
    [[ $status == 0 ]] || sed 's/^/    /' "$err"
done
# Records and labels of a file of ours, as those of SQL.
rows() { sed 1d "$1" 2>/dev/null | awk -F, '{ print $1 "," $2 + 0 }'; }
unlike() { # unlike WAY [ONLY_TRUE]: the conditions of which that way differs from SQL
    for ((i = 1; i <= 120; i++)); do
        cmp -s <(rows "$1.$i") <(grep "$2" "sql.$i" 2>/dev/null) || sed -n "$((i + 1))p" cases.lua
    done
}
claim "label.where labels records as SQL says, and leaves out those for which it says null" equal "$(unlike label '')" \
    ""
claim "labels of shape.set, too" equal "$(unlike set '')" ""
claim "shape.where keeps what is true" equal "$(unlike kept ',1$')" ""

# ---- one by one ----

# Rows id,v,w: a number and a text, or neither.
printf '%s\n' id,v,w 1,6,ja 2,3,nein 3,,nein 4,6, 5,abc,x 6,,ja 7,9,nein >rows.csv
cat >label.lua <<'LUA'
local leat, conditions = require "leat", require "leat.conditions"
return leat.pipeline "label" {
  leat.source.file { path = "rows.csv" }, leat.parse.csv {}, conditions.label("outlier", leat.args.c), leat.shape.set { "label = @label" },
  leat.sink.file { path = "labels.csv", format = "csv", columns = { "id", "label" } },
}
LUA
labels() { sed 1d "$1" | awk -F, '{ printf "%s%s ", ($2 > 0 ? "" : "-"), $1 }' | sed 's/ $//'; }
is() { # is CONDITION LABELS: the ids of outliers, and after a minus those of others; those left out are not there
    leat_run run label.lua --quiet --set c="$1" --summary s.json
    claim "$1: $2" equal "$(labels labels.csv) $(json .rejected)" "$2 ${3:-0}"
}
is 'w ~= "ja"' "-1 2 3 5 -6 7"
claim_says "records for which it is unknown are counted, and told with what to write" \
    "outlier (label.where): 'w ~= \"ja\"' is unknown for 1 of 7 records, which are left out, such as where column 'w' has no value: write coalesce(…, true) or coalesce(…, false) to decide such records"
claim "the summary has their number" equal "$(stage outlier without_value)" 1
is 'is_missing(w) or w ~= "ja"' "-1 2 3 4 5 -6 7"
claim "then nothing is said" test ! -s "$err"
is 'not is_missing(w) and w != "ja"' "-1 2 3 -4 5 -6 7"
is 'coalesce(w ~= "ja", false)' "-1 2 3 -4 5 -6 7"
is 'coalesce(w, "ja") ~= "ja"' "-1 2 3 -4 5 -6 7"
is 'is_missing(w)' "-1 -2 -3 4 -5 -6 -7"
is 'v > 5' "1 -2 4 7" 1
is 'is_missing(v) or v > 5' "1 -2 3 4 6 7" 1
is 'number(v) > 5' "1 -2 4 7"
is 'number(v) ~= 6' "-1 2 -4 7"
is 'is_missing(number(v))' "-1 -2 3 -4 5 6 -7"
is 'coalesce(number(v), 0) > 5' "1 -2 -3 4 -5 -6 7"
is 'length(w) > 2' "-1 2 3 -5 -6 7"
is 'upper(w) == "JA"' "1 -2 -3 -5 6 -7"
is 'w .. "!" == "x!"' "-1 -2 -3 5 -6 -7"
is 'starts_with(w, "n")' "-1 2 3 -5 -6 7"
is 'not starts_with(w, "n")' "1 -2 -3 5 6 -7"
is 'substring(w, 2, 1) == "e"' "-1 2 3 -5 -6 7"
is 'w in ("nein", "x")' "-1 2 3 5 -6 7"
is 'v == "6" or w == "nein"' "1 2 3 4 -5 7"
is 'v == "6" and w == "ja"' "1 -2 -3 -5 -7"
is 'not (v == "6" and w == "ja")' "-1 2 3 5 7"
is 'if(w == "ja", "A", "B") == "B"' "-1 2 3 5 -6 7"
is 'v // 4 == 1 and v % 4 == 2' "1 -2 4 -7" 1
leat_run run label.lua --set c='w == nil'
claim_says "the word of Lua is told" "there is no column 'nil': write is_missing(x)"
leat_run run label.lua --set c='v > 1e-1 and w == ...'
claim_says "what is no expression is told" "'..' stands where a value is missing"
awk 'BEGIN { for (i = 0; i < 40; i++) printf "%s%s w ~= \"n%d\"", i ? " and" : "",
    i % 2 ? "" : " (is_missing(v) or v ~= \"" i "\") and", i }' >long
leat_run run label.lua --quiet --set c="$(<long)"
claim "a condition may be long" equal "$(labels labels.csv)" "-1 2 3 -4 5 6 7"
cat >derive.lua <<'LUA'
local leat, conditions = require "leat", require "leat.conditions"
return leat.pipeline "derive" {
  leat.source.file { path = "rows.csv" }, leat.parse.csv {}, conditions.records(),
  leat.sink.file { path = "derived.csv", format = "csv", columns = { "n" } },
}
LUA
derived() { # derived EXPRESSION VALUES
    leat_run run derive.lua --quiet --set derive="n=$1"
    claim "n=$1" equal "$(sed 1d derived.csv | tr '\n' ,)" "$2,"
}
derived 'w .. "!"' 'ja!,nein!,nein!,,x!,ja!,nein!'
derived 'if(w == "ja", "A", "B")' 'A,B,B,,B,A,B'
derived 'if(w == "ja", "A", if(w == "x", "C", "B"))' 'A,B,B,,C,A,B'
derived 'coalesce(w, v)' 'ja,nein,nein,6,x,ja,nein'
derived 'w == "ja"' 'true,false,false,,false,true,false'

# Numbers of a German file: number reads them, and finds none in n/a.
printf '%s\n' 'id;v' '1;5,5' '2;6,0' '3;' '4;n/a' '5;1.006,0' >numbers.csv
cat >german.lua <<'LUA'
local leat, conditions = require "leat", require "leat.conditions"
return leat.pipeline "german" {
  leat.source.file { path = "numbers.csv" }, leat.parse.csv { delimiter = ";", decimal = ",", thousands = "." },
  conditions.label("outlier", leat.args.c), leat.shape.set { "label = @label" },
  leat.sink.file { path = "labels.csv", format = "csv", columns = { "id", "label" } },
}
LUA
for c in 'number(v) ~= 6' 'number(substring(v, 1)) ~= 6'; do
    leat_run run german.lua --quiet --set c="$c"
    claim "$c, with a decimal comma" equal "$(labels labels.csv)" "1 -2 5"
done

# ---- functions ----

cat >functions.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local ways = {
  where = function() return leat.shape.where { a.c } end,
  filter = function() return leat.filter(load("return " .. a.f)(), leat.list(a.columns)) end,
  label = function() return { leat.label(load("return " .. a.f)(), leat.list(a.columns), { missing = "filter" }), leat.shape.where { "@label > 0" } } end,
  batch = function() return leat.batch(load("return " .. a.f)()) end,
}
return leat.pipeline "functions" { leat.source.file { path = "rows.csv" }, leat.parse.csv {}, ways[a.way](), leat.sink.file { path = "kept.csv", format = "csv", columns = { "id" } } }
LUA
kept() { leat_run run functions.lua --quiet "$@" --summary s.json && sed 1d kept.csv | paste -sd' '; }
alike() { # alike IDS WHERE FUNCTION COLUMNS BATCH: a condition in the words of each
    claim "$2" equal "$(kept --set way=where --set c="$2")" "$1"
    claim "as a function that says what holds without a value" equal "$(kept --set way=filter --set f="$3" \
        --set columns="$4")" "$1"
    claim "as one that gives the label" equal "$(kept --set way=label --set f="$3" --set columns="$4")" "$1"
    claim "of a batch" equal "$(kept --set way=batch --set f="function(b) $5 end")" "$1"
}
alike "2 3 5 7" "w != 'ja'" 'function(w) if w == nil then return nil end return w ~= "ja" end' w \
    'b:where("w", "~=", "ja")'
alike "1 2 4 5 7" "not is_missing(v)" 'function(v) return v ~= nil end' v 'b:where("v", "~=", nil)'
alike "2 7" "number(v) != 6" 'function(v) v = tonumber(v) if v == nil then return nil end return v ~= 6 end' v \
    'for i in b:rows() do if not tonumber(b:get(i, "v")) then b:drop(i) end end b:where("v", "~=", 6)'
claim "a function itself has Lua's rules: nil differs from any text" equal "$(kept --set way=filter \
    --set f='function(w) return w ~= "ja" end' --set columns=w)" "2 3 4 5 7"
leat_run run functions.lua --set way=filter --set f='function(id, w) return string.len(w) > 2 end' --set columns=id,w \
    --summary s.json
claim_says "and what it does to nil is an error, which names the column and the cure" \
    "bad argument #1 to 'len' (string expected, got nil) (column 'w' has no value here, and 'w' is nil: begin with if w == nil then return nil end)"
claim "which rejects the record" equal "$(json .rejected) $(sed 1d kept.csv | paste -sd' ')" "1 2 3 7"
leat_run run functions.lua --quiet --set way=where --set c="w != 'ja'" --summary s.json
claim_says "shape.where tells what it leaves out" \
    "where (shape.where): 'w != 'ja'' is unknown for 1 of 7 records, which are left out, such as where column 'w' has no value: write coalesce(…, true) or coalesce(…, false) to decide such records"
claim "and counts it" equal "$(stage where without_value)" 1
claim "what it tells is so" equal "$(kept --set way=where --set c="coalesce(w != 'ja', true)"), $(kept --set way=where \
    --set c="coalesce(w != 'ja', false)")" "2 3 4 5 7, 2 3 5 7"
claim "then nothing is said of it" test ! -s "$err"

# ---- ids beyond 2^53, as sqlite3 compares them ----

awk 'BEGIN { print "id,other";
    for (i = 0; i < 60; i++) print (i % 3 ? "" : "-") "90071992547409" 80 + i % 40 "," "90071992547409" 80 + i * 7 % 40;
    print "12,13"; print ",1" }' >rows.csv
sed -i 's/{ "id" }/{ "id", "other" }/' functions.lua
for c in 'id > 9007199254740992' 'id >= 9007199254740993' 'id < -9007199254740993' 'id == 9007199254740993' \
    'id != 9007199254740993' \
    'id < other' 'id in (9007199254740993, 12)' 'id not in (9007199254740992, 9007199254741001)' \
    'id <= 9223372036854775807'; do
    kept --set way=where --set c="$c" >/dev/null
    claim "$c" equal "$(sed 1d kept.csv)" "$(sqlite3 -csv :memory: -cmd 'create table r(id integer, other integer)' \
        -cmd '.mode csv' -cmd '.import --skip 1 rows.csv r' \
        "update r set id = nullif(id, '')" "select * from r where $c" | tr -d '\r')"
done
kept --set way=where --set c='id > -9223372036854775808' >/dev/null
claim "an order beyond the integers of 64 bits" equal "$(sed 1d kept.csv)" "$(sed '1d; /^,/d' rows.csv)"
kept --set way=where --set c='id == -9223372036854775808' >/dev/null
claim_exit "a number that no integer of 64 bits is is refused beside texts" 2
claim_says "with what to write" \
    "'id == -9223372036854775808' is wrong at character 8: a text is a whole number only up to 2^63: compare texts, as in id == '-9223372036854775808', or the order, as in id > 1e20"

# ---- what stands for the unknown, and which sides are numbers ----

cat >short.lua <<'LUA'
local leat = require "leat"
local conditions, inputs = require "leat.conditions", require "leat.inputs"
return leat.pipeline "short" { inputs.records(), inputs.csv(), leat.sink.file { path = "short.csv", format = "csv" } }
LUA
short() { # ASKED WANTED: the last cells of the rows that are left, by hand
    leat_run run short.lua --quiet --set data=short.in --set "$1"
    claim "$1" equal "$(sed 1d short.csv | awk -F, '{ print $NF }' | paste -sd' ')" "$2"
}
printf 'ms,path,n\n900,/api,1\n,/api,2\n,/web,3\n100,/api,4\n' >short.in
short 'filter=coalesce(ms > 500 and contains(path, "api"), true)' "1 2"
short 'filter=coalesce(ms > 500 and contains(path, "api"), false)' 1
short 'filter=not coalesce(ms > 500 and contains(path, "api"), false)' "2 3 4"
short 'filter=not (ms > 500 and contains(path, "api"))' "3 4"
short 'derive=r=coalesce(ms > 500, false)' "true false false false"
short 'derive=r=ms > 500' "true   false"
short 'derive=r=if(ms > 500, "slow", "fast")' "slow   fast"
printf 'n,a,l\n10,abc,3\n2.5,x,1\n,abcd,4\n100,ab,20\n' >short.in
short 'filter=n == floor(n)' "3 20"
short 'filter=n ~= floor(n)' 1
short 'filter=l == length(a)' "3 1 4"
short 'filter=l ~= length(a)' 20
short 'filter=l == number(l)' "3 1 4 20"
short 'derive=r=max(coalesce(number(n), 0), coalesce(number(l), 0))' "10 2.5 4 100"

# Several columns that have no value are named, each once; of more than three how many they are.
printf 'k,a,b,c,d,e\n1,x,,z,u,\n2,,y,z,u,v\n3,x,y,,,v\n4,x,y,z,u,v\n' >"$tmp/several.csv"
named() { # WHERE TEXT
    leat_run run "$pipelines/explain.lua" --quiet --set data="$tmp/several.csv" --set attributes=k --set outlier="$1"
    claim_says "$1: $2" "records, which are left out, such as where $2: write coalesce(…, true)"
}
named "a != 'q'" "column 'a' has no value"
named "a != 'q' and b != 'q'" "columns 'b' and 'a' have no value"
named "a != 'q' and b != 'q' and c != 'q' and k > 0" "columns 'b', 'a' and 'c' have no value"
named "a != 'q' and b != 'q' and c != 'q' and d != 'q' and e != 'q'" "columns 'b', 'e', 'a' and 2 more have no value"

# ---- blanks: one rule for all parsers and types ----
printf '{"a":" ","b":1}\n{"a":"","b":2}\n{"a":"3","b":3}\n{"a":"  4 ","b":4}\n{"a":"- ","b":5}\n' >"$tmp/blank.json"
printf 'a=" " b=1\na="" b=2\na=3 b=3\na=" \\t4 " b=4\na="- " b=5\n' >"$tmp/blank.logfmt"
printf 'a,b\n" ",1\n"",2\n3,3\n" \t4 ",4\n"- ",5\n' >"$tmp/blank.csv"
printf 'a= ;b=1\na=;b=2\na=3;b=3\na= \t4 ;b=4\na=- ;b=5\n' >"$tmp/blank.regex"
blanks() { # FORMAT PARSER STAGES: the records that are left, as a value of a, or null, and b
    cat >"$tmp/blank.lua" <<LUA
local leat = require "leat"
return leat.pipeline "blank" { leat.source.file { path = "$tmp/blank.$1" }, leat.parse.$2, $3
  leat.sink.file { path = "-", format = "jsonl" }, max_reject_ratio = 1 }
LUA
    leat_run run "$tmp/blank.lua" --quiet
    jq -cs 'map([(.n // .a | if . == "" then null else . end), (.b | tonumber)])' "$out"
}
wanted='[[null,1],[null,2],[3,3],[4,4]]'
claim "JSON, numbers" equal "$(blanks json 'json { "a", "b", numbers = { "a" } }' '')" "$wanted"
claim "JSON, integers" equal "$(blanks json 'json { "a", "b", integers = { "a" } }' '')" "$wanted"
claim "logfmt, numbers" equal "$(blanks logfmt 'logfmt { "a", "b", numbers = { "a" } }' '')" "$wanted"
claim "CSV, numbers" equal "$(blanks csv 'csv { numbers = { "a" } }' '')" "$wanted"
regex='regex { [[^a=(?<a>[^;]*);b=(?<b>.)]] }'
for parser in 'json json { "a", "b" }' 'logfmt logfmt { "a", "b" }' 'csv csv {}' "regex $regex"; do
    read -r format stage <<<"$parser"
    claim "$format, an expression" equal "$(blanks "$format" "$stage" 'leat.shape.set { "n = a + 0" },' |
        sed 's/\[" *",/[null,/')" "$wanted"
done
claim "elsewhere blanks are a text" equal "$(blanks json 'json { "a", "b" }' 'leat.shape.set { "n = length(a)" },' |
    jq -c 'map(.[0])')" "[1,0,1,4,2]"
done_claims
