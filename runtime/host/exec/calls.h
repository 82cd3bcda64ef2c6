/* calls.h -- the current call of each stage of a run, and how long it has lasted.
 *
 * Any thread may call these functions from run_init until run_close; calls_look is for one thread
 * only. They read only atomics, take no lock and allocate nothing, so they work even if every
 * worker is stuck. */
#ifndef LEAT_HOST_EXEC_CALLS_H
#define LEAT_HOST_EXEC_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct instance;
struct run;

/* Writes which call has lasted longest, such as "file (sink.file): process has not returned for 4.0
 * s", or that no stage is in a call. */
void calls_longest(const struct run *r, char *out, size_t cap);

/* Returns the instance whose call has lasted longest; NULL if no stage is in a call. */
const struct instance *calls_longest_in(const struct run *r);

/* Returns how long the longest call has lasted, ns; 0 if no stage is in a call. */
uint64_t calls_ns(const struct run *r);

enum { CALLS_TEXT = 512 }; /* enough bytes for what calls_slow writes */
/* Writes why calls take long. If a stage waits for something outside, that is the reason: "; kafka
 * (source.kafka) waits: no broker …". If a stage takes a second or more for a batch, it is the
 * slowest stage: "; model (learn.ocg) takes 12 ms a record: set batch_rows below 1024, so that
 * snapshots and stops wait for fewer records". Otherwise writes "". Takes control.mu, which nobody
 * holds while waiting. */
void calls_slow(struct run *r, char *out, size_t cap);

/* Calls `line` for each stage with a text: the stage's records so far, and the call that it is
 * in. */
void calls_each(const struct run *r, void (*line)(const char *text));

/* Time between two calls of calls_look, ns. */
#define CALLS_LOOK_NS UINT64_C(500000000)

/* Warns, once for each source, if produce has not returned for a second and was already running at
 * the last calls_look. Ignores sources with shards, whose produce may take long to read states.
 * Does not warn if the last calls_look was long ago, because then the process was suspended. Always
 * called by the same thread. */
void calls_look(struct run *r);

#endif
