# sink.http: records reach a server that answers late, wrongly or not at all.
#
# They arrive at least once, and once while nothing fails. Refused records become dead letters. Headers are never shown.
# tier: long (9 s)
programs=$PWD/${B:-build/release}/tests/programs
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise

mkdir server
mkfifo port hold
sleep 600 >hold & # keeps it open
"$programs/http_posts" server <hold >port &
read -r number <port
url=http://127.0.0.1:$number/in
awk 'BEGIN { print "id,what,n"; for (i = 0; i < 1000; i++) printf "%d,\"w\"\"%d\",%s\n", i, i % 7,
    i % 10 ? i / 4 : "" }' >in.csv
cat >http.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "http" {
  batch_rows = a.rows, dead_letters = "dead", max_reject_ratio = 1, threads = a.threads,
  leat.source.file { path = a.input or "in.csv", ["repeat"] = a.times }, leat.parse.csv {}, leat.shape.set { "m = number(n)" },
  leat.sink.http { a.url, format = a.format, columns = a.column and { a.column } or { "id", "what", "m" }, header = { a.header }, batch = a.batch, max_body = a.max_body,
    timeout = a.timeout, retries = a.retries },
}
LUA
post() { # post PLAN ARGS…: the server answers the first requests as PLAN says
    rm -f server/taken server/log dead
    printf "$1" >server/plan
    leat_run run http.lua --quiet --summary s.json --set url="$url" "${@:2}"
}
served() { # waits until the server has served all connections that clients have left
    exec 7<>"/dev/tcp/127.0.0.1/$number"
    printf 'POST /served HTTP/1.1\r\nContent-Length: 1\r\n\r\nx' >&7
    read -r _ <&7
    exec 7>&-
}
metric() { jq ".stages[] | select(.id == \"http\").metrics.$1" s.json; }
awk -F, 'NR > 1 { gsub(/"/, "", $2); printf "{\"id\":\"%s\",\"what\":\"%s\\\"%s\",\"m\":%s}\n", $1, substr($2, 1, 1),
    substr($2, 2), $3 == "" ? "null" : $3 }' in.csv >wanted

post ""
claim "records are posted" equal "$status" 0
claim "each as a line of JSON" cmp wanted server/taken
claim "of which a request has many" equal "$(metric requests) $(sort -u server/log)" "2 /in application/x-ndjson"
post "" --set format=array --set batch=300
claim "or as arrays" cmp wanted <(jq -c '.[]' server/taken)
claim "of as many as are asked for" equal "$(jq -c length server/taken | tr '\n' ' ')$(sort -u server/log)" \
    "300 300 300 100 /in application/json"
post "" --set format=object --set column=id --set rows=50
claim "or one a request" equal "$(jq -r .id server/taken | cmp - <(seq 0 999) &&
    metric requests) $(sort -u server/log)" "1000 /in application/json"
post "" --set max_body=1KB --set batch=1000
claim "a body has no more bytes than it may" cmp wanted server/taken
claim "so there are many" below 30 "$(metric requests)"

export TOKEN=s3cret-of-mine
echo 'Bearer from-a-file' >token
post "" --set 'header=Authorization: Bearer ${env:TOKEN}' --log-level debug
claim "secrets stand in headers" equal "$(sort -u server/log)" "/in application/x-ndjson Bearer s3cret-of-mine"
claim "and are not shown" sh -c '! grep -q s3cret "$0"' "$err"
post "" --set "header=Authorization: \${file:$tmp/token}"
claim "or come from files" equal "$(sort -u server/log)" "/in application/x-ndjson Bearer from-a-file"
post "" --set 'header=content-type: text/plain'
claim "a Content-Type of the user's is the only one" equal "$(sort -u server/log)" "/in text/plain"
post "401 no $TOKEN here\n" --set 'header=Authorization: Bearer ${env:TOKEN}'
claim_says "a server that says a secret is not repeated" "HTTP status 401: no ************** here"
claim "anywhere" sh -c '! grep -q "$TOKEN" "$0"' "$err"
post "" --set 'header=Authorization: ${env:NOBODY_HAS_IT}'
claim_exit "a secret that is not there is a mistake" 2
claim_says "which is named" "header: " "NOBODY_HAS_IT"
post "" --set 'header=s3cret-without-colon'
claim_says "a header that is none is refused unshown" 'header: number 1, which is not shown, must have the form "Name: value"'
claim "nothing was sent then" [ ! -e server/log ]

