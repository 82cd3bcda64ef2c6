# Weights from data and by class, for every learner, against awk and against records written several times.
# tier: long (5 s)
. "$(dirname "$0")/../support/claims.sh"
figure() { json ".stages[] | select(.id == \"$1\").metrics.$2"; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 1e-6 && -d < 1e-6) }' ||
    { echo "$1 is not near $2"; return 1; }; }

awk 'BEGIN { srand(12); print "y,w,a,b"; for (i = 0; i < 6000; i++) { a = int(rand() * 5);
    y = rand() < (a == 1 ? .5 : .02)
    printf "%d,%d,a%d,b%d\n", y, int(rand() * 4), a, int(rand() * 9) } }' >"$tmp/d.csv"
weighed() { leat_run run pipelines/classify.lua --quiet --summary "$tmp/s.json" --set data="$tmp/d.csv" \
    --set format=csv --set label=y \
    --set attributes=a,b --set predictions="$tmp/p.csv" "$@"; }

weighed --set weight=w \
    --set learner=awm,wm,mission,bear,logistic,adagrad,ftrl_proximal,rfd_son,bias,fm \
    --set bias.loss=logistic --set fm.loss=logistic
claim_exit "all kinds of learners take weights from a column" 0
claim "the table says that its figures are weighted, once" equal "$(grep -c "The figures are weighted" "$out")" 1
for l in awm mission bear logistic adagrad ftrl_proximal bias; do
    read -r error brier held < <(paste -d, <(tail -n +2 "$tmp/p-$l.csv") <(tail -n +2 "$tmp/d.csv") | awk -F, '
        { w = $5; y = $3 > 0; if (w == 0) { h++; next } p = 1 / (1 + exp(-$2)); n += w; e += w * (($2 >= 0) != y);
        b += w * (p - y) ^ 2 }
        END { printf "%.9f %.9f %d\n", e / n, b / n, h }')
    claim "$l: the error is awk's weighted error" near "$(figure $l error_rate)" "$error"
    claim "$l: records of weight 0 are held out" equal "$(figure $l examples_held_out)" "$held"
done

# A record of weight 0 teaches nothing: without it the models are the same.
counters=contrast,frequent,paired_count_min
all=$("$LEAT" plugins --json | jq -r --arg counters $counters '[.[] | select(.kind == "learner" and any(.needs[];
    . == "labels")) | .name | sub("learn."; "")] - ($counters / ",") | join(",")')
models() { jq -c '[.stages[] | select(.top) | [.id, (.top | map([.feature, .weight]) | sort)]]' "$tmp/s.json"; }
awk -F, -v OFS=, 'NR > 1 { $2 = $2 % 2 } 1' "$tmp/d.csv" >"$tmp/halved.csv"
awk -F, 'NR == 1 || $2 > 0' "$tmp/halved.csv" >"$tmp/half.csv"
weighed --set data="$tmp/halved.csv" --set weight=w --set learner=$all
models >"$tmp/with"
weighed --set data="$tmp/half.csv" --set learner=$all
claim "records of weight 0 leave no trace in the models of $all" diff "$tmp/with" <(models)
claim "of figures without weights nothing is said" sh -c '! grep "are weighted" "$0"' "$out"

# Learners that count refuse weights, before the run or one by one, and take those of 0 and 1.
for l in ${counters//,/ }; do
    weighed --set weight=w --set learner=$l
    claim_exit "$l refuses a column of weights" 2
    claim_says "with what to do" "this learner counts records, and an earlier stage gives them importance weights: "
done
for l in ${counters//,/ }; do
    cat >"$tmp/made.lua" <<LUA
local leat = require "leat"
return leat.pipeline "made" { leat.source.file { "none.txt" }, leat.parse.lines { column = "t" }, leat.label.constant { value = 1 },
  leat.feature.tokens { column = "t" }, leat.feature.pairs { window = 2, negatives = leat.args.n }, leat.learn.$l {}, leat.sink.null {} }
LUA
    leat_run check --offline "$tmp/made.lua" --set n=2
    claim_exit "$l refuses the weights of pairs in the plan" 2
    claim_says "and says whose they are" "$l (learn.$l): this learner counts records, and an earlier stage makes examples"
    leat_run check --offline "$tmp/made.lua" --set n=1
    claim_exit "$l takes pairs whose weights are 1" 0
done
as_vw() { awk -F, 'NR > 1 { print ($1 > 0 ? 1 : -1), $2 " |a " $3 " " $4 }' "$1" >"$tmp/$2.vw"; }
as_vw "$tmp/halved.csv" halved; as_vw "$tmp/half.csv" half; awk -F, -v OFS=, 'NR > 1 { $2 = NR % 9 ? 1 : .5 } 1' "$tmp/d.csv" >"$tmp/some.csv"; as_vw "$tmp/some.csv" some
texts() { leat_run run pipelines/classify.lua --quiet --summary "$tmp/s.json" --set data="$tmp/$1.vw" --set format=vw \
    --set learner=$counters; }
texts halved
models >"$tmp/with"
texts half
claim "records of weight 0 in a text leave no trace in the counts" diff "$tmp/with" <(models)
texts some
claim "of other weights each record is rejected" equal "$(json '[.stages[] | select(.id == "contrast")][0].rejected')" \
    "$(grep -c ',0.5,' "$tmp/some.csv")"

weighed --set class_weight=8 --set learner=logistic
plain=$(weighed --set learner=logistic; awk -F, 'NR > 3000 && $2 >= 0 { n++ } END { print n + 0 }' "$tmp/p.csv")
weighed --set class_weight=8 --set learner=logistic
claim "a rare class of weight 8 is predicted more often" below "$plain" "$(awk -F, 'NR > 3000 && $2 >= 0 { n++ } END {
    print n + 0 }' "$tmp/p.csv")"
weighed --set class_weight=1,2,3 --set learner=logistic
claim "three weights for two labels end the run" test "$status" -ne 0
claim_says "with what to do" \
    "classes has 3 weights, and the labels have two classes: give the weight of label +1, or the weights of -1 and +1"
weighed --set classes=0,1 --set class_weight=5
claim_exit "and so does one weight for two named classes" 2
claim_says "by the name that was given" "class_weight (label.weight)" \
    "classes: there is 1 weight, and the labels have 2 classes: give a weight for each, or balanced"
weighed --set class_weight=balanced --set learner=logistic
claim_exit "classes are balanced" 0
claim "and the figures are weighted" grep -q "The figures are weighted" "$out"
errors_of_classes() { tail -n +2 "$tmp/p.csv" | awk -F, '{ y = $3 > 0; n[y]++; e[y] += ($2 >= 0) != y } END {
    printf "%.9f", (e[0] / n[0] + e[1] / n[1]) / 2 }'; }
claim "so that the weighted error is nearly the mean of the errors of the classes" awk -v a="$(figure logistic \
    error_rate)" -v b="$(errors_of_classes)" \
    'BEGIN { print a, b; exit !(a / b < 1.1 && b / a < 1.1) }'

sed '10s/,[0-9],/,-1,/; 20s/,[0-9],/,x,/; 30s/,[0-9],/,nan,/; 40s/,[0-9],/,,/' "$tmp/d.csv" >"$tmp/bad.csv"
cat >"$tmp/bad.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "bad" { leat.source.file(leat.args.d), leat.parse.csv {}, leat.label.number "y", leat.label.weight "w",
  leat.feature.columns { columns = "a" }, leat.learn.awm {}, leat.sink.null {}, dead_letters = leat.args.out }
