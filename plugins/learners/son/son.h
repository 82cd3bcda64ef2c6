/* son.h -- shared and specific parts of the stages of the online Newton family.
 *
 * A stage file has its parameters, a struct son_method, plan and open, and its struct leat_stage:
 *
 *   struct son_cfg     the first member of its configuration, or all of it
 *   struct son_stage   its instance; the kernel's model follows in the same block
 *   struct son_kernel  the algorithm (kernels/son/son.h)
 *   struct son_method  the kernel, its options by the configuration, and its state
 *
 * The block of a model has room for all possible features, but only the part in use is touched.
 */
#ifndef LEAT_LEARNERS_SON_SON_H
#define LEAT_LEARNERS_SON_SON_H

#include <stddef.h>

#include <leat/plugin.h>

#include "kernels/son/son.h"
#include "common/learners/examples.h"
#include "common/learners/growing.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"

/* ---- parameters ---- */

struct son_cfg {
    struct growing_cfg growing;
    double alpha0, clip;
    struct leat_interval half_life; /* 0: nothing fades */
    int64_t m;                      /* rows of the sketch; 0: no sketch */
    int32_t loss;
    int32_t labels; /* enum son_labels */
};

enum son_labels { SON_CLASSES, SON_NUMBERS };
extern const char *const son_losses[], *const son_labels[];

/* clang-format off */
#define SON_PARAM(FIELD, TYPE)                                                                     \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct son_cfg, FIELD)
#define SON_PARAM_M(DOC)                                                                           \
    {SON_PARAM(m, LEAT_INT), .def = "10", .min = 1, .max = SON_MAX_M, .unit = "rows", .doc = DOC}
#define SON_PARAMS(ALPHA_DEF, ALPHA_MIN, ALPHA_DOC)                                                \
    {SON_PARAM(alpha0, LEAT_FLOAT), .def = ALPHA_DEF, .min = ALPHA_MIN, .max = 1e15,               \
     .doc = ALPHA_DOC},                                                                            \
    {SON_PARAM(loss, LEAT_CHOICE), .def = "squared", .choices = son_losses,                        \
     .doc = "what is minimised: (z-y)^2, log(1+e^-yz), max(0, 1-yz)^2"},                           \
    {SON_PARAM(labels, LEAT_CHOICE), .def = "classes", .choices = son_labels,                      \
     .doc = "classes: labels are -1 (or 0) and 1; numbers: any within -clip to clip, with " \
            "the " \
            "squared loss, and the score is an estimate of the label"},                            \
    {SON_PARAM(clip, LEAT_FLOAT), .def = "1", .min = 0.01, .max = SON_MAX_CLIP,                    \
     .doc = "C: weights are projected onto |w'x| <= C before each step; at most 30 for classes"}
/* clang-format on */

/* ---- the instance ---- */

struct son_stage {
    struct learner learner;
    const struct son_method *method;
    const struct son_cfg *cfg;
    struct growing growing;
    struct son_row row; /* current example */
    void *block;        /* memory of the model */
    uint32_t max_row;   /* entries of the longest example */
    uint64_t examples;  /* number of examples learned */
    uint64_t overflows; /* examples whose step was too large: predicted only; not in states */
    _Alignas(16) char model[]; /* kernel->model_size bytes */
};
/* Type of an instance with its model, for sizeof. */
#define SON_INSTANCE(MODEL) char[sizeof(struct son_stage) + sizeof(MODEL)]

#define SON_MAX_CLIP 1e9

struct son_options son_options(const struct son_cfg *c);
struct son_features son_features(const struct son_stage *st);

/* ---- parts of a single learner; cfg: the stage's configuration ---- */

/* Shares of two learners in their merge. */
struct son_mix {
    double count;            /* weight of an example of b */
    double share_a, share_b; /* shares of the weights */
    const uint32_t *number;  /* numbers of b's features in the merged model */
};

enum { SON_MAX_OPTIONS = 256 }; /* in bytes */

struct son_method {
    const struct son_kernel *kernel;
    /* Sets the kernel's options, at most SON_MAX_OPTIONS bytes. `seed` is the pipeline's. */
    void (*options)(const void *cfg, uint64_t seed, void *opt);
    bool plain; /* z is the log odds; of struct son_cfg only `growing` is used */
    double (*bias)(const void *model); /* NULL: 0 */
    /* Reports additional figures; NULL: there are none. */
    void (*report)(struct leat_ctx *, const void *model, const struct son_features *);

    /* State: fields of the model's struct. `params` must be the same; `fields` are read into a
     * freshly initialised model. */
    struct state_table params, fields;
    /* Write and read the rest of the model; NULL: there is none. */
    int (*write)(const void *model, struct leat_writer *);
    int (*read)(void *model, const struct son_features *, struct leat_reader *);
    /* Turns st, freshly initialised and with the features of both, into the merge of a and b. NULL
     * if there is no merge. */
    int (*merge)(struct leat_ctx *, struct son_stage *st, const struct son_stage *a,
                 const struct son_stage *b, const struct son_mix *);
    const char *no_merge; /* reason why two cannot be merged */
};

/* Size of a model: the slots are for examples of `row` entries, the block for `features`. */
struct son_size {
    uint32_t stride, slots;
    size_t block;
};
struct son_size son_size(const struct son_method *m, const void *cfg, uint32_t features,
                         uint32_t row);
/* Makes a fresh model of st in st->block, whose size is that of son_size(). */
void son_init(struct leat_ctx *ctx, struct son_stage *st);

/* ---- calls of a stage ---- */

/* Checks the configuration. Returns LEAT_OK, or LEAT_EARG after reporting. */
int son_validate(const void *cfg, struct leat_diag *d);
int son_negotiate(const void *cfg, struct leat_negotiation *n);
int son_plan(const struct son_method *m, const void *cfg, const struct leat_schema *in,
             struct leat_plan *p);
int son_open(struct leat_ctx *ctx, const struct son_method *m, void *self);
int son_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
const char *const *son_columns(const void *cfg, uint32_t *n);

/* Calls of struct learner_method (son_state.c). */
enum { SON_STATE_VERSION = 2 };
int son_write(const void *self, struct leat_writer *w);
int son_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r);
int son_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight);

/* Figures of all stages. A stage adds the figures that its method reports. */
#define SON_FIGURES                                                                                \
    FIGURE_MODEL_BYTES, GROWING_FIGURES,                                                           \
    {                                                                                              \
        "overflows", "1", "steps that were left out: they were not finite", LEAT_COUNTER           \
    }

/* Members of struct leat_stage that all stages share. */
#define SON_STAGE(MODEL)                                                                           \
    LEARNER_OF_LABELS, .negotiate = son_negotiate, .process = son_process,                         \
                       LEARNER_STAGE(SON_INSTANCE(MODEL), son_columns, SON_STATE_VERSION)

#endif
