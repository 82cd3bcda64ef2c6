/* quantile.c -- label.quantile: the largest (or smallest) values of a column are the outliers.
 *
 * The threshold is kernels/kll's estimate from all values so far, this record's among them. It is
 * asked for again when the count has grown by 1/256: asking costs a microsecond, so that is some
 * nanoseconds a record, and a threshold is never older than 0.4 % of the stream.
 *
 * Why this record's value counts too: so the first one has a threshold (itself, hence label -1),
 * and on the exact stretch at most a share 1 - q is ever +1. */
#include <leat/plugin.h>

#include <stdio.h>
#include <string.h>

#include "kernels/sketch/kll.h"
#include "support/cell.h"

#define ASK_AFTER 256 /* ask again after n / this many more values */

enum direction { ABOVE, BELOW };
enum missing { MISSING_REJECT, MISSING_FILTER };
static const char *const directions[] = {"above", "below", NULL};
static const char *const missings[] = {"reject", "filter", NULL};

struct cfg {
    const char *column;
    double q;
    int32_t direction; /* enum direction */
    int32_t missing;   /* enum missing   */
    int64_t warmup;
    int64_t k;
};

struct labeller {
    struct kll *sketch;
    uint32_t column;
    double threshold;
    uint64_t ask_at; /* count of values at which the threshold is asked for again */
};

static const struct leat_param params[] = {
    {.name = "column",
     .type = LEAT_STRING,
     .flags = LEAT_REQUIRED,
     .offset = offsetof(struct cfg, column),
     .doc = "the column that is compared: numbers, or text that is one"},
    {.name = "q",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, q),
     .def = "0.8",
     .min = 1e-6,
     .max = 1 - 1e-6,
     .doc = "the quantile that is the threshold: 0.8 makes the top 20 % positive"},
    {.name = "direction",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, direction),
     .def = "above",
     .choices = directions,
     .doc = "which side of the threshold is positive; a value equal to it never is"},
    {.name = "missing",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, missing),
     .def = "filter",
     .choices = missings,
     .doc = "what becomes of a record without a value: filtered, or rejected as bad"},
    {.name = "warmup",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, warmup),
     .def = "0",
     .min = 0,
     .max = 1e15,
     .unit = "records",
     .doc = "so many values at the start only form the threshold; their records are filtered"},
    {.name = "k",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, k),
     .def = "200",
     .min = KLL_MIN_K,
     .max = KLL_MAX_K,
     .unit = "values",
     .doc = "size of the quantile sketch: the rank error is about 3.3 / k, at 99 %"},
};

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    double positive = c->direction == ABOVE ? 1.0 - c->q : c->q;
    if (positive > 0.5 + 1e-9)
        d->warn(d, "q", "%g makes %g %% of the records positive: direction \"%s\" with q = %g?",
                c->q, 100.0 * positive, directions[c->direction], 1.0 - c->q);
    return LEAT_OK;
}

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct cfg *c = cfg;
    uint32_t column;
    if (n->in->has & LEAT_HAS_EXAMPLES)
        n->diag->error(
            n->diag, NULL,
            "examples are made by an earlier stage, and have their labels from then: put "
            "label.quantile before it");
    else if (n->in->has & LEAT_HAS_LABEL)
        n->diag->error(n->diag, NULL, "an earlier stage makes labels: leave out one of the two");
    int s = n->column(n, "column", c->column, &column);
    return s < 0 ? s : LEAT_OK;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *c = cfg;
    (void)in, (void)out;
    p->state_bytes = kll_bytes((uint32_t)c->k);
    snprintf(p->note, sizeof p->note, "rank of the threshold within %.2g %% of the records (99 %%)",
             100.0 * (kll_error_ahead((uint32_t)c->k, 0.01) + 1.0 / ASK_AFTER));
    return LEAT_OK;
}

