# Arithmetic and conditions of whole numbers to 2^63: random expressions agree with sqlite3 for each record, in CSV,
# whose numbers are texts, and in JSON with integer columns.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# Small numbers, neighbours of 2^53 and of 2^63, and missing ones. awk writes digits, and calculates with none of them.
awk 'BEGIN { srand(3); print "id,p,q,r"; for (i = 1; i <= 300; i++) print i "," number() "," number() "," number() }
    function pick(n) { return int(rand() * n) }
    function number(  k) {
        k = pick(10)
        if (k == 0) return ""
        if (k < 5) return pick(41) - 20
        return (pick(2) ? "-" : "") (k < 8 ? "90071992547409" 88 + pick(10) : k == 8 ? "92233720368547757" 98 + pick(2) : 1 + pick(9) "00000000" pick(10)) }' >data.csv
awk -F, 'NR > 1 { printf "{\"id\":%d", $1; for (i = 2; i <= 4; i++) if ($i != "") printf ",\"%s\":%s", substr("pqr",
    i - 1, 1), $i; print "}" }' data.csv >data.jsonl

# 60 numbers and 60 conditions, each in SQL and as leat has it: cases.sql, cases.lua. In SQL a sum beyond 2^63 becomes a
# double, which stands for no value here, as does -2^63; / and % are rounded to 0 there, and down here.
awk -v n=120 'BEGIN { srand(17); print "return {" >"cases.lua"
    for (i = 1; i <= n; i++) {
        if (i % 2) { number(2); W = "text(" W ")" } else { condition(2); W = "if(" W ", 1, 0)" }
        print "select " i ", id, " S " from r;" >"cases.sql"
        print "[[" W "]]," >"cases.lua" }
    print "}" >"cases.lua" }
    function all(s, w) { S = s; W = w }
    function pick(k) { return int(rand() * k) }
    function whole(s) { return "(case when typeof(" s ") = '\''real'\'' or " s " < -9223372036854775807 then null else " s " end)" }
    function column(  k) { k = substr("pqr", pick(3) + 1, 1); all(k, "(" k " + 0)") }
    function constant(  k) { k = pick(3) ? pick(19) - 9 : "90071992547409" 90 + pick(5); all("(" k ")", k) }
    function number(depth,   a, w, o, s) {
        if (!depth) { column(); return }
        number(depth - 1); a = S; w = W; o = pick(6)
        if (o == 5) { all(whole("(-" a ")"), "(-" w ")"); return }
        if (pick(2)) constant(); else number(depth - 1)
        if (o < 3) { o = substr("+-*", o + 1, 1); s = whole("(" a o S ")") }
        else if (o == 3) { o = "%"; s = "(case when " S " = 0 then null when " a " % " S " <> 0 and (" a " % " S " < 0) <> (" S " < 0) then " a " % " S " + " S " else " a " % " S " end)" }
        else { o = "//"; s = "(case when " S " = 0 then null when " a " % " S " <> 0 and (" a " % " S " < 0) <> (" S " < 0) then " a " / " S " - 1 else " a " / " S " end)" }
        all(s, "(" w " " o " " W ")") }
    function condition(depth,   s, w, k) {
        k = depth ? pick(5) : 0
        if (k < 2) { number(1); s = S; w = W; if (pick(2)) constant(); else number(1)
            k = pick(6) + 1; split("=,<>,<,<=,>,>=", SO, ","); split("==,!=,<,<=,>,>=", WO, ",")
            all("(" s " " SO[k] " " S ")", "(" w " " WO[k] " " W ")") }
        else if (k == 4) { condition(depth - 1); all("(not " S ")", "(not " W ")") }
        else { condition(depth - 1); s = S; w = W; condition(depth - 1); k = k == 2 ? " and " : " or "; all("(" s k S ")", "(" w k W ")") } }'
sqlite3 :memory: -cmd 'create table r(id integer, p integer, q integer, r integer)' -cmd '.mode csv' \
    -cmd '.import --skip 1 data.csv r' \
    "update r set p = nullif(p, ''), q = nullif(q, ''), r = nullif(r, '')" '.read cases.sql' |
    tr -d '\r"' | awk -F, '{ print $2 "," $3 > ("sql." $1) }'

