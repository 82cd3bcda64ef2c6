/* sftrl.c -- stage learn.sftrl: the sketched factorization machine.
 *
 * The algorithm is in plugins/kernels/fm/sftrl.c. */
#include <float.h>
#include <stdio.h>

#include "kernels/fm/sftrl.h"
#include "factored.h"
#include "learners/fm/docs.h"
#include "common/learners/examples.h"
#include "common/state/state_prefix.h"

struct sftrl_cfg {
    struct factored_cfg common;
    int64_t m, buffer;
    double eta;
    int32_t linear, reserved;
};

struct sftrl_stage {
    struct factored common;
    struct sftrl model;
    void *block, *scratch;
};

static const char *const sftrl_stage_linears[] = {"separate", "inside", NULL};

static const struct leat_param sftrl_stage_params[] = {
    LEAT_PARAM(struct sftrl_cfg, m, LEAT_INT, .def = "10", .min = 1, .max = FD_MAX_M,
               .unit = "rows",
               .doc = "size of each of the two sketches: m - 1 rows between shrinks"),
    LEAT_PARAM(struct sftrl_cfg, linear, LEAT_CHOICE, .def = "separate",
               .choices = sftrl_stage_linears,
               .doc = "separate: exact weights in addition to the sketches; inside: each example "
                      "gets a feature of value 1 (paper)"),
    LEAT_PARAM(struct sftrl_cfg, eta, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e6,
               .doc = "step of the pairs; 0: from the examples' lengths, needs no tuning"),
    {FACTORED_PARAM(half_life, LEAT_INTERVAL), .def = "0", .min = 0, .max = 1e8, .unit = "records",
     .doc = "records, or event time (\"6h\"), after which old records count half as much; 0: "
            "nothing fades"},
    LEAT_PARAM(struct sftrl_cfg, buffer, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0", .min = 0,
               .max = 8192, .unit = "rows",
               .doc = "rows between shrinks; 0: m + 1 (the paper's doubling of space)"),
    FACTORED_PARAMS("524288"),
    FACTORED_TOP_PARAM,
};

static struct sftrl_options sftrl_stage_options(const void *cfg)
{
    const struct sftrl_cfg *c = cfg;
    return (struct sftrl_options){.m = (uint32_t)c->m,
                                  .buffer = (uint32_t)c->buffer,
                                  .eta = c->eta,
                                  .loss = (enum fm_loss)c->common.loss,
                                  .linear = (enum sftrl_linear)c->linear,
                                  .half_life = examples_half_life(&c->common.half_life),
                                  .by_time = c->common.half_life.ns > 0};
}

static uint32_t sftrl_stage_stride(const void *cfg)
{
    struct sftrl_options o = sftrl_stage_options(cfg);
    return sftrl_stride(&o);
}

static bool sftrl_stage_has_one(const void *cfg)
{
    return ((const struct sftrl_cfg *)cfg)->linear == SFTRL_INSIDE;
}

/* ---- memory ---- */

static void sftrl_stage_close_model(struct leat_ctx *ctx, void *self)
{
    struct sftrl_stage *st = self;
    ctx->host->free(ctx, st->scratch);
    ctx->host->free(ctx, st->block);
}

static uint64_t sftrl_stage_block(const void *cfg, uint32_t features, uint32_t max_row)
{
    struct sftrl_options o = sftrl_stage_options(cfg);
    return sftrl_block_bytes(&o, features,
                             growing_max_slots(features, sftrl_max_rows(&o), max_row));
}

static uint64_t sftrl_stage_scratch(const void *cfg, uint32_t max_row)
{
    struct sftrl_options o = sftrl_stage_options(cfg);
    return sftrl_scratch_bytes(&o, max_row ? max_row : 1);
}

static uint32_t sftrl_stage_rows(const void *cfg)
{
    struct sftrl_options o = sftrl_stage_options(cfg);
    return 2 * sftrl_max_rows(&o);
}

static int sftrl_stage_open_model(struct leat_ctx *ctx, void *self)
{
    struct sftrl_stage *st = self;
    struct sftrl_options o = sftrl_stage_options(ctx->cfg);
    uint32_t row = st->common.max_row ? st->common.max_row : 1,
             features = st->common.g.table.max_capacity,
             slots = growing_max_slots(features, sftrl_max_rows(&o), st->common.max_row);
    st->block = ctx->host->alloc(ctx, sftrl_block_bytes(&o, features, slots));
    st->scratch = ctx->host->alloc(ctx, sftrl_scratch_bytes(&o, row));
    if (!st->block || !st->scratch)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for max_features = %u: lower it",
                               features);
    sftrl_init(&st->model, &o, features, slots, st->block, row, st->scratch);
    return LEAT_OK;
}

