# Lost partitions: a member of a group is stopped for longer than its session, and continues.
# tier: long (120 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
members=()
svm_examples 3 20000 5 300 999 >rows
sort rows >sorted
kafka topic four 4 1 && kafka produce four -4 rows
cat >member.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds = tonumber(a.slow or 0)
return leat.pipeline "member" {
  leat.source.kafka {
    "four", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = a["until"] or "stopped",
    state = a.state and "partition" or nil, state_topic = a.state,
    properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500" },
  },
  leat.parse.libsvm {},
  leat.filter(function() for _ = 1, rounds do end return true end, {}),
  leat.learn.awm { id = "model", budget = "4KB" },
  leat.sink.file { path = a.to, format = "raw" },
  batch_rows = 100,
}
LUA
member() { # member NAME GROUP ARGS…: in the background
    err=$1.err leat_start member.lua --set brokers="$brokers" --set to="$1" --set group="$2" --every 300ms \
        --log-level info --progress never --summary "$1.json" "${@:3}"
    members[${1: -1}]=$pid
}
leaves() { # leaves NAME
    err=$1.err
    leat_stop "${members[${1: -1}]}"
}
committed() { kafka committed "$1" four 4 | sum; }
has_committed() { (($(committed "$1") >= $2)); }
lost() { grep -q "has given the .* partitions to others already" "$1.err"; }
learned() { jq '.stages[] | select(.id == "model") | .examples // .metrics.examples' "$1.json"; }

# away GROUP ARGS…: of two members the first stands still, the second reads on, both end.
away() {
    local group=$1
    shift
    member "$group-1" "$group" --set slow=100000 "$@" ${state:+--state "$group-state"}
    until_true has_committed "$group" 3000
    kill -STOP "${members[1]}"
    member "$group-2" "$group" "$@"
    claim "$group: another member takes over what the one that stands still had" until_true has_committed "$group" 20000
    kill -CONT "${members[1]}"
    claim "$group: which finds that it has lost it" until_true lost "$group-1"
    claim "$group: and does not commit it" equal "$(committed "$group")" 20000
    until_true members_are "$group" 2
    leaves "$group-1"
    claim_exit "$group: it ends well" 0
    leaves "$group-2"
    claim_exit "$group: so does the other" 0
    claim "$group: nothing is lost" cmp <(sort -u "$group"-[12]) sorted
    claim "$group: the group is at the end" equal "$(committed "$group")" 20000
}

away process
read_by() { cat "$1"-[12] | wc -l; }
claim "what was read twice is what the first had not committed: the work of a moment" below "$(read_by process)" 26000
state=yes away kept
before=$(read_by kept)
claim "with --state, too" below "$before" 26000
member kept-1 kept --state kept-state
until_true grep -q "reads 4 partitions" kept-1.err
leaves kept-1
claim_exit "the first begins again" 0
claim "and reads nothing of what the other has read" equal "$(read_by kept)" "$before"

# Nobody else was there: it goes on where it stood.
for kind in alone "alone-kept --state alone-state"; do
    set -- $kind
    member "$1-1" "$1" --set slow=30000 "${@:2}"
    until_true has_committed "$1" 3000
    kill -STOP "${members[1]}"
    until_true members_are "$1" 0
    kill -CONT "${members[1]}"
    claim "$1: a member that was away finds that its partitions were lost" until_true lost "$1-1"
    until_true has_committed "$1" 20000
    leaves "$1-1"
    claim_exit "$1: it gets them again and ends well" 0
    claim "$1: each message is read once" cmp <(sort "$1-1") sorted
    claim "$1: and learned once" equal "$(learned "$1-1")" 20000
done

# Each partition has its state.
away states --set state=states
states_of() { kafka states states | grep "	$1	" | cut -f3- | sort; }
leat_run run member.lua --set brokers="$brokers" --set to=undisturbed --set group=undisturbed --set state=states \
    --set until=end --quiet
claim "each partition has the state, byte for byte, of a run that nothing happened to" \
    cmp <(states_of states) <(states_of undisturbed)
claim "which are four" equal "$(states_of states | cut -d' ' -f2 | xargs)" "5000 5000 5000 5000"
done_claims
