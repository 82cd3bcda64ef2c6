#!/usr/bin/env bash
# sftrl.sh -- tables 2 to 7 and figures 1 and 2 of L. Luo et al.: Sketched follow-the-regularized-leader
# for online factorization machine, KDD 2018.
#
#   pipelines/papers/sftrl.sh OUT_DIR
#
# Data sets are named by the environment: ML100K=u.data, ML1M, ML10M (ratings.dat), IJCNN, SPAM, EPSILON
# (libsvm). What is not given has a stand-in of its shape, made from a seed (standins.sh), whose name ends
# in "~": its figures are comparable among learners, not with the paper's. Stand-ins have fewer rows, and
# the dense ones fewer features, unless FULL=1.
#
# Protocol: the first 80 % are learned from, one pass in file order; RMSE or AUC is of the rest, predicted
# with the model as it is then, and the average loss of the first part, predicted before it was learned
# from. Our squared loss has half the slope of the authors', so ETA=0.02 is their 0.01. Rows of classes are
# scaled to length 1. The linear part of sftrl is inside the quadratic form, as in the paper. (The paper's
# average loss leaves out the first example, which makes it 0.000112 smaller on ML100K.) Rows named
# paper:… are what the paper prints, beside data that is the paper's.
#
# Markdown tables go to standard output; OUT_DIR gets, with plots beside them:
#
#   runs.csv     dataset,learner,m,average_loss,error,seconds     tables 2, 3 (rmse), 5, 6 (auc)
#   sizes.csv    dataset,m,average_loss,error,seconds             tables 4 and 7    sizes-DATASET.svg
#   curves.csv   dataset,learner,seconds,average_loss             figures 1 and 2   curve-DATASET.svg
#
# Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"

LEARNERS=${LEARNERS:-sftrl bias}
EXACT=${EXACT-ogd fm_ftrl ocg}     # those whose model is d x d …
MOST=${MOST:-3000}                 # … run where there are at most so many features
RATINGS=${RATINGS-ML100K ML1M ML10M}
CLASSES=${CLASSES-IJCNN SPAM EPSILON}
ETA=${ETA:-0.02}                   # of ratings
ETA_CLASSES=${ETA_CLASSES:-1}
# Parameters of one learner alone, by its name; with _CLASSES those for classes. Radius and eta of ocg
# were chosen on the first tenth of ML100K and IJCNN; of ML100K it takes a step every 100 examples.
SFTRL=${SFTRL-linear=inside} SFTRL_CLASSES=${SFTRL_CLASSES-linear=inside}
OGD=${OGD-eta=1} FM_CLASSES=${FM_CLASSES-lambda=0.001}
OCG=${OCG-radius=4.5 eta=1 every=100} OCG_CLASSES=${OCG_CLASSES-radius=50 eta=0.4}
FULL=${FULL:-}

[[ $# == 1 ]] || usage "OUT_DIR (data sets by ML100K=FILE …: see its first lines)"
out=$1
mkdir -p "$out"

# ---- data ----

make_standin() {
    case $1 in
    ML100K) ratings_like 100000 943 1682 ;;
    ML1M) ratings_like "$(full 1000209 100000)" 6040 3900 ;;
    ML10M) ratings_like "$(full 10000000 50000)" 71567 10681 ;;
    IJCNN) classes_like "$(full 141691 10000)" 22 22 ;;
    SPAM) classes_like "$(full 350000 3000)" 252 252 ;;
    EPSILON) classes_like "$(full 100000 1000)" "$(full 2000 300)" "$(full 2000 300)" ;;
    esac
}

# What is of each data set: features, sizes of the sketch for its tables.
features() {
    case $1 in
    ML100K) echo 2625 ;;
    ML1M) echo 9940 ;;
    ML10M) echo 82248 ;;
    IJCNN) echo 22 ;;
    SPAM) echo 252 ;;
    EPSILON) full 2000 300 ;;
    esac
}
size() {
    case $1 in ML10M | IJCNN) echo 50 ;; SPAM) echo 100 ;; EPSILON) echo 5 ;; *) echo 10 ;; esac
}
sizes() {
    case $1 in ML100K) echo 10 20 30 40 50 ;; EPSILON) echo 5 10 15 20 25 ;; esac
}

# ---- runs ----

