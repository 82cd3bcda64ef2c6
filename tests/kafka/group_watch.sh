# The page of one member shows the whole group: members, lag, who is behind, and why; also without an answer.
# tier: long (120 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
seq 1 2000 >some
kafka topic clicks 4 1
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local slow = function(text) for _ = 1, 2000 do text = text:lower() end return true end
return leat.pipeline "read" {
  leat.source.kafka { "clicks", brokers = a.brokers, group = a.group, start = "earliest", instance = a.instance,
    state = a.states and "partition", state_topic = a.states, prefetch = "256KB",
    properties = { "session.timeout.ms=120000", "topic.metadata.refresh.interval.ms=600000" } },
  leat.parse.lines {}, leat.filter(slow, { "text" }), leat.sink.null {},
}
LUA
url_of() { sed -n 's/^leat: watch this run at //p' "$1"; }
of() { curl -gs "$(url_of first.err)status" | jq -r "$1"; }
shows() { equal "$(of "$1")" "$2" >/dev/null; }
finds() { of '.groups[0].findings[]' | grep -qE "$1"; }
members() { # GROUP ARGS…: starts two, the first with a page
    local run=(read.lua --quiet --every 1s --set brokers="$brokers" --set group="$1" "${@:2}")
    out=first err=first.err leat_start "${run[@]}" --http :0 --set instance=one
    first=$pid
    until_true members_are "$1" 1
    out=second err=second.err leat_start "${run[@]}" --set instance=two
    second=$pid
    until_true members_are "$1" 2
}
none_behind='[.groups[0].lag, (.groups[0].findings | length)] | join(" ")'
two_each='[.groups[0].members[] | "\(.name) \(.partitions) \(.own)"] | sort | join(",")'

members parted --set states=clicks-states
claim "with states by partition one member's page shows both" until_true shows "$two_each" "one 2 true,two 2 false"
for k in "$first" "$second"; do leat_stop "$k"; done
members readers
claim "one member's page shows both, and which it is" until_true shows "$two_each" "one 2 true,two 2 false"
claim "with the group, its state and their hosts" equal \
    "$(of '.groups[0] | "\(.group) \(.state) \(.partitions) \([.members[].host] | unique | join(" "))"')" \
    "readers stable 4 127.0.0.1"
kafka produce clicks -4 some
are_committed() { equal "$(kafka committed readers clicks 4 | sum)" 2000; }
claim "both members commit what they have read" until_true are_committed
claim "what is committed is not behind" until_true shows "$none_behind" "0 0"
claim "nor any partition, each of which has a member" equal \
    "$(of '[.groups[0].worst[] | "\(.lag) \(.member | . == "one" or . == "two")"] | unique | join(",")')" "0 true"

kill -STOP "$second"
kafka produce clicks -4 some
two='^member two \(127\.0\.0\.1\): 2 of 4 partitions, lag 1,000'
claim "a member that is stopped is named, with its lag, and since when it commits nothing" until_true finds \
    "$two.*: it has committed nothing for [0-9]+ s, and may be stopped or hang$"
claim "the one that works is not" equal "$(of '.groups[0].findings[]' | grep -c '^member one')" 0
claim "what is behind comes first" equal "$(of '[.groups[0].worst[:2][] | "\(.lag) \(.member)"] | join(",")')" \
    "500 two,500 two"
claim "its partitions are told" equal "$(of '.groups[0].members[] | select(.name == "two") | .has | length')" 2
kill -CONT "$second"
claim "it is forgotten when it goes on" until_true shows "$none_behind" "0 0"

kafka widen clicks 5
claim "a partition that no member has is named" until_true finds \
    '^partition clicks/4: no member has it, and nothing of it is committed$'
seq 1 300000 >many
kafka produce clicks 0 many && kafka produce clicks 1 many && kafka produce clicks 2 many && kafka produce clicks 3 many
claim "a slow stage of this process is the reason why it is behind" until_true finds \
    '^member one .* lag [0-9,]+ and growing: stage .*filter.* takes [0-9.e+]+ µs a record$' # elsewhere

broker down 1
has_no_answer() { [[ $(of '.groups[0].why') == *[a-z]* && $(of '.groups[0].why') != null ]]; }
claim "without a cluster the last answer stays, with its age and the reason" until_true has_no_answer
claim "whose members are still shown" equal "$(of '.groups[0].members | length')" 2
leat_stop "$first"
claim "a run ends although no answer comes" [ "$status" -le 1 ]
leat_stop "$second"
done_claims
