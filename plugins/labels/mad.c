/* mad.c -- label.mad: labels values far from the median of a column as outliers.
 *
 * A sketch (kernels/summaries/kll.h) estimates the median and the MAD, the median distance from the
 * median, from all values so far, including the present one. A value is an outlier if it is more
 * than `factor` times 1.4826 MAD from the median. 1.4826 MAD is the standard deviation of normal
 * values, and unlike that of any values it does not grow with the outliers.
 *
 * Median and MAD are updated each time that the number n of values has grown by 1/256. Before an
 * update, the share of values up to the median may be off by half of that: n / 2 of n (1 + 1/256)
 * values, or n (1/2 + 1/256).
 *
 * While the MAD is 0, at least half of the values are equal, and no record is an outlier. */
#include <leat/plugin.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/summaries/kll.h"
#include "labels/docs.h"
#include "outliers.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"
#include "common/state/state_fields.h"

enum { REFRESH_SHARE = 256 }; /* the limits are updated after n / REFRESH_SHARE more values */
#define MAD_NORMAL 1.4826     /* standard deviation of normal values, in MADs */

enum mad_direction { ABOVE, BELOW, BOTH };
static const char *const mad_directions[] = {"above", "below", "both", NULL};

struct mad_cfg {
    struct outliers_cfg outliers;
    double factor;
    int32_t direction; /* enum mad_direction */
    int64_t k;
};

struct mad {
    struct kll *sketch;
    struct kll_item *work; /* kll_work(k, 1) elements */
    uint32_t column;
    double median, mad;
    uint64_t refresh_at; /* number of values at which median and MAD are updated next */
    struct outliers count;
};

static const struct leat_param mad_params[] = {
    OUTLIERS_PARAMS,
    LEAT_PARAM(struct mad_cfg, factor, LEAT_FLOAT, .def = "3", .min = 1e-9, .max = 1e9,
               .doc = "a value is an outlier if it is more than so many times 1.4826 MAD from the "
                      "median"),
    LEAT_PARAM(struct mad_cfg, direction, LEAT_CHOICE, .def = "both", .choices = mad_directions,
               .doc = "which side of the median has outliers"),
    LEAT_PARAM(struct mad_cfg, k, LEAT_INT, .flags = LEAT_ADVANCED, .def = "1024", .min = KLL_MIN_K,
               .max = KLL_MAX_K, .unit = "values",
               .doc = "capacity of the sketch; the share of values below the median is off by at "
                      "most 1.3 / k + 1/512, at 99 %"),
};

static int mad_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                    struct leat_plan *p)
{
    uint32_t k = (uint32_t)((const struct mad_cfg *)cfg)->k;
    p->state_bytes = kll_bytes(k);
    p->work_bytes = kll_work(k, 1) * sizeof(struct kll_item);
    snprintf(p->note, sizeof p->note,
             "the sketch is exact for %u values; later the ranks are off by at most %.2g %% "
             "(99 %%)",
             kll_capacity(k), 100 * (kll_error(k) + 0.5 / REFRESH_SHARE));
    return LEAT_OK;
}

static int mad_open(struct leat_ctx *ctx, void *self)
{
    struct mad *st = self;
    const struct mad_cfg *c = ctx->cfg;
    uint32_t k = (uint32_t)c->k;
    st->sketch = ctx->host->alloc(ctx, kll_bytes(k));
    st->work = ctx->host->alloc(ctx, kll_work(k, 1) * sizeof *st->work);
    if (!st->sketch || !st->work)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for a sketch of k = %u", k);
    kll_init(st->sketch, k, ctx->host->seed(ctx));
    st->column = columns_known(ctx, c->outliers.label.column, CELL_TAKES);
    return LEAT_OK;
}

static void mad_close(struct leat_ctx *ctx, void *self)
{
    struct mad *st = self;
    ctx->host->free(ctx, st->work);
    ctx->host->free(ctx, st->sketch);
}

static void mad_refresh(struct mad *st)
{
    const struct kll *const sketch = st->sketch;
    uint32_t items = kll_gather(&sketch, 1, st->work);
    st->median = kll_at(st->work, items, 0.5);
    st->mad = fmin(kll_distance(st->work, items, st->median), DBL_MAX);
    st->refresh_at = sketch->n + 1 + sketch->n / REFRESH_SHARE;
}

/* Returns the largest distance from the median of a value that is no outlier. */
static double mad_reach(const struct mad *st, const struct mad_cfg *c)
{
    return st->mad > 0 ? c->factor * MAD_NORMAL * st->mad : (double)INFINITY;
}

static bool mad_is_beyond(const struct mad *st, const struct mad_cfg *c, double x)
{
    double reach = mad_reach(st, c);
    bool above = x > st->median + reach, below = x < st->median - reach;
    return (above && c->direction != BELOW) || (below && c->direction != ABOVE);
}

static int mad_report(struct leat_ctx *ctx, void *self)
{
    const struct mad *st = self;
    if (st->sketch->n) ctx->host->metric(ctx, "median", st->median);
    if (st->sketch->n) ctx->host->metric(ctx, "mad", st->mad);
    outliers_report(ctx, &st->count);
    return LEAT_OK;
}

