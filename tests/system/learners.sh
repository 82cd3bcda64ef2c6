# Bad and odd input, for every learner that `leat plugins` lists: a clear error, or the documented result.
#
# All learners take a stream in one run, each in its own branch; so do all extremes of one learner's parameters.
# tier: long (21 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# ---- what there is ----

"$LEAT" plugins --json >plugins.json
declare -A param labelled
learners=() ranges=() # ranges: "learner parameter min max"
while IFS=$'\t' read -r l name least most needs; do
    [[ " ${learners[*]} " == *" $l "* ]] || learners+=("$l")
    param[$l.$name]=1 labelled[$l]=$needs
    [[ $least == null || $most == null ]] || ranges+=("$l $name $least $most")
done < <(jq -r '.[] | select(.kind == "learner") | .name as $l | (.needs | index("labels") != null) as $y |
    .params[] | [$l, .name, (.min | tostring), (.max | tostring), $y] | @tsv' plugins.json)
has() { [[ -n ${param[$1.$2]:-} ]]; }
# Two examples a record, and no labels: its ids are parted.
examples() { [[ $1 == learn.product ]] && echo 2 || echo 1; }
claim "there are learners" below 5 "${#learners[@]}"

# ---- scripts and runs ----

# From lines "id learner parameter=value…": s.lua, which has a branch for each, on a line of its own.
# The file to read, how many rows to show, after how many records the others are held out and whether it
# is CSV come with --set.
script() {
    awk '
        BEGIN {
            print "local leat = require \"leat\""
            print "return leat.pipeline \"p\" {"
            print "  leat.source.file { path = leat.args.data }, leat.args.csv and {"
            print "    leat.parse.csv {}, leat.map(function(y) return y end, { \"y:number\" }, { \"@label\" }),"
            print "    leat.feature.columns { \"a\", \"b\" },"
            print "  } or leat.parse.libsvm {}, leat.args.held and leat.label.holdout { after = leat.args.held } or {}, leat.tee {"
        }
        {
            printf "    {%s leat.%s { id = \"%s\"", $2 == "learn.product" ? " leat.feature.sides { below = 200 }," : "",
            $2, $1
            for (i = 3; i <= NF; i++) { split($i, p, "="); printf ", %s = \"%s\"", p[1], p[2] }
            printf " }, leat.sink.top { k = leat.args.k or 50, format = \"jsonl\", path = \"%s.top\" } },\n", $1
        }
        END { print "  }, threads = 2, max_reject_ratio = 1 }" }' >s.lua
}
each() { printf '%s\n' "${learners[@]/%/ }" | awk -v more="${1:-}" '{ print $1, $1, more }'; }

# What became of the branches of a run: by id "in out rejected examples rows".
declare -A became
run() {
    local id words
    rm -f -- *.top s.json
    leat_run run s.lua --quiet --summary s.json "$@"
    became=()
    [[ -f s.json ]] || return
    while read -r id words; do became[$id]=$words; done < <(jq -r '.stages[] | select(.plugin | test("^learn[.]")) |
        "\(.id) \(.in) \(.out) \(.rejected) \(.metrics.examples)"' s.json)
}
of() { # field of a branch
    local in out rejected examples
    read -r in out rejected examples <<<"${became[$1]:-}"
    echo "${!2}"
}
rows() { jq -r '.top | length' "$1.top"; }
numbers_are_finite() { [[ -s $1.top ]] && ! grep -qiE '[^a-z](nan|inf)' "$1.top"; }
# Of n records each was learned from or rejected.
learned_or_rejected() {
    local in out rejected examples
    read -r in out rejected examples <<<"${became[$1]:-0 0 0 0}"
    equal "$in $((out + rejected))" "$2 $2"
}
# The run ended well, or because nothing got through; every rejection has a reason.
ended() {
    ((status == 0)) || grep -q 'all [0-9]* records were rejected' "$err" || return
    jq -e '([.rejections[]] | add // 0) as $n | [.stages[].rejected] | max <= $n and add >= $n' s.json # $n: records
}

awk 'BEGIN { srand(3); for (i = 0; i < 600; i++) { printf "%s", i % 3 ? "-1" : "+1"
    for (j = 0; j < 5; j++) printf " %d:%d", 1 + 80 * j + int(rand() * 80), 1 + int(rand() * 3); print "" } }' >good.svm
head -100 good.svm >few.svm
sed 's/^-1/+1/' good.svm >positive.svm
awk '{ print $1; print $1 " 7:0 9:0 12:-0" }' good.svm >zero.svm
printf '+1 1:3e38 2:-3e38\n-1 1:3e38 3:3e38\n+1 2:1e-38 3:-3e38\n' >large.svm
for _ in 1 2 3 4 5 6 7; do cat large.svm large.svm >l2.svm && mv l2.svm large.svm; done
: >empty.svm
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 1000; i++) print i % 17 "," i % 5 "," (i % 100 ? i % 3 - 1 : 3) }' \
    >label.csv

# ---- streams ----

each | script
run --set data=good.svm
claim_exit "learners learn" 0
for l in "${learners[@]}"; do
    claim "$l: each example is learned" equal "$(of "$l" examples)" $((600 * $(examples "$l")))
done

