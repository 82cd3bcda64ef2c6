# Every stage with a state, or that declares none, is killed in the middle and continued from snapshots.
#
# All states and outputs end as those of a run that was never killed. `leat plugins` lists the stages; none may be left
# out.
# tier: long (25 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise # the shell's words on killed children
"$LEAT" plugins --json >plugins.json
names() { jq -r "[.[] | select($1) | .name | sub(\"^learn[.]\"; \"\")] | join(\",\")" plugins.json; }

awk 'BEGIN { srand(5); for (i = 0; i < 2000; i++) if (i % 297 == 5) print "bad line"; else { y = rand() < .5
    printf "%s", y ? "+1" : "-1"; for (j = 0; j < 5; j++) printf " %d:%.2f", j * 12 + 1 + rand() * 12 + 3 * y, rand();
    print "" } }' >a.svm
awk 'BEGIN { srand(9); print "class,u,v,m"; for (i = 0; i < 2000; i++) if (i % 300 == 3) print "short"; else {
    c = int(rand() * 3)
    printf "%s,u%d,v%d,%.3f\n", substr("xyz", c + 1, 1), rand() * 20 + c * 3, rand() * 30, rand() * 100 } }' >a.csv
awk 'BEGIN { srand(9); for (i = 0; i < 2000; i++) { for (j = 0; j < 6; j++) printf "w%d ", rand() * 60; print "" } }' \
    >a.txt
tr , '\t' <a.csv >a.tsv
# A log with another head in the middle.
awk -F'\t' -v OFS='\t' 'NR == 1 { print "#fields", $0; next } NR == 1000 { print "#fields\tv\tm\tclass\tu" }
    NR < 1000 { print; next } { print $3, $4, $1, $2 }' a.tsv >a.log
awk 'BEGIN { print "u,host"; for (i = 0; i < 24; i++) print "u" i ",host " i % 7 }' >a.hosts
awk -F, 'NR > 1 { printf "{\"u\": \"%s\", \"v\": [\"%s\"]}\n", $1, $2; if (NR % 97 == 5) print "{" }' a.csv >a.json
echo '{"type":"record","name":"R","fields":[{"name":"u","type":"string"},{"name":"v","type":{"type":"array","items":"string"}}]}' >a.avsc
# A line is a record: no byte is a line end, as no text has five bytes.
LC_ALL=C awk -F, 'function text(s) { printf "%c%s", 2 * length(s), s }
    NR > 1 { text($1); printf "%c", 2; text($2); printf "%c\n", NR % 97 == 5 ? 2 : 0 }' a.csv >a.records
echo 'syntax = "proto3"; message R { string u = 2; repeated string v = 3; }' >a.proto
LC_ALL=C awk -F, 'function text(tag, s) { printf "%c%c%s", tag, length(s), s }
    NR > 1 { text(18, $1); text(26, $2); if (NR % 97 == 5) printf "%c", 0; print "" }' a.csv >a.pb
sed 's/ / |f /' a.svm >a.vw
sed 's/ \([0-9]*:\)/ 3:\1/g' a.svm >a.ffm
awk -F, 'NR > 1 { printf "u=%s v=\"%s\\n\"%s\n", $1, $2, NR % 97 == 5 ? "x" : "" }' a.csv >a.logfmt
sed 's/.*/{"record":"&"}/' a.csv >a.dead
awk -F, 'NR > 1 { print "2024-05-01T00:00:00Z", NR % 2 ? "stdout" : "stderr", NR % 5 ? "P" : "F", $1 $2 }' a.csv >a.cri
awk -F, 'NR > 1 { printf "{\"id\":\"%s\",\"v\":[", $1; for (i = 0; i < NR % 4; i++) printf "%s{\"n\":%d}", i ? "," : "", i; print "]}" }' a.csv >a.many
gzip -k a.csv
{ # 1500 UDP packets
    printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\1\0\0\0'
    for i in {1..1500}; do
        printf '%b' "\1\0\0\0\0\0\0\0\x2a\0\0\0\x2a\0\0\0\0\0\0\0\0\1\0\0\0\0\0\2\x8\0\x45\0\0\x1c\0\1\0\0\x40\x11\0\0\xa\0\0\x$(printf %x $((i % 200)))\xa\0\1\1\0\x35\x4\xd2\0\x8\0\0"
    done
} >a.pcap

cat >part.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local parts = {}

