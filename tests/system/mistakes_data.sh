# Common faults of a pipeline's data, and of its functions: none is silent, and each message has the fault, the place
# and the cure.
. "$(dirname "$0")/../support/claims.sh"
check_refuses_too
cd "$tmp" || exit 1
mkdir logs sub
awk 'BEGIN { srand(2); split("Bonn Kiel Ulm", c, " "); print "city,kind,amount"
    for (i = 0; i < 300; i++) printf "%s,%s,%.2f\n", c[1 + int(rand() * 3)], rand() < .4 ? "c" : "d",
    2 + rand() * 300 }' >data.csv
cat >good.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" {
  leat.source.file { "data.csv" },
  leat.parse.csv { numbers = { "amount" } },
  leat.filter(function(amount) return amount > 1 end, { "amount" }),
  leat.label.is { column = "kind", positive = { "c" } },
  leat.feature.columns { "city" },
  leat.learn.awm { id = "model", budget = "32KB" },
  leat.sink.top { k = 5 },
}
LUA

# mistake "words" "EDITS of good.lua" CODE TEXT…: run ends with CODE and says TEXT, whatever is quiet.
mistake() {
    local words=$1 code=$3
    sed -e "$2" good.lua >m.lua
    shift 3
    leat_run run m.lua --quiet
    claim_exit "$words: run ends with $code" "$code"
    claim_says "$words: the message helps" "$@"
}
# file NAME "words" CODE TEXT…: the good script on another file.
file() {
    local name=$1 words=$2
    shift 2
    mistake "$words" "s/data.csv/$name/" "$@"
}
mistake "no mistake" '' 0
claim "a run without a mistake says nothing" test ! -s "$err"

# ---- files ----

file nofile.csv "a wrong path" 1 \
    "m.lua:3: error: file (source.file): path: cannot read nofile.csv: No such file or directory"
claim "a name that only ends alike is not meant" sh -c "! grep -q 'did you mean' '$err'"
file dta.csv "a misspelt path" 1 "cannot read dta.csv: No such file or directory: did you mean 'data.csv'?"
file 'no\/*.csv' "a pattern in no folder" 1 "no file matches no/*.csv: there is no folder no"
file 'log\/*.csv' "a pattern in a misspelt folder" 1 \
    "no file matches log/*.csv: there is no folder log: did you mean 'logs'?"
file 'sub\/*.csv' "a pattern in a folder without files" 1 "no file matches sub/*.csv: sub has no files"
file 'l*s\/*.csv' "a pattern of folders that matches nothing" 1 "no file matches l*s/*.csv: check the pattern"
file sub "a directory without files" 1 "cannot read sub: it is a directory, and has no files"
: >sub/x.csv.gz
file sub "a directory" 1 "cannot read sub: it is a directory: give its files, \"sub/*.csv.gz\""
file 'sub\/a*' "a pattern that matches no file of its folder" 1 \
    "no file matches sub/a*: sub has 1 file, such as x.csv.gz"
if [ "$(id -u)" != 0 ]; then
    cp data.csv mine.csv && chmod 0200 mine.csv
    file mine.csv "a file that may not be read" 1 "cannot read mine.csv: Permission denied for user $(id \
        -un); the file is $(id -un)'s, with mode 200: change that (chmod), or the user"
fi
mistake "an output folder that is missing" 's/k = 5/path = "nodir\/o"/' 1 \
    "cannot open nodir/o: No such file or directory: make the folder nodir first"
head -c 60 data.csv >damaged.csv.gz
file damaged.csv.gz "a name that says gzip" 1 "damaged.csv.gz does not begin like gzip data, though its name says so"
cp data.csv logs/a.csv
{ echo kind,city,amount && sed 1d data.csv; } >logs/b.csv
yes "$(sed 1d data.csv)" | head -20000 | cat <(head -1 data.csv) - | gzip >whole.gz
head -c 600 whole.gz >cut.csv.gz
cut="cut.csv.gz: compressed data (gzip) ends early after [0-9]* bytes of text: get the whole file again"
file cut.csv.gz "compressed data that is cut" 1 "cut.csv.gz: compressed data (gzip) ends early after " \
    "bytes of text: get the whole file again"
leat_run check m.lua
claim_exit "check finds it where it is near" 1
claim "and says the same" grep -q "m.lua:3: error: file (source.file): $cut" "$err"
{ head -c 400 whole.gz && head -c 100 /dev/zero && tail -c +501 whole.gz; } >hurt.csv.gz
file hurt.csv.gz "compressed data that is damaged" 1 "hurt.csv.gz: compressed data (gzip) is damaged after " \
    ". Get the file again (gzip -t tests it); records before the damage may also be wrong"
file 'logs\/*.csv' "headers that differ" 1 \
    "the header of logs/b.csv differs from that of logs/a.csv: column 1 is 'kind', not 'city'" "join them by leat.merge"
claim "and before an answer" test ! -s "$out"
leat_run check m.lua
claim_exit "check compares the headers, too" 1
claim_says "and says the same" \
    "m.lua:3: error: file (source.file): the header of logs/b.csv differs from that of logs/a.csv: column 1 is 'kind', not 'city'"
