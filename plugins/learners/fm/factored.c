/* factored.c -- factorization machines as stages: opening, learning, predicting; see factored.h. */
#include "factored.h"

#include <math.h>

#include "common/answers/answer.h"
#include "common/learners/examples.h"

const char *const factored_losses[] = {"squared", "logistic", "hinge", NULL};

/* ---- before it runs ---- */

int factored_validate(const void *cfg, struct leat_diag *d)
{
    const struct factored_cfg *c = cfg;
    if (c->min < c->max) return LEAT_OK;
    d->error(d, "min", "min = %g is not below max = %g: no prediction lies between", c->min,
             c->max);
    return LEAT_EARG;
}

int factored_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct factored_cfg *c = cfg;
    examples_need_time(n, &c->half_life);
    n->out->has |= LEAT_HAS_SCORE;
    n->out->score = c->loss == FM_SQUARED ? LEAT_SCORE_VALUE : LEAT_SCORE_MARGIN;
    return LEAT_OK;
}

static bool has_one(const struct factored_method *m, const void *cfg)
{
    return m->one && m->one(cfg);
}

int factored_plan(const struct factored_method *m, const void *cfg, const struct leat_schema *in,
                  struct leat_plan *p)
{
    const struct growing_cfg *g = &((const struct factored_cfg *)cfg)->growing;
    uint32_t row = examples_max_entries(g->max_entries, in) + has_one(m, cfg),
             max = growing_max_capacity(g->max_features);
    p->names_bytes = growing_names_bytes(g, in);
    p->work_bytes = 12ull * (row + 1) + (uint64_t)g->name_bytes + 1 +
                    factored_name_bytes(g); /* a name; of an answer, one or two */
    p->work_bytes += answer_rows_bytes(factored_rows(m, max), sizeof(struct pair));
    if (m->scratch) p->work_bytes += m->scratch(cfg, row);
    if (m->rows) p->work_bytes += factored_pairs_bytes(max, m->rows(cfg));
    p->state_bytes = feature_table_bytes(max, m->stride(cfg));
    if (m->block) p->state_bytes += m->block(cfg, max, row);
    growing_note(p, max);
    return LEAT_OK;
}

/* ---- open, close ---- */

void factored_close(struct leat_ctx *ctx, void *self)
{
    struct factored *f = self;
    if (f->method->close) f->method->close(ctx, self);
    ctx->host->free(ctx, f->x);
    ctx->host->free(ctx, f->feature);
    growing_close(ctx, &f->g);
    *f = (struct factored){0};
}

int factored_open(struct leat_ctx *ctx, const struct factored_method *m, void *self)
{
    struct factored *f = self;
    const struct factored_cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    int status = growing_open(ctx, &c->growing, m->stride(c), &f->g);
    if (status != LEAT_OK) return status;
    f->method = m;
    f->max_row = examples_max_entries(c->growing.max_entries, ctx->in) + has_one(m, c);
    f->feature = h->alloc(ctx, ((size_t)f->max_row + 1) * sizeof *f->feature);
    f->x = h->alloc(ctx, ((size_t)f->max_row + 1) * sizeof *f->x);
    status = f->feature && f->x
                 ? m->open(ctx, self)
                 : h->fail(ctx, LEAT_ENOMEM,
                           "there is not enough memory for examples of %u entries", f->max_row);
    if (status != LEAT_OK) factored_close(ctx, self);
    return status;
}

int factored_prepare(struct leat_ctx *ctx, void *self, uint32_t n)
{
    const struct factored_method *m = ((struct factored *)self)->method;
    return m->prepare ? m->prepare(ctx, self, n) : LEAT_OK;
}

/* ---- which examples ---- */

static bool refuse_label(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    const struct factored_cfg *c = ctx->cfg;
    double y = (double)b->ex_label[e];
    uint32_t r = b->ex_record[e];
    if (c->loss != FM_SQUARED && y != 1 && y != -1 && y != 0) {
        ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "label %g is not -1, 0 or 1", y);
        return true;
    }
    if (fabs(y) <= FM_MAX_INPUT) return false;
    ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "label %g is outside +-1e10", y);
    return true;
}

