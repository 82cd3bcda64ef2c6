/* product.c -- eval.product: error of sketches of a product X Y' against the exact product.
 *
 * The stage stores all pairs of sides (the columns of X and Y). Each method sketches the pairs as
 * they arrive, in each size. At the end, each sketch is compared with X Y', by products with
 * vectors (kernels/product/product_evaluate.h).
 *
 * See kernels/product/product.h for the sketches, and common/learners/product_model.h for the way
 * they grow. */
#include <stdio.h>
#include <time.h>

#include "evaluate/docs.h"
#include "kernels/product/product_evaluate.h"
#include "sizes.h"
#include "common/learners/product_model.h"
#include "common/learners/sides.h"
#include "common/output/reports.h"

enum { MAX_SKETCHES = 256 };

struct product_cfg {
    struct out_cfg out;
    int32_t time, form;
    struct leat_strings methods, sizes;
    int64_t k, iterations, seed, max_kept;
    double failure;
    struct growing_cfg growing;
};

struct sketch {
    struct product_model *model;
    double seconds;
};

struct product_comparison {
    struct out out;
    uint32_t n; /* number of sketches */
    struct sketch *sketch;
    /* A further, smallest sketch. It numbers the features, and adds up the values of a feature that
     * occurs twice in a record. */
    struct product_model *keeper;
    struct sparse_columns kept[2];
    void *block[2];
};

static const struct leat_param product_params[] = {
    LEAT_PARAM(struct product_cfg, methods, LEAT_STRINGS, .flags = LEAT_POSITIONAL, .def = "scod",
               .doc = "methods of learn.product"),
    LEAT_PARAM(struct product_cfg, sizes, LEAT_STRINGS, .def = "50",
               .doc = "columns of the sketches"),
    LEAT_PARAM(struct product_cfg, k, LEAT_INT, .def = "10", .min = 1, .max = 500,
               .doc = "singular vectors whose projection is compared"),
    LEAT_PARAM(struct product_cfg, time, LEAT_BOOL, .def = "false",
               .doc = "also report the seconds of CPU time that each sketch took"),
    LEAT_PARAM(struct product_cfg, failure, LEAT_FLOAT, .def = "0.01", .min = 0, .max = 0.5,
               .doc = "as in learn.product"),
    LEAT_PARAM(struct product_cfg, iterations, LEAT_INT, .flags = LEAT_ADVANCED, .def = "2",
               .min = 0, .max = 100, .doc = "as in learn.product"),
    LEAT_PARAM(struct product_cfg, form, LEAT_CHOICE, .flags = LEAT_ADVANCED, .def = "leat",
               .choices = product_model_forms, .doc = "as in learn.product"),
    LEAT_PARAM(struct product_cfg, seed, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0", .min = 0,
               .max = 9e15, .doc = "as in learn.product"),
    {GROWING_PARAM(offsetof(struct product_cfg, growing), max_features, LEAT_INT), .def = "65536",
     .min = 1, .max = FEATURE_TABLE_MAX, .unit = "features",
     .doc = "features of each side, rounded up to a power of two; later ones are ignored"},
    {GROWING_PARAM(offsetof(struct product_cfg, growing), max_entries, LEAT_INT), .def = "65536",
     .min = 1, .max = 16777216, .unit = "entries",
     .doc = "longest side taken; records with a longer one are rejected"},
    LEAT_PARAM(struct product_cfg, max_kept, LEAT_INT, .flags = LEAT_ADVANCED, .def = "4194304",
               .min = 1, .max = 1 << 30, .unit = "entries",
               .doc = "most records to keep, and most entries of a side; with more the run fails"),
    REPORT_PARAM("csv", "table: for people; jsonl: one object a sketch; csv: one line a sketch"),
    OUT_PARAMS,
};

/* Returns the index of a method's name; -1 if there is none. */
static int product_method_of(const char *name)
{
    for (int i = 0; product_model_methods[i]; i++)
        if (!strcmp(product_model_methods[i], name)) return i;
    return -1;
}

