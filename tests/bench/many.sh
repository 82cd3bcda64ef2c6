#!/usr/bin/env bash
# many.sh -- costs of splits, and by calculation those of many: SPLITS (64), RUNS (5), ROWS (3000000), CORE (1)
#
# A run over all records, a run over an empty split, a run over each of SPLITS, and a merge of their states: medians of
# user and system seconds on one core. The tables are calculated from these:
#   processor   records * r + splits * (s + m)
#   wall        records / splits * r + s, and then the merge: by one process, or by groups of the square root of splits
set -eu
leat=${LEAT:-build/release/bin/leat} splits=${SPLITS:-64} runs=${RUNS:-5} rows=${ROWS:-3000000} core=${CORE:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
leat=$(realpath "$leat")
cd "$work"
export LC_ALL=C
ask=(explain - --columns date,delay,distance,origin,destination --outlier 'delay >= 60'
    --attributes origin,destination --budget 1MB --quiet)
TIMEFORMAT='%U %S'

# Flights, whose delay depends on where they come from.
awk -v rows="$rows" 'BEGIN {
    x = 1
    for (i = 0; i < rows; i++) {
        x = x * 16807 % 2147483647
        from = x % 230
        x = x * 16807 % 2147483647
        to = (from + x % 17) % 230
        x = x * 16807 % 2147483647
        printf "2001-01-01T00:01:00,%d,%d,A%d,B%d\n", x % (60 + int(from / 4)), 50 * (to + 1), from, to
    }
}' >rows
mkdir split
(cd split && split -n "l/$splits" -a 4 -d ../rows "")

learn() { taskset -c "$core" "$leat" "${ask[@]}" --split "$1" --state "$2" <"$3" 2>>log; }
whole() { learn all whole rows; }
empty() { learn none empty /dev/null; }
each() { for s in split/*; do learn "${s#split/}" "state/${s#split/}" "$s"; done; }
merge() { taskset -c "$core" "$leat" model merge merged state 2>>log; }

# median WORK: prints its seconds, the median of all runs.
for ((i = 0; i < runs; i++)); do
    for w in whole empty each merge; do
        rm -rf merged && mkdir -p state
        { time $w; } 2>>"$w.s"
    done
done
median() { awk '{ print $1 + $2 }' "$1.s" | sort -n | sed -n "$((runs / 2 + 1))p"; }

# The most memory that a merge has had, in MB.
rm -rf merged
memory=$(command time -f %M taskset -c "$core" "$leat" model merge merged state 2>&1 >/dev/null | tail -1)

awk -v rows="$rows" -v splits="$splits" -v memory="$memory" -v whole="$(median whole)" -v empty="$(median empty)" -v each="$(median each)" \
    -v merge="$(median merge)" -v bytes="$(stat -c %s state/* | sort -n | tail -1)" '
    function wall(records, n) { return records / n * r + s }
    function groups(n) { return n == 1 ? 0 : 2 * sqrt(n) * m + empty }
    BEGIN {
        r = (whole - empty) / rows
        s = (each - rows * r) / splits
        m = merge / splits
        printf "a process %.1f ms, a record %.3f us, a split %.1f ms, a state %.1f ms to merge and %d bytes\n\n",
            empty * 1e3, r * 1e6, s * 1e3, m * 1e3, bytes
        printf "%d states merged in %.2f s, with at most %.1f MB of memory\n\n", splits, merge, memory / 1024
        print "| records | splits | processor s | wall s, a core a split | merged by one | merged in groups |"
        print "|---|---|---|---|---|---|"
        for (records = 3e6; records <= 3e9; records *= 1000)
            for (i = 1; i <= 4; i++) {
                n = i == 1 ? 1 : i == 2 ? 8 : i == 3 ? 64 : 1000
                printf "| %d million | %d | %.1f | %.2f | + %.2f | + %.2f |\n", records / 1e6, n,
                    records * r + n * s + (n - (n == 1)) * m, wall(records, n), (n - (n == 1)) * m, groups(n)
            }
    }'
