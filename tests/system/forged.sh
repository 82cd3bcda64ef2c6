# Forged snapshots with right checksums and an attacker's contents.
#
# No command opens files that they name, reads out of bounds, or takes memory out of proportion to the file.
# tier: long (37 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
svm_examples 4 400 5 40 >a.svm
cat >learn.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "learn" {
  leat.source.file { path = "a.svm" }, leat.parse.libsvm {},
  leat.learn.awm { id = "m", budget = "2KB" }, leat.sink.top { k = 3, path = "top.txt" },
}
LUA
leat_run run learn.lua --state s --quiet
claim_exit "an honest run" 0
"$LEAT" model dump s >text
newest=$(basename "$(ls s/*.snapshot | tail -1)")
# forge NAME FILTER: NAME.snapshot is the dump after the filter of jq
forge() { jq -c "$2" text >"$1.text" && rm -f "$1.snapshot" && "${LEAT%/bin/leat}/tests/programs/forge_snapshot" \
    "$1.text" "$1.snapshot"; }
# of_pipeline FILTER: the filter applied to the JSON inside section pipeline
of_pipeline() { echo "if .section == \"pipeline\" then .text |= (fromjson | $1 | tojson) else . end"; }

# ---- nothing that a snapshot names is opened ----
leat_run model verify s
claim_exit "verify of an honest snapshot" 0
claim "it lists what it does not open, and why" equal \
    "$(grep 'not verified' "$out" | sort -u | sed 's/^ *//' | paste -sd'|')" \
    "file (source.file): not verified: a source would open its inputs|top (sink.top): not verified: a sink would open its outputs"
evil() { # evil STAGE KIND PARAMETERS: one more stage, with the schemas of the learner
    of_pipeline ".stages += [{id: \"evil\", stage: \"$1\", kind: \"$2\", version: 1, lanes: 1, after: [], parameters: $3} + (.stages[] | select(.id == \"m\") | {in: (.in | .has = 4294967295), out})]"
}
all_commands() { # all_commands FILE: every command that reads a snapshot
    rm -rf merged loaded
    for what in verify info top dump; do "$LEAT" model $what "$1"; done
    "$LEAT" model diff "$1" s
    "$LEAT" model diff s "$1"
    "$LEAT" model merge merged "$1" "$1"
    "$LEAT" model load "${1%.snapshot}.text" loaded
    rm -rf state
    mkdir state
    cp "$1" "state/$newest"
    "$LEAT" run learn.lua --state state --quiet
} >all.out 2>all.err
kafka='{topic: "\"x\"", brokers: "\"127.0.0.1:1\"", properties: "{ \"plugin.library.paths=none.so\" }"}'
forge file "$(evil sink.file sink '{path: "\"made\""}')"
forge kafka "$(evil sink.kafka sink "$kafka")"
forge source "$(evil source.file source '{path: "{ \"missing\" }"}')"
for f in file kafka source; do
    leat_run model verify $f.snapshot
    claim "a $f in a snapshot is listed, not opened" grep -q "evil (.*): not verified: a s[a-z]* would open its " "$out"
    all_commands $f.snapshot
    claim "whatever the command" eval '[[ ! -e made ]] && ! grep -q "none.so\|missing:" all.err'
done
forge learner "$(evil sink.file learner '{path: "\"made\""}')"
for what in verify top info; do
    leat_run model $what learner.snapshot
    claim_says "$what refuses a sink that calls itself a learner" \
        "section pipeline: evil (sink.file): kind is learner in the snapshot; this stage is a sink"
done
all_commands learner.snapshot
claim "and no command makes its file" [ ! -e made ]

# ---- memory ----
forge large "$(of_pipeline \
    '(.stages[] | select(.id == "m") | .parameters) += { active: "67108864", budget: "4000000000" }')"
for what in "verify large.snapshot" "top large.snapshot" "diff large.snapshot large.snapshot" \
    "merge x large.snapshot large.snapshot"; do
    # shellcheck disable=SC2086
    leat_run model $what
    claim_exit "parameters that ask for all there is are refused: ${what%% *}" 1
    claim_says "before the memory is touched, with what to do" "m (learn.awm) may need " \
        "; all stages may take " ": --memory SIZE allows more"
