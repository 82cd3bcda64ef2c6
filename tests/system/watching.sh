# --http: a run at work answers with the numbers of its summary. Clients without rights are refused, and faulty ones
# harm nobody.
# tier: long (10 s)
. "$(dirname "$0")/../support/claims.sh"
root=$PWD
cd "$tmp" || exit 1
awk 'BEGIN { srand(3); print "y,a,b,n"; for (i = 0; i < 60000; i++) { a = int(rand() * 20); printf "%d,a%d,b%d,%d\n",
    rand() < a / 20, a, rand() * 30, rand() * 10 }
    print "1,a1"; print "0,a2,b3,4,5,6"; print "0,a3" }' >rows.csv
cat >watched.lua <<'LUA'
local leat = require "leat"
return leat.pipeline(leat.args.name or "watched") {
  leat.source.file { path = leat.args.data, follow = leat.args.follow ~= "no" },
  leat.parse.csv { lanes = 2 },
  leat.label.is { id = leat.args.label, column = "y", positive = "1" },
  leat.feature.columns { "a", "b", "n" },
  leat.learn.awm { id = "model", budget = "16KB", counts = true },
  leat.sink.top { k = 5, path = "top.out" },
}
LUA

# watch ARGS…: starts a run that is watched; $url.
watch() {
    leat_start "$@" --http :0
    until_true has_url
}
has_url() {
    url=$(sed -n 's/^leat: watch this run at //p' "$err")
    [[ $url ]]
}
get() { curl -gs --max-time 20 "$@"; }
code() { curl -gs --max-time 20 -o /dev/null -w '%{http_code}' "$@"; }
is_code() { equal "$(code "${@:2}")" "$1"; }
# What the learner has, and the records that are at their end: rejected ones are counted there.
learned() { equal "$(get "${url}top/model?n=1" | jq .examples) $(get "${url}status" | jq .rejected)" "$1 3"; }

# ---- what it gives ----
watch watched.lua --set data=rows.csv --quiet --summary s.json
claim "the run says where" grep -qE '^leat: watch this run at http://127\.0\.0\.1:[0-9]+/$' "$err"
claim "all records are learned" until_true learned 60000
claim "/live" equal "$(get "${url}live")" live
claim "/ready" equal "$(code "${url}ready") $(get "${url}ready")" "200 running"
get "${url}metrics" >metrics
claim "every line of /metrics keeps the format" awk -f "$root/tests/support/exposition.awk" metrics
claim "the type of /metrics" sh \
    -c "curl -gsi ${url}metrics | tr -d '\r' | grep -qx 'Content-Type: text/plain; version=0.0.4; charset=utf-8'"
metric() { awk -v name="$1" 'index($0, name " ") == 1 { print $NF }' metrics; }
claim "records" equal "$(metric leat_records_total)" 60003
claim "rejected by reason" equal "$(metric 'leat_records_rejected_total{reason="fields"}')" 3
claim "of a stage with lanes: in, out, rejected" equal "$(metric \
    'leat_stage_records_in_total{stage="csv",plugin="parse.csv"}') $(metric \
    'leat_stage_records_out_total{stage="csv",plugin="parse.csv"}') $(metric \
    'leat_stage_records_rejected_total{stage="csv",plugin="parse.csv"}')" "60003 60000 3"
claim "a learner's figures" equal "$(metric \
    'leat_learner_figure{stage="model",plugin="learn.awm",figure="examples"}')" 60000
claim "the learner was busy" below 0 "$(metric 'leat_stage_busy_seconds_total{stage="model",plugin="learn.awm"}')"
claim "its thread waits for records" below 0.001 "$(metric \
    'leat_stage_starved_seconds_total{stage="model",plugin="learn.awm"}')"
claim "a source that has no records waits" below 0.001 "$(metric \
    'leat_stage_starved_seconds_total{stage="file",plugin="source.file"}')"
claim "memory" sh -c "[ $(metric leat_memory_used_bytes) -gt 1000000 ] && [ $(metric \
    leat_memory_planned_bytes) -gt 1000000 ]"
