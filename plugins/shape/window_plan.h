/* window_plan.h -- shape.window before the start: are its parameters right, which columns does it
 * make, how much memory does it take? */
#ifndef LEAT_SHAPE_WINDOW_PLAN_H
#define LEAT_SHAPE_WINDOW_PLAN_H

#include <leat/plugin.h>

#include "aggregates.h"

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

#endif
