# Columns of a file are chosen by what they tell of the question; those that look like its answer are set apart.
# tier: long (25 s)
. "$(dirname "$0")/../support/claims.sh"

graph() { leat_run graph pipelines/explain.lua --format json "$@"; }
chosen() { sed -n 's/^leat: attributes: //p' "$err" | tr -d ' ' | tr , '\n' | sort; }

# Thirty columns of two or three texts. Each says more than the one before; those at the end of the file say most.
awk 'BEGIN { srand(11); printf "bad"; for (c = 1; c <= 30; c++) printf ",k%d", c; print ""
    for (i = 0; i < 6000; i++) { bad = rand() < .2; printf "%s", bad ? "yes" : "no"
        for (c = 1; c <= 30; c++) printf ",%s", rand() < .3 + (bad ? c * .015 : 0) ? "a" : rand() < .5 ? "b" : "c"
        print "" } }' >"$tmp/wide.csv"

# The likelihood ratio of each column and the question, without any part that chance makes.
told() { awk -F, 'NR == 1 { for (c = 2; c <= NF; c++) name[c] = $c; next }
    { y[$1]++; for (c = 2; c <= NF; c++) { n[c, $1, $c]++; all[c, $c]++; values[$c] } }
    END { for (c in name) { sum = 0
        for (v in values) { g = 0
            for (l in y) if (n[c, l, v]) g += 2 * n[c, l, v] * log(n[c, l, v] * (NR - 1) / (all[c, v] * y[l]))
            if (g > 1 + 2 * log(3)) sum += g - 1 - 2 * log(3) }
        print sum, name[c] } }' "$1" | sort -k1,1nr; }
graph --set data="$tmp/wide.csv" --set outlier='bad == "yes"'
claim "twelve of thirty columns are those that tell most, as awk has it" equal "$(chosen)" \
    "$(told "$tmp/wide.csv" | head -12 | cut -d' ' -f2 | sort)"
claim_says "the others are named" "k17 (12 others tell more), k16 (12 others tell more)"
cp "$err" "$tmp/said"
sed '1!{s/^yes/9/;s/^no/1/}' "$tmp/wide.csv" >"$tmp/numbers.csv"
graph --set data="$tmp/numbers.csv" --set metric=bad
claim "a metric asks the same" equal "$(chosen)" "$(sed -n 's/^leat: attributes: //p' "$tmp/said" | tr -d ' ' | tr , '\n' | sort)"
graph --set data="$tmp/wide.csv" --set outlier='substring(bad, 1, 1) == "y"'
claim_says "a condition that only the run knows leaves the order of kinds" "(12 others come first)"
leat_run run pipelines/explain.lua --set data="$tmp/wide.csv" --set outlier='bad == "yes"' --quiet --state "$tmp/state"
claim "so does a run that continues" grep -q '12 others come first' "$err"

# same: wrong in no record; nearly in 2 %, few in .2 %; strong covers 98 % of the outliers, and half of it is none.
awk 'BEGIN { srand(5); print "bad,same,nearly,few,strong,level,late,host"; for (i = 0; i < 9000; i++) { b = rand() < .2
    printf "%d,%s,%s,%s,%s,%d,%s,h%d\n", b, b ? "p" : i % 2 ? "q" : "r", (rand() < .02) != b ? "x" : "y",
        (i % 500 == 0) != b ? "x" : "y", b ? rand() < .98 : rand() < .2, (b ? 500 : 0) + rand() * 500,
        b ? "2024" : "", rand() * 5 } }' >"$tmp/answers.csv"
graph --set data="$tmp/answers.csv" --set outlier='bad == 1'
claim_says "columns that give the label both ways are set apart, with the share of records" \
    "leat: looks like the answer itself: same (gives it in 100 % of the records), few (gives it in 99.8 % of the records)," \
    "level (gives it in 100 % of the records), late (gives it in 100 % of the records)"
claim "strong causes stay" equal "$(chosen | paste -sd,)" "host,nearly,strong"
claim "the share is that of awk" equal "$(awk -F, 'NR > 1 && ($1 == 1) == ($4 == "x")' "$tmp/answers.csv" | wc -l)" 8982
graph --set data="$tmp/answers.csv" --set outlier='bad == 1' --set attributes=same,host
claim "what is named is taken anyway" equal "$(jq -c '.stages[] | select(.plugin == "feature.columns").parameters.columns' \
    "$out" | tr -d '\\"{} ')" same,host
leat_run run pipelines/explain.lua --set data="$tmp/answers.csv" --set outlier='bad == 1' --quiet --summary "$tmp/s.json"
claim "they are in no row" sh -c "! grep -q 'same=' '$out'"
awk 'BEGIN { srand(6); print "s,mark,t"; for (i = 0; i < 9000; i++) { s = int(rand() * 2000)
    print s "," (rand() < .2 + .1 * (i % 3 == 0)) "," i % 3 } }' >"$tmp/ids.csv"
graph --set data="$tmp/ids.csv" --set outlier='mark == 1'
claim_says "many even numbers that tell nothing are ids" "s (numbers like those of ids)"

