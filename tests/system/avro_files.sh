# Avro object containers are read as JSON Lines, whatever their codec; what is cut or damaged is refused.
# tier: long (25 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lines" { leat.source.file { path = leat.args.data }, leat.parse.lines {}, leat.sink.file { path = "got.txt", format = "raw" } }
LUA
read_it() { rm -f got.txt && leat_run run lines.lua --quiet --set data="$1"; }
container() { base64 -d >"$1.avro"; } # container NAME: a file of fastavro 1.13.1
container null <<'EOF'
T2JqAQQUYXZyby5jb2RlYwhudWxsFmF2cm8uc2NoZW1h7AF7InR5cGUiOiAicmVjb3JkIiwgIm5hbWUiOiAiUiIsICJmaWVsZHMiOiBbeyJuYW
1lIjogImlkIiwgInR5cGUiOiAibG9uZyJ9LCB7Im5hbWUiOiAicyIsICJ0eXBlIjogWyJudWxsIiwgInN0cmluZyJdfV19AAABAgMEBQYHCAkK
CwwNDg8GMAECCnRleHQgBAAKAhZ0ZXh0IMOpCsOpCgABAgMEBQYHCAkKCwwNDg8CIhACHHRleHQgw6kKw6kKw6kKAAECAwQFBgcICQoLDA0ODw
==
EOF
container deflate <<'EOF'
T2JqAQQUYXZyby5jb2RlYw5kZWZsYXRlFmF2cm8uc2NoZW1h7AF7InR5cGUiOiAicmVjb3JkIiwgIm5hbWUiOiAiUiIsICJmaWVsZHMiOiBbey
JuYW1lIjogImlkIiwgInR5cGUiOiAibG9uZyJ9LCB7Im5hbWUiOiAicyIsICJ0eXBlIjogWyJudWxsIiwgInN0cmluZyJdfV19AAABAgMEBQYH
CAkKCwwNDg8GMGNk4ipJrShRYGHgYhIDsw6v5AIiAEUSBgABAgMEBQYHCAkKCwwNDg8CIhNgkilJrShROLySC4IAMk8GAAECAwQFBgcICQoLDA
0ODw==
EOF
container bzip2 <<'EOF'
T2JqAQQUYXZyby5jb2RlYwpiemlwMhZhdnJvLnNjaGVtYewBeyJ0eXBlIjogInJlY29yZCIsICJuYW1lIjogIlIiLCAiZmllbGRzIjogW3sibm
FtZSI6ICJpZCIsICJ0eXBlIjogImxvbmcifSwgeyJuYW1lIjogInMiLCAidHlwZSI6IFsibnVsbCIsICJzdHJpbmciXX1dfQAAAQIDBAUGBwgJ
CgsMDQ4PBoQBQlpoOTFBWSZTWRH15ekAAADxlHQQAQBAAAIABEAAIAgAIAAhqaek9TZQQNA0DZpTi3TAgTg8C/i7kinChICPry9IAAECAwQFBg
cICQoLDA0ODwJ2QlpoOTFBWSZTWSbEqt8AAAJxlBAQQARAAAIABEAAIAgAIAAxADAaGjTRTgnQ0+hDvF3JFOFCQJsSq3wAAQIDBAUGBwgJCgsM
DQ4P
EOF
container snappy <<'EOF'
T2JqAQQUYXZyby5jb2RlYwxzbmFwcHkWYXZyby5zY2hlbWHsAXsidHlwZSI6ICJyZWNvcmQiLCAibmFtZSI6ICJSIiwgImZpZWxkcyI6IFt7Im
5hbWUiOiAiaWQiLCAidHlwZSI6ICJsb25nIn0sIHsibmFtZSI6ICJzIiwgInR5cGUiOiBbIm51bGwiLCAic3RyaW5nIl19XX0AAAECAwQFBgcI
CQoLDA0ODwY8GFwBAgp0ZXh0IAQACgIWdGV4dCDDqQrDqQoiTvUeAAECAwQFBgcICQoLDA0ODwIuEUAQAhx0ZXh0IMOpCsOpCsOpCoJB0OoAAQ
IDBAUGBwgJCgsMDQ4P
EOF
container zstandard <<'EOF'
T2JqAQQUYXZyby5jb2RlYxJ6c3RhbmRhcmQWYXZyby5zY2hlbWHsAXsidHlwZSI6ICJyZWNvcmQiLCAibmFtZSI6ICJSIiwgImZpZWxkcyI6IF
t7Im5hbWUiOiAiaWQiLCAidHlwZSI6ICJsb25nIn0sIHsibmFtZSI6ICJzIiwgInR5cGUiOiBbIm51bGwiLCAic3RyaW5nIl19XX0AAAECAwQF
BgcICQoLDA0ODwZCKLUv/SAYwQAAAQIKdGV4dCAEAAoCFnRleHQgw6kKw6kKAAECAwQFBgcICQoLDA0ODwI0KLUv/SARiQAAEAIcdGV4dCDDqQ
rDqQrDqQoAAQIDBAUGBwgJCgsMDQ4P
EOF
container xz <<'EOF'
T2JqAQQUYXZyby5jb2RlYwR4ehZhdnJvLnNjaGVtYewBeyJ0eXBlIjogInJlY29yZCIsICJuYW1lIjogIlIiLCAiZmllbGRzIjogW3sibmFtZS
I6ICJpZCIsICJ0eXBlIjogImxvbmcifSwgeyJuYW1lIjogInMiLCAidHlwZSI6IFsibnVsbCIsICJzdHJpbmciXX1dfQAAAQIDBAUGBwgJCgsM
DQ4PBqAB/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAXAQIKdGV4dCAEAAoCFnRleHQgw6kKw6kKAIZ9eNTrlfkbAAEwGI4brOwftvN9AQAAAA
AEWVoAAQIDBAUGBwgJCgsMDQ4PApgB/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAQEAIcdGV4dCDDqQrDqQrDqQoAAAAAG+en8MBzXf0AASkR
MgpwDh+2830BAAAAAARZWgABAgMEBQYHCAkKCwwNDg8=
EOF
container empty <<'EOF'
T2JqAQQUYXZyby5jb2RlYwhudWxsFmF2cm8uc2NoZW1h7AF7InR5cGUiOiAicmVjb3JkIiwgIm5hbWUiOiAiUiIsICJmaWVsZHMiOiBbeyJuYW
1lIjogImlkIiwgInR5cGUiOiAibG9uZyJ9LCB7Im5hbWUiOiAicyIsICJ0eXBlIjogWyJudWxsIiwgInN0cmluZyJdfV19AAABAgMEBQYHCAkK
CwwNDg8=
EOF
container appended <<'EOF'
T2JqAQQUYXZyby5jb2RlYw5kZWZsYXRlFmF2cm8uc2NoZW1h7AF7InR5cGUiOiAicmVjb3JkIiwgIm5hbWUiOiAiUiIsICJmaWVsZHMiOiBbey
JuYW1lIjogImlkIiwgInR5cGUiOiAibG9uZyJ9LCB7Im5hbWUiOiAicyIsICJ0eXBlIjogWyJudWxsIiwgInN0cmluZyJdfV19AAABAgMEBQYH
CAkKCwwNDg8GMGNk4ipJrShRYGHgYhIDsw6v5AIiAEUSBgABAgMEBQYHCAkKCwwNDg8CIhNgkilJrShROLySC4IAMk8GAAECAwQFBgcICQoLDA
0ODwIYE2LiyM0vSgUABQMBAAECAwQFBgcICQoLDA0ODw==
EOF
container all <<'EOF'
T2JqAQQUYXZyby5jb2RlYxJ6c3RhbmRhcmQWYXZyby5zY2hlbWGGDnsidHlwZSI6ICJyZWNvcmQiLCAibmFtZSI6ICJBbGwiLCAibmFtZXNwYW
NlIjogImEiLCAiZmllbGRzIjogW3sibmFtZSI6ICJkIiwgInR5cGUiOiAiZG91YmxlIn0sIHsibmFtZSI6ICJmIiwgInR5cGUiOiAiZmxvYXQi
fSwgeyJuYW1lIjogIm5hbiIsICJ0eXBlIjogeyJ0eXBlIjogImFycmF5IiwgIml0ZW1zIjogImRvdWJsZSJ9fSwgeyJuYW1lIjogImIiLCAidH
lwZSI6ICJieXRlcyJ9LCB7Im5hbWUiOiAicmF3IiwgInR5cGUiOiAiYnl0ZXMifSwgeyJuYW1lIjogIm9rIiwgInR5cGUiOiAiYm9vbGVhbiJ9
LCB7Im5hbWUiOiAiZGVjIiwgInR5cGUiOiB7InR5cGUiOiAiYnl0ZXMiLCAibG9naWNhbFR5cGUiOiAiZGVjaW1hbCIsICJwcmVjaXNpb24iOi
AyMCwgInNjYWxlIjogMn19LCB7Im5hbWUiOiAiZGF5IiwgInR5cGUiOiB7InR5cGUiOiAiaW50IiwgImxvZ2ljYWxUeXBlIjogImRhdGUifX0s
IHsibmFtZSI6ICJhdCIsICJ0eXBlIjogeyJ0eXBlIjogImxvbmciLCAibG9naWNhbFR5cGUiOiAidGltZXN0YW1wLW1pY3JvcyJ9fSwgeyJuYW
1lIjogInUiLCAidHlwZSI6IHsidHlwZSI6ICJzdHJpbmciLCAibG9naWNhbFR5cGUiOiAidXVpZCJ9fSwgeyJuYW1lIjogImUiLCAidHlwZSI6
IHsidHlwZSI6ICJlbnVtIiwgIm5hbWUiOiAiRSIsICJzeW1ib2xzIjogWyJBIiwgIkIiXX19LCB7Im5hbWUiOiAibSIsICJ0eXBlIjogeyJ0eX
BlIjogIm1hcCIsICJ2YWx1ZXMiOiBbIm51bGwiLCAibG9uZyJdfX0sIHsibmFtZSI6ICJzdWIiLCAidHlwZSI6IFsibnVsbCIsIHsidHlwZSI6
ICJyZWNvcmQiLCAibmFtZSI6ICJTdWIiLCAiZmllbGRzIjogW3sibmFtZSI6ICJ4IiwgInR5cGUiOiAiaW50In0sIHsibmFtZSI6ICJuZXh0Ii
wgInR5cGUiOiBbIm51bGwiLCAiU3ViIl19XX1dfV19AAABAgMEBQYHCAkKCwwNDg8CtgEotS/9IHiVAgC0A5qZuT8AAAA/BgD4fwDw/wAEQUIE
/wABBPsejLUCiOPl6tmeiQZIMC0wNQIEAmsC/v8BAm4AAAICAgQACQC4zGBglLYUy8JlvEIC3ADNV4AFAAECAwQFBgcICQoLDA0ODw==
EOF
cat >expected <<'EOF'
{"id":-1,"s":"text "}
{"id":2,"s":null}
{"id":5,"s":"text é\né\n"}
{"id":8,"s":"text é\né\né\n"}
EOF
for codec in null deflate bzip2 snappy zstandard xz; do
    read_it "$codec.avro"
    claim "containers with codec $codec are read" cmp got.txt expected
    [[ $codec =~ bzip2|snappy|xz ]] || continue # the others have no checksums
    cp "$codec.avro" damaged.avro
    printf '\x55' | dd of=damaged.avro bs=1 seek=$(($(stat -c %s damaged.avro) - 20)) conv=notrunc status=none
    read_it damaged.avro
    claim_says "a changed byte is found ($codec)" "block 2: its packed data are wrong"
