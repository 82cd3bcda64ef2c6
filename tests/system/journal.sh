# The journal of systemd: texts that journalctl writes as bytes, fields that occur twice, and its export format.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# A journal in the documented export format: 40 entries, with texts of any bytes.
cat >make.py <<'PY'
import json, random, struct
random.seed(5)
texts = [b'plain', b'say "hi" \\ x=1', b'\x1b[31mred\x1b[0m', b'latin \xe9', 'two lines\nof \u00e9 \U0001f600'.encode(), b'tab\there', b'nul \x00 byte', b'=', b'[1,2]']
out, rows = b'', []
for i in range(40):
    message = random.choice(texts) + b' ' + str(i).encode()
    tags = [random.choice([b'x', b'y z', b'\x01\xff']) for _ in range(random.choice([0, 1, 2, 3]))]
    fields = [(b'MESSAGE', message), (b'PRIORITY', str(i % 7).encode())] + [(b'TAG', tag) for tag in tags]
    out += b'__CURSOR=s=00000000000000000000000000000001;i=%x;b=7e2f0d4c1b9a4f7e8d2c5b6a7f8e9d0c;m=%x;t=%x;x=%x\n' % (i, i, i, i)
    out += b'__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=7e2f0d4c1b9a4f7e8d2c5b6a7f8e9d0c\n' % (1700000000000000 + i, 1000 + i)
    for key, value in fields:
        if all(32 <= c < 127 for c in value): out += key + b'=' + value + b'\n'
        else: out += key + b'\n' + struct.pack('<Q', len(value)) + value + b'\n'
    out += b'\n'
    distinct = list(dict.fromkeys(tags))  # a journal has a field with one value once
    rows.append([1700000000000000 + i, message.hex(), sorted(tag.hex() for tag in distinct)])
open('journal.export', 'wb').write(out)
open('wanted', 'w').write(''.join(json.dumps(row) + '\n' for row in rows))
PY
python3 make.py

cat >j.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "j" {
  leat.source.file { path = leat.args.data },
  leat.parse.json { "t=__REALTIME_TIMESTAMP", "MESSAGE", "tags=TAG[*]", separator = "\2" },
  leat.parse.time { "t", format = "unix_us", parts = { "iso8601" } },
  leat.sink.file { path = "out.csv", format = "csv" },
}
LUA
# Prints [time, message in hex, tags in hex] of each record.
rows() { python3 -c 'import csv, json, sys
text = open("out.csv", encoding="latin-1", newline="").read().replace("\0", "\3")
for row in list(csv.reader(text.splitlines(keepends=True)))[1:]:
    raw = [cell.replace("\3", "\0").encode("latin-1") for cell in row]
    print(json.dumps([int(raw[0]), raw[1].hex(), sorted({tag.hex() for tag in raw[2].split(b"\2") if raw[2]})]))'; }

leat_run peek journal.export
claim "the export format is known" grep -q "the journal's export format" "$err"
bash -c "$(sed -n 's/.*: convert it with //p' "$err")"
leat_run run j.lua --quiet --set data=data.jsonl
claim "what its command makes has all texts, byte for byte" equal "$(rows)" "$(cat wanted)"
claim "no record is rejected" bash -c "! grep -q rejected $err"

remote=/lib/systemd/systemd-journal-remote
if there_is journalctl && [[ -x $remote ]]; then
    "$remote" -o real.journal journal.export >remote.out 2>&1
    journalctl --file real.journal -o json >real.jsonl
    leat_run run j.lua --quiet --set data=real.jsonl
    claim "so does what journalctl -o json writes" equal "$(rows)" "$(cat wanted)"
    journalctl --file real.journal -o export >real.export
    leat_run peek real.export
    bash -c "$(sed -n 's/.*: convert it with //p' "$err")"
    leat_run run j.lua --quiet --set data=data.jsonl
    claim "and what journalctl -o export writes" equal "$(rows)" "$(cat wanted)"
    leat_run peek real.journal
    claim_says "a journal file is known" "journalctl --file"
else
    skip "real journals" "there is no journalctl or systemd-journal-remote"
fi
leat_run peek data.jsonl --json
claim "peek takes the bytes for texts" equal "$(jq -r '.columns[] | select(.column == "MESSAGE") | .empty' "$out")" 0
claim "and finds the time" grep -q -- "--time __REALTIME_TIMESTAMP --time-format unix_us" "$err"

printf '%s\n' '{"__CURSOR":"s=1","MESSAGE":["a","b"],"__REALTIME_TIMESTAMP":"1"}' '{"MESSAGE":[97,98],"__REALTIME_TIMESTAMP":"1"}' >more.jsonl
leat_run run j.lua --set data=more.jsonl
claim_says "a field that occurs twice is no single text" "MESSAGE is an array"
claim "nor are bytes in other records" grep -q "more.jsonl:2.*an array" "$err"
done_claims
