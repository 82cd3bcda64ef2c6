# The table of a run that compares learners: its content, and the message about a missing figure.
# tier: long (4 s)
. "$(dirname "$0")/../support/claims.sh"
plugins=$tmp/plugins
mkdir "$plugins" && cp "${B:-build/release}/tests/plugins/guess.so" "$plugins/"
# an entry of its own tells two thirds of the labels
svm_examples 3 6000 8 30000 | awk '{ print $0, 40000 + ($1 > 0) * (NR % 3 > 0) ":1" }' >"$tmp/a.svm"
awk '{ $1 = "+1"; print }' "$tmp/a.svm" | head -50 >"$tmp/one.svm"
: >"$tmp/none.svm"
pipeline() { # pipeline LEARNERS-OF-LUA [OPTION]
    cat >"$tmp/p.lua" <<LUA
local leat = require "leat"
local d = leat.args.d
return leat.pipeline "p" {
  leat.source.file(d), leat.parse.libsvm {},
  leat.tee { $1 },
  figures = leat.args.figures or "table", ${2-}
}
LUA
}
small='{ leat.learn.awm { id = "small", budget = 2048 }, leat.sink.null {} }'
big='{ leat.learn.logistic { id = "big", max_features = 1000000 }, leat.sink.null {} }'
counts='{ leat.feature.sides { below = 150 }, leat.learn.product { id = "counts", size = 4 }, leat.sink.null {} }'
run() { leat_run run "$tmp/p.lua" --plugin-path "$plugins" --quiet --summary "$tmp/s.json" --set d="$tmp/a.svm" "$@"; }
# a sentence, however it is wrapped
says() { sed -z 's/\n  */ /g' "$out" | grep -Eq -- "$1" || { cat "$out"; return 1; }; }
figure() { json ".stages[] | select(.id == \"$1\").metrics.$2"; }
is_rounded() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < .00005001 && d > -.00005001) }' ||
    { echo "$1 is not $2, rounded"; return 1; }; }
# model and total take two columns each
cell() { awk -v l="$1" -v c="$2" '$1 == l && / B|KB|MB/ { print $c; exit }' "$out"; }

pipeline "$small, $big, $counts"
run
claim_exit "a pipeline asks for the table" 0
claim "the one that errs least is first" equal "$(awk '/^(small|big|counts) .*B  /{ print $1 }' "$out" |
    paste -sd' ')" \
    "$(json '[.stages[] | select(.metrics.error_rate)] | sort_by(.metrics.error_rate) | map(.id) | join(" ")')$(json \
    '[.stages[] | select(.metrics.error_rate == null and .metrics.examples) | .id] | map(" " + .) | join("")')"
for l in small big; do
    i=5
    for name in error_rate error_rate_last log_loss auc; do
        i=$((i + 1))
        claim "$l: $name is the summary's" is_rounded "$(cell $l $i)" "$(figure $l $name)"
    done
    claim "$l: all takes no less than the model" test "$(figure $l model_bytes)" -le "$(figure $l total_bytes)"
done
claim "no line is wider than 80 columns" awk 'length > 80 { bad = 1; print } END { exit bad }' "$out"
claim "the difference has its interval" says "(better than|no difference shown between) .* \(95 %"
claim "that one takes 100 times the memory of the other is said" \
    says "^big's model takes [0-9]+ times the memory of small's: "
claim "with the ratio of the two" equal "$(sed -nE "s/^big's model takes ([0-9]*) times the memory of small's.*/\1/p" \
    "$out")" \
    "$(awk -v a="$(figure big model_bytes)" -v b="$(figure small model_bytes)" 'BEGIN { printf "%.0f", a / b }')"
run --set figures=none
claim "without the option nothing is printed" test ! -s "$out"

run --set figures=jsonl
claim "JSON lines have every figure of the summary, by the same names" equal \
    "$(jq -S 'select(.learner == "small") | del(.learner, .examples_per_second) | map_values(tostring[:12])' "$out")" \
    "$(json '.stages[] | select(.id == "small").metrics | del(.examples_per_second, .active, .bias, .budget_bytes,
        .names_bytes, .names_cut, .table_bytes) | map_values(tostring[:12])' | jq -S .)"
run --set figures=csv
claim "and so does CSV" equal "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } $1 == "big" {
    print $c["auc"] }' "$out" | cut -c1-12)" \
    "$(figure big auc | cut -c1-12)"

