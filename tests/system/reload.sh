# SIGHUP: the script is read again next to the run, which continues with the new one, or unchanged.
#
# A shell under nohup ignores SIGHUP, and so would all its children. A separate session has no terminal.
[[ ${heeds_hup:-} ]] || heeds_hup=1 exec env --default-signal=HUP setsid -w bash "$0"
. "$(dirname "$0")/../support/claims.sh"
programs=$(dirname "$LEAT")/../tests/programs
cd "$tmp" || exit 1
mkdir with
cp "${LEAT%/bin/leat}/tests/plugins/mute.so" with
exec 2>noise # the shell's words on ended children
reloads=${reloads:-$(repeats 25 100)} # 20 at least

# script N [LEARNER [SINK [LINE]]]: like all the others, but for a constant in its filter and the name of a sink.
script() {
    cat >next.lua <<LUA
local leat = require "leat"
return leat.pipeline "r" {
  leat.source.file { path = "in.csv", follow = true }, leat.parse.csv { numbers = { "n" } },
  leat.filter(function(n) return n ~= -$1 end, { "n" }),
  leat.label.is { column = "class", positive = { "a" } }, leat.feature.tokens { column = "text" },
  leat.learn.awm { id = "model", ${2:-budget = \"2KB\"} },
  leat.tee { { leat.sink.file { path = "out", format = "raw", id = "copy" } }, { ${3:-leat.sink.null { id = \"null$1\" \}} } },
  ${4:-}
}
LUA
    mv next.lua r.lua
}
records() { # FIRST LAST
    awk -v a="$1" -v b="$2" \
        'BEGIN { for (n = a; n <= b; n++) print n "," (n % 2 ? "a" : "b") ",w" n % 7 " v" n % 2 * (n % 5) " u" n % 31 }'
}
decided() { grep -c -e ': reloaded$' -e 'is not reloaded' -e 'could not be started' "$err"; }
is_decided() { (($(decided) == $1)); }
# Until it has an outcome.
reload() {
    local before
    before=$(decided)
    kill -HUP "$pid"
    until_true is_decided $((before + 1))
}
begun() { compgen -G "$1/*.snapshot"; }
start() {
    leat_start r.lua --state "$@"
    until_true begun "$1"
}
has_lines() { (($(wc -l <out) == $1)); }
learned() { "$LEAT" model dump "$1" --stage model | grep '"stage/model/0"'; }

# ---- reloads of a pipeline at work ----
script 0
echo n,class,text >in.csv
"$programs/datagrams" "$tmp/notify" >told &
listener=$!
until_true test -S "$tmp/notify"
export NOTIFY_SOCKET=$tmp/notify
start s --every 50ms --http 127.0.0.1:0 --progress never --summary s.json
unset NOTIFY_SOCKET
url=$(grep -o 'http://[^ ]*' "$err")
# Lines come in halves: where a run ends, half of one may be there.
write_on() {
    local n=1
    while [[ ! -e enough ]]; do
        records $n $((n + 49)) | awk '{ printf "%s", substr($0, 1, 9); fflush(); system(""); print substr($0, 10);
            fflush() }' >>in.csv
        n=$((n + 50))
        sleep 0.01
    done
    echo $((n - 1)) >written
}
write_on &
writer=$!
# The least of some looks: a snapshot that is just being written has a file open, and a thread.
resources() {
    for _ in {1..20}; do
        echo "$(ls /proc/$pid/fd | wc -l) $(ls /proc/$pid/task | wc -l) $(awk '/^VmRSS/ { print $2 }' \
            /proc/$pid/status)"
        sleep 0.02
    done | awk 'NR == 1 { f = $1; t = $2; m = $3 } { if ($1 < f) f = $1; if ($2 < t) t = $2; if ($3 < m) m = $3 } END {
        print f, t, m }'
}
good=0 bad=0
for ((i = 1; i <= reloads; i++)); do
    case $((i % 8)) in
        1 | 3 | 5 | 7) script $i && good=$((good + 1)) ;;
        2) script $i '' '' 'this is no Lua' ;;
        4) script $i 'bugdet = "2KB"' ;;
        6) script $i '' "leat.sink.$( ((i % 16 == 6)) && echo nowhere || echo null) {}" 'linalg = "openblas"' ;;
        0) script $i 'budget = "4KB"' ;;
    esac
    reload
    ((i == 20)) && early=$(resources)
done
late=$(resources)
bad=$((reloads - good))
claim "each good script is taken" equal "$(grep -c ': reloaded$' "$err")" "$good"
claim "and none of the others" equal "$(grep -c 'is not reloaded: the run continues with the old script' \
    "$err")" $bad
