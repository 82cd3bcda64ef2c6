# Headers of messages are stored with dead letters, and come back when these are read again.
# tier: long (9 s)
. "$(dirname "$0")/../support/claims.sh"
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise
kafka() { timeout 300 "$programs/kafka_client" "$brokers" "$@"; }
for topic in from dead dead2 back; do mock topic $topic 1 >/dev/null; done
kafka message from k1 1000 bad trace=t1 tenant= trace=t2 && kafka message from k2 2000 bad &&
    kafka message from k3 3000 "+1 1:1" x=y
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { a.from, brokers = a.brokers, start = "earliest", ["until"] = "end" },
  leat.filter(function() return true end, { "@raw" }),
  leat.parse.libsvm {}, leat.sink.dead_letters { a.dead, brokers = a.brokers },
  max_reject_ratio = 1, dead_letters = "letters",
}
LUA
headers_of() { kafka dump "$1" | sed 's/.*value="[^"]*" *//' | sed -n "$2p"; } # of message N
leat_run run read.lua --set brokers="$brokers" --set from=from --set dead=dead --quiet
claim_exit "records that are rejected become dead letters" 0
headers_of dead 1 >first
claim "with the headers of their messages, in their order, before those that say why: $(<first)" \
    grep -q '^trace="\?t1"\? tenant=[^ ]* trace="\?t2"\? leat' first
claim "with where and when they came, for the first time" \
    grep -q 'leat.origin="\?from/0:0"\? leat.time="\?1000"\? leat.attempt="\?1"\? ' first
claim "in a file, too" equal "$(jq -c '.headers' letters |
    head -1)" '[{"name":"trace","value":"t1"},{"name":"tenant","value":""},{"name":"trace","value":"t2"}]'
claim "where a message without headers has none" equal "$(jq -c '.headers' letters | sed -n 2p)" null
leat_run run read.lua --set brokers="$brokers" --set from=dead --set dead=dead2 --quiet
headers_of dead2 1 >second
claim "read again, they have the same headers, origin and time, and one attempt more: $(<second)" \
    grep -q '^trace="\?t1"\? tenant=[^ ]* trace="\?t2"\? leat.origin="\?from/0:0"\? leat.time="\?1000"\? leat.attempt="\?2"\? ' second
claim "and those that say why once" equal "$(grep -o 'leat.offset' second | wc -l) $(grep -o 'leat.input="\?dead/0' \
    second | wc -l)" "1 1"
cat >back.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "back" {
  a.file and leat.source.file { a.file } or leat.source.kafka { a.from, brokers = a.brokers, start = "earliest", ["until"] = "end" },
  a.file and leat.parse.dead_letters {} or leat.parse.lines {},
  leat.sink.kafka { "back", brokers = a.brokers, headers = { "*" } },
}
LUA
head -2 letters >two
leat_run run back.lua --set brokers="$brokers" --set file=two --quiet
leat_run run back.lua --set brokers="$brokers" --set from=dead2 --quiet
own=$(headers_of from 1)
claim "sink.kafka puts them back, from a file: $(headers_of back 1)" equal "$(headers_of back 1)" "$own"
claim "of a message that had none, none" equal "$(headers_of back 2)" "$(headers_of from 2)"
claim "and from a topic, without those of dead letters" equal "$(headers_of back 3)" "$own"
sed 's/leat.parse.dead_letters {}/leat.parse.lines {}/' back.lua >none.lua
leat_run check none.lua --set brokers="$brokers" --set file=two
claim_says "where nothing has headers, that is an error" "headers: '*' keeps the headers of messages"
exec 9>&-
done_claims
