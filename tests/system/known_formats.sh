# Known formats: for a file of each kind, leat peek names the format, reads all records, and its commands work.
# tier: long (60 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# run_commands NAME: runs the commands of the last peek. Prints those that fail, and returns 1 if there is one.
run_commands() {
    local line good=0
    sed -n 's/^  leat /leat /p' "$err" >commands
    while IFS= read -r line; do
        (eval "\"\$LEAT\" ${line#leat } --quiet" >/dev/null 2>why) || { echo "$line"; cat why; good=1; }
    done <commands
    return $good
}

# kind NAME WORDS RECORDS [COLUMNS]: the file on standard input is known by these words, and all of its records are
# read.
kind() {
    cat >"$1"
    leat_run peek "$1" --json
    claim "$1 is known" grep -qF "$1: $2" "$err"
    claim "its records are read ($1)" equal "$(jq -c '[.records, .rejected // 0]' "$out" | head -1)" "[$3,0]"
    claim "none is rejected ($1)" bash -c "! grep -q rejected $err"
    [[ ! ${4:-} ]] || claim "it has these columns ($1)" equal "$(jq -r '[.columns[].column] | join(",")' "$out")" "$4"
    claim "the commands work ($1)" run_commands
}

# lines N AWK: prints N lines, each by the program, with i, an address a, a status s, a path p, a clock c and a level l.
lines() {
    awk -v n="$1" 'BEGIN { srand(7); for (i = 0; i < n; i++) { a = "10.0." i % 3 "." i % 7; s = i % 4 ? 200 : 503
        p = "/p" i % 5; c = sprintf("21:%02d:%02d", i / 60 % 60, i % 60); l = i % 9 ? "INFO" : "ERROR"
        '"$2"' } }'
}
request='"GET " p " HTTP/1.1\" " s " " i * 7'

# ---- access logs ----
lines 60 'print a " - - [28/Nov/2026:" c " +0000] \"'"${request#\"}"' " \"-\" \"curl/8 (" i % 3 ")\""' |
    sed '7s/ - - / - a b /' | kind access.log "log of format combined" 60
lines 60 'print a " - - [28/Nov/2026:" c " +0000] \"'"${request#\"}" | kind common.log "log of format common" 60
sed 's/^/shop.example:443 /' access.log | kind other_vhosts_access.log "log of format vhost_combined" 60
sed 's/^/192.0.2.1, 192.0.2.9 /' access.log | kind proxied.log "log of format forwarded_combined" 60
sed -E 's/^[^ ]+/192.0.2.1, 192.0.2.9/' access.log | kind realip.log "log of format forwarded_combined" 60
lines 40 'print a ":4" i % 9 "0 [28/Nov/2026:" c ".935] web~ app/s" i % 2 " 0/0/" i % 3 "/30/" 30 + i " " s " 217 - - ---- 2/2/1/0/0 0/0 {x|} \"GET " p " HTTP/1.1\""' >plain
kind haproxy.log "log of format haproxy" 40 <plain
sed 's/^/Nov 28 21:25:12 lb haproxy[14]: /' plain | kind haproxy.syslog "log of format haproxy" 40
lines 40 'print "https 2026-07-02T" c ".186641Z app/web/5 " a ":2817 10.0.0.1:80 0.086 0.048 0.037 " s " " s " 57 366 \"GET https://x:443" p " HTTP/2.0\" \"curl/8\" C T arn:tg \"Root=1\" \"x\" \"arn\" 0 2026-07-02T22:22:48.364000Z \"forward\" \"-\" \"-\" \"10.0.0.1:80\" \"200\" \"-\" \"-\""' |
    kind alb.log "log of format alb" 40

