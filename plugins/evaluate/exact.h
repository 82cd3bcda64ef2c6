/* exact.h -- a sink that counts the features of a stream exactly, by label, and finds the features
 * of a learner's answer among them.
 *
 * Features are counted by id, but an answer gives names. So the hash of a feature's name, cut as
 * the learner cuts it, is kept when the feature is first seen. Features whose names are equal once
 * they are cut cannot be told apart in an answer: exact_find() gives all of them.
 *
 * Memory grows with the distinct features: this is for evaluation, not for a stream
 * without end. Features that find no memory are ignored, and their entries counted.
 *
 * With a half-life counts and records fade as those of the learner do (kernels/linear/sgd.h), so
 * that the two are of the same records with the same weights. They are sums of forward decay in
 * doubles: a record adds `grown`, which rises as time goes by, and readers divide by it. */
#ifndef LEAT_EVALUATE_EXACT_H
#define LEAT_EVALUATE_EXACT_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "common/answers/asked.h"
#include "common/learners/growing.h"
#include "common/output/reports.h"

enum { EXACT_MAX_NAME = 511 };

/* How the configuration of such a sink begins. */
struct exact_cfg {
    struct asked asked; /* k, of, every and clock alone: no conditions    */
    int64_t name_bytes;
    int64_t max_features;           /* rounded up to a power of two         */
    int64_t min_count;              /* of a feature, to be compared: for the sink */
    struct leat_interval half_life; /* of what is counted; 0: nothing fades */
};

#define EXACT_NAME_PARAM                                                                           \
    LEAT_PARAM(struct exact_cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "120",       \
               .min = NAMES_MIN_BYTES, .max = EXACT_MAX_NAME, .unit = "bytes",                     \
               .doc = "where the learner cuts names: the name_bytes of the learner")

#define EXACT_MAX_PARAM                                                                            \
    LEAT_PARAM(struct exact_cfg, max_features, LEAT_INT, .flags = LEAT_ADVANCED, .def = "4194304", \
               .min = 1, .max = FEATURE_TABLE_MAX, .unit = "features",                             \
               .doc = "the stage stops counting new features at so many, rounded up to a power "   \
                      "of two: it ignores later ones and counts them")

struct exact_name {
    uint64_t hash;
    uint32_t feature;
    uint32_t found; /* 0; the sink's */
};

static inline bool exact_fades(const struct exact_cfg *c)
{
    return c->half_life.ns || c->half_life.examples;
}

/* Records of a kind, or entries of a feature in them: { labelled -1, +1 }. */
struct exact_counts {
    double n[2];
};

/* How its instance begins. */
struct exact {
    struct reports reports;
    struct counted counted;      /* count[2f + 1]: entries of feature f in examples labelled +1 */
    struct exact_counts records; /* times grown                                                 */
    double grown;                /* what a record adds; 1 without a half-life                   */
    uint64_t newest;             /* of a half-life in event time: the latest, ns; 0: none yet   */
    struct exact_name *by_name;  /* of the answer at hand: one for each feature, by hash        */
};

/* ---- calls of a stage ---- */

int exact_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
               struct leat_plan *p);
int exact_open(struct leat_ctx *ctx, void *self);
void exact_close(struct leat_ctx *ctx, void *self);
/* Counts a record once, whatever its examples. */
int exact_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);

/* A half-life in event time needs records that have one. */
int exact_negotiate(const void *config, struct leat_negotiation *n);

/* Members of the stage but open and close; `start` and `show` are its own. */
#define EXACT_SINK(PLAN, ASK)                                                                      \
    .kind = LEAT_SINK, .caps = LEAT_STATEFUL, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL,         \
    .validate = asked_validate, .negotiate = exact_negotiate, .plan = PLAN, .start = start,        \
    .process = exact_process, .stop = out_stop,                                                    \
    .asker = LEAT_ROLE(leat_asker, .ask = ASK, .show = show)

/* ---- in show() ---- */

struct exact_counts exact_records(const struct exact *e);
struct exact_counts exact_counts(const struct exact *e, uint32_t feature);

/* exact_find() works between the two. */
int exact_begin(struct leat_ctx *ctx, struct exact *e);
void exact_end(struct leat_ctx *ctx, struct exact *e);

/* The *n features with the name of that row; 0: none was counted. */
struct exact_name *exact_find(const struct exact *e, const struct leat_table *t, uint32_t row,
                              uint32_t *n);

#endif
