#!/usr/bin/env bash
# What spans of time, order and look-ups cost, on one core: RECORDS (default 2,000,000) made-up requests, half a day of
# which each comes up to 20 s late, through pipelines/streams.lua. RUNS (5) in turns: the median of the processor time,
# without that
# of reading alone, a record; then whole runs beside mawk and sort(1), which do the same from file to file.
set -eu
leat=${LEAT:-build/leat} records=${RECORDS:-2000000} runs=${RUNS:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk -v n="$records" 'BEGIN {
    print "time,host,path,status,bytes,ms"
    for (i = x = 1; i <= n; i++) {
        x = x * 16807 % 2147483647
        printf "%d,web-%d.example.org,/p/%d/x.gif,%d,%d,%d\n", 1700000000 + i * 43200 / n - x % 20, x % 251, x % 1000,
        x % 50 ? 200 : 503, x % 90000, x % 997 + 1
    }
}' >"$tmp/csv"
awk 'BEGIN { print "host,owner"; for (i = 0; i < 251; i++) printf "web-%d.example.org,owner-%d\n", i, i % 7 }' \
    >"$tmp/hosts"
TIMEFORMAT='%U %S'
run() { # run WAY NAME [OPTION…]
    { time "$leat" run tests/bench/pipelines/streams.lua --quiet --set data="$tmp/csv" --set hosts="$tmp/hosts" \
        --set way="$1" "${@:3}" 2>"$tmp/said"; } 2>>"$tmp/$2.seconds"
}
ways="nothing time window quantile flat sort lookup reservoir"
# shellcheck disable=SC2016
by_hour='NR > 1 { t = int($1 / 3600); k = t "," $2; n[k]++; s[k] += $5 } END { for (k in n) print k "," n[k] "," s[k] / n[k] }'
for ((i = 0; i < runs; i++)); do
    for way in $ways; do run $way $way; done
    run window leat_window --set out="$tmp/out"
    { time mawk -F, "$by_hour" "$tmp/csv" >"$tmp/out"; } 2>>"$tmp/mawk_window.seconds"
    run sort leat_sort --set out="$tmp/out" --set format=raw
    { time LC_ALL=C sort --parallel=1 -s -t, -k1,1n "$tmp/csv" >"$tmp/out"; } 2>>"$tmp/sort_sort.seconds"
done
median() { awk '{ print $1 + $2 }' "$1" | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }'; }
nothing=$(median "$tmp/nothing.seconds")
for way in $ways; do
    awk -v way="$way" -v s="$(median "$tmp/$way.seconds")" -v nothing="$nothing" -v n="$records" 'BEGIN {
        printf "%-12s %6.2f s %7.0f ns a record beyond reading\n", way, s, (s - nothing) / n * 1e9 }'
done
for whole in leat_window mawk_window leat_sort sort_sort; do
    awk -v way="$whole" -v s="$(median "$tmp/$whole.seconds")" -v n="$records" 'BEGIN {
        printf "%-12s %6.2f s %7.2f M records/s, from file to file\n", way, s, n / s / 1e6 }'
done
