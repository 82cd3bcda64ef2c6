/* window_inside.h -- what the files of shape.window share: its state. */
#ifndef LEAT_SHAPE_WINDOW_INSIDE_H
#define LEAT_SHAPE_WINDOW_INSIDE_H

#include "aggregates.h"
#include "kernels/text/time_zone.h"
#include "kernels/window/groups.h"
#include "window_plan.h"

#define WINDOW_NONE INT64_MIN /* no window has this number */

/* Where a call of expand is in giving the records of a window: the next group of pane `pane`. */
struct window_giving {
    bool on;
    uint32_t pane, group;
};

struct window {
    struct aggregates sums;
    struct groups groups;
    void *block; /* the groups, then the texts of their tops */
    size_t groups_bytes, block_bytes;
    uint32_t by[WINDOW_MAX_COLUMNS], n_by;
    int64_t slide, panes; /* of a window */
    int64_t latest;       /* event time; -1: none yet          */
    struct time_zone zone;
    bool local;    /* windows are of days of this zone */
    int64_t given; /* the last window that is over, or WINDOW_NONE */
    uint32_t at;   /* of the batch that comes */
    bool pressed;  /* a group is needed: the oldest window is over early */
    struct window_giving giving;
    char *key;
    double number[WINDOW_MAX_COLUMNS];
    void *cell[WINDOW_MAX_PANES];
    uint64_t late, early, refused, peak;
    uint64_t ahead_run;   /* records that are far ahead of `latest`, one after the other */
    int64_t ahead_least;  /* the earliest of these                                        */
    uint64_t ahead;       /* records that were, and others after them were not            */
    int64_t ahead_sample; /* one of these                                                 */
    int64_t farthest;     /* seconds by which a record of this run was too late, the most */
};

#endif
