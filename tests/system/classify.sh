# Classifiers side by side on libsvm, CSV and text, by --set alone.
# tier: long (12 s)
. "$(dirname "$0")/../support/claims.sh"
# without the speed, which is another in each run
# Without rates and, as of `timeless`, the memory that the system has given.
answer() { sed -E '/^[a-z_]+ .*B  /s/ +[0-9,]+$//; /^[a-z_]+ .*B  /s/( [KMG]?B) +[0-9.]+ [KMG]?B /\1 /; /^constant /s/ +-$//; s/ +ex.s$//' "$out"; }
metric() { jq -r ".stages[] | select(.id == \"$1\").metrics.$2" "$tmp/s.json"; }

# Features 1 and 2 decide; 10 to 2009 are noise.
awk 'BEGIN { srand(5); for (i = 0; i < 20000; i++) { a = rand() < 0.3; b = rand() < 0.3;
  y = rand() < (a ? 0.9 : b ? 0.1 : 0.5) ? "+1" : "-1";
  printf "%s", y; if (a) printf " 1:1"; if (b) printf " 2:1";
  n = 10 + int(rand() * 400); for (j = 0; j < 5; j++) { printf " %d:%.2f", n, 0.1 + rand(); n += 1 + int(rand() * 399) }
  print "" } }' >"$tmp/a.libsvm"

leat_run run pipelines/classify.lua --set data="$tmp/a.libsvm" --set learner=awm,logistic --set budget=8KB \
    --set lambda=1e-6 --set eta0=0.1 --set loss=logistic --set seed=1 --set k=2 --set normalize=true \
    --quiet --summary "$tmp/s.json"
claim_exit "two learners run on one parse" 0
claim "each stands in the summary by its name" equal "$(jq -r '[.stages[] | select(.metrics.auc != null).id] |
    join(" ")' "$tmp/s.json")" "awm logistic"
claim "both saw every example" equal "$(metric awm examples) $(metric logistic examples)" "20000 20000"
claim "the text was parsed once" equal "$(stage libsvm in)" 20000
claim "the one with a budget keeps it" below "$(metric awm model_bytes)" 8193
for l in awm logistic; do
    claim "$l does better than chance" below 0.65 "$(metric $l auc)"
    claim "$l has error rate and log loss" sh -c "[ $(metric $l error_rate) != null ] && [ $(metric $l \
        log_loss) != null ]"
