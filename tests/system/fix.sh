# What an application chooses from its data, printed by --thresholds and taken by --fix: all splits of an input then
# have the limits, attributes and edges of one process over all of it, and their models merge to its model.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# The delays rise, so each split has another quantile; its hosts and ports differ, too, and size has edges.
awk 'BEGIN { srand(11); print "delay,host,port,size"; for (i = 0; i < 16000; i++) { h = int(rand() * 5)
    d = int(rand() * 80 + i / 400 + (h == 2 ? 30 : 0))
    print d ",h" h "," (i < 8000 ? 80 : 443) "," int(exp(rand() * 9)) } }' >all.csv
for k in 0 1 2 3 4 5 6 7; do tail -n +$((2 + 2000 * k)) all.csv | head -2000 >"part.$k"; done
names=delay,host,port,size
metric=(--metric delay --quantile 0.9)
# chosen NAME: a value of the choices in fix.json.
chosen() { jq -c ".choices.$1.value$2" fix.json; }
fix_of() { leat_run explain "$@" --thresholds; cp "$out" fix.json; }

fix_of all.csv "${metric[@]}"
claim_exit "the choices are printed" 0
limit=$(tail -n +2 all.csv | cut -d, -f1 | sort -g | awk '{ v[NR] = $1 } END { print v[NR * 9 / 10] }')
claim "the limit is the quantile of all records" equal "$(chosen limits '.limits')" \
    "[{\"above\":$limit,\"column\":\"delay\"}]"
claim "and it is said that they are all" equal "$(chosen limits .from_sample)" false
claim "the attributes are those that the run chooses" equal "$(chosen attributes '.columns')" '["host","port"]'
claim "with the edges of numbers" test "$(chosen attributes '.edges[0]' | cut -c -6)" = '"size='
claim "and the number of records that they come from" equal "$(chosen attributes .sampled_records)" 10000
leat_run explain all.csv "${metric[@]}" --out jsonl --quiet
cp "$out" one
leat_run explain all.csv "${metric[@]}" --out jsonl --quiet --fix fix.json
claim "a run that takes them has the answer of one that chooses" cmp "$out" one
leat_run explain - "${metric[@]}" --out jsonl --quiet --fix fix.json <all.csv
claim "from standard input, too" cmp "$out" one
leat_run explain - "${metric[@]}" --fix fix.json <all.csv
claim_says "which says what an outlier is, and of what its limit is" "(about the quantile 0.9)"

# split K: learns part.K into the state s/K.
split() { leat_run explain "part.$1" --columns "$names" "${metric[@]}" --log-level error --quiet --state "s/$1" "${@:2}"; }
mkdir s
leat_run explain all.csv "${metric[@]}" --quiet --state s/all --header true --columns "$names" --fix fix.json
for k in 0 1 2 3 4 5 6 7; do split $k --fix fix.json --header false; done
claim_exit "a split without its heading takes them" 0
leat_run model merge merged/ s/[0-7]
claim_exit "the states of all splits merge" 0
"$LEAT" model top merged --format jsonl | jq -c 'del(.file, .covered, .covered_low, .covered_high)' >"$tmp/merged.top"
"$LEAT" model top s/all --format jsonl | jq -c 'del(.file, .covered, .covered_low, .covered_high)' >"$tmp/all.top"
claim "into the answer of one process" cmp merged.top all.top

rm -r s/[0-7]
for k in 0 7; do split $k --attributes host; done
leat_run explain part.0 --columns "$names" "${metric[@]}" --thresholds
claim "alone, a split would have another limit" test "$(jq -c .choices.limits.value.limits "$out")" != \
    "$(chosen limits .limits)"

if "$LEAT" help run | grep -q -- --split; then
    leat_run explain part.0 --columns "$names" "${metric[@]}" --split 0 --state s/0.state --quiet
    claim_says "a split that chooses for itself is told at once" \
        "warning: this split chooses its limits and attributes from its own records" \
        "leat explain ALL … --thresholds >FILE, and give each split --fix FILE"
    leat_run explain part.0 --columns "$names" "${metric[@]}" --split 0 --state s/1.state --quiet --fix fix.json
    claim "with --fix nothing is told" sh -c "! grep -q 'this split chooses' '$err'"
    leat_run explain - --columns "$names" "${metric[@]}" --attributes host --warmup 9 --split 0 --state s/2.state <part.0
    claim_says "limits that follow the records are told, too" "this split chooses its limits from its own records"
    cat >follows.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "follows" { leat.source.file { "all.csv" }, leat.parse.csv {}, leat.label.mad { column = "delay" },
  leat.feature.columns { columns = { "host" } }, leat.learn.contrast {}, leat.sink.null {} }
LUA
    leat_run run follows.lua --split 7 --state s/3.state --quiet
    claim_says "those of a stage of one's own, too" "mad (label.mad): its limit follows the records of split 7"
else skip "a split that chooses for itself is told at once" "this program has no --split"; fi

