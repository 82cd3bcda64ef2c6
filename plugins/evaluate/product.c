/* product.c -- eval.product: how close sketches of a product come to the product itself.
 *
 * All pairs are kept, and each method at each size sketches them as they come. At the end each
 * sketch is judged against X Y' by its products with vectors (kernels/product_judge.h).
 *
 * Memory grows with the stream: this is for choosing a method and a size, not for running one.
 * Not here: sketches (kernels/product.c), glue of their growth (learners/product.h). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/out.h"
#include "kernels/product/product_evaluate.h"
#include "support/product_model.h"

enum { MOST_SKETCHES = 256 };

struct cfg {
    const char *path;
    int32_t append;
    int32_t time;
    struct leat_strings methods, sizes;
    int64_t k, iterations, seed;
    double failure;
    struct growing_cfg growing;
};

struct judged {
    struct product_model *model;
    double seconds;
};

struct judging {
    struct out out;
    uint32_t n; /* sketches */
    struct judged *sketch;
    /* Numbers features and adds up those that come twice: the cheapest sketch does both. */
    struct product_model *keeper;
    struct sparse_columns kept[2];
    void *block[2];
};

static const struct leat_param params[] = {
    {.name = "methods",
     .type = LEAT_STRINGS,
     .flags = LEAT_POSITIONAL,
     .offset = offsetof(struct cfg, methods),
     .def = "scod",
     .doc = "methods of learn.product"},
    {.name = "sizes",
     .type = LEAT_STRINGS,
     .offset = offsetof(struct cfg, sizes),
     .def = "50",
     .doc = "columns of the sketches"},
    {.name = "k",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, k),
     .def = "10",
     .min = 1,
     .max = 500,
     .doc = "singular vectors whose projection is judged"},
    {.name = "time",
     .type = LEAT_BOOL,
     .offset = offsetof(struct cfg, time),
     .def = "false",
     .doc = "also say how many seconds each sketch took"},
    {.name = "failure",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, failure),
     .def = "0.01",
     .min = 0,
     .max = 0.5,
     .doc = "as in learn.product"},
    {.name = "iterations",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, iterations),
     .def = "2",
     .min = 0,
     .max = 100,
     .doc = "as in learn.product"},
    {.name = "seed",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, seed),
     .def = "0",
     .min = 0,
     .max = 9e15,
     .doc = "as in learn.product"},
    {GROWING_PARAM(offsetof(struct cfg, growing), max_features, LEAT_INT), .def = "65536", .min = 1,
     .max = FEATURE_TABLE_MAX, .unit = "features",
     .doc = "features of each side, rounded up to a power of two; later ones are ignored"},
    {GROWING_PARAM(offsetof(struct cfg, growing), max_entries, LEAT_INT), .def = "65536", .min = 1,
     .max = 16777216, .unit = "entries",
     .doc = "longest side taken; records with a longer one are rejected"},
    OUT_PARAMS(struct cfg),
};

/* The method's number, or -1. */
static int method_of(const char *name)
{
    for (int i = 0; product_model_methods[i]; i++)
        if (!strcmp(product_model_methods[i], name)) return i;
    return -1;
}

/* The size written as text, 0 when it is none. */
static uint32_t size_of(const char *text)
{
    char *end;
    unsigned long l = strtoul(text, &end, 10);
    return *end || *text < '0' || *text > '9' || l > PRODUCT_MAX_L ? 0 : (uint32_t)l;
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    out_validate(cfg->path, d);
    if (!cfg->methods.n || !cfg->sizes.n || cfg->methods.n * cfg->sizes.n > MOST_SKETCHES)
        d->error(d, "sizes", "%u methods at %u sizes: 1 to %d sketches are taken", cfg->methods.n,
                 cfg->sizes.n, MOST_SKETCHES);
    for (uint32_t i = 0; i < cfg->methods.n; i++)
        if (method_of(cfg->methods.v[i]) < 0)
            d->error(d, "methods", "'%s' is no method of learn.product", cfg->methods.v[i]);
    for (uint32_t i = 0; i < cfg->sizes.n; i++)
        if (!size_of(cfg->sizes.v[i]))
            d->error(d, "sizes", "'%s' is no size: 1 to %d", cfg->sizes.v[i], PRODUCT_MAX_L);
    return LEAT_OK;
}

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    (void)cfg;
    return product_model_check_sides(n);
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    (void)in;
    (void)out;
    p->work_bytes = OUT_BUFFER;
    snprintf(p->note, sizeof p->note, "%u sketches; keeps all records: grows with the stream",
             cfg->methods.n * cfg->sizes.n);
    return LEAT_OK;
}

/* ---- memory ---- */

