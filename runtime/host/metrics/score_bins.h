/* score_bins.h -- a histogram of scores by class, its AUC and other figures.
 *
 * AUC. The area under the ROC curve is the share of (positive, negative) pairs in which the
 * positive has the higher score; ties count half. The histogram determines every pair in different
 * bins exactly, and counts each pair within a bin as half. So the AUC is off by at most
 *     auc_error = 1/2 * sum over bins (pos * neg) / (P * N).
 *
 * A bin with only one distinct score contains true ties and adds no error: a constant predictor
 * gets exactly .5.
 *
 * The bits of a score determine its bin. So bins are in the order of scores, and the range of the
 * scores need not be known. Between 2^-10 and 2^6, where most margins lie, a bin is 0.4 % wide;
 * outside, 6 %. There are 15,840 bins of 24 bytes, of which only those in use become resident. */
#ifndef LEAT_HOST_METRICS_SCORE_BINS_H
#define LEAT_HOST_METRICS_SCORE_BINS_H

#include <stdint.h>

#define SCORE_BINS 15840

struct score_bin {
    double of[2]; /* weights of the negatives and of the positives */
    float score;  /* first score added */
    uint16_t used;
    uint16_t mixed; /* 1 if different scores were added */
};

/* Adds a score of weight w with label `positive` (0 or 1). `bins` are SCORE_BINS bins, zeroed at
 * first. */
void score_bins_add(struct score_bin *bins, float score, uint32_t positive, double w);

/* Adds the bins of another stream. */
void score_bins_merge(struct score_bin *bins, const struct score_bin *other);

/* Returns the first bin that no sequence of additions with weights up to `max` can have made;
 * SCORE_BINS if all are valid. */
uint32_t score_bins_check(const struct score_bin *bins, double max);

/* score_bins_low: smallest score that falls into the bin. score_bins_middle: the only score in the
 * bin; if it has several, the middle of the bin. */
float score_bins_low(uint32_t bin);
double score_bins_middle(const struct score_bin *bins, uint32_t bin);

/* Computes the ROC curve: the rates of the rule "positive if score >= threshold", from (0, 0) to
 * (1, 1). Each point except the last differs from the previous one by at least 1/32 in one of the
 * rates. Returns the number of points; 0 if a class is missing. */
struct roc_point {
    double false_positives, true_positives; /* rates */
    double threshold;                       /* infinity for the first point */
};
enum { ROC_STEPS = 32, ROC_POINTS = 2 * ROC_STEPS + 2 };
uint32_t score_bins_roc(const struct score_bin *bins, struct roc_point out[ROC_POINTS]);

/* Computes the AUC and its largest possible error; NaN until both classes have been added. */
void score_bins_auc(const struct score_bin *bins, double *area, double *error);

/* Further figures of a classifier, from the histogram of its margins. They need no state of their
 * own, so they merge and resume with the histogram.
 *
 * Average precision, the area under the precision-recall curve: the sum over thresholds of (recall
 * - recall at the next higher threshold) * precision, from the highest score down. A bin is one
 * threshold, like tied scores. In a bin with several scores, the order of positives and negatives
 * is unknown. The precision at each positive lies between TP / (TP + FP + the bin's negatives) and
 * (TP + its positives) / (TP + FP + its positives), where TP and FP count the bins above.
 * average_precision_error bounds the effect of this order.
 *
 * F1 = 2 TP / (2 TP + FP + FN) of the rule "positive if margin >= threshold". Only bounds of bins
 * are tried as thresholds, so the counts, and the figure, are exact. A bin spans 0.4 % of the
 * margin.
 *
 * The Brier score, mean (p - y)^2, and the reliability bins, p in [0, 0.1), [0.1, 0.2), … [0.9,
 * 1], use the middle of a bin with several scores as its margin. p is off by at most 0.00044 (m p
 * (1 - p) / 512, largest at m = 1.54), and the Brier score by 0.0008 (largest at m = 2). Most of
 * these errors cancel, also in predicted means. A bin across a limit counts where its middle lies.
 * The expected calibration error is the mean over examples of |predicted - observed| in their
 * reliability bin.
 *
 * All sums and means are weighted by the examples' weights. */

enum { RELIABILITY_BINS = 10 };

/* Sums over the examples in one reliability bin: w, w p, and w of the positives. */
struct reliability {
    double weight, predicted, positives;
};

/* Average precision and F1 are NaN until a positive has been added; the other figures until an
 * example has been added. */
struct score_figures {
    double average_precision, average_precision_error, f1, f1_threshold, brier, calibration_error;
    struct reliability reliability[RELIABILITY_BINS];
};

/* Computes the figures. This takes some 0.2 ms if thousands of bins are in use. */
void score_figures_of(const struct score_bin *bins, struct score_figures *out);

#endif
