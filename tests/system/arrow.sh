# Arrow streams and files are read as JSON Lines; what is cut, damaged or not known is refused by its place.
# tier: long (15 s)
. "$(dirname "$0")/../support/claims.sh"
data=$(cd "$(dirname "$0")/../data" && pwd)
cd "$tmp" || exit 1
there_is zstd "tables of pyarrow are read" || done_claims
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lines" { leat.source.file { path = leat.args.data, window = leat.args.window },
  leat.parse.lines {}, leat.sink.file { path = "got.txt", format = "raw" } }
LUA
read_it() { # read_it FILE ARGUMENT…
    rm -f got.txt
    leat_run run lines.lua --quiet --set "data=$1" "${@:2}"
}
# tests/data/arrow.txt.zst is made by tests/support/arrow_tables.py.
zstd -dqc "$data/arrow.txt.zst" >tables.txt
sed -n 's/^jsonl //p' tables.txt >expected
while read -r name bytes; do
    [[ $name == jsonl || $name == few ]] || base64 -d <<<"$bytes" >"$name.arrow"
done <tables.txt
for name in replaced delta file lz4 zstd; do
    read_it "$name.arrow"
    claim "rows of all types have their values ($name)" cmp got.txt expected
    cp "$name.arrow" other.bin
    read_it other.bin
    claim "under any name" cmp got.txt expected
    rm -f got.txt
    "$LEAT" run lines.lua --quiet --set data=- <"$name.arrow" 2>"$err"
    claim "and on standard input" cmp got.txt expected
done
sed -n 's/^few //p' tables.txt >few.expected
read_it "$(ls few*.arrow | sort -V | paste -sd,)"
claim "small tables of all types, in any order" cmp got.txt few.expected
claim "all lines are JSON" jq -e . expected
cat delta.arrow zstd.arrow >two.arrow
read_it two.arrow
claim "streams put together are read, each with its schema" cmp got.txt <(cat expected expected)
read_it file.arrow,replaced.arrow
claim "so are several files" cmp got.txt <(cat expected expected)

# what is wrong
wrong=
for name in lz4 zstd; do
    for n in 3 7 12 100 1000 9000 $(($(stat -c %s $name.arrow) - 1)) $(($(stat -c %s $name.arrow) - 9)); do
        head -c "$n" $name.arrow >cut.arrow
        read_it cut.arrow
        [[ $status == 1 ]] && grep -q 'cut.arrow: data (arrow) ends early\|cut.arrow does not begin like arrow' "$err" ||
            wrong+="$name:$n($status) "
    done
done
claim "a stream or file that is cut is told" equal "$wrong" ""
cat file.arrow file.arrow >two.arrow
read_it two.arrow
claim_says "files put together are no file" "two.arrow: data (arrow) ends early"
for name in lz4 zstd; do # the last bytes of a packed buffer: lz4 has no checksum, but ends in a mark
    cp $name.arrow damaged.arrow
    for at in 9000 11000 13000; do
        printf '\125\252\125\252' | dd of=damaged.arrow bs=1 seek=$at conv=notrunc status=none
    done
    read_it damaged.arrow
    claim_exit "changed bytes of $name are found" 1
done
printf '\377\377\377\377\020\0\0\0garbage garbage..more' >damaged.arrow
read_it damaged.arrow
claim_says "bytes that are no metadata are told with their place" "damaged.arrow: data (arrow) is damaged" "at byte 0" \
    "a message: its metadata are wrong"
echo '{"id":1}' >text.arrow
read_it text.arrow
claim_says "text under the name of Arrow is refused" "text.arrow does not begin like arrow data"
gzip -c file.arrow >packed.gz
read_it packed.gz
claim_says "inside another compression it is named" "packed.gz holds an Arrow file inside another compression"
# an array of unions, by pyarrow
base64 -d >union.arrow <<'EOF'
/////+AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAEAAAAyP///wQAAAABAAAABAAAAJT///8AAAEOGAAAACQAAAAEAAAAAgAAAGQAAAAoAAAAAQAAAH
gAAAAIAAgAAAAEAAgAAAAEAAAAAgAAAAAAAAABAAAA2P///wAAAQUQAAAAGAAAAAQAAAAAAAAAAQAAADEAAAAEAAQABAAAABAAFAAIAAYABwAMAAAAEAAQ
AAAAAAABAhAAAAAcAAAABAAAAAAAAAABAAAAMAAAAAgADAAIAAcACAAAAAAAAAFAAAAAAAAAAP/////oAAAAFAAAAAAAAAAMABYABgAFAAgADAAMAAAAAA
MEABgAAAAwAAAAAAAAAAAACgAYAAwABAAIAAoAAAB8AAAAEAAAAAIAAAAAAAAAAAAAAAYAAAAAAAAAAAAAAAIAAAAAAAAACAAAAAAAAAAAAAAAAAAAAAgA
AAAAAAAAEAAAAAAAAAAYAAAAAAAAAAAAAAAAAAAAGAAAAAAAAAAMAAAAAAAAACgAAAAAAAAAAgAAAAAAAAAAAAAAAwAAAAIAAAAAAAAAAAAAAAAAAAACAA
AAAAAAAAAAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAQAAAAAAAAACAAAAAAAAAAAAAAABAAAAAgAAAAAAAABhYgAAAAAAAP////8AAAAA
EOF
read_it union.arrow
claim_says "a type that is not known is told with its field" "union.arrow: data (arrow) cannot be read" \
    "field 'x' of the schema: it is a union, which leat does not read"

# a run that is continued
cat >ids.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "ids" { leat.source.file { path = leat.args.data }, leat.parse.json { "i64", "text", other = "empty" },
  leat.sink.file { path = leat.args.out, format = "jsonl" } }
LUA
leat_run run ids.lua --quiet --set data=zstd.arrow --set out=whole.jsonl
claim "parse.json reads the rows" equal "$(jq -c '[.i64, .text]' whole.jsonl)" \
    "$(jq -c '[(.i64 | if . == null then null else tostring end), .text]' <(sed 's/"i64":\([-0-9][-0-9]*\)/"i64":"\1"/' expected))"
head -c $(($(stat -c %s zstd.arrow) - 9)) zstd.arrow >part.arrow
leat_run run ids.lua --quiet --set data=part.arrow --set out=part.jsonl --state state
cp zstd.arrow part.arrow
leat_run run ids.lua --quiet --set data=part.arrow --set out=part.jsonl --state state
claim "a run over a stream that has grown continues at the exact row" cmp part.jsonl whole.jsonl
leat_run peek file.arrow
claim_says "peek tells what is read, and how" "file.arrow: json, one object a line, which leat makes of Arrow"
done_claims
