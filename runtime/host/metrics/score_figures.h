/* score_figures.h -- figures of a classifier that a histogram of its margins gives besides the AUC
 * (score_bins.h). They need no state of their own, so they merge and resume as the histogram does.
 *
 * Average precision, the area under the precision-recall curve:  sum over thresholds of
 * (recall - recall before) * precision, from the highest score down. A bin is one threshold, as
 * scores that tie are; each positive of a bin with several scores has a precision between
 * TP / (TP + FP + the bin's negatives) and (TP + its positives) / (TP + FP + its positives), with
 * TP, FP of the bins above. *error bounds the difference that their order makes.
 *
 * F1 = 2 TP / (2 TP + FP + FN) of the rule "positive where the margin >= threshold". Counts
 * of whole bins are exact, and so is the figure; thresholds inside a bin, 0.4 % of the
 * margin, are not tried.
 *
 * Brier score, mean (p - y)^2, and the reliability bins, p in [0, 0.1), [0.1, 0.2), … [0.9, 1],
 * take as the margin of a bin with several scores its middle. p is off by at most 0.00044 (m p (1 -
 * p) / 512, largest at m = 1.54), where most errors cancel, and so are predicted means. A bin
 * across a limit counts on the side of its middle. The expected calibration error is the mean over
 * examples of |predicted - observed| of their reliability bin.
 *
 * All weights are the examples'. */
#ifndef LEAT_HOST_METRICS_SCORE_FIGURES_H
#define LEAT_HOST_METRICS_SCORE_FIGURES_H

#include "score_bins.h"

enum { RELIABILITY_BINS = 10 };

/* Sums of weights: w, w p, w of the positives. */
struct reliability {
    double weight, predicted, positives;
};

/* NaN: average precision and F1 until a positive has been added, the others until
 * an example has. */
struct score_figures {
    double average_precision, average_precision_error, f1, f1_threshold, brier, calibration_error;
    struct reliability reliability[RELIABILITY_BINS];
};

/* Some 0.2 ms where thousands of bins are in use. */
void score_figures_of(const struct score_bin *bins, struct score_figures *out);

#endif
