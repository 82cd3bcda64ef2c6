/* route.h -- figures of a route: records for each branch, and values that match no branch. */
#ifndef LEAT_HOST_EXEC_WORKER_ROUTE_H
#define LEAT_HOST_EXEC_WORKER_ROUTE_H

#include <stdint.h>

#include <leat/batch.h>

#include "host/graph/graph.h"

enum { NO_BRANCH = UINT16_MAX };
enum { SEEN_VALUES = 8, SEEN_BYTES = 40, SEEN_LOOKED_AT = 1024 };

/* Written by the worker, read after it has ended. */
struct route {
    uint64_t *taken;  /* records, for each branch                                        */
    uint64_t unnamed; /* records whose value matches no branch                           */
    uint32_t n;       /* different values among the first SEEN_LOOKED_AT unnamed records */
    char value[SEEN_VALUES][SEEN_BYTES + 1]; /* NUL-terminated text, cut if long */
};

/* Returns the branch of a route that the record takes, and counts it; NO_BRANCH if none. */
uint16_t route_branch(struct route *s, const struct graph *g, const struct node *route,
                      const struct leat_batch *b, uint32_t record);

/* Returns a sentence about the records that no branch took, with the cure: "the value by which they
 * go is none of 'north', 'south', such as 'east'; …". */
const char *route_lost(const struct route *s, const struct graph *g, const struct node *route,
                       struct arena *a);

#endif
