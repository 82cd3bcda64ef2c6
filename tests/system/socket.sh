# source.socket: lines and counted records by TCP, UDP and Unix sockets; many senders, slow ones, too many; bad input.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise # the shell's words on killed children
programs=${LEAT%/bin/leat}/tests/programs
client=$programs/socket_client

cat >s.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "s" {
  leat.source.socket { a.listen or "tcp://127.0.0.1:0", framing = a.framing, max_record = a.max_record, max_connections = tonumber(a.max_connections) },
  a.csv and leat.parse.csv { header = false, columns = { "n", "t" }, numbers = { "n" } } or leat.parse.lines {},
  leat.sink.file { path = a.out or "out", format = "raw" },
  dead_letters = "dead", max_reject_ratio = 1,
}
LUA
listen() { rm -f out dead s.json; leat_start s.lua --log-level info --summary s.json "$@"; until_true grep \
    -q 'listens on' "$err"; port=$(sed -n 's/.*listens on.*:\([0-9]*\)$/\1/p' "$err" | tail -1); }
send() { printf "$@" >"/dev/tcp/127.0.0.1/$port"; }
datagram() { dd bs=60000 iflag=fullblock status=none >"/dev/udp/127.0.0.1/$port"; } # printf makes one of each line
has_lines() { [[ $(cat out | wc -l) == "$1" ]]; }
letter() { jq -rs ".[$1].$2" dead; }

# ---- lines by TCP ----
listen
send 'one\r\ntwo\nhalf'
claim "lines that a connection sends are records, and so is half a line at its end" until_true has_lines 3
claim "in their order, without line ends" equal "$(tr '\n' ' ' <out)" "one two half "
exec 5>"/dev/tcp/127.0.0.1/$port"
printf 'thr' >&5
sleep 0.2
claim "half a line of an open connection waits" has_lines 3
printf 'ee\nfou' >&5
claim "until it is whole" until_true grep -qx three out
sleep 0.2
leat_stop
exec 5>&-
claim_exit "a signal ends the run" 0
claim "and delivers half a line" equal "$(tail -1 out)" fou
claim "at once" below "$took" 20
claim "the summary counts connections" equal "$(stage socket connections)" 2

listen
"$programs/log_writer" watch out 1000 >ms & watch=$!
"$client" lines "$port" 1000 1000
wait "$watch"
leat_stop
if [[ $LEAT == *address* || $LEAT == *thread* ]]; then
    skip "1000 lines a second are in the sink's file within 50 ms" "sanitizers are slow"
else
    claim "1000 lines a second are in the sink's file within 50 ms, half of them" below "$(cut -d' ' -f1 ms)" 50
fi

# ---- many ----
listen --set max_connections=1200
ulimit -n 4096
exec 5>"/dev/tcp/127.0.0.1/$port"
printf 'slow' >&5
"$client" many "$port" 1000 6 >closed
claim "1000 connections at once are served beside one that is slow" until_true has_lines 6000
printf 'ly\n' >&5
claim "which is served when it sends" until_true grep -qx slowly out
leat_stop
exec 5>&-
grep -v slowly out | sort -n -k1,1 -s >by_sender
claim "each connection's lines are there, in their order" cmp by_sender <(for i in {0..999}; do for k \
    in {0..5}; do echo "$i $k"; done; done)
claim "none was refused" equal "$(<closed) $(stage socket refused)" "0 0"

listen --set max_connections=3
exec 5>"/dev/tcp/127.0.0.1/$port" 6>"/dev/tcp/127.0.0.1/$port" 7>"/dev/tcp/127.0.0.1/$port"
for fd in 5 6 7; do echo a >&$fd; done
until_true has_lines 3
"$client" many "$port" 4 1 >closed
claim "connections beyond max_connections are refused" equal "$(<closed)" 4
claim_says "with a warning" "3 connections are open, and max_connections allows no more: the connection of 127.0.0.1:" \
    "Raise max_connections"
exec 5>&- 6>&- 7>&-
again() { send 'again\n'; sleep 0.2; grep -qx again out; } # until then it is refused, and counted
claim "and taken again when others have ended" until_true again
leat_stop
claim "they are counted" test "$(stage socket refused)" -ge 4
claim "and warned of once" equal "$(grep -c 'max_connections allows' "$err")" 1

rest_is_long

