/* product.c -- stage learn.product: pairs of features, one of each side, that occur together.
 *
 * The algorithms are in plugins/kernels/product/product.c. The stage does not predict, so it has no
 * score. It answers LEAT_QUERY_TOP with the largest entries of the product, or with its singular
 * triplets. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/product/product_alike.h"
#include "kernels/product/product_exact.h"
#include "kernels/product/product_top.h"
#include "learners/product/docs.h"
#include "product.h"
#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"
#include "common/learners/sides.h"

enum product_stage_show { SHOW_ENTRIES, SHOW_TRIPLETS };
enum { NAMED = 3 };      /* largest number of features of one side in the name of a triplet */
enum { ALIGNMENT = 64 }; /* largest number of bytes added to a block for alignment */

struct product_stage_cfg {
    struct growing_cfg growing; /* must be the first member (product.h) */
    int64_t size, iterations, seed;
    struct leat_interval half_life;
    double failure;
    int32_t method, show, form, exact;
    const char *of[2]; /* parameters of_left and of_right; NULL: all features */
};

static const char *const product_stage_shows[] = {"entries", "triplets", NULL};

static const struct leat_param product_stage_params[] = {
    LEAT_PARAM(struct product_stage_cfg, method, LEAT_CHOICE, .def = "scod",
               .choices = product_model_methods, .doc = "method of the sketch: see above"),
    LEAT_PARAM(struct product_stage_cfg, size, LEAT_INT, .def = "50", .min = 1,
               .max = PRODUCT_MAX_L, .unit = "columns", .doc = "l: columns of the sketch"),
    LEAT_PARAM(struct product_stage_cfg, exact, LEAT_BOOL, .def = "true",
               .doc = "counts all pairs exactly while they fit in the memory of the sketch; false: "
                      "sketches from the first record on"),
    LEAT_PARAM(struct product_stage_cfg, show, LEAT_CHOICE, .flags = LEAT_QUESTION,
               .def = "entries", .choices = product_stage_shows,
               .doc =
                   "content of the answer: the largest entries by name, or the singular triplets"),
    LEAT_PARAM_AS("of_left", struct product_stage_cfg, of, LEAT_STRING, .flags = LEAT_QUESTION,
                  .doc = "only entries of the left feature of this name"),
    {.name = "of_right",
     .type = LEAT_STRING,
     .flags = LEAT_QUESTION,
     .offset = offsetof(struct product_stage_cfg, of) + sizeof(char *),
     .doc = "only entries of the right feature of this name; with both: one estimate, 0 or not"},
    LEAT_PARAM(
        struct product_stage_cfg, failure, LEAT_FLOAT, .def = "0.01", .min = 0, .max = 0.5,
        .doc =
            "chance that the bound of a random method is wrong; 0: no bound, nothing is verified"),
    LEAT_PARAM(struct product_stage_cfg, half_life, LEAT_INTERVAL, .def = "0", .min = 0,
               .max = 9e15, .unit = "records",
               .doc = "records, or event time (\"6h\"), after which a record counts half; 0: all "
                      "count the same"),
    LEAT_PARAM(struct product_stage_cfg, iterations, LEAT_INT, .flags = LEAT_ADVANCED, .def = "2",
               .min = 0, .max = 100,
               .doc = "passes of simultaneous iteration over a buffer (scod, sfd_amm)"),
    LEAT_PARAM(struct product_stage_cfg, form, LEAT_CHOICE, .flags = LEAT_ADVANCED, .def = "leat",
               .choices = product_model_forms,
               .doc = "variant of scod: leat: factors large buffers and shrinks when l columns are "
                      "not enough; paper: algorithm 4 of the paper"),
    LEAT_PARAM(struct product_stage_cfg, seed, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0",
               .min = 0, .max = 9e15,
               .doc = "seed of the random numbers; 0: the seed of the pipeline"),
    {GROWING_PARAM(offsetof(struct product_stage_cfg, growing), max_features, LEAT_INT),
     .def = "65536", .min = 1, .max = FEATURE_TABLE_MAX, .unit = "features",
     .doc = "most features that the learner keeps of a side, rounded up to a power of two; it "
            "ignores later ones and counts them"},
    {GROWING_PARAM(offsetof(struct product_stage_cfg, growing), names_budget, LEAT_SIZE),
     .def = "8MiB", .min = 0, .max = 4294967295.0, .unit = "bytes",
     .doc =
         "memory for the names of each side; when it is full, new features are shown by their ids"},
    {GROWING_PARAM(offsetof(struct product_stage_cfg, growing), name_bytes, LEAT_INT), .def = "120",
     .min = 8, .max = 65535, .unit = "bytes",
     .doc = "longest name kept; longer ones are cut and end with …"},
    {GROWING_PARAM(offsetof(struct product_stage_cfg, growing), max_entries, LEAT_INT),
     .def = "65536", .min = 1, .max = 16777216, .unit = "entries",
     .doc = "longest side learned; records with a longer one are rejected"},
};

