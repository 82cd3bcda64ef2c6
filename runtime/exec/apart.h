/* apart.h -- stages of a run that has no workers: what they make of some records, without anything
 * of it being counted. The caller's thread is theirs. */
#ifndef LEAT_EXEC_APART_H
#define LEAT_EXEC_APART_H

#include "run.h"

/* A batch for records of `source` that goes through these stages; NULL: not enough memory. */
struct hbatch *apart_batch(struct run *r, const struct node *source, struct node *const *stage,
                           uint32_t n);

/* The stage's open and start. false: one of them failed. */
bool apart_begin(struct run *r, struct node *n);
/* Its stop, and with `judges` its finish; run_close closes it. */
void apart_end(struct run *r, struct node *n, bool judges);

/* process, with what the host does before and after it. What the stage returns. */
int apart_process(struct instance *i, struct hbatch *h);

#endif
