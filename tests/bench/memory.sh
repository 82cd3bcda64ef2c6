#!/usr/bin/env bash
# Is the plan of `leat check` a bound? RECORDS (2,000,000) records of two ever-new names each go through every learner and
# every other stage with a max_features, as `leat plugins` lists them; FEATURES sets max_features, without it the defaults
# hold. Prints the plan's total, the peak of the resident memory and their ratio; ends with 1 if one is above 1.1. Learners
# of all pairs of features, whose time is their square, get 1,100 records and 2,048 features. STAGES: these alone.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
LEAT=${LEAT:-${B:-build/release}/bin/leat} RECORDS=${RECORDS:-2000000} PAIRS_MAX=8192
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

records() { # FROM N
    awk -v from="$1" -v n="$2" 'BEGIN { for (i = from; i < from + n; i++) printf "%s,n%d n%d\n", i % 2 ? "1" : "-1", 2 * i, 2 * i + 1 }'
}
records 0 1100 >"$tmp/few"
[[ $RECORDS -gt 10000000 ]] || records 0 "$RECORDS" >"$tmp/all"

# Names and default max_features (0: the stage has none).
"$LEAT" plugins --json | jq -r '.[] | (.params | map(select(.name == "max_features"))[0].default // 0) as $max |
    select(.kind == "learner" or ($max | tonumber) > 0) | "\(.name) \($max)"' >"$tmp/stages"

failed=0
echo "| stage | plan | peak | peak / plan |"
echo "| --- | --- | --- | --- |"
while read -r stage max; do
    [[ " ${STAGES:-$stage} " == *" $stage "* ]] || continue
    args=(tests/bench/pipelines/memory.lua --set stage="$stage" --set data="$tmp/all")
    if [[ $max -gt 0 && $max -le $PAIRS_MAX ]]; then
        args=(tests/bench/pipelines/memory.lua --set stage="$stage" --set data="$tmp/few" --set max_features=2048)
    elif [[ $max -gt 0 && -n ${FEATURES:-} ]]; then
        args+=(--set max_features="$FEATURES")
    fi

    if [[ ! -e $tmp/all && $max -gt $PAIRS_MAX ]]; then # too many for a file
        args=("${args[@]/data=$tmp\/all/data=-}")
        records 0 "$RECORDS" | /usr/bin/time -f %M -o "$tmp/peak" "$LEAT" run "${args[@]}" --quiet >/dev/null
    else
        /usr/bin/time -f %M -o "$tmp/peak" "$LEAT" run "${args[@]}" --quiet >/dev/null
    fi
    plan=$("$LEAT" check "${args[@]}" --json | jq '.plan.bytes / 1048576')
    awk -v stage="$stage" -v plan="$plan" '{ peak = $1 / 1024; printf "| %s | %.1f MB | %.1f MB | %.2f |\n", stage, plan, peak, peak / plan
        exit peak > 1.1 * plan }' "$tmp/peak" || failed=1
done <"$tmp/stages"
exit $failed
