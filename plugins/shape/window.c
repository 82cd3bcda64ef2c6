/* window.c -- shape.window: what happened in each span of time, for each key.
 *
 * Time is cut into panes of `slide`; a window is `every` / `slide` panes in a row, most often one.
 * A record goes into the group of its key in the pane of its event time. The watermark is the
 * latest time so far, less `lateness`: a window that ends before it is over. Its groups become
 * records, and the pane that no later window has is forgotten.
 *
 *     panes       | 4 | 5 | 6 | 7 |           every = 3 slide: window 7 is panes 4 5 6,
 *     watermark               ^               and over once the watermark passes the end of 6
 *
 * Windows are numbered by the first pane after them. Not here: groups (kernels/window/groups.h),
 * what is kept of a group (aggregates.h). */
#include <leat/plugin.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aggregates.h"
#include "kernels/text/utc.h"
#include "kernels/window/groups.h"
#include "shape/docs.h"
#include "support/columns.h"
#include "support/state_fields.h"

/* MAX_PANES: of a window. OPEN_PANES: with those that lateness keeps open. */
enum { MAX_PANES = 1024, OPEN_PANES = 1 << 20, MAX_COLUMNS = 64, WHOLE = 1000000000 };
static const int64_t NO_WINDOW = INT64_MIN;

static const char *const late_names[] = {"reject", "filter", NULL};
enum late { REJECT, FILTER };

struct cfg {
    struct leat_strings columns, by;
    int64_t every, slide, lateness, offset, budget, key_bytes, k;
    int32_t late;
};

/* Where a call of expand is in giving the records of a window: the next group of pane `pane`. */
struct giving {
    bool on;
    uint32_t pane, group;
};

struct window {
    struct aggregates sums;
    struct groups groups;
    void *block;
    uint32_t by[MAX_COLUMNS], n_by;
    int64_t slide, panes; /* of a window */
    int64_t latest;       /* event time; -1: none yet          */
    int64_t given;        /* the last window that is over, or NO_WINDOW */
    uint32_t at;          /* of the batch that comes */
    bool pressed;         /* a group is needed: the oldest window is over early */
    struct giving giving;
    char *key;
    double number[MAX_COLUMNS];
    void *cell[MAX_PANES];
    uint64_t late, early, refused, peak;
};

static const struct leat_param params[] = {
    LEAT_PARAM(
        struct cfg, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL, .def = "count",
        .doc = "what to give of each group: \"count\", \"sum(bytes)\", \"mean(…)\", \"min(…)\", "
               "\"max(…)\", \"quantile(ms, 0.99)\", \"distinct(user)\", \"top(path, 3)\"; "
               "\"name = sum(bytes)\" names it"),
    LEAT_PARAM(struct cfg, every, LEAT_DURATION, .flags = LEAT_REQUIRED, .min = 1e-3, .max = 3.2e8,
               .unit = "seconds", .doc = "how long a window is: \"10s\", \"5min\", \"1h\", \"1d\""),
    LEAT_PARAM(struct cfg, by, LEAT_STRINGS,
               .doc = "the columns that make a group; without them all records are one"),
    LEAT_PARAM(struct cfg, slide, LEAT_DURATION, .max = 3.2e8, .unit = "seconds",
               .doc =
                   "from the start of a window to that of the next; by default `every`. It divides "
                   "`every`"),
    LEAT_PARAM(struct cfg, lateness, LEAT_DURATION, .def = "0s", .max = 3.2e8, .unit = "seconds",
               .doc = "how long after its end a window waits for records, by their event times"),
    LEAT_PARAM(struct cfg, late, LEAT_CHOICE, .def = "reject", .choices = late_names,
               .doc =
                   "what to do with a record that comes after its windows: reject it, or leave it "
                   "out; it is counted in both cases"),
    LEAT_PARAM(struct cfg, budget, LEAT_SIZE, .def = "64MB", .min = 4096, .max = 1e12,
               .unit = "bytes",
               .doc = "memory of the groups that are open; where it is used up, the oldest windows "
                      "end early"),
    LEAT_PARAM(struct cfg, offset, LEAT_DURATION, .flags = LEAT_ADVANCED, .def = "0s", .max = 3.2e8,
               .unit = "seconds",
               .doc = "windows start at whole multiples of `slide` since 1970 UTC, and this later: "
                      "\"4d\" with \"7d\" is Monday"),
    LEAT_PARAM(struct cfg, key_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "128", .min = 8,
               .max = 65536, .unit = "bytes", .doc = "the longest key of a group"),
    LEAT_PARAM(struct cfg, k, LEAT_INT, .flags = LEAT_ADVANCED, .def = "512", .min = KLL_MIN_K,
               .max = KLL_MAX_K, .unit = "values",
               .doc =
                   "of quantiles: about three times as many values are kept of a group, and exact "
                   "are all of fewer"),
};

