#!/usr/bin/env bash
# datasketches-counts-whole-parts -- DataSketches: 10,000 different prices that are Decimal count as 100
#
# The prices 0.00, 0.01 .. 99.99 of a DECIMAL column, as DuckDB hands them to Python: decimal.Decimal. And the same as
# float32, read from a NumPy array one by one. Each goes into a sketch of distinct values by update().
#
# Guess: update() takes an int, a float or a str. What it does not know it refuses, or takes as the nearest of these:
#        a Decimal as a float or as text, a float32 as a float. So the count is 10,000, to within two percent or so.
# Truth: HLL, theta and CPC sketches count 100: of each price only the whole part goes in. A float, and NumPy's float64,
#        count 10,000. Fraction, float32, float16 and longdouble count 100. Nothing warns.
#        10,000 shares between 0 and 1 count as one. In a count-min sketch 1.10 and 1.90 are one item.
#        The prices of two shops, one list with Decimal, the other with float, have nearly nothing in common.
#        Integers have the other half: 10,000 ids in a row, from 2^63 on, count as 6 (HLL, theta): they go in as floats.
#        b"42" counts as the number 42, and b"x42" is refused.
#
# Cause: update(int) is declared before update(float). What is neither int nor float itself goes to the first one that
#        can convert it, and the conversion to int is Python's int(), which cuts off. Only a float itself is barred.
#        Ids beyond int64 fail there, and the next one takes them, with 53 bits.
# Cure:  update(float(x)), or update(str(x)) for Decimal and large ids; array.tolist() gives floats.
#        What a sketch has taken in once cannot be mended.
#
# Seen with: datasketches 5.2.0 from PyPI, numpy 2.4.6, duckdb 2.0.1; 5.0.1 and 5.1.1 are the same. 4.1.0, which binds
#          with pybind11, counts Decimal and float32 so too, and takes bytes as texts.
# Sources: https://github.com/apache/datasketches-python, src/hll_wrapper.cpp (the order of update());
#          nanobind 2.9, src/common.cpp (load_int); https://github.com/pybind/pybind11/pull/2698, where a comment on the
#          same of float32 says "This might be wrong/unwanted?". No issue of it was found in DataSketches.
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
    printf '%-54s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions datasketches==5.2.0 numpy==2.4.6 duckdb==2.0.1

cat >counts.py <<'PY'
"""Prints, a line for each claim, what sketches count."""
from decimal import Decimal
from fractions import Fraction

import datasketches
import duckdb
import numpy


def sketches():
    return datasketches.hll_sketch(12), datasketches.update_theta_sketch(12), datasketches.cpc_sketch(12)


def rough(estimate, exact=10000):
    """Returns `exact` if the estimate is within 3 percent of it, else the estimate."""
    return exact if abs(estimate - exact) <= 0.03 * exact else round(estimate)


def count(claim, values):
    estimates = []
    for sketch in sketches():
        for value in values:
            sketch.update(value)
        estimates.append(rough(sketch.get_estimate()))
    print(claim, *estimates, sep="\t")


rows = duckdb.sql("SELECT (i / 100.0)::DECIMAL(9, 2) FROM range(10000) AS t(i)").fetchall()
prices = [row[0] for row in rows]
floats = [float(price) for price in prices]
assert len(set(prices)) == len(set(floats)) == len(set(numpy.float32(floats))) == 10000
print("type", type(prices[0]).__name__, sep="\t")
count("float", floats)
count("float64", numpy.float64(floats))
count("Decimal", prices)
count("text", [str(price) for price in prices])
count("Fraction", [Fraction(price) for price in prices])
count("float32", numpy.float32(floats))
count("tolist", numpy.float32(floats).tolist())
count("longdouble", numpy.longdouble(floats))
count("shares", numpy.float32(floats) / 100)
count("ids", [2**62 + i for i in range(10000)])
count("large ids", [2**63 + i for i in range(10000)])

numbers, letters = sketches()[0], sketches()[0]
for i in range(10000):
    numbers.update(i)
    numbers.update(b"%d" % i)
print("bytes", rough(numbers.get_estimate()), sep="\t")
try:
    letters.update(b"x42")
    print("letters", "taken", sep="\t")
except TypeError:
    print("letters", "refused", sep="\t")

table = datasketches.count_min_sketch(4, 1000)
table.update(Decimal("1.10"))
table.update(Decimal("1.90"))
print("count-min", int(table.get_estimate(Decimal("1.10"))), sep="\t")

common, shops = datasketches.theta_intersection(), (prices, floats)
for shop in shops:
    sketch = datasketches.update_theta_sketch(12)
    for price in shop:
        sketch.update(price)
    common.update(sketch.compact())
print("common", round(common.get_result().get_estimate()), sep="\t")
PY
PYTHONPATH=packages python3 counts.py >counts.tsv

# of CLAIM: prints what counts.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { sub(/^[^\t]*\t/, ""); gsub(/\t/, " "); print }' counts.tsv
}

expect "type of DuckDB's DECIMAL in Python" "$(of type)" Decimal
expect "10,000 prices as float: HLL, theta, CPC" "$(of float)" "10000 10000 10000"
expect "  as float64" "$(of float64)" "10000 10000 10000"
expect "  as Decimal" "$(of Decimal)" "100 100 100"
expect "  as str(Decimal)" "$(of text)" "10000 10000 10000"
expect "  as Fraction" "$(of Fraction)" "100 100 100"
expect "  as float32" "$(of float32)" "100 100 100"
expect "  as float32 with tolist()" "$(of tolist)" "10000 10000 10000"
expect "  as longdouble" "$(of longdouble)" "100 100 100"
expect "10,000 shares between 0 and 1 as float32" "$(of shares)" "1 1 1"
expect "10,000 ids from 2^62 on" "$(of ids)" "10000 10000 10000"
expect "10,000 ids from 2^63 on" "$(of "large ids")" "6 6 10000"
expect "10,000 numbers and their digits as bytes: HLL" "$(of bytes)" 10000
expect "b\"x42\"" "$(of letters)" refused
expect "count-min: 1.10, after one 1.10 and one 1.90" "$(of count-min)" 2
expect "theta: prices that Decimal and float have in common" "$(of common)" 2
exit $changed
