#!/usr/bin/env bash
# sftrl.sh -- tables 2 to 7 and figures 1 and 2 of L. Luo et al.: Sketched follow-the-regularized-leader for online
# factorization machine, KDD 2018.
#
#   pipelines/papers/sftrl.sh OUT_DIR
#
# Environment variables name data sets: ML100K=u.data, ML1M, ML10M (ratings.dat), IJCNN, SPAM, EPSILON (libsvm). A
# missing set has a stand-in of its shape, made from a seed (standins.sh), whose name ends in "~". Its figures are
# comparable among learners, not with the paper's. Stand-ins have fewer rows, and the dense ones fewer features, unless
# FULL=1.
#
# Protocol: the models learn the first 80 %, one pass in file order. RMSE or AUC is of the rest, predicted with the
# model of that moment. The average loss is of the first part, each example predicted before it is learned. Our squared
# loss has half the slope of the authors', so ETA=0.02 is their 0.01. Rows of classes are scaled to length 1. (The
# paper's average loss leaves out the first example, which makes it 0.000112 smaller on ML100K.)
#
# Each learner of the paper runs in two forms. One is the paper's: ogd projects onto a ball like ocg's, the linear part
# of sftrl is inside the quadratic form, and the etas are below. The other is leat's default, with only m and loss of
# the task, and `every` for ocg. Tables have the paper's figures, both forms, and a verdict.
#
# Markdown tables go to standard output; OUT_DIR gets, with plots:
#
#   runs.csv     dataset,learner,m,average_loss,error,seconds,form   tables 2, 3 (rmse), 5, 6 (auc)
#   sizes.csv    dataset,m,average_loss,error,seconds,form           tables 4 and 7    sizes-DATASET.svg
#   curves.csv   dataset,learner,seconds,average_loss                figures 1 and 2   curve-DATASET.svg
#
# Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"

LEARNERS=${LEARNERS:-sftrl bias}
EXACT=${EXACT-ogd fm_ftrl ocg}     # learners with a d x d model …
MOST=${MOST:-3000}                 # … run only on data with at most this many features
RATINGS=${RATINGS-ML100K ML1M ML10M}
CLASSES=${CLASSES-IJCNN SPAM EPSILON}
ETA=${ETA:-0.02}                   # for ratings
ETA_CLASSES=${ETA_CLASSES:-1}
# Parameters of one learner in the paper's form, by its name; with _CLASSES for classes. Radius and eta of ocg were
# chosen on the first tenth of ML100K and IJCNN. On ML100K it takes a step every 100 examples, and ogd projects every
# 20,000. LEAT_… are parameters of leat's form.
SFTRL=${SFTRL-linear=inside} SFTRL_CLASSES=${SFTRL_CLASSES-linear=inside}
OGD=${OGD-eta=1 radius=4.5 every=20000} OGD_CLASSES=${OGD_CLASSES-radius=50}
FM_CLASSES=${FM_CLASSES-lambda=0.001}
OCG=${OCG-radius=4.5 eta=1 every=100} OCG_CLASSES=${OCG_CLASSES-radius=50 eta=0.4}
LEAT_OCG=${LEAT_OCG-every=100}
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

# Facts of each data set: features, and sizes of the sketch in its tables.
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

