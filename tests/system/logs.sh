# Logs: access logs, syslog and user-defined patterns, from the file to the answer.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
home=$OLDPWD
# Lines of an access log; of /pay every second fails at night (hours 00 to 05), else one of a hundred. With an argument:
# the same as CSV.
requests() {
    awk -v csv="${1:-}" 'BEGIN {
        srand(3)
        if (csv) print "host,method,area,hour,status"
        for (i = 0; i < 6000; i++) {
            split("shop pay help", areas, " ")
            host = "10.0.0." int(rand() * 20); area = areas[1 + int(rand() * 3)]; hour = int(rand() * 24);
            post = rand() < .3
            status = rand() < (area == "pay" && hour < 6 ? .5 : .01) ? 503 : 200
            if (csv) printf "%s,%s,/%s,%02d,%d\n", host, post ? "POST" : "GET", area, hour, status
            else {
                printf "%s - - [10/Oct/2023:%02d:%02d:36 +0000] \"%s /%s?id=%d HTTP/1.1\" %d %d \"-\" \"agent \\\"%d\\\"\"\n", \
                    host, hour, i % 60, post ? "POST" : "GET", area, i, status, i % 900, i % 5
                if (i % 1000 == 7) print "garbage " i
            }
        }
    }'
}
requests | gzip >access.log.gz
requests csv >requests.csv
explain() { leat_run run "$home/pipelines/explain.lua" --quiet --set outlier='status >= 500' \
    --set attributes=host,method,area,hour --set order=risk --set k=10 --set out=csv "$@"; }
explain --set data=access.log.gz --set format=combined \
    --set derive='hour=substring(time, 13, 2); area="/" .. split(split(path, "?", 1), "/", 2)'
cp "$out" of_log
claim_exit "an access log is explained" 0
claim "the first row is what was planted" grep -q '^1,area=/pay & hour=0[0-5],\|,1,area=/pay & hour=0[0-5],' of_log
explain --set data=requests.csv
claim "as the same records in columns are, to the byte" cmp "$out" of_log
leat_run run "$home/pipelines/explain.lua" --set data=access.log.gz --set format=combined \
    --set outlier='status >= 500' --set attributes=host --summary s.json
claim "lines that are none are rejected and counted" test "$(jq '[.stages[].rejected] | add' s.json)" = 6
claim_says "and named" "access.log.gz:9 " "the record is not a line of format combined"

# The same records as key=value lines, with quotes where a program would write them.
awk -F, 'NR > 1 { printf "ts=2024-05-01T%s:00:00Z host=%s method=%s msg=\"a \\\"b\\\"\" area=\"%s\" hour=%s status=%s%s\n", $4, $1, $2, $3, $4, $5, NR % 7 ? "" : " retry" }' requests.csv >app.logfmt
explain --set data=app.logfmt --set format=logfmt
claim "logfmt is explained as the same records in columns are, to the byte" cmp "$out" of_log
leat_run run "$home/pipelines/classify.lua" --quiet --set data=app.logfmt --set format=logfmt --set label=status \
    --set positive=503 --set attributes=area,hour --set time=ts --summary s.json
claim "and learned from, by time" test "$(jq '.stages[] | select(.id == "awm").metrics.examples' s.json)" = 6000
printf 'local leat = require "leat"\nreturn leat.pipeline "p" { leat.source.file { "app.logfmt" },\n  leat.parse.logfmt { "hst", "m=mehod", "retry" }, leat.sink.null {} }\n' >keys.lua
leat_run check keys.lua
claim "check says which keys were meant" diff - "$err" <<'TEXT'
keys.lua:3: warning: logfmt (parse.logfmt): column 'hst' is in none of the first 1024 records; did you mean 'host'?
keys.lua:3: warning: logfmt (parse.logfmt): column 'm' (path mehod) is in none of the first 1024 records; did you mean 'method'?
TEXT
leat_run peek app.logfmt --json
claim_says "peek knows it" "logfmt, key=value pairs in each line" "--format logfmt"
claim "and its keys" test "$(jq -c '[.columns[].column]' "$out")" = \
    '["ts","host","method","msg","area","hour","status"]'
echo 'half="open' >>app.logfmt
# The network 10.1.3. fails, and so does the program cron of syslog.
awk 'BEGIN { srand(2); for (i = 0; i < 9000; i++) { n = int(rand() * 6)
    printf "10.1.%d.%d - - [14/Nov/2023:%02d:13:20 +0000] \"GET /a%d HTTP/1.1\" %d %d \"-\" \"say \\\"hi\\\"\"\n", n, rand() * 250, i % 24,
        i % 7, rand() < (n == 3 ? .5 : .02) ? 500 : 200, rand() * 900 } }' >net.log
awk 'BEGIN { srand(2); for (i = 0; i < 9000; i++) { p = i % 5 ? "sshd" : "cron"
    printf "Oct %2d 22:14:%02d host%d %s[%d]: %s\n", i % 30 + 1, i % 60, i % 9, p, rand() * 9000,
        rand() < (p == "cron" ? .4 : .02) ? "an error" : "fine" } }' >sys.log
