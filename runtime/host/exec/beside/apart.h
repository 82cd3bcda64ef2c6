/* apart.h -- stages of a run that has no workers: what they make of some records, without anything
 * of it being counted. The caller's thread is theirs. */
#ifndef LEAT_HOST_EXEC_BESIDE_APART_H
#define LEAT_HOST_EXEC_BESIDE_APART_H

#include "host/exec/run.h"

/* A batch for records of `source` that goes through these stages; NULL: not enough memory. */
struct hbatch *apart_batch(struct run *r, const struct node *source, struct node *const *stage,
                           uint32_t n);

/* The stage's open and start. false: one of them failed. */
bool apart_begin(struct run *r, struct node *n);
/* Only its start, once it is open. */
bool apart_start(struct run *r, struct node *n);
/* Its stop, and with `judges` its finish; run_close closes it. */
void apart_end(struct run *r, struct node *n, bool judges);

/* process, with what the host does before and after it. What the stage returns. */
int apart_process(struct instance *i, struct hbatch *h);

/* expand into `out`, which is emptied first; `in` stays until `out` is no more used. `again`: the
 * last call for `in` said LEAT_AGAIN. What the stage returns. */
int apart_expand(struct instance *i, struct hbatch *in, struct hbatch *out, bool again);

/* What a rejected record was told, n bytes, and the word of the reason; NULL: it is none. */
const char *apart_rejection(const struct hbatch *h, uint32_t record, const char **reason,
                            size_t *n);

#endif