# headers "words" HEADER of the second file, and what check says of it.
headers() {
    local words=$1
    { echo "$2" && sed 1d data.csv; } >logs/b.csv
    leat_run check m.lua
    claim_says "$words" "the header of logs/b.csv differs from that of logs/a.csv: $3"
}
headers "a header that lacks a column" city,kind "it ends before column 3, 'amount'; read files"
headers "a header of one column more" city,kind,amount,day "it has column 4 as well, 'day'; read files"
gzip -c logs/b.csv >logs/c.csv.gz && cp data.csv logs/b.csv
sed -i 's/logs.*csv"/logs\/*"/' m.lua && leat_run check m.lua
claim_says "a header that is compressed" \
    "the header of logs/c.csv.gz differs from that of logs/a.csv: it has column 4 as well, 'day'"
printf 'city,ki' >logs/c.csv && rm logs/c.csv.gz && leat_run check m.lua
claim_exit "a file whose header is not whole yet is none of these" 0
rm logs/c.csv
leat_run run god.lua
claim_says "a misspelt script" "cannot open god.lua: No such file or directory: did you mean 'good.lua'?"

# ---- headers ----

: >empty.csv
file empty.csv "an empty file" 2 "empty.csv is empty" \
    "m.lua:4: error: csv (parse.csv): header: the input has no header, because it is empty or its first line is" \
    "set header = false and \`columns\`"
head -1 data.csv >header.csv
file header.csv "a header alone" 0 \
    "warning: file (source.file): header.csv ends with its header, in line 1: it has no records" \
    "warning: the input has no records (a header is not a record)"
cp data.csv hdata.csv && cp header.csv heady.csv
file 'h*d*.csv' "headers alone beside a file with records" 0 "header.csv ends with its header, in line 1" \
    "heady.csv ends with its header, in line 1"
claim "are told of once each" equal "$(grep -c "ends with its header" "$err")" 2
claim "and nothing else is" equal "$(grep -c warning "$err")" 2
rm hdata.csv heady.csv
sed 1d data.csv >nohead.csv
file nohead.csv "no header" 2 "m.lua:4: warning: csv (parse.csv): header: the header has the column name '" \
    "if the file has no header, set header = false and \`columns\`"
sed '1s/.*/city,2023,2024/' data.csv >years.csv
leat_run check <(sed 's/data.csv/years.csv/; s/"amount"/"2024"/g; s/"kind"/"2023"/; s/{ "c" }/{ "d" }/' good.lua)
claim "but years may be names" test ! -s "$err"
tr , ';' <data.csv >semicolons.csv
file semicolons.csv "semicolons" 2 \
    "m.lua:4: warning: csv (parse.csv): delimiter: the header has only one name, 'city;kind;amount': if ';' separates the names, set delimiter = \";\"" \
    "numbers: the input has no column 'amount' (columns: city;kind;amount)"
tr , '\t' <data.csv >tabs.csv
file tabs.csv "tabs" 2 "if '\\t' separates the names, set delimiter = \"\\t\""
# alone "words" FILE "STAGES" ERROR: check of these stages on the file says this error and no other.
alone() {
    printf 'local leat = require "leat"\nreturn leat.pipeline "p" {\n%s\nleat.parse.csv {},\n%s\n}\n' \
        "${2:+leat.source.file { \"$2\" \},}" "$3" >alone.lua
    leat_run check alone.lua
    claim_says "$1" "$4"
    claim "$1: and nothing that follows from it" equal "$(grep -c 'error: \|warning: ' "$err")" 1
}
where="leat.shape.where { \"kind == 'c'\" }, leat.sink.file { format = \"csv\" }"
learn='leat.label.is { column = "kind", positive = { "c" } }, leat.feature.columns { "city", "amount" }, leat.learn.awm { id = "m" }, leat.sink.top { of = "m" }'
for stages in "$where" "$learn"; do
    alone "semicolons" semicolons.csv "$stages" \
        "alone.lua:4: error: csv (parse.csv): delimiter: the header has only one name, 'city;kind;amount'"
    alone "tabs" tabs.csv "$stages" "alone.lua:4: error: csv (parse.csv): delimiter: the header has only one name"
    alone "a header that is none" nohead.csv "$stages" \
        "alone.lua:4: error: csv (parse.csv): header: the header has the column name '"
    alone "no source" '' "$stages" "alone.lua:4: error: csv (parse.csv): no records reach this stage"
done
sed '1s/.*/city,1.5,amount/' data.csv >odd.csv
leat_run check <(sed 's/data.csv/odd.csv/; s/"kind"/"1.5"/; s/{ "city" }/{ "citty" }/' good.lua)
claim_says "a header that is right, of which one name is misspelt" \
    "warning: csv (parse.csv): header: the header has the column name '1.5'" \
    "there is no column 'citty': did you mean 'city'?"
sed '1s/,/, /g' data.csv >blanks.csv
file blanks.csv "blanks in names" 2 \
    "numbers: the input has no column 'amount': did you mean ' amount'? (columns: city, ' kind', ' amount'); blanks around a name are part of it (set other names with \`columns\`)"
mistake "blanks in names that functions take" 's/data.csv/blanks.csv/; s/numbers = { "amount" }//' 2 \
    "columns: there is no column 'amount': did you mean ' amount'? (columns: city, ' kind', ' amount'); blanks around a name are part of it (set other names with \`columns\` of the parser)"
sed '2,$s/,/, /' data.csv >inside.csv
mistake "blanks around values" 's/data.csv/inside.csv/; s/positive = { "c" }/positive = { "c" }/' 0 \
    "positive: no record of this run has 'c' in column 'kind'; other texts of this column and their records: ' d' (" \
    "Remove the blanks with trim in shape.set, or give the texts with blanks"
