# Prediction of a number: the error next to the best constant's, planted weights, and messages.
. "$(dirname "$0")/../support/claims.sh"

awk 'BEGIN { srand(31); print "area,rooms,district,rent"; for (i = 0; i < 20000; i++) { a = 20 + rand() * 140;
    r = 1 + int(a / 30) + int(rand() * 2); d = int(rand() * 3)
    printf "%.1f,%d,d%d,%.1f\n", a, r, d, 200 + 9 * a + 40 * r + 150 * d + (rand() - .5) * 120 } }' >"$tmp/rents.csv"
predict() { leat_run run pipelines/regress.lua --quiet --set target=rent --set numbers=area,rooms \
    --set attributes=district "$@"; }
csv=(--set data="$tmp/rents.csv")

near() { awk -v x="$1" -v want="$2" -v by="$3" 'BEGIN { exit !(x > want - by && x < want + by) }' ||
    { echo "$1 is not near $2"; return 1; }; }
predict "${csv[@]}" --summary "$tmp/s.json"
claim_exit "one command predicts a number" 0
claim "the table has the learner and the constant" grep -qE '^(bias|constant) ' "$out"
read -r constant last < <(awk -F, 'NR > 1 { n++; m = n > 1 ? sum / (n - 1) : 0; e = ($4 - m) ^ 2; s += e; sum += $4;
    if (n > 16000) l += e } END { printf "%.4f %.4f\n", sqrt(s / n), sqrt(l / 4000) }' "$tmp/rents.csv")
of_constant() { jq ".stages[] | select(.id == \"bias\").metrics.rmse_constant$1" "$tmp/s.json"; }
claim "whose error is that of the mean so far, as awk has it" near "$(of_constant "")" "$constant" 0.001
claim "and that of its last fifth" near "$(of_constant _last)" "$last" 0.001
claim "which the table shows" grep -Eq "^constant +- +- +$(printf '%.1f +%.1f' "$constant" "$last") " "$out"
claim "of a mixed file no order is said" sh -c "! grep -q 'in an order' '$err'"
sort -t, -k4g <(sed 1d "$tmp/rents.csv") | sed '1i area,rooms,district,rent' >"$tmp/sorted.csv"
predict --set data="$tmp/sorted.csv"
claim_says "of a sorted file it is, with the remedy" "the records are in an order: a label is like the one before" \
    "--set shuffle=true"
claim "the mean of the recent labels, as awk has it, is a row of the table" grep -Eq "^recent mean +- +- +$(awk -F, \
    'NR > 1 { e = (m - $4) ^ 2; n++; s += e; w = 0.95 * w + 1; m += ($4 - m) / w } END { printf "%.1f", sqrt(s / n) }' \
    "$tmp/sorted.csv") " "$out"
claim "and the run says that the learner is no better" grep -q "^bias predicts no better than recent mean: the order" \
    <(tr '\n' ' ' <"$out" | sed 's/  */ /g; s/bias predicts/\n&/')
predict --set data="$tmp/sorted.csv" --set shuffle=true
claim "in a random order neither is said" sh -c "! grep -q 'in an order\|recent mean' '$err' '$out'"
claim "the error of the last fifth is near the noise" below "$(jq '.stages[] | select(.id ==
    "bias").metrics.rmse_last' "$tmp/s.json")" "$(awk 'BEGIN { print 1.5 * 120 / sqrt(12) }')"
claim "nothing is said of missing numbers" sh -c "! grep -q 'no number' '$err'"
awk -F, -v OFS=, 'NR > 1 && NR % 4 == 0 { $1 = "" } NR > 1 && NR % 10 == 0 { $2 = "" } 1' "$tmp/rents.csv" \
    >"$tmp/gaps.csv"
predict --set data="$tmp/gaps.csv"
claim_says "missing numbers are counted" "$(awk -F, 'NR > 1 && $1 == ""' "$tmp/gaps.csv" |
    wc -l) of the records have no number in 'area', and others have none in other columns, which counts as the column's centre: to leave such records out, filter them before this stage"