done
cp null.avro other.bin
read_it other.bin
claim "under any name" cmp got.txt expected
"$LEAT" run lines.lua --quiet --set data=- <deflate.avro 2>"$err"
claim "and on standard input" cmp got.txt expected
gzip -c null.avro >packed.gz
read_it packed.gz
claim_says "inside another compression it is named" "packed.gz holds an Avro container inside another compression"
read_it empty.avro
claim_exit "a container without records is read" 0
claim "and has none" test ! -s got.txt
read_it appended.avro
claim "what was appended comes, too" cmp got.txt <(cat expected && echo '{"id":9,"s":"more"}')
cat null.avro all.avro empty.avro snappy.avro >joined.avro
read_it joined.avro
claim "containers put together are read, each with its schema" \
    cmp <(cut -c1-9 got.txt) <(cat expected <(echo '{"d":0.1,"f') expected | cut -c1-9)
read_it null.avro,all.avro
claim "so are several files" equal "$(wc -l <got.txt)" 5
read_it all.avro
jq -c . got.txt >all.json 2>/dev/null
claim "all types have their text" equal "$(cat got.txt)" \
    '{"d":0.1,"f":0.5,"nan":["NaN","Infinity","-Infinity"],"b":"AB","raw":"\u00ff\u0000","ok":true,"dec":-12.50,"day":"2024-02-29","at":"2024-02-29T01:02:03.000004Z","u":"00000000-0000-0000-0000-000000000005","e":"B","m":{"k":9223372036854775807,"n":null},"sub":{"x":1,"next":{"x":2,"next":null}}}'