printf 'Ann,red,dev\nAnn,red,ops\nBob,red,ops\nBob,blue,dev\n' >texts.csv
cat >texts.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { leat.args.data }, leat.parse.csv {}, leat.sink.file {} }
LUA
values="csv (parse.csv): names of the header are also values of their columns, such as 'Ann': if the file has no header, set header = false and \`columns\`"
leat_run check texts.lua --set data=texts.csv
claim_says "a header that is a row of texts" "texts.lua:2: warning: $values"
leat_run run texts.lua --quiet --set data=texts.csv
claim_says "and the run says it" "leat: warning: $values"
cat data.csv data.csv data.csv >thrice.csv
leat_run run texts.lua --quiet --set data=thrice.csv
claim "but a header that comes again is one" test ! -s "$err"
sed '1s/kind/city/' data.csv >twice.csv
file twice.csv "two columns of one name" 2 \
    "there are two columns named 'city': give them different names in the parser's \`columns\`"
leat_run explain twice.csv --metric amount
claim_says "in an application, with the arguments that tell them apart" "there are two columns named 'city': name each column once: $(
    )--columns city,city_2,amount --header true"
leat_run explain twice.csv --metric amount --columns city,city_2,amount --header true --quiet
claim_exit "which work as printed" 0
mistake "a misspelt column" 's/"city"/"citty"/' 2 \
    "m.lua:7: error: columns (feature.columns): columns: there is no column 'citty': did you mean 'city'? (columns: city, kind, amount)"
mistake "a misspelt column of numbers" 's/numbers = { "amount"/numbers = { "amuont"/' 2 \
    "numbers: the input has no column 'amuont': did you mean 'amount'?"
mistake "two names in one text" 's/{ "city" }/{ "city,kind" }/' 2 \
    "there is no column 'city,kind': give each name its own quotes, { \"a\", \"b\" } and not { \"a,b\" }"
leat_run run "$OLDPWD/pipelines/explain.lua" --set data=semicolons.csv --set metric=amount
claim_says "semicolons for an application" "leat: delimiter = ';', found in the heading"
leat_run run "$OLDPWD/pipelines/classify.lua" --set data=data.csv
claim_says "a CSV file for classify" \
    "error: name the column with the label, --set label=NAME, and the columns to learn from, --set attributes=a,b,c, or --set numbers=a,b,c for numbers (first line: city,kind,amount)"
classify() { leat_run run "$OLDPWD/pipelines/classify.lua" --quiet --set data="$1" "${@:2}"; }
columns="--set label=kind --set positive=c --set attributes=city"
# shellcheck disable=SC2086
classify data.csv $columns
claim_exit "a name that says CSV is enough" 0
mv "$out" named.out
for look in , ';' '\t'; do
    tr , "$look" <data.csv >plain
    # shellcheck disable=SC2086
    classify plain $columns
    claim_exit "a file that looks like CSV with $look is taken for it" 0
    claim "and the answer is that of CSV" equal "$(head -5 "$out")" "$(head -5 named.out)"
done
classify plain --set positive=c
claim_says "columns between tabs" \
    "error: data is columns between tabs, which has two meanings: give --set label=COLUMN for columns with a heading, or --set format=text"
printf '+1 3:1 4:2\n-1 3:1\n-1\n%.0s' 1 2 3 4 5 6 7 8 9 >examples
classify examples
claim_exit "examples are none" 0
classify examples --set attributes=city
claim_says "what is said of columns then is no unknown argument" \
    "error: attributes needs data with columns, but the format is libsvm by default: for CSV, --set format=csv"

# ---- JSON ----

# json_file "words" CODE TEXT…: parse.json, of the file that standard input becomes.
json_file() {
    local words=$1 code=$2
    cat >mistake.jsonl
    printf 'local leat = require "leat"\nreturn leat.pipeline "p" { leat.source.file { "mistake.jsonl" },\n  %s,\n  leat.sink.file { format = "csv" } }\n' "${parser:-leat.parse.json { \"a\" \}}" >m.lua
    shift 2
    leat_run run m.lua --quiet
    claim_exit "$words: run ends with $code" "$code"
    claim_says "$words: the message helps" "$@"
}
json_file "an array" 1 \
    "byte 1 is wrong: a { is expected, because a record is one JSON object: jq -c '.[]' writes the objects of an array as lines" <<<'[{"a": 1}, {"a": 2}]'
json_file "objects of several lines" 1 "mistake.jsonl:1 (byte 0)" \
    "to write each object on one line, use jq -c . for objects of several lines and jq -c '.[]' for an array; or set record_start of source.file" <<<$'{\n  "a": 1\n}'
json_file "CSV for parse.json" 1 \
    "byte 1 is wrong: a { is expected, because a record is one JSON object: the line looks like CSV: use parse.csv in place of this stage" <data.csv
json_file "a comma after each object" 1 \
    "byte 9 is wrong: text follows the object: remove the comma, because each line must be one object, not a part of an array" <<<'{"a": 1},'
json_file "the quotes of Python" 1 \
    "byte 2 is wrong: a key in quotes is expected, and ' is not a quote of JSON: write \", as Python's json.dumps does" <<<"{'a': 1}"
rows=$(for i in $(seq 20); do echo "{\"a\": $i, \"b\": 2}"; done)
parser='leat.parse.json { "a,b" }' json_file "two names in one text of JSON" 0 \
    "column 'a,b' is in none of the 20 records: give each name its own quotes, { \"a\", \"b\" } and not { \"a,b\" }" \
    <<<"$rows"