done

leat_run report large.snapshot -o large.md
claim_exit "a page without an answer that belongs there is no success" 1
claim "it has the reason in its place" grep -q "No answer: m (learn.awm) may need .*: --memory SIZE allows more" \
    large.md
mkdir large.d
cp large.snapshot "large.d/$newest"
claim "so has the live view" grep -q "m (learn.awm) may need" <("$LEAT" top large.d --once 2>&1)
cat >begun.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "begun" {
  leat.source.file { path = "a.svm" }, leat.parse.libsvm {}, leat.feature.sides { below = 20 },
  leat.learn.product { id = "m", size = 50, max_features = 262144 }, leat.sink.top { k = 3, path = "begun.txt" },
}
LUA
"$LEAT" run begun.lua --state begun --quiet
for what in "model verify begun" "model top begun" "report begun -o begun.md" "model diff begun begun" \
    "model merge begun2 begun"; do
    # shellcheck disable=SC2086
    leat_run $what
    claim_exit "a model with much room that has hardly begun needs no --memory: $what" 0
done

# ---- what the host keeps ----
host='.section == "host/m/0" and .field =='
forge_host() { forge "$1" "if $host \"$2\" then .value = $3 else . end"; }
run_from() { # run_from FILE: the pipeline continues from it, and writes a summary
    rm -rf state
    mkdir state
    cp "$1" "state/$newest"
    leat_run run learn.lua --state state --quiet --summary s.json
}
i=0
while read -r field value says; do
    i=$((i + 1))
    forge_host "host$i" "$field" "$value"
    leat_run model verify "host$i.snapshot"
    claim_exit "$field = $value is refused" 1
    claim_says "with field, value and bound" "section host/m/0 cannot be restored: $says"
    run_from "host$i.snapshot"
    claim_exit "a run does not continue from it, nor crash for its summary" 1
    claim "it says the same" grep -qF "section host/m/0 cannot be restored: $says" "$err"
done <<'CASES'
examples 401 401 marks do not match 401 examples
examples "9000000000000000000" examples is 9000000000000000000; it must be 0 to
examples 4294967295 401 marks do not match 4294967295 examples
mark_step 3 mark_step is 3; it must be a power of two
sum.weight "0x7ff0000000000000" sum.weight is inf; it must be 0 to 1e+140
sum.loss "0xfff0000000000000" sum.loss is -inf; it must be 0 to 1e+140
held.weight -1 held.weight is -1; it must be 0 to 1e+140
expected -1 expected is -1; it must be 0 to 1e+140
in "18446744073709551615" in is 18446744073709551615; it must be 0 to 1152921504606846976
CASES
run_of() { # run_of WORDS COUNTS REJECTED: blanks are _ in the words
    forge run "if .section != \"run\" then . elif .field == \"reasons\" then .text = \"${1//_/ }\" elif .field == \"by_reason\" then .values = $2
        elif .field == \"rejected\" then .value = $3 else . end"
}
while read -r words counts rejected says; do
    run_of "$words" "$counts" "$rejected"
    leat_run model verify run.snapshot
    claim_exit "counts of rejections that cannot be are refused: $words $counts" 1
    claim_says "with field, value and bound: $words $counts" "$says"
done <<'CASES'
number_label_ [7,1] 5 by_reason[0] (number) is 7; it must be 0 to 5
number_label_ [3,1] 6 by_reason adds up to 4, but rejected is 6
number_label_ [2,"18446744073709551615"] 3 by_reason[1] (label) is 18446744073709551615; it must be 0 to 1
number_label [1,1] 2 the field 'reasons' has no valid word for by_reason[1]
number__label_ [1,1,0] 2 the field 'reasons' has no valid word for by_reason[1]
number_Label_ [1,1] 2 the field 'reasons' has no valid word for by_reason[1]
number_label_ [1] 1 the field 'reasons' has 13 bytes, but the 1 words of by_reason have 7
number_ [1,1] 2 the field 'reasons' has no valid word for by_reason[1]
CASES
run_of number_gone_ '[1,2]' 3
leat_run model verify run.snapshot
claim_exit "a reason that no stage has any more keeps its count" 0
claim "under its word" equal "$("$LEAT" model info run.snapshot --json | jq -cS .reasons)" '{"gone":2,"number":1}'
forge kind "$(of_pipeline '(.stages[] | select(.id == "m") | .out.score) = 0')"
for inputs in "s kind.snapshot" "kind.snapshot s"; do
    rm -rf merged
    # shellcheck disable=SC2086
    leat_run model merge merged $inputs
    claim_exit "figures of two kinds are not merged: $inputs" 1
    claim_says "which is said" "section pipeline: m: score is "
