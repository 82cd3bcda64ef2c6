# Lua functions and scripts have limits that hold inside library functions, too.
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
claim_says "with what it did" "filter (lua.filter): filter.lua:5: the function used up its 1000000 instructions 10 times in a row"
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
claim_says "with the cure" 'used up its 1024 KiB of memory' 'or give the stage more, such as memory = "5MB"'

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
