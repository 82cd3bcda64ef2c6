# leat test: tests of pipelines in Lua: those of our pipelines, and messages of failing tests.
. "$(dirname "$0")/../support/claims.sh"
here=$PWD
cd "$tmp" || exit 1

leat_run test "$here/pipelines"
claim "the pipelines that come with leat pass their tests" equal "$status $(grep -c ^FAIL "$out")" "0 0"
claim "each of them that has tests ran them" equal "$(grep -c '_test.lua$' "$out")" "$(ls "$here"/pipelines/*_test.lua |
    wc -l)"

cat >p.lua <<'LUA'
local leat = require "leat"
local where = require "where_of_p"
return leat.pipeline "p" {
  leat.source.kafka { "clicks", brokers = "nobody:1", group = leat.args.group }, leat.parse.json { "host", "n" , numbers = { "n" } },
  leat.tee {
    { where(10), leat.sink.http { "http://nobody:1/", id = "post" } },
    { leat.sink.kafka { "copy", brokers = "nobody:1", format = "jsonl", columns = { "host" } } },
    { leat.map(function(n) return n * 2 end, { "n" }), leat.sink.file { path = "out.csv", format = "csv" } },
  },
}
LUA
echo 'local leat = require "leat"; return function(n) return leat.shape.where { "n >= " .. n } end' >where_of_p.lua
# t BODY: a file of one test, whose claims are BODY, is run.
t() {
    printf 'local test = require "leat.test"\nlocal lines = { [[{"host":"a","n":9}]], [[{"host":"b","n":10}]], "{" }\ntest("t", function()\n%s\nend)\n' \
        "$1" >one_test.lua
    leat_run test one_test.lua
}
passes() { t "$2" && claim "$1" equal "$status $(tail -1 "$out")" "0 1 passed, 0 failed"; }
fails() {
    t "$2"
    claim "$1" equal "$status $(tail -1 "$out")" "1 0 passed, 1 failed"
    claim "$1: it says why" grep -qF -- "$3" "$out"
}
run='local run = test.run("p.lua", { into = { source = lines }, at = { "where", "map" } })'
passes "what a stage gives has its types" "$run test.same(run.rows.where, { { host = 'b', n = 10 } })"
passes "a sink that sends writes for the test" "$run test.rows(run.rows.post, { { host = 'b' } })"
passes "in its format and columns" "$run test.same(run.rows.kafka, { { host = 'a' }, { host = 'b' } })"
passes "a sink that writes a file writes another" "$run test.same(run.text.file, 'host,n\na,18\nb,20\n')"
passes "rows in any order" "$run test.rows(run.rows.map, { { n = 20 }, { n = 18 } }, { any_order = true })"
passes "what is rejected is there" \
    "$run test.same({ #run.rejected, run.rejected[1].record, run.summary.records }, { 1, '{', 3 })"
passes "rows go in at a stage in a branch, and what is before it is left out" \
    'local run = test.run("p.lua", { into = { where = { { n = 5 }, { n = 50, host = "x\n\"y" } } } }) test.same(run.rows.post, { { host = "x\n\"y", n = 50 } })'
passes "an exit code can be expected, and what is said then" \
    'local run = test.run("p.lua", { into = { source = lines }, set = { grup = 1 }, fails = 2 }) test.contains(run.messages, "did you mean '\''group'\''?")'
passes "an input without records" 'test.same(test.run("p.lua", { into = { source = "" } }).rows.post, {})'
claim "nothing is written outside" equal "$(ls | grep -cvxE 'p.lua|one_test.lua|where_of_p.lua|stdout|stderr|why')" 0

fails "a row that differs" "$run test.rows(run.rows.map, { { n = 18 }, { n = 21 } })" \
    "one_test.lua:4: row 2: n is 20, not 21"
fails "a row that is missing" "$run test.rows(run.rows.post, { { n = 10 }, { n = 11 } })" "row 2: this row is missing"
fails "a row too many" "$run test.rows(run.rows.map, { { n = 18 } })" \
    "there are 2 rows, not 1; the first row too many is { host = \"b\", n = 20 }"
fails "a value within tables" "$run test.same(run.summary, { records = 4 })" "is "
fails "a text" "$run test.contains(run.text.file, 'zzz')" 'there is no "zzz" in'
fails "a stage that does not exist" 'test.run("p.lua", { into = { source = lines }, at = { "were" } })' \
    "no stage is called were; the pipeline has source.kafka, parse.json"
fails "a stage that gets nothing" 'test.run("p.lua", { into = { where = { { n = 1 } } }, at = { "json" } })' \
    "nothing reaches json, because the rows enter after it"
fails "what was not noted" "$run return run.rows.json" "there is no rows.json: there are map, post, sink.kafka, where"
fails "an exit code that is not expected" 'test.run("p.lua", { into = { source = { "{" } } })' \
    "p.lua ended with 1, not 0:"
fails "a script that does not exist" 'test.run("q.lua")' "q.lua"
fails "what reads from outside must be given" 'test.run("p.lua")' \
    "source.kafka reads from outside: give its input as into.kafka"
