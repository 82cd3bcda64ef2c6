/* trial.h -- stages that are called on some records without workers: nothing of it is counted. The
 * caller's thread is theirs. */
#ifndef LEAT_HOST_EXEC_TRIAL_TRIAL_H
#define LEAT_HOST_EXEC_TRIAL_TRIAL_H

#include "host/exec/run.h"

/* A batch for records of `source` that goes through these stages; NULL: not enough memory. */
struct hbatch *trial_batch(struct run *r, const struct node *source, struct node *const *stage,
                           uint32_t n);

/* The stage's open and start. false: one of them failed. */
bool trial_begin(struct run *r, struct node *n);
/* Only its start, once it is open. */
bool trial_start(struct run *r, struct node *n);
/* Its stop, and with `judges` its finish; run_close closes it. */
void trial_end(struct run *r, struct node *n, bool judges);

/* process, with what the host does before and after it. What the stage returns. */
int trial_process(struct instance *i, struct hbatch *h);

/* Calls expand with `out`, which is emptied first; `in` must stay until the last use of `out`.
 * `again`: the last call for `in` returned LEAT_AGAIN. Returns the stage's status. */
int trial_expand(struct instance *i, struct hbatch *in, struct hbatch *out, bool again);

/* Returns the message of a rejected record, n bytes, with the word of its reason; NULL if the
 * record was not rejected. */
const char *trial_rejection(const struct hbatch *h, uint32_t record, const char **reason,
                            size_t *n);

/* ---- what each feature of an example adds to its prediction, by a learner of margins, decisions
 * or values ----
 *
 *     base    = the prediction of an example that has no features
 *     each[i] = the prediction of one that has only feature i, with its value, less base
 *
 * Of a linear learner each[i] is weight x value, also where the weight is kept in a sketch and not
 * by name, and base and these add up to the prediction. Of others, such as learn.fm, what is left
 * over is of features together. The examples have weight 0, which changes nothing in a learner.
 */

struct contributions;

/* Makes memory for at most n features at once. Returns NULL without memory, or if the learner has
 * another kind of score. */
struct contributions *contributions_new(const struct node *learner, uint32_t n);
void contributions_free(struct contributions *c); /* NULL is fine */

/* Asks the learner, on its thread. Returns false, and writes nothing, if it has made no
 * predictions. */
bool contributions_take(struct contributions *c, struct instance *learner, const uint64_t *id,
                        const float *value, uint32_t n, double *base, double *each);

#endif
