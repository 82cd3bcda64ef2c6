#!/usr/bin/env bash
# seeds.sh TARGET FOLDER: small inputs from which the fuzzing of a target starts. Those of the decoder
# are made by the formats' own programs, as far as they are installed.
set -eu
mkdir -p "$2"
cd "$2"
seed() { # seed NAME: standard input, after a byte that is the size of pieces
    { printf '\003'; cat; } >"$1"
}
case $1 in
fuzz_decoder)
    for text in '' 'a' "$(printf 'one,two\n%.0s' $(seq 40))"; do
        for format in gzip bzip2 xz zstd lz4; do
            command -v $format >/dev/null || continue
            printf '%s' "$text" | $format -c | seed "$format-${#text}"
            { printf '%s' "$text" | $format -c; printf 'x' | $format -c; } | seed "$format-${#text}-twice"
        done
    done
    printf '\x28\xb5\x2f\xfd\x24\xf5\x01\0\0\x99\xe9\xd8\x51' | seed zstd-declares
    printf '\x28\xb5\x2f\xfd\x24\0\0\0\0\4\0\0\1\0\0\x99\xe9\xd8\x51' | seed zstd-empty-blocks
    for text in '' "$(printf 'one,two\n%.0s' $(seq 40))"; do
        command -v lz4 >/dev/null && { printf '%s' "$text" | lz4 -lc; printf 'x' | lz4 -c; } | seed "legacy-${#text}"
        command -v xz >/dev/null && printf '%s' "$text" | xz -c --format=lzma | seed "lzma-${#text}"
    done
    base64 -d <<<T2JqAQQUYXZyby5jb2RlYwhudWxsFmF2cm8uc2NoZW1h7AF7InR5cGUiOiAicmVjb3JkIiwgIm5hbWUiOiAiUiIsICJmaWVsZHMi\
OiBbeyJuYW1lIjogImlkIiwgInR5cGUiOiAibG9uZyJ9LCB7Im5hbWUiOiAicyIsICJ0eXBlIjogWyJudWxsIiwgInN0cmluZyJdfV19AAABAgMEBQYHCAkKCwwNDg8GMAECCnRleHQgBAAKAhZ0ZXh0IMOpCsOpCgABAgMEBQYHCAkKCwwNDg8CIhACHHRleHQgw6kKw6kKw6kKAAECAwQFBgcICQoLDA0ODw== | seed avro
    base64 -d <<</////zgBAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAQAAADUAAAAmAAAADwAAAAEAAAATP///wAAAQcQAAAAHAAAAA\
QAAAAAAAAAAQAAAGQAAAAIAAwABAAIAAgAAAAVAAAAAgAAAID///8AAAEMFAAAABgAAAAEAAAAAQAAABAAAAABAAAAbAAAAKz///+o////AAABAxAAAAAc\
AAAABAAAAAAAAAAEAAAAaXRlbQAABgAIAAYABgAAAAAAAQDY////AAABBRAAAAAYAAAABAAAAAAAAAABAAAAcwAAAAQABAAEAAAAEAAUAAgABgAHAAwAAA\
AQABAAAAAAAAECEAAAABwAAAAEAAAAAAAAAAIAAABpZAAACAAMAAgABwAIAAAAAAAAAUAAAAD/////WAEAABQAAAAAAAAADAAWAAYABQAIAAwADAAAAAAD\
BAAYAAAAmAAAAAAAAAAAAAoAGAAMAAQACAAKAAAAzAAAABAAAAADAAAAAAAAAAAAAAALAAAAAAAAAAAAAAABAAAAAAAAAAgAAAAAAAAAGAAAAAAAAAAgAA\
AAAAAAAAEAAAAAAAAAKAAAAAAAAAAQAAAAAAAAADgAAAAAAAAABAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAQAAAAAAAAAFAAAAAAAAAAAQAA\
AAAAAABYAAAAAAAAAAwAAAAAAAAAaAAAAAAAAAAAAAAAAAAAAGgAAAAAAAAAMAAAAAAAAAAAAAAABQAAAAMAAAAAAAAAAQAAAAAAAAADAAAAAAAAAAEAAA\
AAAAAAAwAAAAAAAAAAAAAAAAAAAAMAAAAAAAAAAQAAAAAAAAADAAAAAAAAAAAAAAAAAAAABQAAAAAAAAABAAAAAAAAAAAAAAAAAAAA/f////////8DAAAA\
AAAAAAAAAAABAAAABAAAAAQAAABhw6kiAAAAAAAAAAACAAAAAgAAAAMAAAAFAAAAAAAAAAAAwD8AAAAAAADAfwAAAABE1hIAAAAAAAAAAAAAAAAADP7///\
///////////////wAAAAAAAAAAAAAAAAAAAAD/////AAAAAA== | seed arrow
    printf '\331\331\367\241aa\1\241ab\202\1\371\76\0' | seed cbor
    { printf x | zstd -c; printf '\x26\xb5\x2f\xfd\x0f%40s' ''; } | seed zstd-old
    ;;
