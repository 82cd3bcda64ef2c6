#!/usr/bin/env bash
# duckdb-isnan-is-false-of-parquet-nan -- DuckDB 2: isnan() is false of all NaN in a Parquet file of pyarrow or Polars
#
# 10,000 readings y of 1 .. 49, of which every tenth is NaN, since the sensor failed. pyarrow wrote them, with defaults.
#
# Guess: isnan(y) finds 1000 rows. NOT isnan(y) leaves the 9000 others, and their mean is 25, as in a table of the same.
#        That minimum and maximum of a file leave NaN out is known and handled: they cannot tell whether there is one.
# Truth: WHERE isnan(y) finds nothing. WHERE NOT isnan(y) leaves all rows, so avg(y) is NaN. SELECT y, isnan(y) shows
#        "nan, false". Yet count(*) FILTER (WHERE isnan(y)) is 1000. Nothing warns.
#        A file that DuckDB wrote is right, so a test that writes its own file does not see it.
#        1.5.6 is right with isnan(), and wrong with y <> 'nan' and nullif(y, 'nan'), as 2.0.1 is.
#
# Cause: the file says "1 to 49" of y. The optimiser takes isnan(y) for a constant, and its plan is "Empty Result".
#        Comparisons with NaN go the same way: nothing is above 49, so nothing is NaN, which DuckDB sorts on top.
#        DuckDB itself writes no minimum and maximum for a column with NaN.
# Cure:  isfinite(y), if infinite values may go too. Or a table first: CREATE TABLE t AS FROM the file, then isnan(y).
#        A subquery and a materialized CTE do not help. PRAGMA disable_optimizer does.
#
# Seen with: duckdb 2.0.1 (2.0.0 too) and 1.5.6; files of pyarrow 26.0.1 (22.0.0 too) and polars 2.1.0.
# Sources: https://github.com/duckdb/duckdb/issues/25521 (open) has the comparisons <>, > and <=; we found nothing of
#          isnan(). https://github.com/duckdb/duckdb/pull/16962 (merged in 2025) was to mend such filters.
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
    printf '%-64s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions duckdb==1.5.6 duckdb==2.0.1 pyarrow==26.0.1 polars==2.1.0 polars-runtime-32==2.1.0

cat >write.py <<'PY'
"""Writes the readings with pyarrow and with Polars."""
import polars
import pyarrow
import pyarrow.parquet

y = [float("nan") if i % 10 == 0 else float(i % 50) for i in range(10000)]
pyarrow.parquet.write_table(pyarrow.table({"y": y}), "pyarrow.parquet")
polars.DataFrame({"y": y}).write_parquet("polars.parquet")
PY
PYTHONPATH="pyarrow==26.0.1:polars==2.1.0:polars-runtime-32==2.1.0" python3 write.py

cat >ask.py <<'PY'
"""ask.py QUERY [FIRST]: prints the first row that the query gives, after another statement if there is one."""
import sys

import duckdb

connection = duckdb.connect()
for statement in sys.argv[2:]:
    connection.execute(statement)
print(*connection.execute(sys.argv[1]).fetchall()[0])
PY

# ask VERSION QUERY [FIRST]: prints the answer of that version of DuckDB.
ask() {
    PYTHONPATH="duckdb==$1" python3 ask.py "${@:2}"
}

file="FROM 'pyarrow.parquet'"
table="CREATE TABLE readings AS $file"
found="SELECT count(*) $file WHERE"

expect "2.0.1, table made of the file: isnan" \
    "$(ask 2.0.1 "SELECT count(*) FROM readings WHERE isnan(y)" "$table")" 1000
expect "2.0.1, table made of the file: mean where NOT isnan" \
    "$(ask 2.0.1 "SELECT avg(y) FROM readings WHERE NOT isnan(y)" "$table")" 25.0
expect "2.0.1, file: isnan" "$(ask 2.0.1 "$found isnan(y)")" 0
expect "2.0.1, file: NOT isnan" "$(ask 2.0.1 "$found NOT isnan(y)")" 10000
expect "2.0.1, file: mean where NOT isnan" "$(ask 2.0.1 "SELECT avg(y) $file WHERE NOT isnan(y)")" nan
expect "2.0.1, file: first row, and isnan of it" "$(ask 2.0.1 "SELECT y, isnan(y) $file LIMIT 1")" "nan False"
expect "2.0.1, file: count(*) FILTER" "$(ask 2.0.1 "SELECT count(*) FILTER (WHERE isnan(y)) $file")" 1000
expect "2.0.1, file: isnan in a materialized CTE" \
    "$(ask 2.0.1 "WITH t AS MATERIALIZED ($file) SELECT count(*) FROM t WHERE isnan(y)")" 0
expect "2.0.1, file of Polars: isnan" "$(ask 2.0.1 "SELECT count(*) FROM 'polars.parquet' WHERE isnan(y)")" 0
expect "2.0.1, file of DuckDB: isnan" \
    "$(ask 2.0.1 "SELECT count(*) FROM 'own.parquet' WHERE isnan(y)" "$table" "COPY readings TO 'own.parquet'")" 1000
expect "2.0.1, file: NOT isfinite" "$(ask 2.0.1 "$found NOT isfinite(y)")" 1000
expect "2.0.1, file: mean where isfinite" "$(ask 2.0.1 "SELECT avg(y) $file WHERE isfinite(y)")" 25.0
expect "2.0.1, file, no optimiser: isnan" "$(ask 2.0.1 "$found isnan(y)" "PRAGMA disable_optimizer")" 1000
expect "1.5.6, file: isnan" "$(ask 1.5.6 "$found isnan(y)")" 1000
expect "1.5.6, file: mean where y <> 'nan'" "$(ask 1.5.6 "SELECT avg(y) $file WHERE y <> 'nan'")" nan
expect "2.0.1, file: mean where y <> 'nan'" "$(ask 2.0.1 "SELECT avg(y) $file WHERE y <> 'nan'")" nan
expect "2.0.1, file: mean of nullif(y, 'nan')" "$(ask 2.0.1 "SELECT avg(nullif(y, 'nan')) $file")" nan
exit $changed
