/* wm.c -- learn.wm and learn.hash: the Weight-Median Sketch, and feature hashing, which is its
 * case of one row, as stages.
 *
 * Only glue; the algorithm is in plugins/kernels/linear/wm/wm.c, and what all stages with slots do
 * is in slotted.h. The two share all but the parameters and how a budget is spent. The slots are
 * those of the passive set.
 */
#include "slotted.h"
#include "wm_state.h"

struct cfg {
    struct slotted_cfg base;
    int64_t active, width, depth;
    int32_t mean;
    int32_t reserved;
};

#define SHAPE(NAME, MAX, UNIT, DOC)                                                                \
    {                                                                                              \
        .name = #NAME, .type = LEAT_INT, .flags = LEAT_ADVANCED,                                   \
        .offset = offsetof(struct cfg, NAME), .def = "0", .max = MAX, .unit = UNIT, .doc = DOC     \
    }

static const struct leat_param wm_params[] = {
    SLOTTED_PARAMS(64),
    SHAPE(active, WM_MAX_ACTIVE, "features",
          "features known by name; 0: 128 (256 from 4KB to 8KB), at most half the budget"),
    SHAPE(width, WM_MAX_CELLS, "cells",
          "cells in a row of the sketch; 0: 128 (256 from 4KB to 8KB), more above 32 rows"),
    SHAPE(depth, WM_MAX_DEPTH, "rows", "rows of the sketch; 0: what the budget leaves, at most 32"),
    {.name = "recovery",
     .type = LEAT_CHOICE,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, mean),
     .def = "median",
     .choices = wm_recoveries,
     .doc = "how a weight is estimated from its cells"},
};

static const struct leat_param hash_params[] = {
    SLOTTED_PARAMS(64),
    SHAPE(active, WM_MAX_ACTIVE, "features",
          "features known by name; 0: 128, at most an eighth of the budget"),
    SHAPE(width, WM_MAX_CELLS, "cells", "cells of the table; 0: what the budget leaves"),
};

/* How a stage spends its budget. */
typedef bool spender(uint64_t bytes, struct wm_shape *shape);

