# Memory: nothing is allocated for a record in the steady state; the plan holds.
. "$(dirname "$0")/../support/claims.sh"
counter=$PWD/${B:-build/release}/tests/preload/count_malloc.so
cd "$tmp" || exit 1

awk 'BEGIN { srand(5); for (i = 0; i < 100000; i++) { printf "%s", rand() < .5 ? "+1" : "-1"; for (j = 0; j < 6; j++) printf " %d:%.3f", rand() * 1e6, rand(); print "" } }' >d.svm
awk 'BEGIN { srand(6); print "a,b,n"; for (i = 0; i < 100000; i++) printf "%d,x%d,%.2f\n", rand() * 1e5, rand() * 100, rand() * 1000 }' >d.csv
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
    COUNT_MALLOC=$tmp/count LD_PRELOAD=$counter "$LEAT" run "$1" --set times="$2" --quiet >"$out" 2>"$err" && cat "$tmp/count"
}
# Sanitizers bring an allocator of their own.
if [[ $LEAT != *address* && $LEAT != *thread* ]]; then
    # Lua's own tables, while the script is read, make a dozen more or less.
    claim "libsvm to AWM allocates as often for 2,000,000 records as for 1,000,000" \
        below "$(allocations svm.lua 20)" "$(($(allocations svm.lua 10) + 64))"
    claim "csv through Lua, quantile and exploded pairs likewise" \
        below "$(allocations csv.lua 20)" "$(($(allocations csv.lua 10) + 64))"
    claim "and it does allocate at all" below 10 "$(cat "$tmp/count")"
fi
leat_run check svm.lua --json
claim "the plan is known before the start" jq -e '.plan.bytes > 0 and .plan.bytes < 100e6' "$out"
cat >small.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "small" { leat.source.null {}, leat.sink.null {}, memory = "100KB" }
LUA
leat_run check small.lua
claim_exit "a plan above the limit is refused" 2
claim_says "with both figures" "memory = 0.1 MB"
