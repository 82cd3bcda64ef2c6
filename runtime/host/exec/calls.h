/* calls.h -- the calls of stages that a run is in: which one has lasted longest, and which sources
 * do not return.
 *
 * All but calls_look: any thread, from run_init until run_close. They read only atomics, take no
 * lock and allocate nothing, so they answer also while every worker stands still. */
#ifndef LEAT_HOST_EXEC_CALLS_H
#define LEAT_HOST_EXEC_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct run;

/* The call that has lasted longest: "file (sink.file): process has not returned for 4.0 s", or that
 * no stage is in a call. */
void calls_longest(const struct run *r, char *out, size_t cap);

/* Returns how long that call has lasted; 0 if no stage is in a call. */
uint64_t calls_ns(const struct run *r);

/* Writes a sentence about a stage that takes a second or more for a batch, such as "; model
 * (learn.ocg) takes 12 ms a record: with a batch_rows smaller than 1024 snapshots and a stop wait
 * for fewer"; else "". */
void calls_slow(const struct run *r, char *out, size_t cap);

/* One line for each stage, given to `line`: its records so far, and the call that it is in. */
void calls_each(const struct run *r, void (*line)(const char *text));

/* The time between two looks, ns. */
#define CALLS_LOOK_NS UINT64_C(500000000)

/* Warns once of each source that was in a produce at the last look and still is in the same, which
 * began a second ago or earlier. Not of sources with shards, which may read states in produce, and
 * not if the looks were far apart: then the process did not run. One thread, again and again. */
void calls_look(struct run *r);

#endif