static struct product_options product_stage_options(const struct product_stage_cfg *c,
                                                    uint64_t seed)
{
    return (struct product_options){.method = (enum product_method)c->method,
                                    .l = (uint32_t)c->size,
                                    .iterations = (uint32_t)c->iterations,
                                    .failure = c->failure,
                                    .paper = c->form == 1,
                                    .exact = c->exact && c->form != 1,
                                    .half_life = examples_half_life(&c->half_life),
                                    .by_time = c->half_life.ns > 0,
                                    .seed = c->seed ? (uint64_t)c->seed : seed};
}

static int product_stage_validate(const void *cfg, struct leat_diag *d)
{
    const struct product_stage_cfg *c = cfg;
    if (c->show == SHOW_TRIPLETS && (c->of[0] || c->of[1]))
        d->error(
            d, c->of[0] ? "of_left" : "of_right",
            "show = \"triplets\" shows all features: leave this out, or set show = \"entries\"");
    return LEAT_OK;
}

static int product_stage_negotiate(const void *cfg, struct leat_negotiation *n)
{
    examples_need_time(n, &((const struct product_stage_cfg *)cfg)->half_life);
    return sides_check(n);
}

static size_t product_stage_heavy_bytes(uint32_t triplets)
{
    return (size_t)triplets * NAMED * sizeof(struct product_heavy);
}

static size_t product_stage_names_size(int64_t name_bytes)
{
    return 2 * NAMED * ((size_t)name_bytes + 32);
}

/* Returns the bytes that an answer allocates: for the triplets, and for the search for the largest
 * entries or heaviest features. */
static uint64_t product_stage_answer_bytes(const struct product_options *o, uint32_t max,
                                           const struct growing_cfg *g)
{
    const uint32_t m[2] = {max, max}, product_stage_columns = product_max_columns(o);
    return product_triplets_bytes(product_stage_columns) +
           product_entries_bytes(m, product_stage_columns) + product_named_order_bytes(max, max) +
           product_settle_bytes(max, product_stage_columns) + 4 * ALIGNMENT +
           product_stage_names_size(g->name_bytes) +
           answer_rows_bytes((uint64_t)max * max, sizeof(struct pair)) + sizeof(struct pair) +
           2 * (product_stage_heavy_bytes(product_stage_columns) + 1);
}

static int product_stage_plan(const void *cfg, const struct leat_schema *in,
                              const struct leat_schema *out, struct leat_plan *p)
{
    const struct product_stage_cfg *c = cfg;
    struct product_options o = product_stage_options(c, 0);
    uint32_t max = growing_max_capacity(c->growing.max_features),
             row = examples_max_entries(c->growing.max_entries, in);
    p->names_bytes = 2 * growing_names_bytes(&c->growing, in);
    p->work_bytes = product_model_scratch_bytes(row) + 2 * ((size_t)c->growing.name_bytes + 1) +
                    product_stage_answer_bytes(&o, max, &c->growing);
    product_model_plan(p, &o, max, row);
    growing_note(p, max);
    size_t n = strlen(p->note);
    if (!isnan(product_theorem(&o)))
        snprintf(p->note + n, sizeof p->note - n, "; error at most %.3g |X|_F |Y|_F",
                 product_theorem(&o));
    return LEAT_OK;
}

static void product_stage_close_stage(struct leat_ctx *ctx, void *self)
{
    struct product_stage *st = self;
    product_model_close(ctx, st->model);
    st->model = NULL;
}

