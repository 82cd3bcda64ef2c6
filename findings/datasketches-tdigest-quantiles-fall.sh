#!/usr/bin/env bash
# datasketches-tdigest-quantiles-fall -- DataSketches' t-digest: the higher the quantile asked for, the lower the answer
#
# 100,000 requests took 0, 1, 2 .. 99,999 microseconds. A tdigest_double of the default size, 200, takes them in.
#
# Guess: what lies evenly is what a t-digest does best: between two centroids it goes in a straight line. So the median
#        is 50,000, to within ten or so. Errors grow with odd data only, and quantiles never fall as q rises.
# Truth: q = 0.500 gives 50,062, and q = 0.507 gives 49,362. q = 0.508 jumps to 52,320, from where it falls again.
#        Of the 998 steps from 0.001 to 0.999 six in seven go down. The worst answer is 2.2 percent of the rows away.
#        Shuffled rows and log-normal times behave alike. Nothing warns.
#        get_rank() of the same digest errs by 0.0005 percent, so a test of ranks does not see it. With 100 rows
#        no quantile falls, so neither does a small test. A larger k has smaller teeth: 0.4 percent with 1000.
#
# Cause: between two centroids the answer is a mean of both. The weights are swapped: near the left one it takes the
#        right one, and the other way round. So each stretch runs backwards.
# Cure:  look for the value whose get_rank() is q, by halving; or kll_doubles_sketch.
#
# Seen with: datasketches 5.2.0, the newest on PyPI, with numpy 2.4.6. datasketches-java 7.0.1 gives the same numbers
#            (tried by hand).
# Sources: datasketches-cpp, tdigest/include/tdigest_impl.hpp (get_quantile), against MergingDigest of
#          https://github.com/tdunning/t-digest; https://github.com/apache/datasketches-java/pull/755,
#          https://github.com/apache/datasketches-go/pull/171 and https://github.com/apache/datasketches-rust/pull/250
#          (all of August 2026) mend it in three languages. We found no release for Python that does.
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

versions datasketches==5.2.0 numpy==2.4.6

cat >falls.py <<'PY'
"""Prints, a line for each claim, what quantiles of a t-digest are."""
import datasketches
import numpy as np

ROWS = 100_000
MANY = np.arange(1, 1000) / 1000


def show(claim, *values):
    print(claim, *values, sep="\t")


def digest(rows, k=200):
    made = datasketches.tdigest_double(k)
    made.update(rows)
    return made


def falls(sketch):
    """How many of the 998 steps from one quantile to the next go down."""
    return int((np.diff([sketch.get_quantile(q) for q in MANY]) < 0).sum())


def farthest(rows, answers):
    """How far, in percent of the rows, the worst of the answers is from its quantile."""
    return round(100 * np.abs(np.searchsorted(np.sort(rows), answers) / len(rows) - MANY).max(), 1)


def by_rank(sketch, q):
    """The value of rank q, found by halving."""
    low, high = sketch.get_min_value(), sketch.get_max_value()
    for _ in range(60):
        middle = (low + high) / 2
        if sketch.get_rank(middle) < q:
            low = middle
        else:
            high = middle
    return high


def all_of(claim, rows):
    sketch = digest(rows)
    show(claim, falls(sketch) > 800, farthest(rows, [sketch.get_quantile(q) for q in MANY]) > 1.5)
    show(claim + " by rank", farthest(rows, [by_rank(sketch, q) for q in MANY]) < 0.3)


even = np.arange(ROWS, dtype=float)
sketch = digest(even)
show("k", datasketches.tdigest_double().k)
for q in 0.500, 0.507, 0.508, 0.520:
    show(q, round(sketch.get_quantile(q)))
show("falls", falls(sketch))
show("farthest", farthest(even, [sketch.get_quantile(q) for q in MANY]))
show("rank", round(100 * max(abs(sketch.get_rank(q * ROWS) - q) for q in MANY), 4))
show("few", falls(digest(even[:100])))
show("larger", farthest(even, [digest(even, 1000).get_quantile(q) for q in MANY]))
all_of("shuffled", np.random.default_rng(1).permutation(even))
all_of("log-normal", np.exp(np.random.default_rng(1).normal(0, 1, ROWS)))
halves = digest(even[::2])
halves.merge(digest(even[1::2]))
show("merged", falls(halves) > 800)
kll = datasketches.kll_doubles_sketch()
for row in even:
    kll.update(row)
show("kll", falls(kll))
PY
PYTHONPATH=packages python3 falls.py >falls.tsv

# of CLAIM: prints what falls.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2, $3 }' falls.tsv | sed 's/ $//'
}

expect "k, unless told otherwise" "$(of k)" 200
expect "quantile 0.500" "$(of 0.5)" 50062
expect "  0.507" "$(of 0.507)" 49362
expect "  0.508" "$(of 0.508)" 52320
expect "  0.520" "$(of 0.52)" 51120
expect "steps of 998 that go down" "$(of falls)" 861
expect "  of two halves, merged: more than 800" "$(of merged)" True
expect "  of 100 rows" "$(of few)" 0
expect "  of kll_doubles_sketch" "$(of kll)" 0
expect "the worst quantile, in percent of the rows" "$(of farthest)" 2.2
expect "  k = 1000" "$(of larger)" 0.4
expect "the worst rank, in percent" "$(of rank)" 0.0005
expect "shuffled: over 800 go down; over 1.5 percent" "$(of shuffled)" "True True"
expect "  by halving get_rank(): under 0.3 percent" "$(of "shuffled by rank")" True
expect "log-normal: over 800 go down; over 1.5 percent" "$(of log-normal)" "True True"
expect "  by halving get_rank(): under 0.3 percent" "$(of "log-normal by rank")" True
exit $changed
