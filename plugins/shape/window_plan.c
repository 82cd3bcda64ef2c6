/* window_plan.c -- implementation of window.h: checks parameters, adds columns, plans memory. */
#include "window.h"

#include <stdio.h>
#include <string.h>

#include "core/time/utc.h"
#include "kernels/window/groups.h"
#include "common/cells/columns.h"
#include "common/zone_file.h"

/* OPEN_PANES: most panes that are open at one time, including those that `lateness` keeps open.
 * TALLIED_MAX: most texts in all top() parts. */
enum { OPEN_PANES = 1 << 20, TALLIED_MAX = 1 << 30 };
static const int64_t DAY = INT64_C(86400) * WINDOW_SECOND;

int64_t window_slide(const struct window_cfg *cfg) { return cfg->slide ? cfg->slide : cfg->every; }

uint32_t window_panes(const struct window_cfg *cfg)
{
    return (uint32_t)(cfg->every / window_slide(cfg));
}

int64_t window_open_panes(const struct window_cfg *cfg)
{
    int64_t ahead = cfg->budget / WINDOW_AHEAD_SHARE;
    if (ahead < WINDOW_AHEAD_LEAST) ahead = WINDOW_AHEAD_LEAST;
    if (ahead > WINDOW_AHEAD_MOST) ahead = WINDOW_AHEAD_MOST;
    return window_panes(cfg) + cfg->lateness / window_slide(cfg) + 3 + ahead;
}

int64_t window_max_ahead(const struct window_cfg *cfg)
{
    return cfg->max_ahead ? cfg->max_ahead : 2 * cfg->every + cfg->lateness;
}

/* Returns the bytes of a cell for all aggregates. Sets *tops to the number of top() aggregates. */
static uint32_t window_plan_cell_bytes(const struct window_cfg *cfg, uint32_t *tops)
{
    uint32_t n = 0;
    char why[AGGREGATE_WHY];
    *tops = 0;
    for (uint32_t i = 0; i < cfg->columns.n; i++) {
        struct aggregate a;
        if (!aggregate_parse(&a, cfg->columns.v[i], why)) continue;
        n += aggregate_cell_bytes(&a, (uint32_t)cfg->k);
        *tops += a.kind->tallies;
    }
    return n;
}

uint32_t window_tallied(const struct window_cfg *cfg, uint32_t max)
{
    uint32_t tops;
    window_plan_cell_bytes(cfg, &tops);
    return max * tops * TALLIES_LEAST;
}

uint64_t window_groups_bytes(const struct window_cfg *cfg, uint32_t max)
{
    uint32_t tops;
    return groups_block_bytes(max, (uint32_t)window_open_panes(cfg), (uint32_t)cfg->key_bytes,
                              window_plan_cell_bytes(cfg, &tops));
}

uint64_t window_tallies_bytes(const struct window_cfg *cfg, uint32_t max)
{
    uint32_t tallied = window_tallied(cfg, max);
    return tallied ? tallies_block_bytes(tallied) : 0;
}

