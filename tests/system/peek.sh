# leat peek: the content of a file, and commands that work on it.
# tier: long (40 s)
. "$(dirname "$0")/../support/claims.sh"
home=$PWD
awk 'BEGIN { srand(1); print "at;host;ms;note"; for (i = 0; i < 3000; i++) printf "%d;h%d;%d;%s\n", 1700000000 + i,
    rand() * 3, rand() * rand() * 900, rand() < .5 ? "\"a;b\"" : "" }' >"$tmp/semicolons.csv"
peek() { leat_run peek "$@"; }

peek "$tmp/semicolons.csv" --json
claim_says "delimiter and heading are found" "semicolons.csv: csv with a heading, fields separated by ';'"
claim "it ends well" test "$status" = 0
column() { jq -c ".columns[] | select(.column == \"$1\") | $2" "$out"; }
claim "all records are counted" test "$(jq .records "$out")" = 3000
claim "a column of numbers has their range" test "$(column at '[.type, .low, .high, .distinct_exact]')" = \
    '["number",1700000000,1700002999,false]'
claim "distinct values are about right" test "$(column at '.distinct > 2800 and .distinct < 3200')" = true
awk -F';' 'NR > 1 { n[$2]++ } END { for (h in n) printf "%s %.3g %%\n", h, 100 * n[h] / (NR - 1) }' \
    "$tmp/semicolons.csv" | sort -k2,2gr | paste -sd, | sed 's/,/, /g' >"$tmp/hosts"
claim "the most frequent texts are those" test "$(column host .frequent | tr -d '"')" = "$(cat "$tmp/hosts")"
claim "few values are counted exactly" test "$(column host '[.type, .distinct, .distinct_exact]')" = '["text",3,true]'
awk -F';' 'NR > 1 && $4 == "" { n++ } END { printf "%.9g\n", n / (NR - 1) }' "$tmp/semicolons.csv" >"$tmp/empty"
claim "so is what is empty" awk -v a="$(column note .empty)" -v b="$(cat "$tmp/empty")" \
    'BEGIN { exit !(a > b - 1e-9 && a < b + 1e-9) }'
claim "a quoted delimiter is none" test "$(column note .frequent | cut -c2-5)" = 'a;b '
# Columns of 170 values, from even to very uneven: what is listed is first, in order, with the right share or a bound.
awk 'BEGIN { srand(4); print "a,b,c,d,e,f,g,h"; for (i = 0; i < 20000; i++) for (p = 1; p <= 8; p++)
    printf "%d%s", 170 * rand() ^ p, p < 8 ? "," : "\n" }' >"$tmp/uneven.csv"
peek "$tmp/uneven.csv" --json
jq -r '.columns[] | [.column, .frequent] | @tsv' "$out" >"$tmp/listed"
awk -F, 'NR > 1 { for (p = 1; p <= NF; p++) n[substr("abcdefgh", p, 1) " " $p]++ } END { for (v in n) print v, n[v] }' "$tmp/uneven.csv" |
    sort -k1,1 -k3,3nr | awk 'NR == FNR { count[$1, $2] = $3; nth[$1, ++at[$1]] = $3; next }
        { split($0, f, "\t"); k = split(f[2], item, ", ")
            for (i = 1; i <= k && item[i] !~ /^such as/; i++) { split(item[i], w, " "); n = count[f[1], w[1]]; lists++
                bound = item[i] ~ / at least /; share = sprintf("%.3g", 100 * n / 20000)
                bad += n != nth[f[1], i] || (bound ? w[4] > share + 0 : w[2] != share) } }
        END { print bad + 0, "of", lists }' - "$tmp/listed" >"$tmp/right"
claim "of many texts, those listed are the first in order" grep -q '^0 of [1-9]' "$tmp/right"
awk 'BEGIN { srand(2); print "userId,host,kind,ms,failed";
    for (i = 0; i < 900; i++) print int(rand() * 1e6) ",h" i % 7 "," (rand() < .5 ? "a" : "b") "," int(rand() * 90) "," int(rand() * 1.1) }' >"$tmp/flags.csv"
peek "$tmp/flags.csv"
claim_says "a column of 0 and 1 is asked about before texts are, by the rarer of them" "--outlier 'failed == 1'"
claim "numbers that name things are no metric" grep -q -- '--metric ms$' "$err"
peek "$tmp/semicolons.csv" --json
claim "a column that only rises is no metric" grep -q -- '--metric ms$' "$err"

# Every command that it prints works as it stands, here ("$home") or where it was printed.
commands() {
    local line
    grep -E '^  leat (explain|compare|pairs|classify|regress|rate) ' "$err" >"$tmp/commands"
    while read -r line; do (cd "${2:-$home}" && eval "${line/leat /\"\$LEAT\" } --quiet" >/dev/null \
        2>"$tmp/why") || { echo "$line"; cat "$tmp/why"; return 1; }; done <"$tmp/commands"
    (($(wc -l <"$tmp/commands") == $1))
}
claim "the commands that it prints work" commands 3
{ echo "the ms,it's,z" && awk 'BEGIN { for (i = 0; i < 60; i++) printf "%d,%s,z%d\n", i % 30, i % 3 ? "a b" : "c",
    i % 4 }'; } >"$tmp/a name's.csv"
peek "$tmp/a name's.csv"
claim "also on names that the shell would cut" commands 2
claim "a table is for people" grep -q '^the ms  *number ' "$out"
sed 1d "$tmp/semicolons.csv" | tr ';' '\t' | gzip >"$tmp/tabs.gz"
peek "$tmp/tabs.gz" --json
claim_says "a file without a heading has columns by number" "csv without a heading, fields separated by tabs"
claim "with the same figures" test "$(column c3 '[.low, .high]')" = "$(peek "$tmp/semicolons.csv" --json; column ms \
    '[.low, .high]')"