awk 'BEGIN { srand(4); for (i = 0; i < 9000; i++) { p = i % 5 ? "sshd" : "cron"
    printf "<34>1 2023-10-%02dT22:14:%02dZ host%d %s %d ID%d [a b=\"c\"] %s\n", i % 30 + 1, i % 60, i % 9, p, rand() * 9000, i % 3,
        rand() < (p == "cron" ? .4 : .02) ? "an error" : "fine" } }' >sys5424.log
# The same as a virtual host's log, behind which a proxy stands, and as an IIS log whose fields change amid the file.
sed 's/^/www.example.org:443 /' net.log >vhost.log
awk '{ print "192.0.2.1, 192.0.2." NR % 9, $0 }' net.log >forwarded.log
awk 'NR == 1 { print "#Software: Microsoft Internet Information Services 10.0\n#Fields: c-ip sc-status cs-uri-stem" }
    NR == 4500 { print "#Fields: cs(User-Agent) cs-uri-stem date c-ip sc-status" }
    NR < 4500 { print $1, $9, $7; next } { print "a+b", $7, "2026-01-01", $1, $9 }' net.log >iis.log
first() { leat_run explain "$@" --out jsonl --quiet; jq -r '.top[0] | [.feature, .count] | join(" ")' "$out"; }
claim "a network of an access log is the first row" equal "$(first net.log --outlier 'status >= 500')" \
    "host=10.1.3. $(grep -c '^10[.]1[.]3[.]' net.log)"
for log in vhost forwarded; do
    claim "so is that of a log with a field in front, whose format is found ($log)" equal \
        "$(first $log.log --outlier 'status >= 500')" "host=10.1.3. $(grep -c '^10[.]1[.]3[.]' net.log)"
done
claim "and that of a log whose head names its fields, twice" equal \
    "$(first iis.log --outlier '`sc-status` >= 500')" "c-ip=10.1.3. $(grep -c '^10[.]1[.]3[.]' net.log)"
claim "a program of syslog, in both forms" equal "$(first sys.log --outlier 'contains(message, "error")'), $(
    first sys5424.log --outlier 'contains(message, "error")')" \
    "program=cron $(grep -c cron sys.log), program=cron $(grep -c cron sys5424.log)"
leat_run run "$home/pipelines/explain.lua" --quiet --set data=app.logfmt --set format=logfmt \
    --set outlier='status >= 500' --set attributes=host
claim_says "a line that is none is named with its byte" "app.logfmt:6001 " "byte 6 is wrong: the quote is never closed"

zcat access.log.gz |
    sed -nE 's/^([0-9.]+) .*"(GET|POST) ([^ ?]*).* 503 .*/E \1 \2 \3/p; s/^([0-9.]+) .*"(GET|POST) ([^ ?]*).* 200 .*/I \1 \2 \3/p' >app.log
leat_run run "$home/pipelines/explain.lua" --quiet --set data=app.log \
    --set pattern='^(?<level>[EI]) (?<host>\S+) (?<method>\S+) (?<area>\S+)$' --set outlier='level == "E"' \
    --set attributes=area,method --set cross=1 --set out=csv
claim "a pattern of one's own makes columns" grep -q 'area=/pay' "$out"
claim_exit "and ends well" 0
cat >lanes.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lanes" {
  leat.source.file { path = "app.log" }, leat.parse.regex { [[(?<host>\S+) (?:GET (?<area>/\w+))?]], unmatched = "filter", lanes = leat.args.lanes },
  leat.sink.file { path = "got" .. leat.args.lanes, format = "jsonl" }, batch_rows = 64,
}
LUA
for lanes in 1 3; do leat_run run lanes.lua --quiet --set lanes=$lanes; done
claim "lanes change nothing" cmp got1 got3
claim "all lines are there" test "$(wc -l <got1)" = "$(wc -l <app.log)"

leat_run run "$home/pipelines/classify.lua" --quiet --set data=access.log.gz --set format=combined \
    --set derive='area="/" .. split(split(path, "?", 1), "/", 2)' --set label=status --set positive=503 \
    --set attributes=area,method --summary s.json
claim "a log is learned from, too" test "$(jq '.stages[] | select(.id == "awm").metrics | .examples == 6000 and
    .auc > .6' s.json)" = true
leat_run run "$home/pipelines/classify.lua" --quiet --set data=app.log \
    --set pattern='^(?<level>[EI]) \S+ (?<method>\S+)' --set label=level --set positive=E --set attributes=method \
    --summary s.json
claim "or lines of a pattern" test "$(jq '.stages[] | select(.id == "awm").metrics.examples' s.json)" = "$(wc \
    -l <app.log)"

leat_run run "$home/pipelines/explain.lua" --set data=access.log.gz --set outlier='status >= 500' --set time=time \
    --set time_parts=hour --set min_count=1 --summary s.json
