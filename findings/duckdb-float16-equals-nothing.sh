#!/usr/bin/env bash
# duckdb-float16-equals-nothing -- DuckDB: x = 1.5 finds no row of a float16 column in Parquet with bloom filters
#
# 10,000 readings of 0, 0.5, 1 .. 24.5 as float16, the half-size float of sensors and models. pyarrow wrote them, with
# a bloom filter on the column (bloom_filter_options, new in pyarrow 24). All the values are exact in float16.
#
# Guess: DuckDB has no float16 and reads it as FLOAT. So x = 1.5 finds 200 rows. A bloom filter makes it faster at most.
# Truth: x = 1.5 finds no row, whatever the value. SELECT x shows 1.5, and GROUP BY x has its 200 rows. Nothing warns.
#        In 2.0.1 neither do IN (...), BETWEEN 1.5 AND 1.5, IN (SELECT ...) and joins, so that a dimension joined to
#        the readings gives nothing. x <> 1.5 is right, and so what it leaves out is found nowhere.
#        1.5.6 is wrong with =, and right with IN (...). A file of DataFusion has the same fate.
#
# Cause: the filter holds hashes of the two bytes in the file. DuckDB hashes the four bytes of its FLOAT, finds nothing,
#        and skips the row group. For decimals and times it minds the type in the file, for float16 not.
# Cure:  x::DOUBLE = 1.5, which does not reach the filter; or CREATE TABLE first; or no bloom filter on such columns.
#        ClickHouse 26.9 and DataFusion 55 find the 200 rows (tried by hand).
#
# Seen with: duckdb 2.0.1 and 1.5.6; files of pyarrow 26.0.1 (of datafusion 55.0.0 too, tried by hand).
# Sources: DuckDB, extension/parquet/parquet_statistics.cpp (ValueXXH64: FLOAT is hashed as it is in memory);
#          https://github.com/duckdb/duckdb/pull/23829 and /pull/23919 mended blobs and decimals in 2026, /pull/24005
#          the zeros of two signs. We found no issue of float16.
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

versions duckdb==1.5.6 duckdb==2.0.1 pyarrow==26.0.1 numpy==2.4.6

cat >write.py <<'PY'
"""Writes the readings with a bloom filter (readings.parquet) and without (plain.parquet)."""
import numpy
import pyarrow
import pyarrow.parquet

x = numpy.arange(10000) % 50 * 0.5
table = pyarrow.table({"x": pyarrow.array(x.astype(numpy.float16))})
pyarrow.parquet.write_table(table, "readings.parquet", bloom_filter_options={"x": True})
pyarrow.parquet.write_table(table, "plain.parquet")
PY
PYTHONPATH=pyarrow==26.0.1:numpy==2.4.6 python3 write.py

cat >ask.py <<'PY'
"""ask.py QUERY...: prints the one value that each query gives, on a line."""
import sys

import duckdb

connection = duckdb.connect()
connection.execute("CREATE TABLE readings AS FROM 'readings.parquet'")
connection.execute("CREATE TABLE levels AS SELECT 1.5::FLOAT AS x, 'low' AS level")
print(*[connection.execute(query).fetchall()[0][0] for query in sys.argv[1:]])
PY

# ask VERSION QUERY...: prints the answers of that version of DuckDB.
ask() {
    PYTHONPATH="duckdb==$1" python3 ask.py "${@:2}"
}

file="'readings.parquet'"
count="SELECT count(*) FROM"
for version in 1.5.6 2.0.1; do
    read -r type table plain equal cast other <<<"$(ask $version "SELECT typeof(x) FROM $file LIMIT 1" \
        "$count readings WHERE x = 1.5" "$count 'plain.parquet' WHERE x = 1.5" "$count $file WHERE x = 1.5" \
        "$count $file WHERE x::DOUBLE = 1.5" "$count $file WHERE x <> 1.5")"
    expect "$version: type of x" "$type" FLOAT
    expect "  the table: x = 1.5" "$table" 200
    expect "  a file without bloom filters" "$plain" 200
    expect "  a file with them: x = 1.5" "$equal" 0
    expect "  x::DOUBLE = 1.5" "$cast" 200
    expect "  x <> 1.5" "$other" 9800
done
expect "1.5.6: x IN (1.5, 2)" "$(ask 1.5.6 "$count $file WHERE x IN (1.5, 2)")" 400
each=$(for x in $(seq 0 0.5 24.5); do echo "+ ($count $file WHERE x = $x)"; done)
read -r list between subquery join table group all <<<"$(ask 2.0.1 "$count $file WHERE x IN (1.5, 2)" \
    "$count $file WHERE x BETWEEN 1.5 AND 1.5" "$count $file WHERE x IN (SELECT x FROM levels)" \
    "$count $file JOIN levels USING (x)" "$count readings JOIN levels USING (x)" \
    "SELECT n FROM (SELECT x, count(*) AS n FROM $file GROUP BY x) WHERE x::VARCHAR = '1.5'" "SELECT 0 $each")"
expect "2.0.1: x IN (1.5, 2)" "$list" 0
expect "  x BETWEEN 1.5 AND 1.5" "$between" 0
expect "  x IN (SELECT x FROM levels)" "$subquery" 0
expect "  JOIN levels USING (x)" "$join" 0
expect "  the same of the table" "$table" 200
expect "  GROUP BY x: rows of 1.5" "$group" 200
expect "  all 50 values of x in turn: rows found" "$all" 0
exit $changed