# refused ARGUMENT… -- TEXT…: a run with fix.json that is refused, with these texts.
refused() {
    local run=()
    while [[ $1 != -- ]]; do run+=("$1"); shift; done
    leat_run explain all.csv "${run[@]}" --fix fix.json
    claim_exit "refused: ${run[*]}" 2
    claim_says "and it is said why" "${@:2}"
}
refused --metric size --quantile 0.9 -- "fix.json has limits for metric = delay, and this run has metric = size"
refused --metric delay -- "fix.json has limits for quantile = 0.9, and this run has quantile = 0.8"
refused "${metric[@]}" --tail both -- "fix.json has limits for tail = high, and this run has tail = both"
refused --outlier 'delay > 7' -- "fix.json has attributes for outlier = delay >" "and this run has outlier = delay > 7"
refused "${metric[@]}" --attributes host -- "fix.json has attributes for attributes = none, and this run has attributes = host"
refused "${metric[@]}" --filter 'size > 3' -- "for filter = none, and this run has filter = size > 3"
refused "${metric[@]}" --derive 'big=size>3' -- "for derive = none, and this run has derive = big=size>3"
sed 's/delay/wait/' all.csv >other.csv
leat_run explain other.csv "${metric[@]}" --fix fix.json
claim_exit "data without a column of the choices is refused" 2
claim_says "by the name of the column" "there is no column 'delay'"
cp fix.json kept.json
for n in 1 30 100 300; do
    head -c $n kept.json >fix.json
    refused "${metric[@]}" -- "fix.json is no JSON (line " "): make it again with --thresholds"
done
echo '{"choices": {}}' >fix.json
refused "${metric[@]}" -- "fix.json has no format, so it is of another question"
echo '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]' >fix.json
refused "${metric[@]}" -- "fix.json is no JSON (it has too many arrays and objects within others)"
echo '[1]' >fix.json
refused "${metric[@]}" -- "fix.json was not made by --thresholds: make it again"
cat >gate.csv <<'CSV'
gate🚪,ms
CSV
awk 'BEGIN { srand(4); for (i = 0; i < 3000; i++) { g = int(rand() * 3); print (g ? "\360\237\232\252" g : "caf\303\251") "," int(rand() * 100 + 200 * (g == 1)) } }' \
    >>gate.csv
"$LEAT" explain gate.csv --outlier 'ms > 250' --thresholds >fix.json 2>"$err"
leat_run explain - --outlier 'ms > 250' --out jsonl --quiet --fix fix.json <gate.csv
cp "$out" plain
jq -a . fix.json >escaped.json
leat_run explain - --outlier 'ms > 250' --out jsonl --quiet --fix escaped.json <gate.csv
claim "another program may have written its texts otherwise" cmp "$out" plain
claim "which are others" bash -c "! cmp -s fix.json escaped.json && grep -q ud83d escaped.json"
claim "which have an answer" grep -q 'gate.*=' plain
rm fix.json
refused "${metric[@]}" -- "fix.json: No such file"
leat_run explain - "${metric[@]}" --thresholds <all.csv
claim_exit "what can be read only once has nothing to choose from" 2
claim_says "which is said" "thresholds: the limits of delay are not known before the run: give files of CSV"

leat_run explain nofile.csv "${metric[@]}" --thresholds
claim_says "a file that is missing is named" "cannot read nofile.csv: No such file"

# same FILE COMMAND ARGUMENT…: by standard input, with the choices of the file, a run has the answer of the file.
same() {
    local shown="${*:2} of $1"
    leat_run "$2" "$1" "${@:3}" --out jsonl --log-level error
    cp "$out" of_file
    leat_run "$2" "$1" "${@:3}" --thresholds
    cp "$out" fix.json
    leat_run "$2" - "${@:3}" --out jsonl --fix fix.json --log-level error <"$1"
    claim "the same by standard input: $shown" cmp "$out" of_file
    claim "and there is an answer: $shown" test -s of_file
}
same all.csv explain --metric delay,size --tail both --mad 1.5
same all.csv explain --metric delay --each host
same all.csv explain --outlier 'delay > 90'
same all.csv explain --outlier 'delay > 90' --attributes host,size
same all.csv compare --split 'port == 80'
same all.csv classify --label host --k 3
same all.csv classify --label port --k 3
same all.csv regress --target delay --k 3

# What is found in names of files, first lines and values is among the choices: delimiters, missing texts, formats.
awk -F, 'NR == 1 { print "at;a \"b\\c;wait;size" } NR > 1 { printf "2024-01-%02d;%s\\;%s;%s\n", 1 + NR / 1000, $2, $1,
    NR % 9 ? $4 : "NA" }' all.csv >forms.csv
awk -F, 'NR > 1 { printf "{\"at\": \"2024-01-%02d\", \"host\": \"%s\", \"ms\": %d}\n", 1 + NR / 1000, $2, $1 }' all.csv >all.jsonl
awk -F, 'NR > 1 { printf "%s - - [%02d/Jan/2024:10:00:00 +0000] \"GET /%s/%d HTTP/1.1\" %d %d\n", $2, 1 + NR / 1000, $3,
    $4 % 7, ($1 > 90 ? 500 : 200), $4 }' all.csv | sed 's/$/ "-" "agent"/' >access.log
same forms.csv explain --metric wait --quote ''
claim "a name with quotes and backslashes is kept" jq -e '.choices.attributes.value.columns | index("a \"b\\c")' fix.json
same all.jsonl explain --metric ms
same all.jsonl compare --before=-3d
same access.log explain --outlier 'status >= 500'
done_claims
