/* linear.h -- what the stages of linear classifiers share: their parameters and classes.
 *
 * struct linear_cfg is the first member of each stage's configuration, LINEAR_PARAMS its
 * parameters. Which examples they take is in common/learners/examples.h, the loop over them in
 * linear_loop.h, their states below.
 *
 * Several classes. With M classes a stage has M models of one seed and shape, that of a binary
 * learner with an M-th of the budget; model c learns label +1 for class c and -1 for all others,
 * and the class of the largest margin (the lowest of equal ones) is predicted. Ids are hashed once
 * for all.
 */
#ifndef LEAT_LEARNERS_LINEAR_LINEAR_H
#define LEAT_LEARNERS_LINEAR_LINEAR_H

#include <stddef.h>

#include <leat/plugin.h>

#include "kernels/linear/sgd.h"
#include "kernels/linear/linear.h"
#include "common/state/state_fields.h"
#include "common/state/state_prefix.h"

struct linear_cfg {
    double lambda, l1, eta0, rate;
    int32_t schedule, bias, rates, loss; /* as the enums of sgd.h and loss.h */
    int32_t counts;
    int32_t precision; /* as enum adaptive_precision */
    int32_t on_drift;  /* of linear_drift_actions    */
    int64_t classes, name_bytes, max_entries;
    struct leat_interval half_life;
};

/* Of answers. */
const char *const *linear_columns(const void *cfg, uint32_t *n);

enum { LINEAR_MAX_CLASSES = 100 }; /* states have room for the fields of as many */

/* Names of the choices, in the order of the enums. */
/* The default of eta0. */
#define LINEAR_ETA0 0.1
extern const char *const linear_schedules[], *const linear_biases[], *const linear_rates[],
                                                                         *const linear_losses[];
/* All but the last of linear_rates. */
extern const char *const linear_exact_rates[];
extern const char *const linear_drift_actions[]; /* of drift.c */

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
     .doc = "records, or event time (\"6h\"), after which what was learned and counted is " \
            "worth " \
            "half; 0: never"},                                                                     \
    {LINEAR_PARAM(eta0, LEAT_FLOAT), .def = "0.1", .min = 1e-9, .max = 1e3,                        \
     .doc = "shared learning rate at the start"}, \
    {LINEAR_PARAM(bias, LEAT_CHOICE), .def = "sgd", .choices = linear_biases,                      \
     .doc = "sgd: learned; none: 0; prior: log odds of the records so far (for exploded records)"},\
    {LINEAR_PARAM(counts, LEAT_BOOL), .def = "false",                                              \
     .doc = "count features among outliers (+1) and inliers: relative risk and support in the "    \
            "top"},                                                                                \
    {LINEAR_PARAM(schedule, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "inverse",                \
     .choices = linear_schedules,                                                                  \
     .doc = "shared rate at example t: eta0/(1 + eta0 lambda t), eta0/sqrt(t + 1), eta0"},         \
    {LINEAR_PARAM(loss, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "logistic",                   \
     .choices = linear_losses,                                                                     \
     .doc = "what is minimised; only with logistic are margins log odds"},                         \
    {LINEAR_PARAM(name_bytes, LEAT_INT), .flags = LEAT_ADVANCED, .def = "120", .min = 8,           \
     .max = 65535, .unit = "bytes",                                                                \
     .doc = "longest name kept; longer ones are cut and end with …"},                              \
    {LINEAR_PARAM(max_entries, LEAT_INT), .flags = LEAT_ADVANCED, .def = "65536", .min = 1,        \
     .max = 16777216, .unit = "entries", .doc = "longest example learned; longer ones are rejected"}

/* The rates of a learner: CHOICES are linear_rates or linear_exact_rates. */
#define LINEAR_RATES(DEFAULT, CHOICES, DOC)                                                        \
    {LINEAR_PARAM(rates, LEAT_CHOICE), .def = DEFAULT, .choices = CHOICES, .doc = DOC},            \
    {LINEAR_PARAM(rate, LEAT_FLOAT), .def = "0", .min = 0, .max = 1e3,                             \
     .doc = "factor of own rates, smaller for noisy labels; 0: adagrad 0.5, newton 1, adaptive 1.5"}
/* Of learners with adaptive rates. */
#define LINEAR_ON_DRIFT                                                                            \
    {LINEAR_PARAM(on_drift, LEAT_CHOICE), .def = "none", .choices = linear_drift_actions,          \
     .doc = "when the error has risen: none; raise: larger steps; fade: those, and half of all "   \
            "weights; reset: weights of 0"}
#define LINEAR_EXACT_RATES                                                                         \
    LINEAR_RATES("shared", linear_exact_rates,                                                     \
        "own rates of features kept exactly: shared (none), adagrad, newton (for explanation)")
/* clang-format on */

struct sgd_options linear_options(const struct linear_cfg *c);

/* LEAT_OK, or LEAT_EARG after reporting. */
int linear_validate(const struct linear_cfg *c, struct leat_diag *d);
/* negotiate(); cfg begins with struct linear_cfg. */
int linear_negotiate(const void *cfg, struct leat_negotiation *n);

uint32_t linear_name_bytes(const struct linear_cfg *c, const struct leat_schema *in);
uint32_t linear_max_row(const struct linear_cfg *c, const struct leat_schema *in);

/* Number of classes with a model each; 0: two classes, one model. in: NULL if not known yet. */
uint32_t linear_classes(const struct linear_cfg *c, const struct leat_schema *in);
static inline uint32_t linear_models(uint32_t classes) { return classes ? classes : 1; }

/* "setosa" as the stage of the labels has it, or "2"; text: scratch for a number. */
const char *linear_class_name(const struct leat_schema *in, uint32_t c, char text[16]);

/* ---- states ----
 *
 * What the states of linear learners share: parameters, clock, features.
 *
 * A stage that restores or merges builds its new model next to the live one and replaces that when
 * nothing can fail any more. Features are in the order of their slots or numbers.
 */

enum { LINEAR_STATE_VERSION = 5 };

/* A model's state but for what its kernel adds. Options and counts must be the same on both
 * sides. */
struct linear_state {
    struct linear_parts parts;
    bool counts;
    uint32_t max_features;
};

int linear_state_write(struct leat_writer *w, const struct linear_state *s);
/* Which kernel wrote it? That says which fields there are, so it is asked first. */
int linear_state_same_rates(struct leat_reader *r, struct linear_state *s);
/* s: as the live model's. What it then holds is in range, as the kernels' loading asks. */
int linear_state_read(struct leat_reader *r, struct linear_state *s);

/* The fields of class c, with "c." before their names. */
struct leat_writer *linear_class_writer(struct state_prefix_writer *p, struct leat_writer *w,
                                        uint32_t c);
struct leat_reader *linear_class_reader(struct state_prefix_reader *p, struct leat_reader *r,
                                        uint32_t c);

/* ---- merging ---- */

enum linear_merge {
    LINEAR_KEEP_LIVE,  /* the other has learned nothing, or does not count */
    LINEAR_TAKE_OTHER, /* one that is fresh becomes the other, bit for bit */
    LINEAR_JOIN
};

enum linear_merge linear_how_to_merge(const struct sgd *live, const struct sgd *other,
                                      double weight);

#endif
