/* slotted.h -- stages of linear learners that know some features by name, each in a slot of the
 * model: all but what tells their kernels apart.
 *
 * A stage describes its kernel by a struct slotted_kind, shapes a model from its configuration, and
 * calls the rest from here. A feature that enters a slot gives its name to it; the feature that was
 * there before is gone, and so is its name. With several classes (linear.h) there is a copy of all
 * that for each; in a snapshot the fields of copy c have "c." before their names.
 */
#ifndef LEAT_LEARNERS_LINEAR_SLOTTED_H
#define LEAT_LEARNERS_LINEAR_SLOTTED_H

#include "kernels/base/names.h"
#include "kernels/linear/linear.h"
#include "drift.h"
#include "linear.h"
#include "linear_state.h"
#include "shown.h"
#include "common/learners/learner.h"

/* The first member of each stage's configuration. */
struct slotted_cfg {
    struct linear_cfg linear;
    int64_t budget, budget_total;
};

/* clang-format off */
#define SLOTTED_PARAMS(MIN) SLOTTED_BUDGET(MIN), LINEAR_PARAMS
#define SLOTTED_BUDGET(MIN)                                                                        \
    {.name = "budget", .type = LEAT_SIZE, .offset = offsetof(struct slotted_cfg, budget),          \
     .def = "32KB", .min = MIN, .max = 4294967296.0, .unit = "bytes",                              \
     .doc = "model size at 4 bytes an id, weight, other value and cell; names are counted apart"},  \
    {.name = "budget_total", .type = LEAT_SIZE, .flags = LEAT_ADVANCED,                            \
     .offset = offsetof(struct slotted_cfg, budget_total), .def = "0", .min = 0,                   \
     .max = 4294967296.0, .unit = "bytes",                                                         \
     .doc = "size of model, index and names together, in place of budget; 0: by budget",           \
     .replaces = "budget"}
/* clang-format on */

/* A model in general terms. */
struct slotted_facts {
    const struct sgd *sgd;
    uint32_t slots, used;  /* slots 0 .. used - 1 hold features */
    uint32_t width, depth; /* of the sketch; 0: there is none   */
    uint32_t max_row;
    bool counts;
    const uint32_t *count; /* slots x { negative, positive }, or NULL        */
    uint64_t charged;      /* bytes, by the paper's cost model               */
    size_t block, scratch; /* bytes of memory, without scratch, and of that  */
    size_t beside;         /* more of a model's own that no budget bounds    */
};

/* The kernel. A model is its struct there, made to the pattern of another by `init`: the pattern
 * needs only shape and options. lender: a model whose scratch it uses, or NULL: its block has some.
 */
struct slotted_kind {
    size_t model_bytes;
    /* What a plan says before and after the number of slots: "active ", or " features". */
    const char *note_before, *note_after;
    /* Why a pattern's shape does not fit into a budget. */
    void (*misfit)(const void *pattern, const char *budget, char text[256]);
    struct slotted_facts (*facts)(const void *model);
    struct sgd *(*clock)(void *model);
    void (*init)(void *model, const void *pattern, const void *lender, void *block);
    void (*hash)(const void *model, const struct linear_row *row, uint64_t *hash);
    /* How many features of the example entered a slot, with *entrant those; -1: a value is not
     * finite, and nothing has changed. hash: NULL, or what `hash` made. */
    int64_t (*learn)(void *model, const struct linear_row *row, const uint64_t *hash,
                     double *margin, const struct linear_entrant **entrant);
    double (*margin)(const void *model, const struct linear_row *row); /* predicts only */
    /* As in shown.h. */
    uint32_t (*rank)(const void *model, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *top);
    double (*weigh)(const void *model, uint32_t slot);
    void (*report)(struct leat_ctx *ctx, const void *model);
    /* NULL: it has no adaptive rates */
    void (*forget)(void *model, double share, double sums);
    /* The state: the fields of `parameters`, members of the model that must be the same, those of
     * struct linear_state, and those of `values`, members of that. */
    const struct state_field *parameters, *values;
    size_t n_parameters, n_values;
    struct linear_parts (*parts)(const void *model);
    const char *(*load)(void *fresh, const struct linear_parts *p);
    /* Make `fresh` the mean of a and b. origin: 2 slots elements; those of the slots in use are
     * then set. */
    void (*merge)(void *fresh, const void *a, const void *b, double weight,
                  struct linear_origin *origin);
};

/* Defines K_facts for a kernel K whose shape is as that of awm.h. The slots of a model are
 * m->SLOTS, those in use m->USED. */
