# parse.elements: the elements of arrays as records, by Python's account of the same objects; OpenTelemetry's JSON.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

cat >e.lua <<'LUA'
local leat = require "leat"
local args = leat.args
return leat.pipeline "e" {
  leat.source.file { args.data, max_record = "64KiB" },
  leat.parse.elements { each = args.each, format = args.format, pairs = leat.flag(args, "pairs") },
  leat.parse.lines {},
  leat.sink.file { path = "out.jsonl", format = "jsonl" },
  batch_rows = tonumber(args.rows), dead_letters = args.dead, max_reject_ratio = 1,
}
LUA
run() { leat_run run e.lua --quiet "$@"; }
# Prints the records as Python reads them. The first of equal names counts.
rows() { python3 -c 'import json, sys
def first(pairs):
    d = {}
    for k, v in pairs: d.setdefault(k, v)
    return d
for line in open("out.jsonl"):
    print(json.dumps(json.loads(json.loads(line)["text"], object_pairs_hook=first), sort_keys=True))'; }

# make.py SEED: objects with arrays at a[*].b[*] and c[*] (data.jsonl), and their elements (wanted): with pairs as they
# are, and as objects (wanted.pairs).
cat >make.py <<'PY'
import json, random, sys
random.seed(int(sys.argv[1]))
KEYS = ['n', 'x', 'key "q"', '\u00e9\t', 'a.b', '']
def value(depth=0):
    r = random.random()
    if depth < 3 and r < .15: return [value(depth + 1) for _ in range(random.randrange(3))]
    if depth < 3 and r < .3: return {k: value(depth + 1) for k in random.sample(KEYS, random.randrange(3))}
    if depth < 3 and r < .45: return [pair(depth) for _ in range(random.randrange(1, 4))]
    return random.choice([None, True, 5, -1.5e300, 12345678901234567890, '', 'text "q" \\ \u20ac', 'a,b]}'])
def otlp(depth):
    r = random.random()
    if depth < 3 and r < .2: return {'arrayValue': {'values': [otlp(depth + 1) for _ in range(random.randrange(3))]}}
    if depth < 3 and r < .4: return {'kvlistValue': {'values': [pair(depth + 1, otlp) for _ in range(random.randrange(1, 3))]}}
    return random.choice([{'stringValue': 's'}, {'intValue': '-7'}, {'doubleValue': .5}, {'boolValue': False}, {'bytesValue': 'AA=='}, {'arrayValue': {}}, {'kvlistValue': {}}, {}])
def pair(depth, of=None):
    return {'key': random.choice(KEYS), 'value': (of or random.choice([value, otlp]))(depth + 1)}
SINGLE = ['stringValue', 'intValue', 'doubleValue', 'boolValue', 'bytesValue']
def bare(v):
    if isinstance(v, list):
        if v and all(isinstance(e, dict) and set(e) <= {'key', 'value'} and isinstance(e.get('key'), str) for e in v):
            d = {}
            for e in v: d.setdefault(e['key'], None if e.get('value') == {} else bare(e.get('value')))
            return d
        return [bare(e) for e in v]
    if isinstance(v, dict):
        if len(v) == 1:
            k, w = next(iter(v.items()))
            if k in SINGLE: return bare(w)
            if k in ('arrayValue', 'kvlistValue') and w == {}: return [] if k == 'arrayValue' else {}
            if k in ('arrayValue', 'kvlistValue') and isinstance(w, dict) and list(w) == ['values']: return bare(w['values'])
        return {k: bare(w) for k, w in v.items()}
    return v
def members(names):
    return {k: value() for k in random.sample(KEYS, random.randrange(4))}
def element(): return random.choice([members(KEYS), members(KEYS), value()])
data, wanted = [], []
def add(element, name, *around):
    if element is None: return
    row = dict(element) if isinstance(element, dict) else {name: element}
    for outer, but in around:
        for k, v in outer.items():
            if k not in but: row.setdefault(k, v)
    wanted.append(row)
for i in range(300):
    top = members(KEYS)
    if i % 5:
        top['a'] = [dict(members(KEYS), b=[element() for _ in range(random.randrange(4))]) for _ in range(random.randrange(1, 4))]
        for a in top['a']:
            for e in a['b']: add(e, 'b', (a, ['b']), (top, ['a', 'c']))
    else:
        top['c'] = [element() for _ in range(random.randrange(3))]
        for e in top['c']: add(e, 'c', (top, ['a', 'c']))
    items = list(top.items())
    random.shuffle(items)
    data.append(json.dumps(dict(items), ensure_ascii=random.random() < .5, separators=random.choice([(',', ':'), (', ', ' : ')])))
open('data.jsonl', 'w').write('\n'.join(data) + '\n')
open('wanted', 'w').write(''.join(json.dumps(row, sort_keys=True) + '\n' for row in wanted))
open('wanted.pairs', 'w').write(''.join(json.dumps(bare(row), sort_keys=True) + '\n' for row in wanted))
PY
same() { equal "$(rows | md5sum)" "$(md5sum <"$1")"; }
for seed in 1 2 3; do
    python3 make.py "$seed"
    for n in 1 3 1000; do
        run --set data=data.jsonl --set 'each=a[*].b[*],c[*]' --set rows=$n
        claim "elements are those of Python (seed $seed, batches of $n)" same wanted
    done
    run --set data=data.jsonl --set 'each=a[*].b[*],c[*]' --set pairs=true
    claim "pairs are objects (seed $seed)" same wanted.pairs
done
claim "no record is rejected" bash -c "! grep -q rejected $err"

# ---- one record of many elements, a restart, and dead letters ----
python3 -c 'import json
print(json.dumps({"h": "x" * 500, "e": [{"i": i} for i in range(4000)]}))' >wide.jsonl
run --set data=wide.jsonl --set 'each=e[*]'
claim "elements of one record go into many batches" equal "$(jq -r .text out.jsonl | jq -c '[.i, (.h | length)]' | md5sum)" \
    "$(seq -f '[%g,500]' 0 3999 | md5sum)"
: >grows.jsonl && rm -f out.jsonl
for to in 1 2 50 51 300; do
    sed -n "$(($(wc -l <grows.jsonl) + 1)),${to}p" data.jsonl >more && cat more >>grows.jsonl
    run --set data=grows.jsonl --set 'each=a[*].b[*],c[*]' --state state --keep-open
done
claim "snapshots lie between whole records" same wanted

printf '%s\n' '{"e":[{"n":1},{"n":"x"}],"h":"a"}' '{"f":1}' '[1]' '{"e":[1,}' '{"e":[]}' '{"e":[null]}' '' '{"e":{"n":2}}' '{"e":5}' >bad.jsonl
run --set data=bad.jsonl --set 'each=e[*]' --set dead=dead.jsonl
claim "an object is one element, and so is a number" equal "$(jq -r .text out.jsonl | tr '\n' ' ')" \
    '{"n":1,"h":"a"} {"n":"x","h":"a"} {"n":2} {"e":5} '
claim "a record without the path is rejected, as is one that is no object" equal \
    "$(jq -c '[.line, .reason]' dead.jsonl | tr '\n' ' ')" '[2,"fields"] [3,"syntax"] [4,"syntax"] '
claim "the message says what is missing" grep -q 'nothing at e\[\*\]' dead.jsonl
sed 's/leat.parse.lines {}/leat.parse.json { "n", numbers = { "n" } }/' e.lua >n.lua
rm -f dead.jsonl
leat_run run n.lua --quiet --set data=bad.jsonl --set 'each=e[*]' --set dead=dead.jsonl
claim "a later stage rejects one element, with the place of its record" equal \
    "$(jq -c 'select(.reason == "number") | [.line, .record]' dead.jsonl)" '[1,"{\"n\":\"x\",\"h\":\"a\"}"]'

for each in 'e' 'e[*].' 'e[*]x[*]' ''; do
    leat_run check e.lua --set data=bad.jsonl --set "each=$each"
    claim_exit "'$each' is no path of elements" 2
done
leat_run check e.lua --set data=bad.jsonl --set each=e
claim_says "and the message says why" "'e' must end in [*]"
leat_run check e.lua --set data=bad.jsonl
claim_says "a path must be given" "each: is missing: give a path such as \"Records[*]\", or format = \"otlp\""

# ---- OpenTelemetry ----
# Lines of the collector's file exporter for logs, spans and metrics.
cat >otel.jsonl <<'OTEL'
{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeLogs":[{"scope":{"name":"lib","version":"1"},"logRecords":[{"timeUnixNano":"1700000000000000001","severityText":"ERROR","body":{"stringValue":"no \"disk\""},"attributes":[{"key":"http.status_code","value":{"intValue":"503"}},{"key":"m","value":{"kvlistValue":{"values":[{"key":"a","value":{"boolValue":true}}]}}}],"traceId":"5b8efff798038103d269b633813fc60c"},{"timeUnixNano":"1700000001000000001","severityText":"INFO","body":{"kvlistValue":{"values":[{"key":"event","value":{"stringValue":"up"}}]}}}]}]}]}
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"pay"}}]},"scopeSpans":[{"scope":{},"spans":[{"name":"GET /","kind":2,"startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000250000000","attributes":[{"key":"ids","value":{"arrayValue":{"values":[{"intValue":"1"},{"intValue":"2"}]}}}]}]}]}]}
{"resourceMetrics":[{"resource":{},"scopeMetrics":[{"metrics":[{"name":"m1","unit":"ms","sum":{"dataPoints":[{"asDouble":1.5,"timeUnixNano":"1700000000000000002"}],"aggregationTemporality":2,"isMonotonic":true}},{"name":"m2","gauge":{"dataPoints":[{"asInt":"7"},{"asInt":"8"}]}},{"name":"m3","histogram":{"dataPoints":[{"count":"2","sum":3}]}}]}]}]}
{"resourceLogs":[]}
OTEL
cat >o.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "o" {
  leat.source.file { "otel.jsonl" },
  leat.parse.elements { format = "otlp" },
  leat.parse.json { "timeUnixNano", "name", 'service=resource.attributes."service.name"', 'status=attributes."http.status_code"',
                    "a=attributes.m.a", "body", "event=body.event", "ids=attributes.ids[*]", "v=asInt", "isMonotonic", "sum",
                    integers = { "status" }, other = "empty" },
  leat.parse.time { "timeUnixNano", format = "unix_ns", parts = { "iso8601" }, missing = "none" },
  leat.sink.file { path = "o.jsonl", format = "jsonl" },
}
LUA
leat_run run o.lua --quiet
cat >o.wanted <<'WANTED'
["2023-11-14T22:13:20.000000001Z","shop",503,"true","no \"disk\""]
["2023-11-14T22:13:21.000000001Z","shop",null,null,null,"up"]
["pay","GET /","1 2"]
["2023-11-14T22:13:20.000000002Z","m1","true"]
["m2","7"]
["m2","8"]
["m3","3"]
WANTED
claim "log records, spans and data points have what surrounds them" equal "$(jq -c 'if .status or .event then
    [.iso8601, .service, .status, .a, .body, .event] | if .[5] == null then .[:5] else . end elif .service then [.service, .name, .ids]
    else [.iso8601, .name, .v, .isMonotonic, .sum] | map(select(. != null)) end' o.jsonl)" "$(cat o.wanted)"