# ---- heads that name the columns ----
{
    printf '#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n'
    printf '#fields\tts\tuid\tid.orig_h\tproto\ttags\n#types\ttime\tstring\taddr\tenum\tset[string]\n'
    lines 200 'print 1715954136 + i ".5\tC" i "\t" a "\t" (i % 3 ? "tcp" : "-") "\t" (i % 2 ? "(empty)" : "a,b")'
} | tee conn.part | kind conn.log "log of format zeek, whose head names its columns" 200 ts,uid,id.orig_h,proto,tags
{
    cat conn.part
    printf '#close\t2026\n'
    printf '#separator \\x09\n#fields\tproto\tts\tuid\tid.orig_h\ttags\n'
    lines 50 'print "udp\t" 1715954336 + i ".5\tD" i "\t" a "\t-"'
} | kind conn_twice.log "log of format zeek" 250
claim "the second head is read" equal "$(jq -r '.columns[] | select(.column == "proto") | .distinct' "$out")" 2
{
    printf '#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Date: 2026-11-28 00:00:00\n'
    echo '#Fields: date time s-ip cs-method cs-uri-stem c-ip cs(User-Agent) sc-status time-taken'
    lines 200 'print "2026-11-28 " c " 10.0.0.1 GET " p " " a " Mozilla/5.0+(X11) " s " " i * 3 % 91'
} | kind iis.log "log of format w3c, whose head names its columns" 200 \
    'datetime,s-ip,cs-method,cs-uri-stem,c-ip,cs(User-Agent),sc-status,time-taken'
claim "a time is known" grep -q -- '--time datetime' "$err"
{
    printf '#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip sc-status\n'
    lines 60 'print "2026-11-28\t" c "\tFRA50\t" i "\t" a "\t" s'
} | kind cloudfront.log "log of format w3c, whose head names its columns" 60
sed 1,2d cloudfront.log | kind headless.tsv "csv without a heading, fields separated by tabs" 60
leat_run peek headless.tsv --set format=w3c
claim_says "without a head it says what to do" "no line #Fields: is above its records: keep the head of the file"
leat_run explain headless.tsv --format w3c --outlier 'x == 1' --attributes y
claim_says "so does a run" "no line #fields or #Fields: is above this record: keep the head of the file"
leat_run explain iis.log --outlier '`sc-status` >= 500' --shuffle
claim_says "a shuffle is refused" "shuffle takes records away from their head"


# A run that goes on amid a file, and files of two versions.
cat >names.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "names" { leat.source.file { leat.args.data }, leat.parse.fields {},
  leat.shape.where { leat.args.where }, leat.sink.file { path = leat.args.out, format = "csv", columns = { "ts", "id.orig_h" } } }
LUA
sed -n '1,100p' conn.log >grows.log
leat_run run names.lua --quiet --state heads --set data=grows.log --set out=grown.csv --set 'where=proto == "tcp"'
sed -n '101,$p' conn.log >>grows.log
leat_run run names.lua --quiet --state heads --set data=grows.log --set out=grown.csv --set 'where=proto == "tcp"'
claim "a later run knows the head of the file" equal "$(sed 1d grown.csv | md5sum)" \
    "$(awk -F'\t' '/^[^#]/ && $4 == "tcp" { print $1 "," $3 }' conn.log | md5sum)"
mkdir versions
cp conn.log versions/1.log
awk -F'\t' -v OFS='\t' '/^#(fields|types)/ { print $1, $4, $3, $2; next } /^#/ { print; next } { print $3, $2, $1 }' \
    conn.log >versions/2.log
leat_run run names.lua --quiet --set 'data=versions/*.log' --set out=both.csv --set 'where=`id.orig_h` == "10.0.1.1"'
claim "files of two versions give the same rows" equal "$(sed 1d both.csv | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2
claim "all of them" equal "$(sed 1d both.csv | wc -l)" "$((2 * $(grep -c '	10.0.1.1	' conn.log)))"
leat_run check names.lua --set data=conn.log --set out=x.csv --set 'where=prto == "tcp"'
claim_says "check says which name was meant" "column 'prto' is in no head of the input; did you mean 'proto'?"

# ---- system logs ----
lines 40 'print "Nov 28 " c " web" i % 2 " sshd[" i % 5 "]: " (i % 9 ? "ok" : "an error: x")' |
    kind messages "log of format syslog" 40
lines 40 'print "Nov 28 " c " sshd[" i % 5 "]: error: kex failed"' | kind no_host.log "log of format syslog" 40
claim "the program is no host" equal "$(jq -r '.columns[] | select(.column == "program") | .frequent' "$out")" "sshd 100 %"
lines 40 'print "2026-11-28T" c ".123456+01:00 web" i % 2 " " (i % 3 ? "sshd[" i "]:" : "kernel:") " " (i % 9 ? "ok" : "an error: x")' |
    sed '5s/ sshd.*/ su[77] no colon/' | kind syslog "log of format syslog3339" 40