predict --set data="$tmp/gaps.csv" --set filter='area > 0 and rooms > 0'
claim "and are none where a filter leaves them out" sh -c "! grep -q 'no number' '$err'"
predict "${csv[@]}" --set out=jsonl --set figures=none
weight() { jq --arg f "$1" '.top[] | select(.feature == $f).weight' "$out"; }
claim "an area's weight is the planted one" near "$(weight area)" 9 0.5
claim "that of rooms, too" near "$(weight rooms)" 40 12
claim "districts differ by theirs" near "$(awk -v a="$(weight district=d2)" -v b="$(weight district=d0)" \
    'BEGIN { print a - b }')" 300 20
cp "$out" "$tmp/of_csv"
awk -F, 'NR > 1 { printf "{\"area\":%s,\"rooms\":%s,\"district\":\"%s\",\"rent\":%s}\n", $1, $2, $3, $4 }' \
    "$tmp/rents.csv" >"$tmp/rents.jsonl"
predict --set data="$tmp/rents.jsonl" --set out=jsonl --set figures=none
claim "JSON gives the same" cmp "$out" "$tmp/of_csv"
awk -F, 'NR > 1 { print $4 " 1:" $1 " 2:" $2 }' "$tmp/rents.csv" >"$tmp/rents.svm"
leat_run run pipelines/regress.lua --quiet --set data="$tmp/rents.svm" --summary "$tmp/s.json"
claim "labels of libsvm are any numbers" equal "$(jq -c '[.rejected, (.stages[] | select(.id ==
    "bias").metrics.examples)]' "$tmp/s.json")" "[0,20000]"
predict "${csv[@]}" --set learner=bias,rfd_son,fm --set clip=3000 --set predictions="$tmp/p.csv"
claim "several learners are compared, second-order ones with a clip" grep -q '^rfd_son ' "$out"
claim "and all are below the constant" equal "$(grep -E '^(bias|rfd_son|fm|constant) +[0-9-]' "$out" | cut -d' ' -f1 |
    tail -1)" constant
claim "their predictions go into files" test -s "$tmp/p-rfd_son.csv"

# Of numbers alone the intercept is learned, too: the weights are those of least squares, as awk has them.
numbers=("${csv[@]}" --set attributes= --set figures=none --set out=jsonl --summary "$tmp/s.json")
awk -F, 'NR > 1 { n++; x += $1; r += $2; y += $4; xx += $1 * $1; rr += $2 * $2; xr += $1 * $2; xy += $1 * $4;
    ry += $2 * $4; yy += $4 * $4 }
    END { xx -= x * x / n; rr -= r * r / n; xr -= x * r / n; xy -= x * y / n; ry -= r * y / n; yy -= y * y / n
        d = xx * rr - xr * xr; a = (xy * rr - ry * xr) / d; b = (ry * xx - xy * xr) / d
        print a, b, (y - a * x - b * r) / n, sqrt((yy - a * xy - b * ry) / n) }' "$tmp/rents.csv" >"$tmp/ols"
read -r ols_area ols_rooms ols_constant ols_rmse <"$tmp/ols"
predict "${numbers[@]}"
claim "an area weighs what least squares say" near "$(weight area)" "$ols_area" 0.5
claim "rooms, too" near "$(weight rooms)" "$ols_rooms" 15
last_rmse() { jq --arg id "$1" '.stages[] | select(.id == $id).metrics.rmse_last' "$tmp/s.json"; }
claim "the error is nearly theirs" below "$(last_rmse bias)" "$(awk -v e="$ols_rmse" 'BEGIN { print 1.03 * e }')"
mean=$(awk -F, 'NR > 1 { n++; s += $4 } END { print s / n }' "$tmp/rents.csv")
claim "the intercept is the mean and the constant's weight" near "$(awk -v m="$mean" -v w="$(weight '(constant)')" \
    'BEGIN { print m + w }')" "$ols_constant" 80
for learner in sftrl rfd_son full_on; do
    predict "${numbers[@]}" --set learner=$learner --set clip=3000
    claim "$learner has an intercept, too" below "$(last_rmse $learner)" "$(awk -v e="$ols_rmse" \
        'BEGIN { print 1.1 * e }')"
