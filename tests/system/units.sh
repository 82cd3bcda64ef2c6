# Numbers of any unit are learned: the errors beside those of least squares, and of numbers that are centred by hand.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
near() { awk -v x="$1" -v want="$2" -v by="$3" 'BEGIN { exit !(x > want - by && x < want + by) }' ||
    { echo "$1 is not near $2"; return 1; }; }
# make NAME X Y: 20,000 rows; in the expressions i is the number of the row, g() is normal, and y may use x
make() {
    awk "function g(  s, k) { for (k = 0; k < 12; k++) s += rand(); return s - 6 }
        BEGIN { srand(11); print \"x,y\"; for (i = 0; i < 20000; i++) { x = $2; y = $3; printf \"%.9g,%.9g\n\", ${4:-x}, y } }" \
        >"$1.csv"
}
make year '1960 + int(61 * rand())' '5 * (x - 1990) + g()'
make kelvin '288 + 8 * g()' 'x / 2 + .2 * g()'
make hpa '1013 + 7 * g()' '2 * x + g()'
make hundred '100 + g()' '3 * x + .2 * g()'
make near 'g()' '3 * x + .2 * g()'
make first '100 + g()' '3 * x + .2 * g()' 'i ? x : 1000000'
make middle '100 + g()' '3 * x + .2 * g()' 'i == 10000 ? 1000000 : x'
make marked '100 + g()' '3 * x + .2 * g()' 'rand() < .01 ? -9999 : x'
make thousand '100 + g()' '3 * x + .2 * g()' 'i < 10000 ? x : 1000 * x'
make epoch 'g()' '1700000000 + 86400 * x + 3600 * g()'
make trend 'i' '.001 * x + g()'
# The root of the mean square of the last fifth's residuals, by least squares over all rows.
least_squares() {
    awk -F, 'NR == 2 { x0 = $1; y0 = $2 } NR > 1 { n++; X[n] = $1 - x0; Y[n] = $2 - y0; x += X[n]; y += Y[n] }
        END { x /= n; y /= n
            for (i = 1; i <= n; i++) { xx += (X[i] - x) ^ 2; xy += (X[i] - x) * (Y[i] - y) }
            for (i = n * .8 + 1; i <= n; i++) e += (Y[i] - y - xy / xx * (X[i] - x)) ^ 2
            print sqrt(e / (n / 5)) }' "$1.csv"
}
# errors NAME LEARNERS: "LEARNER RMSE" of the last fifth, a line each
errors() {
    leat_run regress "$1.csv" --target y --numbers x --learner "$2" --quiet --figures jsonl
    jq -r '"\(.learner) \(.rmse_last)"' "$out"
}
for of in year kelvin hpa hundred near first middle marked thousand trend epoch; do
    best=$(least_squares $of)
    while read -r learner rmse; do
        claim "$learner predicts $of nearly as least squares do, or better" below "$rmse" \
            "$(awk -v e="$best" 'BEGIN { print 1.06 * e }')"
    done < <(errors $of bias,sftrl,rfd_son,full_on)
    # Adaptive rates of first order are not as exact; for the target's spread they are far better than a constant.
    while read -r learner rmse; do
        claim "$learner learns $of" below "$rmse" "$(awk -v e="$best" 'BEGIN { print 1.35 * e }')"
    done < <(errors $of adagrad,ogd,fm\{lambda=0.001\})
done
weight() { jq --arg name "$1" '.top[]? | select(.feature == $name).weight' "$out"; }
leat_run regress year.csv --target y --numbers x --learner rfd_son --quiet --figures none --out jsonl
claim "a weight is that of the column's own unit" near "$(weight x)" 5 0.05
claim "and the constant holds where the column is 0" near "$(weight '(constant)')" -9950 100
leat_run regress marked.csv --target y --numbers x --quiet
claim_says "numbers that mark missing ones are told" "numbers were far from all others" "missing_texts"
awk 'BEGIN { srand(2); print "x,same,y"; for (i = 0; i < 1000; i++) { x = rand(); print x ",7," 2 * x } }' >same.csv
leat_run regress same.csv --target y --numbers x,same --quiet
claim_says "a number that never changes is told" "column 'same' was 7 in all 1000 records: nothing was learned of it"

# ---- classes ----
awk 'BEGIN { srand(3); for (i = 0; i < 20000; i++) { x = 1960 + int(61 * rand()); y = rand() < .9 ? x > 1990 : rand() < .5
    print x "," y >"far.rows"; print x - 1990 "," y >"centred.rows" } }'
