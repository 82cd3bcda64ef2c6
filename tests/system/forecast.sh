# leat check --state tells for every stage what a run would do with the snapshot.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
svm_examples 8 500 5 300 >rows
cat >f.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "f" {
  leat.source.file { "rows" }, leat.parse.libsvm { id = "parse" },
  leat.learn.awm { id = a.name or "model", budget = a.budget or "2KB" },
  leat.tee { { leat.sink.top { k = a.k or 3, path = "top", id = "top" } }, { leat.sink.null { id = "null" } } },
}
LUA
check() { leat_run check f.lua --state s "$@"; }
outcome() { jq -r ".state.stages[] | select(.id == \"$1\") | .outcome" "$out"; }
says() { grep -qE "^  $1 +$2\$" "$out"; }
check
claim "without a snapshot it says so" grep -qx "state: no snapshot in s" "$out"
claim "a stage that keeps something starts fresh" says model "starts fresh: there is no snapshot"
claim "and one that does not keeps nothing" says null "keeps nothing"
claim "a directory that the first run will make is no error" test ! -s "$err"
leat_run run f.lua --state s --quiet
check
claim_exit "the same pipeline is right" 0
claim "a learner resumes" says model resumes
claim "so do its source and its sink" eval 'says file resumes && says top resumes'
check --json
claim "also in JSON" equal "$(outcome model) $(outcome parse) $(jq .state.snapshot "$out")" "resume nothing 1"
check --set budget=4KB
claim_exit "one that has changed is an error" 2
claim "which its line says, with the reason" says model 'is refused: budget is "4KB" here and "2KB" in the snapshot'
claim "others would resume" says top resumes
check --set budget=4KB --json
claim "also in JSON" equal "$(outcome model) $(outcome top)" "refuse resume"
check --set budget=4KB --reset model
claim_exit "--reset makes it right" 0
claim "and the stage starts fresh" says model "starts fresh: --reset"
check --set k=5
claim_exit "what a sink asks may change" 0
claim "and it resumes, which its line says" says top \
    "resumes: k is 5 here and 3 in the snapshot; the new value counts from the next answer on"
claim_says "as does a warning" "top (sink.top): k is 5 here and 3 in the snapshot; the new value counts from the next answer on"
check --set name=other
claim "a stage that is new is refused" says other \
    "is refused: the snapshot has no state of this stage; --reset other starts it from nothing"
claim "and so is one that is gone" says model "is refused: the pipeline lacks this stage; --reset model drops its state"
check --set name=other --reset model --reset other
claim "--reset drops one" says model "is dropped: --reset"
claim "and starts the other" says other "starts fresh: --reset"
for file in s/*.snapshot; do echo x >"$file"; done
check
claim_exit "with damaged snapshots alone it fails as a run does" 1
claim_says "in the same words" "s contains no intact snapshot: move the directory away"
leat_run run f.lua --state s --quiet
claim_exit "which does" 1
leat_run check f.lua --json
claim "without --state there is nothing of it" equal "$(jq .state "$out")" null

# ---- a merged model has no states that cannot be merged ----

cat >m.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "m" {
  leat.source.file { leat.args.data }, leat.parse.csv {}, leat.label.quantile { column = "x", id = "label" },
  leat.feature.columns { "y" }, leat.learn.awm { id = "model", budget = "2KB" }, leat.sink.top { id = "top", path = "top" },
}
LUA
awk 'BEGIN { srand(1); print "x,y"; for (i = 0; i < 300; i++) print rand() "," int(9 * rand()) }' >half1
for split in 1 2; do leat_run run m.lua --quiet --set data=half1 --split $split --state m$split; done
leat_run model merge merged/ m1 m2
lacks="the snapshot has its counts but not its state, because it is a merge, and such states cannot be merged"
for command in check run; do
    leat_run "$command" m.lua --set data=half1 --state merged
    claim_exit "$command: refused" 2
    claim_says "each of them" "file (source.file): the snapshot has no state of this stage; --reset file" \
        "label (label.quantile): $lacks; --reset label"
    leat_run "$command" m.lua --set data=half1 --state merged --reset file
    claim_exit "$command: also if one of them restarts" 2
    leat_run "$command" m.lua --set data=half1 --state merged --reset file --reset label
    claim_exit "$command: but not if both do" 0
done

# ---- the question of a sink ----

cat >q.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local ask = { k = a.k or 3, sign = a.sign, path = "answers", format = "jsonl", every = 250 }
return leat.pipeline "q" {
  leat.source.file { "rows" }, leat.parse.libsvm {}, leat.learn.awm { id = "model", budget = "2KB" },
  a.records and { leat.result.top { k = a.k or 3, id = "result" }, leat.sink.file { path = "records", format = "csv" } } or leat.sink[a.sink or "top"](ask),
  batch_rows = 100,
}
LUA
asked() { leat_run run q.lua --quiet --state "$@"; }
asked one
svm_examples 9 500 5 300 >more
cat more >>rows
asked one --set k=5 --set sign=positive
claim_exit "a run continues with another k, and of other signs" 0
claim "answers have as many rows as was asked at their time" equal "$(jq -r '"\(.examples) \(.top | length)"' answers |
    sort -un | tr '\n' ',')" \
    "250 3,500 3,750 5,1000 5,"
claim "and signs" equal "$(jq -r 'select(.examples > 500) | .top[] | select(.weight < 0)' answers)" ""
asked kept --set records=1
asked kept --set records=1 --set k=5
claim_exit "so does one that makes records of answers" 0
claim_says "which keeps nothing" "result (result.top): k is 5 here and 3 in the snapshot; the stage has no state"
asked list --set sink=changes
asked list --set sink=changes --set k=5
claim_exit "but a list of changes is of one k" 2
claim_says "as it would tell what enters by that" "changes (sink.changes): k is 5 here and 3 in the snapshot"
done_claims