done
claim "the tables come in the order of the learners" equal "$(grep -oE '\((awm|logistic),' "$out" |
    tr -d '\n')" "(awm,(logistic,"
claim "and show the two features that decide" equal "$(awk '$1 ~ /^[12]$/ { print $NF }' "$out" | sort | uniq -c |
    tr -s ' \n' ' ')" " 2 1 2 2 "
answer >"$tmp/first"
leat_run run pipelines/classify.lua --set data="$tmp/a.libsvm" --set learner=awm,logistic --set budget=8KB \
    --set lambda=1e-6 --set eta0=0.1 --set loss=logistic --set seed=1 --set k=2 --set normalize=true --quiet
claim "a second run prints the same" diff <(answer) "$tmp/first"
leat_run run pipelines/classify.lua --quiet --set learner=frequent --set budget=1KB --set loss=squared <"$tmp/a.libsvm"
claim_exit "what a learner does not have is not given to it; data may come by standard input" 0
leat_run run pipelines/classify.lua --set data="$tmp/a.libsvm" --set learner=awm,logistic --set budget=8KB \
    --set lambda=1e-6 --set eta=0.1 --set m=20 --set alpha0=1 --set logistic.lambda=0.01 --set normalize=true --set k=2
claim "eta is what a learner calls its rate, and one learner can be given a parameter of its own" \
    equal "$(sed -n 2,5p "$out")" "$(sed -n 2,5p "$tmp/first")"
claim "which changes that one" sh -c "! cmp -s '$out' '$tmp/first'"
claim "the end compares the two by error" grep -q "points of error (95 % *$\|points of error (95 % interval" "$out"
claim_says "and says what the last fifth was like" "error rate = " "(last fifth "
cat >"$tmp/asks.lua" <<'LUA'
local leat = require "leat"
local p = leat.parameters("learn.awm")
assert(p.budget == "size" and p.lambda == "number" and p.nonesuch == nil)
assert(leat.parameters("learn.nonesuch") == nil)
return leat.pipeline "asks" { leat.source.null {}, leat.sink.null {} }
LUA
leat_run check "$tmp/asks.lua"
claim_exit "a script can ask what parameters a stage has" 0

same_learners() { # same_learners FORMAT DATA: figures of both learners
    leat_run run pipelines/classify.lua --set format="$1" --set data="$2" --set learner=awm,logistic --set budget=8KB \
        --set lambda=1e-6 --set seed=1 --set normalize=true --quiet --summary "$tmp/s.json"
    jq -c '[.stages[] | select(.metrics.auc != null) | .metrics | [.examples, .log_loss, .auc]]' "$tmp/s.json"
}
expected=$(same_learners libsvm "$tmp/a.libsvm")
sed 's/ / |/; s/|/| /' "$tmp/a.libsvm" >"$tmp/a.vw"
claim "the same rows in VW's text give the same figures" equal "$(same_learners vw "$tmp/a.vw")" "$expected"
sed 's/ / |user /; s/$/ |debug x y:2/' "$tmp/a.libsvm" >"$tmp/named.vw"
leat_run run pipelines/classify.lua --set format=vw --set data="$tmp/named.vw" --set ignore=debug --set k=2 \
    --set out=jsonl --quiet
claim "features show with their namespaces, and namespaces can be left out" \
    equal "$(jq -r '.top[].feature' "$out" | sort | tr '\n' ' ')" "user^1 user^2 "
leat_run run pipelines/classify.lua --set format=vw --set data="$tmp/named.vw" --set ignore=debug,dbg
claim_says "the run says which namespace never came" "ignore: no record has a namespace 'dbg'"
sed 's/ \([0-9]*:\)/ 3:\1/g' "$tmp/a.libsvm" >"$tmp/a.ffm"
leat_run run pipelines/classify.lua --set format=libffm --set data="$tmp/a.ffm" --set k=2 --set out=jsonl --quiet
claim "features of libffm show with their fields" \
    equal "$(jq -r '.top[].feature' "$out" | sort | tr '\n' ' ')" "3:1 3:2 "
{ echo '1 |a b:x'; head -100 "$tmp/named.vw"; echo '1|a b'; } >"$tmp/bad.vw"
cat >"$tmp/bad.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "bad" {
  leat.source.file { leat.args.data }, leat.parse.vw {}, leat.learn.logistic {}, dead_letters = leat.args.dead,
}
LUA
leat_run run "$tmp/bad.lua" --set data="$tmp/bad.vw" --set dead="$tmp/dead.jsonl" --quiet
claim "wrong records are dead letters with line, reason and place" equal \
    "$(jq -r '"\(.line) \(.reason) \(.message)"' "$tmp/dead.jsonl" | sed 's/ (or ends.*,/,/' | tr '\n' ';')" \
    "1 number value 'x' is not a number, at byte 8;102 label '1' touches the '|', at byte 1;"

leat_run run pipelines/classify.lua --set data="$tmp/a.libsvm" --set learner=nonesuch
claim_exit "a learner that does not exist is a configuration error" 2

# Months in a row, each with its own share: the weight of a month is what its last days left.
awk 'BEGIN { srand(8); print "month,kind,late"; for (i = 0; i < 12000; i++) { m = int(i / 1000); k = int(rand() * 3)
    late = rand() < 0.1 + 0.06 * (m % 5) + 0.25 * (int(i / 250) % 2); print "m" m ",k" k "," late } }' >"$tmp/months.csv"
months() { leat_run run pipelines/classify.lua --quiet --set label=late --set positive=1 --set attributes=month,kind "$@"; }
months --set data="$tmp/months.csv"
claim_says "a feature whose records come in one block is named, with the remedy" "the records are in an order: month=m" \
    " comes in one block (records " "or so), as do " " and a label is like the one before" "--set shuffle=true"
months --set data="$tmp/months.csv" --set shuffle=true
claim "of the same file in a random order nothing is said" sh -c "! grep -q 'in an order' '$err'"
claim "the constant has its errors of the last fifth" grep -Eq '^constant +- +- +0\.[0-9]+ +0\.[0-9]+ ' "$out"

rest_is_long

