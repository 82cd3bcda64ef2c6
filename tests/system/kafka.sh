# source.kafka and sink.kafka on librdkafka's mock cluster: reading, writing, commits, restarts and reports.
# tier: long (40 s, waits)
. "$(dirname "$0")/../support/claims.sh"
here=$PWD
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise
svm_examples 8 20000 5 300 >rows
mock topic four 4 >/dev/null
mock topic one 1 >/dev/null
mock topic odd 1 >/dev/null
claim "the cluster takes messages" [ "$(mock produce four -4 "$tmp/rows")$(mock produce one 0 "$tmp/rows")" = okok ]

cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka {
    topics = a.topic or "four", brokers = a.brokers, group = a.group, start = a.start or "earliest",
    ["until"] = a["until"] or "end", properties = { "session.timeout.ms=6000" },
  },
  leat.parse.lines {}, leat.sink.file { path = a.to, format = "raw" },
}
LUA
leat_run run read.lua --set brokers="$brokers" --set to=all --summary s.json --quiet
claim_exit "all partitions are read to their ends" 0
claim "each message once" sh -c 'sort all >a && sort rows >b && cmp a b'
claim "of which none is left to read" [ "$(stage kafka lag)" = 0 ]
claim "from four partitions" [ "$(stage kafka partitions)" = 4 ]
for k in 0 1 2 3; do awk "NR % 4 == ($k + 1) % 4" rows >"in$k"; done
claim "in order within each" \
    sh -c 'awk "NR == FNR { want[NR] = \$0; next } \$0 == want[k + 1] { k++ } END { exit k < 5000 }" in0 all'

leat_run run read.lua --set brokers="$brokers" --set to=group --set group=g --quiet
claim_exit "a group reads to the end, too" 0
claim "each message once" sh -c 'sort group | cmp - b'
claim "and commits where it is" grep -q '^5000 5000 5000 5000' <<<"$(mock committed g four 4)"

# Where to begin.
begin() { leat_run run read.lua --set brokers="$brokers" --set to=begun --quiet "$@"; }
begin --set start=-6h
claim_exit "a time at a broker that looks for no times is refused, not read from the end" 1
claim_says "with what to do" "has messages, but the broker finds none by its time" "start=earliest"
places=four/0=4990,four/1=5000,four/2=0,four/3=4999
begin --set start=$places
claim_exit "each partition begins at its offset" 0
for k in 0 1 2 3; do tail -n +$((1 + $(sed "s/.*four.$k=\([0-9]*\).*/\1/" <<<$places))) "in$k"; done | sort >rest
claim "which may be the end" sh -c 'sort begun | cmp - rest'
list_offsets=2 fetch_offsets=9
mock errors $fetch_offsets 14 2 >/dev/null # the coordinator is loading
begin --set group=g --set start=$places
claim "what the group has committed comes first, even if that is not known at once" [ "$status:$(wc -l <begun)" = 0:0 ]
begin --set start=four/0=0,four/1=5001,four/2=0,four/3=0
claim_exit "an offset behind the end is an error" 1
claim_says "that names all there is to know" "four/1: cannot begin at offset 5001: its messages go from 0 to 4999"
begin --set start=0=4999,1=4999
claim "a partition without one begins at the beginning" equal "$status $(wc -l <begun)" "0 10002"
claim_says "which is said" "start does not name four/2, four/3: there reading begins at the beginning"
begin --set until=0=10,1=0,2=5000,end
claim "each partition ends before its bound" equal "$status $(wc -l <begun)" "0 $((10 + 0 + 5000 + 5000))"
claim_says "and one whose bound is its beginning at once" "four/1 ends at once"
begin --set start=0=20,latest --set until=0=10,end
claim "a bound behind the beginning reads nothing" equal "$status $(wc -l <begun)" "0 0"
begin --set until=4=1
claim_exit "a partition that does not exist is an error" 2
claim_says "with those that do" "until: '4=1': four has no partition 4: its partitions are 0 to 3"
mock errors $list_offsets 6 3 >/dev/null # not the leader
begin --set start=$places
claim "a broker that does not know the log's ends yet is asked again" [ "$status:$(wc -l <begun)" = "0:$(wc -l <rest)" ]
mock errors $fetch_offsets 30 1 >/dev/null # not authorized
begin --set group=g
claim_exit "but for a group that is forbidden" 1
claim_says "which is said" "the group's offsets: Broker: Group authorization failed"

