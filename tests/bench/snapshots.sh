#!/usr/bin/env bash
# What snapshots cost: learning with one every second and without, in turn; medians of RUNS. RCV1=FILE (libsvm) goes
# into an AWM-Sketch of 32 KB and into one of 128 MB, most of whose cells it leaves zero; 24 million features drawn at
# random fill
# the cells, the active set and the names of another of 128 MB. The stall is the longest that any thread stood still for
# a snapshot in a run, CPU the processor's time of the whole program, a copy that of the cells, or of a snapshot that is
# larger.
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C
B=${B:-build/release} RUNS=${RUNS:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
learn() { # DATA BUDGET TIMES [OPTIONS]: its summary
    local data=$1 budget=$2 times=$3
    shift 3
    rm -rf "$tmp/state"
    /usr/bin/time -f '%U %S' -o "$tmp/time" "$B/bin/leat" run tests/bench/pipelines/awm.lua --set data="$data" \
        --set times=$times --set budget=$budget --quiet --summary "$tmp/s.json" "$@" >/dev/null
}

cpu() { awk '{ print $1 + $2 }' "$tmp/time"; }

make -s "$B/tests/bench/bench_copy"
awk 'BEGIN { srand(7); for (i = 0; i < 600000; i++) { line = rand() < .5 ? "+1" : "-1"
    for (j = 0; j < 40; j++) line = line " " 1 + int(2147483646 * rand()) ":1"
    print line } }' >"$tmp/random"

echo "| model | snapshot | throughput with against without | CPU with against without | longest stall | a copy | longest write |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for model in "$RCV1 32KB 240 16384" "$RCV1 128MB 180 67108864" "$tmp/random 128MB 1 67108864"; do
    set -- $model
    rm -f "$tmp"/t_*
    for _ in $(seq "$RUNS"); do
        learn $1 $2 $3
        plain=$(jq .seconds "$tmp/s.json") plain_cpu=$(cpu)
        learn $1 $2 $3 --state "$tmp/state" --every 1s
        jq --argjson plain "$plain" '$plain / .seconds' "$tmp/s.json" >>"$tmp/t_ratio"
        awk -v a="$(cpu)" -v b="$plain_cpu" 'BEGIN { print a / b }' >>"$tmp/t_cpu"
        jq '.snapshots.longest_stall * 1e3' "$tmp/s.json" >>"$tmp/t_stall"
        jq '.snapshots.longest_write * 1e3' "$tmp/s.json" >>"$tmp/t_write"
        jq .snapshots.bytes "$tmp/s.json" >"$tmp/bytes"
        "$B/tests/bench/bench_copy" "$(jq --argjson cells "$4" '[., $cells] | max' "$tmp/bytes")" >>"$tmp/t_copy"
    done
    printf '| %s | %.2f MB | %.3f | %.3f | %.2f ms | %.3f ms | %.1f ms |\n' "$2, ${1##*/}" "$(jq '. / 1e6' \
        "$tmp/bytes")" \
        "$(median <"$tmp/t_ratio")" "$(median <"$tmp/t_cpu")" "$(median <"$tmp/t_stall")" "$(median <"$tmp/t_copy")" \
        "$(median <"$tmp/t_write")"
done
