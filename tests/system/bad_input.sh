# Bad input: a clear message with path, place and reason. The rest is processed, and the counts add up.
. "$(dirname "$0")/../support/claims.sh"
check_refuses_too
cd "$tmp" || exit 1

cat >svm.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "svm" {
  leat.source.file { id = "source", path = a.data, max_record = a.max_record },
  leat.parse.libsvm { id = "parse", lanes = a.lanes },
  leat.learn.awm { id = "model", budget = "2KB" },
  leat.sink.null {},
  dead_letters = a.dead, on_error = a.on_error, max_reject_ratio = a.ratio,
}
LUA
cat >csv.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "csv" {
  leat.source.file { id = "source", path = a.data },
  leat.parse.csv { id = "parse" },
  leat.label.quantile { id = "label", column = a.metric or "n", q = 0.5 },
  leat.feature.columns { "name", explode = true },
  leat.learn.awm { id = "model", budget = "2KB" },
  leat.sink.null {},
  dead_letters = a.dead,
}
LUA
reconciles() { jq -e 'all(.stages[]; .in == .out + .filtered + .rejected)' s.json; }

printf '+1 1:0.5 2:1\n-1 1:x\nfoo 1:1\n+1 3:nan\n-1 4:inf\n+1 5:1\n\n# comment\n-1 6:2 # tail\n+1 7:1e999\n0 8:1\n2 9:1\n' >bad.svm
leat_run run svm.lua --set data=bad.svm --set dead=dead.jsonl --summary s.json --quiet
claim_exit "malformed lines do not end a run" 0
claim "each malformed line is rejected, the rest is learned" equal "$(stage parse rejected) $(stage model examples)" \
    "6 4"
claim "counts reconcile" reconciles
claim "every rejected record is a dead letter with its line, byte, stage, reason and text" \
    equal "$(jq -r '[.line, .offset, .stage, .reason, .record] | join(",")' dead.jsonl | head -2 | tr '\n' ' ')" \
    "2,13,parse,number,-1 1:x 3,20,parse,label,foo 1:1 "
claim "dead letters come in the order of the input" sh -c 'jq .line dead.jsonl | sort -nc'
claim "NaN and infinity are told from nonsense" equal "$(jq -r 'select(.reason == "nonfinite").line' dead.jsonl |
    tr '\n' ' ')" "4 5 10 "
leat_run run svm.lua --set data=bad.svm
claim_says "a rejection names file, line, byte, stage and reason" "bad.svm:2 (byte 13): parse (parse.libsvm):"

leat_run run svm.lua --set data=bad.svm --set on_error=fail --quiet --summary s.json
claim_exit "on_error = fail ends the run with 1" 1
claim_says "and says which record it was" "bad.svm:2 (byte 13)"

for i in $(seq 3000); do echo "+1 $i:x"; echo "-1 $i:1"; done >half.svm
leat_run run svm.lua --set data=half.svm --quiet --summary s.json
claim_exit "too many rejections end the run with 1" 1
claim_says "and the message names the ratio, and of which records it is" "of the first " "max_reject_ratio = 0.25"
claim "the summary counts by stage and by reason what it counts" jq -e '.rejected == ([.rejections[]] | add) and
    .rejected == ([.stages[].rejected] | add)' s.json
leat_run run svm.lua --set data=half.svm --set ratio=0.6 --quiet --summary s.json
claim_exit "unless the script allows as many" 0
claim "each one is counted" equal "$(json .rejected) $(stage model examples)" "3000 3000"
head -400 half.svm >short.svm
leat_run run svm.lua --set data=short.svm --quiet
claim_exit "so they do in a file of fewer than 1,000 records" 1
claim_says "and the message has stage, place and most frequent reason" "200 of 400 records" "max_reject_ratio = 0.25" \
    "mostly for number (200 of them), first short.svm:1 (byte 0): parse (parse.libsvm):"
