# Records shaped without Lua: expressions in a pipeline, and messages about them.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
awk 'BEGIN { srand(4); print "host,path,bytes,ms"; for (i = 0; i < 3000; i++)
    printf "Web-%d,/p/%d/x,%s,%d\n", rand() * 9, rand() * 30, (i % 500 == 7 ? "much" : int(rand() * 5000)),
    rand() * 100 }' >rows.csv
cat >shape.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "shape" {
  leat.source.file { path = a.data or "rows.csv" }, a.json and leat.parse.json {} or leat.parse.csv {},
  leat.shape.where { a.where or "ms >= 10" },
  leat.shape.set { a.set or "rate = floor(bytes / ms)", "name = lower(host) .. ':' .. split(path, '/', 3)" },
  leat.sink.file { path = "-", format = "csv", columns = { "name", "rate" } },
  max_reject_ratio = 1, dead_letters = "dead",
}
LUA
leat_run run shape.lua --quiet
claim_exit "a pipeline of expressions runs" 0
awk -F, 'NR > 1 && $4 >= 10 && $3 != "much" { split($2, p, "/"); r = $3 / $4; printf "%s:%s,%d\n", tolower($1), p[3],
    r }' rows.csv >wanted
claim "its rows are awk's" cmp <(sed 1d "$out" | sed 's/[.]0$//') wanted
claim "a text that is no number is a dead letter" equal "$(grep -c much dead)" "$(awk -F, '$3 == "much" && $4 >= 10' \
    rows.csv | wc -l)"
claim "which says why" grep -q "'floor(bytes / ms)', character 7: 'much' is not a number" dead

leat_run check shape.lua --set where='host == web'
claim_says "check finds a mistake, with file, line and place" "shape.lua:5: error" \
    "condition: 'host == web' is wrong at character 9: there is no column 'web'"
leat_run check shape.lua --set set='rate = byts / ms'
claim_says "and what was meant" "shape.lua:6: error" "character 8: there is no column 'byts': did you mean 'bytes'?"
leat_run check shape.lua --set set='rate = bytes / lower(ms) > 4 or ms'
claim_says "and types" "or wants a condition, such as x > 0, and this is a text"
leat_run run shape.lua --set where='ms > 1000'
claim_says "a condition that is never true is told" "'ms > 1000' is true for none of 3000 records"

jq -Rnc '[inputs | split(",")] | .[1:][] | {host: .[0], path: .[1], bytes: (.[2] | tonumber? // "much"), ms: (.[3] |
    tonumber)}' rows.csv >rows.jsonl
leat_run run shape.lua --quiet --set data=rows.jsonl --set json=1
claim "columns of JSON are those that expressions name" cmp <(sed 1d "$out" | sed 's/[.]0$//') wanted
leat_run run shape.lua --quiet --set data=rows.jsonl --set json=1 --set where='nowhere > 1 or ms >= 10'
claim "a column that no record has is missing" cmp <(sed 1d "$out" | sed 's/[.]0$//') wanted

cat >label.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "label" {
  leat.source.file { path = "rows.csv" }, leat.parse.csv {},
  leat.shape.set { "@label = ms > 50", "size = bucket(number(bytes), 1000, 3000)" },
  leat.feature.columns { "host", "size" }, leat.learn.logistic { id = "model" }, leat.sink.null {},
}
LUA
leat_run run label.lua --quiet --summary s.json
claim "a condition labels, and a bucket is a feature" equal "$(jq '.stages[] | select(.id ==
    "model").metrics.examples' s.json)" 3000

cat >keep.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "keep" {
  leat.source.file { path = "events.csv" }, leat.parse.csv {}, leat.parse.time { "at", format = "unix" },
  a.rate and leat.shape.sample { rate = a.rate, by = a.by } or leat.shape.dedup { "user", within = a.within, records = a.records, memory = a.memory },
  leat.sink.file { path = "-", format = "csv", columns = { "user", "at" } },
  threads = a.threads,
}
LUA
awk 'BEGIN { srand(6); print "user,at"; for (i = 0; i < 4000; i++) printf "u%d,%d\n", rand() * 200,
    1700000000 + i * 3 + int(rand() * 5) }' >events.csv
