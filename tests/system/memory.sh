# Memory: no allocation for a record in the steady state; the plan holds.
# tier: long (13 s)
. "$(dirname "$0")/../support/claims.sh"
counter=$PWD/${B:-build/release}/tests/preload/count_malloc.so
cd "$tmp" || exit 1

awk 'BEGIN { srand(5); for (i = 0; i < 100000; i++) { printf "%s", rand() < .5 ? "+1" : "-1";
    for (j = 0; j < 6; j++) printf " %d:%.3f", rand() * 1e6, rand(); print "" } }' >d.svm
awk 'BEGIN { srand(6); print "a,b,n"; for (i = 0; i < 100000; i++) printf "%d,x%d,%.2f\n", rand() * 1e5, rand() * 100,
    rand() * 1000 }' >d.csv
cat >svm.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "svm" {
  leat.source.file { path = "d.svm", ["repeat"] = leat.args.times },
  leat.parse.libsvm { lanes = 2 },
  leat.feature.normalize {},
  leat.learn.awm { id = "model", budget = "8KB" },
  leat.sink.predictions { path = "/dev/null" },
  leat.sink.top { every = 100000, path = "/dev/null" },
  leat.sink.metrics { every = 100000, path = "/dev/null" },
}
LUA
cat >csv.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "csv" {
  leat.source.file { path = "d.csv", ["repeat"] = leat.args.times },
  leat.parse.csv {},
  leat.filter(function(n) return n < 900 end, { "n:number" }),
  leat.label.quantile { column = "n", q = 0.8 },
  leat.feature.columns { "a", "b", cross = 2, explode = true },
  leat.learn.awm { id = "model", counts = true },
  leat.sink.top { path = "/dev/null" },
}
LUA
allocations() { # SCRIPT TIMES
    COUNT_MALLOC=$tmp/count LD_PRELOAD=$counter "$LEAT" run "$1" --set times="$2" --quiet >"$out" 2>"$err" &&
        cat "$tmp/count"
}
# Sanitizers bring an allocator of their own.
if [[ $LEAT != *address* && $LEAT != *thread* ]]; then
    # Lua's own tables, while the script is read, make a dozen more or less.
    claim "libsvm to AWM allocates as often for 2,000,000 records as for 1,000,000" \
        below "$(allocations svm.lua 20)" "$(($(allocations svm.lua 10) + 64))"
    claim "csv through Lua, quantile and exploded pairs likewise" \
        below "$(allocations csv.lua 20)" "$(($(allocations csv.lua 10) + 64))"
    claim "and it does allocate at all" below 10 "$(cat "$tmp/count")"
else
    skip "a record allocates nothing" "sanitizers have an allocator of their own"
fi
leat_run check svm.lua --json
claim "the plan is known before the start" jq -e '.plan.bytes > 0 and .plan.bytes < 100e6' "$out"
cat >small.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "small" { leat.source.null {}, leat.sink.null {}, memory = "100KB" }
LUA
leat_run check small.lua
claim_exit "a plan above the limit is refused" 2
claim_says "with both figures, in the unit of the script" " MB, more than memory = 100.0 KB"

# What grows is planned at what it may become.
cat >grow.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "grow" {
  leat.source.file { path = "new.svm", max_record = "4KB" },
  leat.parse.libsvm {},
  leat.learn.sftrl { m = 10, loss = "logistic", max_features = leat.args.max and tonumber(leat.args.max) },
  leat.sink.null {},
  memory = leat.args.memory,
  batch_rows = 256,
  batch_bytes = "64KB",
}
LUA
awk 'BEGIN { for (i = 0; i < 100000; i++) print (i % 2 ? "+1" : "-1"), 2 * i + 1 ":1", 2 * i + 2 ":1" }' >new.svm
peak() { /usr/bin/time -f %M -o peak "$LEAT" run "$@" >"$out" 2>"$err"; awk '{ print $1 * 1024 }' peak; }
planned() { "$LEAT" check "$@" --json | jq ".plan.bytes"; }
bounded() { # ARGS…: the run stays within the plan and takes more than a fourth of it
    local most=$(planned "$@") real=$(peak "$@" --quiet)
    echo "planned $most, taken $real"
    below "$real" "$most" && below "$most" $((4 * real))
}
if [[ $LEAT != *address* && $LEAT != *thread* ]]; then # they take memory of their own
    claim "a learner that grows stays within its plan" bounded grow.lua --set max=131072
    claim "and so with snapshots" bounded grow.lua --set max=131072 --state st --every 20000
