#!/usr/bin/env bash
# Does pairs.lua show the truth? For each text (a sentence a line, not compressed), each order of its lines and each
# budget, of the K pairs of highest PMI that came 5 times: Pearson of the estimates with the exact PMI, the share whose
# bounds hold it, and how many of the exact K are shown (pairs as good as the last of these count).
#   tests/bench/pmi_bounds.sh FILE…
#   BUDGETS="32KB 256KB 1MB" KS="20 100" ORDERS="as_it_is reversed shuffled sorted"
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C
leat=${LEAT:-build/leat} budgets=${BUDGETS:-32KB 256KB 1MB} ks=${KS:-20 100} \
    orders=${ORDERS:-as_it_is reversed shuffled sorted}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
pmi() { "$leat" run pipelines/pairs.lua --quiet --set data="$tmp/text" --set lower=true "$@"; }
put() { # ORDER FILE
    case $1 in
        as_it_is) cat "$2" ;;
        reversed) tac "$2" ;;
        shuffled) shuf --random-source=<(yes 1) "$2" ;;
        sorted) sort "$2" ;;
    esac >"$tmp/text"
}
printf 'file\torder\tbudget\tk\tpearson\thold\trecall\n'
for file in "$@"; do
    cp "$file" "$tmp/text"
    pmi --set budget=400MB --set k=1000 --set out=jsonl | jq -r '.top[].weight' >"$tmp/best" # keeps all, so it is exact
    for order in $orders; do
        put "$order" "$file"
        for budget in $budgets; do
            for k in $ks; do
                pmi --set budget="$budget" --set k="$k" --set evaluate=true --set out=jsonl >"$tmp/shown"
                least=$(sed -n "${k}p" "$tmp/best")
                jq -r --argjson k "$k" --argjson least "$least" --arg head "$(basename "$file")	$order	$budget	$k" \
                    '[$head, .pearson_shown, "\(.hold)/\(.shown)", ([.top[] | select(.exact >= $least - 1e-9)] | length / $k)] | map(tostring) | join("\t")' "$tmp/shown"
            done
        done
    done
done
