/* pure_calls.h -- pure calls of a stage: made by `leat check`, and again before a run.
 *
 * If a call ends the process, a message names the stage and the call. The stage must have the
 * function that is called. */
#ifndef LEAT_HOST_GRAPH_PURE_CALLS_H
#define LEAT_HOST_GRAPH_PURE_CALLS_H

#include "graph.h"

struct diag;

int pure_validate(const struct node *n, struct leat_diag *d);
int pure_negotiate(const struct node *n, struct leat_negotiation *deal);
int pure_plan(const struct node *n, struct leat_plan *p);
int pure_framing(const struct node *n, struct leat_framing *f);
int pure_ask(const struct node *n, struct leat_ask *ask);
const char *const *pure_columns(const struct node *learner, uint32_t *n);
/* Returns the sink's transaction name; NULL if it has no transactions or is not configured. */
const char *pure_transaction(const struct node *sink);
/* Returns the format of the source's positions; NULL if it has none or is not configured. */
const char *pure_position_format(const struct node *source);

/* Returns true if `status` is LEAT_OK or a status above 0 that `call` may return, such as
 * LEAT_LATER. Otherwise reports a status that the call must not return, or a failure for which the
 * stage reported no error. `before` is the number of errors in d before the call. */
bool pure_is_kept(struct diag *d, const struct node *n, const char *call, int status,
                  size_t before);

#endif