leat_run run keep.lua --quiet --set within=10min
awk -F, 'NR > 1 { d = $2 - kept[$1]; if ($1 in kept && d <= 600 && d >= -600) next; if ($2 > kept[$1]) kept[$1] = $2;
    print $1 }' events.csv >wanted
claim "dedup keeps what awk keeps, by event time" cmp <(sed 1d "$out" | cut -d, -f1) wanted
leat_run run keep.lua --set memory=4KB --summary s.json
claim_says "it says what it had to forget too early" "keys were forgotten too early" "make memory larger"
claim "also in the summary" test "$(jq '.stages[] | select(.plugin == "shape.dedup").metrics.forgotten_early' s.json)" \
    -gt 0
leat_run run keep.lua --quiet --set rate=0.25
cp "$out" sampled
claim "a sample keeps its share" below 900 "$(wc -l <sampled)"
claim "and not much more" below "$(wc -l <sampled)" 1100
leat_run run keep.lua --quiet --set rate=0.25 --set threads=3
claim "whatever the threads" cmp "$out" sampled
leat_run run keep.lua --quiet --set rate=0.25 --set by=user
claim "by a column, all of a value stay" equal "$(sed 1d "$out" | wc -l)" \
    "$(awk -F, 'NR == FNR { kept[$1]; next } $1 in kept' <(sed 1d "$out") <(sed 1d events.csv) | wc -l)"
leat_run check keep.lua --set within=10min --set records=5
claim_says "one bound at a time" "cannot be set together with \`within\`"

for none in within=0s records=0; do
    leat_run check keep.lua --set $none
    claim_exit "no span at all is refused: $none" 2
done
claim_says "with the range" "records must be 1 to "

# ---- comparisons that are hardly meant ----

doubt() { leat_run run shape.lua --quiet --set where="$1" --set set="rate = ms"; }
doubt "ms > '50'"
claim_says "the order of texts where all are numbers is told" \
    "where (shape.where): 'ms > '50'' compares texts byte by byte, but the texts of column 'ms' are numbers, such as " \
    ", and '50' is a text: write it without quotes"
doubt "host != 'x' or ms < \"x\""
claim_says "so is that of a word" "the texts of column 'ms' are numbers, such as " \
    "and 'x' is a text: compare with a number"
leat_run check shape.lua --set where="'50' > ms" --set set="rate = ms"
claim_says "check says it too" "shape.lua:5: warning: where (shape.where): ''50' > ms' compares texts"
doubt "bytes > '50'"
claim_says "so is one where a few texts are no numbers" "the texts of column 'bytes' are numbers"
for right in "ms > 50" "host > 'Web-5'" "ms .. '' > '50'" "ms in ('50', '51')" "path < '/q'"; do
    doubt "$right"
    claim "nothing of the kind is told of $right" sh -c "! grep -q 'compares texts' '$err'"
done
# Ids beyond 2^53 in a column of doubles, and as texts, which keep their digits.
cat >ids.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "ids" { leat.source.file { "ids.csv" }, leat.parse.csv { numbers = a.numbers and { "id", "n" } or nil },
  leat.shape.where { a.where }, leat.sink.file { path = "-" } }
LUA
awk 'BEGIN { print "id,n"; for (i = 0; i < 100; i++) printf "9007199254741%03d,%d\n", i, i }' >ids.csv
for where in "id % 10 == 3" "3 == id - n" "n > 5 and id == n" "id // 2 > n"; do
    leat_run run ids.lua --quiet --set where="$where" --set numbers=true
    claim_says "$where of rounded ids is told" \
        "calculates with column 'id', whose whole numbers beyond 2^53, such as 9007199254741" "may be rounded: leave it out of"
    leat_run run ids.lua --quiet --set where="$where"
    claim "and not of texts: $where" sh -c "! grep -q 'may be rounded' '$err'"
