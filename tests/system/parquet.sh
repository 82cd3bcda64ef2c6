# Parquet files are read as JSON Lines where leat is built with libparquet; elsewhere it says what to do.
# tier: long (5 s)
. "$(dirname "$0")/../support/claims.sh"
data=$(cd "$(dirname "$0")/../data" && pwd)
home=$(cd "$(dirname "$LEAT")/.." && pwd)
cd "$tmp" || exit 1
there_is zstd "tables of pyarrow are read" || done_claims
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lines" { leat.source.file { path = leat.args.data, window = leat.args.window, max_record = "4MB" },
  leat.parse.lines {}, leat.sink.file { path = "got.txt", format = "raw" } }
LUA
read_it() { # read_it FILE ARGUMENT…
    rm -f got.txt
    leat_run run lines.lua --quiet --set "data=$1" "${@:2}"
}
# tests/data/parquet.txt.zst is made by tests/support/parquet_tables.py.
zstd -dqc "$data/parquet.txt.zst" >tables.txt
sed -n 's/^jsonl //p' tables.txt >expected
while read -r name bytes; do
    [[ $name == jsonl ]] || base64 -d <<<"$bytes" >"$name.parquet"
done <tables.txt

# ---- without the reader ----
built=$LEAT
if [[ -e $home/lib/leat/readers ]]; then # a leat without it: plugins look next to their own file
    mkdir -p bare/bin bare/lib/leat/plugins bare/share
    ln -s "$home/share/leat" bare/share
    ln -s "$home"/lib/leat/plugins/* bare/lib/leat/plugins
    cp "$home/bin/leat" bare/bin
    cp --remove-destination "$home/lib/leat/plugins/sources_file.so" bare/lib/leat/plugins
    LEAT=$tmp/bare/bin/leat
fi
read_it snappy.parquet
claim_exit "without the reader a Parquet file ends the run" 1
claim_says "with how to read it" "snappy.parquet is a Parquet file: write it as CSV first: duckdb -c \"COPY (FROM" \
    "'snappy.parquet') TO 'data.csv'\"; or build leat with libparquet" "make deps PARQUET="
claim "and no record" test ! -s got.txt
cp snappy.parquet other.bin
read_it other.bin
claim_says "under any name" "other.bin is a Parquet file: write it as CSV first"
"$LEAT" run lines.lua --quiet --set data=- <snappy.parquet 2>"$err"
claim_says "on standard input" "standard input is a Parquet file: write it as CSV first"
gzip -c snappy.parquet >packed.gz
read_it packed.gz
claim_says "and compressed" "packed.gz holds a Parquet file"
leat_run peek snappy.parquet
claim_says "peek says so, too" "snappy.parquet is a Parquet file: write it as CSV first"
printf 'PAR1,PAR2\n1,2\n' >word.csv
read_it word.csv
claim "a text that begins with PAR1 is a text" cmp got.txt word.csv
LEAT=$built
[[ -e $home/lib/leat/readers ]] || skip_rest "leat is built without libparquet: make deps PARQUET=26.0.1"

# ---- with it ----
for name in snappy zstd; do
    read_it $name.parquet
    claim "rows of all types have their values ($name)" cmp got.txt expected
    cp $name.parquet other.bin
    read_it other.bin
    claim "under any name" cmp got.txt expected
    rm -f got.txt
    "$LEAT" run lines.lua --quiet --set data=- <$name.parquet 2>"$err"
    claim "and on standard input, if it is a file" cmp got.txt expected
done
claim "all lines are JSON" jq -e . expected
read_it word.csv
claim "a text that begins with PAR1 is a text with the reader, too" cmp got.txt word.csv
read_it zstd.parquet,snappy.parquet
claim "several files are read in their order" cmp got.txt <(cat expected expected)
read_it many.parquet
claim "row groups are read in their order" cmp got.txt <(seq 0 2999 | sed 's/.*/{"i":&}/')
read_it int96.parquet
claim "days after 2262 are right in old timestamps" equal "$(head -1 got.txt)" '{"d":"9999-12-31T01:02:03.456789"}'
read_it latin.parquet
claim "a text that is not UTF-8 becomes a line that says so" equal "$(paste -sd' ' got.txt)" \
    '{"a":"ok"} parquet row 2: a text is not UTF-8 {"a":"end"}'
