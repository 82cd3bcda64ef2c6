/* slotted.h -- stages of linear learners that know some features by name, each in a slot.
 *
 * A stage translates its configuration (struct slotted_ask) and takes all else from here, except
 * its kernel. A feature that enters a slot stores its name there; the slot's previous feature and
 * its name are gone. With several classes (linear.h) there is a copy of all this for each class. In
 * a snapshot the fields of copy c have "c." before their names.
 *
 * Example. budget = "2KB" of learn.awm with rates = "shared" asks for { active 0, width 0, depth 1
 * }. Half of it is 256 cells of 4 bytes; the rest, 1024 bytes, has room for 128 slots of 8. With
 * three classes each model has 682 bytes: 64 cells, 53 slots.
 */
#ifndef LEAT_LEARNERS_LINEAR_SLOTTED_H
#define LEAT_LEARNERS_LINEAR_SLOTTED_H

#include "kernels/base/names.h"
#include "kernels/linear/store.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"
#include "drift.h"
#include "linear.h"
#include "shown.h"

/* First member of each stage's configuration. */
struct slotted_cfg {
    struct linear_cfg linear;
    int64_t budget, budget_total;
};

/* clang-format off */
#define SLOTTED_PARAMS(MIN) SLOTTED_BUDGET(MIN), LINEAR_PARAMS
#define SLOTTED_BUDGET(MIN)                                                                        \
    {.name = "budget", .type = LEAT_SIZE, .offset = offsetof(struct slotted_cfg, budget),          \
     .def = "32KB", .min = MIN, .max = 4294967296.0, .unit = "bytes",                              \
     .doc = "model size at 4 bytes an id, weight, other value and cell; names are counted " \
            "apart"}, \
    {.name = "budget_total", .type = LEAT_SIZE, .flags = LEAT_ADVANCED,                            \
     .offset = offsetof(struct slotted_cfg, budget_total), .def = "0", .min = 0,                   \
     .max = 4294967296.0, .unit = "bytes",                                                         \
     .doc = "size of model, index and names together, in place of budget; 0: by budget",           \
     .replaces = "budget"}
/* clang-format on */

/* Kernel with its functions for stages. */
struct slotted_kind {
    const struct linear_kernel *kernel;
    /* Chooses a shape instead of the kernel's function; NULL: the kernel's function. */
    bool (*shape_for)(uint64_t bytes, const struct linear_options *, struct linear_shape *);
    /* Words of a plan before and after the number of slots: "active ", or " features". */
    const char *note_before, *note_after;
    /* Writes why a shape does not fit into a budget. */
    void (*misfit)(const struct linear_shape *, const struct linear_options *, const char *budget,
                   char text[256]);
    void (*report)(struct leat_ctx *, const struct store *);
    /* State: members of the model that must be the same, and additional members of struct
     * linear_state. */
    struct state_table parameters, values;
};

/* Request of a configuration. */
struct slotted_ask {
    const struct slotted_kind *kind;
    struct linear_shape shape; /* given fields; 0s are to be chosen */
    struct linear_options opt; /* options without the seed */
    int64_t budget;            /* budget; 0: that of the configuration */
    const char *param;         /* parameter that determined the shape */
    const char *slots_param;   /* parameter that sets the number of slots */
};

/* Functions of a stage. */
struct slotted_learner {
    /* Translates the configuration. in: NULL if not known yet. */
    struct slotted_ask (*ask)(const void *cfg, const struct leat_schema *in);
    /* Returns LEAT_OK, or LEAT_EARG after reporting. The shape has not been checked yet. NULL if
     * nothing can be wrong. */
    int (*validate)(const void *cfg, struct leat_diag *);
};

/* Returns the options that all kernels have. */
struct linear_options slotted_options(const struct slotted_cfg *c, const struct leat_schema *in);
/* Returns LEAT_OK, or LEAT_EARG after reporting that the width is not a power of two. */
int slotted_check_width(int64_t width, struct leat_diag *d);
/* Reports the figure "active". */
void slotted_report_active(struct leat_ctx *ctx, const struct store *s);
/* Writes why a passive set of features and rows of cells do not fit. */
void slotted_misfit_rows(const struct linear_kernel *k, const struct linear_shape *s,
                         const struct linear_options *opt, const char *budget, char text[256]);

/* ---- the instance ---- */

/* Model with the names of its features, and its memory. */
struct slotted {
    struct store *model;
    void *block;
    struct names names;
    void *names_block;
    struct redundancy_parts *parts; /* parts of each slot's name; NULL: entries have no names */
};

struct slotted_held {
    const struct slotted_kind *kind;
    struct slotted *copy; /* one, or one for each class */
    uint32_t classes;     /* 0: two classes with one model */
    struct drift_watch watch;
};

struct slotted_stage {
    struct learner learner;
    const struct slotted_learner *of;
    struct slotted_held held;
    uint64_t *hash; /* scratch for a row, if there are classes */
};

/* ---- functions of struct leat_stage, some of which also take the learner ---- */

int slotted_validate(const struct slotted_learner *l, const void *cfg, struct leat_diag *d);
int slotted_plan(const struct slotted_learner *l, const void *cfg, const struct leat_schema *in,
                 struct leat_plan *p);
int slotted_open(struct leat_ctx *ctx, void *self, const struct slotted_learner *l);
int slotted_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);

/* Figures of all stages with slots. A stage's table adds its kernel's figures. */
#define SLOTTED_FIGURES                                                                            \
    FIGURE_BUDGET_BYTES, FIGURE_MODEL_BYTES, FIGURE_TABLE_BYTES, FIGURE_NAMES_BYTES,               \
        {"names_cut", "names", "names that were longer than name_bytes", LEAT_COUNTER},            \
        FIGURE_DRIFTS, FIGURE_BIAS

/* Members of struct leat_stage of all stages with slots. */
#define SLOTTED_STAGE                                                                              \
    LEARNER_OF_LABELS, LEARNER_STAGE(struct slotted_stage, linear_columns, LINEAR_STATE_VERSION),  \
        .negotiate = linear_negotiate, .process = slotted_process

/* ---- slotted_state.c, for slotted.c ---- */

extern const struct learner_held slotted_state;
/* Makes fresh copies like the live ones. Returns LEAT_OK or LEAT_ENOMEM. */
int slotted_make_like(struct leat_ctx *ctx, const struct slotted_held *live, struct slotted **out);
/* Releases n copies; s may be NULL. */
void slotted_release(struct leat_ctx *ctx, struct slotted *s, uint32_t n);

#endif
