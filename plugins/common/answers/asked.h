/* asked.h -- parameters of stages that query a learner for its heaviest features. */
#ifndef LEAT_COMMON_ANSWERS_ASKED_H
#define LEAT_COMMON_ANSWERS_ASKED_H

#include <leat/plugin.h>

#include "common/output/out.h"

/* First member of the configuration of a stage that queries a learner. A member for which the stage
 * has no parameter is 0. This means no condition, or (`every`) one answer at the end. Only a sink
 * uses `out`. */
struct asked {
    struct out_cfg out;
    int64_t k, min_count;
    double min_support, min_risk_ratio, min_odds_gain, max_luck;
    const char *of;
    struct leat_interval every;
    int32_t order, sign, twins, clock;
};

/* Rows of a parameter table, for a configuration with members k, of and every. FREE: LEAT_QUESTION
 * if a continued run may change the parameter; 0 if it may not, because the stage compares each
 * answer with the previous one. */
#define ASKED_K_PARAM(CFG, FREE, DEF, MAX, UNIT, DOC)                                              \
    LEAT_PARAM(CFG, k, LEAT_INT, .flags = LEAT_POSITIONAL | (FREE), .def = DEF, .min = 1,          \
               .max = MAX, .unit = UNIT, .doc = DOC)

/* The parameter `of`: which learner to query. FLAGS: 0 or LEAT_POSITIONAL. */
#define ASKED_OF_PARAM(CFG, FLAGS)                                                                 \
    LEAT_PARAM(CFG, of, LEAT_STRING, .flags = FLAGS,                                               \
               .doc = "id of the learner; by default the nearest one upstream")

/* The parameter `every`: how often to query. DEF is a default such as "10s", with AND_WHEN =
 * ASKED_ALSO_AT_END; or NULL, with AND_WHEN = ASKED_ONLY_AT_END. */
#define ASKED_EVERY_PARAM(CFG, DEF, AND_WHEN)                                                      \
    LEAT_PARAM(CFG, every, LEAT_INTERVAL, .def = DEF,                                              \
               .doc = "how often: a time (\"10s\") or a number of examples; " AND_WHEN)
#define ASKED_ALSO_AT_END "always once at the end"
#define ASKED_ONLY_AT_END "by default once, at the end"

/* The parameter `clock`: which clock measures a time in `every`. */
#define ASKED_CLOCK_PARAM                                                                          \
    LEAT_PARAM(                                                                                    \
        struct asked, clock, LEAT_CHOICE, .flags = LEAT_OPERATIONAL, .choices = asked_clocks,      \
        .def = "wall",                                                                             \
        .doc = "clock for a time in `every`: wall: the clock of this machine (answers that take "  \
               "more than a quarter of it come later); event: the event time of the records, "     \
               "with an answer at each multiple of `every`, the same in every run")

#define ASKED_MIN_PARAM(FREE, FIELD, TYPE, MAX, UNIT, DOC)                                         \
    LEAT_PARAM(struct asked, FIELD, TYPE, .flags = (FREE), .def = "0", .min = 0, .max = MAX,       \
               .unit = UNIT, .doc = DOC)

/* Values of the parameters order (enum leat_order), sign and twins. */
extern const char *const asked_orders[], *const asked_signs[], *const asked_twins[];
extern const char *const asked_clocks[]; /* values of the parameter clock (enum asked_clock) */
enum asked_clock { ASKED_WALL, ASKED_EVENT };

/* clang-format off */
/* All rows for struct asked. */
#define ASKED_PARAMS(FREE, MAX_K, K_DOC, DEF, AND_WHEN)                                            \
    ASKED_K_PARAM(struct asked, FREE, "20", MAX_K, "features", K_DOC),                             \
    ASKED_OF_PARAM(struct asked, 0),                                                               \
    ASKED_EVERY_PARAM(struct asked, DEF, AND_WHEN),                                                \
    ASKED_CLOCK_PARAM,                                                                             \
    ASKED_MIN_PARAM(FREE, min_count, LEAT_INT, 4e9, "examples",                                    \
                    "leave out features seen in fewer examples, if the learner counts them"),      \
    ASKED_MIN_PARAM(FREE, min_support, LEAT_FLOAT, 1, NULL,                                        \
                    "leave out features in a smaller share of the outliers (label +1)"),           \
    ASKED_MIN_PARAM(FREE, min_risk_ratio, LEAT_FLOAT, 1e9, NULL,                                   \
                    "leave out features of a smaller relative risk"),                              \
    ASKED_MIN_PARAM(FREE, min_odds_gain, LEAT_FLOAT, 1e9, NULL,                                    \
                    "leave out conjunctions whose odds are less than this factor times the "       \
                    "odds of one of their parts; 0: leave out none"),                              \
    ASKED_MIN_PARAM(FREE, max_luck, LEAT_FLOAT, 1e9, "features",                                   \
                    "leave out features of more luck, so 0.05 those that may be no more than "     \
                    "chance; 0: leave out none"),                                                  \
    LEAT_PARAM(struct asked, order, LEAT_CHOICE, .flags = (FREE), .choices = asked_orders,         \
               .def = "weight",                                                                    \
               .doc = "order of the features: weight: heaviest first; risk: largest relative "     \
                      "risk first; support: most frequent first; share: most frequent among "      \
                      "the outliers first; gain: each row tells most about the records that "     \
                      "the rows above leave; change: largest difference of counts or sums "       \
                      "between the labels first"),                                                \
    LEAT_PARAM(struct asked, sign, LEAT_CHOICE, .flags = (FREE), .choices = asked_signs,           \
               .def = "both",                                                                      \
               .doc = "positive: only features of the outliers (label +1); both: also "            \
                      "features of the other records"),                                            \
    LEAT_PARAM(struct asked, twins, LEAT_CHOICE, .flags = LEAT_ADVANCED | (FREE),                  \
               .choices = asked_twins,                                                             \
               .def = "together",                                                                  \
               .doc = "how to show features of the same records, if the learner knows them: "      \
                      "together: one row with all names; apart: one row each")
/* clang-format on */

/* Functions for a stage whose configuration begins with struct asked. asked_validate() is for
 * sinks, asked_check() for other stages. asked_top() fills in a query for the heaviest features,
 * asked_figures() one for the figures of progressive validation. */
int asked_check(const void *config, struct leat_diag *d);
int asked_validate(const void *config, struct leat_diag *d);
int asked_top(const void *config, struct leat_ask *a);
int asked_figures(const void *config, struct leat_ask *a);

/* Warns once (*told) if the query has a condition that the learner cannot apply. */
void asked_tell_unmet(struct leat_ctx *ctx, const struct leat_table *t, bool *told);

#endif