read_it lists.parquet
claim "lists of a fixed size have their values" equal "$(paste -sd' ' got.txt)" '{"l":[1,2,3]} {"l":[4,null,6]}'
read_it null_lists.parquet
if ((status)); then # older libraries
    claim_says "null ones are told if the library cannot" "data (parquet) cannot be read: row group 1 of 1" # elsewhere
else
    claim "also null ones" equal "$(paste -sd' ' got.txt)" '{"l":[1,2,3]} {"l":null} {"l":[4,5,6]}' # elsewhere
fi
read_it empty.parquet
claim_exit "a table without rows has none" 0
awk 'BEGIN { for (i = 0; i < 600; i++) { s = sprintf("%c", 97 + i % 26); while (length(s) < 20000) s = s s
    print "{\"i\":" i ",\"s\":\"" substr(s, 1, 20000) "\"}" } }' >large.expected
read_it large.parquet --set window=2MB
claim "rows of 12 MB are read with 4 MB of memory" cmp got.txt large.expected
read_it large.parquet --set window=1MB
claim_says "a window that is too small is told with one that does" "data (parquet) needs a window of 2MB"
leat_run peek snappy.parquet
claim_says "peek tells what is read, and how" "snappy.parquet: json, one object a line, which leat makes of Parquet"
leat_run explain many.parquet --outlier 'i >= 2000' --attributes i
claim_exit "explain reads it" 0

# ---- what is wrong ----
wrong=
for n in 0 3 8 12 100 9000 $(($(stat -c %s zstd.parquet) - 1)) $(($(stat -c %s zstd.parquet) - 9)); do
    head -c "$n" zstd.parquet >cut.parquet
    read_it cut.parquet
    [[ $status == 1 ]] && grep -q 'cut.parquet: data (parquet) is damaged\|cut.parquet does not begin like parquet' "$err" ||
        wrong+="$n($status) "
done
claim "a file that is cut is told" equal "$wrong" "0(0) " # an empty file has a warning
head -c 9000 zstd.parquet >cut.parquet
read_it cut.parquet
claim_says "with its reason" "it does not end in PAR1, so its end is missing"
cp many.parquet damaged.parquet
printf '\125\252\125\252' | dd of=damaged.parquet bs=1 seek=5000 conv=notrunc status=none
read_it damaged.parquet
claim_exit "changed bytes of a page with a checksum are found" 1
claim_says "with their row group" "damaged.parquet: data (parquet) is damaged after" "row group 7 of 10: "
claim "after the rows before" cmp <(head -300 got.txt) <(seq 0 299 | sed 's/.*/{"i":&}/')
read_it encrypted.parquet
claim_says "encrypted columns are told" "encrypted.parquet: data (parquet) cannot be read: it has encrypted columns"
cat snappy.parquet | "$LEAT" run lines.lua --quiet --set data=- 2>"$err"
claim_says "a pipe is refused" "standard input: data (parquet) cannot be read" "which a pipe does not have"
echo '{"id":1}' >text.parquet
read_it text.parquet
claim_says "text under the name of Parquet is refused" "text.parquet does not begin like parquet data"
read_it packed.gz
claim_says "inside another compression it is named" "packed.gz holds a Parquet file"

# ---- a run that is continued ----
cat >ids.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "ids" { leat.source.file { path = leat.args.data, ["repeat"] = 8 }, leat.parse.json { "i" },
  leat.sink.file { path = leat.args.out, format = "jsonl" } }
LUA
kept() { leat_run run ids.lua --quiet --set "data=$1" --set out=part.jsonl --state state --every 1ms; }
killed=0 part=0
for n in 2 3 2; do
    { LEAT_FAULT=snapshot_durable:$n kept large.parquet; } 2>noise # the shell's words on killed children
    killed=$((killed + (status > 128)))
    rows=$(wc -l <part.jsonl)
    part=$((part + (rows > 0 && rows < 4800)))
done
kept large.parquet
claim "a run that was killed continues at the exact row" equal "$(jq -r .i part.jsonl)" "$(for _ in {1..8}; do seq 0 599; done)"
claim "though the file was not at its end" test $killed -gt 0 -a $part -gt 0
done_claims
