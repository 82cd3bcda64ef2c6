# Records of files in a random order (shuffle of source.file): each once, at its place, and the same with one seed.
. "$(dirname "$0")/../support/claims.sh"

cat >"$tmp/pass.lua" <<'LUA'
local leat = require "leat"
local args = leat.args
return leat.pipeline "pass" {
  leat.source.file { path = leat.list(args.data), shuffle = args.shuffle, max_record = 1024, ["repeat"] = args.passes,
    record_start = args.start, encoding = args.encoding, follow = args.follow },
  args.start and leat.parse.lines {} or leat.parse.csv { header = true },
  leat.sink.file { path = "-", format = args.start and "raw" or "csv" },
  seed = args.seed, dead_letters = args.letters,
}
LUA
pass() { leat_run run "$tmp/pass.lua" --quiet "$@"; }

# Fields with line ends and quotes, \r\n, a byte order mark, no last line end, a header alone, one long record.
awk -v dir="$tmp" 'BEGIN { for (f = 1; f <= 3; f++) { file = dir "/" f ".csv"
    printf "%sn,text%s", (f == 2 ? "\357\273\277" : ""), (f == 2 ? "\r\n" : "\n") >file
    for (i = 1; i <= (f == 1 ? 3000 : f == 2 ? 500 : 0); i++) {
        text = i % 7 ? "t" i : "\"two\n\nlines, \"\"" i "\"\"\""
        if (f == 1 && i == 1500) { text = "x"; for (k = 0; k < 11; k++) text = text text }
        printf "%s%d,%s", (i == 1 ? "" : f == 2 ? "\r\n" : "\n"), f * 10000 + i, text >file } } }'
all=(--set data="$tmp/1.csv,$tmp/2.csv,$tmp/3.csv")
pass "${all[@]}" --set letters="$tmp/in_order.jsonl"
cp "$out" "$tmp/in_order"
# Numbers of the records in the order in which they came.
numbers() { grep -oE '^[123][0-9]{4},' "${1:-$out}" | tr -d ,; }
pass "${all[@]}" --set shuffle=true --set letters="$tmp/shuffled.jsonl"
claim_exit "several files are shuffled" 0
claim "each record comes once and whole" cmp <(sort "$out") <(sort "$tmp/in_order")
claim "a record too long is a dead letter of the same place" cmp "$tmp/shuffled.jsonl" "$tmp/in_order.jsonl"
claim "the files are mixed" equal "$(numbers | head -100 | cut -c1 | sort -u | paste -sd' ')" "1 2"
claim "and so are their records: a half of the neighbours rises" awk \
    'NR > 1 { up += $1 > last } { last = $1 } END { exit !(NR == 3499 && up > 1600 && up < 1900) }' <(numbers)
cp "$out" "$tmp/first"
pass "${all[@]}" --set shuffle=true
claim "the order is the same in every run" cmp "$out" "$tmp/first"
pass "${all[@]}" --set shuffle=true --set seed=2
claim "another seed gives another order" sh -c "! cmp -s '$out' '$tmp/first'"
claim "of the same records" cmp <(sort "$out") <(sort "$tmp/first")

rest_is_long

pass --set data="$tmp/2.csv" --set shuffle=true --set passes=2
claim "a second pass has all records again" equal "$(numbers | sort | uniq -c | awk '$1 == 2' | wc -l)" 500
claim "in another order" below 1 "$(cmp -l <(numbers | head -500) <(numbers | tail -500) | wc -l)"

printf '2024 a\n more\n2025 b\n2026 c\n and\n more' >"$tmp/log"
pass --set data="$tmp/log" --set start='^\d{4}' --set shuffle=true
claim "records of several lines stay whole" equal "$(awk '/^20/ { if (s) print s; s = ""; } { s = s "|" $0 } END {
    print s }' "$out" | sort | paste -sd' ')" "|2024 a| more |2025 b |2026 c| and| more"

# ---- states ----
leat_run run "$tmp/pass.lua" --quiet "${all[@]}" --set shuffle=true --state "$tmp/state"
claim_exit "a shuffled run has a state" 0
leat_run run "$tmp/pass.lua" --quiet "${all[@]}" --set shuffle=true --state "$tmp/state"
claim "and a second run has nothing left to read" equal "$(numbers | wc -l)" 0
printf '\n20501,more\n' >>"$tmp/2.csv"
leat_run run "$tmp/pass.lua" --quiet "${all[@]}" --set shuffle=true --state "$tmp/state"
claim_exit "files that have grown cannot be continued" 1
claim_says "which is said" "the files have changed since the snapshot was made"
leat_run run "$tmp/pass.lua" --quiet "${all[@]}" --state "$tmp/state"
claim_exit "nor can the files in order" 2

# ---- refusals ----
gzip -c "$tmp/1.csv" >"$tmp/1.csv.gz"
pass --set data="$tmp/1.csv.gz" --set shuffle=true
claim_exit "a compressed file is refused" 1
claim_says "with what to do" "is compressed or binary (gzip)" "write it as text first, or leave out shuffle"
pass --set data=- --set shuffle=true
claim_exit "so is standard input" 2
claim_says "which can be read once" "can be read only once: save it as a file"
pass --set data="$tmp/1.csv" --set shuffle=true --set encoding=latin-1
claim_exit "and another encoding" 2
claim_says "which iconv converts" "needs text in UTF-8: convert the file (iconv)"
pass --set data="$tmp/1.csv" --set shuffle=true --set follow=true
claim_exit "and a file that is followed" 2
claim_says "because it has no end" "a file that is followed never ends"
mkfifo "$tmp/pipe"
pass --set data="$tmp/pipe" --set shuffle=true --set start=x
claim_exit "a pipe is refused" 2
claim_says "before anything is read" "can be read only once, and shuffle reads a file twice"
"$LEAT" check "$tmp/pass.lua" --set data="$tmp/1.csv" --set shuffle=true >"$tmp/plan"
claim "the plan has the memory of the index" grep -q "12 bytes each (shuffle)" "$tmp/plan"
done_claims