parser='leat.parse.json {}, leat.filter(function(a) return true end, { "a:num" })' json_file "a type that is none" 0 \
    "column 'a:num' is in none of the 20 records; did you mean 'a:number'? (types are number and text)" <<<"$rows"
parser='leat.parse.csv {}' json_file "JSON for parse.csv" 2 \
    "m.lua:3: error: csv (parse.csv): header: the first line is JSON, '{\"a\": 1, \"b\": 2}…': use parse.json in place of this stage" <<<"$rows"

# ---- encodings ----

sed 's/Bonn/Köln/' data.csv | iconv -f UTF-8 -t ISO-8859-1 >latin.csv
line=$(LC_ALL=C grep -n $'K\xf6ln' latin.csv | head -1 | cut -d: -f1)
file latin.csv "Latin-1" 0 \
    "warning: file (source.file): latin.csv:$line: column 'city': the text is not UTF-8 here (byte 0xf6): if it is Latin-1, set encoding = \"latin-1\""
claim "is said once" equal "$(grep -c "not UTF-8" "$err")" 1
claim "the byte is shown" grep -qF 'city=K\xf6ln' "$out"
{ cat data.csv; sed '1d; s/Bonn/Köln/' data.csv | iconv -f UTF-8 -t ISO-8859-1; sed '1d; s/Bonn/Küln/' data.csv |
    iconv -f UTF-8 -t ISO-8859-1; } >two.csv
mistake "two names that differ in such a byte" 's/data.csv/two.csv/; s/k = 5/k = 9/' 0 \
    "two.csv:$((line + 300)): column 'city': the text is not UTF-8"
claim "are two features" grep -qF 'city=K\xfcln' "$out"
claim "and both are shown" grep -qF 'city=K\xf6ln' "$out"
{ cat data.csv; yes 'Bonn,d,7' | head -100000; LC_ALL=C printf '"a,\n\xfcber",c,5\n'; } >far.csv
file far.csv "a byte far from the beginning" 0 "far.csv:100303: column 'city': the text is not UTF-8 here (byte 0xfc)"
LC_ALL=C sed '1s/kind/k\xefnd/' data.csv >named.csv
leat_run check <(sed 's/data.csv/named.csv/; s/"kind"/"city"/; s/positive = { "c" }/positive = { "Bonn" }/' good.lua)
leat_run run <(sed 's/data.csv/named.csv/; s/"kind"/"city"/; s/positive = { "c" }/positive = { "Bonn" }/' good.lua) \
    --quiet
claim_says "a name of a column" "named.csv:1: column 'k" "nd': the text is not UTF-8 here (byte 0xef)"
{ sed 's/Bonn/Köln/' data.csv; LC_ALL=C printf 'K\xf6ln,c,5\n'; } >damaged.csv
file damaged.csv "a byte in a text of UTF-8" 0 \
    "damaged.csv:302: column 'city': the text is not UTF-8 here (byte 0xf6), but the text before it is: the byte is damaged, or the input has two encodings"
LC_ALL=C printf 'one\ntwo \xe9\n' >lines.txt
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { "lines.txt" }, leat.parse.lines {}, leat.sink.file {} }
LUA
leat_run run lines.lua --quiet
claim_says "a text without columns" \
    "lines.txt:2: the text is not UTF-8 here (byte 0xe9): if it is Latin-1, set encoding = \"latin-1\""
leat_run run "$OLDPWD/pipelines/explain.lua" --set data=latin.csv --set metric=amount --set attributes=city --quiet
claim_says "an application's encoding" \
    "latin.csv:$line: column 'city': the text is not UTF-8 here (byte 0xf6): if it is Latin-1, --set encoding=latin-1"
sed 's/Bonn/„Köln”/' data.csv | iconv -f UTF-8 -t WINDOWS-1252 >windows.csv
file windows.csv "the text of Windows" 0 "if it is text of Windows, set encoding = \"windows-1252\""
mistake "with the encoding that was named" 's/"data.csv"/"windows.csv", encoding = "windows-1252"/' 0
claim "there is no warning" test ! -s "$err"
{ head -1 data.csv && yes 'Köln,c,3.5' | head -60000; } >wide.csv
file wide.csv "UTF-8 that is cut into parts" 0
claim "nor one of UTF-8, wherever it is cut" test -z "$(grep UTF-8 "$err")"
iconv -f UTF-8 -t UTF-16 data.csv >utf-16.csv
file utf-16.csv "UTF-16" 1 "the first bytes of utf-16.csv show text in UTF-16: set encoding = \"utf-16\""
alone "UTF-16 that a condition reads" utf-16.csv "$where" \
    "alone.lua:3: error: file (source.file): the first bytes of utf-16.csv show text in UTF-16"
iconv -f UTF-8 -t UTF-16LE data.csv >utf-16le.csv
file utf-16le.csv "UTF-16 without a mark" 2 \
    "the name of column 1 has a zero byte, so the input is not UTF-8 text: if it is UTF-16, set encoding = \"utf-16le\""

# ---- values ----

sed '2,$s/[.].*/e400/' data.csv >huge.csv
file huge.csv "numbers that are too large" 1 "huge.csv:2 (byte 17): csv (parse.csv): column 'amount': '" \
    "e400' is too large: the largest number is 1.8e308" "mostly for nonfinite (300 of them), first huge.csv:2"
