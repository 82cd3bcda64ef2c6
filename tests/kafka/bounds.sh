# start and until: places by time, offset and end for each partition; ends at gaps and control records; resuming.
# tier: long (60 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local places = a.places and load("return " .. a.places)() or {}
return leat.pipeline "read" {
  leat.source.kafka {
    topics = a.topic, brokers = a.brokers, group = a.group, start = places.start or a.start or "earliest",
    ["until"] = places["until"] or a["until"] or "end",
    properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500" },
  },
  leat.parse.lines {}, leat.sink.file { path = a.to or "got", format = "raw" },
}
LUA
read_it() { rm -f got && leat_run run read.lua --set brokers="$brokers" --progress never --summary s.json "$@"; }
got() { sort -n got | xargs; }
seq 0 99 >hundred
kafka topic many 3 1
for k in 0 1 2; do sed "s/^/$k/" hundred >part && kafka produce many $k part; done

# ---- offsets ----
read_it --set topic=many --set places='{ start = { [0] = 97, [1] = "latest", [2] = "earliest" },
    ["until"] = { [0] = 99, [1] = "end", [2] = 2 } }'
claim_exit "each partition is read from its own place to its own" 0
claim "from the offset on, and before the bound" equal "$(got)" "20 21 097 098"
read_it --set topic=many --set start=0=98,1=98,2=98 --set until=many/0=99,many/1=98
claim "the same as text; a partition that is not named ends at the end" equal "$(got)" "098 298 299"
claim_says "which is said" "until does not name many/2: there reading ends at the end"
claim_says "so is an end that is not behind the beginning" \
    "many/1 ends at once: it is read from offset 98, and ends before offset 98"
read_it --set topic=many --set start=latest,0=97 --set until=end
claim "a place without a partition is for those that are not named" equal "$(got)" "097 098 099"
read_it --set topic=many --set places='{ start = { many = { [0] = 99 }, [1] = "latest", [2] = "latest" } }'
claim "a topic's partitions may be a table in it" equal "$status $(got)" "0 099"
read_it --set topic=many --set start=0=97,3=5
claim_exit "a partition that does not exist is an error" 2
claim_says "with those that do" "start: '3=5': many has no partition 3: its partitions are 0 to 2"
read_it --set topic=many --set until=0=5,7=5
claim_says "so is one to end at" "until: '7=5': many has no partition 7: its partitions are 0 to 2"
kafka trim many 1 40
read_it --set topic=many --set start=1=30,latest
claim_exit "an offset that was deleted is an error" 1
claim_says "with those that are left" "many/1: cannot begin at offset 30: its messages go from 40 to 99"
read_it --set topic=many --set start=1=101,latest
claim_says "so is one beyond the end" "many/1: cannot begin at offset 101: its messages go from 40 to 99"
read_it --set topic=many --set start=latest,1=earliest --set until=1=30,end
claim "a bound before what is left ends at once" equal "$status $(wc -l <got)" "0 0"
claim_says "with the offsets" "many/1 ends at once: nothing before offset 30 is left; its messages go from 40 to 99"
begin_it() { leat_start read.lua --set brokers="$brokers" --progress never --set topic=many "$@"; }
begin_it --set start=latest --set until=0=103,end --set to=late
until_true grep -q "many/0 ends before offset 103, and waits for it: its messages go from 0 to 99" "$err"
claim "a bound beyond the end is waited for, which is said" [ $? = 0 ]
seq 200 219 >more && kafka produce many 0 more
leat_end
claim "until it is there, and not further" equal "$status $(xargs <late)" "0 200 201 202"

# ---- the end is that of the start ----
begin_it --set start=latest,0=0 --set until=end --set to=first --log-level info
leat_end
claim_says "the bound is told" "many/0 ends before offset 120"
claim "all up to the end are read" equal "$status $(wc -l <first)" "0 120"

# ---- times ----
kafka topic timed 2 1
for hour in 10 11 12 13; do
    kafka message timed k$((hour % 2)) "$(date -ud "2026-11-20 $hour:00" +%s)000" "$hour" >/dev/null