claim "which is JSON" test -s all.json

wrong=
for ((n = 1; n < $(stat -c %s null.avro); n++)); do
    head -c "$n" null.avro >cut.avro
    read_it cut.avro
    [[ " 170 212 247 " == *" $n "* ]] && expected=0 || expected=1
    [[ $status == "$expected" ]] || wrong+="$n($status) "
    [[ $expected == 0 ]] || grep -q 'cut.avro: data (avro) ends early\|cut.avro does not begin like' "$err" || wrong+="$n "
done
claim "a file that is cut within its head or a block is refused" equal "$wrong" ""
cp null.avro mark.avro
printf x | dd of=mark.avro bs=1 seek=$(($(stat -c %s mark.avro) - 1)) conv=notrunc status=none
read_it mark.avro
claim_says "a wrong mark is told with its block" "mark.avro: data (avro) is damaged" \
    "block 2: the mark at its end is not that of the head"
sed 's/deflate/unknown/' deflate.avro >codec.avro
read_it codec.avro
claim_says "so is an unknown codec" "head: its codec 'unknown' is unknown"
echo '{"id":1}' >text.avro
read_it text.avro
claim_says "and text under its name" "text.avro does not begin like avro data, though its name says so"

# 2^30 values of one record, which take no bytes
type='{"type":"record","name":"R0","fields":[{"name":"a","type":"null"},{"name":"b","type":"null"}]}'
for i in $(seq 29); do
    type='{"type":"record","name":"R'$i'","fields":[{"name":"a","type":'$type'},{"name":"b","type":"R'$((i - 1))'"}]}'
done
printf -v size '\\x%02x\\x%02x' $((${#type} * 2 & 127 | 128)) $((${#type} * 2 >> 7))
printf "Obj\\1\\2\\x16avro.schema$size%s\\0%016d\\2\\0%016d" "$type" 0 0 >many.avro
read_it many.avro
claim_says "a record of endless values without bytes is refused" "block 1: record 1" "more items than"

cat >json.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "json" { leat.source.file { path = "snappy.avro" }, leat.parse.json { "id", "s", integers = { "id" } },
  leat.sink.file { path = "got.csv", format = "jsonl", columns = { "id" } } }
LUA
leat_run run json.lua --quiet
claim "parse.json reads the lines" equal "$(jq -c .id got.csv | tr '\n' ' ')" "-1 2 5 8 "
leat_run peek null.avro
claim_says "peek knows the columns" "null.avro: json, one object a line, which leat makes of Avro"
done_claims
