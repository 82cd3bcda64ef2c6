# Conditions and expressions of --set: numbers as in the file, names that need backquotes, whole numbers beyond 2^53.
. "$(dirname "$0")/../support/claims.sh"

# The same table as in Germany and as in C, with the amounts 1500,50, 2.261,50, …; awk knows them without reading
# either.
awk -v de="$tmp/de.csv" -v c="$tmp/c.csv" 'BEGIN { print "Datum;Größe;Betrag;Ort;unit price" >de;
    print "Datum;Größe;Betrag;Ort;unit price" >c
    for (i = 0; i < 3000; i++) { cents = i * 7919 % 900000; if (i % 3 == 0) cents -= cents % 100;
    whole = int(cents / 100); f = cents % 100
        text = whole >= 1000 ? int(whole / 1000) "." sprintf("%03d", whole % 1000) : whole
        printf "%02d.02.2024;%d,5;%s;O%d;1.%03d,00\n", i % 28 + 1, i % 4, f ? text sprintf(",%02d", f) : text, i % 5,
        i % 1000 >de
        printf "%02d.02.2024;%d.5;%s;O%d;1%03d\n", i % 28 + 1, i % 4, f ? whole sprintf(".%02d", f) : whole, i % 5,
        i % 1000 >c } }'
explain() { leat_run run pipelines/explain.lua --quiet --set attributes=Ort --set delimiter=';' \
    --summary "$tmp/s.json" "$@"; }
german=(--set data="$tmp/de.csv" --set decimal=, --set thousands=.)
outliers() { jq -r '.asked | capture("^(?<n>[0-9,]+) of [0-9,]+ records \\([0-9.]+ %\\) have ").n | gsub(","; "")' "$tmp/s.json"; }

# alike CONDITION AWK: as many outliers as awk finds in the plain file, of both
alike() {
    local n
    n=$(awk -F';' "NR > 1 && ($2)" "$tmp/c.csv" | wc -l)
    explain --set data="$tmp/c.csv" --set outlier="$1"
    claim "$1: $n outliers" equal "$(outliers) $(json .rejected)" "$n 0"
    explain "${german[@]}" --set outlier="$1"
    claim "also with a decimal comma" equal "$(outliers) $(json .rejected)" "$n 0"
}
alike 'Betrag > 5000' '$3 > 5000'
alike 'number(Betrag) > 5000' '$3 > 5000'
alike 'coalesce(number(Betrag), 0) > 5000' '$3 > 5000'
alike 'floor(Betrag) == 2000' 'int($3) == 2000'
alike 'max(100, Betrag, `unit price`) > 5000' '$3 > 5000'
alike 'Betrag * 2 > `unit price` + 5000' '$3 * 2 > $5 + 5000'
alike 'Größe > 2' '$2 > 2'
alike 'Größe == 2.5 and Ort == "O3"' '$2 == 2.5 && $4 == "O3"'
alike 'substring(Datum, 1, 2) > 14' 'substr($1, 1, 2) > 14'
explain "${german[@]}" --set outlier='Betrag > 5000' --set filter='contains(Betrag, ",")' --set attributes=Ort
claim "a column may be a number here and a text there" equal "$(outliers)" "$(awk -F';' \
    'NR > 1 && $3 ~ /\./ && $3 > 5000' "$tmp/c.csv" | wc -l)"
claim "which needs no warning" sh -c "! grep -q 'decimal point' '$err'"
explain "${german[@]}" --set outlier='größer > 10000' --set derive='größer=Betrag * 2'
claim "a new column may be named in any language" equal "$(outliers)" "$(awk -F';' 'NR > 1 && $3 > 5000' "$tmp/c.csv" |
    wc -l)"
explain "${german[@]}" --set outlier='before(Betrag, ",") > 5000'
claim "a part of a text has the thousands of the file" equal "$(outliers)" "$(awk -F';' \
    'NR > 1 && $3 ~ /\./ && int($3) > 5000' "$tmp/c.csv" | wc -l)"
apart=$(awk -F';' 'NR > 1 && int($3) >= 5001' "$tmp/c.csv" | wc -l)
explain "${german[@]}" --set outlier='number(replace(replace(Betrag, ".", ""), ",", ".")) >= 5001'
claim "what has been made plain is read as it is" equal "$(outliers)" "$apart"

