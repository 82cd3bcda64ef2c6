#!/usr/bin/env bash
# all.sh -- all tables and figures of the five papers for which there are data, as one page.
#
#   pipelines/papers/all.sh OUT_DIR [DATA_DIR]
#
# DATA_DIR holds data sets under the names of datasets.txt, plain or compressed; a variable (ML100K=FILE …) also names
# one. A missing set gets a stand-in, made from a seed, or is left out: the page says which. OUT_DIR gets
#
#   page.html   all of it in one self-contained file      page.md   the same as Markdown
#   NAME/       of each part: tables.md, and the CSV files and plots of its driver
#
# PARTS names the parts to run, by default all. QUICK=1 runs little of each (a minute or two), FULL=1 as much as in the
# papers (hours). Needs the drivers' tools: bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"
. "$here/data.sh"
. "$here/page.sh"

QUICK=${QUICK:-}
export LEAT FULL=${FULL:-}

[[ ($# == 1 || $# == 2) && $1 != -* ]] || usage "OUT_DIR [DATA_DIR]"
data_dir=${2:-}
if [[ -n $data_dir && ! -d $data_dir ]]; then
    echo "all.sh: DATA_DIR $data_dir is not a folder: give one that holds data sets, or none" >&2
    exit 2
fi
out=$1
mkdir -p "$out"
each_dataset find_dataset
export SENATE=${SENATE:-$here/../data/senate-disbursements.csv.zst}

quick() { if [[ -n $QUICK ]]; then echo "$1"; else echo "$2"; fi; }

# ---- parts: the paper, a title, the command ----

all_parts="wmsketch${URL:+ wmsketch-URL}${KDDA:+ wmsketch-KDDA} wmsketch_passes shapes recovery explain deltoids pmi sftrl regret-SFTRL rfd regret-RFD scod"
make_standin() { documents_like "$(quick 2000 20000)" 47236 60; } # RCV1
paper_of() {
    case $1 in
    sftrl | regret-SFTRL) echo \
        "Luo et al.: Sketched follow-the-regularized-leader for online factorization machine, KDD 2018" ;;
    rfd | regret-RFD) echo "Luo et al.: Robust frequent directions with application in online learning, JMLR 2019" ;;
    scod) echo "Wan, Zhang: Approximate multiplication of sparse matrices with limited space, AAAI 2021" ;;
    *) echo "Tai et al.: Sketching linear classifiers over data streams, SIGMOD 2018" ;;
    esac
}
title_of() {
    case $1 in
    wmsketch) echo "Recovery, error and time on $(names RCV1): figures 3 to 7" ;;
    wmsketch-*) echo "Recovery, error and time on ${1#*-}: figures 3, 5 and 6" ;;
    wmsketch_passes) echo "Recovery and error after $passes passes over $(names RCV1)" ;;
    shapes) echo "Shapes of sketches on $(names RCV1): table 2" ;;
    recovery) echo "Recovery of every weight on $(names RCV1): theorem 1" ;;
    explain) echo "Explanations of SENATE: figures 8 and 9" ;;
    deltoids) echo "Relative deltoids: figure 10" ;;
    pmi) echo "Pointwise mutual information of $(names TEXT): table 3, figure 11" ;;
    sftrl) echo "Factorization machines: tables 2 to 7, figures 1 and 2" ;;
    regret-SFTRL) echo "Regret on $(names IJCNN): theorem 4" ;;
    regret-RFD) echo "Regret on $(names A9A): theorem 5" ;;
    rfd) echo "Online Newton: tables 2 and 3, figures 1 to 4" ;;
    scod) echo "Products: figures 1 to 4" ;;
    esac
}

