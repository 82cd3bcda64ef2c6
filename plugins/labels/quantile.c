/* quantile.c -- label.quantile: labels the largest (or smallest) values of a column as outliers.
 *
 * A sketch (kernels/summaries/tail_quantile.h) estimates the threshold, the q-quantile, from all
 * values so far, including the present one. An update of the threshold costs microseconds, so it
 * is made when it is due. Let r be the rarer share, min(q, 1 - q). Of d values since the last
 * update, r d are expected on the rarer side. The threshold is updated once their number differs
 * from that by more than LAG of all values there, r n. So the threshold may lag behind the sketch
 * by LAG of them, for any order of the values. It is also updated each time that the number of
 * values has grown by 1/256. While r n < 32, each value beyond the threshold causes an update. So a
 * new extreme is compared with a threshold that includes it.
 *
 * Because the present value is included, even the first record has a threshold. This is the
 * record's own value, so its label is -1.
 *
 * At the end of the run, the fraction of positive records is compared with q. It may differ because
 * of ties, the order of the records, or too few records. No sketch can prevent this. */
#include <leat/plugin.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/summaries/tail_quantile.h"
#include "labels/docs.h"
#include "outliers.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"
#include "common/state/state_fields.h"

enum {
    REFRESH_SHARE = 256, /* the threshold is updated after n / REFRESH_SHARE more values */
    FEWEST_RECORDS = 100 /* fewest records for comparing the fraction of positives with q */
};
#define LAG       (1.0 / 128) /* of the values on the rarer side, by which a threshold may lag */
#define SHARE_OFF 0.2 /* largest relative error of the fraction of positives without a warning */

enum quantile_label_direction { ABOVE, BELOW };
static const char *const quantile_label_directions[] = {"above", "below", NULL};

struct quantile_label_cfg {
    struct outliers_cfg outliers;
    double q;
    int32_t direction; /* enum quantile_label_direction */
    int64_t k;
};

struct quantile_label_labeller {
    struct tail_quantile *sketch;
    uint32_t column;
    double threshold;
    uint64_t refresh_at; /* number of values at which the threshold is updated next */
    double ahead;        /* values on the rarer side since the last update, minus those expected */
    uint64_t ties;       /* labelled records equal to the threshold */
    struct outliers count;
};

static const struct leat_param quantile_label_params[] = {
    OUTLIERS_PARAMS,
    LEAT_PARAM(struct quantile_label_cfg, q, LEAT_FLOAT, .def = "0.8", .min = 1e-6, .max = 1 - 1e-6,
               .doc = "the quantile to use as threshold: 0.8 makes the top 20 % positive"),
    LEAT_PARAM(struct quantile_label_cfg, direction, LEAT_CHOICE, .def = "above",
               .choices = quantile_label_directions,
               .doc = "which side of the threshold is positive; a value equal to it never is"),
    LEAT_PARAM(struct quantile_label_cfg, k, LEAT_INT, .flags = LEAT_ADVANCED, .def = "1024",
               .min = TAIL_MIN_K, .max = TAIL_MAX_K, .unit = "values",
               .doc = "values kept of each sample; the relative error of the share of positives is "
                      "at most 3.6 / sqrt(k) + 1/128, at 99 %"),
};

static int quantile_label_validate(const void *cfg, struct leat_diag *d)
{
    const struct quantile_label_cfg *c = cfg;
    double positive = c->direction == ABOVE ? 1.0 - c->q : c->q;
    if (positive > 0.5 + 1e-9)
        d->warn(
            d, "q",
            "%g makes %g %% of the records positive: did you mean direction \"%s\" with q = %g?",
            c->q, 100.0 * positive, quantile_label_directions[c->direction], 1.0 - c->q);
    return LEAT_OK;
}

static int quantile_label_plan(const void *cfg, const struct leat_schema *in,
                               const struct leat_schema *out, struct leat_plan *p)
{
    const struct quantile_label_cfg *c = cfg;
    p->state_bytes = tail_quantile_bytes(c->q, (uint32_t)c->k);
    snprintf(
        p->note, sizeof p->note,
        "%g %% of the records are beyond the threshold, with a relative error of %.2g %% (99 %%)",
        100.0 * (c->q < 0.5 ? c->q : 1.0 - c->q),
        100.0 * (tail_quantile_error(c->q, (uint32_t)c->k) + LAG));
    return LEAT_OK;
}

static int quantile_label_open_labeller(struct leat_ctx *ctx, void *self)
{
    struct quantile_label_labeller *st = self;
    const struct quantile_label_cfg *c = ctx->cfg;
    st->sketch = ctx->host->alloc(ctx, tail_quantile_bytes(c->q, (uint32_t)c->k));
    if (!st->sketch)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for a quantile sketch of k = %lld",
                               (long long)c->k);
    tail_quantile_init(st->sketch, c->q, (uint32_t)c->k, ctx->host->seed(ctx));
    st->column = columns_known(ctx, c->outliers.label.column, CELL_TAKES);
    return LEAT_OK;
}

