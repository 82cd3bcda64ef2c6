# eval.drift: rising errors of a learner, as rows and in the log, next to all other output.
# tier: long (4 s)
. "$(dirname "$0")/../support/claims.sh"

# A feature says the label, and after 10,000 records the other one.
awk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) { a = rand() < .5; y = i < 10000 ? a : !a; if (rand() < .05) y = !y
    print (y ? "+1" : "-1") " " (a ? "1:1" : "2:1") } }' >"$tmp/turned.svm"
cat >"$tmp/drift.lua" <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "drift" {
  leat.source.file { a.data }, leat.parse.libsvm { lanes = a.lanes }, leat.learn.logistic {},
  leat.eval.drift { id = "window", path = a.out .. ".adwin", format = a.format },
  leat.eval.drift {
    "page_hinkley", id = "sums", tolerance = 0.02, threshold = 30, path = a.out .. ".sums", format = a.format,
    on_change = "none",
  },
}
LUA
drift() { leat_run run "$tmp/drift.lua" --set data="$tmp/turned.svm" --set out="$tmp/found" --summary "$tmp/s.json" \
    "$@"; }

drift --set format=jsonl
claim_exit "two detectors watch one learner" 0
for d in adwin sums; do
    claim "$d finds the rise soon after it, and says since when and from what to what" jq -se '
        length == 1 and (.[0] | .change == "rise" and .examples > 10000 and .examples < 10100 and .since > 9950 and
        .since < 10050
            and .mean_before < 0.1 and .mean_after > 0.5)' "$tmp/found.$d"
done
claim_says "the log has it as a warning" "warning" "window (eval.drift): the mean loss has risen from 0.0" \
    "since about example 100"
claim "but not of the one that shall not" sh -c "! grep -q 'sums (eval.drift)' '$err'"
claim "the summary counts it" equal "$(stage window metrics.rises) $(stage sums metrics.rises)" "1 1"
cp "$tmp/found.adwin" "$tmp/first"
drift --set format=jsonl --set lanes=2
claim "the rows do not depend on threads" cmp "$tmp/first" "$tmp/found.adwin"
drift --set format=csv
claim "CSV has a line a change under its heading" equal "$(cut -d, -f1-3 "$tmp/found.adwin" | tr '\n' ' ')" \
    "examples,since,change $(jq -r '"\(.examples),\(.since),\(.change)"' "$tmp/first") "
drift --set format=table
claim "a table, too" equal "$(awk '{ print NF }' "$tmp/found.adwin" | tr '\n' ' ')" "7 5 "
head -10000 "$tmp/turned.svm" >"$tmp/same.svm"
drift --set format=csv --set data="$tmp/same.svm"
claim "without a change there is no row" equal "$(cat "$tmp/found.adwin" "$tmp/found.sums")" ""

# ---- losses of numbers, and the log ----

# Labels differ from 500 by up to 50, and from record 3,000 on by up to 200.
awk 'BEGIN { srand(2); for (i = 0; i < 6000; i++) print 500 + (2 * rand() - 1) * (i < 3000 ? 50 : 200) " 1:1" }' \
    >"$tmp/numbers.svm"
cat >"$tmp/numbers.lua" <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "numbers" {
  leat.source.file { a.data }, leat.parse.libsvm { label = "raw" }, leat.learn.bias {},
  leat.eval.drift { a.detector, max = a.max, threshold = a.threshold, changes = a.changes, path = a.out, format = "csv" },
}
LUA
numbers() { leat_run run "$tmp/numbers.lua" --set data="$tmp/numbers.svm" --set out="$tmp/found" \
    --summary "$tmp/s.json" "$@"; }

numbers --set max=1
claim_says "max that most losses exceed is told, with their share and mean" "warning" "max = 1 is below" \
    "of 1024 losses" "the mean loss is 2"
claim "once" equal "$(grep -c 'max = 1 is below' "$err")" 1
claim "and it does hide the rise" equal "$(awk -F, '$2 > 2900' "$tmp/found")" ""
numbers --set max=400
claim "a max of the losses' scale shows it" awk -F, '$2 > 2900 && $3 == "rise" { n++ } END { exit n != 1 }' "$tmp/found"
claim "and is not warned of" sh -c "! grep -q 'is below' '$err'"
numbers
claim "without max the scale of the first losses shows it" awk -F, '$2 > 2900 && $3 == "rise" { n++ } END {
    exit n != 1 }' "$tmp/found"
claim "and no warning is needed" sh -c "! grep -q 'is below' '$err'"
claim "the figures say what max is" awk -v max="$(json '.stages[] | select(.id == "drift").metrics.max')" \
    'BEGIN { exit !(max > 150 && max < 300) }'