-- Each learner in a branch of its own, its heaviest features shown every so often.
local function branches(kind, settings)
  local all = {}
  for name in a.names:gmatch "[^,]+" do
    local s = { id = name, method = kind == "product" and name or nil }
    local known = leat.parameters("learn." .. (kind or name))
    for key, value in pairs(settings) do
      if known[key] then s[key] = value end
    end
    all[#all + 1] = {
      leat.learn[kind or name](s),
      leat.sink.top { k = 20, every = 700, format = "csv", path = name .. ".top" },
    }
  end
  return leat.tee(all)
end
local small = { budget = "4KB", max_features = 128, names_budget = "64KB", counts = true, loss = "logistic", m = 4, size = 8 }

function parts.learners()
  return { leat.source.file { "a.svm" }, leat.parse.libsvm {}, branches(nil, small) }
end
function parts.classes()
  small.counts, small.l1, small.half_life = nil, 1e-6, 5000
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {},
    leat.label.class { column = "class", classes = { "x", "y", "z" } }, leat.label.weight { classes = "balanced" },
    leat.feature.columns { "u", "v" },
    branches(nil, small),
  }
end
function parts.products()
  return {
    leat.source.file { "a.svm" }, leat.parse.libsvm {}, leat.feature.sides { below = 30 },
    branches("product", small),
  }
end
function parts.pairs()
  return {
    leat.source.file { "a.txt" }, leat.parse.lines {}, leat.feature.tokens {},
    leat.feature.pairs { window = 3, negatives = 2, reservoir = 100 },
    leat.learn.wm { budget = "2KB" },
    leat.sink.predictions { path = "predictions" },
  }
end
function parts.columns()
  return {
    leat.source.file { "a.csv.gz" }, leat.parse.csv {},
    leat.label.mad { column = "m", warmup = 50, k = 20, missing = "keep" },
    leat.label.quantile { column = "m", q = 0.7, k = 20, warmup = 50, adds = true },
    leat.label.holdout { period = 7 },
    leat.feature.columns { columns = { "u", "v" }, cross = 2 }, leat.feature.hash { bits = 8 },
    leat.learn.awm { budget = "2KB" },
    leat.sink.file { path = "rows", format = "csv" },
    leat.sink.changes { k = 30, every = 300, weight_change = 0.05, path = "changes" },
    leat.sink.metrics { every = 300, path = "metrics" },
  }
end
function parts.lua()
  local seen, n, turn, log = {}, 0, 0, { list = {}, sum = 0.5, [true] = "x\0y" }
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {},
    leat.filter(function(u, v)
      n = n + 1
      local known = seen[u .. v]
      seen[u .. v] = n
      return not known
    end, { "u", "v" }, { state = { "seen", "n" } }),
    leat.map(function(m)
      log.sum = log.sum + m
      log.list[#log.list % 50 + 1] = m
      return log.sum, math.random(1000)
    end, { "m:number" }, { "sum:number", "r:number" }, { state = "log" }),
    leat.batch(function(b)
      n = n + b:n()
      for i in b:rows() do b:set(i, "r", b:get(i, "r") + n) end
    end, { state = "n" }),
    leat.route(function()
      turn = turn % 3 + 1
      return turn == 1 and "first" or "others"
    end, {}, {
      first = { leat.sink.file { path = "first", format = "csv" } }, others = { leat.sink.file { path = "rows", format = "csv" } },
    }, { state = "turn" }),
  }
end
function parts.flat()
  local n, ends = 0, 0
  local function number(emit, v, m, last)
    n = n + 1
    if last then ends = ends + 1; emit("end", n); emit("ends", ends) end
    if n % 100 == 7 then error("one in a hundred") end
    for i = 1, n % 5 == 0 and 90 or n % 3 do emit(v, (m or 0) + i) end
  end
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {},
    leat.flat(number, { "v", "m:number", "@end" }, { "v", "m:number" }, { state = { "n", "ends" } }),
    leat.label.number { column = "m" }, leat.feature.columns { "v" },
    leat.learn.bias {},
    leat.sink.file { path = "rows", format = "csv" },
  }
end
function parts.own()
  local n, seen = 0, {}
  local function label(m) n = n + 1 return n % 7 == 0 and "high" or m and m > 50 and "mid" or "low" end
  local function features(u, v)
    seen[u] = (seen[u] or 0) + 1
    return { "u=" .. u, ["v=" .. v] = 1, times = seen[u] }
  end
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {},
    leat.label(label, { "m:number" }, { classes = { "low", "mid", "high" }, state = "n" }),
    leat.features(features, { "u", "v" }, { state = "seen" }),
    leat.learn.awm { budget = "2KB" }, leat.sink.predictions { path = "predictions" },
  }