static int product_stage_open_stage(struct leat_ctx *ctx, void *self)
{
    const struct product_stage_cfg *c = ctx->cfg;
    struct product_options o = product_stage_options(c, ctx->host->seed(ctx));
    return product_model_open(ctx, &c->growing, &o, &((struct product_stage *)self)->model);
}

static int product_stage_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct product_model *m = ((struct product_stage *)self)->model;
    uint32_t k = 0, x, y;
    int status = LEAT_OK;
    while (status == LEAT_OK && sides_next(ctx, b, m->max_row, &k, &x, &y)) {
        if (!(b->ex_weight[x] > 0)) continue;
        if (m->sketch.opt.by_time) product_at(&m->sketch, b->timestamp[b->ex_record[x]]);
        status = product_model_learn(ctx, m, b, x, y);
    }
    return status;
}

static void product_stage_report(struct leat_ctx *ctx, struct product_model *m, double bound)
{
    const struct leat_host *h = ctx->host;
    const struct product *p = &m->sketch;
    const struct feature_table *x = &m->side[0].table, *y = &m->side[1].table;
    struct product_capacity now =
        product_capacity_for(&p->opt, x->capacity, y->capacity, m->max_row);
    for (int s = 0; s < 2; s++)
        pool_names_tell(ctx, &m->side[s].names, &m->side[s].told_names);
    double FF = sqrt(p->sums.square[0]) * sqrt(p->sums.square[1]);
    h->metric(ctx, "model_bytes",
              (double)(feature_table_bytes(x->capacity, x->stride) +
                       feature_table_bytes(y->capacity, y->stride) + product_bytes(&p->opt, &now)));
    h->metric(ctx, "names_bytes", (double)(m->side[0].names.used + m->side[1].names.used));
    h->metric(ctx, "features_left", (double)x->n);
    h->metric(ctx, "features_right", (double)y->n);
    h->metric(ctx, "ignored_entries", (double)(x->ignored + y->ignored));
    h->metric(ctx, "unnamed_features",
              (double)(m->side[0].names.dropped + m->side[1].names.dropped));
    h->metric(ctx, "pairs", (double)p->sums.pairs);
    h->metric(ctx, "pairs_with_an_empty_side", (double)p->sums.skipped);
    h->metric(ctx, "exact", product_is_exact(p));
    h->metric(ctx, "shrinks", (double)p->sums.shrinks);
    if (FF > 0 && !isnan(bound)) h->metric(ctx, "relative_bound", bound * p->sums.grown / FF);
}

/* ---- the answer ---- */

/* State of an answer that is being written. */
struct product_stage_answer {
    struct product_model *m;
    struct leat_result *out;
    char *name; /* buffer for 2 * NAMED names and the text between them */
    size_t len;
    struct product_view view;
    struct product_named_order order;
    struct product_order by; /* the same, for the search */
    uint32_t rows, sure;
};

static void product_stage_append_text(struct product_stage_answer *a, const char *text, size_t n)
{
    memcpy(a->name + a->len, text, n);
    a->len += n;
}

static void product_stage_append_name(struct product_stage_answer *a, int side, uint32_t feature)
{
    char digits[24];
    size_t len;
    const char *name = growing_name(&a->m->side[side], feature, digits, &len);
    product_stage_append_text(a, name, len);
}

/* `alike` is shown only with triplets. */
static int product_stage_put_value(struct product_stage_answer *a, double value, double alike)
{
    const double row[] = {value, a->view.bound, alike};
    int status = a->out->row(a->out, a->name, a->len, row);
    a->len = 0;
    a->rows++;
    a->sure += !(fabs(value) <= a->view.bound && a->view.bound > 0);
    return status;
}

/* Sets of[s] to the feature that a parameter names, or to FEATURE_TABLE_NONE. Returns false if no
 * feature has the name. */
static bool product_stage_find(const struct product_stage_cfg *c, const struct product_model *m,
                               uint32_t of[2])
{
    for (int s = 0; s < 2; s++) {
        of[s] = c->of[s] ? product_named(&m->side[s], c->of[s]) : FEATURE_TABLE_NONE;
        if (c->of[s] && of[s] == FEATURE_TABLE_NONE) return false;
    }
    return true;
}

static int product_stage_no_memory(struct leat_ctx *ctx)
{
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for an answer");
}

