/* son.h -- stages of the online Newton family: the parts that all share, and those that each adds.
 *
 * Only glue. A stage file has its parameters, a struct son_method, plan and open, and its struct
 * leat_stage:
 *
 *   struct son_cfg     the first member of its configuration, or all of it
 *   struct son_stage   its instance; the kernel's model follows in the same block
 *   struct son_kernel  the algorithm (kernels/son/son.h)
 *   struct son_method  the kernel, its options by the configuration, and its state
 *
 * The block of a model is for all features that there may be, and touched as far as there are any.
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
    int64_t m;                      /* rows of the sketch; 0: there is none */
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
    struct son_row row;        /* the example at hand                             */
    void *block;               /* memory of the model                             */
    uint32_t max_row;          /* entries of the longest example                  */
    uint64_t examples;         /* learned                                         */
    uint64_t overflows;        /* predicted only: too large a step; not in states */
    _Alignas(16) char model[]; /* kernel->model_size bytes                        */
};
/* Its type with the model, for sizeof. */
#define SON_INSTANCE(MODEL) char[sizeof(struct son_stage) + sizeof(MODEL)]

#define SON_MAX_CLIP 1e9

struct son_options son_options(const struct son_cfg *c);
struct son_features son_features(const struct son_stage *st);

/* ---- what a learner adds; cfg: the stage's configuration ---- */

/* How much of each of two learners goes into their merge. */
struct son_mix {
    double count;            /* weight of an example of b            */
    double share_a, share_b; /* of the weights                       */
    const uint32_t *number;  /* of b's features in the merged model  */
};

enum { SON_MAX_OPTIONS = 256 }; /* bytes */

struct son_method {
    const struct son_kernel *kernel;
    /* Sets the kernel's options, at most SON_MAX_OPTIONS bytes. `seed` is the pipeline's. */
    void (*options)(const void *cfg, uint64_t seed, void *opt);
    bool plain; /* z is the log odds, and of struct son_cfg only `growing` is used */
    double (*bias)(const void *model); /* NULL: 0 */
    /* NULL: it has no figures of its own. */
    void (*report)(struct leat_ctx *, const void *model, const struct son_features *);

    /* State: fields of the model's struct. `params` must be the same; `fields` are read into a
     * model just initialised. */
    struct state_table params, fields;
    /* The rest of the model; NULL: there is none. */
    int (*write)(const void *model, struct leat_writer *);
    int (*read)(void *model, const struct son_features *, struct leat_reader *);
    /* Makes st, just initialised and with the features of both, the merge of two. NULL: */
    int (*merge)(struct leat_ctx *, struct son_stage *st, const struct son_stage *a,
                 const struct son_stage *b, const struct son_mix *);
    const char *no_merge; /* why two cannot be merged */
};

/* Slots of a sketch for examples of `row` entries; bytes of the model's block: for `features`. */
struct son_size {
    uint32_t stride, slots;
    size_t block;
};
struct son_size son_size(const struct son_method *m, const void *cfg, uint32_t features,
                         uint32_t row);
/* Makes the model of st a fresh one in st->block, which is as large as son_size() says. */
void son_init(struct leat_ctx *ctx, struct son_stage *st);

/* ---- the calls of a stage ---- */

/* The configuration: LEAT_OK, or LEAT_EARG after a problem. */
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

/* The figures of all; a stage adds those that its method reports. */
#define SON_FIGURES                                                                                \
    FIGURE_MODEL_BYTES, GROWING_FIGURES,                                                           \
    {                                                                                              \
        "overflows", "1", "steps that were left out: they were not finite", LEAT_COUNTER           \
    }

/* Members of struct leat_stage that all have. */
#define SON_STAGE(MODEL)                                                                           \
    LEARNER_OF_LABELS, .negotiate = son_negotiate, .process = son_process,                         \
                       LEARNER_STAGE(SON_INSTANCE(MODEL), son_columns, SON_STATE_VERSION)

#endif
