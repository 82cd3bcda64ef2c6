#!/usr/bin/env bash
# Is the plan of `leat check` a bound, and how near is it? RECORDS (4,400,000, which fill every table) records of two
# ever-new names each go through every learner and every other stage with a max_features, as `leat plugins` lists them,
# those that grow
# first. FEATURES sets max_features; without it the defaults hold. Prints the plan's total, the peak of the resident
# memory, their ratio and what a stage says when it is full; ends with 1 if a ratio is above 1.1, or if a stage that is
# full does not say
# so. Learners of all pairs of features, whose time is their square, get 1,100 records and 1,024 features. Products keep
# pairs, too, which new names alone do not bring: theirs come again (RETURN=0: they do not), and eval.product, which
# keeps all records up to max_kept, gets at most 4,190,000. STAGES: these alone, in this order.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
B=${B:-build/release} RECORDS=${RECORDS:-4400000} PAIRS_MAX=8192 KEPT=4190000 RETURN=${RETURN:-1}
LEAT=${LEAT:-$B/bin/leat}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Names and default max_features (0: the stage has none).
"$LEAT" plugins --json | jq -r '[.[] | ((.params | map(select(.name == "max_features"))[0].default // 0) |
    tonumber) as $max |
    select(.kind == "learner" or $max > 0) | {name, $max}] | sort_by(-.max) | .[] | "\(.name) \(.max)"' >"$tmp/stages"

failed=0
echo "| stage | records | plan | peak | peak / plan | it says |"
echo "| --- | --- | --- | --- | --- | --- |"
for stage in ${STAGES:-$(cut -d' ' -f1 "$tmp/stages")}; do
    max=$(awk -v stage="$stage" '$1 == stage { print $2 }' "$tmp/stages")
    args=(tests/bench/pipelines/memory.lua --set stage="$stage" --set data="$tmp/data")
    records=$RECORDS names=$RECORDS
    if [[ $max -gt 0 && $max -le $PAIRS_MAX ]]; then
        max=1024 records=1100
    elif [[ $max -gt 0 ]]; then
        max=${FEATURES:-$max}
    fi
    [[ $stage != eval.product || $records -le $KEPT ]] || records=$KEPT
    # all that the table holds, and some that are ignored
    [[ $stage != *.product || $RETURN == 0 ]] || names=$((max + max / 8))
    [[ $max -eq 0 ]] || args+=(--set max_features="$max")

    [[ "$records $names" == "${made:-}" ]] || "$B/tests/bench/new_names" "$records" "$names" >"$tmp/data"
    made="$records $names"
    /usr/bin/time -f %M -o "$tmp/peak" "$LEAT" run "${args[@]}" --progress never >/dev/null 2>"$tmp/log" ||
        { cat "$tmp/log" >&2; exit 1; }
    plan=$("$LEAT" check "${args[@]}" --json | jq '.plan.bytes / 1048576')
    said=$(grep -om1 'max_features is reached at [0-9]* features' "$tmp/log") || true
    awk -v stage="$stage" -v records="$records" -v plan="$plan" -v said="${said:--}" \
        -v full="$((max && records > max))" '{
        peak = $1 / 1024
        printf "| %s | %d | %.1f MB | %.1f MB | %.2f | %s |\n", stage, records, plan, peak, peak / plan, said
        exit peak > 1.1 * plan || full && said == "-" }' "$tmp/peak" || failed=1
done
exit $failed