end
function parts.window()
  local n = 0
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {},
    leat.map(function(m) n = n + 1; return n * 10 - (m or 0) // 2 end, { "m:number" }, { "t:number" }, { state = "n" }),
    leat.parse.time { column = "t", format = "unix" },
    leat.window { "count", "mean(m)", "min(m)", "quantile(m, 0.9)", "distinct(v)", "top(v, 2)", every = "10min", slide = "5min",
      lateness = "20s", late = "filter", by = { "class" } },
    leat.sink.file { path = "rows", format = "csv" },
  }
end
function parts.results()
  local n = 0
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {}, leat.label.is { column = "class", positive = "x" },
    leat.map(function(m) n = n + 1; return n * 3 - m // 2 end, { "m:number" }, { "seconds:number" }, { state = "n" }),
    leat.parse.time { column = "seconds", format = "unix" },
    leat.feature.columns { "u", "v" }, leat.learn.awm { id = "m", budget = "2KB" },
    leat.tee {
      { leat.result.predictions { "v", "m" }, leat.sink.file { path = "predictions", format = "csv" } },
      { leat.result.changes { k = 5, every = 150, weight_change = 0.1 }, leat.sink.file { path = "changes", format = "csv" } },
      { leat.result.top { id = "by_event", k = 4, every = "10min", clock = "event" }, leat.sink.file { path = "top", format = "csv" } },
      { leat.result.metrics { every = 200 }, leat.sink.file { path = "figures", format = "jsonl" } },
      { leat.sink.changes { k = 5, every = "7min", clock = "event", format = "csv", path = "changes_by_event" } },
    },
  }
end
function parts.sort()
  local n = 0
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {},
    leat.map(function(m) n = n + 1; return n * 10 - (m or 0) // 2 end, { "m:number" }, { "t:number" }, { state = "n" }),
    leat.parse.time { column = "t", format = "unix" }, leat.label.period { before = "1970-01-01T02:00" },
    leat.shape.sort { lateness = "20s", late = "pass" },
    leat.filter(function(m) return m ~= 40 or error "forty" end, { "m:number" }),
    leat.feature.columns { "v" }, leat.learn.bias {},
    leat.sink.file { path = "rows", format = "raw" },
  }
end
function parts.reservoir()
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {}, leat.shape.reservoir { k = 50 },
    leat.filter(function(m) return m ~= 40 or error "forty" end, { "m:number" }),
    leat.sink.file { path = "rows", format = "raw" },
  }
end
function parts.packets()
  return {
    leat.source.pcap { "a.pcap", filter = "not host 10.0.0.7" }, leat.parse.packet {},
    leat.sink.file { path = "rows", format = "csv" },
  }
end
function parts.labels()
  local function branch(label, learner)
    return { label, leat.feature.columns { "u", "v" }, leat.feature.normalize {}, learner, leat.sink.predictions { path = label.id } }
  end
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {},
    leat.tee {
      branch(leat.label.is { column = "class", positive = { "x" }, id = "is" }, leat.learn.logistic {}),
      branch(leat.label.where { "class == 'x'", id = "condition" }, leat.learn.logistic {}),
      branch(leat.label.number { column = "m", id = "number" }, leat.learn.bias {}),
      branch(leat.label.constant { value = 1, id = "constant" }, leat.learn.logistic {}),
    },
  }
end
function parts.tsv()
  return { leat.source.file { "a.tsv" }, leat.parse.tsv {}, leat.sink.file { path = "rows", format = "csv" } }
end
function parts.fields()
  return { leat.source.file { "a.log" }, leat.parse.fields { "u", "v" }, leat.sink.file { path = "rows", format = "csv" } }
end
function parts.json()
  return { leat.source.file { "a.json" }, leat.parse.json { columns = { "u", "v[*]" } }, leat.sink.file { path = "rows", format = "csv" } }
end
function parts.avro()
  return {
    leat.source.file { "a.records" }, leat.parse.avro { "u", "v[*]", schema = "a.avsc", framing = "none" },
    leat.sink.file { path = "rows", format = "csv" },
  }
end
function parts.protobuf()
  return {
    leat.source.file { "a.pb" }, leat.parse.protobuf { "u", "v[*]", schema = "a.proto", message = "R", framing = "none" },
    leat.sink.file { path = "rows", format = "csv" },
  }