head -38 half.svm >shorter.svm
leat_run run svm.lua --set data=shorter.svm --quiet
claim_exit "but fewer than 20 of them do not" 0
{ yes "+1 1:1" | head -60000; yes "garbage" | head -50000; } >turn.svm
leat_run run svm.lua --set data=turn.svm --quiet --summary s.json
claim_exit "a stream that turns bad late ends the run" 1
claim_says "by the last records" "of the last 1"
claim "soon" below "$(stage parse rejected)" 20000
# After the first rejections of a reason the others are counted without being put into words.
{ yes "garbage" | head -90000; yes "+1 1:x" | head -3000; yes -- "-1 2:y" | head -70; } >reasons.svm
for lanes in 1 3; do
    leat_run run svm.lua --set data=reasons.svm --set ratio=1 --set lanes=$lanes --quiet --summary s.json
    claim "a reason that comes after thousands of another is counted, lanes = $lanes" equal "$(json '.rejections |
        "\(.label) \(.number)"')" "90000 3070"
    claim "and its first record is put into words, lanes = $lanes" \
        equal "$(json '.rejection_examples | [.label, .number][]' | cut -d'(' -f1 |
        tr '\n' ' ')" "reasons.svm:1  reasons.svm:90001  "
done
rm -f letters.jsonl
leat_run run svm.lua --set data=reasons.svm --set ratio=1 --set dead=letters.jsonl --quiet
claim "dead letters are all in words, each those of its line" equal \
    "$(jq -r '[.line, (.message | split(",")[0])] | join(" ")' letters.jsonl | md5sum)" \
    "$(awk '{ text = $1 == "garbage" ? "label \047garbage\047" : "value \047" substr($2, 3) "\047"; print NR,
        text " is not a number" }' reasons.svm | md5sum)"

yes "garbage" | head -300 >all.svm
leat_run run svm.lua --set data=all.svm --quiet
claim_says "when all are rejected it says where and why" \
    "all 300 records were rejected, mostly for label (300 of them)" "parse (parse.libsvm)"
{ yes "garbage" | head -100; yes "+1 1:x" | head -60; yes "+1 1:inf" | head -30; yes "+1 1:1" |
    head -200; } >several.svm
leat_run run svm.lua --set data=several.svm --quiet
claim_says "when there are several reasons, the most frequent ones follow, each with an example" \
    "mostly for label (100 of them), first several.svm:1 " "; then for number (60 of them), first several.svm:101 " \
    "; then for nonfinite (30 of them), first several.svm:161 "
cat >branch.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "branch" {
  leat.source.file { path = leat.args.data }, leat.parse.libsvm {},
  leat.tee { { leat.learn.bias { max_entries = 1 }, leat.sink.null {} }, { leat.sink.null {} } },
}
LUA
awk 'BEGIN { for (i = 0; i < 3000; i++) print "+1 1:1 2:1" }' >branch.svm
leat_run run branch.lua --set data=branch.svm --quiet
claim_exit "so do too many in a branch" 1
claim_says "and the message names the ratio, too" "max_reject_ratio = 0.25"

# Branches that reject much, of which the first is slow: by itself it would write last.
cat >order.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function reject(nth, work)
  return leat.map(function(n)
    for _ = 1, work do n = n + 0 end
    if n % nth == 0 then error("is a multiple of " .. nth) end
    return n
  end, { "n:number" })
end
return leat.pipeline "order" {
  leat.source.file { path = "order.csv" }, leat.parse.csv {}, reject(7, 0),
  leat.tee {
    { reject(2, 2000), leat.route("odd", { yes = { reject(3, 0) }, ["*"] = { reject(5, 0) } }), leat.merge(), reject(11, 0), leat.sink.null {} },
    { reject(2, 0), leat.sink.null {} },
  },
  dead_letters = a.dead, max_reject_ratio = 1, batch_rows = 16, threads = tonumber(a.threads),
}
LUA
awk 'BEGIN { print "n,odd"; for (i = 1; i <= 2000; i++) print i "," (i % 2 ? "yes" : "no"); print "no,number" }' \
    >order.csv
for threads in 1 2 8; do leat_run run order.lua --set threads=$threads --set dead=order.$threads --quiet; done
claim "dead letters of several branches come in the order of the input" sh -c 'jq .line order.8 | sort -nc'
claim "those of one record in the order of the stages" \
    equal "$(jq -r 'select(.line == 13) | .stage' order.8 | tr '\n' ' ')" "map2 map6 "