static void quantile_label_close_labeller(struct leat_ctx *ctx, void *self)
{
    struct quantile_label_labeller *st = self;
    ctx->host->free(ctx, st->sketch);
}

/* Counts x among the values since the last update. Returns true if an update is due. */
static bool quantile_label_is_due(struct quantile_label_labeller *st, double x)
{
    double q = st->sketch->q, rarer = fmin(q, 1 - q), n = (double)st->sketch->n;
    st->ahead += (q < 0.5 ? x < st->threshold : x > st->threshold) - rarer;
    return st->sketch->n >= st->refresh_at || fabs(st->ahead) > LAG * rarer * n;
}

/* Adds x to the sketch, and updates the threshold if that is due. Returns false if the sketch is
 * full. */
static bool quantile_label_add_value(struct quantile_label_labeller *st, double x)
{
    if (!tail_quantile_insert(st->sketch, x)) return false;
    if (quantile_label_is_due(st, x)) {
        st->ahead = 0;
        st->threshold = tail_quantile_value(st->sketch);
        st->refresh_at = st->sketch->n + 1 + st->sketch->n / REFRESH_SHARE;
    }
    return true;
}

/* Reports the figures. Called at the end, too, because a continued run may read no records but has
 * a threshold. */
static int quantile_label_report_figures(struct leat_ctx *ctx, void *self)
{
    const struct quantile_label_labeller *st = self;
    if (st->sketch->n) ctx->host->metric(ctx, "threshold", st->threshold);
    outliers_report(ctx, &st->count);
    return LEAT_OK;
}

static int quantile_label_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct quantile_label_labeller *st = self;
    const struct quantile_label_cfg *c = ctx->cfg;
    uint64_t warmup = (uint64_t)c->outliers.warmup;
    for (LEAT_EACH_RECORD(b, r)) {
        double x;
        if (!outliers_value(ctx, &st->count, b, r, st->column, &x)) continue;
        if (!quantile_label_add_value(st, x))
            return ctx->host->fail(ctx, LEAT_EDATA,
                                   "the quantile sketch is full: it counts at most 2^48 values");
        bool beyond = c->direction == ABOVE ? x > st->threshold : x < st->threshold;
        if (outliers_label(ctx, &st->count, b, r, beyond, st->sketch->n > warmup))
            st->ties += x == st->threshold;
    }
    return quantile_label_report_figures(ctx, self);
}

/* ---- the fraction of positives ---- */

/* Returns a column in the form of a condition of --set: bytes, or column["unit price"]. */
static const char *quantile_label_in_condition(const char *column, char out[100])
{
    size_t n = strspn(column, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    if (!column[n] && (column[0] < '0' || column[0] > '9')) return column;
    snprintf(out, 100, "column[\"%.80s\"]", column);
    return out;
}

/* Writes the reason why the fraction of positives differs from q, and a remedy. */
static void quantile_label_say_why(const struct quantile_label_labeller *st,
                                   const struct quantile_label_cfg *c, double wanted, char *why,
                                   size_t n)
{
    double positive = (double)st->count.beyond, ties = (double)st->ties;
    double threshold = tail_quantile_value(st->sketch); /* threshold from all values of the run */
    char shown[100];
    const char *column = quantile_label_in_condition(c->outliers.label.column, shown);
    if (st->ties == st->count.labelled)
        snprintf(why, n, "every value equals the threshold %.6g: name another column", threshold);
    else if (fabs(positive - wanted) <= 3 * sqrt(wanted) + 2)
        snprintf(why, n,
                 "%.3g positive records are expected, too few for a certain share: move q towards "
                 "0.5 or read more records",
                 wanted);
    else if (positive < wanted && positive + ties >= (1 - SHARE_OFF) * wanted)
        snprintf(why, n,
                 "%llu values equal the threshold, and none of them is positive: say which values "
                 "are positive (outlier = '%s %s %.6g')",
                 (unsigned long long)st->ties, column,
                 positive + ties - wanted <= wanted - positive ? ">=" : ">", threshold);
    else
        snprintf(why, n,
                 "the values %s in the order of the records, and the threshold follows them: "
                 "shuffle the records, or set a fixed threshold (outlier = '%s %s %.6g')",
                 (positive > wanted) == (c->direction == ABOVE) ? "rise" : "fall", column,
                 c->direction == ABOVE ? ">" : "<", threshold);
}

static void quantile_label_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct quantile_label_labeller *st = self[0];
    const struct quantile_label_cfg *c = ctx->cfg;
    char why[256];
    outliers_finish(ctx, &st->count);
    double share = c->direction == ABOVE ? 1 - c->q : c->q;
    double wanted = share * (double)st->count.labelled;
    if (st->count.labelled < FEWEST_RECORDS) return;
    if (fabs((double)st->count.beyond - wanted) <= SHARE_OFF * wanted) return;
    quantile_label_say_why(st, c, wanted, why, sizeof why);
    ctx->host->log(ctx, LEAT_WARN,
                   "q: %.3g %% of %llu records are positive, and q = %g asks for %.3g %%: %s",
                   100 * (double)st->count.beyond / (double)st->count.labelled,
                   (unsigned long long)st->count.labelled, c->q, 100 * share, why);
}