static int open_labeller(struct leat_ctx *ctx, void *self)
{
    struct labeller *st = self;
    const struct cfg *c = ctx->cfg;
    st->sketch = ctx->host->alloc(ctx, kll_bytes((uint32_t)c->k));
    if (!st->sketch)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for a quantile sketch of k = %lld",
                               (long long)c->k);
    kll_init(st->sketch, (uint32_t)c->k, ctx->host->seed(ctx));
    st->column = cell_column(ctx, c->column);
    return LEAT_OK;
}

static void close_labeller(struct leat_ctx *ctx, void *self)
{
    struct labeller *st = self;
    ctx->host->free(ctx, st->sketch);
}

/* Take x; the threshold that it is compared with. 0: the sketch can count no further. */
static int take(struct labeller *st, const struct cfg *c, double x)
{
    if (!kll_insert(st->sketch, x)) return 0;
    if (st->sketch->n >= st->ask_at) {
        st->threshold = kll_quantile(st->sketch, c->q);
        st->ask_at = st->sketch->n + 1 + st->sketch->n / ASK_AFTER;
    }
    return 1;
}

static void tell_threshold(struct leat_ctx *ctx, const struct labeller *st)
{
    if (st->sketch->n) ctx->host->metric(ctx, "threshold", st->threshold);
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct labeller *st = self;
    const struct cfg *c = ctx->cfg;
    for (LEAT_EACH_RECORD(b, r)) {
        double x;
        enum cell cell = cell_number(ctx, b, r, st->column, &x);
        if (cell == CELL_MISSING && c->missing == MISSING_FILTER)
            leat_filter(b, r);
        else if (cell == CELL_MISSING)
            ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "column '%s' is empty", c->column);
        if (cell != CELL_NUMBER) continue;
        if (!take(st, c, x)) return ctx->host->fail(ctx, LEAT_EDATA, "more than 2^48 values");
        if (st->sketch->n <= (uint64_t)c->warmup) leat_filter(b, r);
        int positive = c->direction == ABOVE ? x > st->threshold : x < st->threshold;
        b->label[r] = positive ? 1.0f : -1.0f;
    }
    tell_threshold(ctx, st);
    return LEAT_OK;
}

/* Also of a run that goes on and finds nothing more to read. */
static int stop(struct leat_ctx *ctx, void *self)
{
    tell_threshold(ctx, self);
    return LEAT_OK;
}

/* ---- state ---- */

enum { STATE_VERSION = 1 };

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct labeller *st = self;
    const struct kll *s = st->sketch;
    (void)ctx;
    w->u64(w, "k", s->k);
    w->u64(w, "n", s->n);
    w->u64(w, "coin", s->coin);
    w->f64(w, "min", s->min);
    w->f64(w, "max", s->max);
    w->f64(w, "spread", s->spread);
    w->u64(w, "levels", s->levels);
    w->u64(w, "sorted", s->sorted);
    w->array(w, "cap", LEAT_U32, s->cap, KLL_MAX_LEVELS + 1);
    w->array(w, "start", LEAT_U32, s->start, KLL_MAX_LEVELS + 1);
    w->array(w, "item", LEAT_F64, s->item, s->start[s->levels]);
    w->f64(w, "threshold", st->threshold);
    return w->u64(w, "ask_at", st->ask_at);
}

static int read_u32(struct leat_reader *r, const char *name, uint32_t *v)
{
    uint64_t wide = 0;
    int s = r->u64(r, name, &wide);
    if (s == LEAT_OK && wide > UINT32_MAX) return r->refuse(r, "%s cannot be", name);
    *v = (uint32_t)wide;
    return s;
}

static int read_limits(struct leat_reader *r, const char *name, uint32_t *to)
{
    const void *v;
    uint64_t n = KLL_MAX_LEVELS + 1;
    int s = r->array(r, name, LEAT_U32, &v, &n);
    if (s == LEAT_OK) memcpy(to, v, sizeof(uint32_t) * (KLL_MAX_LEVELS + 1));
    return s;
}

