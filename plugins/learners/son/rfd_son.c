/* rfd_son.c -- learn.rfd_son, learn.fd_son and learn.s_adagrad: online Newton and AdaGrad sketched
 * by frequent directions, as stages. Only glue; the algorithms are in
 * plugins/kernels/son/rfd_son.c and s_adagrad.c. */
#include "kernels/son/s_adagrad.h"
#include "learners/son/docs.h"
#include "son.h"

struct cfg {
    struct son_cfg son;
    int64_t buffer, warm;
    double floor, eta; /* eta: eta_t's, or the rate of s_adagrad */
    int32_t scale, shrink;
};

static const char *const scales[] = {"none", "diagonal", NULL};
static const char *const shrinks[] = {"after", "before", NULL}; /* the step */

/* clang-format off */
#define FADE_PARAM                                                                                 \
    {SON_PARAM(half_life, LEAT_INTERVAL), .def = "0", .min = 0, .max = 1e8, .unit = "records",     \
     .doc = "records, or event time (\"6h\"), after which a gradient counts half as much in H; 0: " \
            "nothing fades"}
#define SKETCH_PARAMS                                                                              \
    SON_PARAM_M("size of the sketch: a shrink leaves m - 1 rows"), FADE_PARAM,                     \
    {.name = "buffer", .type = LEAT_INT, .flags = LEAT_ADVANCED,                                   \
     .offset = offsetof(struct cfg, buffer), .def = "0", .min = 0, .max = 1024, .unit = "rows",    \
     .doc = "gradients between two shrinks; 0: m + 1"},                                            \
    {.name = "shrink", .type = LEAT_CHOICE, .flags = LEAT_ADVANCED,                                \
     .offset = offsetof(struct cfg, shrink), .def = "after", .choices = shrinks,                   \
     .doc = "when a full sketch shrinks: after the step, or before it, as in the papers"},         \
    {.name = "eta", .type = LEAT_FLOAT, .flags = LEAT_ADVANCED,                                    \
     .offset = offsetof(struct cfg, eta), .def = "0", .min = 0, .max = 1e6,                        \
     .doc = "eta / t is added to mu at example t: the papers' eta_t"}

static const struct leat_param rfd_son_params[] = {
    SON_PARAMS("1", 0, "H = alpha0 I at first; matters little and may be 0"),
    SKETCH_PARAMS,
    LEAT_PARAM(struct cfg, scale, LEAT_CHOICE, .def = "none", .choices = scales,
               .doc = "diagonal: AdaGrad's scales of the features before the sketch; alpha0 as "
                      "there"),
    LEAT_PARAM(struct cfg, floor, LEAT_FLOAT, .flags = LEAT_ADVANCED, .def = "0.01", .min = 0,
               .max = 1,
               .doc = "alpha starts at this share of the first gradient row's square, or at alpha0 "
                      "if that is larger; 0 as in the papers"),
    LEAT_PARAM(struct cfg, warm, LEAT_INT, .flags = LEAT_ADVANCED, .def = "20", .min = 0,
               .max = 1e9, .unit = "shrinks",
               .doc = "the first shrinks, as many as this, come at every gradient, without a "
                      "buffer"),
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
    LEAT_PARAM(struct cfg, eta, LEAT_FLOAT, .def = "1", .min = 1e-6, .max = 1e6,
               .doc = "factor of all steps"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing), "1048576"),
};
/* clang-format on */

static struct rfd_son_options plain_options(const struct cfg *c)
{
    return (struct rfd_son_options){.son = son_options(&c->son),
                                    .m = (uint32_t)c->son.m,
                                    .buffer = (uint32_t)c->buffer,
                                    .warm = (uint32_t)c->warm,
                                    .diagonal = c->scale == 1,
                                    .shrink_first = c->shrink == 1,
                                    .floor = c->floor,
                                    .eta = c->eta,
                                    .half_life = examples_half_life(&c->son.half_life),
                                    .by_time = c->son.half_life.ns > 0};
}

static struct rfd_son_options robust_options(const struct cfg *c)
{
    struct rfd_son_options o = plain_options(c);
    o.robust = true;
    return o;
}