peek "$tmp/tabs.gz"
claim "and commands that name them" commands 2
peek "$tmp/semicolons.csv" --set columns=t,h,m,n --set header=true --set delimiter=';' --json
claim "columns can be named" test "$(jq -c '[.columns[].column]' "$out")" = '["t","h","m","n"]'
peek "$tmp/semicolons.csv" --set filter='host == "h1"' --set derive='slow=if(ms > 100, "yes", "no")' --json
claim "records can be filtered, and columns derived" test "$(column slow '[.type, .distinct]')$(column host \
    .distinct)" = '["text",2]1'

cd "$tmp" || exit 1
peek semicolons.csv
claim "the commands know where the pipelines are" commands 3 "$tmp"
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
claim_says "objects of JSON are known by their braces" "json, one object a line" "--format json --metric ms" \
    'host == "h0"'
claim "and their paths are columns" test "$(jq -c '[.columns[].column]' "$out")$(column http.status .distinct)" = \
    '["t","http.status","host","tags[*]","ms"]2'
claim "and the commands work" commands 3
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
claim_says "the heading of a second file is no value" "--outlier 'w == \"a\"'"
{ echo garbage; for i in $(seq 20); do echo "{\"a\":$i,\"b\":{\"c\":\"x\"}}"; done; printf '{"a":%.0s' $(seq \
    20000); echo; } >"$tmp/most.jsonl"
peek "$tmp/most.jsonl" --json
claim "a bad line, or one of a thousand depths, does not hide JSON" test "$(jq -c '[.columns[].column]' "$out")" = \
    '["a","b.c"]'
peek "$tmp/words" --set pattern='^(?<first>\w+) (?<more>.*)' --json
claim "a pattern of one's own is shown by its columns" test "$(jq -c '[.columns[].column]' "$out")" = '["first","more"]'
cp "$tmp/two/1.csv" "$tmp/"$'e\e[31m.csv'
peek "$tmp/"$'e\e[31m.csv'
claim "nor do those of a name" test -z "$(cat "$out" "$err" | tr -cd '\033')"
: >"$tmp/nothing"
peek "$tmp/nothing"
claim_exit "an empty file ends with 2" 2
claim_says "and is called that" "nothing: error: the file is empty: there is nothing to look at"
awk 'BEGIN { for (i = 0; i < 40; i++) printf "2026-11-23 10:00:%02d,%03d %s [main-%d] com.acme.%s - took %d ms\n",
    i % 60, i * 7, i % 3 ? "INFO" : "WARN", i % 2, i % 4 ? "Foo" : "Bar", i * 3 }' >"$tmp/log4j.log"
peek "$tmp/log4j.log" --json
claim_says "lines with a time and a level are no csv, whatever their commas" "log4j.log: lines with a time and a level"
claim "and have columns" equal "$(column level .distinct) $(column logger .distinct) $(column place \
    .distinct) $(column time .empty)" "2 2 2 0"
claim "and a command that works" commands 1
awk 'BEGIN { srand(1); print "at,host,ms"; for (i = 0; i < 200; i++) printf "2026-11-23T10:%02d:%02dZ,h%d,%d\n", i / 60,
    i % 60, rand() * 3, rand() * 900 }' >"$tmp/times.csv"
peek "$tmp/times.csv"
claim_says "a column of times is proposed as time" "--time at --metric ms"
claim "which works, as do two periods" commands 2
printf '%s\n' '{"k\"q":1,"a\u0062c":2,"n":{"d.e":3},"l":[{"x":1}]}' >"$tmp/escapes.jsonl"
peek "$tmp/escapes.jsonl" --json
claim "keys with escapes are columns, as far as paths can name them" equal "$(jq -c '[.columns[].column]' "$out")" \
    '["abc","n.\"d.e\"","l[*].x"]'
peek "$tmp/none.csv"
claim_exit "a file that is missing ends with 1" 1
claim_says "and is named" "cannot read $tmp/none.csv: No such file or directory"
peek
claim_exit "no file is a mistake" 2
claim_says "which is said" "the file is missing: leat peek FILE"
peek "$tmp/a.svm" "$tmp/a.vw"
claim_says "of several it is said how they are given" "leat peek takes one operand (several files as a,b or '*.csv'); remove "
for k in {1..50}; do # headings of later files are no values
    {
        echo delay,distance,origin,hour
        awk -v k="$k" 'BEGIN { for (i = 0; i < 39; i++) printf "%d,%d,A%d,%d\n", (i * k) % 71 - 29, 300 + (i * i * k) % 34 * 50,
            (i + k) % 20, (i * i + k) % 17 + 5 }'
    } >"$tmp/hour$k.csv"
done
leat_run peek "$tmp/hour*.csv"
claim "headings of fifty files are no values" equal "$(grep -c '"hour"' "$err") $(grep -c -- '--metric' "$err")" "0 1"
peek "$tmp/a.svm" --set format=xml
claim_says "an unknown format is refused" "format is xml: give csv, json, otlp, avro, protobuf, logfmt, lines, libsvm, vw, libffm, or a log (common,"
peek "$tmp/a.svm" --set delimitr=x
claim_says "an argument that is misspelt, too" "delimitr"
head -c 40000 /dev/urandom >"$tmp/noise"
peek "$tmp/noise"
claim "noise ends it in order" test "$status" -le 2
printf 'a,b\n1,\033[31mred\n2,x\n' >"$tmp/escape.csv"
peek "$tmp/escape.csv"
claim "escapes do not reach the terminal" test -z "$(cat "$out" "$err" | tr -cd '\033')"

# ---- lines with a time and a level, of many kinds ----
awk 'BEGIN { for (i = 0; i < 3; i++) printf "2026-11-23 10:00:%02d,%03d [main-%d] %s com.acme.Foo - a, b, took %d ms\n",
    i, i * 7, i % 2, i % 2 ? "INFO" : "WARN", i }' >"$tmp/three.log"
