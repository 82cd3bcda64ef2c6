#!/usr/bin/env bash
# sklearn-model-changes-by-a-look-at-x -- scikit-learn: a text is 1.67 like itself, until somebody calls X.sum()
#
# A matrix of words by text, built as the page of scipy.sparse.csr_matrix shows it: "an example of how to construct
# a CSR matrix incrementally". A word that comes twice is two entries of 1, which SciPy sums. Hashed features, whose
# collisions make such entries too, are often built so.
#
# Guess: X is a matrix, and X.toarray() is right. scikit-learn checks its input, so it sums the entries, or refuses
#        them, or computes with them as SciPy does. In no case does it matter whether X.sum() was asked before.
# Truth: cosine_similarity(X) says 1.67 of a text of three words with itself. After X.sum() it says 1.00.
#        400 texts of 30 words each, drawn from 50, with a target that depends on four of the words:
#        Lasso has no coefficient but 0, and after X.max() it finds the four. F of f_classif is 342, and then 88;
#        the variance of a word is 0.23, and then 0.60. KMeans has an inertia of 4350, and then 11,146.
#        normalize() and TfidfTransformer() give rows of a length of 1.1 to 1.5 in place of 1. Nothing warns but
#        Lasso, of "scale of the features" among others.
#        X.count_nonzero() mends X as well; print(X), X.toarray(), X.nnz and X[:, [0]] do not. So a line for debugging
#        changes the model.
#        LogisticRegression, SGDClassifier, LinearSVC and MultinomialNB do not mind, so that one model proves nothing.
#
# Cause: scikit-learn looks at the types and at NaN, and not at has_canonical_format. What is a product with X is right;
#        what squares or compares the entries one by one is not: 1 + 1 is not the square of 2.
#        SciPy sums duplicates in place, in methods that need it, and says so of none of them but sum_duplicates().
# Cure:  X.sum_duplicates() after building; CountVectorizer and FeatureHasher do it themselves.
#        XGBoost 3.2 learns and predicts otherwise with such an X as well, and LightGBM 4.7 learns so (tried by hand).
#
# Seen with: scikit-learn 1.9.1 from PyPI, scipy 1.17.1, numpy 2.4.6.
# Sources: the page of scipy.sparse.csr_matrix; https://github.com/scipy/scipy/issues/5807 (open since 2016: a policy
#          for duplicates); scikit-learn, utils/validation.py (_ensure_sparse_format), utils/sparsefuncs_fast.pyx.
#          No issue of it was found in scikit-learn.
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

versions scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6

cat >looks.py <<'PY'
"""Prints, a line for each claim, what scikit-learn says of X as it was built, and after a look at it."""
import numpy
from scipy.sparse import csr_matrix, linalg
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import VarianceThreshold, f_classif
from sklearn.linear_model import Lasso, LogisticRegression, SGDClassifier
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC


def build(texts):
    vocabulary, columns, ends = {}, [], [0]
    for text in texts:
        columns += [vocabulary.setdefault(word, len(vocabulary)) for word in text]
        ends.append(len(columns))
    return csr_matrix((numpy.ones(len(columns)), columns, ends))


def same_with_look(texts, see):
    """Returns what `see` says of X as built, and of X after X.max()."""
    built, looked = build(texts), build(texts)
    looked.max()
    assert (built.toarray() == looked.toarray()).all()
    return see(built), see(looked)


few = [["wind", "rain", "wind"], ["sun", "rain", "snow"]]
for claim, look in {
    "nothing": lambda x: None,
    "print": str,
    "toarray": lambda x: x.toarray(),
    "nnz": lambda x: x.nnz,
    "column": lambda x: x[:, [0]],
    "sum": lambda x: x.sum(),
    "max": lambda x: x.max(),
    "count_nonzero": lambda x: x.count_nonzero(),
}.items():
    X = build(few)
    look(X)
    print(claim, f"{cosine_similarity(X)[0, 0]:.2f}", sep="\t")

draws = numpy.random.default_rng(0).integers(0, 50, (400, 30))
many = [["w%d" % word for word in text] for text in draws.tolist()]
counts = build(many).toarray()
target = (counts[:, 0] + counts[:, 1] > counts[:, 2] + counts[:, 3]).astype(int)


def model(estimator):
    def see(X):
        fitted = estimator.fit(X, target)
        coefficients = fitted.feature_log_prob_ if isinstance(fitted, MultinomialNB) else fitted.coef_
        return numpy.asarray(coefficients).ravel().copy()
    return same_with_look(many, see)


print("Lasso", *(numpy.count_nonzero(abs(c) > 0.1) for c in model(Lasso(alpha=0.01))), sep="\t")
print("f_classif", *same_with_look(many, lambda X: round(f_classif(X, target)[0].max())), sep="\t")
print("variance", *same_with_look(many, lambda X: f"{VarianceThreshold().fit(X).variances_[0]:.2f}"), sep="\t")
print("KMeans", *same_with_look(many, lambda X: round(KMeans(3, n_init=1, random_state=0).fit(X).inertia_)), sep="\t")
for claim, scale in ("normalize", normalize), ("tfidf", TfidfTransformer().fit_transform):
    lengths = [linalg.norm(scale(X), axis=1) for X in same_with_look(many, lambda X: X)]
    print(claim, *(f"{f(length):.1f}" for length in lengths for f in (min, max)), sep="\t")
for estimator in LogisticRegression(), SGDClassifier(random_state=0), LinearSVC(random_state=0), MultinomialNB():
    first, second = model(estimator)
    print(type(estimator).__name__, "same" if numpy.allclose(first, second, 1e-6, 1e-6) else "differs", sep="\t")
PY
PYTHONPATH=packages python3 -W ignore looks.py >looks.tsv

# of CLAIM: prints what looks.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { sub(/^[^\t]*\t/, ""); gsub(/\t/, " "); print }' looks.tsv
}

expect "cosine of a text with itself, as built" "$(of nothing)" 1.67
for look in print toarray nnz column; do
    expect "  after $look" "$(of $look)" 1.67
done
for look in sum max count_nonzero; do
    expect "  after X.$look()" "$(of $look)" 1.00
done
expect "Lasso: coefficients above 0.1, as built, after X.max()" "$(of Lasso)" "0 4"
expect "f_classif: the largest F" "$(of f_classif)" "342 88"
expect "VarianceThreshold: variance of the first word" "$(of variance)" "0.23 0.60"
expect "KMeans: inertia" "$(of KMeans)" "4350 11146"
expect "normalize: shortest, longest row; after X.max()" "$(of normalize)" "1.1 1.5 1.0 1.0"
expect "TfidfTransformer: the same" "$(of tfidf)" "1.1 1.5 1.0 1.0"
for estimator in LogisticRegression SGDClassifier LinearSVC MultinomialNB; do
    expect "$estimator" "$(of $estimator)" same
done
exit $changed
