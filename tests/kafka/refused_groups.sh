# Groups that a member cannot join: leat check --online sees it, and a run ends with what the group is.
# tier: long (40 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
seq 10 >ten
kafka topic t 2 1 && kafka produce t 0 ten
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { "t", brokers = a.brokers, group = a.group, start = "earliest", ["until"] = "end",
    give_up = a.give_up, properties = { "session.timeout.ms=" .. (a.session or 6000) } },
  leat.parse.lines {}, leat.sink.null {},
}
LUA
member() { # member GROUP STRATEGY: in the background, $member
    "$root/${B:-build/release}/tests/programs/kafka_client" "$brokers" join "$1" t session.timeout.ms=6000 \
        partition.assignment.strategy="$2" &
    member=$!
    until_true members_are "$1" 1
}
check() { leat_run check --online read.lua --set brokers="$brokers" "$@"; }
read_it() {
    leat_start read.lua --set brokers="$brokers" --progress never "$@"
    leat_end
}
why="its 1 member shares partitions by cooperative-sticky, and this one by range,roundrobin: "
member sticky cooperative-sticky
check --set group=sticky
claim_exit "a check sees a group of another assignor" 1
claim_says "and says what it is" "group sticky cannot be joined: $why"
check --set group=nobody
claim_exit "and has nothing against a group without members" 0
read_it --set group=sticky
claim_exit "a run ends" 1
claim_says "and says what it is" "group sticky keeps this member out: Broker: Inconsistent group protocol; $why"
claim "after session.timeout.ms ($took s)" [ "$took" -ge 5 -a "$took" -lt 20 ]
read_it --set group=sticky --set give_up=2s
claim_says "or sooner, if give_up says so" "$why"
claim "($took s)" [ "$took" -lt 6 ]
leat_start read.lua --set brokers="$brokers" --progress never --set group=sticky --set session=30000
until_true grep -q "keeps this member out" "$err"
kill -KILL "$member" # the group knows it until its session has timed out
leat_end
claim_exit "a member that dies meanwhile lets the run in" 0
member round roundrobin
check --set group=round
claim_exit "a group of an assignor that this member has, too, is joined" 0
read_it --set group=round
claim_exit "and read" 0
kill "$member"
read_it --set group=short --set session=100
claim_exit "a session timeout that the brokers refuse ends the run" 1
claim_says "with what to do" "group short cannot be used: " "group.min.session.timeout.ms"
claim "at once ($took s)" [ "$took" -lt 4 ]
done_claims
