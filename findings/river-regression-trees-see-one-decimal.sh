#!/usr/bin/env bash
# river-regression-trees-see-one-decimal -- River: a regression tree finds nothing in a share below 0.05, all in percent
#
# 4000 rows of a share of lost packets, between 0 and 4 percent, and of another number between 0 and 1. The target is
# ten higher where the share is above 2 percent. HoeffdingTreeRegressor with its defaults learns it from a stream.
#
# Guess: a tree compares, so the unit of a feature is all one to it: what is learned of 3.1 percent is learned of 0.031.
#        That is why trees need no StandardScaler. If there is a rounding, it is to some digits that count.
# Truth: as percent, R2 of the second half is 1.00. As a fraction it is -0.01: the share is never split on, and the tree
#        has grown 13 nodes of the other number, which tells nearly nothing. Nothing warns.
#        Between 0 and 0.1 it is 0.06, with 41 nodes: there are two values to split at, neither of them right.
#        The adaptive tree and ARFRegressor, the random forest, do so too. In a pipeline behind StandardScaler all is
#        well: of all models, the trees need it.
#        QOSplitter, the other one that is offered for speed, does so too: its radius is 0.25, absolute.
#        HoeffdingTreeClassifier does not mind: it keeps a mean and a variance.
#
# Cause: the default splitter is TEBSTSplitter(digits=1), which rounds each value to one place behind the point.
# Cure:  splitter=EBSTSplitter(), which keeps each value, or digits= after the unit; or preprocessing.StandardScaler().
#
# Seen with: river 0.26.1 from PyPI, with numpy 2.4.6, scipy 1.17.1 and pandas 3.1.1 (Python 3.11).
# Sources: river, tree/splitter/tebst_splitter.py (round(att_val, self.digits)) and tree/hoeffding_tree_regressor.py,
#          whose page names the default splitter, but no digits. No issue of it was found.
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

versions river==0.26.1 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1

cat >grow.py <<'PY'
"""Prints, a line for each model and unit, how well the second half of the stream was foretold."""
import random

from river import forest, preprocessing, tree
from river.tree.splitter import EBSTSplitter, QOSplitter, TEBSTSplitter

DRAW = random.Random(0)
ROWS = [(DRAW.random(), DRAW.random()) for _ in range(4000)]


def rows(top):
    """The rows with shares between 0 and `top`, and the target of each."""
    return [({"share": top * share, "other": other}, 10 * (share > 0.5) + other) for share, other in ROWS]


def r2(model, top):
    """1 less the squared error of the second half, by its variance."""
    error, seen = 0, []
    for number, (x, y) in enumerate(rows(top)):
        if number >= 2000:
            error += (model.predict_one(x) - y) ** 2
            seen.append(y)
        model.learn_one(x, y)
    mean = sum(seen) / len(seen)
    return 1 - error / sum((y - mean) ** 2 for y in seen)


def show(claim, value):
    print(claim, value, sep="\t")


def verdict(value):
    """All models but the plain tree draw, or are rounded: what matters is whether they learned."""
    return "learned" if value > 0.9 else "not" if value < 0.2 else f"{value:.2f}"


for top in (4, 1, 0.1, 0.04):
    plain = tree.HoeffdingTreeRegressor()
    score = r2(plain, top)
    features = set(plain.to_dataframe()["feature"].dropna())
    show(f"plain {top}", f"{score:.2f}, {plain.n_nodes} nodes, {'' if 'share' in features else 'not '}by the share")
for name, model in {
    "adaptive": lambda: tree.HoeffdingAdaptiveTreeRegressor(seed=1),
    "forest": lambda: forest.ARFRegressor(n_models=3, seed=1),
    "scaled": lambda: preprocessing.StandardScaler() | tree.HoeffdingTreeRegressor(),
    "QO": lambda: tree.HoeffdingTreeRegressor(splitter=QOSplitter()),
    "EBST": lambda: tree.HoeffdingTreeRegressor(splitter=EBSTSplitter()),
    "digits": lambda: tree.HoeffdingTreeRegressor(splitter=TEBSTSplitter(digits=4)),
}.items():
    show(name, f"{verdict(r2(model(), 4))}, {verdict(r2(model(), 0.04))}")

right = {}
for top in (4, 0.04):
    classifier = tree.HoeffdingTreeClassifier()
    right[top] = 0
    for number, (x, y) in enumerate(rows(top)):
        right[top] += number >= 2000 and classifier.predict_one(x) == (y >= 10)
        classifier.learn_one(x, y >= 10)
show("class", ", ".join("learned" if count > 1900 else "not" for count in right.values()))
PY
PYTHONPATH=packages python3 grow.py >grown.tsv

# of CLAIM: prints what grow.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' grown.tsv
}

expect "R2, share from 0 to 4 (percent)" "$(of "plain 4")" "1.00, 27 nodes, by the share"
expect "R2, share from 0 to 1" "$(of "plain 1")" "1.00, 23 nodes, by the share"
expect "R2, share from 0 to 0.1" "$(of "plain 0.1")" "0.06, 41 nodes, by the share"
expect "R2, share from 0 to 0.04 (a fraction)" "$(of "plain 0.04")" "-0.01, 13 nodes, not by the share"
expect "adaptive tree: percent, fraction" "$(of adaptive)" "learned, not"
expect "ARFRegressor: percent, fraction" "$(of forest)" "learned, not"
expect "QOSplitter: percent, fraction" "$(of QO)" "learned, not"
expect "StandardScaler before the tree: percent, fraction" "$(of scaled)" "learned, learned"
expect "EBSTSplitter: percent, fraction" "$(of EBST)" "learned, learned"
expect "TEBSTSplitter(digits=4): percent, fraction" "$(of digits)" "learned, learned"
expect "HoeffdingTreeClassifier: percent, fraction" "$(of class)" "learned, learned"
exit $changed
