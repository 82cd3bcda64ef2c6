/* son.h -- code that the stages of the online Newton family share, and what each must provide.
 *
 * A stage's file has its parameters, a struct son_method, plan and open functions, and its struct
 * leat_stage. The structs are:
 *
 *   struct son_cfg     first member of the stage's configuration, or all of it
 *   struct son_stage   its instance, followed by the kernel's model in the same block
 *   struct son_kernel  the algorithm (kernels/son/son.h)
 *   struct son_method  the kernel, the conversion of parameters to options, and its state
 *
 * The block of a model has room for max_features, but memory is touched only for features in
 * use. */
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
    struct leat_interval half_life; /* 0: nothing decays */
    int64_t m;                      /* number of rows of the sketch; 0: there is no sketch */
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
     .doc = "loss to minimise: (z-y)^2, log(1+e^-yz), max(0, 1-yz)^2"},                           \
    {SON_PARAM(labels, LEAT_CHOICE), .def = "classes", .choices = son_labels,                      \
     .doc = "classes: labels are -1 (or 0) and 1; numbers: any within -clip to clip, with " \
            "the " \
            "squared loss, and the score is an estimate of the label"},                            \
    {SON_PARAM(clip, LEAT_FLOAT), .def = "0", .min = 0, .max = SON_MAX_CLIP,                       \
     .doc = "C: weights are projected onto |w'x| <= C before each step; at most 30 for classes; "  \
            "0: 1 for classes, and numbers are learned in units of their own spread"}
/* clang-format on */

/* ---- the instance of a stage ---- */

struct son_stage {
    struct learner learner;
    const struct son_method *method;
    const struct son_cfg *cfg;
    struct growing growing;
    struct son_row row;        /* the current example */
    void *block;               /* memory of the model */
    uint32_t max_row;          /* largest number of entries of an example */
    uint64_t examples;         /* number of examples learned */
    uint64_t overflows;        /* examples not learned: the step was not finite; not saved */
    _Alignas(16) char model[]; /* the kernel's struct, of kernel->model_size bytes */
};
/* Type with the size of an instance and its model, for sizeof. */
#define SON_INSTANCE(MODEL) char[sizeof(struct son_stage) + sizeof(MODEL)]

#define SON_MAX_CLIP 1e9

/* Returns C, in the unit of the labels. */
double son_clip_of(const struct son_cfg *c);
/* True if labels are numbers that are learned in their unit (common/learners/units.h). */
bool son_has_label_unit(const void *cfg);

struct son_options son_options(const struct son_cfg *c);
struct son_features son_features(const struct son_stage *st);

/* ---- parts that differ between stages; `cfg` is the stage's configuration ---- */

/* Weights with which two learners a and b are merged. */
struct son_mix {
    double count;            /* weight of an example of b */
    double share_a, share_b; /* factors of a's and b's weights in the merged weights */
    const uint32_t *number;  /* feature j of b becomes feature number[j] */
};

enum { SON_MAX_OPTIONS = 256 }; /* bytes of a kernel's options */

struct son_method {
    const struct son_kernel *kernel;
    /* Sets the kernel's options `opt`, at most SON_MAX_OPTIONS bytes. `seed` is the pipeline's
     * seed. */
    void (*options)(const void *cfg, uint64_t seed, void *opt);
    bool first_order; /* true if the unit of a feature matters (no Newton steps) */
    bool plain; /* true if the prediction z is the score itself (the log odds). The stage then uses
                 * only the member `growing` of struct son_cfg */
    double (*bias)(const void *model); /* NULL: the bias is 0 */
    /* Reports additional figures. NULL: there are none. */
    void (*report)(struct leat_ctx *, const void *model, const struct son_features *);

    /* State: members of the model's struct. `params` must be equal in the saved state and here.
     * `fields` are read into a new model. */
    struct state_table params, fields;
    /* Write and read the rest of the model. NULL: there is nothing more. */
    int (*write)(const void *model, struct leat_writer *);
    int (*read)(void *model, const struct son_features *, struct leat_reader *);
    /* Sets st to the merge of a and b. st is new, and has the features of both. NULL: models cannot
     * be merged. */
    int (*merge)(struct leat_ctx *, struct son_stage *st, const struct son_stage *a,
                 const struct son_stage *b, const struct son_mix *);
    const char *no_merge; /* reason why models cannot be merged */
};

/* Size of a model. `slots` slots suffice for an example of `row` entries. `block` is the number of
 * bytes for `features` features. */
struct son_size {
    uint32_t stride, slots;
    size_t block;
};
struct son_size son_size(const struct son_method *m, const void *cfg, uint32_t features,
                         uint32_t row);
/* Creates an empty model in st->block, which has the size that son_size() returned. */
void son_init(struct leat_ctx *ctx, struct son_stage *st);

/* ---- functions of struct leat_stage ---- */

/* Checks the configuration. Returns LEAT_OK, or LEAT_EARG after reporting an error. */
int son_validate(const void *cfg, struct leat_diag *d);
int son_negotiate(const void *cfg, struct leat_negotiation *n);
int son_plan(const struct son_method *m, const void *cfg, const struct leat_schema *in,
             struct leat_plan *p);
int son_open(struct leat_ctx *ctx, const struct son_method *m, void *self);
int son_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
const char *const *son_columns(const void *cfg, uint32_t *n);

/* Functions of struct learner_method (son_state.c). */
enum { SON_STATE_VERSION = 3 };
int son_write(const void *self, struct leat_writer *w);
int son_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r);
int son_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight);

/* Figures that all these stages report. A stage adds its method's figures. */
#define SON_FIGURES                                                                                \
    FIGURE_MODEL_BYTES, GROWING_FIGURES,                                                           \
    {                                                                                              \
        "overflows", "1", "steps that were left out because they were not finite", LEAT_COUNTER    \
    }

/* Members of struct leat_stage that all these stages have. */
#define SON_STAGE(MODEL)                                                                           \
    LEARNER_OF_LABELS, .negotiate = son_negotiate, .process = son_process,                         \
                       LEARNER_STAGE(SON_INSTANCE(MODEL), son_columns, SON_STATE_VERSION)

#endif
