# was = "old-id": a renamed stage takes over its model.
. "$(dirname "$0")/../support/claims.sh"
check_refuses_too
cd "$tmp" || exit 1
svm_examples 8 2000 5 300 >rows
cat >p.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "p" {
  leat.source.file { "rows" }, leat.parse.libsvm {},
  leat.learn.awm { id = a.id or "old", was = a.was, budget = a.budget or "2KB" },
  a.type and leat.learn.logistic { id = "second", was = a.type } or leat.learn.awm { id = "other", was = a.other, budget = "2KB" },
  leat.sink.predictions { path = "out" },
}
LUA
run() { leat_run run p.lua --state "$@" --quiet --summary s.json; }
states() { "$LEAT" model dump "$1" --stage "$2" | grep "\"stage/$2/0\"" | sed "s#stage/$2/0#stage#"; }
run whole
cp rows all
head -1200 all >rows
run s
cp -r s before
cat all >rows
leat_run check p.lua --state s --set id=new --set was=old
claim_exit "a new id with its old one is right" 0
claim "the check says what it resumes from" grep -qE "^  new +resumes: from the state of 'old'\$" "$out"
run s --set id=new --set was=old
claim_exit "it continues" 0
claim_says "and the run says so" "new (learn.awm): takes over the state of 'old'"
claim "with all that it has learned" equal "$(stage new examples)" 2000
claim "byte for byte as if it had kept its id" cmp <(states s new) <(states whole old)
claim "which is something" test "$(states s new | wc -l)" -gt 10
claim "the snapshot has the new id" sh -c '! "$LEAT" model info s | grep -q "^ *old "'
claim "and can be asked" "$LEAT" model top s --stage new
cp all rows && head -300 all >>rows
run s --set id=new --set was=old
claim_exit "the next run continues, too" 0
claim "without a word" sh -c "! grep -q 'takes over' '$err'"
claim "it has it all" equal "$(stage new examples)" 2300
run s --set id=new
claim_exit "without its old id it would have another seed" 2
claim_says "and is refused" "was is nothing here and old in the snapshot"

rm -r s && cp -r before s
run s --set id=new --set was=old --set budget=4KB
claim_exit "another parameter is refused" 2
claim_says "as it is without a new name" 'new (learn.awm): budget is "4KB" here and "2KB" in the snapshot'
run s --set type=other
claim_exit "another type is refused" 2
claim_says "with both" "stage is learn.logistic here and learn.awm in the snapshot"
run s --set was=other
claim_exit "an id that the pipeline has is refused" 2
claim_says "with the reason" 'was = "other": the pipeline has a stage with this id, which keeps its own state'
run s --set id=new --set was=old --set other=old
claim_says "so are two heirs" "takes over this state already"
run s --set id=other2 --set was=gone
claim_says "an id that no snapshot has is none" \
    "the snapshot has no state of this stage; --reset other2 starts it from nothing"
run s --set id=new --set was=old --reset new
claim_exit "--reset of the new id restarts it" 0
claim "from nothing" equal "$(stage new examples)" $((2300 - 1200))
sed 's/was = a.was/was = 7/' p.lua >number.lua
leat_run check number.lua
claim_says "was is a name" "was must be a name in quotes"

# A sink that names the learner names it anew: that is no other question.
sed 's/leat.sink.predictions.*/leat.sink.top { of = a.id or "old", k = 2, path = "top.out" },/' p.lua >of.lua
leat_run run of.lua --state of --quiet
leat_run check of.lua --state of --set id=new --set was=old
claim_exit "a sink of the renamed learner is as it was" 0
leat_run run of.lua --state of --quiet --set id=new --set was=old
claim_exit "and the run continues" 0
leat_run run of.lua --state of --quiet --set id=new --set was=old
claim_exit "from the snapshot with the new id, too" 0
sed 's/of = a.id or "old"/of = "other"/' of.lua >another.lua
leat_run run another.lua --state of --quiet --set id=new --set was=old
claim_exit "another learner is another question" 2
claim_says "which is refused" 'of is "other" here and "new" in the snapshot'
done_claims
