/* route_seen.h -- what a route has seen: records for each branch, and values that no branch has. */
#ifndef LEAT_EXEC_WORKER_ROUTE_SEEN_H
#define LEAT_EXEC_WORKER_ROUTE_SEEN_H

#include <stdint.h>

enum { SEEN_VALUES = 8, SEEN_BYTES = 40, SEEN_LOOKED_AT = 1024 };

/* Written by the worker, read after it has ended. */
struct route_seen {
    uint64_t *taken;  /* records, for each branch                              */
    uint64_t unnamed; /* records whose value no branch has                     */
    uint32_t n;       /* different values of the first SEEN_LOOKED_AT of these */
    char value[SEEN_VALUES][SEEN_BYTES + 1]; /* as text that ends with NUL, cut where it is long */
};

/* A record whose value no branch has; len LEAT_NULL: it has none. */
void route_seen_unnamed(struct route_seen *s, const char *value, uint32_t len);

#endif
