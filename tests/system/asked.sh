# The question of a run with its counts, and the answer, in sentences: on the terminal, in the summary and the report.
. "$(dirname "$0")/../support/claims.sh"

awk 'BEGIN { srand(1); print "host,kind,user,item,rating,text"; for (i = 0; i < 3000; i++) { h = int(rand() * 5)
    print "h" h "," (rand() < (h == 2 ? .6 : .1) ? "spam" : "ham") ",u" int(rand() * 20) ",i" int(rand() * 30) "," int(rand() * 5) + 1 ",the cat sat on h" h } }' >"$tmp/a.csv"
grouped() { sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|[^0-9]\)/\1,\2\3/; ta' <<<"$1"; }
count() { grouped "$(awk -F, "NR > 1 && ($1)" "$tmp/a.csv" | wc -l)"; }
distinct() { awk -F, -v c="$1" 'NR > 1 { seen[$c] } END { print length(seen) }' "$tmp/a.csv"; }

share() { awk -v n="${1//,/}" -v all="$2" 'BEGIN { printf "%.3g %%", 100 * n / all }'; }

# asked WORDS TEXT PIPELINE ARGS…
asked() {
    leat_run run "pipelines/$3.lua" --progress never --set data="$tmp/a.csv" --summary "$tmp/s.json" \
        --report "$tmp/r.md" "${@:4}"
    claim_says "$1" "leat: $2"
    claim "and in the summary" equal "$(json .asked)" "$2"
    claim "and first in the report" equal "$(sed -n 5p "$tmp/r.md" | tr -d '\\')" "$2."
}
spam=$(count '$2 == "spam"') ham=$(count '$2 == "ham"')
classify=(--set label=kind --set attributes=host)
asked "classify says how many are positive" "$spam of 3,000 records ($(share "$spam" 3000)) have kind = spam" \
    classify "${classify[@]}" \
    --set positive=spam --set learner=awm,logistic
asked "or how many each class has" "Classes of kind: ham $ham, spam $spam" classify "${classify[@]}" \
    --set classes=ham,spam
asked "also of more than two" "Classes of host: h0 $(count '$1 == "h0"'), h1 $(count '$1 == "h1"'), h2 $(count \
    '$1 == "h2"'), h3 $(count '$1 == "h3"'), h4 $(count '$1 == "h4"')" \
    classify --set label=host --set attributes=kind --set classes=h0,h1,h2,h3,h4
awk -F, -v OFS=, 'NR > 1 { $1 = substr($1, 2) } { print }' "$tmp/a.csv" >"$tmp/numbers.csv"
asked "and of those with numbers" "Classes: 5 numbers: class 0 $(count '$1 == "h0"'), class 1 $(count \
    '$1 == "h1"'), class 2 $(count '$1 == "h2"'), class 3 $(count '$1 == "h3"'), class 4 $(count '$1 == "h4"')" \
    classify --set data="$tmp/numbers.csv" --set label=host --set attributes=kind --set classes=5
asked "features as classify does" "$spam of 3,000 records ($(share "$spam" 3000)) have kind = spam" \
    features "${classify[@]}" \
    --set positive=spam
asked "regress says of how many records" "rating is predicted for 3,000 records" regress --set target=rating \
    --set attributes=host
asked "ratings say how many there are, and of how many users and items" \
    "rating is predicted for 3,000 records with $(($(distinct 3) + $(distinct 4))) values of user and item" \
    rate --set format=csv
asked "pairs counts tokens and pairs" "$(grouped 15000) tokens of text make $(grouped $((3000 * 7))) pairs less than 3 apart" pairs --set format=csv --set column=text --set window=3
asked "also where a classifier learns them" "15,000 tokens of text make pairs less than 3 apart" pairs \
    --set format=csv --set column=text --set window=3 --set mode=awm
