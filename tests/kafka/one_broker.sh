# One Kafka broker: reading, writing, commits and reports, with and without failures.
# tier: long (120 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1

# 40,000 examples; the last feature of each is its number, so no two are equal.
awk 'BEGIN { srand(8); for (i = 1; i <= 40000; i++) { y = rand() < .5; printf "%s", y ? "+1" : "-1";
    for (j = 0; j < 5; j++) printf " %d:1", rand() * 300 + (y ? 9 : 0); printf " 999:%d\n", i } }' >rows
sort rows >sorted
for t in "four 4" "one 1" "odd 1" "copy 4" "killed 2" "examples 1" "lines 1" "ratings 1"; do
    kafka topic $t 1 || echo "not ok topic $t"
done
kafka produce four -4 rows && kafka produce one 0 rows

cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds = tonumber(a.slow or 0)
local slow = function(text) for _ = 1, rounds do text = text:lower() end return true end
return leat.pipeline "read" {
  leat.source.kafka {
    topics = a.topic or "four", brokers = a.brokers, group = a.group, start = a.start or "earliest",
    instance = a.instance, ["until"] = a["until"] or "end",
    properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500", "reconnect.backoff.max.ms=500" },
  },
  leat.parse.lines {}, a.slow and leat.filter(slow, { "text" }) or {},
  a.into and leat.sink.kafka { a.into, brokers = a.brokers, properties = { "reconnect.backoff.max.ms=500" } }
    or leat.sink.file { path = a.to, format = "raw" },
}
LUA
at=(--set brokers="$brokers" --progress never)
has_committed() { (($(kafka committed "$1" four 4 | sum) > 0)); }
same_rows() { sort "$1" | cmp - sorted; }
all_rows() { sort -u "$1" | cmp - sorted; }

model_of() { "$LEAT" model dump "$1" --stage model | tail -n +2; }
killed_after() { # SECONDS ARGS…: kill -9 then
    { timeout --foreground -s KILL "$1" "$LEAT" run "${@:2}"; } 2>/dev/null
}

# ---- where it begins, and goes on ----
leat_run run read.lua "${at[@]}" --set to=a --summary s.json
claim_exit "all partitions are read to their ends" 0
claim "each message once" same_rows a
leat_run run read.lua "${at[@]}" --set group=g --set to=b
claim "a group reads each message once" same_rows b
claim "and commits its place in each partition" equal "$(kafka committed g four 4)" "10000 10000 10000 10000"
claim "and leaves" members_are g 0
head -100 rows >more
kafka produce four -4 more
leat_run run read.lua "${at[@]}" --set group=g --set to=c
claim "started again it reads what is new" cmp <(sort c) <(sort more)
leat_run run read.lua "${at[@]}" --set group=g --set start=1970-01-01T00:00:01Z --set to=d
claim "a time to begin at does not overrule what the group has committed" equal "$(wc -c <d)" 0
leat_run run read.lua "${at[@]}" --set start=1970-01-01T00:00:01Z --set to=d
claim "without a group it begins at the time" equal "$(wc -l <d)" 40100
leat_run run read.lua "${at[@]}" --set start=2255-03-15 --set to=d
claim "and where no message is so late, at the end" equal "$status $(wc -c <d)" "0 0"
leat_run run read.lua "${at[@]}" --set start=-6h --set to=d
claim "six hours ago nothing had come yet" equal "$(wc -l <d)" 40100
leat_run run read.lua "${at[@]}" --set start=2199-01-01T00:00:00+01:00 --set to=d
claim "nothing has of a time to come" equal "$status $(wc -c <d)" "0 0"
kafka topic timed 2 1
for hour in 10 11 12 13; do kafka message timed k$((hour % 2)) "$(date -ud "2026-11-20 $hour:00" +%s)000" "$hour" \
    >/dev/null; done
leat_run run read.lua "${at[@]}" --set topic=timed --set start=2026-11-20T12:00:00+00:00 --set to=d
claim "a time begins each partition at its first message from then on" equal "$(sort d | xargs)" "12 13"
leat_run run read.lua "${at[@]}" --set topic=timed --set start="2026-11-20 12:00:00.001" --set to=d
claim "and at its end where there is none" equal "$(sort d | xargs)" 13
leat_run run read.lua "${at[@]}" --set group=placed \
    --set start=four/0=10020,four/1=10025,four/2=10000,four/3=0 --set to=d
claim "or at the offset that is said of each partition" equal "$status $(wc -l <d)" "0 10055"
leat_run run read.lua "${at[@]}" --set group=placed --set start=0=0,1=0,2=0,3=0 --set to=d
claim "which does not overrule what the group has committed, either" equal "$status $(wc -l <d)" "0 0"
leat_run run read.lua "${at[@]}" --set start=0=0,1=0,2=10026,3=0 --set to=d
claim_exit "an offset that is not in the log is an error" 1
claim_says "with the log's first and last" "four/2: cannot begin at offset 10026: its messages go from 0 to 10024"
leat_run run read.lua "${at[@]}" --set group=none --set start=committed --set to=e
claim_exit "start = committed, and nothing is: an error" 1
claim_says "which says so" "four/0: group none has committed no offset"