/* ---- before the start ---- */

static int64_t slide_of(const struct cfg *cfg) { return cfg->slide ? cfg->slide : cfg->every; }

static uint32_t panes_of(const struct cfg *cfg) { return (uint32_t)(cfg->every / slide_of(cfg)); }

/* Those of a window, those that lateness keeps, and those of the records that are being taken. */
static int64_t open_panes(const struct cfg *cfg)
{
    return panes_of(cfg) + cfg->lateness / slide_of(cfg) + 3;
}

static uint32_t cell_bytes(const struct cfg *cfg)
{
    uint32_t n = 0;
    char why[AGGREGATE_WHY];
    for (uint32_t i = 0; i < cfg->columns.n; i++) {
        struct aggregate a;
        if (aggregate_parse(&a, cfg->columns.v[i], why))
            n += aggregate_cell_bytes(&a, (uint32_t)cfg->k);
    }
    return n;
}

static uint32_t max_groups(const struct cfg *cfg)
{
    return groups_that_fit((uint64_t)cfg->budget, (uint32_t)open_panes(cfg),
                           (uint32_t)cfg->key_bytes, cell_bytes(cfg));
}

static bool validate_times(const struct cfg *cfg, struct leat_diag *d)
{
    int64_t slide = slide_of(cfg);
    if (cfg->slide && (cfg->slide > cfg->every || cfg->every % cfg->slide))
        d->error(d, "slide", "must divide `every`: windows of \"1h\" may slide by \"10min\"");
    else if (cfg->every / slide > MAX_PANES)
        d->error(d, "slide", "a window would have %lld parts; at most %d are possible: raise it",
                 (long long)(cfg->every / slide), MAX_PANES);
    else if (open_panes(cfg) > OPEN_PANES)
        d->error(d, "lateness",
                 "would keep %lld parts of %g s open; at most %d are possible: lower it",
                 (long long)open_panes(cfg), (double)slide / WHOLE, OPEN_PANES);
    else
        return true;
    return false;
}

/* Number i of the columns that come out: `window`, those of `by`, and then those of `columns`. */
static const char *name_of(const struct cfg *cfg, uint32_t i, struct aggregate *a)
{
    char why[AGGREGATE_WHY];
    if (!i) return "window";
    if (i <= cfg->by.n) return cfg->by.v[i - 1];
    return aggregate_parse(a, cfg->columns.v[i - 1 - cfg->by.n], why) ? a->name : "";
}

static bool is_taken(const struct cfg *cfg, uint32_t i)
{
    struct aggregate a, b;
    const char *name = name_of(cfg, i, &a);
    uint32_t k = 0;
    while (k < i && strcmp(name, name_of(cfg, k, &b)) != 0)
        k++;
    return *name && k < i;
}

static bool validate_name(const struct cfg *cfg, uint32_t i, struct leat_diag *d)
{
    struct aggregate a;
    const char *name = name_of(cfg, i, &a);
    bool by = i <= cfg->by.n;
    if (is_taken(cfg, i))
        d->error(
            d, by ? "by" : "columns",
            by ? "two columns would be named '%s' (the start of the window is 'window'): take "
                 "one out, or rename it by shape.set"
               : "two columns would be named '%s': give one a name, such as \"other = sum(x)\"",
            name);
    else if (!by && *name == '@')
        d->error(d, "columns",
                 "'%s' cannot be the name of a column, as it begins with @: for a label put "
                 "label.number after this stage",
                 name);
    else
        return true;
    return false;
}

