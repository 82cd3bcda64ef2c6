# Data that are no text are refused by the name of their kind, under any name, and not read as records.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lines" {
  leat.source.file { path = leat.args.data, follow = leat.flag(leat.args, "follow") }, leat.parse.lines {}, leat.sink.file { path = "got.txt", format = "raw" } }
LUA
read_it() { rm -f got.txt && leat_run run lines.lua --quiet --set data="$1"; }
read_pipe() {
    rm -f got.txt
    "$LEAT" run lines.lua --quiet --set data=- >"$out" 2>"$err"
    status=$?
}
# refused WORDS FILE: FILE is refused as WORDS, by its name, on standard input and compressed, and gives no record
refused() {
    read_it "$2"
    claim_exit "$1 ends the run" 1
    claim_says "with what it is" "$2 is $1"
    claim "and no record" test ! -s got.txt
    read_pipe <"$2"
    claim_says "also on standard input" "standard input is $1"
    gzip -c "$2" >packed
    read_it packed
    claim_says "and compressed" "packed holds $1"
    claim "and no record" test ! -s got.txt
}
while IFS=' ' read -r bytes words; do
    { printf '%b' "$bytes" && printf '\0\n\251 line\n%.0s' $(seq 200); } >data
    refused "$words" data
done <<'KINDS'
SQLite\0040format\00403\0000 an SQLite database
\0177ELF\0002 a program: it holds no records
PK\0003\0004 a ZIP archive
%PDF-1.7\n a PDF document
\0211PNG\r\n\0032\n a PNG image
\0037\0235 data of compress
\0324\0303\0262\0241 a capture of packets: read it with leat.source.pcap
\n\r\r\n\0034\0000\0000\0000M<+\0032 a capture of packets (pcapng)
KINDS
echo one >one.txt
tar -cf a.tar one.txt
refused "a tar archive: read one file in it: tar -xOf" a.tar
(head -c 100 a.tar; sleep 0.2; tail -c +101 a.tar) | read_pipe
claim_says "an archive that comes in pieces, too" "standard input is a tar archive"
gzip -c one.txt | zstd -qc >twice.zst
read_it twice.zst
claim_says "what is compressed twice is told so" "twice.zst holds gzip inside another compression"
cp a.tar 'a b.tar'
read_it 'a b.tar'
claim_says "a name with a blank is not put into the command" "tar -xOf FILE NAME"
leat_run run lines.lua --quiet --set data=a.tar --set follow=true
claim_exit "a file that is followed is refused, too" 1
claim_says "with its kind" "cannot follow a.tar: it is a tar archive"
cp a.tar later.log
read_it one.txt,later.log
claim_says "the second file, too" "later.log is a tar archive"

# Words that are also the beginning of a kind.
for text in PAR1,PAR2 PAR1 ORC,a GIF89a,b MZ,c FEA1 'Rar! is' 'ustar' 'SQLite format 3' 'PK' 'BZh9' 'P*M'; do
    printf '%s\n1,2\n' "$text" >text
    read_it text
    claim "'$text' begins a text" cmp got.txt text
done
printf 'a\0b\ncaf\351\n' >nul.txt
read_it nul.txt
claim_says "a zero byte does not hide the warning of other bytes" "nul.txt:2: the text is not UTF-8 here (byte 0xe9), and it has zero bytes"
cat >packets.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "packets" { leat.source.pcap { path = "a.tar" }, leat.parse.packet {}, leat.sink.null {} }
LUA
leat_run run packets.lua --quiet
claim_says "source.pcap names the kind of what is no capture" "a.tar is no capture, but a tar archive"
done_claims