#define SLOTTED_FACTS(K, SLOTS, USED)                                                              \
    static struct slotted_facts K##_facts(const void *model)                                       \
    {                                                                                              \
        const struct K *m = model;                                                                 \
        struct K##_options bare = m->opt;                                                          \
        bare.max_row = 0;                                                                          \
        size_t block = K##_block_bytes(&m->shape, &bare);                                          \
        return (struct slotted_facts){.sgd = &m->sgd,                                              \
                                      .slots = m->SLOTS,                                           \
                                      .used = m->USED,                                             \
                                      .width = m->shape.width,                                     \
                                      .depth = m->shape.depth,                                     \
                                      .max_row = m->opt.max_row,                                   \
                                      .counts = m->opt.counts,                                     \
                                      .count = m->count,                                           \
                                      .charged = K##_charged_bytes(&m->shape),                     \
                                      .block = block,                                              \
                                      .scratch = K##_block_bytes(&m->shape, &m->opt) - block};     \
    }

/* Defines the other calls of a struct slotted_kind that only turn `void *` into the model of kernel
 * K, whose functions are named and given as those of awm.h. */
#define SLOTTED_CALLS(K)                                                                           \
    static void K##_init_like(void *model, const void *pattern, const void *lender, void *block)   \
    {                                                                                              \
        const struct K *m = pattern;                                                               \
        struct K##_options opt = m->opt;                                                           \
        if (lender) opt.max_row = 0;                                                               \
        K##_init(model, &m->shape, &opt, block);                                                   \
        if (lender) K##_borrow(model, lender);                                                     \
    }                                                                                              \
    /* the model is not const, nor is its clock */                                                 \
    static struct sgd *K##_clock(void *model) { return (struct sgd *)K##_facts(model).sgd; }       \
    static void K##_hash_row(const void *model, const struct linear_row *row, uint64_t *hash)      \
    {                                                                                              \
        K##_hash(model, row->n, row->id, hash);                                                    \
    }                                                                                              \
    static int64_t K##_learn_row(void *model, const struct linear_row *row, const uint64_t *hash,  \
                                 double *margin, const struct linear_entrant **entrant)            \
    {                                                                                              \
        struct K *m = model;                                                                       \
        *entrant = m->entrant;                                                                     \
        return K##_learn_hashed(m, row, hash, margin) == LINEAR_OK ? (int64_t)m->n_entrants : -1;  \
    }                                                                                              \
    static double K##_row_margin(const void *model, const struct linear_row *row)                  \
    {                                                                                              \
        return K##_margin(model, row->n, row->id, row->x);                                         \
    }                                                                                              \
    static uint32_t K##_rank(const void *model, uint32_t k, uint32_t min_count, float *weight,     \
                             uint32_t *top)                                                        \
    {                                                                                              \
        return K##_top(model, k, min_count, weight, top);                                          \
    }                                                                                              \
    static double K##_weigh(const void *model, uint32_t slot)                                      \
    {                                                                                              \
        return K##_slot_weight(model, slot);                                                       \
    }                                                                                              \
    static struct linear_parts K##_parts_of(const void *model) { return K##_parts(model); }        \
    static const char *K##_load_parts(void *fresh, const struct linear_parts *p)                   \
    {                                                                                              \
        return K##_load(fresh, p);                                                                 \
    }                                                                                              \
    static void K##_merge_models(void *fresh, const void *a, const void *b, double weight,         \
                                 struct linear_origin *origin)                                     \
    {                                                                                              \
        K##_merge(fresh, a, b, weight, origin);                                                    \
    }

/* Members of the struct: those calls. */
#define SLOTTED_KERNEL(K)                                                                          \
    .facts = K##_facts, .clock = K##_clock, .init = K##_init_like, .hash = K##_hash_row,           \
    .learn = K##_learn_row, .margin = K##_row_margin, .rank = K##_rank, .weigh = K##_weigh,        \
    .parts = K##_parts_of, .load = K##_load_parts, .merge = K##_merge_models
/* Of those with adaptive rates, whose K_forget is as in adaptive.h. */
#define SLOTTED_FORGETS(K)                                                                         \
    static void K##_forgets(void *model, double share, double sums)                                \
    {                                                                                              \
        K##_forget(model, share, sums);                                                            \
    }
/* And what the kernel's file has: misfit, report and the table `parameters`. */
#define SLOTTED_KIND(K)                                                                            \
    .model_bytes = sizeof(struct K), .misfit = misfit, .report = report, .parameters = parameters, \
    .n_parameters = sizeof parameters / sizeof *parameters, SLOTTED_KERNEL(K)

/* A model with the names of its features, and the memory of all of it. */
struct slotted {
    void *model, *block;
    struct names names;
    void *names_block;
    struct redundancy_parts *parts; /* of each slot's name; NULL: entries have no names */
};

/* A copy and how to ask it. */
struct slotted_asked {
    const struct slotted_kind *kind;
    const struct slotted *of;
};

struct slotted_stage {
    const struct slotted_kind *kind;
    struct slotted *copy; /* one, or one of each class */
    uint32_t classes;     /* 0: two, by one model */
    uint64_t *hash;       /* scratch of a row, with classes */
    struct slotted_asked asked;
    struct drift_watch watch;
    char *text; /* scratch: a name, one byte longer than is kept */
};

/* ---- a stage's configuration ---- */

/* The fields of a pattern's shape that are to be chosen, for so many bytes. false: none fits. */
typedef bool slotted_fit(uint64_t bytes, void *pattern);
/* Chooses them for a model's share of the budget; of budget_total, so that the index fits in, too,
 * and names of SLOTTED_NAME bytes, or of name_bytes if that is less. in: NULL, not known yet.
 * false: no shape fits; with budget_total the pattern is then the smallest one there is, or 0s. */
