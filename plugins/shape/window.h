/* window.h -- shape.window: its parameters, its state, and functions that its files share.
 *
 * window_plan.c checks parameters and plans memory, window.c processes records, window_keys.c has
 * keys, window_state.c snapshots. window.c describes panes and windows. */
#ifndef LEAT_SHAPE_WINDOW_H
#define LEAT_SHAPE_WINDOW_H

#include <leat/plugin.h>

#include "aggregates.h"
#include "kernels/text/time_zone.h"
#include "kernels/window/groups.h"

/* ---- before the run (window_plan.c) ---- */

/* WINDOW_AHEAD_LEAST and _MOST: number of panes that may be open for records whose event time is
 * ahead of the slowest input. WINDOW_AHEAD_SHARE: budget for one such pane, in bytes. */
enum {
    WINDOW_AHEAD_LEAST = 16,
    WINDOW_AHEAD_MOST = 16384,
    WINDOW_AHEAD_SHARE = 1024,
    WINDOW_MAX_PANES = 1024,
    WINDOW_MAX_COLUMNS = AGGREGATES_MAX,
    WINDOW_SECOND = 1000000000
};

enum window_late { LATE_REJECT, LATE_FILTER };

/* Parameters of the stage. Durations are in ns. */
struct window_cfg {
    struct leat_strings columns, by;
    int64_t every, slide, lateness, offset, budget, key_bytes, k, values, max_ahead;
    const char *zone; /* NULL: UTC */
    int32_t late;     /* enum window_late */
};

/* window_slide() returns the length of a pane, which is the distance between two windows.
 * window_panes() returns the number of panes in a window. */
int64_t window_slide(const struct window_cfg *cfg);
uint32_t window_panes(const struct window_cfg *cfg);
/* Returns how far a record's event time may be ahead of the latest one of its input, in ns. */
int64_t window_max_ahead(const struct window_cfg *cfg);
/* Returns the largest number of panes that are open at one time: the panes of a window, those that
 * `lateness` keeps open, and those for records that are ahead. */
int64_t window_open_panes(const struct window_cfg *cfg);
/* window_max_groups() returns the number of groups that fit into the budget. window_groups_bytes()
 * returns the bytes of `max` groups. window_tallies_bytes() returns the bytes of the texts in their
 * top() parts. */
uint32_t window_max_groups(const struct window_cfg *cfg);
uint64_t window_groups_bytes(const struct window_cfg *cfg, uint32_t max);
uint64_t window_tallies_bytes(const struct window_cfg *cfg, uint32_t max);
/* Returns the number of texts in the top() parts of `max` groups. */
uint32_t window_tallied(const struct window_cfg *cfg, uint32_t max);

struct aggregate_sizes window_sizes(const struct window_cfg *cfg);

/* Functions of leat_stage. The output columns are `window`, the columns of `by`, then `columns`. */
int window_validate(const void *config, struct leat_diag *d);
int window_negotiate(const void *config, struct leat_negotiation *n);
int window_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p);

/* ---- the state ---- */

#define WINDOW_NONE INT64_MIN /* number that means "no window" */

/* Position of expand() while it outputs the groups of a window: the group to output next, in pane
 * `pane` of the list of panes. */
struct window_giving {
    bool on;
    uint32_t pane, group;
};

struct window {
    struct aggregates sums;
    struct groups groups;
    void *block; /* memory of the groups, then of the texts of their top() parts */
    size_t groups_bytes, block_bytes;
    struct {
        uint32_t column, type; /* type: enum leat_column_type */
    } by[WINDOW_MAX_COLUMNS];
    uint32_t n_by;
    int64_t slide, panes;    /* length of a pane in ns, and number of panes in a window */
    struct leat_clock clock; /* event times so far */
    bool noted;              /* `clock` has the time of the next record of the input batch */
    struct time_zone zone;
    bool apart;    /* aggregates_are_apart() */
    bool local;    /* true if windows are days of `zone` */
    int64_t given; /* last window that is complete, or WINDOW_NONE */
    uint32_t at;   /* next record of the input batch */
    bool pressed;  /* true if there is no free group, so the oldest window ends early */
    struct window_giving giving;
    char *key; /* room for the keys of AGGREGATE_ROWS records */
    void *cell[WINDOW_MAX_PANES];
    uint64_t late, early, refused, peak;
    uint64_t crowded;     /* late records of this run whose windows ended early */
    uint64_t ahead;       /* number of rejected records that were far ahead */
    int64_t ahead_sample; /* event time of one of them */
    uint64_t returned;    /* number of late records of inputs behind the others: they were closed */
    int64_t farthest;     /* largest number of seconds by which a record of this run was too late */
};

/* The key of a group is the values of its `by` columns as bytes, one after another. A number has 8
 * bytes, and equal numbers have equal bytes. A text is its length in 4 bytes (LEAT_NULL: no value),
 * followed by its bytes. */

/* Key of record k of the rows. Either its group was found, or `hash` and `slot` are set, and the n
 * bytes of the key are at window_key_at(). */
struct window_key {
    struct group *group;
    uint64_t mark, hash; /* mark: for groups_recent() */
    uint32_t n, slot, k;
};

static inline char *window_key_at(const struct window *st, uint32_t i)
{
    return st->key + (size_t)i * st->groups.key_bytes;
}

/* Reads the numbers of the rows, and finds the keys of those that are not rejected: their groups in
 * `pane`, or their bytes at window_key_at(st, i). Begins to fetch what groups_take() needs for the
 * latter. Returns the number of keys. */
uint32_t window_find_keys(struct leat_ctx *ctx, struct window *st, struct leat_batch *b,
                          struct aggregate_rows *rows, int64_t pane, struct window_key *key);
/* Adds the rows to their groups. Returns false, and adds none, if a row may be wrong or its group
 * is not among the recent ones. */
bool window_take_known(struct leat_ctx *ctx, struct window *st, struct aggregate_rows *rows,
                       int64_t pane);
/* Returns the group of a key in a pane, perhaps a new one; NULL if all groups are in use. text: the
 * bytes of the key. */
struct group *window_take_key(struct window *st, int64_t pane, const char *text,
                              const struct window_key *key);
/* Writes the values of a key into record r of `out`, from column 1 on. */
void window_key_read(struct leat_ctx *ctx, const struct window *st, const char *key,
                     struct leat_batch *out, uint32_t r);
/* True if a key of n bytes, read from a snapshot, has the correct structure. */
bool window_key_is_whole(struct leat_ctx *ctx, const struct window *st, const char *key,
                         uint32_t n);

/* The snapshot contains the position in time, each group with its pane, cell and key, and the texts
 * of the groups' top() parts. */

enum { WINDOW_STATE_VERSION = 5 };

/* Functions of leat_stage. If window_restore() refuses a state, it changes nothing. */
int window_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int window_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);

#endif
