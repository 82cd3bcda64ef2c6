# leat top: figures of a watched run, and of a run's snapshots; keys, sizes and ends on a terminal. Servers may be gone,
# late, or another program.
# tier: short (waits)
programs=$PWD/${B:-build/release}/tests/programs
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
awk 'BEGIN { srand(3); print "y,a,b,n"; for (i = 0; i < 60000; i++) { a = int(rand() * 20); printf "%d,a%d,b%d,%d\n",
    rand() < a / 20, a, rand() * 30, rand() * 10 }
    print "1,a1"; print "0,a2,b3,4,5,6"; print "0,a3" }' >rows.csv
cat >two.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "watched" {
  leat.source.file { path = "rows.csv", follow = true },
  leat.parse.csv { lanes = 2 },
  leat.label.is { column = "y", positive = "1" },
  leat.feature.columns { "a", "b", "n" },
  leat.tee {
    { leat.learn.awm { id = "first", budget = "16KB" }, leat.sink.top { k = 5, path = "first.out" } },
    { leat.learn.awm { id = "second", budget = "16KB", l1 = 1e-9 }, leat.sink.top { k = 7, path = "second.out" } },
  },
}
LUA
watch() {
    leat_start two.lua --quiet --http "${at:-:0}" "$@"
    until_true has_url
    until_true learned
}
has_url() {
    url=$(sed -n 's/^leat: watch this run at //p' "$err")
    [[ $url ]]
}
learned() { [[ $(curl -gs "${url}status" | jq '[.stages[] | select(.id == "first" or .id ==
    "second").metrics.examples] | add') == 120000 ]]; }
frame() { "$LEAT" top "$@" >frame 2>said </dev/null; }
# says WORDS…: the frame has them, whatever the blanks between them.
says() { sed -E 's/ +/ /g' "${shown:-frame}" | grep -qE -- "$1" || { cat "${shown:-frame}" said; return 1; }; }

# ---- a run, once ----
watch --state state --every 1s
saved() { "$LEAT" top state | grep -q '^records 60,003'; }
until_true saved
curl -gs "${url}status" >status.json
port=${url##*:} port=${port%/}
frame "127.0.0.1:$port" --once
claim "a frame is printed" equal "$?" 0
claim "which run, where, and its state" says "^watched running for .* $url\$"
claim "records, rejected" says "^records 60,003 .*/s since the start rejected 3 \(0.005 %\)\$"
claim "memory, the snapshot" says "^memory [0-9.]+ [MK]B of $(jq .plan.bytes status.json |
    awk '{ printf "%.1f", $1 / 1048576 }') MB planned snapshot .* ago"
claim "of a stage what came and was rejected" says "^ csv .*60,003 .* 3\$"
loss() { jq -r ".stages[] | select(.id == \"$1\").metrics | .$2" status.json | awk '{ printf "%.4g", $1 }'; }
claim "of a learner its loss, of the last fifth, of the best constant" \
    says "^ second 60,000 log loss $(loss second log_loss) $(loss second log_loss_last) $(loss second \
    log_loss_constant) $(loss second auc)\$"
bar() { awk '{ printf "%.3f █[^ ]* %s", $2, $1 }'; }
weight() { curl -gs "${url}top/$1?n=1" | jq -r '.rows[0] | "\(.feature) \(.weight)"' | bar; }
claim "the answer of the first learner" says "^ $(weight first)\$"
claim "and why records were rejected" says "rejected: 3 fields, the first: rows.csv:60002"
frame ":$port" --stage second
claim "the answer of another" says "^ $(weight second)\$"
claim "a frame that is no terminal's has no escapes" sh -c "! grep -q $'\x1b' frame"
claim "no line is wider than 80 columns" test "$(LC_ALL=C.UTF-8 wc -L <frame)" -le 80
frame "http://localhost:$port/"
claim "a URL, and a name of the host" says "^watched running for .* http://localhost:$port/\$"
claim "/status has memory as /metrics has it" equal "$(jq .memory.planned status.json)" "$(curl -gs "${url}metrics" |
    awk '$1 == "leat_memory_planned_bytes" { print $2 }')"
claim "and how old the snapshot is" jq -e '.snapshots.age >= 0 and .snapshots.age <= .seconds' status.json
claim "and what each stage of a thread works" jq -e 'all(.threads[]; (.stages | length) == (.stages_busy | length) and
    ((.stages_busy | add // 0) - .busy | fabs) < 1e-6)' status.json

# ---- snapshots ----
frame state
claim "a directory of snapshots" says "^watched state\$"
claim "records and age" says "^records 60,003 rejected 3 .*"
claim "the number of the snapshot" says "^snapshot [0-9]+, .* ago saved 20..-..-.. ..:..:.. UTC"
claim "its learners" says "^ second 60,000 log loss $(loss second log_loss)"
frame state --stage second
"$LEAT" model top state --stage second --k 1 --format jsonl >top.json
claim "their answers" says "^ $(jq -r '.top[0] | "\(.feature) \(.weight)"' top.json | bar)\$"

# ---- what is wrong ----
fails() { # fails CODE TEXT ARGS…
    frame "${@:3}"
    [[ $? == "$1" ]] && grep -qF -- "$2" said || { cat said frame; return 1; }
}
mkdir empty
claim "nothing" fails 2 "the run is missing"
claim "two runs" fails 2 "one run; remove" :1 :2
claim "no address" fails 2 "ADDRESS:PORT" "127.0.0.1"
claim "a port that is none" fails 2 "ADDRESS:PORT" ":65536"
claim "a file" fails 2 "ADDRESS:PORT" rows.csv
claim "a host that does not exist" fails 2 "is not known" "no.such.host.invalid:1"
claim "a learner that is none" fails 2 "no learner 'third'" ":$port" --stage third
claim "an empty directory" fails 1 "there is no snapshot yet" empty
claim "a token on the command line" fails 2 '${env:NAME}' ":$port" --http-token secret
claim "options of others" fails 2 "--k is not an option of this command" ":$port" --k 3
printf 'no snapshot' >empty/0000000000000001.snapshot
claim "a damaged snapshot" fails 1 "empty: this folder has no intact snapshot" empty
leat_stop
claim "a server that is gone" fails 1 "${url} does not answer: Connection refused" ":$port"

# ---- tokens ----
TOKEN=open-sesame leat_start two.lua --quiet --http 127.0.0.1:0 --http-token '${env:TOKEN}'
until_true has_url
asks() { fails 1 "asks for a token" "${url%/}"; }
claim "a token that is asked for" asks
claim "a wrong one" env TOKEN=wrong bash -c "! '$LEAT' top $url --http-token '\${env:TOKEN}' 2>&1 >/dev/null" 
env TOKEN=open-sesame "$LEAT" top "$url" --http-token '${env:TOKEN}' >frame
claim "and the right one" says "^watched running"
leat_stop

# ---- servers that are something else ----
mkdir server
mkfifo port hold
sleep 600 >hold &
"$programs/http_answers" server <hold >port &
server=$!
read -r other <port
printf '404 Not Found\nno such page' >server/missing
claim "another program" fails 1 "answers (HTTP 404), but is not a run of leat: check the address and the port" ":$other"
printf '200 OK\n{"status":"fine"}' >server/status
claim "another program's JSON" fails 1 "answers (HTTP 200), but is not a run of leat: check the address and the port" ":$other"
printf '200 OK\n{"state":"running","pipe' >server/status
claim "JSON that is cut" fails 1 "but is not a run of leat: check the address and the port" ":$other"
printf '503 Later\n{"error":"the run is not running: it is starting"}' >server/status
claim "what a run says is said" fails 1 "the run is not running: it is starting" ":$other"
printf '200 OK\n{"pipeline":"p\\u001b[2J","state":"running","records":1,"stages":[{"id":"m\\u0007","plugin":"x","in":1,"in_order":true,"metrics":{}}]}' >server/status
printf '500 Oh\n{"error":"m gave no \\u001b[1manswer"}' >'server/top_m%07?n=60'
frame ":$other"
claim "names do nothing to a terminal" sh -c "! grep -q $'[\x1b\x07]' frame && grep -q 'p?\[2J' frame"
claim "a learner that gives no answer says why" says "m gave no \?\[1manswer"
printf '200 OK\n{"pipeline":"p","state":"failed","error":"no space","seconds":7,"records":5,"stages":[]}' >server/status
frame ":$other"
claim "a run that has failed shows its figures" says "^p failed for 7 s .*"
kill -STOP "$server"
began=$SECONDS
claim "a server that never answers" fails 1 "does not answer: no complete answer came within 3 s" ":$other"
claim "is not waited for" test $((SECONDS - began)) -lt 60
kill -CONT "$server"

rest_is_long

# ---- on a terminal ----
command -v tmux >/dev/null || skip_rest "without tmux nothing is seen of a terminal"
export TMUX_TMPDIR=$tmp LC_ALL=C.UTF-8
unset TMUX
sockets=0
tm() { tmux -L top$sockets -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null; clean_up' EXIT
screen() { tm capture-pane -p >screen; }
sees() { screen && shown=screen says "$1"; }
sees_not() { ! sees "$1"; }
press() { tm send-keys "$@"; }
# terminal ARGS…: leat top in a shell, which prints the state of the terminal before and after.
terminal() {
    no_server
    rm -f before after ended
    cat >session.sh <<SH
stty -a >before
"$LEAT" top $*
echo \$? >ended
stty -a >after
echo back in the shell
exec sleep 600
SH
    tm new-session -d -x 80 -y 24 "bash session.sh"
}
# Ends the server. The next one has another socket, as this one may remove its own only later.
no_server() {
    tm kill-server 2>/dev/null
    sockets=$((sockets + 1))
}
restored() { until_true test -s after && cmp before after && until_true sees "back in the shell"; }

watch
port=${url##*:} port=${port%/}
terminal ":$port"
claim "a terminal shows the run" until_true sees "^watched running for .* $url\$"
claim "its keys on the last row" until_true sees "^q quit Tab next learner"
claim "24 rows" equal "$(grep -c '' screen)" 24
claim "the first learner" until_true sees "^ first weight of its heaviest features"
claim "a rate since the last look" until_true sees "^records 60,003 0/s rejected"
press Tab
claim "Tab: the second" until_true sees "^ second weight of its heaviest features"
claim "with its weights" until_true sees "^ $(weight second)\$"
press Left
claim "and back" until_true sees "^ first weight of its heaviest features"
press +
claim "less often" until_true sees "every 2 s"
press - -
claim "more often" until_true sees "every 0.5 s"
press h
claim "help" until_true sees "^ Tab, right, down the next learner"
press h
claim "and back" until_true sees "^ first weight"
tm resize-window -x 140 -y 50
claim "a larger terminal has more columns" until_true sees "stage plugin records in .* memory$"
claim "and more features" until_true sees "[^ ] n=[0-9]\$"
claim "up to its last row" equal "$(tail -1 screen | cut -c1-6)" "q quit"
tm resize-window -x 40 -y 10
claim "a small one has what fits" until_true sees "^q quit Tab next learner"
tm resize-window -x 80 -y 24
press p
claim "a pause" until_true sees "^paused q quit"
for ((k = 0; k < 500; k++)); do echo "1,a1,b1,1"; done >>rows.csv
more() { [[ $(curl -gs "${url}status" | jq .records) == 60503 ]]; }
until_true more
sleep 1.2
claim "shows what was" sees "^records 60,003"
press p
claim "until it is over" until_true sees "^records 60,503"
at=127.0.0.1:$port
leat_stop
claim "a run that has ended" until_true sees "$url does not answer: Connection refused. These figures"
claim "with its last figures" sees "^records 60,503"
leat_start two.lua --quiet --http "$at"
claim "and one that is there again" until_true sees "^watched running for"
press q
claim "q ends it, and the terminal is as before" restored
claim "as a success" equal "$(<ended)" 0

leave() { # leave SIGNAL
    terminal ":$port"
    until_true sees "^watched running" || return 1
    kill "-$1" "$(ps -o pid= --ppid "$(tm display-message -p '#{pane_pid}')" | tr -d ' ')"
    restored && equal "$(<ended)" 0
}
claim "SIGTERM restores it" leave TERM
claim "SIGINT restores it" leave INT
claim "SIGHUP restores it" leave HUP

no_server
rm -f before after
cat >stopped.sh <<SH
set -m
stty -a >before
"$LEAT" top ":$port"
stty -a >after
echo back in the shell
read -r
fg
SH
tm new-session -d -x 80 -y 24 "bash stopped.sh; sleep 600"
until_true sees "^watched running"
press C-z
claim "Ctrl-Z gives the terminal back" restored
press Enter
claim "fg takes it again" until_true sees "^watched running"
press q
leat_stop
terminal ":$port"
claim "who comes too early waits" until_true sees "does not answer: Connection refused"
leat_start two.lua --quiet --http "$at"
claim "until the run is there" until_true sees "^watched running for"
leat_stop
press q
until_true test -s ended

kill -STOP "$server"
terminal ":$other"
claim "who waits for a server" until_true sees "waiting for the first answer"
press q
claim "can leave" restored
kill -CONT "$server"

terminal empty
claim "an empty directory" until_true sees "empty: .*"
cp state/*.snapshot empty/ 2>/dev/null
claim "shows the snapshot that comes" until_true sees "^records 60,003 rejected 3"
press Tab
claim "and its learners" until_true sees "^ second weight"
press C-c
claim "Ctrl-C ends it, too" restored

rm -f before after ended
no_server
tm new-session -d "TERM=dumb '$LEAT' top :$port 2>said; echo \$? >ended; sleep 600"
until_true test -s ended
claim "a terminal that draws nothing" equal "$(<ended) $(grep -c 'TERM=dumb.*--once' said)" "2 1"
done_claims