claim "and with any number of threads they are the same bytes" sh -c 'cmp order.1 order.2 && cmp order.1 order.8'
claim "none is lost" equal "$(jq -r .stage order.8 | sort | uniq -c | awk '{ print $2 ":" $1 }' | sort | tr '\n' ' ')" \
    "map2:858 map4:285 map5:52 map6:858 map:286 "
# What was unpacked lies elsewhere than what arrived.
cat >again.lua <<'LUA'
local leat = require "leat"
local parse = { leat.parse.libsvm {}, leat.learn.logistic {}, leat.sink.predictions { path = "tags", format = "csv" } }
return leat.pipeline "again" {
  leat.source.file { "letters" }, leat.args.early and leat.parse.dead_letters {} or {},
  leat.tee { { leat.args.early and {} or leat.parse.dead_letters {}, parse }, leat.sink.null {} },
  dead_letters = "dead", max_reject_ratio = 1, batch_rows = 4,
}
LUA
for i in 1 2 3; do printf '%s\n' '{"record":"bad\n1:1"}' '{"record":"+1 1:1"}' '{"record_hex":"2b78"}' 'no letter' \
    '{"record":"+2"}'; done >letters
for early in "" "--set early=1"; do
    # shellcheck disable=SC2086
    leat_run run again.lua --quiet $early
    claim "dead letters of dead letters have the lines and bytes of their file, $early" \
        equal "$(jq -r '"\(.line) \(.offset)"' dead)" "$(awk 'NR % 5 != 2 { print NR, at + 0 } { at += length + 1 }' \
        letters)"
    claim "and predictions the lines" equal "$(tail -n +2 tags | cut -d, -f1 | tr '\n' ' ')" "2 7 12 "
done
printf 'a b c\nd e f\n' >none.svm
leat_run run svm.lua --set data=none.svm --quiet
claim_exit "a run that lets nothing through fails" 1

leat_run run svm.lua --set data=missing.svm --quiet --summary s.json
claim_exit "a missing file ends with 1" 1
claim "a run that could not start has a summary, too" jq -e '.exit == 1 and .records == 0 and (.error |
    contains("missing.svm"))' s.json
claim_says "a missing file is named" "missing.svm" "No such file"
leat_run run svm.lua --set data=. --quiet
claim_exit "a directory ends with 1" 1
claim_says "a directory is called one" "irectory"
cat >nothing.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "nothing" {
  leat.source.file { path = "order.csv" }, leat.parse.csv {}, leat.filter(function(n) return n < 0 end, { "n:number" }),
  leat.label.is { column = "odd", positive = "yes" }, leat.feature.columns { "odd" }, leat.learn.awm {}, leat.sink.null {},
}
LUA
sed -i '$d' order.csv
leat_run run nothing.lua --quiet
claim_exit "a run that filters all its records ends well" 0
claim_says "but it says which stage did, and how many it saw" \
    "filter (lua.filter): filtered 2000 of the 2000 records that it saw and passed none on: the stages after it got no record"
: >empty.svm
leat_run run svm.lua --set data=empty.svm --summary s.json
claim_exit "an empty file is no error" 0
claim "and gives no records" equal "$(json .records)" 0
: >empty.csv
leat_run run csv.lua --set data=empty.csv
claim_exit "a CSV file without its header is a configuration error" 2
claim_says "and says so" "header"

printf 'name,n' >cut.csv
leat_run run csv.lua --set data=cut.csv --summary s.json
claim_exit "a file that ends with its header is no error" 0
claim_says "but its last name may be cut, which is said" \
    "cut.csv ends with its header and has no records; its last name, 'n', may be cut, because no line end follows"
