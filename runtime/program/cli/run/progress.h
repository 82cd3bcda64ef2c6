/* progress.h -- the bar at the bottom of a terminal: progress, speed, remaining time, error
 * rates. */
#ifndef LEAT_PROGRAM_CLI_RUN_PROGRESS_H
#define LEAT_PROGRAM_CLI_RUN_PROGRESS_H

#include <stdbool.h>

#include "program/cli/command_line/command_line.h"
#include "host/exec/run.h"

struct progress {
    bool on;
    uint64_t last_ns, last_records;
    double rate;  /* records a second, smoothed                        */
    double begun; /* share that was done at the first look, by earlier runs, too */
};

void progress_init(struct progress *p, enum progress_mode mode, bool quiet);
/* Redraws the bar; call it a few times a second. */
void progress_update(struct progress *p, const struct run *r);
void progress_end(struct progress *p);

#endif
