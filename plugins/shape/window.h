/* window.h -- shape.window: its parameters, its state, and what its files do: before the start
 * (window_plan.c), with records (window.c), keys and snapshots (window_state.c). */
#ifndef LEAT_SHAPE_WINDOW_H
#define LEAT_SHAPE_WINDOW_H

#include <leat/plugin.h>

#include "aggregates.h"
#include "kernels/text/time_zone.h"
#include "kernels/window/groups.h"

/* ---- before the start (window_plan.c) ---- */

/* AHEAD_PANES: of records whose clocks are ahead. */
enum {
    WINDOW_AHEAD_PANES = 16,
    WINDOW_MAX_PANES = 1024,
    WINDOW_MAX_COLUMNS = 64,
    WINDOW_SECOND = 1000000000
};

enum window_late { LATE_REJECT, LATE_FILTER };

/* The parameters. Durations are nanoseconds. */
struct window_cfg {
    struct leat_strings columns, by;
    int64_t every, slide, lateness, offset, budget, key_bytes, k, values, max_ahead;
    const char *zone; /* NULL: UTC */
    int32_t late;     /* enum window_late */
};

/* From the start of a window to that of the next; how many of these parts, the panes, it has. */
int64_t window_slide(const struct window_cfg *cfg);
uint32_t window_panes(const struct window_cfg *cfg);
/* By how much a record may be ahead of the latest before it. */
int64_t window_max_ahead(const struct window_cfg *cfg);
/* Those of a window, those that lateness keeps, and those of the records that are being taken. */
int64_t window_open_panes(const struct window_cfg *cfg);
/* How many groups the budget holds; the bytes of so many, in two parts: first the groups, then the
 * texts of their tops. */
uint32_t window_max_groups(const struct window_cfg *cfg);
uint64_t window_groups_bytes(const struct window_cfg *cfg, uint32_t max);
uint64_t window_tallies_bytes(const struct window_cfg *cfg, uint32_t max);
/* Texts of the tops of so many groups. */
uint32_t window_tallied(const struct window_cfg *cfg, uint32_t max);

struct aggregate_sizes window_sizes(const struct window_cfg *cfg);

/* As leat_stage has them. The columns that come out: `window`, those of `by`, then `columns`. */
int window_validate(const void *config, struct leat_diag *d);
int window_negotiate(const void *config, struct leat_negotiation *n);
int window_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p);

/* ---- the state ---- */

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

/* The key of a group: the values of its `by` columns as bytes, one after the other:
 * of a number its eight, and equal numbers have equal ones; of a text its length in four, or
 * LEAT_NULL for no value, and then the text. */

/* That of record r into st->key; its bytes, or 0xffffffff: it is too long. */
uint32_t window_key_write(struct leat_ctx *ctx, struct window *st, const struct leat_batch *b,
                          uint32_t r);
/* The values of a key into record r of `out`, from column 1 on. */
void window_key_read(struct leat_ctx *ctx, const struct window *st, const char *key,
                     struct leat_batch *out, uint32_t r);
/* Do the parts of a key from a snapshot add up to its n bytes? */
bool window_key_is_whole(struct leat_ctx *ctx, const struct window *st, const char *key,
                         uint32_t n);

/* What shape.window keeps in a snapshot: how far it is in time, and each group
 * with its pane, its sums and its key; and the texts of its tops. */

enum { WINDOW_STATE_VERSION = 3 };

/* As leat_stage has them. A refused state leaves a window without groups. */
int window_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int window_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);

#endif