static struct rfd_son_options root_options(const struct cfg *c)
{
    return (struct rfd_son_options){.son = son_options(&c->son),
                                    .m = (uint32_t)c->son.m,
                                    .buffer = 1,
                                    .robust = true,
                                    .root = true,
                                    .rate = c->eta,
                                    .half_life = examples_half_life(&c->son.half_life),
                                    .by_time = c->son.half_life.ns > 0};
}

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    if (c->scale == 1 && c->shrink == 1) {
        d->error(d, "shrink",
                 "\"before\" does not go with scale = \"diagonal\": leave one of the two out");
        return LEAT_EARG;
    }
    if (c->scale == 1 && (c->son.half_life.ns || c->son.half_life.examples)) {
        d->error(d, "half_life", "does not go with scale = \"diagonal\": leave one of the two out");
        return LEAT_EARG;
    }
    if (c->scale != 1 || c->son.alpha0 >= 1e-10) return son_validate(cfg, d);
    d->error(d, "alpha0", "%g is too small for scale = \"diagonal\": give at least 1e-10",
             c->son.alpha0);
    return LEAT_EARG;
}

/* ---- the method ---- */

/* What a method asks of its options, which are OPTIONS(cfg). */
#define SKETCH_CALLS(NAME, OPTIONS)                                                                \
    static uint32_t NAME##_stride(const void *cfg)                                                 \
    {                                                                                              \
        struct rfd_son_options o = OPTIONS(cfg);                                                   \
        return rfd_son_stride(&o);                                                                 \
    }                                                                                              \
    static uint32_t NAME##_max_rows(const void *cfg)                                               \
    {                                                                                              \
        struct rfd_son_options o = OPTIONS(cfg);                                                   \
        return rfd_son_max_rows(&o);                                                               \
    }                                                                                              \
    static size_t NAME##_bytes(const void *cfg, uint32_t features, uint32_t touched)               \
    {                                                                                              \
        struct rfd_son_options o = OPTIONS(cfg);                                                   \
        return rfd_son_bytes(&o, features, touched);                                               \
    }                                                                                              \
    static void NAME##_init(struct leat_ctx *ctx, void *model, uint32_t features,                  \
                            uint32_t touched, void *block)                                         \
    {                                                                                              \
        struct rfd_son_options o = OPTIONS(ctx->cfg);                                              \
        rfd_son_init(model, &o, features, touched, block);                                         \
    }

SKETCH_CALLS(plain, plain_options)
SKETCH_CALLS(robust, robust_options)
SKETCH_CALLS(root, root_options)

static uint32_t free_slots(const void *model) { return rfd_son_free_slots(model); }

static uint32_t slots(const void *model) { return ((const struct rfd_son *)model)->fd.max_slots; }

static void free_all(void *model, const struct son_features *f) { rfd_son_free_all(model, f); }

static void at(void *model, const struct son_features *f, int64_t time)
{
    rfd_son_at(model, f, time);
}

static uint64_t newest(const void *model) { return ((const struct rfd_son *)model)->newest; }

SON_LEARN(rfd_son)
SON_LEARN(s_adagrad)
SON_WEIGH(rfd_son)

static void report(struct leat_ctx *ctx, const void *model, const struct son_features *f)
{
    const struct rfd_son *m = model;
    ctx->host->metric(ctx, "alpha", m->fd.fade * m->alpha);
    ctx->host->metric(ctx, "shrinks", (double)m->fd.log.n);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct rfd_son, member)
static const struct state_field params[] = {
    {"buffer", STATE_SAME, .at = AT(fd.opt.buffer)},
    {"warm", STATE_SAME, .at = AT(opt.warm)},
    {"scale", STATE_SAME, .at = AT(opt.diagonal), .choices = scales},
    {"shrink", STATE_SAME, .at = AT(opt.shrink_first), .choices = shrinks},
    {"floor", STATE_SAME, .at = AT(opt.floor)},
    {"eta", STATE_SAME, .at = AT(opt.eta)},
    {"half_life", STATE_SAME, .at = AT(opt.half_life)},
};
static const struct state_field root_params[] = {
    {"eta", STATE_SAME, .at = AT(opt.rate)},
    {"half_life", STATE_SAME, .at = AT(opt.half_life)},
};
#undef AT

struct saved {
    struct rfd_son model;
    uint32_t max_rows, known; /* here: by options, by the features            */
    uint64_t map_size, maps;  /* doubles of a map of the log; maps that are there */
};