/* If a sketch has too few free slots for an example of n features, frees some of its slots. With as
 * many slots as features, there are always enough. */
static int sftrl_stage_prepare(struct leat_ctx *ctx, void *self, uint32_t n)
{
    struct sftrl_stage *st = self;
    struct feature_table *t = &st->common.g.table;
    if (sftrl_free_slots(&st->model) < n && t->n > st->model.plus.max_slots)
        sftrl_free_slots_for(&st->model, t, n);
    return LEAT_OK;
}

/* ---- learning ---- */

static double sftrl_stage_learn(void *self, const struct fm_example *e)
{
    struct sftrl_stage *st = self;
    return sftrl_learn(&st->model, &st->common.g.table, e);
}

static double sftrl_stage_predict(void *self, const struct fm_example *e)
{
    struct sftrl_stage *st = self;
    return sftrl_predict(&st->model, &st->common.g.table, e);
}

static double sftrl_stage_at(void *self, int64_t time)
{
    struct sftrl_stage *st = self;
    return sftrl_at(&st->model, &st->common.g.table, time);
}

static void sftrl_stage_report(struct leat_ctx *ctx, void *self)
{
    struct sftrl_stage *st = self;
    const struct leat_host *h = ctx->host;
    factored_report_bytes(
        ctx, &st->common,
        sftrl_stage_block(ctx->cfg, st->common.g.table.capacity, st->common.max_row));
    h->metric(ctx, "eta", sftrl_rate(&st->model));
    h->metric(ctx, "pair_share", sftrl_share(&st->model));
    h->metric(ctx, "shrinks", (double)(st->model.plus.log.n + st->model.minus.log.n));
    h->metric(ctx, "error_bound", sftrl_lost(&st->model));
}

/* ---- answers ---- */

static double sftrl_stage_weight(void *self, uint32_t feature)
{
    struct sftrl_stage *st = self;
    const struct feature_table *t = &st->common.g.table;
    return sftrl_weight(&st->model, t, feature, feature_table_find(t, FM_ONE));
}

static void sftrl_stage_column(void *self, uint32_t feature, double *out)
{
    struct sftrl_stage *st = self;
    sftrl_column(&st->model, &st->common.g.table, feature, out);
}

static int sftrl_stage_pairs(struct leat_ctx *ctx, void *self, struct pairs *out)
{
    struct sftrl_stage *st = self;
    struct factored_view v = {.plus = st->model.plus.rows,
                              .rows = sftrl_rows(&st->model),
                              .scale = 2 * sftrl_share(&st->model),
                              .column = sftrl_stage_column};
    return v.scale > 0 ? factored_offer_pairs(ctx, self, &v, out) : LEAT_OK;
}

/* ---- state ---- */

static const struct state_field sftrl_stage_same[] = {
#define AT(member) STATE_MEMBER(struct sftrl_stage, model.opt.member)
    {"m", STATE_SAME, .at = AT(m)},
    {"buffer", STATE_SAME, .at = AT(buffer)},
    {"eta", STATE_SAME, .at = AT(eta)},
    {"linear", STATE_SAME, .at = AT(linear), .choices = sftrl_stage_linears},
    {"half_life", STATE_SAME, .at = AT(half_life)},
#undef AT
};

static const struct state_field sftrl_stage_fields[] = {
#define AT(member) STATE_MEMBER(struct sftrl_stage, model.member)
    {"learned", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"mass", STATE_VALUE, .at = AT(bias.mass), .max = DBL_MAX},
    {"sum", STATE_VALUE, .at = AT(bias.sum)},
    {"sum_norm4", STATE_VALUE, .at = AT(sum_norm4), .max = DBL_MAX},
    {"sum_gq", STATE_VALUE, .at = AT(sum_gq)},
    {"sum_qq", STATE_VALUE, .at = AT(sum_qq), .max = DBL_MAX},
    {"sum_gg", STATE_VALUE, .at = AT(sum_gg), .max = DBL_MAX},
#undef AT
};

#define AT(member) STATE_MEMBER(struct sftrl_stage, model.at.member)
static const struct state_field sftrl_stage_times[] = {
    STATE_HALF_LIFE(AT(newest), AT(least), AT(ahead), AT(seen)),
};
#undef AT

static struct state_table sftrl_stage_times_of(const struct sftrl_stage *st)
{
    return (struct state_table){sftrl_stage_times, st->model.opt.by_time};
}

