/* quantile.c -- label.quantile: the largest (or smallest) values of a column are the outliers.
 *
 * The threshold is the estimate of a sketch (kernels/sketch/kll.h) from all values so far, with
 * that of this record. It is refreshed when the count has grown by 1/256: to ask the sketch costs a
 * microsecond, so that is some nanoseconds a record, and a threshold is never older than 0.4 % of
 * the stream.
 *
 * This record's value counts as well, so that the first record has a threshold (its own value,
 * hence label -1), and as long as the sketch is exact at most a share 1 - q is ever +1. */
#include <leat/plugin.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/sketch/kll.h"
#include "label.h"
#include "labels/docs.h"
#include "support/cell.h"
#include "support/columns.h"
#include "support/state_fields.h"

enum { REFRESH_SHARE = 256 }; /* the threshold is refreshed after n / this many more values */

enum direction { ABOVE, BELOW };
static const char *const directions[] = {"above", "below", NULL};

struct cfg {
    struct label_cfg label;
    double q;
    int32_t direction; /* enum direction */
    int64_t warmup;
    int64_t k;
};

struct labeller {
    struct kll *sketch;
    uint32_t column;
    double threshold;
    uint64_t refresh_at; /* the count of values at which the threshold is refreshed */
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct label_cfg, column, LEAT_STRING, .flags = LEAT_REQUIRED,
               .doc = "the column to compare: numbers, or texts that are numbers"),
    LEAT_PARAM(struct cfg, q, LEAT_FLOAT, .def = "0.8", .min = 1e-6, .max = 1 - 1e-6,
               .doc = "the quantile to use as threshold: 0.8 makes the top 20 % positive"),
    LEAT_PARAM(struct cfg, direction, LEAT_CHOICE, .def = "above", .choices = directions,
               .doc = "which side of the threshold is positive; a value equal to it never is"),
    LEAT_PARAM(struct label_cfg, missing, LEAT_CHOICE, .def = "filter",
               .choices = label_missing_names,
               .doc = "what to do with a record without a value: filter it, or reject it as bad"),
    LEAT_PARAM(struct cfg, warmup, LEAT_INT, .def = "0", .min = 0, .max = 1e15, .unit = "records",
               .doc = "the first N values only form the threshold; their records are filtered"),
    LEAT_PARAM(struct cfg, k, LEAT_INT, .flags = LEAT_ADVANCED, .def = "200", .min = KLL_MIN_K,
               .max = KLL_MAX_K, .unit = "values",
               .doc = "size of the quantile sketch: the rank error is about 3.3 / k, at 99 %"),
};

/* A threshold whose rank is off by more than the rarer side's share labels by luck. */
static void warn_of_error(const struct cfg *c, struct leat_diag *d)
{
    double rarer = c->q < 0.5 ? c->q : 1.0 - c->q;
    double error = kll_error_ahead((uint32_t)c->k, 0.01);
    double k = ceil((double)c->k * error / rarer); /* the error is a constant / k */
    if (error <= rarer) return;
    if (k <= KLL_MAX_K)
        d->warn(d, "k",
                "%lld finds the rank of the threshold within %.2g %% of the records, and q = %g "
                "asks for %.2g %%: set k to %.0f or more",
                (long long)c->k, 100.0 * error, c->q, 100.0 * rarer, k);
    else
        d->warn(d, "q",
                "%g asks for %.2g %% of the records, and the largest sketch finds the rank of the "
                "threshold within %.2g %%: move q towards 0.5",
                c->q, 100.0 * rarer, 100.0 * kll_error_ahead(KLL_MAX_K, 0.01));
}

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    warn_of_error(c, d);
    double positive = c->direction == ABOVE ? 1.0 - c->q : c->q;
    if (positive > 0.5 + 1e-9)
        d->warn(d, "q",
                "%g makes %g %% of the records positive: is direction \"%s\" with q = %g meant?",
                c->q, 100.0 * positive, directions[c->direction], 1.0 - c->q);
    return LEAT_OK;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *c = cfg;
    p->state_bytes = kll_bytes((uint32_t)c->k);
    snprintf(p->note, sizeof p->note, "rank of the threshold within %.2g %% of the records (99 %%)",
             100.0 * (kll_error_ahead((uint32_t)c->k, 0.01) + 1.0 / REFRESH_SHARE));
    return LEAT_OK;
}

static int open_labeller(struct leat_ctx *ctx, void *self)
{
    struct labeller *st = self;
    const struct cfg *c = ctx->cfg;
    st->sketch = ctx->host->alloc(ctx, kll_bytes((uint32_t)c->k));
    if (!st->sketch)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for a quantile sketch of k = %lld",
                               (long long)c->k);
    kll_init(st->sketch, (uint32_t)c->k, ctx->host->seed(ctx));
    st->column = columns_known(ctx, c->label.column);
    return LEAT_OK;
}

static void close_labeller(struct leat_ctx *ctx, void *self)
{
    struct labeller *st = self;
    ctx->host->free(ctx, st->sketch);
}

/* Adds x to the sketch and refreshes the threshold when that is due. false: the sketch is full. */
static bool add_value(struct labeller *st, const struct cfg *c, double x)
{
    if (!kll_insert(st->sketch, x)) return false;
    if (st->sketch->n >= st->refresh_at) {
        st->threshold = kll_quantile(st->sketch, c->q);
        st->refresh_at = st->sketch->n + 1 + st->sketch->n / REFRESH_SHARE;
    }
    return true;
}

