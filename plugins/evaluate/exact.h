/* exact.h -- base of sinks that count a stream's features exactly, to check a learner's answer.
 *
 * Features are counted by id and label, but an answer contains names. So the sink stores a hash of
 * each feature's name when the feature first occurs. The name is first cut to name_bytes, as in the
 * learner. Several features may have the same cut name; exact_find() returns all of them.
 *
 * Memory grows with the number of distinct features, so these sinks are for evaluation, not for an
 * endless stream. A feature for which there is no memory is ignored, and its entries are counted.
 *
 * With a half-life, the counts decay as in the learner (kernels/linear/sgd.h), so that both weight
 * the records equally. The counts are stored with forward decay: a record adds `grown`, which rises
 * with time, and a reader divides by `grown`. */
#ifndef LEAT_EVALUATE_EXACT_H
#define LEAT_EVALUATE_EXACT_H

#include <leat/plugin.h>

#include "kernels/base/half_life.h"
#include "kernels/base/names.h"
#include "common/answers/asked.h"
#include "common/learners/growing.h"
#include "common/output/reports.h"

enum { EXACT_MAX_NAME = 511 };

/* First member of the configuration of these sinks. */
struct exact_cfg {
    struct asked asked; /* only k, of, every and clock are used */
    int64_t name_bytes;
    int64_t max_features; /* rounded up to a power of two */
    int64_t min_count;    /* only features with at least this count are compared (by the sink) */
    struct leat_interval half_life; /* half-life of the counts; 0: no decay */
};

#define EXACT_NAME_PARAM                                                                           \
    LEAT_PARAM(                                                                                    \
        struct exact_cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "120",              \
        .min = NAMES_MIN_BYTES, .max = EXACT_MAX_NAME, .unit = "bytes",                            \
        .doc = "length at which the learner cuts names: set it to the name_bytes of the learner")

#define EXACT_MAX_PARAM                                                                            \
    LEAT_PARAM(struct exact_cfg, max_features, LEAT_INT, .flags = LEAT_ADVANCED, .def = "4194304", \
               .min = 1, .max = FEATURE_TABLE_MAX, .unit = "features",                             \
               .doc = "most features that the stage counts, rounded up to a power of two; it "     \
                      "ignores later ones and says how many")

struct exact_name {
    uint64_t hash;
    uint32_t feature;
    uint32_t found; /* for use by the sink; 0 at first */
};

static inline bool exact_fades(const struct exact_cfg *c)
{
    return c->half_life.ns || c->half_life.examples;
}

/* Numbers of records with the labels { -1, +1 }, or of the entries of one feature in these
 * records. */
struct exact_counts {
    double n[2];
};

/* First member of the instance of these sinks. */
struct exact {
    struct reports reports;
    /* Numbers of example entries of feature f: count[2f + 1] in records labelled +1, count[2f] in
     * all others. */
    struct counted counted;
    struct exact_counts records; /* numbers of records, multiplied by `grown` */
    double grown;                /* amount that a new record adds; 1 without a half-life */
    double adds;                 /* amount that the current record adds */
    struct half_life_clock at;   /* of a half-life in event time */
    struct exact_name *by_name;  /* features sorted by hash of name; used by exact_find() */
};

/* ---- functions of struct leat_stage ---- */

int exact_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
               struct leat_plan *p);
int exact_open(struct leat_ctx *ctx, void *self);
void exact_close(struct leat_ctx *ctx, void *self);
/* Counts the features of a batch. Counts each record once, even if it has several examples. */
int exact_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);

/* Reports an error if the half-life is in event time, but the records have none. */
int exact_negotiate(const void *config, struct leat_negotiation *n);

/* Members of struct leat_stage, except open and close. The stage provides START and SHOW. */
#define EXACT_SINK(PLAN, START, ASK, SHOW)                                                         \
    .kind = LEAT_SINK, .caps = LEAT_STATEFUL, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL,         \
    .validate = asked_validate, .negotiate = exact_negotiate, .plan = PLAN, .start = START,        \
    .process = exact_process, .stop = out_stop,                                                    \
    .asker = LEAT_ROLE(leat_asker, .ask = ASK, .show = SHOW)

/* ---- functions for a sink's show() ---- */

struct exact_counts exact_records(const struct exact *e);
struct exact_counts exact_counts(const struct exact *e, uint32_t feature);

/* Call exact_begin() before the first exact_find(), and exact_end() after the last. */
int exact_begin(struct leat_ctx *ctx, struct exact *e);
void exact_end(struct leat_ctx *ctx, struct exact *e);

/* Returns the features with the name in a row of the answer, and sets *n to their number; 0 if no
 * such feature was counted. */
struct exact_name *exact_find(const struct exact *e, const struct leat_table *t, uint32_t row,
                              uint32_t *n);

#endif