python3 -c 'import json
for i in range(40):
    bad = i % 4 == 0
    print(json.dumps({"resourceLogs": [{"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "pay" if bad or i % 9 == 0 else "shop"}}]},
        "scopeLogs": [{"logRecords": [{"timeUnixNano": str(1700000000000000000 + i), "severityText": "ERROR" if bad else "INFO"}] * 5}]}]}))' >logs.jsonl
leat_run peek logs.jsonl --json
claim "peek knows it" grep -q "logs.jsonl: otlp, each log record" "$err"
claim "and counts elements" equal "$(jq .records "$out")" 200
claim "its time is in nanoseconds" grep -q -- "--format otlp --time timeUnixNano --time-format unix_ns" "$err"
leat_run explain logs.jsonl --outlier 'severityText == "ERROR"' --quiet --k 1
claim "explain finds the service" grep -q 'resource.attributes."service.name"=pay' "$out"
awk 'BEGIN { for (i = 0; i < 40; i++) { printf "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":["
    n = i % 2 ? 20 : 2; for (k = 0; k < n; k++) printf "%s{\"severityText\":\"%s\",\"ms\":%d,\"pad\":\"%060d\"}",
        k ? "," : "", k % 2 ? "INFO" : "ERROR", i % 2 ? 1000 + k : 10, 0; print "]}]}]}" } }' >long.jsonl