# run TASK LEARNER M: prints "average_loss,error,seconds"; the curve goes to $tmp/curve.
run() {
    local more=(--set m="$3") own=${2^^} p
    [[ $1 == ratings ]] || own+=_CLASSES
    for p in ${!own:-}; do more+=(--set "$2.$p"); done
    [[ $data != *.dat && $data != *.dat.* ]] || more+=(--set separator=::)
    if [[ $1 == classes ]]; then
        more+=(--set normalize=true --set loss=logistic --set eta="$ETA_CLASSES")
    else
        more+=(--set eta="$ETA")
    fi
    "$LEAT" run "$here/sftrl.lua" --set task="$1" --set data="$data" --set learner="$2" \
        --set holdout=$((rows * 4 / 5)) --set curve="$tmp/curve" --set every=$((rows / 50 + 1)) \
        "${more[@]}" --quiet --summary "$tmp/s.json"
    jq -r --arg id "$2" '.stages[] | select(.id == $id)
        | [.metrics.squared_loss // .metrics.log_loss, .metrics.rmse_held_out // .metrics.auc_held_out, .seconds]
        | map(tostring) | join(",")' "$tmp/s.json"
}

# each TASK DATASET: all learners and sizes.
each() {
    local learner m result
    take "$2"
    for learner in $LEARNERS $EXACT; do
        [[ " $EXACT " != *" $learner "* || $(features "$2") -le $MOST ]] || continue
        result=$(run "$1" "$learner" "$(size "$2")")
        echo "$name,$learner,$(size "$2"),$result" >>"$out/runs.csv"
        jq -r --arg head "$name,$learner" \
            'select(.seconds > 0) | "\($head),\(.seconds),\(.squared_loss // .log_loss)"' "$tmp/curve" \
            >>"$out/curves.csv"
    done
    for m in $(sizes "$2"); do
        result=$(run "$1" sftrl "$m")
        echo "$name,$m,$result" >>"$out/sizes.csv"
    done
    [[ $data != "$tmp"/* ]] || rm "$data"
}

echo dataset,learner,m,average_loss,error,seconds >"$out/runs.csv"
echo dataset,m,average_loss,error,seconds >"$out/sizes.csv"
echo dataset,learner,seconds,average_loss >"$out/curves.csv"
for set in $RATINGS; do each ratings "$set"; done
for set in $CLASSES; do each classes "$set"; done

# ---- tables and plots ----

# paper TABLE: its rows, of the data sets that are no stand-ins.
paper() {
    case $1 in
    2) printf '%s\n' ogd,ML100K,1.2721 fm_ftrl,ML100K,1.0873 ocg,ML100K,1.0359 sftrl,ML100K,0.9624 \
        ogd,ML1M,1.0645 fm_ftrl,ML1M,1.0441 ocg,ML1M,0.9702 sftrl,ML1M,0.9336 \
        ogd,ML10M,1.0291 fm_ftrl,ML10M,0.9725 ocg,ML10M,0.9441 sftrl,ML10M,0.8811 ;;
    5) printf '%s\n' ogd,IJCNN,0.9192 fm_ftrl,IJCNN,0.9757 ocg,IJCNN,0.9859 sftrl,IJCNN,0.9926 \
        ogd,SPAM,0.9239 fm_ftrl,SPAM,0.9398 ocg,SPAM,0.9414 sftrl,SPAM,0.9866 \
        ogd,EPSILON,0.8277 fm_ftrl,EPSILON,0.8668 ocg,EPSILON,0.8737 sftrl,EPSILON,0.9508 ;;
    esac | sed 's/^/paper:/'
}
papers="paper:ogd paper:fm_ftrl paper:ocg paper:sftrl"
column() { awk -F, -v c="$1" 'NR > 1 { print $2 "," $1 "," $c }' "$out/runs.csv"; }
everyone="$LEARNERS $EXACT"
if [[ -n $RATINGS ]]; then
    { column 5; paper 2; } | table "RMSE of the last 20 % (table 2)" learner "$everyone $papers" "$(names "$RATINGS")" 4
    column 6 | table "Seconds (table 3)" learner "$everyone" "$(names "$RATINGS")" 2
fi
if [[ -n $CLASSES ]]; then
    { column 5; paper 5; } | table "AUC of the last 20 % (table 5)" learner "$everyone $papers" "$(names "$CLASSES")" 4
    column 6 | table "Seconds (table 6)" learner "$everyone" "$(names "$CLASSES")" 2
fi
for set in $RATINGS $CLASSES; do
    name=$(names "$set") ms=$(sizes "$set") error=AUC
    [[ " $RATINGS " != *" $set "* ]] || error=RMSE
    if [[ -n $ms ]]; then
        printf '\n**sftrl by m on %s (tables 4 and 7)**\n\n' "$name"
        printf '| m | average loss | %s last 20 %% | seconds |\n|---|---|---|---|\n' "$error"
        awk -F, -v d="$name" '$1 == d { printf "| %s | %.6f | %.4f | %.2f |\n", $2, $3, $4, $5 }' "$out/sizes.csv"
        awk -F, -v d="$name" '$1 == d { print "sftrl," $2 "," $3 }' "$out/sizes.csv" |
            plot "$out/sizes-$set.svg" "Average loss, $name" m "average loss" sftrl "$ms"
    fi
    awk -F, -v d="$name" '$1 == d { print $2 "," $3 "," $4 }' "$out/curves.csv" >"$tmp/points"
    plot "$out/curve-$set.svg" "Average loss by time, $name" seconds "average loss" "$everyone" \
        "$(cut -d, -f2 "$tmp/points" | sort -gu | paste -sd' ')" numbers <"$tmp/points"
done
