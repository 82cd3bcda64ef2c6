#!/usr/bin/env bash
# recovery.sh -- theorems 1 and 2 of Tai et al.: Sketching Linear Classifiers over Data Streams, SIGMOD 2018: with w*
# the best fixed model, every weight that a WM-Sketch estimates is within eps |w*|_1 of w*, with probability 1 - delta.
#
#   pipelines/papers/recovery.sh DATA.libsvm[.zst] OUT_DIR
#
# fit.sh finds w*. The sketch makes PASSES over ROWS rows, scaled to length 1. Then it predicts one example a feature,
# whose score estimates the feature's weight. The estimate is the mean over the rows of the sketch. The theorem has the
# median, but leat has medians only for features that it knows by name. The uncompressed model makes the same steps: its
# errors are not the sketch's fault.
#
# Theorem 2 is for one pass over examples in random order. It takes the mean of all sketches, each projected onto the
# ball of radius |w*|_2 + eps |w*|_1. The rows are shuffled for each seed, and the largest sketch learns them once.
#
# Markdown tables go to standard output; OUT_DIR gets
#
#   errors.csv      shape,seed,eps,violations,features: weights whose error is more than eps |w*|_1
#   one_pass.csv    the same for one pass, with the sketch's kind in place of the shape
#   recovery.svg    the largest error of a weight over |w*|_1, by cells
#
# Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"
. "$here/fit.sh"

ROWS=${ROWS:-4000}
PASSES=${PASSES:-20}
LAMBDA=${LAMBDA:-1e-3}
SHAPES=${SHAPES:-256x1 256x4 256x16 1024x4 1024x16 4096x16} # width x depth, the largest last
EPS=${EPS:-0.005 0.002 0.001 0.0005 0.0002}
DELTA=${DELTA:-0.1}
SEEDS=${SEEDS:-10}

