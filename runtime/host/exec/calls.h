/* calls.h -- the calls that a run's stages are in: the longest one, and sources that do not return.
 *
 * Any thread may call all but calls_look, from run_init until run_close. They read only atomics,
 * take no lock and allocate nothing, so they work even while every worker is stuck. */
#ifndef LEAT_HOST_EXEC_CALLS_H
#define LEAT_HOST_EXEC_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct run;

/* Writes the call that has lasted longest, "file (sink.file): process has not returned for 4.0 s",
 * or that no stage is in a call. */
void calls_longest(const struct run *r, char *out, size_t cap);

/* Returns how long the longest call has lasted, ns; 0 if no stage is in a call. */
uint64_t calls_ns(const struct run *r);

/* Writes a sentence about a stage that takes a second or more for a batch, such as "; model
 * (learn.ocg) takes 12 ms a record: with a batch_rows smaller than 1024 snapshots and a stop wait
 * for fewer"; else "". */
void calls_slow(const struct run *r, char *out, size_t cap);

/* Passes one line for each stage to `line`: its records so far, and the call that it is in. */
void calls_each(const struct run *r, void (*line)(const char *text));

/* Time between two looks, ns. */
#define CALLS_LOOK_NS UINT64_C(500000000)

/* Warns once of each source whose call of produce was already under way at the last look and began
 * at least a second ago. Passes over sources with shards, which may read states in produce. Does
 * not warn if the looks were far apart, because the process was suspended then. Always called by
 * the same thread. */
void calls_look(struct run *r);

#endif
