# Numbers in text columns of a German file: later stages read their true values.
#
# These are window, expression, features, labels, and Lua, behind a sort and a merge. awk computes the truth from whole
# cents.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
# Each amount in three ways: 1.234,50 and 1234.50 and, for awk, cents. Some are whole: 1.234, which with a point is
# another number.
awk 'BEGIN { srand(7); print "t;stadt;betrag" >"de.csv"; print "t,stadt,betrag" >"us.csv"
    for (i = 0; i < 4000; i++) {
        c = int(rand() * rand() * 5000000); if (rand() < .5) c = c - c % 100
        e = int(c / 100); k = c % 100
        whole = e >= 1000 ? sprintf("%d.%03d", e / 1000, e % 1000) : e
        city = rand() < .4 ? "Köln" : "Ulm"; t = 1700000000 + i
        print t ";" city ";" whole (k ? sprintf(",%02d", k) : "") >"de.csv"
        printf "%d,%s,%d.%02d\n", t, city, e, k >"us.csv"
        print t, city, c >"cents"
    } }'
claim "the file has whole numbers with a dot" grep -q ';[0-9]*\.[0-9]*$' de.csv
cat >c.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function read(path, de)
  return { leat.source.file { path },
    leat.parse.csv { delimiter = de and ";" or ",", decimal = de and (a.decimal or ",") or nil, thousands = de and (a.thousands or ".") or nil } }
end
local how = {
  window = { leat.parse.time { column = "t", format = "unix" },
    leat.window { columns = { "count", "sum(betrag)", "max(betrag)", "mean(betrag)" }, by = "stadt", every = "1000s" } },
  by = { leat.parse.time { column = "t", format = "unix" },
    leat.window { columns = { "count" }, by = { "stadt", "betrag" }, every = "100000s" }, leat.shape.set { "x = betrag * 100 * count" } },
  set = { leat.shape.set { "x = betrag * 100", "y = number(trim(betrag)) * 100", "z = number(if(stadt == 'Ulm', betrag, '7')) * 100", "w = coalesce(betrag, stadt) + 0" } },
  copy = { leat.shape.set { "q = betrag", "x = q * 100" }, leat.shape.set { "y = q * 100" } },
  place = { leat.shape.set { "betrag = replace(replace(betrag, '.', ''), ',', '.')", "x = betrag * 100" }, leat.shape.set { "y = betrag * 100" } },
  where = { leat.shape.where "betrag > 10000" },
  sort = { leat.parse.time { column = "t", format = "unix" }, leat.sort_window { lateness = "5s" }, leat.shape.set { "x = betrag * 100" } },
  lua = { leat.map(function(x) return x * 100 end, { "betrag:number" }, { "x:number" }) },
  luaplace = { leat.map(function(x) return x * 2 end, { "betrag:number" }), leat.shape.set { "x = betrag * 50" } },
  reservoir = { leat.shape.reservoir { k = 100000 }, leat.shape.set { "x = betrag * 100" } },
}
local last = leat.sink.file { path = "out", format = "csv" }
local data = a.merge and leat.merge { read("de.csv", true), read("us.csv", false) } or read(a.us and "us.csv" or "de.csv", not a.us)
if a.model then
  return leat.pipeline "c" { data, leat.label.quantile { column = "betrag", q = 0.7 },
    leat.feature.columns { "stadt", numbers = { "betrag" } }, leat.learn.logistic {}, leat.sink.predictions { path = "out", format = "csv" } }
end
return leat.pipeline "c" { data, how[a.how], a.profile and leat.sink.profile { path = "out", format = "csv" } or last, max_reject_ratio = 1 }
LUA
run() { rm -f out; leat_run run c.lua --quiet --summary s.json "$@"; }
# Column N of the output as a whole number. A text with a comma stands in quotes.
column() { sed '1d; s/"[^"]*"/q/g' out | awk -F, -v n="$1" -v by="${2:-1}" '{ printf "%.0f\n", $n * by }'; }
cents() { awk '{ print $3 }' cents; }