done
leat_run run ids.lua --quiet --set where="id % 10 == 3"
claim "whose digits are exact" test "$(wc -l <"$out")" = 10
for where in "id > 5" "n % 10 == 3" "id / 2 > 7"; do
    leat_run run ids.lua --quiet --set where="$where" --set numbers=true
    claim "nothing of the kind is told of $where" sh -c "! grep -q 'may be rounded' '$err'"
done

# Numbers of five digits come first, whose order is that of texts; and a few texts are no numbers.
awk 'BEGIN { print "ms,host,path,bytes"; for (i = 0; i < 3000; i++)
    print (i == 1 ? "n/a" : i % 50 == 2 ? "" : i < 1500 ? 50001 + i : 4500 + i) ",a,b,c" }' >later.csv
leat_run run shape.lua --quiet --set where="ms > '50000'" --set set="rate = ms" --set data=later.csv
claim_says "numbers that come later are told" "where (shape.where): 'ms > '50000'' compares texts" "write it without quotes"
claim "once" equal "$(grep -c 'compares texts' "$err")" 1
leat_run run shape.lua --quiet --set where="host == 'a'" --set set="rate = ms > '50000'" --set data=later.csv
claim_says "a condition that is a column, too" "set (shape.set): 'ms > '50000'' compares texts"
awk 'BEGIN { print "ms,host,path,bytes"; for (i = 0; i < 99; i++) print 2000 + i % 50 ",a,b,c" }' >years.csv
leat_run run shape.lua --quiet --set where="ms >= '2024'" --set set="rate = ms" --set data=years.csv
claim "nothing is told of years, whose order is the same" sh -c "! grep -q 'compares texts' '$err'"
leat_run check shape.lua --set where="host == true"
claim_exit "true in the data is the text 'true'" 0
leat_run check shape.lua --set where="bytes / ms == true"
claim_says "a number beside true is told" \
    "'bytes / ms == true' is wrong at character 12: == stands between a condition and a number: a condition is true or false"

cat >lookup.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "lookup" {
  leat.source.file { path = "rows.csv" }, leat.parse.csv {},
  leat.shape.set { "host = lower(host)" },
  leat.shape.lookup { path = a.file or "hosts.csv", key = "host", columns = { a.column or "owner" }, missing = a.missing, encoding = a.encoding },
  leat.sink.file { path = "-", format = "csv", columns = { "host", a.column or "owner" } },
}
LUA
awk 'BEGIN { print "owner,site,host"; for (i = 0; i < 9; i++) if (i != 4) printf "\"o, %d\",s,web-%d\n", i % 3, i;
    print "twice,s,web-1" }' >hosts.csv
gzip -k hosts.csv
leat_run run lookup.lua
claim_says "rows with an earlier key are told" \
    "hosts.csv': rows that are not used because an earlier row has the same key: 1, for example that of 'web-1'"
awk -F, 'NR > 1 { i = substr($1, 5); print "web-" i "," (i == 4 ? "" : "\"o, " i % 3 "\"") }' rows.csv >wanted
claim "records get the owner of their host" cmp <(sed 1d "$out") wanted
cp "$out" plain
leat_run run lookup.lua --quiet --set file=hosts.csv.gz
claim "of a compressed file, too" cmp "$out" plain
leat_run run lookup.lua --quiet --set missing=filter
claim "or only those that are there" cmp <(sed 1d "$out") <(grep -v ',$' wanted)
leat_run check lookup.lua --set file=host.csv
claim_says "a file that is not there is found by check" "lookup.lua:6" "host.csv"
leat_run run lookup.lua --set column=ownr
claim_says "a column that is not there ends the run" \
    "line 1: has no column 'ownr': did you mean 'owner'? (columns: owner, site, host)"
leat_run run lookup.lua --quiet --set missing=reject --summary s.json
claim "records without a row are rejected for a reason of their own" equal "$(json .rejections.unmatched)" "$(grep \
    -c ',$' wanted)"
