# Reports: pages agree with runs, summaries and snapshots; nothing in them is active; impossible reports are refused.
. "$(dirname "$0")/../support/claims.sh"
root=$PWD
cd "$tmp" || exit 1
svm_examples 5 6000 6 60 >a.svm
awk 'BEGIN { srand(6); for (n = 0; n < 4000; n++) printf "%d\t%d\t%d\t%d\n", rand() * 50, rand() * 40,
    1 + int(rand() * 5), n }' >u.data
awk 'BEGIN { srand(7); print "site,item,value,at";
    for (n = 0; n < 6000; n++) printf "s%d,i%d,%d,2026-01-%02dT00:00:00Z\n", rand() * 9, rand() * 30,
    rand() * 100 + (n % 7 == 0) * 80, 1 + n / 300 }' >rows.csv
awk 'NR == 1 || NR % 2' rows.csv >odd.csv
awk 'NR == 1 || NR % 3' rows.csv >some.csv
tr ',' ' ' <rows.csv >words.txt

# Is that page well-formed? By any parser that is here.
well_formed() {
    if command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.etree.ElementTree as E; E.parse(sys.argv[1])' "$1"
    elif command -v xmllint >/dev/null; then
        xmllint --noout "$1"
    fi
}

# Neither scripts nor anything that a browser would fetch.
is_alone() { ! grep -aqiE '<script|<link|<iframe|<img|url\(|@import| (src|href)=' "$1"; }

# ---- every application ----
while read -r app args; do
    # shellcheck disable=SC2086
    leat_run run "$root/pipelines/$app.lua" $args --quiet --summary "$app.json" --report "$app.html"
    claim_exit "$app with --report" 0
    claim "$app: the page is well-formed" well_formed "$app.html"
    claim "$app: the page needs nothing else" is_alone "$app.html"
    leat_run report "$app.json" -o again.html
    claim "$app: the page of its summary is the same" cmp "$app.html" again.html
    leat_run report "$app.json" -o "$app.md"
    claim_exit "$app in Markdown" 0
done <<'END'
explain --set data=rows.csv --set metric=value --set attributes=site,item --set time=at --set every=3000 --set min_count=5
compare --set a=odd.csv --set b=some.csv --set attributes=site,item
pairs --set data=words.txt
correlate --set data=rows.csv --set left=site --set right=item
classify --set data=a.svm --set learner=awm,logistic
rate --set data=u.data
features --set data=a.svm --set every=1000 --set k=15
END

# ---- what they say ----
claim "the question is the title" grep -q '^# What distinguishes the outliers?' explain.md
claim "what compare compared is on its page" grep -q '^[0-9,]* of [0-9,]* records ([0-9.]* %) are A: odd.csv; B is some.csv\.$' \
    compare.md
{ cat rows.csv; echo s1,i1,many,2026-01-20T00:00:00Z; } >gap.csv
leat_run run "$root/pipelines/regress.lua" --set data=gap.csv --set target=value --set attributes=site \
    --set dead_letters=bad.jsonl --quiet --report regress.md
claim "what was predicted is on the page" grep -q '^value is predicted for 6,000 records\.$' regress.md
claim "the file of dead letters is named" grep -q '^> All of them are in bad\.jsonl\.$' regress.md
claim "and no other way to keep them" sh -c '! grep -q "keeps all of them" regress.md'
claim "the span of event times is on the page" grep -q 'event time 2026-01-01 00:00:00 UTC to 2026-01-20 00:00:00 UTC' \
    explain.md
claim "what entered is shown by event time" grep -q 'entered (event time)' explain.md
claim "errors by rating are on the page" grep -q '^## Errors by label' rate.md
claim "and add up to that of all" jq -e '.stages[] | select(.id == "bias") | .metrics.rmse as $rmse |
    ([.by_label[] | .weight * .rmse * .rmse] | add) / ([.by_label[].weight] | add) - $rmse * $rmse | fabs < 1e-9' \
        rate.json
