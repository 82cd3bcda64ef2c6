# leat.flat: one record becomes none or many, and some come at the end of the input.
#
# Dead letters have the place of the original record. The bytes are the same for any threads and batches.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

cat >flat.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local n, wide = 0, tonumber(a.wide)
local function split(emit, id, words, last)
  if last then emit("all", n); emit("all", -n) return end
  if words == "bad" then emit("lost", 1); error("no words") end
  for w in (words or ""):gmatch "%a+" do n = n + 1; emit(w, id) end
end
local functions = {
  split = split,
  many = function(emit, id) for i = 1, 3000 do emit("row" .. i, id) end end,
  wide = function(emit) emit(("x"):rep(100), 1); emit(("y"):rep(wide), 2); emit("z", 3) end,
  wrong = function(emit, id) emit("a", "no number"); emit("b", 2) end,
  few = function(emit) emit("a") end, table = function(emit) emit({}, 1) end,
  never = function(emit, id, _, last) if last then local kept = emit; kept("last", 0) end end,
  fails = function(_, _, _, last) if last then error("at the end") end end,
}
return leat.pipeline "flat" {
  threads = a.threads, dead_letters = a.dead, batch_rows = a.rows, batch_bytes = a.bytes, on_error = a.on_error, max_reject_ratio = 1,
  leat.source.file { path = "in.csv" },
  leat.parse.csv {},
  leat.flat(functions[a.fn or "split"], { "id:number", "words", "@end" }, { "word", "id:number" }, { state = not a.fn and "n" or nil }),
  leat.filter(function(w) if w == "x" then error("x is no word") end return w ~= "y" end, { "word" }),
  leat.sink.file { path = a.out, format = a.format or "csv" },
}
LUA
printf 'id,words\n1,a b c\n2,\n3,bad\n4,x y\n5,d x\n' >in.csv
shows() { claim "$1" equal "$(<"$out")" "$2"; }
run() { leat_run run flat.lua --quiet "$@"; }

run --set dead=dead --summary s.json
shows "each record becomes as many as are emitted, and the end some more" 'word,id
a,1
b,1
c,1
d,5
all,7
all,-7'
claim "a call that fails has made nothing" equal "$(grep -c lost "$out")" 0
claim "dead letters name the line that a record comes from" equal \
    "$(jq -r '[.stage, .line, .offset, .record] | join(" ")' dead)" "flat 4 20 3,bad
filter 5 26 4,x y
filter 6 32 5,d x"
claim "and the summary counts what came, and what was made" equal \
    "$(jq -c '[.stages[] | select(.id == "flat" or .id == "filter") | [.in, .out, .rejected, .filtered, .made]]' \
    s.json)" '[[5,9,1,0,5],[9,6,2,1,null]]'
claim "a record of the input is one, whatever is made of it" equal "$(jq -c '[.records, .rejected]' s.json)" '[5,3]'

awk 'BEGIN { print "id,words"; for (i = 0; i < 3000; i++) { printf "%d,", i; for (j = i % 7; j; j--) printf "w%c ",
    97 + (i * j) % 26; print i % 50 == 3 ? "x" : "" } }' >in.csv
run --set threads=1 --set dead=dead1 --set out=out1
claim "a longer one runs" equal "$status" 0
for how in "threads=8" "threads=2 rows=7" "threads=8 rows=1" "threads=3 rows=64 bytes=4096"; do
    # shellcheck disable=SC2046
    run $(printf -- '--set %s ' $how) --set dead=dead2 --set out=out2
    claim "with $how the same rows come out" cmp out1 out2
    claim "and the same dead letters" cmp dead1 dead2
done

