# Compressed data of several frames, in any order: what each tool reads whole is read, what it refuses is refused.
# tier: long (60 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lines" { leat.source.file { path = leat.args.data }, leat.parse.lines {}, leat.sink.file { path = "got.txt", format = "raw" } }
LUA
seq -f 'line %g of a small text' 9 >text
: >nothing
head -c 30000 /dev/urandom | base64 >random

# judge TOOL FILE: counts in $judged; if leat and the tool differ, adds the file's name to $wrong. The tool has the
# text or refuses the file; leat must have the same text or name the file
judge() {
    local tool_status=0
    "$1" -qdc <"$2" >expected 2>/dev/null || tool_status=$?
    rm -f got.txt
    leat_run run lines.lua --set data="$2" --quiet
    judged=$((judged + 1))
    if [[ $tool_status == 0 ]]; then
        [[ $status == 0 ]] && { cmp -s got.txt expected || [[ ! -s expected && ! -s got.txt ]]; } && return
    else
        [[ $status == 1 ]] && grep -q "$2.*\(at byte [0-9]\|early\|does not begin\)" "$err" && return
    fi
    wrong+="$2($tool_status,$status) "
}
# orders TOOL END PIECE…: judges all files of one to three pieces
orders() {
    local tool=$1 end=$2 a b c
    shift 2
    judged=0 wrong=
    for a in "$@"; do
        cp "$a" "$a.$end"
        judge "$tool" "$a.$end"
        for b in "$@"; do
            cat "$a" "$b" >"$a-$b.$end"
            judge "$tool" "$a-$b.$end"
            for c in "$@"; do
                cat "$a" "$b" "$c" >"$a-$b-$c.$end"
                judge "$tool" "$a-$b-$c.$end"
            done
        done
    done
    claim "$tool: all $judged orders of its pieces are read as $tool reads them" equal "$wrong" ""
    rm -f ./*-*."$end"
}
# cuts TOOL FILE: judges FILE cut before each of its bytes
cuts() {
    local n
    judged=0 wrong=
    for ((n = 1; n <= $(stat -c %s "$2"); n++)); do
        head -c "$n" "$2" >"cut.${2##*.}"
        judge "$1" "cut.${2##*.}"
    done
    claim "$1: of ${2##*/} cut at $judged places what $1 refuses is refused" equal "$wrong" ""
}
# As a pipe, skippable frames are in pieces, and the name says nothing.
piped() {
    rm -f got.txt
    (head -c 3 "$1"; sleep 0.1; tail -c +4 "$1") | "$LEAT" run lines.lua --quiet --set data=- 2>"$err"
}

printf '\x50\x2a\x4d\x18\0\0\0\0' >skip0
printf '\x5f\x2a\x4d\x18\5\0\0\0a\nb\nc' >skip5
{ printf '\x53\x2a\x4d\x18\xa0\x86\1\0' && head -c 100000 /dev/zero; } >skip100000
if there_is zstd "frames of zstd"; then
    zstd -qc <text >frame
    zstd -qc --no-check <text >bare
    zstd -qc <nothing >empty
    zstd -qc --long=24 --no-content-size <random >wide
    orders zstd zst skip0 skip5 frame empty bare
    orders zstd zst skip100000 wide
    cat skip5 frame skip0 empty skip5 >several.zst
    cuts zstd several.zst
    claim "zstd after a skippable frame is known on standard input" piped several.zst
    claim "and is its text" cmp got.txt text
    (cat skip5; echo garbage) >bad.zst
    leat_run run lines.lua --quiet --set data=bad.zst
    claim_says "other bytes after a skippable frame are damage, with their place" \
        "bad.zst: compressed data (zstd or lz4) is damaged at byte 13: no frame of zstd or lz4 follows"
fi
if there_is lz4 "frames of lz4"; then
    lz4 -qc <text >frame
    lz4 -qc --no-frame-crc -BX <text >blocks
    lz4 -qc <nothing >empty
    lz4 -qlc <text >legacy
    lz4 -qlc <nothing >bare # a magic alone
    orders lz4 lz4 skip5 frame legacy empty bare
    orders lz4 lz4 skip0 blocks legacy
    cat legacy frame legacy skip0 >several.lz4
    cuts lz4 several.lz4
    head -c 10 skip5 >bad.lz4 # which lz4 does not see, as it seeks beyond the end
    leat_run run lines.lua --quiet --set data=bad.lz4
    claim_says "a skippable frame that is cut is refused" \
        "bad.lz4: compressed data (zstd or lz4) ends early within a skippable frame, at byte 10"
    cat skip5 legacy frame legacy skip0 >several.lz4
    claim "lz4 after a skippable frame is known on standard input" piped several.lz4
    claim "and is its text" cmp got.txt <(cat text text text)
    # blocks of 8 MiB of text, and a last one that is smaller
    for _ in $(seq 500); do cat random; done >large
    lz4 -qlc <large >large.lz4
    judged=0 wrong=
    judge lz4 large.lz4
    claim "a legacy frame of several blocks is read" equal "$wrong" ""
    (cat legacy; printf '\1\0\0\0\0') >empty_block.lz4
    judge lz4 empty_block.lz4
    claim "a block without text, too" equal "$wrong" ""
fi
if there_is xz "members of xz and lzma"; then
    xz -qc <text >member
    xz -qc --check=none <text >bare
    xz -qc <nothing >empty
    printf '\0\0\0\0' >padding
    printf '\0' >zero
    orders xz xz member bare empty padding zero
    xz -qc --format=lzma <text >alone
    xz -qc --format=lzma <nothing >none
    xz -qc --format=lzma --lzma1=lc=0,lp=2,pb=0,dict=3MiB <text >other
    orders xz lzma alone none other
    cat alone >alone.lzma
    cuts xz alone.lzma
    cat member member >twice.xz
    cuts xz twice.xz
    xz -qc --format=lzma -9 <random >large.lzma
    judged=0 wrong=
    judge xz large.lzma
    claim "lzma with a dictionary of 64 MB is read" equal "$wrong" ""
    claim "lzma is known on standard input" piped alone
    claim "and is its text" cmp got.txt text
    # lzip: the code of an lzma file, and a trailer of CRC-32 and length, as gzip has them
    tail -c +14 alone >code
    printf -v size '\\x%02x' $((6 + $(stat -c %s code) + 20))
    { printf 'LZIP\1\27' && cat code && gzip -c text | tail -c 8 && printf '\0\0\0\0%b\0\0\0\0\0\0\0' "$size"; } >lzip
    orders xz lz lzip
    cat lzip >lzip.lz
    cuts xz lzip.lz
    (cat lzip; echo garbage) >bad.lz
    leat_run run lines.lua --quiet --set data=bad.lz
    claim_says "other bytes after lzip are damage" "bad.lz: compressed data (lzip) is damaged after"
fi
if there_is gzip "members of gzip"; then
    gzip -qc <text >member
    gzip -qc <nothing >empty
    orders gzip gz member empty
    cuts gzip member.gz
fi
if there_is bzip2 "members of bzip2"; then
    bzip2 -qc <text >member
    bzip2 -qc <nothing >empty
    orders bzip2 bz2 member empty
    cuts bzip2 member.bz2
fi
done_claims
