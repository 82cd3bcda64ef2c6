/* progress.h -- the bar at the bottom of a terminal: how far, how fast, how long still, how good.
 */
#ifndef LEAT_CLI_PROGRESS_H
#define LEAT_CLI_PROGRESS_H

#include "exec/run.h"

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

struct progress {
    int on;
    uint64_t last_ns, last_records;
    double rate; /* records a second, smoothed */
};

void progress_init(struct progress *p, enum progress_mode mode, int quiet);
/* Draw it anew; a few times a second. */
void progress_update(struct progress *p, const struct run *r);
void progress_end(struct progress *p);

#endif