run --set data=few.svm
for l in "${learners[@]}"; do jq -c .top "$l.top" >"$l.few"; done
run --set data=good.svm --set held=100
claim_exit "records held out are no error" 0
for l in "${learners[@]}"; do
    [[ ${labelled[$l]} == true ]] || continue # the others know nothing of importance
    claim "$l: none is learned from" sh -c "jq -c .top $l.top | cmp - $l.few"
done

run --set data=positive.svm
claim_exit "a stream of one class is no error" 0
for l in "${learners[@]}"; do
    claim "$l: a stream of one class makes no number that is none" numbers_are_finite "$l"
done

run --set data=zero.svm
claim_exit "rows without entries, or of zeros, are no error" 0
for l in "${learners[@]}"; do
    claim "$l: they count as examples" equal "$(of "$l" examples)" $((1200 * $(examples "$l")))
    claim "$l: and make no number that is none" numbers_are_finite "$l"
done

run --set data=large.svm
claim "the largest values end no run" ended
for l in "${learners[@]}"; do
    claim "$l: the largest values are learned from, or rejected" learned_or_rejected "$l" 384
    claim "$l: and make no number that is none" numbers_are_finite "$l"
done

echo "short learn.awm max_entries=1" | script
run --set data=few.svm
claim_exit "a run that lets nothing through is a failure" 1
claim_says "and says so" "all 100 records were rejected"

each | script
run --set data=empty.svm
claim_exit "no records are no error" 0
for l in "${learners[@]}"; do
    claim "$l: no records give no rows" equal "$(rows "$l")" 0
done

for l in "${learners[@]}"; do # by default those that can be frozen take any number
    [[ ${labelled[$l]} == true ]] && echo "$l $l $(has "$l" min && echo loss=logistic)"
done | script
run --set data=label.csv --set csv=1
claim_exit "labels outside the two classes do not end a run" 0
for l in "${learners[@]}"; do
    [[ ${labelled[$l]} == true ]] || continue
    claim "$l: their records are rejected" equal "$(of "$l" rejected) $(of "$l" examples)" "10 990"
done

# ---- answers ----

# As many features as a learner keeps by name, where it says: fewer than the file has.
kept() { for p in active slots features; do has "$1" $p && { echo "$1 $1 $p=8"; return; }; done; }
for l in "${learners[@]}"; do kept "$l"; done | script
run --set data=good.svm --set k=1000000
claim_exit "more rows may be asked for than learners keep" 0
for l in "${learners[@]}"; do
    [[ -z $(kept "$l") ]] || claim "$l: it gives those it has" equal "$(rows "$l")" 8
done

# ---- parameters ----

# The errors of a check name the branch: say ID WORDS…
say() {
    local id=$1
    shift
    grep -F "error: $id (" "$err" | sed 's/.*error: [^ ]* ([^)]*): //' | grep -qE "$*"
}

for l in "${learners[@]}"; do has "$l" budget && echo "$l $l budget=3"; done | script
leat_run check s.lua --set data=good.svm
claim_exit "budgets for nothing are configuration errors" 2
for l in "${learners[@]}"; do
    has "$l" budget && claim "$l: a budget for nothing is an error by name" say "$l" budget
done

for l in "${learners[@]}"; do
    cells=()
    for range in "${ranges[@]}"; do
        read -r m name _ most <<<"$range"
        [[ $m == "$l" && $name =~ ^(width|depth)$ ]] && cells+=("$name=$most")
    done
    ! has "$l" rates || cells+=(rates=shared) # some take several rows with these alone
    ((${#cells[@]} < 2)) || echo "$l $l ${cells[*]}"
done >cells.txt
script <cells.txt
leat_run check s.lua --set data=good.svm
claim_exit "cells beyond counting are configuration errors" 2
while read -r l _; do
    claim "$l: cells beyond counting are an error by name" say "$l" cells
done <cells.txt

for l in "${learners[@]}"; do
    extremes=()
    for range in "${ranges[@]}"; do
        read -r m name least most <<<"$range"
        [[ $m != "$l" ]] || extremes+=("$name-$least $l $name=$least" "$name-$most $l $name=$most")
    done
    printf '%s\n' "${extremes[@]}" | script
    leat_run check s.lua --offline --set data=good.svm
    plans=()
    for extreme in "${extremes[@]}"; do
        read -r id _ value <<<"$extreme"
        if grep -qF "error: $id (" "$err"; then
            claim "$l: $value is a configuration error by name" say "$id" "${value%=*}|budget|cells"
        else
            plans+=("$extreme")
        fi
    done
    printf '%s\n' "${plans[@]}" | script
    leat_run check s.lua --offline --set data=good.svm
    claim_exit "$l: the other extremes have a plan" 0

    # The largest would take the memory that they say.
    least=()
    for extreme in "${plans[@]}"; do
        read -r id _ value <<<"$extreme"
        [[ " ${ranges[*]} " != *" $l ${value%=*} ${value#*=} "* ]] || least+=("$extreme")
    done
    printf '%s\n' "${least[@]}" | script
    run --set data=few.svm
    claim "$l: the smallest values of its parameters end no run" ended
    for extreme in "${least[@]}"; do
        read -r id _ value <<<"$extreme"
        claim "$l: with $value each record is learned from, or rejected" learned_or_rejected "$id" 100
    done
done
done_claims