sed 's/o, /ö /' hosts.csv | iconv -f utf-8 -t latin1 >latin.csv
leat_run run lookup.lua --quiet --set file=latin.csv
claim_says "a file that is not UTF-8 is told" \
    "path = 'latin.csv', line 2: the text is not UTF-8 (byte 0xf6): set encoding, such as \"latin-1\""
leat_run run lookup.lua --quiet --set file=latin.csv --set encoding=latin-1
claim "and is read in its encoding" cmp <(sed 1d "$out") <(sed 's/"o, \([0-9]\)"/ö \1/' wanted)
claim "and no other warning is given of a host that has no row" equal "$(grep -c 'has no row' "$err")" 0
leat_run run lookup.lua --log-level info
claim_says "records without a row are counted" "lookup (shape.lookup): path = 'hosts.csv' has no row for $(grep \
    -c ',$' wanted) of the 3000 records"
sed '/^owner/!s/web-1/Web-1/; s/web-3/ web-3/' hosts.csv >case.csv
leat_run run lookup.lua --quiet --set file=case.csv
claim_says "a key in another case is told" "warning: lookup (shape.lookup): path = 'case.csv' has no row for " \
    " of the 3000 records, such as those with 'web-" "in column 'host'. It has a row for '" \
    "', but keys must be equal byte for byte: write the keys in the file as the records have them"
claim "once" equal "$(grep -c 'has no row' "$err")" 1
sed 's/"host = lower(host)"/"host = upper(host)"/' lookup.lua >upper.lua
leat_run run upper.lua --quiet
claim_says "or made equal in the records" \
    "path = 'hosts.csv' has no row for 3000 of the 3000 records, such as those with 'WEB-" "'. It has a row for 'web-" \
    "convert the keys of the records with shape.set { \"host = lower(trim(host))\" }"
sed '1s/site/bytes/' hosts.csv >bytes.csv
leat_run check lookup.lua --set file=bytes.csv --set column=bytes
claim_says "a column that the records have already is refused" \
    "lookup.lua:6: error: --set column=bytes: lookup (shape.lookup): columns: the records already have a column 'bytes': give the new columns a prefix, such as prefix = \"file_\""

# Where only later stages name the columns, nobody knows before the records come that they have such a value.
cat >hidden.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local made = {
  lookup = leat.shape.lookup { "owners.csv", key = "ip", columns = { "owner" }, prefix = a.prefix },
  time = leat.parse.time { "at", parts = { "hour" } },
  set = leat.shape.set { "owner = 'x' .. ip" },
}
return leat.pipeline "hidden" {
  leat.source.file { path = a.data },
  a.data == "hidden.log" and leat.parse.logfmt {} or leat.parse.json { columns = a.columns, lanes = 2 },
  made[a.made or "lookup"],
  a.counts and { leat.parse.time { "at" }, leat.window { "count", every = "1h" } } or {},
  leat.sink.file { path = "-", format = "csv", columns = { a.show or "owner" } },
}
LUA
printf 'ip,owner\n1,ann\n' >owners.csv
echo '{"ip": 1, "owner": "bob", "hour": 3, "at": "2024-01-01T00:00:00Z", "count": 9}' >hidden.jsonl
echo 'ip=1 owner=bob' >hidden.log
hides() { # hides ARGS…: what is said of it, of run and of check
    leat_run run hidden.lua --quiet "$@"
    claim_exit "a run with ${*: -1}" 0
    grep -o "'[a-z]*' of the records .*of that name" "$err" >said
    leat_run check hidden.lua "$@"
    grep -o 'hidden.lua:.*of the records is not read.*of that name' "$err" >checked
}
hides --set data=hidden.jsonl
claim "a value of JSON that a new column hides is told" equal "$(<said)" \
    "'owner' of the records is not read, because lookup (shape.lookup) makes a column of that name"
claim "check tells it of the first records, with the line" equal "$(<checked)" \
    "hidden.lua:10: warning: json (parse.json): $(<said)"