lines 40 'print "2026-11-28T" c "+0100 web1 cron[" i % 5 "]: (root) CMD: x"' | kind short_iso.log "log of format syslog3339" 40
lines 40 'print "<34>1 2026-11-28T" c ".003Z h su 77 ID47 - \357\273\277session " (i % 2 ? "opened" : "closed")' |
    kind rfc5424.log "log of format syslog5424" 40
claim "a byte order mark is no part of a message" equal "$(jq -r '.columns[] | select(.column == "message") |
    .longest' "$out")" 14
lines 40 'print "type=" (i % 2 ? "USER_LOGIN" : "USER_END") " msg=audit(" 1704067200 + i ".200:" i "): pid=" i " uid=0 auid=1000 msg=\047op=login acct=\"a b\" exe=\"/usr/sbin/sshd\" hostname=? addr=" a " res=" (i % 4 ? "success" : "failed") "\047\035UID=\"root\""' |
    kind audit.log "log of format auditd" 40
lines 40 'print "CEF:0|V|P|1.0|100|a name|" i % 10 "|src=" a " dst=10.0.0.2 msg=hello big world act=" (i % 2 ? "deny" : "allow")' |
    kind cef.log "log of format cef" 40
lines 40 'print "2026-10-06T" c ".669794202Z " (i % 4 ? "stdout" : "stderr") " " (i % 5 ? "F" : "P") " a line"' |
    kind cri.log "log of format cri" 32
lines 40 'print "{\"log\":\"a line" (i % 5 ? "\\n" : "") "\",\"stream\":\"" (i % 4 ? "stdout" : "stderr") "\",\"time\":\"2026-10-06T" c ".669794202Z\"}"' |
    kind docker.log "log of format docker" 32
lines 60 'printf "2026-11-28 %s.123 UTC,\"ann\",\"shop\",%d,\"%s:5%d\",6657.%x,%d,\"SELECT\",2026-11-28 20:00:00 UTC,3/%d,0,%s,00000,\"a, \"\"b\"\"\nline %d\",,,,,,,,,\"psql\",\"client backend\",,0\n", c, i, a, i, i, i, i, (i % 6 ? "LOG" : "ERROR"), i' |
    kind postgresql.csv "log of format postgres" 60
lines 60 'print "{\"timestamp\":" 1700000000 + i ",\"version\":\"1.1\",\"host\":\"h" i % 3 "\",\"short_message\":\"m\",\"level\":" i % 8 "}"' |
    kind gelf.log "json, one object a line" 60
lines 40 'print "[2026-11-28T" c ",123][" l "][o.e.n.Node] [n1] started"' |
    kind elasticsearch.log "lines with a time and a level" 40

# ---- columns and examples ----
lines 200 'print (i ? i "\t" (i % 7 ? "plain" : (i % 2 ? "\"Deluxe stand" : "Screen 27\"")) "\t" i % 91 : "id\ts\tv")' |
    kind clickhouse.tsv "csv with a heading, fields separated by tabs" 199
lines 200 'print (i ? i "\t" (i % 4 ? "plain" : "\"a\" disk") "\t" i % 91 : "id\ts\tv")' |
    kind copy.tsv "csv with a heading, fields separated by tabs" 199
lines 200 'print (i ? i "\t" (i % 4 ? "plain" : "\"Title\"") "\t" i % 91 : "id\ts\tv")' |
    kind title.tsv "csv with a heading, fields separated by tabs" 199
claim "quotes are text" grep -qF '"Title' "$out"
lines 200 'print (i ? i "\t" (i % 4 ? "plain" : "\"say \"\"hi\"\"\"") "\t" i % 91 : "id\ts\tv")' |
    kind excel.tsv "csv with a heading, fields separated by tabs, some in quotes" 199
claim "its quotes are no text" grep -qF 'say \"hi\"' "$out"
lines 200 'print (i ? i "\t" (i % 4 ? "plain" : "\"a\tb\nc\"") "\t" i % 91 : "id\ts\tv")' |
    kind duckdb.tsv "csv with a heading, fields separated by tabs, some in quotes" 199
