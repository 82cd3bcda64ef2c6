#!/usr/bin/env bash
# Makes every allocation of a command fail once, from the first to the last.
#
# The commands are all pipelines of malloc_runs.sh, one that continues from a snapshot, applications, and those that
# read models. Each must end by itself: with status 0 and its whole output, or with 1 or 2 and a message of memory. A
# state must then continue to the bytes and models of an undisturbed run. COMMANDS is a pattern of those to try. EACH=n
# tries only each n-th allocation once there are threads. Crashes inside libpcap and OpenBLAS are listed, but do not
# count.
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/malloc_runs.sh"
cd "$tmp" || exit 1
exec 2>noise
malloc_inputs

all() { # all WORDS ARGS…
    local words=$1 k n places why bad=0
    shift
    [[ $words =~ ${COMMANDS:-.} ]] || return
    if ! { malloc_whole "$@" && malloc_places "$@" >places; }; then
        claim "$words: runs" false # elsewhere
        return
    fi
    n=$(cat count) places=$(cat places)
    for k in $places; do
        why=$(malloc_judge "$k" "$@") || { echo "    $words, allocation $k: $why"; bad=$((bad + 1)); }
    done
    claim "$words: each of $n allocations may fail, $(wc -w <<<"$places") in runs of their own" equal "$bad" 0
}
state() { all "$1" run "$1.lua" --progress never --state state --every 200; }

all "a plan" check linear.lua --json
all "a stage's page" plugins learn.awm --json

# What commands do before they have read a script has been tried.
echo 'error "no pipeline"' >empty.lua
COUNT_MALLOC=count LD_PRELOAD=$malloc_preload "$LEAT" check empty.lua >"$out"
MALLOC_FIRST=$(($(cat count) - 20))
malloc_whole run linear.lua --progress never --state state --every 100
cp out/dead dead
mkdir from && cp -r state out from/ && cp -r state other
rm -f from/state/*[2-9].snapshot
cp -r from/state model
"$LEAT" model dump model >text
for pipeline in linear letters columns forks words packets vw newton machines square product; do state $pipeline; done
all judges run judges.lua --progress never
all "a graph" graph forks.lua --format json
MALLOC_FROM=$tmp/from all "a run that continues" run linear.lua --progress never --state state --every 100

# Applications have some 50,000 allocations. Forks at all of them would take longer than a script may.
awk 'BEGIN { print "host,path,ms,bad,text"; srand(3); for (i = 0; i < 120; i++) print "h" i % 5 ",/p" i % 7 "," \
    int(rand() * 90) "," (i % 5 == 3) ",w" i % 3 " v" i % 4 }' >asked.csv
awk 'BEGIN { print "user,item,rating"; for (i = 0; i < 200; i++) print "u" i % 9 ",i" i % 13 "," 1 + i % 5 }' >rated.csv
for command in "explain asked.csv --outlier bad==1" "peek asked.csv" "compare asked.csv --split bad==1" \
    "pairs asked.csv --column text" "correlate asked.csv --left host --right path" "classify asked.csv --label bad" \
    "regress asked.csv --target ms" "rate rated.csv"; do
    EACH=${EACH:-200} MALLOC_ALONE=yes all "${command%% *}" $command
done

MALLOC_FIRST=1
for command in "info model --json" "top model --stage awm --format jsonl" "dump model" "verify model" \
    "diff model other --json" "merge out/merged.snapshot model other" "load text out/loaded.snapshot"; do
    MALLOC_ALONE=
    [[ $command != merge* && $command != load* ]] || MALLOC_ALONE=yes
    all "model ${command%% *}" model $command
done
[[ ! -e excused ]] || sed 's/^/excused, a crash inside a library: allocation /' excused
done_claims
