/* mystage.c -- learn.mystage: a perceptron in fixed memory, with its heaviest weights by name.
 *
 * To make it yours, change: params, struct model, process (which predicts and then learns), query
 * (the answer), snapshot and take (which save, restore and merge all of the model). Compiles as C
 * and as C++20. */
#include <math.h>

#include <leat/helpers.h>
#include <leat/plugin.h>

enum { KEPT = 64 }; /* features by name */

struct cfg {
    int64_t bits;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, bits, LEAT_INT, .def = "12", .min = 4, .max = 28,
               .doc = "the table has 2^bits weights"),
};

struct model {
    uint32_t n;    /* number of weights, a power of two */
    float *weight; /* n */
    struct leat_top top;
    struct leat_top_entry read[KEPT]; /* from a state, before it is taken over */
};

static uint32_t size_of(const void *cfg) { return 1u << ((const struct cfg *)cfg)->bits; }

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    (void)cfg;
    n->out->score = LEAT_SCORE_DECISION; /* its sign decides; its size has no meaning */
    return LEAT_OK;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)in, (void)out;
    p->state_bytes = (uint64_t)size_of(cfg) * sizeof(float);
    p->names_bytes = leat_top_bytes(KEPT);
    return LEAT_OK;
}

static int open_model(struct leat_ctx *ctx, void *self)
{
    struct model *m = (struct model *)self;
    m->n = size_of(ctx->cfg);
    m->weight = (float *)ctx->host->alloc(ctx, m->n * sizeof *m->weight);
    return m->weight ? leat_top_open(ctx, &m->top, KEPT) : LEAT_ENOMEM;
}

static float *weight_of(struct model *m, uint64_t id)
{
    return &m->weight[(id * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (m->n - 1)];
}

static float margin(struct model *m, const struct leat_batch *b, uint32_t e)
{
    double sum = 0;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++)
        sum += (double)*weight_of(m, b->id[i]) * (double)b->value[i];
    return (float)sum;
}

/* w += y x, if the sign of w x is wrong */
static void update(struct model *m, const struct leat_batch *b, uint32_t e, float step)
{
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        float *w = weight_of(m, b->id[i]);
        *w += step * b->value[i];
        leat_top_offer(&m->top, b->id[i], (double)*w, b, i, NULL, 0);
    }
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct model *m = (struct model *)self;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        const float y = b->ex_label[e];
        b->score[e] = margin(m, b, e); /* always before learning */
        if (y != 1 && y != -1)
            ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_LABEL, "label %g is not -1 or 1",
                              (double)y);
        else if (b->ex_weight[e] > 0 && (b->score[e] >= 0) != (y > 0))
            update(m, b, e, y * b->ex_weight[e]);
    }
    return LEAT_OK;
}

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                 struct leat_result *r)
{
    static const char *const columns[] = {"weight"};
    struct leat_top *t = &((struct model *)self)->top;
    (void)ctx;
    int status = r->columns(r, columns, 1);
    leat_top_sort(t);
    for (uint32_t i = 0; i < t->n && i < q->k && status >= 0; i++)
        status = r->row(r, t->entry[i].name, t->entry[i].n_name, &t->entry[i].weight);
    leat_top_rebuild(t);
    return status;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct model *m = (struct model *)self;
    (void)ctx;
    leat_top_sort(&m->top); /* a query must not change the bytes */
    w->array(w, "weight", LEAT_F32, m->weight, m->n);
    int status = leat_top_write(w, &m->top);
    leat_top_rebuild(&m->top);
    return status;
}

static double weight_in(void *m, uint64_t id) { return (double)*weight_of((struct model *)m, id); }

/* Makes the model `own` times itself plus `times` the state. Reads and checks everything before the
 * model changes. */
static int take(struct model *m, struct leat_reader *r, double own, double times)
{
    const void *read;
    uint32_t n_top;
    if (r->array(r, "weight", LEAT_F32, m->n, &read)) return LEAT_EDATA;
    const float *weight = (const float *)read;
    for (uint32_t i = 0; i < m->n; i++)
        if (!isfinite((float)(own * (double)m->weight[i] + times * (double)weight[i])))
            return r->refuse(r, "a weight is not finite");
    int status = leat_top_read(r, KEPT, m->read, &n_top);
    if (status < 0) return status;
    for (uint32_t i = 0; i < m->n; i++)
        m->weight[i] = (float)(own * (double)m->weight[i] + times * (double)weight[i]);
    if (own == 0)
        leat_top_take(&m->top, m->read, n_top);
    else
        leat_top_merge(&m->top, m->read, n_top, weight_in, m);
    return LEAT_OK;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    (void)ctx, (void)version;
    return take((struct model *)self, r, 0, 1);
}

/* Adds another model: weights are sums over examples, so they add up. */
static int merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double times)
{
    (void)ctx;
    return take((struct model *)self, r, 1, times);
}

static const struct leat_learner learner = {.size = sizeof(struct leat_learner), .query = query};
static const struct leat_state state = {.size = sizeof(struct leat_state),
                                        .version = 1,
                                        .snapshot = snapshot,
                                        .restore = restore,
                                        .merge = merge};

static const struct leat_stage learn_mystage = {
    .name = "learn.mystage",
    .summary = "a perceptron in fixed memory",
    .doc = "Adds an example to the weights, or subtracts it, where the sign of its score is wrong.",
    .example = "leat.learn.mystage { bits = 12 }",
    .kind = LEAT_LEARNER,
    .caps = LEAT_STATEFUL,
    LEAT_FLOW(LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, LEAT_HAS_SCORE),
    LEAT_PARAMS(params, struct cfg),
    .instance_size = sizeof(struct model),
    .negotiate = negotiate,
    .plan = plan,
    .open = open_model,
    .process = process,
    .learner = &learner,
    .state = &state,
};

LEAT_PLUGIN("mystage", "0.1", "Apache-2.0", "a perceptron", &learn_mystage);
