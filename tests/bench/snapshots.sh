#!/usr/bin/env bash
# What snapshots cost: an AWM-Sketch of 32 KB, and one of 128 MB, half of which are cells and fill, the other half room for
# features by name, learn RCV1=FILE (libsvm) with a snapshot every second and without, in turn; medians of RUNS. The stall
# is the longest that any thread stood still for a snapshot in a run, CPU the processor's time of the whole program.
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C
B=${B:-build/release} RUNS=${RUNS:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
learn() { # BUDGET TIMES [OPTIONS]: its summary
    local budget=$1 times=$2
    shift 2
    rm -rf "$tmp/state"
    /usr/bin/time -f '%U %S' -o "$tmp/time" "$B/bin/leat" run tests/bench/pipelines/awm.lua --set data="$RCV1" --set times=$times --set budget=$budget --quiet --summary "$tmp/s.json" "$@" >/dev/null
}

cpu() { awk '{ print $1 + $2 }' "$tmp/time"; }

echo "| model | snapshot | throughput with against without | CPU with against without | longest stall | a copy of it | longest write |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for model in "32KB 120" "128MB 90"; do
    set -- $model
    rm -f "$tmp"/t_*
    for _ in $(seq "$RUNS"); do
        learn $1 $2
        plain=$(jq .seconds "$tmp/s.json") plain_cpu=$(cpu)
        learn $1 $2 --state "$tmp/state" --every 1s
        jq --argjson plain "$plain" '$plain / .seconds' "$tmp/s.json" >>"$tmp/t_ratio"
        awk -v a="$(cpu)" -v b="$plain_cpu" 'BEGIN { print a / b }' >>"$tmp/t_cpu"
        jq '.snapshots.longest_stall * 1e3' "$tmp/s.json" >>"$tmp/t_stall"
        jq '.snapshots.longest_write * 1e3' "$tmp/s.json" >>"$tmp/t_write"
        jq .snapshots.bytes "$tmp/s.json" >"$tmp/bytes"
        "$B/tests/bench/bench_copy" "$(cat "$tmp/bytes")" >>"$tmp/t_copy"
    done
    printf '| %s | %.2f MB | %.3f | %.3f | %.2f ms | %.3f ms | %.1f ms |\n' $1 "$(jq '. / 1e6' "$tmp/bytes")" \
        "$(median <"$tmp/t_ratio")" "$(median <"$tmp/t_cpu")" "$(median <"$tmp/t_stall")" "$(median <"$tmp/t_copy")" "$(median <"$tmp/t_write")"
done
