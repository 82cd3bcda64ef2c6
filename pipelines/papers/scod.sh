#!/usr/bin/env bash
# scod.sh -- figures 1 to 4 of Y. Wan and L. Zhang: Approximate Multiplication of Sparse Matrices with Limited Space,
# AAAI 2021: approximation error, projection error and run time over the sketch size.
#
#   pipelines/papers/scod.sh OUT_DIR
#
# SETS names the sets:
#   low, noisy  the paper's synthetic ones, made from a seed by its construction: 1,000 and 2,000 features,
#               10,000 columns, singular values 400, 399, …, 1 (standins.sh); noisy with as many noise entries
#   ratings     RATINGS=u.data ("user item rating" with tabs): users in halves, a column an item; without
#               the file a stand-in of its shape, "ratings~"
#   text        TEXT=a file of sentences, one a line: documents of 18 sentences in halves, a column a word;
#               left out without the file
#
# paper.scod is scod in the paper's form: buffers fill sooner, and each is shrunk. The paper has plots and no tables, so
# the claims in its text are checked: a table has each claim, both forms of scod, and whether it holds.
#
# Markdown tables go to standard output; OUT_DIR gets
#
#   figures.csv   set,method,size,seed,error,projection,bound,seconds
#   SET-error.svg  SET-projection.svg  SET-seconds.svg
#
# error = |XY' - AB'| / (|X|_F |Y|_F), projection = |XY' - UU'XY'VV'| / sigma_11 with the first ten singular vectors of
# AB'. Means in the paper are medians here. Needs bash, awk, and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"

METHODS=${METHODS:-scod cod fd_amm sfd_amm columns projection hashing}
RANDOM_METHODS=${RANDOM_METHODS:-scod sfd_amm columns projection hashing} # methods that depend on the seed
ALL="$METHODS paper.scod"
SIZES=${SIZES:-20 40 60 80 100 120 140 160 180 200}
SEEDS=${SEEDS:-5}
SETS=${SETS:-low noisy ratings text}
COLUMNS=${COLUMNS_OF_SYNTHETIC:-10000}

[[ $# == 1 ]] || usage "OUT_DIR (data sets by RATINGS=FILE, TEXT=FILE: see its first lines)"
out=$1
mkdir -p "$out"

# items: converts "user item rating" lines to libsvm, a line an item.
items() {
    awk '{ if (!($2 in row)) order[++n] = $2; row[$2] = row[$2] " " $1 ":" $3 }
        END { for (i = 1; i <= n; i++) print "1" row[order[i]] }'
}

# words: converts sentences to libsvm, a line a word; features are documents of 18 sentences.
words() {
    awk '{ d = int((NR - 1) / 18) + 1; for (i = 1; i <= NF; i++) n[$i, d]++
           for (i = 1; i <= NF; i++) if (n[$i, d]) { if (!($i in row)) order[++w] = $i
               row[$i] = row[$i] (last[$i] == d ? "" : " " d); last[$i] = d } }
        END { for (i = 1; i <= w; i++) { m = split(row[order[i]], docs, " "); line = "1"
            for (k = 1; k <= m; k++) line = line " " docs[k] ":" n[order[i], docs[k]]; print line } }'
}

ratings_standin() {
    ratings_like 100000 943 1682 >"$tmp/standin"
    note_standin ML100K "$tmp/standin"
    cat "$tmp/standin"
}

# largest FILE: prints the largest id.
largest() { awk '{ for (i = 2; i <= NF; i++) if ($i + 0 > m) m = $i + 0 } END { print m }' "$1"; }

# make SET: writes its data to $tmp/SET, and sets $below to the first id of the right side. Returns 1 if the set is left
# out.
make() {
    local file=$tmp/$1
    case $1 in
    low) product_like 1000 2000 "$COLUMNS" 400 0 >"$file"; below=1001 ;;
    noisy) product_like 1000 2000 "$COLUMNS" 400 1 >"$file"; below=1001 ;;
    ratings)
        if [[ -n ${RATINGS:-} ]]; then plain "$RATINGS"; else ratings_standin; fi | items >"$file"
        [[ $(largest "$file") ]] || { echo "scod.sh: $RATINGS has no ratings: a line is a user, an item and a rating" \
            >&2 && exit 1; }
        below=$(($(largest "$file") / 2 + 1)) ;;
    text)
        if [[ -z ${TEXT:-} ]]; then return 1; fi
        plain "$TEXT" | words >"$file"; below=$(($(largest "$file") / 2 + 1)) ;;
    *) echo "scod.sh: no set is named $1" >&2; exit 2 ;;
    esac
}
name() { if [[ $1 == ratings && -z ${RATINGS:-} ]]; then echo "ratings~"; else echo "$1"; fi; }

