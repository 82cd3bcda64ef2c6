/* sftrl.c -- learn.sftrl: the sketched factorization machine as a stage.
 *
 * Only glue; the algorithm is in plugins/kernels/fm/sftrl.c. The model's block grows with the table
 * of features (its log of maps) and with the features touched between two shrinks.
 */
#include <math.h>

#include "kernels/fm/sftrl.h"
#include "factored.h"
#include "factored_state.h"
#include "factored_top.h"

struct cfg {
    struct factored_cfg common;
    int64_t m, buffer;
    double eta;
    int32_t linear, reserved;
};

struct stage {
    struct factored common;
    struct sftrl model;
    void *block, *scratch;
    uint32_t features, touched; /* that the block is for */
};

static const char *const linears[] = {"separate", "inside", NULL};

static const struct leat_param params[] = {
    {.name = "m",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, m),
     .def = "10",
     .min = 1,
     .max = FD_MAX_M,
     .unit = "rows",
     .doc = "size of each of the two sketches: m - 1 rows between shrinks"},
    {.name = "linear",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, linear),
     .def = "separate",
     .choices = linears,
     .doc =
         "separate: exact weights beside the sketches; inside: a one joins each example (paper)"},
    {.name = "eta",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, eta),
     .def = "0",
     .min = 0,
     .max = 1e6,
     .doc = "step of the pairs; 0: from the examples' lengths, needs no tuning"},
    {.name = "buffer",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, buffer),
     .def = "0",
     .min = 0,
     .max = 8192,
     .unit = "rows",
     .doc = "rows between shrinks; 0: m + 1 (the paper's doubling of space)"},
    FACTORED_PARAMS,
    FACTORED_TOP_PARAM,
};

static struct sftrl_options options(const void *cfg)
{
    const struct cfg *c = cfg;
    return (struct sftrl_options){.m = (uint32_t)c->m,
                                  .buffer = (uint32_t)c->buffer,
                                  .eta = c->eta,
                                  .loss = (enum factor_loss)c->common.loss,
                                  .linear = (enum sftrl_linear)c->linear};
}

static uint32_t stride(const void *cfg)
{
    struct sftrl_options o = options(cfg);
    return sftrl_stride(&o);
}

static bool has_one(const void *cfg) { return ((const struct cfg *)cfg)->linear == SFTRL_INSIDE; }

/* ---- memory ---- */

static void close_model(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    ctx->host->free(ctx, st->scratch);
    ctx->host->free(ctx, st->block);
}

/* Features touched between two shrinks that there is room for at first: seldom more. */
static uint32_t first_touched(const void *cfg)
{
    const struct cfg *c = cfg;
    uint32_t some = 64 + 32768 / (uint32_t)c->m,
             most = growing_max_capacity(c->common.growing.max_features);
    return some < most ? some : most;
}

static int no_memory(struct leat_ctx *ctx, uint32_t features)
{
    return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for the sketches of %u features", features);
}

static int open_model(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    struct sftrl_options o = options(ctx->cfg);
    uint32_t row = st->common.max_row ? st->common.max_row : 1;
    st->features = st->common.g.table.capacity;
    st->touched = first_touched(ctx->cfg);
    st->block = ctx->host->alloc(ctx, sftrl_block_bytes(&o, st->features, st->touched));
    st->scratch = ctx->host->alloc(ctx, sftrl_scratch_bytes(&o, row));
    if (!st->block || !st->scratch) return no_memory(ctx, st->features);
    sftrl_init(&st->model, &o, st->features, st->touched, st->block, row, st->scratch);
    return LEAT_OK;
}

static int prepare(struct leat_ctx *ctx, void *self, uint32_t n)
{
    struct stage *st = self;
    uint32_t features = st->common.g.table.capacity, touched = st->touched;
    while (sftrl_room(&st->model) + (touched - st->touched) < n && touched < features)
        touched = touched < features / 2 ? 2 * touched : features; /* no feature has two places */
    if (features == st->features && touched == st->touched) return LEAT_OK;
    void *block = ctx->host->alloc(ctx, sftrl_block_bytes(&st->model.opt, features, touched));
    if (!block) return no_memory(ctx, features);
    sftrl_grow(&st->model, features, touched, block);
    ctx->host->free(ctx, st->block);
    st->block = block;
    st->features = features;
    st->touched = touched;
    return LEAT_OK;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct growing_cfg *g = &((const struct cfg *)cfg)->common.growing;
    struct sftrl_options o = options(cfg);
    uint32_t row = growing_max_row(g, in) + has_one(cfg);
    (void)out;
    return factored_plan(&(struct factored_kind){.stride = stride, .one = has_one}, cfg, in, p,
                         sftrl_block_bytes(&o, growing_first(g), first_touched(cfg)),
                         sftrl_scratch_bytes(&o, row ? row : 1));
}

/* ---- learning ---- */

static double learn(void *self, const struct factor_example *e)
{
    struct stage *st = self;
    return sftrl_learn(&st->model, &st->common.g.table, e);
}

