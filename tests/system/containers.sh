# Logs of containers: parts of messages are joined, by Python's account of the same lines, wherever a run is cut.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise

# make.py SEED: writes lines of CRI (cri.log) and of Docker's json-file (docker.log), with streams mixed and any text in
# the messages, and what they say: wanted.cri and wanted.docker, a JSON array [time, stream, part, message] a line.
cat >make.py <<'PY'
import json, random, sys
random.seed(int(sys.argv[1]))
LETTERS = 'ab {}":\\/\t\x1b\u00e9\u20ac\U0001f600'
def log(kind, put):
    lines, wanted, waiting = [], [], {}
    for i in range(3000):
        stream = random.choice(['stdout', 'stderr', 'stderr'])
        text = ''.join(random.choice(LETTERS) for _ in range(random.choice([0, 1, 5, 40, 300])))
        whole = random.random() < .6
        time = '2026-10-06T%02d:%02d:%02d.%09dZ' % (i // 3600, i // 60 % 60, i % 60, random.randrange(10**9))
        lines.append(put(time, stream, text, whole))
        first, before = waiting.pop(stream, (time, ''))
        if whole: wanted.append([first, stream, 'F', before + text])
        else: waiting[stream] = (first, before + text)
    wanted += [[first, stream, 'P', text] for stream, (first, text) in sorted(waiting.items(), key=lambda w: w[1][0])]
    open(kind + '.log', 'w').write(''.join(line + '\n' for line in lines))
    open('wanted.' + kind, 'w').write(''.join(json.dumps(row) + '\n' for row in wanted))
log('cri', lambda time, stream, text, whole: f'{time} {stream} {"F" if whole else "P"} {text}')
log('docker', lambda time, stream, text, whole: json.dumps(
    {'log': text + ('\n' if whole else ''), 'stream': stream, 'time': time}, ensure_ascii=random.random() < .5))
PY
cat >c.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "c" {
  leat.source.file { path = leat.args.data, follow = leat.flag(leat.args, "follow") },
  leat.parse.container { max_message = leat.args.max, budget = leat.args.budget },
  leat.shape.where { leat.args.where or "1 == 1" },
  leat.sink.file { path = "out.jsonl", format = "jsonl" },
  batch_rows = tonumber(leat.args.rows), dead_letters = leat.args.dead, max_reject_ratio = 1,
}
LUA
rows() { python3 -c 'import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    print(json.dumps([row.get(k) if k != "message" else row[k] for k in ("time", "stream", "part", "message")]))' "${1:-out.jsonl}"; }
run() { leat_run run c.lua --quiet "$@"; }
same() { equal "$(rows | md5sum)" "$(md5sum <"$1")"; }

for seed in 1 2; do
    python3 make.py "$seed"
    for kind in cri docker; do
        for n in 1 7 1000; do
            run --set data=$kind.log --set rows=$n
            claim "messages are those of Python ($kind, seed $seed, batches of $n)" same wanted.$kind
        done
    done
done

# ---- cut anywhere, and continued ----
for kind in cri docker; do
    rm -rf state out.jsonl
    : >grows.log
    at=1
    for to in 7 8 300 301 302 1800 3000; do
        sed -n "$at,${to}p" $kind.log >>grows.log
        at=$((to + 1))
        run --set data=grows.log --state state --keep-open
    done
    run --set data=grows.log --state state
    claim "open messages are in the snapshots ($kind)" same wanted.$kind
done

# ---- rotation between two parts ----
part() { echo "2026-10-06T00:00:0$1Z stdout $2 $3"; }
mkdir pods && cd pods || exit 1
{ part 0 F ready; part 1 P one,; } >0.log
cd .. || exit 1
leat_start c.lua --quiet --state rotated --set data=pods/0.log --set follow=true
until_true grep -qs ready out.jsonl
part 2 P two, >>pods/0.log
mv pods/0.log pods/0.log.20261006-000002
part 3 F three >pods/0.log
claim "a followed log is continued in the file that takes its name" until_true grep -q '"one,two,three"' out.jsonl
leat_stop
part 4 P four, >>pods/0.log
run --set data=pods/0.log --state rotated --keep-open
mv pods/0.log pods/0.log.20261006-000004
part 5 F five >pods/0.log
run --set data=pods/0.log --state rotated --set follow=false
claim "also one that is rotated while leat is down" grep -q '"four,five"' out.jsonl
claim "nothing is cut" equal "$(grep -c '"part":"P"' out.jsonl)" 0

run --set 'data=pods/0.log.20261006-000002,pods/0.log.20261006-000004,pods/0.log'
claim "files in the order of their times are one log" equal "$(rows | jq -r .[3] | tr '\n' ' ')" "ready one,two,three four,five "
run --set 'data=pods/0.log,pods/0.log.20261006-000004,pods/0.log.20261006-000002'
claim "in the wrong order no part joins an earlier one" equal "$(rows | jq -r '.[2] + .[3]' | tr '\n' ' ')" \
    "Ffive Fthree Pfour, Fready Pone,two, "
mkdir other
part 6 P alone >other/1.log
part 7 F other >other/2.log
run --set 'data=other/*.log'
claim "other files are other logs" equal "$(rows | jq -r '.[2] + .[3]' | tr '\n' ' ')" "Fother Palone "

# ---- containers of one file ----
for tag in a b a b; do
    echo "{\"log\":\"$tag\",\"stream\":\"stdout\",\"attrs\":{\"tag\":\"$tag\"},\"time\":\"2026-10-06T00:00:00Z\"}"
done >tags.log
sed 's/"log":"\(.\)"/"log":"\1\\n"/' tags.log | sed -n '3,4p' >ends && sed -i '3,4d' tags.log && cat ends >>tags.log
run --set data=tags.log
claim "attrs keep containers apart" equal "$(rows | jq -r .[3] | tr '\n' ' ')" "aa bb "


# many.py CONTAINERS LINES: parts of so many containers in a random order, each third one the last, in many.log. What
# they say is in wanted.many.
cat >many.py <<'PY'
import json, random, sys
random.seed(5)
containers, lines = int(sys.argv[1]), int(sys.argv[2])
waiting, wanted = {}, []
with open("many.log", "w") as log:
    for i in range(lines):
        tag, whole = random.randrange(containers), i % 3 == 2
        log.write(json.dumps({"log": f"{i};" + whole * "\n", "stream": "stdout", "attrs": {"tag": str(tag)}}) + "\n")
        text = waiting.pop(tag, "") + f"{i};"
        if whole: wanted.append([None, "stdout", "F", text])
        else: waiting[tag] = text
wanted += [[None, "stdout", "P", text] for text in sorted(waiting.values(), key=lambda t: int(t.split(";")[0]))]
open("wanted.many", "w").write("".join(json.dumps(row) + "\n" for row in wanted))
PY
best=() # of three runs each, in microseconds
for containers in 10 10000; do
    python3 many.py $containers 60000
    least=
    for _ in 1 2 3; do
        from=${EPOCHREALTIME//[!0-9]/}
        run --set data=many.log --set budget=64MB
        took=$((${EPOCHREALTIME//[!0-9]/} - from))
        ((${least:=$took} <= took)) || least=$took
    done
    best+=("$least")
    claim "messages of $containers containers are kept apart" same wanted.many
done
claim "many open messages cost about what few do (${best[*]})" [ "${best[1]}" -lt $((10 * best[0])) ]

# ---- bounds ----
python3 -c '
for i in range(10): print("2026-10-06T00:00:00Z stdout P " + str(i) * 1000)
print("2026-10-06T00:00:00Z stdout F end")' >long.log
run --set data=long.log --set max=4096
claim "a message that is too long comes in pieces" equal "$(rows | jq -r '.[2] + (.[3] | length | tostring)' | tr '\n' ' ')" \
    "P4000 P4000 F2003 "
claim "nothing of it is lost" equal "$(rows | jq -j .[3] | md5sum)" "$(sed 's/.*[FP] //' long.log | tr -d '\n' | md5sum)"
python3 -c '
for i in range(40): print("{\"log\":\"%d\",\"stream\":\"stdout\",\"attrs\":{\"tag\":\"%d\"}}" % (i, i))' >wide.log
run --set data=wide.log --set budget=65536
claim "beyond the budget the oldest are given, in their order" equal "$(rows | jq -r '.[2] + .[3]' | tr '\n' ' ')" \
    "$(seq -f 'P%g' 0 39 | tr '\n' ' ')"
leat_run run c.lua --set data=wide.log --set budget=65536
claim_says "and the run says so" "budget: 25 messages were given before their last part came"
leat_run run c.lua --quiet --set data=wide.log --set budget=65536 --summary s.json
claim "figures count them" equal "$(jq -c '.stages[] | select(.plugin == "parse.container").metrics |
    [.joined_messages, .cut_messages, .open_peak]' s.json)" "[0,40,15]"

# ---- characters ----
python3 - <<'PY'
def line(tag, text): return b"2026-10-06T00:00:00Z stdout " + tag + b" " + text + b"\n"
text = "a\u00e9\u20ac\U0001f600b".encode()
with open("whole-text.log", "wb") as log: # cut at every byte of every character
    for at in range(len(text) + 1): log.write(line(b"P", text[:at]) + line(b"F", text[at:]))
    for byte in text: log.write(line(b"P", bytes([byte])))
    log.write(line(b"F", b"") + line(b"P", text[:2]))
with open("latin.log", "wb") as log:
    log.write(line(b"F", b"good") + line(b"P", text[:4]) + line(b"F", text[4:]) + line(b"P", b"caf\xe9") + line(b"F", b" au lait"))
    log.write(line(b"F", b"\xe9t\xe9"))
with open("alone.log", "wb") as log: log.write(line(b"F", b"good") + line(b"F", b"\xe9t\xe9"))
PY
leat_run run c.lua --set data=whole-text.log
claim "a part that ends within a character is no fault" equal "$status $(grep -c UTF-8 "$err")" "0 0"
claim "the next part completes it" equal "$(rows | jq -r .[3] | sort | uniq -c | tr -s '\n ' ' ')" " 13 aé€😀b 1 a� "
leat_run run c.lua --set data=latin.log
claim_says "a joined message that is not UTF-8 is one, where it begins" \
    "latin.log:4: the message that begins here is not UTF-8 (byte 0xe9)"
claim "once" equal "$(grep -c UTF-8 "$err")" 1
leat_run run c.lua --set data=alone.log
claim_says "and one of a single line" "alone.log:2: the message that begins here is not UTF-8 (byte 0xe9)"

# ---- bad lines, and what comes behind ----
printf '%s\n' 'no log' '2026-10-06T00:00:00Z stdin F x' '2026-10-06T00:00:00Z stdout X x' '{"log":1}' '{"log":"a",}' '' \
    '2026-10-06T00:00:00Z stdout F:x good' '2026-10-06T00:00:00Z stdout F' >bad.log
run --set data=bad.log --set dead=dead.jsonl
claim "lines of another form are rejected, each with its place" equal \
    "$(jq -c '[.line, .reason]' dead.jsonl | tr '\n' ' ')" \
    '[1,"syntax"] [2,"syntax"] [3,"syntax"] [4,"syntax"] [5,"syntax"] '
claim "others are taken" equal "$(rows | jq -r .[3] | tr '\n' ' ')" "good  "
sed 's/leat.shape.where.*/leat.parse.json { "user", "status" },/; s/dead_letters = [^,]*/dead_letters = "inner.jsonl"/' c.lua >inner.lua
{ part 1 P '{"user":"ann",'; part 2 F '"status":500}'; part 3 P '{"user":'; part 4 F '}'; } >json.log
leat_run run inner.lua --quiet --set data=json.log
claim "a parser behind it reads the message" equal "$(jq -c '[.user, .status]' out.jsonl)" '["ann","500"]'
claim "a dead letter has the message, and the place of its first part" equal \
    "$(jq -c '[.record, .line, .input]' inner.jsonl)" '["{\"user\":}",3,"json.log"]'

# ---- peek and the applications ----
leat_run peek cri.log --json
claim "peek knows CRI" grep -q "log of format cri" "$err"
leat_run peek docker.log --json
claim "peek knows Docker's json-file" grep -q "log of format docker" "$err"
claim "and counts messages" equal "$(jq .records "$out")" "$(wc -l <wanted.docker)"
leat_run explain docker.log --format docker --outlier 'stream == "stderr"' --attributes part --quiet
claim_exit "an application reads it" 0
# The lines of a sample may be as long as those of the file: a format is known by them, too.
python3 - <<'PY'
import json
with open("long-json.log", "w") as log:
    for i in range(60):
        stream, text = ("stderr", "x" * 20000) if i % 3 == 0 else ("stdout", "short")
        parts = [text[k:k + 16384] for k in range(0, len(text), 16384)]
        for part in parts:
            end = "\n" if part is parts[-1] else ""
            log.write(json.dumps({"log": part + end, "stream": stream, "time": f"2026-10-06T00:17:{i:02}.5Z"}) + "\n")
PY
leat_run peek long-json.log
claim "peek knows a log of long lines" grep -q "log of format docker" "$err"
leat_run explain long-json.log --outlier 'stream == "stderr"' --attributes part
claim_says "explain counts its messages, and not their parts" '20 of 60 records (33.3 %) have stream == "stderr"'
done_claims