claim_says "with what to do" \
    "rename the new column, for example with \`prefix\`, or set \`columns\` (to read both, with \"other_name=owner\")"
hides --set data=hidden.log
claim "so is one of logfmt" equal "$(<said)" \
    "'owner' of the records is not read, because lookup (shape.lookup) makes a column of that name"
hides --set data=hidden.jsonl --set show=hour --set made=time
claim "by a part of a time" equal "$(<said)" \
    "'hour' of the records is not read, because time (parse.time) makes a column of that name"
for told in "prefix=file_ --set show=file_owner" columns=ip columns=ip,theirs=owner; do
    # shellcheck disable=SC2086
    hides --set data=hidden.jsonl --set $told
    claim "nothing is told of ${told%% *}" test ! -s said -a ! -s checked
done
hides --set data=hidden.jsonl --set made=set
claim "an expression replaces it on purpose" test ! -s said -a ! -s checked
hides --set data=hidden.jsonl --set show=count --set counts=1 --set prefix=file_
claim "other records may have its name" test ! -s said -a ! -s checked
tr , ';' <hosts.csv >semicolons.csv
leat_run check lookup.lua --set file=semicolons.csv
claim_says "semicolons in the file are told" \
    "'semicolons.csv', line 1: has no column 'host' (columns: owner;site;host): if ';' separates them, set delimiter = \";\""
sed '1s/host/name/' hosts.csv >name.csv
leat_run check lookup.lua --set file=name.csv
claim_says "a key of another name is told" \
    "line 1: has no column 'host' (columns: owner, site, name): set file_key to the column of the file that holds the keys"
mkfifo pipe.csv
for what in check run; do
    leat_run $what lookup.lua --set file=pipe.csv
    claim_says "$what refuses a pipe, and does not wait for it" "cannot read pipe.csv: it must be a regular file"
    leat_run $what lookup.lua --set file=.
    claim_says "$what refuses a folder" "cannot read .: it is a directory"
done
sed -i 's/web-/srv-/' hosts.csv
leat_run run lookup.lua
claim_says "a file with none of the keys is told" \
    "'hosts.csv' has none of the 3000 keys: compare its column 'host' with 'host' of the records, such as 'srv-0' with 'web-"

cat >reload.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "reload" {
  leat.source.file { path = "-" }, leat.parse.csv { columns = { "k" }, header = false },
  leat.shape.lookup { "table.csv", key = "k", columns = { "v" }, reload = true },
  leat.sink.file { path = "seen", format = "csv" },
}
LUA
printf 'k,v\na,first\n' >table.csv
mkfifo feed
exec 7<>feed
leat_start reload.lua --summary s.json --log-level info <feed 7>&-
feed_until() { echo a >&7; sleep 0.05; grep -q "$1" "$err"; } # it looks between two batches
put() { printf 'k,v\na,%s\n' "$1" >new.csv && mv new.csv table.csv; }
until_true grep -q "was read: 1 rows" "$err"
echo a >&7
put second
until_true feed_until "has changed and was read again: 1 rows"
claim_says "a file that is put in place during the run is read again" "path = 'table.csv' has changed"
put '"thi'
until_true feed_until "stays in use"
claim_says "one that is broken is told" \
    "path = 'table.csv', line 2: a quote is never closed; the former table stays in use"
rm table.csv
until_true feed_until "No such file"
claim_says "and so is one that is gone" "path = 'table.csv': No such file or directory; the former table"
put third
read_again() { echo a >&7; sleep 0.05; (($(grep -c "was read again" "$err") == 2)); }
until_true read_again
echo a >&7
exec 7>&-
leat_end
claim "it ends well" equal "$status" 0
claim "each record has met one table after the other" equal "$(sed 1d seen | uniq |
    tr '\n' ' ')" "a,first a,second a,third "
claim "and all is counted" equal "$(jq -c '.stages[] | select(.plugin == "shape.lookup").metrics | [.reloaded,
    .unusable_files]' s.json)" "[2,2]"
done_claims