# ---- stopped ----
leat_start read.lua "${at[@]}" --set group=term --set until=stopped --set slow=300 --set to=t --every 300ms \
    --state term-state
until_true file_has t 3000
leat_stop
claim_exit "stopped under load it ends well" 0
claim "what it has written is committed" equal "$(wc -l <t)" "$(kafka committed term four 4 | sum)"
claim "its snapshot is whole" "$LEAT" model verify term-state
claim "it has left the group" members_are term 0

# ---- killed ----
cat >learn.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "learn" {
  leat.source.kafka { "one", brokers = a.brokers, group = a.group, instance = a.group, start = "earliest", ["until"] = "end" },
  leat.parse.libsvm {}, leat.learn.awm { id = "model", budget = "2KB" }, leat.sink.predictions { path = a.to },
  batch_rows = 50,
}
LUA
leat_run run learn.lua "${at[@]}" --set to=whole --state whole-state
claim_exit "a model of a topic" 0
for group in "" "--set group=killed"; do
    rm -rf cut-state cut
    for _ in 1 2 3 4 5 6 7 8; do
        killed_after 0.$((RANDOM % 20 + 10)) learn.lua "${at[@]}" $group --set to=cut --state cut-state --every 10ms
    done
    leat_run run learn.lua "${at[@]}" $group --set to=cut --state cut-state --every 10ms
    claim_exit "killed eight times at any moment${group:+, in a group,} it comes to the end" 0
    claim "with the same predictions" cmp whole cut
    claim "and the same model, bit for bit" cmp <(model_of whole-state) <(model_of cut-state)
done
for _ in 1 2 3 4 5 6; do
    killed_after 0.$((RANDOM % 40 + 30)) read.lua "${at[@]}" --set group=sent --set instance=me --set slow=20 \
        --set into=killed --every 50ms
done
leat_run run read.lua "${at[@]}" --set group=sent --set instance=me --set into=killed
kafka read killed >got
claim "a topic filled by a run that was killed six times lacks nothing" all_rows got

# ---- the broker goes, and comes ----
broker kill 1
leat_start read.lua "${at[@]}" --set group=late --set to=late
until_true grep -q "no broker" "$err"
broker up 1
leat_end
claim_exit "with no broker at the start it waits for one" 0
claim_says "says so" "can be reached; waiting for one"
claim "and reads everything" all_rows late
leat_start read.lua "${at[@]}" --set group=mid --set slow=100 --set into=copy --every 300ms
until_true has_committed mid
broker kill 1
broker up 1
leat_end
claim_exit "a broker that is killed and comes back is waited for" 0
kafka read copy >copied
claim "and nothing is lost on the way from topic to topic" all_rows copied
leat_start read.lua "${at[@]}" --set group=end --set until=stopped --set slow=300 --set into=copy --every 300ms
until_true has_committed end
broker kill 1
leat_stop
claim "stopped with the broker gone it ends before the deadline (exit $status)" [ "$status" -le 3 ]
claim "and says what was not confirmed, or not committed, or that no broker can be reached" \
    grep -qE "no broker (has confirmed|confirmed|of .* can be reached)|could not commit offsets|before their offsets are committed|offsets were committed" "$err"
broker up 1

# ---- messages and topics that are not as they should be ----
{ printf '+1 1:1\nno number\n'; head -c 900000 /dev/zero | tr '\0' 1; printf '\n-1 2:1\n'; } >few
kafka produce odd 0 few && kafka null odd 0
cat >odd.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "odd" {
  leat.source.kafka { "odd", brokers = leat.args.brokers, start = "earliest", ["until"] = "end", max_record = "64KB" },
  leat.parse.libsvm {}, leat.learn.logistic {}, dead_letters = "dead",
}
LUA
leat_run run odd.lua "${at[@]}" --quiet --summary s.json
claim_exit "odd messages do not stop a run" 0
claim "one that is no example, and one above max_record, go to the dead letters with their places" equal "$(jq \
    -c '[.input, .offset, .stage, .reason]' dead |
    tr -d '\n')" '["odd/0",1,"libsvm","label"]["odd/0",2,"kafka","too_large"]'
claim "one without a value is passed over and counted" equal "$(json .records) $(stage kafka tombstones)" "4 1"
head -c 1500000 /dev/zero | tr '\0' x >long
cat >send.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "send" {
  leat.source.file { path = "long", max_record = "4MiB" }, leat.parse.lines {},
  leat.sink.kafka { a.into, brokers = a.brokers, max_message = a.max },
}
LUA
leat_run run send.lua "${at[@]}" --set into=copy --set max=1MB
claim_says "a record above max_message is rejected" "all 1 records were rejected"
leat_run run send.lua "${at[@]}" --set into=copy --set max=4MiB
claim_says "so is one above the limit of the topic" "needs 1500074 bytes, and topic copy takes at most 1048588 (max.message.bytes)"
for group in "" "--set group=gone"; do
    rm -f g
    kafka topic gone 2 1
    kafka produce gone -2 more
    leat_start read.lua "${at[@]}" $group --set topic=gone --set until=stopped --set to=g
    until_true file_has g 100
    kafka delete gone
    leat_end
    claim_exit "a topic that is deleted while it is read ends the run${group:+, of a group too}" 1
    claim_says "which says so" "gone" "the topic was deleted while it was read"