static bool validate_names(const struct cfg *cfg, struct leat_diag *d)
{
    bool good = true;
    for (uint32_t i = 1; i <= cfg->by.n + cfg->columns.n; i++)
        good &= validate_name(cfg, i, d);
    return good;
}

static bool validate_columns(const struct cfg *cfg, struct leat_diag *d)
{
    struct aggregate a;
    char why[AGGREGATE_WHY];
    bool good = true;
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        if (!aggregate_parse(&a, cfg->columns.v[i], why)) {
            d->error(d, "columns", "'%s' cannot be read: %s", cfg->columns.v[i], why);
            good = false;
        }
    if (cfg->columns.n <= MAX_COLUMNS && cfg->by.n <= MAX_COLUMNS)
        return validate_names(cfg, d) && good;
    d->error(d, cfg->by.n > MAX_COLUMNS ? "by" : "columns", "may have at most %d names",
             MAX_COLUMNS);
    return false;
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    bool times = validate_times(cfg, d), columns = validate_columns(cfg, d);
    if (times && columns && max_groups(cfg) < 16)
        d->error(
            d, "budget",
            "holds %u groups, too few to be of use: a group takes %u bytes; raise it, or lower "
            "key_bytes, or k",
            max_groups(cfg), cell_bytes(cfg) + (uint32_t)cfg->key_bytes);
    return LEAT_OK;
}

static int worse(int a, int b) { return a < 0 ? a : b < 0 ? b : a > b ? a : b; }

static int add_key(struct leat_negotiation *n, const char *name)
{
    uint32_t index, type = LEAT_TEXT;
    int status = n->column(n, "by", name, &index);
    if (status == LEAT_OK) type = n->in->column[index].type;
    return worse(status, n->add_column(n, name, strlen(name), type));
}

static int add_sum(struct leat_negotiation *n, const char *text)
{
    struct aggregate a;
    char why[AGGREGATE_WHY];
    uint32_t index;
    if (!aggregate_parse(&a, text, why)) return LEAT_OK; /* validate has said so */
    int status = *a.of ? n->column(n, "columns", a.of, &index) : LEAT_OK;
    n->out->added_bytes_per_record += aggregate_text_bytes(&a);
    return worse(status, n->add_column(n, a.name, strlen(a.name),
                                       aggregate_makes_text(&a) ? LEAT_TEXT : LEAT_NUMBER));
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    n->out->has &= ~(uint32_t)LEAT_HAS_KEY;
    n->out->max_record_bytes = 0;
    n->out->added_bytes_per_record = UTC_TEXT + (uint32_t)cfg->key_bytes;
    int status = n->add_column(n, "window", 6, LEAT_TEXT);
    for (uint32_t i = 0; i < cfg->by.n; i++)
        if (!is_taken(cfg, 1 + i)) status = worse(status, add_key(n, cfg->by.v[i]));
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        if (!is_taken(cfg, 1 + cfg->by.n + i))
            status = worse(status, add_sum(n, cfg->columns.v[i]));
    return status;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    p->state_bytes = groups_block_bytes(max_groups(cfg), (uint32_t)open_panes(cfg),
                                        (uint32_t)cfg->key_bytes, cell_bytes(cfg));
    p->work_bytes =
        aggregates_work_bytes((uint32_t)cfg->k, panes_of(cfg)) + (uint64_t)cfg->key_bytes;
    snprintf(
        p->note, sizeof p->note,
        "at most %u groups open at a time; quantiles are off by at most %.2g %% of the values of "
        "a group (99 %%)",
        max_groups(cfg), 100 * kll_error((uint32_t)cfg->k));
    return LEAT_OK;
}

/* ---- open and close ---- */

