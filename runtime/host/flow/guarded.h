/* guarded.h -- memory for --debug-plugins: behind each piece lies a page that nobody may touch, so
 * that who writes beyond the end of an array is stopped there, and told which it was
 * (base/calls/call_trap.h). Beginning and end, while one thread is at work. */
#ifndef LEAT_HOST_FLOW_GUARDED_H
#define LEAT_HOST_FLOW_GUARDED_H

#include <stddef.h>

struct guarded;

/* Returns zeroed memory that ends where the guard begins, or some bytes before it if 64 does not
 * divide `bytes`; NULL if there is none. `name` stays. *all holds the piece until guarded_free. */
void *guarded_take(struct guarded **all, size_t bytes, const char *name);
void guarded_free(struct guarded *all);

#endif
