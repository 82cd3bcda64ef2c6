# A script describes a pipeline: it changes nothing, ends in time, and cannot crash the program.
# tier: long (12 s, waits)
. "$(dirname "$0")/../support/claims.sh"
check_refuses_too
cd "$tmp" || exit 1

# A script with this text between the first line and the pipeline.
script() {
    printf 'local leat = require "leat"\n%s\nreturn leat.pipeline "x" { leat.source.null { records = 1 }, leat.sink.null {} }\n' "$1" >x.lua
}
seconds_of() { # COMMAND…: its seconds of processor time are in $seconds
    local TIMEFORMAT='%U %S' used
    used=$({ time "$@" >"$out" 2>"$err"; echo $? >status; } 2>&1)
    status=$(cat status)
    seconds=$(awk '{ print $1 + $2 }' <<<"$used")
}

for what in 'os.execute("touch made")' 'os.remove("kept")' 'os.rename("kept", "gone")' 'os.tmpname()' 'os.exit(0)' \
    'io.popen("touch made")' 'io.output("made")' 'io.open("made", "w")' 'io.open("kept", "a")' 'io.open("kept", "r+")' \
    'io.tmpfile()' 'package.loadlib("x.so", "*")' 'debug.getregistry()' 'debug.sethook()' \
    'assert(load(string.dump(function() end)))'; do
    echo kept >kept
    script "$what"
    for command in check run; do
        leat_run $command x.lua
        claim_exit "a script cannot call $what ($command)" 2
        claim_says "and its line is named" "x.lua:2: error:"
    done
    claim "nothing is changed" sh -c 'test ! -e made && test "$(cat kept)" = kept'