# A model of one partition is the same, however often it was killed.
cat >learn.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "learn" {
  leat.source.kafka { "one", brokers = a.brokers, start = "earliest", ["until"] = "end" },
  leat.parse.libsvm {}, leat.learn.awm { id = "model", budget = "2KB" }, leat.sink.predictions { path = a.to },
  batch_rows = 100,
}
LUA
leat_run run learn.lua --set brokers="$brokers" --set to=whole --quiet
claim_exit "a model of a topic" 0
for kill in 1 2 3 4 5 6; do
    (LEAT_FAULT=handed_in:$((kill * 7)) "$LEAT" run learn.lua --set brokers="$brokers" --set to=cut --state state \
        --every 5ms --quiet)
done
leat_run run learn.lua --set brokers="$brokers" --set to=cut --state state --every 5ms --quiet
claim_exit "killed six times, it comes to the end" 0
claim "with the same predictions" cmp whole cut

printf '+1 1:1\nno number\n-1 2:1\n' >few
head -c 3000000 /dev/zero | tr '\0' x >long
claim "odd messages are taken" [ "$(mock produce odd 0 "$tmp/few")$(mock null odd 0)" = okok ]
cat >odd.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "odd" {
  leat.source.kafka { "odd", brokers = leat.args.brokers, start = "earliest", ["until"] = "end" },
  leat.parse.libsvm {}, leat.learn.logistic {}, dead_letters = "dead",
}
LUA
leat_run run odd.lua --set brokers="$brokers" --quiet --summary s.json
claim "a message that is no example goes to the dead letters with its place" \
    [ "$(jq -r '[.input, .offset, .stage] | @csv' dead)" = '"odd/0",1,"libsvm"' ]
claim "one without a value is passed over and counted" [ "$(json .records)$(stage kafka tombstones)" = 31 ]

# From topic to topic.
mock topic copy 2 >/dev/null
cat >copy.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "copy" {
  leat.source.kafka { "four", brokers = a.brokers, start = "earliest", ["until"] = "end" },
  leat.parse.csv { delimiter = " ", header = false, columns = { "y", "a", "b", "c", "d", "e" } },
  leat.sink.kafka { "copy", brokers = a.brokers, format = a.format, key = "a", properties = { a.property or "linger.ms=1" } },
}
LUA
leat_run run copy.lua --set brokers="$brokers" --quiet --summary s.json
claim_exit "a topic is copied to another" 0
claim "each message was confirmed" [ "$(stage kafka2 delivered)" = 20000 ]
leat_run run read.lua --set brokers="$brokers" --set topic=copy --set to=copied --quiet
claim "each message arrived once" sh -c 'sort copied | cmp - b'
leat_run check copy.lua --set brokers="$brokers" --set property=acks=0
claim_says "acks is not the user's to weaken" "acks is set by this stage"
leat_run check copy.lua --set brokers="$brokers" --set property=aks=0
claim_says "an unknown property is named, and what was meant" "no property 'aks': did you mean 'acks'?"

# Messages are copied as they are.
kafka() { timeout 300 "$programs/kafka_client" "$brokers" "$@"; }
mock topic exact 1 >/dev/null
mock topic exact2 1 >/dev/null
kafka message exact k1 1000 v1 trace=t1 other=o1 && kafka message exact "" 2000 "" trace= &&
    kafka message exact NULL 3000 v3 && kafka message exact gone 4000 NULL && kafka message exact NULL 5000 NULL