static int mad_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct mad *st = self;
    const struct mad_cfg *c = ctx->cfg;
    for (LEAT_EACH_RECORD(b, r)) {
        double x;
        if (!outliers_value(ctx, &st->count, b, r, st->column, &x)) continue;
        if (st->sketch->n == KLL_MAX_COUNT)
            return ctx->host->fail(ctx, LEAT_EDATA,
                                   "the sketch is full: it counts at most 2^56 values");
        kll_add(st->sketch, x);
        if (st->sketch->n >= st->refresh_at) mad_refresh(st);
        outliers_label(ctx, &st->count, b, r, mad_is_beyond(st, c, x),
                       st->sketch->n > (uint64_t)c->outliers.warmup);
    }
    return mad_report(ctx, self);
}

static void mad_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct mad *st = self[0];
    const struct mad_cfg *c = ctx->cfg;
    outliers_finish(ctx, &st->count);
    if (st->sketch->n && !(st->mad > 0))
        ctx->host->log(ctx, LEAT_WARN,
                       "at least half of the %llu values of '%s' are %.6g, so their MAD is 0 and "
                       "none is an outlier: label by a quantile, or by a condition",
                       (unsigned long long)st->sketch->n, c->outliers.label.column, st->median);
}

/* ---- state ---- */

enum { MAD_STATE_VERSION = 1 };

/* Bytes of the sketch, and what follows from them only up to the next update. */
struct mad_state {
    uint32_t bytes, most; /* most: bytes of a full sketch */
    const uint8_t *sketch;
    double median, mad;
    uint64_t refresh_at;
    struct outliers count;
};

static void mad_turn_sketch(void *sketch, uint64_t bytes)
{
    kll_turn(sketch, (uint32_t)((bytes - sizeof(struct kll)) / sizeof(double)));
}

#define AT(member) STATE_MEMBER(struct mad_state, member)
static const struct state_field mad_fields[] = {
    {"sketch", STATE_LENT, .at = AT(sketch), .count = {AT(bytes)}, .sets_count = true,
     .limit = AT(most), .hint = "k", .turn = mad_turn_sketch},
    {"median", STATE_VALUE, .at = AT(median)},
    {"mad", STATE_VALUE, .at = AT(mad), .min = 0, .max = DBL_MAX},
    {"refresh_at", STATE_VALUE, .at = AT(refresh_at)},
    OUTLIERS_FIELDS,
};
#undef AT

static int mad_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct mad *st = self;
    const struct mad_state s = {.bytes = (uint32_t)kll_used(st->sketch),
                                .sketch = (const uint8_t *)st->sketch,
                                .median = st->median,
                                .mad = st->mad,
                                .refresh_at = st->refresh_at,
                                .count = st->count};
    return state_write(w, STATE_TABLE(mad_fields), &s);
}

/* Copies the saved sketch to `fresh`, zeroed memory for a sketch of this k. */
static bool mad_load(const struct mad_state *s, struct kll *fresh, uint32_t k)
{
    if (s->bytes < sizeof *fresh) return false;
    memcpy(fresh, s->sketch, s->bytes);
    mad_turn_sketch(fresh, s->bytes);
    return kll_is_valid(fresh, k) && kll_used(fresh) == s->bytes;
}

static int mad_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct mad *st = self;
    uint32_t k = st->sketch->k;
    struct mad_state s = {.most = (uint32_t)kll_bytes(k)};
    int status = state_check_version(r, version, MAD_STATE_VERSION);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(mad_fields), &s);
    if (status != LEAT_OK) return status;
    struct kll *fresh = ctx->host->alloc(ctx, kll_bytes(k));
    if (!fresh) return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a sketch");
    if (mad_load(&s, fresh, k)) {
        memcpy(st->sketch, fresh, kll_bytes(k));
        st->median = s.median;
        st->mad = s.mad;
        st->refresh_at = s.refresh_at;
        st->count = s.count;
    } else {
        status = r->refuse(r, "the sketch is damaged, or k was not %u", k);
    }
    ctx->host->free(ctx, fresh);
    return status;
}

static const struct leat_figure mad_figures[] = {
    {"median", "1", "median of the values so far", LEAT_GAUGE},
    {"mad", "1", "median distance of the values from it", LEAT_GAUGE},
    OUTLIERS_FIGURES,
};

const struct leat_stage label_mad = {
    .name = "label.mad",
    .summary = "labels values far from the median of a column +1, all others -1",
    .doc = mad_doc,
    .example = "leat.label.mad { column = \"dep_delay\", factor = 3 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_STATEFUL | LEAT_REWRITES,
    LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_LABEL),
    LEAT_PARAMS(mad_params, struct mad_cfg),
    LEAT_FIGURES(mad_figures),
    LEAT_INSTANCE(struct mad, mad_open, mad_close),
    .negotiate = outliers_negotiate,
    .plan = mad_plan,
    .stop = mad_report,
    .process = mad_process,
    .finish = mad_finish,
    .state = LEAT_ROLE(leat_state, .version = MAD_STATE_VERSION, .snapshot = mad_snapshot,
                       .restore = mad_restore),
};
