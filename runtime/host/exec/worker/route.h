/* route.h -- chooses the branch of a route for a record, and counts records of branches. */
#ifndef LEAT_HOST_EXEC_WORKER_ROUTE_H
#define LEAT_HOST_EXEC_WORKER_ROUTE_H

#include <stdint.h>

#include <leat/batch.h>

#include "host/graph/graph.h"

enum { NO_BRANCH = UINT16_MAX };
enum { SEEN_VALUES = 8, SEEN_BYTES = 40, SEEN_LOOKED_AT = 1024 };

/* Counts of a route, written by its worker. Other threads read them when the worker has ended. */
struct route {
    uint64_t *taken;  /* taken[j]: number of records that branch j took                   */
    uint64_t unnamed; /* number of records whose value is the name of no branch           */
    uint32_t n; /* number of different values among the first SEEN_LOOKED_AT unnamed records */
    char value[SEEN_VALUES][SEEN_BYTES + 1]; /* the n values, cut to SEEN_BYTES */
};

/* Returns the index of the branch that the record takes, and counts the record; NO_BRANCH if no
 * branch takes it. */
uint16_t route_branch(struct route *s, const struct graph *g, const struct node *route,
                      const struct leat_batch *b, uint32_t record);

/* Returns a sentence about the records that no branch took, and what to do: "their value is not one
 * of 'north', 'south' (it is, for example, 'east'); …". */
const char *route_lost(const struct route *s, const struct graph *g, const struct node *route,
                       struct arena *a);

#endif
