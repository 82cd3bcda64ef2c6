#!/usr/bin/env bash
# Do the bounds that are shown hold the truth, and are the right rows shown? For each file with labels (a CSV with a
# column y of 0 and 1, and the attributes that its name gives), each order of its records and each budget: of the 20
# rows of highest
# relative risk (support >= 0.1 %, count >= 100), the share whose bounds of the risk hold the exact one, how many are
# wide, the largest factor by which the middle is wrong among those that are not, and how many of the exact 20 are
# shown. LEARNER=awm: the same of an AWM-Sketch's weights and counts.
#   tests/bench/bounds.sh FILE.csv:ATTRIBUTE,ATTRIBUTE…  …
set -eu
leat=${LEAT:-build/leat} budgets=${BUDGETS:-8KB 32KB 256KB 1MB 2MB}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
run() { "$leat" run tests/bench/pipelines/bounds.lua --quiet --set data="$tmp/data.csv" --set attributes="$attributes" \
    "$@"; }
rows() { jq -r '.top[] | [.feature, .relative_risk, (.relative_risk_low // .relative_risk),
    (.relative_risk_high // .relative_risk)] | @tsv' "$1"; }
put() { # ORDER FILE: the records of the file in that order, under its heading
    head -1 "$2" >"$tmp/data.csv"
    case $1 in
        as_it_is) tail -n +2 "$2" ;;
        shuffled) tail -n +2 "$2" | shuf --random-source=<(yes 1) ;;
        reversed) tail -n +2 "$2" | tac ;;
        ones_first) tail -n +2 "$2" | sort -s -t, -k1,1r ;;
        zeros_first) tail -n +2 "$2" | sort -s -t, -k1,1 ;;
        bursts) tail -n +2 "$2" | LC_ALL=C sort -s -t, -k3 ;;
    esac >>"$tmp/data.csv"
}
printf 'file\torder\tbudget\thold\twide\tworst\trecall\n'
for what in "$@"; do
    file=${what%%:*} attributes=${what#*:}
    put as_it_is "$file"
    run --set exact=true --set all=true >"$tmp/all.json"
    run --set exact=true >"$tmp/best.json"
    rows "$tmp/all.json" >"$tmp/all"
    rows "$tmp/best.json" >"$tmp/best"
    for order in as_it_is shuffled reversed ones_first zeros_first bursts; do
        put $order "$file"
        for budget in $budgets; do
            run --set budget="$budget" ${LEARNER:+--set learner=$LEARNER} >"$tmp/shown.json"
            rows "$tmp/shown.json" >"$tmp/shown"
            awk -F'\t' -v OFS='\t' -v head="$(basename "$file" .csv)${OFS:-	}$order	$budget" '
                FILENAME ~ /all$/ { truth[$1] = $2; next }
                FILENAME ~ /best$/ { risk[$2] = 1; n_best++; least = $2; next }
                { n++; t = truth[$1]; hold += $3 <= t * (1 + 1e-9) && t <= $4 * (1 + 1e-9)
                  if ($4 > 1.3 * $3) wide++; else { r = $2 > t ? $2 / t : t / $2; if (r > worst) worst = r }
                  if (t >= least) found++ }
                END { print head, n ? sprintf("%.3f", hold / n) : "-", wide + 0, sprintf("%.3f", worst), sprintf("%.2f", found / n_best) }
            ' "$tmp/all" "$tmp/best" "$tmp/shown"
        done
    done
done