end
function parts.logfmt()
  return { leat.source.file { "a.logfmt" }, leat.parse.logfmt { "u", "v" }, leat.sink.file { path = "rows", format = "csv" } }
end
function parts.regex()
  return { leat.source.file { "a.csv" }, leat.parse.regex { pattern = "^(?<first>[^,]*),(?<second>\\w+)" }, leat.sink.file { path = "rows", format = "csv" } }
end
function parts.time()
  local n = 0
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {},
    leat.map(function(m)
      n = n + 1
      return 60 * n + m -- seconds, and now and then back
    end, { "m:number" }, { "at:number" }, { state = "n" }),
    leat.parse.time { "at", format = "unix", zone = "-03:30", parts = { "hour", "iso8601" } },
    leat.tee {
      { leat.sink.file { path = "rows", format = "csv" } },
      {
        leat.label.is { column = "class", positive = "x" }, leat.feature.columns { "u", "hour" },
        leat.tee {
          { leat.learn.contrast { half_life = "5h" }, leat.sink.top { path = "contrast", every = 500, format = "csv" } },
          { leat.learn.awm { half_life = "5h", counts = true }, leat.sink.top { path = "awm", every = 500, format = "csv" } },
          { leat.learn.logistic { half_life = "90min" }, leat.sink.predictions { path = "predictions" } },
          { leat.learn.rfd_son { half_life = "2h", m = 4 }, leat.sink.predictions { path = "rfd_son" } },
          { leat.learn.s_adagrad { half_life = "2h", m = 4 }, leat.sink.predictions { path = "s_adagrad" } },
          { leat.learn.sftrl { half_life = "2h", m = 4, loss = "logistic" }, leat.sink.predictions { path = "sftrl" } },
          { leat.feature.sides { left = { "u" } }, leat.learn.product { half_life = "2h", size = 4 }, leat.sink.top { path = "product", every = 500, format = "csv" } },
        },
      },
    },
  }
end
local function examples(path, parser)
  local function drift(detector) return leat.eval.drift { id = detector, detector = detector, delta = 0.1, threshold = 2, changes = "all", path = detector, format = "csv" } end
  return {
    leat.source.file { path }, parser, leat.learn.logistic {}, leat.sink.predictions { path = "predictions" },
    drift "adwin", drift "page_hinkley",
  }
end
function parts.shape()
  return {
    leat.source.file { "a.csv" }, leat.parse.csv {}, leat.shape.where { "m > 20" },
    leat.shape.set { "v = upper(v) .. hash(u) % 10", "big = m > 50" },
    leat.shape.lookup { "a.hosts", key = "u", columns = { "host" }, missing = "filter" }, leat.shape.sample { rate = 0.8 }, leat.shape.dedup { by = { "v", "big" }, records = 40, memory = "4KB" },
    leat.sink.file { path = "rows", format = "csv" },
  }
end
function parts.vw() return examples("a.vw", leat.parse.vw { ignore = { "junk" } }) end
function parts.libffm() return examples("a.ffm", leat.parse.libffm {}) end
function parts.letters()
  return { leat.source.file { "a.dead" }, leat.parse.dead_letters {}, leat.sink.file { path = "rows", format = "jsonl" } }
end
function parts.container()
  return { leat.source.file { "a.cri" }, leat.parse.container {}, leat.sink.file { path = "rows", format = "csv" } }
end
function parts.elements()
  return {
    leat.source.file { "a.many" }, leat.parse.elements { "v[*]" }, leat.parse.json { "id", "n" },
    leat.sink.file { path = "rows", format = "csv" },
  }
end
function parts.made()
  return {
    leat.source.null { records = 50000, text = "+1 3:1" }, leat.parse.libsvm {}, leat.learn.logistic {},
    leat.sink.predictions { path = "predictions" },
  }
end

local p = parts[a.part]()
p.batch_rows, p.dead_letters = 64, "dead"
return leat.pipeline(a.part)(p)
LUA

# Without what goes by the clock: when it was made, and the length of a file that has seconds in it.
states() { "$LEAT" model dump "$1" | sed 1d | grep -v '"field":"created"\|stage/metrics/0","field":"length"'; }
ran() { leat_run run ../part.lua --set part="$part" ${which:+--set names="$which"} --state state --every 300 \
    --quiet --summary sum.json; }
