/* tracked.h -- stages of learners that keep weights only for tracked features: all but the rule
 * that tells them apart.
 *
 * struct tracked_cfg holds the parameters of all of them; those that a rule does not have are 0.
 */
#ifndef LEAT_LEARNERS_LINEAR_TRACKED_H
#define LEAT_LEARNERS_LINEAR_TRACKED_H

#include "kernels/linear/tracked/tracked.h"
#include "slotted.h"

struct tracked_cfg {
    struct slotted_cfg base;
    int64_t features;
    int64_t width, depth;                       /* Count-Min      */
    int32_t conservative, churn, key, reserved; /* Count-Min; Space Saving; sampled */
};

/* Names of the rules' own parameters, in the order of the kernel's flags. */
extern const char *const tracked_keys[], *const tracked_churns[];

/* clang-format off */
#define TRACKED_PARAM(FIELD, TYPE)                                                                 \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct tracked_cfg, FIELD)

#define TRACKED_PARAMS                                                                             \
    SLOTTED_PARAMS(1),                                                                             \
    {TRACKED_PARAM(features, LEAT_INT), .flags = LEAT_ADVANCED, .def = "0",                        \
     .max = TRACKED_MAX_SLOTS, .unit = "features",                                                 \
     .doc = "number of tracked features; 0: as many as the budget holds"}
/* clang-format on */

/* As SLOTTED_ONE_OF asks for them; cfg is struct tracked_cfg. */
extern const struct slotted_kind tracked_kind;
bool tracked_pattern(enum tracked_rule rule, const void *cfg, const struct leat_schema *in,
                     struct tracked *m);
int tracked_validate_as(enum tracked_rule rule, const void *cfg, struct leat_diag *d);

#define TRACKED_FIGURES                                                                            \
    {"tracked", "features", "features kept by name", LEAT_GAUGE},                                  \
    {                                                                                              \
        "replaced", "features", "features that gave way to others", LEAT_COUNTER                   \
    }

#endif