sort -t, -k1,1 "$tmp/months.csv" | grep -v late | awk -F, -v OFS=, '{ $3 = int(NR / 40) % 2; print }' |
    sed '1i month,kind,late' >"$tmp/runs.csv"
months --set data="$tmp/runs.csv"
read -r changes constant last < <(awk -F, 'NR > 1 { n++; if (n > 1 && $3 != was) c++; was = $3; y[n] = $3; k[$3]++
    b[n] = best; if (k[$3] > k[best + 0]) best = $3 } END { for (i = n - n / 5 + 1; i <= n; i++) l += y[i] != b[i] + 0
    printf "%.4f %.4f %.4f\n", c / n, k[0] / n < .5 ? k[0] / n : k[1] / n, l / (n / 5) }' "$tmp/runs.csv")
claim "the label before is a row, as awk has it" grep -Eq "^no change +- +- +$changes " "$out"
claim "and the constant's last fifth is that of awk" grep -Eq "^constant +- +- +$constant +$last " "$out"
gzip -c "$tmp/months.csv" >"$tmp/months.csv.gz"
months --set data="$tmp/months.csv.gz" --set shuffle=true
claim_says "a compressed file is not shuffled" "write it as text first, or leave out shuffle"
months --set data="$tmp/months.csv" --set learner=logistic,awm
claim "several learners have one warning" equal "$(grep -c 'in an order' "$err")" 1

awk 'BEGIN { srand(6); print "age;job;income"; for (i = 0; i < 8000; i++) { j = int(rand() * 6);
    a = int(rand() * 60) + 18;
  print a / 100 ";j" j ";" (rand() < (j == 2 ? 0.95 : j == 4 ? 0.05 : 0.4) ? ">50K" : "<=50K") } }' >"$tmp/adult.csv"
leat_run run pipelines/classify.lua --set data="$tmp/adult.csv" --set format=csv --set label=income \
    --set "positive=>50K" \
    --set attributes=job --set numbers=age --set delimiter=';' --set k=2 --set out=jsonl --quiet --summary "$tmp/s.json"
claim_exit "columns are classified by a text label" 0
claim "the attributes that matter are named" equal "$(jq -r '.top[].feature' "$out" | sort |
    tr '\n' ' ')" "job=j2 job=j4 "
claim "every record has a label" equal "$(metric awm examples)" 8000
sed 's/;>50K$/;1/; s/;<=50K$/;0/' "$tmp/adult.csv" >"$tmp/numbers.csv"
leat_run run pipelines/classify.lua --set data="$tmp/numbers.csv" --set format=csv --set label=income \
    --set attributes=job \
    --set numbers=age --set delimiter=';' --set k=2 --set out=jsonl --quiet
claim "labels that are numbers give the same" equal "$(jq -r '.top[].feature' "$out" | sort |
    tr '\n' ' ')" "job=j2 job=j4 "
leat_run run pipelines/classify.lua --set data="$tmp/adult.csv" --set format=csv --set attributes=job
claim_exit "CSV without a label column is a configuration error" 2
claim_says "which names the parameter" "column"

awk 'BEGIN { srand(7); for (i = 0; i < 3000; i++) { s = rand() < 0.4;
  print (s ? "spam" : "ham") "\t" (s ? "WIN a \"prize\" now" : "see you at lunch") " w" int(rand() * 300) } }' \
      >"$tmp/spam.tsv"
leat_run run pipelines/classify.lua --set data="$tmp/spam.tsv" --set format=text --set positive=spam --set k=8 \
    --set out=jsonl --quiet --summary "$tmp/s.json"
claim_exit "texts are classified by their words" 0
claim "in lower case, with quotes no obstacle" sh -c "jq -r '.top[].feature' $out | grep -qx prize"
claim "of which nothing was rejected" equal "$(json '[.stages[].rejected] | add')" 0
claim "the errors are few" below "$(metric awm error_rate)" 0.02
leat_run run pipelines/classify.lua --set data="$tmp/spam.tsv" --set format=words
claim_exit "a format that is none is a configuration error" 2
claim_says "and says which there are" "libsvm, vw, libffm, csv, json, otlp, avro, cbor, msgpack, protobuf, logfmt or text, or the format of a log"

