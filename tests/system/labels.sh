# Labels that teach nothing are reported at the end of the run: texts that never came, a single label, long runs of one.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# run WORDS LABEL LEARNER [DATA]: over a CSV file with columns kind and x.
run() {
    local words=$1 label=$2 learner=$3 data=${4:-d.csv} sink=${sink:-leat.sink.null()}
    cat >s.lua <<LUA
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { "$data" }, leat.parse.csv { lanes = ${lanes:-1} },
  $label, leat.feature.columns { "x" }, leat.learn.$learner, $sink, batch_rows = 16 }
LUA
    leat_run run s.lua --quiet --log-level warn
    claim_exit "$words: the run ends well" "${wanted:-0}"
}
silent() { claim "$1" sh -c "! grep warning '$err' | grep -qv 'have no value in'"; }
# "spam" is rare: in one record of one batch.
{
    echo kind,x
    awk 'BEGIN { srand(7);
        for (i = 0; i < 4000; i++) print (i == 3000 ? "spam" : rand() < .2 ? "Spam" : i % 40 == 0 ? "" : "ham") "," int(rand() * 9) }'
} >d.csv

run "a text that occurs" 'leat.label.is { "kind", positive = { "Spam", "spam" }, missing = "filter" }' 'awm {}'
silent "is no matter"
run "a text that never occurs" 'leat.label.is { "kind", positive = { "SPAM", "spam" }, missing = "filter" }' 'awm {}'
counts=$(awk -F, 'NR > 1 && $1 != "" && $1 != "spam" { n[$1]++ } END {
    print "'"'ham' (\" n[\"ham\"] \"), 'Spam' (\" n[\"Spam\"] \")"'" }' d.csv)
claim_says "is named with those that do, the most frequent first" \
    "leat: warning: is (label.is): positive: no record of this run has 'SPAM' in column 'kind'; other texts of this column and their records: $counts. Give texts that the column has, byte for byte"
cp "$err" one
lanes=3
run "in lanes" 'leat.label.is { "kind", positive = { "SPAM", "spam" }, missing = "filter" }' 'awm {}'
claim "lanes say it once, with all records" cmp one "$err"
run "in lanes, one of which sees a text" 'leat.label.is { "kind", positive = { "spam", "Spam" }, missing = "filter" }' \
    'awm {}'
silent "a text that one lane saw has come"
lanes=1
run "a class that never occurs" 'leat.label.class { "kind", classes = { "ham", "Spam", "scam" }, others = "filter" }' \
    'awm {}'
claim_says "is named" \
    "class (label.class): classes: no record of this run has 'scam' in column 'kind'; other texts of this column and their records: 'spam' (1)."
awk 'BEGIN { print "kind,x"; for (i = 0; i < 200; i++) print "t" i "\033[31m,1" }' >many.csv
run "many texts" 'leat.label.is { "kind", positive = { "a", "b", "c", "d", "e", "f" } }' 'awm {}' many.csv
claim_says "a few are listed, and escaped" "'e' and others in column" "'t12\\x1b[31m' (1) and others. Give texts"

# ---- conditions, whose texts are true and false ----

for label in 'is { "late", positive = "1" }' 'class { "late", classes = { "1", "true" } }'; do
    wanted=2 run "${label%% *} of a condition" "leat.shape.set { \"late = x > 4\" }, leat.label.$label" 'awm {}'
    claim_says "a text that no condition has is refused" "is '1', and column 'late' is a condition, whose texts are true and false"
done
awk -F, 'NR == 1 { print $0 ",late" } NR > 1 { print $0 "," ($2 > 4 ? "true" : "false") }' d.csv >late.csv
late=(--label late --attributes x --out jsonl --log-level warn)
for positive in true false; do
    leat_run classify late.csv "${late[@]}" --positive $positive
    cp "$out" of_texts
    leat_run classify d.csv "${late[@]}" --positive $positive --derive 'late=x>4'
    claim "--derive makes $positive, as a file would have it" cmp "$out" of_texts
    sink='leat.sink.predictions { path = "-" }' run "shape.set" \
        "leat.shape.set { \"late = x > 4\" }, leat.label.is { \"late\", positive = \"$positive\" }" 'awm {}'
    claim "and shape.set, too: $positive" cmp <(cut -f3 "$out") <(awk -F, -v is=$positive 'NR == 1 { print "label" }
        NR > 1 { print ($3 == is ? 1 : -1) }' late.csv)
done
leat_run classify late.csv --label late --attributes x --positive 1
claim_says "a text that no record has is told with those that there are" "no record of this run has '1' in column 'late'" \
    "'false' (" "'true' (" "Give texts that the column has, byte for byte"
claim_says "and errors of one label are no answer" "leat: all records have one label, so the errors of the learners tell nothing"
claim "nor is a learner said to be right" sh -c "! grep -q 'is wrong on' '$err'"

# ---- one label ----

n=4000
run "one label" 'leat.label.constant(-1)' 'awm {}'
claim_says "one label is named" \
    "leat: warning: awm (learn.awm): all $n examples have the label -1, and nothing can be learned from one label"
run "one label of those that are learned" 'leat.label.constant(-1), leat.label.holdout { after = 1000 }' 'awm {}'
claim_says "is told of those" "all 1000 examples that were not held out have the label -1"
run "one label of all records" 'leat.label.constant(1)' 'frequent {}'
claim_says "and that counts need two" "frequent (learn.frequent): all $n examples have the label +1"
run "one rating" 'leat.label.constant(4.5)' 'fm {}'
claim_says "ratings need two as well" "fm (learn.fm): all $n examples have the label 4.5"
printf 'kind,x\na,1\na,2\n' >few.csv
run "two records" 'leat.label.constant(1)' 'awm {}' few.csv
silent "two records of one label are no matter"
wanted=1 sink='leat.sink.predictions { path = "/dev/full" }' run "a run that fails" 'leat.label.constant(1)' 'awm {}'
claim "says nothing of labels" sh -c "! grep -q 'have the label' '$err'"

# ---- runs ----

{ echo kind,x; tail -n +2 d.csv | grep -v '^,' | sort; } >sorted.csv
is='leat.label.is { "kind", positive = { "Spam" }, missing = "filter" }'
run "a sorted file" "$is" 'awm {}' sorted.csv
claim_says "is not learned in order" "awm (learn.awm): the labels came in long runs (" " changes in " "shuffle the file"
run "a sorted file that is counted" "$is" 'frequent {}' sorted.csv
silent "is as good as any"
run "a sorted file that sketches count" "$is" 'paired_count_min {}' sorted.csv
silent "is as good as any for them"
run "a sorted file of classes" 'leat.label.class { "kind", classes = { "ham", "Spam" }, others = "filter" }' 'awm {}' \
    sorted.csv
claim_says "two classes are no different" "the labels came in long runs ("
run "a sorted file of three classes" 'leat.label.class { "kind", classes = { "ham", "Spam", "spam" } }' 'awm {}' \
    sorted.csv
claim_says "nor are three" "the labels came in long runs (2 changes in "
run "a mixed file" "$is" 'awm {}'
silent "a mixed file is in order"

# ---- shares of positives ----

# share WORDS Q AWK [REST]: explain's quantile over 20,000 records whose value is the awk expression of i.
share() {
    awk "BEGIN { srand(3); print \"kind,x\"; for (i = 0; i < 20000; i++) printf \"%s,%.9g\\n\", i % 3, $3 }" >share.csv
    run "$1" "leat.label.quantile { column = \"x\", q = $2${4:-} }" 'contrast { budget = "2MB" }' share.csv
}
share "a heavy tail" .9 'exp(9 * rand())'
silent "has the share that was asked for"
share "values that rise" .9 i
claim_says "are positive all along, and it is said why" \
    "quantile (label.quantile): q: 100 % of 20000 records are positive, and q = 0.9 asks for 10 %: the values rise in the order of the records" \
    "shuffle the records, or set a fixed threshold (outlier = 'x > 180"
share "values that fall" .9 20000-i
claim_says "are never positive" "q: 0 % of 20000 records are positive" "the values fall in the order of the records"
share "values that fall, the smallest positive" .1 20000-i ', direction = "below"'
claim_says "are positive all along" "q: 100 % of 20000 records are positive, and q = 0.1 asks for 10 %: the values fall"
share "values that are mostly 0" .8 'rand() < .05 ? rand() : 0'
claim_says "have ties" "q: 5." " % of 20000 records are positive, and q = 0.8 asks for 20 %: 1" \
    "values equal the threshold, and none of them is positive" "outlier = 'x > 0')"
share "one value" .8 7
claim_says "has nothing else" \
    "q: 0 % of 20000 records are positive, and q = 0.8 asks for 20 %: every value equals the threshold 7: name another column"
share "a quantile that few exceed" .99999 'exp(9 * rand())'
claim_says "is left to chance" \
    "and q = 0.99999 asks for 0.001 %: 0.2 positive records are expected, too few for a certain share"
done_claims