# ---- nobody takes what comes ----
mkfifo pipe
rm -f e; "$LEAT" run s.lua --log-level info --set out=- 2>e >pipe & slow=$!
exec 8<pipe
until_true grep -q 'listens on' e
port=$(sed -n 's/.*listens on.*:\([0-9]*\)$/\1/p' e)
"$client" lines "$port" 400000 0 & sender=$!
sleep 1
claim "a sender of TCP waits when nobody takes the output" kill -0 "$sender"
stdbuf -oL cut -d' ' -f1 <&8 >taken & reader=$!
wait "$sender"
until_true grep -qx 399999 taken
kill -TERM "$slow"
wait "$slow" "$reader"
exec 8<&-
claim "and loses nothing" cmp taken <(seq 0 399999)

# ---- bad input ----
listen --set max_record=1KB
{ head -c 5000 /dev/zero | tr '\0' y; printf '\nshort\n\0\xff\n'; head -c 3000 /dev/zero |
    tr '\0' z; } >"/dev/tcp/127.0.0.1/$port"
claim "what follows a line that is too long is read" until_true grep -qx short out
sleep 0.3
leat_stop
claim "lines that are too long are dead letters" equal "$(jq -rs 'map(.reason) | unique | join(" ")' dead)" too_large
claim "with their beginning, which is marked as cut" equal "$(letter 0 'record | length') $(letter 0 cut)" "256 true"
claim "their length" equal "$(letter 0 message) $(letter 1 message)" \
    "the record has 5000 bytes, more than max_record = 1024 the record has 3000 bytes, more than max_record = 1024"
claim "who has sent them, and which they were" test "$(letter 1 'input[:10]') $(letter 1 offset)" = "127.0.0.1: 3"
claim "zeros and bytes that are no text are a record like others" cmp <(tail -1 out) <(printf '\0\377\n')

listen --set csv=1
send '1,"a\nb"\n2,c\nx,d\n'
claim "records of CSV may hold line ends" until_true grep -qx 2,c out
leat_stop
claim "and what is no number is a dead letter" equal "$(letter 0 record)" x,d

listen --set framing=octets --set max_record=1KB
send '3 one10 two\nthree\n0 5 after'
sleep 0.2
send '2000 %2000s4 four' x
until_true grep -q four out
send '9 half'
sleep 0.2
leat_stop
claim "octet counting: records may hold line ends" equal "$(head -3 out | tr '\n' ' ')" "one two three "
claim "what is no length ends the connection" equal "$(letter 0 reason) $(letter 0 record)" "syntax 0 5 after"
claim "a record that is too long is skipped by its length" equal "$(letter 1 message)" \
    "the record has 2000 bytes, more than max_record = 1024"
claim "half a record is rejected" equal "$(letter 2 message)" \
    "the connection ended inside this record: 4 of its 9 bytes have come"
claim "all of them are counted" equal "$(stage socket rejected)" 3

listen --set framing=length
send '\0\0\0\3one\0\0\0\0\0\0\0\3two\0\0'
claim "four bytes of length: records of any bytes" until_true grep -qx two out
sleep 0.2
leat_stop
claim "an empty one, too" equal "$(stage socket in) $(stage socket rejected)" "4 1"
claim "half a length is rejected" equal "$(letter 0 message)" "the connection ended inside the length of a record"

# ---- UDP and Unix ----
listen --set listen=udp://127.0.0.1:0 --set max_record=1KB
printf 'one\ntwo' | datagram
head -c 3000 /dev/zero | tr '\0' y | datagram
echo three | datagram
claim "lines of datagrams are records" until_true has_lines 3
leat_stop
claim "one that is too long is a dead letter of its sender" equal "$(letter 0 input) $(letter 0 offset) $(letter 0 \
    reason)" "127.0.0.1 2 too_large"
claim "datagrams are counted" equal "$(stage socket datagrams)" 3

listen --set listen=udp://127.0.0.1:0 --set framing=datagram --set csv=1
printf '1,"a\nb"' | datagram
claim "or each datagram is one" until_true has_lines 2
leat_stop
claim "with its line ends" equal "$(stage socket in)" 1

listen --set listen=udp://127.0.0.1:0
kill -STOP "$pid"
"$client" datagrams "$port" 20000 1000
kill -CONT "$pid"
all_came() { [[ $(wc -l <out) -gt 0 ]]; }
until_true all_came
sleep 0.5
leat_stop
dropped=$(stage socket dropped)
if [[ $dropped == null ]]; then
    skip "datagrams that the system drops are counted" "the system does not tell them"
