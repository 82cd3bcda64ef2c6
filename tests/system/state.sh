# --state: a run that is killed anywhere and started again leaves the same bytes as an undisturbed one.
# tier: long (20 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise # the shell's words on killed children
. "$OLDPWD/tests/support/state_runs.sh"

# What the summaries of two runs say of their stages, but for times, paths and the process's memory.
figures() { jq -S '[.records, .rejected, (.stages[] | [.id, .in, .out, .rejected, .top, (.metrics |
    del(.examples_per_second, .total_bytes))])]' "$1"; }

for script in one two uneven; do
    leat_run run $script.lua --set to=whole --quiet --summary whole.json
    claim_exit "$script: a run without snapshots" 0
    leat_run run $script.lua --set to=watched --state watched --every 3000 --quiet --summary watched.json
    claim_exit "$script: a run with snapshots" 0
    claim "$script: snapshots change nothing" same whole watched
    rm -rf state cut.*
    kills=0
    for i in $(seq "$(repeats 20 60)"); do
        (timeout --foreground -s KILL "0.$((RANDOM % 3))$((RANDOM % 10))" "$LEAT" run $script.lua --set to=cut \
            --state state --every 2ms \
            --quiet) 2>/dev/null && break
        kills=$((kills + 1))
    done
    leat_run run $script.lua --set to=cut --state state --every 2ms --quiet --summary cut.json
    claim_exit "$script: the last of many runs, $kills of them killed" 0
    claim "$script: killed and started again, it wrote the same bytes" same whole cut
    figures whole.json >whole.figures
    figures cut.json >cut.figures
    claim "$script: and its models and figures are the same" cmp whole.figures cut.figures
    rm -rf state cut.*
    for i in 1 2 3; do
        leat_start $script.lua --set to=cut --state state --quiet
        sleep 0.04
        leat_stop
    done
    leat_run run $script.lua --set to=cut --state state --quiet
    claim "$script: stopped by signals and started again, it wrote the same bytes" same whole cut
    rm -rf watched watched.* whole.*
done

rest_is_long

# A merge takes the second half of the short input when it is half through the long one: what was read of it by then
# must not keep snapshots from being made.
head -300 b.svm >few.svm
sed 's/"short.svm", 1/"few.svm", 1/; s/"a.svm", 6/"a.svm", 96/' uneven.lua >few.lua
LEAT_FAULT=snapshot_durable:2 leat_run run few.lua --set to=few --state few --every 10000 --quiet
claim "a short input beside a long one does not hold snapshots up" below "$("$LEAT" model info few --json |
    jq .records)" 1500000

leat_run run one.lua --set to=whole --quiet --summary whole.json
for place in handed_in snapshot_created snapshot_written snapshot_synced snapshot_renamed snapshot_durable; do
    rm -rf state cut.*
    LEAT_FAULT=$place:2 leat_run run one.lua --set to=cut --state state --every 20000 --quiet
    claim_exit "killed at $place" 137
    leat_run run one.lua --set to=cut --state state --every 20000 --quiet
    claim "killed at $place, it went on to the same bytes" same whole cut
done

# In one thread and in three.
rm -rf state cut.*
for threads in 1 3; do
    LEAT_FAULT=snapshot_durable:3 leat_run run one.lua --set to=cut --set threads=$threads --state state --every 20000 \
        --quiet
done
leat_run run one.lua --set to=cut --state state --quiet
claim "with any number of threads it goes on to the same bytes" same whole cut
leat_run run one.lua --set to=cut --state state --progress never --summary again.json
claim "a finished run that is started again has nothing to do, and changes nothing" same whole cut
claim "nor anything to warn of" sh -c '! grep -q warning "$0"' "$err"
claim_says "its speed is that of its own records" ", 0 of them in " "(0/s)"
claim "and the summary says how many are of earlier runs" jq -e '.records_before == .records and .records > 0' \
    again.json

head -c 3000 a.svm >grow.svm
leat_run run one.lua --set to=grown --set data=grow.svm --set times=1 --state grow --quiet
cat a.svm >>grow.svm
leat_run run one.lua --set to=grown --set data=grow.svm --set times=1 --state grow --quiet --summary s.json
claim "a file that has grown in the middle of a line has that line whole" [ "$(json .records)" = "$(wc -l <grow.svm)" ]