# Three kinds, each with a word of its own; every tenth has another's.
awk 'BEGIN { srand(8); split("red green blue", kind); split("apple leaf sky", word); print "kind,word,size";
  for (i = 0; i < 6000; i++) { k = 1 + int(rand() * 3); w = rand() < 0.9 ? k : 1 + int(rand() * 3);
    print (i % 100 ? kind[k] : "grey") "," word[w] "," k / 3 } }' >"$tmp/kinds.csv"
figures() { leat_run run pipelines/classify.lua --set data="$tmp/a.libsvm" --quiet --set figures=jsonl "$@"; timeless \
    "$out" | sed 's/"examples_per_second":[^,]*,//'; }
claim "normalize=yes is normalize=true" equal "$(figures --set normalize=yes)" "$(figures --set normalize=true)"
claim "and something else than normalize=no" sh -c '[ "$0" != "$1" ]' "$(figures --set normalize=no)" "$(figures \
    --set normalize=true)"
figures --set normalize=maybe
claim_exit "what is neither true nor false is a configuration error" 2
claim_says "with its name" "--set normalize=maybe: normalize takes true or false"
kinds() { leat_run run pipelines/classify.lua --set data="$tmp/kinds.csv" --set format=csv --set label=kind \
    --set attributes=word --quiet "$@"; }
kinds --set classes=red,green,blue --set others=filter --set learner=awm,logistic,hash --set k=6 --set out=jsonl \
    --summary "$tmp/s.json"
claim_exit "several classes are told apart" 0
claim "other classes are left out" equal "$(metric logistic examples)" 5940
for l in awm logistic hash; do
    claim "$l errs where words mislead" below 0.05 "$(metric $l error_rate)"
    claim "and nowhere else" below "$(metric $l error_rate)" 0.09
    claim "$l keeps no log loss of classes" equal "$(metric $l log_loss)" null
done
claim "each class is told by its word" equal "$(jq -r 'select(.learner == "awm").top[] | select(.weight > 0).feature' \
    "$out" | tr '\n' ';')" \
    "red: word=apple;green: word=leaf;blue: word=sky;"
printf 'kind,a\nw,1\nx,2\ny,3\nz,4\n' >"$tmp/four.csv"
cat >"$tmp/four.lua" <<'LUA'
local leat = require "leat"
local k = tonumber(leat.args.k)
local label = { column = "kind", classes = { "w", "x", "y", "z" } }
return leat.pipeline "four" {
  leat.source.file { leat.args.data }, leat.parse.csv {}, leat.label.class(label), leat.feature.columns { "a" },
  leat.learn.awm { id = "model" }, leat.tee { { leat.sink.top { k = k, of = "model" } }, { leat.result.top { k = k, of = "model" }, leat.sink.null {} } },
}
LUA
leat_run check "$tmp/four.lua" --set data="$tmp/four.csv" --set k=3
claim_exit "rows that do not suffice for all classes are no error" 0
claim_says "check says which classes have none" \
    "top (sink.top): k = 3 rows are shared by the 4 classes of model (learn.awm), which leaves 1 of them without a row: make k at least 4" \
    "top2 (result.top): k = 3 rows are shared by the 4 classes"
leat_run run "$tmp/four.lua" --set data="$tmp/four.csv" --set k=3 --quiet
claim_says "and so does the run" "top (sink.top): k = 3 rows are shared by the 4 classes"
leat_run check "$tmp/four.lua" --set data="$tmp/four.csv" --set k=4
claim "one row for each is enough" equal "$(grep -c 'rows are shared' "$err")" 0
kinds --set classes=red,green,blue --set seed=1 --summary "$tmp/s.json"
claim "others are rejected unless told otherwise" equal "$(json '[.stages[].rejected] | add')" 60
kinds --set positive=red --set others=filter
claim_exit "others is refused where nothing can leave them out" 2
claim_says "and needs names" "others needs the names of the classes to keep: --set classes=a,b"
kinds --set positive=red --set classes=red,green,blue
claim_exit "labels are of two classes or of several" 2
claim_says "and one of the two parameters has to go" "give only one of them"
kinds --set classes=red,green,blue --set learner=awm,hash,awm
claim_exit "a learner is compared once" 2
claim_says "and which one was given twice is said" "learner has awm twice" "awm{rates=shared}"
svm_examples 4 2000 5 300 >"$tmp/two.svm"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/two.svm" \
    --set learner='awm,awm{rates=shared, eta0=0.2},logistic' --set awm.lambda=0 --summary "$tmp/s.json"
