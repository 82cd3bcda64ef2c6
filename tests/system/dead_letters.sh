# sink.dead_letters on librdkafka's mock cluster: messages, confirmation, errors that end the run, and reading back.
# tier: short (waits)
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/mock.sh"
exec 2>noise # the shell's words on killed children
awk 'BEGIN { for (i = 1; i <= 6000; i++) print i % 100 ? (i % 2 ? "+1 1:1" : "-1 2:1") : "bad " i }' >rows
grep bad rows >bad
mock topic rows 3 >/dev/null
mock topic dead 3 >/dev/null
mock topic dead2 1 >/dev/null
mock produce rows -3 "$tmp/rows" >/dev/null

# From a file: a sink in one branch gets what is rejected before the fork; so does the file of dead letters.
cat >file.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "file" {
  leat.source.file { a.from or "rows" }, leat.parse.libsvm { lanes = 2 },
  leat.tee {
    { leat.learn.logistic {} },
    { leat.sink.dead_letters { a.topic or "dead", brokers = a.brokers, properties = { a.property or "linger.ms=1" } } },
  },
  dead_letters = a.file, max_reject_ratio = tonumber(a.ratio), batch_rows = 100,
}
LUA
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka {
    a.topic, brokers = a.brokers, start = "earliest", ["until"] = "end",
    columns = { "key", "time", "header.leat.pipeline", "header.leat.stage", "header.leat.reason", "header.leat.message", "header.leat.input", "header.leat.offset", "header.leat.line", "header.leat.cut" },
  },
  leat.parse.lines {}, leat.sink.file { path = a.to, format = "jsonl" },
}
LUA
read_dead() { leat_run run read.lua --set brokers="$brokers" --set topic="$1" --set to="$2" --quiet; }
leat_run run file.lua --set brokers="$brokers" --set file=dead.jsonl --quiet --summary s.json --report r.md
claim_exit "rejected records are sent to a topic" 0
claim "each is confirmed" [ "$(stage dead_letters delivered)" = 60 ]
claim "both places are named in the summary" equal "$(json .dead_letters_to)" "dead.jsonl and dead (sink.dead_letters)"
claim "and in the report" grep -qF "> All of them are in dead.jsonl and dead (sink.dead" <(tr -d "\\" <r.md)
claim_says "and where not all are shown" \
    "60 of 6000 records were rejected, all for label: 10 are shown, all are in dead.jsonl and dead (sink.dead_letters)"
read_dead dead got
same='[.text, (.["header.leat.line"] | tonumber), (.["header.leat.offset"] | tonumber), .["header.leat.input"], .["header.leat.stage"], .["header.leat.reason"], .["header.leat.message"]] | @json'
jq -r "$same" got | sort >of.topic
jq -r '[.record, .line, .offset, .input, .stage, .reason, .message] | @json' dead.jsonl | sort >of.file
claim "the record and its cause are what the file of dead letters has" cmp of.topic of.file
claim "there are as many as were rejected" [ "$(wc -l <of.topic)" = 60 ]
claim "each says which pipeline it was" [ "$(jq -r '.["header.leat.pipeline"]' got | sort -u)" = file ]
leat_run run file.lua --set brokers="$brokers" --set topic=dead2 --set ratio=0.005 --quiet
claim_exit "too many of them end the run" 1
claim_says "and it says so" "max_reject_ratio = 0.005"
leat_run check file.lua --set brokers="$brokers" --set property=acks=0
claim_says "acks is not the user's to weaken" "acks is set by this stage"

# From a topic, with keys and times.
cat >topic.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "topic" {
  leat.source.kafka { a.from or "rows", brokers = a.brokers, start = "earliest", ["until"] = "end", max_record = "1KiB", tombstones = "empty" },
  leat.parse.libsvm {}, leat.learn.logistic {}, leat.sink.dead_letters { a.topic, brokers = a.brokers },
  batch_rows = 100,
}
LUA
topic() { leat_run run topic.lua --set brokers="$brokers" --quiet --summary s.json "$@"; }
mock topic denied 1 >/dev/null
produce=0
mock errors $produce 29 1 >/dev/null # not authorized
topic --set topic=denied
claim_exit "dead letters that are refused for good end the run" 1
claim_says "with the cluster's reason" "uthorization failed"

