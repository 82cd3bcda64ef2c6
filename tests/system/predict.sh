# leat predict: the scores that the run would have given next, a line for each record, and nothing learned.
# tier: long (20 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
awk 'BEGIN { srand(7); print "y,kind,city,age,note"; for (i = 0; i < 3000; i++) { c = int(rand() * 6); a = rand() * 50
    printf "%s,%s,c%d,%.2f,n%d\n", rand() < (c < 3 ? a / 50 : .2) ? "yes" : "no", substr("uvw", 1 + int(rand() * 3), 1), c,
        a, i % 7 } }' >rows.csv
cat >learn.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function model(id, learn) return { learn, leat.sink.predictions { path = a.scores and (a.scores .. "." .. id) or "/dev/null" } } end
return leat.pipeline "learn" {
  leat.source.file { path = a.data },
  leat.parse.csv {},
  leat.shape.where { "age >= 0" },
  leat.shape.set { "half = age / 2" },
  leat.label.is { column = "y", positive = "yes" },
  leat.label.weight { column = "age" },
  leat.feature.columns { "city", "half", "note", cross = 2 },
  leat.tee {
    model("awm", leat.learn.awm { id = "awm", budget = "4KB" }),
    model("wm", leat.learn.wm { id = "wm", budget = "4KB" }),
    model("hash", leat.learn.hash { id = "hash", budget = "4KB" }),
    model("logistic", leat.learn.logistic { id = "logistic" }),
    model("truncation", leat.learn.truncation { id = "truncation", budget = "4KB" }),
    model("saving", leat.learn.space_saving { id = "saving", budget = "4KB" }),
    model("ftrl", leat.learn.ftrl_proximal { id = "ftrl" }),
    model("adagrad", leat.learn.adagrad { id = "adagrad" }),
    model("son", leat.learn.rfd_son { id = "son" }),
    model("fm", leat.learn.sftrl { id = "fm", loss = "logistic" }),
  },
}
LUA
learners="awm wm hash logistic truncation saving ftrl adagrad son fm"
leat_run run learn.lua --set data=rows.csv --quiet --state model
claim_exit "a run learns" 0
cp -r model before

# ---- the score of the next record ----
# The oracle is a longer run: it writes the score of its record 3,001 before it learns the record.
probe=(yes,u,c1,12.5,n1 no,v,c5,49,n3 yes,w,elsewhere,,n9 no,v,c2,30000,n0)
for i in 0 1 2 3; do
    { cat rows.csv && echo "${probe[i]}"; } >more.csv
    leat_run run learn.lua --set data=more.csv --quiet --set scores="wanted$i"
done
printf '%s\n' "$(head -1 rows.csv)" "${probe[@]}" >probe.csv
# The 3rd has no age: the condition filters it, and the longer run has no such line.
wanted() { for i in 0 1 3; do awk -v OFS=, '$1 == 3002 { print $2 }' "wanted$i.$1"; done; }
predicted() { "$LEAT" predict model "${2:-probe.csv}" --stage "$1" --quiet --format csv | awk -F, 'NR > 1 && $2 { print $2 }'; }
for learner in $learners; do
    claim "$learner predicts as in the stream" equal "$(predicted "$learner")" "$(wanted "$learner")"
done
claim "three scores" equal "$(wanted awm | wc -l)" 3
claim "which differ" equal "$(wanted awm | sort -u | wc -l)" 3

# ---- labels do not matter, and nothing is learned ----
cut -d, -f3- probe.csv >bare.csv
awk -F, -v OFS=, 'NR > 1 { $1 = "nonsense" } { print $5, $4, $3, $1 }' probe.csv >other.csv
for file in bare.csv other.csv; do
    claim "$file: other columns in another order, no label or a wrong one" equal "$(predicted ftrl $file)" "$(predicted ftrl)"
done
for i in 1 2 3 4 5 6 7 8; do tail -n +2 probe.csv; done | cat <(head -1 probe.csv) - >often.csv
claim "a record that comes again has the same score" equal "$(predicted logistic often.csv | sort -u | wc -l)" 3
leat_run predict model rows.csv --stage awm --quiet --format csv
cp "$out" whole.out
claim "a line for each record, and the heading" equal "$(wc -l <"$out")" 3001
claim "nothing of the state has changed" diff -r before model

# ---- as pipes, parts, threads ----
for n in 1 2 5; do
    leat_run predict model rows.csv --stage awm --quiet --format csv --set threads=$n
    claim "$n threads: the same" cmp "$out" whole.out
