#!/usr/bin/env bash
# rfd.sh -- tables 2 and 3 and figures 1 to 4 of L. Luo et al.: Online Learning via Regularized Frequent Directions,
# 2017 (preprint of Robust Frequent Directions with Application in Online Learning, JMLR 2019).
#
#   pipelines/papers/rfd.sh OUT_DIR
#
# Environment variables name data sets: A9A=a9a.libsvm, GISETTE, SIDO0. A missing set has a stand-in of its shape, made
# from a seed (standins.sh), whose name ends in "~". Its figures are comparable among learners, not with the paper's.
# Stand-ins have fewer rows and features unless FULL=1. The paper does not have RCV1; it joins in if it is there,
# without FULL-ON and sketches, as it has too many features.
#
# paper.rfd_son and paper.fd_son have the form of the paper (no floor of alpha, the sketch shrinks before the step,
# eta_t = 1/t); the other learners of the paper have one form. Tables have the paper's figures, its method with the best
# alpha0, leat's default with its default alpha0, and a verdict.
#
# Protocol: the models learn the first 70 %, one pass in file order. Accuracy is of the rest, predicted with the model
# of that moment. Markdown tables go to standard output; OUT_DIR gets
#
#   accuracy.csv   dataset,learner,m,alpha0,accuracy,seconds      (m, alpha0: empty where there is none;
#                  alpha0: default is leat's, and seconds are with it, in a process of its own)
#   sketch.csv     dataset,method,m,error: of A'A by FD and RFD   sketch-DATASET.svg: figure 1
#   DATASET-M.svg  figures 2 to 4: accuracy by alpha0 of the learners with m directions
#
# Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"

LEARNERS=${LEARNERS:-adagrad full_on fd_son rp_son oja_son rfd_son paper.fd_son paper.rfd_son s_adagrad}
M=${M:-5 10 20}
SKETCHES=${SKETCHES:-5 10 20 30 40 50}
SETS=${SETS:-A9A GISETTE SIDO0${RCV1:+ RCV1}}
FULL=${FULL:-}
MOST=5000 # most features for a matrix of all pairs
if [[ -n $FULL ]]; then
    ALPHA0=${ALPHA0:-$(for ((e = -10; e <= 10; e++)); do echo 1e$e; done | paste -sd' ')}
else
    ALPHA0=${ALPHA0:-1e-10 1e-5 1e-2 1e0 1e2 1e4}
fi

[[ $# == 1 ]] || usage "OUT_DIR (data sets by A9A=FILE …: see its first lines)"
out=$1
mkdir -p "$out"

make_standin() {
    case $1 in
    A9A) classes_like "$(full 32561 8000)" 123 14 ;;
    GISETTE) classes_like "$(full 6000 1000)" "$(full 5000 200)" "$(full 5000 200)" ;;
    SIDO0) classes_like "$(full 12678 2000)" "$(full 4932 400)" "$(full 480 40)" ;;
    esac
}

features() {
    case $1 in A9A) echo 123 ;; GISETTE) full 5000 200 ;; SIDO0) full 4932 400 ;; RCV1) echo 47236 ;; esac
}