static int product_validate(const void *config, struct leat_diag *d)
{
    const struct product_cfg *cfg = config;
    if (!cfg->methods.n || !cfg->sizes.n || cfg->methods.n * cfg->sizes.n > MAX_SKETCHES)
        d->error(d, "sizes", "%u methods at %u sizes are %u sketches: 1 to %d can be compared",
                 cfg->methods.n, cfg->sizes.n, cfg->methods.n * cfg->sizes.n, MAX_SKETCHES);
    for (uint32_t i = 0; i < cfg->methods.n; i++)
        if (product_method_of(cfg->methods.v[i]) < 0)
            d->error(d, "methods", "'%s' is not a method of learn.product", cfg->methods.v[i]);
    sizes_validate(&cfg->sizes, "sizes", PRODUCT_MAX_L, d);
    return out_validate(config, d);
}

static int product_negotiate(const void *cfg, struct leat_negotiation *n) { return sides_check(n); }

/* ---- memory ---- */

/* Returns the options of sketch i. If i is the number of sketches, returns those of `keeper`. */
static struct product_options product_options(const struct product_cfg *cfg, uint32_t i)
{
    if (i == cfg->methods.n * cfg->sizes.n)
        return (struct product_options){.method = PRODUCT_HASHING, .l = 1};
    return (struct product_options){
        .method = (enum product_method)product_method_of(cfg->methods.v[i % cfg->methods.n]),
        .l = sizes_one(cfg->sizes.v[i / cfg->methods.n], PRODUCT_MAX_L),
        .iterations = (uint32_t)cfg->iterations,
        .failure = cfg->failure,
        .paper = cfg->form == 1,
        .seed = (uint64_t)cfg->seed};
}

/* Returns the bytes for storing the columns of one side: at most max_kept entries in at most
 * max_kept columns. Memory is touched only as it is used. */
static uint64_t product_kept_bytes(const struct product_cfg *cfg)
{
    uint64_t max = (uint64_t)cfg->max_kept;
    return max * (sizeof(double) + sizeof(uint32_t)) + (max + 1) * sizeof(uint32_t);
}

static int product_plan(const void *config, const struct leat_schema *in,
                        const struct leat_schema *out, struct leat_plan *p)
{
    const struct product_cfg *cfg = config;
    const struct growing_cfg *g = &cfg->growing;
    uint32_t n = cfg->methods.n * cfg->sizes.n, max = growing_max_capacity(g->max_features),
             row = examples_max_entries(g->max_entries, in), product_columns = 0;
    int status = out_plan(config, in, out, p);
    for (uint32_t i = 0; i <= n; i++) {
        struct product_options o = product_options(cfg, i);
        product_model_plan(p, &o, max, row);
        p->work_bytes += product_model_scratch_bytes(row) + 2 * (NAMES_MIN_BYTES + 1);
        if (o.l > product_columns) product_columns = o.l;
    }
    p->state_bytes += 2 * product_kept_bytes(cfg) + n * sizeof(struct sketch);
    p->work_bytes +=
        product_evaluate_bytes((uint32_t[]){max, max}, 2 * product_columns, (uint32_t)cfg->k);
    snprintf(p->note, sizeof p->note,
             "%u sketches; keeps all records, up to max_kept = %lld entries on a side", n,
             (long long)cfg->max_kept);
    return status;
}

static void close_product(struct leat_ctx *ctx, void *self)
{
    struct product_comparison *st = self;
    for (uint32_t i = 0; st->sketch && i < st->n; i++)
        product_model_close(ctx, st->sketch[i].model);
    product_model_close(ctx, st->keeper);
    ctx->host->free(ctx, st->sketch);
    ctx->host->free(ctx, st->block[0]);
    ctx->host->free(ctx, st->block[1]);
    out_close(ctx, st);
}

static int product_open_kept(struct leat_ctx *ctx, struct product_comparison *st, int side)
{
    const struct product_cfg *cfg = ctx->cfg;
    uint64_t max = (uint64_t)cfg->max_kept;
    char *block = st->block[side] = ctx->host->alloc(ctx, product_kept_bytes(cfg));
    if (!block)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for max_kept = %llu entries of all "
                               "records: lower it",
                               (unsigned long long)max);
    st->kept[side] = (struct sparse_columns){
        .value = (double *)(void *)block,
        .feature = (uint32_t *)(void *)(block + max * sizeof(double)),
        .start = (uint32_t *)(void *)(block + max * (sizeof(double) + sizeof(uint32_t))),
        .max_entries = (uint32_t)max,
        .max_columns = (uint32_t)max};
    return LEAT_OK;
}

