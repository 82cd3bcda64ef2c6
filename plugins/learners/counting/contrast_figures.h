/* contrast_figures.h -- figures of one member of learn.contrast, each with bounds.
 *
 * The bounds follow from those of the counts (kernels/counting/contrast/contrast.h). n1 and n0 are
 * the counts in kinds 1 and 0. The relative risk and the ratio grow with n1 and fall with n0:
 *
 *   low = f(low n1, high n0)      high = f(high n1, low n0)      shown: sqrt(low high)
 *
 * With amounts they do so between the sums that are 0 or all, which are treated apart.
 * Counts and shares are shown as the middle of their bounds. With amounts, the counts of all
 * figures but `count` are masses (contrast_mass()). */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_FIGURES_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_FIGURES_H

#include "contrast.h"

/* A figure with its bounds. */
struct contrast_figure {
    double shown, low, high;
};

/* A quotient of counts, or of sums (core/odds.h). */
typedef double contrast_of_counts(double n1, double n0, double N1, double N0, bool sums);

/* Returns f of the counts. */
struct contrast_figure contrast_quotient(contrast_of_counts *f, const struct contrast *m,
                                         const struct contrast_bounds *b);
/* Returns the middle of two bounds, with the bounds. */
struct contrast_figure contrast_between(double low, double high);
/* Limits the share `of` that rows cover: it is at least that of the rows above and that of the row
 * itself, and at most their sum. */
struct contrast_figure contrast_within(struct contrast_figure of, struct contrast_figure above,
                                       struct contrast_figure own);
/* Returns the fraction of the records of kind y that contain the feature. Limits it to 1, because a
 * record may contain a feature twice. */
struct contrast_figure contrast_share(const struct contrast *m, const struct contrast_bounds *b,
                                      int y);
/* Returns the fraction of kind 1 among the records with the feature. A record may contain a feature
 * twice, so a count is cut to the number of records. */
struct contrast_figure contrast_rate(const struct contrast *m, const struct contrast_bounds *b);
/* Returns the sum of the amounts of the records with the member in `slot`. */
struct contrast_figure contrast_amount_figure(const struct contrast_held *h, uint32_t slot);
/* Returns the count, or the sum of amounts, in kind 1 minus that in kind 0. */
struct contrast_figure contrast_change(const struct contrast_held *h, uint32_t slot);
/* Returns the share of this difference in the difference of all records. NaN if that is 0. Below 0
 * if the feature goes against it. */
struct contrast_figure contrast_share_of_change(const struct contrast *m,
                                                const struct contrast_bounds *b);
/* Returns log p(x|+) / p(x|-), or 0 if there are no records of a kind. A prior of `prior` records
 * at the common odds draws it towards 0. */
double contrast_log_ratio(const struct contrast *m, double n1, double n0, double prior);
/* Returns the weight: the log ratio at the bound nearest to 0, or 0 if the two bounds have
 * different signs. Its prior is the number of records of which one, on average, has the rarer
 * label. */
double contrast_weight(const struct contrast *m, const struct contrast_bounds *b);

#endif
