#!/usr/bin/env bash
# duckdb-reservoir-quantile-first-rows -- DuckDB's reservoir_quantile() is the quantile of the first 8192 rows
#
# A table has a million requests in order of time. The first 10,000 took 100 ms, the 990,000 after them 200 ms.
# reservoir_quantile(ms, 0.5) promises the quantile of a random sample, of 8192 rows unless told otherwise.
#
# Guess: the median and p99 are 200. The error of a rank is some 0.6 percent of the rows, in any order of rows.
# Truth: up to DuckDB 2.0.0 both are 100. The sample is the first 8192 rows, and no later row ever enters it.
#        A larger sample is again the first rows. Shuffled rows hide this. Nothing warns.
#        2.0.1 does sample, but unevenly: the "median" of 0 .. 19999 in order is at 38 percent of them.
#        Its seed is fixed: a second run, or another group of such rows, errs in the same way.
#
# Cause: the function shares its arithmetic with USING SAMPLE: after each entry it draws how many rows to skip.
#        USING SAMPLE counts the rows that it skips. The aggregate only compares this count, which stays 0.
#        The cause in 2.0.1 is a guess: a count that begins one row late. A simulation of that gives 37 percent.
# Cure:  approx_quantile() or quantile_disc(); or the median of a subquery with USING SAMPLE reservoir(8192 ROWS).
#
# Seen with: duckdb 1.5.6 and 2.0.1 from PyPI, with one thread; 1.0.0, 1.3.2, 1.4.5 and 2.0.0 are as 1.5.6.
#          With more threads the sample is the first rows of one of them, and changes between runs.
# Sources: DuckDB 1.5, reservoir_quantile.cpp (FillReservoir) against reservoir_sample.cpp (AddToReservoir);
#          https://github.com/duckdb/duckdb/pull/18563 mended a skew of USING SAMPLE, which is not this one.
#          We found no issue of it; https://github.com/rilldata/rill/issues/942 takes it for the small sample.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
changed=0

# versions PACKAGE==VERSION...: installs each into a folder of that name; prints the versions.
versions() {
    for package in "$@"; do
        python3 -m pip install -q --disable-pip-version-check --no-deps --target "$package" "$package" 2>pip.log ||
            { cat pip.log; exit 1; }
        echo "${package%==*} ${package#*==}"
    done
}

# expect CLAIM SEEN WANTED: prints both; notes a change if they differ.
expect() {
    printf '%-58s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions duckdb==1.5.6 duckdb==2.0.1

cat >ask.py <<'PY'
"""ask.py QUERY: prints the one value that the query gives."""
import sys

import duckdb

connection = duckdb.connect()
connection.execute("SET threads = 1")
connection.execute("CREATE TABLE requests AS SELECT i, if(i < 10000, 100, 200) AS ms FROM range(1000000) AS t(i)")
connection.execute("CREATE TABLE shuffled AS FROM requests ORDER BY hash(i)")
connection.execute("CREATE TABLE few AS FROM requests LIMIT 20000")
connection.execute("CREATE TABLE few_shuffled AS FROM few ORDER BY hash(i)")
print(connection.execute(sys.argv[1]).fetchall()[0][0])
PY

# ask VERSION QUERY: prints the answer of that version of DuckDB.
ask() {
    PYTHONPATH="duckdb==$1" python3 ask.py "$2"
}

# percent QUANTILE ROWS: SQL for the place of a quantile of 0 .. ROWS - 1, in whole percent.
percent() {
    echo "round(100.0 * $1 / $2)::INT"
}

median="reservoir_quantile(i, 0.5)"
sampled="(SELECT i FROM requests USING SAMPLE reservoir(8192 ROWS) REPEATABLE (1))"
near="BETWEEN 480000 AND 520000"

expect "truth: median and p99 of the million" \
    "$(ask 2.0.1 "SELECT quantile_disc(ms, [0.5, 0.99]) FROM requests")" "[200, 200]"
expect "1.5.6: reservoir_quantile" \
    "$(ask 1.5.6 "SELECT reservoir_quantile(ms, [0.5, 0.99]) FROM requests")" "[100, 100]"
expect "1.5.6: median of 0 .. 999999 in order" "$(ask 1.5.6 "SELECT $median FROM requests")" 4095
expect "1.5.6: the same with a sample of 100,000" \
    "$(ask 1.5.6 "SELECT reservoir_quantile(i, 0.5, 100000) FROM requests")" 49999
expect "1.5.6: the same rows shuffled: within 2 percent" "$(ask 1.5.6 "SELECT $median $near FROM shuffled")" True
expect "1.5.6: approx_quantile in order: within 2 percent" \
    "$(ask 1.5.6 "SELECT approx_quantile(i, 0.5) $near FROM requests")" True
expect "1.5.6: USING SAMPLE in order: within 2 percent" "$(ask 1.5.6 "SELECT median(i) $near FROM $sampled")" True
expect "2.0.1: median of 0 .. 19999 in order, percent" \
    "$(ask 2.0.1 "SELECT $(percent "$median" 20000) FROM few")" 38
expect "2.0.1: of 19999 .. 0, percent" \
    "$(ask 2.0.1 "SELECT $(percent "reservoir_quantile(19999 - i, 0.5)" 20000) FROM few")" 62
expect "2.0.1: the same rows shuffled, within 2 percent" \
    "$(ask 2.0.1 "SELECT $median BETWEEN 9600 AND 10400 FROM few_shuffled")" True
exit $changed