static int product_stage_put_entries(struct product_stage_answer *a, const struct pair *entry,
                                     uint32_t n)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < n && status == LEAT_OK; i++) {
        product_stage_append_name(a, 0, a->order.feature[0][entry[i].a]);
        product_stage_append_text(a, " × ", sizeof " × " - 1);
        product_stage_append_name(a, 1, a->order.feature[1][entry[i].b]);
        status = product_stage_put_value(a, entry[i].weight, 0);
    }
    return status;
}

/* Writes the k largest entries. t is NULL if the product is exact. */
static int product_stage_answer_entries(struct leat_ctx *ctx, struct product_stage_answer *a,
                                        struct product_triplets *t, uint32_t k)
{
    const struct leat_host *h = ctx->host;
    const struct product_stage_cfg *c = ctx->cfg;
    struct product *p = &a->m->sketch;
    uint32_t of[2], m[2], n = 0;
    uint64_t looked;
    if (!product_stage_find(c, a->m, of)) return LEAT_OK;
    for (int s = 0; s < 2; s++) {
        m[s] = c->of[s] ? 1 : p->table[s]->n;
        if (!t || !c->of[s]) continue;
        t->side[s].a += (size_t)of[s] * t->side[s].ld;
        t->side[s].n = 1;
        a->by.rank[s] += of[s];
    }
    if ((uint64_t)m[0] * m[1] < k) k = m[0] * m[1];
    struct pair *entry = h->alloc(ctx, (k + 1ull) * sizeof *entry);
    void *work = h->alloc(ctx, (t ? product_entries_bytes(m, t->columns) : 0) + ALIGNMENT);
    int status = entry && work ? LEAT_OK : product_stage_no_memory(ctx);
    if (status == LEAT_OK && t)
        n = product_entries(t, &a->by, k, a->view.rounding, work, entry, &looked);
    else if (status == LEAT_OK)
        n = product_exact_entries(p, of, &a->by, k, entry);
    if (c->of[0] && c->of[1] && !n && status == LEAT_OK) { /* the named pair is shown, even if 0 */
        *entry = (struct pair){a->order.rank[0][of[0]], a->order.rank[1][of[1]], 0};
        n = 1;
    }
    if (status == LEAT_OK) status = product_stage_put_entries(a, entry, n);
    h->free(ctx, work);
    h->free(ctx, entry);
    return status;
}

/* Appends the heaviest features of a vector as the name of a triplet's side. A "-" precedes each
 * feature whose sign differs from that of the first feature of the left side. */
static void product_stage_append_heaviest(struct product_stage_answer *a, int side,
                                          const struct product_heavy heavy[NAMED], bool negative)
{
    for (int j = 0; j < NAMED && heavy[j].value != 0; j++) {
        if (j) product_stage_append_text(a, ", ", 2);
        if ((heavy[j].value < 0) != negative) product_stage_append_text(a, "-", 1);
        product_stage_append_name(a, side, heavy[j].feature);
    }
}

static int product_stage_put_triplets(struct product_stage_answer *a,
                                      const struct product_triplets *t, uint32_t k,
                                      struct product_heavy *const heavy[2])
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < k && status == LEAT_OK; i++) {
        const struct product_heavy *left = heavy[0] + (size_t)i * NAMED;
        product_stage_append_heaviest(a, 0, left, left->value < 0);
        product_stage_append_text(a, " × ", sizeof " × " - 1);
        product_stage_append_heaviest(a, 1, heavy[1] + (size_t)i * NAMED, left->value < 0);
        status = product_stage_put_value(a, product_rounded(t->sigma[i], a->by.grain),
                                         product_alike(t, i).n);
    }
    return status;
}

static int product_stage_answer_triplets(struct leat_ctx *ctx, struct product_stage_answer *a,
                                         struct product_triplets *t, uint32_t k)
{
    const struct leat_host *h = ctx->host;
    struct product_heavy *heavy[2];
    if (t->n < k) k = t->n;
    void *work = h->alloc(ctx, product_settle_bytes(t->side[0].n, t->columns) + ALIGNMENT);
    for (int s = 0; s < 2; s++)
        heavy[s] = h->alloc(ctx, product_stage_heavy_bytes(k) + 1);
    int status = work && heavy[0] && heavy[1] ? LEAT_OK : product_stage_no_memory(ctx);
    if (status == LEAT_OK) product_settle(t, k, &a->by, work);
    for (int s = 0; s < 2 && status == LEAT_OK; s++)
        product_heaviest(t, s, k, NAMED, &a->by, heavy[s]);
    if (status == LEAT_OK) status = product_stage_put_triplets(a, t, k, heavy);
    h->free(ctx, heavy[1]);
    h->free(ctx, heavy[0]);
    h->free(ctx, work);
    return status;
}