done
parts() { { head -1000 rows.csv; } >one.csv; { head -1 rows.csv; tail -n +1001 rows.csv; } >two.csv
    "$LEAT" predict model one.csv two.csv --stage awm --quiet --format csv | cut -d, -f2-; }
claim "two files" diff <(parts) <(cut -d, -f2- whole.out)
claim "a pipe" diff <("$LEAT" predict model --stage awm --quiet --format csv <rows.csv) whole.out
claim "- is standard input" diff <(cat rows.csv | "$LEAT" predict model - --stage awm --quiet --format csv) whole.out
newest=$(find model -name '*.snapshot' | sort | tail -1)
claim "the state from a pipe" diff <("$LEAT" predict - rows.csv --stage awm --quiet --format csv <"$newest") whole.out
claim "compressed" diff <("$LEAT" predict model <(gzip -c rows.csv) --stage awm --quiet --format csv) whole.out
claim "the first lines come before the input ends" equal \
    "$({ cat probe.csv; sleep 5; } | "$LEAT" predict model --stage awm --quiet | head -1 | jq .tag)" 2
claim "both from standard input" equal "$("$LEAT" predict - 2>/dev/null; echo $?)" 2

# ---- one line for each record ----
cat >bad.csv <<'CSV'
y,kind,city,age,note
no,u,c1,1,n1
no,u,c1,dear,n1
no,u,c1,-5,n1

no,u
no,u,"c
1",2,n1
no,u,c1,1,n1
CSV
leat_run predict model bad.csv --stage awm --quiet
claim "each has its answer" equal "$(jq -r '.rejected // (if .score then "score" else "nothing" end)' "$out" | paste -sd,)" \
    score,number,filtered,filtered,fields,score,score
claim "and its place" equal "$(jq .tag "$out" | paste -sd,)" 2,3,4,5,6,7,9
claim "and the reason" equal "$(jq -r 'select(.tag == 3).message' "$out")" "'age >= 0', character 1: 'dear' is not a number; \
number(…) would give no value"
claim "the neighbours have their own scores" equal "$(jq -s '.[0].score == .[6].score' "$out")" true
claim_exit "that is no failure" 0
claim_says "but a warning" "2 of 7 records were rejected"
leat_run predict model bad.csv --stage awm --quiet --format tsv
claim "each line has all columns" equal "$(awk -F'\t' '{ print NF }' "$out" | sort -u)" 6
{ head -1 bad.csv; yes no,u | head -5000; } >worse.csv
leat_run predict model worse.csv --stage awm --quiet
claim_exit "a file of which no record can be read" 1
claim "has a line for each all the same" equal "$(grep -c fields "$out")" 5000

# ---- kinds of predictions ----
leat_run classify rows.csv --quiet --label kind --attributes city,note --numbers age --state classes
leat_run predict classes probe.csv --quiet
claim "a class has its name" jq -es 'all(.[]; .name == ["u", "v", "w"][.class]) and length == 4' "$out"
leat_run predict classes probe.csv --quiet --format csv
claim "also in csv" equal "$(head -1 "$out")" tag,class,name,rejected,message
leat_run regress rows.csv --quiet --target age --attributes city --state values --predictions values.csv
head -4 rows.csv | cut -d, -f3 | "$LEAT" predict values --quiet >"$out"
claim "a number is a value" jq -es 'all(.[]; .value > 10 and .value < 40) and length == 3' "$out"
printf '%s\n' "196 242 3 1" "186 302 3 2" "196 302 1 3" "186 242 4 4" | tr ' ' '\t' >u.data
leat_run rate u.data --quiet --learner bias --state rates
claim "ratings" jq -es 'all(.[]; .value >= 1 and .value <= 5) and length == 4' <("$LEAT" predict rates u.data --quiet)
svm_examples 3 500 6 60 >rows.svm
leat_run classify rows.svm --quiet --state sparse --predictions sparse.csv
sed 's/^[^ ]*/0/' rows.svm >unlabelled.svm
claim "libsvm" equal "$("$LEAT" predict sparse unlabelled.svm --quiet | jq -s 'length')" 500
claim "the label of libsvm is not used" diff <("$LEAT" predict sparse unlabelled.svm) <("$LEAT" predict sparse rows.svm)
mkdir parts
for i in one two; do
    leat_run classify $i.csv --quiet --label y --positive yes --attributes city --numbers age --split $i --state parts/
