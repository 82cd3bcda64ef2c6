#!/usr/bin/env bash
# Prints, as a Markdown table, every figure the project promises; see README.md beside this file.
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C
LEAT=${B:-build/release}/bin/leat RUNS=${RUNS:-5} here=tests/bench/pipelines
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
calc() { awk "BEGIN { printf \"$1\", $2 }"; }
row() { printf '| %s | %s | %s |\n' "$1" "$2" "$3"; }
one_core() { taskset -c 0 "$@"; }
seconds() { "$@" --quiet --summary "$tmp/s.json" >/dev/null && jq .seconds "$tmp/s.json"; }
peak_kb() { /usr/bin/time -f %M -o "$tmp/time" "$@" --quiet >/dev/null 2>&1 && tail -1 "$tmp/time"; }
many() { for _ in $(seq "$RUNS"); do "$@"; done | median; }

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2), $(nproc) cores; median of $RUNS runs"
echo
row figure value target
row --- --- ---

s=$(many seconds "$LEAT" run $here/null.lua --set records=50000000)
row "host overhead, null source to null sink, batches of 1024" "$(calc '%.1f ns a record' "$s / 50e6 * 1e9")" "< 10 ns"

demo=$(peak_kb "$LEAT" run pipelines/explain.lua)
row "resident memory of the demo" "$(calc '%.1f MB' "$demo / 1024")" "< 64 MB"
few=$(peak_kb "$LEAT" run $here/names.lua --set records=1000000)
lots=$(peak_kb "$LEAT" run $here/names.lua --set records=20000000)
row "resident memory, 20 M against 1 M records of ever-new names" "$(calc '%.2f MB against %.2f MB, %+.2f %%' \
    "$lots / 1024, $few / 1024, ($lots / $few - 1) * 100")" "± 2 %"

if [[ -n ${RCV1:-} ]]; then
    bytes=$(stat -c %s "$RCV1") rows=$(wc -l <"$RCV1") times=40
    s=$(many seconds one_core "$LEAT" run $here/parse.lua --set data="$RCV1" --set times=$times --set threads=1)
    row "libsvm text, source to parser to null, one core" "$(calc '%.0f MB/s' "$bytes * $times / $s / 1e6")" \
        ">= 1,000 MB/s"
    s=$(many seconds "$LEAT" run $here/parse.lua --set data="$RCV1" --set times=$times)
    row "the same with the source in a thread of its own" "$(calc '%.0f MB/s' "$bytes * $times / $s / 1e6")" ""
fi

if [[ -n ${RCV1:-} && -n ${WMSKETCH:-} ]]; then
    times=10
    for _ in $(seq $times); do cat "$RCV1"; done >"$tmp/long.svm"
    total=$((rows * times))
    theirs() { # whole program, wall seconds
        /usr/bin/time -f %e -o "$tmp/time" "$WMSKETCH" --train "$1" --method activeset_logistic --log2_width 12 \
            --depth 1 \
            --topk 2048 --lr_init 0.1 --l2_reg 1e-6 --seed "$2" >"$tmp/theirs.json" 2>"$tmp/log" && tail -1 "$tmp/time"
    }
    ours() { # whole program too
        local threads=$1
        shift
        /usr/bin/time -f %e -o "$tmp/time" "$@" "$LEAT" run $here/awm.lua --set data="$tmp/long.svm" \
            --set threads="$threads" --quiet >/dev/null && tail -1 "$tmp/time"
    }
    for _ in $(seq "$RUNS"); do # in turn, so that both see the same machine
        theirs "$tmp/long.svm" 1 >>"$tmp/t_theirs"
        ours 3 env >>"$tmp/t_ours"
        ours 1 taskset -c 0 >>"$tmp/t_one"
    done
    a=$(median <"$tmp/t_theirs") b=$(median <"$tmp/t_ours") c=$(median <"$tmp/t_one")
    row "libsvm to AWM 32 KB to null, whole program" "$(calc '%.2f M rows/s' "$total / $b / 1e6")" ""
    row "the same on one core" "$(calc '%.2f M rows/s' "$total / $c / 1e6")" ""
    row "the authors' program, same file, same run" "$(calc '%.3f M rows/s' "$total / $a / 1e6")" ""
    row "ratio" "$(calc '%.1f (one core: %.1f)' "$a / $b, $a / $c")" ">= 10"
    for budget in "32KB 12 2048" "8KB 10 512" "2KB 8 128"; do
        read -r size width top <<<"$budget"
        : >"$tmp/e_ours" && : >"$tmp/e_theirs"
        for seed in $(seq 10); do
            "$LEAT" run $here/awm.lua --set data="$RCV1" --set seed="$seed" --set budget="$size" \
                --quiet --summary "$tmp/s.json"
            jq '.stages[] | select(.id == "model").metrics.error_rate * 100' "$tmp/s.json" >>"$tmp/e_ours"
            "$WMSKETCH" --train "$RCV1" --method activeset_logistic --log2_width "$width" --depth 1 --topk "$top" \
                --lr_init 0.1 --l2_reg 1e-6 --seed "$seed" >"$tmp/theirs.json" 2>"$tmp/log"
            jq '.. | .train_err_rate? // empty | . * 100' "$tmp/theirs.json" | head -1 >>"$tmp/e_theirs"
        done
        row "online error at $size, median of 10 seeds" "$(calc '%.3f %%; the authors: %.3f %%' "$(median \
            <"$tmp/e_ours"), $(median <"$tmp/e_theirs")")" "no worse"
    done
fi