/* ---- state ---- */

enum { STATE_VERSION = 6 };

/* Fields of the sketch, except its items. */
#define AT(member) STATE_MEMBER(struct tail_quantile, member)
static const struct state_field quantile_label_sketch_fields[] = {
    {"q", STATE_SAME, .at = AT(q)},
    {"k", STATE_SAME, .at = AT(k)},
    {"levels", STATE_SAME, .at = AT(levels)},
    {"n", STATE_VALUE, .at = AT(n)},
    {"coin", STATE_VALUE, .at = AT(coin)},
    {"sampled", STATE_INSIDE, .at = AT(sampled), .each = TAIL_MAX_LEVELS},
    {"held", STATE_INSIDE, .at = AT(held), .each = TAIL_MAX_LEVELS},
};
#undef AT

struct quantile_label_labeller_state {
    uint32_t k, levels;
    const double *item;
    double threshold, ahead;
    uint64_t refresh_at, ties;
    struct outliers count;
};

#define AT(member) STATE_MEMBER(struct quantile_label_labeller_state, member)
static const struct state_field quantile_label_labeller_fields[] = {
    {"item", STATE_LENT, .at = AT(item), .count = {AT(k), AT(levels)}},
    {"threshold", STATE_VALUE, .at = AT(threshold)},
    {"ahead", STATE_VALUE, .at = AT(ahead), .min = -0x1p48, .max = 0x1p48},
    {"refresh_at", STATE_VALUE, .at = AT(refresh_at)},
    OUTLIERS_FIELDS,
};
#undef AT

static int quantile_label_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct quantile_label_labeller *st = self;
    const struct quantile_label_labeller_state s = {.k = st->sketch->k,
                                                    .levels = st->sketch->levels,
                                                    .item = st->sketch->item,
                                                    .threshold = st->threshold,
                                                    .ahead = st->ahead,
                                                    .refresh_at = st->refresh_at,
                                                    .ties = st->ties,
                                                    .count = st->count};
    int status = state_write(w, STATE_TABLE(quantile_label_sketch_fields), st->sketch);
    return status == LEAT_OK ? state_write(w, STATE_TABLE(quantile_label_labeller_fields), &s)
                             : status;
}

/* Reads a sketch. Its q and k must equal those of `sketch`, which is not yet in use. */
static int quantile_label_read_sketch(struct leat_reader *r, struct tail_quantile *sketch,
                                      struct quantile_label_labeller_state *s)
{
    s->k = sketch->k;
    s->levels = sketch->levels;
    int status = state_read(r, STATE_TABLE(quantile_label_sketch_fields), sketch);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(quantile_label_labeller_fields), s);
    if (status != LEAT_OK) return status;
    memcpy(sketch->item, s->item, (size_t)s->k * s->levels * sizeof *s->item);
    return tail_quantile_check(sketch) ? LEAT_OK : r->refuse(r, "the quantile sketch is damaged");
}

static int quantile_label_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                  uint32_t version)
{
    struct quantile_label_labeller *st = self;
    struct quantile_label_labeller_state s = {.k = 0};
    double q = st->sketch->q;
    uint32_t k = st->sketch->k;
    int status = state_check_version(r, version, STATE_VERSION);
    if (status != LEAT_OK) return status;
    struct tail_quantile *sketch = ctx->host->alloc(ctx, tail_quantile_bytes(q, k));
    if (!sketch)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for a quantile sketch");
    tail_quantile_init(sketch, q, k, 0);
    status = quantile_label_read_sketch(r, sketch, &s);
    if (status == LEAT_OK) {
        memcpy(st->sketch, sketch, tail_quantile_bytes(q, k));
        st->threshold = s.threshold;
        st->ahead = s.ahead;
        st->refresh_at = s.refresh_at;
        st->ties = s.ties;
        st->count = s.count;
    }
    ctx->host->free(ctx, sketch);
    return status;
}

static const struct leat_figure quantile_label_figures[] = {
    {"threshold", "1", "threshold beyond which a record is an outlier", LEAT_GAUGE},
    OUTLIERS_FIGURES,
};

const struct leat_stage label_quantile = {
    .name = "label.quantile",
    .summary = "labels the records with the largest values of a column +1, all others -1",
    .doc = quantile_doc,
    .example = "leat.label.quantile { column = \"dep_delay\", q = 0.8 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_STATEFUL | LEAT_REWRITES,
    LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_LABEL),
    LEAT_PARAMS(quantile_label_params, struct quantile_label_cfg),
    LEAT_FIGURES(quantile_label_figures),
    LEAT_INSTANCE(struct quantile_label_labeller, quantile_label_open_labeller,
                  quantile_label_close_labeller),
    .validate = quantile_label_validate,
    .negotiate = outliers_negotiate,
    .plan = quantile_label_plan,
    .stop = quantile_label_report_figures,
    .process = quantile_label_process,
    .finish = quantile_label_finish,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = quantile_label_snapshot,
                       .restore = quantile_label_restore),
};
