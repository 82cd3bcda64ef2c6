/* adaptive.h -- parameters and kernels of learners with adaptive rates. */
#ifndef LEAT_LEARNERS_LINEAR_ADAPTIVE_H
#define LEAT_LEARNERS_LINEAR_ADAPTIVE_H

#include "slotted.h"

/* clang-format off */
#define ADAPTIVE_PARAMS                                                                            \
    LINEAR_RATES("adaptive", linear_rates,                                                         \
        "adaptive: each weight has its own rate; shared: one rate for all, as in the paper; "      \
        "adagrad, newton: own rates for features kept exactly"),                                   \
    ADAPTIVE_OTHERS
#define ADAPTIVE_OTHERS                                                                            \
    LINEAR_ON_DRIFT,                                                                               \
    {LINEAR_PARAM(precision, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "compact",               \
     .choices = adaptive_precisions,                                                               \
     .doc = "of adaptive rates: a weight with its accumulator takes 3 bytes, or 8"}
/* clang-format on */
extern const char *const adaptive_precisions[]; /* names, in the order of enum adaptive_precision */

/* Kernels of learn.awm, of learn.truncation (which has no cells), and of learn.wm and
 * learn.hash. */
extern const struct slotted_kind adaptive_kind, adaptive_truncation_kind, wm_adaptive_kind;
extern const char *const wm_recoveries[]; /* choices of `recovery`: median (false), mean (true) */
extern const char *const wm_shown[];      /* choices of `shown`: tracked (false), estimate (true) */

static inline bool adaptive_is_meant(const struct slotted_cfg *c)
{
    return c->linear.rates == SGD_ADAPTIVE;
}

#endif