done
read_it --set topic=timed --set until=2026-11-20T12:00:00Z
claim "a time ends each partition before its first message of then" equal "$(got)" "10 11"
read_it --set topic=timed --set start="2026-11-20 11:00" --set until=2026-11-20T12:00:00.001Z
claim "start and until cut a span" equal "$(got)" "11 12"
read_it --set topic=timed --set until=2199-01-01
claim "a time that no message has reached is the end" equal "$status $(got)" "0 10 11 12 13"
read_it --set topic=timed --set until=-1h
claim "a time ago counts back from now" equal "$(got)" "10 11 12 13"
read_it --set topic=timed --set start=2026-11-20T12:00:00Z --set until=2026-11-20T11:00:00Z
claim "an end before the beginning reads nothing" equal "$status $(wc -l <got)" "0 0"
claim_says "and says so" "ends at once"

# ---- what is not a message: control records, aborted messages, gaps ----
kafka topic once 1 1
kafka transaction once commit hundred                       # 0 to 99, control record 100
kafka transaction once abort hundred                        # 101 to 200, control record 201
kafka transaction once commit hundred                       # 202 to 301, control record 302
for bound in 100 101 150 201 202; do
    read_it --set topic=once --set until=0=$bound
    echo "$status $(wc -l <got)"
done >counts
claim "a bound at a control record, or among aborted messages, is reached" equal "$(sort -u counts | xargs)" "0 100"
read_it --set topic=once --set until=0=302
claim "so is one at the last record, which is none" equal "$status $(wc -l <got)" "0 200"
read_it --set topic=once --set until=0=303
claim "and one behind it" equal "$status $(wc -l <got)" "0 200"
kafka topic open 1 1
kafka produce open 0 hundred
kafka transaction open leave hundred
read_it --set topic=open --set until=end
claim "the end is before an open transaction" equal "$status $(wc -l <got)" "0 100"
kafka topic gaps 1 1
kafka configure gaps cleanup.policy=compact segment.ms=100 min.cleanable.dirty.ratio=0.01 delete.retention.ms=0 \
    max.compaction.lag.ms=100 segment.bytes=1048576
for k in $(seq 1 30); do kafka message gaps same 0 "$k"; done
sleep 1
kafka message gaps other 0 last
has_gaps() { sleep 1 && kafka message gaps other 0 last && ! kafka read gaps | grep -qxE '[0-9]|1[0-9]|2[0-5]'; }
claim "compaction leaves a gap" until_true has_gaps
for bound in 3 11 25; do
    read_it --set topic=gaps --set until=0=$bound
    echo "$status $(wc -l <got)"
done >counts
claim "a bound in one of them is reached" equal "$(sort -u counts | xargs)" "0 0"

# ---- resuming ----
resume() {
    leat_run run read.lua --set brokers="$brokers" --progress never --set topic=many --state kept --set to=kept.txt \
        --set start=latest,2=0 "$@"
}
resume --set until=end,2=10
claim "a run with a state ends at its bound" equal "$status $(wc -l <kept.txt)" "0 10"
resume --set until=end,2=15
claim "with another bound it goes on at exactly the next message" cmp kept.txt <(seq -f '2%g' 0 14)
resume --set until=end,2=12
claim_says "a bound behind the saved position ends at once" \
    "many/2 ends at once: it is read from offset 15, and ends before offset 12"
claim "and changes nothing" equal "$status $(wc -l <kept.txt)" "0 15"

# ---- groups ----
read_it --set topic=many --set group=bound --set start=latest,2=0 --set until=end,2=20
claim "a member ends at the bounds" equal "$status $(wc -l <got)" "0 20"
claim "and commits them" equal "$(kafka committed bound many 3)" "120 100 20"
read_it --set topic=many --set group=bound --set start=earliest --set until=end,2=30
claim "what the group has committed comes before start" equal "$status $(wc -l <got)" "0 10"
leat_run check read.lua --online --log-level info --set brokers="$brokers" --set topic=many --set group=bound \
    --set until=end,2=50
claim_exit "a check with the brokers" 0
claim_says "shows where each partition begins and ends" \
    "many/2 begins at offset 30 of the group and ends before offset 50" \
    "many/0 begins at offset 120 of the group and ends before offset 120, at once"
leat_run check read.lua --online --set brokers="$brokers" --set topic=many --set start=0=500,9=1
claim_exit "a check finds what will fail" 1
claim_says "both" "many/0 cannot begin at offset 500: its messages go from 0 to 119" "many has no partition 9"
done_claims
