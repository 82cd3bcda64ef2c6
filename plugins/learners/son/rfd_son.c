/* rfd_son.c -- learn.rfd_son and learn.fd_son: online Newton sketched by frequent directions, as
 * stages. Only glue; the algorithm is in plugins/kernels/son/rfd_son.c. */
#include "kernels/son/rfd_son.h"
#include "son.h"
#include "son_state.h"

struct cfg {
    struct son_cfg newton;
    int64_t m, buffer, warm;
    int32_t scale, reserved;
};

struct stage {
    struct son_stage newton;
    struct rfd_son model;
};

static const char *const scales[] = {"none", "diagonal", NULL};

/* clang-format off */
#define SKETCH_PARAMS                                                                              \
    {.name = "m", .type = LEAT_INT, .offset = offsetof(struct cfg, m), .def = "10", .min = 1,      \
     .max = 256, .unit = "rows", .doc = "size of the sketch; m - 1 rows stay after a shrink"},     \
    {.name = "buffer", .type = LEAT_INT, .flags = LEAT_ADVANCED,                                   \
     .offset = offsetof(struct cfg, buffer), .def = "0", .min = 0, .max = 1024, .unit = "rows",    \
     .doc = "gradients taken in between two shrinks; 0: m + 1"}
/* clang-format on */

static const struct leat_param rfd_params[] = {
    SON_PARAMS("1", 0, "H = alpha0 I at first; hardly matters, and may be 0"),
    SKETCH_PARAMS,
    {.name = "scale",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, scale),
     .def = "none",
     .choices = scales,
     .doc = "diagonal: AdaGrad's scales of the features before the sketch; alpha0 as there"},
    {.name = "warm",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, warm),
     .def = "20",
     .min = 0,
     .max = 1e9,
     .unit = "shrinks",
     .doc = "that many shrinks come at every gradient, before they wait for the buffer"},
    GROWING_PARAMS(offsetof(struct son_cfg, growing)),
};

static const struct leat_param plain_params[] = {
    SON_PARAMS("1000", 1e-10, "H = alpha0 I + B'B; to be tuned"),
    SKETCH_PARAMS,
    GROWING_PARAMS(offsetof(struct son_cfg, growing)),
};

static struct rfd_son_options options(const struct cfg *c)
{
    return (struct rfd_son_options){.newton = son_options(&c->newton),
                                    .m = (uint32_t)c->m,
                                    .buffer = (uint32_t)c->buffer,
                                    .warm = (uint32_t)c->warm,
                                    .diagonal = c->scale == 1};
}

static int rfd_validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    if (c->scale != 1 || c->newton.alpha0 >= 1e-10) return LEAT_OK;
    d->error(d, "alpha0", "must be at least 1e-10 with scale = \"diagonal\"");
    return LEAT_EARG;
}

/* ---- the method ---- */

static uint32_t stride(const void *cfg)
{
    struct rfd_son_options o = options(cfg);
    return rfd_son_stride(&o);
}

static size_t bytes(const void *cfg, uint32_t features, uint32_t touched)
{
    struct rfd_son_options o = options(cfg);
    return rfd_son_bytes(&o, features, touched);
}

static void init(struct leat_ctx *ctx, void *self, uint32_t features, uint32_t touched, void *block)
{
    struct stage *st = self;
    struct rfd_son_options o = options(ctx->cfg);
    rfd_son_init(&st->model, &o, features, touched, block);
}

static void init_robust(struct leat_ctx *ctx, void *self, uint32_t features, uint32_t touched,
                        void *block)
{
    struct stage *st = self;
    struct rfd_son_options o = options(ctx->cfg);
    o.robust = true;
    rfd_son_init(&st->model, &o, features, touched, block);
}

static void grow(void *self, uint32_t features, uint32_t touched, void *block)
{
    rfd_son_grow(&((struct stage *)self)->model, features, touched, block);
}

static uint32_t room(const void *self)
{
    return rfd_son_free_slots(&((const struct stage *)self)->model);
}

static enum son_result learn(void *self, const struct son_features *f, double *z)
{
    struct stage *st = self;
    return rfd_son_learn(&st->model, f, &st->newton.row, z);
}

static double weight(const void *self, const struct son_features *f, uint32_t feature)
{
    return rfd_son_weight(&((const struct stage *)self)->model, f, feature);
}

static void report(struct leat_ctx *ctx, const void *self)
{
    const struct rfd_son *m = &((const struct stage *)self)->model;
    ctx->host->metric(ctx, "alpha", m->alpha);
    ctx->host->metric(ctx, "shrinks", (double)fd_shrinks(&m->fd));
}