tab=$(printf '\t')
awk 'BEGIN { srand(5); split("fox owl bat elk", kind, " "); print "a,b,y"; for (i = 0; i < 3000; i++) {
    k = 1 + int(4 * rand() ^ 2)
    print "a" (rand() < .6 ? k : int(5 * rand())) ",b" int(3 * rand()) "," kind[k] } }' >classes.csv
leat_run run "$root/pipelines/classify.lua" --set data=classes.csv --set label=y --set classes=fox,owl,bat,elk \
    --set attributes=a,b --quiet \
    --set learner=logistic,hash --set predictions=classes.predicted --summary classes.json --report classes.md
claim "recall and precision of classes are those of the predictions" equal \
    "$(jq -r '.stages[] | select(.id == "logistic") | .metrics.by_class // .by_class | .[] | [.label, .weight,
        .predicted, (.recall * 1e6 | round), (.precision * 1e6 | round)] | @tsv' classes.json)" \
    "$(tail -n +2 classes-logistic.predicted | awk -F, 'BEGIN { split("fox owl bat elk", name, " ") } { n[$3]++;
        p[$2]++; r[$3] += $2 == $3 }
        END { for (k in n) printf "%s\t%d\t%d\t%.0f\t%.0f\n", name[k + 1], n[k], p[k], 1e6 * r[k] / n[k],
        1e6 * r[k] / p[k] }' | sort -t"$tab" -k2,2rn)"
claim "the heaviest features of each class are on the page" equal \
    "$(sed -n '/^## Heaviest features of each/,/^## Over/s/^| [0-9]* | \([a-z]*\): .*/\1/p' classes.md | sort |
    uniq -c | awk '{ print $2 $1 }' | paste -sd' ')" "bat10 elk10 fox10 owl10"
claim "recall and precision are on the page" grep -q '^| fox | [0-9,]* | [0-9,]* | [0-9.]* % | [0-9.]* % |$' classes.md
claim "learners are sorted, and a constant is among them" \
    [ "$(awk -F'|' '/^\| learner/ { on = 1; getline; next } on && !/^\|/ { exit } on { print $3 + 0 }' classify.md |
    sort -cn && grep -c '^| constant' classify.md)" = 1 ]

# ---- records over time ----
leat_run run "$root/pipelines/explain.lua" --set data=rows.csv --set outlier='value > 99' --set attributes=site \
    --set time=at --quiet --summary time.json --report time.html
days=$(awk -F, 'NR > 1 { d = substr($4, 1, 10); n[d]++; p[d] += $3 > 99 }
    END { for (d in n) print d, n[d], p[d] }' rows.csv | sort)
claim "each span has its records, and those of the question" equal "$(jq -r '.over_time.spans[] |
    "\(.from[:10]) \(.records) \(.positive)"' time.json)" "$days"
claim "the numbers are on the page" equal "$(leat_run report time.json -o - --format md && sed -n '/^## Over time/,/^## /s/^| \(2026[^ ]*\) | \([0-9]*\) | \([0-9]*\) | .*/\1 \2 \3/p' \
    "$out")" "$days"
heights() { sed -n '/<h2>Over time/,/<details>/p' time.html | grep -o '<svg.*' | sed -n "$1p" | grep -o '<rect[^>]*' |
    sed 's/.*height="\([0-9.]*\)".*/\1/'; }
# as high as they should be: in proportion, to the tenth of a unit that is drawn
claim "bars are as high as the share of their day" awk 'NR == FNR { share[NR] = $3 / $2; if (share[NR] > most) most = share[NR]; n = NR; next }
    { h[FNR] = $1; if ($1 > top) top = $1 }
    END { for (i = 1; i <= n; i++) if ((h[i] / top - share[i] / most) ^ 2 > 1e-5) bad = 1; exit bad || n != FNR }' \
    <(echo "$days") <(heights 1)
claim "and as its number of records" equal "$(heights 2 | wc -l)" "$(echo "$days" | wc -l)"
claim "parts without content are not there" sh -c '! grep -q "entered and left\|<p>None" time.html'
leat_run run "$root/pipelines/compare.lua" --set data=rows.csv --set before=2026-01-10 --set attributes=site \
    --set time=at --quiet --report periods.md
claim "shares of 100 and 0 % before and after a date are not drawn" sh -c \
    "grep -q '^## Over time' periods.md && ! grep -q '100.0 |\$' periods.md"
leat_run run "$root/pipelines/regress.lua" --set data=rows.csv --set target=value --set attributes=site --set time=at \
    --quiet --summary time.json
claim "of numbers it is the mean" equal "$(jq -r '.over_time.spans[] | "\(.from[:10]) \(.mean * 1000 | round)"' time.json)" \
    "$(awk -F, 'NR > 1 { d = substr($4, 1, 10); n[d]++; s[d] += $3 } END { for (d in n)
    printf "%s %.0f\n", d, 1000 * s[d] / n[d] }' rows.csv | sort)"