done

# ---- what load writes, every command reads ----
# Each line of a dump changed in some way: load refuses the text, or all commands take the snapshot.
mapfile -t line <text
lines=${#line[@]} accepted=0 refused=0 liars=
change() { # change LINE WHAT [NEW]: the text with this line replaced, or without it
    printf '%s\n' "${line[@]:0:$1}" "${@:3}" "${line[@]:$1 + 1}" >changed
    rm -f loaded
    if ! "$LEAT" model load changed loaded 2>load.err; then
        refused=$((refused + 1))
        [[ ! -e loaded && -s load.err ]] || liars+=" $1:$2"
        return
    fi
    accepted=$((accepted + 1))
    for what in info verify dump top; do "$LEAT" model $what loaded >reader.out 2>&1 || liars+=" $1:$2:$what"; done
}
for ((i = 0; i < lines; i++)); do change $i removed; done
for filter in \
    'if .value | type == "number" then .value += 7 elif .values then .values |= .[1:] elif .text then .text |= .[1:] elif .hex then .hex |= .[2:] else .version = 99 end' \
    'if .value then .value = "18446744073709551615" elif .values then .values[0] = 4e9 elif .stage then .stage = "learn.mine" else .checkpoint = 2 end'; do
    mapfile -t new < <(jq -c "$filter" text)
    claim "each line is changed" equal ${#new[@]} "$lines"
    for ((i = 0; i < lines; i++)); do change $i "$filter" "${new[i]}"; done
done
claim "a dump has lines to change ($lines: $accepted changes accepted, $refused refused)" eval \
    '((accepted > 9 && refused > 9))'
claim "load refuses what info, verify, dump or top refuse" equal "$liars" ""

# ---- files that others put into the directory, and who may read what ----
umask 022
rm -rf state
mkdir state
echo precious >precious
ln -s ../precious state/writing.tmp
leat_run run learn.lua --state state --quiet
claim_exit "a link in place of the temporary file is no harm" 0
claim "its target is not written" equal "$(cat precious)" precious
claim "the snapshots are files" equal "$(find state -name '*.snapshot' -type f | wc -l)" "$(ls state/*.snapshot |
    wc -l)"
claim "of the owner alone" equal "$(stat -c %a state/*.snapshot state/lock | sort -u)" 600
rm -rf state
mkdir state
ln -s ../lock_of_others state/lock
leat_run run learn.lua --state state --quiet
claim_exit "a link in place of the lock is refused" 1
claim_says "by name" "its file 'lock' is a symbolic link"
claim "and its target is not made" [ ! -e lock_of_others ]
sed 's/^}$/  dead_letters = "bad.jsonl" }/' learn.lua >bad.lua
touch old.html && chmod 604 old.html
leat_run run bad.lua --quiet --summary s.json --report r.html
leat_run report s.json -o old.html
claim "owner and group may read dead letters, summary and report" equal "$(stat -c %a bad.jsonl s.json r.html |
    paste -sd' ')" "640 640 640"
claim "a report that is replaced keeps its mode" equal "$(stat -c %a old.html) $(grep -c '<title>' old.html)" "604 1"

# ---- output that does not arrive ----
for what in "check learn.lua" "plugins" "graph learn.lua" "model info s" "help" "version"; do
    # shellcheck disable=SC2086
    "$LEAT" $what >/dev/full 2>"$err"
    status=$?
    claim_exit "a full standard output is a failure: $what" 1
    claim_says "which is said: $what" "standard output: "
done
done_claims