run --set how=window
claim_exit "a window of a text column ends well" 0
claim "its sums, greatest values and means are those of the cents" diff \
    <(awk -F, 'NR > 1 { printf "%s %d %.0f %.0f %.4f\n", $2, $3, $4 * 100, $5 * 100, $6 }' out | sort) \
    <(awk '{ w = int($1 / 1000); k = w " " $2; n[k]++; sum[k] += $3; if ($3 > max[k]) max[k] = $3 }
        END { for (k in n) { split(k, a, " "); printf "%s %d %.0f %.0f %.4f\n", a[2], n[k], sum[k], max[k],
        sum[k] / n[k] / 100 } }' cents | sort)
run --set how=set
claim_exit "expressions of the column end well" 0
claim "they calculate with the numbers that are written" diff <(column 4) <(cents)
claim "also with number(trim(…))" diff <(column 5) <(cents)
claim "or with if" diff <(column 6) <(awk '{ print $2 == "Ulm" ? $3 : 700 }' cents)
claim "or with coalesce" diff <(column 7 100) <(cents)
claim "and the text stays as it is written" diff <(sed 1d out |
    sed 's/^[^,]*,[^,]*,\("[^"]*"\|[^,]*\),.*/\1/; s/"//g') <(sed '1d; s/.*;//' de.csv)
for how in copy:5 place:4 sort:4 lua:4 luaplace:4 reservoir:4; do
    run --set how="${how%:*}"
    claim_exit "${how%:*} ends well" 0
    claim "${how%:*}: a text that is copied, replaced, sorted or read by Lua is the same number" \
        diff <(column "${how#*:}") <(cents)
done
run --set how=place
claim "and where it is replaced, the next stage reads what it has become" diff <(column 5) <(cents)
run --set how=by
claim "a key of a window is the number that it was" equal "$(sed 1d out | sed 's/"[^"]*"/q/g' |
    awk -F, '{ s += $5 } END { printf "%.0f", s }')" "$(awk '{ s += $3 } END { printf "%.0f", s }' cents)"
run --set how=where
claim "a condition compares numbers" equal "$(json .records)" "$(wc -l <cents)"
claim "and keeps those above" equal "$(sed 1d out | wc -l)" "$(awk '$3 > 1000000' cents | wc -l)"
run --set how=where --set profile=1
claim "a profile has the numbers" grep -q 'betrag,number' out
# Whatever a model makes of the German file, it makes of the same numbers with a point.
run --set model=1
mv out de.out
run --set model=1 --set us=1
claim "labels and features of both files are the same" cmp <(cut -d, -f3- de.out) <(cut -d, -f3- out)
claim "of which there are some" test "$(wc -l <out)" -gt 4000

# ---- what is no number ----
printf 't;stadt;betrag\n1;Ulm;1.5\n2;Ulm;1.234,5\n' >de.csv
run --set how=set
claim_says "a text that is none in this writing is rejected, which is said" \
    "'1.5' is not a number with decimal = \",\" and thousands = \".\""
printf 't;stadt;betrag\n1;Ulm;1.234,5\n2;Ulm;1,5\n' >de.csv
cat >d.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "d" { leat.source.file "de.csv", leat.parse.csv { delimiter = ";", decimal = "," },
  leat.parse.time { column = "t", format = "unix" }, leat.window { columns = { "sum(betrag)" }, every = "10s" }, leat.sink.file { path = "out", format = "csv" }, max_reject_ratio = 1 }
LUA
leat_run run d.lua --quiet
claim_says "with the cure" 'set thousands = "."'

# ---- a merge of two writings ----
printf 't;stadt;betrag\n1;Ulm;1.234\n2;Ulm;17\n' >de.csv
printf 't,stadt,betrag\n1,Ulm,1.5\n2,Ulm,25\n' >us.csv
run --set merge=1 --set how=set
claim "what is the same number in both is taken" equal "$(sed 1d out | cut -d, -f4 | sort | tr '\n' ' ')" "1700 2500 "
claim_says "and what is not is rejected, with the cure" 'not a number for sure' \
    'name it in `numbers` of the parsers'
done_claims
