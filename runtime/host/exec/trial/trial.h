/* trial.h -- calls stages on some records without workers and without counting.
 *
 * All functions run on the caller's thread. */
#ifndef LEAT_HOST_EXEC_TRIAL_TRIAL_H
#define LEAT_HOST_EXEC_TRIAL_TRIAL_H

#include "host/exec/run.h"

/* Returns a batch for records of `source` that goes through these stages; NULL without memory. */
struct hbatch *trial_batch(struct run *r, const struct node *source, struct node *const *stage,
                           uint32_t n);

/* Calls the stage's open and start. Returns false if one of them failed. */
bool trial_begin(struct run *r, struct node *n);
/* Calls the start of an open stage. Returns false if it failed. */
bool trial_start(struct run *r, struct node *n);
/* Calls the stage's stop, and its finish if `judges`. run_close() closes it. */
void trial_end(struct run *r, struct node *n, bool judges);

/* Calls process, with the host's work before and after it. Returns the stage's status. */
int trial_process(struct instance *i, struct hbatch *h);

/* Calls expand with `out`, after emptying `out`; `in` must stay until the last use of `out`.
 * `again`: the last call for `in` returned LEAT_AGAIN. Returns the stage's status. */
int trial_expand(struct instance *i, struct hbatch *in, struct hbatch *out, bool again);

/* Returns the message of a rejected record, n bytes, and the word of its reason; NULL if the record
 * was not rejected. */
const char *trial_rejection(const struct hbatch *h, uint32_t record, const char **reason,
                            size_t *n);

/* ---- what each feature of an example adds to its prediction ----
 *
 * For learners of margins, decisions or values:
 *
 *   base    = the prediction of an example without features
 *   each[i] = the prediction of an example with only feature i and its value, minus base
 *
 * In a linear learner each[i] is weight x value, even if a sketch keeps the weight and no name, and
 * base and all each[i] add up to the prediction. In others, such as learn.fm, the rest comes from
 * combinations of features. The examples have weight 0, so the learner does not change.
 */

struct contributions;

/* Makes memory for at most n features at once. Returns NULL without memory, or if the learner has
 * another kind of score. */
struct contributions *contributions_new(const struct node *learner, uint32_t n);
void contributions_free(struct contributions *c); /* NULL is fine */

/* Asks the learner, on its thread. Returns false, and writes nothing, if the learner made no
 * predictions. */
bool contributions_take(struct contributions *c, struct instance *learner, const uint64_t *id,
                        const float *value, uint32_t n, double *base, double *each);

#endif
