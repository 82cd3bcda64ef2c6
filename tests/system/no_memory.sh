# One allocation fails: finished work is whole, and unfinished work has a reason.
#
# Each allocation fails while scripts are read and checked, and otherwise some 25 places of each command (`make malloc`
# tries them all).
# tier: long (90 s)
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/malloc_runs.sh"
# Sanitizers bring an allocator of their own.
[[ $LEAT != *address* && $LEAT != *thread* ]] || skip_rest "sanitizers have an allocator of their own"
preload=$malloc_preload
cd "$tmp" || exit 1
mkdir all && cd all || exit 1
malloc_inputs
# In each script, from the first allocation after the plugins and the modules of Lua.
echo 'error "no pipeline"' >empty.lua
COUNT_MALLOC=count LD_PRELOAD=$preload "$LEAT" check empty.lua >"$out" 2>"$err"
MALLOC_FIRST=$(($(cat count) - 20))
# harmless WORDS ARGS…
harmless() {
    local words=$1 bad="" k why
    shift
    malloc_whole "$@"
    for k in $(malloc_places "$@"); do
        why=$(malloc_judge "$k" "$@") || bad+=" $k: $why;"
    done
    claim "$words, $(cat count) allocations" equal "$bad" ""
}
for script in columns words packets forks; do harmless "each allocation of the check of $script.lua" check \
    $script.lua; done
MALLOC_FIRST=100000 EACH=60 harmless "Lua functions and dead letters, sampled" run columns.lua --progress never \
    --state state --every 200
cd "$tmp" || exit 1
awk 'BEGIN { srand(5); for (i = 0; i < 300; i++) { y = rand() < .4; if (i % 3 == 1) print "bad\xff"; else { printf "%s",
    y ? "+1" : "-1"; for (j = 0; j < 4; j++) printf " %d:1", 1 + int(rand() * 20) + (y ? 5 : 0) + 100 * j; print "" } }
    }' >rows.svm
cat >learn.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "learn" {
  leat.source.file { path = "rows.svm" }, leat.parse.libsvm {},
  leat.learn.awm { id = "model", budget = "2KB" }, leat.sink.predictions { path = "out.csv" },
  leat.sink.top { path = "top.csv", format = "csv", every = 50 },
  dead_letters = "dead", max_reject_ratio = 1, batch_rows = 32,
}
LUA
leat_run run learn.lua --state first --every 1h --quiet
claim_exit "a run with dead letters and a state" 0
cp -r first half && rm -f half/*[2-9].snapshot
cp out.csv out.whole && cp dead dead.whole && cp top.csv top.whole
"$LEAT" model dump first >dump.whole
whole() { cmp -s out.csv out.whole && cmp -s dead dead.whole && cmp -s top.csv top.whole; }
# fingerprint DIR: what its snapshots say of the pipeline
fingerprint() { "$LEAT" model dump "$1" | jq -c 'select(.section == "pipeline")'; }
fingerprint first >fingerprint
whole_state() { whole && fingerprint state | cmp -s - fingerprint; }
printed() { cmp -s "$out" printed; }
anew() { rm -rf state; }
from_half() { rm -rf state && cp -r half state && cp out.whole out.csv && cp dead.whole dead && cp top.whole top.csv; }

# The number of allocations of a command
allocations() { COUNT_MALLOC=$tmp/count LD_PRELOAD=$preload "$LEAT" "$@" >"$out" 2>"$err"; cat count; }
loading=$(allocations model info none)
claim "plugins are loaded by some allocations" below 20 "$loading"

# survives WORDS BEFORE CHECK ARGS… : at places from the loading of plugins to the end
survives() {
    local words=$1 before=$2 check=$3 k bad="" n
    shift 3
    "$before"
    n=$(allocations "$@")
    cp "$out" printed
    for k in $(awk -v from="$loading" -v to="$n" \
        'BEGIN { for (i = 0; i < 25; i++) print int(from + (to - from) * (i + 0.5) / 25) }'); do
        "$before"
        FAIL_MALLOC=$k LD_PRELOAD=$preload "$LEAT" "$@" >"$out" 2>"$err"
        status=$?
        if ((status > 3)); then
            bad+=" $k: status $status;"
        elif ((status == 0)); then
            $check || bad+=" $k: not whole;"
        elif ! grep -qiE "$MALLOC_WORDS" "$err" "$out"; then # check --json prints problems
            bad+=" $k: $(head -1 "$err");"
        fi
    done
    claim "$words" equal "$bad" ""
}
survives "a run is whole, or says that memory is lacking" anew whole_state run learn.lua --state state --every 1h \
    --quiet
survives "so is one that continues" from_half whole run learn.lua --state state --every 1h --quiet
survives "so is the plan" true printed check learn.lua --json
survives "so are figures" true printed model info first --json
survives "and features" true printed model top first --format jsonl
survives "and dumps" true printed model dump first
survives "and differences" true printed model diff first half --json
survives "and an application" true printed explain all/rows.csv --outlier 'k == "a"' --quiet
survives "and what peek says" true printed peek all/rows.csv
survives "and an application's arguments" true printed explain --help
export FAIL_MALLOC_ON=yes
survives "a script is read, or memory is lacking, where none is left" true printed check learn.lua
done_claims