leat_run explain long.jsonl --metric ms --quantile 0.9 --attributes severityText
claim_says "elements of long lines are in the sample, too" "40 of 440 records (9.09 %) have ms > 1017"
leat_run classify long.jsonl --label severityText --numbers ms
claim_says "classify knows it" "positive = ERROR"
leat_run compare long.jsonl --split 'severityText == "ERROR"' --attributes ms --quiet
claim_exit "compare takes it as well" 0
printf '{"\\u0061":[1],"gr\\u00f6\\u00dfe":[2]}\n' >keys.jsonl
cat >keys.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "keys" { leat.source.file { leat.args.data }, leat.parse.elements { each = leat.args.each },
  leat.parse.lines { column = "t" }, leat.sink.file { path = "-", format = "csv" }, max_reject_ratio = 1, dead_letters = "dead" }
LUA
leat_run run keys.lua --quiet --set data=keys.jsonl --set each='a[*],größe[*]'
claim "keys with escapes are found" equal "$(sed 1d "$out" | tr -d '"\\' | sort | xargs)" '{gru00f6u00dfe:2} {u0061:1}'
python3 -c 'import json; print(json.dumps({"s": "x" * 400000, "a": [1] * 200000}))' >wide.jsonl
python3 -c 'import json; print(json.dumps({"s": "x" * 100, "a": [1] * 200000}))' >>wide.jsonl
leat_run run keys.lua --quiet --set data=wide.jsonl --set each='a[*]'
claim "a long surrounding of many elements is rejected" equal "$(jq -c '[.line, .reason]' dead)" '[1,"too_large"]'
claim "and not a short one" equal "$(sed 1d "$out" | wc -l)" 200000
done_claims
