/* guarded.h -- memory for --debug-plugins, with a guard page after each piece.
 *
 * A write beyond the end of a piece hits the guard page and crashes. The message of the crash names
 * the array (host/plugin/call_trap.h). Call these functions only before and after a run, while
 * there is one thread. */
#ifndef LEAT_HOST_FLOW_GUARDED_H
#define LEAT_HOST_FLOW_GUARDED_H

#include <stddef.h>

struct guarded;

/* Returns zeroed memory that ends at a guard page; up to 63 bytes before it if 64 does not divide
 * `bytes`. Returns NULL if there is no memory. `name` must stay valid. The memory is added to *all,
 * and guarded_free frees it. */
void *guarded_take(struct guarded **all, size_t bytes, const char *name);
void guarded_free(struct guarded *all);

#endif
