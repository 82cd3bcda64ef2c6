#!/usr/bin/env bash
# statsmodels-no-event-looks-like-risk -- Table2x2 gives an exposure without any event a risk ratio of 33, significantly
#
# One record of an exposure, without the event; among 10,000 others 100 have it. Table2x2([[0, 1], [100, 9900]]).
#
# Guess: the risk ratio is 0 / 1 over 1 percent: 0, or "not defined", and an interval from 0 to something huge.
#        If zeros are corrected for, the estimate still is at most 1: what has no event is no risk.
# Truth: riskratio is 33.3, its 95 percent interval 3.4 to 323, and the p value 0.002. Twenty records without the event
#        give 2.44; 0 of 100 against 20 of 10,000 gives 2.49. The rarer the event, the higher: 333 if 10 of 10,000
#        have it. summary() prints the same and names no correction. Nothing warns.
#        StratifiedTable, the class beside it, says 0 of the same table, and so does scipy.
#
# Cause: shift_zeros=True, the default, adds a half to all four counts once one is 0. A half of 2 records is 25 percent,
#        and the others have 1 percent. The correction is made for odds ratios of sides that are alike in size.
# Cure:  shift_zeros=False gives 0, with an interval from 0 to nan. A correction that keeps to one side adds a record at
#        the common rate: 0.01 / 2 against 100 / 10,000 is 0.5.
#
# Seen with: statsmodels 0.15.0 with numpy 2.4.6, scipy 1.17.1 and pandas 3.1.1.
# Sources: statsmodels, stats/contingency_tables.py (Table.__init__); its reference of Table2x2 names the half, and not
#          what it does to a small side; https://github.com/statsmodels/statsmodels/issues/3579 (open since 2017)
#          asks whether all counts should be shifted. We found nothing of the direction.
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

versions statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1

cat >risks.py <<'PY'
"""Prints, a line for each claim, what is said of exposures that never had the event."""
import warnings

from scipy.stats.contingency import relative_risk
from statsmodels.stats.contingency_tables import StratifiedTable, Table2x2


def show(claim, value):
    print(claim, value, sep="\t")


def table(exposed, events, others, **options):
    """An exposure of some records, none with the event, beside others of which some have it."""
    return Table2x2([[0, exposed], [events, others - events]], **options)


with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    once = table(1, 100, 10000)
    show("once", f"{once.riskratio:.1f}, {once.riskratio_confint()[0]:.1f} to {once.riskratio_confint()[1]:.0f}")
    show("p", f"{once.riskratio_pvalue():.3f}")
    show("printed", next(line.split()[2] for line in str(once.summary()).splitlines() if line.startswith("Risk ratio")))
    show("twenty", f"{table(20, 100, 10000).riskratio:.2f}")
    show("hundred", f"{table(100, 20, 10000).riskratio:.2f}")
    show("rarer", f"{table(1, 10, 10000).riskratio:.0f}")
    show("warnings", len(told))

warnings.simplefilter("ignore")
plain = table(1, 100, 10000, shift_zeros=False)
show("plain", f"{plain.riskratio:.1f}, {plain.riskratio_confint()[0]:.1f} to {plain.riskratio_confint()[1]:.1f}")
show("stratified", f"{StratifiedTable([[[0, 1], [100, 9900]]]).riskratio_pooled:.1f}")
show("scipy", f"{relative_risk(0, 1, 100, 10000).relative_risk:.1f}")
PY
PYTHONPATH=packages python3 risks.py >risks.tsv

# of CLAIM: prints what risks.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' risks.tsv
}

expect "one record, no event: risk ratio, interval" "$(of once)" "33.3, 3.4 to 323"
expect "  its p value" "$(of p)" 0.002
expect "  in summary()" "$(of printed)" 33.333
expect "20 records, no event" "$(of twenty)" 2.44
expect "100 records, no event; 20 of 10,000" "$(of hundred)" 2.49
expect "one record, no event; 10 of 10,000" "$(of rarer)" 333
expect "warnings" "$(of warnings)" 0
expect "one record, no event: shift_zeros=False" "$(of plain)" "0.0, 0.0 to nan"
expect "  StratifiedTable, pooled" "$(of stratified)" 0.0
expect "  scipy.stats.contingency.relative_risk" "$(of scipy)" 0.0
exit $changed