/* Returns LEAT_OK if there is room for n more entries; otherwise fails. */
static int product_has_room(struct leat_ctx *ctx, const struct sparse_columns *s, uint32_t n)
{
    if (sparse_columns_entries(s) + (uint64_t)n <= s->max_entries && s->columns < s->max_columns)
        return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENOMEM,
                           "the records have more than max_kept = %u entries on a side: raise "
                           "max_kept, or give fewer records",
                           s->max_entries);
}

static int product_open_models(struct leat_ctx *ctx, struct product_comparison *st)
{
    const struct product_cfg *cfg = ctx->cfg;
    struct growing_cfg growing = cfg->growing;
    growing.name_bytes = NAMES_MIN_BYTES; /* names_budget is 0, so no names are stored */
    struct product_options o = product_options(cfg, st->n);
    int status = product_model_open(ctx, &growing, &o, &st->keeper);
    for (uint32_t i = 0; i < st->n && status == LEAT_OK; i++) {
        o = product_options(cfg, i);
        if (!o.seed) o.seed = ctx->host->seed(ctx);
        status = product_model_open(ctx, &growing, &o, &st->sketch[i].model);
    }
    for (int s = 0; s < 2 && status == LEAT_OK; s++)
        status = product_open_kept(ctx, st, s);
    return status;
}

static int open_product(struct leat_ctx *ctx, void *self)
{
    const struct product_cfg *cfg = ctx->cfg;
    struct product_comparison *st = self;
    int status = out_open(ctx, self);
    if (status < 0) return status;
    st->n = cfg->methods.n * cfg->sizes.n;
    st->sketch = ctx->host->alloc(ctx, st->n * sizeof *st->sketch);
    status = st->sketch ? product_open_models(ctx, st)
                        : ctx->host->fail(ctx, LEAT_ENOMEM,
                                          "there is not enough memory for %u sketches", st->n);
    if (status < 0) close_product(ctx, st);
    return status;
}

/* ---- pairs ---- */

static int product_keep(struct leat_ctx *ctx, struct product_comparison *st, struct leat_batch *b)
{
    struct product_model *m = st->keeper;
    uint32_t k = 0, x, y;
    int status = LEAT_OK;
    while (status == LEAT_OK && sides_next(ctx, b, m->max_row, &k, &x, &y)) {
        status = product_model_learn(ctx, m, b, x, y);
        for (int s = 0; s < 2 && status == LEAT_OK; s++)
            status = product_has_room(ctx, &st->kept[s], m->column[s].n);
        for (int s = 0; s < 2 && status == LEAT_OK; s++)
            sparse_columns_append(&st->kept[s], m->column[s].n, m->column[s].feature,
                                  m->column[s].value);
    }
    return status;
}

static double product_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int sketch(struct leat_ctx *ctx, struct sketch *j, struct leat_batch *b)
{
    double start = product_cpu_seconds();
    uint32_t k = 0, x, y;
    int status = LEAT_OK;
    while (status == LEAT_OK && sides_next(ctx, b, j->model->max_row, &k, &x, &y))
        status = product_model_learn(ctx, j->model, b, x, y);
    j->seconds += product_cpu_seconds() - start;
    return status;
}

static int product_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct product_comparison *st = self;
    int status = product_keep(ctx, st, b);
    for (uint32_t i = 0; i < st->n && status == LEAT_OK; i++)
        status = sketch(ctx, &st->sketch[i], b);
    return status;
}

/* ---- the report ---- */

enum { METHOD, SIZE, PAIRS, LEFT, RIGHT, ERROR, PROJECTION, BOUND, THEOREM, SECONDS, COLUMNS };

static const struct report_column product_columns[COLUMNS] = {
    [METHOD] = {.name = "method", .type = REPORT_WORD},
    [SIZE] = {.name = "size", .type = REPORT_COUNT},
    [PAIRS] = {.name = "pairs", .type = REPORT_COUNT},
    [LEFT] = {.name = "left", .type = REPORT_COUNT},
    [RIGHT] = {.name = "right", .type = REPORT_COUNT},
    [ERROR] = {.name = "error"},
    [PROJECTION] = {.name = "projection"},
    [BOUND] = {.name = "bound"},
    [THEOREM] = {.name = "theorem"},
    [SECONDS] = {.name = "seconds"}};

static struct report_value product_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct report_value(*rows)[COLUMNS] = of;
    return rows[row][column];
}