# What a constant has, beside the learners; one that is worse is warned of.
pipeline "$small, { leat.learn.hash { id = \"wild\", budget = 2048, rates = \"shared\" }, leat.sink.null {} }"
awk '{ split($2, f, ":"); print $1, f[1] ":" 1000000 * f[2], "99999:1000000" }' "$tmp/a.svm" >"$tmp/wild.svm"
run --set d="$tmp/wild.svm"
constant() { awk -v c="$1" '$1 == "constant" { print $c; exit }' "$out"; }
claim "the table has a row of a constant, with the log loss that the summary has of each learner" \
    is_rounded "$(constant 6)" "$(figure wild log_loss_constant)"
claim "and its errors" is_rounded "$(constant 4)" "$(figure small error_rate_constant)"
claim "a learner that is worse is warned of, with what to do" \
    grep -Eq "wild \(learn.hash\): its log loss is .*, and a constant has 0.69.*another learning rate .*scale the columns" "$err"
pipeline "$small, { leat.learn.logistic { id = \"mild\" }, leat.sink.null {} }"
run
claim "one that is as good is not" sh -c "! grep -q 'that of a constant' '$err'"

# Where one label is rare, whoever never predicts it errs least: a learner of almost no rate, which predicts the share
# of labels alone, is not the best.
pipeline "{ leat.learn.logistic { id = \"still\", rate = 0.00001 }, leat.sink.null {} }, $small, $big"
awk 'BEGIN { srand(3) } { rare = NR % 30 == 0; print rare ? "+1" : "-1", (rand() < (rare ? .7 : .05) ? 2 : 1) ":1" }' \
    "$tmp/a.svm" >"$tmp/rare.svm"
run --set d="$tmp/rare.svm" --report "$tmp/rare.md"
by_loss=$(json '[.stages[] | select(.metrics.log_loss)] | sort_by(.metrics.log_loss) | map(.id) | join(" ")')
claim "with a rare label the least log loss is first" equal "$(awk '/^(small|big|still) .*B  /{ print $1 }' "$out" |
    paste -sd' ')" "$by_loss"
claim "though what has learned nothing errs as little" test "$(figure still error_rate | cut -c1-4)" = "$(figure small \
    error_rate | cut -c1-4)"
claim "and the table says so" says "^ranked by log loss: only 3.3 % of the examples have the rarer label"
claim "learners are compared by it" says "^(small|big) is better than still by .* of log loss \(95 %"
claim "so they are in a report" equal "$(sed -n 's/^| \(small\|big\|still\) | 0.*KB .*/\1/p' "$tmp/rare.md" |
    paste -sd' ')" "$by_loss"
claim "and the comparison, in that order" equal "$(sed -n 's/^| \(small\|big\|still\) | log_loss.*/\1/p' \
    "$tmp/rare.md" | paste -sd' ')" "${by_loss#* }"
claim "of that figure" grep -q '^| still | log_loss | 0\.[0-9]* | .* | \(big\|small\) |$' "$tmp/rare.md"

awk 'BEGIN { srand(3) } { rare = NR % 8 == 0; print rare ? "+1" : "-1", (rand() < (rare ? .5 : .1) ? 2 : 1) ":1" }' \
    "$tmp/a.svm" >"$tmp/eighth.svm"
run --set d="$tmp/eighth.svm"
claim "where no learner errs less than the constant they are ranked by log loss, and that is said" says \
    "ranked by log loss: no learner has 5 % fewer errors than the constant"
claim "the first is the one of the least" equal "$(awk '/^(small|big|still) .*B  /{ print $1 }' "$out" |
    paste -sd' ')" \
    "$(json '[.stages[] | select(.metrics.log_loss)] | sort_by(.metrics.log_loss) | map(.id) | join(" ")')"
claim "nor are they compared by errors" says "^(small|big) is better than still by .* of log loss \(95 %"

awk 'BEGIN { for (i = 0; i < 600; i++) print i == 300 ? "+1" : "-1", (1 + i % 7) ":1" }' >"$tmp/lone.svm"
pipeline "{ leat.learn.rfd_son { id = \"newton\" }, leat.sink.null {} }, $small"
run --set d="$tmp/lone.svm" --report "$tmp/lone.md"
unsure() { json '[.stages[] | select(.metrics.auc_error > 0.005) | .id] | sort | join(" ")'; }
claim "an AUC that is known with fewer digits is told" equal "$(sed -n 's/^the AUC of \([a-z]*\) is exact to .*/\1/p' \
    "$out" | sort | paste -sd' ')" "$(unsure)"
claim "on the page, too" equal "$(sed -n 's/.*The AUC of \([a-z]*\) is exact to .*/\1/p' "$tmp/lone.md" | sort |
    paste -sd' ')" "$(unsure)"
claim "which there is" test -n "$(unsure)"