static bool refuse_values(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    uint32_t r = b->ex_record[e];
    double sum = 0;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        double x = (double)b->value[i];
        if (!isfinite(x)) {
            ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE, "feature %llu has the value %g",
                              (unsigned long long)b->id[i], x);
            return true;
        }
        sum += fabs(x);
    }
    if (sum <= FM_MAX_INPUT) return false;
    ctx->host->reject(ctx, b, r, LEAT_R_NUMBER, "|values| add up to %g, more than 1e10", sum);
    return true;
}

/* The record of an example that cannot be learned from is rejected here: true. */
static bool refuse_example(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    const struct factored_cfg *c = ctx->cfg;
    uint32_t r = b->ex_record[e], n = b->ex_start[e + 1] - b->ex_start[e];
    double weight = (double)b->ex_weight[e];
    if (n > c->growing.max_entries) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the example has %u entries, more than max_entries = %lld", n,
                          (long long)c->growing.max_entries);
        return true;
    }
    if (!(weight >= 0 && isfinite(weight))) {
        ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE,
                          "importance weight %g is not a finite number of at least 0", weight);
        return true;
    }
    return refuse_label(ctx, b, e) || refuse_values(ctx, b, e);
}

/* ---- learning ---- */

/* The example as models take it; held out: features that the model does not know are left out. */
static struct fm_example gather_example(struct factored *f, const struct leat_batch *b, uint32_t e,
                                        bool one, bool held_out)
{
    struct feature_table *t = &f->g.table;
    uint32_t n = 0;
    if (one) {
        f->feature[n] = held_out ? feature_table_find(t, FM_ONE) : feature_table_enroll(t, FM_ONE);
        f->x[n++] = 1;
    }
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++, n++) {
        f->feature[n] = held_out ? feature_table_find(t, b->id[i]) : growing_enroll(&f->g, b, i);
        f->x[n] = (double)b->value[i];
    }
    n = fm_gather(t, n, f->feature, f->x);
    return (struct fm_example){.feature = f->feature,
                               .x = f->x,
                               .n = n,
                               .xx = fm_square(n, f->x),
                               .y = (double)b->ex_label[e],
                               .weight = (double)b->ex_weight[e]};
}

static float score_of(const struct factored_cfg *c, double z)
{
    if (c->loss != FM_SQUARED) return (float)fm_clamp(z, 3e38);
    return (float)(z > c->max ? c->max : z < c->min ? c->min : z);
}

/* One example: predict, and learn unless it is held out (importance 0). A negative status ends the
 * run. */
static int process_example(struct leat_ctx *ctx, void *self, struct leat_batch *b, uint32_t e)
{
    struct factored *f = self;
    const struct factored_method *m = f->method;
    const struct factored_cfg *c = ctx->cfg;
    bool one = has_one(m, c), held_out = b->ex_weight[e] == 0;
    uint32_t n = b->ex_start[e + 1] - b->ex_start[e] + one;
    if (!held_out && feature_table_free_slots(&f->g.table) < n) growing_reserve(ctx, &f->g, n);
    struct fm_example ex = gather_example(f, b, e, one, held_out);
    if (c->loss != FM_SQUARED && ex.y == 0) ex.y = -1;
    int status = held_out ? LEAT_OK : factored_prepare(ctx, self, ex.n);
    if (status != LEAT_OK) return status;
    if (!held_out && c->half_life.ns) m->at(self, b->timestamp[b->ex_record[e]]);
    b->score[e] = score_of(c, held_out ? m->predict(self, &ex) : m->learn(self, &ex));
    f->examples += !held_out;
    return LEAT_OK;
}

int factored_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    uint32_t refused = UINT32_MAX;
    int status = LEAT_OK;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        if (b->ex_record[e] == refused) continue; /* its other examples */
        if (refuse_example(ctx, b, e))
            refused = b->ex_record[e];
        else if ((status = process_example(ctx, self, b, e)) != LEAT_OK)
            return status;
    }
    return LEAT_OK;
}
