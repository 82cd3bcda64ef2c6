/* model_evidence.h -- features that differ significantly between two snapshots (`leat model diff`).
 *
 * Works for learners whose counts have bounds (count_low, count_high), because the sampling error
 * of their figures is known. Two snapshots, a and b, are compared by one figure of each feature.
 * The figure is the log of one of the first two measures, or the third measure:
 *
 *     ratio   p(x|+) / p(x|-)     from the counts by label: support_outliers, support_inliers
 *             e^2 = 1/a - 1/P + 1/b - 1/N     a of P, b of N records, each plus 1/2
 *     pmi     log of observed over expected co-occurrences
 *             e^2 = 1/c + 1/u + 1/v     of the pair's count c and its features' counts u, v
 *     share   count / examples. Used for learners without these columns, and for a feature
 *             that only one answer contains. Its count in the other answer is then at most
 *             that of the rarest feature in that answer. If the learner of that answer has
 *             dropped features, the count is unknown.
 *
 * The gap is the distance between the bounds of the two figures, and e is the standard error of a
 * figure:
 *
 *     z = gap / sqrt(e_a^2 + e_b^2),   p = erfc(|z| / sqrt(2))
 *
 * p is 1 if a side has too few records for this approximation: fewer than five of the feature's
 * records are expected to have one of the labels, or fewer than five records the feature.
 *
 * The two snapshots are treated as independent samples. This is cautious if run b continued run a.
 * A difference is significant if p <= 5 % / number of features compared in this learner
 * (Bonferroni). */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_EVIDENCE_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_EVIDENCE_H

#include <jansson.h>

#include "host/exec/answers/answer.h"

enum { EVIDENCE_NONE = -1 }; /* row number of a feature that is not in the answer */

/* A learner's answer in one of the two snapshots, and totals for comparing its rows. */
struct evidence_side {
    const struct answer *answer;
    double examples;   /* number of examples in the learner's counts */
    double positive;   /* number of examples labelled +1; NaN if unknown */
    double rarest;     /* largest possible count of a feature that is not in the answer */
    bool had_to_leave; /* true if the learner has dropped features */
};

/* Fills s from an answer. `examples` is the number that the learner has learned. */
void evidence_side_init(struct evidence_side *s, const struct answer *answer, double examples);

/* True if the counts have bounds, and the counts in the rows refer to s->examples. */
bool evidence_is_known(const struct evidence_side *s);

/* Compares row_a of a with row_b of b, which are the same feature. One of the two may be
 * EVIDENCE_NONE. Returns {"what", "measure", "a", "b", "z", "p"}, where "what" is rose, fell, same,
 * new or gone. Returns NULL if the figures do not allow a comparison. */
json_t *evidence_compare(const struct evidence_side *a, int64_t row_a,
                         const struct evidence_side *b, int64_t row_b);

/* Sets "significant" in each of the rows, which are all the comparisons of one learner. The
 * threshold depends on their number. */
void evidence_judge(json_t *rows);

#endif