awk 'BEGIN { for (i = 0; i < 3; i++) printf "2026-11-23 10:00:%02d,%03d - my.mod%d - %s - a, b\n", i, i * 7, i % 2,
    i % 2 ? "INFO" : "ERROR" }' >"$tmp/python.log"
awk 'BEGIN { for (i = 0; i < 3; i++) printf "[2026-11-23T10:00:%02d.5Z] [%s] a, b\n", i, i % 2 ? "INFO" : "ERROR" }' \
    >"$tmp/bracket.log"
awk 'BEGIN { for (i = 0; i < 3; i++) printf "%s 2026-11-23 10:00:%02d,%03d com.acme.Foo - a, b\n",
    i % 2 ? "INFO" : "ERROR", i, i * 7 }' >"$tmp/level.log"
awk 'BEGIN { for (i = 0; i < 3; i++) printf "10:00:%02d,%03d %s com.acme.Foo - a, b\n", i, i * 7,
    i % 2 ? "INFO" : "ERROR" }' >"$tmp/clock.log"
for name in three python bracket level clock; do
    peek "$tmp/$name.log" --json
    claim "three lines are enough ($name)" equal "$(column time .type) $(column level '[.type, .distinct]') $(jq \
        .records "$out")" "$([ $name = clock ] && echo '"text"' || echo '"time"') [\"text\",2] 3"
    claim "and the command works ($name)" commands 1
done
{ cat "$tmp/three.log"; printf 'java.lang.IllegalStateException: x\n\tat com.acme.Foo.run(Foo.java:12)\n'; } \
    >"$tmp/trace.log"
peek "$tmp/trace.log" --json
claim "a stack trace belongs to its record" equal "$(jq .records "$out") $(grep -c 'record-start .^' "$err")" "3 1"
claim "in the command, too" commands 1
line() { awk -v format="$1" 'BEGIN { for (i = 0; i < 40; i++) printf format, i % 4 ? "INFO" : "ERROR", i % 3, i }'; }
line '2026-11-23T10:00:01.5Z  %s main.rs:%d pod p%d failed\n' | sed 's/INFO/info/; s/ERROR/error/' >"$tmp/lower.log"
line '%s 10:00:01.123 worker-%d: pod p%d failed\n' >"$tmp/first.log"
line '%s: worker-%d: pod p%d failed\n' >"$tmp/timeless.log"
line '%s1123 10:00:01.123456 %7d file.go:12] pod p%d failed\n' | sed 's/^INFO/I/; s/^ERROR/E/' >"$tmp/glog.log"
line '2026-11-23T10:00:01.5Z web-1 app[17]: %s disk%d: pod p%d failed\n' >"$tmp/host.log"
line '2026-11-23 10:00:01 db/pool: %s disk%d: pod p%d failed\n' >"$tmp/component.log"
for name in lower first timeless glog host component; do
    peek "$tmp/$name.log" --json
    claim "a level is found ($name)" equal "$(column level '[.distinct, .empty]') $(jq .records "$out")" "[2,0] 40"
    claim "and the command works, which asks about the words of errors ($name)" eval 'commands 1 &&
        grep -qE -- "--lists message --outlier .level == \"(ERROR|error|E)\"" "$err"'
done
awk 'BEGIN { for (i = 0; i < 40; i++) print (i % 9 ? "A text" (i % 2 ? "" : " that has no level") : "Warning: this one has it"), i }' >"$tmp/few.log"
peek "$tmp/few.log"
claim_says "lines of text of which few begin with a level are text" "few.log: lines of text"
printf '2026-11-23 10:00:01,Anna,5\n2026-11-23 10:00:02,INFO,6\n' >"$tmp/stamps.csv"
peek "$tmp/stamps.csv" --json
claim_says "a time before a comma is CSV" "csv without a heading"

# ---- what is worth asking, in order of worth ----
awk 'BEGIN { srand(7); print "order_no,at,shop,zip,paid_after,price,note"; for (i = 0; i < 2400; i++) { d = int(i / 10)
    printf "%d,2024-%02d-%02d,s%d,%d,%s,%.2f,\n", i * 7919 % 2411, 1 + d / 28, 1 + d % 28, rand() * 5,
    10000 + rand() * 9, (int(i / 100) == 3 ? "NA" : int(rand() * 60)), 3 / (rand() + .002) } }' >"$tmp/orders.csv"
peek "$tmp/orders.csv" --json
kinds() { grep -oE '^  leat (explain|compare|pairs|classify|regress|rate) ' "$err" | awk '{ print $2 }' | paste -sd' '; }
claim "the questions of most worth come first" equal "$(kinds)" "explain explain compare regress"
claim "the price is the measure, and the number of the order is none" equal "$(grep -c 'metric price$' "$err") $(grep -c \
    'metric order_no' "$err")" "1 0"
claim_says "values that are missing together are asked about" "--outlier 'is_missing(paid_after)'"
claim_says "two periods meet at the first of a month" "--before 2024-05-01 --time at --attributes "
claim_says "the measure is what is predicted" "--target price --numbers paid_after --attributes shop,"
claim "the commands work" commands 4
claim "JSON has the same ones" cmp <(sed 's/^  //' "$tmp/commands") <(jq -r '.commands[].command' "$out")

# ---- columns between blanks ----
awk 'BEGIN { srand(7); print " customer  date   cds  dollar_value"; for (i = 0; i < 600; i++)
    printf " %05d %d%02d%02d %2d %7.2f\n", i, 1997 + i % 2, 1 + i % 12, 1 + i % 28, 1 + i % 5, 3 / (rand() + .01) }' \
        >"$tmp/fixed.txt"