static void product_fill_row(const struct sketch *s, const struct product_evaluate *exact,
                             double bound, struct product_evaluate_result result,
                             struct report_value row[COLUMNS])
{
    const struct product *p = &s->model->sketch;
    row[METHOD] = report_word(product_model_methods[p->opt.method]);
    row[SIZE] = report_count(p->opt.l);
    row[PAIRS] = report_count(p->sums.pairs);
    row[LEFT] = report_count(exact->m[0]);
    row[RIGHT] = report_count(exact->m[1]);
    row[ERROR] = report_number(result.error);
    row[PROJECTION] = report_number(result.projection);
    row[BOUND] = report_number(bound / exact->frobenius);
    row[THEOREM] = report_number(product_theorem(&p->opt));
    row[SECONDS] = report_number(s->seconds);
}

static int product_compare(struct leat_ctx *ctx, struct sketch *s,
                           const struct product_evaluate *exact, struct report_value row[COLUMNS])
{
    struct product *p = &s->model->sketch;
    struct product_view v;
    struct product_evaluate_result result;
    double start = product_cpu_seconds();
    if (!product_flush(p) || !product_look(p, &v))
        return ctx->host->fail(ctx, LEAT_ENONFINITE, "the sketch's numbers became too large");
    s->seconds += product_cpu_seconds() - start;
    void *work = ctx->host->alloc(ctx, product_evaluate_bytes(exact->m, v.columns, exact->k));
    if (!work)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to compare a sketch");
    struct product_evaluate_sketch of = {
        {product_side(p, 0), product_side(p, 1)}, v.columns, v.scale};
    bool done = product_evaluate_sketch(exact, &of, &result, work);
    ctx->host->free(ctx, work);
    if (!done) return ctx->host->fail(ctx, LEAT_ENONFINITE, "no singular values were found");
    product_fill_row(s, exact, v.bound, result, row);
    return LEAT_OK;
}

/* Computes the norms of the exact product. */
static int product_measure(struct leat_ctx *ctx, struct product_comparison *st,
                           struct product_evaluate *exact)
{
    const struct product_cfg *cfg = ctx->cfg;
    const struct growing *side = st->keeper->side;
    *exact = (struct product_evaluate){.x = &st->kept[0],
                                       .y = &st->kept[1],
                                       .m = {side[0].table.n, side[1].table.n},
                                       .k = (uint32_t)cfg->k};
    void *work = ctx->host->alloc(ctx, product_evaluate_bytes(exact->m, 0, exact->k));
    if (!work)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for the norms of the product");
    bool done = product_evaluate_exact(exact, work);
    ctx->host->free(ctx, work);
    return done ? LEAT_OK : ctx->host->fail(ctx, LEAT_ENONFINITE, "no singular values were found");
}

static int product_report(struct leat_ctx *ctx, struct product_comparison *st)
{
    const struct product_cfg *cfg = ctx->cfg;
    struct report_value(*row)[COLUMNS] = ctx->host->alloc(ctx, st->n * sizeof *row);
    struct product_evaluate exact;
    uint32_t n = 0;
    if (!row) return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for the report");
    int status = product_measure(ctx, st, &exact);
    while (status == LEAT_OK && exact.norm > 0 && n < st->n) {
        status = product_compare(ctx, &st->sketch[n], &exact, row[n]);
        n += status == LEAT_OK;
    }
    reports_list(&st->out, cfg->out.format,
                 &(struct report_list){.column = product_columns,
                                       .n_columns = cfg->time ? COLUMNS : SECONDS,
                                       .n_rows = n,
                                       .cell = product_cell,
                                       .of = row});
    ctx->host->free(ctx, row);
    return status;
}

static int product_stop(struct leat_ctx *ctx, void *self)
{
    struct product_comparison *st = self;
    int status = product_report(ctx, st), finished = out_stop(ctx, self);
    return status < 0 ? status : finished;
}

const struct leat_stage eval_product = {
    .name = "eval.product",
    .summary = "compares sketches of the product of two sides with the product itself",
    .doc = product_doc,
    .example = "leat.eval.product { methods = { \"scod\", \"cod\" }, sizes = { \"20\", \"100\" } }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(product_params, struct product_cfg),
    LEAT_INSTANCE(struct product_comparison, open_product, close_product),
    .validate = product_validate,
    .negotiate = product_negotiate,
    .plan = product_plan,
    .start = out_start,
    .process = product_process,
    .stop = product_stop,
};
