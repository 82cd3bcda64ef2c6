/* son.c -- implementation of son.h: plan, memory, examples, answers. */
#include "son.h"

#include <math.h>

#include "kernels/base/rank.h"
#include "common/answers/answer.h"
#include "common/learners/products.h"

const char *const son_losses[] = {"squared", "logistic", "squared_hinge", NULL};
const char *const son_labels[] = {"classes", "numbers", NULL};

enum {
    MAX_CLASS_CLIP = 30, /* largest clip C: learning needs a curvature e^-C that is not tiny */
    SOME_WEIGHTS = 4096  /* weights that an answer computes at a time                        */
};
#define SON_ONE UINT64_C(0x1d8f0c2b7a6e5f43) /* id of the constant feature that a learner adds */
static const char ONE_NAME[] = "(constant)";
static const double SPREADS = 1e6; /* C of numbers in units of their spread */

bool son_has_label_unit(const void *cfg)
{
    const struct son_cfg *c = cfg;
    return c->labels == SON_NUMBERS && !(c->clip > 0);
}

double son_clip_of(const struct son_cfg *c)
{
    if (c->clip > 0) return c->clip;
    return c->labels == SON_NUMBERS ? SPREADS : 1;
}

struct son_options son_options(const struct son_cfg *c)
{
    return (struct son_options){(enum son_loss)c->loss, son_clip_of(c), c->alpha0,
                                c->labels == SON_NUMBERS, son_has_label_unit(c)};
}

struct son_features son_features(const struct son_stage *st)
{
    const struct feature_table *t = &st->growing.table;
    return (struct son_features){t->row, t->stride, t->n};
}

/* ---- validate and negotiate ---- */

int son_validate(const void *cfg, struct leat_diag *d)
{
    const struct son_cfg *c = cfg;
    bool numbers = c->labels == SON_NUMBERS;
    if (numbers && c->loss != SON_SQUARED)
        d->error(d, "loss",
                 "%s is a loss of classes: labels = \"numbers\" needs loss = \"squared\"",
                 son_losses[c->loss]);
    else if (!numbers && c->clip > MAX_CLASS_CLIP)
        d->error(d, "clip", "%g is above %d, the most for labels = \"classes\"", c->clip,
                 MAX_CLASS_CLIP);
    else
        return LEAT_OK;
    return LEAT_EARG;
}

int son_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct son_cfg *c = cfg;
    examples_need_time(n, &c->half_life);
    if (c->labels == SON_CLASSES) return examples_negotiate(cfg, n);
    n->out->has |= LEAT_HAS_SCORE;
    n->out->score = LEAT_SCORE_VALUE;
    return LEAT_OK;
}

/* ---- plan, open, close ---- */

struct son_size son_size(const struct son_method *m, const void *cfg, uint32_t features,
                         uint32_t row)
{
    _Alignas(16) char opt[SON_MAX_OPTIONS];
    const struct son_kernel *k = m->kernel;
    m->options(cfg, 0, opt);
    uint32_t rows = k->max_rows ? k->max_rows(opt) : 0,
             slots = growing_max_slots(features, rows, row);
    return (struct son_size){SON_MARK + k->stride(opt), slots,
                             k->bytes ? k->bytes(opt, features, slots) : 0};
}

int son_plan(const struct son_method *m, const void *cfg, const struct leat_schema *in,
             struct leat_plan *p)
{
    const struct son_cfg *c = cfg;
    uint32_t max = growing_max_capacity(c->growing.max_features),
             row = examples_max_entries(c->growing.max_entries, in) + 1;
    struct son_size size = son_size(m, cfg, max, row);
    p->names_bytes = growing_names_bytes(&c->growing, in);
    p->work_bytes = row * (sizeof(double) + sizeof(uint32_t)) + (uint64_t)c->growing.name_bytes +
                    5 +                   /* a name, and one byte more per block */
                    max * sizeof(float) + /* weights of all features, for an answer */
                    answer_rows_bytes(max, sizeof(uint32_t)) + 1 + units_bytes(in, row);
    p->state_bytes = feature_table_bytes(max, size.stride) + size.block;
    growing_note(p, max);
    return LEAT_OK;
}

static void son_close(struct leat_ctx *ctx, void *self)
{
    struct son_stage *st = self;
    ctx->host->free(ctx, st->block);
    ctx->host->free(ctx, st->row.feature);
    ctx->host->free(ctx, st->row.x);
    growing_close(ctx, &st->growing);
    *st = (struct son_stage){.learner = st->learner};
}

void son_init(struct leat_ctx *ctx, struct son_stage *st)
{
    _Alignas(16) char opt[SON_MAX_OPTIONS];
    uint32_t features = st->growing.table.max_capacity;
    struct son_size size = son_size(st->method, ctx->cfg, features, st->max_row);
    st->method->options(ctx->cfg, ctx->host->seed(ctx), opt);
    st->method->kernel->init(st->model, opt, features, size.slots, st->block);
}