done
awk 'BEGIN { srand(3); print "z,y"; for (i = 0; i < 5000; i++) { z = rand() * 100; printf "%.3f,%.4f\n", z, 3 * z + 7 }
    }' >"$tmp/line.csv"
line=(--quiet --set data="$tmp/line.csv" --set target=y --set numbers=z --set figures=none --set out=jsonl)
leat_run run pipelines/regress.lua "${line[@]}"
claim "a line has its slope on average" near "$(weight z)" 3 0.1
leat_run run pipelines/regress.lua "${line[@]}" --set bias.averaged=false
claim "and in the end exactly" near "$(weight z)" 3 0.01
leat_run run pipelines/regress.lua "${line[@]}" --set learner=full_on --set clip=400
claim "and, without a mean, its intercept as a weight" near "$(weight '(constant)')" 7 0.01
leat_run run pipelines/regress.lua "${line[@]}" --set cross=2 --set learner=full_on --set clip=400
claim "no conjunction holds the constant" equal "$(jq -c '[.top[].feature] | sort' "$out")" '["(constant)","z"]'
leat_run run pipelines/classify.lua --set data="$tmp/line.csv" --set target=y --set label=y --set numbers=z
claim_says "classes have no target" "target"
predict "${csv[@]}" --set learner=rfd_son --summary "$tmp/s.json"
claim "second-order learners need no clip" below "$(last_rmse rfd_son)" 40
leat_run run pipelines/regress.lua "${csv[@]}" --set numbers=area
claim_says "so is a target" \
    "name the column with the number to predict, --set target=NAME (first line: area,rooms,district,rent)"
predict "${csv[@]}" --set positive=1
claim_says "what is of classes is told" "positive is of classes" "leat classify"

# Learners of classes take no numbers, whatever their loss: check finds it.
cat >"$tmp/awm.lua" <<LUA
local leat = require "leat"
return leat.pipeline "r" { leat.source.file { "$tmp/rents.csv" }, leat.parse.csv {}, leat.label.number { "rent" },
  leat.feature.columns { numbers = { "area" } }, leat.learn[leat.args.learner or "awm"] { loss = "squared" }, leat.sink.null {} }
LUA
for command in check "run --quiet"; do
    # shellcheck disable=SC2086
    leat_run $command "$tmp/awm.lua"
    claim_says "$command says that awm takes no numbers, and which learners do" "awm (learn.awm): " \
        "is not -1, 0 or 1: name the positive label" "To predict numbers, use learn.bias, learn.fm, learn.sftrl"
done
leat_run check "$tmp/awm.lua" --set learner=bias
claim "of one that does check says nothing" test ! -s "$err"
sed -i 's/"rent" }/"rooms" }/; s/leat.label.number/leat.label.is/; s/"rooms" }/"rooms", positive = "3" }/' \
    "$tmp/awm.lua"
leat_run check "$tmp/awm.lua"
claim "nor does it judge what a learner has learned of a few records" test ! -s "$err"

# Numbers as in Germany: the target and what expressions compare are read as numbers of --set numbers are.
awk 'BEGIN { srand(5); print "fl;ort;miete"; for (i = 0; i < 4000; i++) { a = 200 + int(rand() * 1800); m = 300 + 2 * a
    printf "%d.%03d,50;%s;%d.%03d,00\n", a / 1000 + 1, a % 1000, rand() < .5 ? "A" : "B", m / 1000 + 1, m % 1000 } }' \
        >"$tmp/de.csv"
tr -d . <"$tmp/de.csv" | tr ',;' '.,' >"$tmp/plain.csv"
rents() { leat_run run pipelines/regress.lua --quiet --set target=miete --set numbers=fl --set out=jsonl \
    --set figures=none "$@"; }