sed '2,$s/\([^,]*\)[.]\(..\)$/"\1,\2"/' data.csv >comma.csv
file comma.csv "decimal commas" 1 "' is not a number: set decimal = \",\" if that comma is before a fraction"
sed '2,$s/\([^,]*\)$/"1,123.50"/' data.csv >thousands.csv
file thousands.csv "thousands" 1 "'1,123.50' is not a number: set thousands = \",\" if it is a number"
# of a text column, which label.number reads
number() { file "$1" "$2" 1 "${@:3}"; }
sed -i.is 's/leat.label.is.*/leat.label.number { column = "amount" },/; s/leat.filter.*//; s/numbers = { "amount" }//' \
    good.lua
number comma.csv "decimal commas in a text column" \
    "' is not a number: for parse.csv give numbers = { \"amount\" }, and set decimal = \",\" if that comma is before a fraction"
number thousands.csv "thousands in a text column" \
    "'1,123.50' is not a number: for parse.csv give numbers = { \"amount\" }, and set thousands = \",\" if it is a number"
sed '2,$s/\([^,]*\)$/"1,123"/' data.csv >three.csv
number three.csv "a comma that may be either" \
    "'1,123' is not a number: for parse.csv give numbers = { \"amount\" }, and set thousands = \",\" if that comma is between thousands, or decimal = \",\" if it is before a fraction"
sed '2,$s/\([^,]*\)$/14 ms/' data.csv >units.csv
number units.csv "a unit" \
    "'14 ms' is not a number: remove the unit, by shape.set { \"amount = number(replace(amount, 'ms', ''))\" }"
leat_run run <(printf \
    'local leat = require "leat"\nreturn leat.pipeline "p" { leat.source.file { "units.csv" }, leat.parse.csv {},
    leat.shape.set { "amount = number(replace(amount, '"'ms', ''"'))" }, leat.sink.file { format = "csv", columns = { "amount" } } }\n') --quiet
claim "what that says helps" equal "$(sort -u "$out" | tr '\n' ' ')" "14 amount "
mv good.lua.is good.lua
cure="' is not a number: for parse.csv give numbers = { \"amount\" }, and set"
for read in 'leat.shape.where { "amount > 1" }' 'leat.shape.set { "twice = (amount) * 2" }' \
    'leat.filter(function(amount) return amount > 1 end, { "amount:number" })' \
    'leat.lua.batch { fn = function(b) b:where("amount:number", ">", 1) end }'; do
    for form in comma:'decimal = ","' thousands:'thousands = ","'; do
        mistake "${form%:*} read by ${read%% *}" \
            "s/leat.filter.*/${read//\//\\/},/; s/data.csv/${form%%:*}.csv/; s/numbers = { \"amount\" }//" 1 \
            "$cure ${form#*:}"
    done
    mistake "a number that is too large, read by ${read%% *}" \
        "s/leat.filter.*/${read//\//\\/},/; s/data.csv/huge.csv/; s/numbers = { \"amount\" }//" 1 \
        "e400' is too large: the largest number is 1.8e308"
done
mistake "a label that is text" 's/leat.label.is.*/leat.label.number { column = "kind" },/' 1 \
    "number (label.number): column 'kind': '" \
    "' is not a number: to label by texts use label.is with positive = { … }, or label.class with classes" \
    "all 300 records were rejected, mostly for number"
mistake "a positive text that never occurs" 's/{ "c" }/{ "zz" }/' 0 \
    "is (label.is): positive: no record of this run has 'zz' in column 'kind'; other texts of this column and their records: 'd' (" "Give texts that the column has, byte for byte"
mistake "min_risk_ratio of a learner that has none" 's/k = 5/min_risk_ratio = 2/' 0 \
    "min_risk_ratio: model does not have this for its features: leave the parameter out, or use a learner that counts by label"
# ---- what the stream does not have ----

said="math, utf8; "
mistake "a file that a function opens" 's/return amount > 1/return io.open("x") ~= nil/' 1 \
    "${said}read the file in the script, into a local variable that the function uses"
mistake "a date that a function asks for" 's/return amount > 1/return os.date("%F") > "2024"/' 1 \
    "${said}call it in the script, as in local today = os.date(\"%F\"); parse.time reads times of records"

# ---- records that no branch takes ----

cat >route.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" {
  leat.source.file { "data.csv" },
  leat.parse.csv {},
  leat.shape.where { "amount != ''" },
  leat.route("city", { Bonn = { leat.shape.where { "kind != ''" } }, Ulm = {} }),
  leat.merge(), leat.sink.null {},
}
LUA
sed 's|Ulm = {}|["*"] = {}|' route.lua >rest.lua
lost=$(sed -n '2,65p' data.csv | grep -c ^Kiel)
leat_run check route.lua
claim_exit "records that no branch takes are no error" 0
claim_says "check warns of them" \
    "route.lua:6: warning: route (leat.route): $lost of the first 64 records take no branch and are dropped: their value is not one of 'Bonn', 'Ulm' (it is, for example, 'Kiel'); add [\"*\"] = { … } to keep them"
leat_run run route.lua --quiet
claim_says "as the run does" "$(grep -c ^Kiel \
    data.csv) of 300 records took no branch and are dropped: their value is not one of 'Bonn', 'Ulm' (it is, for example, 'Kiel')"
leat_run check rest.lua
claim "with a rest nothing is said" test ! -s "$err"

# ---- answers that show nothing, or one side ----

counted='s/budget = "32KB"/budget = "32KB", counts = true/; s/k = 5'
mistake "a relative risk that no feature has" "$counted/min_risk_ratio = 3/" 0 \
    "warning: top (sink.top): min_risk_ratio = 3 leaves no feature of model: the largest relative risk is 1." " (city="
