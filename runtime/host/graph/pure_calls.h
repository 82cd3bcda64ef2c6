/* pure_calls.h -- the pure calls of a stage, which are made while checking and again before a run.
 * Should the process end in one, the stage and the call are named. For calls that the stage has. */
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

/* Reports a status that the call must not return, and a failure for which the stage has given no
 * reason since there were `before` errors. true: it is LEAT_OK, or news. */
bool pure_is_kept(struct diag *d, const struct node *n, const char *call, int status,
                  size_t before);

#endif