static int son_take_memory(struct leat_ctx *ctx, void *self)
{
    struct son_stage *st = self;
    const struct leat_host *h = ctx->host;
    const struct son_cfg *c = ctx->cfg;
    uint32_t row = examples_max_entries(c->growing.max_entries, ctx->in) + 1,
             features = growing_max_capacity(c->growing.max_features);
    struct son_size size = son_size(st->method, c, features, row);
    int status = growing_open(ctx, &c->growing, size.stride, &st->growing);
    if (status != LEAT_OK) return status;
    st->max_row = row;
    st->block = h->alloc(ctx, size.block + 1);
    st->row.feature = h->alloc(ctx, row * sizeof(uint32_t) + 1);
    st->row.x = h->alloc(ctx, row * sizeof(double) + 1);
    if (!st->block || !st->row.feature || !st->row.x)
        return h->fail(ctx, LEAT_ENOMEM,
                       "there is not enough memory for max_features = %u: lower it", features);
    son_init(ctx, st);
    return units_reserve(ctx, st->learner.units, row);
}

/* ---- examples ---- */

/* Rejects an example for the same reasons as examples_refuse(), but accepts any number as label. */
static bool son_refuse_number(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                              uint32_t max_row)
{
    const struct son_cfg *c = ctx->cfg;
    double y = (double)b->ex_label[e];
    const double most = c->clip > 0 ? c->clip : SON_MAX_CLIP * 10;
    if (!(fabs(y) <= most)) {
        ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_LABEL,
                          c->clip > 0 ? "label %g is not within -clip to clip = %g: raise clip"
                                      : "label %g is not within %g of 0",
                          y, most);
        return true;
    }
    return examples_refuse_row(ctx, b, e, max_row);
}

/* If the example cannot be learned, rejects it and returns true. Limits the sum of absolute values,
 * so that the square of the row's length is at most SON_MAX_SQUARE. */
static bool son_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e, uint32_t max_row)
{
    const double limit = sqrt(SON_MAX_SQUARE);
    double sum = 0, weight = (double)b->ex_weight[e];
    const struct son_cfg *c = ctx->cfg;
    if (c->labels == SON_NUMBERS ? son_refuse_number(ctx, b, e, max_row)
                                 : examples_refuse(ctx, b, e, max_row))
        return true;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++)
        sum += fabs((double)b->value[i]);
    if (!isfinite(sum))
        examples_reject_values(ctx, b, e);
    else if (sum > limit)
        ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_NONFINITE,
                          "the absolute values add up to %g; the limit is %g", sum, limit);
    else if (weight > SON_MAX_WEIGHT)
        ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_NONFINITE,
                          "importance weight %g is above %g", weight, SON_MAX_WEIGHT);
    else
        return false;
    return true;
}

/* Makes room for an example of n entries in the feature table and in the sketch's slots. With as
 * many slots as features, there is always room in the slots. */
static void son_reserve(struct leat_ctx *ctx, struct son_stage *st, uint32_t n)
{
    const struct son_kernel *k = st->method->kernel;
    growing_reserve(ctx, &st->growing, n);
    if (!k->free_slots || k->free_slots(st->model) >= n) return;
    struct son_features all = son_features(st);
    if (all.known + n > k->slots(st->model)) k->free_all(st->model, &all);
}

/* Copies the example to st->row. Omits features for which the table has no room. */
/* Unit of the labels: centre and spread. Without one, labels are learned as they are. With a spread
 * of 0 it is not known yet. */
struct son_unit {
    double centre, spread;
};

static struct son_unit son_unit_of(const struct son_stage *st)
{
    const struct unit *v = st->learner.units ? st->learner.units->label : NULL;
    if (!v) return (struct son_unit){0, 1};
    if (!(v->spread > 0)) return (struct son_unit){v->n ? (double)v->value[0] : 0, 0};
    return (struct son_unit){(double)v->centre, (double)v->spread};
}

/* Lets the unit of the labels see a label. Returns the label in this unit. */
static double son_label(struct son_stage *st, float y)
{
    struct unit *v = st->learner.units ? st->learner.units->label : NULL;
    if (!v) return (double)y;
    unit_see(v, y, true);
    struct son_unit u = son_unit_of(st);
    return u.spread > 0 ? son_clip(((double)y - u.centre) / u.spread, SPREADS) : 0;
}

/* True if examples get a constant feature: numbers have centres, and nothing else is constant. */
static bool son_adds_one(const struct son_stage *st)
{
    return !st->method->bias && units_lack_constant(st->learner.units);
}