mistake "a count that no feature has" "$counted/min_count = 300/" 0 \
    "min_count = 300 leaves no feature of model: the most frequent one came in 1" " (city="
mistake "a share of the outliers that no feature has" "$counted/min_support = 0.9/" 0 \
    "min_support = 0.9 leaves no feature of model: the largest share of the outliers is 0.3" " (city="
{ echo city,kind,amount; awk \
    'BEGIN { for (i = 0; i < 200; i++) print (i % 10 ? "Bonn,d,5" : i % 20 ? "Kiel,c,5" : "Bonn,c,5") }'; } >few.csv
mistake "conditions that no feature meets together" \
    "$counted/min_count = 50, min_risk_ratio = 2/; s/data.csv/few.csv/" 0 \
    "no feature of model meets all of min_count = 50, min_risk_ratio = 2"
mistake "those that some meet" "$counted/min_count = 50/; s/data.csv/few.csv/" 0
claim "are nothing to be told of" test ! -s "$err"
awk 'BEGIN { srand(3); n = split("the quick brown fox jumps over lazy dog new", w, " ")
    for (i = 0; i < 2000; i++) { s = ""; for (k = 0; k < 8; k++) s = s " " w[1 + int(rand() * n)]; print s } }' \
        >words.txt
cat >pairs.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" {
  leat.source.file { "words.txt" }, leat.parse.lines {}, leat.feature.tokens { column = "text" }, leat.feature.pairs {},
  leat.learn.awm { id = "model", budget = "32KB", bias = "prior", counts = leat.args.risk ~= nil },
  leat.sink.top { k = 10, min_risk_ratio = tonumber(leat.args.risk) },
}
LUA
leat_run run pairs.lua --quiet
claim_says "a prior of made-up labels is told" \
    "pairs.lua:4: warning: model (learn.awm): bias: \"prior\" counts labels, but feature.pairs makes the examples of label -1 at random: set bias = \"none\""
claim "before what comes of it" sh -c "head -1 '$err' | grep -q 'bias: '"
claim_says "and so is what comes of it" \
    "warning: top (sink.top): all 10 features shown have negative weights: they speak against label +1; no kept feature has a positive weight"
leat_run run pairs.lua --quiet --set risk=2
claim_says "also where a condition leaves none of them" \
    "min_risk_ratio = 2 leaves no feature of model: the largest relative risk is 1"
{ echo y,a; awk 'BEGIN { for (i = 0; i < 20000; i++) print i % 199 ? "0,a" i % 9 : "1,b" i % 2 }'; } >rare.csv
cat >rare.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" {
  leat.source.file { "rare.csv" }, leat.parse.csv {}, leat.label.is { column = "y", positive = { "1" } }, leat.feature.columns { "a" },
  leat.learn.awm { id = "model", budget = "32KB", bias = "none" },
  leat.sink.top { k = 5, sign = leat.args.sign },
}
LUA
leat_run run rare.lua --quiet
claim_says "a label that is rare leaves weights of the other alone" \
    "all 5 features shown have negative weights: they speak against label +1; sign = \"positive\" shows features that speak for it"
leat_run run rare.lua --quiet --set sign=positive
claim "which it does" sh -c "grep -q 'a=b0' '$out' && ! test -s '$err'"

# ---- rows ----

awk 'NR == 1 || NR % 10 { print; next } { print $0 ",more" }' data.csv >ragged.csv
file ragged.csv "ragged rows" 0 "ragged.csv:10 (byte " \
    "the row has 4 fields and must have 3 (or set extra = \"ignore\")" \
    "warning: 30 of 300 records were rejected, all for fields"

# ---- functions ----

mistake "text that is compared with a number" 's/numbers = { "amount" }//' 1 \
    "attempt to compare number with string (column 'amount' is text here: write \"amount:number\")"
mistake "an index into a number" 's/amount > 1/amount.x/' 1 \
    "filter (lua.filter): m.lua:5: attempt to index a number value (local 'amount')"
sed '2,$s/^[^,]*//' data.csv >nocity.csv
mistake "text that is not there" \
    's/data.csv/nocity.csv/; s/numbers = { "amount" }//; s/{ "amount" })/{ "amount", "city" })/; s/function(amount) return amount > 1/function(a, city) return city:sub(1, 1) == "B"/' 1 \
    "attempt to index a nil value (local 'city') (column 'city' has no value here, and 'city' is nil: begin with if city == nil then return nil end)"
mistake "too many results" 's/leat.filter.*/leat.map(function(a) return a, a, 3 end, { "amount" }),/' 1 \
    "m.lua:5: the function returned 3 values for 1 column: return one for each, or name the columns in 'into'"
mistake "os.date" 's/amount > 1/os.date("%H")/' 1 \
    "attempt to index a nil value (global 'os') (a function in the stream sees no globals of the script, only its local variables and string, table, math, utf8"
mistake "a function that does not end" 's/return amount > 1/while true do end/' 1 \
    "the function used up its 1000000 instructions 10 times in a row: check that the function ends, or raise 'instructions'"
mistake "null in the stream" 's/amount > 1/amount ~= null/' 1 "'null' is not defined: did you mean nil?"

fn='s/function(amount) return amount > 1 end, { "amount" }'
mistake "an argument without a column" "$fn/function(city, amount) return amount > 1 end, { \"city\" }/" 1 \
    "m.lua:5: attempt to compare number with nil (argument 'amount' has no column: it is argument 2 of the function, but only 1 column is named)"