static double predict(void *self, const struct factor_example *e)
{
    struct stage *st = self;
    return sftrl_predict(&st->model, &st->common.g.table, e);
}

static void report(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct leat_host *h = ctx->host;
    factored_report_bytes(ctx, self, sftrl_block_bytes(&st->model.opt, st->features, st->touched));
    h->metric(ctx, "eta", sftrl_rate(&st->model));
    h->metric(ctx, "pair_share", sftrl_share(&st->model));
    h->metric(ctx, "shrinks", (double)(fd_shrinks(&st->model.plus) + fd_shrinks(&st->model.minus)));
    h->metric(ctx, "error_bound", sftrl_lost(&st->model));
}

/* ---- answers ---- */

static double weight(void *self, uint32_t feature)
{
    struct stage *st = self;
    const struct feature_table *t = &st->common.g.table;
    return sftrl_weight(&st->model, t, feature, feature_table_find(t, FACTOR_ONE));
}

static void column(void *self, uint32_t feature, double *out)
{
    struct stage *st = self;
    sftrl_column(&st->model, &st->common.g.table, feature, out);
}

static int pairs(struct leat_ctx *ctx, void *self, struct pairs *out)
{
    struct stage *st = self;
    struct factored_view v = {.plus = fd_rows(&st->model.plus),
                              .rows = sftrl_rows(&st->model),
                              .scale = 2 * sftrl_share(&st->model),
                              .column = column};
    return v.scale > 0 ? factored_offer_pairs(ctx, self, &v, out) : LEAT_OK;
}

/* ---- state ---- */

/* One of the two sketches; name: "plus" or "minus", before each field. */
enum { NAME = 32 };
static const char *field(char text[NAME], const char *sketch, const char *name)
{
    snprintf(text, NAME, "%s_%s", sketch, name);
    return text;
}

static void write_sketch(struct leat_writer *w, const char *s, const struct fd *f)
{
    char n[NAME];
    struct fd_parts p = fd_parts(f);
    uint64_t rows = fd_max_rows(&f->opt);
    uint64_t whole[] = {p.rows, p.kept, p.gram_behind, p.next, p.end, p.step, p.shrinks, p.maps};
    w->array(w, field(n, s, "numbers"), LEAT_U64, whole, 8);
    w->f64(w, field(n, s, "lost"), p.lost);
    w->array(w, field(n, s, "places"), LEAT_U32, p.feature, p.slots);
    w->array(w, field(n, s, "raw"), LEAT_F64, p.block, p.slots * fd_ld(&f->opt));
    w->array(w, field(n, s, "gram"), LEAT_F64, p.gram, rows * rows);
    w->array(w, field(n, s, "maps"), LEAT_F64, p.map, p.maps * fd_map_size(&f->opt));
}

static void write_params(void *self, struct leat_writer *w)
{
    const struct sftrl_options *o = &((struct stage *)self)->model.opt;
    w->u64(w, "m", o->m);
    w->u64(w, "buffer", o->buffer);
    w->f64(w, "eta", o->eta);
    w->u64(w, "linear", o->linear);
}

static int same_params(void *self, struct leat_reader *r)
{
    const struct sftrl_options *o = &((struct stage *)self)->model.opt;
    int bad = r->same_u64(r, "m", o->m) | r->same_u64(r, "buffer", o->buffer) |
              r->same_f64(r, "eta", o->eta) | linear_same_choice(r, "linear", linears, o->linear);
    return bad ? LEAT_EDATA : LEAT_OK;
}

static void write_model(void *self, struct leat_writer *w)
{
    struct stage *st = self;
    struct sftrl_parts p = sftrl_parts(&st->model);
    double sums[] = {p.mass, p.sum, p.reach, p.agree, p.squares, p.noise};
    w->u64(w, "learned", p.t);
    w->array(w, "sums", LEAT_F64, sums, 6);
    write_sketch(w, "plus", &st->model.plus);
    write_sketch(w, "minus", &st->model.minus);
}

static int read_sketch(struct leat_reader *r, const char *s, const struct fd *f, struct fd_parts *p)
{
    char n[NAME];
    const void *numbers, *places, *raw, *gram, *maps;
    uint64_t rows = fd_max_rows(&f->opt), placed = 0;
    if (linear_read_array(r, field(n, s, "numbers"), LEAT_U64, 8, &numbers) != LEAT_OK ||
        r->f64(r, field(n, s, "lost"), &p->lost) != LEAT_OK ||
        r->array(r, field(n, s, "places"), LEAT_U32, &places, &placed) != LEAT_OK)
        return LEAT_EDATA;
    const uint64_t *v = numbers;
    for (int i = 0; i < 8; i++)
        if (i != 6 && v[i] > FEATURE_TABLE_MAX)
            return r->refuse(r, "a number of %s is impossible", s);
    if (placed > FEATURE_TABLE_MAX) return r->refuse(r, "%s has too many places", s);
    if (linear_read_array(r, field(n, s, "raw"), LEAT_F64, placed * fd_ld(&f->opt), &raw) ||
        linear_read_array(r, field(n, s, "gram"), LEAT_F64, rows * rows, &gram) ||
        linear_read_array(r, field(n, s, "maps"), LEAT_F64, v[7] * fd_map_size(&f->opt), &maps))
        return LEAT_EDATA;
    p->rows = (uint32_t)v[0], p->kept = (uint32_t)v[1], p->gram_behind = v[2] != 0;
    p->next = (uint32_t)v[3], p->end = (uint32_t)v[4], p->step = (uint32_t)v[5];
    p->shrinks = v[6], p->maps = (uint32_t)v[7], p->slots = (uint32_t)placed;
    p->feature = places, p->block = raw, p->gram = gram, p->map = maps;
    return LEAT_OK;
}

