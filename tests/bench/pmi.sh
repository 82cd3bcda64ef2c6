#!/usr/bin/env bash
# Streaming PMI by the AWM-Sketch (mode=awm; of mode=counts: pmi_bounds.sh): speed, memory and agreement with exact
# counts, beside the authors' program.
#   DATA          a text, one sentence a line, tokens apart by blanks, not compressed
#   WMSKETCH_PMI  the program wmsketch_pmi of the authors of the AWM-Sketch; without it only ours runs
#   RUNS          repetitions (default 3); medians are printed. Runs take turns, so both see the same machine.
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C
LEAT=${B:-build/release}/bin/leat RUNS=${RUNS:-3}
[[ -n ${DATA:-} ]] || { echo "pmi.sh: DATA names no file" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
calc() { awk "BEGIN { printf \"$1\", $2 }"; }
timed() { /usr/bin/time -f '%e %M' -o "$tmp/time" "$@"; }
ours() { # negatives, seed
    timed "$LEAT" run pipelines/pairs.lua --set mode=awm --set rule=whitespace --set data="$DATA" --set lower=true \
        --set negatives="$1" --set seed="$2" --quiet >/dev/null
    tail -1 "$tmp/time" >>"$tmp/ours$1"
}
theirs() { # seed
    timed "$WMSKETCH_PMI" --data "$DATA" --log2_width 16 --topk 1024 --neg_samples 5 --seed "$1" >"$tmp/theirs.$1" \
        2>"$tmp/log"
    tail -1 "$tmp/time" >>"$tmp/theirs"
}

# Estimates of the authors' pairs against exact counts; each line: tokens u, v and estimate, apart by tabs.
judge() { awk -v pairs="$1" '
    BEGIN { FS = "\t"; while ((getline < pairs) > 0) { w[$1 " " $2] = $3 }; FS = " " }
    { $0 = tolower($0); N += NF
      for (i = 1; i <= NF; i++) { n[$i]++
        for (j = i + 1; j <= NF && j - i < 6; j++) { M++; if (($i " " $j) in w) c[$i " " $j]++ } } }
    END { for (k in c) { split(k, t, " "); x = w[k]; y = log(c[k] / M / (n[t[1]] / N * n[t[2]] / N)); m++
            a += x; b += y; aa += x * x; bb += y * y; ab += x * y; d = x - y; print d < 0 ? -d : d }
          printf "%.3f\n", (ab - a * b / m) / sqrt((aa - a * a / m) * (bb - b * b / m)) >"/dev/stderr" }' "$DATA"; }

for run in $(seq "$RUNS"); do
    ours 5 "$run"
    ours 2 "$run"
    [[ -z ${WMSKETCH_PMI:-} ]] || theirs "$run"
done
for run in $(seq "$RUNS"); do
    for negatives in 2 5; do
        "$LEAT" run pipelines/pairs.lua --set mode=awm --set rule=whitespace --set min_count=1 --set data="$DATA" \
            --set lower=true --set negatives=$negatives --set seed="$run" \
            --set evaluate=true --set out=jsonl --quiet >"$tmp/compared"
        jq .pearson "$tmp/compared" >>"$tmp/pearson$negatives"
        jq .median_absolute_error "$tmp/compared" >>"$tmp/error$negatives"
    done
    if [[ -n ${WMSKETCH_PMI:-} ]]; then
        jq -r '.results | [.tokens, .weights] | transpose[] | [.[0][0], .[0][1], .[1]] | @tsv' "$tmp/theirs.$run" \
            >"$tmp/pairs"
        judge "$tmp/pairs" 2>>"$tmp/pearson" | median >>"$tmp/error"
    fi
done

tokens=$(wc -w <"$DATA")
column() { cut -d' ' -f"$2" "$tmp/$1" | median; }
report() { # name, file of times, suffix of figures
    printf '| %s | %s | %s | %.3f | %.3f | %s |\n' "$1" "$(calc '%.0f k' "$tokens / $(column "$2" 1) / 1e3")" \
        "$(calc '%.1f MB' "$(column "$2" 2) / 1024")" "$(median <"$tmp/pearson$3")" "$(median <"$tmp/error$3")" "$4"
}
ratio() { [[ -n ${WMSKETCH_PMI:-} ]] && calc '%.1f' "$(column theirs 1) / $(column "$1" 1)" || echo -; }
echo "$(nproc) cores, $tokens tokens; window 6, reservoir 4000, heap 1024, width 2^16; median of $RUNS seeds"
echo
echo '| program | tokens/s | resident memory | Pearson with exact PMI | median absolute error | speed ratio |'
echo '|---|---|---|---|---|---|'
[[ -z ${WMSKETCH_PMI:-} ]] || report "authors, 5 negatives" theirs "" 1
report "pairs.lua, 5 negatives" ours5 5 "$(ratio ours5)"
report "pairs.lua, 2 negatives (its default)" ours2 2 "$(ratio ours2)"