cat >exact.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "exact" {
  leat.source.kafka { "exact", brokers = a.brokers, start = "earliest", ["until"] = "end", tombstones = "empty", headers = a.headers,
    columns = { "key", not a.columns and "header.trace" or nil, not a.columns and "header.other" or nil } },
  leat.filter(function() return true end, { "@raw" }),
  leat.sink.kafka { a.to, brokers = a.brokers, key = a.key,
    headers = a.all and { "*" } or not a.columns and { "trace=header.trace", "other=header.other" } or nil, time = a.time, format = a.format },
}
LUA
exact() { leat_run run exact.lua --set brokers="$brokers" --quiet "$@"; }
exact --set to=exact2
claim_exit "a topic is copied without a parser" 0
kafka dump exact >was
kafka dump exact2 >is
claim "there is a message of each kind" [ "$(grep -c 'key=NULL\|key=""\|value=NULL\|value=""' was)" = 4 ]
claim "value, key and time are what they were, empty, none or neither, and headers that are named" cmp was is
mock topic exact3 1 >/dev/null
exact --set to=exact3 --set key=header.trace --set time=now --set format=jsonl
kafka dump exact3 >changed
claim "a column is the key instead, what is written as columns has a value" \
    [ "$(sed 's/ time.*//' changed | tr '\n' ' ') $(grep -c 'value="{' changed)" = \
    'key="t1" key="" key=NULL key=NULL key=NULL  5' ]
claim "and the time is that of sending" [ "$(grep -c 'time=[0-9]\{13\} ' changed)" = 5 ]

# librdkafka decodes the headers of a message anew each time it is asked for them.
decoded() { # ARGUMENT…
    COUNT_HEADERS=decoded LD_PRELOAD=${LEAT%/bin/leat}/tests/preload/count_headers.so \
        leat_run run exact.lua --set brokers="$brokers" --set columns=key --quiet "$@"
}
for k in 4 5 6; do mock topic exact$k 1 >/dev/null; done
decoded --set to=exact4
claim "the headers of a message are decoded once" [ "$status:$(<decoded)" = 0:5 ]
decoded --set to=exact5 --set headers=skip
claim "with headers = \"skip\" they are not decoded" [ "$status:$(<decoded)" = 0:0 ]
claim "all else is read" cmp <(sed 's/trace=.*//' was) <(kafka dump exact5)
exact --set to=exact6 --set headers=skip
claim "columns have them all the same" cmp was <(kafka dump exact6)
leat_run check exact.lua --set brokers="$brokers" --set to=exact6 --set all=yes --set headers=skip
claim_exit "a sink cannot write headers that are skipped" 2
claim_says "which is said" "no earlier stage makes headers"

rest_is_long

# What is left to read, of each partition.
cat >slow.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "slow" {
  leat.source.kafka { "four", brokers = leat.args.brokers, start = "earliest", columns = { "partition" }, prefetch = "64KiB" },
  leat.filter(function() for _ = 1, 300000 do end return true end, { "partition" }),
  leat.sink.file { path = "some", columns = { "partition" }, format = "csv" }, batch_rows = 10,
}
LUA
leat_start slow.lua --set brokers="$brokers" --summary s.json --progress always --http :0
until_true grep -q "lag [1-9]" "$err"
url=$(grep -ao 'http://127[^ ]*' "$err" | head -1)
tells_lag() { # the four partitions, whose sum is that of all
    curl -gs "${url}metrics" >metrics
    awk '/^leat_source_lag_records{stage="kafka",input="four\/[0-3]"} / { n++; sum += $2 } /^leat_lag_records / {
        all = $2 } END { exit !(n == 4 && sum > 0 && sum == all) }' metrics
}
claim "who watches the run sees the lag, by partition" until_true tells_lag
claim "in the format of Prometheus" awk -f "$here/tests/support/exposition.awk" metrics
claim "and in the status" [ "$(curl -gs "${url}status" | jq '.lag > 0')" = true ]
leat_stop
claim "the progress bar and the last line tell the lag" grep -q "/s), lag [0-9]* (most: four/[0-3], [0-9]*)" "$err"
claim "which is what was not read" [ "$(json '.stages[0].metrics.lag + .records')" = 20000 ]
claim "of each partition, too" cmp <(json '.stages[0].lags | sort_by(.input)[] | "\(.input) \(.lag)"') \
    <(for k in 0 1 2 3; do echo "four/$k $((5000 - $(grep -cx "$k" some)))"; done)
claim "and the worst comes first" [ "$(json '.stages[0].lags | map(.lag) | . == (sort | reverse)')" = true ]
mock topic wide 100 >/dev/null
leat_run run read.lua --set brokers="$brokers" --set topic=wide --set to=wide --summary s.json --quiet
claim "of many partitions the summary has 64" [ "$(json '.stages[0] | "\(.metrics.lag) \(.lags | length)"')" = "0 64" ]
leat_start read.lua --set brokers=127.0.0.1:1 --set to=none --summary s.json
until_true grep -q "can be reached" "$err"
leat_stop
claim "as long as no broker has said where a log ends, the lag is not known" [ "$(json '.stages[0].metrics.lag')" = \
    null ]
claim_says "nor in the last line" "lag n.a."

# No broker, then there is one.
mock down 1 >/dev/null; mock down 2 >/dev/null; mock down 3 >/dev/null
leat_start read.lua --set brokers="$brokers" --set to=late
until_true grep -q "waiting for" "$err"
mock up 1 >/dev/null; mock up 2 >/dev/null; mock up 3 >/dev/null
leat_end
claim_exit "with no broker in reach it waits until there is one" 0
claim_says "says so" "waiting for"
claim "and reads everything" sh -c 'sort late | cmp - b'

# Two members of a group; one leaves.
for member in 1 2; do
    err=err$member leat_start read.lua --set brokers="$brokers" --set group=pair --set until=stopped \
        --set to=member$member --every 200ms --quiet
    members[member]=$pid
done
sort -u rows >whole.rows
claim "two members of a group read everything between them" \
    until_true sh -c 'sort -u member1 member2 | cmp - whole.rows'
leat_stop "${members[1]}"
claim_exit "one that is stopped leaves with its offsets committed" 0
leat_stop "${members[2]}"

# Transactions: the order of requests and what errors lead to. The mock cluster keeps no offsets of
# transactions and hides nothing that was aborted (exactly_once.sh, tests/kafka/exactly_once.sh).
mock topic results 1 >/dev/null
mock topic short 1 >/dev/null
head -2000 rows >short
mock produce short 0 "$tmp/short" >/dev/null
cat >once.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "once" {
  leat.source.kafka { "short", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = "end" },
  leat.parse.libsvm {}, leat.learn.awm { id = "model", budget = "2KB" },
  leat.sink.kafka { "results", brokers = a.brokers, transaction = "once", properties = { a.property } },
}
LUA
once() { rm -rf once && leat_run run once.lua --set brokers="$brokers" --state once --quiet --summary s.json "$@"; }
add_partitions=24 end_transaction=26 offsets=28
once
claim_exit "a checkpoint is a transaction" 0
claim "so are the first and the last one" grep -qx "[12]0" <<<"$(stage kafka2 transactions)$(json .snapshots.went_back)"
mock errors $end_transaction 51 2 >/dev/null # concurrent transactions
once
claim "what may pass is tried again" [ "$status$(json .snapshots.went_back)" = 00 ]
mock errors $offsets 22 1 >/dev/null # illegal generation
once
claim "offsets that are refused take the run back" [ "$status$(json .snapshots.went_back)" = 01 ]
mock errors $offsets 0 1 >/dev/null
mock errors $offsets 53 1 >/dev/null # not authorized to use the ID
once --set group=members
claim_exit "the offsets of a group are in the transaction, after the checkpoint; what is fatal ends the run" 3
mock errors $add_partitions 29 1 >/dev/null # not authorized
once
claim "a transaction that must be aborted does, too" [ "$status$(json .snapshots.went_back)" = 01 ]
mock errors $add_partitions 29 99 >/dev/null
once
claim_exit "what never passes is given up" 3
claim_says "with the cluster's reason" "authorization failed"
mock errors $add_partitions 0 1 >/dev/null
once --set property=transaction.timeout.ms=20000
claim_exit "transactions shorter than three checkpoints are refused" 2
claim_says "with both lengths" "transaction.timeout.ms=20000" "--every 10 s"

# What is refused.
refused() { leat_run check read.lua --set brokers="$brokers" --set to=x "$@"; }
refused --set start=now
claim_says "an unknown start" "earliest"
refused --set start=committed
claim_says "committed without a group" "\"committed\" needs a group"
for wrong in "a b" . ^four four,four; do
    refused --set topic="$wrong"
    claim "topics that cannot be, or not without a group: $wrong" [ "$status" = 2 ]
done
refused --set topic='^four[' --set group=g
claim_says "a regular expression that is none" "'^four[' is not a regular expression"
refused --set start=offset
claim_says "a word of older versions" "'offset' is no place: write the offsets into \`start\`: { [0] = 1200, [1] = 1187 }"
refused --set start=timestamp
claim_says "and another" "'timestamp' is no place: write the time itself"
refused --set start=12
claim_says "an offset without a partition" "offset 12 needs its partition: write { [0] = 12 } for partition 0"
for wrong in four/=1 four/x=1 four/5000000000=1 /0=1; do
    refused --set start=four/1=5,$wrong
    claim_says "a partition that is none: $wrong" "'$wrong' must have the form PARTITION=PLACE or TOPIC/PARTITION=PLACE"
done
for wrong in -1 1x 99999999999999999999; do
    refused --set start=0=$wrong
    claim_says "an offset that is none: $wrong" "'$wrong' is not a place to begin"
done
refused --set start=four/0=1,four/1=1,0=2
claim_says "two for one partition" "'four/0=1' and '0=2' are for the same partitions"
refused --set start=fuor/0=1
claim_says "a topic that is not read" "'fuor/0=1' names the topic 'fuor', which is not in \`topics\`: did you mean 'four'?"
refused --set topic=four,one --set start=0=1
claim_says "a partition of several topics" "'0=1' needs its topic"
refused --set until=ende
claim_says "an unknown end" "'ende' is not a place to end: did you mean 'end'?"
sed 's/session.timeout.ms=6000/sesion.timeout=6/' read.lua >typo.lua
leat_run check typo.lua --set brokers="$brokers" --set to=x
claim_says "a property that librdkafka does not know" "no property 'sesion.timeout': did you mean 'session.timeout.ms'?"
sed 's/session.timeout.ms=6000/enable.auto.commit=true/' read.lua >clash.lua
leat_run check clash.lua --set brokers="$brokers" --set to=x
claim_says "a property that is this stage's" "enable.auto.commit is set by this stage"
sed 's/"session.timeout.ms=6000"/a.property/' read.lua >property.lua
property() { leat_run check property.lua --set brokers="$brokers" --set to=x --set property="$1"; }
property partition.assignment.strategy=cooperative-sticky
if ((status)); then
    claim_says "cooperative rebalancing is refused where librdkafka is too old, with what to do" \
        "partition.assignment.strategy=cooperative-sticky needs librdkafka 2.10.0 or later, and this is 2." \
        "set range or roundrobin in all members"
fi
property partition.assignment.strategy=range,cooperative-sticky
claim_says "and beside another strategy" "cooperative-sticky cannot be mixed with others: write it alone"
property group.protocol=consumer
if ((status)); then
    claim_says "so is the newer protocol of groups" \
        "group.protocol=consumer needs librdkafka 2.10.0 or later, and this is 2."
fi
for owned in queued.min.messages=10000000 queued.max.messages.kbytes=2097151; do
    property $owned
    claim_says "memory that the plan counts is not the user's to set: $owned" "is set by this stage: set prefetch"
done
leat_run check copy.lua --set brokers="$brokers" --set property=queue.buffering.max.kbytes=2097151
claim_says "nor that of a producer" "queue.buffering.max.kbytes is set by this stage"
for wrong in "" foo:bar ::: a:0 a:70000 "a b:1" :9092; do
    leat_run check read.lua --set to=x --set brokers="$wrong"
    claim_says "brokers that no address can be: '$wrong'" "brokers: "
    claim_exit "which is found before it runs" 2
done
for good in localhost:9092 "a:1, b:2" PLAINTEXT://a:1 "[::1]:9092" a; do
    leat_run check read.lua --set to=x --set brokers="$good"
    claim_exit "brokers that are addresses: $good" 0
done

cat >keys.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "keys" {
  leat.source.kafka { "t", brokers = "a:1", start = "earliest", properties = { ["session.timeout.ms"] = 6000, "linger.ms=1" } },
  leat.sink.null {},
}
LUA
leat_run check keys.lua
claim_exit "properties with keys are refused" 2
claim_says "and the message says how they are written" \
    'keys.lua:3: error: kafka (source.kafka): properties must be a list such as { "a", "b" } or "a,b", without keys such as "session.timeout.ms": write { "session.timeout.ms=…" }'

security() { sed 's/properties = {.*}/properties = { '"$1"' } }/' keys.lua >security.lua &&
    leat_run check security.lua; }
security '"sasl.username=u", "sasl.password=p"'
claim_says "a password without security.protocol is told" \
    'warning: kafka (source.kafka): properties: sasl.username has no effect without security.protocol, and the connection is plain: add "security.protocol=sasl_ssl"'
claim "and not shown" sh -c "! grep -q '=p' '$err'"
security '"sasl.username=u", "sasl.password=p", "security.protocol=sasl_ssl", "sasl.mechanisms=PLAIN"'
claim "with it there is nothing to tell" test ! -s "$err"
security '"ssl.ca.location=ca.pem"'
claim_says "so is a certificate" \
    'ssl.ca.location has no effect without security.protocol, and the connection is plain: add "security.protocol=ssl"'

# A topic that is read and written would feed itself.
cat >circle.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "circle" {
  leat.source.kafka { "four", "one", brokers = "a:1, b:2", start = "earliest", properties = { a.property } },
  leat.parse.lines {},
  leat.sink.dead_letters { a.dead or "dead", brokers = a.at or "b:2,c:3" },
  leat.sink.kafka { a.to or "copy", brokers = "a:1", transaction = a.transaction },
}
LUA
leat_run check circle.lua
claim_exit "what is read and what is written are different topics" 0
leat_run check circle.lua --set dead=one
claim_exit "dead letters to a topic that is read are refused" 2
claim_says "with its name" \
    'circle.lua:6: error: --set dead=one: dead_letters (sink.dead_letters): topic: "one" is also read by kafka (source.kafka)'
leat_run check circle.lua --set to=four
claim_says "so are messages" '"four" is also read by kafka (source.kafka)'
sed 's/"four", "one", brokers/topics = a.read, group = "g", brokers/' circle.lua >pattern.lua
for read in '^co' 'one,^x,^c.py$' '^.*'; do
    for command in "check pattern.lua" "run pattern.lua"; do
        leat_run $command --set read="$read"
        claim_exit "and what a regular expression covers, $read, by ${command% *}" 2
        claim_says "with the expression" '"copy" is also read by kafka (source.kafka) ("^'
    done
done
leat_run check pattern.lua --set read='^cop$,^xcopy,copy2'
claim_exit "what it does not cover may be written" 0
leat_run check circle.lua --set dead=one --set at=b:22,aa:1
claim_exit "but not on other brokers" 0
sed 's/start = "earliest"/start = "earliest", state = "partition", state_topic = "states"/' pattern.lua >states.lua
leat_run check states.lua --set read='^st'
claim_exit "nor may states be read as messages" 2
claim_says "which is said" "'states' is also in \`topics\`, as '^st'"
leat_run run circle.lua --set transaction=t --set property=isolation.level=read_uncommitted --state circle
claim_exit "a sink that commits, and a source that reads what was aborted, do not go together" 2
claim_says "which is said" "properties: isolation.level=read_uncommitted delivers aborted messages"

# Why no broker can be reached.
why() { # why WORDS BROKERS TEXT ARGS…
    leat_start property.lua --set to=x --set brokers="$2" --progress never "${@:4}"
    until_true grep -q "can be reached" "$err"
    leat_stop
    claim_says "$1" "can be reached; waiting for one" "$3"
}
why "nobody listens, and the warning says so" 127.0.0.1:1 "Connection refused"
why "in a group, too" 127.0.0.1:1 "Connection refused" --set group=g
why "a wrong name" nowhere.invalid:1 "Failed to resolve 'nowhere.invalid:1'"
why "TLS where there is none" "$brokers" "SSL_HANDSHAKE" --set property=security.protocol=ssl
exec 9>&-
done_claims