/* A model that is only shape and options. false: no shape fits the budget. */
static bool pattern_of(const struct cfg *c, const struct leat_schema *in, spender *spend,
                       struct wm *m)
{
    const struct linear_cfg *l = &c->base.linear;
    *m = (struct wm){.shape = {(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth, 0},
                     .opt = {.sgd = linear_options(l), .counts = l->counts, .mean = c->mean}};
    m->shape.extra = wm_extra(&m->opt);
    return spend(slotted_budget(&c->base, in), &m->shape);
}

static void say_misfit(const struct cfg *c, const struct wm_shape *s, struct leat_diag *d)
{
    const char *param = c->width ? "width" : c->depth ? "depth" : c->active ? "active" : "budget";
    uint64_t cells = (uint64_t)s->width * s->depth;
    if (cells > WM_MAX_CELLS)
        d->error(d, param, "%u rows of %u cells are more than %u cells", s->depth, s->width,
                 WM_MAX_CELLS);
    else if (!cells)
        d->error(d, param, "no row of %s fits beside %u features in a budget of %lld bytes",
                 s->width ? "that width" : "cells", s->active, (long long)c->base.budget);
    else
        d->error(d, param, "%u features and %u rows of %u cells take %llu bytes, budget is %lld",
                 s->active, s->depth, s->width, (unsigned long long)wm_charged_bytes(s),
                 (long long)c->base.budget);
}

static int check(const struct cfg *c, spender *spend, struct leat_diag *d)
{
    struct wm m;
    int status = linear_validate(&c->base.linear, d);
    if (c->base.linear.rates != SGD_SHARED) {
        d->error(d, "rates",
                 "%s rates belong to features kept exactly; here they share cells (see learn.awm)",
                 linear_rates[c->base.linear.rates]);
        status = LEAT_EARG;
    }
    if (pattern_of(c, NULL, spend, &m)) return status;
    say_misfit(c, &m.shape, d);
    return LEAT_EARG;
}

/* ---- the kernel ---- */

static struct slotted_facts facts(const void *model)
{
    const struct wm *m = model;
    struct wm_options bare = m->opt;
    bare.max_row = 0;
    size_t block = wm_block_bytes(&m->shape, &bare);
    return (struct slotted_facts){.sgd = &m->sgd,
                                  .slots = m->shape.active,
                                  .used = m->set.n,
                                  .max_row = m->opt.max_row,
                                  .counts = m->opt.counts,
                                  .count = m->count,
                                  .charged = wm_charged_bytes(&m->shape),
                                  .block = block,
                                  .scratch = wm_block_bytes(&m->shape, &m->opt) - block};
}

static void init(void *model, const void *pattern, const void *lender, void *block)
{
    const struct wm *m = pattern;
    struct wm_options opt = m->opt;
    if (lender) opt.max_row = 0;
    wm_init(model, &m->shape, &opt, block);
    if (lender) wm_borrow(model, lender);
}

static void hash_row(const void *model, const struct linear_row *row, uint64_t *hash)
{
    wm_hash(model, row->n, row->id, hash);
}

static int64_t learn(void *model, const struct linear_row *r, const uint64_t *hash, double *margin)
{
    struct wm *m = model;
    return wm_learn_hashed(m, r, hash, margin) == LINEAR_OK ? (int64_t)m->n_entrants : -1;
}

static double margin(const void *model, const struct linear_row *r)
{
    return wm_margin(model, r->n, r->id, r->x);
}

static struct linear_entrant entrant(const void *model, uint32_t k)
{
    return ((const struct wm *)model)->entrant[k];
}

static uint32_t rank(const void *model, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *top)
{
    (void)weight;
    return wm_top(model, k, min_count, top);
}

static double weigh(const void *model, const float *weight, uint32_t slot)
{
    (void)weight;
    return wm_slot_weight(model, slot);
}

static void report(struct leat_ctx *ctx, const void *model)
{
    ctx->host->metric(ctx, "active", (double)((const struct wm *)model)->set.n);
}

static const struct slotted_kind kind = {.model_bytes = sizeof(struct wm),
                                         .origin_bytes = sizeof(struct linear_origin),
                                         .facts = facts,
                                         .init = init,
                                         .hash = hash_row,
                                         .learn = learn,
                                         .margin = margin,
                                         .entrant = entrant,
                                         .rank = rank,
                                         .weigh = weigh,
                                         .sure = weigh,
                                         .report = report,
                                         .write = wm_write,
                                         .read = wm_read,
                                         .merge = wm_mix,
                                         .origin = wm_origin};

SLOTTED_PROCESS(kind)

static int say_plan(const struct cfg *c, spender *spend, const struct leat_schema *in,
                    struct leat_plan *p)
{
    struct wm m;
    if (!pattern_of(c, in, spend, &m)) return LEAT_EARG;
    m.opt.max_row = linear_max_row(&c->base.linear, in);
    slotted_plan(&kind, &m, c, in, p);
    snprintf(p->note, sizeof p->note, "%u features by name, sketch %u x %u, charged %llu bytes",
             m.shape.active, m.shape.depth, m.shape.width,
             (unsigned long long)wm_charged_bytes(&m.shape));
    slotted_note_classes(c, in, p);
    return LEAT_OK;
}

static int open_with(struct leat_ctx *ctx, void *self, spender *spend)
{
    const struct cfg *c = ctx->cfg;
    struct wm m;
    if (!pattern_of(c, ctx->in, spend, &m))
        return ctx->host->fail(ctx, LEAT_EARG, "no sketch fits the budget");
    m.opt.max_row = linear_max_row(&c->base.linear, ctx->in);
    m.opt.seed = ctx->host->seed(ctx);
    return slotted_open(ctx, self, &kind, &m);
}

/* ---- what differs between the two ---- */

static int validate_wm(const void *cfg, struct leat_diag *d)
{
    return check(cfg, wm_shape_from_budget, d);
}

static int validate_hash(const void *cfg, struct leat_diag *d)
{
    return check(cfg, wm_hash_shape_from_budget, d);
}

static int plan_wm(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                   struct leat_plan *p)
{
    (void)out;
    return say_plan(cfg, wm_shape_from_budget, in, p);
}

static int plan_hash(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                     struct leat_plan *p)
{
    (void)out;
    return say_plan(cfg, wm_hash_shape_from_budget, in, p);
}

static int open_wm(struct leat_ctx *ctx, void *self)
{
    return open_with(ctx, self, wm_shape_from_budget);
}

static int open_hash(struct leat_ctx *ctx, void *self)
{
    return open_with(ctx, self, wm_hash_shape_from_budget);
}

#define SHARED_DOC                                                                                 \
    "\n\nThe features shown are members of a passive set, from which nothing is predicted. A "     \
    "feature enters with a quarter of its estimate when that is larger than the smallest weight "  \
    "there, and from then on its weight takes its own steps, which no other feature disturbs. "    \
    "(The "                                                                                        \
    "paper shows estimates; the largest of many noisy ones are mostly noise.) `active` bounds "    \
    "how "                                                                                         \
    "many can be shown.\n\n"                                                                       \
    "The budget is for ids, weights, counts and cells (model_bytes); the index of the passive "    \
    "set with padding (table_bytes) and the names (names_bytes) are reported apart. Counts of a "  \
    "feature start when it enters, while shares are of all records: for one that entered late "    \
    "the supports are lower bounds. All features share one rate: other `rates` than shared are "   \
    "refused." LINEAR_DOC WM_STATE_DOC

const struct leat_stage learn_wm = {
    .name = "learn.wm",
    .summary = "linear classifier in a Count-Sketch, its heaviest weights recovered by medians",
    .doc =
        "Weight-Median Sketch (Tai, Sharan, Bailis, Valiant: Sketching Linear Classifiers over "
        "Data Streams, SIGMOD 2018, Algorithm 1). s rows of cells; row j keeps feature i in cell "
        "h_j(i) with sign sigma_j(i). Each example is predicted, then learned: margin z = b + "
        "sum x_i mean_j sigma_j(i) cell_j[h_j(i)]; then every row takes the step cell_j[h_j(i)] "
        "-= eta sigma_j(i) y l'(y z) x_i. The weight of a feature is estimated by the median "
        "(or mean) over the rows of its signed cells.\n\n"
        "By default the budget is spent as in table 2 of the paper: 128 features known by name "
        "(256 from 4KB to below 8KB) but at most half the budget; rows of as many cells, of the "
        "double while there would be more than 32 rows, of half while there would be less than "
        "2; and as many rows as fit. 2KB: 2 rows of 128 cells, 4KB: 2 of 256, 8KB: 14 of 128, "
        "16KB: 30 of 128, 32KB: 31 of 256. Time per entry of an example is proportional to the "
        "rows, one or two nanoseconds each. At equal budgets learn.awm is more accurate and "
        "faster; this is the sketch with the proofs." SHARED_DOC,
    .example = "leat.learn.wm { budget = \"8KB\", lambda = 1e-6 }",
    LEAT_PARAMS(wm_params),
    .validate = validate_wm,
    .plan = plan_wm,
    .open = open_wm,
    .cfg_size = sizeof(struct cfg),
    SLOTTED_STAGE,
};

const struct leat_stage learn_hash = {
    .name = "learn.hash",
    .summary = "linear classifier on hashed features: one table of signed cells",
    .doc =
        "Feature hashing (Weinberger, Dasgupta, Langford, Smola, Attenberg: Feature Hashing for "
        "Large Scale Multitask Learning, ICML 2009), which is learn.wm with a single row: "
        "feature i has cell h(i) with sign sigma(i); margin z = b + sum x_i sigma(i) cell[h(i)], "
        "then cell[h(i)] -= eta sigma(i) y l'(y z) x_i. Features that share a cell cannot be "
        "told apart: what is estimated as the weight of one is that of all in its cell, with "
        "their signs.\n\n"
        "By default 128 features are known by name but at most an eighth of the budget is spent "
        "on them, and all the rest on cells, of any number. (The paper charges feature hashing "
        "for its cells alone: width = budget / 4 and a budget larger by 8 bytes a named feature "
        "is that.) Time per entry of an example is constant, some nanoseconds." SHARED_DOC,
    .example = "leat.learn.hash { budget = \"32KB\" }",
    LEAT_PARAMS(hash_params),
    .validate = validate_hash,
    .plan = plan_hash,
    .open = open_hash,
    .cfg_size = sizeof(struct cfg),
    SLOTTED_STAGE,
};