german=(--set data="$tmp/de.csv" --set delimiter=';' --set decimal=, --set thousands=.)
rents --set data="$tmp/plain.csv"
cp "$out" "$tmp/of_plain"
rents "${german[@]}"
claim "a target with a decimal comma is that with a point" cmp "$out" "$tmp/of_plain"
rents "${german[@]}" --set numbers=fl,miete
claim "a target that numbers name is no feature" cmp "$out" "$tmp/of_plain"
rents "${german[@]}" --set attributes=ort,miete
claim_says "one that attributes name is refused" \
    "attributes names the target 'miete', which would predict itself: leave it out"
rents --set data="$tmp/plain.csv" --set filter='miete > 2500'
cp "$out" "$tmp/of_plain"
rents "${german[@]}" --set filter='miete > 2500'
claim "a filter compares such numbers, too" cmp "$out" "$tmp/of_plain"
rents --set data="$tmp/plain.csv" --set derive='gross=if(fl > 2000, 1, 0)' --set numbers=gross
cp "$out" "$tmp/of_plain"
rents "${german[@]}" --set derive='gross=if(fl > 2000, 1, 0)' --set numbers=gross
claim "and a new column is made of them" cmp "$out" "$tmp/of_plain"
rents "${german[@]}" --set filter='fl > 2000' --set attributes=fl --set numbers= --summary "$tmp/s.json"
claim "one that is a text elsewhere is still the number of the file" equal "$(stage filter out)" "$(awk -F, \
    'NR > 1 && $1 > 2000' "$tmp/plain.csv" | wc -l)"
explained() { leat_run run pipelines/explain.lua --quiet --set attributes=ort --set cross=1 --set min_count=1 \
    --set sign=both --set out=csv "$@"; }
for question in metric=miete outlier='miete > 3500'; do
    explained --set data="$tmp/plain.csv" --set "$question"
    cp "$out" "$tmp/of_plain"
    explained "${german[@]}" --set "$question"
    claim "$question is explained alike" cmp "$out" "$tmp/of_plain"
    claim "by two texts" equal "$(grep -c ort= "$out")" 2
done

# ---- targets far from 0 ----
awk 'BEGIN { srand(4); print "x,near,far"; for (i = 0; i < 4000; i++) { x = rand() * 60
    printf "%f,%f,%f\n", x, 10 * x, 1700000000 + 10 * x } }' >"$tmp/far.csv"
far() { leat_run regress "$tmp/far.csv" --numbers x --quiet --figures jsonl "$@"; }
far --target near
cp "$out" "$tmp/of_near"
claim "numbers that floats hold are no reason for a warning" sh -c "! grep -q rounded '$err'"
far --target far
claim_says "labels that lose their differences are told" "were rounded to floats by up to " "origin = 1700000000"
far --target far --origin 1700000000
claim "with this origin nothing is lost" equal "$(jq -c '[.rmse, .mae_last, .rmse_constant] | map(. * 1000 | round)' "$out")" \
    "$(jq -c '[.rmse, .mae_last, .rmse_constant] | map(. * 1000 | round)' "$tmp/of_near")"
claim "and nothing is told" sh -c "! grep -q rounded '$err'"
# Numbers far from 0: their slopes are 1.5 and 2, and the constant holds where they are 0.
awk 'BEGIN { srand(1); print "year,low kelvin,y"; for (i = 0; i < 50000; i++) { x = 2000 + int(rand() * 21); k = 290 + rand() * 20
    print x "," k "," 20 + 1.5 * (x - 2010) + 2 * (k - 300) + 10 * (rand() - .5) } }' >"$tmp/years.csv"
far() { leat_run regress "$tmp/years.csv" --target y --out jsonl --figures none "$@"; }
slope() { jq -r --arg name "$1" '.top[]? | select(.feature == $name).weight' "$out"; }
is_near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b - .03 && a < b + .03) }'; }
far --numbers 'year,low kelvin'
claim "the slope of a number far from 0 is found" is_near "$(slope year)" 1.5
claim "and that of the other" is_near "$(slope 'low kelvin')" 2
claim "with its constant" near "$(slope '(constant)')" "$(awk 'BEGIN { print -1.5 * 2010 - 2 * 300 }')" 60
done_claims
