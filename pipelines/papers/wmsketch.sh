#!/usr/bin/env bash
# wmsketch.sh -- recovery, error and run time of learners in small budgets, as in figures 3 to 7 of
# Tai, Sharan, Bailis, Valiant: Sketching Linear Classifiers over Data Streams, SIGMOD 2018.
#
#   pipelines/papers/wmsketch.sh DATA.libsvm[.zst] OUT_DIR
#
# Every learner sees the stream once for each budget and seed, and is compared with the uncompressed
# model. Summary tables (Markdown) go to standard output; OUT_DIR gets, each with plots beside it:
#
#   recovery.csv  learner,budget,seed,k,relerr       recovery-BUDGET.svg   figures 3 and 4
#   lambda.csv    lambda,budget,seed,k,relerr        lambda.svg            figure 5: AWM
#   error.csv     learner,budget,seed,error_rate     error.svg             figure 6
#   time.csv      learner,budget,seed,seconds,relative_to_logistic   time.svg   figure 7
#
# With w* the uncompressed model and w^K a learner's K heaviest estimated weights,
#   relerr = ||w^K - w*|| / ||w*^K - w*||,  at least 1.
#
# Environment, with what it is by default: below. Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C

SEEDS=${SEEDS:-10}
BUDGETS=${BUDGETS:-2KB 4KB 8KB 16KB 32KB}
K=${K:-8 16 32 64 128} # ascending
LEARNERS=${LEARNERS:-wm awm hash truncation prob_truncation space_saving count_min}
LAMBDA=${LAMBDA:-1e-6}
LAMBDAS=${LAMBDAS-1e-3 1e-4 1e-5 1e-6} # of figure 5; empty: leave it out …
LAMBDA_BUDGET=${LAMBDA_BUDGET:-8KB}    # … which has one budget