fi
leat_run run grow.lua --set max=131072
claim_says "the run says that it stops growing, and what to set" "max_features is reached at 131072 features" \
    "raise max_features"
claim "once" test "$(grep -c "is reached" "$err")" = 1
cat >named.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "named" {
  leat.source.file { path = "named.csv" }, leat.parse.csv {}, leat.label.number { column = "y" }, leat.feature.columns { "user" },
  leat.stage("learn." .. leat.args.learner, { names_budget = leat.args.budget, id = "l" }), leat.sink.top { k = 2 },
}
LUA
awk 'BEGIN { print "y,user"; for (i = 0; i < 9000; i++) print i % 2 ",u" i }' >named.csv
for learner in logistic frequent bias adagrad; do
    leat_run run named.lua --set learner=$learner --set budget=64KB --quiet
    claim_says "$learner: the run says that names find no room, and what to set" "the 65536 bytes for names are full" \
        "raise names_budget"
    claim "$learner: once" test "$(grep -c "for names are full" "$err")" = 1
    leat_run run named.lua --set learner=$learner --set budget=1MB --quiet
    claim "$learner: not where there is room" eval '! grep -q "for names" "$err"'
    leat_run run named.lua --set learner=$learner --set budget=0B --quiet
    claim "$learner: nor where none are wanted" eval '! grep -q "for names" "$err"'
done
leat_run check grow.lua --set max=131072
claim "check says where a learner stops" grep -q "stops growing at 131072 features (" "$out"
claim "and of what the bound is made" grep -q "process .*program, stacks, script" "$out"
leat_run check grow.lua --set memory=42MB
claim_exit "memory refuses what a learner may become" 2
claim_says "with the size that fits" "more than memory = 42.0 MB: max_features = 32768 of sftrl (learn.sftrl) fits"
leat_run check grow.lua --set memory=42MB --json
claim "and with the plan that it refuses, as JSON" jq -e '.ok == false and .plan.bytes > 44040192 and (.graph.stages |
    any(.state_bytes > 0))' "$out"
leat_run check grow.lua --set memory=42MB --set max=32768
claim_exit "which then passes" 0
# What the system refuses, check finds as run does, and it blames nothing else. (Sanitizers need all address space.)
limited() { (ulimit -v ${limit:-400000} && leat_run "$@"; exit $status); }
if [[ $LEAT == *release* ]]; then
    printf '1 1:1\n0 2:1\n' >two.svm
    sed 's/new.svm/two.svm/' grow.lua >two.lua
    for command in check run; do
        limited $command two.lua --set max=4194304
        claim "$command ends for memory that a learner cannot reserve" test $? = 1
        claim_says "$command names it and its parameter" \
            "sftrl (learn.sftrl): there is not enough memory for max_features = 4194304"
        claim "$command says nothing else" equal "$(grep -c "no records\|libsvm" "$err")" 0
    done
    cat >forked.lua <<'LUA'
local leat = require "leat"
local function learner(id) return { leat.learn.sftrl { id = id, loss = "logistic", max_features = 1048576 }, leat.sink.null {} } end
return leat.pipeline "forked" { leat.source.file { path = "two.svm" }, leat.parse.libsvm {}, leat.tee { learner "one", learner "two", learner "three" } }
LUA
    for command in check run; do
        limit=800000 limited $command forked.lua # 128 MB for products of matrices in each branch
        claim "$command ends for memory that several reserve together" test $? = 1
        claim_says "$command names one that finds none" \
            "(learn.sftrl): there is not enough memory for max_features = 1048576"
    done
fi
leat_run check grow.lua --set memory=40MB --set max=32768 --state st
claim_exit "snapshots are in the plan where --state is" 2
LUA_MEMORY=$("$LEAT" check csv.lua --set times=1 --json | jq '[.graph.stages[] | select(.plugin ==
    "lua.filter").work_bytes][0]')
claim "and so is the memory of a Lua function" test "$LUA_MEMORY" -ge 16777216

growing=$("$LEAT" plugins --json | jq -r '[.[] | select(.kind == "learner" and (.params | any(.name ==
    "max_features" and (.default | tonumber) > 65536))).name] | join(" ")')
cd - >/dev/null || exit 1
claim "there are such learners" grep -q "learn.sftrl" <<<"$growing"
[[ $LEAT == *release* ]] || skip_rest "sanitizers take memory of their own"
claim "no learner that grows takes more than its plan and a tenth, with two ever-new names a record" \
    env STAGES="$growing" RECORDS=12000 FEATURES=8192 tests/bench/memory.sh
done_claims
