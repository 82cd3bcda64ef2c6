#!/usr/bin/env bash
# explain.sh -- figures 8 and 9 of Tai et al.: Sketching Linear Classifiers over Data Streams, SIGMOD 2018: relative
# risks of the features that each method retrieves, and how weights correlate with them.
#
#   pipelines/papers/explain.sh OUT_DIR
#
# The data are the Senate's disbursements (SENATE=FILE: by default the sample that comes with leat). The paper has those
# of candidates for House and Senate, which are 425 times as many. The methods are those of explain.lua: heavy hitters
# among the outliers and among all, the uncompressed model, the AWM-Sketch in 32 KB.
#
# Markdown tables go to standard output; OUT_DIR gets
#
#   risks.csv             method,from,features: number of a method's features with a relative risk from …
#   correlations.csv      method,correlation: Pearson's of weight and log relative risk
#   risks.svg             figure 8
#   correlation-METHOD.svg  figure 9
#
# Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"
. "$here/scatter.sh"

SENATE=${SENATE:-$here/../data/senate-disbursements.csv.zst}
METRIC=${METRIC:-amount}
ATTRIBUTES=${ATTRIBUTES:-line_type,office,payee,description}
K=${K:-2048}
HEAVY="heavy_outliers heavy_all"
MODELS="paper.lr paper.awm lr awm"

[[ $# == 1 ]] || usage "OUT_DIR (data by SENATE=FILE, METRIC and ATTRIBUTES)"
out=$1
mkdir -p "$out"

"$LEAT" run "$here/explain.lua" --quiet --set data="$SENATE" --set metric="$METRIC" --set attributes="$ATTRIBUTES" \
    --set out="$tmp" --set k="$K" 2>"$tmp/log" || { cat "$tmp/log" >&2; exit 1; }

# figure_of METHOD MEASURE: prints a figure of NAME-risk.csv.
figure_of() { awk -F, -v m="$2" '$3 == m { print $4 }' "$tmp/$1-risk.csv"; }

echo method,correlation >"$out/correlations.csv"
echo method,from,features >"$out/risks.csv"
for method in $HEAVY $MODELS; do
    echo "$method,$(figure_of "$method" correlation)" >>"$out/correlations.csv"
    sed -n "s/^[^,]*,[^,]*,relative_risk_from_/$method,/p" "$tmp/$method-risk.csv" >>"$out/risks.csv"
done

# points METHOD: prints "weight,relative risk" of its features. A feature's name may contain commas. It is the same text
# in both files: what remains between three columns before it and the columns after it.
points() {
    awk -v own="$tmp/$1.csv" '
        function name(line, behind,  i) {
            for (i = 0; i < 3; i++) sub(/^[^,]*,/, "", line)
            for (i = 0; i < behind; i++) { last[i] = line; sub(/.*,/, "", last[i]); sub(/,[^,]*$/, "", line) }
            return line
        }
        BEGIN { while ((getline line < own) > 0) { feature = name(line, 1); weight[feature] = last[0] } }
        FNR > 1 { feature = name($0, 5); if (feature in weight) print weight[feature] "," last[3] }' "$tmp/exact.csv"
}
# extremes METHOD: prints the share of its features whose risk is below 0.5 or at least 2.
extremes() {
    awk -F, -v m="$1" '$1 == m { all += $3; if ($2 < 0.5 || $2 >= 2) n += $3 } END { print n / all }' "$out/risks.csv"
}
correlation() { awk -F, -v m="$1" '$1 == m { print $2 }' "$out/correlations.csv"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { print a / b }'; }

{
    echo "correlation of the uncompressed model,0.95 (other data),$(correlation paper.lr),$(correlation lr),0.90"
    echo "correlation of AWM,0.91 (other data),$(correlation paper.awm),$(correlation awm),0.86"
    echo "correlation of AWM / of the uncompressed model,0.958,$(ratio "$(correlation paper.awm)" "$(correlation \
        paper.lr)"),$(
        ratio "$(correlation awm)" "$(correlation lr)"),0.91"
    for method in $HEAVY; do
        echo "extreme risks: share in AWM / in $method,more than 1,$(ratio "$(extremes paper.awm)" "$(extremes \
            "$method")"),$(
            ratio "$(extremes awm)" "$(extremes "$method")"),1"
    done
} | floors "What the paper says of explanations (figures 8 and 9); holds: no less than 95 % of its correlation"
awk -F, 'NR > 1 { print $1 "," $2 "," $3 }' "$out/risks.csv" >"$tmp/bins"
bins="0 0.125 0.25 0.5 0.8 1.25 2 4 8"
table "Features by relative risk from … (figure 8)" method "$HEAVY $MODELS" "$bins" 0 <"$tmp/bins"
plot "$out/risks.svg" "Relative risks of the $K heaviest features" "relative risk from" features "$HEAVY $MODELS" \
    "$bins" \
    <"$tmp/bins"
for method in $MODELS; do
    points "$method" | scatter "$out/correlation-$method.svg" "Weight and relative risk, $method (correlation $(
        printf %.2f "$(correlation "$method")"))" weight "relative risk"
done
