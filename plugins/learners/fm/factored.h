/* factored.h -- what the stages of factorization machines share: parameters, which examples they
 * take, learning and predicting.
 *
 * Only glue. A stage's configuration begins with struct factored_cfg, its instance with struct
 * factored; what its model does is in a struct factored_kind, and the functions here call that.
 * Answers are in factored_top.h, states in factored_state.h.
 */
#ifndef LEAT_LEARNERS_FM_FACTORED_H
#define LEAT_LEARNERS_FM_FACTORED_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

#include "kernels/fm/fm_common.h"
#include "kernels/fm/pairs.h"
#include "support/growing.h"

struct factored_cfg {
    struct growing_cfg growing;
    double min, max;
    int32_t loss, top;
};

static const char *const factored_losses[] = {"squared", "logistic", "hinge", NULL};
enum factored_rows { FACTORED_BOTH = 0, FACTORED_LINEAR = 1, FACTORED_PAIRS = 2 };
static const char *const factored_tops[] = {"both", "linear", "pairs", NULL};

#define FACTORED_PARAM(FIELD, TYPE)                                                                \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct factored_cfg, FIELD)

/* clang-format off */
#define FACTORED_OTHER_PARAMS                                                                      \
    {FACTORED_PARAM(loss, LEAT_CHOICE), .def = "squared", .choices = factored_losses,              \
     .doc = "squared: labels are numbers (ratings); logistic, hinge: labels are -1 (or 0) and 1"}, \
    {FACTORED_PARAM(min, LEAT_FLOAT), .def = "-1e10", .min = -1e10, .max = 1e10,                   \
     .doc = "squared loss: predictions are shown as no less (learning goes by the prediction itself)"}, \
    {FACTORED_PARAM(max, LEAT_FLOAT), .def = "1e10", .min = -1e10, .max = 1e10,                    \
     .doc = "squared loss: predictions are shown as no more"}
#define FACTORED_PARAMS                                                                            \
    FACTORED_OTHER_PARAMS, GROWING_PARAMS(offsetof(struct factored_cfg, growing))
#define FACTORED_TOP_PARAM                                                                         \
    {FACTORED_PARAM(top, LEAT_CHOICE), .def = "both", .choices = factored_tops,                    \
     .flags = LEAT_ADVANCED,                                                                       \
     .doc = "what a top shows: features (linear), pairs of features (pairs), or half of each (both)"}
/* clang-format on */

struct factored {
    struct growing g;
    uint32_t *feature; /* scratch: an example */
    double *x;
    uint32_t max_row; /* with the one           */
    uint64_t examples;
};

/* Two instances of a stage. Features of the merged one have a's numbers; number[j] is that of b's
 * feature j. b counts `count` times. */
struct factored_merger {
    void *a, *b;
    const uint32_t *number;
    double count;
};

/* `self` begins with struct factored, whose table is there before `open`. */
struct factored_kind {
    size_t instance_size;
    uint32_t (*stride)(const void *cfg);
    bool (*one)(const void *cfg); /* do examples get FACTOR_ONE? NULL: no */
    int (*open)(struct leat_ctx *, void *self);
    void (*close)(struct leat_ctx *, void *self); /* NULL: nothing to free */
    /* Room in the model for all features of the table, and an example of n of them. NULL: always */
    int (*prepare)(struct leat_ctx *, void *self, uint32_t n);
    double (*learn)(void *self, const struct factor_example *);
    double (*predict)(void *self, const struct factor_example *);

    void (*report)(struct leat_ctx *, void *self);  /* figures; model_bytes of the model      */
    double (*weight)(void *self, uint32_t feature); /* of one feature                      */
    int (*pairs)(struct leat_ctx *, void *self, struct pairs *); /* offer them; NULL: none  */

    /* Parameters that must be the same: written, compared. Then the model; `read` fills a fresh
     * instance whose table is that of the writer. */
    void (*write_params)(void *self, struct leat_writer *);
    int (*same_params)(void *self, struct leat_reader *);
    void (*write)(void *self, struct leat_writer *);
    int (*read)(struct leat_ctx *, void *self, struct leat_reader *);
    /* Make a fresh instance, whose table has the features of both, the merger of a and b; NULL, and
     * why there is none. */
    int (*merge)(struct leat_ctx *, void *self, const struct factored_merger *);
    const char *no_merge;
};