printf 'id,words\n1,a\n2,b\n3,c\n' >in.csv
run --set fn=many --set rows=64
claim "one record may become more than a batch holds" equal "$(wc -l <"$out")" 12001
claim "in their order" equal "$(tail -n +2 "$out" | awk -F, '$1 == "row" (NR - 1) % 3000 + 1' | wc -l)" 12000
run --set fn=wide --set wide=1048000 --set rows=4 --set bytes=4096
claim "texts that are longer than their share take another batch" equal "$(cut -c1 "$out" | tr -d '\n')" wxyzxyzxyzxyz
run --set fn=wide --set wide=2000000 --set rows=4 --set bytes=4096 --set dead=dead
claim "what does not even go into an empty one is rejected" equal "$(cut -c1 "$out" | tr -d '\n')" wxzxzxzxz
claim "with the cure" equal "$(grep \
    -c 'emit got 2000000 bytes of text, but a batch has room for .*batch_bytes = ."3MB' dead)" 4
run --set fn=wide --set wide=2000000 --set rows=4 --set bytes=3MB --set dead=dead
claim "which helps" equal "$(cut -c1 "$out" | tr -d '\n') $(wc -l <dead)" "wxyzxyzxyzxyz 0"
run --set fn=wrong --set dead=dead
claim "a new record with a wrong value is rejected, its brothers are not" equal "$(grep -c '^b,2' "$out"),$(wc \
    -l <dead)" 4,4
run --set fn=few --set dead=dead
claim_says "emit wants a value for each column" "emit got 1 values for 2 columns"
run --set fn=table --set dead=dead
claim_says "and a cell" "emit: value 1 is a table; a cell is text, a number, true or false"
run --set fn=never
shows "what comes at the end comes from no record" 'word,id
last,0'
run --set fn=fails
claim_exit "an error at the end ends the run" 1
claim_says "and says so" "flat (lua.flat): the call at the end of the stream: flat.lua:" "at the end"

: >in.csv
printf 'id,words\n' >in.csv
run
shows "an input without records has an end, too" 'word,id
all,0
all,0'

run --set format=raw
claim_exit "records that were made of others have no bytes of their own" 2
claim_says "so raw is refused" \
    'format: "raw" writes the bytes that arrived, but these records were made by an earlier stage: set format = "csv" or "jsonl"'

cat >merge.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function twice(name)
  local n = 0
  return leat.flat(function(emit, x, last)
    n = n + 1
    if last then for i = 1, 200 do emit(name .. "end", i) end return end
    for i = 1, n % 4 do emit(name .. x, i) end
  end, { "k", "@end" }, { "k", "i:number" }, { state = "n" })
end
local function file(path) return { leat.source.file { path = path }, leat.parse.csv {} } end
return leat.pipeline "merge" {
  threads = a.threads, batch_rows = 16,
  leat.merge { file "1.csv", file "2.csv" },
  leat.tee { { twice "a", twice "aa" }, { leat.flat(function(emit, k) emit(k, 0) end, { "k" }, { "k", "i:number" }) }, { twice "b" } },
  leat.merge(),
  leat.sink.file { path = a.out, format = "csv" },
}
LUA
for i in 1 2; do awk -v i=$i 'BEGIN { print "k"; for (j = 0; j < 300 * i; j++) print i "_" j }' >$i.csv; done
leat_run run merge.lua --quiet --set threads=1 --set out=one
claim "forks, merges and streams of different lengths go with it" equal "$(grep -c '^b' one),$(grep -c '^[12]_' \
    one),$(grep -c '^aaend' one)" 1550,900,200
for threads in 2 8; do
    leat_run run merge.lua --quiet --set threads=$threads --set out=other
    claim "in the same order with $threads threads" cmp one other
done
leat_run run merge.lua --quiet --set threads=8 --set out=other --state state --every 1ms
claim "and with snapshots all the time" cmp one other
cp other before
leat_run run merge.lua --quiet --set threads=8 --set out=other --state state
claim "a run that continues after the end has nothing to add" cmp before other


