# CBOR and MessagePack are read as JSON Lines, also compressed. What is cut or damaged is refused. Runs are continued.
# tier: long (15 s)
. "$(dirname "$0")/../support/claims.sh"
data=$(cd "$(dirname "$0")/../data" && pwd)
cd "$tmp" || exit 1
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lines" { leat.source.file { path = leat.args.data, format = leat.args.as, encoding = leat.args.encoding,
    follow = leat.flag(leat.args, "follow"), window = leat.args.window, max_record = "16MiB" },
  leat.parse.lines {}, leat.sink.file { path = "got.txt", format = "raw" } }
LUA
read_it() { # read_it FILE ARGUMENT…
    rm -f got.txt
    leat_run run lines.lua --quiet --set "data=$1" "${@:2}"
}
# tests/data/items.txt is made by tests/support/items.py.
for format in cbor msgpack; do
    sed -n "s/^$format //p" "$data/items.txt" | base64 -d >"a.$format"
    sed -n "s/^$format.jsonl //p" "$data/items.txt" >"$format.jsonl"
    read_it "a.$format"
    claim "$format of another library is read" cmp got.txt "$format.jsonl"
    cp "a.$format" other.bin
    read_it other.bin --set as=$format
    claim "under any name, with format" cmp got.txt "$format.jsonl"
    rm -f got.txt
    "$LEAT" run lines.lua --quiet --set data=- --set as=$format <"a.$format" 2>"$err"
    claim "and on standard input" cmp got.txt "$format.jsonl"
    for program in gzip bzip2 xz zstd lz4; do
        command -v $program >/dev/null || continue
        $program -c "a.$format" >other.bin
        read_it other.bin --set as=$format
        claim "and compressed by $program" cmp got.txt "$format.jsonl"
    done
    gzip -c "a.$format" >"b.$format.gz"
    read_it "b.$format.gz"
    claim "the name shows it before .gz" cmp got.txt "$format.jsonl"
    cat "a.$format" "a.$format" >"c.$format"
    read_it "a.$format,c.$format"
    claim "several files, too" equal "$(wc -l <got.txt)" $((3 * $(wc -l <"$format.jsonl")))
    head -c 1000 "a.$format" >"cut.$format"
    read_it "cut.$format"
    claim_says "a cut item is told" "cut.$format: data ($format) ends early after" "get the whole file again"
    : >"empty.$format"
    read_it "empty.$format"
    claim_exit "an empty sequence is read" 0
done
(printf '\331\331\367\241aa\001' && cat a.cbor) >other.bin
read_it other.bin
claim "CBOR's own tag shows it under any name" cmp got.txt <(echo '{"a":1}' && cat cbor.jsonl)
(cat a.cbor && printf '\241aa\377') >bad.cbor
read_it bad.cbor
claim_says "a byte that is no item is told with its place" "bad.cbor: data (cbor) is damaged after" \
    "at byte $(($(stat -c %s a.cbor) + 3)): item $(($(wc -l <cbor.jsonl) + 1)): an array or map of indefinite"
claim "the items before it are read" cmp got.txt cbor.jsonl
gzip -c bad.cbor >bad.cbor.gz
read_it bad.cbor.gz
claim_says "in compressed data, too" "bad.cbor.gz: data (cbor) is damaged" "an array or map of indefinite"
head -c 900 b.cbor.gz >cut.cbor.gz
read_it cut.cbor.gz
claim_says "compressed data that are cut are told as such" "cut.cbor.gz: compressed data (gzip) ends early"
printf '\301' >bad.msgpack
read_it bad.msgpack
claim_says "so is a byte that MessagePack does not have" "item 1: the format has no such byte here"
printf '{"a":1,"b":2}\n' >text.cbor
read_it text.cbor
claim_says "text under the name of CBOR is refused" "at byte 0: item 1: it is too long"
(printf '\132\000\140\000\000' && head -c 6291456 /dev/zero) >long.cbor
read_it long.cbor
claim_says "an item longer than half the window is told" 'long.cbor: data (cbor) needs a window of 13MB and only 8MB'
read_it long.cbor --set window=32MB
claim_exit "and read with a larger one" 0
(printf '\242\141n\001\141a\171\377\377' && head -c 65535 /dev/zero | tr '\0' x) >record.cbor # {"n": 1, "a": "xx…"}
for _ in {1..40}; do cat record.cbor; done >many.cbor
(printf '\242\141n\002\141a\172\000\140\000\000' && head -c 6291456 /dev/zero | tr '\0' x) >>many.cbor
leat_run explain many.cbor --outlier 'n == 2' --attributes n --quiet
claim_says "an application says what to type" "set \`window\` of source.file to \"13MB\", in an application --decode-window 13MB"
leat_run explain many.cbor --outlier 'n == 2' --attributes n --quiet --decode-window 13MB
claim "and then reads on" equal "$(grep -c "needs a window" "$err")" 0
leat_run pairs many.cbor --column a --window 3 --quiet
claim_says "also where it has another argument of this name" "in an application --decode-window 13MB"

