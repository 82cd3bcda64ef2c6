# Bad and odd input, for every learner that `leat plugins` names: a clear error, or what is stated.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

"$LEAT" plugins --json >plugins.json
mapfile -t learners < <(jq -r '.[] | select(.kind == "learner").name' plugins.json)
params() { jq -r --arg l "$1" ".[] | select(.name == \$l).params[] | select($2)$3" plugins.json; }
has() { [[ -n $(params "$1" ".name == \"$2\"" .name) ]]; }
needs_labels() { jq -e --arg l "$1" '.[] | select(.name == $l) | .needs | index("labels")' plugins.json >/dev/null; }
numbers_are_finite() { ! grep -qiE '[^a-z](nan|inf)' "$out"; }
rows() { jq -r '.top | length' "$out"; }
# Two examples a record, and no labels: its ids are parted.
two_sided() { [[ $1 == learn.product ]]; }

# script LEARNER PARAM=VALUE…: into s.lua; data and number of rows asked for come with --set
script() {
    local name=$1 p
    shift
    {
        echo 'local leat = require "leat"'
        echo 'return leat.pipeline "p" {'
        echo '  leat.source.file { path = leat.args.data }, leat.args.csv and {'
        echo '    leat.parse.csv {}, leat.map(function(y) return y end, { "y:number" }, { "@label" }),'
        echo '    leat.feature.columns { "a", "b" },'
        echo '  } or leat.parse.libsvm {},'
        if two_sided "$name"; then echo '  leat.feature.sides { below = 1000 },'; fi
        echo "  leat.$name { id = \"model\","
        for p in "$@"; do echo "    $(sed 's/=/ = "/; s/$/",/' <<<"$p")"; done
        echo '  },'
        echo '  leat.sink.top { k = leat.args.k or 50, format = "jsonl" }, max_reject_ratio = 1,'
        echo '}'
    } >s.lua
}
run() { leat_run run s.lua --quiet --summary s.json "$@"; }

awk 'BEGIN { srand(3); for (i = 0; i < 3000; i++) { printf "%s", i % 3 ? "-1" : "+1"
    for (j = 0; j < 5; j++) printf " %d:%d", 1 + 400 * j + int(rand() * 400), 1 + int(rand() * 3); print "" } }' >good.svm
head -100 good.svm >few.svm
sed 's/^-1/+1/' good.svm >positive.svm
awk '{ print $1; print $1 " 7:0 9:0 12:-0" }' good.svm >zero.svm
printf '+1 1:3e38 2:-3e38\n-1 1:3e38 3:3e38\n+1 2:1e-38 3:-3e38\n' >large.svm
for _ in 1 2 3 4 5 6 7; do cat large.svm large.svm >l2.svm && mv l2.svm large.svm; done
: >empty.svm
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 1000; i++) print i % 17 "," i % 5 "," (i % 10 ? i % 3 - 1 : 3) }' >label.csv
# As many features as a learner keeps by name, where it says: fewer than the file has.
small() { for p in active slots features; do has "$1" $p && { echo $p=8; return; }; done; }

for l in "${learners[@]}"; do
    examples=1
    if two_sided "$l"; then examples=2; fi
    # ---- streams ----
    script "$l"
    run --set data=good.svm
    claim_exit "$l learns" 0
    claim "$l: each example is learned" equal "$(stage model examples)" $((3000 * examples))
    run --set data=positive.svm
    claim_exit "$l: a stream of one class is no error" 0
    claim "$l: and makes no number that is none" numbers_are_finite
    run --set data=zero.svm
    claim_exit "$l: rows without entries, or of zeros, are no error" 0
    claim "$l: they count as examples" equal "$(stage model examples)" $((6000 * examples))
    claim "$l: and make no number that is none" numbers_are_finite
    run --set data=large.svm
    claim "$l: the largest values are learned from, or rejected" sh -c "[ $status = 0 ] || grep -q 'every one of 384 records was rejected' '$err'"
    claim "$l: and make no number that is none" numbers_are_finite
    run --set data=empty.svm
    claim_exit "$l: no records are no error" 0
    claim "$l: and give no rows" equal "$(rows)" 0
    if needs_labels "$l"; then
        has "$l" min && script "$l" loss=logistic # by default they take any number
        run --set data=label.csv --set csv=1
        claim_exit "$l: labels outside the two classes do not end a run" 0
        claim "$l: their records are rejected" equal "$(stage model rejected) $(stage model examples)" "100 900"
    fi

    # ---- answers ----
    if [[ -n $(small "$l") ]]; then
        script "$l" "$(small "$l")"
        run --set data=good.svm --set k=1000000
        claim_exit "$l: more rows may be asked for than it keeps" 0
        claim "$l: it gives those it has" equal "$(rows)" 8
    fi

    # ---- parameters ----
    if has "$l" budget; then
        script "$l" budget=3
        run --set data=good.svm
        claim_exit "$l: a budget for nothing is a configuration error" 2
        claim_says "$l: by name" "budget"
    fi
    while read -r name least most; do
        for value in $least $most; do
            script "$l" "$name=$value"
            leat_run check s.lua --set data=good.svm
            claim "$l: $name = $value is a plan, or a configuration error by name" \
                sh -c "[ $status = 0 ] || { [ $status = 2 ] && grep -qE '$name|budget|cells' '$err'; }"
        done
        script "$l" "$name=$least"
        run --set data=few.svm
        claim "$l: with $name = $least it runs, or says why not" \
            sh -c "[ $status = 0 ] || [ $status = 2 ] || grep -q 'every one of 100 records was rejected' '$err'"
    done < <(params "$l" '.min != null and .max != null' ' | "\(.name) \(.min) \(.max)"')
    if has "$l" width && has "$l" depth; then
        read -r width < <(params "$l" '.name == "width"' .max)
        read -r depth < <(params "$l" '.name == "depth"' .max)
        script "$l" "width=$width" "depth=$depth"
        leat_run check s.lua --set data=good.svm
        claim_exit "$l: cells beyond counting are a configuration error" 2
        claim_says "$l: by name" "cells"
    fi
done
claim "there are learners" below 5 "${#learners[@]}"
