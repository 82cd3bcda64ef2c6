/* feature_changes.h -- changes of a learner's heaviest features since its previous answer.
 *
 * The features of the previous answer and of this one are two lists, sorted by name and walked in
 * step. Both are allocated at open: nothing grows.
 *
 *     before  a:9   b:8         d:6        "left" if only in before, "entered" if only in now,
 *     now           b:8.5  c:7  d:6        "weight" if it has moved by more than weight_change
 *
 * Each instance of a stage holds one struct feature_changes. Each answer goes through
 * feature_changes_begin(), then feature_changes_next() until it returns false. */
#ifndef LEAT_COMMON_ANSWERS_FEATURE_CHANGES_H
#define LEAT_COMMON_ANSWERS_FEATURE_CHANGES_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "common/answers/asked.h"

enum { FEATURE_NAME_BYTES = 512 }; /* longest name that is kept; the rest is cut off */

/* Feature of an answer. `weight` is the last reported one; `name` has FEATURE_NAME_BYTES. */
struct feature {
    double weight;
    uint32_t len;
    uint32_t row; /* place in its answer: rank - 1 */
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
    double weight_change;   /* 0: changes of weight are not reported */
    bool final;             /* reports the features of the last answer once more */
    uint32_t entered, left; /* numbers of such changes so far */
    uint32_t reported;      /* 1 once an answer came, in this run or a saved one */

    const struct leat_table *answer; /* answer being compared, or NULL */
    uint32_t i, j; /* positions in `before` and `now`; the final list uses only j */
    bool compared; /* comparison has ended; only the final list is left */
};

struct feature_change {
    const char *what; /* "entered", "left", "weight", "final" */
    const struct feature *feature;
};

/* First members of the configuration of a stage that reports changes. */
struct changes_cfg {
    struct asked asked;
    int32_t final, reserved;
    double weight_change;
};

/* Rows for struct changes_cfg. GIVES: "write" or "give", as the stage does with changes. */
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
/* Fills `c`, which is zeroed, for a stage with struct changes_cfg. Returns LEAT_OK, or LEAT_ENOMEM
 * after host->fail. */
int feature_changes_open(struct leat_ctx *ctx, struct feature_changes *c);
void feature_changes_close(struct leat_ctx *ctx, struct feature_changes *c);
/* Reports the figures. */
void feature_changes_metrics(struct leat_ctx *ctx, const struct feature_changes *c);

/* Takes a new answer, which is lent until feature_changes_next() returns false. */
void feature_changes_begin(struct feature_changes *c, const struct leat_table *t);
/* Stores the next change in *out. It is valid until the next call. Returns false if there is none,
 * or if no answer was begun. */
bool feature_changes_next(struct feature_changes *c, struct feature_change *out);

/* Save and restore the list of the last answer. A refused restore changes nothing. */
int feature_changes_save(struct leat_ctx *ctx, const struct feature_changes *c,
                         struct leat_writer *w);
int feature_changes_restore(struct feature_changes *c, struct leat_reader *r);

#endif
