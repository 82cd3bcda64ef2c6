/* sleeps.h -- has a process stood still for long? A busy machine, on which it waits for a processor
 * or a disk, is no sign of that. */
#ifndef LEAT_SDK_CONFORM_SLEEPS_H
#define LEAT_SDK_CONFORM_SLEEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What was seen where the time begins in which nothing happens. */
struct sleeps {
    uint64_t steps, busy, since, looked;
};

/* `steps` of what `first` and `second` do (the same one, or not) have been made until `now`, in ns.
 * True: for a few seconds there was no further step, and they have hardly worked. */
bool sleeps(struct sleeps *s, pid_t first, pid_t second, uint64_t steps, uint64_t now);

#endif
