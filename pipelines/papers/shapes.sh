#!/usr/bin/env bash
# shapes.sh -- table 2 of Tai et al.: Sketching Linear Classifiers over Data Streams, SIGMOD 2018: the shape of the WM-
# and AWM-Sketch that recovers best in a budget.
#
#   pipelines/papers/shapes.sh DATA.libsvm[.zst] OUT_DIR
#
# A shape is the number of features known by name, and width and depth of the sketch. For AWM the names take a quarter,
# a half or three quarters of the budget, and the sketch has one row or two. For WM 64, 128 or 256 features have names,
# rows have 128, 256 or 512 cells, and there are as many rows as fit, at most 64. The paper's shape is one of them.
#
# Markdown tables go to standard output; OUT_DIR gets shapes.csv: learner,budget,shape,seed,relerr (of the heaviest K).
# Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"
. "$here/relerr.sh"

SEEDS=${SEEDS:-3}
BUDGETS=${BUDGETS:-2KB 4KB 8KB 16KB 32KB}
K=${K:-128}
LAMBDA=${LAMBDA:-1e-6}

[[ $# == 2 ]] || usage "DATA.libsvm[.zst] OUT_DIR"
data=$1 out=$2
mkdir -p "$out"

# power N: prints the largest power of two that is at most N.
power() {
    local p=1
    while ((2 * p <= $1)); do p=$((2 * p)); done
    echo $p
}
# shapes LEARNER BYTES: prints active/width/depth, one a line.
shapes() {
    local quarters active width depth left
    if [[ $1 == awm ]]; then
        for quarters in 1 2 3; do
            active=$(($2 * quarters / 32)) left=$(($2 - $2 * quarters / 4))
            for depth in 1 2; do echo "$active/$(power $((left / 4 / depth)))/$depth"; done
        done
    else
        for active in 64 128 256; do
            for width in 128 256 512; do
                depth=$((($2 - 8 * active) / 4 / width))
                if ((depth >= 1)); then echo "$active/$width/$((depth > 64 ? 64 : depth))"; fi
            done
        done
    fi
}
paper() { # LEARNER BUDGET
    case $1,$2 in
    wm,2KB) echo 128/128/2 ;; wm,4KB) echo 256/256/2 ;; wm,8KB) echo 128/128/14 ;;
    wm,16KB) echo 128/128/30 ;; wm,32KB) echo 128/256/31 ;;
    awm,2KB) echo 128/256/1 ;; awm,4KB) echo 256/512/1 ;; awm,8KB) echo 512/1024/1 ;;
    awm,16KB) echo 1024/2048/1 ;; awm,32KB) echo 2048/4096/1 ;;
    esac
}

echo learner,budget,shape,seed,relerr >"$out/shapes.csv"
reference "$LAMBDA"
for learner in wm awm; do
    for budget in $BUDGETS; do
        for shape in $(shapes $learner $((${budget%KB} * 1024))); do
            IFS=/ read -r active width depth <<<"$shape"
            for ((seed = 1; seed <= SEEDS; seed++)); do
                run $learner "$budget" "$LAMBDA" $seed "$K" --set active="$active" --set width="$width" \
                    --set depth="$depth" |
                    relerr "$tmp/reference-$LAMBDA" ",$budget,$shape,$seed" | cut -d, -f1-4,6 >>"$out/shapes.csv"
            done
        done
    done
done

printf '\n**Shape with the least recovery error of the heaviest %s, names/width/depth (table 2)**\n\n' "$K"
printf '| learner, budget | paper | its error here | best here | its error | verdict |\n|---|---|---|---|---|---|\n'
for learner in wm awm; do
    for budget in $BUDGETS; do
        awk -F, -v l=$learner -v b="$budget" -v paper="$(paper $learner "$budget")" '
            $1 == l && $2 == b { sum[$3] += $5; n[$3]++ }
            END {
                for (s in sum) { e = sum[s] / n[s]; if (best == "" || e < low || (e == low && s < best)) { low = e; best = s } }
                own = n[paper] ? sum[paper] / n[paper] : 0
                verdict = !own ? "no figure of the paper" : own <= 1.01 * low ? "holds" : "does not hold"
                printf "| %s %s | %s | %s | %s | %.3f | %s |\n", l, b, paper == "" ? "–" : paper, own ? sprintf("%.3f", own) : "–",
                    best, low, verdict
            }' "$out/shapes.csv"
    done
done