fuzz_expression)
    printf '%s' "if(s == '-', 0, s / x) + number(t) %% 3" >numbers
    printf '%s' "lower(trim(s)) .. '-' .. split(t, '/', -1) .. x" >texts
    printf '%s' "not (x > 1 and s in ('a', 'b')) or is_missing(t)" >conditions
    printf '%s' "replace(upper(s), 'B', \"xyz\") .. bucket(x, -1, 0, 1e6)" >buckets
    printf '%s' "coalesce(before(s, 'a'), after(t, '7'), substring(@raw, 2, 3), text(hash(s, t)))" >parts
    printf '%s' "min(round(x, 2), max(x, floor(x)), abs(-x), sqrt(x), log(x)) <= @label" >functions
    ;;
fuzz_model_load)
    head='{"snapshot":1,"checkpoint":1}'
    printf '%s\n{"section":"pipeline","text":"{}"}\n' "$head" >text
    printf '%s\n{"section":"stage/m/0","stage":"learn.awm","version":2}\n' "$head" >state
    printf '%s\n' '{"section":"stage/m/0","field":"n","type":"u64","value":3}' |
        cat state - >number
    printf '%s\n' '{"section":"stage/m/0","field":"v","type":"f32","values":[1,-2.5,"nan"]}' |
        cat number - >array
    printf '%s\n' '{"section":"stage/m/0","field":"i","type":"i64","value":"-9223372036854775808"}' \
        '{"section":"stage/m/0","field":"t","type":"text","text":"ms"}' \
        '{"section":"stage/m/0","field":"e","type":"i64","values":[]}' | cat state - >signed
    ;;
fuzz_snapshot) # one section, whose state has an i64, a text and an empty array; the target makes the checksums
    zeros() { head -c "$1" /dev/zero; }
    state() {
        printf 'leatSTAT\2\0\0\0\1\0\0\0\210\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0s' && zeros 7
        printf '\6\0\0\0\5\0\0\0\1\0\0\0\0\0\0\0since\0\0\0\376\377\377\377\377\377\377\377'
        printf '\1\0\3\0\4\0\0\0\2\0\0\0\0\0\0\0unit\0\0\0\0ms' && zeros 6
        printf '\6\0\1\0\4\0\0\0' && zeros 8 && printf none && zeros 12
    }
    { printf '\1leatSNAP\1\0\0\0\1\0\0\0\1' && zeros 47; printf '\1' && zeros 7; printf '\210' && zeros 11; printf s &&
        zeros 43; state && zeros 56; } >state
    ;;
fuzz_packet)
    mac='\1\2\3\4\5\6\1\2\3\4\5\6'
    v4='\x45\0\0\x28\0\0\0\0\x40\6\0\0\x0a\0\0\1\x0a\0\0\2'
    v6='\x60\0\0\0\0\x10\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2'
    tcp='\0\x50\1\xbb\0\0\0\0\0\0\0\0\x50\0\0\0\0\0\0\0'
    printf "\1\4$mac\x08\0$v4$tcp" >ethernet-4
    printf "\1\4$mac\x81\0\0\1\x86\xdd$v6\6\0\0\0\0\0\0\0$tcp" >ethernet-vlan-6
    printf "\2\0$v4$tcp" >raw-4
    printf "\4\0\0\0\0\1\0\6\1\2\3\4\5\6\0\0\x08\0$v4$tcp" >cooked
    ;;
