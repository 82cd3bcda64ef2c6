/* trial.h -- calls stages on a few records, outside a run: no workers, no counts.
 *
 * All functions run on the caller's thread. */
#ifndef LEAT_HOST_EXEC_TRIAL_TRIAL_H
#define LEAT_HOST_EXEC_TRIAL_TRIAL_H

#include "host/exec/run.h"

/* Returns a batch that has room for records of `source` and for what the n stages add; NULL if
 * there is no memory. */
struct hbatch *trial_batch(struct run *r, const struct node *source, struct node *const *stage,
                           uint32_t n);

/* Calls the stage's open and start. Returns false if one of them fails. */
bool trial_begin(struct run *r, struct node *n);
/* Calls the start of an open stage. Returns false if it fails. */
bool trial_start(struct run *r, struct node *n);
/* Calls the stage's stop, and its finish if `judges`. Does not call close: run_close() does. */
void trial_end(struct run *r, struct node *n, bool judges);

/* Calls process. Converts columns before it, and updates the selections after it. Returns the
 * stage's status. */
int trial_process(struct instance *i, struct hbatch *h);

/* Empties `out` and calls expand. `in` must not change while `out` is used. `again`: the last call
 * with this `in` returned LEAT_AGAIN. Returns the stage's status. */
int trial_expand(struct instance *i, struct hbatch *in, struct hbatch *out, bool again);

/* Returns the message of a rejected record, *n bytes, and sets *reason to the word of its reason.
 * Returns NULL if the record was not rejected. */
const char *trial_rejection(const struct hbatch *h, uint32_t record, const char **reason,
                            size_t *n);

/* ---- what each feature of an example adds to its prediction ----
 *
 * For learners whose score is a margin, a decision or a value:
 *
 *   base    = the prediction of an example without features
 *   each[i] = the prediction of an example with only feature i and its value, minus base
 *
 * In a linear learner each[i] is weight x value, and base plus all each[i] is the prediction. This
 * works even if the learner keeps weights in a sketch, without names. In other learners, such as
 * learn.fm, combinations of features contribute the rest of the prediction. The examples have
 * importance 0, so the learner does not change.
 */

struct contributions;

/* Makes memory for examples of at most n features. Returns NULL if there is no memory, or if the
 * learner has another kind of score. */
struct contributions *contributions_new(const struct node *learner, uint32_t n);
void contributions_free(struct contributions *c);

/* Sets *base and each[0 .. n) for an example with these n features. Call it on the learner's
 * thread. Returns false, and sets nothing, if the learner makes no predictions. */
bool contributions_take(struct contributions *c, struct instance *learner, const uint64_t *id,
                        const float *value, uint32_t n, double *base, double *each);

#endif