case $LEAT in *release*)
    LD_PRELOAD=${LEAT%/bin/leat}/tests/preload/sync_log.so leat_run run two.lua --set to=synced --state synced \
        --every 20000 --quiet
    claim "before a snapshot, and only then, outputs and dead letters are brought to disk" equal "$(grep \
        '^sync\|^rename' "$err" | tail -n 8)" \
        "$(for i in $(ls synced/*.snapshot | tail -n 2); do printf 'sync %s\n' synced.dead synced.predictions \
        synced.top; echo "rename ${i#*/}"; done)" ;;
esac

# Inputs that are not what they were.
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lines" {
  leat.source.file { path = "parts/*" }, leat.parse.lines { column = "line" },
  leat.sink.file { path = "lines.out", format = "csv" }, batch_rows = 64,
}
LUA
lines() { leat_run run lines.lua --state lines --quiet "$@"; }
mkdir parts
for i in 1 2 3; do seq ${i}000 ${i}999 >parts/$i; done
xz parts/2
LEAT_FAULT=snapshot_durable:3 leat_run run lines.lua --state lines --every 700 --quiet
lines
claim "files of a pattern, one compressed, are gone on with" cmp lines.out <(echo line; seq 1000 3999)
seq 4000 4099 >parts/4
lines
seq 4100 4199 >>parts/4
lines
claim "so are one that sorts behind them, and what it has grown by" cmp lines.out <(echo line; seq 1000 4199)
seq 4000 4020 >parts/4
lines --summary "$tmp/s.json"
claim_exit "a file that has shrunk ends the run" 1
claim_says "with its name and both lengths" "parts/4 is shorter than it was" "105 bytes" "1000 had been read"
claim "the summary says that it read nothing" equal "$(json '.records - .records_before') $(json '.error != null')" \
    "0 true"
seq 7000 7999 >parts/4
lines
claim_says "so does one that has been replaced" "parts/4 is not the file that the snapshot was made with"
rm parts/4
lines
claim_says "and one that is gone" "made with 4 files; now there are 3"
seq 4000 4099 >parts/5
lines
claim_says "though another has come" \
    "file 4 was 4 when the snapshot was made, and now it is 5"
mv parts/5 parts/4
seq 2 | xz >parts/0.xz
lines
claim_says "so do files that sort before the one it had come to" "when the snapshot was made" \
    "file 4 was 4 when the snapshot was made, and now it is 3"
rm parts/0.xz
claim "none of them has touched the output" cmp lines.out <(echo line; seq 1000 4199)

