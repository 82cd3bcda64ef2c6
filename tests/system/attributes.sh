# What may explain is chosen from all of the files: places of a sample, kinds of columns, edges, times, missing values.
# tier: long (25 s)
. "$(dirname "$0")/../support/claims.sh"

cat >"$tmp/pieces.lua" <<'LUA'
local leat = require "leat"
local texts, why = leat.pieces(leat.args.data, tonumber(leat.args.bytes), leat.args.encoding)
for _, text in ipairs(texts or {}) do io.stdout:write(leat.args.marks and "--\n" or "", text) end
error("read " .. #(texts or {}) .. tostring(why), 0)
LUA
pieces() { "$LEAT" check "$tmp/pieces.lua" --set bytes=65536 --set data="$1" "${@:2}" >"$tmp/pieces" 2>"$err"; }

# Sorted by time and place, as real files are: the first thousands have one month and one origin.
awk 'BEGIN { srand(3); print "stamp,month,origin,flight,temp,rain,wind,twice,delay"; for (i = 0; i < 60000; i++) {
    m = int(i / 5000); t = int(rand() * 1000); d = int(rand() * 100) + (t >= 700 ? 60 : 0)
    r = rand() < .8 ? 0 : int(rand() * 9) + 1; w = i % 7 ? sprintf("%.1f", rand() * 30) : "NA"
    printf "2023-%02d-%02dT%02d:00:00Z,%d,o%d,%d,%d,%d,%s,%d,%d\n", m + 1, i % 28 + 1, i % 24, m + 1,
        int(i % 5000 / 1700), int(rand() * 9000), t, r, w, 2 * d + 1, d } }' >"$tmp/sorted.csv"
sorted=(--set data="$tmp/sorted.csv")
of_columns() { jq -c ".stages[] | select(.plugin == \"feature.columns\").parameters.$1" "$out" | tr -d '\\"{} '; }
graph() { leat_run graph pipelines/explain.lua --format json "$@"; }

claim "the first 1,000 records have one month and one origin" equal "$(sed -n 2,1001p "$tmp/sorted.csv" |
    cut -d, -f2,3 | sort -u)" "1,o0"
graph "${sorted[@]}" --set metric=delay
claim_says "columns come from all of the file, in few words" "leat: attributes come from 10,000 records across " \
    "leat: attributes: month, origin, rain, weekday, hour, date" "leat: by thresholds: month, temp, rain, wind" \
    "leat: left out: stamp (a time), flight (an id), twice (follows delay), delay (part of the question)" \
    "leat: missing_texts = NA, found in numbers: wind (missing_texts='' takes them as texts)"
claim "a time gives its parts, except one that is a column" equal "$(jq -c '.stages[] |
    select(.plugin == "parse.time").parameters.parts' "$out" | tr -d '\\"{} ')" weekday,hour,date
cp "$out" "$tmp/graph" && cp "$err" "$tmp/said"
graph "${sorted[@]}" --set metric=delay
claim "a second run chooses the same" cmp "$out" "$tmp/graph"
gzip -k "$tmp/sorted.csv"
graph --set data="$tmp/sorted.csv.gz" --set metric=delay
claim "a compressed file gives the same columns" equal "$(grep -E 'attributes:|thresholds|left out' "$err")" \
    "$(grep -E 'attributes:|thresholds|left out' "$tmp/said")"

# ---- an odd word among numbers ----

awk -F, -v OFS=, 'NR == 40001 { $7 = "calm" } { print }' "$tmp/sorted.csv" >"$tmp/odd.csv"
graph --set data="$tmp/odd.csv" --set metric=delay --set missing_values=true
claim_says "a word among numbers hides neither the marks of missing values nor the edges" \
    "leat: by thresholds: month, temp, rain, wind" "leat: missing_texts = NA, found in numbers: wind"
