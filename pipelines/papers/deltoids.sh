#!/usr/bin/env bash
# deltoids.sh -- figure 10 of Tai et al.: Sketching Linear Classifiers over Data Streams, SIGMOD 2018: the share of the
# items with the most different frequencies in two streams that each method finds.
#
#   pipelines/papers/deltoids.sh OUT_DIR
#
# Data: PCAP_A=FILE and PCAP_B=FILE, two captures, to compare addresses; or FLOWS=FILE, a CSV with src, dst, sport,
# dport and proto, to compare UDP with the rest; or else two Zipf streams made from a seed, "STREAMS~". (The paper has
# outbound sources and inbound destinations of a link of an ISP.)
#
# Methods: the AWM-Sketch in 32 KB; pairs of Count-Min sketches in 32 KB and in 8 times as much; the uncompressed model;
# and leat's default, counts with bounds, in 32 KB.
#
# Markdown tables go to standard output; OUT_DIR gets recall.csv (method,log_ratio,seed,items,recall) and recall.svg.
# Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"

SEEDS=${SEEDS:-3}
K=${K:-2048}                  # items to retrieve with each method
MIN_COUNT=${MIN_COUNT:-50}    # items with fewer entries do not count
ENOUGH=${ENOUGH:-20}          # the paper's claims are checked at thresholds with at least this many items above
FULL=${FULL:-}
ITEMS=${ITEMS:-$(full 126000 30000)} UPDATES=${UPDATES:-$(full 4000000 1000000)} # of the stand-in
RATIOS="1 2 3 4 5 6"
METHODS="awm counts count_min count_min_x8 uncompressed"

[[ $# == 1 ]] || usage "OUT_DIR (data by PCAP_A=FILE PCAP_B=FILE, or FLOWS=FILE)"
out=$1
mkdir -p "$out"

if [[ -n ${PCAP_A:-}${PCAP_B:-} ]]; then
    name="two captures"
    input=(--set format=pcap --set a="${PCAP_A:-}" --set b="${PCAP_B:-}" --set attributes=src,dst)
elif [[ -n ${FLOWS:-} ]]; then
    name="flows, UDP against the rest"
    input=(--set data="$FLOWS" --set attributes=src,dst,sport,dport --set cross=2 --set split='proto == "udp"')
else
    name="STREAMS~"
    streams_like "$UPDATES" "$ITEMS" >"$tmp/streams.csv"
    note_standin STREAMS "$tmp/streams.csv"
    input=(--set data="$tmp/streams.csv" --set attributes=item --set split='label > 0')
fi

# recall METHOD SEED LEARNER [ARGUMENTS]: adds to recall.csv.
recall() {
    "$LEAT" run "$here/../compare.lua" --quiet "${input[@]}" --set learner="$3" --set evaluate=true --set out=csv \
        --set retrieve="$K" --set min_count="$MIN_COUNT" --set seed="$2" "${@:4}" 2>"$tmp/log" >"$tmp/report" ||
        { cat "$tmp/log" >&2; return 1; }
    awk -F, -v head="$1" -v seed="$2" 'NF == 6 && $3 ~ /^[1-6]$/ && $6 != "" {
        print head "," $3 "," seed "," $4 "," $6 }' \
        "$tmp/report" >>"$out/recall.csv"
}
echo method,log_ratio,seed,items,recall >"$out/recall.csv"
recall uncompressed 1 exact
for ((seed = 1; seed <= SEEDS; seed++)); do
    recall awm "$seed" awm --set budget=32KB
    recall counts "$seed" contrast --set budget=32KB
    recall count_min "$seed" paired_count_min --set budget=32KB
    recall count_min_x8 "$seed" paired_count_min --set budget=256KB --set active="$K"
done

# least METHOD OTHER: prints the least ratio of their mean recalls over the thresholds with enough items.
least() {
    awk -F, -v a="$1" -v b="$2" -v enough="$ENOUGH" '
        NR > 1 && $4 >= enough { sum[$1, $2] += $5; n[$1, $2]++ }
        END {
            for (t = 1; t <= 6; t++) if (sum[b, t] > 0) {
                r = sum[a, t] / n[a, t] / (sum[b, t] / n[b, t])
                if (low == "" || r < low) low = r
            }
            print low
        }' "$out/recall.csv"
}
{
    echo "recall over paired Count-Min,over 4,$(least awm count_min),$(least counts count_min),4"
    echo "recall over paired Count-Min of 8 times the memory,more than 1,$(least awm count_min_x8),$(least counts \
        count_min_x8),1"
    echo "recall over the uncompressed model,about 1,$(least awm uncompressed),$(least counts uncompressed),0.9"
} | floors "What the paper says of deltoids (figure 10), the least of all thresholds with $ENOUGH items, $name"
awk -F, 'NR > 1 { print $1 "," $2 "," $5 }' "$out/recall.csv" >"$tmp/recall"
table "Recall of items with |log ratio| of … and more, $name (figure 10)" method "$METHODS" "$RATIOS" <"$tmp/recall"
plot "$out/recall.svg" "Recall by |log ratio|, $name" "|log ratio| at least" recall "$METHODS" "$RATIOS" <"$tmp/recall"