# What a summary says of the stages, but for what belongs to the process (routes count what came in it).
# Of label.period they are those of the run.
figures() { jq -S '[.records, .rejected, (.stages[] | select(.plugin != "leat.route") | [.id, .in, .out, .filtered,
    .rejected, .top, (.metrics | del(.first, .second, .outside, .without_time, .examples_per_second, .total_bytes, .lua_peak_bytes,
    .lua_full_collections))])]' "$1"; }
# both PART [NAMES]: without and with kills; then all files and states are compared
both() {
    part=$1 which=${2:-}
    rm -rf whole cut
    mkdir whole cut
    ln -t whole a.*
    ln -t cut a.*
    (cd whole && ran) || cat "$err"
    local killed=0
    for i in 1 2; do
        (cd cut && LEAT_FAULT=snapshot_durable:2 ran; exit $status) || killed=$((killed + ($? == 137)))
    done
    (cd cut && ran; exit $status)
    claim "$part: killed $killed times, it came to its end" equal $? 0
    claim "$part: it was killed" below 0 $killed
    [[ ! -e whole/metrics ]] || sed -i 's/"seconds":[^,}]*//' whole/metrics cut/metrics
    for f in whole/*; do
        [[ ! -f $f || $f == */a.* || $f == */sum.json ]] || claim "$part: ${f#whole/} is the same" cmp "$f" \
            "cut/${f#whole/}"
    done
    claim "$part: and so are all states" cmp <(states whole/state) <(states cut/state)
    claim "$part: and all figures" diff <(figures whole/sum.json) <(figures cut/sum.json)
    (cd cut && ran)
    claim "$part: also of a run with nothing left to read" diff <(figures whole/sum.json) <(figures cut/sum.json)
    claim "$part: which leat model restores without the pipeline" "$LEAT" model verify whole/state
    jq -r '.stages[].stage' <(states whole/state | jq -r 'select(.section == "pipeline").text') >>seen
}

both learners "$(names '.kind == "learner" and .name != "learn.product"')"
rest_is_long
both classes awm,wm,hash,logistic,truncation,prob_truncation,space_saving,count_min
both products scod,cod,fd_amm,sfd_amm,columns,projection,hashing
for part in pairs columns lua flat own window sort reservoir results packets made labels tsv fields json avro protobuf logfmt \
    regex time shape vw libffm letters container elements; do both $part; done
claim "every stage in snapshots, and every transform, was among them, but for those of kafka.sh, socket.sh and posts.sh" equal \
    "$(names '.in_snapshots or .kind == "transform"' | tr , '\n' | sed 's/^/X/; /kafka/d; /source[.]socket/d; /source[.]http/d' |
    grep -vxFf <(sed 's/^learn[.]//; s/^/X/' seen))" ""

# Those that keep something and are not in snapshots say so.
for sink in $(names '.keeps_state and (.in_snapshots | not)' | tr , ' '); do
    stages="leat.learn.awm { counts = true }" wanted=""
    case $sink in
    eval.product) stages="leat.feature.sides { below = 9 }, leat.learn.product {}" ;;
    eval.directions) wanted="m = '4'" ;;
    esac
    echo "local leat = require 'leat'
        return leat.pipeline 'x' { leat.source.file { 'a.svm' }, leat.parse.libsvm {}, $stages,
            leat.map(function() return 'a' end, {}, { 'text' }), leat.stage('$sink', { $wanted }) }" >x.lua
    leat_run run x.lua --state x --quiet
    claim_says "$sink cannot be saved, and says so" "$sink" "cannot save its state"
done

# Lua: what is not plain data, or not there, is refused by name.
refused() { # refused "LOCALS" "FUNCTION'S BODY" STATE TEXT…
    printf 'local leat = require "leat"\n%s\nreturn leat.pipeline "x" { leat.source.file { "a.txt" }, leat.parse.lines {},
        leat.filter(function() %s end, {}, { state = "%s" }), leat.sink.null {} }\n' "$1" "$2" "$3" >x.lua
    rm -rf x
    leat_run run x.lua --state x --quiet
    claim_says "$1 $2: $4" "${@:4}"
}
refused 'local n = 0' 'n = n + 1' m "no local variable 'm'"
refused 'local count = 0' 'count = count + 1' cuont "did you mean 'count'?"
refused 'local function f() end' 'f()' f "state 'f' is a function"
refused 'local t = { a = {} } t.a.b = t' 'return t' t "state 't.a.b' is a table that occurs twice, or inside itself"
refused 'local t = {}' 't[1] = function() end' t "state 't[1]' is a function"
done_claims