enum { SLOTTED_NAME = 24 };
bool slotted_shape(const struct slotted_kind *kind, const struct slotted_cfg *c,
                   const struct leat_schema *in, slotted_fit *fit, void *pattern);
/* LEAT_EARG after saying that the pattern's shape does not fit, because of a parameter. */
int slotted_refuse_shape(const struct slotted_kind *kind, const void *pattern,
                         const struct slotted_cfg *c, const char *param, struct leat_diag *d);
/* LEAT_OK, or LEAT_EARG after saying that the parameter's so many features take more than the
 * budget: where they are given, a shape "fits" in any. */
int slotted_check_charge(const struct slotted_kind *kind, const void *pattern,
                         const struct slotted_cfg *c, const char *param, int64_t value,
                         struct leat_diag *d);
/* LEAT_OK, or LEAT_EARG after saying that the width is no power of two. */
int slotted_check_width(int64_t width, struct leat_diag *d);

/* ---- functions of struct leat_stage; plan and open also need the kind, a pattern and whether its
 * shape fits ---- */

int slotted_plan(const struct slotted_kind *kind, const void *pattern, bool fits, const void *cfg,
                 const struct leat_schema *in, struct leat_plan *p);
int slotted_open(struct leat_ctx *ctx, void *self, const struct slotted_kind *kind,
                 const void *pattern, bool fits);
void slotted_close(struct leat_ctx *ctx, void *self);
int slotted_stop(struct leat_ctx *ctx, void *self);
/* The figures, once a second. */
int slotted_tick(struct leat_ctx *ctx, void *self, int64_t now);
int slotted_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
int slotted_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                  struct leat_result *out);
/* slotted_state.c */
int slotted_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int slotted_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);
int slotted_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight);

/* Defines NAME_validate, NAME_plan and NAME_open for the stage of kernel K that WHICH tells from
 * the others of the kernel. Its file has K_kind, and K_validate_as and K_pattern, which get WHICH;
 * the latter makes a model that is only shape and options, and returns whether the shape fits. */
#define SLOTTED_ONE_OF(NAME, K, WHICH)                                                             \
    static int NAME##_validate(const void *cfg, struct leat_diag *d)                               \
    {                                                                                              \
        return K##_validate_as(WHICH, cfg, d);                                                     \
    }                                                                                              \
    static int NAME##_plan(const void *cfg, const struct leat_schema *in,                          \
                           const struct leat_schema *out, struct leat_plan *p)                     \
    {                                                                                              \
        struct K m;                                                                                \
        bool fits = K##_pattern(WHICH, cfg, in, &m);                                               \
        return slotted_plan(&K##_kind, &m, fits, cfg, in, p);                                      \
    }                                                                                              \
    static int NAME##_open(struct leat_ctx *ctx, void *self)                                       \
    {                                                                                              \
        struct K m;                                                                                \
        bool fits = K##_pattern(WHICH, ctx->cfg, ctx->in, &m);                                     \
        m.opt.seed = ctx->host->seed(ctx);                                                         \
        return slotted_open(ctx, self, &K##_kind, &m, fits);                                       \
    }

/* Those of all stages with slots; NAME_figures has them, and what the kernel reports. */
#define SLOTTED_FIGURES                                                                            \
    FIGURE_BUDGET_BYTES, FIGURE_MODEL_BYTES, FIGURE_TABLE_BYTES, FIGURE_NAMES_BYTES,               \
        {"names_cut", "names", "names that were longer than name_bytes", LEAT_COUNTER},            \
        FIGURE_DRIFTS, FIGURE_BIAS

/* Members of the struct leat_stage of learn.NAME, besides summary and example. */
#define SLOTTED_STAGE(NAME, CFG)                                                                   \
    .name = "learn." #NAME, .doc = NAME##_doc, LEARNER_OF_LABELS, LEAT_PARAMS(NAME##_params, CFG), \
    LEAT_FIGURES(NAME##_figures), .instance_size = sizeof(struct slotted_stage),                   \
    .validate = NAME##_validate, .negotiate = linear_negotiate, .plan = NAME##_plan,               \
    .open = NAME##_open, .close = slotted_close, .stop = slotted_stop, .tick = slotted_tick,       \
    .process = slotted_process,                                                                    \
    .learner = LEAT_ROLE(leat_learner, .query = slotted_query, .columns = linear_columns),         \
    .state = LEAT_ROLE(leat_state, .version = LINEAR_STATE_VERSION, .snapshot = slotted_snapshot,  \
                       .restore = slotted_restore, .merge = slotted_merge)

/* ---- memory, for slotted_state.c ---- */

/* Fresh copies like the live ones, or LEAT_ENOMEM. */
int slotted_make_like(struct leat_ctx *ctx, const struct slotted_stage *st, struct slotted **out);
/* Copies that a stage has made; NULL is none. */
void slotted_release(struct leat_ctx *ctx, struct slotted *s, uint32_t n);
/* They become the live ones. */
void slotted_replace(struct leat_ctx *ctx, struct slotted_stage *st, struct slotted *s);

#endif