peek "$tmp/fixed.txt" --json
claim_says "a table of fixed width is known by its lines" "fixed.txt: columns between blanks, with a heading"
claim "the heading names its columns, and is no record" equal "$(jq -c '[.records, .rejected // 0, [.columns[].column]]' \
    "$out") $(column dollar_value .type)" '[600,0,["customer","date","cds","dollar_value"]] "number"'
claim_says "dates without signs are times" "--before 1998-01-01 --time date --time-format '%Y%m%d'" "--metric dollar_value"
claim "the commands work on columns between blanks" commands 3

rest_is_long

sed -E 's/ (199[78])/ 9\1/' "$tmp/fixed.txt" | sed 1d >"$tmp/bare.txt"
peek "$tmp/bare.txt"
claim_says "one without a heading has columns by number" "without a heading" "(?<c1>" "--metric c4"
claim "whose numbers are no dates" sh -c "! grep -q before '$err'"
awk 'BEGIN { for (i = 0; i < 40; i++) print "some words", i % 7 ? "and" : "and a", "number", i }' >"$tmp/prose"
peek "$tmp/prose"
claim_says "lines of unequal numbers of words are text" "lines of text"

# ---- results, opinions, low tails, ratings ----
awk 'BEGIN { srand(8); print "member,plan,months,churned"; for (i = 0; i < 800; i++) printf "m%d,p%d,%d,%s\n", i, rand() * 4,
    rand() * 40, rand() < .2 ? "yes" : "no" }' >"$tmp/churn.csv"
peek "$tmp/churn.csv"
claim_says "a result is asked about by the value that somebody waits for" "--outlier 'churned == \"yes\"'"
claim_says "and predicted" "leat classify " "--label churned --positive yes --numbers months --attributes plan"
claim "by commands that work" commands 2
awk 'BEGIN { srand(2); for (i = 0; i < 900; i++) printf "{\"tags\":[\"a%d\"],\"http\":{\"latency\":%d},\"level\":\"%s\",\"n\":1}\n",
    i % 3, rand() * rand() * 1000, i % 7 ? i % 3 ? "info" : "warn" : "error" }' >"$tmp/level.jsonl"
peek "$tmp/level.jsonl"
claim "a value that names a failure is asked about, as is the measure" equal "$(grep -oE -- "--(outlier '[^']*|metric [^ ]*)" \
    "$err" | sort | paste -sd,)" "--metric http.latency,--outlier 'level == \"error\""
claim "by commands that work, with elements of arrays" commands 4
awk 'BEGIN { srand(5); print "n,kind,price,shop"; for (i = 0; i < 20000; i++) printf "%d,k%d,%.2f,s%d\n", i * 7919 % 20011, rand() * 3,
    i / 20 + rand() * 50, rand() * 4 }' >"$tmp/sorted.csv"
peek "$tmp/sorted.csv"
claim "records in the order of the measure are judged by a round number" equal "$(grep -oE 'price >= [0-9]+' "$err")" \
    "price >= 800"
claim "by commands that work, whatever the order" commands 4
awk 'BEGIN { srand(9); print "rating,genre,visib,state"; for (i = 0; i < 900; i++) printf "%.1f,g%d,%s,%d\n",
    1 + 9 * sqrt(rand()), rand() * 4, rand() < .9 ? 10 : sprintf("%.2f", rand() * 9), rand() * 30 }' >"$tmp/ends.csv"
peek "$tmp/ends.csv"
claim "an opinion has a good end and a bad one, at round numbers" equal "$(grep -oE 'rating (>=|<) [0-9.]+' "$err" |
    paste -sd,)" "rating >= 9.5,rating < 4"
claim "which leave about a tenth beyond" awk -F, 'NR > 1 { high += $1 >= 9.5; low += $1 < 4 }
    END { exit !(high > 45 && high < 135 && low > 45 && low < 180) }' "$tmp/ends.csv"
claim "a measure whose small values are rare is asked about from below" equal "$(grep -oE 'visib [<>]=? [0-9]+' "$err")" \
    "visib < 10"
claim "by commands that work" commands 4
awk 'BEGIN { srand(3); print "userId,movieId,rating,timestamp"; for (i = 0; i < 3000; i++) printf "%d,%d,%d,%d\n",
    1 + rand() * 300, 1 + rand() * 500, 1 + rand() * 5, 880000000 + rand() * 1e6 }' >"$tmp/ratings.csv"
peek "$tmp/ratings.csv"
claim_says "ratings are proposed for users, items and what they rate" \
    "leat rate $tmp/ratings.csv --user userId --item movieId --rating rating"
claim "by a command that works" commands 1
sed 1d "$tmp/ratings.csv" | tr , '\t' >"$tmp/ratings.tsv"
peek "$tmp/ratings.tsv"
claim_says "without names, too" "--user c1 --item c2 --rating c3"
claim "which works without them" commands 1
sed 1d "$tmp/ratings.csv" >"$tmp/bare.csv"
peek "$tmp/bare.csv"
claim "and as CSV without a heading" commands 1

# ---- what is no record a line ----
says() { # says WORDS FILE TEXT [CODE]: it ends with that code (2), and the message begins with the file
    peek "$tmp/$2"
    claim_exit "$1" "${4-2}"
    claim_says "… and the message begins with its name ($2)" "$tmp/$2: error: $3"
    claim "… and not with a script's ($2)" test -z "$(grep 'peek.lua' "$err")"
}
jq -cn '[range(40) | { id: ., http: { status: (if . % 5 == 0 then 503 else 200 end), req: { method: (if . % 3 ==
    0 then "GET" else "POST" end) } } }]' >"$tmp/array.json"
jq . "$tmp/array.json" >"$tmp/indented.json"
jq -c '{ version: 1, items: . }' "$tmp/array.json" | jq . >"$tmp/within.json"
jq '.[]' "$tmp/array.json" >"$tmp/pretty.json"
gzip -c "$tmp/array.json" >"$tmp/array.json.gz"
cd "$tmp" || exit 1
for name in array indented; do
    says "a JSON array is named" $name.json \
        "a JSON array: leat reads one object per line: convert it with jq -c '.[]' $tmp/$name.json >data.jsonl"
    eval "$(grep -o 'jq -c .*data.jsonl' "$err")"
    claim "what it says to do does it ($name)" test "$(wc -l <data.jsonl)" = 40
