/* slotted.h -- stages of linear learners that know some features by name, each in a slot of the
 * model: all but what tells their kernels apart.
 *
 * A stage says what its configuration asks for (struct slotted_ask), and calls the rest from here.
 * A feature that enters a slot gives its name to it; the feature that was there before is gone, and
 * so is its name. With several classes (linear.h) there is a copy of all that for each; in a
 * snapshot the fields of copy c have "c." before their names.
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
     .doc = "model size at 4 bytes an id, weight, other value and cell; names are counted " \
            "apart"}, \
    {.name = "budget_total", .type = LEAT_SIZE, .flags = LEAT_ADVANCED,                            \
     .offset = offsetof(struct slotted_cfg, budget_total), .def = "0", .min = 0,                   \
     .max = 4294967296.0, .unit = "bytes",                                                         \
     .doc = "size of model, index and names together, in place of budget; 0: by budget",           \
     .replaces = "budget"}
/* clang-format on */

/* A kernel as stages have it. */
struct slotted_kind {
    const struct linear_kernel *kernel;
    /* Chooses a shape in place of the kernel's function; NULL: that one. */
    bool (*shape_for)(uint64_t bytes, const struct linear_options *, struct linear_shape *);
    /* A plan says these before and after the number of slots: "active ", or " features". */
    const char *note_before, *note_after;
    /* Why a shape does not fit into a budget. */
    void (*misfit)(const struct linear_shape *, const struct linear_options *, const char *budget,
                   char text[256]);
    void (*report)(struct leat_ctx *, const struct store *);
    /* The state: members of the model that must be the same; members of struct linear_state besides
     * those of all. */
    struct state_table parameters, values;
};

/* What a configuration asks for. */
struct slotted_ask {
    const struct slotted_kind *kind;
    struct linear_shape shape; /* as it is given: other fields are to be chosen */
    struct linear_options opt; /* without the seed                              */
    int64_t budget;            /* 0: that of the configuration                  */
    const char *param;         /* which parameter the shape is due to           */
    const char *slots_param;   /* which parameter gives the number of slots     */
};

/* A stage. */
struct slotted_learner {
    /* in: NULL, not known yet. */
    struct slotted_ask (*ask)(const void *cfg, const struct leat_schema *in);
    /* Returns LEAT_OK, or LEAT_EARG after reporting; the shape has not been looked at. NULL: all is
     * well. */
    int (*validate)(const void *cfg, struct leat_diag *);
};

/* The options that all kernels have. */
struct linear_options slotted_options(const struct slotted_cfg *c, const struct leat_schema *in);
/* LEAT_OK, or LEAT_EARG after reporting that the width is no power of two. */
int slotted_check_width(int64_t width, struct leat_diag *d);
/* The figure "active". */
void slotted_report_active(struct leat_ctx *ctx, const struct store *s);
/* A misfit of a passive set of features beside rows of cells. */
void slotted_misfit_rows(const struct linear_kernel *k, const struct linear_shape *s,
                         const struct linear_options *opt, const char *budget, char text[256]);

/* ---- the instance ---- */

/* A model with the names of its features, and the memory of all of it. */
struct slotted {
    struct store *model;
    void *block;
    struct names names;
    void *names_block;
    struct redundancy_parts *parts; /* of each slot's name; NULL: entries have no names */
};

struct slotted_held {
    const struct slotted_kind *kind;
    struct slotted *copy; /* one, or one of each class */
    uint32_t classes;     /* 0: two, by one model */
    struct drift_watch watch;
};

struct slotted_stage {
    struct learner learner;
    const struct slotted_learner *of;
    struct slotted_held held;
    uint64_t *hash; /* scratch of a row, with classes */
};

/* ---- functions of struct leat_stage, by those that also take the learner ---- */

int slotted_validate(const struct slotted_learner *l, const void *cfg, struct leat_diag *d);
int slotted_plan(const struct slotted_learner *l, const void *cfg, const struct leat_schema *in,
                 struct leat_plan *p);
int slotted_open(struct leat_ctx *ctx, void *self, const struct slotted_learner *l);
int slotted_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);

/* Those of all stages with slots; a stage's table has them, and what the kernel reports. */
#define SLOTTED_FIGURES                                                                            \
    FIGURE_BUDGET_BYTES, FIGURE_MODEL_BYTES, FIGURE_TABLE_BYTES, FIGURE_NAMES_BYTES,               \
        {"names_cut", "names", "names that were longer than name_bytes", LEAT_COUNTER},            \
        FIGURE_DRIFTS, FIGURE_BIAS

/* Members of the struct leat_stage of all of them. */
#define SLOTTED_STAGE                                                                              \
    LEARNER_OF_LABELS, LEARNER_STAGE(struct slotted_stage, linear_columns, LINEAR_STATE_VERSION),  \
        .negotiate = linear_negotiate, .process = slotted_process

/* ---- slotted_state.c, for slotted.c ---- */

extern const struct learner_held slotted_state;
/* Fresh copies like the live ones, or LEAT_ENOMEM. */
int slotted_make_like(struct leat_ctx *ctx, const struct slotted_held *live, struct slotted **out);
/* Copies that a stage has made; NULL is none. */
void slotted_release(struct leat_ctx *ctx, struct slotted *s, uint32_t n);

#endif