refused() { # WORDS CONDITION TEXT…
    explain "${german[@]}" --set outlier="$2"
    claim_exit "$1 is refused" 2
    claim_says "and told" "${@:3}"
}
refused "a constant with thousands" 'Betrag > 5.000' \
    "5.000 has a decimal point in an expression: write 5000, or 5.0000 for the fraction"
refused "one with more" 'Betrag > 1.234.567' "write 1234567"
refused "a constant with a comma" 'Betrag > 5000,5' "5000,5 is written 5000.5 in an expression"
refused "one with both" 'Betrag > 15000.5 or Betrag < 0,5' "0,5 is written 0.5 in an expression"
explain --set data="$tmp/c.csv" --set outlier='Betrag > 5,000'
claim_says "thousands of a file that has none are told, too" "5,000 is written 5000 in an expression"

refused "a name with a blank" 'unit price > 3' "did you mean \`unit price\`"
refused "one in brackets" 'column["unit price"] > 3' "between backquotes" \
    "column 'unit price' is written \`unit price\`"
refused "a column that is near" 'Grösse > 3' "there is no column 'Grösse': did you mean 'Größe'?"
refused "a sign of a word processor" 'Betrag ≥ 5000' "expressions do not have ≥: write >="
refused "quotes of one" 'Ort == “O1”' "expressions do not have “: write \""
printf 'unit-price;2024 total;Ort\n1;2;a\n' >"$tmp/names.csv"
explain --set data="$tmp/names.csv" --set outlier='unit-price > 3'
claim_says "a name with a hyphen is told" "there is no column 'unit'" "\`unit-price\`"
explain --set data="$tmp/names.csv" --set outlier='2024 total > 3'
claim_says "one that begins with digits, too" "column '2024 total' is written \`2024 total\`"

# ---- whole numbers beyond 2^53 ----

{ echo "id;Ort" && for i in 2 3 4 5; do for _ in {1..10}; do echo "900719925474099$i;O$i"; done; done; } >"$tmp/ids.csv"
sed '1d; s/^\(.*\);\(.*\)$/{"id":\1,"Ort":"\2"}/' "$tmp/ids.csv" >"$tmp/ids.jsonl"
of_ids() { # of_ids CONDITION N
    for data in ids.csv ids.jsonl; do
        leat_run run pipelines/explain.lua --quiet --set attributes=Ort --set delimiter=';' --summary "$tmp/s.json" \
            --set data="$tmp/$data" --set outlier="$1"
        claim "$data: $1 is true for $2" equal "$(outliers)" "$2"
    done
}
of_ids 'id == 9007199254740993' 10
of_ids 'id ~= 9007199254740993' 30
of_ids 'id > 9007199254740993' 20
of_ids 'id + 1 == 9007199254740994' 10
of_ids 'id % 10 == 3' 10
of_ids 'id // 2 == 4503599627370496' 20
of_ids 'id - 9007199254740990 == 3' 10
of_ids '-id < -9007199254740994' 10
refused "a constant beyond 2^63" 'Betrag > 12345678901234567890123' \
    "a text is a whole number only up to 2^63: compare texts"
printf 'none;O1\n9007199254740993;O1\n;O1\n' >>"$tmp/ids.csv"
leat_run run pipelines/explain.lua --set attributes=Ort --set delimiter=';' --summary "$tmp/s.json" \
    --set data="$tmp/ids.csv" --set outlier='id == 9007199254740993' --set missing_texts=
claim_says "a text that is none is rejected" "'none' is not a number"
claim "and one that is empty is left out" equal "$(json .rejected) $(stage outlier filtered) $(outliers)" "1 1 11"