claim_says "a mistake of syntax has its line" "r.lua:8: error: '}' expected (to close '{' at line 2)"
claim_says "an unknown parameter is named" \
    "r.lua:6: error: model (learn.awm): unknown parameter 'bugdet': did you mean 'budget'?"
claim_says "a missing plugin is" "r.lua:7: error: there is no stage 'sink.nowhere'"
claim_says "other products of matrices" "pipeline: linalg cannot change while a pipeline runs"
claim_says "and a learner that would start from nothing" \
    'model (learn.awm): budget is "4KB" here and "2KB" in the snapshot'
metric() { curl -s "${url}metrics" | sed -n "s/^leat_reload$1 //p"; }
claim "/metrics counts them" equal "$(metric 's_total{result="done"}') $(metric 's_total{result="refused"}')" \
    "$good $bad"
claim "and has the time of the last" below "$(date +%s)" "$(metric _time_seconds | awk '{ printf "%.0f", $1 + 60 }')"
claim "the server has stayed at its port" equal "$(curl -s "${url}ready")" running
claim "a service manager heard of each" equal "$(grep -cx RELOADING=1 told) $(grep -cx READY=1 told)" \
    "$reloads $((reloads + 1))"
claim "at which time" grep -qxE 'MONOTONIC_USEC=[0-9]+' told
claim "files and threads are those of the 20th reload" equal "${late% *}" "${early% *}"
if [[ $LEAT == *address* || $LEAT == *thread* ]]; then
    skip "and the memory is within some megabytes" "sanitizers have an allocator of their own"