for of in far centred; do { echo x,y && cat $of.rows; } >$of.csv; done
wrong() {
    leat_run classify "$1.csv" --label y --positive 1 --numbers x --quiet --figures jsonl \
        --learner awm,wm,logistic,hash,truncation,bear,ftrl_proximal,rfd_son,full_on,adagrad
    jq -r '"\(.learner) \(.error_rate)"' "$out" | sort
}
wrong centred >centred.errors
while read -r learner far _ centred; do # two learners have rates to set
    case $learner in ftrl_proximal | adagrad) by=.03 ;; *) by=.01 ;; esac
    claim "$learner learns classes by a number far from 0 as by one that is centred" below "$far" \
        "$(awk -v e="$centred" -v by=$by 'BEGIN { print e + by }')"
done < <(wrong far | paste -d' ' - centred.errors)

# ---- states ----
cat >learn.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "learn" {
  leat.source.file { leat.args.data }, leat.parse.csv {}, leat.label.number { column = "y" },
  leat.feature.columns { numbers = { "x" }, constant = "one" },
  leat.learn[leat.args.learner or "rfd_son"] { id = "m", labels = not leat.args.learner and "numbers" or nil },
  leat.sink.predictions { path = leat.args.to or "none" },
  leat.sink.top { k = 5, format = "jsonl", path = "top" },
}
LUA
head -8001 year.csv >head.csv
{ head -1 year.csv && tail -n +8002 year.csv; } >tail.csv
for learner in rfd_son bias; do
    args=(--quiet --set to=p)
    [[ $learner == rfd_son ]] || args+=(--set learner=$learner)
    leat_run run learn.lua "${args[@]}" --set data=year.csv
    cp p whole
    leat_run run learn.lua "${args[@]}" --set data=head.csv --state first.$learner
    leat_run run learn.lua "${args[@]}" --set data=tail.csv --state rest.$learner
    cp -r first.$learner goes.$learner
    cp year.csv head.csv # it has grown
    leat_run run learn.lua "${args[@]}" --set data=head.csv --state goes.$learner
    claim "$learner goes on with the units of its state" cmp <(tail -n 12000 whole | cut -d, -f2) <(tail -n 12000 p | cut -d, -f2)
    leat_run model merge both.$learner first.$learner rest.$learner
    claim_exit "states of $learner with units merge" 0
    leat_run model top both.$learner --format jsonl
    claim "and the slope is that of both" near "$(jq '.top[] | select(.feature == "x").weight' "$out")" 5 0.4
    head -8001 year.csv >head.new && mv head.new head.csv
done
# A column of one value for longer than a unit takes is learned once it changes.
awk 'BEGIN { srand(3); print "x,b,y"; for (i = 0; i < 3000; i++) {
    x = i >= 32 && rand() < .3; b = rand(); printf "%d,%.3f,%.3f\n", x, b, 10 * x + b } }' >late.csv
for learner in full_on rfd_son bias; do
    leat_run regress late.csv --target y --numbers x,b --learner $learner --quiet
    claim "$learner learns a column whose first values were equal" near \
        "$(awk '$NF == "x" { print $2; exit }' "$out")" 10 0.3
done
# Inputs of a merge whose columns and labels have other centres and spreads, but one law: y = 3 x + 2 z + 5. The merged
# slopes lie between those of the inputs, or a hundredth beside.
slopes() { awk '/×/ { next } $NF == "x" { x = $2 } $NF == "z" { z = $2 } END { print x, z }' "$out"; }
between() {
    awk -v a="$1" -v b="$2" -v both="$3" 'BEGIN { split(a, p, " "); split(b, q, " "); split(both, m, " ")
        for (i = 1; i <= 2; i++) { low = p[i] < q[i] ? p[i] : q[i]; high = p[i] + q[i] - low
            if (!(m[i] > low - .01 * low && m[i] < high + .01 * high)) { print both " is not between " a " and " b; exit 1 } } }'
}
awk 'BEGIN { srand(4); for (f = 1; f <= 2; f++) { to = "part" f ".csv"; print "x,z,y" >to; for (i = 0; i < 4000; i++) {
    x = rand() * (f == 1 ? 1 : 8) + (f == 2 ? 2 : 0); z = rand() * (3 - f)
    printf "%.5f,%.5f,%.5f\n", x, z, 3 * x + 2 * z + 5 + .1 * (rand() - .5) >to } } }'
for learner in rfd_son fd_son s_adagrad bias sftrl; do
    for part in 1 2; do
        leat_run regress part$part.csv --target y --numbers x,z --learner $learner --state part$part.$learner --quiet
        slopes >slopes$part
    done
    leat_run model merge parts.$learner part1.$learner part2.$learner
    leat_run model top parts.$learner
    claim "$learner merges inputs of other units to slopes between theirs" \
        between "$(cat slopes1)" "$(cat slopes2)" "$(slopes)"
done
done_claims