asked "correlate names its sides" "3,000 records have $(distinct 1) features on the left and $(distinct \
    2) on the right (left: host; right: kind)" correlate --set left=host --set right=kind --set method=scod
sed 1d "$tmp/a.csv" | cut -d, -f6 >"$tmp/lines.txt"
leat_run run pipelines/correlate.lua --progress never --set format=lines --set data="$tmp/lines.txt"
claim_says "of lines, too" "3,000 records have both sides (left: the first half of a line; right: the second)"
{ head -1 "$tmp/a.csv" && grep ,spam, "$tmp/a.csv"; } >"$tmp/b.csv"
leat_run run pipelines/compare.lua --progress never --set a="$tmp/b.csv" --set b="$tmp/a.csv" --set attributes=host
claim_says "compare counts the records of A" "leat: $spam of $(grouped $((3000 + ${spam//,/}))) records ("
claim_says "which are those of A" ") are A: $tmp/b.csv; B is $tmp/a.csv"

# ---- the answer in a sentence: figures of awk ----
answered() { claim "$1" equal "$(json .answered)" "$2"; }
per_cent() { awk -v n="$1" -v all="$2" 'BEGIN { printf "%.1f %%", 100 * n / all }'; }
both=$(count '$1 == "h2" && $2 == "spam"') h2=$(count '$1 == "h2"')
asked "explain says how many outliers there are" "$spam of 3,000 records ($(share "$spam" 3000)) have kind == \"spam\"" \
    explain --set outlier='kind == "spam"' --set attributes=host
answered "its answer has the rate and the cover of the first row" \
    "host=h2 has a rate of $(per_cent "$both" "$h2") and covers $(per_cent "$both" "$spam") of them"
claim_says "the terminal has it, too" "leat: host=h2 has a rate of $(per_cent "$both" "$h2")"
claim "and the report, below the question" equal "$(sed -n 7p "$tmp/r.md" | tr -d '\\')" "$(json .answered)."
asked "and of a quantile" "595 of 3,000 records (19.8 %) have rating > 4 (about the quantile 0.8)" \
    explain --set metric=rating
answered "rows that are luck are no answer" "no row of the answer is surely more than chance"
# 260 values that each are worth a row: a table of 12, and one of 250, of which the summary has 200.
awk 'BEGIN { print "host,slow"; for (h = 1; h <= 260; h++) for (i = 0; i < 60; i++) print "h" h "," (i < 20 + h % 39 ? 1 : 0)
    for (i = 0; i < 20000; i++) print "other,0" }' >"$tmp/many.csv"
slow=$(grep -c ',1$' "$tmp/many.csv")
for k in 12 250; do
    leat_run run pipelines/explain.lua --quiet --set data="$tmp/many.csv" --set outlier='slow == 1' --set attributes=host \
        --set order=risk --set k=$k --summary "$tmp/s.json"
    json .answered | sed 's/.* of them, //; s/,.*//' >"$tmp/rows.$k"
done
claim "all rows are counted" equal "$(cat "$tmp/rows.12")" "all 12 rows $(per_cent "$(
    awk -F, '$2 == 1 { n[$1]++ } END { for (h in n) print n[h] }' "$tmp/many.csv" | sort -rn | sed 12q | awk '{ n += $1 } END { print n }')" "$slow")"
claim "or the first 200" equal "$(cat "$tmp/rows.250")" "the first 200 rows $(per_cent "$(
    awk -F, '$2 == 1 { n[$1]++ } END { for (h in n) print n[h] }' "$tmp/many.csv" | sort -rn |
    sed 200q | awk '{ n += $1 } END { print n }')" "$slow")"
leat_run run pipelines/compare.lua --quiet --set a="$tmp/b.csv" --set b="$tmp/a.csv" --set attributes=host \
    --summary "$tmp/s.json"
answered "compare says the shares of the first row" \
    "host=h2 has a share of $(per_cent "$both" "$spam") in A and of $(per_cent "$h2" 3000) in B"