mistake "a global of the script" "$fn/function(amount) return amount > limit end, { \"amount\" }/; 1s/\$/ limit = 1/" \
    1 \
    "m.lua:5: attempt to compare nil with number (a function in the stream does not see the global 'limit': make it a local variable of the script: local limit = …)"
mistake "a variable that is text" \
    "$fn/function(amount) return amount > limit end, { \"amount\" }/; 1s/\$/ local limit = \"1\"/" 1 \
    "m.lua:5: attempt to compare string with number (variable 'limit' is text: make a number of it in the script, by tonumber(limit))"
mistake "a misspelt function of Lua" "$fn/function(amount) return amount > tonumer(1) end, { \"amount\" }/" 1 \
    "(global 'tonumer') (did you mean 'tonumber'?)"
mistake "a value that is written like a record" "$fn/function(r) r.x = 1 return true end, { \"city\" }/" 1 \
    "m.lua:5: attempt to index a string value (local 'r') ('r' is the value of column 'city', not a record)"
mistake "a dot for a colon" "$fn/function(city) return city.upper() == \"BONN\" end, { \"city\" }/" 1 \
    "bad argument #1 to 'upper' (string expected, got no value) (methods of a text are called with a colon: text:upper())"
mistake "+ for .." "$fn/function(city) return city + \"x\" == \"x\" end, { \"city\" }/" 1 \
    "attempt to add a 'string' with a 'string' (texts are joined by ..)"
mistake "a filter that returns 0" \
    "$fn/function(amount) return amount > 1 and 1 or 0 end, { \"amount\" }/; s/> 1 and/> 300 and/" 1 \
    "filter (lua.filter): m.lua:5: the function returned 0, which Lua takes for true: return true or false, for example by a comparison"
mistake "a filter that returns a text" "$fn/function(amount) return \"false\" end, { \"amount\" }/" 1 \
    "m.lua:5: the function returned the text \"false\", which Lua takes for true: return true or false, for example by a comparison"
mistake "a filter that returns a table" "$fn/function(amount) return { true } end, { \"amount\" }/" 1 \
    "m.lua:5: the function returned a table, which Lua takes for true"
mistake "a filter that returns what string.find finds" \
    "$fn/function(city) return city:find(\"o\") or city:match(\"K\") end, { \"city\" }/" 0
claim "is right" test ! -s "$err"
mistake "a filter without return" "$fn/function(amount) local x = amount > 1 end, { \"amount\" }/" 0 \
    "leat: warning: filter (lua.filter): the function returned nothing for all 300 records, so no record passes: write return before the condition"
mistake "a filter that returns nothing for some" \
    "$fn/function(amount) if amount > 9 then return true end end, { \"amount\" }/" 0
claim "is right, too" test ! -s "$err"
sed '2,$s/^[^,]*/true/' data.csv >truths.csv
mistake "the text true" "s/data.csv/truths.csv/; $fn/function(city) return city == true end, { \"city\" }/" 0 \
    "filter (lua.filter): no record passes: in column 'city', true and false are texts: compare with \"true\", as in x == \"true\""
mistake "lua.flat that returns" \
    "s/leat.filter.*/leat.flat(function(emit, city) return city end, { \"city\" }, { \"kind\" }),/; s/feature.columns { \"city\" }/feature.columns { \"kind\" }/" 0 \
    "leat: warning: flat (lua.flat): made no records out of 300: the function never called \`emit\`, its first argument; the values that it returns are not used"
mistake "lua.flat that never emits" \
    "s/leat.filter.*/leat.flat(function(emit, city) if city == \"x\" then emit(city) end end, { \"city\" }, { \"kind\" }),/; s/feature.columns { \"city\" }/feature.columns { \"kind\" }/" 0 \
    "flat (lua.flat): made no records out of 300: the function never called \`emit\`, its first argument"

# ---- routes ----

# route "words" "BRANCHES" CODE TEXT…
route() {
    local words=$1
    printf 'local leat = require "leat"\nreturn leat.pipeline "p" { leat.source.file { "data.csv" }, leat.parse.csv {},\n  leat.route("kind", { %s }) }\n' "$2" >m.lua
    shift 2
    leat_run run m.lua --quiet
    claim_exit "$words: run ends with $1" "$1"
    claim_says "$words: the message helps" "${@:2}"
}
null='{ leat.sink.null {} }'
lost=$(grep -c ,d, data.csv)
route "records that no branch takes" "c = $null" 0 \
    "leat: warning: route (leat.route): $lost of 300 records took no branch and are dropped: their value is not one of 'c' (it is, for example, 'd'); add [\"*\"] = { … } to keep them, or [\"*\"] = { leat.sink.null {}"
route "a branch whose value never comes" "C = $null, d = $null, [\"*\"] = $null" 0 \
    "leat: warning: route (leat.route): the branch 'C' took none of 300 records: did you mean 'c'?"
route "one that is like no value" "wombat = $null, d = $null, [\"*\"] = $null" 0 \
    "the branch 'wombat' took none of 300 records; a value without a branch is 'c'"
route "branches that take all" "c = $null, d = $null, [\"*\"] = $null" 0
claim "are right" test ! -s "$err"
route "several like no value" "wombat = $null, emu = $null, [\"*\"] = $null" 0 \
    "leat: warning: route (leat.route): the branches 'emu', 'wombat' took none of 300 records; a value without a branch is '"