# run SET SEED METHODS FORM: adds to figures.csv.
run() {
    "$LEAT" run "$here/scod.lua" --quiet --set data="$tmp/$1" --set below="$below" --set seed="$2" \
        --set methods="${3// /,}" --set sizes="${SIZES// /,}" --set form="$4" |
        awk -F, -v OFS=, -v set="$(name "$1")" -v seed="$2" -v form="${4/#leat/}" '
            NR > 1 { print set, (form == "" ? "" : form ".") $1, $2, seed, $6, $7, $8, $10 }' >>"$out/figures.csv"
}

# claims SET: prints the paper's claims about figures 1 to 4, as the least ratio of all sizes.
claims() {
    printf '\n**What the paper says of %s: another method over scod, the least of all sizes**\n\n' "$(name "$1")"
    printf "| ratio | paper | paper's method here | leat's default | verdict |\n|---|---|---|---|---|\n"
    awk -F, -v set="$(name "$1")" -v sizes="$SIZES" '
        function mean(v, m, s) { return count[m, s] ? v[m, s] / count[m, s] : -1 }
        function least(v, m, own, tiny,  i, a, b, r, low) {
            low = ""
            for (i = 1; i <= k; i++) {
                a = mean(v, m, size[i]); b = mean(v, own, size[i])
                if (a < 0 || b < 0) return ""
                r = (a + tiny) / (b + tiny); if (low == "" || r < low) low = r
            }
            return low
        }
        function row(what, v, m, tiny,  paper, leat) {
            paper = least(v, m, "paper.scod", tiny); leat = least(v, m, "scod", tiny)
            if (paper == "") return
            printf "| %s of %s | at least 1 | %.2f | %.2f | %s |\n", what, m, paper, leat, verdict(paper) \
                (verdict(leat) == verdict(paper) ? "" : "; of the default it " verdict(leat))
        }
        function verdict(r) { return r >= 1 ? "holds" : r > 0.95 ? "holds within 5 %" : "does not hold" }
        $1 == set { count[$2, $3]++; error[$2, $3] += $5; seconds[$2, $3] += $8 }
        END {
            k = split(sizes, size, " "); n = split("cod fd_amm sfd_amm columns projection", other, " ")
            for (j = 1; j <= n; j++) row("error", error, other[j], 1e-12)
            for (j = 1; j <= 2; j++) row("seconds", seconds, other[j], 0)
        }' "$out/figures.csv"
}

# figure SET COLUMN FILE TITLE: plots a column of figures.csv.
figure() {
    awk -F, -v set="$(name "$1")" -v c="$2" '$1 == set && $c != "" { print $2 "," $3 "," $c }' \
        "$out/figures.csv" >"$tmp/figure"
    table "$4, $(name "$1")" size "$ALL" "$SIZES" "$5" <"$tmp/figure"
    plot "$out/$1-$3.svg" "$4, $(name "$1")" size "$3" "$ALL" "$SIZES" <"$tmp/figure"
}

echo set,method,size,seed,error,projection,bound,seconds >"$out/figures.csv"
for set in $SETS; do
    if ! make "$set"; then continue; fi
    run "$set" 1 "$METHODS" leat
    for ((seed = 2; seed <= SEEDS; seed++)); do run "$set" "$seed" "$RANDOM_METHODS" leat; done
    for ((seed = 1; seed <= SEEDS; seed++)); do run "$set" "$seed" scod paper; done
    claims "$set"
    figure "$set" 5 error "Approximation error" 5
    figure "$set" 6 projection "Projection error" 3
    figure "$set" 8 seconds "Seconds" 3
done