claim "threads" equal "$(metric leat_threads)" "$(($(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)))"
claim "ready" equal "$(metric leat_ready)" 1
sleep 2.1
get "${url}metrics" >later
starved() { awk -v name='leat_stage_starved_seconds_total{stage="model"' 'index($0, name) == 1 { print $NF }' "$1"; }
claim "waiting that is not over counts" below "$(starved metrics | awk '{ print $1 + 1.9 }')" "$(starved later)"

get "${url}status" >status.json
get "${url}report" >report.html
get "${url}top/model?n=7" >top.json
get "${url}estimate/model?feature=a=a0" >estimate.json
get "${url}estimate/model?feature=none=such" >none.json
claim "/status knows the graph" equal "$(jq -c '[.edges[] | .from + ">" + .to]' status.json)" \
    '["file>csv","csv>is","is>columns","columns>model","model>top"]'
claim "and the threads" jq -e '.state == "running" and ([.threads[].stages[]] | unique) == ["columns", "csv", "file",
    "is", "model", "top"] and all(.threads[]; .late == false)' status.json
claim "the report is a page" grep -q '<title>watched</title>' report.html
claim "the page for people needs nothing else" sh \
    -c "! curl -gs $url | grep -qiE '<script [^>]*src|<link|<img|url\(|@import|https?://'"
claim "/top gives the rows that are asked for" jq -e '(.rows | length) == 7 and .rows[0].feature == "a=a0" and
    .rows[0].weight < -1' top.json
claim "an estimate is the weight" jq -e '(.estimate - .row.weight | fabs) < 1e-5 and .row.weight < -1' estimate.json
claim "of an unknown feature a small one, and no row" jq -e '(.estimate | fabs) < 0.5 and .row == null' none.json
claim "numbers of rows that are none" equal "$(code "${url}top/model?n=0") $(code "${url}top/model?n=x") $(code \
    "${url}top/model?n=1001") $(code "${url}top/model?n=-1")" "400 400 400 400"
claim "features together that have neither row nor estimate are none" is_code 404 \
    "${url}estimate/model?feature=none=such%20%26%20b=b0"
claim "and why is said" grep \
    -q "the first 1000 rows of model (learn.awm) have no feature none=such & b=b0, and it gives no estimates for several features together: use a name from /top/model" \
    <(get "${url}estimate/model?feature=none=such%20%26%20b=b0")
claim "an estimate of nothing" is_code 400 "${url}estimate/model"
claim "a value that holds the words between parts is one feature" jq -e '.estimate != null' <(get \
    "${url}estimate/model?feature=a=p%20%26%20q")
claim "a NUL does not end a name: another one is not answered for" jq -e '.feature == "a=a0%00x" and .row == null' \
    <(get "${url}estimate/model?feature=a=a0%00x")
claim "nor the name of a stage" is_code 404 "${url}top/model%00x"
claim "other marks do arrive" jq -e '.feature == "a=é %00"' <(get "${url}estimate/model?feature=a=%01%C3%A9+%2500")
claim "an unknown learner, and a stage that is none" equal "$(code "${url}top/mode") $(code "${url}top/csv") $(code \
    "${url}predict/top" -d x)" "404 404 404"
claim "which learners there are" grep -q "it has model" <(get "${url}top/mode")
claim "an unknown page" is_code 404 "${url}metric"
claim "a page that is asked by POST" is_code 405 -X POST "${url}status"
claim "a prediction that is asked by GET" is_code 405 "${url}predict/model"
claim "HEAD" equal "$(curl -gsI "${url}metrics" | head -1 | tr -d '\r')" "HTTP/1.1 200 OK"

# ---- who may ask, and what comes that should not ----
claim "a name that is not this machine's is refused" is_code 403 -H 'Host: evil.example' "${url}status"
claim "nor is a page of another site answered" is_code 403 -H 'Sec-Fetch-Site: cross-site' \
    -H 'Sec-Fetch-Mode: no-cors' "${url}status"