# of_classes PART DRIVER: runs the driver on the data set of classes in the part's name; by default RCV1 or its
# stand-in.
of_classes() {
    local name=${1#*-} data
    [[ $1 == *-* ]] || name=RCV1
    out=$out/$1 take "$name"
    "$here/$2" "$data" "$out/$1"
}
run_wmsketch() {
    SEEDS=$(quick 1 5) BUDGETS=$(quick "2KB 8KB" "") K=$(quick "8 32" "") \
        LAMBDAS=$(quick 1e-3 "1e-3 1e-4 1e-5 1e-6") of_classes "$1" wmsketch.sh
}
passes=$(quick 2 10)
run_wmsketch_passes() {
    PASSES=$passes SEEDS=$(quick 1 3) BUDGETS=$(quick 2KB "2KB 8KB") K=$(quick "8 32" "") LAMBDAS="" of_classes "$1" \
        wmsketch.sh
}
run_shapes() { BUDGETS=$(quick 2KB "") SEEDS=$(quick 1 2) of_classes "$1" shapes.sh; }
run_recovery() {
    ROWS=$(quick 400 "") PASSES=$(quick 3 "") SEEDS=$(quick 2 5) SHAPES=$(quick "64x4 1024x8" "") of_classes "$1" \
        recovery.sh
}
run_regret() { SETS=${1#*-} ROWS=$(quick 300 "") M=$(quick 5 "") PENALTY=$(quick 1e-3 "") "$here/regret.sh" "$out/$1"; }
run_explain() { "$here/explain.sh" "$out/$1"; }
run_deltoids() { UPDATES=$(quick 200000 "") SEEDS=$(quick 1 3) "$here/deltoids.sh" "$out/$1"; }
run_pmi() {
    WIDTHS=$(quick "1024 16384" "") LAMBDAS=$(quick "1e-6 1e-8" "") LINES_OF_TEXT=$(quick 3000 "") "$here/pmi.sh" \
        "$out/$1"
}
run_sftrl() {
    RATINGS=$(quick ML100K "ML100K ML1M ML10M") CLASSES=$(quick IJCNN "IJCNN SPAM EPSILON") \
        EXACT=$(quick "" "ogd fm_ftrl ocg") "$here/sftrl.sh" "$out/$1"
}
run_rfd() {
    SETS=$(quick A9A "A9A GISETTE SIDO0") M=$(quick 5 "5 10 20") ALPHA0=$(quick "1e-2 1e0" "") \
        SKETCHES=$(quick "5 10" "5 10 20 30 40 50") LEARNERS=$(quick "adagrad rfd_son paper.rfd_son" "") \
        "$here/rfd.sh" "$out/$1"
}
run_scod() {
    RATINGS=${ML100K:-} SETS=$(quick ratings "low noisy ratings text") SIZES=$(quick "20 40" "") \
        SEEDS=$(quick 1 5) METHODS=$(quick "scod cod" "") RANDOM_METHODS=$(quick scod "") "$here/scod.sh" "$out/$1"
}

# ---- runs ----

failed=
# run PART: makes its tables, or notes why there are none.
run() {
    mkdir -p "$out/$1"
    echo "all.sh: $1" >&2
    if (run_"${1%%-*}" "$1") >"$out/$1/tables.md" 2>"$tmp/log"; then return; fi
    failed+=" $1"
    cat "$tmp/log" >&2
    printf '\nThis part failed: %s\n' "$(tail -1 "$tmp/log")" >>"$out/$1/tables.md"
}
parts=${PARTS:-$all_parts}
for part in $parts; do
    if [[ " $all_parts " != *" $part "* ]]; then
        echo "all.sh: PARTS names $part: give some of $all_parts" >&2
        exit 2
    fi
done
for part in $parts; do run "$part"; done

# ---- the page ----

# page: writes the page as Markdown.
page() {
    local part paper=
    echo "# The papers' tables and figures"
    printf '\nMade by pipelines/papers/all.sh with %s.%s\n' "$("$LEAT" --version | head -1)" \
        "$(quick " QUICK=1: it ran little of each, and its figures say nothing." "")"
    echo "A row has what the paper prints, what its method has here, and what leat's default has. A name that ends in ~ is of a stand-in: its figures compare learners with each other, \
and not with the paper's."
    printf '\n## Summary\n\n'
    tally "$parts"
    printf '\n## Data\n\n'
    origins
    for part in $parts; do
        if [[ $(paper_of "$part") != "$paper" ]]; then
            paper=$(paper_of "$part")
            printf '\n## %s\n' "$paper"
        fi
        printf '\n### %s\n' "$(title_of "$part")"
        with_reasons "$part" <"$out/$part/tables.md" | sed -E "s|^(!\[.*\]\()|\1$part/|"
    done
}
page >"$out/page.md"
html "The papers' tables and figures" "$out" <"$out/page.md" >"$out/page.html"
if [[ -n $failed ]]; then
    echo "all.sh: these parts failed:$failed" >&2
    exit 1
fi