[[ $# == 2 ]] || usage "DATA.libsvm[.zst] OUT_DIR"
data=$1 out=$2
mkdir -p "$out"

plain "$data" | awk -v n="$ROWS" 'NR <= n {
    s = 0; for (i = 2; i <= NF; i++) { split($i, v, ":"); x[i] = v[2]; id[i] = v[1]; s += v[2] ^ 2 }
    row = $1 > 0 ? "+1" : "-1"; s = s > 0 ? sqrt(s) : 1
    for (i = 2; i <= NF; i++) row = row sprintf(" %s:%.7g", id[i], x[i] / s)
    print row }' >"$tmp/rows"
[[ -s $tmp/rows ]] || { echo "recovery.sh: $data has no rows" >&2; exit 1; }
fit logistic "$LAMBDA" <"$tmp/rows" >"$tmp/best"
awk '{ print "+1 " $1 ":1" }' "$tmp/best" >"$tmp/probes"
rows=$(($(wc -l <"$tmp/rows")))
files=$(for ((pass = 0; pass < PASSES; pass++)); do echo "$tmp/rows"; done | paste -sd,)

# errors SHAPE SEED FILE [PASSES OUT]: adds to errors.csv; adds "SHAPE,cells,largest error" to $tmp/largest.
errors() {
    awk -v shape="$1" -v seed="$2" -v eps="$EPS" -v learned=$((rows * ${4:-PASSES} + 1)) -v largest="$tmp/largest" '
        NR == FNR { best[FNR] = $2; sum += $2 < 0 ? -$2 : $2; n = FNR; next }
        FNR > learned { e = ($2 - best[FNR - learned]) / sum; if (e < 0) e = -e; error[++m] = e; if (e > top) top = e }
        END {
            if (m != n) { print "recovery.sh: " m " estimates of " n " weights" >"/dev/stderr"; exit 1 }
            k = split(eps, bound, " ")
            for (i = 1; i <= k; i++) {
                bad = 0
                for (j = 1; j <= n; j++) if (error[j] > bound[i]) bad++
                print shape "," seed "," bound[i] "," bad "," n
            }
            split(shape, side, "x")
            if (side[2]) print "wm," side[1] * side[2] "," top >>largest
        }' "$tmp/best" "$3" >>"$out/${5:-errors.csv}"
}
echo shape,seed,eps,violations,features >"$out/errors.csv"
for shape in $SHAPES; do
    for ((seed = 1; seed <= SEEDS; seed++)); do
        "$LEAT" run "$here/recovery.lua" --quiet --set data="$files,$tmp/probes" --set learned=$((rows * PASSES)) \
            --set width="${shape%x*}" --set depth="${shape#*x}" --set lambda="$LAMBDA" --set seed=$seed --set out="$tmp"
        errors "$shape" $seed "$tmp/wm.tsv"
    done
done
errors uncompressed 1 "$tmp/logistic.tsv"
awk -v m=$((rows * PASSES + 1)) 'BEGIN { for (i = 0; i < m; i++) print } { print "-", 0 }' "$tmp/best" >"$tmp/zeros"
errors "all 0" 1 "$tmp/zeros"

# ---- one pass ----

echo kind,seed,eps,violations,features >"$out/one_pass.csv"
radius=$(awk -v eps="${EPS##* }" '{ square += $2 ^ 2; sum += $2 < 0 ? -$2 : $2 } END {
    print sqrt(square) + eps * sum }' "$tmp/best")
once() { # KIND SEED ARGS…
    "$LEAT" run "$here/recovery.lua" --quiet --set data="$tmp/shuffled,$tmp/probes" --set learned=$rows \
        --set lambda="$LAMBDA" \
        --set width="${largest%x*}" --set depth="${largest#*x}" --set seed="$2" --set out="$tmp" "${@:3}"
    errors "$1" "$2" "$tmp/wm.tsv" 1 one_pass.csv
}
largest=${SHAPES##* }
for ((seed = 1; seed <= SEEDS; seed++)); do
    awk -v seed=$seed 'BEGIN { srand(seed) } { printf "%.9f %s\n", rand(), $0 }' "$tmp/rows" | sort -g |
        cut -d' ' -f2- >"$tmp/shuffled"
    once last $seed
    errors uncompressed $seed "$tmp/logistic.tsv" 1 one_pass.csv
    once mean $seed --set radius="$radius"
done

# asked EPS: prints the cells that the theorem needs if its constant is 1; beta of the logistic loss is 1/4.
asked() {
    awk -v eps="$1" -v delta="$DELTA" -v lambda="$LAMBDA" -v d="$(wc -l <"$tmp/best")" '
        { s = 0; for (i = 2; i <= NF; i++) { sub(/.*:/, "", $i); s += $i < 0 ? -$i : $i } if (s > gamma) gamma = s }
        END { f = gamma ^ 4 / 16 / lambda ^ 2; printf "%.0e", log(d / delta) ^ 3 / eps ^ 4 * (f > 1 ? f : 1) }' \
            "$tmp/rows"
}
# clean SHAPE EPS: prints the share of seeds in which no weight has a larger error.
clean() {
    awk -F, -v s="$1" -v e="$2" '$1 == s && $3 == e { n++; ok += $4 == 0 } END { print ok / n }' "$out/errors.csv"
}
for eps in $EPS; do
    echo "eps = $eps: share of seeds with every weight of $largest cells within eps,at least 1 - $DELTA with $(asked \
        "$eps") cells,$(
        clean "$largest" "$eps"),,$(awk -v d="$DELTA" 'BEGIN { print 1 - d }')"
done | floors "Theorem 1: every weight is within eps L of that of the best fixed model, whose weights have the sum L"
awk -F, 'NR > 1 { gsub(/ /, "-", $1); print $1 "," $3 "," 100 * $4 / $5 }' "$out/errors.csv" |
    table "Weights that are off by more than eps L, in %, by eps, median (min to max) over $SEEDS seeds" \
    "width x depth" \
        "$SHAPES uncompressed all-0" "$EPS" 2
awk -F, '{ print $2 }' "$tmp/largest" | sort -gu | paste -sd' ' >"$tmp/cells"
plot "$out/recovery.svg" "Largest error of a weight over L" cells "error" wm "$(<"$tmp/cells")" numbers <"$tmp/largest"
awk -F, 'NR > 1 { print $1 "," $3 "," 100 * $4 / $5 }' "$out/one_pass.csv" |
    table "Weights that are off by more than eps L after one pass in random order, in %, by eps, median (min to max) over $SEEDS seeds (theorem 2: the mean of all sketches, $largest cells; last: the sketch at the end)" \
        "sketch" "mean last uncompressed" "$EPS" 2