fuzz_http_get)
    printf '\005HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' >counted
    printf '\003HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n' >chunked
    printf '\001HTTP/1.0 404 No\r\nX: y\r\n\r\nno such page' >to_end
    ;;
fuzz_watch)
    printf '\0one\ntwo\r\n\nthree' >lines
    printf '\1a,"b\nc"\n1,2\n' >csv
    printf '\2{"a":1}\n' >message
    printf '\0[::1]:9100' >address
    printf '\0Bearer sesame' >bearer
    printf '\0q"b\\n\xff' >label
    ;;
fuzz_pcap)
    head='\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0'
    packet='\1\0\0\0\2\0\0\0\x10\0\0\0\x10\0\0\0\1\2\3\4\5\6\1\2\3\4\5\6\x08\0\x45\0'
    printf "$head" >empty
    printf "$head$packet$packet" | tee two | gzip -c >two.gz
    printf '\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\1\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x1c\0\0\0\1\0\0\0\x14\0\0\0\1\0\0\0\xff\xff\0\0\x14\0\0\0' >pcapng
    { cat pcapng; printf '\x0a\x0d\x0d\x0a\0\0\0\x1c\x1a\x2b\x3c\x4d\0\1\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\x1c\0\0\0\1\0\0\0\x14\0\x65\0\0\0\0\xff\xff\0\0\0\x14'
        printf '\0\0\0\3\0\0\0\x14\0\0\0\4abcd\0\0\0\x14'; } >sections
    ;;
fuzz_json)
    printf '\022a.b\nc[1]\nt[*].x\n"d"{"a":{"b":"x\\u00e9\\ud83d\\ude00\\n"},"c":[1,-2.5e+7],"t":[{"x":1},{"x":"y\\""},null],"d":true}' >paths
    printf '\000 {"a" : [ [ ] , { } , "" ] , "b" : null , "c" : false }  ' >blanks
    printf '\001a{"a":"\xc3\xa9 \xe2\x82\xac","a":1}' >twice
    printf '\001a{"a":1}x' >trailing
    ;;
fuzz_protobuf)
    message() { # message NAME SCHEMA PATHS MESSAGE: the message with its escapes
        local schema="syntax=\"proto3\";$2"
        { printf "\\x$(printf %02x $((${#schema} & 255)))\\x$(printf %02x $((${#schema} >> 8)))\\x$(printf %02x ${#3})"
            printf '%s%s' "$schema" "$3"; printf "$4"; } >"$1"
    }
    message single 'message M{int64 a=1;}' a '\x08\x07'
    message nested 'message M{M m=1;string s=2;}' 'm.s' '\x0a\x03\x12\x01x'
    message repeated 'message M{repeated int32 r=1;}' $'r[*]\nr[1]' '\x0a\x02\x01\x02\x08\x03'
    message map 'message M{map<string,int32> m=1;}' 'm.k' '\x0a\x05\x0a\x01k\x10\x01'
    message oneof 'message M{oneof o{double d=1;E e=2;}}enum E{A=0;}' $'d\ne' '\x10\x00'
    message time 'import "google/protobuf/timestamp.proto";message M{google.protobuf.Timestamp t=1;}' t '\x0a\x02\x08\x01'
    message any 'import "google/protobuf/struct.proto";message M{google.protobuf.Struct s=1;}' $'s.a\ns.a[*]' \
        '\x0a\x0a\x0a\x08\x0a\x01a\x12\x03\x1a\x01x'
    ;;
