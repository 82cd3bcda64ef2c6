/* model_evidence.h -- features that differ significantly between two snapshots (`leat model diff`).
 *
 * If a learner's counts have bounds (count_low, count_high), the sampling error of its figures is
 * known. The comparison of a feature uses one of these measures,
 *
 *     ratio   p(x|+) / p(x|-)     of counts by label: support_outliers, support_inliers
 *             e^2 = 1/a - 1/P + 1/b - 1/N     a of P, b of N records, each plus 1/2
 *     pmi     log of observed over expected co-occurrences
 *             e^2 = 1/c + 1/u + 1/v
 *     share   count / examples: for other features, and for a feature in one answer only. In the
 *             other answer its count is at most that of the rarest feature. If counts are known
 *             only within bounds, because features had to leave, the count may be any
 *
 * as a log, except for shares. The gap is the distance between the bounds of the two figures:
 *
 *     z = gap / sqrt(e_a^2 + e_b^2),   p = erfc(|z| / sqrt(2))
 *
 * Both count as independent samples, which is cautious if b has continued from a. A difference is
 * significant if p <= 5 % / number of features compared in this learner (Bonferroni).
 */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_EVIDENCE_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_EVIDENCE_H

#include <jansson.h>

#include "host/exec/answers/answer.h"

enum { EVIDENCE_NONE = -1 }; /* no row: the answer lacks the feature */

/* An answer, and the figures for reading its rows. */
struct evidence_side {
    const struct answer *answer;
    double examples;   /* examples that its counts include */
    double positive;   /* examples labelled +1; NaN: unknown */
    double rarest;     /* limit on the count of a missing feature */
    bool had_to_leave; /* some features had to leave, but it is unknown which */
};

/* Fills a side. examples: learned by the learner. */
void evidence_side_init(struct evidence_side *s, const struct answer *answer, double examples);

/* True if the counts have bounds, and the rows count these examples. */
bool evidence_is_known(const struct evidence_side *s);

/* Compares a feature's rows, one of which may be EVIDENCE_NONE. Returns {"what", "measure", "a",
 * "b", "z", "p"}, where "what" is rose, fell, same, new or gone; NULL if the figures do not allow
 * it. */
json_t *evidence_compare(const struct evidence_side *a, int64_t row_a,
                         const struct evidence_side *b, int64_t row_b);

/* Sets "significant" of each row of one learner, depending on their number. */
void evidence_judge(json_t *rows);

#endif
