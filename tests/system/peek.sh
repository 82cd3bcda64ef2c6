# leat peek: what a file holds, and commands that work on it.
. "$(dirname "$0")/../support/claims.sh"
home=$PWD
awk 'BEGIN { srand(1); print "at;host;ms;note"; for (i = 0; i < 3000; i++) printf "%d;h%d;%d;%s\n", 1700000000 + i, rand() * 3, rand() * rand() * 900, rand() < .5 ? "\"a;b\"" : "" }' >"$tmp/semicolons.csv"
peek() { leat_run peek "$@"; }

peek "$tmp/semicolons.csv" --json
claim_says "delimiter and heading are found" "semicolons.csv: csv with a heading, fields separated by ';'"
claim "it ends well" test "$status" = 0
column() { jq -c ".columns[] | select(.column == \"$1\") | $2" "$out"; }
claim "all records are counted" test "$(jq .records "$out")" = 3000
claim "a column of numbers has their range" test "$(column at '[.type, .low, .high, .distinct_exact]')" = '["number",1700000000,1700002999,false]'
claim "distinct values are about right" test "$(column at '.distinct > 2800 and .distinct < 3200')" = true
awk -F';' 'NR > 1 { n[$2]++ } END { for (h in n) printf "%s %.3g %%\n", h, 100 * n[h] / (NR - 1) }' "$tmp/semicolons.csv" | sort -k2,2gr | paste -sd, | sed 's/,/, /g' >"$tmp/hosts"
claim "the most frequent texts are those" test "$(column host .frequent | tr -d '"')" = "$(cat "$tmp/hosts")"
claim "few values are counted exactly" test "$(column host '[.type, .distinct, .distinct_exact]')" = '["text",3,true]'
awk -F';' 'NR > 1 && $4 == "" { n++ } END { printf "%.9g\n", n / (NR - 1) }' "$tmp/semicolons.csv" >"$tmp/empty"
claim "so is what is empty" awk -v a="$(column note .empty)" -v b="$(cat "$tmp/empty")" 'BEGIN { exit !(a > b - 1e-9 && a < b + 1e-9) }'
claim "a quoted delimiter is none" test "$(column note .frequent | cut -c2-5)" = 'a;b '
claim "a column that only rises is no metric" grep -q -- '--set metric=ms$' "$err"

# Every command that it prints works as it stands, here ("$home") or where it was printed.
commands() {
    local line
    grep '^  leat run' "$err" >"$tmp/commands"
    while read -r line; do (cd "${2:-$home}" && eval "${line/leat run/\"\$LEAT\" run} --quiet" >/dev/null 2>"$tmp/why") || { echo "$line"; cat "$tmp/why"; return 1; }; done <"$tmp/commands"
    (($(wc -l <"$tmp/commands") == $1))
}
claim "the commands that it prints work" commands 1
{ echo "x y,it's,z" && awk 'BEGIN { for (i = 0; i < 60; i++) printf "%d,%s,z%d\n", i % 30, i % 3 ? "a b" : "c", i % 4 }'; } >"$tmp/a name's.csv"
peek "$tmp/a name's.csv"
claim "also on names that the shell would cut" commands 2
claim "a table is for people" grep -q '^x y  *number ' "$out"
sed 1d "$tmp/semicolons.csv" | tr ';' '\t' | gzip >"$tmp/tabs.gz"
peek "$tmp/tabs.gz" --json
claim_says "a file without a heading has columns by number" "csv without a heading, fields separated by tabs"
claim "with the same figures" test "$(column c3 '[.low, .high]')" = "$(peek "$tmp/semicolons.csv" --json; column ms '[.low, .high]')"
peek "$tmp/tabs.gz"
claim "and commands that name them" commands 1
peek "$tmp/semicolons.csv" --set columns=t,h,m,n --set header=true --set delimiter=';' --json
claim "columns can be named" test "$(jq -c '[.columns[].column]' "$out")" = '["t","h","m","n"]'
peek "$tmp/semicolons.csv" --set filter='host == "h1"' --set derive='slow=ms > 100 and "yes" or "no"' --json
claim "records can be filtered, and columns derived" test "$(column slow '[.type, .distinct]')$(column host .distinct)" = '["text",2]1'

cd "$tmp" || exit 1
peek semicolons.csv
claim "the commands know where the pipelines are" commands 1 "$tmp"
claim "by a path without .." sh -c "! grep -q '[.][.]/' '$err'"
cd "$home" || exit 1