static void close_window(struct leat_ctx *ctx, void *self)
{
    struct window *st = self;
    aggregates_close(ctx, &st->sums);
    ctx->host->free(ctx, st->block);
    ctx->host->free(ctx, st->key);
}

static int open_groups(struct leat_ctx *ctx, struct window *st)
{
    const struct cfg *cfg = ctx->cfg;
    uint32_t max = max_groups(cfg), panes = (uint32_t)open_panes(cfg),
             key = (uint32_t)cfg->key_bytes;
    size_t bytes = groups_block_bytes(max, panes, key, st->sums.cell_bytes);
    st->block = ctx->host->alloc(ctx, bytes);
    st->key = ctx->host->alloc(ctx, key);
    if (!st->block || !st->key)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u groups", max);
    groups_init(&st->groups, max, panes, key, st->sums.cell_bytes, st->block);
    return LEAT_OK;
}

static int open_window(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct window *st = self;
    st->slide = slide_of(cfg);
    st->panes = panes_of(cfg);
    st->latest = -1;
    st->given = NO_WINDOW;
    st->n_by = cfg->by.n;
    for (uint32_t i = 0; i < st->n_by; i++)
        st->by[i] = columns_known(ctx, cfg->by.v[i]);
    int status =
        aggregates_open(ctx, &st->sums, &cfg->columns, (uint32_t)cfg->k, (uint32_t)st->panes);
    if (status == LEAT_OK) status = open_groups(ctx, st);
    if (status != LEAT_OK) close_window(ctx, st);
    return status;
}

/* ---- keys ---- */

/* Of each column its length (LEAT_NULL: no value) and text, or its number. 0xffffffff: too long. */
static uint32_t write_key(struct leat_ctx *ctx, struct window *st, const struct leat_batch *b,
                          uint32_t r)
{
    const struct cfg *cfg = ctx->cfg;
    uint32_t n = 0, cap = (uint32_t)cfg->key_bytes;
    for (uint32_t i = 0; i < st->n_by; i++) {
        bool number = ctx->in->column[st->by[i]].type == LEAT_NUMBER;
        struct leat_str s = number ? (struct leat_str){0, 0} : b->column[st->by[i]].text[r];
        double x = number ? b->column[st->by[i]].number[r] + 0.0 : 0; /* -0 becomes 0 */
        uint32_t head = number ? sizeof x : sizeof s.len, text = s.len == LEAT_NULL ? 0 : s.len;
        if (isnan(x)) x = (double)NAN;
        if (text > cap || n + head + text > cap) return UINT32_MAX;
        memcpy(st->key + n, number ? (const void *)&x : (const void *)&s.len, head);
        if (text) memcpy(st->key + n + head, leat_text(b, s), text);
        n += head + text;
    }
    return n;
}

/* The columns of a key into record r of `out`. */
static void read_key(struct leat_ctx *ctx, const struct window *st, const char *key,
                     struct leat_batch *out, uint32_t r)
{
    for (uint32_t i = 0; i < st->n_by; i++) {
        union leat_cells *column = &out->column[1 + i];
        if (ctx->in->column[st->by[i]].type == LEAT_NUMBER) {
            memcpy(&column->number[r], key, sizeof(double));
            key += sizeof(double);
            continue;
        }
        struct leat_str s = {out->n_bytes, 0};
        memcpy(&s.len, key, sizeof s.len);
        key += sizeof s.len;
        uint32_t n = s.len == LEAT_NULL ? 0 : s.len;
        if (n) memcpy(out->bytes + s.off, key, n);
        out->n_bytes += n;
        column->text[r] = s;
        key += n;
    }
}

/* ---- taking records ---- */

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static int64_t pane_at(const struct leat_ctx *ctx, const struct window *st, int64_t ns)
{
    const struct cfg *cfg = ctx->cfg;
    return floor_div(ns - cfg->offset, st->slide);
}

static int64_t watermark(const struct leat_ctx *ctx, const struct window *st)
{
    const struct cfg *cfg = ctx->cfg;
    return st->latest - cfg->lateness;
}

