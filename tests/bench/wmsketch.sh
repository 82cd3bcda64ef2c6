#!/usr/bin/env bash
# wmsketch.sh -- learning time against the authors' program, which learns in turn with ours:
#
#   WMSKETCH=…/wmsketch_classification tests/bench/wmsketch.sh rcv1.libsvm [ROUNDS [LEARNER]]
#
# Processor time of one pass from an empty model, reading left out, in ns a feature. A round is one
# pass of theirs and the median of 5 of ours; shown is the median over the rounds of either, and of
# the ratios within a round. 2, 8 and 32 KB are the shapes of the paper's table 2; a counting
# learner has 12 bytes a feature, truncation 8.
set -eu
data=$(realpath "$1") rounds=${2:-5} only=${3:-}
cd "$(dirname "$0")/../.."
export LC_ALL=C
B=${B:-build/release} bench=$B/tests/bench
entries=$(awk '{ n += NF - 1 } END { print n }' "$data")
make -s "$bench"/bench_{awm,wm,baselines,top} "$B/tests/preload/processor_time.so"

theirs() { # METHOD LOG2_WIDTH DEPTH TOPK
    LD_PRELOAD=$PWD/$B/tests/preload/processor_time.so "$WMSKETCH" --train "$data" --method "$1" --log2_width "$2" \
        --depth "$3" --topk "$4" --lr_init 0.1 --l2_reg 1e-6 --seed 1 2>/dev/null |
        awk -v n="$entries" -F'[:,]' '/"train_ms"/ { print 1e6 * $2 / n }'
}
before() { awk -v word="$1" '{ for (i = 2; i <= NF; i++) if ($i == word) { print $(i - 1); exit } }'; }
awm() { "$bench/bench_awm" "$data" $((1024 * $1)) 5 | before ns; }
wm() { "$bench/bench_wm" "$data" 5 $2 | before ns; }
tracked() { "$bench/bench_baselines" "$data" 5 "$2" | grep " $1 KB " | before ns; }
logistic() { "$bench/bench_top" "$data" 8192 5 | sed -n '1s/.*logistic *\([0-9.]*\) ns.*/\1/p'; }

median='{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
middle() { sort -g | awk "$median"; }

# compare NAME KB "THEIR ARGUMENTS" OUR COMMAND…
compare() {
    local name=$1 kb=$2 other=$3 a b t o r
    [[ -z $only || $name == "$only" ]] || return 0
    shift 3
    t='' o='' r=''
    for ((i = 0; i < rounds; i++)); do
        a=$(theirs $other) b=$("$@")
        t+="$a "
        o+="$b "
        r+="$(awk "BEGIN { print $a / $b }") "
    done
    printf '| %s | %s | %.1f | %.1f | %.1f |\n' "$name" "$kb" "$(tr ' ' '\n' <<<"${o% }" | middle)" \
        "$(tr ' ' '\n' <<<"${t% }" | middle)" "$(tr ' ' '\n' <<<"${r% }" | middle)"
}

echo "| learner | KB | ns a feature | theirs | ratio |"
echo "| --- | --- | --- | --- | --- |"
compare awm 2 "activeset_logistic 8 1 128" awm 2
compare awm 8 "activeset_logistic 10 1 512" awm 8
compare awm 32 "activeset_logistic 12 1 2048" awm 32
compare wm 2 "logistic_sketch 7 2 128" wm 2 "128 128 2"
compare wm 8 "logistic_sketch 7 14 128" wm 8 "128 128 14"
compare wm 32 "logistic_sketch 8 31 128" wm 32 "128 256 31"
compare hash 2 "logistic_sketch 9 1 128" wm 2 "128 512 1"
compare hash 8 "logistic_sketch 11 1 128" wm 8 "128 2048 1"
compare hash 32 "logistic_sketch 13 1 128" wm 32 "128 8192 1"
for kb in 2 8 32; do
    compare truncation $kb "truncated_logistic 0 1 $((1024 * kb / 8))" tracked $kb 0
done
for kb in 2 8 32; do
    compare prob_truncation $kb "probtruncated_logistic 0 1 $((1024 * kb / 12))" tracked $kb 2
done
for kb in 2 8 32; do
    compare space_saving $kb "spacesaving_logistic 0 1 $((1024 * kb / 12))" tracked $kb 3
done
compare count_min 2 "countmin_logistic 8 1 85" tracked 2 5
compare count_min 8 "countmin_logistic 10 1 341" tracked 8 5
compare count_min 32 "countmin_logistic 12 1 1365" tracked 32 5
compare logistic - "logistic 10 1 128" logistic
