/* linear.h -- parameters, classes and states that the stages of linear classifiers share.
 *
 * struct linear_cfg is the first member of each stage's configuration, and LINEAR_PARAMS has its
 * parameters. common/learners/examples.h decides which examples are accepted. linear_loop.h has the
 * loop over examples.
 *
 * Several classes. With M classes, a stage has M binary models of the same seed and shape, each
 * with 1/M of the budget. Model c learns the label +1 for class c and -1 for all others. The stage
 * predicts the class whose model has the largest margin. If margins are equal, it predicts the
 * lowest class. Ids are hashed once for all models. */
#ifndef LEAT_LEARNERS_LINEAR_LINEAR_H
#define LEAT_LEARNERS_LINEAR_LINEAR_H

#include <stddef.h>

#include <leat/plugin.h>

#include "kernels/linear/sgd.h"
#include "kernels/linear/linear.h"
#include "common/learners/averaged.h"
#include "common/state/state_fields.h"
#include "common/state/state_prefix.h"

struct linear_cfg {
    double lambda, l1, eta0, rate;
    int32_t schedule, bias, rates, loss; /* values of the enums in sgd.h and loss.h */
    int32_t counts, averaged;
    int32_t precision; /* enum adaptive_precision */
    int32_t on_drift;  /* index into linear_drift_actions */
    int64_t classes, name_bytes, max_entries;
    struct leat_interval half_life;
};

/* Returns the names of an answer's columns, and sets *n to their number. */
const char *const *linear_columns(const void *cfg, uint32_t *n);

enum { LINEAR_MAX_CLASSES = 100 }; /* limited by the number of fields that a state can have */

#define LINEAR_ETA0 0.1
/* Names of the parameters' choices, in the order of the enums. */
extern const char *const linear_schedules[], *const linear_biases[], *const linear_rates[],
                                                                         *const linear_losses[];
/* The names in linear_rates without `adaptive`. */
extern const char *const linear_exact_rates[];
extern const char *const linear_drift_actions[]; /* defined in drift.c */

#define LINEAR_PARAM(FIELD, TYPE)                                                                  \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct linear_cfg, FIELD)

/* clang-format off */
#define LINEAR_PARAMS LINEAR_LAMBDA, LINEAR_L1, LINEAR_OTHERS
#define LINEAR_LAMBDA                                                                              \
    {LINEAR_PARAM(lambda, LEAT_FLOAT), .def = "1e-6", .min = 0, .max = 1,                          \
     .doc = "strength of the L2 penalty"}
#define LINEAR_L1                                                                                  \
    {LINEAR_PARAM(l1, LEAT_FLOAT), .def = "0", .min = 0, .max = 1,                                 \
     .doc = "strength of the L1 penalty: weights of little use become 0"}