done
printf 'a,1\nb,2\n' >side.csv
script 'local t = {} for l in io.lines(leat.dir .. "/side.csv") do t[#t + 1] = l end
assert(#t == 2 and io.open(leat.dir .. "/side.csv", "rb"):read("a") == "a,1\nb,2\n")'
leat_run run x.lua --quiet
claim_exit "a script may read side tables" 0

for of in create wrap; do
    script "coroutine.$of(1)"
    leat_run check x.lua
    claim_says "a wrong coroutine.$of has its line" "x.lua:2: error: bad argument #1 to '$of' (function expected, got number)"
done

# What nobody writes to: all at once, as each waits ten seconds, and beside what works.
mkfifo silent silent.lua idle
printf 'a,1\n' >piped.csv
waiting=0
for what in 'io.open("silent")' 'dofile("silent.lua")' 'require("silent")' 'io.lines("silent")' 'loadfile("silent")' \
    'io.input("silent")' 'io.read("a")' 'pcall(io.open, "silent")' \
    'coroutine.wrap(function() pcall(io.open, "silent") end)()'; do
    script "local _ = $what"
    mv x.lua "wait$((++waiting)).lua"
done
exec 9<>idle
for ((i = 1; i <= waiting; i++)); do
    { timeout 300 "$LEAT" check "wait$i.lua" <&9 >"waited$i" 2>&1; echo "exit $?" >>"waited$i"; } &
    pids[i]=$!
done
{ timeout 300 "$LEAT" check silent.lua <&9 >waited0 2>&1; echo "exit $?" >>waited0; } &
pids[0]=$!

# A clock runs ten times as fast, and in the long tier once as it is. Sanitizers bear no preload.
tenfold=${LEAT%/bin/leat}/tests/preload/tenfold_processor.so
[[ $LEAT != *address* && $LEAT != *thread* ]] || tenfold=
preload= most=8
[[ -z $tenfold || $(repeats 0 1) == 1 ]] || preload=$tenfold most=1
for what in 'while true do end' 'while true do pcall(function() while true do end end) end' \
    'while true do coroutine.wrap(function() pcall(function() while true do end end) end)() end' \
    'setmetatable({}, { __gc = function() while true do end end }) collectgarbage()' \
    'local _ = ("a"):rep(200):find(".-.-.-.-.-b")' 'table.move({}, 1, math.maxinteger - 1, 2, {})' \
    'xpcall(function() while true do end end, function() while true do end end)'; do
    script "$what"
    seconds_of timeout 300 env LD_PRELOAD="$preload" "$LEAT" check x.lua
    claim_exit "the check of a script ends: $what" 2
    claim_says "with the reason" "x.lua" "error: the script ran for more than 5 seconds of processor time"
    claim "within eight seconds of processor time${preload:+, which count tenfold}" below "$seconds" $most
    [[ -z $tenfold ]] || preload=$tenfold most=1 # with the start
done

for ((i = 0; i <= waiting; i++)); do wait "${pids[i]}"; done
exec 9>&-
for ((i = 0; i <= waiting; i++)); do
    claim "a script that waits for a pipe ends ($i)" equal "$(tail -1 "waited$i")" "exit 2"
    claim "and says what it waited for ($i)" grep \
        -q "error: the script waited for 10 seconds for input that did not come" "waited$i"
done
claim "with its line" grep -q "^wait1.lua:2: error" waited1
script 'local t = io.lines(leat.args.table)() assert(t == "a,1")'
leat_run check x.lua --set table=<(cat piped.csv)
claim_exit "a pipe that is written to may be read" 0
leat_run check <(cat x.lua) --set table=piped.csv
claim_exit "a script may come from a pipe" 0

for what in 'leat._asked = nil' 'leat._flatten = function() return {} end' \
    'package.loaded["leat.scan"] = { duplicates = function() return { { } } end }' \
    'setmetatable = function() return { kind = 5 } end' 'ipairs = function() return next, { {} } end' \
    'math.type = function() return "integer" end' 'pairs = function() return function() end end' \
    'string.format = nil' 'getmetatable("").__index = nil' 'table.sort = nil' 'getmetatable = nil' \
    'setmetatable = function(t) return setmetatable and t end' 'type = function() return "table" end'; do
    script "$what"
    leat_run check x.lua --set no=1
    claim "a script that changes the module is no crash: $what" test "$status" -le 2
done
script 'getmetatable(leat.pipeline("a") {}).__index = function() return {} end'
leat_run check x.lua
claim "nor is one that changes what it returns" test "$status" -le 2

mkdir -p leat
echo 'error("replaced")' | tee leat/scan.lua leat/inputs.lua leat/init.lua >leat/examples.lua
echo 'return "mine"' >mine.lua
script 'require "leat.inputs" require "leat.examples" assert(require "mine" == "mine")'
leat_run check x.lua
claim_exit "modules beside a script replace none of the program's" 0
script 'require "leat.inputs" require "leat.attributes" require "leat.threshold"
    for _, name in ipairs { "sampled", "flat", "peek_columns", "attribute_gain" } do
      assert(not package.loaded["leat." .. name], name)
    end'
leat_run check x.lua
claim_exit "what looks at files is not read before it is needed" 0
script 'local rows, names = leat.parsed(leat.parse.csv { header = false, columns = { "a", "b" }, numbers = { "b" } },
      { "x,1.5", ",", "only one", "y,word", "a\nb,2", ("z"):rep(1 << 21) .. ",7" })
    assert(#rows == 6 and table.concat(names, " ") == "a b")
    assert(rows[1][1] == "x" and rows[1][2] == "1.5" and rows[2][1] == false and rows[2][2] == false)
    assert(rows[3]:find("has 1 fields and must have 2", 1, true) and rows[4]:find("is not a number", 1, true))
    assert(rows[5][1] == "a\nb" and type(rows[6]) == "string")
    assert(leat.parsed(leat.parse.regex { "^(?<x>.)$" }, { "" })[1] == false)
    assert(#leat.parsed(leat.parse.lines {}, {}) == 0)
    local many = {}
    for i = 1, 5000 do many[i] = "1 " .. i .. ":1" end
    assert(#leat.parsed(leat.parse.libsvm {}, many) == 5000)
    local none, why = leat.parsed(leat.parse.regex { "(" }, { "x" })
    assert(none == nil and why:find("cannot be compiled", 1, true))
    assert(not pcall(leat.parsed, "parse.csv", {}) and not pcall(leat.parsed, leat.parse.lines {}, { {} }))'
leat_run check x.lua
claim_exit "a parser tells a script what it makes of records" 0
claim "without a word" bash -c "! grep -q 'assertion\|error' $err"
rest_is_long
done_claims
