/* window.c -- shape.window: aggregates of the records of each span of time, for each key.
 *
 * Time is divided into panes of length `slide`. A window consists of `every` / `slide` consecutive
 * panes, usually one. A record is added to the group of its key, in the pane of its event time.
 *
 * The watermark is the event time that all inputs have reached (leat_host.event_time), minus
 * `lateness`. A window is complete when the watermark has passed its end. Then its groups become
 * records, and its first pane is dropped, because no later window contains that pane.
 *
 *     panes       | 4 | 5 | 6 | 7 |     every = 3 slide: window 7 has panes 4, 5 and 6,
 *     watermark               ^         and is complete when the watermark passes the end of 6
 *
 * The number of a window is that of the first pane after it. Groups are in kernels/window/groups.h,
 * their contents in aggregates.h, parameters in window_plan.c, keys in
 * window_keys.c, snapshots in window_state.c. */
#include <leat/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/utc.h"
#include "shape/docs.h"
#include "common/cells/columns.h"
#include "common/zone_file.h"
#include "window.h"

static const char *const window_late_names[] = {"reject", "filter", NULL};

static const struct leat_param window_params[] = {
    LEAT_PARAM(struct window_cfg, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL, .def = "count",
               .doc = "figures of each group: \"count\", \"sum(bytes)\", \"mean(…)\", \"min(…)\", "
                      "\"max(…)\", \"quantile(ms, 0.99)\", \"distinct(user)\", \"top(path, 3)\"; "
                      "\"name = sum(bytes)\" names it"),
    LEAT_PARAM(struct window_cfg, every, LEAT_DURATION, .flags = LEAT_REQUIRED, .min = 1e-3,
               .max = 3.2e8, .unit = "seconds",
               .doc = "how long a window is: \"10s\", \"5min\", \"1h\", \"1d\""),
    LEAT_PARAM(struct window_cfg, by, LEAT_STRINGS,
               .doc =
                   "columns whose values make the groups; without them all records are one group"),
    LEAT_PARAM(struct window_cfg, slide, LEAT_DURATION, .max = 3.2e8, .unit = "seconds",
               .doc = "time from the start of a window to the start of the next; it divides "
                      "`every`, which is the default"),
    LEAT_PARAM(struct window_cfg, lateness, LEAT_DURATION, .def = "0s", .max = 3.2e8,
               .unit = "seconds",
               .doc = "how long after its end a window waits for records, by their event times"),
    LEAT_PARAM(struct window_cfg, late, LEAT_CHOICE, .def = "reject", .choices = window_late_names,
               .doc = "what to do with a record that comes after its windows have ended: reject "
                      "it, or leave it out; it is counted in both cases"),
    LEAT_PARAM(struct window_cfg, zone, LEAT_STRING,
               .doc =
                   "for windows of whole days, the time zone of the days: \"Europe/Berlin\", "
                   "\"+02:00\"; by default UTC. Days on which clocks change have 23 or 25 hours"),
    LEAT_PARAM(struct window_cfg, max_ahead, LEAT_DURATION, .max = 3.2e8, .unit = "seconds",
               .doc = "a record that is this much later than the latest before it in its file or "
                      "partition ends no window, unless nine more such records follow; by default "
                      "two windows, and `lateness`"),
    LEAT_PARAM(struct window_cfg, budget, LEAT_SIZE, .def = "64MB", .min = 4096, .max = 1e12,
               .unit = "bytes",
               .doc = "memory for the groups that are open; when it is used up, the oldest windows "
                      "end early"),
    LEAT_PARAM(struct window_cfg, offset, LEAT_DURATION, .flags = LEAT_ADVANCED, .def = "0s",
               .max = 3.2e8, .unit = "seconds",
               .doc = "by how much windows start later than whole multiples of `slide` since 1970 "
                      "UTC: \"4d\" with \"7d\" is Monday"),
    LEAT_PARAM(struct window_cfg, key_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "128",
               .min = 8, .max = 65536, .unit = "bytes", .doc = "the longest key of a group"),
    LEAT_PARAM(struct window_cfg, k, LEAT_INT, .flags = LEAT_ADVANCED, .def = "512",
               .min = KLL_MIN_K, .max = KLL_MAX_K, .unit = "values",
               .doc = "of quantiles: a group keeps about three times this number of values, and is "
                      "exact if it has fewer"),
    LEAT_PARAM(struct window_cfg, values, LEAT_INT, .flags = LEAT_ADVANCED, .def = "4096",
               .min = TALLIES_LEAST, .max = 1 << 20, .unit = "values",
               .doc = "of each top: how many different values of a group are counted exactly, if "
                      "the budget allows; with more, counts are estimates"),
};