claim_exit "with parameters in braces a learner is compared with itself" 0
claim "each setting has its row" equal "$(grep -c '^awm[ {].* KB ' "$out")" 2
claim "and they are two learners" test "$(json '.stages[] | select(.id == "awm").metrics.log_loss')" != "$(json \
    '.stages[] | select(.id == "awm{rates=shared, eta0=0.2}").metrics.log_loss')"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/two.svm" --set learner='awm,awm{rates=adaptive}' \
    --set budget=1KB --summary "$tmp/s.json"
claim "two spellings of one setting are one learner, seed and all" test "$(json '.stages[] | select(.id ==
    "awm").metrics.log_loss')" == "$(json '.stages[] | select(.id == "awm{rates=adaptive}").metrics.log_loss')"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/two.svm" --set learner='awm,awm{rats=shared}'
claim_says "a parameter that the learner does not have is named" "unknown parameter 'rats'" "did you mean 'rates'"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/two.svm" --set learner='awm{rates}'
claim_says "and what is none" "'rates' is not PARAMETER=value"
kinds --set classes=red,green,blue --set others=filter --set learner=frequent
claim_exit "a learner of two classes is refused" 2
kinds --set classes=3 --set learner=rfd_son
claim_exit "so is it of classes that are numbers" 2
claim_says "with its name" "classes is 3, but learn.rfd_son takes only two"
claim_says "and says why" "takes only two"
kinds --set classes=red,green,blue --set learner=,
claim_exit "no learner is a configuration error" 2
claim_says "that says so" "there is no learner: give at least one"
sed 's/^red/0/; s/^green/1/; s/^blue/2/; /^grey/d' "$tmp/kinds.csv" >"$tmp/numbered.csv"
leat_run run pipelines/classify.lua --set data="$tmp/numbered.csv" --set format=csv --set label=kind \
    --set attributes=word \
    --set classes=3 --set k=6 --set out=jsonl --quiet
claim "classes may be numbers" equal "$(jq -r '.top[] | select(.weight > 0).feature' "$out" |
    tr '\n' ';')" "0: word=apple;1: word=leaf;2: word=sky;"

# ---- what is not taken in silence ----

awk 'BEGIN { for (i = 0; i < 300; i++) print i % 3, i % 3 + 1 ":1" }' >"$tmp/three.svm"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/three.svm" --set classes=3 --set learner=awm,logistic \
    --summary "$tmp/s.json"
claim "libsvm has numbered classes, too" equal "$(jq -r '[.stages[].metrics.error_rate | select(. != null) < 0.3] |
    tostring' "$tmp/s.json") $(json .rejected)" "[true,true] 0"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/three.svm" --set classes=a,b,c
claim_exit "and none by name" 2

awk 'BEGIN { for (i = 0; i < 200; i++) print (i % 2 ? "+1" : "-1"), "1:" i % 3, "2:" (i == 100 ? "-1e19" : "9e18") }' \
    >"$tmp/large.svm"
for l in awm logistic hash mission bear truncation space_saving; do
    leat_run run pipelines/classify.lua --quiet --set data="$tmp/large.svm" --set learner=$l --summary "$tmp/s.json"
    claim "$l: a value of 1e19 is rejected, and no smaller one" equal "$(stage $l rejected)" 1