leat_run peek "$tmp/odd.csv"
claim_says "peek finds the marks, too" "numbers with missing values: wind ('NA' in" "--missing-texts NA"
head -1 "$tmp/odd.csv" >"$tmp/early.csv" && sed -n 39901,41900p "$tmp/odd.csv" >>"$tmp/early.csv"
leat_run peek "$tmp/early.csv"
claim_says "and names the word" "wind: 1 of " "values is no number: 'calm'"
graph --set data="$tmp/early.csv" --set metric=delay
claim_says "as explain does" "leat: missing_texts = NA, found in numbers: wind" \
    "values of the sample is no number: 'calm'; no edge counts it (missing_texts='NA,calm' takes it for missing)"
awk -F, -v OFS=, 'NR == 2 { $7 = "gale" } NR == 3 { $7 = "storm" } NR == 5 { $7 = "breeze" } { print }' "$tmp/early.csv" >"$tmp/words.csv"
graph --set data="$tmp/words.csv" --set metric=delay
claim_says "several words hide the edges no more than one" "no number: 'breeze', 'calm', 'gale'"
leat_run explain "$tmp/early.csv" --outlier 'is_missing(wind)' --derive 'half=month % 2' --attributes half --out jsonl --quiet
claim "each value of a derived number is an attribute" equal "$(jq -r '.top[0].feature' "$out" | cut -d= -f1,2 | tr 01 nn)" "half=n"
leat_run explain "$tmp/early.csv" --outlier 'is_missing(wind)' --attributes month --out jsonl --quiet
claim "is_missing counts what awk counts" equal "$(jq '.top[0].base_rate * 2000 | round' "$out")" \
    "$(cut -d, -f7 "$tmp/early.csv" | grep -c NA)"

# ---- edges ----
edges() { jq -r '.stages[] | select(.plugin == "feature.columns").parameters.edges' "$tmp/graph" | grep -oE "\"$1=[^\"]*" |
    sed 's/.*=//' | tr ' ' '\n'; }
quantile() { cut -d, -f"$1" "$tmp/sorted.csv" | sed 1d | sort -n | sed -n "$((60000 * $2 / 100))p"; }
claim "edges are the roundest numbers near the quantiles" equal "$(edges temp | paste -sd' ')" \
    "50 100 200 300 400 500 600 700 800 900 950 990"
for q in 10 50 90; do
    claim "one is near $q % of wind" awk -v x="$(quantile 7 $((q * 6 / 7 + 14)))" 'BEGIN { least = 99 }
        { d = $1 > x ? $1 - x : x - $1; if (d < least) least = d } END { exit !(NR > 5 && least < 1.6) }' <(edges wind)
done
claim "a value that most records have has an edge just above it" equal "$(edges rain | head -1)" 1
claim "whole numbers have whole edges" sh -c "! printf '%s' '$(edges rain)' | grep -q '[.]'"

# A file of many columns has an answer, too.
awk 'BEGIN { srand(8); for (c = 0; c < 900; c++) printf "c%d,", c; print "m"; for (i = 0; i < 300; i++) { m = i % 5 == 0
    for (c = 0; c < 900; c++) {
        n = int(rand() * 999) + (c == 700 && m) * 2000; printf "%s,", c % 2 ? substr("abc", n % 3 + 1, 1) : n }
    print m } }' >"$tmp/wide.csv"
leat_run explain "$tmp/wide.csv" --outlier 'm == 1' --quiet --out jsonl
claim "of 900 columns the one that tells is found" grep -q 'looks like the answer itself: c700' "$err"
# A text that means no value in numbers is a value of a region.
awk 'BEGIN { srand(2); print "region,late,qty"; for (i = 0; i < 3000; i++) { r = substr("NA EUAP", int(rand() * 3) * 2 + 1, 2)
    sub(/ /, "", r); print (r == "E" || r == "" ? "EU" : r) "," (rand() < (r == "NA" ? .4 : .05) ? "yes" : "no") "," (rand() < .3 ? "NA" : i % 9) } }' \
    >"$tmp/north.csv"
leat_run compare "$tmp/north.csv" --split 'late == "yes"' --attributes region,qty --out jsonl --quiet
claim "NA of a text is a value" equal "$(jq '.top[] | select(.feature == "region=NA").count' "$out")" \
    "$(grep -c '^NA,' "$tmp/north.csv")"