/* ---- open and close ---- */

static void close_window(struct leat_ctx *ctx, void *self)
{
    struct window *st = self;
    aggregates_close(ctx, &st->sums);
    ctx->host->free(ctx, st->block);
    ctx->host->free(ctx, st->key);
}

static int window_open_groups(struct leat_ctx *ctx, struct window *st)
{
    const struct window_cfg *cfg = ctx->cfg;
    uint32_t max = window_max_groups(cfg), panes = (uint32_t)window_open_panes(cfg),
             key = (uint32_t)cfg->key_bytes, tallied = window_tallied(cfg, max);
    st->groups_bytes = window_groups_bytes(cfg, max);
    st->block_bytes = st->groups_bytes + window_tallies_bytes(cfg, max);
    st->block = ctx->host->alloc(ctx, st->block_bytes);
    st->key = ctx->host->alloc(ctx, AGGREGATE_ROWS * (size_t)key);
    if (!st->block || !st->key)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u groups", max);
    groups_init(&st->groups, max, panes, key, st->sums.cell_bytes, st->block);
    if (tallied)
        tallies_init(&st->sums.tallies, tallied, (uint32_t)cfg->values,
                     (char *)st->block + st->groups_bytes, st->sums.work.count);
    return LEAT_OK;
}

static int open_window(struct leat_ctx *ctx, void *self)
{
    const struct window_cfg *cfg = ctx->cfg;
    struct window *st = self;
    char why[ZONE_WHY];
    st->slide = window_slide(cfg);
    st->panes = window_panes(cfg);
    st->given = WINDOW_NONE;
    st->local = cfg->zone != NULL;
    if (st->local && !zone_file_find(&st->zone, cfg->zone, why))
        return ctx->host->fail(ctx, LEAT_EARG, "%s", why);
    st->n_by = cfg->by.n;
    for (uint32_t i = 0; i < st->n_by; i++) {
        st->by[i].column = columns_known(ctx, cfg->by.v[i], LEAT_TAKES_ANY);
        st->by[i].type = ctx->in->column[st->by[i].column].type;
    }
    const struct aggregate_sizes sizes = window_sizes(cfg);
    int status = aggregates_open(ctx, &st->sums, &cfg->columns, &sizes);
    if (status == LEAT_OK) st->apart = aggregates_are_apart(&st->sums);
    if (status == LEAT_OK) status = window_open_groups(ctx, st);
    if (status != LEAT_OK) close_window(ctx, st);
    return status;
}

/* ---- input of records ---- */

static int64_t window_floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Returns the zone's offset from UTC at a time, in ns, positive in the east. Returns 0 without a
 * zone. */
static int64_t window_zone_ns(struct window *st, int64_t ns)
{
    if (!st->local) return 0;
    return (int64_t)time_zone_offset(&st->zone, window_floor_div(ns, WINDOW_SECOND)) *
           WINDOW_SECOND;
}

static int64_t window_pane_at(const struct leat_ctx *ctx, struct window *st, int64_t ns)
{
    const struct window_cfg *cfg = ctx->cfg;
    return window_floor_div(ns + window_zone_ns(st, ns) - cfg->offset, st->slide);
}

/* Returns the time at which a pane begins. */
static int64_t window_pane_start(const struct leat_ctx *ctx, struct window *st, int64_t pane)
{
    const struct window_cfg *cfg = ctx->cfg;
    int64_t ns = pane * st->slide + cfg->offset, s = window_floor_div(ns, WINDOW_SECOND);
    return st->local ? ns + (time_zone_to_utc(&st->zone, s) - s) * WINDOW_SECOND : ns;
}

