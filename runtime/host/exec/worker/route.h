/* route.h -- what a route has seen: records for each branch, and values that no branch has. */
#ifndef LEAT_HOST_EXEC_WORKER_ROUTE_H
#define LEAT_HOST_EXEC_WORKER_ROUTE_H

#include <stdint.h>

#include <leat/batch.h>

#include "host/graph/graph.h"

enum { NO_BRANCH = UINT16_MAX };
enum { SEEN_VALUES = 8, SEEN_BYTES = 40, SEEN_LOOKED_AT = 1024 };

/* Written by the worker, read after it has ended. */
struct route {
    uint64_t *taken;  /* records, for each branch                              */
    uint64_t unnamed; /* records whose value no branch has                     */
    uint32_t n;       /* different values of the first SEEN_LOOKED_AT of these */
    char value[SEEN_VALUES][SEEN_BYTES + 1]; /* as text that ends with NUL, cut where it is long */
};

/* Returns the branch of a route that the record takes, and counts it; NO_BRANCH if none. */
uint16_t route_branch(struct route *s, const struct graph *g, const struct node *route,
                      const struct leat_batch *b, uint32_t record);

/* Returns a sentence about the records that no branch took: "the value by which they go is none of
 * 'north', 'south', such as 'east'; …", with the cure. */
const char *route_lost(const struct route *s, const struct graph *g, const struct node *route,
                       struct arena *a);

#endif