/* `window`: the last one that has it. */
static void refuse_late(struct leat_ctx *ctx, struct window *st, struct leat_batch *b, uint32_t r,
                        int64_t window)
{
    const struct cfg *cfg = ctx->cfg;
    int64_t end = window * st->slide + cfg->offset, after = (st->latest - end) / WHOLE;
    char latest[UTC_TEXT];
    st->late++;
    if (cfg->late == FILTER) {
        leat_filter(b, r);
        return;
    }
    uint32_t n = utc_write(latest, st->latest);
    if (after < 0) {
        ctx->host->reject(ctx, b, r, LEAT_R_TIME,
                          "the windows of the record ended early, as all %u groups were taken: "
                          "raise 'budget'",
                          st->groups.max);
        return;
    }
    ctx->host->reject(ctx, b, r, LEAT_R_TIME,
                      "the windows of the record are over: the latest record, of %.*s, is %lld s "
                      "after their end; lateness = \"%llds\" would have kept it",
                      (int)n, latest, (long long)after, (long long)after + 1);
}

static void refuse_full(struct leat_ctx *ctx, struct window *st, struct leat_batch *b, uint32_t r)
{
    st->refused++;
    ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                      "all %u groups of the open window are taken by other keys: raise 'budget'",
                      st->groups.max);
}

/* Takes record r. false: all groups are taken, and a window may end early to make space. */
static bool take(struct leat_ctx *ctx, struct window *st, struct leat_batch *b, uint32_t r,
                 int64_t pane)
{
    uint32_t n_key = write_key(ctx, st, b, r);
    bool is_new;
    if (n_key == UINT32_MAX) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the values of its `by` columns are too long together: raise key_bytes = "
                          "%u",
                          st->groups.key_bytes);
        return true;
    }
    if (!aggregates_read(ctx, &st->sums, b, r, st->number)) return true;
    struct group *a =
        groups_take(&st->groups, pane, st->key, n_key, groups_hash(st->key, n_key), &is_new);
    if (!a && st->groups.n_panes > 1) return false;
    if (!a) {
        refuse_full(ctx, st, b, r);
        return true;
    }
    if (is_new) aggregates_begin(&st->sums, group_cell(a), a->hash + (uint64_t)pane);
    aggregates_add(&st->sums, group_cell(a), b, r, st->number);
    if (st->groups.n > st->peak) st->peak = st->groups.n;
    return true;
}

static bool take_record(struct leat_ctx *ctx, struct window *st, struct leat_batch *b, uint32_t r)
{
    int64_t ns = b->timestamp[r], pane = pane_at(ctx, st, ns);
    if (ns < 0) {
        ctx->host->reject(ctx, b, r, LEAT_R_TIME, "the record has no event time");
        return true;
    }
    if (pane + st->panes <= st->given) { /* its last window is over */
        refuse_late(ctx, st, b, r, pane + st->panes);
        return true;
    }
    if (!take(ctx, st, b, r, pane)) return false;
    if (ns > st->latest) st->latest = ns;
    return true;
}

/* ---- giving windows ---- */

/* The next window that has a group; there is a pane. */
static int64_t next_window(const struct window *st)
{
    int64_t first = st->groups.pane[0].number + 1;
    return st->given != NO_WINDOW && st->given + 1 > first ? st->given + 1 : first;
}

static bool is_due(const struct leat_ctx *ctx, const struct window *st, bool all)
{
    if (!st->groups.n_panes) return false;
    return all || st->pressed || next_window(st) <= pane_at(ctx, st, watermark(ctx, st));
}

static bool is_in(const struct window *st, int64_t window, int64_t pane)
{
    return pane < window && pane >= window - st->panes;
}

static void write_start(struct leat_ctx *ctx, const struct window *st, int64_t window,
                        struct leat_batch *out, uint32_t r)
{
    const struct cfg *cfg = ctx->cfg;
    int64_t ns = (window - st->panes) * st->slide + cfg->offset;
    struct leat_str s = {out->n_bytes, utc_write(out->bytes + out->n_bytes, ns)};
    out->n_bytes += s.len;
    out->column[0].text[r] = s;
    out->timestamp[r] = ns < 0 ? 0 : ns;
}

