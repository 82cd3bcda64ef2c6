#!/usr/bin/env bash
# Relative deltoids: which share of the items whose frequencies differ most between two streams does a
# model of some size find? Prints a Markdown table; see README.md beside this file.
#   FLOWS=flows.csv[.zst]  also Zeek connection events (columns src, dst, sport, dport, proto)
#   SEEDS=3                streams generated; medians are printed
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C
B=${B:-build/release} SEEDS=${SEEDS:-3}
LEAT=$B/bin/leat
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
# recalls ARGS… : recall at |log ratio| >= 1, 2, 3, 4, a line
recalls() { "$LEAT" run pipelines/compare.lua --quiet --set evaluate=true --set out=csv "$@" |
    awk -F, 'NF == 6 && $3 >= 1 && $3 <= 4 { printf "%s ", $6 } END { print "" }'; }
row() {
    local what=$1 k
    shift
    printf '| %s |' "$what"
    for k in 1 2 3 4; do printf ' %.3f |' "$(cut -d' ' -f$k "$tmp/recall" | median)"; done
    echo
}
zipf() { # what ARGS… : over all seeds
    local what=$1
    shift
    for s in $(seq "$SEEDS"); do
        recalls --set data="$tmp/${order:-zipf}$s.csv" --set attributes=item --set split='label > 0' --set seed="$s" \
            "$@"
    done >"$tmp/recall"
    row "$what"
}
flows() {
    local what=$1
    shift
    recalls --set data="$FLOWS" --set attributes=src,dst,sport,dport --set cross=2 --set split='proto == "udp"' "$@" \
        >"$tmp/recall"
    row "$what"
}
heading() { printf '\n%s\n\n| model | recall at 1 | at 2 | at 3 | at 4 |\n|---|---|---|---|---|\n' "$1"; }

for s in $(seq "$SEEDS"); do
    "$B/tests/bench/zipf_streams" 4000000 126000 "$s" >"$tmp/zipf$s.csv"
    { head -1 "$tmp/zipf$s.csv" && tail -n +2 "$tmp/zipf$s.csv" | sort -s -t, -k2,2r; } >"$tmp/a_first$s.csv"
    { head -1 "$tmp/zipf$s.csv" && tail -n +2 "$tmp/zipf$s.csv" | sort -s -t, -k2,2; } >"$tmp/b_first$s.csv"
done
for m in 20 50 100; do
    heading "Zipf streams, 4 M updates, 126,000 items; items seen $m times or more, 2048 retrieved; median of $SEEDS streams"
    zipf "AWM, 32 KB" --set min_count=$m --set learner=awm
    zipf "AWM, 32 KB, with counts" --set min_count=$m --set learner=awm --set counts=true
    zipf "counts with bounds, 32 KB" --set min_count=$m --set budget=32KB
    for order in zipf a_first b_first; do zipf "counts with bounds, 1 MB, $order" --set min_count=$m \
        --set retrieve=100000; done
    order=zipf
    zipf "paired Count-Min, 32 KB" --set min_count=$m --set learner=paired_count_min
    zipf "paired Count-Min, 256 KB" --set min_count=$m --set learner=paired_count_min --set budget=256KB \
        --set active=2048
    zipf "uncompressed" --set min_count=$m --set learner=exact
done
if [[ -n ${FLOWS:-} ]]; then
    heading "Zeek events, UDP against the rest; pairs of src, dst, sport, dport seen 50 times or more, 2048 retrieved"
    for size in 8 16 32; do
        flows "AWM, $size KB" --set budget=${size}KB --set learner=awm
        flows "counts with bounds, $size KB" --set budget=${size}KB
        flows "paired Count-Min, $size KB" --set budget=${size}KB --set learner=paired_count_min
        flows "paired Count-Min, $((8 * size)) KB" --set budget=$((8 * size))KB --set learner=paired_count_min
    done
    flows "uncompressed" --set learner=exact
fi
