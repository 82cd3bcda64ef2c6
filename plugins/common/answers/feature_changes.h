/* feature_changes.h -- changes of a learner's heaviest features since its previous answer.
 *
 * The features of the previous answer (`before`) and of the new one (`now`) are two lists, sorted
 * by name and walked in step. Both lists are allocated at open, so nothing grows.
 *
 *     before  a:9   b:8         d:6        "left" if only in before, "entered" if only in now,
 *     now           b:8.5  c:7  d:6        "weight" if it has moved by more than weight_change
 *
 * Each instance of a stage has one struct feature_changes. For each answer, call
 * feature_changes_begin(), then feature_changes_next() until it returns false. */
#ifndef LEAT_COMMON_ANSWERS_FEATURE_CHANGES_H
#define LEAT_COMMON_ANSWERS_FEATURE_CHANGES_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "common/answers/asked.h"

enum { FEATURE_NAME_BYTES = 512 }; /* longest name kept; longer names are cut */

/* Feature of an answer. `weight` is the weight that was last reported. `name` has
 * FEATURE_NAME_BYTES. */
struct feature {
    double weight;
    uint32_t len;
    uint32_t row; /* row in its answer, from 0 */
    char *name;
};

struct feature_list {
    struct feature *feature; /* k features, sorted by name */
    char *text;              /* k names of FEATURE_NAME_BYTES */
    uint32_t n;
};

struct feature_changes {
    struct feature_list before, now;
    uint32_t k;
    double weight_change;   /* change of weight to report; 0: changes are not reported */
    bool final;             /* report all features of the last answer once more at the end */
    uint32_t entered, left; /* features that have entered and left so far */
    uint32_t reported;      /* 1 after the first answer; restored from a snapshot */

    const struct leat_table *answer; /* answer in `now`, or NULL */
    uint32_t i, j; /* positions in `before` and `now`; the final list uses only j */
    bool compared; /* the comparison is done, and the final list comes next */
};

struct feature_change {
    const char *what; /* kind of change: "entered", "left", "weight" or "final" */
    const struct feature *feature;
};

/* First members of the configuration of a stage that reports changes. */
struct changes_cfg {
    struct asked asked;
    int32_t final, reserved;
    double weight_change;
};

/* Rows for struct changes_cfg. GIVES: "write" or "give", for the text of the documentation. */
#define CHANGES_ASKED_PARAMS                                                                       \
    ASKED_PARAMS(0, 1e5, "how many of the heaviest features are watched", "10000",                 \
                 ASKED_ALSO_AT_END)
#define CHANGES_PARAMS(GIVES)                                                                      \
    LEAT_PARAM(struct changes_cfg, weight_change, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e9,    \
               .doc = "also " GIVES " features that stay in the list when their weight has moved " \
                      "by more than this; 0: never"),                                              \
        LEAT_PARAM(struct changes_cfg, final, LEAT_BOOL, .def = "true",                            \
                   .doc = "at the end " GIVES " the features of the last list, as change = final")
#define CHANGES_FIGURES                                                                            \
    {"entered", "features", "features that have come into the top", LEAT_COUNTER},                 \
    {                                                                                              \
        "left", "features", "features that have left the top", LEAT_COUNTER                        \
    }

size_t feature_changes_bytes(const struct changes_cfg *cfg);
/* Opens `c`, which must be zeroed. The stage's configuration must begin with struct changes_cfg.
 * Returns LEAT_OK, or LEAT_ENOMEM, reported to the host. */
int feature_changes_open(struct leat_ctx *ctx, struct feature_changes *c);
void feature_changes_close(struct leat_ctx *ctx, struct feature_changes *c);
/* Reports the figures. */
void feature_changes_metrics(struct leat_ctx *ctx, const struct feature_changes *c);

/* Begins the comparison with a new answer, which must stay valid until feature_changes_next()
 * returns false. */
void feature_changes_begin(struct feature_changes *c, const struct leat_table *t);
/* Stores the next change in *out, valid until the next call. Returns false if there are no more
 * changes. */
bool feature_changes_next(struct feature_changes *c, struct feature_change *out);

/* Save and restore the list of the last answer. A refused restore changes nothing. */
int feature_changes_save(struct leat_ctx *ctx, const struct feature_changes *c,
                         struct leat_writer *w);
int feature_changes_restore(struct feature_changes *c, struct leat_reader *r);

#endif
