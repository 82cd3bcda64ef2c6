#!/usr/bin/env bash
# wmsketch.sh -- recovery, error and run time of learners in small budgets, as in figures 3 to 7 of Tai, Sharan, Bailis,
# Valiant: Sketching Linear Classifiers over Data Streams, SIGMOD 2018.
#
#   pipelines/papers/wmsketch.sh DATA.libsvm[.zst] OUT_DIR
#
# Every learner sees the stream PASSES times for each budget and seed, and is compared with the uncompressed model.
# Summary tables (Markdown) go to standard output; OUT_DIR gets, each with plots:
#
#   recovery.csv  learner,budget,seed,k,relerr       recovery-BUDGET.svg   figures 3 and 4
#   lambda.csv    lambda,budget,seed,k,relerr        lambda.svg            figure 5: AWM
#   error.csv     learner,budget,seed,error_rate     error.svg             figure 6
#   time.csv      learner,budget,seed,seconds,relative_to_logistic   time.svg   figure 7
#
# paper.wm, paper.prob_truncation and paper.space_saving are as in the paper (estimates are shown; algorithm 4; every
# untracked feature replaces the minimum). The latter two also run in the form of the authors' program; wm shows tracked
# features. The paper has plots and no tables, so a table has its claims about AWM against each other learner, in both
# forms, and whether they hold.
#
# With w* the uncompressed model and w^K a learner's K heaviest estimated weights,
#   relerr = ||w^K - w*|| / ||w*^K - w*||,  at least 1.
#
# The environment variables below have these defaults. Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"
. "$here/relerr.sh"

SEEDS=${SEEDS:-10}
PASSES=${PASSES:-1} # over the data, by every learner and by the uncompressed model
BUDGETS=${BUDGETS:-2KB 4KB 8KB 16KB 32KB}
K=${K:-8 16 32 64 128} # ascending
known="wm awm hash truncation prob_truncation space_saving count_min paper.wm paper.prob_truncation paper.space_saving"
LEARNERS=${LEARNERS:-$known}
LAMBDA=${LAMBDA:-1e-6}
LAMBDAS=${LAMBDAS-1e-3 1e-4 1e-5 1e-6} # for figure 5; empty to leave it out …
LAMBDA_BUDGET=${LAMBDA_BUDGET:-8KB}    # … which has one budget

[[ $# == 2 ]] || usage "DATA.libsvm[.zst] OUT_DIR"
out=$2
data=$(for ((pass = 0; pass < PASSES; pass++)); do echo "$1"; done | paste -sd,)
seeds=", median (min to max) over $SEEDS seeds"
((PASSES == 1)) || seeds+=", $PASSES passes"
mkdir -p "$out"

# figures BUDGET SEED: adds the last run's figures to error.csv and time.csv. Each run has its own logistic, so both
# times are from the same moment.
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

# ---- tables and plots ----

# claims: prints the least ratio of another learner's figure to AWM's over the budgets, from means over seeds.
claims() {
    printf '\n**What the paper says: AWM is better than …, the least ratio of all budgets**\n\n'
    printf "| ratio to AWM | paper | paper's method here | leat's default | verdict |\n|---|---|---|---|---|\n"
    awk -F, -v learners="$LEARNERS" -v budgets="$BUDGETS" -v k="$max_k" '
        function least(what, learner,  i, r, low) {
            low = ""
            for (i = 1; i <= nb; i++) {
                if (!n[what, learner, b[i]] || !n[what, "awm", b[i]]) return ""
                r = v[what, learner, b[i]] / n[what, learner, b[i]] / (v[what, "awm", b[i]] / n[what, "awm", b[i]])
                if (low == "" || r < low) low = r
            }
            return low
        }
        function verdict(r) { return r >= 1 ? "holds" : r > 0.98 ? "holds within 2 %" : "does not hold" }
        function row(what, learner,  paper, leat) {
            leat = least(what, learner); paper = least(what, "paper." learner)
            if (paper == "") paper = leat
            if (leat == "") return
            printf "| %s of %s | at least 1 | %.3f | %.3f | %s |\n", what, learner, paper, leat, verdict(paper) \
                (verdict(leat) == verdict(paper) ? "" : "; of the default it " verdict(leat))
        }
        function add(what, x) { v[what, $1, $2] += x; n[what, $1, $2]++ }
        FNR == 1 { file++; next }
        file == 1 { add("online error", $4) }
        file == 2 && $4 == k { add("recovery error", $5) }
        END {
            nb = split(budgets, b, " "); m = split(learners, l, " ")
            for (i = 1; i <= m; i++) if (l[i] != "awm" && l[i] !~ /^paper[.]/) row("online error", l[i])
            for (i = 1; i <= m; i++) if (l[i] != "awm" && l[i] !~ /^paper[.]/) row("recovery error", l[i])
        }' "$out/error.csv" "$out/recovery.csv"
}
claims

all="$LEARNERS logistic"
for budget in $BUDGETS; do
    pick() { awk -F, -v b="$budget" '$2 == b { print $1 "," $4 "," $5 }' "$out/recovery.csv"; }
    pick | table "Relative recovery error, $budget, by K$seeds" learner "$LEARNERS" "$K"
    pick | plot "$out/recovery-$budget.svg" "Recovery of the top K weights, $budget" K \
        "relative error" "$LEARNERS" "$K"
done
if [[ -n $LAMBDAS ]]; then
    pick() { awk -F, 'NR > 1 { print $1 "," $4 "," $5 }' "$out/lambda.csv"; }
    pick | table "Relative recovery error of AWM, $LAMBDA_BUDGET, by K$seeds" lambda "$LAMBDAS" "$K"
    pick | plot "$out/lambda.svg" "AWM-Sketch by L2 penalty, $LAMBDA_BUDGET" K "relative error" "$LAMBDAS" "$K"
fi
pick() { awk -F, 'NR > 1 { print $1 "," $2 "," 100 * $4 }' "$out/error.csv"; }
pick | table "Online error rate in %, by budget$seeds" learner "$all" "$BUDGETS"
pick | plot "$out/error.svg" "Online classification error" budget "error rate, %" "$all" "$BUDGETS"
pick() { awk -F, 'NR > 1 { print $1 "," $2 "," $5 }' "$out/time.csv"; }
pick | table "Run time relative to logistic, by budget$seeds" learner "$all" "$BUDGETS"
pick | plot "$out/time.svg" "Run time relative to the uncompressed model" budget "times logistic" "$all" "$BUDGETS"