printf -- '-1 3:1 7:.5\n+1 2:1\n' >"$tmp/a.svm"
peek "$tmp/a.svm"
claim_says "libsvm is known by its lines" "libsvm, one example a line" "-1 3:1 7:.5"
claim "and has a command" commands 1
printf '1 |f a:1 b\n-1 |f c\n' >"$tmp/a.vw"
peek "$tmp/a.vw"
claim_says "Vowpal Wabbit's text, too" "vw, one example a line"
claim "and has one" commands 1
printf '1 0:3:1 1:9:.5\n0 0:4:1\n' >"$tmp/a.ffm"
peek "$tmp/a.ffm"
claim_says "libffm, too" "libffm, one example a line"
awk 'BEGIN { for (i = 0; i < 300; i++) printf "{\"t\":%d,\"http\":{\"status\":%d},\"host\":\"h%d\",\"tags\":[1],\"ms\":%d}\n", i, i % 2 ? 200 : 404, i % 3, i * 7 % 101 }' >"$tmp/app.log"
peek "$tmp/app.log" --json
claim_says "objects of JSON are known by their braces" "json, one object a line" "--set format=json --set metric=ms" 'host == "h0"'
claim "and their paths are columns" test "$(jq -c '[.columns[].column]' "$out")$(column http.status .distinct)" = '["t","http.status","host","tags[*]","ms"]2'
claim "and the commands work" commands 2
printf 'some words\nand some more words\n' >"$tmp/words"
peek "$tmp/words" --json
claim_says "lines are lines" "lines of text"
claim "their column is the text" test "$(jq -c '[.columns[] | .column, .type]' "$out")" = '["text","text"]'
peek - --set delimiter=';' --json <"$tmp/semicolons.csv"
claim "standard input is read once, as csv" test "$(jq .records "$out")" = 3000

mkdir "$tmp/two"
{ echo k,v,w; for i in $(seq 50); do echo "x,$i,a"; done; } >"$tmp/two/1.csv"
{ echo k,v,w; for i in $(seq 50); do echo "y,$i,b"; done; } >"$tmp/two/2.csv"
peek "$tmp/two/*.csv"
claim_says "the heading of a second file is no value" "'outlier=k == \"x\"'"
{ echo garbage; for i in $(seq 20); do echo "{\"a\":$i,\"b\":{\"c\":\"x\"}}"; done; printf '{"a":%.0s' $(seq 20000); echo; } >"$tmp/most.jsonl"
peek "$tmp/most.jsonl" --json
claim "a bad line, or one of a thousand depths, does not hide JSON" test "$(jq -c '[.columns[].column]' "$out")" = '["a","b.c"]'
peek "$tmp/words" --set pattern='^(?<first>\w+) (?<more>.*)' --json
claim "a pattern of one's own is shown by its columns" test "$(jq -c '[.columns[].column]' "$out")" = '["first","more"]'
cp "$tmp/two/1.csv" "$tmp/"$'e\e[31m.csv'
peek "$tmp/"$'e\e[31m.csv'
claim "nor do those of a name" test -z "$(cat "$out" "$err" | tr -cd '\033')"
: >"$tmp/nothing"
peek "$tmp/nothing"
claim_exit "an empty file ends with 2" 2
claim_says "and is called that" "nothing is empty: there is nothing to look at"
awk 'BEGIN { for (i = 0; i < 40; i++) printf "2026-11-23 10:00:%02d,%03d %s [main-%d] com.acme.%s - took %d ms\n", i % 60, i * 7, i % 3 ? "INFO" : "WARN", i % 2, i % 4 ? "Foo" : "Bar", i * 3 }' >"$tmp/log4j.log"
peek "$tmp/log4j.log" --json
claim_says "lines with a time and a level are no csv, whatever their commas" "log4j.log: lines with a time and a level"
claim "and have columns" equal "$(column level .distinct) $(column logger .distinct) $(column place .distinct) $(column time .empty)" "2 2 2 0"
claim "and a command that works" commands 1
awk 'BEGIN { srand(1); print "at,host,ms"; for (i = 0; i < 200; i++) printf "2026-11-23T10:%02d:%02dZ,h%d,%d\n", i / 60, i % 60, rand() * 3, rand() * 900 }' >"$tmp/times.csv"
peek "$tmp/times.csv"
claim_says "a column of times is proposed as time" "--set time=at --set metric=ms"
claim "which works" commands 1
printf '%s\n' '{"k\"q":1,"a\u0062c":2,"n":{"d.e":3},"l":[{"x":1}]}' >"$tmp/escapes.jsonl"
peek "$tmp/escapes.jsonl" --json
claim "keys with escapes are columns, as far as paths can name them" equal "$(jq -c '[.columns[].column]' "$out")" '["abc","n.\"d.e\"","l[*]"]'
peek "$tmp/none.csv"
claim_exit "a file that is missing ends with 2" 2
claim_says "and is named" "cannot read $tmp/none.csv: No such file or directory"
peek
claim_exit "no file is a mistake" 2
claim_says "which is said" "the file is missing: leat peek FILE"
peek "$tmp/a.svm" "$tmp/a.vw"
claim_says "of several it is said how they are given" "several files are one operand, such as a,b or '*.csv'"
peek "$tmp/a.svm" --set format=xml
claim_says "an unknown format is refused" "format is xml: give csv, json, avro, logfmt, lines, common,"
peek "$tmp/a.svm" --set delimitr=x
claim_says "an argument that is misspelt, too" "delimitr"
head -c 40000 /dev/urandom >"$tmp/noise"
peek "$tmp/noise"
claim "noise ends it in order" test "$status" -le 2
printf 'a,b\n1,\033[31mred\n2,x\n' >"$tmp/escape.csv"
peek "$tmp/escape.csv"
claim "escapes do not reach the terminal" test -z "$(cat "$out" "$err" | tr -cd '\033')"
