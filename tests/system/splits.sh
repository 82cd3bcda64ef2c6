# Splits: one state of each, from pipes and files, and merges that count each split once.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
awk 'BEGIN { srand(3); print "kind,size,late"; for (i = 0; i < 8000; i++)
    printf "k%d,s%d,%d\n", rand() * 40, rand() * 9, rand() < .1 }' >all.csv
sed 1d all.csv >body
split -n l/8 -d -a1 body part.
args=(--columns kind,size,late --outlier 'late == 1' --attributes kind,size)
learn() { "$LEAT" explain "$1" --quiet "${args[@]}" --split "$2" --state "$3" "${@:4}"; } # learn DATA ID STATE ARGS…
merge() { "$LEAT" model merge "$@"; }
rows() { "$LEAT" model top "$1" --k 1000 --format jsonl | jq -c '.top[] | [.feature, .count, .rate]' | sort; }

# ---- a split in, a state out ----
learn - 0 - <part.0 >0.leat
claim "a split comes by standard input, and its state goes to standard output" \
    "$LEAT" model verify 0.leat
mkfifo pipe
cat part.0 >pipe &
learn pipe 0 fifo.leat
claim "or by a named pipe, and to a file" cmp 0.leat fifo.leat
learn part.0 0 states/ 2>"$err"
claim "a folder that does not exist is named" grep -q "the folder states/: No such file or directory: make it first" "$err"
cp part.0 kept
learn part.0 0 part.0 2>"$err"
claim "a file that is no state is not replaced" cmp part.0 kept
claim "which is told" grep -q "cannot be written to part.0: it exists, and is no state" "$err"
mkdir states
for i in 0 1 2 3 4 5 6 7; do learn part.$i $i states/; done
claim "or to a folder, under its ID" cmp 0.leat states/0.snapshot
cat >lanes.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lanes" { leat.source.file { path = "part.0" },
  leat.parse.csv { header = false, columns = { "kind", "size", "late" } }, leat.label.is { "late", positive = "1" },
  leat.feature.columns { "kind", "size" }, leat.learn.contrast {}, leat.sink.null {}, threads = tonumber(leat.args.threads),
  batch_rows = tonumber(leat.args.rows) }
LUA
for threads in 1 2 8; do "$LEAT" run lanes.lua --set threads=$threads --set rows=$((9 * threads)) --quiet --split 0 \
    --state lanes.$threads; done
claim "the bytes are those of any number of threads" cmp lanes.1 lanes.2
claim "and of lanes" cmp lanes.1 lanes.8
learn part.0 'a/b ..' states/ && mv states/a%2Fb%20...snapshot odd.leat
claim "an ID that is no name of a file is written as one" equal "$("$LEAT" model info odd.leat --json |
    jq -r '.splits[0].id')" 'a/b ..'
claim "as a line of text it is the same" cmp 0.leat <(learn part.0 0 - --base64 | merge - -)
claim "which is one line" equal "$(learn part.0 0 - --base64 | wc -l)" 1
claim "a state knows its split" equal "$("$LEAT" model info 0.leat --json | jq -c '.splits[0] | [.id, .records, .bytes]')" \
    "[\"0\",$(wc -l <part.0),$(wc -c <part.0)]"
learn part.0 0 large.leat --budget 64MB
claim "a split of a large budget is read as it is" equal "$(rows large.leat)" "$(rows 0.leat)"
: | learn - 8 empty.leat
claim "an empty split is whole" "$LEAT" model verify empty.leat
: | "$LEAT" explain - --quiet --outlier 'late == 1' --attributes kind,size --split 8 --state bare.leat
claim "also where a header is expected" "$LEAT" model verify bare.leat
leat_run model top bare.leat
claim_says "of which nothing was learned" "its splits are empty"
printf '\nk,1,0\n' | "$LEAT" explain - --quiet --outlier 'late == 1' --attributes kind,size --split 9 --state bad.leat 2>"$err"
claim "an empty first line is no empty split" test $? = 2 -a ! -e bad.leat
printf 'k,1\n%.0s' {1..2000} | learn - 9 bad.leat 2>"$err"
claim "a bad split ends with 1, without a state" test $? = 1 -a ! -e bad.leat
claim "and the reason" grep -q "were rejected" "$err"
mkfifo slow
"$LEAT" explain slow "${args[@]}" --split 9 --state bad.leat >"$out" 2>"$err" &
pid=$!
exec 9>slow
cat part.0 >&9
sleep 0.5
kill -TERM $pid
wait $pid
claim "a split that is stopped has no state" test $? = 5 -a ! -e bad.leat
exec 9>&-
claim "and says that it must run again" grep -q "stopped before the end of the split" "$err"
LEAT_FAULT=snapshot_written learn part.0 0 states/0.leat 2>/dev/null
claim "nor has one that is killed while it writes" test ! -e states/0.leat
claim "whose remains are no state of the folder" equal "$(ls -A states | grep -c '^\.0')" 1