static const struct son_method rfd_method = {.stride = stride,
                                             .bytes = bytes,
                                             .init = init_robust,
                                             .grow = grow,
                                             .room = room,
                                             .learn = learn,
                                             .weight = weight,
                                             .report = report};
static const struct son_method plain_method = {.stride = stride,
                                               .bytes = bytes,
                                               .init = init,
                                               .grow = grow,
                                               .room = room,
                                               .learn = learn,
                                               .weight = weight,
                                               .report = report};

/* ---- state ---- */

static int write(struct leat_ctx *ctx, const void *self, struct leat_writer *w)
{
    const struct rfd_son *m = &((const struct stage *)self)->model;
    const struct fd_options *o = &m->fd.opt;
    struct rfd_son_parts p = rfd_son_parts(m);
    uint64_t rows = fd_max_rows(o), maps = p.fd.shrinks < p.fd.maps ? p.fd.shrinks : p.fd.maps;
    (void)ctx;
    w->u64(w, "m", o->m);
    w->u64(w, "buffer", o->buffer);
    w->u64(w, "warm", o->warm);
    w->u64(w, "scale", m->opt.diagonal);
    w->f64(w, "alpha", p.alpha);
    w->u64(w, "rows", p.fd.rows);
    w->u64(w, "kept", p.fd.kept);
    w->f64(w, "lost", p.fd.lost);
    w->u64(w, "shrinks", p.fd.shrinks);
    w->u64(w, "sweep_next", p.fd.next);
    w->u64(w, "sweep_end", p.fd.end);
    w->u64(w, "sweep_step", p.fd.step);
    w->u64(w, "ring", p.fd.maps);
    w->array(w, "factor", LEAT_F64, p.L, rows * rows);
    w->array(w, "coefficients", LEAT_F64, p.c, rows);
    w->array(w, "placed", LEAT_U32, p.fd.feature, p.fd.slots);
    w->array(w, "block", LEAT_F64, p.fd.block, p.fd.slots * fd_ld(o));
    w->array(w, "gram", LEAT_F64, p.fd.gram, rows * rows);
    return w->array(w, "maps", LEAT_F64, p.fd.map, maps * fd_map_size(o));
}

static int same(const void *live, struct leat_reader *r)
{
    const struct rfd_son *m = &((const struct stage *)live)->model;
    return r->same_u64(r, "m", m->opt.m) | r->same_u64(r, "buffer", m->fd.opt.buffer) |
           r->same_u64(r, "warm", m->opt.warm) |
           linear_same_choice(r, "scale", scales, m->opt.diagonal);
}

static int read_u32(struct leat_reader *r, const char *name, uint32_t *v)
{
    uint64_t there;
    if (r->u64(r, name, &there) != LEAT_OK) return LEAT_EDATA;
    *v = (uint32_t)there;
    return there <= UINT32_MAX ? LEAT_OK
                               : r->refuse(r, "%s is %llu", name, (unsigned long long)there);
}

static int read_counts(struct leat_reader *r, struct rfd_son_parts *p)
{
    return r->f64(r, "alpha", &p->alpha) | read_u32(r, "rows", &p->fd.rows) |
           read_u32(r, "kept", &p->fd.kept) | r->f64(r, "lost", &p->fd.lost) |
           r->u64(r, "shrinks", &p->fd.shrinks) | read_u32(r, "sweep_next", &p->fd.next) |
           read_u32(r, "sweep_end", &p->fd.end) | read_u32(r, "sweep_step", &p->fd.step) |
           read_u32(r, "ring", &p->fd.maps);
}