/* The cells of a key in the panes of a window from pane `from` on; 0: an earlier one has it, too,
 * so it has been given. */
static uint32_t gather(struct window *st, int64_t window, uint32_t from, const struct group *a)
{
    const char *key = group_key(&st->groups, a);
    uint32_t n = 0;
    for (uint32_t k = 0; k < st->groups.n_panes && st->groups.pane[k].number < window; k++) {
        int64_t pane = st->groups.pane[k].number;
        const struct group *other = k == from ? a
                                    : is_in(st, window, pane)
                                        ? groups_find(&st->groups, pane, key, a->n_key, a->hash)
                                        : NULL;
        if (other && k < from) return 0;
        if (other) st->cell[n++] = group_cell(other);
    }
    return n;
}

/* The record of a group and those of its key in later panes. false: the batch is full. */
static bool give_group(struct leat_ctx *ctx, struct window *st, int64_t window,
                       struct leat_batch *out)
{
    const struct group *a = groups_at(&st->groups, st->giving.group);
    uint32_t n = gather(st, window, st->giving.pane, a);
    if (n) {
        int r = leat_add_from(out, NULL, LEAT_NULL);
        if (r < 0) return false;
        write_start(ctx, st, window, out, (uint32_t)r);
        read_key(ctx, st, group_key(&st->groups, a), out, (uint32_t)r);
        aggregates_write(&st->sums, st->cell, n, out, (uint32_t)r, 1 + st->n_by);
    }
    st->giving.group = a->next;
    return true;
}

/* Goes to the next pane of the window that has groups left. */
static bool has_more(struct window *st, int64_t window)
{
    struct giving *g = &st->giving;
    while (g->on && g->group == GROUPS_NONE) {
        if (++g->pane == st->groups.n_panes || !is_in(st, window, st->groups.pane[g->pane].number))
            return false;
        g->group = st->groups.pane[g->pane].first;
    }
    return true;
}

/* false: the batch is full. */
static bool give_window(struct leat_ctx *ctx, struct window *st, struct leat_batch *out)
{
    int64_t window = next_window(st);
    if (!st->giving.on) st->giving = (struct giving){true, 0, st->groups.pane[0].first};
    while (has_more(st, window))
        if (!give_group(ctx, st, window, out)) return false;
    st->giving.on = false;
    st->given = window;
    if (st->groups.pane[0].number <= window - st->panes) groups_drop_first(&st->groups);
    st->early += st->pressed;
    st->pressed = false;
    return true;
}

/* Afterwards all windows up to the watermark are over, also those that had no group. */
static bool give_due(struct leat_ctx *ctx, struct window *st, bool all, struct leat_batch *out)
{
    while (st->giving.on || is_due(ctx, st, all))
        if (!give_window(ctx, st, out)) return false;
    int64_t over = st->latest < 0 ? NO_WINDOW : pane_at(ctx, st, watermark(ctx, st));
    if (over > st->given) st->given = over;
    return true;
}

/* A run that continues after its end has other windows. */
static void begin_again(struct window *st)
{
    st->latest = -1;
    st->given = NO_WINDOW;
}

static int expand(struct leat_ctx *ctx, void *self, struct leat_batch *in, struct leat_batch *out)
{
    struct window *st = self;
    bool end = in->kind == LEAT_BATCH_END;
    for (; st->at < in->n_sel; st->at++) {
        do {
            if (!give_due(ctx, st, false, out)) return LEAT_AGAIN;
            st->pressed = !take_record(ctx, st, in, in->sel[st->at]);
        } while (st->pressed);
    }
    if (!give_due(ctx, st, end, out)) return LEAT_AGAIN;
    st->at = 0;
    if (end) begin_again(st);
    return LEAT_OK;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    const struct window *st = self;
    ctx->host->metric(ctx, "late_records", (double)st->late);
    ctx->host->metric(ctx, "windows_ended_early", (double)st->early);
    ctx->host->metric(ctx, "groups_peak", (double)st->peak);
    ctx->host->metric(ctx, "sums_too_large", (double)st->sums.overflows);
    return LEAT_OK;
}

