# leat.result.*: what learners find as records. Predictions are those of sink.predictions, and further stages take them.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

awk 'BEGIN { srand(5); print "id,host,path,at,class"
    for (i = 0; i < 6000; i++) { bad = rand() < .3
        printf "%d,h%d,/p%d,%d,%s\n", i, bad && rand() < .7 ? 3 : int(rand() * 12), rand() * 5, 1700000000 + 7 * i, i % 97 == 5 ? "" : bad ? "bad" : "ok" } }' >in.csv

cat >predictions.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local bad, columns = a.bad, { "id", "host", "n" }
return leat.pipeline "predictions" {
  threads = a.threads, batch_rows = a.rows, batch_bytes = a.bytes, dead_letters = a.dead, max_reject_ratio = 1,
  leat.source.file { path = "in.csv" }, leat.parse.csv {}, leat.parse.time { "at", format = "unix", parts = { "iso8601" } },
  leat.shape.set { "n = number(id) / 8" },
  leat.label.is { column = "class", positive = "bad", missing = "reject" },
  leat.feature.columns { "host", "path", explode = a.explode }, leat.learn.logistic {},
  leat.tee {
    { leat.sink.predictions { path = a.direct or "direct", columns = columns, format = "csv" } },
    { leat.sink.predictions { path = (a.direct or "direct") .. ".p", probability = true, format = "csv" } },
    { leat.result.predictions(columns), leat.shape.where { a.where or "true" },
      leat.filter(function(id) if id == bad then error("no") end return true end, { "id" }),
      leat.sink.file { path = a.out, format = "csv", columns = a.columns } },
  },
}
LUA
run() { leat_run run predictions.lua --quiet "$@"; }

run --set out=rows
claim "a run with a result ends well" equal "$status" 0
claim "its columns are the prediction and those asked for" equal "$(head -1 rows)" score,probability,label,id,host,n
claim "they are the scores, labels and columns that sink.predictions writes" \
    cmp <(cut -d, -f1,3- rows) <(cut -d, -f2- direct)
claim "and its probabilities" cmp <(cut -d, -f2 rows) <(cut -d, -f2 direct.p)
claim "there are as many as examples" equal "$(wc -l <rows)" 5939
for how in "threads=1" "threads=4 rows=7" "threads=8 rows=1" "threads=2 rows=64 bytes=4096"; do
    # shellcheck disable=SC2046
    run $(printf -- '--set %s ' $how) --set out=other --set direct=other.direct
    claim "with $how the same bytes come out" cmp rows other
done
run --set where="score > 0.2 and label > 0" --set out=few
claim "later stages filter by them" cmp <(tail -n +2 few) <(awk -F, 'NR > 1 && $1 > 0.2 && $3 > 0' rows)
run --set where="at > 0"
claim_exit "columns that were not asked for are gone" 2
claim_says "which is said" "there is no column 'at'" "columns: score, probability, label, id, host, n"
run --set out=many --set direct=many.direct --set explode=true
claim "a record of several examples makes as many" cmp <(cut -d, -f1,3- many) <(cut -d, -f2- many.direct)
claim "of each of its attributes one" equal "$(wc -l <many)" 11877

run --set bad=8 --set out=o --set dead=dead
claim "a dead letter of a later stage has the bytes and the line that the record comes from" equal \
    "$(jq -r 'select(.stage == "filter") | "\(.line) \(.record)"' dead)" "$(awk -F, '$1 == 8 { print NR " " $0 }' in.csv)"

# The longest record fills a batch of its own; its columns fit beside it, but not twice.
long=$(printf 'x%.0s' {1..3500})
printf 'id,host,path,at,class\n1,%s,p,1700000000,ok\n2,%s,p,1700000001,bad\n' "$long" "$long" >in.csv
run --set bytes=4096 --set out=wide
claim "records as large as a batch come out whole" equal "$(cut -d, -f5 wide | sed 1d | sort | uniq -c | awk '{ print $1, length($2) }')" "2 3500"

cat >kinds.lua <<'LUA'
local leat = require "leat"
local learner = ({ value = leat.learn.sftrl { loss = "squared" }, margin = leat.learn.awm {} })[leat.args.kind]
return leat.pipeline "kinds" { leat.source.file { path = "rows.svm" }, leat.parse.libsvm { label = "raw" }, learner,
  leat.result.predictions {}, leat.sink.file { format = "csv" } }
LUA
printf '1 1:1\n0 2:1\n1 1:2\n' >rows.svm
leat_run run kinds.lua --quiet --set kind=value
claim "an estimated value has no probability" equal "$(head -1 "$out")" score,label
leat_run run kinds.lua --quiet --set kind=margin
claim "log odds have one, and records need no columns" equal "$(head -2 "$out" | tr '\n' ' ')" "score,probability,label 0,0.5,1 "
