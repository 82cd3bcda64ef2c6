/* slotted.h -- code of linear learners that keep some features by name, each in a slot.
 *
 * A stage translates its configuration into a struct slotted_ask and provides its kernel;
 * everything else is here. A feature that enters a slot replaces the slot's feature and name. With
 * several classes (linear.h) there is a copy of the model and its slots for each class. In a
 * snapshot, the names of the fields of copy c begin with "c.".
 *
 * Example. learn.awm with budget = "2KB" and rates = "shared" requests a shape with active = 0,
 * width = 0 (both chosen by the budget) and depth = 1. Half of the budget is 256 cells of 4 bytes.
 * The rest, 1024 bytes, is 128 slots of 8 bytes. With three classes, each model has 682 bytes: 64
 * cells and 53 slots. */
#ifndef LEAT_LEARNERS_LINEAR_SLOTTED_H
#define LEAT_LEARNERS_LINEAR_SLOTTED_H

#include "kernels/base/names.h"
#include "kernels/linear/store.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"
#include "drift.h"
#include "linear.h"
#include "merged.h"
#include "shown.h"

/* First member of the configuration of these stages. */
struct slotted_cfg {
    struct linear_cfg linear;
    int64_t budget, budget_total;
};

/* clang-format off */
#define SLOTTED_PARAMS(MIN) SLOTTED_BUDGET(MIN), LINEAR_PARAMS
#define SLOTTED_BUDGET(MIN)                                                                        \
    {.name = "budget", .type = LEAT_SIZE, .offset = offsetof(struct slotted_cfg, budget),          \
     .def = "32KB", .min = MIN, .max = 4294967296.0, .unit = "bytes",                              \
     .doc = "bytes of the model, at 4 bytes an id, weight, other value and cell; names are not "   \
            "counted"},                                                                            \
    {.name = "budget_total", .type = LEAT_SIZE, .flags = LEAT_ADVANCED,                            \
     .offset = offsetof(struct slotted_cfg, budget_total), .def = "0", .min = 0,                   \
     .max = 4294967296.0, .unit = "bytes",                                                         \
     .doc = "bytes of model, index and names together, in place of budget; 0: use budget",         \
     .replaces = "budget"}
/* clang-format on */

/* A kernel, with functions that stages need for it. */
struct slotted_kind {
    const struct linear_kernel *kernel;
    /* Chooses a shape that fits in `bytes`. NULL: the kernel's function chooses it. */
    bool (*shape_for)(uint64_t bytes, const struct linear_options *, struct linear_shape *);
    /* Text before and after the number of slots in a plan's note, such as "active " or "
     * features". */
    const char *note_before, *note_after;
    /* Writes to `text` the reason why the shape does not fit into the budget. `budget` is the
     * budget as text. */
    void (*misfit)(const struct linear_shape *, const struct linear_options *, const char *budget,
                   char text[256]);
    void (*report)(struct leat_ctx *, const struct store *);
    /* State of the kernel. `parameters` are members of the model that must be equal in the saved
     * state and here. `values` are further members of struct linear_state. */
    struct state_table parameters, values;
};

/* Model that a configuration describes. */
struct slotted_ask {
    const struct slotted_kind *kind;
    struct linear_shape shape; /* configured shape; the budget decides members that are 0 */
    struct linear_options opt; /* options except the seed */
    int64_t budget;            /* bytes; 0: the budget in the configuration */
    const char *param;         /* name of the parameter that determined the shape, for messages */
    const char *slots_param;   /* name of the parameter for the number of slots, for messages */
};

/* Functions that differ between stages. */
struct slotted_learner {
    /* Translates the configuration. `in` is NULL if it is not known yet. */
    struct slotted_ask (*ask)(const void *cfg, const struct leat_schema *in);
    /* Checks the configuration, before its shape is checked. Returns LEAT_OK, or LEAT_EARG after
     * reporting an error. NULL: nothing to check. */
    int (*validate)(const void *cfg, struct leat_diag *);
};

/* Returns the options that all kernels have, from the configuration. */
struct linear_options slotted_options(const struct slotted_cfg *c, const struct leat_schema *in);
/* Returns LEAT_OK if the width is a power of two. Otherwise reports an error and returns
 * LEAT_EARG. */
int slotted_check_width(int64_t width, struct leat_diag *d);
/* Reports the figure "active": the number of slots in use. */
void slotted_report_active(struct leat_ctx *ctx, const struct store *s);
/* Writes to `text` the reason why a passive set of features and rows of cells do not fit into the
 * budget. `budget` is the budget as text. */
void slotted_misfit_rows(const struct linear_kernel *k, const struct linear_shape *s,
                         const struct linear_options *opt, const char *budget, char text[256]);

/* ---- the instance of a stage ---- */

/* A model with the names of its features, and the memory of both. */
struct slotted {
    struct store *model;
    void *block;
    struct names names;
    void *names_block;
    struct redundancy_parts *parts; /* parts of the name in each slot; NULL: no names */
    struct averages averages;       /* of the weights of the slots */
    struct merged *merged;          /* sums of a merged model that has not learned since; or NULL */
};

struct slotted_held {
    const struct slotted_kind *kind;
    struct slotted *copy; /* one model, or one for each class */
    uint32_t classes;     /* number of classes; 0: one model separates two classes */
    struct drift_watch watch;
};

struct slotted_stage {
    struct learner learner;
    const struct slotted_learner *of;
    struct slotted_held held;
    uint64_t *hash; /* hashes of a row; used with several classes */
};

/* ---- functions of struct leat_stage; some take the learner as a first argument ---- */

int slotted_validate(const struct slotted_learner *l, const void *cfg, struct leat_diag *d);
int slotted_plan(const struct slotted_learner *l, const void *cfg, const struct leat_schema *in,
                 struct leat_plan *p);
int slotted_open(struct leat_ctx *ctx, void *self, const struct slotted_learner *l);
int slotted_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);

/* Figures that all these stages report. A stage adds its kernel's figures. */
#define SLOTTED_FIGURES                                                                            \
    FIGURE_BUDGET_BYTES, FIGURE_MODEL_BYTES, FIGURE_TABLE_BYTES, FIGURE_NAMES_BYTES,               \
        {"names_cut", "names", "names that were longer than name_bytes", LEAT_COUNTER},            \
        FIGURE_DRIFTS, FIGURE_BIAS, MERGED_FIGURES

/* Members of struct leat_stage that all these stages have. */
#define SLOTTED_STAGE                                                                              \
    LEARNER_OF_LABELS, LEARNER_STAGE(struct slotted_stage, linear_columns, LINEAR_STATE_VERSION),  \
        .negotiate = linear_negotiate, .process = slotted_process

/* ---- slotted_state.c ---- */

extern const struct learner_held slotted_state;
/* Creates empty copies with the shapes and options of `live`. Returns LEAT_OK or LEAT_ENOMEM. */
int slotted_make_like(struct leat_ctx *ctx, const struct slotted_held *live, struct slotted **out);
/* Frees n copies; s may be NULL. */
void slotted_release(struct leat_ctx *ctx, struct slotted *s, uint32_t n);

#endif