lines 200 'print (i ? "\"" i "\"\t\"x" i % 4 "\"" : "\"id\"\t\"s\"")' |
    kind all.tsv "csv with a heading, fields separated by tabs, some in quotes" 199
cat >rows.lua <<'LUA'
local leat, inputs = require "leat", require "leat.inputs"
return leat.pipeline "p" { inputs.records(), inputs.csv(), leat.sink.profile { format = "jsonl" } }
LUA
for name in clickhouse copy title excel duckdb all; do
    leat_run run rows.lua --quiet --set data=$name.tsv --set 'delimiter=\t'
    claim "an application decides alike ($name)" equal "$(jq -c .records "$out")" 199
done
printf 'id,v,v,\n1,2,3,\n4,5,6,\n' | kind doubled.csv "there are two columns named 'v'" 2
printf 'v\n1\n2\n' | kind one_column.csv "csv with a heading" 2

# known NAME WORDS: the format of examples is known, and the command works.
known() {
    cat >"$1"
    leat_run peek "$1" --json
    claim "$1 is known" grep -qF "$1: $2, one example a line" "$err"
    claim_exit "peek ends well ($1)" 0
    claim "the command works ($1)" run_commands
    claim "it is one ($1)" test -s commands
}
lines 60 'print (i % 2 ? "-1 " : "+1 1:0." i " 7:" i)' | known empty_rows.svm libsvm
{ printf '# a comment\n# another\n'; lines 60 'print (i % 2 ? "-1" : "+1") " 1:0." i (i % 5 ? "" : " # c")'; } | known comments.svm libsvm
lines 60 'print (i % 2 ? "-1" : "1") " " (i % 3 ? "" : "2.0 ") "|a x y:2 |b z" i % 4' | known examples.data vw
lines 60 'print "a" i % 3 "|b c|" i' | kind bars.txt "csv without a heading, fields separated by '|'" 60

# ---- frames: the command that takes them away ----
framed() {
    cat >"$1"
    rm -f data.*
    leat_run peek "$1"
    claim "$1 is known by its frame" grep -qF "$1: error: $2" "$err"
    bash -c "$(sed -n 's/.*: convert it with //p' "$err")"
    leat_run peek data.* --json
    claim "what the command makes has all records ($1)" equal "$(jq .records "$out")" "$3"
    claim "and no other ($1)" bash -c "! grep -q rejected $err"
}
object='"{\"a\":" i ",\"t\":\"x" i % 3 "\"}"'
lines 30 'print "\036" '"$object" | framed seq.json "JSON behind record separators" 30
lines 30 'print "data: " '"$object"' "\n"' | framed sse.txt "server-sent events" 30
lines 30 'print "2026-11-28T" c "Z " '"$object" | framed timed.txt "JSON behind a time" 30
sed 's/^/web-1  | /' access.log | framed compose.log "a log behind the names of containers" 60
lines 30 'print "cpu,host=h" i % 3 ",region=eu usage=0." i ",n=1i 17000000000000000" 10 + i' | framed influx.txt "InfluxDB" 30
lines 30 'print "__CURSOR=s=" i "\n__REALTIME_TIMESTAMP=17000000000" i "\nMESSAGE=say \"hi\" \\ x=" i "\nPRIORITY=" i % 7 "\n"' |
    framed journal.export "the journal's export format" 30
{ printf '# made by x\n# id,s,v\n'; lines 30 'print i ",x" i % 3 "," i * 3'; } >comments.csv
leat_run peek comments.csv
claim_says "names in a comment are kept" "tail -n +2 comments.csv | sed '1s/^#[[:blank:]]*//' >data.csv"
printf "{'a':1,'b':2}\n{'a':2,'b':3}\n" >single.json
leat_run peek single.json
claim_says "the first cause of wrong JSON is named" "the first records are wrong: record 1: byte 2 is wrong"
lines 30 'print (i % 5 ? "{\"w\":\"a" i % 3 "\",\"n\":1}" : "{\"w\":\"Infinity\",\"n\":Infinity}")' >nan.jsonl
leat_run peek nan.jsonl
claim "a text of rejected records alone is not asked about" bash -c "! grep -q 'Infinity\"' $err"
done_claims