# The table is not in the way of a program that reads the summary.
"$LEAT" run "$tmp/p.lua" --quiet --summary - --set d="$tmp/a.svm" >"$out" 2>"$err"
claim "with --summary - standard output is JSON alone" jq -e .stages "$out"
claim "and the table is on standard error" grep -q "Learners, best first" "$err"

pipeline "$small, $big"
run --set d="$tmp/one.svm"
claim "without a second class the AUC is missing, and why is said" says \
    "^AUC is missing: only one class was seen \((small, big|big, small)\)"
claim "the summary does not compare them either" equal "$(json '.comparisons // 0')" 0
claim "nor are learners compared" sh -c "! grep -Eq 'is better than|no difference|no learner errs' '$out'"
claim "no figure is shown as nan" sh -c "! grep -qi 'nan' '$out'"
run --set d="$tmp/none.svm"
claim_exit "an input without records is no failure" 0
claim "nothing was measured, and that is said" says "^error is missing: no example was measured \(.*big"
pipeline "$small, $counts"
run
claim "what only counts has no error, and that is said" says "^counts predicts nothing, so it has no error"

# A learner that left out half of the examples is not compared.
pipeline "$small, { leat.learn.logistic { id = \"few\", max_entries = 3 }, leat.sink.null {} }" 'max_reject_ratio = 1'
awk 'NR % 2 { print $1, $2, $3 } !(NR % 2)' "$tmp/a.svm" >"$tmp/mixed.svm"
run --set d="$tmp/mixed.svm"
claim "learners of other examples are not compared" says "are not compared: they did not learn from the same examples"
claim "and the table says how many each has" awk '$1 == "learner" { found = / examples / } END { exit !found }' "$out"

pipeline "$small, { leat.learn.average { id = \"mean\" }, leat.sink.null {} }"
run
claim "two ways of predicting have a table each" equal "$(grep -c '^[A-Z][a-z ]*, best first' "$out")" 2
claim "that a learner does not state the size of its model is said" says \
    "^model is missing: the learner does not report it \(mean\)"

# Figures of a classifier, by awk from what was predicted: ten bins of probability, every score a threshold.
leat_run run pipelines/classify.lua --quiet --summary "$tmp/s.json" --set learner=awm --set budget=16KB \
    --set format=csv \
    --set data=pipelines/data/senate-disbursements.csv.zst --set label=line_type --set positive="three data line" \
    --set attributes=office,description --set predictions="$tmp/p.csv"
claim_exit "classify.lua writes what was predicted" 0
tail -n +2 "$tmp/p.csv" | awk -F, '{ p = 1 / (1 + exp(-$2)); y = $3 > 0; b += (p - y) ^ 2; k = p < 1 ? int(p * 10) : 9
    e[k] += p - y; n++ } END { for (k in e) ece += e[k] < 0 ? -e[k] : e[k]; printf "%.9f %.9f\n", b / n, ece / n }' \
        >"$tmp/brier"
tail -n +2 "$tmp/p.csv" | sort -t, -k2,2gr | awk -F, '{ y = $3 > 0; s[NR] = $2; l[NR] = y; all += y } END {
    for (i = 1; i <= NR; i++) { if (l[i]) tp++; else fp++
        if (i < NR && s[i + 1] == s[i]) continue
        ap += (tp - before) / all * tp / (tp + fp); before = tp
        f = 2 * tp / (tp + fp + all); if (f > best) best = f }
    printf "%.9f %.9f\n", ap, best }' >"$tmp/precision"
within() { awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; exit !(d <= e && -d <= e) }' ||
    { echo "$1 is not within $3 of $2"; return 1; }; }
read -r brier ece <"$tmp/brier"
read -r precision f1 <"$tmp/precision"
claim "the Brier score is awk's" within "$(figure awm brier)" "$brier" 0.00002
claim "and so is the expected calibration error" within "$(figure awm calibration_error)" "$ece" 0.001
claim "the average precision is awk's within its error" within "$(figure awm average_precision)" "$precision" \
    "$(figure awm average_precision_error)"
claim "F1 is nearly the best that awk finds" within "$(figure awm f1)" "$f1" 0.001
claim "and what the rule of its threshold gives" within "$(figure awm f1)" "$(tail -n +2 "$tmp/p.csv" |
    awk -F, -v t="$(figure awm f1_threshold)" \
    '{ y = $3 > 0; q = $2 >= t - 1e-9; tp += y && q; all += y; said += q } END { printf "%.9f", 2 * tp / (all + said) }')" 0.0000001
claim "the reliability bins hold every example" equal "$(json '[.stages[] | select(.id == "awm").reliability[].weight] |
    add')" "$(figure awm examples)"
done_claims
