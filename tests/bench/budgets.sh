#!/usr/bin/env bash
# How well do learners predict in few bytes? Progressive error in percent and log loss of one pass over libsvm files:
# the median of SEEDS seeds for each budget, and Vowpal Wabbit's default learner with four times the bytes (16 a
# weight).
#   tests/bench/budgets.sh FILE.libsvm[.zst] …
# Vowpal Wabbit comes from a Python that has the module vowpalwabbit (PYTHON=…); without one its columns are left out.
set -eu
leat=${LEAT:-build/leat} seeds=${SEEDS:-10} budgets=${BUDGETS:-2KB 8KB 32KB} python=${PYTHON:-python3}
learners=${LEARNERS:-awm awm:shared truncation truncation:shared wm wm:shared hash hash:shared}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# figures DATA BUDGET SEED LEARNER[:RATES]: error in percent, log loss
figures() {
    local rates=${4#*:}
    "$leat" run tests/bench/pipelines/budgets.lua --quiet --set data="$1" --set budget="$2" --set seed="$3" \
        --set learner="${4%:*}" $([[ $4 != *:* ]] || echo --set "rates=$rates") --summary "$tmp/s.json"
    jq -r '.stages[] | select(.id == "model").metrics | [100 * .error_rate, .log_loss] | @tsv' "$tmp/s.json"
}
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

cat >"$tmp/vw.py" <<'PYTHON'
import math, sys
import vowpalwabbit
bits = int(math.log2(int(sys.argv[1]) / 16))
vw = vowpalwabbit.Workspace(f"--loss_function logistic -b {bits} --quiet")
n = wrong = 0
loss = 0.0
for line in sys.stdin:
    label, _, rest = line.strip().partition(" ")
    y = 1 if float(label) > 0 else -1
    example = vw.parse(f"{y} | {rest}")
    vw.learn(example)
    z = y * example.get_partial_prediction()
    vw.finish_example(example)
    n, wrong = n + 1, wrong + (z <= 0)
    loss += math.log1p(math.exp(-z)) if z > -30 else -z
print(f"{100 * wrong / n}\t{loss / n}")
PYTHON
has_vw=true
"$python" -c 'import vowpalwabbit' 2>/dev/null || { has_vw=false &&
    echo "budgets.sh: no Vowpal Wabbit here: PYTHON=… names a Python that has it" >&2; }
vw() { case $1 in *.zst) zstd -dc "$1" ;; *) cat "$1" ;; esac | "$python" "$tmp/vw.py" "$2"; }
bytes() { numfmt --from=iec "${1%B}"; }

printf 'data\tbudget\tlearner\terror\tlog loss\n'
for data in "$@"; do
    for budget in $budgets; do
        for learner in $learners; do
            for seed in $(seq "$seeds"); do figures "$data" "$budget" "$seed" "$learner"; done >"$tmp/all"
            printf '%s\t%s\t%s\t%.2f\t%.4f\n' "$(basename "$data")" "$budget" "$learner" "$(cut -f1 "$tmp/all" |
                median)" "$(cut -f2 "$tmp/all" | median)"
        done
        ! $has_vw || printf '%s\t%s\tVowpal Wabbit, four times the bytes\t%.2f\t%.4f\n' "$(basename "$data")" \
            "$budget" $(vw "$data" $((4 * $(bytes "$budget"))))
    done
    printf '%s\t-\tlogistic\t%.2f\t%.4f\n' "$(basename "$data")" $(figures "$data" 32KB 1 logistic)
    ! $has_vw || printf '%s\t16MB\tVowpal Wabbit\t%.2f\t%.4f\n' "$(basename "$data")" $(vw "$data" $((16 << 20)))
done