cat >cases_of.lua <<'LUA'
local leat, cases = require "leat", require "cases"
local args, branches = leat.args, {}
for i = tonumber(args.from), tonumber(args.to) do
  branches[#branches + 1] = { leat.shape.set { "x = " .. cases[i] }, leat.sink.file { path = args.of .. "." .. i, format = "csv", columns = { "id", "x" } } }
end
local read = { csv = leat.parse.csv {}, jsonl = leat.parse.json { "id", "p", "q", "r", integers = { "p", "q", "r" } } }
return leat.pipeline "cases" { leat.source.file { path = "data." .. args.of }, read[args.of], leat.tee(branches), threads = 1, max_reject_ratio = 1 }
LUA
for of in csv jsonl; do
    for ((i = 1; i <= 120; i += 20)); do
        leat_run run cases_of.lua --quiet --set of=$of --set from=$i --set to=$((i + 19))
        [[ $status == 0 ]] || sed 's/^/    /' "$err"
    done
    unlike=$(for ((i = 1; i <= 120; i++)); do cmp -s <(sed 1d $of.$i) sql.$i || sed -n "$((i + 1))p" cases.lua; done)
    claim "120 expressions of $of give what sqlite3 gives" equal "$unlike" ""
done

# Edges that no double holds cut the same numbers as sqlite3 does, in each form of a column.
cut -d, -f1,2 data.csv >two.csv
edges="-9007199254740995 9007199254740991 9007199254740993 9223372036854775799"
awk -F, 'NR == 1 { print "id;p"; next }
    { sign = $2 ~ /^-/ ? "-" : ""; digits = $2; sub(/^-/, "", digits); groups = ""
      for (; length(digits) > 3; digits = substr(digits, 1, length(digits) - 3)) groups = "." substr(digits, length(digits) - 2) groups
      print $1 ";" sign digits groups }' data.csv >data.grouped
cat >edges.lua <<'LUA'
local leat = require "leat"
local of = leat.args.of
return leat.pipeline "edges" {
  leat.source.file("data." .. of),
  of == "jsonl" and leat.parse.json { integers = { "p" }, numbers = { "id" } }
    or of == "grouped" and leat.parse.csv { delimiter = ";", decimal = ",", thousands = "." } or leat.parse.csv {},
  leat.label.where { "id % 2 == 1" }, leat.feature.columns { edges = { "p=" .. leat.args.edges } }, leat.learn.contrast { id = "m" },
  leat.sink.top { of = "m", k = 100, format = "jsonl", path = "-" },
}
LUA
for e in $edges; do
    echo "select 'p < $e ' || count(*) from r where p < $e; select 'p >= $e ' || count(*) from r where p >= $e;"
done >edges.of
sqlite3 :memory: -cmd 'create table r(id integer, p integer)' -cmd '.mode csv' -cmd '.import --skip 1 two.csv r' \
    -cmd "update r set p = null where p = ''" -cmd '.mode list' <edges.of | sort >edges.sql
for of in csv jsonl grouped; do
    leat_run run edges.lua --quiet --set of=$of --set edges="$edges"
    jq -r '.top[] | "\(.feature) \(.count)"' "$out" | sort >edges.$of
    claim "edges of $of cut as sqlite3 does" cmp edges.$of edges.sql
done
claim "which are different counts" test "$(cut -d' ' -f4 edges.sql | sort -u | wc -l)" -gt 6
claim "which are not all missing" test "$(cat sql.* | grep -c ',-\?[0-9]')" -gt 10000
claim "and many are beyond 2^53" test "$(cat sql.* | grep -cE ',-?[0-9]{16}')" -gt 2000

# Unsigned ids: Python's integers have no limit. A record has Python's value, or it is rejected because of an id from
# 2^63 on. What only needs an order is never rejected.
there_is python3 "unsigned ids are exact or rejected" || { done_claims; exit; }
cat >unsigned.py <<'PY'
import decimal, random, sys
random.seed(5)
near = [2**53, 2**63, 2**64, 10**19, 10**20, 3]
ids = [(x + random.randint(-3, 3)) * random.choice((1, 1, -1)) for x in near for _ in range(20)]
rows = [(i, random.choice(ids)) for i in ids]
low = 9007199254740993
cases = {"text(id % 10)": lambda a, b: a % 10, "text(id // -7)": lambda a, b: a // -7, "id == b + 0": lambda a, b: a == b,
         "id < b": lambda a, b: a < b, "id >= b": lambda a, b: a >= b, "number(id) != b": lambda a, b: a != b,
         "text(number(id))": lambda a, b: a, "text(max(id, b))": max, "text(abs(id))": lambda a, b: abs(a),
         "text(floor(id))": lambda a, b: a, "text(id - b)": lambda a, b: a - b}
order = {"id > 7": lambda a, b: a > 7, f"id == {low}": lambda a, b: a == low, f"id in ({low}, 2)": lambda a, b: a in (low, 2),
         f"id <= {low}": lambda a, b: a <= low, "is_missing(number(id))": lambda a, b: False}
everything = {**cases, **order}
if sys.argv[1] == "make":
    open("unsigned.csv", "w").write("id,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    open("cases.lua", "w").write("return {" + ",".join(f'"{c}"' for c in everything) + "}")
    print(len(everything))
else:
    for k, (text, of) in enumerate(everything.items(), 1):
        got = {}
        for line in open(f"csv.{k}").read().split("\n")[1:-1]:
            row, _, _, value = line.split(",")
            got[int(row)] = str(int(decimal.Decimal(value))) if "e+" in value else value
        for row, (a, b) in enumerate(rows, 1):
            want = str(of(a, b)).lower() if isinstance(of(a, b), bool) else str(of(a, b))
            small = max(abs(a), abs(b)) < 2**53 or (text not in ("text(max(id, b))", "text(abs(id))", "text(floor(id))") and max(abs(a), abs(b)) < 2**63)
            exact = small or text in order
            if row in got and not got[row] and abs(of(a, b)) >= 2**63: continue
            if got.get(row, "rejected") != want and (exact or row in got): print(text, a, b, got.get(row), want)
PY
n=$(python3 unsigned.py make)
awk 'NR == 1 { print "row," $0; next } { print NR - 1 "," $0 }' unsigned.csv >data.csv
sed -i 's/"id", "x" }/"row", "id", "b", "x" }/' cases_of.lua
leat_run run cases_of.lua --quiet --set of=csv --set from=1 --set to="$n"
claim "unsigned ids are exact or rejected" equal "$(python3 unsigned.py check)" ""
printf 'id\n9007199254740993.0\n9007199254740993.\n9223372036854775809.00\n' >zeros.csv
cat >zeros.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "zeros" { leat.source.file "zeros.csv", leat.parse.csv {}, leat.shape.set { "x = text(id % 10)" }, leat.sink.file { path = "-", format = "csv" } }
LUA
leat_run run zeros.lua --quiet
claim "a fraction of zeros takes no digits" equal "$(cut -d, -f2 "$out" | tr '\n' ' ')" "x 3 3 "
printf 'id\n9007199254740993\n-9007199254740993\n9007199254740994\n7\n' >zeros.csv
for e in '+ 0.5' '// 0.5' '% 2.5' '* 1.5' '- 0.25'; do
    sed -i "s|x = text(.*)\"|x = text(id $e)\"|" zeros.lua
    leat_run run zeros.lua --quiet
    claim "beside a fraction no digits are lost: id $e" equal "$(cut -d, -f1 "$out" | tr '\n' ' ')" "id 9007199254740994 7 "
    claim_says "but the record is rejected with its number" "9007199254740993 is a whole number beyond 2^53, and beside a fraction"
done
claim "and half of them are not rejected" test "$(cat csv.1 | wc -l)" -gt 40
done_claims