static int read(void *self, struct leat_reader *r)
{
    struct stage *st = self;
    struct son_features f = son_features(&st->newton);
    const struct fd_options *o = &st->model.fd.opt;
    struct rfd_son_parts p = {0};
    uint64_t rows = fd_max_rows(o), slots = 0;
    const void *placed, *block, *gram, *map, *L, *c;
    if (read_counts(r, &p) != LEAT_OK ||
        r->array(r, "placed", LEAT_U32, &placed, &slots) != LEAT_OK)
        return LEAT_EDATA;
    if (slots > st->newton.touched) return r->refuse(r, "more features are placed than touched");
    uint64_t maps = p.fd.shrinks < p.fd.maps ? p.fd.shrinks : p.fd.maps;
    if (linear_read_array(r, "block", LEAT_F64, slots * fd_ld(o), &block) != LEAT_OK ||
        linear_read_array(r, "gram", LEAT_F64, rows * rows, &gram) != LEAT_OK ||
        linear_read_array(r, "maps", LEAT_F64, maps * fd_map_size(o), &map) != LEAT_OK ||
        linear_read_array(r, "factor", LEAT_F64, rows * rows, &L) != LEAT_OK ||
        linear_read_array(r, "coefficients", LEAT_F64, rows, &c) != LEAT_OK)
        return LEAT_EDATA;
    p.L = L, p.c = c;
    p.fd.slots = (uint32_t)slots;
    p.fd.feature = placed, p.fd.block = block, p.fd.gram = gram, p.fd.map = map;
    const char *wrong = rfd_son_load(&st->model, &p, &f);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

static int mix(struct leat_ctx *ctx, void *self, const void *a, const void *b,
               const struct son_mix *how)
{
    const struct stage *sa = a, *sb = b;
    struct stage *st = self;
    struct son_features f = son_features(&st->newton);
    struct rfd_son_side one = {&sa->model, son_features(&sa->newton), 1, how->share_a},
                        other = {&sb->model, son_features(&sb->newton), how->count, how->share_b};
    void *work = ctx->host->alloc(ctx, rfd_son_merge_bytes(&st->model.opt));
    if (!work) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to merge two sketches");
    rfd_son_merge(&st->model, &f, &one, &other, how->number, work);
    ctx->host->free(ctx, work);
    return LEAT_OK;
}

static const struct son_state_method rfd_state = {.method = &rfd_method,
                                                  .size = sizeof(struct stage),
                                                  .write = write,
                                                  .same = same,
                                                  .read = read,
                                                  .merge = mix};
static const struct son_state_method plain_state = {.method = &plain_method,
                                                    .size = sizeof(struct stage),
                                                    .write = write,
                                                    .same = same,
                                                    .read = read,
                                                    .merge = mix};
static const struct son_state_method scaled_state = {
    .method = &rfd_method,
    .size = sizeof(struct stage),
    .write = write,
    .same = same,
    .read = read,
    .no_merge = "the sketches of two learners with scale = diagonal are in scales of their own"};

SON_CALLS(rfd_, rfd_method)
SON_STATE_CALLS(rfd_, *(((const struct cfg *)ctx->cfg)->scale ? &scaled_state : &rfd_state))
SON_CALLS(plain_, plain_method)
SON_STATE_CALLS(plain_, plain_state)

#define MERGE_DOC                                                                                  \
    "\n\nSnapshots hold the model bit for bit. A merge stacks and shrinks the two sketches, adds " \
    "what alpha has grown by, and averages the weights by the examples that each side has "        \
    "learned."

const struct leat_stage learn_rfd_son = {
    .name = "learn.rfd_son",
    .summary = "online Newton in little memory, without tuning (robust frequent directions)",
    .doc = "Second-order learning for features by the million: H = alpha I + B'B with B a robust "
           "frequent directions sketch of the gradients, whose alpha grows by half of what each "
           "shrink loses. O(m nnz + m^2) an example whatever the number of features, 8 (m + 2) "
           "bytes a feature. alpha starts at 1 % of the first gradient row's square, or alpha0 if "
           "that is larger, and the first shrinks come at every row (warm): so there is nothing to "
           "tune, alpha0 = 0 included.\n\n"
           "scale = \"diagonal\": H = D (I + B'B) D with D^2 = diag(alpha0 + sqrt(s_j)) as "
           "learn.adagrad; for sparse rows whose features differ much in frequency. There alpha "
           "stays 1 and alpha0 is to be chosen as for learn.adagrad. Sources: L. Luo et al., JMLR "
           "2019; H. Luo et al., NIPS 2016." SON_DOC MERGE_DOC
           " With scale = \"diagonal\" a merge is refused: each side has scales of its own.",
    .example = "leat.learn.rfd_son { m = 20 }",
    .validate = rfd_validate,
    SON_STAGE(rfd_),
};

const struct leat_stage learn_fd_son = {
    .name = "learn.fd_son",
    .summary = "online Newton, curvature by frequent directions",
    .doc = "As learn.rfd_son, but alpha stays alpha0, which must be tuned: a baseline. Source: "
           "H. Luo et al., NIPS 2016." SON_DOC MERGE_DOC,
    .example = "leat.learn.fd_son { m = 20, alpha0 = 1000 }",
    SON_STAGE(plain_),
};
