/* adaptive.h -- what learners with adaptive rates share: the kernel that learn.awm and
 * learn.truncation use with rates = "adaptive".
 */
#ifndef LEAT_LEARNERS_LINEAR_ADAPTIVE_H
#define LEAT_LEARNERS_LINEAR_ADAPTIVE_H

#include "kernels/linear/adaptive/adaptive.h"
#include "slotted.h"

/* clang-format off */
#define ADAPTIVE_PARAMS                                                                            \
    LINEAR_RATES("adaptive", linear_rates,                                                         \
        "adaptive: every weight has a rate of its own; shared: one for all, as the paper has it; " \
        "adagrad, newton: own rates of features kept exactly"),                                    \
    ADAPTIVE_OTHERS
#define ADAPTIVE_OTHERS                                                                            \
    LINEAR_ON_DRIFT,                                                                               \
    {LINEAR_PARAM(precision, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "compact",               \
     .choices = adaptive_precisions,                                                               \
     .doc = "of adaptive rates: a weight with its accumulator takes 3 bytes, or 8"}
/* clang-format on */
extern const char *const adaptive_precisions[]; /* in the order of the kernel's enum */

/* With and without cells. */
extern const struct slotted_kind adaptive_kind, adaptive_truncation_kind;

static inline bool adaptive_is_meant(const struct slotted_cfg *c)
{
    return c->linear.rates == SGD_ADAPTIVE;
}
/* A model that is only shape and options. active, cells: 0, or what was given. false: no shape fits
 * the budget. */
bool adaptive_pattern(const struct slotted_cfg *c, const struct leat_schema *in, uint32_t active,
                      uint32_t cells, struct adaptive *m);

#endif