# ---- compare, classify and regress choose, too ----
of_columns() { jq -c ".stages[] | select(.plugin == \"feature.columns\").parameters.$1" "$out" | tr -d '\\"{} '; }
awk 'BEGIN { srand(7); print "id,kind,zone,when,size,weight,copy,price,sort,grade"; for (i = 0; i < 4000; i++) {
    w = rand() * 100; k = int(rand() * 3); p = 20 + 3 * w + 40 * k + rand() * 30
    printf "%d,k%d,z%d,2024-%02d-01,%.1f,%.2f,%.2f,%.2f,s%d,%s\n", i, k, rand() * 9, rand() * 12 + 1, rand() * 50, w,
        p * 1.19, p, k, (p > 200) ? "good" : "bad" } }' >"$tmp/goods.csv"
goods=(--format json --set data="$tmp/goods.csv")
leat_run graph pipelines/regress.lua "${goods[@]}" --set target=price --set filter='size > 1'
claim "regress takes texts, parts of times and numbers" equal "$(of_columns columns) $(of_columns numbers)" \
    "kind,zone,sort,grade,month,weekday size,weight"
claim_says "a copy of the target is set apart, and ids are left out" \
    "leat: looks like the answer itself: copy (in the order of price)" \
    "leat: left out: id (an id), when (a time), price (part of the question)"
leat_run graph pipelines/regress.lua "${goods[@]}" --set target=price --set attributes='*'
claim "* is all that it would take" equal "$(of_columns columns) $(of_columns numbers)" \
    "kind,zone,sort,grade,month,weekday size,weight"
leat_run graph pipelines/regress.lua "${goods[@]}" --set target=price --set numbers=size
claim "what is named is all that is taken" equal "$(of_columns columns) $(of_columns numbers)" " size"
leat_run run pipelines/regress.lua --set data="$tmp/goods.csv" --set target=price --quiet --summary "$tmp/s.json"
claim "no record is lost" equal "$(json .rejected)" 0
leat_run graph pipelines/classify.lua "${goods[@]}" --set label=kind
claim_says "classify finds the classes" "leat: classes = k0,k1,k2, the texts of kind" "the answer itself: sort (gives it in 100 %"
leat_run graph pipelines/classify.lua "${goods[@]}" --set label=grade
rarer=$(cut -d, -f10 "$tmp/goods.csv" | sed 1d | sort | uniq -c | sort -n | awk 'NR == 1 { print $2 }')
claim_says "of two the rarer is the positive one" "leat: positive = $rarer, the rarer of the two texts of grade" \
    "price (gives it in 100 % of the records)"
leat_run graph pipelines/classify.lua --format json --set data="$tmp/wide.csv" --set label=bad --set positive=no
claim "what is given counts" equal "$(jq -c '.stages[] | select(.plugin == "label.is").parameters.positive' "$out" |
    tr -d '\\"{} ')" no

sed '1d;2000q' "$tmp/goods.csv" | awk -F, -v OFS=, '{ $1 = "x" $1; if (NR % 2) { $2 = "k1"; $6 += 30 } $4 = "2023-05-01" } 1' |
    cat <(head -1 "$tmp/goods.csv") - >"$tmp/before.csv"
compared() { leat_run run pipelines/compare.lua --set a="$tmp/goods.csv" --set b="$tmp/before.csv" --quiet --set out=csv \
    --set order=weight "$@"; }
compared
claim_says "compare takes all columns of both files" "attributes come from 5,999 records across" "/goods.csv and $tmp/before.csv" \
    "leat: attributes: kind, zone, sort, grade, month, weekday" "leat: by thresholds: size, weight, price"
claim_says "what only one file has is no news" "leat: looks like the answer itself: date (gives it in 100 % of the records)"
claim "of a number the threshold that tells most" equal "$(grep -c 'weight >= ' "$out")" 1
edge=$(sed -n 's/.*,weight >= \([0-9.]*\),.*/\1/p' "$out")
claim "its shares are those of awk" equal "$(awk -F, -v e="$edge" 'FNR > 1 && $6 >= e' "$tmp/goods.csv" "$tmp/before.csv" |
    wc -l)" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "count") c = i } /weight >= / { print $c + 0 }' "$out")"
cut -d, -f1-8 "$tmp/before.csv" >"$tmp/cut.csv"
compared --set b="$tmp/cut.csv" --set attributes=kind
claim_says "files of other columns are refused" "the headings of a and b differ: only a has sort, grade. Give files with the same columns"
awk -F, -v OFS=, '{ x = $2; $2 = $3; $3 = x } 1' "$tmp/before.csv" >"$tmp/turned.csv"
compared --set b="$tmp/turned.csv"
claim_says "or of another order" "the headings of a and b differ: the same columns are in another order"
graph --set data="$tmp/wide.csv" --set outlier='bad == "yes"' --set attributes='*' --set cross=1
claim "explain takes all with *" equal "$(chosen | wc -l)" 30
leat_run graph pipelines/regress.lua --format json --set data="$tmp/numbers.csv" --set target=bad
claim "a number to predict has no classes" equal "$status $(grep -c positive "$err")" "0 0"

