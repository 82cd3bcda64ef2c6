#!/usr/bin/env bash
# clickhouse-trend-of-a-minute-falls -- ClickHouse: a counter rises by 2 a second; 208 of 1440 minutes have it fall
#
# One row a second for a day: ts, Unix time in seconds as UInt32, and a counter of bytes that rises by exactly 2.
# simpleLinearRegression(ts, bytes) gives the slope and the intercept of a line, here for each minute.
#
# Guess: the slope is 2. The points lie on a line, all numbers are integers below 2^31, and sums are Float64. corr() and
#        varSamp() have notes that they are not stable, and twins that are (corrStable); simpleLinearRegression() has
#        neither. If digits are lost, the slope is 1.99 or 2.01.
# Truth: no minute has the slope 2. 208 are below 0, mostly at -1.03; 785 are above, up to 1.03; and 447 are nan.
#        Windows of five minutes are from -13.4 to 13.4, and those of an hour from 1.93 to 2.00. A day is right.
#        Times in milliseconds give 507 nan, and no minute is right either. Nothing warns.
#        With ts less its minimum all minutes have 2. So a test with times from 0 on does not see it, nor does one with
#        a day of data. regr_slope(bytes, ts), new in 26.9, is right; covarPop() / varPop() is wrong likewise.
#
# Cause: the sums of x, y, x * x and x * y are kept, and n * sum(x * x) - sum(x) * sum(x) is taken at the end. Both are
#        1e22 here, where Float64 has steps of two million, and the difference of a minute is a million. It is the
#        age of the epoch, not the spread, that counts: 1970 is far away.
# Cure:  regr_slope() from 26.9 on; before, simpleLinearRegression(ts - start, bytes), start near the window.
#        DuckDB 2.0 and DataFusion 55 give 2 (regr_slope(); tried by hand).
#
# Seen with: chdb-core 26.9.0 from PyPI, which is ClickHouse 26.9.2.1.
# Sources: ClickHouse, AggregateFunctionSimpleLinearRegression.cpp (add, getK); its page names no such limit;
#          https://github.com/ClickHouse/ClickHouse/pull/10474 (2020: sums as Float64, against overflow), /pull/119347
#          (regr_slope, where the two are said to match), /pull/108685 (open: the same of skewPop and kurtPop). No issue
#          of simpleLinearRegression() was found.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
changed=0

# versions PACKAGE==VERSION...: installs them into packages/; prints the versions.
versions() {
    python3 -m pip install -q --disable-pip-version-check --no-deps --target packages "$@" 2>pip.log ||
        { cat pip.log; exit 1; }
    for package in "$@"; do
        echo "${package%==*} ${package#*==}"
    done
}

# expect CLAIM SEEN WANTED: prints both; notes a change if they differ.
expect() {
    printf '%-58s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions chdb-core==26.9.0

cat >ask.py <<'PY'
"""Prints, a line for each line of queries.tsv (claim, query), the claim and the one row that the query gives."""
from chdb import session

counter = session.Session()
counter.query("CREATE TABLE counter (ts UInt32, bytes UInt64) ENGINE = MergeTree ORDER BY ts")
counter.query("INSERT INTO counter SELECT 1790000040 + number, 5000 + 2 * number FROM numbers(86400)")
with open("queries.tsv", encoding="utf-8") as queries:
    for line in queries:
        claim, query = line.rstrip("\n").split("\t")
        print(claim, str(counter.query(query, "CSV")).strip().replace(",", " "), sep="\t")
PY

# slopes SLOPE SECONDS WHAT: a query for WHAT of the slopes k of all windows of so many seconds.
slopes() {
    echo "SELECT $3 FROM (SELECT $1 AS k FROM counter GROUP BY intDiv(ts, $2))"
}

line="simpleLinearRegression(ts, bytes).1"
near="countIf(abs(k - 2) < 1e-6)"
cat >queries.tsv <<TSV
right	$(slopes "$line" 60 "count(), $near")
signs	$(slopes "$line" 60 "countIf(k < 0), countIf(k > 0), countIf(isNaN(k)), round(max(k), 2)")
five	$(slopes "$line" 300 "round(min(k), 1), round(max(k), 1)")
hour	$(slopes "$line" 3600 "round(min(k), 2), round(max(k), 2)")
day	$(slopes "$line" 1000000000 "round(k, 4)")
milli	$(slopes "simpleLinearRegression(ts * 1000, bytes).1 * 1000" 60 "countIf(isNaN(k)), $near")
from 0	$(slopes "simpleLinearRegression(ts - 1790000040, bytes).1" 60 "$near")
regr	$(slopes "regr_slope(bytes, ts)" 60 "$near")
covar	$(slopes "covarPop(ts, bytes) / varPop(ts)" 60 "$near")
stable	$(slopes "covarPopStable(ts, bytes) / varPopStable(ts)" 60 "$near")
TSV
PYTHONPATH=packages python3 ask.py >answers.tsv

# of CLAIM: prints what ClickHouse answered.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' answers.tsv
}

expect "minutes, and those with the slope 2" "$(of right)" "1440 0"
expect "  below 0, above 0, nan; the largest" "$(of signs)" "208 785 447 1.03"
expect "windows of five minutes, least and largest slope" "$(of five)" "-13.4 13.4"
expect "hours, least and largest slope" "$(of hour)" "1.93 2"
expect "the whole day" "$(of day)" "2"
expect "minutes with times in milliseconds: nan, 2" "$(of milli)" "507 0"
expect "minutes with the slope 2: ts less its minimum" "$(of "from 0")" 1440
expect "  regr_slope()" "$(of regr)" 1440
expect "  covarPop() / varPop()" "$(of covar)" "0"
expect "  covarPopStable() / varPopStable()" "$(of stable)" "1440"
exit $changed
