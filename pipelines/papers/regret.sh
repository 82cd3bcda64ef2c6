#!/usr/bin/env bash
# regret.sh -- the regret that theorems of two papers bound: a learner's loss above that of the best fixed model.
#
#   pipelines/papers/regret.sh OUT_DIR
#
#   RFD     Luo et al., JMLR 2019, theorem 5: online Newton; squared loss, labels 1 and -1, |w'x| at most 1
#   SFTRL   Luo et al., KDD 2018, theorem 4: factorization machines; logistic loss, rows of length 1
#
# Data: A9A=FILE for RFD, IJCNN=FILE for SFTRL, the first ROWS of each; a missing set has a stand-in (standins.sh).
# fit.sh finds the best fixed model over all the data, at T / 4 and at T examples. For a factorization machine it is a
# linear model of a constant, all features, and all their products. It has a penalty, PENALTY, where the theorems bound
# its size: a smaller penalty makes a better model, and a larger regret.
#
# Markdown tables go to standard output; OUT_DIR gets regret.csv (set,learner,examples,regret: against the model that
# is best at the end) and SET.svg.   Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"
. "$here/fit.sh"

FULL=${FULL:-}
ROWS=${ROWS:-$(full 30000 8000)}
SETS=${SETS:-RFD SFTRL}
RFD=${RFD:-paper.rfd_son rfd_son full_on adagrad}
SFTRL=${SFTRL:-paper.sftrl sftrl fm_ftrl}
M=${M:-10}
PENALTY=${PENALTY:-1e-5} # of the best fixed model, so that there is one

[[ $# == 1 ]] || usage "OUT_DIR (data sets by A9A=FILE, IJCNN=FILE)"
out=$1
mkdir -p "$out"

make_standin() {
    case $1 in
    A9A) classes_like 8000 123 14 ;;
    IJCNN) classes_like 10000 22 22 ;;
    esac
}

# products: scales libsvm rows to length 1, and prints a constant, the features and their products.
products() {
    awk '{
        s = 0; m = 0
        for (i = 2; i <= NF; i++) { split($i, v, ":"); id[++m] = v[1]; x[m] = v[2]; s += v[2] ^ 2 }
        s = s > 0 ? sqrt(s) : 1
        row = $1 " c:1"
        for (i = 1; i <= m; i++) {
            x[i] /= s; row = row " " id[i] ":" x[i]
            for (j = 1; j <= i; j++) row = row " " id[j] "*" id[i] ":" x[i] * x[j]
        }
        print row
    }'
}
# predict SET LEARNER: writes "margin label" of each example, before it is learned, to $tmp/predicted.
predict() {
    local name=${2#paper.} given p
    given=(--set m="$M" --set learner="$name")
    for p in $(arguments "$1" "$2"); do given+=(--set "$name.$p"); done
    [[ $1 == RFD ]] || given+=(--set loss=logistic --set normalize=true)
    "$LEAT" run "$here/../classify.lua" --quiet --set data="$tmp/rows" --set predictions="$tmp/predictions" \
        --set figures=none "${given[@]}" >"$tmp/top"
    awk -F, 'NR > 1 { print $2, $3 }' "$tmp/predictions" >"$tmp/predicted"
}
# arguments SET LEARNER: prints the learner's own parameters.
arguments() {
    case $1,$2 in
    RFD,paper.rfd_son) echo labels=numbers clip=1 alpha0=1 floor=0 warm=0 shrink=before eta=1 ;;
    RFD,*) echo labels=numbers clip=1 ;;
    SFTRL,paper.sftrl) echo linear=inside eta=1 ;;
    SFTRL,fm_ftrl) echo eta=1 ;;
    esac
}
# margins FILE: prints "margin label" of the terms by the model in FILE.
margins() {
    awk 'NR == FNR { w[$1] = $2; next }
        { z = 0; for (i = 2; i <= NF; i++) { split($i, v, ":"); z += w[v[1]] * v[2] } print z, ($1 > 0 ? 1 : -1) }' \
            "$1" "$tmp/terms"
}
# regrets SET LEARNER: adds to regret.csv, at 20 points. Adds "LEARNER,growth" to $tmp/growth: the regret at T over that
# at T / 4, each against the best model for that many examples.
regrets() {
    paste -d' ' "$tmp/predicted" "$tmp/best" "$tmp/early" | awk -v set="$1" -v learner="$2" -v rows="$rows" \
        -v loss="$loss" -v growth="$tmp/growth" '
        function cost(z, y) {
            if (loss == "squared") return (z - y) ^ 2
            return y * z < -500 ? -y * z : log(1 + exp(-y * z))
        }
        NF != 6 || $2 * $4 <= 0 { print "regret.sh: example " NR " was not predicted" >"/dev/stderr"; exit 1 }
        {
            regret += cost($1, $4) - cost($3, $4); early += cost($1, $4) - cost($5, $4)
            if (NR == quarter) first = early
            if (NR >= rows * (k + 1) / 20) { k++; printf "%s,%s,%d,%.6g\n", set, learner, NR, regret }
        }
        BEGIN { quarter = int(rows / 4) }
        END { print set "," learner "," first "," regret >>growth }' >>"$out/regret.csv"
}

