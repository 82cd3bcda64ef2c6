# leat model: a snapshot alone gives the same answers as the run; copies are exact; merges add up.
# tier: long (50 s)
. "$(dirname "$0")/../support/claims.sh"
root=$PWD
cd "$tmp" || exit 1
awk 'BEGIN { srand(5); for (i = 0; i < 12000; i++) { y = rand() < .4; if (i % 997 == 5) print "bad"; else { printf "%s",
    y ? "+1" : "-1"; for (j = 0; j < 6; j++) printf " %d:1", 1 + int(rand() * 60) + (y ? 5 : 0) + 100 * j; print "" } }
    }' >whole.svm
head -6000 whole.svm >first.svm
tail -n +6001 whole.svm >second.svm
: >none.svm
cat >learn.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "learn" {
  leat.source.file { path = a.data .. ".svm" },
  leat.parse.libsvm { lanes = 2 },
  leat.tee {
    { leat.learn.awm { id = "awm", budget = a.budget or "2KB", lambda = 1e-5, counts = true, rates = "shared" } },
    { leat.learn.logistic { id = "logistic", counts = true, rates = "adagrad" } },
    { leat.learn.wm { id = "wm", budget = "2KB", lambda = tonumber(a.lambda) or 1e-5, rates = "shared" } },
    { leat.learn.space_saving { id = "ss", budget = "2KB" } },
    { leat.learn.prob_truncation { id = "pt", budget = "2KB" } },
    { leat.learn.frequent { id = "frequent" } },
    { leat.learn.paired_count_min { id = "pcm", budget = "8KB" } },
  },
  leat.merge(),
  leat.sink.top { of = "awm", k = 8, every = 5000, format = "csv", path = a.to .. ".top" },
  seed = tonumber(a.seed), batch_rows = 200,
}
LUA
for part in whole first second none; do
    leat_run run learn.lua --set data=$part --set to=$part --state $part --quiet --summary $part.json
    claim_exit "a run with snapshots: $part" 0
done
learners="awm logistic wm ss pt frequent pcm"

