/* late.h -- sources whose produce does not return. While it does not, no stage after the source
 * hears of time: nothing is flushed or shown, and no checkpoint is made. */
#ifndef LEAT_HOST_EXEC_BESIDE_LATE_H
#define LEAT_HOST_EXEC_BESIDE_LATE_H

#include <stdint.h>

struct run;

/* How long after one look the next is due, ns. */
#define LATE_LOOK_NS UINT64_C(500000000)

/* Warns once of each source that was in a produce at the last look and still is in the same, which
 * began a second ago or earlier. Not of sources with shards, which may read states in produce, and
 * not if the looks were far apart: then the process did not run. One thread, again and again. */
void late_look(struct run *r);

#endif