leat_run run csv.lua --set data=cut.csv --state cut.state
claim_exit "with --state the header is awaited" 1
claim_says "which is said, too" "its last name, 'n', may be cut" 'with --state, run again when the line is complete'
printf '\na,1\n' >>cut.csv
leat_run run csv.lua --set data=cut.csv --state cut.state --summary s.json
claim_exit "and found when it is there" 0
claim "with its records" equal "$(json '"\(.records) \(.rejected)"')" "1 0"
mkdir two
printf 'name,n\na,1\n' >two/a.csv
printf 'name,' >two/b.csv
leat_run run csv.lua --set data='two/*.csv' --summary s.json
claim_exit "a header that is cut after others is no error" 0
claim_says "and is said" "two/b.csv ends with its header and has no records; its last name, '', may be cut"
leat_run run csv.lua --set data='two/*.csv' --state two.state
printf 'n\nb,2\n' >>two/b.csv
leat_run run csv.lua --set data='two/*.csv' --state two.state --summary s.json
claim "with --state its rest is no record" equal "$(json '"\(.records) \(.rejected)"')" "2 0"
printf 'name,m' >two/b.csv
leat_run run csv.lua --set data='two/*.csv'
claim_says "another header is refused, whole or not" "the header of two/b.csv differs"
printf 'name,"n' >cut.csv
leat_run run csv.lua --set data=cut.csv
claim_says "a header that is cut in a quote has a quote that is open" \
    "the header of cut.csv has a quote that is never closed"

printf 'name,n\na,1\nb,x\nc,nan\n"d, e",4\n"f\ng",5\nh,6,7\ni,inf\nj,\n"k ""q""",9\n' >t.csv
leat_run run csv.lua --set data=t.csv --set dead=dead.jsonl --summary s.json --quiet
claim_exit "a CSV file with bad rows is processed" 0
claim "fields, numbers and non-finite values are told apart" \
    equal "$(jq -r '[.line, .stage, .reason] | join(",")' dead.jsonl | tr '\n' ' ')" \
    "3,label,number 4,label,nonfinite 8,parse,fields 9,label,nonfinite "
claim "counts reconcile" reconciles
claim "quoted fields and line ends inside them are one record" equal "$(stage model examples)" 4
leat_run run csv.lua --set data=t.csv --set metric=m --quiet
claim_exit "a column that the header lacks is a configuration error" 2
claim_says "and names what there is" "there is no column 'm'" "name, n"
printf 'name,n,\na,1,\nb,2,\n' >trailing.csv
leat_run run csv.lua --set data=trailing.csv --quiet
claim_exit "a header that ends with a comma is read" 0
printf 'name;n\na;1\n' >semicolons.csv
leat_run run csv.lua --set data=semicolons.csv --quiet
claim_exit "another delimiter than that of the header ends the run" 2
claim_says "and the one to set is named" "the header has only one name, 'name;n'" 'set delimiter = ";"'
printf 'name,n,name\na,1,b\n' >twice.csv
leat_run run csv.lua --set data=twice.csv --quiet
claim_says "two columns of one name are an error with its cure" "two columns named 'name'" "\`columns\`"
printf 'name,n\ra,1\rb,2\r' >returns.csv
leat_run run csv.lua --set data=returns.csv --quiet
claim_exit "lines that end with CR alone are an error" 2
claim_says "and it says how to convert them" "column 2 has a carriage return" "tr '"
printf 'name,n,"two\r\nlines"\r\na,1,b\r\n' >quoted.csv
leat_run check csv.lua --set data=quoted.csv
claim_exit "but a name in quotes may have a line end" 0
leat_run run csv.lua --set data=t.csv --set metric=name,n --quiet
claim_says "names in one text are told apart from a misspelt one" 'give each name its own quotes'

for encoding in UTF-16LE UTF-16BE UTF-32LE UTF-32BE; do
    printf '\xef\xbb\xbfname,n\na,1\n' | iconv -f UTF-8 -t $encoding >wide.csv
    leat_run run csv.lua --set data=wide.csv --quiet
    claim_exit "$encoding with a byte order mark is refused" 1
    case $encoding in
    UTF-16*) cure='set encoding = "utf-16"' ;;
    *) cure="iconv -f UTF-32 -t UTF-8" ;;
    esac
    claim_says "$encoding is told, and what to do" " wide.csv" "text in ${encoding:0:6}" "$cure"
done
leat_run run svm.lua --set data=wide.csv --quiet
claim_exit "and so it is without a header" 1

# header FILE N: a header of N columns, and one row
header() { awk -v n="$2" 'BEGIN { printf "name,n"; for (i = 2; i < n; i++) printf ",c%d", i
    printf "\na,1"; for (i = 2; i < n; i++) printf ",1"; print "" }' >"$1"; }