static void close_judging(struct leat_ctx *ctx, void *self)
{
    struct judging *st = self;
    for (uint32_t i = 0; st->sketch && i < st->n; i++)
        product_model_close(ctx, st->sketch[i].model);
    product_model_close(ctx, st->keeper);
    ctx->host->free(ctx, st->sketch);
    ctx->host->free(ctx, st->block[0]);
    ctx->host->free(ctx, st->block[1]);
    out_close(ctx, &st->out);
}

/* Room in a kept side for n more entries and a pair, by doubling. */
static int make_room(struct leat_ctx *ctx, struct judging *st, int side, uint32_t n)
{
    struct sparse_columns *s = &st->kept[side], old = *s;
    uint64_t entries = s->max_entries, columns = s->max_columns;
    uint64_t have = st->block[side] ? sparse_columns_entries(s) : 0;
    if (have + n <= entries && s->columns < columns) return LEAT_OK;
    while (entries < have + n)
        entries = entries ? 2 * entries : 4096;
    while (columns <= s->columns)
        columns = columns ? 2 * columns : 1024;
    char *block = entries < UINT32_MAX / 2 && columns < UINT32_MAX / 2
                      ? ctx->host->alloc(ctx, entries * 12 + (columns + 1) * 4)
                      : NULL;
    if (!block)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for %llu entries of all records",
                               (unsigned long long)entries);
    s->value = (double *)(void *)block;
    s->feature = (uint32_t *)(void *)(block + entries * 8);
    s->start = s->feature + entries;
    s->max_entries = (uint32_t)entries;
    s->max_columns = (uint32_t)columns;
    if (st->block[side]) {
        memcpy(s->value, old.value, have * 8);
        memcpy(s->feature, old.feature, have * 4);
        memcpy(s->start, old.start, (old.columns + 1ull) * 4);
    }
    ctx->host->free(ctx, st->block[side]);
    st->block[side] = block;
    return LEAT_OK;
}

static int open_models(struct leat_ctx *ctx, struct judging *st)
{
    const struct cfg *cfg = ctx->cfg;
    struct growing_cfg growing = cfg->growing;
    growing.name_bytes = NAMES_MIN_BYTES; /* names_budget is 0: there are none */
    struct product_options o = {.method = PRODUCT_HASHING, .l = 1};
    int status = product_model_open(ctx, &growing, &o, &st->keeper);
    o.iterations = (uint32_t)cfg->iterations;
    o.failure = cfg->failure;
    o.seed = cfg->seed ? (uint64_t)cfg->seed : ctx->host->seed(ctx);
    for (uint32_t i = 0; i < st->n && status == LEAT_OK; i++) {
        o.method = (enum product_method)method_of(cfg->methods.v[i % cfg->methods.n]);
        o.l = size_of(cfg->sizes.v[i / cfg->methods.n]);
        status = product_model_open(ctx, &growing, &o, &st->sketch[i].model);
    }
    for (int s = 0; s < 2 && status == LEAT_OK; s++)
        status = make_room(ctx, st, s, 1);
    return status;
}

static int open_judging(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct judging *st = self;
    int status = out_open(ctx, &st->out, cfg->path, cfg->append);
    if (status < 0) return status;
    st->n = cfg->methods.n * cfg->sizes.n;
    st->sketch = ctx->host->alloc(ctx, st->n * sizeof *st->sketch);
    status = st->sketch ? open_models(ctx, st)
                        : ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for %u sketches", st->n);
    if (status < 0) close_judging(ctx, st);
    return status;
}

/* ---- pairs ---- */