/* ---- before it runs ---- */

static inline int factored_validate(const void *cfg, struct leat_diag *d)
{
    const struct factored_cfg *c = cfg;
    if (c->min < c->max) return LEAT_OK;
    d->error(d, "min", "min is %g, max is %g: no prediction lies between", c->min, c->max);
    return LEAT_EARG;
}

static inline int factored_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct factored_cfg *c = cfg;
    n->out->has |= LEAT_HAS_SCORE;
    n->out->score = c->loss == FACTOR_SQUARED ? LEAT_SCORE_VALUE : LEAT_SCORE_MARGIN;
    return LEAT_OK;
}

static inline bool factored_has_one(const struct factored_kind *k, const void *cfg)
{
    return k->one && k->one(cfg);
}

/* What is taken at the start: state_bytes and work_bytes come besides the features' rows and the
 * scratch here. */
static inline int factored_plan(const struct factored_kind *k, const void *cfg,
                                const struct leat_schema *in, struct leat_plan *p,
                                uint64_t state_bytes, uint64_t work_bytes)
{
    const struct growing_cfg *g = &((const struct factored_cfg *)cfg)->growing;
    uint32_t stride = k->stride(cfg), row = growing_max_row(g, in) + factored_has_one(k, cfg);
    p->state_bytes = feature_table_bytes(growing_first(g), stride) + state_bytes;
    p->names_bytes = growing_names_bytes(g, in);
    p->work_bytes = 12ull * (row + 1) + (uint64_t)g->name_bytes + 1 + work_bytes;
    snprintf(p->note, sizeof p->note,
             "at the start; grows with the features seen, to %u of them, %u bytes each",
             growing_max_capacity(g->max_features), 20 + 8 * stride);
    return LEAT_OK;
}

/* ---- open, close ---- */

static inline void factored_close(const struct factored_kind *k, struct leat_ctx *ctx, void *self)
{
    struct factored *f = self;
    if (k->close) k->close(ctx, self);
    ctx->host->free(ctx, f->x);
    ctx->host->free(ctx, f->feature);
    growing_close(ctx, &f->g);
    *f = (struct factored){0};
}

static inline int factored_open(const struct factored_kind *k, struct leat_ctx *ctx, void *self)
{
    struct factored *f = self;
    const struct factored_cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    int status = growing_open(ctx, &c->growing, k->stride(c), &f->g);
    if (status != LEAT_OK) return status;
    f->max_row = growing_max_row(&c->growing, ctx->in) + factored_has_one(k, c);
    f->feature = h->alloc(ctx, ((size_t)f->max_row + 1) * sizeof *f->feature);
    f->x = h->alloc(ctx, ((size_t)f->max_row + 1) * sizeof *f->x);
    status = f->feature && f->x
                 ? k->open(ctx, self)
                 : h->fail(ctx, LEAT_ENOMEM, "no memory for examples of %u entries", f->max_row);
    if (status != LEAT_OK) factored_close(k, ctx, self);
    return status;
}

/* ---- learning ---- */

static inline bool factored_refuse_label(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    const struct factored_cfg *c = ctx->cfg;
    double y = (double)b->ex_label[e];
    uint32_t r = b->ex_record[e];
    if (c->loss != FACTOR_SQUARED && y != 1 && y != -1 && y != 0)
        return ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "label %g is none of -1, 0 and 1", y),
               true;
    if (!(fabs(y) <= FACTOR_MOST))
        return ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "label %g: no number within 1e10", y),
               true;
    return false;
}

static inline bool factored_refuse_values(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    uint32_t r = b->ex_record[e];
    double sum = 0;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        double x = (double)b->value[i];
        if (!isfinite(x))
            return ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE, "value of feature %llu is %g",
                                     (unsigned long long)b->id[i], x),
                   true;
        sum += fabs(x);
    }
    if (sum <= FACTOR_MOST) return false;
    return ctx->host->reject(ctx, b, r, LEAT_R_NUMBER, "values add up to %g, more than 1e10", sum),
           true;
}