static int read_model(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct stage *st = self;
    struct sftrl_parts p;
    const void *sums;
    if (r->u64(r, "learned", &p.t) != LEAT_OK ||
        linear_read_array(r, "sums", LEAT_F64, 6, &sums) != LEAT_OK ||
        read_sketch(r, "plus", &st->model.plus, &p.plus) != LEAT_OK ||
        read_sketch(r, "minus", &st->model.minus, &p.minus) != LEAT_OK)
        return LEAT_EDATA;
    const double *v = sums;
    p.mass = v[0], p.sum = v[1], p.reach = v[2], p.agree = v[3], p.squares = v[4], p.noise = v[5];
    uint32_t places = p.plus.slots > p.minus.slots ? p.plus.slots : p.minus.slots;
    if (places > st->common.g.table.n) return r->refuse(r, "more places than features");
    int status = prepare(ctx, self, places);
    if (status != LEAT_OK) return status;
    const char *wrong = sftrl_load(&st->model, &p, &st->common.g.table);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

static int merge_models(struct leat_ctx *ctx, void *self, const struct factored_merger *merger)
{
    struct stage *st = self, *a = merger->a, *b = merger->b;
    struct sftrl_side sa = {&a->model, &a->common.g.table}, sb = {&b->model, &b->common.g.table};
    int status = prepare(ctx, self, 0);
    if (status != LEAT_OK) return status;
    void *work = ctx->host->alloc(ctx, sftrl_merge_bytes(&st->model.opt));
    if (!work) return LEAT_ENOMEM;
    sftrl_merge(&st->model, &st->common.g.table, &sa, &sb, merger->count, merger->number, work);
    ctx->host->free(ctx, work);
    return LEAT_OK;
}

static const struct factored_kind kind = {
    FACTORED_KIND_MEMBERS,      .stride = stride,      .one = has_one, .open = open_model,
    .close = close_model,       .prepare = prepare,    .pairs = pairs, .write_params = write_params,
    .same_params = same_params, .merge = merge_models,
};

FACTORED_STAGE(kind)

const struct leat_stage learn_sftrl = {
    .name = "learn.sftrl",
    .summary = "factorization machine by sketched follow-the-regularized-leader, O(m) a feature",
    .doc =
        "Predicts from all pairs of features, z = a' Theta a, where Theta = -sum eta phi'(z) a a' "
        "over the examples (FTRL with the penalty |Theta|^2 / 2) is kept as P'P - N'N: two "
        "sketches "
        "by frequent directions of the rows sqrt(eta |phi'|) a with phi' < 0 and > 0. An example "
        "of "
        "n entries costs O(m n), and a shrink every m + 1 rows of one sign O(m^3), however many "
        "features there are; a feature takes 2 m doubles, and new ones may come at any time. The "
        "spectral error of Theta is at most error_bound (in the summary).\n\n"
        "With linear = \"inside\" a 1 joins every example, so that Theta holds the weights of "
        "single "
        "features as well: the paper's form. With \"separate\", the default, z = l + c q: l has an "
        "exact centre and a weight for each feature with a rate of its own (as learn.bias), the "
        "sketches learn what it leaves, and c (pair_share), between 0 and 1, is how much of q has "
        "proved right so far; pairs do no harm before they help.\n\n"
        "eta = 0 takes .6 over the mean of (a'a)^2 (over h = 1/4 with the logistic loss): a "
        "typical "
        "example moves its own prediction .6 of the way. The authors' squared loss has twice our "
        "slope: their eta = .01 is .02 here. Rows for classification are best normalised "
        "(feature.normalize).\n\n"
        "L. Luo et al., Sketched follow-the-regularized-leader for online factorization machine, "
        "KDD 2018." FACTORED_DOC FACTORED_TOP_DOC
        " Pairs are looked for among the 1,024 features with the longest columns of P and N.\n\n"
        "Snapshots hold the model bit for bit. A merge averages: Theta by the examples that each "
        "side has learned, its error bounds likewise plus what one more shrink subtracts; weights "
        "of the linear part by the examples that had the feature; counts add up. Commutative up to "
        "rounding, associative within the bounds. Both sides must have the same parameters.",
    .example = "leat.learn.sftrl { m = 10, min = 1, max = 5 }",
    FACTORED_MEMBERS,
};
