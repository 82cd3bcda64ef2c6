/* window.h -- shape.window: its parameters, its state, and the functions of its files.
 *
 * window_plan.c works before the start, window.c with records, window_state.c with keys and
 * snapshots. */
#ifndef LEAT_SHAPE_WINDOW_H
#define LEAT_SHAPE_WINDOW_H

#include <leat/plugin.h>

#include "aggregates.h"
#include "kernels/text/time_zone.h"
#include "kernels/window/groups.h"

/* ---- before the start (window_plan.c) ---- */

/* WINDOW_AHEAD_PANES: panes for records whose clocks are ahead. */
enum {
    WINDOW_AHEAD_PANES = 16,
    WINDOW_MAX_PANES = 1024,
    WINDOW_MAX_COLUMNS = 64,
    WINDOW_SECOND = 1000000000
};

enum window_late { LATE_REJECT, LATE_FILTER };

/* Parameters. Durations are in nanoseconds. */
struct window_cfg {
    struct leat_strings columns, by;
    int64_t every, slide, lateness, offset, budget, key_bytes, k, values, max_ahead;
    const char *zone; /* NULL: UTC */
    int32_t late;     /* enum window_late */
};

/* Return the length of a pane, from the start of a window to that of the next, and the panes of a
 * window. */
int64_t window_slide(const struct window_cfg *cfg);
uint32_t window_panes(const struct window_cfg *cfg);
/* Returns how far a record may be ahead of the latest before it. */
int64_t window_max_ahead(const struct window_cfg *cfg);
/* Returns the most open panes: those of a window, those that lateness keeps, and some for records
 * being taken or ahead. */
int64_t window_open_panes(const struct window_cfg *cfg);
/* Return the number of groups that the budget holds, and the bytes of so many groups: first the
 * groups, then the texts of their tops. */
uint32_t window_max_groups(const struct window_cfg *cfg);
uint64_t window_groups_bytes(const struct window_cfg *cfg, uint32_t max);
uint64_t window_tallies_bytes(const struct window_cfg *cfg, uint32_t max);
/* Returns the number of texts in the tops of so many groups. */
uint32_t window_tallied(const struct window_cfg *cfg, uint32_t max);

struct aggregate_sizes window_sizes(const struct window_cfg *cfg);

/* Calls of leat_stage. The output columns are `window`, the columns of `by`, then `columns`. */
int window_validate(const void *config, struct leat_diag *d);
int window_negotiate(const void *config, struct leat_negotiation *n);
int window_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p);

/* ---- the state ---- */

#define WINDOW_NONE INT64_MIN /* no window has this number */

/* Progress of expand in giving the records of a window: the next group of pane `pane`. */
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
    int64_t latest;       /* event time; -1: none yet */
    struct time_zone zone;
    bool local;    /* windows are days of this zone */
    int64_t given; /* last window that is over, or WINDOW_NONE */
    uint32_t at;   /* position in the batch that comes */
    bool pressed;  /* a group is needed, so the oldest window ends early */
    struct window_giving giving;
    char *key;
    double number[WINDOW_MAX_COLUMNS];
    void *cell[WINDOW_MAX_PANES];
    uint64_t late, early, refused, peak;
    uint64_t ahead_run;   /* records in a row that are far ahead of `latest` */
    int64_t ahead_least;  /* earliest time of these */
    uint64_t ahead;       /* records that were ahead while later ones were not */
    int64_t ahead_sample; /* time of one of these */
    int64_t farthest;     /* seconds by which the latest record of this run was too late */
};

/* Key of a group: the values of its `by` columns as bytes, one after another. A number has 8 bytes,
 * which are equal for equal numbers. A text has its length in 4 bytes, or LEAT_NULL for no value,
 * and then its bytes. */

/* Writes the key of record r to st->key. Returns its bytes, or UINT32_MAX if it is too long. */
uint32_t window_key_write(struct leat_ctx *ctx, struct window *st, const struct leat_batch *b,
                          uint32_t r);
/* Writes the values of a key into record r of `out`, from column 1 on. */
void window_key_read(struct leat_ctx *ctx, const struct window *st, const char *key,
                     struct leat_batch *out, uint32_t r);
/* True if the parts of a key from a snapshot add up to its n bytes. */
bool window_key_is_whole(struct leat_ctx *ctx, const struct window *st, const char *key,
                         uint32_t n);

/* Snapshot of shape.window: its position in time; each group with its pane, its sums and its key;
 * and the texts of the groups' tops. */

enum { WINDOW_STATE_VERSION = 3 };

/* Calls of leat_stage. A refused state changes nothing. */
int window_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int window_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);

#endif
