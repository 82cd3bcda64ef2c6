# Offsets that have changed their meaning: other members have read on, a tool has set them, the topic was deleted and
# made again, or messages have expired.
# tier: long (60 s, waits)
. "$(dirname "$0")/../support/kafka/cluster.sh"
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
seq 1000 1999 >first
seq 2000 2999 >second
seq 10000 69999 >new
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka {
    a.topic, brokers = a.brokers, group = a.group, start = "earliest", ["until"] = a["until"] or "end", expired = a.expired,
    state = a.state_topic and "partition" or nil, state_topic = a.state_topic,
    properties = { "session.timeout.ms=6000", "heartbeat.interval.ms=500" },
  },
  leat.parse.lines {}, leat.sink.file { path = a.to or "got", format = "raw" },
}
LUA
read_it() { leat_run run read.lua --set brokers="$brokers" --progress never --summary s.json "$@"; }

# ---- members with states of their own ----
kafka topic turns 1 1 && kafka produce turns 0 first
read_it --set topic=turns --set group=g --state a --set to=a.txt
kafka produce turns 0 second
read_it --set topic=turns --set group=g --state b --set to=b.txt
claim "a member reads on from where another was" cmp b.txt second
read_it --set topic=turns --set group=g --state a --set to=a.txt
claim_exit "the first one begins again with its state" 0
claim_says "and says that it follows the group" \
    "turns/0 continues at the group's offset 2000, not at 1000: other members have read on"
claim "it reads nothing of what the other has read" cmp a.txt first
claim "and leaves the group's offset alone" equal "$(kafka committed g turns 1)" 2000
kafka produce turns 0 first
read_it --set topic=turns --set group=g --state a --set to=a.txt
claim "what comes then is read" equal "$(wc -l <a.txt) $(kafka committed g turns 1)" "2000 3000"

# Its last snapshot is lost: nobody else has read that.
kafka topic alone 1 1 && kafka produce alone 0 first
read_it --set topic=alone --set group=alone --state c --set to=c.txt
cp -r c c-before
kafka produce alone 0 second
read_it --set topic=alone --set group=alone --state c --set to=c.txt
rm -r c && mv c-before c
read_it --set topic=alone --set group=alone --state c --set to=c.txt
claim "a run whose last snapshot was lost goes back to the one before" cmp c.txt <(cat first second)
claim "and the group stays where it was" equal "$(kafka committed alone alone 1)" 2000

# ---- set by a tool ----
kafka reset alone alone 0 500
read_it --set topic=alone --set group=alone --state c --set to=c.txt
claim_says "an offset that a tool has set back is not followed against a state, which is said" \
    "continues at offset 2000 of its state, although another program has set the group's offset to 500"
for again in no yes; do
    read_it --set topic=alone --set group=parts --set state_topic=states-0 --set to=p.txt
    [[ $again == yes ]] || kafka reset parts alone 0 500
done
claim_says "nor against a state by partition, which is said, too" "; the group's is 500, which another program has set"
kafka reset turns turns 0 1500
read_it --set topic=turns --set group=turns --set to=t.txt
claim "without a state it is" equal "$(head -1 t.txt)" 2500

# ---- deleted and made again ----
anew() { # anew TOPIC FILE: at once
    kafka delete "$1" && until_true kafka topic "$1" 1 1 && kafka produce "$1" 0 "$2"
}
for kind in "a state" "a group and a state" "a state by partition" "a state by partition, no group"; do
    case $kind in
        "a state") args=(--state again-1) ;;
        "a group and a state") args=(--set group=again-2 --state again-2) ;;
        "a state by partition") args=(--set group=again-3 --set state_topic=states-3) ;;
        *) args=(--set state_topic=states-4) ;;
    esac
    kafka topic again 1 1 && kafka produce again 0 first
    read_it --set topic=again "${args[@]}"
    claim_exit "$kind: a topic is read" 0
    kafka produce again 0 second
    read_it --set topic=again "${args[@]}"
    claim "$kind: and what comes later" grep -qx 2999 got
    anew again new
    read_it --set topic=again "${args[@]}"
    claim_exit "$kind: when it was deleted and made again the run ends" 1
    claim_says "$kind: and says so" "again/0: the topic was deleted and created again"
    kafka delete again
done
kafka topic forgot 1 1 && kafka produce forgot 0 first
read_it --set topic=forgot --set group=forgot
anew forgot new
read_it --set topic=forgot --set group=forgot
claim "a group's offsets go with the topic: all of the new one is read" cmp got new
kafka topic while 1 1 && kafka produce while 0 first
rm -f got
leat_start read.lua --set brokers="$brokers" --set topic=while --set group=while --set until=stopped --every 500ms \
    --progress never
until_true file_has got 1000
has_committed() { [[ $(kafka committed while while 1) -ge $1 ]]; }
until_true has_committed 1000 # at a checkpoint, which asks for the time of a message
kafka produce while 0 second
until_true has_committed 2000
kafka produce while 0 second
until_true has_committed 3000
anew while new
leat_end
claim_exit "a topic that is deleted and made again while it is read ends the run" 1
claim_says "which says so" "while"
claim "before it has committed an offset of the new one" below "$(kafka committed while while 1)" 3001

# ---- expired ----
kafka topic old 1 1 && kafka produce old 0 first
read_it --set topic=old --set group=old
kafka produce old 0 second && kafka trim old 0 1500
read_it --set topic=old --set group=old
claim_exit "messages that expired unread end the run" 1
claim_says "which says what to do" "old/0 has lost message 1000" "expired = \"begin\""
read_it --set topic=old --set group=old --set expired=begin
claim_exit "expired = begin goes on" 0
claim_says "says which are lost" "old/0: messages 1000 to 1499 expired unread"
claim "counts them" equal "$(stage kafka expired)" 500
claim "and reads the rest" cmp got <(tail -500 second)
done_claims