static int64_t window_watermark(const struct leat_ctx *ctx, const struct window *st)
{
    const struct window_cfg *cfg = ctx->cfg;
    return st->clock.now - cfg->lateness;
}

/* Returns the last event time whose windows, and what is computed from them, are times as well. */
static int64_t window_last_time(const struct leat_ctx *ctx, const struct window *st)
{
    const struct window_cfg *cfg = ctx->cfg;
    return INT64_MAX - cfg->lateness - llabs(cfg->offset) - (st->panes + 2) * st->slide -
           INT64_C(172800) * WINDOW_SECOND;
}

/* Rejects or filters a late record. `window` is the last window to which the record belongs. */
static void window_refuse_late(struct leat_ctx *ctx, struct window *st, struct leat_batch *b,
                               uint32_t r, int64_t window)
{
    const struct window_cfg *cfg = ctx->cfg;
    int64_t end = window_pane_start(ctx, st, window), now = st->clock.now,
            after = (now - end) / WINDOW_SECOND;
    bool returned = now >= end + cfg->lateness && st->clock.input < end;
    char latest[UTC_TEXT];
    bool crowded = now < end + cfg->lateness;
    st->late++, st->returned += returned, st->crowded += crowded;
    st->farthest = after > st->farthest ? after : st->farthest;
    if (cfg->late == LATE_FILTER) {
        leat_filter(b, r);
        return;
    }
    uint32_t n = utc_write(latest, now < 0 ? 0 : now);
    if (crowded) {
        ctx->host->reject(ctx, b, r, LEAT_R_TIME,
                          "the windows of the record ended early, because all %u groups were in "
                          "use: raise 'budget'",
                          st->groups.max);
        return;
    }
    ctx->host->reject(ctx, b, r, LEAT_R_TIME,
                      "the windows of the record have ended: the latest record, of %.*s, is %lld s "
                      "after their end;%s lateness = \"%llds\" would have kept this record",
                      (int)n, latest, (long long)after,
                      returned ? " nothing came from the record's input for a time, and the others "
                                 "went on: raise the source's `quiet`;"
                               : "",
                      (long long)after + 1);
}

static void window_refuse_full(struct leat_ctx *ctx, struct window *st, struct leat_batch *b,
                               uint32_t r)
{
    st->refused++;
    ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                      "other keys use all %u groups of the open window: raise 'budget'",
                      st->groups.max);
}

/* Adds n records to the groups of their keys in `pane`. Returns false if that needs a new group,
 * but all groups are in use. The caller may then end a window early to free some. If there are
 * fewer than n free groups or the pane is a new one too many, n must be 1. */
static bool window_take(struct leat_ctx *ctx, struct window *st, struct leat_batch *b,
                        const uint32_t *row, uint32_t n, int64_t pane)
{
    struct aggregate_rows rows; /* large: its arrays are set as far as they are used */
    struct window_key key[AGGREGATE_ROWS];
    bool is_full = false;
    rows.b = b;
    rows.n = n;
    memcpy(rows.row, row, n * sizeof *row);
    if (window_take_known(ctx, st, &rows, pane)) return true;
    n = window_find_keys(ctx, st, b, &rows, pane, key);
    rows.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct group *a = key[i].group;
        if (!a) a = window_take_key(st, pane, window_key_at(st, i), &key[i]);
        is_full = !a && (st->groups.n_panes > 1 || st->groups.pane[0].number < pane);
        if (!a && !is_full) window_refuse_full(ctx, st, b, rows.row[key[i].k]);
        if (a) aggregates_keep(&st->sums, &rows, key[i].k, rows.n++, group_cell(a));
    }
    aggregates_add(&st->sums, &rows);
    if (st->groups.n > st->peak) st->peak = st->groups.n;
    return !is_full;
}