# ---- info, top: as the run's own summary ----
figures='.records, .rejected, (.stages[] | select(.id != "tee" and .id != "merge" and .id != "libsvm" and .id != "top") | [.id, .in, .out, .rejected, (.metrics | del(.examples_per_second, .model_bytes, .budget_bytes, .table_bytes, .names_bytes, .active, .bias, .features, .replaced, .cells_bytes) | with_entries(select(.key | test("examples|error_rate|log_loss|auc|calibration"))))])'
leat_run model info whole --json
claim_exit "info of a directory" 0
claim "its figures are those of the run's summary" diff <(jq -S "$figures" "$out") <(jq -S "$figures" whole.json)
claim "and it says when it was made" jq -e ".created / 1e9 | . > $(date +%s) - 3600 and . < $(date +%s) + 60" "$out"
newest=$(ls whole/*.snapshot | tail -1)
leat_run model info "$newest"
claim "info of a file, for people" grep -q "awm .*learn.awm .*examples 11,987" "$out"
tops='[.top[] | [.feature, (to_entries[] | select(.key != "feature") | .value * 1e6 | round)]]'
for id in $learners; do
    leat_run model top whole --stage $id --k 100 --format jsonl
    claim "top of $id is the run's" diff <(jq -c "$tops" "$out") \
        <(jq -c ".stages[] | select(.id == \"$id\") | $tops" whole.json)
done
leat_run model top whole --stage awm --k 8 --format csv
claim "top as CSV is what sink.top wrote at the end" diff "$out" <(head -1 whole.top; tail -8 whole.top)
leat_run model top whole --stage file
claim_exit "a stage that is no learner is refused" 2
leat_run model top whole --stage mdoel
claim_says "a stage that is not there is answered with those that are" "no stage mdoel" "awm, logistic, wm"

# ---- dump, load: the same bytes ----
cat >other.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "other" {
  leat.source.file { path = "words.csv" },
  leat.parse.csv {},
  leat.label.quantile { column = "x", q = 0.8 },
  leat.feature.tokens { column = "text", id = "tokens" },
  leat.feature.pairs { window = 3, id = "pairs" },
  leat.learn.awm { id = "pmi", bias = "none" },
  leat.sink.changes { k = 9, every = 300, path = "other.changes" },
  batch_rows = 8,
}
LUA
awk 'BEGIN { srand(3); print "text,x"; for (i = 0; i < 300; i++) { for (j = 0; j < 9; j++) printf "w%d ",
    rand() * rand() * 90; print "," rand() } }' >words.csv
leat_run run other.lua --state other --quiet
claim_exit "a pipeline whose transforms have states" 0
for d in whole none other; do
    for f in $d/*.snapshot; do
        "$LEAT" model dump $f >text && "$LEAT" model load text copy
        claim "$f as text and back has the same bytes" cmp $f copy
        rm -f copy
    done
done
leat_run model verify other
claim "states of transforms are restored, too" grep -q "4 stages restored\|3 stages restored" "$out"
leat_run model dump whole --stage wm
claim "a dump of one stage has its two sections" equal "$(jq -r 'select(.stage) | .section' "$out" |
    tr '\n' ' ')" "host/wm/0 stage/wm/0 "
"$LEAT" model dump whole >text
"$LEAT" model load - copied/ <text
claim "load into a directory makes a state directory" cmp "$newest" copied/*.snapshot
leat_run model load text copied/
claim_exit "but not into one that has snapshots" 2
leat_run model load text "$newest"
claim_exit "nor over a file" 2
rest_is_long

printf '{"section":"x","stage":"s","version":1}\n{"section":"x","field":"u","type":"u64","value":"18446744073709551615"}\n{"section":"x","field":"f","type":"f32","values":[-0.0,"0x7fc00001","0xff800000",1e-45,3.4028235e+38]}\n{"section":"x","field":"d","type":"f64","value":5e-324}\n{"section":"x","field":"b","type":"u8","hex":"00ff0a"}\n{"section":"x","field":"i","type":"i64","value":"-9223372036854775808"}\n{"section":"x","field":"t","type":"text","text":"K\303\266ln\\n"}\n{"section":"x","field":"h","type":"text","hex":"ff"}\n{"section":"x","field":"a","type":"i64","values":[-1,"9223372036854775807"]}\n{"section":"x","field":"e","type":"i64","values":[]}\n' | cat text - >odd
"$LEAT" model load odd odd.snapshot
claim "numbers at the edges of their types are loaded" [ -s odd.snapshot ]
claim "and dumped as they were" cmp <(grep '"section":"x"' odd | jq -S .) <("$LEAT" model dump odd.snapshot |
    grep '"section":"x"' | jq -S .)
for line in '{"section":"y","field":"u","type":"u64","value":1}' \
    '{"section":"x","field":"n","type":"u32","values":[4294967296]}' \
    '{"section":"x","field":"n","type":"f32","values":["0x7fc0"]}' \
    '{"section":"x","field":"u","type":"u64","value":2}' 'nonsense' \
    '{"section":"x","field":"n","type":"i64","values":["9223372036854775808"]}' \
    '{"section":"x","field":"n","type":"i64","value":"-"}' \
    '{"section":"x","field":"n","type":"text","text":"a\u0000b"}' \
    '{"section":"x","field":"n","type":"text","value":3}' \
    '{"section":"x","field":"g","type":"u8","hex":"0g"}' '{"section":"x","stage":"s","version":1}'; do
    (cat odd; echo "$line") >bad
    leat_run model load bad bad.snapshot
    claim "a bad line is refused with its number: ${line:0:60}" eval \
        '[[ $status == 1 && ! -e bad.snapshot ]] && grep -q "bad:$(wc -l <bad): " "$err"'
done

for checkpoint in '"18446744073709551615"' -1; do
    sed "1s/\"checkpoint\":[0-9]*/\"checkpoint\":$checkpoint/" text >bad
    leat_run model load bad checkpoint/
    claim "a checkpoint that no run could go on from is refused: $checkpoint" eval \
        '[[ $status == 1 && ! -e checkpoint ]] && grep -q "bad:1: the first line must be" "$err"'
done

# ---- verify ----
leat_run model verify whole
claim_exit "verify of what is whole" 0
cp -r whole renamed
cp "$(ls renamed/*.snapshot | tail -1)" renamed/0000000000999999.snapshot
leat_run model verify renamed
claim_exit "a snapshot of another checkpoint than its name says is refused, as a run does" 1
claim_says "with its name" \
    "renamed/0000000000999999.snapshot: its name is of another checkpoint: rename it to 00"
claim "says ok of every snapshot" equal "$(grep -c ': ok: .* 7 stages restored' "$out")" "$(ls whole/*.snapshot |
    wc -l)"