/* The record of an example that cannot be learned from is rejected here: true. */
static inline bool factored_refuse(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    const struct factored_cfg *c = ctx->cfg;
    uint32_t r = b->ex_record[e], n = b->ex_start[e + 1] - b->ex_start[e];
    double weight = (double)b->ex_weight[e];
    if (n > c->growing.max_entries)
        return ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "%u entries, max_entries is %lld", n,
                                 (long long)c->growing.max_entries),
               true;
    if (!(weight >= 0 && isfinite(weight)))
        return ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE, "importance weight %g", weight), true;
    return factored_refuse_label(ctx, b, e) || factored_refuse_values(ctx, b, e);
}

/* The example as models take it; held out: features that nobody knows are left out. */
static inline struct factor_example factored_example(struct factored *f, const struct leat_batch *b,
                                                     uint32_t e, bool one, bool held)
{
    struct feature_table *t = &f->g.table;
    uint32_t n = 0;
    float y = b->ex_label[e];
    if (one) {
        f->feature[n] =
            held ? feature_table_find(t, FACTOR_ONE) : feature_table_enroll(t, FACTOR_ONE);
        f->x[n++] = 1;
    }
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++, n++) {
        f->feature[n] = held ? feature_table_find(t, b->id[i]) : growing_enroll(&f->g, b, i);
        f->x[n] = (double)b->value[i];
    }
    n = factor_gather(t, n, f->feature, f->x);
    return (struct factor_example){.feature = f->feature,
                                   .x = f->x,
                                   .n = n,
                                   .xx = factor_square(n, f->x),
                                   .y = (double)y,
                                   .weight = (double)b->ex_weight[e]};
}

static inline float factored_score(const struct factored_cfg *c, double z)
{
    if (c->loss != FACTOR_SQUARED) return (float)factor_hold(z, 3e38);
    return (float)(z > c->max ? c->max : z < c->min ? c->min : z);
}

/* One example: predict, and learn unless it is held out (importance 0). A negative status ends the
 * run. */
static inline int factored_one(const struct factored_kind *k, struct leat_ctx *ctx, void *self,
                               struct leat_batch *b, uint32_t e)
{
    struct factored *f = self;
    const struct factored_cfg *c = ctx->cfg;
    bool one = factored_has_one(k, c), held = b->ex_weight[e] == 0;
    uint32_t n = b->ex_start[e + 1] - b->ex_start[e] + one;
    if (!held && feature_table_room(&f->g.table) < n) growing_reserve(ctx, &f->g, n);
    struct factor_example ex = factored_example(f, b, e, one, held);
    if (c->loss != FACTOR_SQUARED && ex.y == 0) ex.y = -1;
    int status = k->prepare ? k->prepare(ctx, self, ex.n) : LEAT_OK;
    if (status != LEAT_OK) return status;
    b->score[e] = factored_score(c, held ? k->predict(self, &ex) : k->learn(self, &ex));
    f->examples += !held;
    return LEAT_OK;
}

static inline int factored_process(const struct factored_kind *k, struct leat_ctx *ctx, void *self,
                                   struct leat_batch *b)
{
    uint32_t refused = UINT32_MAX;
    int status = LEAT_OK;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        if (b->ex_record[e] == refused) continue; /* its other examples */
        if (factored_refuse(ctx, b, e))
            refused = b->ex_record[e];
        else if ((status = factored_one(k, ctx, self, b, e)) != LEAT_OK)
            return status;
    }
    return LEAT_OK;
}

#define FACTORED_DOC                                                                               \
    "\n\nWith the squared loss labels are any numbers within 1e10 (ratings) and the score is an "  \
    "estimate of the label, held within min and max; otherwise labels are -1 (or 0) and 1 and "    \
    "the "                                                                                         \
    "score is a margin. Values of a feature that an example repeats add up. A record whose "       \
    "values "                                                                                      \
    "or label are not finite, or beyond 1e10 in sum, is rejected and changes nothing; one of "     \
    "importance 0 is predicted and changes nothing. With the "                                     \
    "squared loss no example moves its own prediction beyond its label, so the model cannot "      \
    "diverge, whatever the scale of the values."

#endif