static void window_refuse_ahead(struct leat_ctx *ctx, struct window *st, struct leat_batch *b,
                                uint32_t r)
{
    char latest[UTC_TEXT];
    uint32_t n = utc_write(latest, st->clock.input < 0 ? 0 : st->clock.input);
    st->ahead++;
    st->ahead_sample = b->timestamp[r];
    ctx->host->reject(
        ctx, b, r, LEAT_R_TIME,
        "the record is %lld s ahead of the latest, of %.*s, and windows of other such records are "
        "already open: correct the clock of its sender, or raise max_ahead",
        (long long)((b->timestamp[r] - st->clock.input) / WINDOW_SECOND), (int)n, latest);
}

static bool window_take_record(struct leat_ctx *ctx, struct window *st, struct leat_batch *b,
                               uint32_t r)
{
    int64_t ns = b->timestamp[r];
    if (ns < 0) {
        ctx->host->reject(ctx, b, r, LEAT_R_TIME, "the record has no event time");
        return true;
    }
    if (ns > window_last_time(ctx, st)) {
        ctx->host->reject(ctx, b, r, LEAT_R_TIME,
                          "its windows would end after the last event time, in April 2262: correct "
                          "the clock of its sender");
        return true;
    }
    int64_t pane = window_pane_at(ctx, st, ns);
    if (pane + st->panes <= st->given) { /* the last window that contains the pane is complete */
        window_refuse_late(ctx, st, b, r, pane + st->panes);
        return true;
    }
    if (st->clock.ahead && st->groups.n_panes == st->groups.max_panes) {
        window_refuse_ahead(ctx, st, b, r);
        return true;
    }
    return window_take(ctx, st, b, &r, 1, pane);
}

/* True if records may be added together as long as none of them ends a window. */
static bool window_takes_runs(const struct window *st)
{
    return !st->local && st->given != WINDOW_NONE && st->apart && !st->giving.on && !st->noted &&
           st->groups.max - st->groups.n >= AGGREGATE_ROWS &&
           st->groups.n_panes < st->groups.max_panes;
}

/* Adds the next records together, if they are in one pane and do not move the watermark to the next
 * pane: then no window ends between them. Returns their number. Returns 0 if the next record must
 * be taken by itself. */
static uint32_t window_take_run(struct leat_ctx *ctx, struct window *st, struct leat_batch *b)
{
    const struct window_cfg *cfg = ctx->cfg;
    const uint32_t *row = b->sel + st->at;
    const int64_t first = b->timestamp[*row];
    if (first < 0 || first > window_last_time(ctx, st) || !window_takes_runs(st)) return 0;
    const int64_t pane = window_pane_at(ctx, st, first), from = window_pane_start(ctx, st, pane),
                  until = window_pane_start(ctx, st, st->given + 1) + cfg->lateness;
    if (pane + st->panes <= st->given || (first >= until && first > st->clock.input)) return 0;
    const uint32_t left = b->n_sel - st->at, most = left < AGGREGATE_ROWS ? left : AGGREGATE_ROWS;
    uint32_t n = 0;
    while (n < most && (uint64_t)b->timestamp[row[n]] - (uint64_t)from < (uint64_t)st->slide)
        n++;
    n = ctx->host->event_times(ctx, b, st->at, n, window_max_ahead(cfg), until, &st->clock);
    if (n) window_take(ctx, st, b, row, n, pane);
    return n;
}

/* ---- output of windows ---- */

/* Returns the number of the next window that has a group. There must be an open pane. */
static int64_t next_window(const struct window *st)
{
    int64_t first = st->groups.pane[0].number + 1;
    return st->given != WINDOW_NONE && st->given + 1 > first ? st->given + 1 : first;
}

static bool window_is_due(const struct leat_ctx *ctx, struct window *st, bool all)
{
    if (!st->groups.n_panes) return false;
    return all || st->pressed ||
           next_window(st) <= window_pane_at(ctx, st, window_watermark(ctx, st));
}

static bool window_is_in(const struct window *st, int64_t window, int64_t pane)
{
    return pane < window && pane >= window - st->panes;
}

