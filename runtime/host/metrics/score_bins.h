/* score_bins.h -- a histogram of scores by class, and the AUC that it gives.
 *
 * AUC. The area under the ROC curve is the share of (positive, negative) pairs in which the
 * positive has the higher score, ties counting half. From a histogram every pair in different bins
 * is known exactly and a pair inside a bin counts half, so the AUC is off by at most
 *     auc_error = 1/2 * sum over bins (pos * neg) / (P * N).
 * A bin that has seen one score only holds true ties and adds no error: a constant predictor gets
 * .5 exactly.
 *
 * Bins are cut by the bits of the score, so their order is the scores' order and nothing needs to
 * be known of their range. Between 2^-10 and 2^6, where margins live, a bin is 0.4 % wide; outside,
 * where they rarely are, 6 %. 15,840 bins of 24 bytes, of which only those in use become resident.
 */
#ifndef LEAT_HOST_METRICS_SCORE_BINS_H
#define LEAT_HOST_METRICS_SCORE_BINS_H

#include <stdint.h>

#define SCORE_BINS 15840

struct score_bin {
    double of[2]; /* weight of the negatives, of the positives */
    float score;  /* the first one added                      */
    uint16_t used;
    uint16_t mixed; /* 1: other scores were added as well */
};

/* bins: SCORE_BINS of them, zero at first; positive: 0 or 1. */
void score_bins_add(struct score_bin *bins, float score, uint32_t positive, double w);

/* Add the bins of another stream. */
void score_bins_merge(struct score_bin *bins, const struct score_bin *other);

/* The first bin that no scores can have made, each weight at most `max`; SCORE_BINS: none. */
uint32_t score_bins_check(const struct score_bin *bins, double max);

/* The smallest score that a bin can hold; and what stands for its scores: the only one, or
 * the middle of the bin. */
float score_bins_low(uint32_t bin);
double score_bins_middle(const struct score_bin *bins, uint32_t bin);

/* The rates of the rule "positive where the score >= threshold", from (0, 0) to (1, 1), each point
 * 1/32 or more from the one before in a rate. Returns how many there are; 0: a class is missing.
 */
struct roc_point {
    double false_positives, true_positives; /* rates */
    double threshold;                       /* infinity: of the first point */
};
enum { ROC_STEPS = 32, ROC_POINTS = 2 * ROC_STEPS + 2 };
uint32_t score_bins_roc(const struct score_bin *bins, struct roc_point out[ROC_POINTS]);

/* NaN until both classes have been added. */
void score_bins_auc(const struct score_bin *bins, double *area, double *error);

/* Figures of a classifier that a histogram of its margins gives besides the AUC
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