# Killed when a snapshot is on disk: dead letters wait in the producer longer than records take.
mock topic killed 3 >/dev/null
awk 'BEGIN { for (i = 1; i <= 240000; i++) print i % 100 ? (i % 2 ? "+1 1:1" : "-1 2:1") : "bad " i }' >many
killed() {
    leat_run run file.lua --set brokers="$brokers" --set from=many --set topic=killed --set property=linger.ms=100 \
        --state state --every 500 --quiet
}
for _ in 1 2 3; do LEAT_FAULT=snapshot_durable:2 killed; done
claim_exit "it is killed" 137
killed
claim_exit "killed three times, it comes to the end" 0
read_dead killed again
claim "no dead letter is lost" sh -c 'grep bad many | sort >b; jq -r .text again | sort -u | cmp - b'

rest_is_long

# The cluster is away for a while.
mock topic late 1 >/dev/null
mock down 1 >/dev/null; mock down 2 >/dev/null; mock down 3 >/dev/null
leat_start file.lua --set brokers="$brokers" --set topic=late
until_true grep -q "no broker" "$err"
mock up 1 >/dev/null; mock up 2 >/dev/null; mock up 3 >/dev/null
leat_end
claim_exit "with no broker in reach it waits until there is one" 0
claim_says "says so" "no broker can be reached; waiting"

# A dead letter keeps its message's key and time; one that was cut is marked.
is_later() { [[ $1 > $2 ]]; }
mock topic odd 1 >/dev/null
mock topic back 1 >/dev/null
mock topic back2 1 >/dev/null
{ echo "k1,bad"; echo "k2,-1 1:1"; printf 'k3,'; head -c 3000 /dev/zero | tr '\0' x; echo; } >keyed
cat >keyed.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "keyed" {
  leat.source.file { "keyed" }, leat.parse.csv { header = false, columns = { "k", "line" } },
  leat.sink.kafka { "odd", brokers = leat.args.brokers, key = "k", headers = { "k", "text=line" } },
}
LUA
leat_run run keyed.lua --set brokers="$brokers" --quiet
claim_exit "columns are sent as headers" 0
cat >headers.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "headers" {
  leat.source.kafka { a.topic, brokers = a.brokers, start = "earliest", ["until"] = "end", columns = { "key", "time", "header.k", "header.text", "header.leat.cut", "header.leat.time" } },
  leat.parse.lines {}, leat.sink.file { path = a.to, format = "jsonl" },
}
LUA
leat_run run headers.lua --set brokers="$brokers" --set topic=odd --set to=sent --quiet
claim "and read as columns" [ "$(jq -r '.key + ":" + .["header.k"] + ":" + .["header.text"][:7]' sent |
    tr '\n' ' ')" = "k1:k1:bad k2:k2:-1 1:1 k3:k3:xxxxxxx " ]
topic --set from=odd --set topic=back
leat_run run headers.lua --set brokers="$brokers" --set topic=back --set to=came --quiet
claim "dead letters keep the time of their messages in a header" cmp <(jq .time sent) \
    <(jq '.["header.leat.time"] | tonumber' came)
claim "their own time is that of sending" is_later "$(jq .time came | head -1)" "$(jq .time sent | tail -1)"
claim "their keys, and a mark where they were cut" [ "$(jq -r '[.key, (.text | length), .["header.leat.cut"]] | @csv' \
    came | tr '\n' ' ')" = '"k1",6, "k2",9, "k3",256,"1" ' ]
for wrong in nothing =k x= ; do
    sed "s/\"text=line\"/\"$wrong\"/" keyed.lua >wrong.lua
    leat_run check wrong.lua --set brokers="$brokers"
    claim_exit "a header that is none is refused: $wrong" 2
done
exec 9>&-

# A file of dead letters, read again: any bytes come back as they were.
{
    printf 'quote " back \\ tab \t bell \a\n'
    printf 'no utf-8 \xff\xfe\nnul \0 in it\nnaïve €\n+1 1:1\n'
    head -c 70000 /dev/zero | tr '\0' x
    printf '\n17,1,2\n'
} >odd
cat >once.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "once" {
  leat.source.file { "odd", max_record = "64KiB" }, leat.parse.libsvm {}, leat.learn.logistic {},
  dead_letters = "odd.dead",
}
LUA
cat >again.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "again" {
  leat.source.file { a.from }, leat.parse.dead_letters {},
  leat.tee {
    { leat.sink.file { path = "records", format = "raw" } },
    { leat.sink.file { path = "places", format = "jsonl" } },
    { leat.parse.csv { header = false, columns = { "a", "b", "c" } }, leat.sink.file { path = "parsed", format = "csv", columns = { "a", "c", "dead_letter.line" } } },
  },
  dead_letters = "again.dead", max_reject_ratio = 1,
}
LUA
leat_run run once.lua --quiet
leat_run run again.lua --set from=odd.dead --quiet --summary s.json
claim_exit "dead letters in a file are read again" 0
claim "each record is byte for byte what it was" sh -c 'grep -av -e "^+1" -e xxx odd | cmp - records'
claim "with its location" [ "$(jq -r '[.["dead_letter.input"], .["dead_letter.line"], .["dead_letter.stage"],
    .["dead_letter.reason"]] | join(" ")' places | tail -1)" = "odd 7 libsvm label" ]
