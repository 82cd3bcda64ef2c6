#!/usr/bin/env bash
# rfd.sh -- tables 2 and 3 and figures 1 to 4 of L. Luo et al.: Online Learning via Regularized Frequent
# Directions, 2017 (preprint of Robust Frequent Directions with Application in Online Learning, JMLR 2019).
#
#   pipelines/papers/rfd.sh OUT_DIR
#
# Data sets are named by the environment: A9A=a9a.libsvm, GISETTE, SIDO0. What is not given has a stand-in
# of its shape, made from a seed (standins.sh), whose name ends in "~": its figures are comparable among
# learners, not with the paper's. Stand-ins have fewer rows and features unless FULL=1.
#
# Protocol: the first 70 % are learned from, one pass in file order; accuracy is of the rest, predicted
# with the model as it is then. Markdown tables go to standard output; OUT_DIR gets
#
#   accuracy.csv   dataset,learner,m,alpha0,accuracy,seconds      (m, alpha0: empty where there is none)
#   sketch.csv     dataset,method,m,error: of A'A by FD and RFD   sketch-DATASET.svg: figure 1
#   DATASET-M.svg  figures 2 to 4: accuracy by alpha0 of the learners with m directions
#
# Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"

LEARNERS=${LEARNERS:-adagrad full_on fd_son rp_son oja_son rfd_son}
M=${M:-5 10 20}
SKETCHES=${SKETCHES:-5 10 20 30 40 50}
SETS=${SETS:-A9A GISETTE SIDO0}
FULL=${FULL:-}
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
    case $1 in A9A) echo 123 ;; GISETTE) full 5000 200 ;; SIDO0) full 4932 400 ;; esac
}

# each DATASET: every learner with every m and alpha0 that it has.
each() {
    take "$1"
    "$LEAT" run "$here/rfd.lua" --set data="$data" --set learners="${LEARNERS// /,}" --set m="${M// /,}" \
        --set alpha0="${ALPHA0// /,}" --set holdout=$((rows * 7 / 10)) --quiet --summary "$tmp/s.json"
    "$LEAT" run "$here/rfd.lua" --set data="$data" --set sketches="${SKETCHES// /,}" \
        --set features="$(features "$1")" --quiet |
        awk -F, -v name="$name" 'NR > 1 { print name ",fd," $1 "," $4; print name ",rfd," $1 "," $5 }' \
            >>"$out/sketch.csv"
    jq -r --arg name "$name" '.stages[] | select(.metrics.error_rate_held_out != null)
        | (.id | split(",")) as $id
        | ($id[1:] | map(split("=") | {(.[0]): .[1]}) | add // {}) as $at
        | [$name, $id[0], $at.m // "", $at.alpha0 // "", 100 * (1 - .metrics.error_rate_held_out), .seconds]
        | map(tostring) | join(",")' "$tmp/s.json" >>"$out/accuracy.csv"
}

echo dataset,learner,m,alpha0,accuracy,seconds >"$out/accuracy.csv"
echo dataset,method,m,error >"$out/sketch.csv"
for set in $SETS; do each "$set"; done

# ---- tables and plots ----

set_names=$(names "$SETS")
rows=$(awk -F, 'NR > 1 { r = $2 ($3 == "" ? "" : ",m=" $3); if (!seen[r]++) print r }' "$out/accuracy.csv" |
    tr ',' '/' | paste -sd' ')
# best COLUMN: of the alpha0 with the highest accuracy.
best() {
    awk -F, -v c="$1" 'NR > 1 { r = $2 ($3 == "" ? "" : "/m=" $3) "," $1
        if (!(r in top) || $5 > top[r]) { top[r] = $5; v[r] = $c } }
        END { for (r in v) print r "," v[r] }' "$out/accuracy.csv"
}
best 5 | table "Accuracy in % with the best alpha0 (table 2)" learner "$rows" "$set_names" 2
best 6 | table "Seconds, with the alpha0 of table 2 (table 3)" learner "$rows" "$set_names" 3
awk -F, 'NR > 1 && $4 != "" { r = $2 ($3 == "" ? "" : "/m=" $3) "," $1
    if (!(r in low) || $5 < low[r]) low[r] = $5 } END { for (r in low) print r "," low[r] }' "$out/accuracy.csv" |
    table "Accuracy in % with the worst alpha0 (figures 2 to 4)" learner "$rows" "$set_names" 2
for set in $SETS; do
    name=$(names "$set")
    awk -F, -v d="$name" '$1 == d { print $2 "," $3 "," $4 }' "$out/sketch.csv" >"$tmp/sketch"
    table "Relative spectral error of the sketch, $name (figure 1)" m "fd rfd" "$SKETCHES" 5 <"$tmp/sketch"
    plot "$out/sketch-$set.svg" "Relative spectral error, $name" m "error" "fd rfd" "$SKETCHES" <"$tmp/sketch"
    for m in $M; do
        awk -F, -v d="$name" -v m="$m" '
            $1 == d && $4 != "" && ($3 == m || $3 == "") { print $2 "," $4 "," $5 }' "$out/accuracy.csv" |
            plot "$out/$set-$m.svg" "Accuracy by alpha0, m = $m, $name" \
                alpha0 "accuracy, %" "$LEARNERS" "$ALPHA0"
    done
done