done

kafka topic parts 1 1
kafka message parts k1 0 one trace=t1 && kafka message parts k2 0 two trace= && kafka produce parts 0 <(echo three) &&
    kafka null parts 0
cat >parts.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "parts" {
  leat.source.kafka { "parts", brokers = a.brokers, start = "earliest", ["until"] = "end", tombstones = "empty",
    columns = a.columns or { "key", "header.trace", "topic", "partition", "offset", "tombstone" } },
  leat.sink.file { path = "-", format = "csv" },
}
LUA
leat_run run parts.lua "${at[@]}"
claim "key, headers, topic, place and tombstones are columns" cmp "$out" - <<'CSV'
key,header.trace,topic,partition,offset,tombstone
k1,t1,parts,0,0,0
k2,"",parts,0,1,0
,,parts,0,2,0
,,parts,0,3,1
CSV
leat_run check parts.lua --set brokers="$brokers" --set columns=key,kye
claim_says "what a message does not have is refused" "a message has no 'kye'"

# ---- members ----
for k in 1 2; do
    err=err$k leat_start read.lua "${at[@]}" --set group=pair --set until=stopped --set slow=600 --set to=member$k \
        --every 200ms
    members[k]=$pid
    until_true file_has member1 2000
done
until_true file_has member2 100
leat_stop "${members[2]}"
claim_exit "a member that came later leaves" 0
until_true sh -c 'cat member1 member2 | sort -u | cmp - sorted'
claim "two members read everything between them" sh -c 'cat member1 member2 | sort -u | cmp - sorted'
leat_stop "${members[1]}"
claim "and nothing twice: what moves is committed first" equal "$(cat member1 member2 | wc -l)" 40100

# ---- applications, by --set alone ----
apps=(--set brokers="$brokers" --set until=end --set group=apps --quiet --summary s.json)
head -3000 rows | cut -d' ' -f1-6 >some
kafka produce examples 0 some
zstd -dcq "$root/pipelines/data/senate-disbursements.csv.zst" | tr -d '\r' | head -4001 >senate
sed 1d senate >senate.rows
heading=$(head -1 senate)
kafka produce lines 0 senate.rows
awk 'BEGIN { srand(2); for (i = 0; i < 3000; i++) printf "%d\t%d\t%d\t0\n", rand() * 50, rand() * 80,
    1 + rand() * 5 }' >stars
kafka produce ratings 0 stars
same_as_file() { # NAME FILE TOPIC ARGS…
    local name=$1 file=$2 topic=$3
    shift 3
    leat_run run "$root/pipelines/$name.lua" --set data="$file" --quiet "$@"
    timeless "$out" >from-file
    leat_run run "$root/pipelines/$name.lua" "${apps[@]}" --set group="apps-$name" --set topic="$topic" "$@" \
        ${columns:+--set columns="$columns"}
    claim_exit "$name reads a topic" 0
    claim "and says the same as of the file" cmp <(timeless "$out") from-file
    claim "and commits where it is" equal "$(kafka committed "apps-$name" "$topic" 1)" "$(wc -l <"${rows:-$file}")"
}
same_as_file classify some examples --set budget=2KB
same_as_file features some examples --set k=10
same_as_file rate stars ratings
columns=$heading rows=senate.rows
same_as_file explain senate lines --set outlier='amount > 3000' --set attributes=office,payee
same_as_file correlate senate lines --set left=office --set right=payee
columns="" rows=""
printf 'the cat sat on the mat\nthe dog sat on the log\n%.0s' {1..500} >text
kafka topic text 1 1 && kafka produce text 0 text
same_as_file pairs text text --set seed=1
sed 's/ .*//; s/^/a,/' some >left && sed 's/.* //; s/:.*//; s/^/b,/' some >right
for side in left right; do kafka topic $side 1 1 && kafka produce $side 0 $side; done
leat_run run "$root/pipelines/compare.lua" "${apps[@]}" --set group=both --set a=left --set b=right \
    --set columns=kind,item --set attributes=item --set learner=paired_count_min
cp "$out" from-topics
leat_run run "$root/pipelines/compare.lua" --set a=<(echo kind,item; cat left) --set b=<(echo kind,item; cat right) \
    --set attributes=item --set learner=paired_count_min --quiet
claim "compare of two topics are those of the files" cmp "$out" <(eventless from-topics)

# ---- from file to topic to file ----
kafka topic sent 2 1
leat_run run "$root/pipelines/kafka/produce.lua" "${at[@]}" --set topic=sent --set data=senate --set format=csv \
    --set key=payee
claim_exit "a file becomes a topic" 0
leat_run run "$root/pipelines/kafka/consume.lua" "${at[@]}" --set topic=sent --set until=end
claim "and the topic the file, but for its heading" cmp <(sort "$out") <(sort senate.rows)
done_claims