claim "a link from there is" is_code 200 -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: navigate' "${url}status"
claim "localhost is not" is_code 200 -H 'Host: localhost:1' "${url}status"
head -c 2000000 /dev/zero >zeros
# A client that is still sending may see the end of the connection before the answer.
claim "a body of 2 MB is refused" until_true is_code 413 --data-binary @zeros -H 'Expect:' "${url}predict/model"
claim "so is one whose length is not said" sh \
    -c "! curl -gs -f -T zeros -X POST -H 'Transfer-Encoding: chunked' -H 'Expect:' ${url}predict/model"
claim "a request line of 60 KB" sh -c "! curl -gs -f '${url}top/$(head -c 60000 /dev/zero | tr '\0' x)'"
claim "a header of 60 KB" sh -c "! curl -gs -f -H 'X: $(head -c 60000 /dev/zero | tr '\0' x)' ${url}live"
port=${url##*:} port=${port%/}
nonsense() {
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '\x16\x03\x01 nonsense\r\n\r\n' >&3
    timeout 20 cat <&3 >answered
    equal "$? $(grep -c ' 200 ' answered)" "0 0"
}
claim "what is no HTTP is answered or closed" nonsense
twice() { # twice HEADERS: statuses of all answers to one request with these headers, and six bytes of body
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf "POST /predict/model HTTP/1.1\r\n$1\r\n\r\nsixsix" >&3
    timeout 20 cat <&3 | sed -n 's,^HTTP/1.1 \([0-9]*\).*,\1,p' | paste -sd' '
}
claim "a length that is given twice is refused, and nothing after it is read" equal "$(twice \
    'Host: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6')" 400
claim "so is a host" equal "$(twice 'Host: 127.0.0.1\r\nHost: localhost\r\nContent-Length: 6')" 400
# 100 clients that begin a request and do not end it: others are served all the same
for ((i = 0; i < 100; i++)); do
    eval "exec {slow[$i]}<>/dev/tcp/127.0.0.1/$port" && printf 'GET /live HTTP/1.1\r\nHost: localhost\r\nX-a: ' \
        >&"${slow[$i]}"
done 2>/dev/null
claim "clients that never end a request keep nobody out" equal "$(get "${url}live")" live
for ((i = 0; i < 100; i++)); do eval "exec {slow[$i]}>&-"; done 2>/dev/null
claim "the run has learned on" until_true learned 60000

# ---- the same numbers as the summary ----
leat_stop
claim_exit "the run ends" 0
same() { diff <(jq -S "$1" status.json) <(jq -S "$1" s.json); }
claim "records, rejections and examples of them" same \
    '[.records, .rejected, .rejections, .rejection_examples, .pipeline, .version, .plan, .command, .seed]'
claim "of each stage: counts, figures, the heaviest features, memory, settings" same \
    '[.stages[] | del(.seconds, .metrics.examples_per_second, .metrics.behind_bytes, .memory)]'
claim "answers" same '[.answers, .inputs, .event_time]'
claim "/top" diff <(jq -c '.rows' top.json) <(jq -c '[.stages[] | select(.id == "model") | .top[:7][]]' s.json)
claim "nobody answers any more" equal "$(code "${url}live")" 000

# ---- names that are markup, and end lines and labels ----
evil=$'a"b\\c<script>alert(1)</script>'
watch watched.lua --set data=rows.csv --set name="$evil" --set label='x"y\z' --quiet
claim "hostile names" until_true learned 60000
get "${url}metrics" >metrics
claim "in /metrics" awk -f "$root/tests/support/exposition.awk" metrics
claim "are escaped" grep -qF 'leat_info{pipeline="a\"b\\c<script>' metrics
claim "in /status" equal "$(get "${url}status" | jq -r '.pipeline')" "$evil"
claim "in /report" sh -c "! curl -gs ${url}report | grep -q '<script>'"
claim "in errors" sh -c "curl -gs '${url}top/%3Cscript%3E%22%5C' | jq -e '.error | test(\"<script>\")'"
leat_stop

# ---- a token ----
printf 'sesame\n' >token
export TOKEN=sesame
watch watched.lua --set data=rows.csv --quiet --http-token "\${file:token}" --summary s.json
claim "without the token" equal "$(code "${url}status") $(code "${url}") $(code "${url}metrics")" "401 401 401"
claim "with another" equal "$(code -H 'Authorization: Bearer sesam' "${url}status") $(code \
    -H 'Authorization: Bearer sesamesesame' "${url}status") $(code -u x:y "${url}status")" "401 401 401"
claim "with it" until_true is_code 200 -H 'Authorization: Bearer sesame' "${url}status"
claim "as a password" is_code 200 -u any:sesame "${url}status"
claim "by another name" is_code 200 -H 'Host: server.example' -u any:sesame "${url}status"
claim "who is alive needs none" equal "$(code "${url}live") $(code "${url}ready")" "200 200"
get -u any:sesame "${url}status" >with.json
leat_stop
claim "nothing shows it" sh -c "! grep -q sesame s.json with.json '$err'"

rest_is_long

# ---- addresses ----
refused() {
    local words=$1 says=$2
    shift 2
    mkdir -p apart && cd apart || exit 1 # another run may write its top.out here
    leat_run run ../watched.lua --set data=../rows.csv --quiet "$@"
    cd ..
    claim_exit "$words" 2
    claim_says "$words: it says so" "$says"
    claim "$words: nothing was begun" [ ! -e apart/top.out ]
}
refused "an address that is none" "--http nonsense takes ADDRESS:PORT" --http nonsense
refused "a port that is none" "takes ADDRESS:PORT" --http 127.0.0.1:65536
refused "a host that is no address" "takes an IP address of this machine" --http example.org:1
refused "IPv6 without brackets" "in brackets" --http ::1:9100
refused "an address of another machine" "give an address of this machine" --http 192.0.2.1:0 \
    --http-token "\${env:TOKEN}"
refused "an address that others reach, without a token" "other machines reach this address: give --http-token" --http 0.0.0.0:0
refused "a token for all to see" "--http-token: takes only '\${env:NAME}'" --http :0 --http-token sesame
refused "a token that is not there" "\${env:NONE}: the environment has no variable" --http :0 \
    --http-token "\${env:NONE}"
printf 'one\ntwo\n' >"$tmp/two_lines"
refused "a token that no client can send" "the token has blanks, line ends or letters beyond ASCII" --http :0 \
    --http-token "\${file:$tmp/two_lines}"
leat_run run watched.lua --set data=rows.csv --http-token "\${env:TOKEN}"
claim_says "a token without a server" "--http-token needs --http"
watch watched.lua --set data=rows.csv --quiet
port=${url##*:} first=$pid
refused "a port that is taken" "Address already in use: give another port" --http ":${port%/}"
leat_stop "$first"

# ---- before, at the end, and when it fails ----
mkfifo pipe
leat_start watched.lua --set data=pipe --set follow=no --quiet --http :0
until_true has_url
claim "a run that waits for its header is alive" until_true is_code 200 "${url}live"
claim "but not ready" equal "$(code "${url}ready") $(get "${url}ready")" "503 starting"
claim "and has figures of the server alone" sh -c "curl -gs ${url}metrics | awk -f '$root/tests/support/exposition.awk'"
claim "others say so" equal "$(code "${url}status") $(get "${url}top/model" |
    jq -r .error)" "503 the run is not running: it is starting"
leat_stop
mkfifo stuck
sleep 600 <>stuck & # a reader that reads nothing
cat >stuck.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "stuck" {
  leat.source.file { path = "rows.csv", follow = true }, leat.parse.csv {},
  leat.label.is { column = "y", positive = "1" }, leat.feature.columns { "a" }, leat.learn.awm { id = "model", budget = "16KB" },
  leat.sink.predictions { path = "stuck" } }
LUA
watch stuck.lua --quiet --stop-timeout 3
is_busy() { equal "$(get "${url}top/model" | jq -r .error)" "model (learn.awm) is busy and did not answer in time"; }
claim "a thread that does not answer is busy" until_true is_busy # a run that starts is none
claim "which is a 503" is_code 503 "${url}top/model"
claim "only who asks for it waits" equal "$(get "${url}live")" live
get "${url}metrics" >metrics
claim "figures of others go on" sh \
    -c "awk -f '$root/tests/support/exposition.awk' metrics && grep -q '^leat_thread_late{.*} 1\$' metrics && grep -q '^leat_thread_late{.*} 0\$' metrics"
from=${EPOCHREALTIME/./}
for ((i = 0; i < 20; i++)); do code "${url}top/model" >/dev/null; done
claim "a thread that is late is not waited for again and again" [ $(((${EPOCHREALTIME/./} - from) / 1000)) -lt 10000 ]
kill -TERM "$pid"
is_stopping() { equal "$(get "${url}ready")" stopping; }
claim "a run that stops is not ready" until_true is_stopping
leat_end
claim_exit "and ends in time" 5

# ---- lanes that end in a merge; sources that wait for each other's checkpoint ----
printf 'y,a\n1,x\n' >one.csv
cp one.csv two.csv
cat >merged.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "merged" {
  leat.merge { { leat.source.file { id = "s1", path = "one.csv", follow = true }, leat.parse.csv { id = "c1", lanes = 2 } },
               { leat.source.file { id = "s2", path = "two.csv", follow = true }, leat.parse.csv { id = "c2" } } },
  leat.sink.null {},
}
LUA
watch merged.lua --quiet
claim "a thread that only collects lanes has a name" until_true sh \
    -c "curl -gs ${url}metrics | grep -qx 'leat_thread_late{stage=\"c1, collected\",lane=\"0\"} 0'"
claim "and the run goes on" equal "$(code "${url}live")" 200
leat_stop
claim_exit "to its end" 0
cat >apart.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "apart" {
  leat.merge { { leat.source.file { id = "slow", path = "fifo" }, leat.parse.csv { id = "c1", columns = { "y", "a", "b", "n" } } },
               { leat.source.file { id = "fast", path = "rows.csv", ["repeat"] = 1000 }, leat.parse.csv { id = "c2", columns = { "y", "a", "b", "n" } } } },
  leat.sink.null {},
}
LUA
mkfifo fifo
exec 7<>fifo
echo "1,a,b,2" >&7
watch apart.lua --quiet --state apart --every 1s
waits() { curl -gs "${url}status" | jq -e '.threads[] | select(.stages == ["fast"]) | .blocked > 1' >/dev/null; }
claim "a source that is far ahead of the other is blocked" until_true waits
late=0
for ((i = 0; i < 30; i++)); do
    get "${url}metrics" | grep -q '^leat_thread_late{stage="fast".* 1$' && ((late++))
    sleep 0.1
done
claim "and answers meanwhile" equal $late 0
leat_stop
exec 7>&-

# ---- probes do not wait for pages ----
watch watched.lua --set data=rows.csv --quiet
claim "a run with pages that many ask for" until_true learned 60000
took() { curl -gs --max-time 20 -o /dev/null -w '%{time_total}' "$@"; }
alone=$(took "${url}report")
for i in {1..16}; do curl -s -o /dev/null "${url}report?x=[1-100000]" & askers[i]=$!; done
are_many() { below "$(awk "BEGIN { print 4 * $alone }")" "$(took "${url}report")"; }
claim "pages of many wait for each other" until_true are_many
for i in {1..20}; do took "${url}live"; echo; done | sort -n >probes
claim "probes do not: they are answered long before" below "$(tail -1 probes)" "$(took "${url}report")"
kill "${askers[@]}" 2>/dev/null
leat_stop
claim_exit "who waits when the run ends does not hold it up" 0

# ---- who looks on says nothing of the run's own question ----
cat >many.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "many" {
  leat.source.file { path = "rows.csv", follow = true }, leat.parse.csv {}, leat.label.is { column = "y", positive = "1" },
  leat.feature.columns { "a", "b", "n" }, leat.learn.contrast { id = "model", budget = "2KB" }, leat.sink.top { k = 500, path = "many.out" },
}
LUA
watch many.lua --quiet
claim "a small learner has learned" until_true learned 60000
claim "more than it keeps is asked for over HTTP" jq -e '.rows | length < 500' <(get "${url}top/model?n=500")
claim "of which the run says nothing" equal "$(grep -c 'are asked for' "$err")" 0
leat_stop
claim "of its own question it does, all the same" grep -q 'a later stage asks for 500 features and budget' "$err"
done_claims
