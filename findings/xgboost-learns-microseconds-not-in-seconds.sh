#!/usr/bin/env bash
# xgboost-learns-microseconds-not-in-seconds -- XGBoost makes no split for latencies of 20 to 70 us, given in seconds
#
# 2000 requests, whose latency is 20 or 60 microseconds by one feature, and up to 10 more by another. The same numbers
# are given in seconds, as Prometheus wants them, in milliseconds and in microseconds. The error is the mean absolute
# one, in parts of that of the best constant: 1 is a model that has learned nothing.
#
# Guess: squared error has no unit: y times a thousand gives the same splits, and leaves times a thousand, as gamma is 0
#        and lambda counts rows. What has a width, as pseudo-Huber and Fair loss, turns into absolute error if all is
#        far off, and into squared error if all is near: a little better or worse, and no worse than a constant.
# Truth: XGBoost's squared error: 0.03 in microseconds, 0.06 in milliseconds, and 1.0 in seconds, with not one split in
#        100 trees. It is no matter of float32: absolute error is 0.05 in all three, and with a weight of 10^12
#        for each row squared error is right. With 20,000 rows it makes 3 splits, with 200,000 8. Nothing warns.
#        Pseudo-Huber is wrong on both sides: 1.0 in seconds, and 1700 in microseconds, where it says 34,000 of each
#        request. Only in milliseconds it is right.
#        LightGBM's squared error does not mind. Its "fair" is right in seconds, and 250 in microseconds, where it says
#        from -35,000 to 36,000.
#        HistGradientBoostingRegressor does not mind. CatBoost's RMSE does not, but its Tweedie is 0.57 in seconds, and
#        its MAE 32 if the latencies are a thousandth of these (1.2.10, tried by hand).
#
# Cause: XGBoost takes no split that gains 10^-6 or less (kRtEps), and the gain is a sum of squares in the unit of y.
#        Those with a width step by gradient over hessian, and the hessian of what is far off is nearly 0. So the first
#        guess of XGBoost, which is one such step, is of the size of the cube of what is right.
# Cure:  y in a unit in which it is near 1, or by its standard deviation; or reg:absoluteerror, or reg:gamma.
#
# Seen with: xgboost-cpu 3.2.0 and lightgbm 4.7.0 from PyPI, scikit-learn 1.9.1, numpy 2.4.6, scipy 1.17.1.
# Sources: xgboost, include/xgboost/base.h (kRtEps) and src/tree/hist/expand_entry.h;
#          https://github.com/shap/shap/issues/876, where somebody met it, and was told of float32;
#          https://github.com/dmlc/xgboost/pull/12576 (pseudo-Huber, merged after 3.2).
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

versions xgboost-cpu==3.2.0 lightgbm==4.7.0 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1

cat >units.py <<'PY'
"""Prints, a line for each model, its error in microseconds, milliseconds and seconds, in parts of a constant's."""
import lightgbm
import numpy
import xgboost
from sklearn.ensemble import HistGradientBoostingRegressor

draw = numpy.random.default_rng(0)


def show(claim, value):
    print(claim, value, sep="\t")


def requests(rows):
    """Two features, and latencies in microseconds."""
    X = draw.random((rows, 2))
    return X, 20 + 40 * (X[:, 0] > 0.5) + 10 * X[:, 1] + draw.exponential(2, rows)


def verdict(error):
    return "right" if error < 0.1 else f"{error:.1f}" if error < 10 else "over 100" if error > 100 else "over 10"


def of_xgboost(objective):
    return lambda: xgboost.XGBRegressor(n_estimators=100, n_jobs=1, objective=objective)


def of_lightgbm(objective):
    return lambda: lightgbm.LGBMRegressor(n_estimators=100, n_jobs=1, verbose=-1, objective=objective)


X, latency = requests(2000)
constant = numpy.abs(latency - numpy.median(latency)).mean()
for name, model in {
    "xgboost squared": of_xgboost("reg:squarederror"),
    "xgboost absolute": of_xgboost("reg:absoluteerror"),
    "xgboost gamma": of_xgboost("reg:gamma"),
    "xgboost pseudo-Huber": of_xgboost("reg:pseudohubererror"),
    "lightgbm squared": of_lightgbm("regression"),
    "lightgbm fair": of_lightgbm("fair"),
    "sklearn squared": HistGradientBoostingRegressor,
}.items():
    said = [model().fit(X, latency * unit).predict(X) / unit for unit in (1, 1e-3, 1e-6)]
    show(name, ", ".join(verdict(numpy.abs(each - latency).mean() / constant) for each in said))
    if name in ("xgboost pseudo-Huber", "lightgbm fair"):
        show(name + " says", f"{said[0].min():.0e} to {said[0].max():.0e}")

splits = []
for rows in (2000, 20000, 200000):
    X, latency = requests(rows)
    trees = of_xgboost("reg:squarederror")().fit(X, latency * 1e-6).get_booster().get_dump()
    splits.append(sum(tree.count("yes=") for tree in trees))
    if rows == 2000:
        said = of_xgboost("reg:squarederror")().fit(X, latency * 1e-6, sample_weight=[1e12] * rows).predict(X)
        show("weights", verdict(numpy.abs(said * 1e6 - latency).mean() / constant))
show("splits", ", ".join(map(str, splits)))
PY
OMP_NUM_THREADS=1 PYTHONPATH=packages python3 units.py >errors.tsv

# of CLAIM: prints what units.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' errors.tsv
}

echo "error in parts of a constant's: microseconds, milliseconds, seconds"
expect "XGBoost, squared error" "$(of "xgboost squared")" "right, right, 1.0"
expect "    splits in seconds: 2000, 20,000, 200,000 rows" "$(of splits)" "0, 3, 8"
expect "    in seconds, with a weight of 10^12 for each row" "$(of weights)" right
expect "XGBoost, absolute error" "$(of "xgboost absolute")" "right, right, right"
expect "XGBoost, gamma" "$(of "xgboost gamma")" "right, right, right"
expect "XGBoost, pseudo-Huber" "$(of "xgboost pseudo-Huber")" "over 100, right, 1.0"
expect "    what it says in microseconds" "$(of "xgboost pseudo-Huber says")" "3e+04 to 3e+04"
expect "LightGBM, squared error" "$(of "lightgbm squared")" "right, right, right"
expect "LightGBM, fair" "$(of "lightgbm fair")" "over 100, right, right"
expect "    what it says in microseconds" "$(of "lightgbm fair says")" "-4e+04 to 4e+04"
expect "scikit-learn, squared error" "$(of "sklearn squared")" "right, right, right"
exit $changed