/* A sketch as a state contains it, with the sizes of its arrays. */
struct sftrl_stage_sketch {
    struct fd fd;
    uint32_t max_rows, features;
    uint64_t map_size;
};

static const struct state_field sftrl_stage_sketch_fields[] = {
#define AT(member) STATE_MEMBER(struct sftrl_stage_sketch, member)
    {"rows", STATE_VALUE, .at = AT(fd.rows), .limit = AT(max_rows)},
    {"kept", STATE_VALUE, .at = AT(fd.kept), .limit = AT(max_rows)},
    {"gram_behind", STATE_VALUE, .at = AT(fd.gram_behind), .max = 1},
    {"lost", STATE_VALUE, .at = AT(fd.lost), .max = FD_MAX_SUM},
    {"fade", STATE_VALUE, .at = AT(fd.fade), .min = DBL_MIN, .max = 1},
    {"shrinks", STATE_VALUE, .at = AT(fd.log.n), .max = FD_MAX_SHRINKS},
    {"sweep_next", STATE_VALUE, .at = AT(fd.log.next), .max = FEATURE_TABLE_MAX},
    {"sweep_end", STATE_VALUE, .at = AT(fd.log.end), .max = FEATURE_TABLE_MAX},
    {"sweep_step", STATE_VALUE, .at = AT(fd.log.step), .max = FEATURE_TABLE_MAX},
    {"n_slots", STATE_VALUE, .at = AT(fd.slots), .limit = AT(features), .hint = "features"},
    {"n_maps", STATE_VALUE, .at = AT(fd.log.ring), .max = FEATURE_TABLE_MAX},
    {"features", STATE_LENT, .at = AT(fd.feature), .count = {AT(fd.slots)}},
    {"slots", STATE_LENT, .at = AT(fd.block), .count = {AT(fd.slots), AT(fd.ld)},
     .min = -SFTRL_MAX_NUMBER, .max = SFTRL_MAX_NUMBER},
    {"gram", STATE_LENT, .at = AT(fd.gram), .count = {AT(max_rows), AT(max_rows)},
     .min = -SFTRL_MAX_NUMBER * SFTRL_MAX_NUMBER, .max = SFTRL_MAX_NUMBER * SFTRL_MAX_NUMBER},
    {"maps", STATE_LENT, .at = AT(fd.log.map), .count = {AT(fd.log.ring), AT(map_size)},
     .min = -FD_MAX_NUMBER, .max = FD_MAX_NUMBER},
#undef AT
};

static struct sftrl_stage_sketch sftrl_stage_sketch_of(const struct sftrl_stage *st,
                                                       const struct fd *f)
{
    return (struct sftrl_stage_sketch){.fd = *f,
                                       .max_rows = fd_max_rows(&f->opt),
                                       .features = st->common.g.table.n,
                                       .map_size = fd_map_size(&f->opt)};
}

static int sftrl_stage_write_sketch(const struct sftrl_stage *st, struct leat_writer *w,
                                    const char *prefix, const struct fd *f)
{
    struct state_prefix_writer p;
    struct sftrl_stage_sketch s = sftrl_stage_sketch_of(st, f);
    return state_write(state_prefix_writer(&p, w, prefix), STATE_TABLE(sftrl_stage_sketch_fields),
                       &s);
}

static int sftrl_stage_write_sketches(const void *self, struct leat_writer *w)
{
    const struct sftrl_stage *st = self;
    struct state_table time = sftrl_stage_times_of(st);
    int status = state_write(w, time.field, time.n, st);
    if (status == LEAT_OK) status = sftrl_stage_write_sketch(st, w, "plus.", &st->model.plus);
    return status == LEAT_OK ? sftrl_stage_write_sketch(st, w, "minus.", &st->model.minus) : status;
}

static int sftrl_stage_read_sketch(const struct sftrl_stage *st, struct leat_reader *r,
                                   const char *prefix, const char *name, struct fd *f)
{
    struct state_prefix_reader p;
    struct sftrl_stage_sketch s =
        sftrl_stage_sketch_of(st, &st->model.plus); /* both sketches have the same size */
    int status = state_read(state_prefix_reader(&p, r, prefix, name),
                            STATE_TABLE(sftrl_stage_sketch_fields), &s);
    *f = s.fd;
    return status;
}

