/* feature_changes.h -- how the heaviest features of a learner differ from those of its answer
 * before.
 *
 * The features of the last answer and of this one are two lists, sorted by name, which are walked
 * in step. Both are allocated when it is opened: nothing grows.
 *
 *     before  a:9   b:8         d:6        a left if only here, entered if only there;
 *     now           b:8.5  c:7  d:6        weight if it has moved by more than weight_change
 *
 * Instances of stages hold one; each answer goes through feature_changes_begin, then
 * feature_changes_next until there is none. */
#ifndef LEAT_COMMON_ANSWERS_FEATURE_CHANGES_H
#define LEAT_COMMON_ANSWERS_FEATURE_CHANGES_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "common/answers/asked.h"

enum { FEATURE_NAME_BYTES = 512 }; /* of the longest name in an answer */

/* A feature of an answer; `weight` is the one given last, `name` has FEATURE_NAME_BYTES. */
struct feature {
    double weight;
    uint32_t len;
    uint32_t row; /* in its answer: rank - 1 */
    char *name;
};

struct feature_list {
    struct feature *feature; /* k, sorted by name      */
    char *text;              /* k × FEATURE_NAME_BYTES */
    uint32_t n;
};

struct feature_changes {
    struct feature_list before, now;
    uint32_t k;
    double weight_change;   /* 0: weights are not looked at                    */
    bool final;             /* the features of the last answer are given again */
    uint32_t entered, left; /* in all                                                  */
    uint32_t reported;      /* an answer was taken, by this run or the one before it   */

    const struct leat_table *answer; /* that is being compared, or NULL                        */
    uint32_t i, j;                   /* in before, now; of those given at the end: j           */
    bool compared;                   /* what is left to give are those of the end              */
};

struct feature_change {
    const char *what; /* "entered", "left", "weight", "final" */
    const struct feature *feature;
};

/* How the configuration of a stage begins that gives changes. */
struct changes_cfg {
    struct asked asked;
    int32_t final, reserved;
    double weight_change;
};

/* Rows for struct changes_cfg. GIVES: "write" or "give". */
#define CHANGES_ASKED_PARAMS                                                                       \
    ASKED_PARAMS(0, 1e5, "how many of the heaviest features are watched", "10000",                 \
                 ASKED_ALSO_AT_END)
#define CHANGES_PARAMS(GIVES)                                                                      \
    LEAT_PARAM(struct changes_cfg, weight_change, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e9,    \
               .doc = "also " GIVES " features that stay once their weight has moved by more "     \
                      "than this; 0: no"),                                                         \
        LEAT_PARAM(struct changes_cfg, final, LEAT_BOOL, .def = "true",                            \
                   .doc = "at the end " GIVES " the features of the last list, as change = final")
#define CHANGES_FIGURES                                                                            \
    {"entered", "features", "features that have come into the top", LEAT_COUNTER},                 \
    {                                                                                              \
        "left", "features", "features that have left it", LEAT_COUNTER                             \
    }

size_t feature_changes_bytes(const struct changes_cfg *cfg);
/* Fills `c`, which is zero, for a stage with struct changes_cfg. Returns LEAT_OK, or LEAT_ENOMEM
 * after host->fail. */
int feature_changes_open(struct leat_ctx *ctx, struct feature_changes *c);
void feature_changes_close(struct leat_ctx *ctx, struct feature_changes *c);
/* Reports the figures. */
void feature_changes_metrics(struct leat_ctx *ctx, const struct feature_changes *c);

/* An answer has come; it is lent until there is no next change. */
void feature_changes_begin(struct feature_changes *c, const struct leat_table *t);
/* The next change, lent until the call after it; false if there is none, nor was an answer
 * begun. */
bool feature_changes_next(struct feature_changes *c, struct feature_change *out);

/* The list of the last answer. A refused restore changes nothing. */
int feature_changes_save(struct leat_ctx *ctx, const struct feature_changes *c,
                         struct leat_writer *w);
int feature_changes_restore(struct feature_changes *c, struct leat_reader *r);

#endif