/* Writes a time in the zone's local time, such as 2024-06-01T00:00:00+02:00. */
static uint32_t window_write_local(struct window *st, char *to, int64_t ns)
{
    int64_t east = window_zone_ns(st, ns), minutes = (east < 0 ? -east : east) / WINDOW_SECOND / 60;
    uint32_t n = utc_write(to, ns + east) - 1; /* length without the final Z */
    return n + (uint32_t)sprintf(to + n, "%c%02d:%02d", east < 0 ? '-' : '+', (int)(minutes / 60),
                                 (int)(minutes % 60));
}

static void window_write_start(struct leat_ctx *ctx, struct window *st, int64_t window,
                               struct leat_batch *out, uint32_t r)
{
    int64_t ns = window_pane_start(ctx, st, window - st->panes);
    char *to = out->bytes + out->n_bytes;
    struct leat_str s = {out->n_bytes,
                         st->local ? window_write_local(st, to, ns) : utc_write(to, ns)};
    out->n_bytes += s.len;
    out->column[0].text[r] = s;
    out->timestamp[r] = ns < 0 ? 0 : ns;
}

/* Collects in st->cell the cells for the key of group `a` in all panes of the window, from pane
 * `from` on. Returns their number. Returns 0 if an earlier pane of the window has the key, because
 * the key's record has already been output. */
static uint32_t window_gather(struct window *st, int64_t window, uint32_t from,
                              const struct group *a)
{
    const char *key = group_key(&st->groups, a);
    uint32_t n = 0;
    for (uint32_t k = 0; k < st->groups.n_panes && st->groups.pane[k].number < window; k++) {
        int64_t pane = st->groups.pane[k].number;
        const struct group *other = k == from ? a
                                    : window_is_in(st, window, pane)
                                        ? groups_find(&st->groups, pane, key, a->n_key, a->hash)
                                        : NULL;
        if (other && k < from) return 0;
        if (other) st->cell[n++] = group_cell(other);
    }
    return n;
}

/* Outputs the record of a group, merged with the groups of its key in later panes. Returns false if
 * the batch is full. */
static bool window_give_group(struct leat_ctx *ctx, struct window *st, int64_t window,
                              struct leat_batch *out)
{
    const struct group *a = groups_at(&st->groups, st->giving.group);
    uint32_t n = window_gather(st, window, st->giving.pane, a);
    if (n) {
        int r = leat_add_from(out, NULL, LEAT_NULL);
        if (r < 0) return false;
        window_write_start(ctx, st, window, out, (uint32_t)r);
        window_key_read(ctx, st, group_key(&st->groups, a), out, (uint32_t)r);
        aggregates_write(&st->sums, st->cell, n, out, (uint32_t)r, 1 + st->n_by);
    }
    st->giving.group = a->next;
    return true;
}

/* If the current pane has no more groups, moves to the next pane of the window that has one.
 * Returns false if there is none. */
static bool window_has_more(struct window *st, int64_t window)
{
    struct window_giving *g = &st->giving;
    while (g->on && g->group == GROUPS_NONE) {
        if (++g->pane == st->groups.n_panes ||
            !window_is_in(st, window, st->groups.pane[g->pane].number))
            return false;
        g->group = st->groups.pane[g->pane].first;
    }
    return true;
}

static void window_forget_first_pane(struct window *st)
{
    for (uint32_t i = st->groups.pane[0].first; i != GROUPS_NONE;
         i = groups_at(&st->groups, i)->next)
        aggregates_forget(&st->sums, group_cell(groups_at(&st->groups, i)));
    groups_drop_first(&st->groups);
}

/* True if the fastest input has passed the window. It then ends for lack of memory without a word:
 * in files that follow each other it is complete, although later files are not read yet. */
static bool window_has_passed(const struct leat_ctx *ctx, struct window *st, int64_t window)
{
    const struct window_cfg *cfg = ctx->cfg;
    return window <= window_pane_at(ctx, st, st->clock.latest - cfg->lateness);
}

