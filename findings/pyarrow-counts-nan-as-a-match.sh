#!/usr/bin/env bash
# pyarrow-counts-nan-as-a-match -- count_rows(filter=x == 1) of a Parquet file counts NaN too; to_table() has fewer rows
#
# 1000 readings of a switch: 970 are 1.0, and 30 are NaN, since the sensor failed. pyarrow wrote them, with defaults.
# Another file has one 0.0 in place of the first 1.0.
#
# Guess: count_rows(filter=f) is the length of to_table(filter=f), only cheaper; the docs say "Count rows matching the
#        scanner filter". A filter while reading keeps what it keeps after reading. So x == 1 has 970 rows, and x != 1
#        and is_nan(x) have 30, as NaN != 1 is true in pyarrow, NumPy and pandas.
# Truth: count_rows says 1000 for x == 1, and to_table gives 970. For x != 1, and for is_nan(x), both find no row.
#        pandas.read_parquet(filters=[("x", "!=", 1)]) gives 0 rows, and frame[frame.x != 1] 30. Nothing warns.
#        With the one 0.0 all are right, if the file has one row group. With ten groups, x != 1 finds 4 rows of 31.
#        So which rows come depends on how the rows were split when they were written.
#
# Cause: the file says of x "from 1 to 1, no null", since minimum and maximum leave NaN out. pyarrow takes that for a
#        promise about each row, and puts 1 for x in the filter. If it becomes true, the group counts whole; if false,
#        the group is skipped. to_table(x == 1) is right since what is read is filtered once more, row by row.
# Cure:  filter after reading, to_table().filter(f). Or write null instead of NaN, or write with write_statistics=False.
#        Polars, which sorts NaN above all numbers, finds the 30.
#
# Seen with: pyarrow 26.0.1 (22.0.0 is the same), pandas 3.1.1, numpy 2.4.6, polars 2.1.0.
# Sources: Arrow, cpp/src/arrow/dataset/file_parquet.cc (TestRowGroups, TryCountRows), and the docs of count_rows;
#          https://github.com/apache/arrow/issues/34162 (open) has groups of nothing but NaN and is_null;
#          https://github.com/pola-rs/polars/issues/27860 says in passing that pyarrow loses NaN.
#          We found no issue of count_rows.
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

versions pyarrow==26.0.1 pandas==3.1.1 numpy==2.4.6 polars==2.1.0

cat >count.py <<'PY'
"""Prints, a line for each claim, how many rows the ways to filter find."""
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
from pyarrow.compute import field, is_nan

x = ([1.0] * 97 + [float("nan")] * 3) * 10
IS, IS_NOT, IS_NAN = field("x") == 1, field("x") != 1, is_nan(field("x"))


def show(claim, *values):
    print(claim, ", ".join(map(str, values)), sep="\t")


def ways(readings, condition, rows_of_a_group=1000, **options):
    """How many rows meet the condition: counted, filtered while reading, filtered after reading."""
    table = pyarrow.table({"x": readings})
    pyarrow.parquet.write_table(table, "x.parquet", row_group_size=rows_of_a_group, **options)
    data = pyarrow.dataset.dataset("x.parquet")
    return (
        data.count_rows(filter=condition),
        data.to_table(filter=condition).num_rows,
        data.to_table().filter(condition).num_rows,
    )


show("is", *ways(x, IS))
show("not", *ways(x, IS_NOT))
one = [0.0] + x[1:]
show("one", *ways(one, IS_NOT))
show("one10", *ways(one, IS_NOT, 100))
show("cured", *ways(x, IS, write_statistics=False))
show("cured_not", *ways(x, IS_NOT, write_statistics=False))
show("null", *ways([None if v != v else v for v in x], IS))
show("nan", *ways(x, IS_NAN))

frame = pandas.read_parquet("x.parquet")
show("pandas", len(pandas.read_parquet("x.parquet", filters=[("x", "!=", 1)])), len(frame[frame.x != 1]))
show("polars", polars.scan_parquet("x.parquet").filter(polars.col("x") != 1).collect().height)
PY
PYTHONPATH=packages python3 count.py >rows.tsv

# of CLAIM: prints what count.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' rows.tsv
}

echo "Rows: count_rows(), to_table() with the filter, filter after to_table()"
expect "x == 1" "$(of is)" "1000, 970, 970"
expect "x != 1" "$(of not)" "0, 0, 30"
expect "is_nan(x)" "$(of nan)" "0, 0, 30"
expect "x != 1, with one 0.0" "$(of one)" "31, 31, 31"
expect "x != 1, with one 0.0, in ten row groups" "$(of one10)" "4, 4, 31"
expect "x == 1, null instead of NaN" "$(of null)" "970, 970, 970"
expect "x == 1, without statistics" "$(of cured)" "970, 970, 970"
expect "x != 1, without statistics" "$(of cured_not)" "30, 30, 30"
expect "pandas, x != 1: read_parquet(filters=), after reading" "$(of pandas)" "0, 30"
expect "polars, scan_parquet().filter(x != 1)" "$(of polars)" 30
exit $changed