static void finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct window *st = self[0];
    if (st->early)
        ctx->host->log(
            ctx, LEAT_WARN,
            "budget: %llu windows ended early, as %u groups are open at most: raise it, or "
            "lower lateness",
            (unsigned long long)st->early, st->groups.max);
    if (st->sums.overflows)
        ctx->host->log(ctx, LEAT_WARN,
                       "columns: %llu sums or means were left empty, as their sum is beyond "
                       "1.8e308: divide the values by shape.set before",
                       (unsigned long long)st->sums.overflows);
    if (st->late && ((const struct cfg *)ctx->cfg)->late == FILTER)
        ctx->host->log(ctx, LEAT_WARN, "%llu records came after their windows, and are left out",
                       (unsigned long long)st->late);
}

/* ---- state ---- */

enum { STATE_VERSION = 2 };

/* A group in a snapshot: then its cell and its key, as they lie in memory of a little-endian
 * machine. */
struct saved {
    int64_t pane;
    uint32_t n_key, reserved;
};

static size_t saved_bytes(const struct window *st)
{
    return sizeof(struct saved) + st->groups.stride - sizeof(struct group);
}

static void save_group(const struct window *st, const struct group *a, char *to)
{
    const struct saved head = {a->pane, a->n_key, 0};
    memset(to, 0, saved_bytes(st)); /* after the key lies what others have left there */
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, group_cell(a), st->groups.cell_bytes + a->n_key);
}

static int save_groups(const struct window *st, struct leat_writer *w)
{
    const struct groups *g = &st->groups;
    if (!g->n) return w->array(w, "groups", LEAT_U8, "", 0);
    char *to = w->reserve(w, "groups", LEAT_U8, g->n * saved_bytes(st));
    if (!to) return LEAT_ENOMEM;
    for (uint32_t k = 0; k < g->n_panes; k++)
        for (uint32_t i = g->pane[k].first; i != GROUPS_NONE; i = groups_at(g, i)->next) {
            save_group(st, groups_at(g, i), to);
            to += saved_bytes(st);
        }
    return LEAT_OK;
}

#define AT(member) STATE_MEMBER(struct window_state, member)
struct window_state {
    uint64_t slide, panes, cell_bytes, key_bytes; /* what a group is */
    uint64_t latest, given, late, early, refused, peak, overflows;
};
static const struct state_field fields[] = {
    {"slide", STATE_SAME, .at = AT(slide)},
    {"panes", STATE_SAME, .at = AT(panes)},
    {"cell_bytes", STATE_SAME, .at = AT(cell_bytes)},
    {"key_bytes", STATE_SAME, .at = AT(key_bytes)},
    {"latest", STATE_VALUE, .at = AT(latest)},
    {"given", STATE_VALUE, .at = AT(given)},
    {"late", STATE_VALUE, .at = AT(late)},
    {"early", STATE_VALUE, .at = AT(early)},
    {"refused", STATE_VALUE, .at = AT(refused)},
    {"peak", STATE_VALUE, .at = AT(peak)},
    {"overflows", STATE_VALUE, .at = AT(overflows)},
};
#undef AT

static struct window_state state_of(const struct window *st)
{
    return (struct window_state){(uint64_t)st->slide,
                                 (uint64_t)st->panes,
                                 st->groups.cell_bytes,
                                 st->groups.key_bytes,
                                 (uint64_t)st->latest,
                                 (uint64_t)st->given,
                                 st->late,
                                 st->early,
                                 st->refused,
                                 st->peak,
                                 st->sums.overflows};
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct window *st = self;
    const struct window_state s = state_of(st);
    int status = state_write(w, STATE_TABLE(fields), &s);
    return status == LEAT_OK ? save_groups(st, w) : status;
}

