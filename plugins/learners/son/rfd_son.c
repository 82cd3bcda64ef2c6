/* rfd_son.c -- stages learn.rfd_son, learn.fd_son, learn.s_adagrad: frequent directions.
 *
 * They sketch online Newton (or AdaGrad). The algorithms are in kernels/son/rfd_son.c. */
#include "kernels/son/rfd_son.h"
#include "learners/son/docs.h"
#include "son.h"

struct rfd_son_cfg {
    struct son_cfg son;
    int64_t buffer, warm;
    double floor, eta; /* eta: factor in the step size eta_t; for learn.s_adagrad, the rate */
    int32_t scale, shrink;
};

static const char *const rfd_son_scales[] = {"none", "diagonal", NULL};
/* choices of `shrink`: the sketch shrinks after or before the step */
static const char *const rfd_son_shrinks[] = {"after", "before", NULL};

/* clang-format off */
#define FADE_PARAM                                                                                 \
    {SON_PARAM(half_life, LEAT_INTERVAL), .def = "0", .min = 0, .max = 1e8, .unit = "records",     \
     .doc = "records, or event time (\"6h\"), after which a gradient counts half in H; 0: "        \
            "nothing fades"}
#define SKETCH_PARAMS                                                                              \
    SON_PARAM_M("size of the sketch: a shrink leaves m - 1 rows"), FADE_PARAM,                     \
    {.name = "buffer", .type = LEAT_INT, .flags = LEAT_ADVANCED,                                   \
     .offset = offsetof(struct rfd_son_cfg, buffer), .def = "0", .min = 0, .max = 1024, \
     .unit = "rows", \
     .doc = "gradients between two shrinks; 0: m + 1"},                                            \
    {.name = "shrink", .type = LEAT_CHOICE, .flags = LEAT_ADVANCED,                                \
     .offset = offsetof(struct rfd_son_cfg, shrink), .def = "after", .choices = rfd_son_shrinks, \
     .doc = "when a full sketch shrinks: after the step, or before it, as in the papers"},         \
    {.name = "eta", .type = LEAT_FLOAT, .flags = LEAT_ADVANCED,                                    \
     .offset = offsetof(struct rfd_son_cfg, eta), .def = "0", .min = 0, .max = 1e6, \
     .doc = "eta / t is added to mu at example t: the papers' eta_t"}

static const struct leat_param rfd_son_params[] = {
    SON_PARAMS("1", 0, "H = alpha0 I at first; matters little and may be 0"),
    SKETCH_PARAMS,
    LEAT_PARAM(struct rfd_son_cfg, scale, LEAT_CHOICE, .def = "none", .choices = rfd_son_scales,
               .doc = "diagonal: features are scaled as by AdaGrad before the sketch; alpha0 as "
                      "in learn.adagrad"),
    LEAT_PARAM(struct rfd_son_cfg, floor, LEAT_FLOAT, .flags = LEAT_ADVANCED, .def = "0.01",
               .min = 0, .max = 1,
               .doc = "alpha starts at this share of the first gradient row's square, or at alpha0 "
                      "if that is larger; 0 as in the papers"),
    LEAT_PARAM(struct rfd_son_cfg, warm, LEAT_INT, .flags = LEAT_ADVANCED, .def = "20", .min = 0,
               .max = 1e9, .unit = "shrinks",
               .doc = "how many of the first shrinks come at every gradient, without a buffer"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing), "1048576"),
};

static const struct leat_param fd_son_params[] = {
    SON_PARAMS("1000", 1e-10, "H = alpha0 I + B'B; must be tuned"),
    SKETCH_PARAMS,
    GROWING_PARAMS(offsetof(struct son_cfg, growing), "1048576"),
};

static const struct leat_param s_adagrad_params[] = {
    SON_PARAMS("1", 1e-10, "H = (alpha0 I)^(1/2) at first: 1 / alpha0^(1/2) is the rate of a rare "
                           "feature"),
    SON_PARAM_M("size of the sketch: a shrink leaves m - 1 rows"),
    FADE_PARAM,
    LEAT_PARAM(struct rfd_son_cfg, eta, LEAT_FLOAT, .def = "1", .min = 1e-6, .max = 1e6,
               .doc = "factor of all steps"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing), "1048576"),
};
/* clang-format on */

