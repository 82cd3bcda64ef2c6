/* guarded.h -- memory for --debug-plugins, with a guard page after each piece.
 *
 * The guard stops a write beyond the end of an array and names that array (base/calls/call_trap.h).
 * Call these functions at the beginning and the end, while one thread is at work. */
#ifndef LEAT_HOST_FLOW_GUARDED_H
#define LEAT_HOST_FLOW_GUARDED_H

#include <stddef.h>

struct guarded;

/* Returns zeroed memory that ends at the guard, or some bytes before it if 64 does not divide
 * `bytes`; NULL without memory. `name` must stay valid. *all holds the piece until guarded_free. */
void *guarded_take(struct guarded **all, size_t bytes, const char *name);
void guarded_free(struct guarded *all);

#endif