/* Outputs the records of the next window. Returns false if the batch is full. */
static bool give_window(struct leat_ctx *ctx, struct window *st, struct leat_batch *out)
{
    int64_t window = next_window(st);
    if (!st->giving.on) st->giving = (struct window_giving){true, 0, st->groups.pane[0].first};
    while (window_has_more(st, window))
        if (!window_give_group(ctx, st, window, out)) return false;
    st->giving.on = false;
    st->given = window;
    if (st->groups.pane[0].number <= window - st->panes) window_forget_first_pane(st);
    st->early += st->pressed && !window_has_passed(ctx, st, window);
    st->pressed = false;
    return true;
}

/* Outputs the records of all complete windows (of all windows if `all`). Afterwards st->given is
 * the last window before the watermark, even if it has no groups. */
static bool window_give_due(struct leat_ctx *ctx, struct window *st, bool all,
                            struct leat_batch *out)
{
    while (st->giving.on || window_is_due(ctx, st, all))
        if (!give_window(ctx, st, out)) return false;
    int64_t over =
        st->clock.now < 0 ? WINDOW_NONE : window_pane_at(ctx, st, window_watermark(ctx, st));
    if (over > st->given) st->given = over;
    return true;
}

/* Takes the event time of the next record, once. */
static int window_note(struct leat_ctx *ctx, struct window *st, const struct leat_batch *in)
{
    uint32_t r = st->at < in->n_sel ? in->sel[st->at] : LEAT_NULL;
    if (st->noted) return LEAT_OK;
    st->noted = true;
    return ctx->host->event_time(ctx, in, r, window_max_ahead(ctx->cfg), &st->clock);
}

static int window_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                         struct leat_batch *out)
{
    struct window *st = self;
    int status;
    bool end = in->kind == LEAT_BATCH_END;
    for (uint32_t n; st->at < in->n_sel; st->at += n, st->noted = false) {
        n = window_take_run(ctx, st, in);
        if (n) continue;
        n = 1;
        if ((status = window_note(ctx, st, in)) != LEAT_OK) return status;
        do {
            if (!window_give_due(ctx, st, false, out)) return LEAT_AGAIN;
            st->pressed = !window_take_record(ctx, st, in, in->sel[st->at]);
        } while (st->pressed);
    }
    if ((status = window_note(ctx, st, in)) != LEAT_OK) return status;
    if (!window_give_due(ctx, st, end, out)) return LEAT_AGAIN;
    st->at = 0;
    st->noted = false;
    if (end) st->given = WINDOW_NONE; /* a run may continue after its end with earlier times */
    return LEAT_OK;
}

static int window_stop(struct leat_ctx *ctx, void *self)
{
    const struct window *st = self;
    ctx->host->metric(ctx, "late_records", (double)st->late);
    ctx->host->metric(ctx, "windows_ended_early", (double)st->early);
    ctx->host->metric(ctx, "groups_peak", (double)st->peak);
    ctx->host->metric(ctx, "sums_too_large", (double)st->sums.overflows);
    ctx->host->metric(ctx, "ahead_records", (double)(st->ahead + st->clock.ahead_records));
    ctx->host->metric(ctx, "tops_estimated", (double)st->sums.estimated);
    return LEAT_OK;
}

/* Warns of top() columns that are not exact, because there are more different values than `values`
 * or than the budget holds. */
static void window_warn_of_tops(struct leat_ctx *ctx, const struct window *st)
{
    const struct window_cfg *cfg = ctx->cfg;
    bool budget = st->sums.pressed;
    if (!st->sums.estimated) return;
    ctx->host->log(ctx, LEAT_WARN,
                   "columns: %llu answers of top() may have wrong counts or a wrong order, because "
                   "%s. Counts with ~ are estimates, at most %llu too large. Raise %s (now %lld)",
                   (unsigned long long)st->sums.estimated,
                   budget ? "distinct values used up the budget"
                          : "a group had more distinct values than can be counted exactly",
                   (unsigned long long)st->sums.farthest, budget ? "budget" : "values",
                   (long long)(budget ? cfg->budget : cfg->values));
}