static struct rfd_son_options rfd_son_newton(const struct rfd_son_cfg *c, bool robust)
{
    return (struct rfd_son_options){.son = son_options(&c->son),
                                    .m = (uint32_t)c->son.m,
                                    .buffer = (uint32_t)c->buffer,
                                    .warm = (uint32_t)c->warm,
                                    .robust = robust,
                                    .diagonal = c->scale == 1,
                                    .shrink_first = c->shrink == 1,
                                    .floor = c->floor,
                                    .eta = c->eta,
                                    .half_life = examples_half_life(&c->son.half_life),
                                    .by_time = c->son.half_life.ns > 0};
}

static void rfd_son_options(const void *cfg, uint64_t seed, void *opt)
{
    *(struct rfd_son_options *)opt = rfd_son_newton(cfg, true);
}

static void fd_son_options(const void *cfg, uint64_t seed, void *opt)
{
    *(struct rfd_son_options *)opt = rfd_son_newton(cfg, false);
}

static void s_adagrad_options(const void *cfg, uint64_t seed, void *opt)
{
    const struct rfd_son_cfg *c = cfg;
    *(struct rfd_son_options *)opt =
        (struct rfd_son_options){.son = son_options(&c->son),
                                 .m = (uint32_t)c->son.m,
                                 .buffer = 1,
                                 .robust = true,
                                 .root = true,
                                 .rate = c->eta,
                                 .half_life = examples_half_life(&c->son.half_life),
                                 .by_time = c->son.half_life.ns > 0};
}

static int rfd_son_validate(const void *cfg, struct leat_diag *d)
{
    const struct rfd_son_cfg *c = cfg;
    if (c->scale == 1 && c->shrink == 1) {
        d->error(
            d, "shrink",
            "\"before\" cannot be combined with scale = \"diagonal\": leave out one of the two");
        return LEAT_EARG;
    }
    if (c->scale == 1 && (c->son.half_life.ns || c->son.half_life.examples)) {
        d->error(d, "half_life",
                 "cannot be combined with scale = \"diagonal\": leave out one of the two");
        return LEAT_EARG;
    }
    if (c->scale != 1 || c->son.alpha0 >= 1e-10) return son_validate(cfg, d);
    d->error(d, "alpha0", "%g is too small for scale = \"diagonal\": give at least 1e-10",
             c->son.alpha0);
    return LEAT_EARG;
}

/* ---- the method ---- */

static void rfd_son_report(struct leat_ctx *ctx, const void *model, const struct son_features *f)
{
    const struct rfd_son *m = model;
    ctx->host->metric(ctx, "alpha", m->fd.fade * m->alpha);
    ctx->host->metric(ctx, "shrinks", (double)m->fd.log.n);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct rfd_son, member)
static const struct state_field rfd_son_same[] = {
    {"buffer", STATE_SAME, .at = AT(fd.opt.buffer)},
    {"warm", STATE_SAME, .at = AT(opt.warm)},
    {"scale", STATE_SAME, .at = AT(opt.diagonal), .choices = rfd_son_scales},
    {"shrink", STATE_SAME, .at = AT(opt.shrink_first), .choices = rfd_son_shrinks},
    {"floor", STATE_SAME, .at = AT(opt.floor)},
    {"eta", STATE_SAME, .at = AT(opt.eta)},
    {"half_life", STATE_SAME, .at = AT(opt.half_life)},
};
static const struct state_field s_adagrad_same[] = {
    {"eta", STATE_SAME, .at = AT(opt.rate)},
    {"half_life", STATE_SAME, .at = AT(opt.half_life)},
};
#undef AT

struct rfd_son_saved {
    struct rfd_son model;
    uint32_t max_rows, known; /* limits from the options, and number of features */
    uint64_t map_size, maps;  /* number of doubles in a map of the log, and number of maps */
};

