# source.http: bodies of lines and whole ones, answers after the snapshot, senders that are refused, kills.
# tier: short (waits)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise # the shell's words on killed children

cat >h.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "h" {
  leat.source.http { a.listen or "tcp://127.0.0.1:0", framing = a.framing, token = a.token, max_body = "4KB", max_record = "1KB", max_requests = a.max_requests },
  a.framing == "body" and leat.parse.json { columns = "n=items[*].n" } or leat.parse.json { columns = "n" },
  leat.sink.file { path = a.out or "out", format = "jsonl" },
  dead_letters = "dead", max_reject_ratio = tonumber(a.ratio or 1),
}
LUA
listen() { rm -f s.json; leat_start h.lua --log-level info --summary s.json "$@"; until_true grep \
    -q 'listens on' "$err"; url=http://127.0.0.1:$(sed -n 's/.*listens on.*:\([0-9]*\)$/\1/p' "$err" | tail -1); }
post() { curl -gs --max-time 30 -o answer -w '%{http_code}' --data-binary @- "$url/any/path" "$@"; }
posted() { # posted TEXT CODE [ARGS…]: true if the answer has this code
    equal "$(printf %s "$1" | post "${@:3}")" "$2"
}

# ---- bodies ----
listen
claim "lines of a body are records" posted $'{"n":1}\n{"n":2}\n' 200
claim "which are in the sink when the answer comes" equal "$(tr '\n' ' ' <out)" '{"n":"1"} {"n":"2"} '
claim "a last line needs no end, and an empty body has no record" posted '{"n":3}' 200
claim "nor does it harm" posted '' 200
printf '{"n":4}\n{"n":5}\n' | gzip >4.gz
claim "gzip is decompressed" equal "$(post -H 'Content-Encoding: gzip' <4.gz)" 200
claim "PUT is as good" posted '{"n":6}' 200 -X PUT
claim "a wrong record has no second chance, so its request is taken" posted $'{"n":7}\n{"n":}\n{"n":8}\n' 200
claim "all are there once, in order" equal "$(tr -dc '0-9' <out)" 12345678
claim "the dead letter names request and line" equal "$(jq -c '[.input, .line]' dead)" '["request 5 of 127.0.0.1",2]'
claim "a long line is rejected" posted "{\"n\":\"$(printf '%01200d' 1)\"}" 200
claim "as it is" equal "$(jq -r .reason dead | tail -1)" too_large

# ---- refusals ----
claim "GET is refused" equal "$(curl -gs -o answer -w '%{http_code}' "$url/")" 405
claim "so is a body that is too long" posted "$(printf '%05000d' 1)" 413
claim "even in pieces of unknown number" posted "$(printf '%05000d' 1)" 413 -H 'Transfer-Encoding: chunked'
head -c 5000 /dev/zero | gzip >long.gz
claim "or once it is decompressed" equal "$(post -H 'Content-Encoding: gzip' <long.gz)" 413
claim "damaged data are refused" equal "$(head -c 20 4.gz | post -H 'Content-Encoding: gzip')" 400
claim "and what is not compressed" posted '{"n":9}' 400 -H 'Content-Encoding: gzip'
claim "and what nobody can decompress" posted '{"n":9}' 415 -H 'Content-Encoding: br'
claim "web pages may not send" posted '{"n":9}' 403 -H 'Origin: http://example.com'
exec 5<>"/dev/tcp/127.0.0.1/${url##*:}"
printf 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nContent-Length: 70\r\n\r\n{"n":9}' >&5
claim "and two lengths" test -n "$(timeout 10 sed -n '/ 400 /{p;q}' <&5)"
exec 5>&-
leat_stop
claim_exit "a signal ends the run" 0
claim "at once" below "$took" 15
claim "nothing that was refused is there" equal "$(tr -dc '0-9' <out)" 12345678
claim "requests are counted" equal "$(stage http requests)" 7

TOKEN=abc listen --set 'token=${env:TOKEN}'
claim "a token is needed" posted '{"n":1}' 401
claim "a part of it is none" posted '{"n":1}' 401 -H 'Authorization: Bearer ab'
claim "nor is more" posted '{"n":1}' 401 -H 'Authorization: Bearer abcabc'
claim "the right one is taken, from web pages as well" posted '{"n":1}' 200 -H 'Authorization: Bearer abc' -H 'Origin: http://a.b'
leat_stop

# ---- nothing right so far ----
listen --set ratio=0.9
printf '{"n":\n' | post >waits & waits=$!
until_true test -s dead
claim "while all records were rejected, a request waits" test ! -s waits
claim "until one is right" posted '{"n":1}' 200
wait $waits
claim "and is answered then" equal "$(cat waits)" 200
leat_stop

# ---- whole bodies ----
listen --set framing=body
claim "a body of several lines is a record" posted $'{\n"items": [{"n": 1},\n{"n": 2}]\n}' 200
claim "as a whole" equal "$(cat out)" '{"n":"1 2"}'
leat_stop

# ---- too many ----
listen --set max_requests=1
exec 5<>"/dev/tcp/127.0.0.1/${url##*:}"
printf 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n{"n"' >&5
full() { posted '{"n":2}' 429; }
claim "while all places are taken, others are refused" until_true full
printf ':1}\n' >&5
claim "and the one that came first gets its answer" test -n "$(timeout 10 sed -n '/200 OK/{p;q}' <&5)"
exec 5>&-
taken() { posted '{"n":3}' 200; }
claim "then others are taken again" until_true taken
leat_stop
claim "refused ones are counted" below 0 "$(stage http refused)"
claim "and told of once" equal "$(grep -c 'max_requests allows no more' "$err")" 1
exec 5<>/dev/null

# ---- answers come after the snapshot: a kill loses nothing that was answered ----
rm -f out
sender() { # sender K: posts ids until it is stopped, and notes those that were answered
    local i
    for ((i = 0; ; i++)); do
        [[ $(printf '{"n":"%s-%s"}\n{"n":"%s-%s+"}\n' "$1" $i "$1" $i | curl -gs --max-time 5 -o /dev/null -w '%{http_code}' \
            --data-binary @- "$(cat url)") == 200 ]] && printf '%s-%s\n%s-%s+\n' "$1" $i "$1" $i >>"answered.$1"
    done
}
for round in 1 2 3; do
    listen --state learned --every 0
    echo "$url" >url
    senders=()
    for k in 1 2 3; do sender "$round.$k" & senders+=($!); done
    sleep 0.7
    if ((round < 3)); then
        kill -KILL "$pid"
        wait "$pid"
    else
        leat_stop
    fi
    kill "${senders[@]}"
    wait "${senders[@]}"
done
claim_exit "the last one ends well" 0
jq -r .n out | sort >got
cat answered.* | sort >answered
claim "some were answered" below 3 "$(wc -l <answered)"
claim "all that were answered are in the sink, over two kills" equal "$(comm -23 answered <(sort -u got))" ""
claim "a record comes twice only where it was sent twice" equal "$(uniq -d got)" ""

# ---- addresses ----
leat_run check h.lua --set listen=udp://127.0.0.1:1
claim_says "datagrams are refused" "HTTP goes by connections: write tcp:// in place of udp://"
listen --set listen="unix://$tmp/sock"
claim "a Unix socket listens" posted '{"n":1}' 200 --unix-socket "$tmp/sock"
leat_stop
claim "and its file goes with it" test ! -e "$tmp/sock"
done_claims