done
says "so is one that is compressed" array.json.gz \
    "a JSON array: leat reads one object per line: convert it with zcat $tmp/array.json.gz | jq -c '.[]' >data.jsonl"
says "so is one within an object" within.json \
    "one JSON object with an array of objects: leat reads one object per line: convert it with jq -c '.items[]' $tmp/within.json >data.jsonl"
eval "$(grep -o 'jq -c .*data.jsonl' "$err")"
claim "whose command works, too" test "$(wc -l <data.jsonl)" = 40
cd "$home" || exit 1
jq -cn '[range(30000) | { i: ., text: "some text that makes the line long" }]' >"$tmp/long.json"
says "so is one whose only line is too long" long.json "a JSON array"
peek "$tmp/pretty.json" --json
claim "objects over several lines are records" equal "$(jq -c '[.records, [.columns[].column]]' "$out")" \
    '[40,["id","http.status","http.req.method"]]'
claim_says "of which HTTP's errors are asked for" "--record-start '^\\{'" "--outlier 'http.status >= 500'"
claim "by commands that work" commands 2
jq -c '.[]' "$tmp/array.json" >"$tmp/status.jsonl"
peek "$tmp/status.jsonl"
claim_says "and of an object a line" "--outlier 'http.status >= 500'" "--outlier 'http.req.method == \"GET\"'"
claim "by commands that work, too" commands 2
jq -cn 'range(60) | { items: (if . % 3 == 0 then [] else [{ sku: "s\(. % 4)", n: . }] end), x: (if . % 2 ==
    0 then 5 else { y: 1 } end), end: { of: (. % 3) } }' >"$tmp/deep.jsonl"
peek "$tmp/deep.jsonl" --json
claim "objects in arrays have columns, and no record is rejected" equal "$(jq -c '[.records, [.columns[].column]]' \
    "$out")" '[60,["end.of","items[*].sku","items[*].n","x.y"]]'
claim "whose commands work, with words of Lua in paths" commands 1
while read -r name bytes words; do
    { printf '%b' "$bytes"; head -c 3000 /dev/zero | tr '\0' '\251'; } >"$tmp/$name"
    says "other bytes are named" "$name" "file (source.file): $tmp/$name is $words" 1
done <<'KINDS'
a.png \0211PNG\r\n\032\n a PNG image: it holds no records
a.sqlite SQLite\x20format\x203\000 an SQLite database: write a table as CSV first
a.xlsx PK\003\004\024 a ZIP archive, such as .xlsx and .ods
a.pdf %PDF-1.7\n a PDF document
KINDS
gzip -c "$tmp/times.csv" | gzip -c >"$tmp/twice.gz"
says "what is compressed twice, too" twice.gz "file (source.file): $tmp/twice.gz holds gzip inside another compression: it is compressed twice" 1
(cd "$tmp" && tar -cf a.tar times.csv)
says "an archive, too" a.tar "file (source.file): $tmp/a.tar is a tar archive: read one file in it: tar -xOf $tmp/a.tar NAME" 1
printf '\n\n' >"$tmp/blank.csv"
says "blank lines, too" blank.csv "the file has only blank lines: there is nothing to look at"
printf '%3000000s\n%3000000s\n' x y >"$tmp/long.txt"
says "lines that are too long, too" long.txt "the first records are longer than max_record of source.file" 1
says "a file that is not there, too" none.csv "cannot read $tmp/none.csv" 1

# ---- CSV ----
printf 'sep=;\nname;n\na;1\n' >"$tmp/excel.csv"
says "Excel's own first line is named" excel.csv "its first line, sep=;, is only for Excel: remove it: tail -n +2"
printf '# made by x\n# today\na,b\n1,2\n3,4\n' >"$tmp/comments.csv"
says "comments, too" comments.csv "it begins with comments: remove them: grep -v '^#'"
awk 'BEGIN { print "id,text,ms"; for (i = 0; i < 300; i++) printf "%d,\"one\nand \"\"two\"\", with a comma %d\",%d\n",
    i, i % 3, i * 7 % 101 }' >"$tmp/lines.csv"
peek "$tmp/lines.csv" --json
claim_says "fields over several lines are CSV" "csv with a heading, fields separated by ','" "--metric ms"
claim "with all records" test "$(jq .records "$out")" = 300
claim "and a command that works" commands 1
awk 'BEGIN { srand(2); print "id\tx\tk"; for (i = 0; i < 300; i++) printf "%d\t%.3f\t%s\n", i, rand() * 9,
    i % 2 ? "a" : "b" }' >"$tmp/three.tsv"
peek "$tmp/three.tsv" --json
claim "three digits after a point are a fraction" equal "$(column x '.high < 10') $(grep -c thousands "$err")" "true 0"
awk 'BEGIN { srand(2); print "k;betrag"; for (i = 0; i < 300; i++) printf "%s;%s\n", i % 2 ? "a" : "b",
    i % 100 == 7 ? "k.A." : int(rand() * 900) "," int(10 + rand() * 90) }' >"$tmp/word.csv"
peek "$tmp/word.csv" --json
claim_says "a word among numbers does not hide their comma" "numbers with a decimal comma (betrag)" \
    "'k.A.' is not a number: records with it are rejected, unless --set missing_texts=k.A. makes it a missing value" \
    "--metric betrag"
claim "and the command works" commands 1
awk 'BEGIN { for (i = 0; i < 300; i++) printf "%s,\"%d,%03d\"\n", i % 2 ? "a" : "b", 1 + i * 7 % 90, i * 31 % 1000 }' \
    >"$tmp/english.csv"