#define AT(member) STATE_MEMBER(struct rfd_son_saved, member)
static const struct state_field rfd_son_counts[] = {
    {"alpha", STATE_VALUE, .at = AT(model.alpha), .max = SON_LIMIT},
    {"start", STATE_VALUE, .at = AT(model.start), .max = SON_LIMIT},
    {"learned", STATE_VALUE, .at = AT(model.t), .max = COUNT_MAX},
    {"rows", STATE_VALUE, .at = AT(model.fd.rows), .limit = AT(max_rows), .hint = "m and buffer"},
    {"kept_rows", STATE_VALUE, .at = AT(model.fd.kept), .limit = AT(model.fd.rows), .hint = "rows"},
    {"lost", STATE_VALUE, .at = AT(model.fd.lost), .max = FD_MAX_SUM},
    {"fade", STATE_VALUE, .at = AT(model.fd.fade), .min = FD_MIN_FADE / 4, .max = 1},
    {"shrinks", STATE_VALUE, .at = AT(model.fd.log.n), .max = FD_MAX_SHRINKS},
    {"sweep_next", STATE_VALUE, .at = AT(model.fd.log.next)},
    {"sweep_end", STATE_VALUE, .at = AT(model.fd.log.end), .limit = AT(known), .hint = "features"},
    {"sweep_step", STATE_VALUE, .at = AT(model.fd.log.step)},
    {"ring", STATE_VALUE, .at = AT(model.fd.log.ring)},
    {"slots", STATE_VALUE, .at = AT(model.fd.slots), .limit = AT(model.fd.max_slots),
     .hint = "max_features and max_entries"},
};
static const struct state_field rfd_son_arrays[] = {
    {"factor", STATE_LENT, .at = AT(model.L), .count = {AT(max_rows), AT(max_rows)},
     .min = -FD_MAX_SQUARE, .max = FD_MAX_SQUARE},
    {"coefficients", STATE_LENT, .at = AT(model.c), .count = {AT(max_rows)}, .min = -FD_MAX_SQUARE,
     .max = FD_MAX_SQUARE},
    {"slot_features", STATE_LENT, .at = AT(model.fd.feature), .count = {AT(model.fd.slots)}},
    {"block", STATE_LENT, .at = AT(model.fd.block), .count = {AT(model.fd.slots), AT(model.fd.ld)},
     .min = -FD_MAX_NUMBER, .max = FD_MAX_NUMBER},
    {"gram", STATE_LENT, .at = AT(model.fd.gram), .count = {AT(max_rows), AT(max_rows)},
     .min = -FD_MAX_SUM, .max = FD_MAX_SUM},
    {"maps", STATE_LENT, .at = AT(model.fd.log.map), .count = {AT(maps), AT(map_size)},
     .min = -FD_MAX_NUMBER, .max = FD_MAX_NUMBER},
};
#undef AT

#define AT(member) STATE_MEMBER(struct rfd_son, at.member)
static const struct state_field rfd_son_times[] = {
    STATE_HALF_LIFE(AT(newest), AT(least), AT(ahead), AT(seen)),
};
#undef AT

static struct state_table rfd_son_times_of(const struct rfd_son *m)
{
    return (struct state_table){rfd_son_times, m->opt.by_time};
}

static struct rfd_son_saved rfd_son_saved_of(const struct rfd_son *m, uint32_t known)
{
    return (struct rfd_son_saved){.model = *m,
                                  .max_rows = fd_max_rows(&m->fd.opt),
                                  .known = known,
                                  .map_size = fd_map_size(&m->fd.opt)};
}

static uint64_t rfd_son_maps(const struct fd_log *g) { return g->n < g->ring ? g->n : g->ring; }

static int rfd_son_write(const void *model, struct leat_writer *w)
{
    struct rfd_son_saved s = rfd_son_saved_of(model, 0);
    struct state_table time = rfd_son_times_of(model);
    s.maps = rfd_son_maps(&s.model.fd.log);
    int status = state_write(w, STATE_TABLE(rfd_son_counts), &s);
    if (status == LEAT_OK) status = state_write(w, time.field, time.n, &s.model);
    return status == LEAT_OK ? state_write(w, STATE_TABLE(rfd_son_arrays), &s) : status;
}