claim_says "which is said" "found in numbers: qty " "; a value of region"
claim "and of numbers none" equal "$(jq -r '.top[].feature' "$out" | grep -c '^qty=NA')" 0
leat_run explain "$tmp/north.csv" --outlier 'region == "NA"' --attributes late --out jsonl --quiet
claim "conditions know it" equal "$(jq '.top[0].base_rate * 3000 | round' "$out")" "$(grep -c '^NA,' "$tmp/north.csv")"
rest_is_long

leat_run run pipelines/explain.lua "${sorted[@]}" --set outlier='delay >= 100' --set out=jsonl --quiet --set cross=1 \
    --set min_support=.5
claim "the planted threshold comes out, with the count of awk" equal "$(jq '.top[] |
    select(.feature == "temp >= 700").count' "$out")" "$(awk -F, 'NR > 1 && $5 >= 700' "$tmp/sorted.csv" | wc -l)"
graph "${sorted[@]}" --set metric=delay --set edges='temp=1.5 7;wind=3'
claim "given edges are those of their columns" equal "$(of_columns edges | tr ',' '\n' | grep -E '^(temp|wind)' |
    paste -sd,)" "temp=1.57,wind=3"
graph "${sorted[@]}" --set metric=delay --set edges=
claim_says "no edges: numbers of many values are left out" "temp (numbers, 1000 values)"
claim "and there are none" equal "$(of_columns edges)" ""
leat_run run pipelines/explain.lua "${sorted[@]}" --set metric=delay --set edges=temp
claim_exit "edges without numbers are a mistake" 2
claim_says "which says what to give" "'temp' is wrong: write a column and ascending numbers"
graph "${sorted[@]}" --set metric=delay --set attributes=origin,wind,month
claim "numbers that are named are cut, too" equal "$(of_columns columns) $(of_columns edges | tr ',' '\n' | sed 's/=.*//' |
    paste -sd,)" "origin,month wind,month"

# ---- missing values ----
missing=$(awk -F, 'NR > 1 && $7 == "NA"' "$tmp/sorted.csv" | wc -l)
absent() { leat_run run pipelines/explain.lua "${sorted[@]}" --set outlier='delay >= 0' --set cross=1 --set out=jsonl \
    --set attributes=wind --set min_support=0 --set min_risk_ratio=0 --set sign=both --quiet --set mode=exact "$@"; }
absent --set outlier='delay >= 100'
claim "a missing value is an attribute" equal "$(jq '.top[] | select(.feature == "wind is missing").count' "$out")" \
    "$missing"
absent --set outlier='delay >= 100' --set missing_values=false
claim "or none" equal "$(jq '[.top[] | select(.feature == "wind is missing")] | length' "$out")" 0
graph "${sorted[@]}" --set outlier='is_missing(wind)' --set derive='gust=wind'
claim_says "a question of missing values takes other columns" "wind (part of the question)"
leat_run run pipelines/regress.lua "${sorted[@]}" --set target=delay --set numbers=temp,wind --quiet --summary "$tmp/s.json"
claim "other applications read NA, too" equal "$(json .rejected) $(json .records)" "0 60000"
leat_run run pipelines/regress.lua "${sorted[@]}" --set target=delay --set numbers=temp,wind --set missing_texts= --quiet \
    --summary "$tmp/s.json"
claim "unless they are told not to" equal "$(json .rejected)" "$missing"
tr , ';' <"$tmp/sorted.csv" >"$tmp/semicolons.csv"
leat_run run pipelines/regress.lua --set data="$tmp/semicolons.csv" --set target=delay --set numbers=temp --quiet \
    --summary "$tmp/s.json"
claim "a heading shows its delimiter" equal "$status $(json .records)" "0 60000"
claim_says "which is said" "leat: delimiter = ';', found in the heading"