claim "explain knows a log by its lines, and what may explain something" equal "$status,$(jq .records s.json)" \
    "0,$(zcat access.log.gz | wc -l)"
claim_says "of all that the log has" "leat: attributes: host, method"
leat_run run "$home/pipelines/explain.lua" --quiet --set data=app.logfmt --set outlier='status >= 500' \
    --set attributes=host
claim "likewise lines of key=value" equal "$status" 0
printf '<34>Oct 11 22:14:15 mymachine su: failed\nFeb  5 17:32:18 10.0.0.99 sshd[123]: Accepted key\n' >messages
leat_run peek messages --json
claim_says "syslog is known by its lines" "log of format syslog"
claim "and has its columns" test "$(jq -c '[.columns[].column]' "$out")" = \
    '["priority","time","host","program","pid","message"]'
leat_run peek access.log.gz --json
claim_says "so is an access log" "log of format combined" "--format combined --outlier 'status >= 500'"
claim "whose numbers are numbers" test "$(jq -c '.columns[] | select(.column == "status") | [.type, .low, .high,
    .distinct]' "$out")" = '["number",200,503,2]'

{ printf '%60000s' '' | tr ' ' '('; printf '%60000s' '' | tr ' ' ')'; echo; } >deep.log
leat_run run "$home/pipelines/explain.lua" --quiet --set data=deep.log \
    --set pattern='^(?<nest>\((?:[^()]|(?&nest))*\))$' --set outlier='length(nest) > 3' --set attributes=nest
claim_says "a record that is nested too deep is rejected with the cure" "deep.log:1 " \
    "the pattern needs more than 1048576 bytes on this record: nest its groups less"

# A pattern of PCRE2's own option, and one that goes back and forth without end.
printf 'ok 1\n\377 6\n' >bytes.log
cat >regex.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "regex" { leat.source.file { "bytes.log" }, leat.parse.regex { [[(*UTF)(?<a>\w+)]] },
  leat.sink.file { path = "-", format = "csv" }, max_reject_ratio = 1 }
LUA
leat_run run regex.lua --quiet
claim_says "a line that is not UTF-8 is rejected with that reason, where the pattern asks for it" \
    "bytes.log:2 (byte 5): regex (parse.regex): the record is not UTF-8, but the pattern has (*UTF)"
claim "and others are parsed" equal "$(paste -sd, "$out")" "a,ok"
awk 'BEGIN { for (i = 0; i < 3; i++) { for (j = 0; j < 40; j++) printf "a"; print "!" } print "!x" }' >long.log
cat >start.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "start" { leat.source.file { "long.log", record_start = leat.args.start }, leat.parse.lines {},
  leat.shape.set { "n = length(text)" }, leat.sink.file { path = "-", format = "csv", columns = { "n" } } }
LUA
leat_run run start.lua --quiet --set start='(a+)+$|!'
claim_says "a line on which record_start takes too long is told" \
    "file (source.file): long.log:2: record_start takes more than 100000 steps or too much memory on this line" \
    "make its repetitions possessive"
claim_says "and how many there were" "record_start took too many steps or too much memory on 2 lines: they did not begin a record"
printf 'a\n b\né\n b\n€\n\377x\n b\n\tc\né\377\n' >long.log
leat_run run start.lua --quiet --set start='^\S'
claim "characters beyond ASCII, and bytes that are none, begin records like others" \
    equal "$(paste -sd, "$out")" "n,4,4,1,8,2"
leat_run run start.lua --quiet --set start='^[\x{20ac}\x{e9}]'
claim "a pattern of characters matches no other bytes" equal "$(paste -sd, "$out")" "n,4,4,13"
awk 'BEGIN { for (i = 0; i < 40; i++) printf "a"; print "!" }' >long.log
leat_run run start.lua --quiet --set start='(a++)++$|!'
claim "with the cure nothing is" test ! -s "$err"

refused() { leat_run check "$home/pipelines/explain.lua" --set data=app.log --set outlier='level == "E"' \
    --set attributes=area "$@"; claim_exit "$1 $2 is refused" 2; }
refused --set pattern='(?<level>x'
claim_says "with what is wrong with it" "pattern: cannot be compiled: missing closing parenthesis at its end"
refused --set pattern='(level)'
claim_says "or with what it lacks" "names no column: write each part that becomes a column as (?<name>…)"
refused --set format=apache
claim_says "with the formats that there are" \
    "format is apache: give csv, json, otlp, avro, cbor, msgpack, protobuf, logfmt, a log (common, combined, vhost_combined" "did you mean combined?"
refused --set format=common --set pattern='(?<level>x)'
claim_says "two ways to say it are one too many" "pattern: has no effect together with format: leave one of the two out"
refused --set pattern='(?<lvl>x)'
claim_says "a column that no group makes is named" "there is no column 'level'" "(columns: lvl)"
done_claims