rest_is_long

# A condition of the sample is that of the run: each of these, in each record.
cat >"$tmp/conditions" <<'LIST'
ms > 50
ms >= 50 and ms < 60 or host == 'h2'
not (host in ('h1', "h3")) and ms != 7
host not in ('h1')
is_missing(ms) or coalesce(number(ms), 0) % 3 == 1
a < b
a == b
a > b and not host ~= 'h0'
-a + 2 * b // 3 >= 40 - ms / 7
`odd name` == "it's"
lower(`odd name`) == 'x' or upper(host) == "H4"
contains(host, '3') or starts_with(host, 'h4') or ends_with(host, '0')
number(`odd name`) > 3
abs(a - b) <= 5 and true
length(host) == 2 and false or ms == 1
LIST
awk 'BEGIN { srand(2); print "ms,host,a,b,odd name"; split("it\x27s,X,4,3.5,,-1", odd, ","); for (i = 0; i < 900; i++)
    printf "%s,h%d,%d,%d,%s\n", rand() < .1 ? "" : int(rand() * 100), rand() * 5, rand() * 100, rand() * 100,
        odd[1 + int(rand() * 6)] }' >"$tmp/c.csv"
cat >"$tmp/twin.lua" <<'LUA'
local leat = require "leat"
local look, list = require("leat.sampled").csv(leat.args.data), {}
for text in io.lines(leat.args.list) do
  list[#list + 1] = assert(require("leat.sampled_conditions").of(look, text), text)
end
for _, row in ipairs(look.rows) do
  local values = {}
  for i, holds in ipairs(list) do
    local value = holds(row)
    values[i] = value == nil and "" or tostring(value)
  end
  io.stdout:write(table.concat(values, ","), "\n")
end
error("done", 0)
LUA
{
    echo 'local leat = require "leat"'
    echo 'return leat.pipeline "p" { leat.source.file { path = leat.args.data }, leat.parse.csv {}, leat.shape.set {'
    awk '{ printf "  [[c%d = %s]],\n", NR, $0 }' "$tmp/conditions"
    echo '}, leat.sink.file { path = "-", format = "csv", columns = {'
    awk '{ printf "\"c%d\", ", NR }' "$tmp/conditions"
    echo '} } }'
} >"$tmp/run.lua"
"$LEAT" check "$tmp/twin.lua" --set data="$tmp/c.csv" --set list="$tmp/conditions" >"$tmp/twin" 2>/dev/null
leat_run run "$tmp/run.lua" --set data="$tmp/c.csv" --quiet
sed 1d "$out" >"$tmp/run"
claim "conditions of the sample are those of the run" cmp "$tmp/run" "$tmp/twin"
claim "of 900 records" equal "$(wc -l <"$tmp/run")" 900

# ---- what is given is obeyed, or refused by its name ----
awk -F, 'NR > 1 { printf "{\"kind\":\"%s\",\"zone\":\"%s\",\"grade\":\"%s\",\"size\":%s,\"price\":%s}\n", $2, $3, $10, $5, $8 }' \
    "$tmp/goods.csv" >"$tmp/goods.jsonl"
declare -A asks=([explain]="--set metric=price" [regress]="--set target=price" [classify]="--set label=grade"
    [compare]="--set split=size>9")
given() { # APPLICATION ARGUMENT=VALUE FILE
    # shellcheck disable=SC2086
    leat_run run "pipelines/$1.lua" --set data="$3" ${asks[$1]} --set "$2" --quiet
}
refused=
for application in explain regress classify compare; do
    for one in 'delimiter=;' quote=x decimal=, thousands=. header=true extra=ignore short=fill missing_texts=k1; do
        given $application "$one" "$tmp/goods.jsonl"
        [[ $status == 2 ]] && grep -q "error: .*${one%%=*}" "$err" || refused+=" $application:$one"
    done
done
claim "settings of csv are refused for json, by name" equal "$refused" ""
ignored=
tr , ';' <"$tmp/goods.csv" >"$tmp/goods.txt"
for application in explain regress classify compare; do
    given $application 'delimiter=;' "$tmp/goods.txt"
    [[ $status == 0 ]] || ignored+=" $application:delimiter"
    given $application 'delimiter=|' "$tmp/goods.txt"
    [[ $status == 2 ]] || ignored+=" $application:delimiter=|"
    # shellcheck disable=SC2086
    leat_run graph "pipelines/$application.lua" --format json --set data="$tmp/goods.csv" ${asks[$application]} --set missing_texts=z1
    jq -e '.stages[] | select(.plugin == "parse.csv") | .parameters.missing | contains("z1")' "$out" >"$tmp/none" ||
        ignored+=" $application:missing_texts"
    for one in decimal=, filter=size'<'25; do
        given $application "$one" "$tmp/goods.csv"
        cp "$out" "$tmp/with"
        given $application seed=1 "$tmp/goods.csv"
        cmp -s "$out" "$tmp/with" && ignored+=" $application:$one"
    done
done
claim "for csv they are obeyed" equal "$ignored" ""
done_claims
