# Merges behind forks, and of sources that fall behind: no run sticks, and the order is that of one thread.
. "$(dirname "$0")/../support/claims.sh"
plugins=$PWD/${B:-build/release}/tests/plugins
cd "$tmp" || exit 1

awk 'BEGIN { srand(4); for (i = 0; i < 3000; i++) printf "%c,%d\n", 97 + int(rand() * 3), i }' >rows.csv
for i in 1 2 3; do awk -v i=$i 'NR > i * 500' rows.csv >part$i; done
awk 'BEGIN { for (i = 0; i < 60000; i++) print "a," i }' | gzip >level.csv.gz # its share stands still for many batches
cat >chain.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local function source(path) return { leat.source.file { path }, leat.parse.csv { header = false, columns = { "k", "b" } } } end
local function mark(with) return { leat.map(function(b) return b .. with end, { "b" }) } end
local forks = {
  tee = function(i) return leat.tee { mark(i .. "l"), mark(i .. "r") } end,
  three = function(i) return leat.tee { mark(i .. "l"), mark(i .. "m"), mark(i .. "r") } end,
  route = function(i) return leat.route("k", { a = mark(i .. "a"), b = mark(i .. "b"), ["*"] = mark(i .. "*") }) end,
}
local line = { leat.merge { source "part1", source "part2", source "part3" } }
if a.from then line = { source(a.from) } end
for i = 1, tonumber(a.n) do
  line[#line + 1] = { forks[a.fork](i), leat.merge() }
end
line[#line + 1] = leat.sink.file { path = a.out, format = "csv" }
line.threads, line.batch_rows = tonumber(a.threads), tonumber(a.rows or 500)
return leat.pipeline "chain"(line)
LUA
ends() { # ends WORDS ARGS…: with 1, 2 and 8 threads within a minute, with the same bytes
    local words=$1 threads
    shift
    for threads in 1 2 8; do
        timeout -s KILL 300 "$LEAT" run chain.lua --quiet --set out=out.$threads --set threads=$threads "$@" >"$out" \
            2>"$err"
        claim "$words, $threads threads: the run ends" equal $? 0
    done
    claim "$words: the same bytes" sh -c 'cmp out.1 out.2 && cmp out.1 out.8'
}
ends "six tees in a row" --set from=rows.csv --set fork=tee --set n=6
ends "five routes in a row" --set from=rows.csv --set fork=route --set n=5
ends "three sources, then two tees of three" --set fork=three --set n=2 --set rows=50
ends "a tee of an input whose share stands still" --set from=level.csv.gz --set fork=tee --set n=1 --set rows=100
leat_run run chain.lua --quiet --set out=out.1 --set from=rows.csv --set fork=tee --set n=6
claim "and tees lose no record" equal "$(sed 1d out.1 | wc -l)" $((64 * 3000))

leat_run check chain.lua --set out=x --set from=rows.csv --set fork=tee --set n=17
claim_exit "a merge that would get too many copies of each batch is refused" 2
claim_says "in words that say what to do" "more than 65536 paths that lead to it" "fewer tees or routes"

printf 'a,b\n1,x\n2,y\n' >few.csv
cat >ways.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "ways" { leat.source.file { "few.csv" }, leat.parse.csv {},
  leat.route(function(b) return b end, { "b" }, { x = {}, ["*"] = {} }), leat.merge(), leat.sink.file { format = "csv" } }
LUA
leat_run run ways.lua --quiet
claim "the ways of a route by a function are not written" equal "$(sort "$out" | tr '\n' ' ')" "1,x 2,y a,b "

# A source's place may fall: a checkpoint must neither wait for it for ever nor change the order.
mkdir stumble && cp "$plugins/stumble.so" stumble
cat >stumble.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "stumble" {
  leat.merge { { leat.source.stumble { name = "a" } }, { leat.source.stumble { name = "b", falls_at = 600 } },
    { leat.source.stumble { name = "c", falls_at = 1500 } } },
  leat.sink.file { path = leat.args.out }, batch_rows = 1,
}
LUA
stumbled() { # stumbled OUT ARGS…
    local written=$1
    shift
    timeout -s KILL 300 "$LEAT" run stumble.lua --plugin-path stumble --quiet --set out="$written" "$@" 2>"$err"
}
stumbled plain
claim "three sources, of which two fall back, are merged" equal "$(wc -l <plain)" 9000
for every in 1ms 7 100; do
    rm -rf fallen.state
    stumbled fallen --state fallen.state --every $every
    claim "with a checkpoint each $every the run ends" equal $? 0
    claim "and the order is the same" cmp plain fallen
done

# Sources that do not know how much comes: their batches are merged in turn, whatever checkpoints want.
sed 's/stumble { /&endless = true, rows = 1000, /g' stumble.lua >endless.lua
endless() { # endless OUT ARGS…
    timeout -s KILL 300 "$LEAT" run endless.lua --plugin-path stumble --quiet --set out="$1" "${@:2}" 2>"$err"
}
endless plain
claim "three sources of unknown length are merged" equal "$(wc -l <plain)" 3000
for every in 1ms 7 100; do
    rm -rf fallen.state
    endless fallen --state fallen.state --every $every
    claim "of sources of unknown length, with a checkpoint each $every, the order is the same" cmp plain fallen
done

cat >forgets.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "forgets" { leat.source.stumble { name = "a", forgets = true }, leat.sink.null {} }
LUA
leat_run run forgets.lua --plugin-path stumble --quiet --state forgets.state
claim_exit "a stage that cannot save its state ends the run" 1
claim_says "with a reason, though it gave none" "its state cannot be saved: there is not enough memory"
done_claims