cat >fork.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "fork" {
  batch_rows = leat.args.rows, threads = leat.args.threads,
  leat.source.file { "1.csv" }, leat.parse.csv {},
  leat.flat(function(emit, k) for i = 1, 6 do emit(k, i) end end, { "k" }, { "k", "t:number" }),
  leat.parse.time { column = "t", format = "unix" },
  leat.tee { { leat.shape.set { "b = 1" } }, { leat.flat(function(emit, k, t) emit(k, t, 2); emit(k, t, 3) end, { "k", "t" }, { "k", "t:number", "b:number" }),
    leat.parse.time { column = "t", format = "unix" } } },
  leat.merge(), leat.sink.file { path = leat.args.out, format = "csv" },
}
LUA
for rows in 1 7 1024; do
    leat_run run fork.lua --quiet --set threads=1 --set rows=$rows --set out=one
    claim "a fork after it, and a merge, take batch by batch ($rows)" equal "$(tail -n +2 one | cut -d, -f3 | sort |
        uniq -c | tr -s ' \n' ' ')" " 1800 1 1800 2 1800 3 "
    leat_run run fork.lua --quiet --set threads=8 --set rows=$rows --set out=other
    claim "in the same order with 8 threads ($rows)" cmp one other
done
cat >hog.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "hog" {
  max_reject_ratio = 1, leat.source.file { "1.csv" }, leat.parse.csv {},
  leat.flat(function(emit, k) while k == "1_7" do emit("x") end emit(k) end, { "k" }, { "k" }, { instructions = 2000000000, memory = "1MB" }),
  leat.sink.file { path = "rows", format = "csv" },
}
LUA
leat_run run hog.lua --quiet
claim "a record that emits more than its memory costs one record" equal "$status,$(wc -l <rows)" 0,300

# Who is judged: 25 of 50 records rejected beside 500 made ones, and 250 made ones of 500 beside 50 that are all in
# order.
for ((i = 0; i < 50; i++)); do echo "$((i % 2))"; done >half.txt
cat >ratio.lua <<'LUA'
local leat = require "leat"
local bad = leat.args.bad
return leat.pipeline "ratio" {
  leat.source.file { "half.txt" }, leat.parse.lines {},
  leat.flat(function(emit, odd)
    assert(bad ~= "came" or odd == "0")
    for i = 1, 10 do emit(odd == "1" and bad == "made" and "x" or "1") end
  end, { "text" }, { "n" }),
  leat.map(function(n) return n + 1 end, { "n:number" }, { "m" }), leat.sink.null {}, max_reject_ratio = tonumber(leat.args.ratio) or 0.25,
}
LUA
leat_run run ratio.lua --quiet --set bad=came
claim_exit "records that came are judged apart from those that were made of them" 1
claim_says "in words" "25 of 50 records were rejected"
leat_run run ratio.lua --quiet --set bad=made
claim_exit "and so are those" 1
claim_says "in words, too" "250 of 500 records that stages made were rejected"
leat_run run ratio.lua --quiet --set bad=made --set ratio=0.5
claim_exit "which a ratio allows" 0
claim_says "and says" "0 of 50 records, and 250 of 500 that stages made, were rejected, all for number"

cat >endless.lua <<'LUA'
local leat = require "leat"
local n = 0
return leat.pipeline "endless" {
  leat.source.null { records = 0, text = "x" }, leat.parse.lines {},
  leat.flat(function(emit, _, last)
    n = n + 1
    if n < 100 then emit("row") elseif last then emit("last") end
  end, { "text", "@end" }, { "k" }, { state = "n" }),
  leat.sink.file { path = leat.args.out, format = "csv" },
}
LUA
leat_start endless.lua --quiet --set out=rows --state open
until_true grep -q row rows
leat_stop
claim "a run that is stopped and has a state has not ended" equal "$(tail -n 1 rows)" row
leat_start endless.lua --quiet --set out=rows2
until_true grep -q row rows2
leat_stop
claim "without a state it has" equal "$(tail -n 1 rows2)" last
done_claims