/* Into a sketch of the same k that is nobody's yet. */
static int read_sketch(struct leat_reader *r, struct kll *s)
{
    const void *item;
    uint64_t n = 0, room = (kll_bytes(s->k) - sizeof *s) / sizeof *s->item;
    int status = r->same_u64(r, "k", s->k);
    if (status == LEAT_OK) status = r->u64(r, "n", &s->n);
    if (status == LEAT_OK) status = r->u64(r, "coin", &s->coin);
    if (status == LEAT_OK) status = r->f64(r, "min", &s->min);
    if (status == LEAT_OK) status = r->f64(r, "max", &s->max);
    if (status == LEAT_OK) status = r->f64(r, "spread", &s->spread);
    if (status == LEAT_OK) status = read_u32(r, "levels", &s->levels);
    if (status == LEAT_OK) status = read_u32(r, "sorted", &s->sorted);
    if (status == LEAT_OK) status = read_limits(r, "cap", s->cap);
    if (status == LEAT_OK) status = read_limits(r, "start", s->start);
    if (status == LEAT_OK) status = r->array(r, "item", LEAT_F64, &item, &n);
    if (status != LEAT_OK) return status;
    if (s->levels > KLL_MAX_LEVELS || n > room || n != s->start[s->levels])
        return r->refuse(r, "its quantile sketch cannot be");
    if (n) memcpy(s->item, item, n * sizeof *s->item);
    return kll_check(s) ? LEAT_OK : r->refuse(r, "its quantile sketch cannot be");
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct labeller *st = self, read = *st;
    uint32_t k = st->sketch->k;
    (void)version;
    read.sketch = ctx->host->alloc(ctx, kll_bytes(k));
    if (!read.sketch) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for a quantile sketch");
    kll_init(read.sketch, k, 0);
    int s = read_sketch(r, read.sketch);
    if (s == LEAT_OK) s = r->f64(r, "threshold", &read.threshold);
    if (s == LEAT_OK) s = r->u64(r, "ask_at", &read.ask_at);
    if (s == LEAT_OK) memcpy(st->sketch, read.sketch, kll_bytes(k));
    if (s == LEAT_OK) st->threshold = read.threshold, st->ask_at = read.ask_at;
    ctx->host->free(ctx, read.sketch);
    return s;
}

const struct leat_stage label_quantile = {
    .name = "label.quantile",
    .summary = "labels the records with the largest values of a column +1, all others -1",
    .doc =
        "The label is +1 where value > t, else -1; t estimates the q-quantile of all values up to "
        "and including this one: the smallest x with |{values <= x}| >= q n. With direction = "
        "\"below\" it is +1 where value < t. The comparison is strict, so with many ties (a delay "
        "that is mostly 0) far fewer than a share 1 - q may be positive, but no more than t's "
        "error. "
        "t is exact for the first k values and after that comes from a KLL sketch (Karnin, Lang, "
        "Liberty: Optimal Quantile Approximation in Streams, FOCS 2016): its rank is off by at "
        "most sqrt(2 ln(2/delta)) / k of the count with probability 1 - delta, 1.6 % for k = 200 "
        "at 99 %; it is refreshed whenever the count has grown by 1/256. While few values have "
        "been seen the labels are coarse (the first is always -1): warmup = n filters the first n "
        "records that have a value instead of labelling them. Text that is no number is "
        "rejected. "
        "Memory: about 3 k + 320 values, fixed; time: some 50 ns a record. Metric: threshold.",
    .example = "leat.label.quantile { column = \"dep_delay\", q = 0.8 }",
    .kind = LEAT_TRANSFORM,
    .needs = LEAT_HAS_COLUMNS,
    .makes = LEAT_HAS_LABEL,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct labeller),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .open = open_labeller,
    .close = close_labeller,
    .stop = stop,
    .process = process,
    .state_version = STATE_VERSION,
    .snapshot = snapshot,
    .restore = restore,
};