# ---- limits of a metric, from its values ----
# The q-quantile is the smallest value with at least q n values up to it, or the one before if that is the largest. Of low
# limits the same holds with the other sign. The median is the .5-quantile, MAD that of the distances from it.
awk 'BEGIN { srand(8); print "a,x"; for (i = 0; i < 3000; i++) {
    x = rand() < .3 ? 7 : int(exp(6 * rand())) - 40; print i % 9 "," (i % 50 ? x : "") } }' >"$tmp/ties.csv"
awk -F, 'NR > 1 { print $1 ",\"" $2 "\"" } NR == 1' "$tmp/ties.csv" >"$tmp/quoted.csv"
quantile() { # Q SIGN <numbers, one a line
    awk -v s="$2" '{ print s * $1 }' | sort -g | awk -v q="$1" -v s="$2" '{ v[NR] = $1 } END { at = int(q * NR)
        at += at < q * NR; while (v[at] == v[NR]) at--; print s * v[at] }'
}
sed '1d; s/.*,//; /^$/d' "$tmp/ties.csv" >"$tmp/values"
median=$(quantile .5 1 <"$tmp/values")
mad=$(awk -v m="$median" '{ d = $1 - m; print d < 0 ? -d : d }' "$tmp/values" | quantile .5 1)
limit() { awk -v m="$median" -v mad="$mad" -v s="$1" 'BEGIN { printf "%.12g", m + s * 2 * 1.4826 * mad }'; }
for file in ties quoted; do
    for tail in high low both; do
        for q in .2 .9 .995; do
            high="x > $(quantile $q 1 <"$tmp/values")" low="x < $(quantile $q -1 <"$tmp/values")"
            case $tail in high) asked=$high ;; low) asked=$low ;; both) asked="$high or $low" ;; esac
            leat_run run pipelines/explain.lua --set data="$tmp/$file.csv" --set metric=x --set attributes=a --set edges= \
                --set tail=$tail --set quantile=$q
            claim "$file: the limits of $q ($tail) are those of the values" grep -qF "$asked" "$err" "$out"
        done
    done
    leat_run run pipelines/explain.lua --set data="$tmp/$file.csv" --set metric=x --set attributes=a --set edges= \
        --set tail=both --set mad=2
    claim "$file: those of MADs, too" grep -qF "x > $(limit 1) or x < $(limit -1)" "$err" "$out"
done
awk 'BEGIN { srand(2); print "bytes,g,shop"; for (i = 0; i < 4000; i++)
    print (rand() < .9 ? 0 : 1 + int(rand() * 900)) "," i % 7 ",\"s" i % 2 "\n x\"" }' >"$tmp/zeros.csv"
leat_run run pipelines/explain.lua --set data="$tmp/zeros.csv" --set metric=bytes --set tail=low
claim_says "a limit that most values are beyond is told" ", the nearest limit to the quantile"
leat_run run pipelines/explain.lua --set data="$tmp/zeros.csv" --set metric=bytes --set quantile=.95 --set each=shop
claim "a limit that few values are beyond is not" sh -c '! grep -q nearest "$0"' "$err"
claim_says "a group's value may have a line end" 'where shop=s0\n x'

# Nearly all values differ: as many do not fit into the memory of a script.
awk 'BEGIN { srand(6); print "x,g"; for (i = 0; i < 700000; i++) printf "%.6f,%d\n", 9 * rand(), i % 3 }' >"$tmp/many.csv"
for file in many many_quoted; do
    [ $file = many ] || sed 's/,/,"/; s/$/"/' "$tmp/many.csv" | head -300000 >"$tmp/$file.csv"
    leat_run run pipelines/explain.lua --set data="$tmp/$file.csv" --set metric=x --set attributes=g
    limit=$(grep -o 'x > [0-9.]*' "$err" | head -1 | cut -c5-)
    claim "$file different values have a limit" awk -F, -v limit="${limit:-0}" 'NR > 1 { n++; above += $1 > limit }
        END { exit !(above > .195 * n && above < .205 * n) }' "$tmp/many.csv"
    claim_says "which is that of a sample" "(about the quantile 0.8 of a sample)"