static void window_warn_of_clocks(struct leat_ctx *ctx, const struct window *st)
{
    char sample[UTC_TEXT];
    uint64_t ahead = st->ahead + st->clock.ahead_records;
    if (!ahead) return;
    uint32_t n = utc_write(sample, st->ahead ? st->ahead_sample : st->clock.ahead_sample);
    ctx->host->log(
        ctx, LEAT_WARN,
        "%llu records, such as one of %.*s, are more than max_ahead = %lld s ahead of the records "
        "around them: they have separate windows and ended no others. Check the clocks",
        (unsigned long long)ahead, (int)n, sample,
        (long long)(window_max_ahead(ctx->cfg) / WINDOW_SECOND));
}

/* Warns of late records, and names the parameter that would have helped. */
static void window_warn_of_late(struct leat_ctx *ctx, const struct window *st)
{
    const struct window_cfg *cfg = ctx->cfg;
    const char *left = cfg->late == LATE_FILTER ? "left out" : "rejected";
    char more[200];
    if (st->crowded)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu records came after their windows had ended early, and are %s: raise "
                       "budget, or give files in order of time",
                       (unsigned long long)st->crowded, left);
    if (st->late <= st->crowded) return;
    snprintf(more, sizeof more, "If a clock was ahead, set a smaller max_ahead (now %lld s)",
             (long long)(window_max_ahead(cfg) / WINDOW_SECOND));
    if (st->returned)
        snprintf(more, sizeof more,
                 "%llu of them are of files or partitions from which nothing had come for a time: "
                 "raise the source's `quiet`",
                 (unsigned long long)st->returned);
    ctx->host->log(ctx, LEAT_WARN,
                   "%llu records came after their windows had ended and are %s: lateness = "
                   "\"%llds\" would have kept all of them. %s",
                   (unsigned long long)(st->late - st->crowded), left, (long long)st->farthest + 1,
                   more);
}

static void window_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct window *st = self[0];
    if (st->early)
        ctx->host->log(ctx, LEAT_WARN,
                       "budget: %llu windows ended early, because at most %u groups can be open: "
                       "raise budget, or lower lateness",
                       (unsigned long long)st->early, st->groups.max);
    if (st->sums.overflows)
        ctx->host->log(ctx, LEAT_WARN,
                       "columns: %llu sums or means were left empty, because the sum is beyond "
                       "1.8e308: divide the values with shape.set before this stage",
                       (unsigned long long)st->sums.overflows);
    window_warn_of_tops(ctx, st);
    window_warn_of_clocks(ctx, st);
    window_warn_of_late(ctx, st);
}

static const struct leat_figure window_figures[] = {
    {"late_records", "records", "records that came after their windows had ended", LEAT_COUNTER},
    {"windows_ended_early", "windows", "windows that ended early to make room for others",
     LEAT_COUNTER},
    {"groups_peak", "groups", "most groups that were open at a time", LEAT_GAUGE},
    {"sums_too_large", "sums", "sums that were too large for their type", LEAT_COUNTER},
    {"ahead_records", "records", "records whose clocks were ahead", LEAT_COUNTER},
    {"tops_estimated", "lists", "lists of top whose counts or order may be wrong", LEAT_COUNTER},
};

const struct leat_stage shape_window = {
    .name = "shape.window",
    .summary = "counts, sums, quantiles (percentiles) of each span of time, for each key",
    .doc = window_doc,
    .example =
        "leat.window { \"count\", \"mean(bytes)\", \"quantile(ms, 0.99)\", every = \"5min\", "
        "by = { \"host\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_STATEFUL | LEAT_CLOCK,
    LEAT_FLOW(LEAT_HAS_COLUMNS | LEAT_HAS_TIMESTAMP, LEAT_HAS_COLUMNS),
    LEAT_PARAMS(window_params, struct window_cfg),
    LEAT_FIGURES(window_figures),
    LEAT_INSTANCE(struct window, open_window, close_window),
    .validate = window_validate,
    .negotiate = window_negotiate,
    .plan = window_plan,
    .stop = window_stop,
    .expand = window_expand,
    .finish = window_finish,
    .state = LEAT_ROLE(leat_state, .version = WINDOW_STATE_VERSION, .snapshot = window_snapshot,
                       .restore = window_restore),
};
