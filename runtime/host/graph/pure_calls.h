/* pure_calls.h -- a stage's pure calls, made while checking and again before a run.
 *
 * If the process ends in a call, the stage and the call are named. The stage must have the call. */
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
/* NULL: it does not commit, or is not configured. */
const char *pure_transaction(const struct node *sink);
/* NULL: it has none, or is not configured. */
const char *pure_position_format(const struct node *source);

/* Returns true if the status is LEAT_OK or news. Otherwise reports a status that the call must not
 * return, or a failure for which the stage gave no reason. (d still has `before` errors.) */
bool pure_is_kept(struct diag *d, const struct node *n, const char *call, int status,
                  size_t before);

#endif
