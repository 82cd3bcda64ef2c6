/* score_bins.h -- a histogram of scores by class, its AUC and other figures.
 *
 * AUC. The area under the ROC curve is the share of (positive, negative) pairs in which the
 * positive has the higher score; ties count half. A histogram knows every pair in different bins
 * exactly, and counts a pair inside a bin half. So the AUC is off by at most
 *     auc_error = 1/2 * sum over bins (pos * neg) / (P * N).
 *
 * A bin that has seen only one score holds true ties and adds no error: a constant predictor gets
 * exactly .5.
 *
 * Bins are cut by the bits of the score, so their order is the scores' order and their range need
 * not be known. Between 2^-10 and 2^6, where most margins lie, a bin is 0.4 % wide; outside, 6 %.
 * 15,840 bins of 24 bytes, of which only those in use become resident.
 */
#ifndef LEAT_HOST_METRICS_SCORE_BINS_H
#define LEAT_HOST_METRICS_SCORE_BINS_H

#include <stdint.h>

#define SCORE_BINS 15840

struct score_bin {
    double of[2]; /* weight of the negatives, of the positives */
    float score;  /* the first one added                       */
    uint16_t used;
    uint16_t mixed; /* 1: other scores were added, too */
};

/* Adds a score. bins: SCORE_BINS of them, zero at first; positive: 0 or 1. */
void score_bins_add(struct score_bin *bins, float score, uint32_t positive, double w);

/* Adds the bins of another stream. */
void score_bins_merge(struct score_bin *bins, const struct score_bin *other);

/* Returns the first bin that no scores can have made, each weight at most `max`; SCORE_BINS:
 * none. */
uint32_t score_bins_check(const struct score_bin *bins, double max);

/* score_bins_low: smallest score that a bin can hold. score_bins_middle: representative of its
 * scores, which is the only score, or the middle of the bin. */
float score_bins_low(uint32_t bin);
double score_bins_middle(const struct score_bin *bins, uint32_t bin);

/* Computes the rates of the rule "positive if score >= threshold", from (0, 0) to (1, 1). Each
 * point differs from the previous one by at least 1/32 in a rate. Returns the number of points; 0
 * if a class is missing.
 */
struct roc_point {
    double false_positives, true_positives; /* rates */
    double threshold;                       /* infinity: of the first point */
};
enum { ROC_STEPS = 32, ROC_POINTS = 2 * ROC_STEPS + 2 };
uint32_t score_bins_roc(const struct score_bin *bins, struct roc_point out[ROC_POINTS]);

/* Computes the AUC and its error; NaN until both classes have been added. */
void score_bins_auc(const struct score_bin *bins, double *area, double *error);

/* Further figures of a classifier from a histogram of its margins. They need no state, so they
 * merge and resume like the histogram.
 *
 * Average precision, the area under the precision-recall curve: the sum over thresholds of (recall
 * - recall before) * precision, from the highest score down. A bin is one threshold, like tied
 * scores. Each positive of a bin with several scores has a precision between TP / (TP + FP + the
 * bin's negatives) and (TP + its positives) / (TP + FP + its positives), with TP, FP of the bins
 * above. *error bounds the difference that their order makes.
 *
 * F1 = 2 TP / (2 TP + FP + FN) of the rule "positive if margin >= threshold". Counts of whole bins
 * are exact, and so is the figure. Thresholds inside a bin, 0.4 % of the margin, are not tried.
 *
 * Brier score, mean (p - y)^2, and the reliability bins, p in [0, 0.1), [0.1, 0.2), … [0.9, 1], use
 * the middle of a bin with several scores as its margin. p is off by at most 0.00044 (m p (1 - p) /
 * 512, largest at m = 1.54). Most of these errors cancel, also in predicted means. A bin across a
 * limit counts on the side of its middle. The expected calibration error is the mean over examples
 * of |predicted - observed| of their reliability bin.
 *
 * All weights are the examples' weights. */

enum { RELIABILITY_BINS = 10 };

/* Sums of weights: w, w p, w of the positives. */
struct reliability {
    double weight, predicted, positives;
};

/* Figures. Average precision and F1 are NaN until a positive has been added, the others until an
 * example has. */
struct score_figures {
    double average_precision, average_precision_error, f1, f1_threshold, brier, calibration_error;
    struct reliability reliability[RELIABILITY_BINS];
};

/* Computes the figures; takes some 0.2 ms if thousands of bins are in use. */
void score_figures_of(const struct score_bin *bins, struct score_figures *out);

#endif