peek "$tmp/english.csv" --json
claim_says "commas in quotes between commas are thousands" "',' between thousands (c2)"

# ---- marks of absence among numbers ----
awk 'BEGIN { srand(4); print "k,ms,q,via"; for (i = 0; i < 300; i++) printf "%s,%s,%s,%s\n", i % 2 ? "a" : "b",
    i % 10 == 7 ? "NA" : int(rand() * 900), i % 3 ? int(rand() * 90) : i % 2 ? "-" : "?", i % 5 ? "x" : "-" }' \
        >"$tmp/na.csv"
peek "$tmp/na.csv" --json
claim_says "marks of absence do not hide a column of numbers" \
    "numbers with missing values: ms ('NA' in 10 % of the first records), q ('-' or '?' in 33.3 % of the first records): set missing_texts = NA,-,?, or missing = { \"\", \"NA\", \"-\", \"?\" } of parse.csv"
claim_says "where such a mark is a text, too, it is said" ", which is a value of via"
claim "these columns are numbers" equal "$(column ms .type) $(column q .type)" '"number" "number"'
claim "with the share that is missing" equal "$(column ms '.empty * 100 | round') $(column q \
    '.empty * 100 | round') $(column via '.empty * 100 | round')" "10 33 20"
claim "and commands that work" commands 2
head -1 "$tmp/commands" >"$tmp/na"
claim "it asks for the column with most values" grep -q -- "--missing-texts 'NA,-,?' --metric ms$" "$tmp/na"
(cd "$home" && eval "$(sed 's/leat /"$LEAT" /' "$tmp/na") --quiet --summary $tmp/s.json" >/dev/null 2>&1)
claim "in which they have no value, and none is rejected" equal "$(jq -c '[.records, .rejected, ([.. |
    .without_value? // empty] | first)]' "$tmp/s.json")" "[300,0,$(grep -c ',NA,' "$tmp/na.csv")]"
sed 's/NA/n.a./' "$tmp/na.csv" >"$tmp/odd.csv"
peek "$tmp/odd.csv" --json
claim "a word that is no such mark is a text" equal "$(column ms .type) $(grep -c "ms ('" "$err")" '"mixed" 0'
peek "$tmp/odd.csv" --json --set missing_texts=n.a. --set filter='k == "a"' --set extra=ignore
claim "what --set says of values that are missing holds" equal "$(column ms .type) $(column q .type)" '"number" "mixed"'
claim_says "and the commands say it, too" \
    "--missing-texts n.a. --extra ignore --filter 'k == \"a\"' --metric ms"
claim "so that they work" commands 3
awk 'BEGIN { srand(2); print "k;betrag"; for (i = 0; i < 300; i++) printf "%s;%s\n", i % 2 ? "a" : "b",
    i % 3 == 1 ? "null" : int(rand() * 900) "," int(10 + rand() * 90) }' >"$tmp/commas.csv"
peek "$tmp/commas.csv" --json
claim_says "marks do not hide a decimal comma either" "betrag ('null' in 33.3 % of the first records)" \
    "numbers with a decimal comma (betrag)"
claim "by commands that work" commands 1

# ---- how many, and where ----
peek "$tmp/semicolons.csv"
claim "what is estimated is not shown as exact" equal "$(grep -E '^(at|host|ms) ' "$out" |
    grep -oE 'nearly all|about [0-9,]+|%  3 ' | sed -E 's/[0-9,]+$//' | paste -sd,)" "nearly all,%  3 ,about "
{ yes '{"i":1,"a":"x"}' | head -60000; yes '{"i":2,"late":{"b":7}}' | head -60000; } >"$tmp/late.jsonl"
peek "$tmp/late.jsonl" --json
claim "what comes late has columns" equal "$(jq -c '[.columns[].column]' "$out")" '["i","a","late.b"]'
cd "$tmp" || exit 1
awk 'BEGIN { for (i = 0; i < 50; i++) printf "Nov %2d 10:00:%02d host%d sshd[7]: %s\n", 1 + i / 2, i, i % 3,
    i % 5 ? "ok" : "error" }' >messages.log
peek messages.log
claim "times without a year get one" commands 2 "$tmp"
awk 'BEGIN { for (i = 0; i < 90; i++) printf "ts=2026-11-23T10:00:%02dZ level=%s msg=\"a b\" status=%d\n", i % 60,
    i % 4 ? "info" : "warn", i % 3 ? 200 : 500 }' >app.logfmt
peek app.logfmt
claim "lines of key=value have commands that work" commands 2 "$tmp"
cd "$home" || exit 1

# ---- a first line that is no record, compressed ----
{ printf '['; yes '{"a":1,"b":"some text"},' | head -c 60000000 | tr -d '\n'; } | gzip -1 >"$tmp/array.json.gz"
leat_run peek "$tmp/array.json.gz"
claim_says "a JSON array is one in gzip, too" \
    "array.json.gz: error: a JSON array: leat reads one object per line: convert it with zcat $tmp/array.json.gz | jq -c '.[]' >data.jsonl"
head -c "$(($(stat -c %s "$tmp/array.json.gz") * 3 / 4))" "$tmp/array.json.gz" >"$tmp/cut.json.gz"
leat_run peek "$tmp/cut.json.gz"
claim_says "and its end is not looked at" "cut.json.gz: error: a JSON array"
gzip -c "$tmp/array.json.gz" >"$tmp/twice.gz"
leat_run peek "$tmp/twice.gz"
claim_says "what is compressed twice still is" "twice.gz holds gzip inside another compression: it is compressed twice"
printf 'local leat = require "leat"\nreturn leat.pipeline "long" { leat.source.file { leat.args.data }, leat.parse.lines {}, leat.sink.null {}, max_reject_ratio = 1 }' >"$tmp/long.lua"
{ head -c 40000000 /dev/zero | tr '\0' x; printf '\nnext\n'; } >"$tmp/long.txt"
leat_run run "$tmp/long.lua" --set data="$tmp/long.txt" --summary "$tmp/s.json"
claim_says "a run rejects a long line once, with its length" \
    "long.txt:1 (byte 0): file (source.file): the record has 40000000 bytes, more than max_record = 1048576"
