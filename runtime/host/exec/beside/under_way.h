/* under_way.h -- which call of which stage a run is in: for people who wait for its end.
 *
 * Any thread, from run_init until run_close: it reads only atomics, takes no lock and allocates
 * nothing, so it answers also while every worker stands still. */
#ifndef LEAT_HOST_EXEC_BESIDE_UNDER_WAY_H
#define LEAT_HOST_EXEC_BESIDE_UNDER_WAY_H

#include <stddef.h>
#include <stdint.h>

struct run;

/* The call that has lasted longest: "file (sink.file): process has not returned for 4.0 s", or that
 * no stage is in a call. */
void under_way_longest(const struct run *r, char *out, size_t cap);

/* How long that call has lasted; 0: no stage is in a call. */
uint64_t under_way_ns(const struct run *r);

/* Where a stage takes a second and more for a batch: "; model (learn.ocg) takes 12 ms a record:
 * with a batch_rows smaller than 1024 snapshots and a stop wait for fewer", else "". */
void under_way_slow(const struct run *r, char *out, size_t cap);

/* One line for each stage, given to `line`: its records so far, and the call that it is in. */
void under_way_each(const struct run *r, void (*line)(const char *text));

#endif