/* Adds the constant feature to the current row. */
static void son_add_one(struct son_stage *st)
{
    uint32_t feature = feature_table_enroll(&st->growing.table, SON_ONE);
    struct son_features all = son_features(st);
    if (feature != FEATURE_TABLE_NONE) son_row_add(&st->row, &all, feature, 1);
}

static void son_gather(struct son_stage *st, const struct leat_batch *b, uint32_t e, const float *x,
                       bool numbers)
{
    struct son_row *row = &st->row;
    row->n = 0;
    row->y = !numbers ? (b->ex_label[e] > 0 ? 1 : -1) : son_label(st, b->ex_label[e]);
    row->weight = (double)b->ex_weight[e];
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        uint32_t feature = growing_enroll(&st->growing, b, i);
        struct son_features all = son_features(st);
        if (feature != FEATURE_TABLE_NONE)
            son_row_add(row, &all, feature, (double)x[i - b->ex_start[e]]);
    }
    if (son_adds_one(st)) son_add_one(st);
    son_row_finish(row);
}

/* True if the prediction itself is the score. Otherwise the score is its log odds. */
static bool son_is_score(const struct son_method *m, const struct son_cfg *c)
{
    return m->plain || c->labels == SON_NUMBERS;
}

static double son_weight(const struct son_stage *st, const struct son_features *f, uint32_t feature)
{
    const struct son_kernel *k = st->method->kernel;
    return k->weight ? k->weight(st->model, f, feature) : *son_feature(f, feature);
}

/* Returns the prediction for an example, without learning it. */
static double son_predict(struct leat_ctx *ctx, const struct son_stage *st,
                          const struct leat_batch *b, uint32_t e, const float *x)
{
    const struct son_cfg *c = ctx->cfg;
    const struct son_method *m = st->method;
    struct son_features all = son_features(st);
    double z = m->bias ? m->bias(st->model) : 0;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        uint32_t f = feature_table_find(&st->growing.table, b->id[i]);
        if (f != FEATURE_TABLE_NONE) z += son_weight(st, &all, f) * (double)x[i - b->ex_start[e]];
    }
    uint32_t one =
        son_adds_one(st) ? feature_table_find(&st->growing.table, SON_ONE) : FEATURE_TABLE_NONE;
    if (one != FEATURE_TABLE_NONE) z += son_weight(st, &all, one);
    return m->plain ? z : son_clip(z, son_clip_of(c));
}

/* Returns the score of a prediction z. u: unit of the labels before the example's label. */
static float son_score(const struct son_method *m, const struct son_cfg *c, struct son_unit u,
                       double z)
{
    double score = son_is_score(m, c) ? z : son_log_odds((enum son_loss)c->loss, z);
    return examples_score(u.centre + u.spread * score);
}

static int son_learn(struct leat_ctx *ctx, struct son_stage *st, struct leat_batch *b, uint32_t e)
{
    const struct son_cfg *c = ctx->cfg;
    const struct son_kernel *k = st->method->kernel;
    const struct son_unit unit = son_unit_of(st);
    double z;
    const bool learns = b->ex_weight[e] > 0;
    const float *x = units_values(st->learner.units, b, e, learns);
    if (!learns || units_hold_out(st->learner.units)) {
        b->score[e] = son_score(st->method, c, unit, son_predict(ctx, st, b, e, x));
        return LEAT_OK;
    }
    son_reserve(ctx, st, b->ex_start[e + 1] - b->ex_start[e] + son_adds_one(st));
    son_gather(st, b, e, x, c->labels == SON_NUMBERS);
    struct son_features all = son_features(st);
    if (c->half_life.ns) st->row.weight *= k->at(st->model, &all, b->timestamp[b->ex_record[e]]);
    enum son_result result = k->learn(st->model, &all, &st->row, &z);
    b->score[e] = son_score(st->method, c, unit, z);
    st->examples++;
    if (result == SON_OVERFLOW && !st->overflows++)
        ctx->host->log(ctx, LEAT_WARN,
                       "alpha0 = %g is too small for these features: an example whose step would "
                       "overflow the weights is predicted, but not learned; raise alpha0",
                       c->alpha0);
    return LEAT_OK;
}

int son_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct son_stage *st = self;
    uint32_t rejected = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e];
        if (r == rejected) continue; /* a rejected record loses all its examples */
        if (son_reject(ctx, b, e, st->max_row - 1)) {
            rejected = r;
            continue;
        }
        int status = son_learn(ctx, st, b, e);
        if (status != LEAT_OK) return status;
    }
    return LEAT_OK;
}

/* ---- answers ---- */

static void son_report(struct leat_ctx *ctx, void *self)
{
    struct son_stage *st = self;
    const struct feature_table *t = &st->growing.table;
    size_t block = son_size(st->method, ctx->cfg, t->capacity, st->max_row).block;
    growing_report(ctx, &st->growing);
    ctx->host->metric(ctx, "model_bytes",
                      (double)(feature_table_bytes(t->capacity, t->stride) + block));
    ctx->host->metric(ctx, "overflows", (double)st->overflows);
    struct son_features all = son_features(st);
    if (st->method->report) st->method->report(ctx, st->model, &all);
}