done

# ---- numbers among which are some words ----
awk 'BEGIN { srand(4); print "temp,ok"; for (i = 0; i < 20000; i++) { t = rand() * 100
    print (rand() < .01 ? "error" : sprintf("%.2f", t)) "," (t > 80 && rand() < .8 ? "no" : "yes") } }' >"$tmp/mixed.csv"
leat_run run pipelines/explain.lua --set data="$tmp/mixed.csv" --set outlier='ok == "no"' --set out=jsonl
claim "they are cut at edges" equal "$(jq -r '.top[0].feature' "$out" | sed 's/[0-9.]*$//')" "temp >= "
claim_says "the words are counted" "of the records have a text in 'temp' that is no number"
leat_run run pipelines/classify.lua --set data="$tmp/mixed.csv" --set target=ok
claim "they have no parents, for classify either" sh -c '! grep -q "parents of their texts: temp" "$0"' "$err"
awk -F, 'NR > 1 { print "{\"temp\":" ($1 == "error" ? "\"error\"" : $1) ",\"ok\":\"" $2 "\"}" }' "$tmp/mixed.csv" >"$tmp/mixed.jsonl"
leat_run run pipelines/explain.lua --set data="$tmp/mixed.jsonl" --set metric=temp --set quantile=.7 --set attributes=ok
claim_says "a metric of JSON has a fixed limit, too" "(about the quantile 0.7 of a sample)"

cat >"$tmp/tally.lua" <<'LUA'
local leat = require "leat"
for text, n in pairs(leat.tally(leat.beginning(leat.args.data, 1 << 20), ";", tonumber(leat.args.k), 1, 100)) do
  io.stdout:write(n, " [", text, "]\n")
end
error("read", 0)
LUA
awk 'BEGIN { srand(9); for (i = 0; i < 500; i++) { n = int(rand() * 4); line = int(rand() * 5)
    while (n--) line = line ";" (rand() < .2 ? "" : int(rand() * 5)); print line } }' >"$tmp/fields"
for k in 1 2 4; do
    "$LEAT" check "$tmp/tally.lua" --set data="$tmp/fields" --set k=$k >"$tmp/tally" 2>"$err"
    claim "field $k of lines is counted" equal "$(sort "$tmp/tally")" "$(awk -F';' -v k=$k 'NF >= k { n["[" $k "]"]++ }
        END { for (text in n) print n[text], text }' "$tmp/fields" | sort)"
done

# ---- places of the sample ----
pieces "$tmp/sorted.csv"
claim "there are 64 pieces" grep -q 'read 64nil' "$err"
claim "each line of them is one of the file" equal "$(sort -u "$tmp/pieces" | comm -23 - <(sort -u "$tmp/sorted.csv") |
    wc -l)" 0
claim "no line comes twice" equal "$(sort "$tmp/pieces" | uniq -d | wc -l)" 0
claim "they begin with the heading" equal "$(head -1 "$tmp/pieces")" "$(head -1 "$tmp/sorted.csv")"
claim "they are as many as asked for, about" awk -v n="$(wc -c <"$tmp/pieces")" 'BEGIN { exit !(n > 50000 && n < 70000) }'
claim "each month has its share" awk -F, 'NR > 1 { n[$2]++; all++ } END { for (m in n) { months++
    if (n[m] < all / 20 || n[m] > all / 8) exit 1 } exit months != 12 }' "$tmp/pieces"
cp "$tmp/pieces" "$tmp/plain"
pieces "$tmp/sorted.csv"
claim "a second time they are the same" cmp "$tmp/pieces" "$tmp/plain"
for coder in gzip bzip2 xz zstd; do
    $coder -qkf "$tmp/sorted.csv"
    pieces "$(ls "$tmp"/sorted.csv.*)"
    claim "$coder: each line is one of the file, and comes once" equal "$(sort "$tmp/pieces" | comm -23 - <(sort \
        "$tmp/sorted.csv") | wc -l) $(sort "$tmp/pieces" | uniq -d | wc -l)" "0 0"
    claim "$coder: each month has its share" awk -F, 'NR > 1 { n[$2]++; all++ } END { for (m in n) { months++
        if (n[m] < all / 24 || n[m] > all / 6) exit 1 } exit months != 12 }' "$tmp/pieces"
    rm "$tmp"/sorted.csv.*
