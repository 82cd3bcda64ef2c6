/* load.h -- what threads do with their time, of a status and the one before it (none: since the
 * start). Of figures that are missing NaN. */
#ifndef LEAT_PROGRAM_CLI_TOP_LOAD_H
#define LEAT_PROGRAM_CLI_TOP_LOAD_H

#include <jansson.h>
#include <stdbool.h>

/* Shares of the time of the threads that the stage is on, 0 to 1. `busy` is in calls of this stage;
 * the other two belong to all stages of a thread. */
struct load {
    double busy, starved, blocked;
};

struct load load_of_stage(const json_t *status, const json_t *before, const char *id);

/* The stage that takes most of the thread that is busiest, if that is busy for more than half of
 * its time, and *share of it; NULL: there is none. */
const char *load_bottleneck(const json_t *status, const json_t *before, double *share);

/* Seconds between the two; since the start where there is none before. */
double load_seconds(const json_t *status, const json_t *before);
/* Records that came to that stage in a second, and of the whole run. */
double load_stage_rate(const json_t *status, const json_t *before, const char *id);
double load_rate(const json_t *status, const json_t *before);

#endif