size=$(stat -c %s "$newest") missed=0
for i in $(seq 0 24); do
    cp "$newest" damaged
    at=$((i * size / 25))
    byte=$(od -An -tu1 -j $at -N 1 damaged)
    printf "\\x$(printf %x $(((byte + 1) % 256)))" | dd of=damaged bs=1 seek=$at conv=notrunc status=none
    leat_run model verify damaged
    [[ $status == 1 ]] && grep -q "error: damaged [hi]a\?s " "$err" || missed=$((missed + 1))
done
claim "a changed byte anywhere is found" equal $missed 0
head -c 5000 "$newest" >short
leat_run model verify short
claim_exit "a file cut short is found" 1
claim_says "with its name and both lengths" "short is truncated at byte 5000 of $size"
leat_run model info whole.svm
claim_says "what is no snapshot is named" "whole.svm is not a snapshot"
leat_run model info missing
claim_says "what is not there is named" "missing cannot be read"
truncate -s 1T sparse
info_of() { # with little memory, which sanitizers do not bear
    case $LEAT in *release*) ulimit -v 4000000 ;; esac
    leat_run model info "$1"
}
(info_of sparse)
claim "of a file of any length only the head is read when it is none" grep -q "sparse is not a snapshot" "$err"
head -c 64 "$newest" >head
truncate -s 1T head
(info_of head)
claim "also when it has the head of one" grep -q "head has 1099511627776 bytes instead of" "$err"
mkfifo pipe
printf 'no snapshot' >pipe &
leat_run model info pipe
claim_says "a pipe is read, and named" "pipe is no snapshot"
mkdir empty
leat_run model info empty
claim_says "a directory without snapshots is named" "empty: this folder has no snapshot"
cp -r whole hurt
for f in hurt/*.snapshot; do last=$f; done
printf X | dd of="$last" bs=1 seek=3000 conv=notrunc status=none
leat_run model verify hurt
claim_exit "verify of a directory looks at all of it" 1
leat_run model info hurt
claim_says "other commands take the newest that is whole" "is damaged" "trying the previous snapshot"

forge=${LEAT%/bin/leat}/tests/programs/forge_snapshot
# A state that no stage can have: told by file, section and field.
wrong() { jq -c "$1" text >changed; rm -f changed.snapshot; "$forge" changed changed.snapshot; leat_run model verify \
    changed.snapshot; }
wrong 'if .section == "stage/wm/0" and .field == "width" then .value = 999 else . end'
claim_exit "a field of another value is found" 1
claim_says "and named with both values" \
    "changed.snapshot: wm (learn.wm): section stage/wm/0 cannot be restored: width is 999 in the saved state"
wrong 'if .section == "stage/awm/0" and .field == "weights" then .values |= .[1:] else . end'
claim_says "so is an array too short" "section stage/awm/0" "weights has"
wrong 'select(.section != "stage/ss/0")'
claim_says "and a section that is missing" "no section stage/ss/0"
wrong 'select(.section != "stage/ss/0" or .field != "frequencies")'
claim_says "and a field" "section stage/ss/0 cannot be restored: field frequencies is missing"
wrong 'if .section == "pipeline" then .text |= sub("2KB"; "7") else . end'
claim_says "and a parameter out of range" "changed.snapshot: error: awm (learn.awm): budget must be"
wrong 'if .section == "pipeline" then .text |= sub("learn.awm"; "learn.mine") elif .stage == "learn.awm" then .stage = "learn.mine" else . end'
claim_says "a plugin that is not there is named" "there is no stage 'learn.mine'" "--plugin-path"
leat_run model info changed.snapshot
claim "info does without" grep -q "learn.mine .*examples 11,987" "$out"

# ---- merge ----
states() { "$LEAT" model dump "$1" | jq -cS 'select((.section | tostring | startswith("stage/")) and (.section |
    test("file|top") | not))'; }
leat_run model merge both first second
claim_exit "two halves are merged" 0
leat_run model info both --json
claim "records, examples and rejections add up" equal "$(jq -c '[.records, .rejected, (.stages[] | select(.id ==
    "awm") | .metrics.examples), (.splits | length)]' "$out")" \
    "$(jq -c '[.records, .rejected, (.stages[] | select(.id == "awm") | .metrics.examples), 2]' <("$LEAT" model info \
    whole --json))"
claim "nothing that was learned is left out" equal "$(jq -c .dropped "$out")" null
leat_run model verify both
claim_exit "a merged snapshot is whole" 0
counts() { "$LEAT" model top "$1" --stage logistic --k 1000 --format jsonl | jq -cS '[.top[] | [.feature, .count]] |
    sort'; }
claim "counts of features are exactly those of one run" diff <(counts both) <(counts whole)
counters() { "$LEAT" model top "$1" --stage $2 --k 1000 --format jsonl | jq -cS '.top[]' | sort; }
claim "so is all of learn.frequent" diff <(counters both frequent) <(counters whole frequent)
claim "and the counters of learn.paired_count_min" equal \
    "$("$LEAT" model diff whole both --json | jq -c '[.state[] | select(.section == "stage/pcm/0") |
        .field] - ["cursor", "ids", "ratios", "name_sizes", "names", "parts"]')" '[]'
# alike LEAST BOUND: lines "feature weight weight" on standard input, at least so many, none further apart
alike() { awk -v least="$1" -v bound="$2" '{ d = $2 - $3; if (d * d > bound * bound) { bad++; print } } END {
    exit bad > 0 || NR < least }'; }
both_alike() { # A B LEAST BOUND LEARNER…
    local a=$1 b=$2 least=$3 bound=$4 id
    shift 4
    for id in "$@"; do
        join <(weights "$a" $id) <(weights "$b" $id) | alike $least $bound || return 1
    done
}
weights() { "$LEAT" model top "$1" --stage $2 --k 1000 --format jsonl | jq -r '.top[] | "\(.feature) \(.weight)"' |
    sort; }
for id in awm logistic; do # means of models of half the data: alike, not equal
    claim "weights of $id go with those of one run: correlation above 0.95" below 0.95 "$(join <(weights both $id) \
        <(weights whole $id) |
        awk '{ n++; x += $2; y += $3; xx += $2 * $2; yy += $3 * $3; xy += $2 * $3 } END {
            print (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y)) }')"
done
leat_run model merge turned second first
claim "the order of the inputs does not matter" both_alike both turned 50 1e-5 logistic ss frequent
"$LEAT" model merge plus first none && "$LEAT" model merge minus none first
claim "a fresh model added changes nothing" cmp <(states first) <(states plus)
claim "added to a fresh one it stays the same" cmp <(states first) <(states minus)
leat_run model merge twice first first
claim_exit "a model is not merged with itself" 1
claim_says "but with what to do" "first/" "it has learned the same as an input before: leave one out" "--weight 2"
"$LEAT" run learn.lua --set data=first --set to=first --state repeated --quiet
leat_run model merge thrice first repeated
claim_says "nor are two runs of the same records" "repeated/" "it has learned the same as an input before"
claim "and nothing is written of either" test ! -e twice -a ! -e thrice
leat_run model merge twice first none --weight 2 --weight 1
leat_run model merge nothing first second --weight 0 --weight 0
claim_exit "weights that are all 0 are refused" 2
claim_says "with what to do" "every --weight is 0" "above 0"
claim "and nothing is written" test ! -e nothing
"$LEAT" model merge lone first second --weight 1 --weight 0
claim "an input of weight 0 adds nothing to the models" cmp <(states first) <(states lone)
for name in a b c; do "$LEAT" run learn.lua --set data=first --set to=first --split $name --state $name.part --quiet; done
leat_run model merge three a.part b.part c.part && "$LEAT" model merge heavy first none --weight 3 --weight 1
claim_says "three splits of the same records are told" "split b has learned the same as another one"
claim "weight 3 is three times merged" both_alike three heavy 50 1e-4 logistic frequent
claim "and counts three times" equal "$(states three | jq -s 'map(select(.field == "examples")) | map(.value) | unique |
    .[]')" $((3 * $(jq '.stages[] | select(.id == "awm") | .metrics.examples' first.json)))
"$LEAT" model merge again both none
claim "what was merged can be merged again" equal "$("$LEAT" model info again --json | jq -c '[(.splits | length), .dropped]')" \
    '[3,null]'
leat_run model merge both first second
claim_exit "merged again it is the same" 0
leat_run model merge both first none
claim_exit "nothing else is overwritten" 2
leat_run model merge x first second --weight 2
claim_exit "a weight must be given for each" 2
leat_run model merge other.merged other
claim "a sample and a quantile do not add and are dropped" equal "$("$LEAT" model info other.merged --json |
    jq -c '.dropped | sort')" '["pairs","quantile"]'
claim "but the limit of the quantile is kept" jq -es '.[] | select(.section == "pipeline").text | fromjson | .limits.quantile
    | has("threshold")' <("$LEAT" model dump other.merged)
leat_run model verify other.merged
claim_exit "which verify knows" 0

# ---- every learner that merges: identity, order, grouping ----
cat >all.lua <<'LUA'
local leat = require "leat"
local all = {}
for name in leat.args.names:gmatch "[^,]+" do
  local s, known = { id = name }, leat.parameters("learn." .. name)
  for key, value in pairs { budget = "4KB", min_count = 1, max_features = 256, names_budget = "64KB", loss = "logistic", m = 20, precision = "full" } do
    if known[key] then s[key] = value end
  end
  all[#all + 1] = { leat.learn[name](s), leat.sink.null {} }
end
return leat.pipeline "all" { leat.source.file { path = leat.args.data .. ".svm" }, leat.parse.libsvm {}, leat.feature.normalize {}, leat.tee(all) }
LUA
learn_all() { "$LEAT" run all.lua --set names=$1 --set data=$2 --state all.$2 --quiet 2>/dev/null; }
no_merge="adagrad fm fm_ftrl full_on ocg ogd oja_son rp_son"
merging=$("$LEAT" plugins --json | jq -r --arg no "$no_merge" '[.[] | select(.kind == "learner") | .name |
    sub("learn.";"")] - ["product"] - ($no | split(" ")) | join(",")')
awk 'BEGIN { srand(8); for (i = 0; i < 1800; i++) { y = rand() < .4; printf "%s", y ? "+1" : "-1";
    for (j = 0; j < 5; j++) printf " %d:%.2f", 1 + int(rand() * 12) + 2 * y + 15 * j, rand(); print "" } }' >all.svm
sed -n 1,700p all.svm >a.svm
sed -n 701,1400p all.svm >b.svm
sed -n '1401,$p' all.svm >c.svm
for part in a b c none; do learn_all $merging $part; done
m() { "$LEAT" model merge "all.$1" "all.$2" "all.$3"; }
m ab a b && m ba b a && m abc ab c && m bc b c && m a_bc a bc && m a0 a none && m 0a none a
claim "a fresh one changes none of $merging" cmp <(states all.a) <(states all.a0)
claim "nor does it matter which is first" cmp <(states all.a) <(states all.0a)
leat_run model verify all.a_bc
claim_exit "what has been merged twice is whole" 0
tops() { "$LEAT" model top "all.$1" --k 1000 --format jsonl | jq -cS '.learner as $l | .top[] | [$l, (.feature |
    split(" × ") | sort), ([to_entries[] | select(.value | type == "number").value | . * 1e4 | round])]' | sort; }
claim "a with b and b with a say the same" diff <(tops ab) <(tops ba)
claim "so do (a b) c and a (b c), but for what is within bounds only" diff <(tops abc |
    grep -v 'hash\|sftrl\|cooccurrence') <(tops a_bc | grep -v 'hash\|sftrl\|cooccurrence')
claim "all have something to say" equal "$(tops abc | cut -d'"' -f2 | uniq | paste -sd,)" "$merging"
for id in $no_merge; do
    rm -rf all.c x
    learn_all $id c
    leat_run model merge x all.c all.c
    claim "$id has no merge, says so, and nothing is written" eval \
        '[[ $status == 1 && ! -e x ]] && grep -q "$id (learn.$id): section stage/$id/0 cannot be merged: " "$err"'
done

# Learners of several classes: their states say how many, and schemas which.
cat >classes.lua <<'LUA'
local leat = require "leat"
local all = {}
for name in leat.args.names:gmatch "[^,]+" do
  local budget = leat.parameters("learn." .. name).budget and "2KB"
  all[#all + 1] = { leat.learn[name] { id = name, budget = budget or nil }, leat.sink.null {} }
end
return leat.pipeline "classes" {
  leat.source.file { leat.args.data .. ".csv" }, leat.parse.csv {},
  leat.label.class { column = "c", classes = { "x", "y", "z" } }, leat.feature.columns { "u" }, leat.tee(all),
}
LUA
awk 'BEGIN { srand(9); print "c,u"; for (i = 0; i < 400; i++) { c = int(rand() * 3); printf "%s,u%d\n", substr("xyz",
    c + 1, 1), rand() * 20 + c * 3 } }' >some.csv
head -1 some.csv >no.csv
of_classes=$("$LEAT" plugins --json | jq -r '[.[] | select(.kind == "learner" and any(.params[]; .name == "classes")) |
    .name | sub("learn."; "")] | join(",")')
for data in some no; do leat_run run classes.lua --set data=$data --set names="$of_classes" --state classes.$data \
    --quiet; done
"$LEAT" model merge classes.left classes.no classes.some && "$LEAT" model merge classes.right classes.some classes.no
claim "$of_classes are merged with classes, and a fresh one changes nothing" cmp <(states classes.some) <(states \
    classes.left)
claim "whichever is first" cmp <(states classes.some) <(states classes.right)
leat_run model verify classes.left
claim_exit "and what was merged is whole" 0
leat_run model top classes.left --stage wm --k 3
claim "features are called by their class" grep -q "[xyz]: u=u" "$out"

refused() { # refused WORDS SETTING: another pipeline
    rm -rf differs x
    "$LEAT" run learn.lua --set data=second --set to=d --set $2 --state differs --quiet
    leat_run model merge x first differs
    claim "$1 is refused, and nothing written" eval '[[ $status == 2 && ! -e x ]]'
}
refused "another seed" seed=7
claim_says "by name" "pipeline: seed is 7 here and 1 in first/"
refused "another budget" budget=4KB
claim_says "by stage and name" 'awm: budget is "4KB" here and "2KB" in first/'
refused "another parameter" lambda=0.001
claim_says "by stage and name, too" "wm: lambda is 0.001 here and 1e-05 in first/"
"$LEAT" model dump second | jq -c 'if .section == "stage/wm/0" and .field ==
    "seed" then .value = "12345678901234567890" else . end' >changed
rm -f changed.snapshot x
"$forge" changed changed.snapshot
leat_run model merge x first changed.snapshot
claim_exit "cells of other hash functions are refused" 1
claim_says "by the field" \
    "changed.snapshot: wm (learn.wm): section stage/wm/0 cannot be merged: seed is 12345678901234567890 in the saved state"

"$LEAT" model merge on/ first second
leat_run run learn.lua --set data=first --set to=first --state on --quiet
claim_exit "to go on with a merged model its source must begin anew" 2
claim_says "which the run says" "file (source.file): the snapshot has no state of this stage; --reset file starts it from nothing"
leat_run run learn.lua --set data=none --set to=none --state on --reset file --reset top --quiet
claim_exit "then it goes on" 0
leat_run run learn.lua --set data=none --set to=none --state on --quiet
claim "with the models as they were merged" cmp <(states both) <(states on)
rm -rf on
"$LEAT" model merge on/ first second
sed 's/a.data .. ".svm"/"first.svm"/; s/a.to .. ".top"/"first.top"/' learn.lua >same.lua
leat_run run same.lua --state on --reset file --quiet --summary s.json
claim "or learns more" equal "$(stage awm examples)" \
    "$((2 * $(jq '.stages[] | select(.id == "awm") | .metrics.examples' first.json) + $(jq '.stages[] | select(.id == "awm") | .metrics.examples' second.json)))"

# ---- diff ----
leat_run model diff whole "$newest" --json
claim "a snapshot does not differ from itself" equal "$(jq -c '[.parameters, .figures, .state, .features]' "$out")" \
    '[[],[],[],[]]'
leat_run model diff first second --json --k 7
claim_exit "two halves differ" 0
claim "in where they write, but not in where their files lie" \
    jq -e '.parameters | any(.name == "path") and all(.stage != "file")' "$out"
claim "in their records" jq -e '.figures | any(.name == "error_rate" and .a != .b)' "$out"
claim "in cells" jq -e '.state | any(.section == "stage/wm/0" and .field == "cells" and .differ > 0 and
    .differ <= .elements)' "$out"
"$LEAT" model diff first second >"$tmp/diff.txt"
claim "for people weights come before figures, and these before fields" equal \
    "$(grep -nE '^(weights, largest|figures|fields of the states)' "$tmp/diff.txt" | cut -d: -f2 | cut -c1-7 |
    paste -sd' ')" "weights figures fields "
claim "and in weights, largest change first" jq -e '[.features[].change | fabs] | length == 7 and . == (sort |
    reverse)' "$out"
jq -r '[.features[] | select(.a and .b)][0] | "\(.stage) \(.feature) \(.a) \(.b)"' "$out" >moved
read -r id feature a b <moved
claim "which are those of both tops" eval \
    'weights first $id | grep -q "^$feature $a" && weights second $id | grep -q "^$feature $b"'
leat_run model diff whole first
claim "for people, too" grep -q "records: 12,000 and 6,000" "$out"

# ---- a run that goes on ----
cat >long.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "long" {
  leat.source.file { path = "whole.svm", ["repeat"] = 4000 }, leat.parse.libsvm {}, leat.learn.awm { id = "m", budget = "2KB" },
  leat.sink.null {}, batch_rows = 100,
}
LUA
leat_start long.lua --state live --every 1ms --quiet
bad=0 seen=0
until_true compgen -G "live/*.snapshot"
for i in $(seq 8); do
    for what in info verify "top --k 3" dump; do
        # shellcheck disable=SC2086
        "$LEAT" model ${what%% *} live ${what#"${what%% *}"} >"$out" 2>"$err" || { bad=$((bad + 1)); cat "$err"; }
    done
done
has_ended $pid || seen=1
leat_stop
claim "a directory can be looked at while a run writes there" equal $bad$seen 01

leat_run model
claim_exit "leat model alone says how it is used" 2
leat_run model inof x
claim_says "a wrong word is answered with the right one" "did you mean 'info'?"
leat_run model info
claim_says "and what is missing with the usage" "usage: leat model info DIR|FILE"
leat_run help
claim "help lists the commands" equal "$(grep -o 'leat model [a-z]*' "$out" | cut -d' ' -f3 |
    tr '\n' ' ')" "info top dump load verify merge diff "

# ---- top asks as sink.top does ----
cd "$tmp" || exit 1
leat_run run "$root/pipelines/explain.lua" --quiet --set min_risk_ratio=2 --state explained
cp "$out" of_sink
leat_run model top explained
claim "a model has the ranking, the floors, the columns and the title that the run's table had" cmp "$out" of_sink
claim "which has rows" below 8 "$(wc -l <of_sink)"
leat_run model top explained --k 3
claim "of which --k takes the first" bash \
    -c "[ \$(wc -l <'$out') = 5 ] && tail -3 '$out' | awk '{ print \$2, \$3 }' | diff - <(sed -n 3,5p of_sink | awk '{ print \$2, \$3 }')"
leat_run model top explained --k 40 --set min_count=0 --set min_support=0 --set min_risk_ratio=0 --set min_odds_gain=0 \
    --set order=weight --set sign=both --format jsonl
claim "--set asks something else" jq -e '[.top[].weight] | min < 0 and (map(fabs) | . == (sort | reverse))' "$out"
claim "and other formats have all columns" jq -e '.top[0] | has("twins") and has("ratio_low")' "$out"
leat_run model top explained --set order=best
claim_exit "a parameter is checked as that of sink.top is" 2
claim_says "in its words" 'order must be "weight", "risk", "support", "share", "gain" or "change", not "best"'
leat_run model top explained --set min_odds_gain=.5
claim_says "as a whole, too" "min_odds_gain: 0.5 is below 1"
leat_run model top explained --set min_cuont=3
claim_exit "a parameter that is none is refused" 2
claim_says "with the one that is meant" \
    "model top of model (learn.contrast) takes no 'min_cuont': did you mean 'min_count'?"
leat_run model top explained --set columns=wieght
claim_says "so is a column that is none" \
    "columns: model (learn.contrast) has no column 'wieght' (columns: weight, rate, relative_risk, ratio,"
cat >plain.lua <<LUA
local leat = require "leat"
return leat.pipeline "plain" { leat.source.file { "$root/pipelines/data/senate-disbursements.csv.zst" }, leat.parse.csv {},
  leat.label.is { "line_type", positive = "three data line" }, leat.feature.columns { "description" },
  leat.learn[leat.args.learner or "awm"] { id = "m" },
  leat.sink.top { k = 5, min_count = leat.args.min_count, min_support = leat.args.min_support, sign = leat.args.sign, order = leat.args.order } }
LUA
leat_run run plain.lua --quiet --set min_count=20 --state plain --log-level warn
claim_exit "a condition that the learner cannot keep does not end the run" 0
claim_says "but is told" \
    "top (sink.top): min_count: m does not have this for its features: leave the parameter out, or use a learner that counts by label (counts = true, or learn.contrast)"
leat_run run plain.lua --quiet --set order=risk --log-level warn
claim_says "so is an order" "order: m does not have this"
leat_run run plain.lua --quiet --set sign=positive --log-level warn
claim "what it can keep is not" sh -c "! grep -q 'cannot answer' '$err'"
for set in min_count=2 min_support=.1 min_risk_ratio=2 order=support; do
    leat_run model top plain --set $set
    claim_exit "model top refuses $set of a learner that does not count" 2
    claim_says "and says what to do" "${set%=*}: m (learn.awm) does not have this" \
        "leave the parameter out, or use a learner that counts"
done
leat_run run plain.lua --quiet --set learner=paired_count_min --set min_support=.02 --set order=support \
    --set sign=positive --state pcm
leat_run model top pcm --set min_support=.02 --set order=support --set sign=positive --format jsonl
claim "learn.paired_count_min keeps floors, order and sign" jq -e '(.top | length) > 2 and all(.top[];
    .support_outliers >= .02 and .weight > 0) and ([.top[].count] | . == (sort | reverse))' "$out"

# Without the plugin of its learner nobody knows what a learner's scores are.
svm_examples 7 400 4 50 >"$tmp/few.svm"
cat >few.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "few" { leat.source.file { path = "few.svm" }, leat.parse.libsvm {}, leat.learn.awm {}, leat.sink.null {} }
LUA
leat_run run few.lua --quiet --state few
mkdir -p "$tmp/less/bin" "$tmp/less/lib/leat/plugins"
cp "$LEAT" "$tmp/less/bin/leat"
cp "$(dirname "$LEAT")"/../lib/leat/plugins/*.so "$tmp/less/lib/leat/plugins/"
rm "$tmp/less/lib/leat/plugins/learners_linear.so"
LEAT=$tmp/less/bin/leat leat_run model info few --json
claim_exit "a model whose plugin is not there is shown" 0
claim "without figures of another kind of learner" test "$(jq -c '.stages[] | select(.stage == "learn.awm").metrics' \
    "$out")" = '{"examples":400}'
done_claims