/* Weights of an answer. */
struct son_shown {
    const struct son_stage *st;
    const float *weight;
};

/* Returns the weight of a feature by its id; 0 if there is none. */
static double son_shown_weight(const void *of, uint64_t id)
{
    const struct son_shown *s = of;
    uint32_t f = feature_table_find(&s->st->growing.table, id);
    return f == FEATURE_TABLE_NONE ? 0 : (double)s->weight[f];
}

/* Returns the weight of feature f in the units of its column and of the label. */
static double son_own_weight(const struct son_shown *s, uint32_t f)
{
    const struct units *units = s->st->learner.units;
    const struct son_unit unit = son_unit_of(s->st);
    uint64_t id = s->st->growing.table.id[f];
    double w = (double)s->weight[f];
    if (!units) return w;
    if (id != SON_ONE && id != units->constant)
        return w * unit.spread / units_spread(units, id, false);
    return unit.centre + unit.spread * (w + units_constant(units, son_shown_weight, s));
}

static int son_answer_rows(const struct son_stage *st, uint32_t n, const uint32_t *top,
                           const float *weight, struct leat_result *out)
{
    const struct son_shown shown = {st, weight};
    int status = answer_columns(out, false, ANSWER_NO_SPREAD);
    for (uint32_t i = 0; i < n && status == LEAT_OK; i++) {
        char digits[24];
        size_t len;
        const char *name = growing_name(&st->growing, top[i], digits, &len);
        double w = son_own_weight(&shown, top[i]);
        bool is_one = st->growing.table.id[top[i]] == SON_ONE;
        status = is_one ? out->row(out, ONE_NAME, sizeof ONE_NAME - 1, &w)
                        : out->row(out, name, len, &w);
    }
    return status;
}

const char *const *son_columns(const void *cfg, uint32_t *n)
{
    return answer_names(false, false, n);
}

/* Sets `weight` to the weights of all features. */
static void son_weights(const struct son_stage *st, const struct son_features *all, float *weight)
{
    const struct son_kernel *k = st->method->kernel;
    double w[SOME_WEIGHTS];
    for (uint32_t n, from = 0; from < all->known; from += n) {
        n = all->known - from < SOME_WEIGHTS ? all->known - from : SOME_WEIGHTS;
        if (k->weights) k->weights(st->model, all, from, n, w);
        for (uint32_t i = 0; i < n; i++)
            weight[from + i] = examples_score(k->weights ? w[i] : son_weight(st, all, from + i));
    }
}

/* Answers a query. Reads the weights of all features, because some kernels must compute them. */
static int son_answer(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                      struct leat_result *out)
{
    struct son_stage *st = self;
    const struct leat_host *h = ctx->host;
    struct son_features all = son_features(st);
    uint32_t n = all.known, k = q->k < n ? q->k : n;
    float *weight = h->alloc(ctx, n * sizeof *weight + 1);
    uint32_t *top = h->alloc(ctx, k * sizeof *top + 1);
    int status = LEAT_OK;
    if (!weight || !top)
        status = h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features", n);
    if (status == LEAT_OK) {
        son_weights(st, &all, weight);
        k = k ? rank_heaviest(n, weight, NULL, 0, k, top) : 0;
        status = son_answer_rows(st, k, top, weight, out);
    }
    h->free(ctx, top);
    h->free(ctx, weight);
    return status;
}

/* ---- open ---- */

static unsigned son_units_plain(const void *cfg) { return UNITS_USED | UNITS_SCALED; }
static unsigned son_units_first_order(const void *cfg)
{
    return UNITS_USED | UNITS_SCALED | (son_has_label_unit(cfg) ? UNITS_LABEL : 0);
}
static unsigned son_units_newton(const void *cfg)
{
    return UNITS_STAY | son_units_first_order(cfg);
}

#define SON_METHOD                                                                                 \
    .open = son_take_memory, .close = son_close, .report = son_report, .answer = son_answer,       \
    .write = son_write, .restore = son_restore, .merge = son_merge, .version = SON_STATE_VERSION

int son_open(struct leat_ctx *ctx, const struct son_method *m, void *self)
{
    static const struct learner_method plain = {SON_METHOD, .units = son_units_plain},
                                       first_order = {SON_METHOD, .units = son_units_first_order},
                                       newton = {SON_METHOD, .units = son_units_newton};
    struct son_stage *st = self;
    st->method = m;
    st->cfg = ctx->cfg;
    products_open(ctx);
    return learner_open(ctx, self, m->plain ? &plain : m->first_order ? &first_order : &newton);
}