# Whole numbers beyond 2^53, each with its neighbours; what holds is known from their order in the file, not from
# numbers.
printf 'p,k\n-9223372036854775807,1\n9007199254740992,2\n9007199254740993,3\n9223372036854775806,4\n9223372036854775807,5\n9223372036854775808,6\n' >"$tmp/ids.csv"
cat >"$tmp/ids.lua" <<'LUA'
local leat = require "leat"
local a = leat.args
local column, op, y = a.column, a.op, math.tointeger(a.y) or tonumber(a.y)
return leat.pipeline "ids" {
  leat.source.file { a.data }, leat.parse.csv {},
  a.where and leat.shape.where { a.where } or leat.batch(function(b) b:where(column, op, y) end),
  leat.sink.file { path = a.to, format = "csv" },
}
LUA
# ids ROWS ARGS…: these rows remain
ids() {
    local rows=$1
    shift
    leat_run run "$tmp/ids.lua" --set data="$tmp/ids.csv" --set to="$tmp/k" --quiet "$@"
    claim "$*: rows $rows" equal "$status $(awk -F, 'NR > 1 { printf "%s", $2 }' "$tmp/k")" "0 $rows"
}
ids 5 --set where='p == 9223372036854775807'
ids 5 --set where='p in (9223372036854775807)'
ids 35 --set where='p in (9223372036854775807, 9007199254740993)'
ids 1246 --set where='p not in (9223372036854775807, 9007199254740993)'
ids 1 --set where='p in (-9223372036854775807)'
ids 3 --set where='p == 9007199254740993.0'
ids 3 --set where='p in (9007199254740993.0)'
ids 3 --set column=p:number --set op='==' --set y=9007199254740993
ids 12456 --set column=p:number --set op='~=' --set y=9007199254740993
ids 456 --set column=p:number --set op='>' --set y=9007199254740993
ids 56 --set column=p:number --set op='>=' --set y=9223372036854775807
ids 12345 --set column=p:number --set op='<=' --set y=9223372036854775807
for number in 9.007199254740993e15 9007199254740993.5; do
    leat_run check "$tmp/ids.lua" --set data="$tmp/ids.csv" --set to="$tmp/k" --set where="p == $number"
    claim_exit "$number is another number, and refused" 2
    claim_says "with what to write" "beyond 2^53 different whole numbers count as equal"
    leat_run check pipelines/explain.lua --set data="$tmp/ids.csv" --set outlier="p == $number"
    claim_exit "by outlier, too" 2
done
for number in 1e18 9007199254740992.0 2.5e15; do
    leat_run check "$tmp/ids.lua" --set data="$tmp/ids.csv" --set to="$tmp/k" --set where="p == $number"
    claim_exit "$number is what it says" 0
    leat_run check pipelines/explain.lua --set data="$tmp/ids.csv" --set outlier="p == $number" --set attributes=k
    claim_exit "for outlier, too" 0
done

# A script chooses columns by the truth of a condition in a sample. It must be that of the run, also for odd numbers.
{
    echo a,b
    for a in 0x10 1e3 ' 7' +5 -0 007 inf nan 5 12.50 '' true abc ABC é .5 5. 1e400 NA '"1,5"'; do
        for b in 0x10 5 '' -3e2 true; do echo "$a,$b"; done
    done
} >"$tmp/odd.csv"
cat >"$tmp/odd.lua" <<'LUA'
local leat = require "leat"
local look = require("leat.sampled").csv(leat.args.data)
local holds = require("leat.sampled_conditions").of(look, leat.args.condition)
for _, row in ipairs(look.rows) do io.stdout:write(row[1]:gsub(",", ";"), ",", row[2], ",", tostring((holds(row))), "\n") end
return leat.pipeline "odd" {
  leat.source.file { leat.args.data }, leat.parse.csv {}, leat.shape.set { "r = coalesce(text(" .. leat.args.condition .. "), 'nil')" },
  leat.sink.file { path = leat.args.to, format = "csv" }, max_reject_ratio = 1,
}
LUA
while IFS= read -r condition; do
    leat_run run "$tmp/odd.lua" --quiet --set data="$tmp/odd.csv" --set to="$tmp/odd.run" --set condition="$condition"
    sed -i '1d; s/"1,5"/1;5/' "$tmp/odd.run"
    claim "of each record that a run takes, a sample knows the truth: $condition" test -s "$tmp/odd.run" -a \
        -z "$(grep -vxFf "$out" "$tmp/odd.run")"
    rejected=$(grep -vxFf "$tmp/odd.run" "$out" | grep -v 'nil$')
    claim "and nothing of others: $condition" test -z "$rejected"
    rm "$tmp/odd.run"
done <<'CONDITIONS'
a > 4
a == 5
a == b
a != 'abc'
not (a > 4)
number(a) > 4
number(a) > 4 or number(b) < 0
a not in ('abc', 'true')
length(a) > 2 and is_missing(b)
coalesce(number(a), 7) % 2 == 1
CONDITIONS
done_claims
