#!/usr/bin/env bash
# datafusion-bloom-filter-loses-zeros -- DataFusion 55: WHERE power = 0 finds none of 1000 zeros that DuckDB wrote
#
# 10,000 readings of a battery that discharges, power of -0.5 to 0 kW, rounded to tenths. DuckDB wrote them to Parquet.
# 1000 of them are zeros: small negative numbers that round() made -0.0 of, as IEEE 754 wants it.
#
# Guess: -0.0 = 0 is true in SQL. It is false in old versions of DataFusion, but 55 made it true, so WHERE finds 1000.
#        A bloom filter only says what is certainly not in the file; the rows are as if there were none.
# Truth: WHERE power = 0 finds no row. So do IN (0, 1), BETWEEN 0 AND 0, NOT power <> 0, IN (SELECT ...) and joins.
#        power >= 0, GROUP BY power and count(*) FILTER (WHERE power = 0) of the same file have the 1000. Nothing warns.
#        If half the row groups have -0.0 and half 0.0, = 0 finds the one half, and = -0.0 the other.
#        The table in memory is right, and so is a file without bloom filters. A test with such data does not see it.
#
# Cause: the filter holds hashes of bytes, and -0.0 has other bytes than 0.0. DataFusion 55 compares without the sign
#        of zero; its look-up in the filter keeps the sign. Both halves are on by default: DuckDB writes such a filter
#        for each column with a dictionary, and DataFusion reads it.
# Cure:  power + 0.0 when writing, or abs(power) = 0 when reading; or bloom_filter_on_read = false in DataFusion.
#        DuckDB 2.0, ClickHouse 26.9 and Polars 2.1 find the 1000 (DuckDB 1.5.6 finds none; tried by hand).
#
# Seen with: datafusion 55.0.0 from PyPI, duckdb 2.0.1 (1.5.6 writes the same), pyarrow 26.0.1. DataFusion 50.1 finds
#            no -0.0 for = 0 anywhere, in memory neither.
# Sources: https://github.com/apache/datafusion/pull/22835 (June 2026: zeros of both signs are equal; its list of places
#          has no bloom filter); DataFusion, datasource-parquet/src/row_group_filter.rs (check_scalar);
#          https://github.com/apache/datafusion/pull/25186 (open) has IN lists; /issues/22994 (closed) decimals;
#          https://github.com/duckdb/duckdb/pull/23829 names DuckDB's own case. We found no issue of DataFusion's.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
changed=0

# versions PACKAGE==VERSION...: installs them into packages/; prints the versions.
versions() {
    python3 -m pip install -q --disable-pip-version-check --target packages "$@" 2>pip.log ||
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

versions datafusion==55.0.0 duckdb==2.0.1 pyarrow==26.0.1

cat >zeros.py <<'PY'
"""Prints, a line for each claim, how many rows a condition finds."""
import datafusion
import duckdb
import pyarrow
import pyarrow.parquet

duck = duckdb.connect()
duck.execute("""CREATE TABLE battery AS
    SELECT round(-0.01::DOUBLE * (i % 50) - 0.001, 1) AS power FROM range(10000) AS t(i)""")
duck.execute("COPY battery TO 'battery.parquet' (FORMAT parquet)")
duck.execute("COPY (SELECT power + 0.0 AS power FROM battery) TO 'added.parquet' (FORMAT parquet)")
duck.execute("""COPY (SELECT if(i % 2 = 0, 0.5::DOUBLE, if(i < 2048, -0.0::DOUBLE, 0.0::DOUBLE)) AS power
    FROM range(4096) AS t(i)) TO 'groups.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048)""")
pyarrow.parquet.write_table(pyarrow.parquet.read_table("battery.parquet"), "unfiltered.parquet")


def session(source, bloom="true"):
    config = datafusion.SessionConfig().set("datafusion.execution.parquet.bloom_filter_on_read", bloom)
    context = datafusion.SessionContext(config)
    context.from_arrow(pyarrow.table({"zero": [0.0]}), name="zeros")
    if source == "memory":
        context.from_arrow(pyarrow.parquet.read_table("battery.parquet"), name="battery")
    else:
        context.register_parquet("battery", source)
    return context


def ask(claim, query, source="battery.parquet", **settings):
    print(claim, session(source, **settings).sql(query).collect()[0][0][0].as_py(), sep="\t")


def where(claim, condition, source="battery.parquet", **settings):
    ask(claim, f"SELECT count(*) FROM battery WHERE {condition}", source, **settings)


for claim, table in ("duck", "battery"), ("duck file", "'battery.parquet'"):
    print(claim, duck.execute(f"SELECT count(*) FROM {table} WHERE power = 0").fetchone()[0], sep="\t")
where("equal", "power = 0")
where("in", "power IN (0, 1)")
where("between", "power BETWEEN 0 AND 0")
where("not", "NOT power <> 0")
where("subquery", "power IN (SELECT zero FROM zeros)")
ask("join", "SELECT count(*) FROM battery JOIN zeros ON power = zero")
where("least", "power >= 0")
where("abs", "abs(power) = 0")
ask("filter", "SELECT count(*) FILTER (WHERE power = 0) FROM battery")
ask("group", "SELECT max(n) FROM (SELECT power, count(*) AS n FROM battery GROUP BY power) WHERE power >= 0")
where("off", "power = 0", bloom="false")
where("memory", "power = 0", "memory")
where("unfiltered", "power = 0", "unfiltered.parquet")
where("added", "power = 0", "added.parquet")
where("groups", "power = 0", "groups.parquet")
where("groups -", "power = -0.0", "groups.parquet")
where("groups both", "abs(power) = 0", "groups.parquet")
PY
PYTHONPATH=packages python3 zeros.py >zeros.tsv

# of CLAIM: prints what zeros.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' zeros.tsv
}

expect "DuckDB, table and file: power = 0" "$(of duck) $(of "duck file")" "1000 1000"
expect "DataFusion, the file: power = 0" "$(of equal)" 0
expect "  power IN (0, 1)" "$(of in)" 0
expect "  power BETWEEN 0 AND 0" "$(of between)" 0
expect "  NOT power <> 0" "$(of not)" 0
expect "  power IN (SELECT zero FROM zeros)" "$(of subquery)" 0
expect "  JOIN zeros ON power = zero" "$(of join)" 0
expect "  power >= 0" "$(of least)" 1000
expect "  abs(power) = 0" "$(of abs)" 1000
expect "  count(*) FILTER (WHERE power = 0)" "$(of filter)" 1000
expect "  GROUP BY power: rows of zero" "$(of group)" 1000
expect "  power = 0 with bloom_filter_on_read = false" "$(of off)" 1000
expect "DataFusion, the table in memory: power = 0" "$(of memory)" 1000
expect "  a file without bloom filters" "$(of unfiltered)" 1000
expect "  a file of power + 0.0" "$(of added)" 1000
expect "a row group of -0.0, one of 0.0: = 0, = -0.0, abs() = 0" \
    "$(of groups) $(of "groups -") $(of "groups both")" "1024 1024 2048"
exit $changed