static int sftrl_stage_read_sketches(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct sftrl_stage *st = self;
    struct state_table time = sftrl_stage_times_of(st);
    struct fd plus, minus;
    if (state_read(r, time.field, time.n, st) != LEAT_OK ||
        sftrl_stage_read_sketch(st, r, "plus.", "the sketch P", &plus) != LEAT_OK ||
        sftrl_stage_read_sketch(st, r, "minus.", "the sketch N", &minus) != LEAT_OK)
        return LEAT_EDATA;
    const char *wrong = sftrl_load(&st->model, &plus, &minus, &st->common.g.table);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

/* Advances the clocks of a and b to the later of their times. */
static void sftrl_stage_meet(struct sftrl_stage *a, struct sftrl_stage *b)
{
    if (!a->model.opt.by_time) return;
    sftrl_follow(&a->model, &a->common.g.table, &b->model);
    sftrl_follow(&b->model, &b->common.g.table, &a->model);
}

static int sftrl_stage_merge_models(struct leat_ctx *ctx, void *self,
                                    const struct factored_merger *merger)
{
    struct sftrl_stage *st = self, *a = merger->a, *b = merger->b;
    if (st->model.opt.by_time) sftrl_stage_meet(a, b);
    struct sftrl_side sa = {&a->model, &a->common.g.table}, sb = {&b->model, &b->common.g.table};
    void *work = ctx->host->alloc(ctx, sftrl_merge_bytes(&st->model.opt));
    if (!work) return LEAT_ENOMEM;
    sftrl_merge(&st->model, &st->common.g.table, &sa, &sb, merger->count, merger->number, work);
    ctx->host->free(ctx, work);
    return LEAT_OK;
}

/* ---- the stage ---- */

static const struct factored_method sftrl_stage_method = {
    .instance_size = sizeof(struct sftrl_stage),
    .learn = sftrl_stage_learn,
    .predict = sftrl_stage_predict,
    .report = sftrl_stage_report,
    .weight = sftrl_stage_weight,
    .stride = sftrl_stage_stride,
    .block = sftrl_stage_block,
    .scratch = sftrl_stage_scratch,
    .rows = sftrl_stage_rows,
    .one = sftrl_stage_has_one,
    .open = sftrl_stage_open_model,
    .close = sftrl_stage_close_model,
    .prepare = sftrl_stage_prepare,
    .pairs = sftrl_stage_pairs,
    .at = sftrl_stage_at,
    .params = {STATE_TABLE(sftrl_stage_same)},
    .fields = {STATE_TABLE(sftrl_stage_fields)},
    .write = sftrl_stage_write_sketches,
    .read = sftrl_stage_read_sketches,
    .merge = sftrl_stage_merge_models,
};

static int sftrl_stage_plan(const void *cfg, const struct leat_schema *in,
                            const struct leat_schema *out, struct leat_plan *p)
{
    return factored_plan(&sftrl_stage_method, cfg, in, p);
}

static int sftrl_stage_open(struct leat_ctx *ctx, void *self)
{
    return factored_open(ctx, &sftrl_stage_method, self);
}

enum { FEWEST_EXAMPLES = 1000 }; /* fewest examples for a warning that the share of pairs is 0 */

/* Warns if pairs never improved the predictions. They cost time and memory, and the predictions are
 * those of learn.bias. */
static void sftrl_stage_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct sftrl_stage *st = self[0];
    if (st->model.t < FEWEST_EXAMPLES || sftrl_share(&st->model) > 0) return;
    ctx->host->log(
        ctx, LEAT_WARN,
        "pair_share is 0: after %llu examples pairs improve no prediction, so the learner predicts "
        "like learn.bias, which is faster; learn.fm finds pairs in another way",
        (unsigned long long)st->model.t);
}

static const struct leat_figure sftrl_figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
    {"eta", "1", "current step size of the learner", LEAT_GAUGE},
    {"pair_share", "ratio", "share of the pairs' predictions that the learner uses", LEAT_GAUGE},
    {"shrinks", "1", "shrinks of the sketches", LEAT_COUNTER},
    {"error_bound", "1", "mass that the sketches have lost", LEAT_GAUGE},
};

const struct leat_stage learn_sftrl = {
    .name = "learn.sftrl",
    .doc = sftrl_doc,
    FACTORED_STAGE(struct sftrl_stage),
    LEAT_PARAMS(sftrl_stage_params, struct sftrl_cfg),
    LEAT_FIGURES(sftrl_figures),
    .validate = factored_validate,
    .plan = sftrl_stage_plan,
    .open = sftrl_stage_open,
    .summary = "factorization machine by sketched follow-the-regularized-leader, O(m) a feature",
    .example = "leat.learn.sftrl { m = 10, min = 1, max = 5 }",
    .finish = sftrl_stage_finish,
};