leat_run run "$root/pipelines/explain.lua" --set data=rows.csv --set outlier='value > 99' --set attributes=site --quiet \
    --report time.md
claim "without times there is no such part" sh -c '! grep -q "^## Over time" time.md'
claim "bars of rates begin at the rate of all" grep -q 'the rate of all records, [0-9.]* %, is the dotted line' time.md

# ---- what figures mean ----
claim "a table says what its columns mean" equal "$(grep -c '^> Rate: .* Relative risk: .* Support outliers: ' time.md)" 1
claim "and not what columns mean that it lacks" sh -c '! grep -q "Spread:\|Amount:\|RMSE:" time.md'
claim "a heading of the script is left to it" sh -c '! grep -q "Support outliers:" compare.md'
claim "errors are explained" grep -q '^> RMSE: .* MAE: ' rate.md
leat_run run "$root/pipelines/explain.lua" --set data=rows.csv --set outlier='value > 99 or site == "s1"' \
    --set attributes=site --set amount=value --quiet --summary amount.json --report amount.md
of_sum() { awk -F, -v site="$1" 'NR > 1 && (site == "" || $1 == site) { n += $3; if ($3 > 99 || $1 == "s1") p += $3 }
    END { printf "%.1f %%", 100 * p / n }' rows.csv; }
claim "the rate of sums is not called that of records" grep -q "the rate of all amounts, $(of_sum '' | sed 's,[.]0,,'), is" amount.md
first=$(jq -r '.answers[0].rows[0].feature' amount.json)
claim "and the sentence has both shares" equal "$(jq -r .answered amount.json)" "$(of_sum "${first#site=}") of the sum of value with $first comes \
from outliers, $(of_sum '') of that of all records"
seq 3000 | awk 'BEGIN { print "x,y" } { print $1 % 7 "," $1 }' >order.csv
leat_run run "$root/pipelines/regress.lua" --set data=order.csv --set target=y --set numbers=x --quiet --report order.md
claim "a warning stands before the weights" awk '/^> \*\*Warning/ { at = NR } /^## Weights/ { exit !at }' order.md
leat_run run "$root/pipelines/classify.lua" --set data=<(sort a.svm) --set learner=awm,logistic --quiet --summary runs.json
leat_run report runs.json -o runs.md
claim "learners that give the same warning share its line" equal "$(jq '[.warnings[] | select(test("long runs"))] | length' \
    runs.json) $(grep -c 'long runs' runs.md) $(grep -c 'awm (learn.awm), logistic (learn.logistic): the labels' runs.md)" "2 1 1"

# The table of a page has the numbers of the terminal, and of the summary.
leat_run run "$root/pipelines/classify.lua" --set data=a.svm --set k=10 --quiet --state state --summary one.json \
    --report one.md --log-level error
answers() { awk '/^## / { on = /Heaviest/ } on && /^\|/' "$1"; }
answers one.md | awk -F'[| ]+' '$2 ~ /^[0-9]+$/ { print $2, $3, $4 }' >shown
claim "weights on the page are those of the terminal" diff shown \
    <(awk '/^ *[0-9]+ +-?[0-9.]+ +[0-9.-]+ +[0-9]+$/ { print $1, $4, $2 }' "$out")
claim "and, rounded, of the summary" [ "$(jq -r '.answers[0].rows[] | "\(.feature) \(.weight)"' one.json |
    paste -d' ' shown - |
    awk '$2 == $4 && ($3 - $5) ^ 2 < 3e-7 { n++ } END { print n + 0, NR }')" = "10 10" ]
claim "the last point of a curve is the figure of the whole run" jq -e \
    '.stages[] | select(.id == "awm") | .curve[-1].log_loss == .metrics.log_loss and .curve[-1].examples ==
        .metrics.examples' one.json
claim "the area under the ROC curve is the AUC" jq -e '.stages[] | select(.id == "awm") | .metrics.auc as $auc |
    [.roc as $r | range(1; $r | length) | ($r[.].false_positives - $r[. - 1].false_positives) * ($r[.].true_positives +
    $r[. - 1].true_positives) / 2] | add - $auc | fabs < 0.02' one.json

# ---- snapshots ----
echo "of the run at work" >kept.md
flock state/lock "$LEAT" run "$root/pipelines/classify.lua" --set data=a.svm --set k=10 --quiet --state state \
    --report kept.md >"$out" 2>"$err"
status=$?
claim_exit "a run whose --state another one has is refused" 1
claim "and leaves the page as it is" grep -qx "of the run at work" kept.md
leat_run report state -o state.md
claim_exit "a page of a snapshot" 0
claim "its first sentence counts as that of the run does" equal \
    "$(grep -o 'awm is wrong on [0-9.]* % .*, the best constant on [0-9.]* %' state.md | sed 's/the 6,000/the/')" \
    "$(jq -r .answered one.json | sed 's/, the AUC.*//')"
claim "it shows the same answer" diff <(answers one.md) <(answers state.md)
claim "it has the curves" grep -q '^### Log loss over the run' state.md
curve() { awk '/^### Log loss/ { on = 1 } /^### Error/ { on = 0 } on' "$1"; }
claim "which are those of the run" diff <(curve one.md) <(curve state.md)
claim "it says how to get what it lacks" grep -q 'The command line is in the report of a run' state.md
snapshots=(state/*.snapshot)
leat_run report "${snapshots[-1]}" one.json -o both.html
claim "of several each is told by its name" equal "$(grep -c "<h1>.*: \(${snapshots[-1]//\//\\/}\|one.json\)</h1>" \
    both.html)" 2
claim "one page shows a snapshot and a summary" [ "$status $(grep -c '<h1>' both.html)" = "0 2" ]
leat_run report one.json -o - --format md
claim "standard output takes a page" cmp "$out" one.md

# ---- hostile names and records ----
{
    echo "who,value"
    for ((i = 0; i < 300; i++)); do
        printf 'a,%d\nb,%d\nc,%d\nd,%d\n' $((i % 5)) $((i % 4)) $((i % 3)) 1
        printf '"<script>alert(1)</script>&""\e[2J\xe2\x80\xae%s",%d\n' "$(printf 'x%.0s' {1..3000})" $((90 + i % 5))
        printf '\xff\xfe|`*_[a](b),9\n'
    done
} >evil.csv
leat_run run "$root/pipelines/explain.lua" --set data=evil.csv --set metric=value --set attributes=who \
    --set min_count=1 --set name_bytes=500 --quiet --report evil.html
claim_exit "names that are markup" 0
claim "their page is well-formed" well_formed evil.html
claim "and harmless" is_alone evil.html
claim "marks that turn the direction are shown by number" grep -q 'U+202E' evil.html
claim "and are not on the page" [ -z "$(grep -c $'\xe2\x80\xae\|\e' evil.html | grep -v '^0')" ]

# ---- secrets ----
cat >secret.lua <<'LUA'
local leat = require "leat"
local a = leat.args
assert(a.password and a.url and a.config and a.tokens)
return leat.pipeline "secret" {
  leat.source.file { path = "a.svm" }, leat.parse.libsvm {}, leat.learn.awm { id = "m" }, leat.sink.top { k = 3 },
}
LUA
leat_run run secret.lua --set password=hunter2 --set url=http://me:hunter2@host/ --set config=sasl.password=hunter2 \
    --set tokens=words --quiet --report secret.md --summary secret.json --log-level error
claim_exit "arguments that are secrets" 0
claim "no page and no summary has them" [ "$(cat secret.md secret.json | grep -c hunter2)" = 0 ]
claim "other arguments are there" grep -q "leat run secret.lua --set 'password=\*\*\*' .* --set tokens=words" secret.md

# ---- mistakes ----
mistake() {
    local words=$1 code=$2 says=$3
    shift 3
    leat_run "$@"
    claim_exit "$words" "$code"
    claim_says "$words: it says so" "$says"
}
mistake "a report of nothing" 2 "a summary or snapshot is missing" report
mistake "without an output" 2 "the output is missing" report one.json
mistake "an unknown extension" 2 "must end in .html or .md" report one.json -o one.pdf
mistake "an unknown format" 2 "--format takes html or md, not pdf" report one.json -o x --format pdf
give="give the JSON of --summary, a snapshot, or the folder of --state"
# refused WORDS MESSAGE…: the message is the only one
refused() {
    mistake "$1" 1 "leat: error: $2" report "${@:3}"
    claim "$1: in one line" equal "$(wc -l <"$err")" 1
}
refused "a file that is not there" "none.json: there is no such file: $give" none.json -o x.html
refused "one without an output, too" "none.json: there is no such file: $give" none.json
refused "a second one that is not there" "none.json: there is no such file: $give" one.json none.json -o x.html
refused "a file that is neither" "rows.csv: is neither a summary nor a snapshot: $give" rows.csv -o x.html
: >nothing.json
refused "an empty file" "nothing.json: is empty: $give" nothing.json -o x.html
mkdir folder
refused "a folder without snapshots" "folder: this folder has no snapshot: give the folder of --state, or a file in it" \
    folder -o x.html
echo '{"records": 1}' >other.json
refused "JSON that is no summary" "other.json: is not a summary of a run: it lacks pipeline and stages: $give" other.json \
    -o x.html
echo '{"pipeline": "p", "stages": []}' >empty.json
refused "a summary of nothing" "empty.json: has no stages: there is nothing to show: $give" empty.json -o x.html
head -c 200 one.json >broken.json
refused "a summary that is cut" "broken.json: is not JSON: line 1: " broken.json -o x.html
claim_says "which is to be written again" ": write it again with --summary"
head -c 3000 "$(printf '%s\n' state/*.snapshot | tail -1)" >cut.snapshot
refused "a snapshot that is cut" "cut.snapshot is truncated at byte 3000 of " cut.snapshot -o x.html
claim_says "where there are others" ": give another snapshot, or its folder"
claim "of all these there is no page" test ! -e x.html
refused "an output without a folder" \
    "the report no/x.html cannot be written: No such file or directory: make its folder first, or give another name" \
    one.json -o no/x.html
refused "one that is a folder" "the report folder cannot be written: Is a directory: give the name of a file in it" \
    one.json -o folder --format md
refused "one that is full" \
    "the report /dev/full cannot be written: No space left on device: make room there, or give another place" one.json \
    -o /dev/full --format html
cp one.json same.md
mistake "an output that is the input" 2 "would overwrite one of its inputs" report same.md -o same.md
mistake "-o of another command" 2 "--output is not an option of this command" run x.lua -o x.html
run=(run "$root/pipelines/classify.lua" --set data=a.svm --quiet)
mistake "--report that cannot be written ends the run before it starts" 1 "cannot open no/x.html" "${run[@]}" \
    --summary s.json --report no/x.html
claim "whose summary says that" jq -e '.records == 0 and (.error | test("no/x.html"))' s.json
mistake "--report of an unknown kind" 2 "must end in .html or .md" "${run[@]}" --report x.pdf
cp a.svm a.md
run_into() { "$LEAT" run "$root/pipelines/classify.lua" --set data=a.svm --quiet --state into; }
run_into >"$out" 2>"$err"
newest=$(ls into/*.snapshot | tail -1)
mistake "a page over a snapshot of the folder that it shows" 2 "the report would overwrite one of its inputs: -o $newest" \
    report into -o "$newest" --format md
claim "which stays whole" "$LEAT" model verify into
mistake "--report over the data" 2 "would be overwritten" run "$root/pipelines/classify.lua" --set data=a.md \
    --set format=libsvm --report a.md
mistake "--report over the summary" 2 "give each output another file" "${run[@]}" --report s.md --summary s.md
mistake "check finds it, too" 2 "must end in .html or .md" check "$root/pipelines/classify.lua" --set data=a.svm \
    --report x.pdf

# ---- rows of windows ----
cat >w.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "w" { batch_rows = leat.args.rows, threads = leat.args.threads,
  leat.source.file { "rows.csv" }, leat.parse.csv { numbers = { "value" } }, leat.parse.time { column = "at" },
  leat.window { columns = { "count", "sum(value)" }, by = { "site", "item" }, every = "1d", lateness = "60d" },
  leat.sink.file { path = "w.csv", format = "csv" } }
LUA
# The last rows of a file of CSV without quotes, as a table in Markdown has them.
last_rows() { tail -n 20 "$1" | sed 's/,/ | /g; s/.*/| & |/'; }
shown_rows() { awk '/^The last 20 of / { on = 1; next } on && /^\|/ { if (++n > 2) print } on && n && /^$/ { exit }' \
    "$1"; }
for how in "" "rows=3" "rows=1" "threads=1"; do
    leat_run run w.lua --quiet --report w.md --summary w.json ${how:+--set "$how"}
    claim_exit "a window with --report ends well ($how)" 0
    claim "its last rows are those of the file" diff <(shown_rows w.md) <(last_rows w.csv)
done
claim "with how many there are" grep -qF "The last 20 of $(sed 1d w.csv | wc -l |
    sed 's/\(.*\)\(...\)$/\1,\2/') rows in w.csv" w.md
leat_run report w.json -o again.md
claim "a summary has them" cmp again.md w.md
leat_run run w.lua --quiet --report w.html
claim "a page with them is well-formed" well_formed w.html
sed 's/leat.window.*/leat.filter(function(v) return v > 3 end, { "value" }),/' w.lua >f.lua
leat_run run f.lua --quiet --report f.md --summary f.json
claim "records of the input are not on the page" sh -c "! grep -q 'The last' f.md && ! grep -q last_rows f.json"

# ---- learners of classes and of numbers beside each other ----
awk 'BEGIN { srand(3); print "a,b,y"; for (i = 0; i < 9000; i++) { a = int(rand() * 6); b = int(rand() * 5);
    print "a" a ",b" b "," (rand() < (a == 2 ? .5 : .1) ? "y" : "n") } }' >"$tmp/mixed.csv"
for order in logistic,fm fm,logistic; do
    leat_run run "$root/pipelines/classify.lua" --quiet --set data="$tmp/mixed.csv" --set label=y --set positive=y \
        --set attributes=a,b --set learner=$order \
        --report "$tmp/mixed.md" --summary "$tmp/s.json"
    claim "$order: each kind has its constant" equal "$(grep -c '^| constant | [0-9.]* ' "$tmp/mixed.md")" 2
    of() { jq -r ".stages[] | select(.id == \"fm\") | .metrics.$1" "$tmp/s.json"; }
    claim "$order: that of numbers with its error" grep -q "^| constant | $(printf %.4f "$(of rmse_constant)") |" \
        "$tmp/mixed.md"
    claim "$order: every curve has points" awk '/^\| examples \|/ { n++ } was ~ /^\| ---: \| ---: \|$/ && $0 == "" {
        bad = 1 } { was = $0 } END { exit bad || !n }' "$tmp/mixed.md"
done
done_claims