fails "rows for a source" 'test.run("p.lua", { into = { source = { { n = 1 } } } })' \
    "into.source has rows, but source.kafka is a source"
fails "a text for another stage" 'test.run("p.lua", { into = { where = "x" } })' \
    "is a text, but shape.where is not a source"
fails "an unknown option" 'test.run("p.lua", { inot = {} })' \
    "test.run does not take inot: it takes at, fails, into, set, timeout"
fails "an error of Lua" 'local x = nil + 1' "arithmetic on a nil value"
fails "an unknown claim" 'test.smae(1, 1)' "there is no test.smae: there are contains"
fails "controls do not reach the terminal" 'test.fail("\27[31mred")' "?[31mred"
printf 'local leat = require "leat"\nreturn leat.pipeline "slow" { leat.source.file { "x" }, leat.sink.null {}, leat.nothing }\nwhile true do end' >broken.lua
fails "a script with a mistake says its line" 'test.run("broken.lua")' "broken.lua:3"
seq 100000 >x.txt
printf 'local leat = require "leat"\nreturn leat.pipeline "slow" { leat.source.file { "%s", ["repeat"] = 1000000 }, leat.sink.null {} }' "$tmp/x.txt" >slow.lua
fails "a run that does not end is ended" 'test.run("slow.lua", { timeout = 0.5 })' "slow.lua did not end within 0.5 s"

printf 'local leat = require "leat"\nreturn leat.pipeline "null" { leat.source.null {}, leat.sink.null {} }' >null.lua
fails "a source is given, if no parameter names a file" 'test.run("null.lua")' \
    "source.null reads from outside: give its input as into.null"

# A sink of a plugin of one's own, of which nobody knows where it writes.
foreign() { LEAT_PLUGIN_PATH=$here/${B:-build/release}/tests/plugins/elsewhere.so "$@"; }
printf 'local leat = require "leat"\nreturn leat.pipeline "own" { leat.source.file { "x" }, leat.parse.csv {}, leat.sink.elsewhere { "%s" } }' "$tmp/elsewhere.txt" >own.lua
printf 'local leat = require "leat"\nreturn leat.pipeline "own" { leat.source.file { "x" }, leat.parse.libsvm {}, leat.sink.elsewhere_of_examples { "%s" } }' "$tmp/elsewhere.txt" >own_examples.lua
foreign passes "a sink without a file becomes one of the test" \
    'local run = test.run("own.lua", { into = { source = "a,b\n1,x\n" } }) test.same(run.text.elsewhere, "1,x\n")'
foreign fails "a sink that no file can stand for is refused" \
    'test.run("own_examples.lua", { into = { source = "+1 1:1\n" } })' \
    "a test cannot see the output of sink.elsewhere_of_examples: it has no parameter that names a file to write"
claim "neither has written" test ! -e elsewhere.txt

# A source of such a plugin is read as the built-in ones are, by what its table says.
printf 'local leat = require "leat"\nreturn leat.pipeline "own" { leat.source.elsewhere { "t", hosts = "h", ca = "own.lua" }, leat.sink.null {} }' >own_source.lua
foreign fails "a source that reads servers is not read in a test" 'test.run("own_source.lua")' \
    "source.elsewhere reads from outside: give its input as into.elsewhere"
foreign leat_run explain elsewhere://h:1/things --outlier 'n < 5' --attributes of --format json --out jsonl
claim "an application reads its topic" equal "$(jq -r '.top[0] | "\(.feature) \(.count)"' "$out")" "of=things 25"
foreign leat_run peek elsewhere://h:1/things
claim "peek shows it" grep -q 'n .* 0 .* 19' "$out"
claim_says "and proposes commands that read it" "leat explain elsewhere://h:1/things "
leat_run explain elsewhere://h:1/things --format json
claim_says "a source that is not there is told" "there is no source.elsewhere"
leat_run explain file://h:1/things --format json
claim_says "so is one that reads no topics" "source.file does not read topics of servers"
leat_run plugins --json
claim "leat plugins says what a stage reads and writes" equal "$(jq -r '.[] | select(.name |
    test("^(source.(file|kafka|null)|sink.(file|kafka|command)|shape.lookup|shape.where|learn.awm)$")) |
    "\(.name) \(.reads) \(.writes) \(.learns)"' "$out" | sort | paste -sd,)" \
    "learn.awm null null true,shape.lookup files null false,shape.where null null false,sink.command null anywhere false,sink.file null files false,sink.kafka files streams false,source.file files null false,source.kafka streams null false,source.null anywhere null false"

leat_run test p.lua
claim "a file without tests is said" equal "$status" 2
leat_run test nothing_test.lua
claim_says "and one that does not exist" "nothing_test.lua: No such file or directory"
mkdir empty
leat_run test empty
claim_says "and a folder without any" "empty: no file in this folder ends in _test.lua"
leat_run test
claim_says "and a command without a file" "the file is missing: leat test FILE_test.lua"
echo 'require "leat.test"' >x.lua
leat_run run x.lua
claim_says "the module is for tests" 'leat.test is for the files that "leat test FILE" runs'
done_claims