leat_run run pipelines/compare.lua --quiet --set a="$tmp/b.csv" --set b="$tmp/a.csv" --set attributes=host \
    --set amount=rating --summary "$tmp/s.json"
of_sum() { awk -F, 'NR > 1 { all += $5; if ($1 == "h2") h2 += $5 } END { printf "%.1f %%", 100 * h2 / all }' "$1"; }
answered "and those of a sum" \
    "host=h2 has $(of_sum "$tmp/b.csv") of the sum of rating in A and $(of_sum "$tmp/a.csv") of that in B"
leat_run run pipelines/pairs.lua --quiet --set data="$tmp/a.csv" --set format=csv --set column=text --set window=3 \
    --summary "$tmp/s.json"
claim "pairs says how much more than chance, as its table does" equal "$(json .answered | sed 's/, [^ ]* / LIFT /; s/,//')" \
    "$(json '.answers[0].rows[0] | "\(.feature) come together \(.count) times LIFT times as often as by chance"')"
lift=$(json .answered | sed 's/.*times, \([^ ]*\) times.*/\1/; s/–/ /')
claim "and the truth is between its bounds" awk -F, -v bounds="$lift" 'NR > 1 { n = split($6, w, " "); tokens += n
    for (i = 1; i <= n; i++) { f[w[i]]++; for (k = i + 1; k <= n && k < i + 3; k++) { p[w[i] " & " w[k]]++; all++ } } }
    END { split("'"$(json '.answers[0].rows[0].feature')"'", w, " & "); name = w[1] " & " w[2]
    split(bounds, b, " "); x = p[name] / all / (f[w[1]] / tokens) / (f[w[2]] / tokens)
    exit !(p[name] == '"$(json '.answers[0].rows[0].count')"' && b[1] < x && x < b[2] && b[2] < 1.2 * b[1]) }' "$tmp/a.csv"
leat_run run pipelines/correlate.lua --quiet --set data="$tmp/a.csv" --set left=host --set right=kind --set method=scod \
    --summary "$tmp/s.json"
answered "correlate names the largest sum" "$(awk -F, 'NR > 1 { n[$1 " × kind=" $2]++ }
    END { for (k in n) if (n[k] > n[best]) best = k; print "host=" best " has the largest sum: " n[best] }' \
    "$tmp/a.csv")"
leat_run run pipelines/regress.lua --quiet --set data="$tmp/a.csv" --set target=rating --set attributes=host \
    --summary "$tmp/s.json" --set predictions="$tmp/p.csv"
rmse() { awk -F, -v constant="$1" 'NR > 1 { p = constant ? (n ? sum / n : 0) : $2; d = $3 - p; s += d * d
    sum += $3; n++ } END { printf "%.3g", sqrt(s / n) }' "$tmp/p.csv"; }
answered "regress says how well it predicts, and a constant" \
    "bias predicts it with an RMSE of $(rmse 0), the best constant with $(rmse 1)"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/a.csv" "${classify[@]}" --set positive=spam \
    --set learner=awm,logistic --summary "$tmp/s.json" --set predictions="$tmp/p.csv"
errs() { awk -F, 'NR > 1 { wrong += ($2 >= 0) != ($3 > 0); n++ } END { printf "%.1f", 100 * wrong / n }' \
    "$tmp/p-$1.csv"; }
best=$(json .answered)
best=${best%% *}
claim "classify names the learner that errs least" equal "$(json .answered | cut -d% -f1)" \
    "$best is wrong on $(errs "$best") "
claim "of which no other errs less" equal "$(printf '%s\n' "$(errs awm)" "$(errs logistic)" | sort -g | head -1)" \
    "$(errs "$best")"