done
claim_says "with its size and what to do" "entry 2 (feature 2) is -1e+19: scale values below 1e+19"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/large.svm" --set budget=1KB --set awm.active=100000
claim_exit "more features than the budget has bytes for are refused" 2
claim_says "with both sizes" "active: 100000 features take" "more than budget = 1024 bytes"
# LEARNER, and what is said of it.
refused() {
    leat_run check pipelines/classify.lua --set data="$tmp/two.svm" --set learner="$1"
    claim_exit "$1 is refused" 2
    claim_says "and what to do is said" "$2"
}
refused 'awm{budget=8KB,budget_total=16KB}' "budget: has no effect together with budget_total: leave one of the two out"
refused 'wm{budget=32KB,epsilon=1}' "budget: has no effect together with epsilon: leave one of the two out"
refused 'wm{budget_total=1MB,epsilon=1}' "budget_total: has no effect together with epsilon: leave one of the two out"
refused 'wm{delta=0.1}' "delta: has no effect without epsilon: set both, or leave delta out"
refused 'wm{row_norm=2,epsilon=0}' "row_norm: has no effect without epsilon"
refused 'awm{rate=1,rate=2}' "where rate is set twice: leave one of the two out"
refused 'awm{id=other}' "its id is its name with the braces: leave id out"
refused 'awm{budget_total=8KB,width=100000}' "8192 bytes are too few: with width unchanged, the model takes at least"
least=$(grep -o 'at least [0-9]*' "$err" | grep -o '[0-9]*')
leat_run check pipelines/classify.lua --set data="$tmp/two.svm" --set learner="awm{budget_total=$least,width=100000}"
claim_exit "the size that is said suffices" 0
leat_run check pipelines/classify.lua --set data="$tmp/two.svm" --set learner="awm{budget_total=$least,width=100000}" \
    --set names=true
claim_says "but not where features have names, and that is said, too" "for these parameters: $least bytes are too few"
leat_run check pipelines/classify.lua --set data="$tmp/two.svm" --set budget=8KB --set awm.budget_total=16KB
claim_says "a budget for all learners does not go with one's budget_total either" \
    "budget: has no effect together with budget_total"
leat_run run pipelines/classify.lua --set data="$tmp/two.svm" --set budget=64MB --log-level info
claim_says "a budget that is hardly used is told, with one that would do" \
    "features use a small part of budget = 67108864 bytes" 'KB" would hold twice as many'

# ---- the format that a file's name says ----

# FORMAT ENDING ARGS…: data from standard input, in a file of this name
says_format() {
    cat >"$tmp/named.$2"
    leat_run run pipelines/classify.lua --set data="$tmp/named.$2" --log-level info "${@:3}"
    claim_exit "a name in .$2 says the format" 0
    claim_says "which is told" "format = $1, because the name of data ends in"
}
head -5 "$tmp/two.svm" | says_format libsvm svm
head -5 "$tmp/two.svm" | gzip -c | says_format libsvm libsvm.gz
echo '1 | a b:2' | says_format vw vw
echo '1 1:3:1' | says_format libffm ffm
says_format csv csv --set label=kind --set positive=red --set attributes=word <"$tmp/kinds.csv"
tr , '\t' <"$tmp/kinds.csv" | says_format "csv with tabs" TSV --set label=kind --set positive=red --set attributes=word
leat_run run pipelines/classify.lua --quiet --set data="$tmp/named.TSV" --set label=kind --set positive=red \
    --set attributes=word --summary "$tmp/s.json"
claim "columns between tabs are read" equal "$status $(metric awm examples)" "0 6000"
leat_run check pipelines/classify.lua --set data="$tmp/named.TSV"
claim_says "without a label .tsv may be two things" "give --set label=COLUMN for columns with a heading, or --set format=text"
leat_run run pipelines/classify.lua --set data="$tmp/named.svm,$tmp/named.csv" --log-level info
claim "names that differ say nothing" sh -c "! grep -q 'format =' '$err'"

# ---- what learns nothing ----

leat_run run pipelines/classify.lua --quiet --set data="$tmp/two.svm" \
    --set learner='awm{l1=1},logistic{l1=1},hash,rfd_son'
claim_says "weights that a penalty made 0 are told" "awm{l1=1} (learn.awm): all its weights are 0" \
    "logistic{l1=1} (learn.logistic): all its weights are 0" \
    "lower the penalties (l1, lambda)"
claim "and no others" equal "$(grep -c 'all its weights' "$err")" 2
sed 's/ .*/ 1:0/' "$tmp/two.svm" >"$tmp/zeros.svm"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/zeros.svm" --set learner=awm,logistic,wm
claim "nor do values of 0 make any weight" equal "$(grep \
    -c 'all its weights are 0.*check that some features are not 0' "$err")" 3
