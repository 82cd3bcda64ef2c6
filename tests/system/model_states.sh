# leat model diff: rounding, and directions that are turned, are no change. States are made from one by a known change.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >two.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "two" {
  leat.source.file { path = "d.csv" }, leat.parse.csv {}, leat.label.is { column = "y", positive = "1" },
  leat.feature.columns { "a", "b" },
  leat.tee {
    { leat.learn.rfd_son { id = "newton", m = 6 }, leat.sink.null {} },
    { leat.learn.sftrl { id = "machine", m = 5, min = -1, max = 1 }, leat.sink.null {} },
    { leat.feature.sides { left = { "a" } }, leat.learn.product { id = "pairs", size = tonumber(leat.args.size) or 8 }, leat.sink.null {} } } }
LUA
awk 'BEGIN { srand(4); print "y,a,b"
    for (i = 0; i < 4000; i++) {
        a = int(40 * rand() * rand()); b = int((a + 30 * rand()) / 2)
        print (rand() < .2 + (a % 7 == 1) * .5) "," a "," b } }' >d.csv
leat_run run two.lua --state base --quiet
claim_exit "the run" 0
"$LEAT" model dump base | jq -c . >base.jsonl # jq has one zero

# made NAME FILTER: NAME.snapshot is the base, changed by a filter of jq for each line
helpers='def numbers(f; g): if .field == f and .values then .values |= g else . end;
    def rows(n): [range(0; length / n) as $i | .[$i * n : ($i + 1) * n]];
    def turn: .[0] as $x | .[1] as $y | .[0] = 0.6 * $x + 0.8 * $y | .[1] = 0.6 * $y - 0.8 * $x;
    def mirror: .[2] = -.[2];
    def opposite: .[1:-2] |= map(-.);'
made() { jq -c "$helpers $2" base.jsonl >"$1.jsonl" && "$LEAT" model load "$1.jsonl" "$1.snapshot" >"$1.out"; }
used=$(jq 'select(.field == "columns").value' base.jsonl)
stride=$(jq -s '(.[] | select(.field == "feature_rows").values | length) as $n | $n / (.[] |
    select(.section == "stage/newton/0" and .field == "ids").values | length)' base.jsonl)
# verdict NAME STAGE, field NAME FIELD: what diff says of the state and of the field
differences() { "$LEAT" model diff "${2:-same.snapshot}" "$1.snapshot" --json >"$1.diff"; }
verdict() { jq -r --arg of "stage/$2/0" '.states[] | select(.section == $of).verdict' "$1.diff"; }
field() { jq -r --arg of "$2" '.state[] | select(.field == $of).by' "$1.diff"; }

made same .
differences same
claim "a copy is equal" equal "$(verdict same pairs) $(verdict same newton)" "equal equal"
claim "no field of a copy differs" equal "$(jq -c .state same.diff)" "[]"

made rounded 'numbers("left.rows"; map(. * (1 + 3e-12))) | numbers("feature_rows"; map(if . == floor then . else . *
    (1 - 3e-12) end)) | numbers("rows"; map(if . == floor then . else . * (1 - 2e-12) end))'
differences rounded
claim "the last digits are rounding" equal "$(verdict rounded pairs) $(verdict rounded newton)" "rounding rounding"
claim "with the largest difference" jq -e '[.states[].largest // empty] | length == 3 and all(. > 1e-12 and . < 5e-12)' \
    rounded.diff
claim "so are weights" jq -e '.features == [] and .rounded > 10' rounded.diff
leat_run model diff same.snapshot rounded.snapshot
claim "for people, too" grep -q \
    '^  stage/pairs/0: differs only by rounding (largest difference 3e-12 of its largest number)$' "$out"
claim "weights that are rounded are counted" grep -q '^[0-9]* weights differ only by rounding$' "$out"

# Both sides by the same orthogonal matrix: the product is the same.
both() { echo "numbers(\"left.rows\"; $1) | numbers(\"right.rows\"; $1)"; }
made turned "$(both "rows($used) | map(turn) | flatten")"
differences turned
claim "a product with turned sides is the same" equal "$(verdict turned pairs) $(field turned left.rows)" "turned turned"
made mirrored "$(both "rows($used) | map(mirror) | flatten")"
differences mirrored
claim "or with other signs" equal "$(verdict mirrored pairs)" turned
leat_run model diff same.snapshot mirrored.snapshot
claim "people read it" grep -q '^  stage/pairs/0: stands for the same: directions are turned or have other signs' "$out"

# A weight of single precision may cross the middle of two numbers: one of 2^-24, from 0.5.
last() { echo "numbers(\"feature_rows\"; .[$stride - 2] = 0.5 + 0.0000000298023223876953125 $1 1e-12)"; }
made below "$(last -)"
made above "$(last +)"
differences above below.snapshot
claim "a float is rounded" equal "$(verdict above newton) $(jq .rounded above.diff)" "rounding 1"

# One side alone, or one row: another product.
made half "numbers(\"left.rows\"; rows($used) | map(turn) | flatten)"
differences half
claim "with one side turned it is another product" equal "$(verdict half pairs)" changed
made row "$(both "rows($used) | .[3] |= turn | flatten")"
differences row
claim "with one feature turned, too" equal "$(verdict row pairs) $(field row left.rows)" "changed changed"
made number 'numbers("right.rows"; .[4] *= 1.00001)'
differences number
claim "a number that differs in the sixth digit is a change" equal "$(verdict number pairs)" changed

# Counts differ by 1 or not at all, however large they are.
made many 'numbers("squares"; [1e12, 1e12])'
made more 'numbers("squares"; [1e12, 1e12 + 1])'
differences more many.snapshot
claim "one record more is no rounding" equal "$(verdict more pairs) $(field more squares)" "changed changed"

# Rows of a sketch have versions, and only rows of one version have directions in common.
version='(map(.[-1]) | max as $n | group_by(.) | map(select(.[0] > 0 and .[0] < $n)) | max_by(length)[0]) as $v'
made version "numbers(\"feature_rows\"; rows($stride) | $version | map(if .[-1] == \$v then opposite else . end) | flatten)"
differences version
claim "the rows of one version may be turned" equal "$(field version feature_rows)" turned
claim "but not if weights change" equal "$(verdict version newton) $(jq '.features | length > 0' version.diff)" "changed true"
made one "numbers(\"feature_rows\"; rows($stride) | $version | (map(.[-1] == \$v) | index(true)) as \$i | .[\$i] |= opposite |
    flatten)"
differences one
claim "one row of a version is a change" equal "$(field one feature_rows)" changed

# ---- info: what a learner reports of itself ----
leat_run run two.lua --state exact --set size=100 --quiet --summary exact.json
exact='.stages[] | select(.id == "pairs").metrics.exact'
claim "pairs of a sketch are not exact" equal "$("$LEAT" model info base --json | jq "$exact")" 0
claim "info says if pairs are exact, as the run does" equal "$("$LEAT" model info exact --json | jq "$exact")" \
    "$(jq "$exact" exact.json)"
leat_run model info exact
claim "people read it" grep -q 'learn.product .* exact 1, ' "$out"
done_claims
