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

#endif
