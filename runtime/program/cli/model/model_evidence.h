/* model_evidence.h -- features that differ significantly between two snapshots (`leat model diff`).
 *
 * If a learner's counts have bounds (count_low, count_high), the sampling error of its figures is
 * known. A feature is compared by the log of one of the first two measures, or by its share:
 *
 *     ratio   p(x|+) / p(x|-)     of counts by label: support_outliers, support_inliers
 *             e^2 = 1/a - 1/P + 1/b - 1/N     a of P, b of N records, each plus 1/2
 *     pmi     log of observed over expected co-occurrences
 *             e^2 = 1/c + 1/u + 1/v
 *     share   count / examples: for learners without these columns, and for a feature that
 *             only one answer contains. Its count in the other answer is then at most that of
 *             the rarest feature there. If that learner has dropped features, it may be any.
 *
 * The gap is the distance between the bounds of the two figures:
 *
 *     z = gap / sqrt(e_a^2 + e_b^2),   p = erfc(|z| / sqrt(2))
 *
 * The two snapshots are treated as independent samples. This is cautious if run b continued run a.
 * A difference is significant if p <= 5 % / number of features compared in this learner
 * (Bonferroni). */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_EVIDENCE_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_EVIDENCE_H

#include <jansson.h>

#include "host/exec/answers/answer.h"

enum { EVIDENCE_NONE = -1 }; /* row of a feature that the answer lacks */

/* A learner's answer in one of the two snapshots, and figures that its rows are compared with. */
struct evidence_side {
    const struct answer *answer;
    double examples;   /* number of examples in the learner's counts */
    double positive;   /* number of examples labelled +1; NaN if unknown */
    double rarest;     /* largest possible count of a feature that the answer lacks */
    bool had_to_leave; /* true if the learner has dropped features; it is unknown which */
};

/* Fills s from an answer. `examples` is the number that the learner has learned. */
void evidence_side_init(struct evidence_side *s, const struct answer *answer, double examples);

/* True if the counts have bounds, and the counts in the rows refer to s->examples. */
bool evidence_is_known(const struct evidence_side *s);

/* Compares the rows of one feature in both answers. One of them may be EVIDENCE_NONE. Returns
 * {"what", "measure", "a", "b", "z", "p"}, where "what" is rose, fell, same, new or gone. Returns
 * NULL if the figures do not allow a comparison. */
json_t *evidence_compare(const struct evidence_side *a, int64_t row_a,
                         const struct evidence_side *b, int64_t row_b);

/* Sets "significant" in each row of one learner. The threshold depends on the number of rows. */
void evidence_judge(json_t *rows);

#endif