# ---- sentences of a script ----
cat >"$tmp/own.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "own" {
  leat.source.file { leat.args.data }, leat.parse.csv {}, leat.label.is { "kind", positive = "spam" }, leat.feature.columns { "host" },
  leat.learn.awm { id = "model" }, leat.sink.null {}, asked = leat.args.asked, counted = leat.args.counted,
  answered = leat.args.answered,
}
LUA
own() { leat_run run "$tmp/own.lua" --progress never --set data="$tmp/a.csv" "$@"; }
own --set asked='Own {model.active}' \
    --set counted='{model.examples} examples, {model.none} of nothing, {other.active} of no stage, {model.active} features'
claim_says "a script says what is counted, and what is not known is left out" \
    "leat: 3,000 examples, $(distinct 1) features"
own --set asked='Own' --set counted='{positives} have {2,3} or {a-b}'
claim_says "other braces are text" "leat: $spam of 3,000 records ($(share "$spam" 3000)) have {2,3} or {a-b}"
own --set asked='Own' --set counted='{none.of}'
claim_says "without its figures the question has its usual counts" \
    "leat: Own: $spam of 3,000 records ($(share "$spam" 3000))"
own --set asked='Own' --set counted='{model.examples} examples' --set answered='{none}, {best} of {best.examples}'
claim_says "an answer leaves out what is not known" "leat: model of 3,000"
own --set counted='{model.examples} examples'
claim_exit "counts of no question are refused" 2
claim_says "and told" "counted: has no effect without asked"
own
claim "a script that does not ask says nothing" sh -c "! grep -q 'leat: [A-Z]' '$err'"

# An answer that is due at the end has the last examples: people read it once, and programs are told that it is the
# last.
cat >"$tmp/every.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "every" {
  leat.source.file { path = leat.args.data }, leat.parse.csv {}, leat.label.is { column = "kind", positive = "spam" },
  leat.feature.columns { "host" }, leat.learn.awm { budget = "2KB" },
  leat.sink.top { k = 1, every = tonumber(leat.args.every), format = leat.args.format }, batch_rows = 100,
}
LUA
tables() { leat_run run "$tmp/every.lua" --quiet --set data="$tmp/a.csv" "$@"; }
tables --set every=1000
claim "where every divides the records the last table comes once" equal "$(sed -n 's/.*, \([0-9,]* examples\).*/\1/p' \
    "$out" | tr '\n' ' ')" \
    "1,000 examples 2,000 examples 3,000 examples "
tables --set every=2000
claim "elsewhere it has the rest" equal "$(sed -n 's/.*, \([0-9,]* examples\).*/\1/p' "$out" |
    tr '\n' ' ')" "2,000 examples 3,000 examples "
tables --set every=1000 --set format=jsonl
claim "in JSON the last one is marked" equal "$(jq -c '[.examples, .last]' "$out" |
    tr -d '\n')" "[1000,false][2000,false][3000,false][3000,true]"

# The input grows between runs: answers come where those of one run over all of it come.
sed "s/path = leat.args.data/path = '$(sed 's/[&/]/\\&/g' \
    <<<"$tmp/grown.csv")'/; s/batch_rows = 100,/batch_rows = 256,/; s/format = leat.args.format/format = \"csv\", path = leat.args.to/" \
    "$tmp/every.lua" >"$tmp/grow.lua"
grow() { leat_run run "$tmp/grow.lua" --quiet --set every=500 "$@"; }
cp "$tmp/a.csv" "$tmp/grown.csv"
grow --set to="$tmp/once.csv" --state "$tmp/whole"
for n in 301 1500 1501 3001; do
    head -$n "$tmp/a.csv" >"$tmp/grown.csv"
    grow --set to="$tmp/often.csv" --state "$tmp/grown"
done
claim "a file that has grown is answered as one that was whole" cmp "$tmp/once.csv" "$tmp/often.csv"
claim "at exactly their records" equal "$(tail -n +2 "$tmp/once.csv" | cut -d, -f2 |
    tr '\n' ' ')" "500 1000 1500 2000 2500 3000 3000 "
done_claims
