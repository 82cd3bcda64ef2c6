#!/usr/bin/env bash
# What expressions cost beside the same in Lua, on one core: RECORDS (default 2,000,000) made-up requests through
# pipelines/shape.lua. RUNS (5) in turns: the median of the processor time, without that of reading alone, a record.
set -eu
leat=${LEAT:-build/leat} records=${RECORDS:-2000000} runs=${RUNS:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk -v n="$records" 'BEGIN {
    print "host,path,status,bytes,ms"
    for (i = x = 1; i <= n; i++) {
        x = x * 16807 % 2147483647
        printf "Web-%d.Example.ORG,/p/%d/x.gif,%d,%d,%d\n", x % 251, x % 1000, x % 50 ? 200 : 503, x % 90000,
        x % 997 + 1
    }
}' >"$tmp/csv"
TIMEFORMAT='%U %S'
ways="nothing where filter numbers numbers_lua texts texts_lua all all_lua"
for ((run = 0; run < runs; run++)); do
    for way in $ways; do
        { time "$leat" run tests/bench/pipelines/shape.lua --quiet --set data="$tmp/csv" --set way=$way \
            2>"$tmp/said"; } 2>>"$tmp/$way.seconds"
    done
done
median() { awk '{ print $1 + $2 }' "$1" | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }'; }
nothing=$(median "$tmp/nothing.seconds")
for way in $ways; do
    awk -v way="$way" -v s="$(median "$tmp/$way.seconds")" -v nothing="$nothing" -v n="$records" 'BEGIN {
        printf "%-12s %6.2f s %7.0f ns a record beyond reading\n", way, s, (s - nothing) / n * 1e9 }'
done