fuzz_avro)
    avro() { # avro NAME SCHEMA PATHS RECORD: the record with its escapes
        { printf "\\x$(printf %02x $((${#2} & 255)))\\x$(printf %02x $((${#2} >> 8)))\\x$(printf %02x ${#3})"; printf \
            '%s%s' "$2" "$3"; printf "$4"; } >"$1"
    }
    field='{"type":"record","name":"R","fields":[{"name":"v","type":'
    avro single "$field\"long\"}]}" v '\x02'
    avro union "${field}[\"null\",\"string\",\"R\"]}]}" 'v.v' '\x04\x02\x04ab'
    avro array "$field{\"type\":\"array\",\"items\":\"int\"}}]}" $'v[1]\nv[*]' '\x03\x04\x02\x04\x00'
    avro map "$field{\"type\":\"map\",\"values\":[\"null\",\"double\"]}}]}" 'v.k' '\x02\x02k\x02\0\0\0\0\0\0\0\0\0'
    avro decimal "$field{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}}]}" v \
        '\x04\x01\x00'
    avro date "$field{\"type\":\"long\",\"logicalType\":\"timestamp-micros\"}}]}" v '\xff\xff\x03'
    avro enum "$field{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"a\",\"b\"]}}]}" v '\x02'
    avro fixed "$field{\"type\":\"fixed\",\"name\":\"F\",\"size\":2}}]}" v 'ab'
    ;;
fuzz_items)
    printf '\1\242aa\202\1\371\76\0ab\277\141c\177aaabb\377\377' >cbor
    printf '\2\305\304\202!\302B\1\0' >tags
    printf '\3\202\241a\222\1\312\0\0\0\0\241b\326\377\0\0\0\1' >msgpack
    printf '\1\222\327\0\0\0\0\1\0\0\0\2\201\241a\1' >entry
    ;;
fuzz_encode)
    encode() { # encode NAME KIND SCHEMA VALUES: the values with their escapes
        { printf "\\x0$2\\x$(printf %02x $((${#3} & 255)))\\x$(printf %02x $((${#3} >> 8)))"; printf '%s' "$3"; printf "$4"; } >"$1"
    }
    field='{"type":"record","name":"R","fields":[{"name":"a","type":"long"},{"name":"b","type":["null",'
    record='{"name":"r","type":{"type":"record","name":"X","fields":[{"name":"x","type":'
    encode avro 0 "$field\"string\"]},$record\"double\"}]}}]}" '\2\1\2\3\4\5\6\7\0\5\3abc\3\0\0\0\0\0\0\0\7'
    encode decimal 0 "$field{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}]},${record}\"float\"}]}}]}" \
        '\5\0029\005\005\0041.50\5\0031e9'
    encode defaults 0 "$field\"int\"],\"default\":null},${record}[\"null\",\"bytes\"]}]},\"default\":{}},{\"name\":\"d\",\"type\":{\"type\":\"map\",\"values\":\"int\"},\"default\":{\"k\":1}}]}" '\5\0017\0\6\2\377\0'
    encode json 1 '{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":1},"b":{"enum":["x",null]},"r":{"$ref":"#/d"}},"d":{"type":"object","properties":{"x":{"type":["null","string"]}}}}' \
        '\2\7\0\0\0\0\0\0\0\5\1x\5\2""'
    encode proto 2 'syntax="proto3";message M{sint64 a=1;optional E b=2;enum E{X=0;Y=-1;}message R{google.protobuf.Timestamp x=1;}R r=9;}' \
        '\2\7\0\0\0\0\0\0\0\5\1Y\5\0242024-02-29T23:59:59Z'
    ;;
fuzz_dead_letters)
    printf '{"input":"a.csv","line":2,"offset":9,"stage":"p","reason":"syntax","message":"m","record":"a,\\u0000b"}' \
        >text
    printf '{"input":"a.csv","offset":9,"record_hex":"00ff7f"}' >hex
    printf '{"cut":true,"record":"a"}' >cut
    ;;