#define AT(member) STATE_MEMBER(struct saved, member)
static const struct state_field counts[] = {
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
static const struct state_field arrays[] = {
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

static const struct state_field times[] = {
    {"event_time", STATE_VALUE, .at = STATE_MEMBER(struct rfd_son, newest), .max = 0x1p63},
};

static struct state_table times_of(const struct rfd_son *m)
{
    return (struct state_table){times, m->opt.by_time};
}

static struct saved saved_of(const struct rfd_son *m, uint32_t known)
{
    return (struct saved){.model = *m,
                          .max_rows = fd_max_rows(&m->fd.opt),
                          .known = known,
                          .map_size = fd_map_size(&m->fd.opt)};
}

static uint64_t maps_of(const struct fd_log *g) { return g->n < g->ring ? g->n : g->ring; }

static int write(struct leat_ctx *ctx, const void *model, struct leat_writer *w)
{
    struct saved s = saved_of(model, 0);
    struct state_table time = times_of(model);
    s.maps = maps_of(&s.model.fd.log);
    int status = state_write(w, STATE_TABLE(counts), &s);
    if (status == LEAT_OK) status = state_write(w, time.field, time.n, &s.model);
    return status == LEAT_OK ? state_write(w, STATE_TABLE(arrays), &s) : status;
}

static int read(void *model, const struct son_features *f, struct leat_reader *r)
{
    struct saved s = saved_of(model, f->known);
    struct state_table time = times_of(model);
    if (state_read(r, STATE_TABLE(counts), &s) != LEAT_OK ||
        state_read(r, time.field, time.n, &s.model) != LEAT_OK)
        return LEAT_EDATA;
    s.maps = maps_of(&s.model.fd.log);
    if (state_read(r, STATE_TABLE(arrays), &s) != LEAT_OK) return LEAT_EDATA;
    const char *wrong = rfd_son_load(model, &s.model, f);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

static int merge(struct leat_ctx *ctx, struct son_stage *st, const struct son_stage *a,
                 const struct son_stage *b, const struct son_mix *mix)
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

#define METHOD(NAME)                                                                               \
    .model_size = sizeof(struct rfd_son), .stride = NAME##_stride, .bytes = NAME##_bytes,          \
    .max_rows = NAME##_max_rows, .init = NAME##_init, .weight = rfd_son_weigh,                     \
    .free_slots = free_slots, .slots = slots, .free_all = free_all, .report = report,              \
    .write = write, .read = read, .at = at, .newest = newest
#define NEWTON(NAME) METHOD(NAME), .learn = rfd_son_learn_row, .params = {STATE_TABLE(params)}

static const struct son_method fd_method = {NEWTON(plain), .merge = merge};
static const struct son_method rfd_method = {NEWTON(robust), .merge = merge};
static const struct son_method scaled_method = {
    NEWTON(robust),
    .no_merge = "two rfd_son learners with scale = \"diagonal\" cannot be merged: their sketches "
                "are in scales of their own",
};
static const struct son_method root_method = {
    METHOD(root),
    .learn = s_adagrad_learn_row,
    .params = {STATE_TABLE(root_params)},
    .merge = merge,
};

static const struct son_method *method_of(const void *cfg)
{
    const struct cfg *c = cfg;
    return c->scale ? &scaled_method : &rfd_method;
}

LEARNER_CALLS(rfd_son, son, method_of(cfg))
LEARNER_CALLS(fd_son, son, &fd_method)
LEARNER_CALLS(s_adagrad, son, &root_method)

static const struct leat_figure rfd_son_figures[] = {
    SON_FIGURES,
    {"alpha", "1", "what H has on its diagonal, beside the sketch", LEAT_GAUGE},
    {"shrinks", "1", "times that the sketch has shrunk", LEAT_COUNTER},
};

const struct leat_stage learn_rfd_son = {
    SON_STAGE(rfd_son, rfd_son_params, struct cfg, struct rfd_son, validate),
    .summary = "online Newton in little memory, without tuning (robust frequent directions)",
    .example = "leat.learn.rfd_son { m = 20 }",
};

static const struct leat_figure fd_son_figures[] = {
    SON_FIGURES,
    {"alpha", "1", "what H has on its diagonal, beside the sketch", LEAT_GAUGE},
    {"shrinks", "1", "times that the sketch has shrunk", LEAT_COUNTER},
};

const struct leat_stage learn_fd_son = {
    SON_STAGE(fd_son, fd_son_params, struct cfg, struct rfd_son, son_validate),
    .summary = "online Newton, curvature by frequent directions",
    .example = "leat.learn.fd_son { m = 20, alpha0 = 1000 }",
};

static const struct leat_figure s_adagrad_figures[] = {
    SON_FIGURES,
    {"alpha", "1", "what H has on its diagonal, beside the sketch", LEAT_GAUGE},
    {"shrinks", "1", "times that the sketch has shrunk", LEAT_COUNTER},
};

const struct leat_stage learn_s_adagrad = {
    SON_STAGE(s_adagrad, s_adagrad_params, struct cfg, struct rfd_son, son_validate),
    .summary = "full-matrix AdaGrad in little memory (frequent directions)",
    .example = "leat.learn.s_adagrad { m = 20 }",
};