head -200 "$tmp/numbers.svm" >"$tmp/few.svm"
numbers --set max=1 --set data="$tmp/few.svm"
claim_says "a short run is told at its end" "max = 1 is below" "of 200 losses"

numbers --set detector=page_hinkley
claim "a sum takes the scale of the losses, too: one rise, where it is" awk -F, '$3 == "rise" { n++; late += $2 > 2900 }
    END { exit !(n == 1 && late == 1) }' "$tmp/found"
numbers --set detector=page_hinkley --set max=400 --set threshold=0.125 --set changes=all
claim "a detector that is set too fine reports many changes" below 15 "$(grep -c rise <"$tmp/found")"
claim "and logs ten rises" equal "$(grep -c 'the mean loss has risen' "$err")" 10
claim_says "saying that there are more" "further rises are reported and counted, but not logged"
claim "once" equal "$(grep -c 'further rises' "$err")" 1

# ---- learners that act ----

cat >"$tmp/acting.lua" <<'LUA'
local leat = require "leat"
local a, branches = leat.args, {}
for learner in ("awm wm hash truncation logistic"):gmatch "%a+" do
  branches[#branches + 1] = { leat.stage("learn." .. learner, { id = learner, on_drift = a.action }), leat.sink.null {} }
end
return leat.pipeline "acting" { leat.source.file { a.data }, leat.parse.libsvm { lanes = a.lanes }, leat.tee(branches), batch_rows = a.rows }
LUA
acting() { leat_run run "$tmp/acting.lua" --set data="$tmp/turned.svm" --summary "$tmp/s.json" "$@"; }
errors() { json '.stages[] | select(.metrics.error_rate).metrics | "\(.error_rate) \(.drifts)"'; }

acting
claim "without on_drift nothing is watched" equal "$(json '[.stages[].metrics.drifts | select(.)] | length')" 0
errors >"$tmp/idle"
for action in raise fade reset; do
    acting --set action=$action
    claim "$action: each learner has seen one rise" equal "$(errors | cut -d' ' -f2 | tr '\n' ' ')" "1 1 1 1 1 "
    claim_says "$action: and has said so" "awm (learn.awm): the error has risen from 0.0" "about since example 100" \
        "$(case $action in raise) echo ': steps are four' ;; fade) echo 'weights are halved' ;; *) echo 'all weights are 0' ;; esac)"
    claim "$action: each makes fewer errors than without" equal "$(errors | paste -d' ' - "$tmp/idle" | awk '$1 < $3' |
        wc -l)" 5
    errors >"$tmp/$action"
done
acting --set action=fade --set lanes=2 --set rows=77
claim "when does not depend on batches and threads" equal "$(errors)" "$(<"$tmp/fade")"

# Three classes of a feature each, which trade places.
awk 'BEGIN { srand(3); for (i = 0; i < 12000; i++) { c = int(3 * rand()); print (i < 6000 ||
    rand() < .1 ? c : (c + 1) % 3) " " c + 1 ":1" } }' >"$tmp/three.svm"
sed 's/leat.parse.libsvm {[^}]*}/leat.parse.libsvm { label = "raw" }/; s/on_drift = a.action/&, classes = 3/' \
    "$tmp/acting.lua" >"$tmp/three.lua"
leat_run run "$tmp/three.lua" --set data="$tmp/three.svm" --set action=reset --summary "$tmp/s.json"
claim "classes are watched together" equal "$(json '[.stages[].metrics.drifts | select(.)] | tostring')" "[1,1,1,1,1]"

# The run is ended before the change, and goes on after it.
state() { leat_run run "$tmp/acting.lua" --set data="$1" --set action=fade --summary "$tmp/s.json" --state "$2"; }
state "$tmp/turned.svm" "$tmp/whole"
cp "$tmp/same.svm" "$tmp/growing.svm"
state "$tmp/growing.svm" "$tmp/parts"
tail -n +10001 "$tmp/turned.svm" >>"$tmp/growing.svm"
state "$tmp/growing.svm" "$tmp/parts"
model() { "$LEAT" model dump "$tmp/$1" --stage "$2" | tail -n +2; } # the first line counts the snapshots
for l in awm wm hash truncation logistic; do
    claim "$l: a run that continues sees the rise where an unbroken one does" cmp <(model whole $l) <(model parts $l)
done
sed 's/on_drift = a.action/&, rates = "shared"/' "$tmp/acting.lua" >"$tmp/shared.lua"
leat_run check "$tmp/shared.lua" --set data="$tmp/turned.svm" --set action=fade
claim_exit "on_drift with shared rates is refused" 2
claim_says "with what to do" 'on_drift: needs rates = "adaptive": set that, or leave on_drift out'
done_claims