header wide.csv 65536
timeout 300 "$LEAT" run csv.lua --set data=wide.csv --quiet >"$out" 2>"$err"; status=$?
claim_exit "a header of 65,536 columns takes time in proportion" 0
header wide.csv 65537
timeout 300 "$LEAT" run csv.lua --set data=wide.csv --quiet >"$out" 2>"$err"; status=$?
claim_exit "one more column is refused" 2
claim_says "and the limit is named" "there are more than 65536 columns"
rm wide.csv

printf 'name,n\na,1\n"b,2\nc,3\nd,4\n' >quote.csv
leat_run run csv.lua --set data=quote.csv --set dead=dead.jsonl --summary s.json --quiet
claim "an unterminated quote costs its own line only" \
    equal "$(jq -r '[.line, .reason] | join(",")' dead.jsonl) $(stage model examples)" "3,quote 3"

awk 'BEGIN { for (i = 0; i < 20000; i++) print (i % 2 ? "+1" : "-1"), i ":1" }' >good.svm
gzip -kf good.svm && bzip2 -kf good.svm && xz -kf good.svm && zstd -qf good.svm
for z in gz bz2 xz zst; do
    mv "good.svm.$z" "packed.$z.data"
    leat_run run svm.lua --set data="packed.$z.data" --quiet --summary s.json
    claim "$z is known by its magic bytes" equal "$(json .records)" 20000
done
head -c 20000 packed.gz.data >cut.gz
leat_run run svm.lua --set data=cut.gz --quiet --summary s.json
claim_exit "a truncated compressed file ends with 1" 1
claim_says "and is named" "cut.gz"
claim "what came before the break is processed" below 0 "$(stage model examples)"
rest_is_long

# A file that loses its end while it is read: what came before is learned, and the run fails.
cat >slow.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "slow" {
  leat.source.file { path = "short.txt" },
  leat.filter(function(line) local x = 0; for i = 1, 2000 do x = x + i end; return x > 0 end, { "@raw" }),
  leat.sink.file { path = "rows.txt", format = "raw" }, batch_rows = 64,
}
LUA
seq 500000 >short.txt
"$LEAT" run slow.lua --quiet --summary s.json >"$out" 2>"$err" &
until_true test -s rows.txt
truncate -s 700000 short.txt
wait $!
status=$?
claim_exit "a file that is cut short while it is read ends with 1" 1
claim_says "with both sizes, and what to do" "short.txt was cut short while it was read, from 3388895 to " \
    ": get the whole file again"
cat good.svm | "$LEAT" run svm.lua --set data=- --quiet --summary s.json >"$out" 2>"$err"
claim "standard input is read from a pipe" equal "$(json .records)" 20000
cp good.svm g1.svm; cp good.svm g2.svm
leat_run run svm.lua --set "data=g?.svm" --quiet --summary s.json
claim "a glob reads several files" equal "$(json .records)" 40000

{ echo "+1 1:1"; head -c 100000000 /dev/zero | tr '\0' 'x'; echo; echo "-1 2:1"; } >long.svm
leat_run run svm.lua --set data=long.svm --set dead=dead.jsonl --quiet --summary s.json
claim_exit "a line of 100 MB does not end a run" 0
claim "it is rejected as too large, the others are learned" \
    equal "$(jq -r '[.line, .reason] | join(",")' dead.jsonl) $(stage model examples)" "2,too_large 2"
rm -f long.svm

# A plugin's source rejects a record before it has said where its records come from.
mkdir "$tmp/early" && cp "$OLDPWD/$B/tests/plugins/early.so" "$tmp/early"
cat >"$tmp/early.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "early" {
  leat.source.early {}, leat.parse.lines {}, leat.sink.null {}, dead_letters = leat.args.dead, max_reject_ratio = 1,
}
LUA
leat_run run "$tmp/early.lua" --plugin-path "$tmp/early" --set dead="$tmp/early.dead"
claim_says "a record that is rejected early is reported with its place" \
    "early (record 41): early (source.early): it is too early"
claim "and so it is in the dead letters" equal "$(jq -c '[.input, .offset]' "$tmp/early.dead")" '["early",41]'
done_claims