else
    claim "datagrams that the system drops are counted" equal $(($(stage socket in) + dropped)) 20000
    claim_says "and warned of" "the system has dropped $dropped datagrams" "net.core.rmem_max"
fi

listen --set "listen=unix://$tmp/in.sock" --set framing=lines
printf 'by a path\n' | "$client" unix in.sock
claim "a Unix socket takes lines" until_true grep -qx 'by a path' out
leat_run run s.lua --set "listen=unix://$tmp/in.sock" --set out=other
claim_exit "where another listens, a second run fails" 1
claim_says "and says so" "cannot listen on unix://$tmp/in.sock" "another process listens there"
kill -KILL "$pid"
leat_end
claim "a process that is killed leaves its socket" test -S in.sock
listen --set "listen=unix://$tmp/in.sock"
claim "which the next one replaces" test -S in.sock
leat_stop
claim "and removes at its end" test ! -e in.sock
echo precious >in.sock
leat_run run s.lua --set "listen=unix://$tmp/in.sock"
claim_says "a file that is no socket is left" "a file that is not a socket has this name"
claim "as it is" grep -qx precious in.sock

# ---- mistakes ----
listen
leat_run run s.lua --set "listen=tcp://127.0.0.1:$port" --set out=other
claim_exit "a port in use is refused" 1
claim_says "with the address" "cannot listen on tcp://127.0.0.1:$port" "another process listens there"
leat_stop
# refused LISTEN TEXT…: by check
refused() {
    local listen=$1
    shift
    leat_run check s.lua --set "listen=$listen"
    claim_exit "$listen is refused" 2
    claim_says "$listen: the message helps" "listen: " "$@"
}
refused tpc://a:1 "there is no protocol 'tpc' (did you mean 'tcp'?): give tcp://HOST:PORT"
refused http://a:1 "there is no protocol 'http': give tcp://HOST:PORT, udp://HOST:PORT or unix:///PATH"
refused 127.0.0.1:5140 "'127.0.0.1:5140' names no protocol"
refused udp://127.0.0.1 "no port from 0 to 65535" "write udp://127.0.0.1:5140"
refused tcp://a:65536 "no port from 0 to 65535"
refused tcp://::1:5140 "write an IPv6 address in brackets, [::1]:5140"
refused unix:// "the path of a Unix socket must have 1 to 107 bytes"
leat_run check s.lua --set listen=udp://a:1 --set framing=octets
claim_says "octet counting is for connections" "framing: 'octets' works only for connections" "set it to lines or datagram"
leat_run check s.lua --set framing=datagram
claim_says "and whole datagrams for UDP" "framing: 'datagram' works only with udp://"
leat_run check s.lua --set max_connections=100 --set max_record=1MB
claim "of all connections" grep -qE 'socket \(source.socket\) .* 100\.[0-9] MB' "$out"

# ---- state ----
cat >learn.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "learn" {
  leat.source.socket { "tcp://127.0.0.1:0" }, leat.parse.libsvm {}, leat.learn.logistic { id = "model" },
  leat.sink.file { path = "seen", format = "raw" },
}
LUA
learn() { leat_start learn.lua --state s --every 100ms --log-level info --summary s.json; until_true grep \
    -q 'listens on' "$err"; port=$(sed -n 's/.*listens on.*:\([0-9]*\)$/\1/p' "$err" | tail -1); }
seen() { [[ $(cat seen | wc -l) == "$1" ]]; }
learn
until_true grep -q "a socket cannot be read again" "$err"
claim_says "with --state it says what may be lost" \
    "a socket cannot be read again: if this process is killed"
svm_examples 1 500 5 30 >a.svm
cat a.svm >"/dev/tcp/127.0.0.1/$port"
until_true seen 500
saved() { leat_run model info s; grep -qE '^  records +500$' "$out"; }
until_true saved
kill -KILL "$pid"
leat_end
learn
svm_examples 2 300 5 30 >"/dev/tcp/127.0.0.1/$port"
until_true seen 800
leat_stop
claim_exit "it continues after a kill" 0
claim "with the model of its snapshot" equal "$(stage model examples)" 800
done_claims
