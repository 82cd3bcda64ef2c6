/* asked.h -- the parameters of the question for a learner's heaviest features, which several sinks
 * ask. */
#ifndef LEAT_SUPPORT_ASKED_H
#define LEAT_SUPPORT_ASKED_H

#include <leat/plugin.h>

/* A member `asked` of each one's configuration. */
struct asked {
    int64_t k, min_count;
    double min_support, min_risk_ratio, min_odds_gain;
    const char *of;
    struct leat_interval every;
};

/* The learner that is asked; FIELD is a member of CFG. */
#define ASKED_OF_PARAM(CFG, FIELD)                                                                 \
    .name = "of", .type = LEAT_STRING, .offset = offsetof(CFG, FIELD),                             \
    .doc = "id of the learner; by default the nearest one upstream"

/* clang-format off */
#define ASKED_PARAM(CFG, FIELD, TYPE)                                                              \
    .name = #FIELD, .type = TYPE, .offset = offsetof(CFG, asked.FIELD)

#define ASKED_PARAMS(CFG, MAX_K, K_DOC, EVERY, EVERY_DOC)                                          \
    {ASKED_PARAM(CFG, k, LEAT_INT), .flags = LEAT_POSITIONAL, .def = "20", .min = 1, .max = MAX_K, \
     .unit = "features", .doc = K_DOC},                                                            \
    {ASKED_OF_PARAM(CFG, asked.of)},                                                               \
    {ASKED_PARAM(CFG, every, LEAT_INTERVAL), .def = EVERY, .doc = EVERY_DOC},                      \
    {ASKED_PARAM(CFG, min_count, LEAT_INT), .def = "0", .min = 0, .max = 4e9, .unit = "examples",  \
     .doc = "leave out features seen in fewer examples, if the learner counts them"},              \
    {ASKED_PARAM(CFG, min_support, LEAT_FLOAT), .def = "0", .min = 0, .max = 1,                    \
     .doc = "leave out features in a smaller share of the outliers (label +1)"},                   \
    {ASKED_PARAM(CFG, min_risk_ratio, LEAT_FLOAT), .def = "0", .min = 0, .max = 1e9,               \
     .doc = "leave out features of a smaller relative risk"},                                      \
    {ASKED_PARAM(CFG, min_odds_gain, LEAT_FLOAT), .def = "0", .min = 0, .max = 1e9,                \
     .doc = "leave out conjunctions whose odds are below this factor times those of a part; 0: "   \
            "leave out none"}
/* clang-format on */

static inline void asked_validate(const struct asked *q, struct leat_diag *d)
{
    if (q->min_odds_gain > 0 && q->min_odds_gain < 1)
        d->error(d, "min_odds_gain", "%g is below 1: give a factor of at least 1, or 0 to show all",
                 q->min_odds_gain);
}

static inline int asked_top(const struct asked *q, struct leat_ask *a)
{
    a->kind = LEAT_QUERY_TOP;
    a->of = q->of;
    a->k = (uint32_t)q->k;
    a->min_count = (uint32_t)q->min_count;
    a->min_support = q->min_support;
    a->min_risk_ratio = q->min_risk_ratio;
    a->min_odds_gain = q->min_odds_gain;
    a->every = q->every;
    return LEAT_OK;
}

#endif
