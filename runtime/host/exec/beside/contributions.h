/* contributions.h -- what each feature of an example adds to its prediction, by a learner of
 * margins, decisions or values.
 *
 *     base    = the prediction of an example that has no features
 *     each[i] = the prediction of one that has only feature i, with its value, less base
 *
 * Of a linear learner each[i] is weight x value, also where the weight is kept in a sketch and not
 * by name, and base and these add up to the prediction. Of others, such as learn.fm, what is left
 * over is of features together. The examples have weight 0, which changes nothing in a learner.
 */
#ifndef LEAT_HOST_EXEC_BESIDE_CONTRIBUTIONS_H
#define LEAT_HOST_EXEC_BESIDE_CONTRIBUTIONS_H

#include "host/exec/instance/instance.h"

struct contributions;

/* For at most n features at once. NULL: the learner does not score so, or there is no memory. */
struct contributions *contributions_new(const struct node *learner, uint32_t n);
void contributions_free(struct contributions *c); /* NULL is fine */

/* On the learner's thread. false: the learner has made no predictions, and nothing is written. */
bool contributions_take(struct contributions *c, struct instance *learner, const uint64_t *id,
                        const float *value, uint32_t n, double *base, double *each);

#endif
