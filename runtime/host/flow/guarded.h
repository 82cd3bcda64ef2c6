/* guarded.h -- memory for --debug-plugins: behind each piece lies a page that nobody may touch, so
 * that who writes beyond the end of an array is stopped there, and told which it was
 * (base/calls/call_trap.h). Beginning and end, while one thread is at work. */
#ifndef LEAT_HOST_FLOW_GUARDED_H
#define LEAT_HOST_FLOW_GUARDED_H

#include <stddef.h>

struct guarded;

/* Zeroed memory that ends where the guard begins, if 64 divides `bytes`; else some bytes before it.
 * `name` stays. *all holds the piece until guarded_free. NULL: there is none. */
void *guarded_take(struct guarded **all, size_t bytes, const char *name);
void guarded_free(struct guarded *all);

#endif