claim "and goes on after it" equal "$(json '[.records, .rejected] | join(" ")')" "2 1"

# ---- what a value may be besides what most are ----
for i in $(seq 40); do [ $((i % 10)) = 0 ] && echo "{\"id\":$i,\"tags\":\"x\",\"v\":{\"w\":1}}" ||
    echo "{\"id\":$i,\"tags\":[\"x\",\"y\"],\"v\":$((i % 3))}"; done >"$tmp/mix.jsonl"
peek "$tmp/mix.jsonl" --json
claim_exit "an array in most records and a text in some are no error" 0
claim "no record is rejected, and the form that most have is taken" equal "$(jq -c '[.records, [.columns[].column]]' \
    "$out") $(column 'tags[*]' .empty) $(column v '.empty * 1000 | round')" '[40,["id","tags[*]","v"]] 0 100'
claim_says "which is said, with what is left out" \
    "tags[*] in 36 of the first records, and tags in 4: a single value is read as an array with one element (tags[*])" \
    "v in 36 of the first records, and v.w in 4: v is read, and a record with v.w has no value there"
claim "and the commands take such records, too" commands 1
cat "$tmp/commands" >"$tmp/mixed"
claim "by other=empty" grep -q -- '--other empty' "$tmp/mixed"
(cd "$home" && eval "$(sed 's/leat /"$LEAT" /' "$tmp/mixed") --quiet --summary $tmp/s.json" >/dev/null 2>&1)
claim "none of which they reject" equal "$(jq -c '[.records, .rejected]' "$tmp/s.json")" "[40,0]"
awk 'BEGIN { for (i = 0; i < 400; i++) printf "{\"ms\":%d,\"tags\":[\"a\"%s]}\n", i * 7 % 101,
    i % 4 ? "" : ",\"b\"" }' >"$tmp/elements.jsonl"
peek "$tmp/elements.jsonl"
claim_says "elements of arrays are asked about" "--metric ms"
claim "by explain itself, which chooses them" commands 1
awk 'BEGIN { srand(1); print "id;p;q;v;k"; for (i = 0; i < 500; i++) printf "%d;%d.%03d;%d,%d;%d.%d;k%d\n", i,
    1 + rand() * 998, 100 + rand() * 899, 1 + rand() * 98, 10 + rand() * 89, i % 3, i % 7, i % 4 }' >"$tmp/dots.csv"
peek "$tmp/dots.csv" --json
claim "beside a decimal comma a dot is between thousands" equal "$(column p '[.low, .high]')" "$(awk -F';' \
    'NR > 1 { gsub(/[.]/, "", $2); x = $2 + 0; if (NR == 2 || x < a) a = x; if (x > b) b = x } END { print "[" a "," b "]" }' CONVFMT=%d OFMT=%d "$tmp/dots.csv")"
claim_says "and the run says so" "numbers with ',' before the fraction and '.' between thousands (p, q)" \
    "a dot is between thousands in p, too" "--decimal , --thousands . --numbers p,q"
printf 'a;m\n1,5;712,94\n2,5;1.238,68\n3,5;10,10\n' >"$tmp/few.csv"
peek "$tmp/few.csv" --json
claim_says "one column with thousands is enough" "numbers with ',' before the fraction and '.' between thousands (a, m)"
claim "where others have a fraction alone" equal "$(column a '[.low, .high]') $(column m '[.low, .high]')" \
    "[1.5,3.5] [10.1,1238.68]"
peek "$tmp/dots.csv" --json
claim "but a column that has other dots holds no numbers of this form" equal "$(column v '[.type, .high]')" \
    '["text",null]'
claim "the commands work, too" commands 3
awk 'BEGIN { print "user,plan,result,zip,day"; for (i = 0; i < 900; i++) printf "u%d,%s,%s,%05d,2024-%02d-01\n", i,
    substr("abc", 1 + i % 3, 1), i % 40 == 0 ? "\"say \"\"hi\"\"\"" : i % 40 == 1 ? "\"two, lines\"" : "",
    i * 7 % 61 + 1200, 1 + i % 12 }' >"$tmp/quotes.csv"
peek "$tmp/quotes.csv" --json
claim_says "a value in quotes is asked for as it is" "--outlier 'result == \"two, lines\"'"
claim "by commands that work" commands 2
claim "01235 is an id and no number" equal "$(column zip '[.type, .low, .high]')" '["text",null,null]'
claim "what are times is called so" equal "$(column day .type)" '"time"'
{ printf 'Sales of May\n\nmade by us, 2024\n'; cat "$tmp/lines.csv"; } >"$tmp/title.csv"
says "lines before a heading are named" title.csv \
    "its table begins in line 4, with 'id,text,ms': remove the lines before it: tail -n +4 $tmp/title.csv >data.csv"
(cd "$tmp" && eval "$(grep -o 'tail -n .*data.csv' "$err")")
claim "what it says to do does it" cmp "$tmp/data.csv" "$tmp/lines.csv"

# ---- records of several lines ----
for every in 1 2; do
    { echo a,c,b; for i in $(seq 40); do ((i % every)) && echo "$i,l,x" || printf '%d,"l1\nl2",x\n' "$i"; done; } \
        >"$tmp/two.csv"
    peek "$tmp/two.csv" --json
    claim_exit "a line end in a field that is not the last is no title (1 of $every)" 0
    claim "each record is one (1 of $every)" equal "$(jq -c '[.records, [.columns[].column]]' "$out")" \
        '[40,["a","c","b"]]'