done
mkdir "$tmp/months"
for m in 1 2 3 4 5 6 7 8 9 10 11 12; do
    { head -1 "$tmp/sorted.csv" && awk -F, -v m=$m '$2 == m' "$tmp/sorted.csv"; } >"$tmp/months/$m.csv"
done
gzip "$tmp/months/7.csv"
pieces "$tmp/months/*"
claim "of several files, each has its share" awk -F, '$2 != "month" { n[$2]++; all++ } END { for (m in n) { months++
    if (n[m] < all / 40 || n[m] > all / 5) exit 1 } exit months != 12 }' "$tmp/pieces"
printf '\xef\xbb\xbfa,b\r\n' >"$tmp/marks.csv"
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "%d,x%d\r\n", i, i % 7 }' >>"$tmp/marks.csv"
pieces "$tmp/marks.csv"
claim "marks and line ends of other systems are gone" equal "$(head -1 "$tmp/pieces") $(grep -c $'\r' "$tmp/pieces")" "a,b 0"
head -c 3000 "$tmp/sorted.csv" | iconv -t UTF-16LE >"$tmp/wide.csv"
pieces "$tmp/wide.csv" --set encoding=utf-16le
claim "an encoded file comes whole if it is small" equal "$(head -c 2900 "$tmp/pieces")" "$(head -c 2900 "$tmp/sorted.csv")"
awk 'BEGIN { for (i = 0; i < 300; i++) printf "%d%0*d\n", i, 20000, 0 }' >"$tmp/long.txt"
pieces "$tmp/long.txt"
claim "records longer than a piece come whole" awk 'length($0) < 20001 { exit 1 } END { exit NR < 20 }' "$tmp/pieces"
pieces <(cat "$tmp/sorted.csv")
claim "a pipe gives none, and no reason" grep -q 'read 0nil' "$err"
pieces "$tmp/none.csv"
claim "a file that is missing has a reason" grep -q "read 0cannot read $tmp/none.csv" "$err"

# A text may begin inside a field with line ends: its first rows have another number of fields, or are wrong.
awk 'BEGIN { srand(4); print "text,kind,n"; for (i = 0; i < 30000; i++)
    printf "\"line %d\nand, \"\"one\"\" more\",k%d,%d\n", i, i / 6000, rand() * 1000 }' >"$tmp/lines.csv"
graph --set data="$tmp/lines.csv" --set metric=n
claim_says "fields with line ends do no harm" "leat: attributes: kind" "text ("

# ---- columns that follow others, and questions of missing values ----
awk 'BEGIN { srand(8); print "a,b,c,d,score"; for (i = 0; i < 5000; i++) { a = rand() * 100; s = rand() * 100
    printf "%.2f,%.2f,%.2f,%s,%.2f\n", a, 3 * a * a + rand(), s < 50 ? a : rand() * 100, i % 9 ? int(rand() * 50) : "",
    s } }' | awk -F, -v OFS=, 'NR > 1 && NR % 9 == 1 { $4 = "" } { print $0, NR == 1 ? "e" : $4 == "" ? "" : NR % 40 }' \
    >"$tmp/follow.csv"
graph --set data="$tmp/follow.csv" --set metric=score
claim_says "of two columns in the same order one is taken" "b (follows a)" "by thresholds: a, c, d"
graph --set data="$tmp/follow.csv" --set outlier='is_missing(d)'
claim_says "a column that is missing with that of the question says nothing" "e (missing with d)"
# Most ill records have 1 or 2 stars of 5. The price depends on carat, with a rank correlation of 0.99.
awk 'BEGIN { srand(7); print "stars,carat,ill,price"; for (i = 0; i < 5000; i++) { c = .2 + int(rand() * 250) / 100
    s = 1 + int(rand() * 5); printf "%d,%.2f,%s,%d\n", s, c, rand() < (s < 3 ? .6 : .1) ? "yes" : "no",
        1000 * c * c * exp(.25 * (rand() + rand() + rand() - 1.5)) } }' >"$tmp/stones.csv"