claim "its parser can follow" [ "$(tail -1 parsed)" = "17,2,7" ]
claim "one that was cut is refused" [ "$(stage dead_letters rejected)$(jq -r 'select(.stage ==
    "dead_letters").message' again.dead | cut -c1-23)" = "1the record was too long" ]
printf '{"record":"x","cut":false}\n{"record":"y","cut":null}\n{"record":"z","cut":true}\n' >whole.dead
leat_run run again.lua --set from=whole.dead --quiet --summary s.json
claim "one that says it was not cut is taken" [ "$(tr '\n' ' ' <records)$(stage dead_letters rejected)" = "x y 1" ]
printf '{"record":"x"}\n{"record":1}\n{"record":"\\q"}\n{"record_hex":"0g"}\n{"record_hex":"0"}\n[]\n{"record":"y","line":null,"input":7}\nx\n' >wrong.dead
leat_run run again.lua --set from=wrong.dead --quiet --summary s.json
claim "a line that is not a dead letter is rejected" [ "$(tr '\n' ' ' <records)$(stage dead_letters rejected)" = \
    "x y 6" ]

# ---- what each branch rejects ----

awk 'BEGIN { for (i = 0; i < 2000; i++) print (i % 2 ? "+1" : "-1") " 3:" (i % 10 ? 1 : "1e30") }' >wild.svm
cat >branches.lua <<'LUA'
local leat = require "leat"
local function branch(name) return { leat.learn[name] {}, leat.sink.null {} } end
return leat.pipeline "branches" {
  leat.source.file { "wild.svm" }, leat.parse.libsvm {}, leat.tee { branch "awm", branch "hash", branch "logistic" },
  dead_letters = "branches.jsonl", batch_rows = 70,
}
LUA
leat_run run branches.lua --quiet --summary s.json
claim_exit "a record that three branches reject is one of the share that may be rejected" 0
claim "it is counted and logged once" equal "$(json .rejected) $(grep -c 'entry 1 (feature 3) is 1e+30' "$err")" \
    "200 10"
claim "and has a dead letter of each" equal "$(jq -r .stage branches.jsonl | sort | uniq -c |
    tr -s ' \n' ' ')" " 200 awm 200 hash 200 logistic "

# ---- many in one batch ----

{ echo a,b && for i in {1..3000}; do echo "$i,no number, but a text of some length, $i"; done; } |
    sed 's/,\(no.*\)/,"\1"/' >many.csv
cat >many.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "many" {
  leat.source.file { "many.csv" }, leat.parse.csv {},
  leat.filter(function(a) error(("é"):rep(a // 20) .. " is the reason of record " .. a) end, { "a:number" }),
  leat.sink.null {}, dead_letters = leat.args.dead, max_reject_ratio = 1, batch_rows = leat.args.rows,
}
LUA
leat_run run many.lua --quiet --set dead=many.dead --set rows=4000
claim "each of many dead letters of a batch has a sentence" equal "$(jq -r .message many.dead |
    grep -c '^many.lua:4: ')" 3000
claim "to its end" equal "$(jq -r .message many.dead | grep -c 'is the reason of record')" 3000
leat_run run many.lua --quiet --set dead=few.dead --set rows=7
claim "however many records share a batch" cmp many.dead few.dead
sed -i 's|a // 20|a|' many.lua
leat_run run many.lua --quiet --set dead=long.dead --set rows=4000
leat_run run many.lua --quiet --set dead=few.dead --set rows=7
claim "and one that is too long is cut at the same character" cmp long.dead few.dead

# ---- a run that works: the letters of batches that are done are in the file ----
printf 'n\n1\nbad\n2\n' >followed.csv
cat >followed.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "followed" {
  leat.source.file { path = "followed.csv", follow = true }, leat.parse.csv {}, leat.filter(function(n) return n > 0 end, { "n:number" }),
  leat.sink.null {}, dead_letters = "followed.bad", max_reject_ratio = 1 }
LUA
leat_start followed.lua --quiet
claim "a dead letter is in the file while the run waits for more" until_true grep -q bad followed.bad
kill -KILL "$pid"
wait "$pid" 2>/dev/null
claim "and stays there when it is killed" equal "$(jq -r .line followed.bad)" 3
done_claims
