#!/usr/bin/env bash
# clickhouse-avg-of-floats-wraps -- ClickHouse: the avg() of six times in seconds, all of 2026, is a time in 1929
#
# A table of spans with start_ns, Int64, as OpenTelemetry gives it: nanoseconds since 1970, 20 spans a second apart.
# SELECT avg(start_ns / 1e9) asks for the mean in seconds. toTypeName(start_ns / 1e9) says Float64.
#
# Guess: sums of Int64 wrap in ClickHouse, and so may avg(start_ns), as its issues say. But here floats are averaged,
#        and floats do not wrap. So the mean is 1790000009.5, and it lies between min() and max() in any case.
# Truth: it is -54674397.87, beside min(start_ns / 1e9) = 1790000000 and max(...) = 1790000019 in the same row.
#        Five spans are right, six give -1284457343. avg(start_ns * 1.0), which one writes to avoid the wrap, wraps
#        too, as does sum(start_ns / 1e9). Nothing warns.
#        The same expression in a subquery or a view is right; so are avgIf(..., 1), avg(...) OVER () and median().
#
# Cause: optimize_arithmetic_operations_in_aggregate_functions, on by default, moves constants out of the function:
#        avg(start_ns / 1e9) becomes avg(start_ns) / 1e9, whose numerator is an Int64. EXPLAIN SYNTAX shows it with
#        run_query_tree_passes = 1 only. Six times of 1.79e18 are beyond 2^63.
# Cure:  avg(toFloat64(start_ns) / 1e9), or the setting at 0, or DateTime64(9), whose avg() does not wrap.
#        DuckDB, Polars and DataFusion average the same Int64 rightly (tried by hand).
#
# Seen with: chdb-core 26.9.0 from PyPI, which is ClickHouse 26.9.2.1.
# Sources: https://github.com/ClickHouse/ClickHouse/pull/20183 (2021: "`avg(x / 2)` does not overflow right now but may
#          start to overflow", merged as it was); /issues/51159 (of sum; open since 2023); /issues/60908 (avg of Int64
#          without arithmetic). We found no issue of an avg() outside the range of its own values.
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
    printf '%-54s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions chdb-core==26.9.0

cat >ask.py <<'PY'
"""Prints, a line for each line of queries.tsv (claim, query), the claim and the one row that the query gives."""
from chdb import session

spans = session.Session()
spans.query("CREATE TABLE spans (start_ns Int64) ENGINE = MergeTree ORDER BY start_ns")
spans.query("INSERT INTO spans SELECT 1790000000000000000 + number * 1000000000 FROM numbers(20)")
spans.query("CREATE VIEW seconds AS SELECT start_ns / 1e9 AS s FROM spans")
with open("queries.tsv", encoding="utf-8") as queries:
    for line in queries:
        claim, query = line.rstrip("\n").split("\t")
        print(claim, str(spans.query(query, "CSV")).strip(), sep="\t")
PY

cat >queries.tsv <<'TSV'
version	SELECT version()
type	SELECT DISTINCT toTypeName(start_ns / 1e9) FROM spans
row	SELECT round(min(start_ns / 1e9)), round(avg(start_ns / 1e9), 2), round(max(start_ns / 1e9)) FROM spans
five	SELECT avg(start_ns / 1e9) FROM (SELECT * FROM spans ORDER BY start_ns LIMIT 5)
six	SELECT round(avg(start_ns / 1e9)) FROM (SELECT * FROM spans ORDER BY start_ns LIMIT 6)
year	SELECT toYear(toDateTime64(avg(start_ns / 1e9), 0, 'UTC')) FROM (SELECT * FROM spans ORDER BY start_ns LIMIT 6)
times	SELECT avg(start_ns * 1.0) < 0 FROM spans
sum	SELECT round(sum(start_ns / 1e9)) FROM spans
subquery	SELECT avg(s) FROM (SELECT start_ns / 1e9 AS s FROM spans)
view	SELECT avg(s) FROM seconds
if	SELECT avgIf(start_ns / 1e9, 1) FROM spans
over	SELECT DISTINCT avg(start_ns / 1e9) OVER () FROM spans
median	SELECT median(start_ns / 1e9) FROM spans
off	SELECT avg(start_ns / 1e9) FROM spans SETTINGS optimize_arithmetic_operations_in_aggregate_functions = 0
cast	SELECT round(avg(toFloat64(start_ns) / 1e9), 1) FROM spans
time	SELECT toFloat64(avg(fromUnixTimestamp64Nano(start_ns, 'UTC'))) FROM spans
plan	EXPLAIN SYNTAX oneline = 1, run_query_tree_passes = 1 SELECT avg(start_ns / 1e9) FROM spans
TSV
PYTHONPATH=packages python3 ask.py >answers.tsv

# of CLAIM: prints the answer to that query.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' answers.tsv
}

echo "ClickHouse $(of version)"
expect "type of start_ns / 1e9" "$(of type)" '"Float64"'
expect "20 spans: min, avg, max of it" "$(of row)" "1790000000,-54674397.87,1790000019"
expect "  5 spans: avg" "$(of five)" 1790000002
expect "  6 spans: avg" "$(of six)" -1284457343
expect "  its year" "$(of year)" 1929
expect "20 spans: avg(start_ns * 1.0) is negative" "$(of times)" 1
expect "  sum(start_ns / 1e9)" "$(of sum)" -1093487957
expect "  avg of a subquery's start_ns / 1e9" "$(of subquery)" 1790000009.5
expect "  avg of a view's" "$(of view)" 1790000009.5
expect "  avgIf(start_ns / 1e9, 1)" "$(of if)" 1790000009.5
expect "  avg(start_ns / 1e9) OVER ()" "$(of over)" 1790000009.5
expect "  median(start_ns / 1e9)" "$(of median)" 1790000009.5
expect "  avg with the setting at 0" "$(of off)" 1790000009.5
expect "  avg(toFloat64(start_ns) / 1e9)" "$(of cast)" 1790000009.5
expect "  avg of DateTime64(9)" "$(of time)" 1790000009.5
expect "  the plan divides avg(start_ns)" "$(of plan | grep -c 'divide(avg(')" 1
exit $changed
