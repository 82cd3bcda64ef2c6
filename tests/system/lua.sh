# Limits of Lua functions and scripts also hold inside library functions.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# A filter with this body, of the text x, on 2000 records, with these options.
filter() {
    cat >filter.lua <<LUA
local leat = require "leat"
local kept = {}
return leat.pipeline "filter" {
  leat.source.file { path = "in.txt" }, leat.parse.lines {},
  leat.filter(function(x) $1 end, { "text" }, { ${2:-} }), leat.sink.null {},
  max_reject_ratio = 1,
}
LUA
}
processor_time() { # COMMAND…: its seconds are in $seconds
    local TIMEFORMAT='%U %S' used
    used=$({ time "$@" >"$out" 2>"$err"; echo $? >status; } 2>&1)
    status=$(cat status)
    seconds=$(awk '{ print $1 + $2 }' <<<"$used")
}
seq 2000 >in.txt
filter 'while true do end'
processor_time "$LEAT" run filter.lua --quiet
claim_exit "a function that never ends ends the run" 1
claim_says "with what it did" \
    "filter (lua.filter): filter.lua:5: the function used up its 1000000 instructions 10 times in a row"
claim "in less than three seconds of processor time" below "$seconds" 3
for body in 'return (("a"):rep(200)):find(".-.-.-.-.-b")' 'return (("a"):rep(100000)):find((".-"):rep(20).."b")' \
    'return ("("):rep(2e5):find("%b()")' 'table.move({}, 1, math.maxinteger - 1, 2, {})'; do
    filter "$body"
    processor_time timeout 300 "$LEAT" run filter.lua --quiet
    claim_exit "neither does $body run for ever" 1
done
filter 'kept[#kept + 1] = ("x"):rep(2000) .. x return true' 'memory = "1MB"'
leat_run run filter.lua --quiet
claim_exit "a function that keeps more than its memory ends the run" 1
claim_says "with the cure" 'used up its 1024 KiB of memory' 'or give the stage more, such as memory = "4MB"'


# A function at its limit: each search of all that it keeps takes milliseconds, so they are counted.
seq 50000 >in.txt
collections() { jq '[.stages[].metrics.lua_full_collections // 0] | add' s.json; }
filter 'pcall(function() kept[x] = true end) return true' 'memory = "1MB"'
leat_run run filter.lua --quiet --summary s.json
claim_exit "a function that catches the errors of its full memory ends the run, too" 1
claim_says "with the same cure" 'used up its 1024 KiB of memory' 'memory = "4MB"'
claim "and without a search of all that it keeps for each record" below "$(collections)" 500
filter 'if #kept < 9000 then kept[#kept + 1] = x .. ("k"):rep(50) end local y = x .. ("y"):rep(100) return true' \
    'memory = "1MB"'
leat_run run filter.lua --quiet --summary s.json
claim_exit "one that keeps much, but not all, of its memory goes on" 0
claim "and each search pays for many records" below "$(collections)" 1000

# What functions and scripts print is no output, is short, and acts on no terminal.
{ echo a,b && seq 2000 | sed 's/$/,x/'; } >in.csv
cat >print.lua <<'LUA'
local leat = require "leat"
print("script", 1.5, nil, true)
for i = 1, 120 do local _ = i > 19 and print(i) end
local n = 0
return leat.pipeline "print" {
  leat.source.file { "in.csv" }, leat.parse.csv {},
  leat.map(function(a) print("a\27[31m\n", a, "\0") return a end, { "a" }, { id = "red" }),
  leat.flat(function(emit, a, last) if last then print("end of", n) else n = n + 1 emit(a) end end, { "a", "@end" }, { "a" }),
  leat.batch(function(b) if n == 0 then n = 1 print("first of", #b > 0) end end),
  leat.sink.file { path = "printed.csv", format = "csv" },
}
LUA
sed -i 's/{ "a" }, { id/{ "a" }, nil, { id/' print.lua
leat_run run print.lua --quiet
claim_exit "a script and its functions may print" 0
claim_says "the script with its line" "leat: print.lua:2: script  1.5  nil  true" "leat: print.lua:3: 20"
claim_says "a function with its stage and record" 'leat: red: in.csv:2: a\x1b[31m\n  1  ?' "leat: flat: end of  2000" \
    "leat: batch: first of  true"
claim "ten lines of a stage" equal "$(grep -c 'leat: red: in.csv' "$err")" 10
claim_says "the others are counted" "leat: red: print: … 1,990 more" "leat: print: … 2 more"
claim "nothing of it is in the output" equal "$(wc -l <printed.csv) $(wc -c <"$out")" "2001 0"
claim "and no escape reaches the terminal" test -z "$(tr -cd '\033' <"$err")"
cat >fails.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "fails" { leat.source.file { "in.csv" }, leat.parse.csv {},
  leat.map(function(a) print(setmetatable({}, { __tostring = function() error("no text") end })) return a end, { "a" }),
  leat.sink.null {}, max_reject_ratio = 1 }
LUA
leat_run run fails.lua --quiet
claim_says "what cannot be printed rejects each record, also when it would not be shown" \
    "all 2000 records were rejected, mostly for lua (2000 of them)"
leat_run check print.lua
claim "nor is it in that of check" sh -c "! grep -q 'script  1.5' '$out'"

seq 2000 >in.txt
cat >tables.lua <<'LUA'
local leat = require "leat"
local seen = {}
return leat.pipeline "tables" {
  leat.source.file { path = "in.txt" }, leat.parse.lines {},
  leat.filter(function(x) for i = 1, 10 do seen[#seen + 1] = { x } end end, { "text" }, { memory = "2500KB", state = "seen" }),
  leat.sink.null {},
}
LUA
leat_run run tables.lua --quiet --state tables
claim_exit "a snapshot of many tables takes nothing of the function's memory" 0
done_claims