# items without JSON
printf '\241aa\001\241\200\001\241aaa\377\241ab\002' >odd.cbor
cat >json.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "json" { leat.source.file { path = leat.args.data }, leat.parse.json { "a", "b" },
  leat.sink.file { path = "got.txt", format = "jsonl" }, dead_letters = "dead.jsonl" }
LUA
leat_run run json.lua --set data=odd.cbor
claim_exit "an item without JSON does not end the run" 0
claim "the others are read" cmp got.txt <(printf '%s\n' '{"a":"1","b":null}' '{"a":null,"b":"2"}')
claim "and it is a dead letter that says why" equal "$(jq -r .record dead.jsonl)" \
    "cbor item 2: a key is an array or a map and no text (byte 2 of the item)
cbor item 3: a text is not UTF-8 (byte 5 of the item)"

# a run that is continued
cat >count.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "count" { leat.source.file { path = leat.args.data }, leat.parse.json { "i" },
  leat.sink.file { path = leat.args.out, format = "jsonl" } }
LUA
for i in $(seq 2000); do printf '\201\241i\315'"\\x$(printf '%02x\\x%02x' $((i >> 8)) $((i & 255)))"; done >count.msgpack
leat_run run count.lua --quiet --set data=count.msgpack --set out=whole.jsonl
claim "2,000 items are read" equal "$(wc -l <whole.jsonl)" 2000
head -c 3001 count.msgpack >part.msgpack
leat_run run count.lua --quiet --set data=part.msgpack --set out=part.jsonl --state state
claim_says "a run over a file that ends within an item tells it" "part.msgpack: data (msgpack) ends early"
cp count.msgpack part.msgpack
leat_run run count.lua --quiet --set data=part.msgpack --set out=part.jsonl --state state
claim "and the next one continues at the exact item" cmp part.jsonl whole.jsonl

# parameters and names
read_it a.msgpack --set as=msgpak
claim_says "another format is refused with the one that was meant" "did you mean \"msgpack\"?"
read_it a.msgpack --set as=msgpack --set follow=true
claim_says "items are not followed" "msgpack has no lines, which follow needs"
read_it a.msgpack --set follow=true
claim_says "by their names, too" "a.msgpack is compressed or binary (msgpack)"
read_it a.msgpack --set as=msgpack --set encoding=latin-1
claim_says "nor have they an encoding" "texts of msgpack are UTF-8"
# A sample has records from all over a container, as of the same rows as JSON.
python3 - <<'PY'
import struct
with open("many.jsonl", "w") as lines, open("many.cbor", "wb") as items:
    for i in range(120000):
        m = i * 7919 % 1000 + i // 60000 * 5000
        lines.write('{"svc":"%s","m":%d}\n' % ("abc"[i % 3], m))
        items.write(b"\xa2\x63svc\x61" + b"abc"[i % 3:i % 3 + 1] + b"\x61m\x19" + struct.pack(">H", m))
PY
for file in many.jsonl many.cbor; do
    leat_run explain $file --metric m --attributes svc
    grep -o '[0-9,]* of 120,000 records .* have m > [0-9]*' "$err"
done >limits
claim "limits come from all of its records, whose quantile is 5599" equal "$(grep -c 'm > 5[56][0-9][0-9]$' limits)" 2
leat_run peek a.cbor
claim_says "peek tells what is read, and how" "a.cbor: json, one object a line, which leat makes of CBOR"
for i in $(seq 400); do printf '\202\246status\315%b\244host\241%b' "$([ $((i % 4)) = 1 ] && echo '\001\364' || echo '\000\310')" \
    "$([ $((i % 4)) = 1 ] && echo x || echo y)"; done >app.msgpack
leat_run explain app.msgpack --quiet --outlier 'status >= 500' --attributes host
claim "an application reads it by its name" grep -q 'host=x' "$out"
cp app.msgpack app.bin
leat_run explain app.bin --format msgpack --quiet --outlier 'status >= 500' --attributes host
claim "and by format" grep -q 'host=x' "$out"
done_claims