else
    claim "and the memory is within some megabytes" below "${late##* }" $((${early##* } + 6144))
fi
touch enough
wait $writer
claim "every record is in the output" until_true has_lines "$(<written)"
leat_stop
claim_exit "the run ends as others do" 0
kill $listener
tail -n +2 in.csv | cmp - out >differs
claim "each once, in its order" test ! -s differs
script 0
sed 's/follow = true/follow = false/; s/"out"/"once"/' r.lua >once.lua
leat_run run once.lua --state once.s --quiet
claim "and the model is, byte for byte, that of a run without reloads" cmp <(learned s) <(learned once.s)
claim "which has learned" test "$(learned s | wc -c)" -gt 1000

rest_is_long

# ---- stops, and scripts that cannot be started ----
{ echo n,class,text && records 1 3000; } >in.csv
rm -f out
script 0
start two --summary s.json --progress never
until_true has_lines 3000
script 1
kill -HUP $pid
kill -TERM $pid
leat_end
claim_exit "a stop outranks a reload" 0
claim "and has its snapshot and summary" equal "$(json .records)" 3000
for ((i = 1; i <= ${stops:-10}; i++)); do
    start two --summary s.json --progress never
    script $i
    kill -HUP $pid
    sleep 0.0$((i * 9 % 10))
    kill -TERM $pid
    leat_end
    [[ $status == 0 ]] || break
    [[ $(json .records) == 3000 ]] || grep -q "stopped by a signal before the run began" "$err" || break
done
claim "at any moment" test "$i" -gt "${stops:-10}"

start two --summary s.json --progress never --plugin-path with
script 1 '' 'leat.sink.mute { status = -3 }'
kill -HUP $pid
claim "a script that is right and cannot be started is undone" until_true grep \
    -q "the new r.lua could not be started: the run continues with the old one" "$err"
claim_says "with the reason" "mute (sink.mute): cannot be opened"
records 3001 4000 >>in.csv
claim "the old one goes on" until_true has_lines 4000
script 2
reload
claim "and may be reloaded again" grep -q "r.lua: reloaded$" "$err"
records 4001 5000 >>in.csv
until_true has_lines 5000
leat_stop
claim "without a record that is lost or comes twice" cmp out <(records 1 5000)
claim_exit "to a good end" 0

# ---- warnings of the new script ----
printf 'n,class,text,7\n1,a,w,x\n' | tee odd.csv >odd2.csv
warns() { # CONDITION: the header's last name is told of each of the two parsers
    cat >r.lua <<LUA
local leat = require "leat"
return leat.pipeline "odd" {
  leat.merge { { leat.source.file { path = "odd.csv", follow = true }, leat.parse.csv { id = "grows" } },
               { leat.source.file { path = "odd2.csv", id = "file2" }, leat.parse.csv { id = "stays" } } },
  leat.shape.where { "$1", id = "some" }, leat.sink.null {},
}
LUA
}
is_told() { (($(grep -cE "$1" "$err") == ${2:-1})); }
warns "class != 'none0'"
start odd --progress never
until_true grep -q "stays" "$err"
: >"$err"
warns "class != 'none1'"
reload
for id in grows stays; do
    claim "a reload gives a warning of the new script once: $id" is_told \
        "^reloading: r.lua:[34]: warning: $id \(parse.csv\): header: the header has the column name '7'"
    claim "and not as if it were of the first" is_told "$id .*column name '7'"
done
leat_stop
start odd --progress never --log-format json
until_true grep -q "stays" "$err"
: >"$err"
warns "class != 'none2'"
kill -HUP $pid
until_true grep -q 'r.lua: reloaded"' "$err"
leat_stop
claim "in JSON it has level, file, line and stage" equal \
    "$(jq -r 'select(.stage == "stays (parse.csv)" and (.message | test("column name .7."))) |
        "\(.level) \(.file) \(.line) \(.message[:29])"' "$err")" "warn r.lua 4 reloading: header: the header"

# ---- where no snapshot can be written ----
script 2
start two --summary s.json --progress never
until_true grep -q "continues after" "$err" # its first snapshot is written
mkdir two/writing.tmp
script 3
reload
claim_says "without a snapshot the script is not reloaded" "no snapshot was written"
claim "and the run goes on" grep -q "r.lua is not reloaded" "$err"
rmdir two/writing.tmp
reload
claim "until one can be written" grep -q "r.lua: reloaded$" "$err"
leat_stop
claim_exit "to a good end" 0

# ---- while the script is read for the first time ----
sed '1s/^/for _ = 1, 3e7 do end /' r.lua >next.lua && mv next.lua r.lua
leat_start r.lua --state two --progress never
sleep 0.1
kill -HUP $pid
script 3
claim "a signal that comes before the run is heeded when it works" until_true grep -q -e "r.lua: reloaded$" \
    -e "is not reloaded" "$err"
leat_stop
claim_exit "and does not end it" 0

# ---- --reset counts once ----
start two --progress never --reset model --summary s.json
records 5001 5100 >>in.csv
until_true has_lines 5100
script 3
reload
records 5101 5200 >>in.csv
until_true has_lines 5200
leat_stop
claim "a stage of --reset that has not changed keeps what it has learned since" equal "$(stage model examples)" 200
start two --progress never --reset model --summary s.json
script 4 'budget = "4KB"'
reload
claim "one that has changed restarts" grep -q 'r.lua: reloaded$' "$err"
records 5201 5300 >>in.csv
until_true has_lines 5300
leat_stop
claim "from nothing" equal "$(stage model examples)" 100

# ---- stages that keep nothing come, change and go ----
start two --progress never --summary s.json
for change in 's/leat.filter(.*$/leat.shape.set { "m = n + 1" },/' 's/n + 1/n + 2/' 's/leat.shape.set.*$//' \
    's/leat.learn.awm/leat.shape.where { "n > 0" }, &/'; do
    sed "$change" r.lua >next.lua && mv next.lua r.lua
    reload
done
claim "stages that keep nothing may come, change and go" equal "$(grep -c 'r.lua: reloaded$' "$err")" 4
sed 's/leat.learn.awm.*/leat.learn.frequent { id = "other" },/' r.lua >next.lua && mv next.lua r.lua
reload
claim_says "but none that has learned something" "--reset model drops it"
records 5301 5400 >>in.csv
until_true has_lines 5400
script 4 'budget = "4KB"'
reload
leat_stop
claim "and the model has gone on" equal "$(stage model examples)" 200

# ---- where SIGHUP ends a run ----
leat_start r.lua --progress never --log-level info
kill -HUP $pid
leat_end
claim_exit "without --state SIGHUP ends a run" 0
claim_says "and says why" "SIGHUP ends the run: it cannot reload its script without --state DIR"
if type -P script >/dev/null; then
    export LEAT
    rm -rf two # where `out` was longer than that run may have left it
    command script -qfc 'echo $$ >terminal; exec "$LEAT" run r.lua --state two --summary t.json --progress never 2>terminal.err' /dev/null </dev/null >/dev/null 2>&1 &
    holder=$!
    until_true test -s terminal
    pid=$(<terminal) err=$tmp/terminal.err
    blocks() { grep -q "^SigBlk:.*[4-7c-f]...$" "/proc/$pid/status"; }
    until_true blocks
    reload
    claim "SIGHUP reloads where the terminal is there" grep -q "r.lua: reloaded$" "$err"
    kill -KILL $holder
    claim "and a terminal that hangs up ends the run" until_true test -s t.json
    claim "well" equal "$(jq .exit t.json)" 0
fi
done_claims