first_row() {
    leat_run run pipelines/explain.lua --set data="$tmp/stones.csv" --set out=jsonl --quiet "$@"
    jq -r '.top[0] | [.feature, .count] | @csv' "$out"
}
claim "numbers of five values have thresholds" equal "$(first_row --set outlier='ill == "yes"')" \
    "\"stars < 3\",$(awk -F, 'NR > 1 && $1 < 3' "$tmp/stones.csv" | wc -l)"
row=$(first_row --set metric=price)
claim "a number that mostly gives the metric may explain it" equal "${row//[0-9.]/}" '"carat >= ",'
awk 'BEGIN { print "when,host,ms"; for (i = 0; i < 3000; i++) printf "%d,h%d,%d\n", 1700000000 + i * 1800, i % 3, i * 7 % 400 }' \
    >"$tmp/unix.csv"
graph --set data="$tmp/unix.csv" --set metric=ms
claim "seconds since 1970 are a time" equal "$(jq -c '.stages[] | select(.plugin == "parse.time").parameters |
    .format + .parts' "$out" | tr -d '\\"{} ')" "unixmonth,weekday,hour,date"
graph --set data="$tmp/unix.csv" --set metric=ms --set time=when --set time_format=unix --set time_parts=hour
claim "unless its parts are given" equal "$(jq -c '.stages[] | select(.plugin == "parse.time").parameters.parts' "$out" |
    tr -d '\\"{} ')" hour
graph --set data="$tmp/unix.csv" --set metric=ms --set time=when
claim "a time that is named gives its parts, and rejects what is none" equal "$(jq -c '.stages[] |
    select(.plugin == "parse.time").parameters | .parts, .missing' "$out" | tr -d '\\"{} ' | xargs)" \
    "month,weekday,hour,date reject"
graph --set data="$tmp/unix.csv" --set metric=ms --set time=when --set time_parts=hour
claim "whose format the values show" equal "$(jq -r '.stages[] | select(.plugin == "parse.time").parameters.format' "$out" |
    tr -d '"') $(grep -c 'time_format = unix, found in the values of when' "$err")" "unix 1"
sed 's/^\(1[0-9]*\)/\1000/' "$tmp/unix.csv" >"$tmp/millis.csv"
leat_run explain "$tmp/millis.csv" --metric ms --time when --attributes host
claim_says "as it does of milliseconds" "time_format = unix_ms" "3000 records"
sed 's/^1/0/' "$tmp/unix.csv" | awk -F, -v OFS=, 'NR > 1 { $1 = 1900 + NR % 60 "-03-0" NR % 9 + 1 " 12:00:00" } 1' >"$tmp/old.csv"
graph --set data="$tmp/old.csv" --set metric=ms
claim "times before 1970 are no attributes, and none is refused" equal "$(jq '[.stages[] |
    select(.plugin == "parse.time")] | length' "$out") $(grep -c 'when (a time)' "$err")" "0 1"
sed 's/^/x;/' "$tmp/semicolons.csv" | sed '1s/x;/y;/' | tr . , >"$tmp/commas.csv"
graph --set data="$tmp/commas.csv" --set metric=delay --set delimiter=';' --set decimal=,
claim_says "numbers with a decimal comma are numbers" "by thresholds: month, temp, rain, wind"