fuzz_parsers) # the byte 1e is between records
    printf '\0001,2.5,3\036"a","1","x ""q"" y"\036,,\036"open' >csv
    printf '\004a\\tb\t1\tc\\\036\\N\t2\t' >tsv
    printf '\007a=1 b=2 c.d="x y" [0]=z\036a="\\u00e9\\x41\\U0001f600\\ud83d\\ude00"\036a="open\036=x\036b=1e400' >logfmt
    printf '\011127.0.0.1 - a [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 - "-" "b \\"c\\""' >combined
    printf '\012<34>Oct 11 22:14:15 host su[12]: failed\036Oct  1 22:14:15 h prog: m' >syslog
    printf '\013<165>1 2003-10-11T22:14:15.003Z h e - ID47 [x@1 i="A\\]p"] m' >syslog5424
    printf '\0161 a:b:1 c qid:3 17:-2e-3\036-1 c#:1 # d\0361 a:inf' >libsvm
    printf "\\0201 2.0 'tag|user age:0.31 b |c:0.5 d\\0360 tag|a b" >vw
    printf '\023{"input":"a","line":2,"record":"a\\u0000"}\036{"record_hex":"00ff","headers":[{"name":"n"}]}' >dead
    printf '\024h:80 1.2.3.4 - a b [t] "GET /a HTTP/1.0" 200 - "-" "x"\036h 1.2.3.4 - - b [t] "-" 200 - "" ""' >vhost
    printf '\0251.2.3.4, ::1 - bob [t] "GET /a" 200 5 "-" "x"\0361.2.3.4 h - - [t] "-" - - "-" "-"' >forwarded
    printf '\026h:1 [t] f~ b/s 0/1/2/-1/+3 200 7 - - ---- 4/3/2/1/0 0/0 {a} {} "GET /a HTTP/1.1"' >haproxy
    printf "\\027type=A msg=audit(1.5:4): pid=1 msg='op=x acct=\"a b\" addr=? res=success'\035UID=\"r\"" >auditd
    printf '\030CEF:0|V|P \\| x|1|100|n|5|src=10.0.0.1 msg=a b act=c\\=1' >cef
    ;;
fuzz_tokens)
    printf '\003Stra\xc3\x9fe \xc8\xba\xc2\xa0\xe2\x80\xa9x_y caf\xc3\xa9' >words
    ;;
fuzz_counted)
    printf '\377''3 one10 two\nthree\n200 x' >octets
    printf '\376\0\0\0\3one\0\0\0\0\0\0\1\0' >length
    ;;
fuzz_pattern)
    printf '\006\006\004foobar(%%a+).%%0x' >capture
    printf '\010\005\004(a(b)c)a%%b()+<%%1>' >balance
    printf '\010\007\004the end.%%f[%%w].-' >frontier
    printf '\004\005\004aaaa^(.)%%1' >back
    ;;
fuzz_schema)
    printf '{"has":1,"score":1,"open":0,"columns":[{"name":"a","type":1}],"fields":["f"],"classes":["c"],"max_record_bytes":9}' >all
    ;;
fuzz_lua_value)
    printf '{\0\0\0\0\0\0\0\2I\x80\0\0\0\0\0\0\1S\0\0\0\0\0\0\0\1aS\0\0\0\0\0\0\0\1kT' >table
    printf 'D\x3f\xf0\0\0\0\0\0\0' >float
    ;;
fuzz_commit_mark)
    printf 'leat 7 deadbeef 41 1700000000000 1234abcd' >mark
    printf 'leat 7' >old
    ;;
fuzz_vw)
    printf "\\0171 2.0 0.5 'tag-1|user age:0.31 premium |item:0.5 price:17 red" >whole
    printf '\0170 tag|a b c:1e-3\t|| d 7:2' >nameless
    printf '\0371|a b |:2 :1 |c:inf d:x and what lies behind the record' >wrong
    ;;
fuzz_libffm)
    printf '\0171 0:17:1 1:204:-0.5e-3\t2:18446744073709551615:1' >whole
    printf '\0021 0:17:1 1:x:1 3:0.5 1:1:inf' >wrong
    ;;
fuzz_time)
    zeros() { head -c "$1" /dev/zero; }
    block() { printf TZif2; zeros 34; printf '\1'; zeros 3; printf '\4'; zeros 6; printf 'UTC\0'; }
    zone() { block; block; printf '\n%s\n' "$1"; }
    printf 'iso8601\n2024-05-17T13:55:36.25+02:00\n' >iso
    { printf '%%d.%%m.%%Y %%T\n17.05.2024 02:30:00\n'; zone CET-1CEST,M3.5.0,M10.5.0/3; } >zone
    { printf '%%a %%b %%e %%I%%p %%y\nFri May 17 02pm 24\n'; zone '<-03>3<-02>,J60,300/-2'; } >rule
    ;;
fuzz_decimal)
    for number in 0 -1.5e-3 123456789012345678901234567890 4.9e-324 1e308 .5. inf nan 18446744073709551615; do
        printf '%s' $number >"n$number"
    done
    ;;
esac