/* At the end, too: a run that continues may find nothing more to read, and has a threshold. */
static int report_threshold(struct leat_ctx *ctx, void *self)
{
    const struct labeller *st = self;
    if (st->sketch->n) ctx->host->metric(ctx, "threshold", st->threshold);
    return LEAT_OK;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct labeller *st = self;
    const struct cfg *c = ctx->cfg;
    for (LEAT_EACH_RECORD(b, r)) {
        double x;
        enum cell cell = cell_number(ctx, b, r, st->column, &x);
        if (cell == CELL_MISSING) label_missing(ctx, b, r);
        if (cell != CELL_NUMBER) continue;
        if (!add_value(st, c, x))
            return ctx->host->fail(ctx, LEAT_EDATA,
                                   "the quantile sketch is full: it counts at most 2^48 values");
        if (st->sketch->n <= (uint64_t)c->warmup) leat_filter(b, r);
        bool positive = c->direction == ABOVE ? x > st->threshold : x < st->threshold;
        b->label[r] = positive ? 1.0f : -1.0f;
    }
    return report_threshold(ctx, self);
}

/* ---- state ---- */

enum { STATE_VERSION = 2 };

/* The sketch without its items. min and max are 0 while it is empty. */
#define AT(member) STATE_MEMBER(struct kll, member)
static const struct state_field sketch_fields[] = {
    {"k", STATE_SAME, .at = AT(k)},
    {"n", STATE_VALUE, .at = AT(n)},
    {"coin", STATE_VALUE, .at = AT(coin)},
    {"min", STATE_VALUE, .at = AT(min)},
    {"max", STATE_VALUE, .at = AT(max)},
    {"spread", STATE_VALUE, .at = AT(spread)},
    {"levels", STATE_VALUE, .at = AT(levels), .min = 1, .max = KLL_MAX_LEVELS},
    {"sorted", STATE_VALUE, .at = AT(sorted), .max = 1},
    {"cap", STATE_INSIDE, .at = AT(cap), .each = KLL_MAX_LEVELS + 1},
    {"start", STATE_INSIDE, .at = AT(start), .each = KLL_MAX_LEVELS + 1},
};
#undef AT

struct labeller_state {
    uint32_t items, max_items;
    const double *item;
    double threshold;
    uint64_t refresh_at;
};

#define AT(member) STATE_MEMBER(struct labeller_state, member)
static const struct state_field labeller_fields[] = {
    {"items", STATE_VALUE, .at = AT(items), .limit = AT(max_items)},
    {"item", STATE_LENT, .at = AT(item), .count = {AT(items)}},
    {"threshold", STATE_VALUE, .at = AT(threshold)},
    {"refresh_at", STATE_VALUE, .at = AT(refresh_at)},
};
#undef AT

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct labeller *st = self;
    const struct kll *sketch = st->sketch;
    struct kll head = *sketch;
    struct labeller_state s = {.items = sketch->start[sketch->levels],
                               .item = sketch->item,
                               .threshold = st->threshold,
                               .refresh_at = st->refresh_at};
    if (!head.n) head.min = head.max = 0;
    int status = state_write(w, STATE_TABLE(sketch_fields), &head);
    return status == LEAT_OK ? state_write(w, STATE_TABLE(labeller_fields), &s) : status;
}

/* Reads a sketch with the k that it has; nothing else uses it yet. */
static int read_sketch(struct leat_reader *r, struct kll *sketch, struct labeller_state *s)
{
    s->max_items = (uint32_t)((kll_bytes(sketch->k) - sizeof *sketch) / sizeof *sketch->item);
    int status = state_read(r, STATE_TABLE(sketch_fields), sketch);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(labeller_fields), s);
    if (status != LEAT_OK) return status;
    if (s->items != sketch->start[sketch->levels])
        return r->refuse(r, "items is %u; the levels have %u", s->items,
                         sketch->start[sketch->levels]);
    if (s->items) memcpy(sketch->item, s->item, s->items * sizeof *s->item);
    if (!sketch->n) sketch->min = (double)INFINITY, sketch->max = -(double)INFINITY;
    return kll_check(sketch) ? LEAT_OK : r->refuse(r, "the quantile sketch is damaged");
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct labeller *st = self;
    struct labeller_state s = {.items = 0};
    uint32_t k = st->sketch->k;
    int status = state_check_version(r, version, STATE_VERSION);
    if (status != LEAT_OK) return status;
    struct kll *sketch = ctx->host->alloc(ctx, kll_bytes(k));
    if (!sketch)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for a quantile sketch");
    kll_init(sketch, k, 0);
    status = read_sketch(r, sketch, &s);
    if (status == LEAT_OK) {
        memcpy(st->sketch, sketch, kll_bytes(k));
        st->threshold = s.threshold;
        st->refresh_at = s.refresh_at;
    }
    ctx->host->free(ctx, sketch);
    return status;
}

const struct leat_stage label_quantile = {
    .name = "label.quantile",
    .summary = "labels the records with the largest values of a column +1, all others -1",
    .doc = quantile_doc,
    .example = "leat.label.quantile { column = \"dep_delay\", q = 0.8 }",
    .kind = LEAT_TRANSFORM,
    LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_LABEL),
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct labeller, open_labeller, close_labeller),
    .validate = validate,
    .negotiate = label_negotiate_column,
    .plan = plan,
    .stop = report_threshold,
    .process = process,
    LEAT_STATE(STATE_VERSION, snapshot, restore),
};