# ---- what comes after the outcome ----
# Of each record: the time until it failed, or until the end at 300; a level that is low where it failed; two clocks,
# whose difference is the delay but for some noise; and two parts of a total. The threshold 35 of `load` lies between
# tenths.
awk 'BEGIN { srand(9); print "futime,level,planned,arrived,delay,first,second,total,load,hot,failed"; for (i = 0; i < 4000; i++) {
    f = rand() < .4; t = f ? rand() * 260 : 240 + rand() * 60; p = rand() * 500
    d = rand() < .2 ? 100 + rand() * 90 : rand() * 40
    a = rand() * 50; b = rand() * 70; l = int(rand() * 1000) / 10
    printf "%d,%.1f,%.1f,%.1f,%.1f,%.2f,%.2f,%.2f,%.1f,%d,%d\n", t, (f ? 0 : 50) + rand() * 60, p, p + d + rand() * 9, d, a, b,
        a + 2 * b, l, rand() < (l >= 35 ? .3 : .1), f } }' >"$tmp/after.csv"
after() { graph --set data="$tmp/after.csv" "$@"; }
after --set outlier='failed == 1'
claim_says "a time until the event is set apart, another low number is not" \
    "looks like the answer itself: futime (lower with the event: a time until failed?)" "by thresholds: level"
after --set outlier='failed == 0'
claim_says "it is not if the event is the other value" "by thresholds: futime"
after --set metric=delay
claim_says "two columns whose difference gives the metric are set apart" \
    "planned (gives delay with arrived), arrived (gives delay with planned)"
after --set metric=total
claim_says "so are parts of a sum" "first (gives total with second), second (gives total with first)"
after --set metric=total --set attributes=first,load
claim "named ones are taken" grep -q '"columns"' "$out"
leat_run run pipelines/explain.lua --set data="$tmp/after.csv" --set outlier='hot == 1' --set out=jsonl --quiet
claim "a better threshold than the tenths is an edge" equal "$(jq -r '.top[0].feature' "$out")" "load >= 35"

# ---- what a sample does not show ----
awk 'BEGIN { print "v,m"; for (i = 0; i < 60000; i++) print (i % 9000 == 4321 ? ">99" : i * 7 % 51) "," (i * 7919) % 1000 }' \
    >"$tmp/rare.csv"
leat_run run pipelines/explain.lua --set data="$tmp/rare.csv" --set outlier='m > 900' --quiet --summary "$tmp/s.json"
claim "a text in a column that was chosen for its edges costs no record" equal "$(jq .rejected "$tmp/s.json")" 0
claim_says "and is counted" "7 of the records have a text in 'v' that is no number"
awk 'BEGIN { print "v,m"; for (i = 0; i < 600; i++) print i % 51 "," i % 100 }' >"$tmp/grows.csv"
grows() { leat_run run pipelines/explain.lua --set data="$tmp/grows.csv" --set outlier='m >= 80' --quiet --state "$tmp/grown" \
    --set min_support=0 --set order=support --set sign=both --set out=jsonl --set missing_values=false "$@"; }
grows --set attributes=v --set edges='v=10 30'
awk 'BEGIN { for (i = 0; i < 1000; i++) print i % 40 "," i % 90 }' >>"$tmp/grows.csv"
grows --set attributes=v --set edges='v=10 30'
claim "a run that continues counts all records of an edge" equal \
    "$(jq '.top[] | select(.feature == "v >= 10").count' "$out")" "$(awk -F, 'NR > 1 && $1 >= 10' "$tmp/grows.csv" | wc -l)"
leat_run run pipelines/explain.lua --set data="$tmp/rare.csv" --set outlier='m > 900' --quiet --state "$tmp/other"
claim "of itself it cuts no numbers" sh -c "! grep -q 'v >= ' '$out'"
awk 'BEGIN { print "k,m"; for (i = 0; i < 2000; i++) printf "k%d,17000000000000%05d\n", i % 3, i * 7 % 2000 }' >"$tmp/large.csv"
leat_run run pipelines/explain.lua --set data="$tmp/large.csv" --set metric=m --set attributes=k
claim_says "large whole numbers are compared exactly" "400 of 2,000 records (20 %) have m > 1700000000000001599 (about the quantile 0.8)"
leat_run run pipelines/explain.lua --set data="$tmp/large.csv" --set metric=m --set attributes=k --set quantile=80
claim_says "a quantile in per cent is refused" "quantile takes a number from 0 to 1"
done_claims