# ---- usage ----
leat_run run x.lua --split 1
claim_exit "a split needs a place for its state" 2
claim_says "and its message says so" "--split needs --state FILE"
leat_run run x.lua --state -
claim_exit "standard output is for splits" 2
leat_run run x.lua --split 1 --state x --every 10s
claim_exit "a split is learned at once" 2
leat_run run x.lua --split 1 --state - --summary -
claim_exit "standard output is for one thing" 2
leat_run run x.lua --split $'a\nb' --state x
claim_exit "an ID has no control characters" 2

# ---- merges ----
"$LEAT" explain all.csv --quiet --outlier 'late == 1' --attributes kind,size --split all --state one.leat
merge flat.leat states
claim "merged from a folder, the counts are those of one process" cmp <(rows one.leat) <(rows flat.leat)
{ head -1 all.csv; cat part.0; } | "$LEAT" explain - --quiet --outlier 'late == 1' --attributes kind,size --split 0 \
    --state headed.leat
leat_run model merge - headed.leat states/[1-7].snapshot
claim "a header or columns are no part of what was learned" cmp <(rows flat.leat) <(rows "$out")
"$LEAT" explain part.1 --quiet --columns size,kind,late --outlier 'late == 1' --attributes kind,size --split x \
    --state other.leat
leat_run model merge x.leat states/0.snapshot other.leat
claim_exit "but columns in another order are told" 2
claim_says "by name" 'other.leat: csv: columns is { "size", "kind", "late" } here and { "kind"'
same() { cmp flat.leat - && return; return 1; }
claim "a pattern" same < <(merge - 'states/*.snapshot')
claim "a list of names" same < <(ls states/*.snapshot | merge - -)
claim "snapshots one after another" same < <(cat states/*.snapshot | merge - -)
claim "and lines of text give the same bytes" same < <(for i in 7 6 5 4 3 2 1 0; do
    learn part.$i $i - --base64; done | merge - -)
claim "empty splits change no count" cmp <(rows flat.leat) <(merge - states empty.leat | "$LEAT" model top - --k 1000 \
    --format jsonl | jq -c '.top[] | [.feature, .count, .rate]' | sort)
merge none.leat empty.leat
claim "empty splits alone are one" "$LEAT" model verify none.leat
claim "they come first, too" cmp <(merge - bare.leat states/0.snapshot) <(merge - states/0.snapshot bare.leat)
touch states/notes.txt
claim "other files of a folder are passed over" same < <(merge - states)
rm states/notes.txt

# ---- each split once ----
cp states/3.snapshot again.leat
leat_run model merge - states again.leat
claim_exit "the same split twice counts once" 0
claim "with the same bytes" cmp flat.leat "$out"
claim_says "and a word" "again.leat: split 3 is merged already, and counts once"
merge low.leat states/[0-3].snapshot && merge high.leat states/[4-7].snapshot
leat_run model merge - low.leat states/2.snapshot high.leat
claim "also within a merge" cmp flat.leat "$out"
leat_run model merge x.leat low.leat states/[2-5].snapshot high.leat
claim_exit "what overlaps in part is refused" 1
claim_says "with the split" "high.leat: split 4 and others are merged already, but not all of its splits"
learn part.4 3 other.leat
leat_run model merge x.leat states other.leat
claim_exit "one ID for two splits is refused" 1
claim_says "by name" "other.leat: split 3 has learned something else, or counts otherwise, than in an input before"
learn part.4 '4 again' twin.leat
leat_run model merge x.leat states twin.leat
claim_says "one split under two IDs is told" "split 4 again has learned the same as another one"
merge pair.leat twin.leat states/5.snapshot
leat_run model merge x.leat states pair.leat
claim_exit "which hides no split that is merged already" 1
claim_says "and would count twice" "pair.leat: split 5 and others are merged already"
rm -f x.leat
leat_run model merge x.leat states/[0-46-7].snapshot --of 8
claim_exit "a split that is missing is" 1
claim_says "by name" "splits are missing: 5"
claim "and nothing is written" test ! -e x.leat
merge x.leat states --of 8
claim "all of them are merged" cmp flat.leat x.leat
leat_run model verify states
claim_says "verify says what to do with a folder of states" "is a folder of states" "leat model merge - states | leat model verify -"
learn part.0 0 - --base64 | fold -w 76 >folded
leat_run model info folded
claim_says "a line of text that is folded is told" "each state is one line, as by base64 -w0"
leat_run model verify flat.leat --of 10
claim_exit "verify says what is missing, too" 1
claim_says "in one word" "splits are missing: 8 to 9"
leat_run model merge x.leat states
claim_exit "a merge is run again" 0
claim "with the same result" cmp flat.leat x.leat
leat_run model merge x.leat low.leat
claim_exit "but replaces no other one" 2
claim_says "by its reason" "it holds splits that are in none of the inputs"
claim "and the file stays" cmp flat.leat x.leat
merge x.leat x.leat empty.leat
claim "a state grows by new splits" equal "$("$LEAT" model info x.leat --json | jq '.splits | length')" 9

# ---- parts and wholes, in any order ----
merge part.leat states/[01].snapshot && merge more.leat states/[0-2].snapshot
claim "what has all of another one, and more, counts" cmp more.leat <(merge - part.leat more.leat)
claim "in any order" cmp more.leat <(merge - more.leat part.leat)
mkdir -p tree/day=1 tree/day=2
cp states/[0-3].snapshot tree/day=1 && cp states/[4-7].snapshot tree/day=2
claim "a tree of folders is merged" same < <(merge - tree)
leat_run model merge y.leat states/0.snapshot states/1.snapshot --weight 5000000 --weight 1
claim_exit "counts that do not fit are refused" 1
claim_says "with their number" "its counts end at 4,294,967,294"
merge big.leat states/0.snapshot states/1.snapshot --weight 3000000 --weight 1
claim "a weight counts in the examples" equal "$("$LEAT" model info big.leat --json |
    jq '.stages[] | select(.id == "model") | .metrics.examples')" $((3000000 * $(wc -l <part.0) + $(wc -l <part.1)))
leat_run model merge y.leat big.leat states/2.snapshot --weight 2 --weight 1
claim_exit "also those of a merge before" 1
leat_run model merge y.leat big.leat states/0.snapshot
claim_exit "a split of two weights is refused" 1
claim_says "by name" "states/0.snapshot: split 0 has learned something else, or counts otherwise"
merge y.leat states/0.snapshot states/1.snapshot --weight 1 --weight 0
claim "what has no weight is no part of the result" equal "$("$LEAT" model info y.leat --json | jq -c '[.splits[].id]')" '["0"]'
rm y.leat
leat_run model merge states states/0.snapshot
claim_exit "a folder of states gets no result" 2
for weights in "2 1" "1 2" "1.5 1"; do
    # shellcheck disable=SC2086
    set -- $weights
    merge - states/0.snapshot states/1.snapshot --weight $1 --weight $2 >weighed.leat
    claim "weights $weights" "$LEAT" model verify weighed.leat
done

# ---- a run that continues keeps what it was learned from ----
cat >on.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "on" { leat.source.file { path = leat.args.data },
  leat.parse.csv { header = false, columns = { "kind", "size", "late" } }, leat.label.is { "late", positive = "1" },
  leat.feature.columns { "kind", "size" }, leat.learn.awm { id = "model" }, leat.sink.null {} }
LUA
on() { "$LEAT" run on.lua --set data="$1" "${@:2}" --quiet; }
for i in 0 1; do on part.$i --split $i --state on.$i; done
merge both/ on.0 on.1
on part.2 --state both --reset file
claim "a run that continues a merge keeps its splits" equal "$("$LEAT" model info both --json | jq -c '[(.splits | length), .records]')" \
    "[2,$(cat part.[0-2] | wc -l)]"
leat_run model merge y.leat both on.1
claim_exit "so they do not count again" 0
claim_says "which is told" "on.1: split 1 is merged already"
claim "and the run itself is a split" equal "$("$LEAT" model info y.leat --json | jq -c '[.splits[].id]')" '["0","1",null]'
cat >fm.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "fm" { leat.source.file { path = "part.0" },
  leat.parse.csv { header = false, columns = { "kind", "size", "late" } }, leat.label.is { "late", positive = "1" },
  leat.feature.columns { "kind", "size" }, leat.learn[leat.args.learner] { half_life = leat.args.half_life }, leat.sink.null {} }
LUA
leat_run run fm.lua --set learner=full_on --split 0 --state fm.leat
claim_exit "a learner that does not merge learns no split" 2
claim_says "by name" "full_on (learn.full_on): section" "cannot be merged"
leat_run run fm.lua --set learner=contrast --set half_life=500 --split 0 --state fm.leat --quiet
claim_says "a half-life in records is told" "its half-life counts the records of each split"

# ---- open windows ----
cat >window.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "w" { leat.source.file { path = leat.args.data },
  leat.parse.csv { header = false, columns = { "at", "k" } }, leat.parse.time { "at", format = "unix" },
  leat.window { "count", every = "1h", by = { "k" } }, leat.label.constant { value = 1 }, leat.feature.columns { "k" },
  leat.learn.frequent { id = "model" }, leat.sink.null {} }
LUA
for i in 1 2; do
    awk -v i=$i 'BEGIN { for (j = 0; j < 100 * i; j++) print 1700000000 + i * 36000 + j * 60 ",k" j % 3 }' >times.$i
    "$LEAT" run window.lua --set data=times.$i --state open.$i --keep-open --quiet
    "$LEAT" run window.lua --set data=times.$i --split $i --state closed.$i --quiet
done
leat_run model merge - open.1 open.2
claim_says "windows that are open are told" "open.1/" "window (shape.window)" "such as open windows, is not merged"
leat_run model merge - closed.1 closed.2
claim "those of a split are closed" test ! -s "$err"

# ---- bad inputs ----
rm -f y.leat
head -c 100000 flat.leat >cut.leat
leat_run model merge y.leat states/0.snapshot cut.leat
claim_exit "a state that is cut is refused" 1
claim_says "by name" "cut.leat is truncated at byte 100000"
leat_run model info - <cut.leat
claim_says "also on standard input" "standard input is truncated at byte 100000"
leat_run model top - < <(cat states/[01].snapshot)
claim_says "of which most commands take one snapshot" "has more than one snapshot: merge them first"
leat_run model merge - - </dev/null
claim_says "nothing cannot be merged" "standard input is empty"
leat_run model merge - - < <(head -c 300 /dev/zero)
claim_says "binary data are no names" "it is binary"
leat_run model merge y.leat - < <(printf '%s\0' states/*.snapshot)
claim "nor are names that end with zeros, of which the first would hide the others" test ! -e y.leat
leat_run model merge - - <<<"bGVhdFNOQVAB"
claim_says "a line of text that is cut is told" "standard input, snapshot 1"
leat_run model merge - 'none/*'
claim_says "so is a pattern without files" "no file has a name of this pattern"
"$LEAT" model dump flat.leat >text
claim "load writes to standard output" cmp flat.leat <("$LEAT" model load - - <text)
claim "info, top, dump, diff read from pipes" bash -c '{ "$1" model info - <flat.leat && "$1" model top - <flat.leat &&
    "$1" model diff <(cat flat.leat) flat.leat; } >"$2" && "$1" model dump - <flat.leat | cmp - text' _ "$LEAT" "$out"
done_claims