#define LINEAR_OTHERS                                                                              \
    {LINEAR_PARAM(classes, LEAT_INT), .def = "0", .min = 0, .max = LINEAR_MAX_CLASSES,             \
     .unit = "classes",                                                                            \
     .doc = "number of classes, labels 0, 1, …; 0: as many as label.class names, or two"}, \
    {LINEAR_PARAM(half_life, LEAT_INTERVAL), .def = "0", .min = 0, .max = 1e8, .unit = "records",  \
     .doc = "records, or event time (\"6h\"), after which weights and counts are worth half; 0: "  \
            "never"},                                                                              \
    {LINEAR_PARAM(eta0, LEAT_FLOAT), .def = "0.1", .min = 1e-9, .max = 1e3,                        \
     .doc = "shared learning rate at the start"}, \
    {LINEAR_PARAM(bias, LEAT_CHOICE), .def = "sgd", .choices = linear_biases,                      \
     .doc = "sgd: learned; none: 0; prior: log odds of the records so far (for exploded records)"},\
    {LINEAR_PARAM(counts, LEAT_BOOL), .def = "false",                                              \
     .doc = "count features among outliers (+1) and inliers: relative risk and support in the "    \
            "top"},                                                                                \
    {LINEAR_PARAM(averaged, LEAT_BOOL), .def = "false", .doc = AVERAGED_DOC},                      \
    {LINEAR_PARAM(schedule, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "inverse",                \
     .choices = linear_schedules,                                                                  \
     .doc = "shared rate at example t: eta0/(1 + eta0 lambda t), eta0/sqrt(t + 1), eta0"},         \
    {LINEAR_PARAM(loss, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "logistic",                   \
     .choices = linear_losses,                                                                     \
     .doc = "loss to minimise; only with logistic are the scores log odds"},                       \
    {LINEAR_PARAM(name_bytes, LEAT_INT), .flags = LEAT_ADVANCED, .def = "120", .min = 8,           \
     .max = 65535, .unit = "bytes",                                                                \
     .doc = "longest name kept; longer ones are cut and end with …"},                              \
    {LINEAR_PARAM(max_entries, LEAT_INT), .flags = LEAT_ADVANCED, .def = "65536", .min = 1,        \
     .max = 16777216, .unit = "entries", .doc = "longest example learned; longer ones are rejected"}

/* Parameters `rates` and `rate`. CHOICES is linear_rates or linear_exact_rates. */
#define LINEAR_RATES(DEFAULT, CHOICES, DOC)                                                        \
    {LINEAR_PARAM(rates, LEAT_CHOICE), .def = DEFAULT, .choices = CHOICES, .doc = DOC},            \
    {LINEAR_PARAM(rate, LEAT_FLOAT), .def = "0", .min = 0, .max = 1e3,                             \
     .doc = "factor of own rates, smaller for noisy labels; 0: adagrad 0.5, newton 1, adaptive " \
            "1.5, logistic 3"}
/* Parameter on_drift, for learners with adaptive rates. */
#define LINEAR_ON_DRIFT                                                                            \
    {LINEAR_PARAM(on_drift, LEAT_CHOICE), .def = "none", .choices = linear_drift_actions,          \
     .doc = "when the error has risen: none: do nothing; raise: larger steps; fade: larger "       \
            "steps, and half of all weights; reset: all weights 0"}
#define LINEAR_EXACT_RATES                                                                         \
    LINEAR_RATES("shared", linear_exact_rates,                                                     \
        "own rates of features kept exactly: shared (none), adagrad, newton (for explanation)")
/* clang-format on */

/* Returns how a learner uses units (learner.h). Adaptive rates scale features by themselves. */
unsigned linear_units(const void *cfg);
struct sgd_options linear_options(const struct linear_cfg *c);

/* Checks the configuration. Returns LEAT_OK, or LEAT_EARG after reporting an error. */
int linear_validate(const struct linear_cfg *c, struct leat_diag *d);
/* Called by a stage's negotiate. `cfg` begins with struct linear_cfg. */
int linear_negotiate(const void *cfg, struct leat_negotiation *n);

uint32_t linear_name_bytes(const struct linear_cfg *c, const struct leat_schema *in);
uint32_t linear_max_row(const struct linear_cfg *c, const struct leat_schema *in);

/* Returns the number of classes if each class has a model. Returns 0 if a single model separates
 * two classes. `in` is NULL if the input schema is not known yet. */
uint32_t linear_classes(const struct linear_cfg *c, const struct leat_schema *in);
static inline uint32_t linear_models(uint32_t classes) { return classes ? classes : 1; }

/* Returns the name that the label stage gave to class c, such as "setosa". If it has no name,
 * writes the number to `text` and returns that. */
const char *linear_class_name(const struct leat_schema *in, uint32_t c, char text[16]);

/* ---- states ----
 *
 * The part of a state that all linear learners have: parameters, clock, features in the order of
 * their slots or numbers.
 *
 * A stage that restores or merges builds a new model beside the live one. The new model replaces
 * the live one when no step can fail any more. */

enum { LINEAR_STATE_VERSION = 8 };

/* Members of a model's state that all kernels have. Options and `counts` must be equal in the saved
 * state and here. */
struct linear_state {
    struct linear_parts parts;
    bool counts;
    uint32_t max_features;
};

int linear_state_write(struct leat_writer *w, const struct linear_state *s);
/* Refuses a state whose parameter `rates` differs. Call it first, because `rates` determines the
 * fields of a state. */
int linear_state_same_rates(struct leat_reader *r, struct linear_state *s);
/* Reads the state into `s`, which the caller has set to a copy of the live model's. Checks that all
 * values are in the ranges that the kernels require. */
int linear_state_read(struct leat_reader *r, struct linear_state *s);

/* Return a writer and a reader for the fields of class c, whose names begin with "c.". */
struct leat_writer *linear_class_writer(struct state_prefix_writer *p, struct leat_writer *w,
                                        uint32_t c);
struct leat_reader *linear_class_reader(struct state_prefix_reader *p, struct leat_reader *r,
                                        uint32_t c);

/* ---- merging two models ---- */

enum linear_merge {
    LINEAR_KEEP_LIVE,  /* the other model has learned nothing or has weight 0 */
    LINEAR_TAKE_OTHER, /* the live model is empty and becomes an exact copy of the other one */
    LINEAR_JOIN
};

enum linear_merge linear_how_to_merge(const struct sgd *live, const struct sgd *other,
                                      double weight);

#endif