sed 's/ .*//' "$tmp/two.svm" >"$tmp/bare.svm"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/bare.svm"
claim_says "examples without features are told" "awm (learn.awm): none of its 2000 examples has a feature"
awk 'BEGIN { print "y,a"; for (i = 0; i < 20; i++) print i % 2 ",0" }' >"$tmp/nothing.csv"
leat_run run pipelines/classify.lua --quiet --set data="$tmp/nothing.csv" --set format=csv --set label=y --set numbers=a
claim_says "and numbers that never change" "column 'a' was 0 in all 20 records: nothing was learned of it"
head -3 "$tmp/two.svm" | sed 's/^-1/+1/' >"$tmp/few.svm"
leat_run run pipelines/classify.lua --set data="$tmp/few.svm"
claim_says "a figure that does not exist is none" "best constant = n.a." "(last fifth n.a.)"
claim "and the table says why" grep -q 'last fifth is missing: there are too few examples (awm)' "$out"

# Columns of large numbers beside more tokens than there is room for.
awk 'BEGIN { srand(2); print "y,a,b,c,t"; for (i = 0; i < 40000; i++) { a = rand() - 0.5; t = int(30000 * rand() ^ 3)
    print (3 * a + (t % 3 ? -1 : 1) + rand() - 0.5 > 0 ? 1 : -1) "," a * 1e6 "," rand() * 1e6 "," 1e6 ",t" t } }' \
        >"$tmp/mixed.csv"
for seed in 1 2 3; do
    leat_run run pipelines/classify.lua --quiet --set format=csv --set label=y --set positive=1 \
        --set data="$tmp/mixed.csv" --set numbers=a,b,c \
        --set attributes=t --set learner=awm,wm,hash --set seed=$seed --summary "$tmp/s.json"
    for l in awm wm hash; do
        claim "$l: tokens do not spoil columns of large numbers, seed $seed" below "$(jq \
            ".stages[] | select(.id == \"$l\").metrics.log_loss" "$tmp/s.json")" 0.53
    done
done
# A column that is a hundred times larger from the middle on.
awk 'BEGIN { srand(5); print "y,a,b"; for (i = 0; i < 40000; i++) { a = rand() - 0.5; b = rand() - 0.5
    print (3 * a + 2 * b + rand() - 0.5 > 0 ? 1 : -1) "," a * (i < 20000 ? 1 : 100) "," b } }' >"$tmp/grown.csv"
leat_run run pipelines/classify.lua --quiet --set format=csv --set label=y --set positive=1 \
    --set data="$tmp/grown.csv" --set numbers=a,b \
    --set learner=awm,wm,hash,logistic,truncation --summary "$tmp/s.json"
for l in awm wm hash logistic truncation; do
    claim "$l: a column whose values grow does not decide alone for long" below "$(jq \
        ".stages[] | select(.id == \"$l\").metrics.log_loss" "$tmp/s.json")" 0.5
done
leat_run check pipelines/classify.lua --set data="$tmp/two.svm" --set awm.budget_total=256KB
claim_exit "budget_total may be larger than the budget that it replaces" 0

# ---- several values in a column ----
awk -v jsonl="$tmp/tags.jsonl" -v csv="$tmp/tags.csv" 'BEGIN { srand(13); for (i = 0; i < 4000; i++) { tags = "";
    text = ""; promo = 0
    for (k = 0; k < 5; k++) if (rand() < .5) { promo = promo || k == 2; n = "t" (k + i) % 5;
    if ((k + i) % 5 == 2) bad = 1; tags = tags (tags == "" ? "" : ",") "\"" n "\"";
    text = text (text == "" ? "" : "|") n }
    y = bad ? rand() < .9 : rand() < .1; bad = 0
    printf "{\"y\":%d,\"tags\":[%s]}\n", y, tags >jsonl
    printf "%s%d,%s\n", i ? "" : "y,tags\n", y, text >csv } }'
tags=(--quiet --set label=y --set positive=1 --set learner=logistic --set out=jsonl --set k=1 --set figures=none)
leat_run run pipelines/classify.lua "${tags[@]}" --set data="$tmp/tags.jsonl" --set 'attributes=tags[*]'
claim "each element of an array is a feature" equal "$(jq -r '.top[0].feature' "$out")" "tags[*]=t2"
cp "$out" "$tmp/of_json"
leat_run run pipelines/classify.lua "${tags[@]}" --set data="$tmp/tags.csv" --set lists=tags --set separator='|'
claim "as is each value of a column of CSV" cmp <(jq -c '.top[] | .weight' "$tmp/of_json") <(jq -c '.top[] | .weight' \
    "$out")
done_claims
