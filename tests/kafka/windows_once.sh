# Windows by partition: members are killed, stopped, come and go.
#
# A reader of committed messages sees each window of each key once, with the counts and sums of all messages.
# tier: long (60 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on killed children
members=()
# The windows are of 2023: with these times (time = "kept") the broker would delete them at its next look
# (retention.ms).
cat >windows.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local rounds, n, sum = tonumber(a.slow or 0), 0, 0
local function totals(emit, window, user, count, x, last)
  if last then emit("total", n, sum) return end
  n, sum = n + count, sum + x
  emit(window .. " " .. user, count, x)
end
return leat.pipeline "windows" {
  a.view and leat.source.models { a.view, brokers = a.brokers, ["until"] = "end" }
    or leat.source.kafka {
      a.from or "events", brokers = a.brokers, group = a.to, instance = a.member, start = "earliest", ["until"] = a["until"] or "stopped",
      state = "partition", state_topic = a.to .. "-states",
      properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500", "fetch.wait.max.ms=200" },
    },
  leat.filter(function() for _ = 1, rounds do end return true end, {}),
  leat.parse.csv { header = false, columns = { "t", "user", "x" } },
  leat.parse.time { column = "t", format = "unix" },
  leat.window { "count", "sum(x)", every = "60s", by = { "user" }, lateness = "10s" },
  leat.flat(totals, { "window", "user", "count:number", "sum_x:number", "@end" }, { "what", "n:number", "sum:number" }, { state = { "n", "sum" } }),
  a.view and leat.sink.file { path = "view.csv", format = "csv" } or leat.sink.kafka {
    a.to, brokers = a.brokers, format = "jsonl", time = "now", transaction = a.id or a.to, properties = { "transaction.timeout.ms=60000" } },
  batch_rows = 100,
}
LUA
# 40,000 events of 90 users in four partitions, each of a user in the same one; some are late, none too late.
for k in 0 1 2 3; do
    awk -v k=$k 'BEGIN { srand(k); for (i = 0; i < 10000; i++) printf "%d,u%d,%d\n", 1700000000 + i / 10 - rand() * 9,
        k * 100 + rand() * 30, rand() * 1000 }' >events.$k
done
kafka topic events 4 1
for k in 0 1 2 3; do kafka produce events $k "events.$k"; done
cat events.? | awk -F, '{ k = strftime("%Y-%m-%dT%H:%M:%SZ", $1 - $1 % 60, 1) " " $2; n[k]++; s[k] += $3 } END {
    for (k in n) print k "," n[k] "," s[k] }' | sort >windows
for k in 0 1 2 3; do awk -F, '{ s += $3 } END { print "total," NR "," s }' "events.$k"; done | sort >totals
at() { # at TOPIC [ARGS…]: the arguments of a run into that topic
    arguments=(windows.lua --set brokers="$brokers" --set to="$1" --every 50ms --quiet "${@:2}")
}
has() { (($(kafka committed "$1" events 4 | sum) >= $2)); } # so many messages are read and committed, or more
all_once() { # all_once TOPIC: the windows and totals of all messages, each once
    kafka read "$1" | jq -r 'map(.) | @csv' | tr -d '"' | sort >"$1.rows"
    diff <(grep -v ^total "$1.rows") windows && diff <(grep ^total "$1.rows") totals
}

kafka topic whole 1 1
at whole --set until=end
leat_run run "${arguments[@]}"
claim_exit "an uninterrupted run" 0
claim "has the counts and sums of all messages by user and minute, to the last window" all_once whole
leat_run run "${arguments[@]}"
claim_exit "another, which has nothing to read" 0
claim "gives nothing twice" all_once whole

# The last message is in a checkpoint that is under way as the source learns that nothing follows.
kafka topic few 1 1
kafka topic behind 1 1
head -100 events.0 >few
kafka produce few 0 few
at behind --set until=end --set from=few --set slow=900000
leat_run run "${arguments[@]}"
kafka read behind >once
claim "a run that ends during its last but one checkpoint gives what is open" equal "$(jq .n once | sum)" 200
leat_run run "${arguments[@]}"
claim_exit "the next has nothing to read" 0
claim "and gives none of it again" cmp once <(kafka read behind)

# As one member of the group, which has its partitions again at once.
kafka topic killed 1 1
for ((n = 0; n < ${KILLS:-4}; n++)); do
    at killed --set slow=15000 --set until=end --set member=one
    (timeout --foreground -s KILL "1.$((RANDOM % 9))" "$LEAT" run "${arguments[@]}") && break
done
at killed --set until=end --set member=one
leat_run run "${arguments[@]}"
claim_exit "a run after $n that were killed at random moments" 0
claim "each window is there once" all_once killed
for place in transaction_states_sent transaction_offsets_sent transaction_committed; do
    kafka topic $place 1 1
    at $place --set until=end --set member=one --every 2000
    LEAT_FAULT=$place:1 leat_run run "${arguments[@]}"
    claim_exit "killed at $place" 137
    leat_run run "${arguments[@]}"
    claim "killed at $place, each window is there once" all_once $place
done

# Members come and go, each with a transaction of its own; one is killed and begins again. None of them reads to the end
# of anything: what is open at the last moment is given by whoever reads until the end.
member() {
    at shared --set slow=40000 --set id="m$1" --log-level info
    err=member$1 leat_start "${arguments[@]}"
    members[$1]=$pid
}
reads() { grep -q "reads $2 partition" "member$1"; } # reads K N
kafka topic shared 1 1
member 1
member 2
claim "two members share the partitions" until_true reads 2 2
until_true has shared 4000
kill -KILL "${members[1]}"
wait "${members[1]}"
member 1
until_true has shared 12000
member 3
claim "a third has some of them" until_true reads 3 '[12]'
until_true has shared 20000
leat_stop "${members[3]}"
err=$tmp/member3 claim_exit "a member of three leaves" 0
claim "the others do the rest" until_true has shared 40000
for k in 1 2; do
    leat_stop "${members[k]}"
    err=$tmp/member$k claim_exit "member $k ends" 0
done
kafka read shared >open
claim "what is open is kept" below "$(grep -c . open)" "$(cat windows totals | grep -c .)"
leat_run run windows.lua --set brokers="$brokers" --set view=shared-states --quiet
claim_exit "a process that only looks on" 0
claim "gives nothing" equal "$(grep -vc '^what' view.csv)" 0
at shared --set until=end
leat_run run "${arguments[@]}"
claim_exit "a run until the end, which has nothing to read" 0
claim "gives what was open: each window is there once" all_once shared
done_claims