# What passes, passes.
for plan in "503\n" "500 oh\n502\n" "429\n" "408\n" "close\n" "half\n"; do
    post "$plan"
    claim "after ${plan//\\n/ } the same request is sent again" cmp wanted server/taken
    claim "which is counted" equal "$(metric retries)" "$(printf "$plan" | wc -l)"
done
claim_says "and told" "$url does not take records: " "trying again"
post "wait 1\n"
claim "a server may say when to come again" equal "$(cmp wanted server/taken && jq '.seconds >= 1' s.json)" true
post "slow\n" --set timeout=0.5
claim "an answer that is late counts as none, so there may be repetitions" cmp <(sort -u server/taken) <(sort wanted)
served
for plan in endless cut; do
    post "$plan\n" --set timeout=60
    claim "a 200 counts, though its answer is $plan" equal "$(cmp wanted server/taken && metric retries)" 0
done
post "lost\n"
claim "a lost answer makes repetitions: at least once" cmp <(sort -u server/taken) <(sort wanted)

rest_is_long

# What does not pass ends the run, or costs its record.
post "503 tired\n503 tired\n503 tired\n" --set retries=2
claim_exit "after the last attempt the run ends" 1
claim_says "with the answer" "$url does not take records, after 3 attempts: HTTP status 503: tired"
for answer in "401:set \`header\`" "404:check \`url\`" "301:redirects to"; do
    post "${answer%%:*}\n"
    claim_exit "${answer%%:*} ends the run" 1
    claim_says "with what to do" "HTTP status ${answer%%:*}" "${answer#*:}"
    claim "at once" equal "$(wc -l <server/log)" 1
done
sed '500s/w/poison/; 702s/w/poison/' in.csv >poisoned.csv
for format in jsonl array object; do
    post "" --set input=poisoned.csv --set format=$format
    claim "$format: what a server refuses costs no other record" cmp <(sed '499d;701d' wanted) \
        <(jq -c 'if type == "array" then .[] else . end' server/taken)
    claim "$format: and goes to the dead letters, with the answer" equal "$(jq -r '"\(.line) \(.message)"' dead)" \
        "500 the server refuses it: HTTP status 422: poison is refused
702 the server refuses it: HTTP status 422: poison is refused"
done
head -3 in.csv >long.csv
printf '7,%s,1\n8,x,2\n' "$(printf 'x%.0s' {1..2000})" >>long.csv
post "" --set input=long.csv --set max_body=1KB
claim "a record that no body holds goes to the dead letters" equal "$(jq -r .message dead)" \
    "as JSON the record is longer than max_body = 1024"
claim "and the others are sent" equal "$(jq -r .id server/taken | tr '\n' ' ')" "0 1 8 "
post "" --set url=http://127.0.0.1:1/ --set retries=1
claim_exit "where nobody listens, the run ends" 1
claim_says "with the reason" "http://127.0.0.1:1/ does not take records, after " "attempts: " "onnect"
for url_is in "ftp://x/:is not an address" "http://a:b@c/:has an @" "x:is not an address"; do
    leat_run check http.lua --set url="${url_is%:*}"
    claim_says "${url_is%:*} is refused" "url: " "${url_is##*:}"
done
leat_run check http.lua --set url="http://a:b@c/"
claim "what may be a password is not shown" sh -c '! grep -q a:b@c "$0"' "$err"

# Stopped while the server is away, the run ends; it is killed, and goes on: everything comes.
cat >server/plan </dev/null
for _ in {1..3000}; do echo 503; done >server/plan
leat_start http.lua --quiet --set url="$url" --set retries=1000 --set times=3
until_true test -s server/log
leat_stop
claim_exit "stopped while a server is away, a run ends" 1
claim_says "with the last answer that came" "the run stops before $url has taken all records: HTTP status 503"
: >server/plan
rm -rf server/taken server/log
for i in 1 2 3; do
    LEAT_FAULT=snapshot_durable:2 leat_run run http.lua --quiet --set url="$url" --set times=20 --set rows=64 \
        --state state --every 1500
done
killed=$status
leat_run run http.lua --quiet --set url="$url" --set times=20 --set rows=64 --state state
claim "killed three times ($killed), a run goes on after what was confirmed" equal "$killed $status" "137 0"
claim "and every record has come as often as it was read, or more" equal "$(sort server/taken | uniq -c |
    awk '$1 < 20' | wc -l) $(sort -u server/taken | wc -l)" "0 1000"

exec 8>hold
done_claims
