/* model_evidence.h -- which features of two snapshots differ by more than chance and the learner's
 * own uncertainty (`leat model diff`).
 *
 * Of learners whose counts have bounds (count_low, count_high) the sampling error of a figure is
 * known. Compared are, of a feature in both answers,
 *
 *     ratio   p(x|+) / p(x|-)     of counts by label: support_outliers, support_inliers
 *             e^2 = 1/a - 1/P + 1/b - 1/N     a of P, b of N records, each with 1/2 added
 *     pmi     log of how much more often two meet than by chance
 *             e^2 = 1/c + 1/u + 1/v
 *     share   count / examples, of others, and of a feature that only one answer has: in the other
 *             it came at most as often as the rarest that is there, or, where a count is known only
 *             within bounds as features had to leave, any number of times
 *
 * as logs (a share as it is), from the end of one's bounds to the nearer end of the other's:
 *
 *     z = gap / sqrt(e_a^2 + e_b^2),   p = erfc(|z| / sqrt(2))
 *
 * Both are taken as samples of their own, which is cautious where b has continued from a.
 * Significant is p <= 5 % / number of features that are compared in this learner (Bonferroni).
 */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_EVIDENCE_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_EVIDENCE_H

#include <jansson.h>

#include "host/exec/answers/answer.h"

enum { EVIDENCE_NONE = -1 }; /* no row: the answer lacks the feature */

/* An answer and the figures that its rows are read with. */
struct evidence_side {
    const struct answer *answer;
    double examples;   /* that its counts are of */
    double positive;   /* of them, labelled +1; NaN: unknown          */
    double rarest;     /* bounds the count of what is not there */
    bool had_to_leave; /* features; which ones is unknown */
};

/* examples: that the learner had learned. */
void evidence_side_init(struct evidence_side *s, const struct answer *answer, double examples);

/* Do its counts have bounds, and are its rows counts of these examples? */
bool evidence_is_known(const struct evidence_side *s);

/* Compares a feature's rows, one of which may be EVIDENCE_NONE: {"what", "measure", "a", "b", "z",
 * "p"}, where what is rose, fell, new or gone; NULL if the figures do not allow it. */
json_t *evidence_compare(const struct evidence_side *a, int64_t row_a,
                         const struct evidence_side *b, int64_t row_b);

/* Takes the rows of one learner: sets "significant" of each, by how many they are. */
void evidence_judge(json_t *rows);

#endif