/* Do the parts of a key add up? */
static bool is_key(struct leat_ctx *ctx, const struct window *st, const char *key, uint32_t n)
{
    for (uint32_t i = 0; i < st->n_by; i++) {
        bool number = ctx->in->column[st->by[i]].type == LEAT_NUMBER;
        uint32_t head = number ? sizeof(double) : sizeof(uint32_t), text = 0;
        if (n < head) return false;
        if (!number) memcpy(&text, key, sizeof text);
        if (text == LEAT_NULL) text = 0;
        if (text > n - head) return false;
        n -= head + text;
        key += head + text;
    }
    return n == 0;
}

static const char *restore_group(struct leat_ctx *ctx, struct window *st, int64_t given,
                                 const char *from)
{
    struct saved head;
    bool is_new;
    int64_t most = INT64_MAX / st->slide - st->panes - 1;
    memcpy(&head, from, sizeof head);
    const char *cell = from + sizeof head, *key = cell + st->groups.cell_bytes;
    if (head.n_key > st->groups.key_bytes || !is_key(ctx, st, key, head.n_key))
        return "has a key that is none";
    if (head.pane < -most || head.pane > most ||
        (given != NO_WINDOW && head.pane + st->panes <= given))
        return "is of a time that is over, or never comes";
    struct group *a =
        groups_take(&st->groups, head.pane, key, head.n_key, groups_hash(key, head.n_key), &is_new);
    if (!a) return "does not fit any more";
    if (!is_new) return "is there twice";
    memcpy(group_cell(a), cell, st->groups.cell_bytes);
    return aggregates_valid(&st->sums, group_cell(a)) ? NULL : "has sums that cannot be";
}

static int restore_groups(struct leat_ctx *ctx, struct window *st, struct leat_reader *r,
                          int64_t given)
{
    const void *bytes;
    uint64_t n = 0, each = saved_bytes(st);
    int status = r->array(r, "groups", LEAT_U8, &bytes, &n);
    if (status != LEAT_OK) return status;
    if (n % each)
        return r->refuse(r, "groups has %llu bytes, and a group has %llu", (unsigned long long)n,
                         (unsigned long long)each);
    for (uint64_t i = 0; i < n / each; i++) {
        const char *why = restore_group(ctx, st, given, (const char *)bytes + i * each);
        if (!why) continue;
        groups_clear(&st->groups);
        return r->refuse(r, "groups[%llu] cannot be taken: it %s", (unsigned long long)i, why);
    }
    return LEAT_OK;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct window *st = self;
    struct window_state s = state_of(st);
    int status = state_check_version(r, version, STATE_VERSION);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(fields), &s);
    if (status != LEAT_OK) return status;
    int64_t latest = (int64_t)s.latest, given = (int64_t)s.given;
    if (latest < -1 ||
        (given != NO_WINDOW && (given < -INT64_MAX / st->slide || given > INT64_MAX / st->slide)))
        return r->refuse(r, "latest or given is no time");
    groups_clear(&st->groups);
    status = restore_groups(ctx, st, r, given);
    if (status != LEAT_OK) return status;
    st->latest = latest;
    st->given = given;
    st->late = s.late;
    st->early = s.early;
    st->refused = s.refused;
    st->peak = s.peak;
    st->sums.overflows = s.overflows;
    return LEAT_OK;
}

const struct leat_stage shape_window = {
    .name = "shape.window",
    .summary = "counts, sums, quantiles of each span of time, for each key",
    .doc = window_doc,
    .example =
        "leat.window { \"count\", \"mean(bytes)\", \"quantile(ms, 0.99)\", every = \"5min\", "
        "by = { \"host\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_STATEFUL,
    LEAT_FLOW(LEAT_HAS_COLUMNS | LEAT_HAS_TIMESTAMP, LEAT_HAS_COLUMNS),
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct window, open_window, close_window),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .expand = expand,
    .stop = stop,
    .finish = finish,
    LEAT_STATE(STATE_VERSION, snapshot, restore),
};
