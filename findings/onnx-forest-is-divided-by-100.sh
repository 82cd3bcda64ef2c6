#!/usr/bin/env bash
# onnx-forest-is-divided-by-100 -- a LightGBM forest of 500 trees says 5 times too much in ONNX, and class 0 of each row
#
# LightGBM grows random forests too (boosting_type="rf"). 1000 rows, one forest for a number, one for two classes, one
# for three. onnxmltools writes each as ONNX, ONNX Runtime predicts, and the rows are those of the training.
#
# Guess: boosting adds its trees up, a forest takes their mean: that is a division by the number of trees, which is in
#        the model. The converter knows forests, and so it is right, or it refuses them. The classes are right anyway.
# Truth: it divides by 100, whatever the number of trees. That is the default number, and with it all is right.
#        With 20 trees the mean prediction is 0.80, and with 500 it is 19.9; LightGBM says 3.98.
#        Of the same forest, given as its Booster (as it comes from a file), it is the sum: 100 trees say 398.
#        A classifier gives class 0 to each row, with 100 trees too: of two classes with a probability of 0.99 or more,
#        of three as well. The probabilities add up to 1, so that no check of the form fails. Nothing warns.
#        treelite and m2cgen are right with the same forests.
#
# Cause: LightGbm.py has 100.0 as "denominator". The forest of a classifier is a sum that passes a sigmoid or a softmax,
#        and only then is divided; 1 less that is class 0. Of a Booster the mark of a forest (average_output) is looked
#        for among its parameters, and is not there.
# Cure:  treelite or m2cgen. For a number: 100 trees, and LGBMRegressor, not its Booster; or times 100, by the trees.
#
# Seen with: onnxmltools 1.16.0, skl2onnx 1.20.0, onnx 1.23.2, onnxruntime 1.32.0, lightgbm 4.7.0, treelite 4.8.1,
#            m2cgen 0.10.0, scikit-learn 1.9.1, numpy 2.4.6 from PyPI.
# Sources: onnxmltools, convert/lightgbm/operator_converters/LightGbm.py ("denominator") and convert/lightgbm/_parse.py
#          (WrappedBooster). No issue of it was found there.
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

versions onnxmltools==1.16.0 skl2onnx==1.20.0 onnx==1.23.2 onnxruntime==1.32.0 lightgbm==4.7.0 treelite==4.8.1 \
    m2cgen==0.10.0 scikit-learn==1.9.1 numpy==2.4.6

cat >forest.py <<'PY'
"""Prints, a line for each forest, what it says by itself and through each export."""
import warnings

import lightgbm
import m2cgen
import numpy
import onnxruntime
import treelite
from onnxmltools import convert_lightgbm
from onnxmltools.convert.common.data_types import FloatTensorType

warnings.simplefilter("ignore")
onnxruntime.set_default_logger_severity(4)
FOREST = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5, "verbose": -1, "n_jobs": 1}
draw = numpy.random.default_rng(0)
X = draw.random((1000, 3)).astype(numpy.float32)
y = 3 + (X[:, 0] > 0.5) + X[:, 1]
two = (y > 4).astype(int)
three = numpy.digitize(y, [3.5, 4.2])


def show(claim, value):
    print(claim, value, sep="\t")


def in_onnx(model):
    """The outputs of the model for X: a number, or classes and their probabilities."""
    form = convert_lightgbm(model, initial_types=[("x", FloatTensorType([None, 3]))], zipmap=False)
    session = onnxruntime.InferenceSession(form.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})


def in_treelite(model):
    form = treelite.frontend.from_lightgbm(model.booster_)
    return treelite.gtil.predict(form, X, nthread=1).reshape(len(X), -1)


def in_m2cgen(model):
    names = {}
    exec(m2cgen.export_to_python(model), names)
    return numpy.array([names["score"](row) for row in X[:100].tolist()])


for trees in (20, 100, 500):
    model = lightgbm.LGBMRegressor(n_estimators=trees, **FOREST).fit(X, y)
    said = model.predict(X)
    show(f"number {trees}", f"{said.mean():.2f}, {in_onnx(model)[0].mean():.2f}")
    stored = lightgbm.Booster(model_str=model.booster_.model_to_string())
    show(f"booster {trees}", f"{in_onnx(model.booster_)[0].mean():.0f}, {in_onnx(stored)[0].mean():.0f}")
    assert numpy.allclose(in_treelite(model)[:, 0], said)
    if trees == 20:
        assert numpy.allclose(in_m2cgen(model), said[:100])

for name, classes in (("two", two), ("three", three)):
    for trees in (20, 100):
        model = lightgbm.LGBMClassifier(n_estimators=trees, **FOREST).fit(X, classes)
        label, chance = in_onnx(model)
        right = [(model.predict(X) == classes).mean(), (label == classes).mean()]
        show(f"{name} {trees}", ", ".join(f"{100 * part:.0f}" for part in right))
        show(f"{name} {trees} onnx", f"{sorted(set(label.tolist()))}, {chance[:, 0].min():.2f} or more, "
             f"sum {chance.sum(axis=1).min():.2f} to {chance.sum(axis=1).max():.2f}")
        said = model.predict_proba(X)
        assert numpy.allclose(in_treelite(model), said if name == "three" else said[:, 1:])
        if trees == 20:
            assert numpy.allclose(in_m2cgen(model), said[:100])
show("others", "the same")
PY
OMP_NUM_THREADS=1 PYTHONPATH=packages python3 forest.py >said.tsv

# of CLAIM: prints what forest.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' said.tsv
}

expect "mean prediction, 20 trees: LightGBM, ONNX" "$(of "number 20")" "3.98, 0.80"
expect "mean prediction, 100 trees: LightGBM, ONNX" "$(of "number 100")" "3.98, 3.98"
expect "mean prediction, 500 trees: LightGBM, ONNX" "$(of "number 500")" "3.98, 19.92"
expect "ONNX of the Booster, and stored, 20 trees" "$(of "booster 20")" "80, 80"
expect "ONNX of the Booster, and stored, 100 trees" "$(of "booster 100")" "398, 398"
for trees in 20 100; do
    expect "two classes, $trees trees, percent right: LightGBM, ONNX" "$(of "two $trees")" "100, 52"
    expect "    ONNX: classes, probability of class 0" "$(of "two $trees onnx")" "[0], 0.99 or more, sum 1.00 to 1.00"
    expect "three classes, $trees trees, percent right: LightGBM, ONNX" "$(of "three $trees")" "100, 24"
    expect "    ONNX: classes, probability of class 0" "$(of "three $trees onnx")" "[0], 0.99 or more, sum 1.00 to 1.00"
done
expect "treelite and m2cgen" "$(of others)" "the same"
exit $changed