static int keep(struct leat_ctx *ctx, struct judging *st, struct leat_batch *b)
{
    struct product_model *m = st->keeper;
    uint32_t k = 0, x, y;
    int status = LEAT_OK;
    while (status == LEAT_OK && product_model_next(ctx, b, m->max_row, &k, &x, &y)) {
        status = product_model_learn(ctx, m, b, x, y);
        for (int s = 0; s < 2 && status == LEAT_OK; s++)
            status = make_room(ctx, st, s, m->column[s].n);
        for (int s = 0; s < 2 && status == LEAT_OK; s++)
            sparse_columns_append(&st->kept[s], m->column[s].n, m->column[s].feature,
                                  m->column[s].value);
    }
    return status;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int sketch(struct leat_ctx *ctx, struct judged *j, struct leat_batch *b)
{
    double start = cpu_seconds();
    uint32_t k = 0, x, y;
    int status = LEAT_OK;
    while (status == LEAT_OK && product_model_next(ctx, b, j->model->max_row, &k, &x, &y))
        status = product_model_learn(ctx, j->model, b, x, y);
    j->seconds += cpu_seconds() - start;
    return status;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct judging *st = self;
    int status = keep(ctx, st, b);
    for (uint32_t i = 0; i < st->n && status == LEAT_OK; i++)
        status = sketch(ctx, &st->sketch[i], b);
    return status;
}

/* ---- the end ---- */

static void put(struct text_out *o, double v)
{
    text_char(o, ',');
    if (!isnan(v)) text_double(o, v);
}

static void put_row(struct judging *st, const struct cfg *cfg, const struct judged *s,
                    const struct judge *j, const struct judge_result *r, double bound)
{
    struct text_out *o = &st->out.text;
    const struct product *p = &s->model->sketch;
    text_str(o, product_model_methods[p->opt.method]);
    text_char(o, ',');
    text_uint(o, p->opt.l);
    text_char(o, ',');
    text_uint(o, p->sums.pairs);
    text_char(o, ',');
    text_uint(o, j->m[0]);
    text_char(o, ',');
    text_uint(o, j->m[1]);
    put(o, r->error);
    put(o, r->projection);
    put(o, bound / j->frobenius);
    put(o, product_theorem(&p->opt));
    if (cfg->time) put(o, s->seconds);
}

static int judge_one(struct leat_ctx *ctx, struct judging *st, struct judged *s,
                     const struct judge *j)
{
    struct product *p = &s->model->sketch;
    struct product_view v;
    struct judge_result r;
    double start = cpu_seconds();
    if (!product_flush(p) || !product_look(p, &v))
        return ctx->host->fail(ctx, LEAT_ENONFINITE, "the sketch's numbers became too large");
    s->seconds += cpu_seconds() - start;
    void *work = ctx->host->alloc(ctx, judge_bytes(j->m, v.columns, j->k));
    if (!work) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to judge a sketch");
    struct judge_sketch of = {{product_side(p, 0), product_side(p, 1)}, v.columns, v.scale};
    bool done = judge_sketch(j, &of, &r, work);
    ctx->host->free(ctx, work);
    if (!done) return ctx->host->fail(ctx, LEAT_ENONFINITE, "the singular values were not found");
    put_row(st, ctx->cfg, s, j, &r, v.bound);
    return out_line(ctx, &st->out);
}

static int report(struct leat_ctx *ctx, struct judging *st)
{
    const struct cfg *cfg = ctx->cfg;
    struct judge j = {&st->kept[0],
                      &st->kept[1],
                      {st->keeper->side[0].table.n, st->keeper->side[1].table.n},
                      (uint32_t)cfg->k,
                      0,
                      0,
                      0};
    void *work = ctx->host->alloc(ctx, judge_bytes(j.m, 0, j.k));
    if (!work) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to judge sketches");
    bool done = judge_product(&j, work);
    ctx->host->free(ctx, work);
    if (!done) return ctx->host->fail(ctx, LEAT_ENONFINITE, "the singular values were not found");
    if (st->out.fresh) {
        text_str(&st->out.text, "method,size,pairs,left,right,error,projection,bound,theorem");
        text_str(&st->out.text, cfg->time ? ",seconds\n" : "\n");
    }
    int status = LEAT_OK;
    for (uint32_t i = 0; j.norm > 0 && i < st->n && status == LEAT_OK; i++)
        status = judge_one(ctx, st, &st->sketch[i], &j);
    return status;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    struct judging *st = self;
    int status = report(ctx, st), end = out_finish(ctx, &st->out);
    return status < 0 ? status : end;
}

const struct leat_stage eval_product = {
    .name = "eval.product",
    .summary = "judges sketches of the product of two sides against the product itself",
    .doc =
        "Takes records of two sides (feature.sides), keeps them all, and sketches X Y' by each of "
        "`methods` at each of `sizes` (learn.product). At the end, as CSV:\n"
        "  error       |X Y' - A B'| / (|X|_F |Y|_F), spectral norm\n"
        "  projection  |X Y' - U U' X Y' V V'| / sigma_{k+1}(X Y'), U and V the k first singular "
        "vectors of A B': 1 is best; empty where X Y' has no more than k directions\n"
        "  bound       of the error, known to the sketch itself; theorem: what is promised for any "
        "data\n"
        "  seconds     of CPU time, with time = true\n"
        "X Y' is never formed: norms are by bidiagonalisation, from products with vectors. Memory "
        "grows with the records, 12 bytes an entry; time at the end is some hundred passes over "
        "all "
        "of them for each sketch. No record: no line but the heading.",
    .example = "leat.eval.product { methods = { \"scod\", \"cod\" }, sizes = { 20, 100 } }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct judging),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .open = open_judging,
    .close = close_judging,
    .start = out_start_call,
    .process = process,
    .stop = stop,
};
