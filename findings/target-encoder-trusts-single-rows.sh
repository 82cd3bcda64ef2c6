#!/usr/bin/env bash
# target-encoder-trusts-single-rows -- TargetEncoder of scikit-learn gives a category of one row its raw rate, 0 or 1
#
# 2200 requests and whether each failed: host A 30 percent of 1000, host B 5 percent of 1000, and 200 hosts with
# one request each, of which 20 failed. The encoder gives each host its rate, "shrunk" to the mean of 17 percent.
#
# Guess: smooth="auto", the default, is an empirical Bayes estimate, so the fewer the rows, the stronger the pull.
#        The 200 hosts come out near 17 percent, and host A has the highest rate of all.
# Truth: the 200 hosts get exactly 0 or 1. Twenty hosts of one request rank above host A. Nothing warns.
#        So do more rows that agree: 3 failures of 3 give 100 percent, while 5 of 10 are pulled down to 45.
#        Of 3000 hosts with 10 requests each and one common rate of 10 percent, a third still get exactly 0.
#        The typical error of their rates is 8.5 points, against 9.5 unshrunk and 3.2 with smooth=20.
#
# Cause: the pull weighs as many rows as m = (variance in the category) / (variance of all rows).
#        One row, or rows that agree, have variance 0, so m is 0. Else m is about 1, as the divisor is not
#        the variance between categories, as in textbooks, which would be small here and the pull strong.
#        fit_transform() hides it: there the one row of a host is left out of its own fit, and gets the mean.
#        A model that is trained on that meets 0 and 1 only when transform() is given new rows.
# Cure:  a number, such as smooth=20: the single rows get 16 and 21 percent.
#        category_encoders.TargetEncoder weighs by count: 15 and 28 percent (2.11.2, tried by hand).
#
# Seen with: scikit-learn 1.9.1 with numpy 2.4.6 and scipy 1.17.1; 1.5.2 gives the 0 and 1 too (Python 3.11).
# Sources: scikit-learn, User Guide, "Target Encoder" (the formula), and _target_encoder_fast.pyx;
#          https://github.com/scikit-learn/scikit-learn/pull/25334 (the class). We found no issue of this.
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

versions scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1

cat >encode.py <<'PY'
"""Prints, a line for each claim, what the encoder makes of hosts and failures."""
import numpy
from sklearn.preprocessing import TargetEncoder


def rates(hosts, failed, smooth="auto"):
    """The encoded rate of each host."""
    return TargetEncoder(smooth=smooth).fit(hosts[:, None], failed).encodings_[0]


def show(claim, value):
    print(claim, value, sep="\t")


def counts(values):
    """Each value, in percent, and how many hosts have it."""
    return ", ".join(f"{100 * value:.0f}: {count}" for value, count in zip(*numpy.unique(values, return_counts=True)))


A, B, SINGLE = 0, 1, slice(2, None)
hosts = numpy.concatenate([numpy.repeat([A, B], 1000), numpy.arange(2, 202)])
failed = numpy.repeat([1, 0, 1, 0, 1, 0], [300, 700, 50, 950, 20, 180])
auto = rates(hosts, failed)
show("mean", f"{100 * failed.mean():.0f}")
show("large", f"{100 * auto[A]:.0f}, {100 * auto[B]:.0f}")
show("single", counts(auto[SINGLE]))
show("above", (auto > auto[A]).sum())
show("single20", counts(rates(hosts, failed, 20.0)[SINGLE]))
trained = TargetEncoder().fit_transform(hosts[:, None], failed)[2000:, 0]
show("trained", counts(trained.round(2)))

more = numpy.concatenate([hosts, numpy.repeat([202, 203], [3, 10])])
agree = rates(more, numpy.concatenate([failed, numpy.repeat([1, 0], [3 + 5, 5])]))
show("agree", f"{100 * agree[202]:.0f}, {100 * agree[203]:.0f}")

alike = numpy.repeat(numpy.arange(3000), 10)
chance = (numpy.random.default_rng(0).random(alike.size) < 0.1).astype(int)
alike_auto = rates(alike, chance)
show("zero", f"{100 * numpy.mean(alike_auto == 0):.0f}")
errors = (numpy.bincount(alike, chance) / 10, alike_auto, rates(alike, chance, 20.0))
show("errors", ", ".join(f"{100 * numpy.sqrt(numpy.mean((encoded - 0.1) ** 2)):.1f}" for encoded in errors))
PY
PYTHONPATH=packages python3 encode.py >rates.tsv

# of CLAIM: prints what encode.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' rates.tsv
}

expect "mean of all requests, percent" "$(of mean)" 17
expect "hosts A and B" "$(of large)" "30, 5"
expect "200 hosts with one request each" "$(of single)" "0: 180, 100: 20"
expect "hosts of one request that rank above host A" "$(of above)" 20
expect "the 200 hosts, smooth=20" "$(of single20)" "16: 180, 21: 20"
expect "the 200 hosts, fit_transform()" "$(of trained)" "17: 200"
expect "3 failures of 3; 5 of 10" "$(of agree)" "100, 45"
expect "3000 hosts of one rate: encoded as 0, percent of them" "$(of zero)" 35
expect "their error in points: unshrunk, auto, smooth=20" "$(of errors)" "9.5, 8.5, 3.2"
exit $changed