done
leat_run model merge merged.snapshot parts
claim "a merge of splits predicts" equal "$("$LEAT" predict merged.snapshot probe.csv --quiet | jq -s 'map(.score) | length')" 4

# ---- other forms ----
tail -n +2 probe.csv >headless.csv
leat_run predict model headless.csv --stage ftrl --quiet --format csv --set csv.header=false \
    --set csv.columns=y,kind,city,age,note
claim "a parameter of a stage" equal "$(awk -F, 'NR > 1 && $2 { print $2 }' "$out")" "$(predicted ftrl)"
refuses() { # WORDS TEXT ARGS…
    leat_run predict "${@:3}"
    claim_exit "$1" 2
    claim_says "… with the reason" "$2"
    claim "… and no line" equal "$(wc -c <"$out")" 0
}
refuses "a stage that is not there" "no stage cvs; its stages are" model probe.csv --stage awm --set cvs.header=false
refuses "a parameter that is not there" "did you mean 'header'?" model probe.csv --stage awm --set csv.haeder=false
refuses "a parameter of a label" "only stages between the source and the learner" model probe.csv --stage awm --set is.positive=x
refuses "an argument of no script" "takes no argument 'nothing'" model probe.csv --stage awm --set nothing=1
refuses "another format" 'must be "jsonl", "csv" or "tsv"' model probe.csv --stage awm --format xml
refuses "several learners" "several learners: awm (learn.awm), wm (learn.wm)" model probe.csv
refuses "an unknown learner" "no stage awn; its stages are" model probe.csv --stage awn
refuses "a stage that is no learner" "csv (parse.csv) makes no predictions" model probe.csv --stage csv
sed '1s/city/citty/' probe.csv >renamed.csv
refuses "an unknown column" "no column 'city': did you mean 'citty'?" model renamed.csv --stage awm
leat_run explain rows.csv --quiet --metric age --attributes city --state counts
refuses "learners that count" "no learner that predicts, only model (learn.contrast)" counts rows.csv
cat >other.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local _ = a.plain
return leat.pipeline "other" {
  leat.source.file { path = "rows.csv" }, leat.parse.csv {},
  a.f and leat.map(function(age) return age * 2 end, { "age:number" }, { "twice:number" }) or {},
  a.look and leat.shape.lookup { "names.csv", key = "city", columns = { "word" } } or {},
  a.doubles and leat.shape.dedup { by = { "age" }, records = 1000 } or {},
  a.flat and leat.flat(function(emit, y, city, age) emit(y, city, age) end, { "y", "city", "age" }, { "y", "city", "age" }) or {},
  leat.label(function(y) return y == "yes" end, { "y" }),
  leat.feature.columns { "city", a.look and "word" or "age", explode = a.explode == "1" },
  leat.learn.awm { id = "awm" }, leat.sink.null {},
}
LUA
{ echo city,word; for i in 0 1 2 3 4 5; do echo c$i,w$i; done; } >names.csv
for way in f look flat explode doubles plain; do
    leat_run run other.lua --quiet --set $way=1 --state $way
    claim_exit "a run with $way" 0
done
refuses "functions" "map (lua.map) calls a function of the script" f probe.csv
refuses "records of others" "flat (lua.flat) makes new records out of its input" flat probe.csv
refuses "files that a state names" "lookup (shape.lookup) reads a file" look probe.csv
refuses "several examples of a record" "a record has no single prediction" explode probe.csv
claim "a file that the user names" equal "$("$LEAT" predict look probe.csv --quiet --set lookup.path=names.csv |
    jq -s 'map(select(.score)) | length')" 4
doubles() { "$LEAT" predict doubles <(cat probe.csv <(tail -n +2 probe.csv)) --quiet | jq -s 'map(select(.score)) | length'; }
claim "doubles are predicted, too" equal "$(doubles)" 8
claim "labels by a function do not matter" equal "$("$LEAT" predict plain probe.csv --quiet | jq -s 'length')" 4
leat_run predict model missing.csv --stage awm
claim_exit "a file that is not there" 1
leat_run predict nowhere probe.csv
claim_exit "a state that is not there" 1
claim_says "… by name" "nowhere cannot be read"
head -c 3000 "$newest" >cut.snapshot
leat_run predict cut.snapshot probe.csv --stage awm
claim_exit "a state that is cut short" 1
done_claims