# each DATASET: runs every learner with every m and alpha0 that it has.
each() {
    local learners=$LEARNERS
    take "$1"
    if (($(features "$1") <= MOST)); then
        "$LEAT" run "$here/rfd.lua" --set data="$data" --set sketches="${SKETCHES// /,}" \
            --set features="$(features "$1")" --quiet |
            awk -F, -v name="$name" 'NR > 1 { print name ",fd," $1 "," $4; print name ",rfd," $1 "," $5 }' \
                >>"$out/sketch.csv"
    else
        learners=$(echo "$learners" | tr ' ' '\n' | grep -vx full_on | paste -sd' ')
    fi
    "$LEAT" run "$here/rfd.lua" --set data="$data" --set learners="${learners// /,}" --set m="${M// /,}" \
        --set alpha0="default,0,${ALPHA0// /,}" --set holdout=$((rows * 7 / 10)) --quiet --summary "$tmp/s.json"
    jq -r --arg name "$name" '.stages[] | select(.metrics.error_rate_held_out != null)
        | (.id | split(",")) as $id
        | ($id[1:] | map(split("=") | {(.[0]): .[1]}) | add // {}) as $at
        | [$name, $id[0], $at.m // "", $at.alpha0 // "", 100 * (1 - .metrics.error_rate_held_out)]
        | map(tostring) | join(",")' "$tmp/s.json" >"$tmp/accuracy"
    cut -d, -f2,3 "$tmp/accuracy" | sort -u | while IFS=, read -r learner m; do
        echo "$learner,$m,$(alone "$learner" "${m:-1}")"
    done >"$tmp/seconds"
    awk -F, 'NR == FNR { seconds[$1, $2] = $3; next } { print $0 "," seconds[$2, $3] }' "$tmp/seconds" "$tmp/accuracy" \
        >>"$out/accuracy.csv"
}

# alone LEARNER M: prints its seconds at the default alpha0 in its own process. In one process each learner has a
# thread, and waits for the others.
alone() {
    "$LEAT" run "$here/rfd.lua" --set data="$data" --set learners="$1" --set m="$2" --set alpha0=default \
        --set holdout=$((rows * 7 / 10)) --quiet --summary - |
        jq '.stages[] | select(.metrics.error_rate_held_out != null).seconds'
}

echo dataset,learner,m,alpha0,accuracy,seconds >"$out/accuracy.csv"
echo dataset,method,m,error >"$out/sketch.csv"
for set in $SETS; do each "$set"; done

# ---- tables and plots ----

# paper TABLE: prints the paper's figures, as "data,learner,m,figure".
paper() {
    local columns="A9A GISETTE SIDO0"
    case $1 in
    2) echo "adagrad - 83.4783 93.9444 94.0326
full_on - 83.8264 96.9444 97.0557
fd_son 5 83.6524 96.7222 97.0557
fd_son 10 83.6728 96.7222 97.0557
fd_son 20 83.6831 96.8889 97.0820
rp_son 5 83.6626 96.2778 96.6614
rp_son 10 83.7240 96.7222 97.0294
rp_son 20 83.6626 96.4444 97.0820
oja_son 5 83.7650 96.6111 96.7403
oja_son 10 83.7547 96.7778 97.0820
oja_son 20 83.6217 96.6111 97.0032
rfd_son 5 83.6319 96.2222 96.6877
rfd_son 10 83.6831 96.4444 96.9243
rfd_son 20 83.9390 96.9444 97.0820" ;;
    3) echo "adagrad - 40.66 518.97 234.87
full_on - 44.62 1468.00 1770.96
fd_son 5 40.16 870.11 1149.54
fd_son 10 41.55 931.86 1347.88
fd_son 20 49.06 1210.65 1634.75
rp_son 5 17.01 822.59 1028.24
rp_son 10 18.04 864.76 1060.56
rp_son 20 21.33 953.37 1198.24
oja_son 5 17.75 820.23 1006.12
oja_son 10 17.43 870.78 1048.01
oja_son 20 20.38 953.11 1196.61
rfd_son 5 35.42 879.23 1073.15
rfd_son 10 40.14 960.70 1227.98
rfd_son 20 43.33 1132.20 1569.94" ;;
    esac | awk -v columns="$columns" '{ n = split(columns, set, " ")
        for (i = 1; i <= n; i++) print set[i] "," $1 "," ($2 == "-" ? "" : $2) "," $(2 + i) }'
}
# three COLUMN TABLE: prints lines for verdicts: the column at the best accuracy over alpha0, in the paper's form if
# there is one, and at leat's default alpha0.
three() {
    { paper "$2" | sed 's/^/figure,/'; tail -n +2 "$out/accuracy.csv"; } | awk -F, -v c="$1" '
        $1 == "figure" { figure[$2, $3, $4] = $5; next }
        {
            learner = $2; form = sub(/^paper[.]/, "", learner) ? "paper" : "leat"
            row = $1 SUBSEP learner SUBSEP $3
            if (!(row in seen)) { seen[row]; order[++n] = row
                label[row] = $1 " " learner ($3 == "" ? "" : " m=" $3) }
            if (form == "leat" && ($4 == "default" || $4 == "")) leat[row] = $c
            if (form == "paper") forms[row]
            if (!((row, form) in top) || $5 > top[row, form]) { top[row, form] = $5; best[row, form] = $c }
        }
        END {
            for (i = 1; i <= n; i++) { row = order[i]
                print label[row] "," figure[row] "," best[row, row in forms ? "paper" : "leat"] "," leat[row] }
        }'
}
# at ALPHA0: prints lines for verdicts: accuracy of rfd_son there, and the paper's figure with the best one.
at() {
    { paper 2 | sed 's/^/figure,/'; tail -n +2 "$out/accuracy.csv"; } | awk -F, -v alpha0="$1" '
        $1 == "figure" { if ($3 == "rfd_son") f[$2, $4] = $5; next }
        $2 == "paper.rfd_son" && $4 == alpha0 { paper[$1, $3] = $5 }
        $2 == "rfd_son" && $4 == alpha0 { leat[$1, $3] = $5; order[++n] = $1 SUBSEP $3; label[n] = $1 " m=" $3 }
        END { for (i = 1; i <= n; i++) print label[i] "," f[order[i]] "," paper[order[i]] "," leat[order[i]] }'
}
three 5 2 | verdicts "Accuracy in % with the best alpha0 (table 2)" learner more 0.0012 2
three 6 3 | verdicts "Seconds (table 3)" learner less 0.1 3
for alpha0 in 0 ${ALPHA0%% *}; do
    at "$alpha0" | verdicts "Accuracy of rfd_son at alpha0 = $alpha0, beside the paper's best (figures 2 to 4)" data \
        more 0.0012 2
done
set_names=$(names "$SETS")
rows=$(awk -F, 'NR > 1 { r = $2 ($3 == "" ? "" : ",m=" $3); if (!seen[r]++) print r }' "$out/accuracy.csv" |
    tr ',' '/' | paste -sd' ')
awk -F, 'NR > 1 && $4 != "" && $4 != "default" && $4 != 0 { r = $2 ($3 == "" ? "" : "/m=" $3) "," $1
    if (!(r in low) || $5 < low[r]) low[r] = $5 } END { for (r in low) print r "," low[r] }' "$out/accuracy.csv" |
    table "Accuracy in % with the worst alpha0 (figures 2 to 4)" learner "$rows" "$set_names" 2
for set in $SETS; do
    name=$(names "$set")
    awk -F, -v d="$name" '$1 == d { print $2 "," $3 "," $4 }' "$out/sketch.csv" >"$tmp/sketch"
    if [[ -s $tmp/sketch ]]; then
        table "Relative spectral error of the sketch, $name (figure 1)" m "fd rfd" "$SKETCHES" 5 <"$tmp/sketch"
        plot "$out/sketch-$set.svg" "Relative spectral error, $name" m "error" "fd rfd" "$SKETCHES" <"$tmp/sketch"
    fi
    for m in $M; do
        awk -F, -v d="$name" -v m="$m" '
            $1 == d && $4 != "" && ($3 == m || $3 == "") { print $2 "," $4 "," $5 }' "$out/accuracy.csv" |
            plot "$out/$set-$m.svg" "Accuracy by alpha0, m = $m, $name" \
                alpha0 "accuracy, %" "$LEARNERS" "$ALPHA0"
    done
done
