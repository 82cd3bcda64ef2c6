# Faults around the data: forks with answers, signals before the start, closed descriptors, outputs that are inputs, odd
# scripts.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
svm_examples 3 20000 4 300 >a.svm

cat >diamond.lua <<'LUA'
local leat = require "leat"
local function same(r) return true end
return leat.pipeline "diamond" {
  leat.source.file { path = "a.svm", ["repeat"] = 3 }, leat.parse.libsvm {}, leat.learn.awm { id = "m", budget = "2KB" },
  leat.tee { { leat.filter(same, { "@raw" }) }, { leat.filter(same, { "@raw" }) } },
  leat.merge(),
  leat.sink.top { id = "one", k = 2, every = 70, format = "jsonl", path = "one" },
  leat.sink.top { id = "two", k = 1, every = 1000, format = "jsonl", path = leat.args.two },
  batch_rows = 16, threads = leat.args.threads,
}
LUA
for t in 1 3; do
    rm -f one two
    leat_run run diamond.lua --set two=two --set threads=$t --quiet
    claim_exit "answers pass a tee and a merge ($t threads)" 0
    cp one one$t && cp two two$t
done
claim "each answer is shown once, in order" \
    sh -c 'jq .examples two1 | sort -nc && test "$(wc -l <two1)" = 61 && test "$(jq .last two1 | grep -c true)" = 1'
claim "and the same with any number of threads" sh -c 'cmp one1 one3 && cmp two1 two3'

# Thread 1 waits for signals, 2 to 7 are the workers, 8 is that of checkpoints.
for refused in "2 worker 1 of 6" "4 worker 3 of 6" "8 snapshots"; do
    LD_PRELOAD=${LEAT%/bin/leat}/tests/preload/no_thread.so NO_THREAD=${refused%% *} timeout 300 "$LEAT" run \
        diamond.lua --set two=two --set threads=3 --state "none$refused" --quiet 2>"$err"
    status=$?
    claim_exit "a run that gets no thread for ${refused#* } ends" 1
    claim_says "with the reason" "the system gives no thread for ${refused#* }"
done

cat >header.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "header" {
  leat.source.file { path = leat.args.data }, leat.parse.csv {}, leat.sink.file { path = leat.args.out or "-" },
  dead_letters = leat.args.dead,
}
LUA
mkfifo pipe
sleep 600 >pipe &
has_open() { find "/proc/$pid/fd" -lname "*/$1" | grep -q .; }
leat_start header.lua --set data=- --quiet <pipe
leat_stop
claim_exit "a run that waits for its header can be ended" 0
leat_start header.lua --set data=pipe --quiet
until_true has_open pipe
kill -INT $pid
leat_end
claim_exit "also one that waits for a named pipe" 0

cat >endless.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "endless" { leat.source.null { records = 0, text = "a" }, leat.parse.lines {}, leat.sink.file { path = "-" } }
LUA
out=/dev/null leat_start endless.lua --quiet
for signal in STOP TERM INT CONT; do kill -$signal $pid; done # it finds both
leat_end
claim_exit "a signal that comes twice at once, as from timeout(1), is one" 0
mkfifo stuck
sleep 600 <>stuck &
out=stuck leat_start endless.lua --quiet --log-level warn
stands() {
    kill -USR1 $pid
    grep -q '(sink.file): .*in process for' "$err"
}
until_true stands
kill -TERM $pid
until_true grep -q "stopping: " "$err"
sleep 0.3
leat_stop
claim_exit "a second one ends a run that cannot end" 130

timeout 300 "$LEAT" run header.lua --set data=- --quiet <&- >"$out" 2>"$err"
claim "a closed standard input is an error, not a hang" equal $? 1
printf 'k\na\nb\n' >in.csv
timeout 300 "$LEAT" run header.lua --set data=in.csv --quiet >&- 2>"$err"
claim "so is a closed standard output" equal $? 1

leat_run run header.lua --set data=in.csv --set out=in.csv --quiet
claim_exit "an output that is an input is refused" 2
claim_says "and named" "in.csv" "would be overwritten"
leat_run run header.lua --set data=in.csv --set dead=in.csv --quiet
claim_exit "dead letters, too" 2
claim "and the input is as it was" equal "$(tr '\n' ' ' <in.csv)" "k a b "
leat_run check header.lua --set data=in.csv --set out=o --set dead=o
claim_says "two outputs with one path are an error" "header.lua:2: error:" "is also written by file2 (sink.file)"
printf 'old\n' >dead
leat_run run header.lua --set data=missing.csv --set dead=dead --quiet
claim "a run that cannot start leaves the old dead letters alone" equal "$(cat dead)" old
leat_run run header.lua --set data=in.csv --set dead=/nowhere/d --quiet
claim_says "dead letters that cannot be opened are named" "/nowhere/d" "No such file"
printf 'k\na,b\nc\n' >bad.csv
leat_run run header.lua --set data=bad.csv --set dead=/dev/full --quiet
claim_says "a full disk under the dead letters is named" "/dev/full" "No space left"
printf 'k\n\xff,b\nc\n' >"l\xff.csv"
leat_run run header.lua --set data="l\xff.csv" --set dead=dead --set out=/dev/null --quiet --summary s.json
claim "names and records that are no UTF-8 are still JSON" \
    jq -e '.input and .stage == "csv" and (.record or .record_hex)' dead

awk 'BEGIN { for (i = 0; i < 3000; i++) print i % 2 ? "+1 1:1" : "bad"; for (i = 0; i < 60000; i++) print "-1 2:1" }' \
    >r.svm
cat >ratio.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "ratio" {
  leat.source.file { path = "r.svm" }, leat.parse.libsvm { lanes = a.lanes }, leat.learn.awm { budget = "2KB" },
  threads = a.threads,
}
LUA
for how in "1 1" "3 1" "3 4"; do
    leat_run run ratio.lua --set threads="${how% *}" --set lanes="${how#* }" --quiet
    claim_exit "too many rejections end a run alike with threads, lanes = $how" 1
    grep -o '[0-9]* of the first [0-9]* records' "$err" >"ratio${how/ /}"
done
claim "at the same record" sh -c 'cmp ratio11 ratio31 && cmp ratio11 ratio34 && test -s ratio11'

script() {
    printf 'local leat = require "leat"\nreturn leat.pipeline "x" { leat.source.null {},\n  %s, leat.sink.null {} }\n' \
        "$1" >wrong.lua
    leat_run check wrong.lua
    claim_exit "refused: $1" 2
    claim_says "with its line: $1" "wrong.lua:3: error:"
}
for s in 'leat.from()' 'leat.from(5)' 'leat.route(5, { a = {} })' 'leat.tee(5)' 'leat.batch("a", 5)' \
    'leat.stage(5, {})' \
    'leat.tee { [true] = {}, [false] = {} }' 'leat.pipeline {}' 'os.exit(0)' 'leat.filter(5, { "text" })' \
    'leat.sink.null { lanes = "3x" }' \
    'leat.sink.null(setmetatable({}, { __len = function() return 1 << 40 end })), leat.sink.nul {}'; do
    script "$s"
done
printf 'local leat = require "leat"\nlocal t = {}\nt[1] = t\nreturn leat.pipeline "x" { leat.source.null {}, t, leat.source }\n' >wrong.lua
leat_run check wrong.lua
claim_says "a list that holds itself, and a group that is no stage, are errors" \
    "holds itself" "a stage was expected here"
done_claims