# Captures, half of whose packets a filter passes over; the last two.
packets() { # packets FROM TO
    for ((i = $1; i <= $2; i++)); do
        printf '%b' "\\x$(printf %x \
            $i)\0\0\0\0\0\0\0\x2a\0\0\0\x2a\0\0\0\0\0\0\0\0\1\0\0\0\0\0\2\x8\0\x45\0\0\x1c\0\1\0\0\x40\x11\0\0\xa\0\0\x$(printf %x $((i / 2 % 2)))\xa\0\1\1\0\x35\x4\xd2\0\x8\0\0"
    done
}
capture() { printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\1\0\0\0'; packets "$@"; }
cat >packets.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "packets" {
  leat.source.pcap { leat.args.path or "caps/*", filter = "not host 10.0.0.0" }, leat.parse.packet {},
  leat.sink.file { path = "packets.out", format = "csv" }, batch_rows = 4,
}
LUA
caught() { leat_run run packets.lua --state caught --quiet --summary s.json "$@"; }
mkdir caps
capture 1 60 >caps/1
capture 61 101 >caps/2
LEAT_FAULT=snapshot_durable:3 caught --every 9
caught
packets 102 110 >>caps/2
caught
capture 111 125 >caps/3
caught
claim "captures that have grown, and come, are read on" equal "$(wc -l <packets.out) $(stage pcap not_matched)" "63 63"
sed s/packets.out/packets.whole/ packets.lua >whole.lua
leat_run run whole.lua --quiet
claim "each packet once" cmp packets.whole packets.out
capture 112 130 >caps/3
caught
claim_says "one that was replaced ends the run" \
    "caps/3 is not the file that the snapshot was made with: it begins differently"
mv caps/2 caps/4
caught
claim_says "so do others in its place" \
    "file 3 was 3 when the snapshot was made, and now it is 4"

# A run without a file of dead letters leaves the one before as it is, and a later one goes on behind it.
sed 's/dead_letters = .*,/dead_letters = a.letters,/' one.lua >letters.lua
letters() { leat_run run letters.lua --set to=letters --set times=3 --state letters --every 20000 --quiet "$@"; }
LEAT_FAULT=snapshot_durable:3 letters --set letters=letters.dead
known=$("$LEAT" model dump letters | jq 'select(.section == "run" and .field == "dead_letters").value')
head -c "$known" letters.dead >letters.known
letters
letters --set letters=letters.dead
claim "a run without a file for dead letters does not lose those that there were" cmp letters.known letters.dead
claim "and there were some" below 1000 "$known"
rm -r letters && LEAT_FAULT=snapshot_durable:3 letters --set letters=letters.dead
letters --set letters=others.dead
claim_exit "another file for dead letters begins where the run continues" 0
rm -r letters && LEAT_FAULT=snapshot_durable:3 letters --set letters=again.dead
letters --set letters=again.dead
claim "and has what came since" cmp <(tail -c "$(wc -c <others.dead)" again.dead) others.dead

# What is refused, and in which words.
leat_run run one.lua --set to=cut --set budget=8KB --state state --quiet
claim_exit "another parameter is refused" 2
claim_says "and named with both values" 'budget is "8KB" here and "4KB" in the snapshot' '--reset'
leat_run run one.lua --set to=cut --set seed=9 --state state --quiet
claim_says "so is another seed" "seed is 9 here and 1 in the snapshot"
leat_run run one.lua --set to=cut --set budget=8KB --state state --reset amw --quiet
claim_exit "--reset of a stage that is not there is refused" 2
claim_says "and named" "--reset amw"
leat_run run one.lua --set to=cut --set budget=8KB --state state --reset awm --quiet
claim_exit "--reset takes it" 0
leat_run run one.lua --set to=cut --reset awm --quiet
claim_exit "so is --reset without a directory" 2
leat_run run one.lua --set to=cut --state fresh --reset amw --quiet
claim_exit "and of a stage that is not there, where there is no snapshot yet" 2
claim_says "by name" "--reset amw: the pipeline has no such stage, and fresh has no snapshot yet"
leat_run run two.lua --set to=cut --state state --quiet
claim_exit "another pipeline is refused" 2
leat_run run one.lua --set to=cut --set data=- --set times=1 --state pipe --quiet <a.svm
claim_exit "standard input is refused" 2
claim_says "because it cannot be read again" "standard input cannot be read again"
cat >order.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local x, y = leat.feature.normalize { id = "x" }, leat.feature.hash { bits = 6, id = "y" }
local p, q = { leat.learn.logistic { id = "p" } }, { leat.learn.logistic { id = "q" } }
local all = leat.filter(function() return true end, {}, { id = a.filter })
local scaled = leat.feature.normalize { id = a.scale }
local stages = {
  leat.source.file { "b.svm" }, leat.parse.libsvm {}, a.turned and y or x, a.turned and x or y,
  leat.route(function() return "u" end, {}, { u = a.crossed and q or p, v = a.crossed and p or q }),
}
if a.filter then table.insert(stages, 3, all) end
if a.scale then table.insert(stages, 3, scaled) end
return leat.pipeline "order" (stages)
LUA
order() { leat_run run order.lua --state order --quiet "$@"; }
order
order
claim_exit "a pipeline is itself" 0
order --set turned=1
claim_exit "stages in another order are refused" 2
claim_says "by name" 'x (feature.normalize): input is ["y"] here and ["libsvm"] in the snapshot'
order --set crossed=1
claim_says "so are branches of a route that are exchanged" \
    'p (learn.logistic): input is ["map where @route1 is v"] here'
order --set scale=f
claim_exit "a stage more that makes other features is refused" 2
claim "once, not with all that come after it" equal "$(grep -c "order.lua:.*([a-z.]*): " "$err")" 1
order --set scale=f --reset f
claim_exit "and can be taken" 0
order --set scale=f --set filter=g
claim_exit "a filter more is taken" 0
claim "and told once" equal "$(grep -c "order.lua:.*(.*): " "$err")" 1
order --set scale=f --set filter=g
claim "by the first run that has it" test ! -s "$err"
sed 's/id = "p"/id = ("p"):rep(201)/' order.lua >long.lua
leat_run check long.lua
claim_says "an id too long for the name of a section is refused" "id is longer than 200 bytes"
cat >exact.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "exact" {
  leat.source.file { path = "a.svm" }, leat.parse.libsvm {}, leat.learn.awm { id = "m", counts = true }, leat.eval.risk {},
}
LUA
leat_run run exact.lua --state exact --quiet
claim_exit "a stage that cannot save what it holds is refused" 2
claim_says "by name" "eval.risk" "cannot save its state"

rm -rf state cut.*
have_snapshots() { (($(ls state/*.snapshot | wc -l) >= $1)); }
leat_start one.lua --set to=cut --set times=4000 --state state --every 5ms --quiet
until_true have_snapshots 3
kill -KILL $pid
leat_end
newest=$(ls state/*.snapshot | tail -1)
printf X | dd of="$newest" bs=1 seek=3000 conv=notrunc status=none
leat_start one.lua --set to=cut --set times=4000 --state state --quiet --log-level warn
until_true grep -q "trying the previous snapshot" "$err"
leat_stop
claim_says "a damaged snapshot is named and the one before it used" "$newest" "is damaged" \
    "trying the previous snapshot"
for f in state/*.snapshot; do truncate -s 90 "$f"; done
leat_run run one.lua --set to=cut --set times=4000 --state state --quiet
claim_exit "with all of them damaged nothing is started" 1
claim_says "and it is said what to do" "contains no intact snapshot: move the directory away"
leat_run run one.lua --set to=cut --state missing/state --quiet
claim_exit "a directory that cannot be made" 1
claim_says "is named" "missing/state"

# A disk that fills up and is emptied again, as a limit on the size of files.
cat >endless.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "endless" {
  leat.source.null { records = 0, text = "+1 1:1 2:0.5" }, leat.parse.libsvm {}, leat.learn.logistic {}, leat.sink.null {},
}
LUA
newest() { ls full/*.snapshot 2>/dev/null | tail -1; }
is_newer() { [[ $(newest) > $1 ]]; } # is_newer THAN
leat_start endless.lua --state full --every 100ms --quiet
until_true is_newer full/0000000000000002
prlimit --pid "$pid" --fsize=1000:unlimited
until_true grep -q "no snapshot" "$err"
claim_says "a full disk is told, and the run goes on" \
    "no snapshot was written: full/writing.tmp: File too large. The run continues"
prlimit --pid "$pid" --fsize=unlimited:unlimited
claim "when there is room again there are snapshots again" until_true is_newer "$(newest)"
: >"$err" # the limit is on it, too
prlimit --pid "$pid" --fsize=1000:unlimited
leat_stop
claim_exit "a run that cannot write its closing snapshot is no success" 1
claim "it ends before the deadline, which is after 20 s" below "$took" 15
claim_says "and the one before holds" \
    "the closing snapshot was not written: full/writing.tmp: File too large. The previous snapshot remains valid"
leat_run model verify full
claim_exit "all that was written is whole" 0
(ulimit -f 1 && leat_run run one.lua --set to=cut --state none --quiet; exit $status)
claim "without room for the first snapshot nothing is started" equal $? 1
leat_run run one.lua --set to=cut --state /sys/kernel --quiet
claim_exit "nor in a directory that cannot be written" 1
claim_says "which is named" "--state /sys/kernel: cannot write there"

mkdir held
exec 9>held/lock
flock 9
leat_run run one.lua --set to=cut --state held --quiet
claim_exit "a directory in use is refused" 1
claim_says "with the reason" "another run is using this directory"

# A learner that is reset where nothing is left to read has no records that made no example.
awk 'BEGIN { for (i = 0; i < 300; i++) print (i % 2 ? 1 : -1) " 1:" i % 7 }' >reset.svm
cat >reset.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "reset" { leat.source.file { path = "reset.svm" }, leat.parse.libsvm {}, leat.learn.awm { id = "awm", budget = leat.args.budget }, leat.sink.null {} }
LUA
leat_run run reset.lua --state reset --quiet --set budget=4KB
leat_run run reset.lua --state reset --quiet --set budget=8KB --reset awm
claim_exit "a learner begins anew behind an input that is at its end" 0
claim "and is not said to have had records without features" sh -c "! grep -q 'made an example' $err"
done_claims