if [[ $# != 2 ]]; then
    echo "usage: wmsketch.sh DATA.libsvm[.zst] OUT_DIR" >&2
    exit 2
fi
data=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
if [[ -z ${LEAT:-} ]]; then
    LEAT=$here/../../build/leat
    [[ -x $LEAT ]] || LEAT=leat
fi
mkdir -p "$out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ---- runs ----

# run LEARNERS BUDGET LAMBDA SEED K: the summary to $tmp/s.json; "learner feature weight", the
# heaviest of each learner first, to standard output.
run() {
    "$LEAT" run "$here/wmsketch.lua" --set data="$data" --set learners="${1// /,}" --set budget="$2" \
        --set lambda="$3" --set seed="$4" --set k="$5" --summary "$tmp/s.json" --quiet |
        jq -r '.learner as $l | .top[] | [$l, .feature, .weight] | @tsv'
}

# reference LAMBDA: the uncompressed model, whole, to $tmp/reference-LAMBDA, once.
most=1000000
reference() {
    local file=$tmp/reference-$1
    [[ ! -e $file ]] || return 0
    run logistic 1KB "$1" 1 $most >"$file"
    if (($(wc -l <"$file") >= most)); then
        echo "wmsketch.sh: the model has $most features or more; lighter weights count as 0" >&2
    fi
}

# relerr REFERENCE: from tops on standard input "learner,budget,seed,k,relerr", with -v head=,budget,seed.
# A feature that is kept turns its share w*^2 of the squared error into (w - w*)^2.
relerr() {
    awk -F'\t' -v ks="$K" -v tail="$2" '
        function flush() { while (next_k <= nk && learner != "") put() }
        function put() {
            # A model of no more than K features has nothing to be compared with.
            if (beyond[k[next_k]] > 0) print learner tail "," k[next_k] "," sqrt(err / beyond[k[next_k]])
            next_k++
        }
        BEGIN { nk = split(ks, k, " "); CONVFMT = "%.12g" }
        NR == FNR { truth[$2] = $3; sorted[n = FNR] = $3; next }
        !added { # up from the lightest, so that none is lost to rounding
            for (i = n; i > 0; i--) { beyond[i] = total; total += sorted[i] ^ 2 }
            added = 1
        }
        $1 != learner { flush(); learner = $1; rank = 0; next_k = 1; err = total }
        {
            err += ($3 - truth[$2]) ^ 2 - truth[$2] ^ 2
            if (++rank == k[next_k]) put()
        }
        END { flush() }' "$1" -
}

# figures BUDGET SEED: adds what the last run measured to error.csv and time.csv. Each run has its
# own logistic, so that both times are of the same moment.
figures() {
    jq -r --arg at "$1,$2" '.stages[] | select(.metrics.error_rate != null)
        | "\(.id),\($at),\(.metrics.error_rate)"' "$tmp/s.json" >>"$out/error.csv"
    jq -r --arg at "$1,$2" '(.stages[] | select(.id == "logistic").seconds) as $all
        | .stages[] | select(.metrics.error_rate != null)
        | "\(.id),\($at),\(.seconds),\(.seconds / $all)"' "$tmp/s.json" >>"$out/time.csv"
}

echo learner,budget,seed,k,relerr >"$out/recovery.csv"
echo learner,budget,seed,error_rate >"$out/error.csv"
echo learner,budget,seed,seconds,relative_to_logistic >"$out/time.csv"
echo lambda,budget,seed,k,relerr >"$out/lambda.csv"
max_k=${K##* }

reference "$LAMBDA"
for budget in $BUDGETS; do
    for ((seed = 1; seed <= SEEDS; seed++)); do
        run "$LEARNERS logistic" "$budget" "$LAMBDA" $seed "$max_k" | grep -v ^logistic |
            relerr "$tmp/reference-$LAMBDA" ",$budget,$seed" >>"$out/recovery.csv"
        figures "$budget" $seed
    done
done
for lambda in $LAMBDAS; do
    reference "$lambda"
    for ((seed = 1; seed <= SEEDS; seed++)); do
        run awm "$LAMBDA_BUDGET" "$lambda" $seed "$max_k" |
            relerr "$tmp/reference-$lambda" ",$LAMBDA_BUDGET,$seed" | sed "s/^awm/$lambda/" >>"$out/lambda.csv"
    done
done

# ---- tables and plots: of lines "series,x,value", one a seed ----

# Over lines sorted by value, the first, middle and last of a series at x are min, median and max.
stats='
    { v[$1, $2, ++n[$1, $2]] = $3 }
    function least(s, x) { return v[s, x, 1] }
    function largest(s, x) { return v[s, x, n[s, x]] }
    function median(s, x,  m) { m = n[s, x]; return (v[s, x, int((m + 1) / 2)] + v[s, x, int((m + 2) / 2)]) / 2 }
'

# table TITLE HEAD SERIES XS
table() {
    printf '\n**%s**, median (min to max) over %d seeds\n\n' "$1" "$SEEDS"
    sort -t, -k3,3g | awk -F, -v head="$2" -v series="$3" -v xs="$4" "$stats"'
        END {
            ns = split(series, s, " "); nx = split(xs, x, " ")
            line = "| " head " |"; rule = "|---|"
            for (j = 1; j <= nx; j++) { line = line " " x[j] " |"; rule = rule "---|" }
            print line "\n" rule
            for (i = 1; i <= ns; i++) {
                line = "| " s[i] " |"
                for (j = 1; j <= nx; j++)
                    line = line (n[s[i], x[j]] ? sprintf(" %.3f (%.3f to %.3f) |", median(s[i], x[j]),
                        least(s[i], x[j]), largest(s[i], x[j])) : " – |")
                print line
            }
        }'
}

# plot FILE TITLE X_LABEL Y_LABEL SERIES XS: medians as lines, min to max as a shade. The xs stand at
# equal steps: doubled sizes make a logarithmic axis. So is the other one where values span much.
plot() {
    sort -t, -k3,3g | awk -F, -v title="$2" -v xlabel="$3" -v ylabel="$4" -v series="$5" -v xs="$6" "$stats"'
        function px(j) { return 70 + (nx > 1 ? (j - 1) / (nx - 1) : 0.5) * 420 }
        function py(y) { return 340 - (scaled(y) - bottom) / (top - bottom) * 290 }
        function scaled(y) { return logarithmic ? log(y) : y }
        function text(x, y, anchor, words) {
            printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words
        }
        function tick(y) {
            if (scaled(y) < bottom - 1e-9 || scaled(y) > top + 1e-9) return
            printf "<path d=\"M70 %.1fH490\" stroke=\"#ddd\"/>\n", py(y)
            text(62, py(y) + 4, "end", sprintf("%.4g", y))
        }
        function scale(  range, step, e, m) { # and ticks at 1, 2 and 5 times powers of ten
            logarithmic = lo > 0 && hi / lo > 8
            range = hi - lo
            if (range <= 0) { range = hi != 0 ? (hi < 0 ? -hi : hi) : 1; lo -= range / 2; hi += range / 2 }
            if (logarithmic) {
                bottom = log(lo / 1.1); top = log(hi * 1.1)
                for (e = -6; e < 9; e++) for (m = 1; m <= 5; m += m < 2 ? 1 : 3) tick(m * 10 ^ e)
                return
            }
            step = 10 ^ int(log(range / 4) / log(10) - (range < 4))
            if (range / step > 20) step *= 5; else if (range / step > 10) step *= 2
            bottom = step * int(lo / step); if (bottom > lo) bottom -= step
            top = step * int(hi / step); if (top < hi) top += step
            for (e = 0; e <= (top - bottom) / step + 0.5; e++) tick(bottom + e * step)
        }
        function draw(i,  j, line, up, down, dots) {
            for (j = 1; j <= nx; j++) if (n[s[i], x[j]]) {
                line = line (line == "" ? "M" : "L") sprintf("%.1f %.1f", px(j), py(median(s[i], x[j])))
                up = up (up == "" ? "M" : "L") sprintf("%.1f %.1f", px(j), py(largest(s[i], x[j])))
                down = sprintf("L%.1f %.1f", px(j), py(least(s[i], x[j]))) down
                dots = dots sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", px(j), py(median(s[i], x[j])))
            }
            if (line == "") return
            printf "<path d=\"%s%sZ\" fill=\"%s\" fill-opacity=\"0.15\"/>\n", up, down, color[i]
            printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", line, color[i]
            printf "<g fill=\"%s\">%s</g>\n", color[i], dots
            printf "<path d=\"M505 %dh22\" stroke=\"%s\" stroke-width=\"3\"/>\n", 60 + 20 * i, color[i]
            text(533, 64 + 20 * i, "start", s[i])
        }
        END {
            ns = split(series, s, " "); nx = split(xs, x, " ")
            nc = split("#0072b2 #d55e00 #009e73 #cc79a7 #8a6d00 #56b4e9 #555555 #e69f00", palette, " ")
            for (i = 1; i <= ns; i++) for (j = 1; j <= nx; j++) if (n[s[i], x[j]]) {
                if (!some++ || least(s[i], x[j]) < lo) lo = least(s[i], x[j])
                if (some == 1 || largest(s[i], x[j]) > hi) hi = largest(s[i], x[j])
            }
            print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"660\" height=\"400\" font-family=\"sans-serif\" font-size=\"12\">"
            print "<rect width=\"660\" height=\"400\" fill=\"white\"/>"
            scale()
            print "<path d=\"M70 50V340H490\" fill=\"none\" stroke=\"black\"/>"
            for (j = 1; j <= nx; j++) {
                printf "<path d=\"M%.1f 340v5\" stroke=\"black\"/>\n", px(j)
                text(px(j), 358, "middle", x[j])
            }
            for (i = 1; i <= ns; i++) { color[i] = palette[(i - 1) % nc + 1]; draw(i) }
            text(280, 30, "middle", title); text(280, 382, "middle", xlabel)
            printf "<g transform=\"translate(18 195) rotate(-90)\">"; text(0, 0, "middle", ylabel); print "</g>"
            print "</svg>"
        }' >"$1"
}

all="$LEARNERS logistic"
for budget in $BUDGETS; do
    pick() { awk -F, -v b="$budget" '$2 == b { print $1 "," $4 "," $5 }' "$out/recovery.csv"; }
    pick | table "Relative recovery error, $budget, by K" learner "$LEARNERS" "$K"
    pick | plot "$out/recovery-$budget.svg" "Recovery of the top K weights, $budget" K \
        "relative error" "$LEARNERS" "$K"
done
if [[ -n $LAMBDAS ]]; then
    pick() { awk -F, 'NR > 1 { print $1 "," $4 "," $5 }' "$out/lambda.csv"; }
    pick | table "Relative recovery error of AWM, $LAMBDA_BUDGET, by K" lambda "$LAMBDAS" "$K"
    pick | plot "$out/lambda.svg" "AWM-Sketch by L2 penalty, $LAMBDA_BUDGET" K "relative error" "$LAMBDAS" "$K"
fi
pick() { awk -F, 'NR > 1 { print $1 "," $2 "," 100 * $4 }' "$out/error.csv"; }
pick | table "Online error rate in %, by budget" learner "$all" "$BUDGETS"
pick | plot "$out/error.svg" "Online classification error" budget "error rate, %" "$all" "$BUDGETS"
pick() { awk -F, 'NR > 1 { print $1 "," $2 "," $5 }' "$out/time.csv"; }
pick | table "Run time relative to logistic, by budget" learner "$all" "$BUDGETS"
pick | plot "$out/time.svg" "Run time relative to the uncompressed model" budget "times logistic" "$all" "$BUDGETS"
