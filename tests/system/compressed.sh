# Compressed inputs: damage is found, or the text is right. The libraries' own tools agree.
# tier: long (15 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
awk 'BEGIN { srand(4); for (i = 0; i < 300; i++) { s = ""; for (j = 0; j < 3; j++) s = s " " int(rand() * 1e5);
    print i s } }' >a.txt
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lines" { leat.source.file { path = leat.args.data }, leat.parse.lines {}, leat.sink.file { path = "got.txt", format = leat.args.format } }
LUA
cat a.txt a.txt a.txt >three.txt
read_it() { rm -f got.txt; leat_run run lines.lua --set data="$1" --quiet; }
read_it a.txt
cp got.txt a.got
read_it three.txt
cp got.txt three.got
# flip FILE BYTE BIT: changes one bit in place
flip() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf "\\x$(printf %x $((byte ^ (1 << $3))))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
# lz4 and zstd with the checksums that their tools write by default
for tool in gzip:gz bzip2:bz2 xz:xz zstd:zst lz4:lz4; do
    name=${tool%:*} end=${tool#*:}
    there_is "$name" "$name is read" || continue
    "$name" -qc <a.txt >"a.$end"
    size=$(stat -c %s "a.$end") wrong=0 found=0 missed=0
    read_it "a.$end"
    claim "$name is read" cmp got.txt a.got
    for i in $(seq 0 59); do
        cp "a.$end" "bad.$end"
        flip "bad.$end" $((i * size / 60)) $((i * 5 % 8))
        read_it "bad.$end"
        if [[ $status == 0 ]]; then
            cmp -s got.txt a.got || wrong=$((wrong + 1))
            "$name" -tq "bad.$end" 2>/dev/null || missed=$((missed + 1))
        else
            found=$((found + 1))
            grep -q "bad.$end" "$err" || missed=$((missed + 1))
        fi
    done
    claim "$name: of 60 flipped bits none gives wrong data ($found found)" equal "$wrong" 0
    claim "$name: what its own tool refuses is refused, with the file's name" equal "$missed" 0
    for i in 1 2 3; do cat "a.$end"; done >"three.$end"
    read_it "three.$end"
    claim "$name: members one after another are one text" cmp got.txt three.got
    missed=0
    for at in 0 1 2 3; do
        cp "three.$end" "bad.$end"
        flip "bad.$end" $((size + at)) 6
        read_it "bad.$end"
        [[ $status == 1 ]] &&
            grep -q "bad.$end: compressed data ($name) is damaged after [0-9]* bytes of text, at byte [0-9]*: \|bad.$end: compressed data ($name) ends early" "$err" || missed=$((missed + 1))
    done
    claim "$name: a damaged second header ends the run, with file and offset" equal "$missed" 0
    (cat "a.$end"; echo garbage) >"bad.$end"
    read_it "bad.$end"
    claim "$name: so does garbage after the last member" equal "$status" 1
    claim "$name: but the records before it come" eval '(( $(wc -l <got.txt) >= 300 ))'
    cp a.txt "plain.$end"
    read_it "plain.$end"
    claim_exit "$name: text under its name is refused" 1
    claim_says "with what to do" \
        "plain.$end does not begin like $name data, though its name says so" "rename it if it is plain text"
    : >"empty.$end"
    read_it "empty.$end"
    claim_says "$name: a file without a byte is no empty text" \
        "empty.$end has no bytes, but a file in $name always has some"
    : | "$name" -qc >"empty.$end"
    read_it "empty.$end"
    claim_says "and an empty text is told apart" "empty.$end is empty"
    head -c $((size + size / 2)) "three.$end" >"bad.$end"
    read_it "bad.$end"
    claim_says "$name: a member cut short is found" "bad.$end: compressed data ($name) ends early after"
done
gzip -c a.txt >bad.gz
printf '\0\0\0\0' | dd of=bad.gz bs=1 seek=$(($(stat -c %s bad.gz) - 4)) conv=notrunc status=none
read_it bad.gz
claim_says "a wrong length alone is found" "bad.gz: compressed data (gzip) is damaged after" "incorrect length check"
gzip -c a.txt >short.gz
: | gzip -c >>short.gz
gzip -c a.txt >>short.gz
read_it short.gz
claim "an empty member is no end" equal "$(wc -l <got.txt)" 600
(cat a.gz a.gz; head -c 70000 /dev/zero) >tape.gz
read_it tape.gz
claim "zeros after the last gzip member are a tape's padding" equal "$status $(wc -l <got.txt)" "0 600"
(cat tape.gz; echo garbage) >bad.gz
read_it bad.gz
claim_says "but not bytes after the zeros" "bad.gz: compressed data (gzip) is damaged" \
    "the zeros after the last member"
(cat tape.gz a.gz) >bad.gz
read_it bad.gz
claim "nor a member" equal "$status" 1
printf '\x28\xb5\x2f\xfd\x24\xf5\x01\0\0\x99\xe9\xd8\x51' >bad.zst
read_it bad.zst
claim_says "a zstd frame that holds less than it declares is found" "bad.zst: compressed data (zstd) is damaged" \
    "the size of a frame differs from the size in its header"
(cat a.zst; printf '\x26\xb5\x2f\xfd\x0f%40s' '') >old.zst
read_it old.zst
claim_says "nor is a frame of zstd 0.6, for which the library takes 128 MB" \
    "old.zst: compressed data (zstd) is damaged" "no zstd header"
printf '\x28\xb5\x2f\xfd\x24\0\0\0\0\4\0\0\1\0\0\x99\xe9\xd8\x51' >empty.zst
read_it empty.zst
one=$status
cat empty.zst empty.zst >twice.zst
read_it twice.zst
claim "a zstd frame that comes whole is judged as one that comes in pieces" equal "$status" "$one"

# ---- damage in files that come later ----
# ahead NAME TEXT…: a.txt is read before it, and no record comes
ahead() {
    read_it "a.txt,a.txt,$1"
    claim_exit "$1 after others ends the run" 1
    claim_says "with its name" "${@:2}"
    claim "before the first record" test ! -s got.txt
}
seq 400000 >long.txt
hurt() { head -c 64 /dev/zero | tr '\0' '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
for tool in gzip:gz xz:xz zstd:zst lz4:lz4; do
    name=${tool%:*} end=${tool#*:}
    there_is "$name" "damage in $name is found" || continue
    "$name" -qc <long.txt >"late.$end"
    hurt "late.$end" 12
    ahead "late.$end" "late.$end: compressed data ($name) is damaged after "
    ahead "plain.$end" "plain.$end does not begin like $name data, though its name says so"
    leat_run check lines.lua --set data="a.txt,late.$end"
    claim "check finds it, too ($name)" grep -q "late.$end: compressed data ($name) is damaged" "$out" "$err"
done
cp a.txt plain.bz2
ahead plain.bz2 "plain.bz2 does not begin like bzip2 data, though its name says so"
{ echo n && cat long.txt; } | gzip -c >late.csv.gz
hurt late.csv.gz 3000
printf 'n\n1\n' >one.csv
printf 'local leat = require "leat"\nreturn leat.pipeline "csv" { leat.source.file { path = { "one.csv", "late.csv.gz" } }, leat.parse.csv {}, leat.sink.file { path = "got.txt", format = "csv" } }' >csv.lua
rm -f got.txt
leat_run run csv.lua --quiet
claim_says "below a header, too" "late.csv.gz: compressed data (gzip) is damaged after "
claim "before the first record" equal "$(grep -c '[0-9]' got.txt)" 0
gzip -c a.txt | head -c 400 >grows.gz
read_it a.txt,grows.gz
claim_says "what ends early may still be written" "grows.gz: compressed data (gzip) ends early after"
claim "and is left for its turn" test -s got.txt

# What a decoder takes is in the plan: files say in their first bytes what they ask for.
cat >window.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "w" { leat.source.file { path = leat.args.data, window = leat.args.window }, leat.parse.lines {}, leat.sink.null {} }
LUA
planned() { leat_run check window.lua --json "$@" && jq .plan.bytes "$out"; }
text=$(planned --set data=a.txt)
mib() { echo $((($(planned "$@") - text) >> 20)); }
xz -9 -c <a.txt >nine.xz
zstd -q --long=27 -c <a.txt | cat >long.zst
zstd -q --long=30 -c <a.txt | cat >longer.zst
for format in gz:0 bz2:4 xz:9 zst:9 lz4:21; do
    claim "the plan counts the decoder of ${format%:*}" equal "$(mib --set data=a.${format%:*})" "${format#*:}"
done
claim "the dictionary of xz -9" equal "$(mib --set data=nine.xz)" 65
claim "the window of zstd --long=27" equal "$(mib --set data=long.zst)" 129
claim "the largest of several files" equal "$(mib --set data='nine.xz,a.gz')" 65
claim "for a pipe what the tools do without options" equal "$(mib --set data=-)" 38
for file in nine.xz long.zst; do
    leat_run run window.lua --quiet --set data=$file
    claim_exit "$file is read as it is" 0
done
leat_run run window.lua --quiet --set data=longer.zst
claim_says "what asks for more than 128 MB is refused in one sentence" \
    'longer.zst: compressed data (zstd) needs a window of 1024MB and only 128MB are allowed: set `window` of source.file to "1024MB"'
leat_run run window.lua --quiet --set data=longer.zst --set window=1024MB
claim_exit "which says what to do" 0
claim "and that is planned" equal "$(mib --set data=longer.zst --set window=1024MB)" 1025
"$LEAT" run window.lua --quiet --set data=- <nine.xz 2>"$err"
claim_says "a pipe is refused likewise" \
    'standard input: compressed data (xz) needs a window of 64MB and only 8MB are allowed: set `window` of source.file to "64MB"'
claim "and read when it is allowed" "$LEAT" run window.lua --quiet --set data=- --set window=64MB <nine.xz
read_it bad.gz
"$LEAT" run lines.lua --set data=- --quiet <bad.gz 2>"$err"
claim_says "standard input as well" "is damaged after"
cat >packets.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "packets" { leat.source.pcap { path = "c.pcap.gz" }, leat.parse.packet {}, leat.sink.null {} }
LUA
printf '\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0' | gzip -c >c.pcap.gz
flip c.pcap.gz $(($(stat -c %s c.pcap.gz) - 6)) 2
leat_run run packets.lua --quiet
claim_exit "a damaged capture ends the run, too" 1
claim_says "with its name" "c.pcap.gz: compressed data (gzip) is damaged after 24 bytes of text"
done_claims