LUA
leat_run run "$tmp/bad.lua" --quiet --set d="$tmp/bad.csv" --set out="$tmp/bad.jsonl"
claim_exit "weights that are none do not end a run" 0
claim "each is a dead letter with its line and what is wrong" equal "$(jq -r '"\(.line) \(.message)"' \
    "$tmp/bad.jsonl")" \
    "10 column 'w': -1 is not a weight: weights are 0, or 1e-30 to 1e+15
20 column 'w': 'x' is not a number
30 column 'w': 'nan' is not finite
40 column 'w' is empty"

# ---- what is a weight: for predict as for classes ----
sed -n '1,61p' "$tmp/d.csv" | awk -F, -v OFS=, 'NR > 1 { $2 = 2 } NR == 10 { $2 = -1 } NR == 20 { $2 = "nan" }
    NR == 30 { $2 = 1e16 } NR == 40 { $2 = "1e-31" }
    NR == 50 { $2 = 0 } NR == 60 { $2 = "1e-30" } 1' >"$tmp/odd.csv"
leat_run run pipelines/regress.lua --quiet --set data="$tmp/odd.csv" --set target=y --set attributes=a --set weight=w \
    --set missing_texts= --set dead_letters="$tmp/odd.jsonl" --summary "$tmp/s.json"
claim_exit "predict takes weights" 0
claim "those that are none are dead letters, 0 is held out" equal "$(jq -r '"\(.line) \(.message)"' \
    "$tmp/odd.jsonl") $(figure bias examples) $(figure bias examples_held_out)" \
    "10 column 'w': -1 is not a weight: weights are 0, or 1e-30 to 1e+15
20 column 'w': 'nan' is not finite
30 column 'w': 1e+16 is not a weight: weights are 0, or 1e-30 to 1e+15
40 column 'w': 1e-31 is not a weight: weights are 0, or 1e-30 to 1e+15 55 1"
awk -F, -v OFS=, 'NR > 1 { $2 = 0 } 1' "$tmp/d.csv" >"$tmp/zero.csv"
leat_run run pipelines/regress.lua --quiet --set data="$tmp/zero.csv" --set target=y --set attributes=a --set weight=w
claim_says "where all weigh nothing it is said that nothing was learned" \
    "bias (learn.bias): all 6000 examples have the weight 0, so they were predicted but not learned: look at the stage that makes the weights"
weighed --set weight=w --set class_weight=1e-31 --set learner=logistic
claim_exit "a weight of a class is one, too" 2
claim_says "by the same rule" "'1e-31' is not a weight: give 0, numbers from 1e-30 to 1e+15, or balanced"
awk -F, -v OFS=, 'NR > 1 { $2 = NR == 2 ? "1e-20" : 1 } 1' "$tmp/d.csv" >"$tmp/small.csv"
weighed --set data="$tmp/small.csv" --set weight=w --set class_weight=1e-20,1 --set learner=logistic \
    --set dead_letters="$tmp/small.jsonl"
claim "so is the product of both" equal "$(jq -r '"\(.line) \(.message)"' "$tmp/small.jsonl")" \
    "2 the weights of the record and its class multiply to 1e-40, which is not a weight: weights are 0, or 1e-30 to 1e+15"
done_claims