echo set,learner,examples,regret >"$out/regret.csv"
for set in $SETS; do
    if [[ $set == RFD ]]; then take A9A; else take IJCNN; fi
    plain "$data" | awk -v n="$ROWS" 'NR <= n' >"$tmp/rows"
    rows=$(($(wc -l <"$tmp/rows")))
    if [[ $set == RFD ]]; then
        loss=squared
        cp "$tmp/rows" "$tmp/terms"
    else
        loss=logistic
        products <"$tmp/rows" >"$tmp/terms"
    fi
    fit $loss $PENALTY 1e-4 <"$tmp/terms" >"$tmp/w"
    margins "$tmp/w" >"$tmp/best"
    awk -v n=$((rows / 4)) 'NR <= n' "$tmp/terms" | fit $loss $PENALTY 1e-4 >"$tmp/w"
    margins "$tmp/w" >"$tmp/early"
    for learner in ${!set}; do
        predict "$set" "$learner"
        regrets "$set" "$learner"
    done
    # A regret of T^p with p = 1 means that the average does not fall; p is 1/2 in theorem 4 of SFTRL. A logarithm grows
    # from T / 4 to T like a power below 1/5; a power below 0.4 counts as a logarithm.
    awk -F, -v set="$set" '
        $1 == set { name = $2; form = sub(/^paper[.]/, "", name); p[$2] = $3 > 0 && $4 > 0 ? log($4 / $3) / log(4) : 0
            if (!(name in seen)) { seen[name]; order[++n] = name } }
        END { for (i = 1; i <= n; i++) { name = order[i]; paper = "paper." name
            is_log = set == "RFD" && name != "adagrad"
            printf "%s: 1 - p,%s,%.3f,%s,%s\n", name, is_log ? "near 1 (logarithmic)" : "0.5 (a root)",
                1 - (paper in p ? p[paper] : p[name]), paper in p ? 1 - p[name] : "", is_log ? 0.6 : 0.5 } }' \
                    "$tmp/growth" |
        floors "Growth of the regret, T^p, from T / 4 to T = $rows, $name"
    awk -F, -v set="$set" 'NR > 1 && $1 == set { print $2 "," $3 "," $4 }' "$out/regret.csv" >"$tmp/points"
    xs=$(cut -d, -f2 "$tmp/points" | sort -gu | paste -sd' ')
    table "Regret against the best fixed model, $name" learner "${!set}" "$(echo "$xs" | cut -d' ' -f1,5,10,15,20)" 1 \
        <"$tmp/points"
    plot "$out/$set.svg" "Regret against the best fixed model, $name" examples regret "${!set}" "$xs" numbers \
        <"$tmp/points"
done