/* Answers from the columns of the sketch. */
static int product_stage_answer_sketch(struct leat_ctx *ctx, struct product_stage_answer *a,
                                       uint32_t k)
{
    const struct leat_host *h = ctx->host;
    const struct product_stage_cfg *c = ctx->cfg;
    const struct product *p = &a->m->sketch;
    const struct tall_matrix side[2] = {product_side(p, 0), product_side(p, 1)};
    struct product_triplets t;
    int status;
    void *block = h->alloc(ctx, product_triplets_bytes(a->view.columns) + ALIGNMENT);
    if (!block)
        status = product_stage_no_memory(ctx);
    else if (!product_triplets(side, a->view.columns, a->view.scale, block, &t))
        status = h->fail(ctx, LEAT_ENONFINITE,
                         "the sketch has become too large to answer: its numbers overflow");
    else
        status = c->show == SHOW_TRIPLETS ? product_stage_answer_triplets(ctx, a, &t, k)
                                          : product_stage_answer_entries(ctx, a, &t, k);
    h->free(ctx, block);
    return status;
}

/* Returns the grain of values: 0 if they are whole numbers that are counted exactly. */
static double product_stage_grain(const struct product *p, const struct product_view *v)
{
    double norms = sqrt(p->sums.square[0]) * sqrt(p->sums.square[1]) / p->sums.grown;
    return v->bound == 0 ? 0 : product_grain(norms);
}

static int product_stage_answer_from(struct leat_ctx *ctx, struct product_stage_answer *a,
                                     uint32_t k)
{
    const struct leat_host *h = ctx->host;
    struct product_model *m = a->m;
    void *block = h->alloc(ctx, product_named_order_bytes(m->side[0].table.n, m->side[1].table.n) +
                                    ALIGNMENT);
    a->name = h->alloc(ctx, product_stage_names_size(m->side[0].names.max_bytes));
    int status = block && a->name ? LEAT_OK : product_stage_no_memory(ctx);
    if (status == LEAT_OK) {
        a->order = product_named_order(m, block);
        a->by = (struct product_order){{a->order.rank[0], a->order.rank[1]},
                                       product_stage_grain(&m->sketch, &a->view)};
        a->view.bound += a->by.grain / 2;
        status = a->view.columns ? product_stage_answer_sketch(ctx, a, k)
                                 : product_stage_answer_entries(ctx, a, NULL, k);
    }
    h->free(ctx, a->name);
    h->free(ctx, block);
    return status;
}

static const char *const *product_stage_columns(const void *cfg, uint32_t *n)
{
    static const char *const entries[] = {"value", "bound"}, *const triplets[] = {"sigma", "bound",
                                                                                  "alike"};
    bool show_triplets = ((const struct product_stage_cfg *)cfg)->show == SHOW_TRIPLETS;
    *n = show_triplets ? 3 : 2;
    return show_triplets ? triplets : entries;
}

/* Warns once if no feature has the name in of_left or of_right. Called with the first answer, and
 * at the end. */
static void product_stage_tell_names(struct leat_ctx *ctx, struct product_stage *st)
{
    const struct product_stage_cfg *c = ctx->cfg;
    if (!st->told_names) st->told_names = product_named_tell(ctx, st->model, c->of);
}

/* Sets *v to the view that an answer shows. Entries of an exact product need no columns. */
static int product_stage_look(struct leat_ctx *ctx, struct product *p, struct product_view *v)
{
    const struct product_stage_cfg *c = ctx->cfg;
    if (product_is_exact(p)) *v = product_exact_look(p);
    if (product_is_exact(p) && c->show == SHOW_ENTRIES) return LEAT_OK;
    if (product_look(p, v)) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENONFINITE,
                           "the sketch has become too large to answer: its numbers overflow");
}

