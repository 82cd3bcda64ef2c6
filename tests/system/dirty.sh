# Files of spreadsheets and old programs: other encodings, other forms of numbers, rows with too many or too few fields.
. "$(dirname "$0")/../support/claims.sh"
home=$PWD
cd "$tmp" || exit 1
awk 'BEGIN { srand(3); print "stadt;art;betrag"; for (i = 0; i < 5000; i++)
    printf "%s;%s;%d.%03d,%02d\n", rand() < .5 ? "Köln" : "Würzburg", rand() < .3 ? "groß" : "\"klein; fein\"",
    1 + rand() * 900, rand() * 1000, rand() * 100 }' >u.csv
sed 's/Köln/„Köln” 5 €/' u.csv | iconv -f UTF-8 -t WINDOWS-1252 >windows-1252.csv
iconv -f UTF-8 -t ISO-8859-1 u.csv >latin-1.csv
iconv -f UTF-8 -t UTF-16 u.csv >utf-16.csv
iconv -f UTF-8 -t UTF-16LE u.csv >utf-16le.csv
iconv -f UTF-8 -t UTF-16BE u.csv >utf-16be.csv
cat >c.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "c" {
  leat.source.file { a.path, encoding = a.encoding, max_record = a.max_record },
  leat.parse.csv { delimiter = a.delimiter or ";", numbers = a.numbers, decimal = a.decimal, thousands = a.thousands, extra = a.extra, short = a.short },
  leat.sink.file { path = "out", format = "csv" },
  max_reject_ratio = 1,
}
LUA
read_it() { leat_run run c.lua --quiet --summary s.json "$@"; }

# ---- encodings ----
read_it --set path=u.csv
mv out wanted
for encoding in latin-1 utf-16 utf-16le utf-16be; do
    read_it --set path=$encoding.csv --set encoding=$encoding
    claim "text in $encoding becomes the same records as UTF-8" cmp out wanted
    gzip -kf $encoding.csv
    read_it --set path=$encoding.csv.gz --set encoding=$encoding
    claim "compressed, too ($encoding)" cmp out wanted
    read_it --set path=- --set encoding=$encoding < <(cat $encoding.csv)
    claim "and from a pipe ($encoding)" cmp out wanted
done
read_it --set path=windows-1252.csv --set encoding=windows-1252
claim "text in windows-1252 has its quotes and its euro sign" cmp <(sed 's/„Köln” 5 €/Köln/' out) wanted
read_it --set path=utf-16.csv
claim_says "text in UTF-16 that is not said to be so is refused with the cure" 'the first bytes of utf-16.csv show text in UTF-16' \
    '--set encoding=utf-16'
head -c 2001 utf-16le.csv >half.csv
read_it --set path=half.csv --set encoding=utf-16le
claim_says "half a character at the end is told" "half.csv is not all in utf-16le: 1 characters are invalid"
leat_run check c.lua --set path=u.csv --set encoding=latin1
claim_says "an encoding that does not exist is told with what was meant" 'did you mean "latin-1"'

head -c 40000 utf-16.csv >grows.csv
rm -f out
leat_run run c.lua --quiet --state s --set path=grows.csv --set encoding=utf-16 --set max_record=1KiB
tail -c +40001 utf-16.csv >>grows.csv
leat_run run c.lua --quiet --state s --set path=grows.csv --set encoding=utf-16 --set max_record=1KiB
claim "a run continues in the middle of UTF-16, and loses nothing of the record that was cut" \
    equal "$(grep -c . out) $(grep -vcxFf wanted out)" "$(grep -c . wanted) 0"

# ---- numbers ----
awk -F';' 'NR > 1 { gsub("[.]", "", $NF); sub(",", ".", $NF); printf "%.2f\n", $NF }' u.csv >amounts
amounts() { awk -F, 'NR > 1 { printf "%.2f\n", $NF }' out; }
read_it --set path=u.csv --set numbers=betrag --set decimal=, --set thousands=.
claim "decimal commas and groups of thousands are numbers" cmp <(amounts) amounts
sed 's/[.]\([0-9]*,\)/ \1/' u.csv >french.csv
read_it --set path=french.csv --set numbers=betrag --set decimal=, --set "thousands= "
claim "groups between blanks, too" cmp <(amounts) amounts
sed $'s/[.]\\([0-9]*,\\)/\xc2\xa0\\1/' u.csv >nbsp.csv
read_it --set path=nbsp.csv --set numbers=betrag --set decimal=, --set "thousands= "
claim "and between blanks that do not break" cmp <(amounts) amounts
leat_run run c.lua --set path=u.csv --set numbers=betrag
claim_says "a number of another country is told with the cure" \
    'is not a number: --set decimal=, and --set thousands=. if it is a number'