static int rfd_son_read(void *model, const struct son_features *f, struct leat_reader *r)
{
    struct rfd_son_saved s = rfd_son_saved_of(model, f->known);
    struct state_table time = rfd_son_times_of(model);
    if (state_read(r, STATE_TABLE(rfd_son_counts), &s) != LEAT_OK ||
        state_read(r, time.field, time.n, &s.model) != LEAT_OK)
        return LEAT_EDATA;
    s.maps = rfd_son_maps(&s.model.fd.log);
    if (state_read(r, STATE_TABLE(rfd_son_arrays), &s) != LEAT_OK) return LEAT_EDATA;
    const char *wrong = rfd_son_load(model, &s.model, f);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

static int rfd_son_merge_stages(struct leat_ctx *ctx, struct son_stage *st,
                                const struct son_stage *a, const struct son_stage *b,
                                const struct son_mix *mix)
{
    struct rfd_son *model = (void *)st->model;
    struct son_features f = son_features(st);
    struct rfd_son_side one = {(const void *)a->model, son_features(a), 1, mix->share_a},
                        other = {(const void *)b->model, son_features(b), mix->count, mix->share_b};
    void *work = ctx->host->alloc(ctx, rfd_son_merge_bytes(&model->opt));
    if (!work)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory to merge two sketches");
    rfd_son_merge(model, &f, &one, &other, mix->number, work);
    ctx->host->free(ctx, work);
    return LEAT_OK;
}

/* ---- the stages ---- */

#define RFD_SON_METHOD                                                                             \
    .kernel = &rfd_son_kernel, .report = rfd_son_report, .params = {STATE_TABLE(rfd_son_same)},    \
    .write = rfd_son_write, .read = rfd_son_read

static const struct son_method fd_son_method = {RFD_SON_METHOD, .options = fd_son_options,
                                                .merge = rfd_son_merge_stages};
static const struct son_method rfd_son_method = {RFD_SON_METHOD, .options = rfd_son_options,
                                                 .merge = rfd_son_merge_stages};
static const struct son_method rfd_son_scaled_method = {
    RFD_SON_METHOD,
    .options = rfd_son_options,
    .no_merge = "two rfd_son learners with scale = \"diagonal\" cannot be merged: each sketch has "
                "its own scales",
};
static const struct son_method s_adagrad_method = {
    .kernel = &s_adagrad_kernel,
    .first_order = true,
    .options = s_adagrad_options,
    .report = rfd_son_report,
    .params = {STATE_TABLE(s_adagrad_same)},
    .write = rfd_son_write,
    .read = rfd_son_read,
    .merge = rfd_son_merge_stages,
};

static const struct son_method *rfd_son_method_of(const void *cfg)
{
    const struct rfd_son_cfg *c = cfg;
    return c->scale ? &rfd_son_scaled_method : &rfd_son_method;
}

static int rfd_son_plan(const void *cfg, const struct leat_schema *in,
                        const struct leat_schema *out, struct leat_plan *p)
{
    return son_plan(rfd_son_method_of(cfg), cfg, in, p);
}

static int rfd_son_open(struct leat_ctx *ctx, void *self)
{
    return son_open(ctx, rfd_son_method_of(ctx->cfg), self);
}

static int fd_son_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                       struct leat_plan *p)
{
    return son_plan(&fd_son_method, cfg, in, p);
}

static int fd_son_open(struct leat_ctx *ctx, void *self)
{
    return son_open(ctx, &fd_son_method, self);
}

static int s_adagrad_plan(const void *cfg, const struct leat_schema *in,
                          const struct leat_schema *out, struct leat_plan *p)
{
    return son_plan(&s_adagrad_method, cfg, in, p);
}

static int s_adagrad_open(struct leat_ctx *ctx, void *self)
{
    return son_open(ctx, &s_adagrad_method, self);
}

static const struct leat_figure rfd_son_figures[] = {
    SON_FIGURES,
    {"alpha", "1", "number on the diagonal of H, without the sketch", LEAT_GAUGE},
    {"shrinks", "1", "times that the sketch has shrunk", LEAT_COUNTER},
};

const struct leat_stage learn_rfd_son = {
    .name = "learn.rfd_son",
    .doc = rfd_son_doc,
    SON_STAGE(struct rfd_son),
    LEAT_PARAMS(rfd_son_params, struct rfd_son_cfg),
    LEAT_FIGURES(rfd_son_figures),
    .validate = rfd_son_validate,
    .plan = rfd_son_plan,
    .open = rfd_son_open,
    .summary = "online Newton in little memory, without tuning (robust frequent directions)",
    .example = "leat.learn.rfd_son { m = 20 }",
};

const struct leat_stage learn_fd_son = {
    .name = "learn.fd_son",
    .doc = fd_son_doc,
    SON_STAGE(struct rfd_son),
    LEAT_PARAMS(fd_son_params, struct rfd_son_cfg),
    LEAT_FIGURES(rfd_son_figures),
    .validate = son_validate,
    .plan = fd_son_plan,
    .open = fd_son_open,
    .summary = "online Newton, curvature by frequent directions",
    .example = "leat.learn.fd_son { m = 20, alpha0 = 1000 }",
};

const struct leat_stage learn_s_adagrad = {
    .name = "learn.s_adagrad",
    .doc = s_adagrad_doc,
    SON_STAGE(struct rfd_son),
    LEAT_PARAMS(s_adagrad_params, struct rfd_son_cfg),
    LEAT_FIGURES(rfd_son_figures),
    .validate = son_validate,
    .plan = s_adagrad_plan,
    .open = s_adagrad_open,
    .summary = "full-matrix AdaGrad in little memory (frequent directions)",
    .example = "leat.learn.s_adagrad { m = 20 }",
};