static int product_stage_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                               struct leat_result *out)
{
    const struct product_stage_cfg *c = ctx->cfg;
    uint32_t n;
    struct product_stage *st = self;
    struct product_model *m = st->model;
    struct product_view v;
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    int status = product_stage_look(ctx, &m->sketch, &v);
    if (status != LEAT_OK) return status;
    product_stage_report(ctx, m, v.bound);
    const char *const *names = product_stage_columns(c, &n);
    status = out->columns(out, names, n);
    if (!q->k || status != LEAT_OK) return status;
    if (!q->beside) product_stage_tell_names(ctx, st);
    struct product_stage_answer a = {.m = m, .out = out, .view = v};
    bool empty = !v.columns && !product_is_exact(&m->sketch);
    if (!empty) status = product_stage_answer_from(ctx, &a, q->k);
    st->rows = a.rows;
    st->sure = a.sure;
    st->bound = v.bound;
    st->empty = empty;
    return status;
}

/* Warns at the end of the run if the sketch is empty because shrinking has subtracted everything.
 * Also warns if more than half of the rows differ from 0 by less than the error bound. */
static void product_stage_tell_unsure(struct leat_ctx *ctx, const struct product_stage *st)
{
    const struct leat_host *h = ctx->host;
    long long size = ((const struct product_stage_cfg *)ctx->cfg)->size;
    char rows[48] = "the row is";
    if (st->empty && st->bound > 0)
        h->log(ctx, LEAT_WARN,
               "nothing is left in the sketch, because no value is above the bound that it "
               "subtracts (%.4g): raise size (now %lld)",
               st->bound, size);
    if (2 * st->sure >= st->rows) return;
    if (st->rows > 1)
        snprintf(rows, sizeof rows, "%u of %u rows are", st->rows - st->sure, st->rows);
    h->log(ctx, LEAT_WARN,
           "%s within the error bound (%.4g) of 0, and may be noise: raise size (now %lld)", rows,
           st->bound, size);
}

static int product_stage_stop(struct leat_ctx *ctx, void *self)
{
    product_stage_report(ctx, ((struct product_stage *)self)->model, (double)NAN);
    product_stage_tell_names(ctx, self);
    product_stage_tell_unsure(ctx, self);
    return LEAT_OK;
}

static const struct leat_figure product_stage_figures[] = {
    FIGURE_MODEL_BYTES,
    FIGURE_NAMES_BYTES,
    {"features_left", "features", "features on the left", LEAT_GAUGE},
    {"features_right", "features", "features on the right", LEAT_GAUGE},
    FIGURE_IGNORED,
    FIGURE_UNNAMED,
    {"pairs", "pairs", "pairs of examples that were learned", LEAT_COUNTER},
    {"pairs_with_an_empty_side", "pairs", "pairs of examples without features on one side",
     LEAT_COUNTER},
    {"exact", "1", "1 while all pairs are counted exactly, then 0", LEAT_GAUGE},
    {"shrinks", "1", "times that the sketch has shrunk", LEAT_COUNTER},
    {"relative_bound", "ratio", "largest error of a product, relative to the norms", LEAT_GAUGE},
};

const struct leat_stage learn_product = {
    .name = "learn.product",
    .summary = "which features of two sides go together: a sketch of the product X Y'",
    .doc = product_doc,
    .example = "leat.learn.product { method = \"scod\", size = 100 }",
    .kind = LEAT_LEARNER,
    .needs = LEAT_HAS_EXAMPLES,
    .validate = product_stage_validate,
    .negotiate = product_stage_negotiate,
    LEAT_PARAMS(product_stage_params, struct product_stage_cfg),
    LEAT_FIGURES(product_stage_figures),
    LEAT_INSTANCE(struct product_stage, product_stage_open_stage, product_stage_close_stage),
    .plan = product_stage_plan,
    .stop = product_stage_stop,
    .process = product_stage_process,
    .learner =
        LEAT_ROLE(leat_learner, .query = product_stage_query, .columns = product_stage_columns),
    .state =
        LEAT_ROLE(leat_state, .version = PRODUCT_STATE_VERSION, .snapshot = product_state_write,
                  .restore = product_state_restore, .merge = product_state_merge),
};