uint32_t window_max_groups(const struct window_cfg *cfg)
{
    uint32_t tops, least = 0, most = GROUPS_MAX;
    window_plan_cell_bytes(cfg, &tops);
    if (tops) most = TALLIED_MAX / (tops * TALLIES_LEAST);
    while (least < most) {
        uint32_t middle = most - (most - least) / 2;
        uint64_t bytes = window_groups_bytes(cfg, middle) + window_tallies_bytes(cfg, middle);
        if (bytes <= (uint64_t)cfg->budget)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

struct aggregate_sizes window_sizes(const struct window_cfg *cfg)
{
    return (struct aggregate_sizes){.kll_k = (uint32_t)cfg->k,
                                    .panes = window_panes(cfg),
                                    .values = (uint32_t)cfg->values,
                                    .tallied = window_tallied(cfg, window_max_groups(cfg))};
}

/* ---- parameters ---- */

static bool window_plan_validate_times(const struct window_cfg *cfg, struct leat_diag *d)
{
    int64_t slide = window_slide(cfg);
    if (cfg->slide && (cfg->slide > cfg->every || cfg->every % cfg->slide))
        d->error(d, "slide", "must divide `every`: windows of \"1h\" may slide by \"10min\"");
    else if (cfg->every / slide > WINDOW_MAX_PANES)
        d->error(d, "slide",
                 "a window would have %lld parts, and at most %d are possible: raise slide",
                 (long long)(cfg->every / slide), WINDOW_MAX_PANES);
    else if (window_open_panes(cfg) > OPEN_PANES)
        d->error(d, "lateness",
                 "would keep %lld parts of %g s open, and at most %d are possible: lower lateness",
                 (long long)window_open_panes(cfg), (double)slide / WINDOW_SECOND, OPEN_PANES);
    else
        return true;
    return false;
}

/* Refuses a zone unless windows are whole days, because an hour of local time occurs twice when
 * clocks are put back. */
static void window_plan_validate_zone(const struct window_cfg *cfg, struct leat_diag *d)
{
    struct time_zone zone;
    char why[ZONE_WHY];
    if (!cfg->zone) return;
    if (!zone_file_find(&zone, cfg->zone, why))
        d->error(d, "zone", "%s", why);
    else if (window_slide(cfg) % DAY)
        d->error(d, "zone",
                 "works only for windows of whole days, such as every = \"1d\" or \"7d\": leave it "
                 "out, or move shorter windows by `offset`");
}

/* Returns the name of output column i: `window`, then the columns of `by`, then `columns`. */
static const char *window_plan_name_of(const struct window_cfg *cfg, uint32_t i,
                                       struct aggregate *a)
{
    char why[AGGREGATE_WHY];
    if (!i) return "window";
    if (i <= cfg->by.n) return cfg->by.v[i - 1];
    return aggregate_parse(a, cfg->columns.v[i - 1 - cfg->by.n], why) ? a->name : "";
}

static bool window_plan_is_taken(const struct window_cfg *cfg, uint32_t i)
{
    struct aggregate a, b;
    const char *name = window_plan_name_of(cfg, i, &a);
    uint32_t k = 0;
    while (k < i && strcmp(name, window_plan_name_of(cfg, k, &b)) != 0)
        k++;
    return *name && k < i;
}

static bool window_plan_validate_name(const struct window_cfg *cfg, uint32_t i, struct leat_diag *d)
{
    struct aggregate a;
    const char *name = window_plan_name_of(cfg, i, &a);
    bool by = i <= cfg->by.n;
    if (window_plan_is_taken(cfg, i))
        d->error(
            d, by ? "by" : "columns",
            by ? "two columns would be named '%s' (the start of the window is 'window'): leave out "
                 "one of them, or rename it before with shape.set"
               : "two columns would be named '%s': give one a name, such as \"other = sum(x)\"",
            name);
    else if (!by && !strcmp(name, "@label"))
        d->error(d, "columns",
                 "'@label' cannot be the name of a column: to set a label, put label.number after "
                 "this stage");
    else
        return true;
    return false;
}

static bool window_plan_validate_names(const struct window_cfg *cfg, struct leat_diag *d)
{
    bool good = true;
    for (uint32_t i = 1; i <= cfg->by.n + cfg->columns.n; i++)
        good &= window_plan_validate_name(cfg, i, d);
    return good;
}

static bool window_plan_validate_columns(const struct window_cfg *cfg, struct leat_diag *d)
{
    struct aggregate a;
    char why[AGGREGATE_WHY];
    bool good = true;
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        if (!aggregate_parse(&a, cfg->columns.v[i], why)) {
            d->error(d, "columns", "'%s' cannot be read: %s", cfg->columns.v[i], why);
            good = false;
        }
    if (cfg->columns.n <= WINDOW_MAX_COLUMNS && cfg->by.n <= WINDOW_MAX_COLUMNS)
        return window_plan_validate_names(cfg, d) && good;
    d->error(d, cfg->by.n > WINDOW_MAX_COLUMNS ? "by" : "columns", "may have at most %d names",
             WINDOW_MAX_COLUMNS);
    return false;
}

int window_validate(const void *config, struct leat_diag *d)
{
    const struct window_cfg *cfg = config;
    window_plan_validate_zone(cfg, d);
    bool times = window_plan_validate_times(cfg, d), columns = window_plan_validate_columns(cfg, d);
    if (times && columns && window_max_groups(cfg) < 16)
        d->error(
            d, "budget",
            "holds only %u groups, because a group takes about %llu bytes: raise budget, or lower "
            "key_bytes or k",
            window_max_groups(cfg),
            (unsigned long long)(window_groups_bytes(cfg, 16) + window_tallies_bytes(cfg, 16)) /
                16);
    return LEAT_OK;
}

/* ---- columns ---- */

static int window_plan_worse(int a, int b) { return a < 0 ? a : b < 0 ? b : a > b ? a : b; }

static int window_plan_add_key(struct leat_negotiation *n, const char *name)
{
    uint32_t index, to, type = LEAT_TEXT;
    int status = n->column(n, "by", name, LEAT_TAKES_ANY, &index);
    if (status == LEAT_OK) type = n->in->column[index].type;
    int added = n->add_column(n, name, strlen(name), type, &to);
    if (status == LEAT_OK && added == LEAT_OK) columns_same_form(n, to, index);
    return window_plan_worse(status, added);
}

static int window_plan_add_sum(struct leat_negotiation *n, const char *text)
{
    struct aggregate a;
    char why[AGGREGATE_WHY];
    uint32_t index;
    /* window_validate() has reported the error */
    if (!aggregate_parse(&a, text, why)) return LEAT_OK;
    int status = *a.of ? n->column(n, "columns", a.of, a.kind->takes, &index) : LEAT_OK;
    n->add_bounds(n, &(struct leat_bounds){.added_bytes_per_record = aggregate_text_bytes(&a)});
    return window_plan_worse(status,
                             n->add_column(n, a.name, strlen(a.name),
                                           a.kind->unite_text ? LEAT_TEXT : LEAT_NUMBER, NULL));
}

int window_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct window_cfg *cfg = config;
    n->out->has &= ~(uint32_t)LEAT_HAS_KEY;
    n->out->max_record_bytes = 0;
    uint32_t text = UTC_TEXT + (uint32_t)cfg->key_bytes;
    n->add_bounds(n, &(struct leat_bounds){.added_bytes_per_record = text});
    int status = n->add_column(n, "window", 6, LEAT_TEXT, NULL);
    for (uint32_t i = 0; i < cfg->by.n; i++)
        if (!window_plan_is_taken(cfg, 1 + i))
            status = window_plan_worse(status, window_plan_add_key(n, cfg->by.v[i]));
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        if (!window_plan_is_taken(cfg, 1 + cfg->by.n + i))
            status = window_plan_worse(status, window_plan_add_sum(n, cfg->columns.v[i]));
    return status;
}

/* ---- memory ---- */

int window_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct window_cfg *cfg = config;
    uint32_t groups = window_max_groups(cfg);
    const struct aggregate_sizes sizes = window_sizes(cfg);
    p->state_bytes = window_groups_bytes(cfg, groups) + window_tallies_bytes(cfg, groups);
    p->work_bytes = aggregates_work_bytes(&sizes) + AGGREGATE_ROWS * (uint64_t)cfg->key_bytes;
    int n = snprintf(p->note, sizeof p->note,
                     "at most %u groups are open at a time; quantiles are off by at most %.2g %% "
                     "of the values of a group (99 %%)",
                     groups, 100 * kll_error((uint32_t)cfg->k));
    if (sizes.tallied)
        snprintf(
            p->note + n, sizeof p->note - (size_t)n,
            "; tops are exact up to %u different values of a group, and %u of all groups together",
            sizes.values, sizes.tallied);
    return LEAT_OK;
}