claim "are told once" test "$(grep -c 'took none' "$err")" = 1
cp data.csv all.csv
head -4 all.csv >data.csv
route "a branch that takes none of three records" "wombat = $null, c = $null, d = $null" 0 \
    "the branch 'wombat' took none of 3 records"
head -1 all.csv >data.csv
route "branches of no record" "c = $null, d = $null" 0
claim "are told nothing of" sh -c "! grep -q 'took none' '$err'"
mv all.csv data.csv
route "a rest that gets none" "c = $null, d = $null, [\"*\"] = $null" 0
leat_run run m.lua --log-level info
claim_says "is told where much is" "leat: route (leat.route): the branch '*' took none of 300 records: each value has its own branch"

# ---- what check says of the first records, before a run ----

# first "words" "EDITS of good.lua" CODE TEXT…: check ends with CODE and says TEXT.
first() {
    local words=$1 code=$3
    sed -e "$2" good.lua >m.lua
    shift 3
    leat_run check m.lua
    claim_exit "$words: check ends with $code" "$code"
    claim_says "$words: check says what the first records are" "$@"
}
first "decimal commas" 's/data.csv/comma.csv/' 0 \
    "m.lua:4: warning: csv (parse.csv): 300 of the first 300 records are rejected, such as comma.csv:2: column 'amount': '" "' is not a number: set decimal = \",\""
first "ragged rows" 's/data.csv/ragged.csv/' 0 \
    "m.lua:4: warning: csv (parse.csv): 30 of the first 300 records are rejected, such as ragged.csv:10: the row has 4 fields and must have 3"
first "Latin-1" 's/data.csv/latin.csv/' 0 \
    "m.lua:3: warning: file (source.file): latin.csv:$line: column 'city': the text is not UTF-8 here"
first "text that is compared with a number" 's/numbers = { "amount" }//' 0 \
    "m.lua:5: warning: filter (lua.filter): 64 of the first 64 records are rejected, such as data.csv:2: m.lua:5: attempt to compare number with string"
first "a label that is text" 's/leat.label.is.*/leat.label.number { column = "kind" },/' 0 \
    "m.lua:6: warning: number (label.number): 64 of the first 64 records are rejected, such as data.csv:2: column 'kind': '"
first "a function that does not end" 's/return amount > 1/while true do end/' 1 \
    "m.lua:5: error: filter (lua.filter): m.lua:5: the function used up its 1000000 instructions 10 times in a row: check that the function ends, or raise 'instructions'"
first "a header alone" 's/data.csv/header.csv/' 0 \
    "m.lua:3: warning: file (source.file): header.csv ends with its header, in line 1: it has no records"
claim "which is told once" equal "$(grep -c warning "$err")" 1
first "an empty file" 's/data.csv/empty.csv/' 2 "m.lua:3: warning: file (source.file): empty.csv is empty" \
    "m.lua:4: error: csv (parse.csv): header: the input has no header"
leat_run check good.lua
claim "check says nothing of good records" test ! -s "$err"
cat >merge.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" {
  leat.merge { { leat.source.file { "data.csv" } }, { leat.source.file { "comma.csv" } } },
  leat.parse.csv { numbers = { "amount" } },
  leat.sink.null {},
}
LUA
leat_run check merge.lua
claim_says "files that are merged are tried each" \
    "merge.lua:4: warning: csv (parse.csv): 300 of the first 300 records are rejected, such as comma.csv:2"
printf 'kind,city,amount\nrent,Bonn,3\n' >order.csv
sed 's/comma.csv/order.csv/' merge.lua >orders.lua
for command in check run; do
    leat_run $command orders.lua
    claim "$command: files of other columns are not read by the header of the first" test "$status" -ne 0
    claim_says "$command says which" \
        "the merge's inputs have different headers: 'city,kind,amount' of file (source.file), and 'kind,city,amount' of file2 (source.file); give each input its own"
done
mkfifo pipe
leat_run check <(sed \
    's/data.csv/pipe/; s/numbers = { "amount" }/header = false, columns = { "city", "kind", "amount" }/' good.lua)
claim_exit "a pipe is not opened" 0
# Files whose records are not on lines of their own: what is asked of them says how to convert them, and that works.
tr '\n' '\r' <data.csv >returns.csv
jq -cRn '[inputs | split(",") | {city: .[0], kind: .[1], amount: .[2]}] | .[1:]' data.csv >array.json
jq . array.json | gzip >array.json.gz
refused_form() { # FILE COMMAND FORM
    local asked
    for asked in "peek $1" "explain $1 --outlier kind=='c'" "compare $1 --split kind=='c'" "pairs $1"; do
        leat_run $asked
        claim "${asked%% *} names the form of $1 and the command" equal "$status $(grep -cF \
            "$3: convert it with $2" "$err")" "2 1"
    done
    (eval "$2")
}
refused_form returns.csv "tr '\\r' '\\n' <returns.csv >data.txt" \
    "its lines end in CR, and leat reads lines that end in LF or CR LF"
claim "a text of other line ends is the same" cmp data.csv data.txt
refused_form array.json.gz "zcat array.json.gz | jq -c '.[]' >data.jsonl" "a JSON array: leat reads one object per line"
leat_run explain data.jsonl --outlier "kind=='c'" --attributes city --quiet
cp "$out" of_objects
leat_run explain data.csv --outlier "kind=='c'" --attributes city --quiet
claim "the objects of an array are its records" cmp of_objects "$out"
done_claims
