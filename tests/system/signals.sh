# Signals: a run ends when asked, whatever its stages do, and reports what it waited for.
#
# A shell under nohup ignores SIGHUP, and so would all its children.
# tier: short (waits)
[[ ${heeds_hup:-} ]] || heeds_hup=1 exec env --default-signal=HUP bash "$0"
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

cat >endless.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "endless" {
  leat.source.null { records = 0, text = "1 1:1" }, leat.parse.libsvm {}, leat.learn.awm { budget = "2KB" },
  leat.sink.file { path = leat.args.out },
}
LUA
cat >loop.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "loop" {
  leat.source.null { records = 100, text = "a" }, leat.parse.lines {},
  leat.filter(function(x) while true do end end, { "text" }, { id = "turns", instructions = 2000000000 }), leat.sink.null {},
}
LUA

has_snapshot() { compgen -G "$1/*.snapshot"; }
snapshots() { ls "$1" | grep -c snapshot; }
start() { # DIR ARGS…: until its first snapshot is there
    leat_start "${@:2}" --state "$1"
    until_true has_snapshot "$1"
}

mkfifo stuck
sleep 600 <>stuck &
start one endless.lua --set out=stuck --every 0 --stop-timeout 4s --quiet --log-level warn
kill -USR1 $pid
claim "SIGUSR1 prints what each stage does" until_true grep -q "leat: null (source.null): .* records in" "$err"
stands() {
    kill -USR1 $pid
    grep -q 'file (sink.file): .*in process for' "$err"
}
claim "also which call a stage is in" until_true stands
switches() { cat /proc/$pid/task/*/status | awk '/^voluntary/ { n += $2 } END { print n }'; }
enough=10
[[ $LEAT != *thread* ]] || enough=30 # ThreadSanitizer has a thread that wakes up ten times a second
sleeps() {
    local before
    before=$(switches)
    sleep 1
    (($(switches) - before <= enough))
}
claim "a run that waits sleeps: no thread wakes up to look" until_true sleeps # once the rings are full
leat_stop
claim_exit "one SIGTERM ends a run whose sink stands still: at the deadline, with its own exit code" 5
claim_says "after 3 s it says what is waited for" "stopping: file (sink.file): process has not returned for" \
    " s at the latest"
claim_says "at the end it says what was not finished" \
    "did not end within 4 s of the signal: file (sink.file): process" \
    "records under way were not finished" "the last snapshot stays valid: one"
claim_says "and what is known: the records of each stage, and of all" "leat: null (source.null): " "in process for" \
    ", not finished"
claim "and the last snapshot is intact" "$LEAT" model verify one

start two loop.lua --stop-timeout 500ms --quiet
loops() {
    kill -USR1 $pid
    grep -q 'turns (lua.filter): .*in process for' "$err"
}
claim "the loop has begun" until_true loops
kill -INT $pid
leat_end
claim_exit "one SIGINT ends a run with an endless loop in a Lua function" 5
claim_says "whose stage is named" "turns (lua.filter): process has not returned"

start three endless.lua --set out=/dev/null --every 0 --summary s.json --report s.md
kill -TERM $pid
leat_end
claim_exit "SIGTERM ends a run" 0
claim "with a summary, which says that it was stopped" equal "$(jq -c '[.exit, .interrupted]' s.json)" "[0,true]"
claim "so do its report and its last line" test "$(cat s.md "$err" | grep -c ', stopped by a signal')" = 2
claim "and a closing snapshot" test "$(snapshots three)" = 2

start four endless.lua --set out=/dev/null --every 0 --quiet
kill -USR2 $pid
more() { test "$(snapshots four)" = 2; }
claim "SIGUSR2 writes a snapshot, and the run continues" until_true more
leat_stop
claim_exit "until it is ended" 0
trap '' HUP
start five endless.lua --set out=/dev/null --quiet
trap - HUP
kill -HUP $pid
kill -USR2 $pid
more() { test "$(snapshots five)" -ge 2; }
claim "under nohup, SIGHUP does nothing" until_true more
leat_stop

rest_is_long

# What was read so far says little of the input.
mkfifo some
exec 8<>some
printf 'bad\nworse\n' >&8
cat >some.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "some" { leat.source.file { "some" }, leat.parse.libsvm {}, leat.learn.awm { budget = "2KB" } }
LUA
leat_start some.lua
until_true grep -q "some:2 " "$err"
leat_stop
exec 8>&-
claim_exit "a run that is stopped when all records so far were rejected ends well" 0

# A pipe that nobody writes to.
mkfifo nobody
sed 's/{ "some" }/{ "nobody" }/' some.lua >nobody.lua
leat_start nobody.lua
claim "a run that waits for the first writer of a pipe says so" \
    until_true grep -q "warning: file (source.file): nothing has come from nobody yet: waiting for a program to write to it" "$err"
leat_stop

# Dead letters into a pipe that nobody reads, and into one that is read no more.
mkfifo letters
{ echo a && yes x | head -20000; } >bad.csv
cat >letters.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "letters" { leat.source.file { "bad.csv" }, leat.parse.csv { numbers = { "a" } }, leat.sink.null {},
  dead_letters = "letters", max_reject_ratio = 1 }
LUA
leat_start letters.lua
claim "a run whose dead letters nobody reads says so" \
    until_true grep -q 'warning: dead_letters = "letters" is a pipe without a reader: the run waits for one' \
    "$err"
leat_stop
claim_says "and ends at once when it is stopped" 'dead_letters = "letters" cannot be opened: this pipe has no reader'
leat_start letters.lua
head -1 letters >first
leat_end
claim "the first reader is waited for" grep -q '"reason":"number"' first
sleep 600 <>letters &
leat_start letters.lua --stop-timeout 1s
until_true grep -q "further rejected records" "$err"
sleep 0.2
leat_stop
claim_says "a run that cannot write them names them" \
    'the run did not end within 1 s of the signal: dead_letters = "letters" has accepted nothing for'
claim_exit "and ends with 5" 5

# Standard error that nobody reads stops every message, not the end.
if [[ $LEAT == *thread* ]]; then
    skip "a run ends also when its messages cannot be written" \
        "ThreadSanitizer holds SIGALRM back while a thread waits for a lock"
else
    mkfifo mute
    sleep 600 <>mute &
    err=mute start six endless.lua --set out=/dev/null --stop-timeout 1s --log-level debug
    # Fills the pipe to its last byte, whatever is in it: dd ends where a write would wait.
    for bytes in 4096 1; do dd if=/dev/zero of=mute bs=$bytes count=70000 oflag=nonblock 2>/dev/null; done
    leat_stop
    claim_exit "a run ends also when its messages cannot be written" 5
fi

leat_run run endless.lua --set out=/dev/null --stop-timeout soon
claim_exit "--stop-timeout takes a time" 2
claim_says "and says so" "--stop-timeout takes a time such as 20s, not soon"

mkdir with && cp "${LEAT%/bin/leat}/tests/plugins/mute.so" with
printf 'local leat = require "leat"\nreturn leat.pipeline "w" { leat.source.waits {}, leat.parse.csv {}, leat.sink.null {} }\n' >waits.lua
leat_start waits.lua --plugin-path with
waits() { kill -0 $pid && test "$(ls /proc/$pid/task | wc -l)" -ge 2; }
claim "a run waits for its header" until_true waits
kill -INT $pid
leat_end
claim_exit "a source that has no header when the run is ended is no error" 0
for said in '-9 another run owns the output now' '-3 a file, pipe or network failed' '-77 the stage gave no reason'; do
    printf 'local leat = require "leat"\nreturn leat.pipeline "m" { leat.source.null { records = 1 }, leat.sink.mute { status = %s } }\n' "${said%% *}" >mute.lua
    leat_run run mute.lua --plugin-path with
    claim_says "a stage that fails without a word has words: ${said%% *}" \
        "mute (sink.mute): cannot be opened: ${said#* }"
done
leat_run run mute.lua --plugin-path with --every 1s
claim_says "--every without --state is a warning" "warning: --every has no effect without --state DIR"
printf 'local leat = require "leat"\nfor i = 1, 3e7 do end\nreturn leat.pipeline "u" { leat.source.null { records = 1 }, leat.sink.null {} }\n' >slow.lua
"$LEAT" run slow.lua --quiet 2>"$err" & # the script takes a while
pid=$!
ignores() { (((0x$(sed -n 's/^SigIgn:\t//p' "/proc/$pid/status") & 0xa00) == 0xa00)); } # SIGUSR1 and SIGUSR2
until_true ignores
kill -USR1 $pid
kill -USR2 $pid
wait $pid
status=$?
claim_exit "SIGUSR1 and SIGUSR2 before the run begins end nothing" 0

# A stage that takes seconds for a batch: snapshots and a stop wait for the batches under way, and both say so.
cat >seconds.lua <<'LUA'
local leat = require "leat"
local function take_long() local x = 0; for i = 1, 300000 do x = x + i end; return x end
return leat.pipeline "seconds" { leat.source.null { records = 1000000, text = "a" }, leat.parse.lines { column = "t" },
  leat.map(take_long, {}, { "v" }), leat.sink.null {}, batch_rows = 1024 }
LUA
leat_start seconds.lua --state seconds --every 1s --stop-timeout 4 --progress never
advice='map (lua.map) takes \(at least \)\?[0-9.]* ms a record: set batch_rows below 1024, so that snapshots and stops wait for fewer records$'
claim "a snapshot that waits for long is told of" until_true grep \
    -q "a snapshot has waited 10 s for the records under way.*: map (lua.map): process \(has not returned for .* s\|is at work\); $advice" "$err"
leat_stop
claim_exit "a stop has its deadline" 5
claim "and says why it does not end" grep \
    -q "stopping: map (lua.map): process \(has not returned for .*\|is at work\); the run ends in [01] s at the latest; $advice" "$err"
claim "once more where it ends without" grep \
    -q "the run did not end within 4 s of the signal: .*the last snapshot stays valid: seconds; $advice" "$err"

# By a snapshot of records: the first, of none, is as a start.
printf 'local leat = require "leat"\nreturn leat.pipeline "ten" { leat.source.null { records = 10, text = "a" }, leat.parse.lines {}, leat.sink.null {} }\n' >ten.lua
leat_run run ten.lua --state ten
claim "a first run continues nothing" sh -c "! grep -q continues '$err'"
leat_run run ten.lua --state ten
claim "the next says from where it does" grep -qE "^leat: continues after 10 records, from snapshot [0-9]+ of --state$" \
    "$err"
leat_run run ten.lua --state ten --quiet
claim "with --quiet it does not" test ! -s "$err"
done_claims
