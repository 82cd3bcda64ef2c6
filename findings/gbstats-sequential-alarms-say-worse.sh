#!/usr/bin/env bash
# gbstats-sequential-alarms-say-worse -- an "always valid" interval of GrowthBook's gbstats errs in 1 of 7 A/A tests
#
# 400 experiments without effect: both sides convert 2 percent of their users. SequentialTwoSidedTTest, with its
# defaults, is asked 60 times, from 50 to 20,000 users a side, as a dashboard is that refreshes while users come.
#
# Guess: the interval is a confidence sequence at alpha = 0.05, made for this. So at most 5 percent of the experiments
#        ever show one without 0, at most a little more as it is asymptotic, and as often "better" as "worse".
# Truth: 14 percent do at 2 percent of conversions, and 16 percent at 0.5. Every one of these alarms says "worse".
#        Their intervals reach below -100 percent, which no rate can. Nothing warns.
#        With difference_type="absolute" the same streams give 2 percent. At 50 percent they give 2 and 1.
#
# Cause: the default is the relative difference, b/a - 1, with the variance of the delta method, which falls with b.
#        If b is low by chance, the estimate is far from 0 and its interval narrow; if b is high, the interval is wide.
#        One look would hide most of it. Many looks find the moment at which b is lowest.
# Cure:  difference_type="absolute", or no answer before both sides have some 150 conversions together. The product
#        has such a threshold for its metrics; the package has none. It leaves 2 percent of alarms here.
#
# Seen with: gbstats 0.8.0, the newest of the package index, with numpy 1.26.4, scipy 1.17.1 and pandas 1.5.3.
# Sources: gbstats, frequentist/tests.py (the variance of TTest, the interval of SequentialTwoSidedTTest);
#          https://github.com/growthbook/growthbook/pull/1126 (the method); /pull/921 (the delta method, and that
#          it lets more errors through). We found no issue of many looks and relative differences together.
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
    printf '%-62s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions gbstats==0.8.0 numpy==1.26.4 scipy==1.17.1 pandas==1.5.3

cat >alarms.py <<'PY'
"""Prints a line for each rate and kind of difference: what the alarms of 400 experiments were."""
import warnings

import numpy
from gbstats.frequentist.tests import SequentialConfig, SequentialTwoSidedTTest
from gbstats.models.statistics import ProportionStatistic

LOOKS = numpy.unique(numpy.geomspace(50, 20000, 60).astype(int))
EXPERIMENTS = 400


def conversions(rng, rate):
    """Conversions of one side at each look."""
    return numpy.cumsum(rng.random(LOOKS[-1]) < rate)[LOOKS - 1]


def first_alarm(a, b, kind):
    """The first look with an interval without 0: (conversions, estimate, lower end), or None."""
    for users, of_a, of_b in zip(LOOKS, a, b):
        sides = [ProportionStatistic(n=int(users), sum=int(count)) for count in (of_a, of_b)]
        result = SequentialTwoSidedTTest(*sides, SequentialConfig(difference_type=kind)).compute_result()
        if result.error_message is None and (result.ci[0] > 0 or result.ci[1] < 0):
            return of_a + of_b, result.expected, result.ci[0]
    return None


with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for rate in (0.5, 0.02, 0.005):
        for kind in ("relative", "absolute"):
            rng = numpy.random.default_rng(1)
            alarms = [first_alarm(conversions(rng, rate), conversions(rng, rate), kind) for _ in range(EXPERIMENTS)]
            alarms = [alarm for alarm in alarms if alarm]
            share = 100 * len(alarms) / EXPERIMENTS
            all_worse = all(alarm[1] < 0 for alarm in alarms)
            impossible = any(alarm[2] < -1 for alarm in alarms)
            of_150 = 100 * sum(alarm[0] >= 150 for alarm in alarms) / EXPERIMENTS
            print(rate, kind, f"{share:.0f}", all_worse, impossible, f"{of_150:.0f}")
    print("warnings", len([message for message in told if "gbstats" in str(message.filename)]))
PY
PYTHONPATH=packages python3 alarms.py >alarms.txt

# of RATE KIND FIELD: prints a figure of alarms.py.
of() {
    awk -v rate="$1" -v kind="$2" -v field="$3" '$1 == rate && $2 == kind { print $field }' alarms.txt
}

expect "2 percent convert, default: experiments with an alarm, percent" "$(of 0.02 relative 3)" 14
expect "  all of these alarms say that B is worse" "$(of 0.02 relative 4)" True
expect "  an interval reaches below -100 percent" "$(of 0.02 relative 5)" True
expect "  alarms with 150 conversions or more, percent" "$(of 0.02 relative 6)" 2
expect "2 percent convert, absolute: percent" "$(of 0.02 absolute 3)" 2
expect "0.5 percent convert, default: percent" "$(of 0.005 relative 3)" 16
expect "0.5 percent convert, absolute: percent" "$(of 0.005 absolute 3)" 2
expect "50 percent convert, default: percent" "$(of 0.5 relative 3)" 2
expect "50 percent convert, absolute: percent" "$(of 0.5 absolute 3)" 1
expect "warnings of gbstats" "$(awk '$1 == "warnings" { print $2 }' alarms.txt)" 0
exit $changed