read_it --set path=u.csv --set numbers=betrag --set decimal=, --set thousands=.
printf 'a;b\n1.5;2\n1.500;3\n' >few.csv
printf 'a\n1,5\n138.682\n1.5\n' >dots.csv
read_it --set path=dots.csv --set numbers=a --set decimal=,
claim_says "a dot between thousands beside a decimal comma is told" \
    "'138.682' is not a number: --set thousands=. if that dot is between thousands"
claim "and a dot that is none is not" equal "$(grep -c "'1.5' is not a number$" "$err")" 1
leat_run run c.lua --set path=few.csv --set numbers=a --set decimal=, --set thousands=.
claim "a group of fewer digits than three is no number" equal "$(cat out)" "$(printf 'a,b\n1500,3')"
claim_says "but rejected" "few.csv:2 (byte 4)" "'1.5' is not a number"
leat_run check c.lua --set path=few.csv --set decimal=. --set thousands=.
claim_says "one text for both is refused" "thousands: '.' is also the decimal mark: --set decimal=,"
leat_run check c.lua --set path=few.csv --set decimal=x
claim_says "so is another one" "decimal: 'x' is not a decimal mark"

# ---- ragged rows ----
printf 'a;b;c\n1;2;3\n4;5;6;\n7;8\n9;10;11;12\n\n' >ragged.csv
leat_run run c.lua --set path=ragged.csv
claim "a delimiter after the last field is taken, other ragged rows are not" equal "$(cat out)" "$(printf \
    'a,b,c\n1,2,3\n4,5,6')"
claim_says "which is told once, with the cures" "1 of the rows end with a delimiter after the last field" \
    'the row has 2 fields and must have 3 (or --set short=fill)' \
    'the row has 4 fields and must have 3 (or --set extra=ignore)'
leat_run run c.lua --set path=ragged.csv --set extra=ignore --set short=fill --set numbers=c
claim "both can be taken" equal "$(cat out)" "$(printf 'a,b,c\n1,2,3\n4,5,6\n7,8,\n9,10,11')"
claim_says "and are counted" "rows with too many fields: 1 (the extra fields were ignored); rows with too few: 1"

# ---- peek ----
commands() {
    local line n=0
    while read -r line; do
        (cd "$home" && eval "${line/leat /\"\$LEAT\" } --quiet" >/dev/null 2>"$tmp/why") ||
            { echo "$line"; cat "$tmp/why"; return 1; }
        n=$((n + 1))
    done < <(grep -E '^  leat (explain|compare|pairs|classify|regress|rate) ' "$err")
    ((n > 0))
}
for file in latin-1 utf-16 utf-16le utf-16be windows-1252; do
    leat_run peek "$tmp/$file.csv" --json
    claim_says "peek finds the encoding of $file" "its text is in $file: set encoding = $file" \
        "numbers with ',' before the fraction and '.' between thousands (betrag)"
    claim "and reads it ($file)" equal "$(jq -c '.columns[] | select(.column == "betrag") | .type' "$out")" '"number"'
    claim "and its commands work ($file)" commands
done
leat_run peek "$tmp/u.csv"
claim "UTF-8 is taken for what it is" test -z "$(grep encoding "$err")"

# ---- columns that no later stage names ----
cd "$tmp" || exit 1
# A sink, a route, a filter and a tee read some columns of 5; the rows that come out, and the dead letters, are those
# of a pipeline that reads all columns.
awk 'BEGIN { srand(8); print "a,b,c,d,e"; for (i = 0; i < 3000; i++)
    printf "%s,%s,%s,%s,%s%s\n", rand() < .2 ? "" : "x" int(rand() * 3), rand() < .3 ? "\"q\"\"" i " \"" : i,
    rand() < .02 ? "oops" : int(rand() * 90), "long text " rand(), i % 7, rand() < .02 ? ",more" : "" }' >five.csv
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function to(name, columns) return leat.sink.file { path = name, format = "csv", columns = a.all == nil and columns or nil } end
return leat.pipeline "read" {
  leat.source.file { "five.csv" }, leat.parse.csv { numbers = { "c" } },
  max_reject_ratio = 1, dead_letters = "dead", batch_rows = a.rows,
  leat.tee {
    { leat.route("e", { ["1"] = { leat.filter(function(a) return a ~= "x1" end, { "a" }), to("some", { "b", "d" }) }, ["*"] = { leat.sink.null {} } }) },
    { to("rest", { "e" }) },
  },
}
LUA
leat_run run read.lua --quiet --set all=yes
for name in some rest dead; do mv $name all_$name; done
for rows in 1 50 5000; do
    leat_run run read.lua --quiet --set rows=$rows
    claim "cells that are read are the same if others are not (rows $rows)" \
        cmp some <(cut -d, -f2,4 all_some)
    claim "in each branch" cmp rest <(cut -d, -f5 all_rest)
    claim "and a wrong number that nobody reads is a dead letter" \
        cmp <(jq -S 'del(.time)' dead) <(jq -S 'del(.time)' all_dead)
done
claim "of which there are some" test "$(grep -c oops dead)" -gt 10

done_claims
