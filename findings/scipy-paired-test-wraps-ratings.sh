#!/usr/bin/env bash
# scipy-paired-test-wraps-ratings -- SciPy: ratings as uint8 make "no difference" a difference of 77 points, p = 3e-9
#
# 100 customers rate a service from 1 to 5, before and after a change: 30 rate it one higher, 30 one lower, 40 the same.
# The ratings are uint8, as pandas.to_numeric(downcast="unsigned"), images and unsigned columns of Parquet have them.
# ttest_rel(before, after) is the t-test of pairs.
#
# Guess: t is 0 and p is 1. A test of statistics computes in floats: its result is a float, and ttest_ind() of the same
#        arrays is right. Integers may wrap with values near the end of their range, and these are from 1 to 5.
# Truth: t is 6.5 and p is 3e-9. The interval of the difference is 53 to 100 points, on a scale of 1 to 5.
#        With the two arrays swapped t is 6.5 again, so that "before" and "after" are both higher than the other.
#        uint16, uint32 and uint64 do the same; int8 and floats are right. Nothing warns.
#        wilcoxon() of the pairs is right in SciPy 1.17; up to 1.16 it says 4e-12.
#        Other functions wrap as well: tmean() of the pixels 100 .. 199 is 1.02 (149.5 up to 1.14), and kstat(), "an
#        unbiased estimator" of their variance, is -22,475. trapezoid() of two samples of 200 is 72.
#        euclidean() of two pixels is 253 where cdist() has 3, and sqeuclidean() is not its square.
#        zscore, trim_mean, tvar, ttest_ind and mannwhitneyu are right, so that knowing one tells nothing of the next.
#
# Cause: ttest_rel(a, b) is ttest_1samp(a - b), and the difference is made in the type of the arrays: 1 - 2 is 255.
#        Newer SciPy keeps the type it is given more often, for other array libraries; this mended or broke single
#        functions, as wilcoxon() and tmean().
# Cure:  astype(float) before any function of SciPy; or int8 or int16, if sums are not to be made of them.
#
# Seen with: scipy 1.17.1 and 1.14.1 from PyPI, numpy 2.2.6. ttest_rel() is the same in scipy 1.13.1, 1.15.3 and 1.16.3.
# Sources: SciPy, scipy/stats/_stats_py.py (ttest_rel, tmean); https://github.com/scipy/scipy/issues/18286 (types that
#          are kept); /issues/9961 (open since 2019: euclidean and cosine). No issue of ttest_rel was found.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
changed=0

# versions FOLDER PACKAGE==VERSION...: installs them into a folder; prints the versions.
versions() {
    folder=$1
    shift
    python3 -m pip install -q --disable-pip-version-check --target "$folder" "$@" 2>pip.log ||
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

versions new scipy==1.17.1 numpy==2.2.6
versions old scipy==1.14.1 numpy==2.2.6

cat >tests.py <<'PY'
"""Prints, a line for each claim, what SciPy says of it."""
import numpy
from scipy import integrate, stats
from scipy.spatial import distance

before = numpy.array([2 + i % 3 for i in range(100)])
after = before + numpy.array([1 if i % 10 < 3 else -1 if i % 10 < 6 else 0 for i in range(100)])
pixels = numpy.arange(100, 200, dtype="uint8")


def say(claim, *numbers):
    print(claim, *(f"{number:.3g}" for number in numbers), sep="\t")


def paired(claim, first, second):
    test = stats.ttest_rel(first, second)
    say(claim, test.statistic, test.pvalue)


for name in "float64", "int8", "uint8", "uint16", "uint32", "uint64":
    paired(name, before.astype(name), after.astype(name))
before, after = before.astype("uint8"), after.astype("uint8")
paired("swapped", after, before)
interval = stats.ttest_rel(before, after).confidence_interval()
say("interval", interval.low, interval.high)
say("unpaired", *stats.ttest_ind(before, after))
say("wilcoxon", stats.wilcoxon(before, after).pvalue)
say("tmean", stats.tmean(pixels))
say("trim_mean", stats.trim_mean(pixels, 0))
print("kstat", round(stats.kstat(pixels)), round(stats.tvar(pixels)), sep="\t")
say("trapezoid", integrate.trapezoid(numpy.array([200, 200], dtype="uint8")))
one, other = numpy.array([[100]], dtype="uint8"), numpy.array([[103]], dtype="uint8")
say("distance", distance.euclidean(one[0], other[0]), distance.cdist(one, other)[0, 0],
    distance.sqeuclidean(one[0], other[0]))
PY
for folder in new old; do
    PYTHONPATH=$folder python3 tests.py >$folder.tsv
done

# of FOLDER CLAIM: prints what tests.py said of it with the SciPy in that folder.
of() {
    awk -F'\t' -v claim="$2" '$1 == claim { sub(/^[^\t]*\t/, ""); gsub(/\t/, " "); print }' "$1.tsv"
}

expect "ttest_rel of floats: t, p" "$(of new float64)" "0 1"
expect "  of int8" "$(of new int8)" "0 1"
expect "  of uint8" "$(of new uint8)" "6.55 2.59e-09"
expect "  of uint8, swapped" "$(of new swapped)" "6.55 2.59e-09"
expect "  of uint8, interval of the difference" "$(of new interval)" "53.5 100"
expect "  of uint16" "$(of new uint16)" "6.51 3.07e-09"
expect "  of uint32" "$(of new uint32)" "6.51 3.07e-09"
expect "  of uint64" "$(of new uint64)" "6.51 3.07e-09"
expect "  of uint8 in SciPy 1.14.1" "$(of old uint8)" "6.55 2.59e-09"
expect "ttest_ind of uint8: t, p" "$(of new unpaired)" "0 1"
expect "wilcoxon of uint8: p" "$(of new wilcoxon)" 1
expect "  in SciPy 1.14.1" "$(of old wilcoxon)" 3.63e-12
expect "tmean of the pixels 100 .. 199" "$(of new tmean)" 1.02
expect "  in SciPy 1.14.1" "$(of old tmean)" 150
expect "trim_mean of them, without trimming" "$(of new trim_mean)" 150
expect "kstat and tvar of them" "$(of new kstat)" "-22475 842"
expect "trapezoid of 200, 200" "$(of new trapezoid)" 72
expect "euclidean, cdist, sqeuclidean of 100 and 103" "$(of new distance)" "253 3 9"
exit $changed