done
{ echo 'Sales of "May"'; cat "$tmp/two.csv"; } >"$tmp/title.csv"
says "a title above such records is named" title.csv "its table begins in line 2, with 'a,c,b'"

# ---- a heading with a name that is there twice ----
{ echo 'Nr;Betrag;Betrag;Ort;Betrag_2'; for i in $(seq 300); do echo "$i;$((i * 7 % 301)),5;7,1;Ulm$((i % 2));x"; \
    done; } >"$tmp/equal.csv"
peek "$tmp/equal.csv" --json
claim "a heading with two equal names is a heading" equal "$(jq -c '[.records, .rejected // 0, [.columns[].column]]' \
    "$out")" '[300,0,["Nr","Betrag","Betrag_3","Ort","Betrag_2"]]'
claim_says "which is said, with names that differ" "equal.csv: csv with a heading" \
    "there are two columns named 'Betrag': give them different names with header=true and columns=Nr,Betrag,Betrag_3,Ort,Betrag_2"
claim "and the command works" commands 1
cat "$tmp/commands" >"$tmp/renamed"
claim "it has these names" grep -q -- '--header true --columns Nr,Betrag,Betrag_3,Ort,Betrag_2' "$tmp/renamed"
(cd "$home" && eval "$(sed -n '1s/leat /"$LEAT" /p' "$tmp/renamed") --quiet --summary $tmp/s.json" >/dev/null \
    2>&1)
claim "and the heading is no record" equal "$(jq -c '[.records, .rejected]' "$tmp/s.json")" "[300,0]"
for i in $(seq 30); do echo "x,y,x"; done >"$tmp/texts.csv"
peek "$tmp/texts.csv"
claim_says "a text that is there twice above texts is no name" "csv without a heading"

# ---- times of other forms ----
awk 'BEGIN { srand(3); print "ts,day,order,ms,host";
    for (i = 0; i < 400; i++) printf "%.0f,%02d.%02d.2024 %02d:30,%.0f,%d,h%d\n", 1700000000000 + int(rand() * 9e9),
    1 + i % 28, 1 + i % 12, i % 24, 1000000000 + int(rand() * 9e8), rand() * 900, i % 3 }' >"$tmp/epoch.csv"
peek "$tmp/epoch.csv"
claim_says "milliseconds since 1970 are times" "--time ts --time-format unix_ms"
claim "and no metric" sh -c "! grep -q 'metric ts' $err"
claim "by commands that work" commands 2
cut -d, -f2,4,5 "$tmp/epoch.csv" >"$tmp/german.csv"
peek "$tmp/german.csv"
claim_says "so are days before months" "--time day --time-format '%d.%m.%Y %H:%M' --metric ms"
claim "by commands that work" commands 2
(cd "$home" && eval "$(sed -n 's/leat explain /"$LEAT" explain /p' "$tmp/commands") --quiet --summary $tmp/s.json" >/dev/null 2>&1)
claim "which reads them all" equal "$(jq -c '[.records, .rejected, .event_time.first]' "$tmp/s.json")" \
    '[400,0,"2024-01-01T00:30:00Z"]'
cut -d, -f3,5 "$tmp/epoch.csv" >"$tmp/orders.csv"
peek "$tmp/orders.csv"
claim "numbers as large that neither rise nor are named so are none" sh -c "! grep -q time_format $err"

# ---- names that are blank ----
awk 'BEGIN { print ",delay,carrier"; for (i = 0; i < 300; i++) print i "," i * 7 % 50 ",C" i % 4 }' >"$tmp/blank.csv"
leat_run peek "$tmp/blank.csv"
claim "a blank name above numbers is one of a heading, as pandas writes it" equal "$(sed \
    -n 's/^\(column 1\|delay\|carrier\) .*/\1/p' "$out" | paste -sd,)" "column 1,delay,carrier"
claim_says "which is said" "csv with a heading"
# ---- wide, long and deep ----
awk 'BEGIN { n = 20000; for (r = 0; r < 12; r++) { for (i = 0; i < n; i++) printf "%s%s", i ? "," : "", r ? i * r % 5 : "c" i
    print "" } }' >"$tmp/wide.csv"
peek "$tmp/wide.csv" --json
claim "20,000 columns are shown" equal "$status $(jq '.columns | length' "$out")" "0 20000"
claim_says "and commands are about the first of them" "20000 columns: all are shown, and the commands ask about the first 2000"
claim "which work" commands 1
awk 'BEGIN { for (i = 0; i < 20000; i++) long = long "x"; print "t,text,kind"
    for (i = 0; i < 400; i++) printf "%d,%s,k%d\n", i, long, i % 3 }' >"$tmp/long.csv"
peek "$tmp/long.csv" --json
claim "so are cells of 20 KB" equal "$status $(jq .records "$out") $(column kind .distinct)" "0 400 3"
leat_run explain "$tmp/long.csv" --outlier 't < 99'
claim "and a run chooses columns from no record twice" test "$(grep -oE 'come from [0-9]+' "$err" | grep -oE '[0-9]+')" -le 400
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "{\"a\":"; printf 1; for (i = 0; i < 100000; i++) printf "}"; print "" }' >"$tmp/deep.jsonl"
peek "$tmp/deep.jsonl"
claim_says "an object that is too deep is told" "nested 100000 deep: leat names the values of at most 32 levels"
cp "$tmp/semicolons.csv" "$tmp/a,b.csv"
leat_run peek "$tmp/a,b.csv"
claim_says "a name with a comma is one file" "csv with a heading" "leat explain $tmp/a,b.csv --delimiter"
leat_run explain --data "$tmp/a,b.csv" "$(sed -n 's/.*csv --delimiter .;. //p' "$err" | head -1)"
claim "as an argument, too" sh -c "! grep -q 'cannot read' '$err'"
done_claims