# run TASK LEARNER M FORM: prints "average_loss,error,seconds"; the curve goes to $tmp/curve.
run() {
    local more=(--set m="$3") own=${2^^} p
    [[ $1 == ratings ]] || own+=_CLASSES
    [[ $4 == paper ]] || own=LEAT_$own
    for p in ${!own:-}; do more+=(--set "$2.$p"); done
    [[ $data != *.dat && $data != *.dat.* ]] || more+=(--set separator=::)
    [[ $1 == ratings ]] || more+=(--set normalize=true --set loss=logistic)
    if [[ $4 == paper ]]; then
        if [[ $1 == classes ]]; then more+=(--set eta="$ETA_CLASSES"); else more+=(--set eta="$ETA"); fi
    fi
    "$LEAT" run "$here/sftrl.lua" --set task="$1" --set data="$data" --set learner="$2" \
        --set holdout=$((rows * 4 / 5)) --set curve="$tmp/curve" --set every=$((rows / 50 + 1)) \
        "${more[@]}" --quiet --summary "$tmp/s.json"
    jq -r --arg id "$2" '.stages[] | select(.id == $id)
        | [.metrics.squared_loss // .metrics.log_loss, .metrics.rmse_held_out // .metrics.auc_held_out, .seconds]
        | map(tostring) | join(",")' "$tmp/s.json"
}

# each TASK DATASET: runs all learners and sizes.
each() {
    local learner m result form
    take "$2"
    for learner in $LEARNERS $EXACT; do
        [[ " $EXACT " != *" $learner "* || $(features "$2") -le $MOST ]] || continue
        for form in leat paper; do
            [[ $form == leat || " sftrl ogd fm_ftrl ocg " == *" $learner "* ]] || continue
            result=$(run "$1" "$learner" "$(size "$2")" $form)
            echo "$name,$learner,$(size "$2"),$result,$form" >>"$out/runs.csv"
            [[ $form == paper || $learner == bias || $learner == fm ]] || continue
            jq -r --arg head "$name,$learner" \
                'select(.seconds > 0) | "\($head),\(.seconds),\(.squared_loss // .log_loss)"' "$tmp/curve" \
                >>"$out/curves.csv"
        done
    done
    for m in $(sizes "$2"); do
        for form in leat paper; do
            result=$(run "$1" sftrl "$m" $form)
            echo "$name,$m,$result,$form" >>"$out/sizes.csv"
        done
    done
    [[ $data != "$tmp"/* ]] || rm "$data"
}

echo dataset,learner,m,average_loss,error,seconds,form >"$out/runs.csv"
echo dataset,m,average_loss,error,seconds,form >"$out/sizes.csv"
echo dataset,learner,seconds,average_loss >"$out/curves.csv"
for set in $RATINGS; do each ratings "$set"; done
for set in $CLASSES; do each classes "$set"; done

# ---- tables and plots ----

# paper TABLE: prints the paper's figures, as "row,figure", for data sets that are not stand-ins.
paper() {
    case $1 in
    2) printf '%s\n' ML100K:ogd,1.2721 ML100K:fm_ftrl,1.0873 ML100K:ocg,1.0359 ML100K:sftrl,0.9624 \
        ML1M:ogd,1.0645 ML1M:fm_ftrl,1.0441 ML1M:ocg,0.9702 ML1M:sftrl,0.9336 \
        ML10M:ogd,1.0291 ML10M:fm_ftrl,0.9725 ML10M:ocg,0.9441 ML10M:sftrl,0.8811 ;;
    3) printf '%s\n' ML100K:ogd,">100000" ML100K:fm_ftrl,">100000" ML100K:ocg,">10000" ML100K:sftrl,167.39 \
        ML1M:ogd,">1000000" ML1M:fm_ftrl,">1000000" ML1M:ocg,">100000" ML1M:sftrl,557.73 \
        ML10M:ogd,">1000000" ML10M:fm_ftrl,">1000000" ML10M:ocg,">100000" ML10M:sftrl,3248.71 ;;
    4) printf '%s\n' ML100K:10,0.988384 ML100K:20,0.985037 ML100K:30,0.984426 ML100K:40,0.983962 ML100K:50,0.983917 \
        EPSILON:5,0.150675 EPSILON:10,0.150138 EPSILON:15,0.150062 EPSILON:20,0.150125 EPSILON:25,0.149838 ;;
    5) printf '%s\n' IJCNN:ogd,0.9192 IJCNN:fm_ftrl,0.9757 IJCNN:ocg,0.9859 IJCNN:sftrl,0.9926 \
        SPAM:ogd,0.9239 SPAM:fm_ftrl,0.9398 SPAM:ocg,0.9414 SPAM:sftrl,0.9866 \
        EPSILON:ogd,0.8277 EPSILON:fm_ftrl,0.8668 EPSILON:ocg,0.8737 EPSILON:sftrl,0.9508 ;;
    6) printf '%s\n' IJCNN:ogd,">10000" IJCNN:fm_ftrl,">10000" IJCNN:ocg,">1000" IJCNN:sftrl,184.31 \
        SPAM:ogd,">10000" SPAM:fm_ftrl,">10000" SPAM:ocg,">1000" SPAM:sftrl,447.19 \
        EPSILON:ogd,">100000" EPSILON:fm_ftrl,">100000" EPSILON:ocg,">10000" EPSILON:sftrl,292.69 ;;
    esac
}
# three FILE COLUMN TABLE DATASETS: prints lines for verdicts from the lines of FILE that begin with "dataset,row".
three() {
    { paper "$3" | sed 's/^/paper,/'; tail -n +2 "$1"; } | awk -F, -v c="$2" -v sets="$(names "$4")" '
        $1 == "paper" { paper[$2] = $3; next }
        {
            row = $1 ":" $2
            if (!(row in form)) order[++n] = row
            form[row] = 1; v[row, $NF] = $c; set[row] = $1; what[row] = $2
        }
        END {
            k = split(sets, want, " ")
            for (i = 1; i <= k; i++) for (j = 1; j <= n; j++) if (set[row = order[j]] == want[i])
                print set[row] " " what[row] "," paper[row] "," v[row, "paper"] "," v[row, "leat"]
        }'
}
if [[ -n $RATINGS ]]; then
    three "$out/runs.csv" 5 2 "$RATINGS" | verdicts "RMSE of the last 20 % (table 2)" learner less 0.005 4
    three "$out/runs.csv" 6 3 "$RATINGS" | verdicts "Seconds (table 3)" learner less 0.1 2
fi
if [[ -n $CLASSES ]]; then
    three "$out/runs.csv" 5 5 "$CLASSES" | verdicts "AUC of the last 20 % (table 5)" learner more 0.002 4
    three "$out/runs.csv" 6 6 "$CLASSES" | verdicts "Seconds (table 6)" learner less 0.1 2
fi
everyone="$LEARNERS $EXACT"
for set in $RATINGS $CLASSES; do
    name=$(names "$set") ms=$(sizes "$set") error=AUC sense=more
    [[ " $RATINGS " != *" $set "* ]] || error=RMSE sense=less
    if [[ -n $ms ]]; then
        three "$out/sizes.csv" 3 4 "$set" | verdicts "Average loss of sftrl by m on $name (tables 4 and 7)" m less \
            0.001 6
        three "$out/sizes.csv" 4 none "$set" | verdicts "$error of its last 20 %" m "$sense" 0.002 4
        awk -F, -v d="$name" '$1 == d { print "sftrl-" $6 "," $2 "," $3 }' "$out/sizes.csv" |
            plot "$out/sizes-$set.svg" "Average loss, $name" m "average loss" "sftrl-paper sftrl-leat" "$ms"
    fi
    awk -F, -v d="$name" '$1 == d { print $2 "," $3 "," $4 }' "$out/curves.csv" >"$tmp/points"
    plot "$out/curve-$set.svg" "Average loss by time, $name" seconds "average loss" "$everyone" \
        "$(cut -d, -f2 "$tmp/points" | sort -gu | paste -sd' ')" numbers <"$tmp/points"
done
